//! What can be proved of a plan or refuted (contract §9).

use super::search::Limit;
use super::step::Step;
use crate::measure::Observer;
use crate::model::{Axis, Fact, Time};

/// A property of all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Property {
    /// No false claim is ever made.
    Traceable,
    /// No answer is taken without a claim.
    Covered,
    /// No evil answer is ever taken.
    Untampered,
    /// From every reachable state, the world put right, a fresh good update can still be delivered.
    Live,
    /// From every reachable state, the world put right and left alone, what is wanted is delivered.
    Eventual,
    /// There is no endless fair run in which good updates keep coming and nothing is delivered.
    Progress,
    /// No run comes to rest with a success never taken and nothing newer taken.
    NoHiddenSuccess,
    /// No mixed answer is ever taken.
    InStep,
}

impl Axis for Property {
    const ALL: &'static [Self] = &[
        Property::Traceable,
        Property::Covered,
        Property::Untampered,
        Property::Live,
        Property::Eventual,
        Property::Progress,
        Property::NoHiddenSuccess,
        Property::InStep,
    ];
    fn name(self) -> &'static str {
        match self {
            Property::Traceable => "traceable",
            Property::Covered => "covered",
            Property::Untampered => "untampered",
            Property::Live => "live",
            Property::Eventual => "eventual",
            Property::Progress => "progress",
            Property::NoHiddenSuccess => "no-hidden-success",
            Property::InStep => "in-step",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Property::Traceable => "no false claim is ever made",
            Property::Covered => "no answer is taken without a claim",
            Property::Untampered => "no evil answer is ever taken",
            Property::Live => {
                "from every reachable state, the world put right, a fresh good update can still be delivered"
            }
            Property::Eventual => {
                "from every reachable state, the world put right and left alone, what is wanted is delivered"
            }
            Property::Progress => {
                "there is no endless fair run in which good updates keep coming and nothing is delivered"
            }
            Property::NoHiddenSuccess => "no run comes to rest with a success never taken and nothing newer taken",
            Property::InStep => "no mixed answer is ever taken",
        }
    }
}

impl Property {
    /// Whether `fact` alone refutes the property.
    pub fn refuted_by(self, fact: &Fact<'_>) -> bool {
        let Fact::Took { answer, claim, .. } = *fact else { return false };
        match self {
            Property::Traceable => claim.is_some_and(|claim| answer.origin().made_from != Some(claim.contents)),
            Property::Covered => claim.is_none(),
            Property::Untampered => answer.lineage().evil,
            Property::InStep => answer.lineage().mixed(),
            Property::Live | Property::Eventual | Property::Progress | Property::NoHiddenSuccess => false,
        }
    }
}

/// A run that refutes a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// The steps from the beginning.
    pub steps: Vec<Step>,
    /// From here on the steps repeat without end.
    pub cycle_from: Option<usize>,
}

/// What is known of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The whole graph was seen, and nothing in it refutes the property.
    Proved,
    /// A run that refutes it; no shorter one does, but for a cycle's own length.
    Refuted(Refutation),
    /// Nothing refutes it up to where the search gave up.
    Undecided(Limit),
}

/// A property and what is known of it.
pub type Decided = (Property, Verdict);

/// A set of properties, one bit each in the order of [`Axis::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Properties(pub u8);

impl Properties {
    pub fn has(self, property: Property) -> bool {
        self.0 >> property as u8 & 1 == 1
    }
}

/// Hears which properties a step refutes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watch {
    pub refuted: Properties,
}

impl Observer for Watch {
    fn hear(&mut self, _: Time, fact: &Fact<'_>) {
        if let Fact::Took { .. } = fact {
            for &property in Property::ALL {
                if property.refuted_by(fact) {
                    self.refuted.0 |= 1 << property as u8;
                }
            }
        }
    }
}
