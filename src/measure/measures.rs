//! What one run comes to (contract §7), and the list of everything in it by name.

use crate::model::{Axis, Span};

/// How a run stands at its horizon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// Nothing is wanted.
    Settled,
    /// Put right and left alone, the world delivers what is wanted.
    Waiting,
    /// It does not, but a fresh good update would be delivered: a valid update is lost for good.
    Stuck,
    /// Not even a fresh good update would be delivered.
    Deadlocked,
}

impl Axis for Outcome {
    const ALL: &'static [Self] = &[Outcome::Settled, Outcome::Waiting, Outcome::Stuck, Outcome::Deadlocked];
    fn name(self) -> &'static str {
        match self {
            Outcome::Settled => "settled",
            Outcome::Waiting => "waiting",
            Outcome::Stuck => "stuck",
            Outcome::Deadlocked => "deadlocked",
        }
    }
    fn meaning(self) -> &'static str {
        match self {
            Outcome::Settled => "nothing is wanted at the horizon",
            Outcome::Waiting => "put right and left alone, the world delivers what is wanted",
            Outcome::Stuck => "a valid update is lost for good, though a fresh one would be delivered",
            Outcome::Deadlocked => "not even a fresh good update would be delivered",
        }
    }
}

/// From the making of valid updates to their delivery, over those delivered. Quantiles are nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latency {
    /// The shortest.
    pub min: Span,
    /// The mean, rounded to a nanosecond.
    pub mean: Span,
    /// The median.
    pub p50: Span,
    /// The 95th percentile.
    pub p95: Span,
    /// The 99th percentile.
    pub p99: Span,
    /// The longest.
    pub max: Span,
}

/// A mean over time and the largest value. Means are rounded to a nanosecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeanAndPeak {
    /// The mean over time.
    pub mean: Span,
    /// The largest value.
    pub peak: Span,
}

/// Everything that is measured of a run (contract §7).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measures {
    /// How the run stands at its horizon.
    pub outcome: Outcome,
    /// Updates made.
    pub updates: u64,
    /// Of these, those that are bad for no oracle.
    pub valid: u64,
    /// Of these, those delivered by the horizon.
    pub delivered: u64,
    /// Valid updates not delivered by the horizon.
    pub censored: u64,
    /// None if nothing was delivered.
    pub latency: Option<Latency>,
    /// The longest time without a delivery while something was wanted.
    pub starvation: Span,
    /// How long the oldest update that matters has waited: mean over the run, and maximum.
    pub staleness: MeanAndPeak,
    /// Age of information; none if nothing was delivered.
    pub age: Option<MeanAndPeak>,
    /// Distinct answers taken.
    pub taken: u64,
    /// Distinct false claims.
    pub misattributed: u64,
    /// Answers taken, at least once, without a claim.
    pub unattributed: u64,
    /// Answers taken and, at least once, claimed.
    pub claimed: u64,
    /// Distinct evil answers taken.
    pub tampered_taken: u64,
    /// Evil answers made by a sink.
    pub tampered_answered: u64,
    /// Successes never taken, with no later one taken either.
    pub hidden: u64,
    /// Answers taken that mix versions.
    pub mixed: u64,
    /// Time in which sinks' answers came from an older world than they should.
    pub exposure: Span,
    /// Time spent in attempts that ended.
    pub work: Span,
    /// The part of it that led to no answer taken.
    pub wasted: Span,
    /// Writes by the choreographer that changed a spec, reverts included.
    pub writes: u64,
    /// Reverts of what somebody else wrote.
    pub reverts: u64,
    /// Passes begun.
    pub passes: u64,
}

impl Measures {
    /// A run in which nothing happened.
    #[cfg(test)]
    pub(super) fn nothing(outcome: Outcome) -> Measures {
        Measures {
            outcome,
            updates: 0,
            valid: 0,
            delivered: 0,
            censored: 0,
            latency: None,
            starvation: Span::ZERO,
            staleness: MeanAndPeak::default(),
            age: None,
            taken: 0,
            misattributed: 0,
            unattributed: 0,
            claimed: 0,
            tampered_taken: 0,
            tampered_answered: 0,
            hidden: 0,
            mixed: 0,
            exposure: Span::ZERO,
            work: Span::ZERO,
            wasted: Span::ZERO,
            writes: 0,
            reverts: 0,
            passes: 0,
        }
    }

    /// The share of the answers taken that were, at least once, claimed; 1 if nothing was taken.
    pub fn coverage(&self) -> f64 {
        if self.taken == 0 { 1.0 } else { self.claimed as f64 / self.taken as f64 }
    }
}

