//! A second implementation of `docs/model.md`, written from that page and from none of the code that it tests. As plain
//! as can be: contents are text, lineages are sets, events are a sorted map, measures are their definitions read aloud
//! over the whole list of facts. Lengths must be fixed and probabilities 0 or 1, so there are no dice.

mod choreographer;
mod controller;
mod facts;
mod measures;
mod observer;
mod probes;
pub mod scenarios;
mod simulator;
mod values;

use rehearsal::measure::Measures;
use rehearsal::model::policy::Policy;
use rehearsal::model::setting::Setting;

pub use observer::Observed;
use simulator::World;

/// What a run came to.
pub struct Run {
    /// One line per fact.
    pub lines: Vec<String>,
    /// All that is measured.
    pub measures: Measures,
}

/// A run that never seems to end is nobody's: more events than this are too many.
const MAX_EVENTS: u64 = 30_000;

/// Runs `policy` in `setting`; none if there are too many events.
pub fn run(setting: &Setting, policy: &Policy) -> Option<Run> {
    let mut world = World::new(setting, policy);
    world.go_on_to_the_horizon()?;
    let outcome = probes::outcome(&world)?;
    let measures = measures::measure(&world, outcome);
    let mut names = facts::Names::default();
    let lines = world.facts.iter().map(|(at, fact)| facts::line(*at, fact, setting, &mut names)).collect();
    Some(Run { lines, measures })
}
