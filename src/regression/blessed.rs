//! What a scenario comes to, in so few figures that a person can review them.

use super::trail::Trail;
use crate::explore;
use crate::measure::{MEASURES, Measure, Moments, Outcome};
use crate::model::{Axis, MODEL_VERSION, Plan, Time};
use crate::report::expectations;
use crate::scenario::Scenario;
use crate::simulate::{Batch, Limits, Overrun, Seeds};
use crate::validation::{self, Effort};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// The measures that are kept; any other shows in the digest alone.
pub const GUARDED: &[&str] = &[
    "misattributed",
    "unattributed",
    "coverage",
    "delivered",
    "censored",
    "latency.mean",
    "latency.p95",
    "starvation",
    "staleness.mean",
    "tampered.taken",
    "hidden",
    "mixed",
    "exposure",
    "work",
    "wasted",
    "writes",
];

/// What a scenario comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Blessed {
    /// The model's version.
    pub model: u32,
    /// The hash of the scenario's text.
    pub scenario: String,
    /// The first seed and how many.
    pub seeds: (u64, u64),
    /// What each policy comes to, in the scenario's order.
    pub policies: Vec<PolicyResult>,
    /// What became of each `[[expect]]` row.
    pub rows: Vec<Row>,
}

/// What a policy comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyResult {
    /// The policy.
    pub name: String,
    /// A digest of all facts of each seed's run, eight hexadecimal digits each.
    pub digests: Vec<String>,
    /// Runs by outcome; none that no run came to.
    pub outcomes: Vec<(Outcome, u64)>,
    /// Means of [`GUARDED`] measures over the runs that have them; none that is zero.
    pub means: Vec<(&'static str, f64)>,
    /// The first seed's facts, a letter each.
    pub trail: String,
}

/// What became of an expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it says, policies and claims.
    pub says: String,
    /// Whether it holds.
    pub verdict: Verdict,
}

/// Whether an expectation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Holds,
    /// It does not.
    Fails,
    /// It could not be decided within the bounds.
    Undecided,
}

impl Axis for Verdict {
    const ALL: &'static [Self] = &[Verdict::Holds, Verdict::Fails, Verdict::Undecided];
    fn name(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Fails => "fails",
            Verdict::Undecided => "undecided",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Verdict::Holds => "as expected",
            Verdict::Fails => "otherwise than expected",
            Verdict::Undecided => "not decided within the bounds",
        }
    }
}

/// Properties are given up after so many states: what takes longer to decide is for `validate`.
const MOST_STATES: u64 = 20_000;

/// What a scenario of this text comes to now.
///
/// # Errors
///
/// If a run exceeds its limits.
pub fn results(scenario: &Scenario, text: &str, seeds: Seeds, jobs: usize, limits: Limits) -> Result<Blessed, Overrun> {
    let plans: Vec<Plan> =
        scenario.policies.iter().map(|named| Plan::new(scenario.setting.clone(), named.policy.clone())).collect();
    let new = || -> Vec<(PolicyResult, Vec<Moments>)> {
        let empty = |name: &String| PolicyResult {
            name: name.clone(),
            digests: Vec::new(),
            outcomes: Outcome::ALL.iter().map(|&outcome| (outcome, 0)).collect(),
            means: Vec::new(),
            trail: String::new(),
        };
        scenario.policies.iter().map(|named| (empty(&named.name), vec![Moments::default(); GUARDED.len()])).collect()
    };
    let guarded: Vec<&Measure> =
        GUARDED.iter().filter_map(|name| MEASURES.iter().find(|measure| measure.name == *name)).collect();
    let mut whole = new();
    Batch { plans: &plans, seeds, jobs, limits, measured_from: Time::ZERO }.run_heard(
        |_| Trail::default(),
        new,
        |part, round| {
            for (at, (result, moments)) in part.iter_mut().enumerate() {
                let measures = &round.measures[at];
                let trail = &mut round.observers[at];
                result.digests.push(format!("{:08x}", xxh3_64(trail.hex().as_bytes()) >> 32));
                if round.seed == seeds.first {
                    trail.letters().clone_into(&mut result.trail);
                }
                trail.clear();
                result.outcomes[measures.outcome as usize].1 += 1;
                for (moments, measure) in moments.iter_mut().zip(&guarded) {
                    if let Some(reading) = (measure.read)(measures) {
                        moments.push(reading.as_f64());
                    }
                }
            }
        },
        |part| {
            for ((ours, moments), (theirs, more)) in whole.iter_mut().zip(part) {
                ours.digests.extend(theirs.digests);
                ours.trail.push_str(&theirs.trail);
                ours.outcomes.iter_mut().zip(theirs.outcomes).for_each(|(ours, theirs)| ours.1 += theirs.1);
                moments.iter_mut().zip(&more).for_each(|(ours, theirs)| ours.merge(theirs));
            }
        },
        |_| {},
    )?;
    let finish = |(mut result, moments): (PolicyResult, Vec<Moments>)| {
        result.outcomes.retain(|&(_, count)| count > 0);
        let means = guarded.iter().zip(&moments).filter(|(_, moments)| moments.count > 0);
        result.means =
            means.map(|(measure, moments)| (measure.name, moments.mean)).filter(|(_, mean)| *mean != 0.0).collect();
        result
    };
    let check = explore::Limits { max_states: MOST_STATES, ..explore::Limits::default() };
    let effort = Effort { seeds, jobs, limits, check };
    let checked = validation::validate(scenario, effort)?;
    let rows = checked.iter().map(|row| Row {
        says: format!(
            "{}: {}",
            row.expectation
                .policies
                .iter()
                .map(|&at| scenario.policies[at].name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
            row.expectation.claims.iter().map(expectations::claim).collect::<Vec<_>>().join(", ")
        ),
        verdict: match (row.holds(), row.fails()) {
            (true, _) => Verdict::Holds,
            (_, true) => Verdict::Fails,
            (_, false) => Verdict::Undecided,
        },
    });
    Ok(Blessed {
        model: MODEL_VERSION,
        scenario: format!("{:032x}", xxh3_128(text.as_bytes())),
        seeds: (seeds.first, seeds.count),
        policies: whole.into_iter().map(finish).collect(),
        rows: rows.collect(),
    })
}
