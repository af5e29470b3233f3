//! Policies beside each other on the same seeds: what each comes to, and how far one is from another run by run.

use super::measures::{MEASURES, Measure, Measures, Outcome};
use super::statistics::{Interval, Moments};
use super::waits::{Pooled, Waits, wilson};
use crate::model::Axis;

/// What the runs of one policy come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Runs by outcome, in the order of [`Outcome::ALL`].
    outcomes: Vec<u64>,
    /// One for each of [`MEASURES`], over the runs that have it.
    measures: Vec<Moments>,
    /// One for each of [`MEASURES`]: this policy's reading less the first policy's, over the seeds under which both have
    /// one.
    against_first: Vec<Moments>,
    /// The waits of all updates of all runs.
    waits: Pooled,
    /// The starvation of each run.
    starvation: Pooled,
}

/// Policies compared on the same seeds. It is filled run by run and merged chunk by chunk, and holds no run.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    runs: u64,
    tallies: Vec<Tally>,
    /// Policy by policy, row by row: how much later the row's policy delivers than the column's.
    later: Vec<Moments>,
}

impl Tally {
    fn new() -> Tally {
        Tally {
            outcomes: vec![0; Outcome::ALL.len()],
            measures: vec![Moments::default(); MEASURES.len()],
            against_first: vec![Moments::default(); MEASURES.len()],
            waits: Pooled::default(),
            starvation: Pooled::default(),
        }
    }

    fn push(&mut self, run: &Measures, waits: Waits<'_>, first: &Measures) {
        self.waits.push(waits);
        self.starvation.push(Waits { delivered: &[run.starvation.0], undelivered: &[] });
        self.outcomes[run.outcome as usize] += 1;
        for (at, measure) in MEASURES.iter().enumerate() {
            let Some(reading) = (measure.read)(run) else { continue };
            self.measures[at].push(reading.as_f64());
            if let Some(other) = (measure.read)(first) {
                self.against_first[at].push(reading.as_f64() - other.as_f64());
            }
        }
    }

    fn merge(&mut self, later: &Tally) {
        self.outcomes.iter_mut().zip(&later.outcomes).for_each(|(ours, theirs)| *ours += theirs);
        self.measures.iter_mut().zip(&later.measures).for_each(|(ours, theirs)| ours.merge(theirs));
        self.against_first.iter_mut().zip(&later.against_first).for_each(|(ours, theirs)| ours.merge(theirs));
        self.waits.merge(&later.waits);
        self.starvation.merge(&later.starvation);
    }

    /// How many runs came to this.
    pub fn outcome(&self, outcome: Outcome) -> u64 {
        self.outcomes[outcome as usize]
    }

    /// The 95% interval of the share of the runs that come to this.
    pub fn outcome_interval(&self, outcome: Outcome) -> Interval {
        wilson(self.outcome(outcome), self.outcomes.iter().sum())
    }

    /// How long updates wait, those of all runs together.
    pub fn waits(&self) -> &Pooled {
        &self.waits
    }

    /// The starvation of each run.
    pub fn starvation(&self) -> &Pooled {
        &self.starvation
    }

    /// A measure over the runs that have it.
    pub fn measure(&self, measure: &Measure) -> &Moments {
        &self.measures[measure.place()]
    }

    /// A measure less that of the first policy, over the seeds under which both have it.
    pub fn against_first(&self, measure: &Measure) -> &Moments {
        &self.against_first[measure.place()]
    }
}

impl Comparison {
    /// A comparison of this many policies, of which no run has been seen.
    pub fn new(policies: usize) -> Comparison {
        Comparison {
            runs: 0,
            tallies: (0..policies).map(|_| Tally::new()).collect(),
            later: vec![Moments::default(); policies * policies],
        }
    }

    /// Adds the runs of all policies under one seed, in order, with their waits.
    pub fn push<'w>(&mut self, measures: &[Measures], waits: impl Iterator<Item = Waits<'w>>) {
        assert_eq!(measures.len(), self.tallies.len(), "one run for each policy");
        self.runs += 1;
        for ((tally, run), waits) in self.tallies.iter_mut().zip(measures).zip(waits) {
            tally.push(run, waits, &measures[0]);
        }
        let latency = |run: &Measures| run.latency.map(|latency| latency.mean.as_seconds());
        for (row, one) in measures.iter().enumerate() {
            for (column, other) in measures.iter().enumerate() {
                if let (Some(one), Some(other)) = (latency(one), latency(other)) {
                    self.later[row * measures.len() + column].push(one - other);
                }
            }
        }
    }

    /// Adds all runs of `later`.
    pub fn merge(&mut self, later: &Comparison) {
        self.runs += later.runs;
        self.tallies.iter_mut().zip(&later.tallies).for_each(|(ours, theirs)| ours.merge(theirs));
        self.later.iter_mut().zip(&later.later).for_each(|(ours, theirs)| ours.merge(theirs));
    }

    /// How many runs there were of each policy.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// What each policy comes to, in order.
    pub fn tallies(&self) -> &[Tally] {
        &self.tallies
    }

    /// How much later than `other` the policy `one` delivers, by the mean latency, over the seeds under which both deliver
    /// anything. Negative: earlier.
    pub fn later(&self, one: usize, other: usize) -> &Moments {
        &self.later[one * self.tallies.len() + other]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_counted_in_the_order_of_the_table() {
        for (place, &outcome) in Outcome::ALL.iter().enumerate() {
            assert_eq!(outcome as usize, place);
        }
    }
}