/// The value of a measure.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub enum Reading {
    /// A number of things.
    Count(u64),
    /// A length of time.
    Span(Span),
    /// A share between 0 and 1.
    Share(f64),
}

impl Reading {
    /// The number for statistics and JSON: durations in seconds.
    pub fn as_f64(self) -> f64 {
        match self {
            Reading::Count(count) => count as f64,
            Reading::Span(span) => span.as_seconds(),
            Reading::Share(share) => share,
        }
    }
}

/// What a measure's readings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Reading::Count`].
    Count,
    /// [`Reading::Span`].
    Span,
    /// [`Reading::Share`].
    Share,
}

/// Which way a measure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less is better.
    Lower,
    /// More is better.
    Higher,
    /// Neither.
    Neither,
}

/// A measure by name.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// As scenario files and JSON spell it.
    pub name: &'static str,
    /// What it means, in a few words.
    pub meaning: &'static str,
    /// What its readings are.
    pub kind: Kind,
    /// Which way it is better.
    pub better: Better,
    /// Its value in a run; none where there is none.
    pub read: fn(&Measures) -> Option<Reading>,
}

impl PartialEq for Measure {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Measure {
    /// Its place among [`MEASURES`].
    pub fn place(&self) -> usize {
        MEASURES.iter().position(|other| other == self).expect("every measure stands in the table")
    }

    /// The measure of this name.
    pub fn named(name: &str) -> Option<&'static Measure> {
        MEASURES.iter().find(|measure| measure.name == name)
    }
}

macro_rules! measures {
    ($($name:literal $kind:ident $better:ident $meaning:literal |$m:ident| $read:expr;)+) => {
        /// Every measure but the outcome, in the order of the contract.
        pub const MEASURES: &[Measure] = &[$(Measure {
            name: $name,
            meaning: $meaning,
            kind: Kind::$kind,
            better: Better::$better,
            read: |$m: &Measures| -> Option<Reading> { $read.map(Reading::$kind) },
        }),+];
    };
}

measures! {
    "updates" Count Neither "updates made" |m| Some(m.updates);
    "valid" Count Neither "updates that are bad for no oracle" |m| Some(m.valid);
    "delivered" Count Higher "valid updates delivered" |m| Some(m.delivered);
    "censored" Count Lower "valid updates not delivered by the horizon" |m| Some(m.censored);
    "latency.min" Span Lower "shortest time from a valid update to its delivery" |m| m.latency.map(|l| l.min);
    "latency.mean" Span Lower "mean time from a valid update to its delivery" |m| m.latency.map(|l| l.mean);
    "latency.p50" Span Lower "median time from a valid update to its delivery" |m| m.latency.map(|l| l.p50);
    "latency.p95" Span Lower "95th percentile of the time to delivery" |m| m.latency.map(|l| l.p95);
    "latency.p99" Span Lower "99th percentile of the time to delivery" |m| m.latency.map(|l| l.p99);
    "latency.max" Span Lower "longest time from a valid update to its delivery" |m| m.latency.map(|l| l.max);
    "starvation" Span Lower "longest time without a delivery while one was wanted" |m| Some(m.starvation);
    "staleness.mean" Span Lower "mean wait of the oldest update that matters" |m| Some(m.staleness.mean);
    "staleness.max" Span Lower "longest wait of the oldest update that matters" |m| Some(m.staleness.peak);
    "age.mean" Span Lower "mean age of what is delivered" |m| m.age.map(|a| a.mean);
    "age.peak" Span Lower "largest age of what is delivered" |m| m.age.map(|a| a.peak);
    "taken" Count Neither "distinct answers taken" |m| Some(m.taken);
    "misattributed" Count Lower "distinct false claims" |m| Some(m.misattributed);
    "unattributed" Count Lower "answers taken without a claim" |m| Some(m.unattributed);
    "coverage" Share Higher "share of the answers taken that were claimed" |m| Some(m.coverage());
    "tampered.taken" Count Lower "evil answers taken" |m| Some(m.tampered_taken);
    "tampered.answered" Count Lower "evil answers made by a sink" |m| Some(m.tampered_answered);
    "hidden" Count Lower "successes never taken, nor any later one" |m| Some(m.hidden);
    "mixed" Count Lower "answers taken that mix versions" |m| Some(m.mixed);
    "exposure" Span Lower "time in which sinks ran on an old world" |m| Some(m.exposure);
    "work" Span Lower "time spent in attempts" |m| Some(m.work);
    "wasted" Span Lower "the part of it that led to no answer taken" |m| Some(m.wasted);
    "writes" Count Neither "specs written" |m| Some(m.writes);
    "reverts" Count Neither "specs reverted" |m| Some(m.reverts);
    "passes" Count Neither "passes of the choreographer" |m| Some(m.passes);
}
