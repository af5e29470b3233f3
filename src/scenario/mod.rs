//! A scenario: a setting, the policies to try in it, and what a person claims of them.

use crate::measure::{Measure, Outcome, Reading};
use crate::model::{Policy, Setting};

/// A policy under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPolicy {
    /// Its name.
    pub name: String,
    /// Its values.
    pub policy: Policy,
}

/// What a person claims of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Exactly this.
    Is(Reading),
    /// More than this.
    Above(Reading),
    /// Less than this.
    Below(Reading),
    /// This or more.
    AtLeast(Reading),
    /// This or less.
    AtMost(Reading),
    /// There is none: nothing was delivered.
    Absent,
}

/// What an expectation says.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// The outcome is one of these.
    Outcome(Vec<Outcome>),
    /// A measure lies within bounds.
    Measure(&'static Measure, Vec<Bound>),
    /// A property of the exhaustive checker holds, or does not.
    Property {
        /// Its name.
        name: String,
        /// Whether it holds.
        holds: bool,
    },
}

/// One `[[expect]]` row.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The policies it is about, by their place in [`Scenario::policies`].
    pub policies: Vec<usize>,
    /// What it says of them.
    pub claims: Vec<Claimed>,
    /// The line in the file where it begins, from 1.
    pub line: usize,
}

/// A scenario file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's name without its ending.
    pub name: String,
    /// What it is about, in one line.
    pub about: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// What the runs are made of.
    pub setting: Setting,
    /// The policies to try, at least one.
    pub policies: Vec<NamedPolicy>,
    /// What a person claims.
    pub expectations: Vec<Expectation>,
}
