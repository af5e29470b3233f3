//! Charts of a comparison: one picture a question, all policies in it, each in its own colour and under its own name.

mod heat;
mod latency;
mod outcomes;
mod rows;
mod small;
mod staleness;
mod starvation;
mod waits;
mod work;

use super::picture::Picture;
use crate::measure::{Comparison, Measure, Samples};
use crate::model::Time;

/// What charts are drawn of.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The policies' names, in order.
    pub policies: &'a [&'a str],
    /// What their runs come to.
    pub comparison: &'a Comparison,
    /// Some of the runs.
    pub samples: &'a Samples,
    /// The end of each run.
    pub horizon: Time,
}

/// A chart by name.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The name of its file, without an ending.
    pub name: &'static str,
    /// How it is to be read.
    pub legend: String,
    /// What was drawn.
    pub picture: Picture,
}

/// Every chart is as wide: what a telephone shows without shrinking it.
const WIDTH: f64 = 340.0;

impl Subject<'_> {
    /// All charts, in the order in which they are looked at.
    pub fn charts(&self) -> Vec<Chart> {
        vec![self.outcomes(), self.latency(), self.starvation(), self.work(), self.waits(), self.staleness()]
    }
}

fn named(name: &str) -> &'static Measure {
    Measure::named(name).expect("it stands in the table of measures")
}
