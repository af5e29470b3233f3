//! One run without a clock, step by step: to play a counterexample, or to try what a test wants tried.

use super::befall::{Bounds, Updates};
use super::property::Property;
use super::state::{Ground, State};
use super::step::{Label, Step, next_script};
use crate::measure::Observer;
use crate::model::{Axis, Event, Merging, OracleId, Plan, Scratch};

/// A run on its way.
#[derive(Clone, Debug)]
pub struct Walk<'p> {
    ground: Ground<'p>,
    state: State<'p>,
}

impl<'p> Walk<'p> {
    /// A run of `plan` before its first step.
    pub fn new(plan: &'p Plan, bounds: Bounds) -> Walk<'p> {
        let ground = Ground::new(plan, bounds, Property::ALL, Merging::On);
        let state = State::first(&ground);
        Walk { ground, state }
    }

    /// Every step that may be the next, those that put the world right apart.
    pub fn steps(&self) -> Vec<Step> {
        let events = self.events();
        let mut steps = Vec::new();
        for event in events {
            let mut script = Vec::new();
            loop {
                let mut tried = self.state.clone();
                let applied = tried.apply(&self.ground, event, &script, &mut ());
                if !applied.beyond_bounds {
                    steps.push(Step::Event(event, applied.draws.clone()));
                }
                match next_script(applied.draws) {
                    Some(following) => script = following,
                    None => break,
                }
            }
        }
        steps
    }

    /// Whether the step's event may be the next.
    pub fn may(&self, step: &Step) -> bool {
        let Step::Event(event, _) = step else { return !self.state.is_put_right() };
        self.events().into_iter().any(|other| Label::of(other) == Label::of(*event))
    }

    fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        // Only a renamed state tells how many versions of the workload are in use.
        match self.ground.bounds.updates {
            Updates::Endless { .. } => self.renamed().state.events(&self.ground, &mut events),
            Updates::Bounded { .. } => self.state.events(&self.ground, &mut events),
        };
        events
    }

    /// Takes a step, and tells `observer` its facts.
    ///
    /// # Panics
    ///
    /// If its event may not be the next ([`Walk::may`]).
    pub fn take<O: Observer>(&mut self, step: &Step, observer: &mut O) {
        self.state.take(&self.ground, step, observer);
    }

    /// Whether the workload's present values are all valid and not all delivered.
    pub fn wanted(&self) -> bool {
        self.state.wanted(&self.ground)
    }

    /// Of which oracle a success was never taken, and nothing newer either, nothing being under way but wake-ups that find
    /// nothing.
    pub fn hides(&self) -> Option<OracleId> {
        let mut quiet = self.state.clone();
        if self.wakes_to_nothing() {
            quiet.let_wakes_go();
        }
        quiet.rests_with_hidden_success(&self.ground)
    }

    /// The same run as far as anything can tell: its state written down as bytes, renamed and shortened, and read again.
    pub fn renamed(&self) -> Walk<'p> {
        let mut state = State::blank(&self.ground);
        state.read_bytes(&self.ground, &self.to_bytes());
        Walk { ground: self.ground.clone(), state }
    }

    /// Whether an event of a run with a clock is of an object that is gone: nothing comes of it.
    pub fn is_over(&self, event: Event) -> bool {
        self.state.is_over(event)
    }

    /// Whether so many wake-ups are under way that nothing flaps.
    pub fn is_crowded(&self) -> bool {
        self.state.is_crowded(&self.ground)
    }

    /// Whether a wake-up now would change nothing.
    pub fn wakes_to_nothing(&self) -> bool {
        let mut before = self.clone();
        before.state.wake_for_no_reason();
        let mut after = before.clone();
        after.state.apply(&self.ground, Event::Wake, &[], &mut ());
        self.to_bytes() == after.to_bytes()
    }

    /// The state as bytes: the same for two states that nothing can tell apart.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.state.clone().write_bytes(&self.ground, &mut Scratch::default(), &mut bytes);
        bytes
    }
}
