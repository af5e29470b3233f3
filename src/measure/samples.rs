//! Some runs of each policy, kept one by one: to show the one in the middle and the worst, and how stale what is delivered
//! was in the course of them.

use std::cmp::Reverse;

use super::delivery::Delivery;
use super::measures::{Measure, Measures, Outcome};
use super::{Better, Observer};
use crate::model::{Fact, Plan, Span, Time};

/// Staleness (contract §7) at instants evenly spread over a run.
#[derive(Clone, Debug)]
pub struct StalenessOverTime {
    delivery: Delivery,
    instants: Vec<Time>,
    staleness: Vec<Span>,
}

impl StalenessOverTime {
    /// At so many instants of runs of `plan`, the last of them the horizon.
    pub fn new(plan: &Plan, instants: u64) -> StalenessOverTime {
        let horizon = u128::from(plan.setting().horizon.0);
        let instants = (1..=instants).map(|number| Time((horizon * u128::from(number) / u128::from(instants)) as u64));
        StalenessOverTime { delivery: Delivery::new(plan), instants: instants.collect(), staleness: Vec::new() }
    }

    /// The instants.
    pub fn instants(&self) -> &[Time] {
        &self.instants
    }

    /// The run is over: how stale what was delivered was at each instant. The next run may begin.
    pub fn end(&mut self) -> Vec<Span> {
        self.pass(None);
        self.delivery.clear();
        std::mem::take(&mut self.staleness)
    }

    /// Up to `now`, without it, all stays as it is; to the end, if it is none.
    fn pass(&mut self, now: Option<Time>) {
        let due = |at: Time| now.is_none_or(|now| at < now);
        while let Some(&at) = self.instants.get(self.staleness.len()).filter(|at| due(**at)) {
            let oldest = self.delivery.oldest_that_matters().filter(|_| self.delivery.wanted());
            self.staleness.push(oldest.map_or(Span::ZERO, |pending| at.since(pending.made)));
        }
    }
}

impl Observer for StalenessOverTime {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        if let Fact::Updated { .. } | Fact::Answered { .. } = fact {
            self.pass(Some(at));
            self.delivery.hear(at, fact);
        }
    }
}

/// One run of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Its seed.
    pub seed: u64,
    /// What it came to.
    pub measures: Measures,
    /// How stale what was delivered was, at evenly spread instants.
    pub staleness: Vec<Span>,
}

/// How stale what is delivered is at an instant, over the runs kept: quantiles by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// One run in ten has less.
    pub low: Span,
    /// Half of the runs have less.
    pub middle: Span,
    /// One run in ten has more.
    pub high: Span,
}

/// Runs of each policy under the same seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    policies: Vec<Vec<Sample>>,
}

impl Samples {
    /// No run of any of so many policies.
    pub fn new(policies: usize) -> Samples {
        Samples { policies: vec![Vec::new(); policies] }
    }

    /// Adds the runs of all policies under one seed.
    pub fn push(&mut self, seed: u64, measures: &[Measures], staleness: impl Iterator<Item = Vec<Span>>) {
        for ((samples, &measures), staleness) in self.policies.iter_mut().zip(measures).zip(staleness) {
            samples.push(Sample { seed, measures, staleness });
        }
    }

    /// Adds the runs of `later`.
    pub fn merge(&mut self, later: Samples) {
        self.policies.iter_mut().zip(later.policies).for_each(|(ours, theirs)| ours.extend(theirs));
    }

    /// The runs of a policy, in the order of their seeds.
    pub fn of(&self, policy: usize) -> &[Sample] {
        &self.policies[policy]
    }

    /// A policy's run in the middle, by mean staleness: the lower of two.
    pub fn median(&self, policy: usize) -> &Sample {
        let mut order: Vec<&Sample> = self.policies[policy].iter().collect();
        // Stable: of equal runs the one with the smaller seed.
        order.sort_by_key(|sample| sample.measures.staleness.mean);
        order[(order.len() - 1) / 2]
    }

    /// A policy's worst run: of those with the worst outcome the one with the greatest mean staleness.
    pub fn worst(&self, policy: usize) -> &Sample {
        let badness = |sample: &Sample| (sample.measures.outcome, sample.measures.staleness.mean, Reverse(sample.seed));
        self.policies[policy].iter().max_by_key(|sample| badness(sample)).expect("there are runs")
    }

    /// The run of a policy in which a measure is worst; none if there is none with it.
    pub fn worst_by(&self, policy: usize, measure: &Measure) -> Option<&Sample> {
        let value = |sample: &Sample| {
            let value = (measure.read)(&sample.measures)?.as_f64();
            Some(if measure.better == Better::Higher { -value } else { value })
        };
        let with = self.policies[policy].iter().filter_map(|sample| Some((value(sample)?, sample)));
        // Of equals the first.
        with.reduce(|worst, next| if next.0 > worst.0 { next } else { worst }).map(|(_, sample)| sample)
    }

    /// The first run of a policy with this outcome.
    pub fn first_with(&self, policy: usize, outcome: Outcome) -> Option<&Sample> {
        self.policies[policy].iter().find(|sample| sample.measures.outcome == outcome)
    }

    /// How stale what is delivered is at each instant.
    pub fn bands(&self, policy: usize) -> Vec<Band> {
        let samples = &self.policies[policy];
        let instants = samples.first().map_or(0, |sample| sample.staleness.len());
        let band = |instant: usize| {
            let mut values: Vec<Span> = samples.iter().map(|sample| sample.staleness[instant]).collect();
            values.sort_unstable();
            let rank = |percent: usize| values[(values.len() * percent).div_ceil(100).max(1) - 1];
            Band { low: rank(10), middle: rank(50), high: rank(90) }
        };
        (0..instants).map(band).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::MeanAndPeak;

    fn samples(runs: &[(Outcome, u64)]) -> Samples {
        let mut samples = Samples::new(1);
        for (seed, &(outcome, mean)) in (1..).zip(runs) {
            let staleness = MeanAndPeak { mean: Span(mean), peak: Span(mean) };
            let measures = Measures { staleness, ..Measures::nothing(outcome) };
            samples.push(seed, &[measures], std::iter::once(vec![Span(mean)]));
        }
        samples
    }

    #[test]
    fn the_run_in_the_middle_and_the_worst() {
        use Outcome::{Deadlocked, Settled, Waiting};
        let samples = samples(&[(Settled, 9), (Waiting, 9), (Settled, 1), (Deadlocked, 3), (Deadlocked, 3)]);
        assert_eq!(
            samples.median(0).seed,
            5,
            "of 1, 3, 3, 9, 9 the third: seeds 4 and 5 are equal, and 5 is the later"
        );
        assert_eq!(samples.worst(0).seed, 4);
        let staleness = Measure::named("staleness.mean").unwrap();
        assert_eq!(samples.worst_by(0, staleness).unwrap().seed, 1);
        assert_eq!(samples.worst_by(0, Measure::named("age.mean").unwrap()), None);
        assert_eq!(samples.first_with(0, Waiting).unwrap().seed, 2);
    }

    #[test]
    fn bands_are_nearest_rank() {
        let samples = samples(&(1..=20).map(|n| (Outcome::Settled, n)).collect::<Vec<_>>());
        assert_eq!(samples.bands(0), [Band { low: Span(2), middle: Span(10), high: Span(18) }]);
    }
}
