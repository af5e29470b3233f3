//! Hears the facts of a run and makes its [`Measures`] of them (contract §7).

use super::delivery::Delivery;
use super::freshness::{Freshness, Standing};
use super::measures::{Latency, Measures, Outcome};
use super::waits::Waits;
use super::{Observer, exposure::Exposure};
use crate::model::{Answer, Claim, Content, Fact, Named, Plan, Span, Time, Why};

/// What is noted of an answer, by its slot.
#[derive(Clone, Debug, Default)]
struct Note {
    taken: bool,
    claimed: bool,
    unclaimed: bool,
    /// The questions that it was falsely claimed for.
    false_claims: Vec<Content>,
    /// How long the attempt lasted that made it.
    work: Span,
    /// How many successes its oracle had, itself included.
    success: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct PerOracle {
    sink: bool,
    successes: u64,
    /// The latest success that was taken, or one before which a forged answer was.
    latest_taken: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct PerObject {
    began: Time,
    last_attempt: Span,
}

/// Makes the measures of one run.
#[derive(Clone, Debug)]
pub struct Meter {
    delivery: Delivery,
    freshness: Freshness,
    exposure: Exposure,
    notes: Vec<Note>,
    oracles: Vec<PerOracle>,
    objects: Vec<PerObject>,
    latencies: Vec<u64>,
    undelivered: Vec<u64>,
    counts: Counts,
    /// Updates made earlier are not measured.
    from: Time,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    updates: u64,
    valid: u64,
    taken: u64,
    misattributed: u64,
    unattributed: u64,
    claimed: u64,
    tampered_taken: u64,
    tampered_answered: u64,
    mixed: u64,
    work: Span,
    useful: Span,
    writes: u64,
    reverts: u64,
    passes: u64,
}

impl Meter {
    /// For runs of `plan`.
    pub fn new(plan: &Plan) -> Meter {
        let sink = |r| PerOracle { sink: plan.is_sink(r), ..PerOracle::default() };
        Meter {
            delivery: Delivery::new(plan),
            freshness: Freshness::default(),
            exposure: Exposure::new(plan),
            notes: Vec::new(),
            oracles: plan.oracles().map(sink).collect(),
            objects: Vec::new(),
            latencies: Vec::new(),
            undelivered: Vec::new(),
            counts: Counts::default(),
            from: Time::ZERO,
        }
    }

    /// Leaves out what was before `from`, which is now: measures are those of the updates made from now on, of the time that
    /// passes, of attempts that end and of answers first taken. `hidden` alone remembers: it is how the run stands at its end.
    pub fn measure_from(&mut self, from: Time) {
        self.freshness.measure_from(from);
        self.exposure.measure_from(from);
        self.latencies.clear();
        self.counts = Counts::default();
        self.from = from;
        for note in &mut self.notes {
            note.work = Span::ZERO;
            (note.claimed, note.unclaimed) = (note.claimed || note.taken, note.unclaimed || note.taken);
        }
    }

    /// Ready for another run, without freeing.
    pub fn clear(&mut self) {
        self.delivery.clear();
        self.freshness.clear();
        self.exposure.clear();
        for oracle in &mut self.oracles {
            *oracle = PerOracle { sink: oracle.sink, ..PerOracle::default() };
        }
        self.objects.fill(PerObject::default());
        self.latencies.clear();
        self.undelivered.clear();
        self.counts = Counts::default();
        self.from = Time::ZERO;
    }

    /// What is delivered and wanted so far.
    pub fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// How long the updates of the run waited that has ended.
    pub fn waits(&self) -> Waits<'_> {
        Waits { delivered: &self.latencies, undelivered: &self.undelivered }
    }

    /// Ends the run at its horizon.
    pub fn end(&mut self, horizon: Time, outcome: Outcome) -> Measures {
        let (starvation, staleness, age) = self.freshness.end(horizon);
        let measured = self.delivery.undelivered().filter(|pending| pending.made >= self.from);
        self.undelivered.extend(measured.map(|pending| horizon.since(pending.made).0));
        let counts = self.counts;
        let hidden = |oracle: &PerOracle| if oracle.sink { 0 } else { oracle.successes - oracle.latest_taken };
        debug_assert!(counts.useful <= counts.work && counts.claimed <= counts.taken);
        Measures {
            outcome,
            updates: counts.updates,
            valid: counts.valid,
            delivered: self.latencies.len() as u64,
            censored: self.undelivered.len() as u64,
            latency: latency(&mut self.latencies),
            starvation,
            staleness,
            age,
            taken: counts.taken,
            misattributed: counts.misattributed,
            unattributed: counts.unattributed,
            claimed: counts.claimed,
            tampered_taken: counts.tampered_taken,
            tampered_answered: counts.tampered_answered,
            hidden: self.oracles.iter().map(hidden).sum(),
            mixed: counts.mixed,
            exposure: self.exposure.end(horizon),
            work: counts.work,
            wasted: Span(counts.work.0 - counts.useful.0),
            writes: counts.writes,
            reverts: counts.reverts,
            passes: counts.passes,
        }
    }

    fn stand(&mut self) {
        self.freshness.stand(Standing {
            wanted: self.delivery.wanted(),
            oldest: self.delivery.oldest_that_matters().map(|pending| pending.made),
            newest_delivered: self.delivery.newest_delivered().map(|pending| pending.made),
        });
    }

    fn note(&mut self, named: Named, answer: &Answer<'_>, work: Span) {
        let slot = answer.slot();
        if slot >= self.notes.len() {
            self.notes.resize(slot + 1, Note::default());
        }
        let note = &mut self.notes[slot];
        let mut false_claims = std::mem::take(&mut note.false_claims);
        false_claims.clear();
        let success = self.oracles[named.oracle.index()].successes;
        *note = Note { false_claims, work, success, ..Note::default() };
    }

    #[inline]
    fn took(&mut self, named: Named, answer: &Answer<'_>, claim: Option<Claim>) {
        let note = &mut self.notes[answer.slot()];
        let counts = &mut self.counts;
        if !std::mem::replace(&mut note.taken, true) {
            counts.taken += 1;
            counts.useful = counts.useful + note.work;
            let lineage = answer.lineage();
            counts.tampered_taken += u64::from(lineage.evil);
            counts.mixed += u64::from(lineage.mixed());
            let latest = &mut self.oracles[named.oracle.index()].latest_taken;
            *latest = note.success.max(*latest);
        }
        match claim {
            None => counts.unattributed += u64::from(!std::mem::replace(&mut note.unclaimed, true)),
            Some(claim) => {
                counts.claimed += u64::from(!std::mem::replace(&mut note.claimed, true));
                let is_false = answer.origin().made_from != Some(claim.contents);
                if is_false && !note.false_claims.contains(&claim.contents) {
                    note.false_claims.push(claim.contents);
                    counts.misattributed += 1;
                }
            }
        }
    }

    fn made(&mut self, named: Named, answer: &Answer<'_>) {
        let oracle = &mut self.oracles[named.oracle.index()];
        oracle.successes += 1;
        self.counts.tampered_answered += u64::from(oracle.sink && answer.lineage().evil);
        let work = std::mem::take(&mut self.object(named).last_attempt);
        self.note(named, answer, work);
    }

    fn answered(&mut self, at: Time, named: Named, answer: &Answer<'_>) {
        if !self.oracles[named.oracle.index()].sink {
            return;
        }
        let lineage = answer.lineage();
        self.exposure.answered(at, named.oracle, &lineage);
        let delivered = self.delivery.answered(named.oracle, &lineage);
        if !delivered.is_empty() {
            let measured = delivered.iter().filter(|pending| pending.made >= self.from);
            self.latencies.extend(measured.map(|pending| (at - pending.made).0));
            self.freshness.pass(at);
            self.freshness.delivered();
            self.stand();
        }
    }

    #[inline]
    fn object(&mut self, named: Named) -> &mut PerObject {
        let slot = named.object.slot as usize;
        if slot >= self.objects.len() {
            self.objects.resize(slot + 1, PerObject::default());
        }
        &mut self.objects[slot]
    }

    #[inline]
    fn attempt_ended(&mut self, named: Named, at: Time) {
        let object = self.object(named);
        object.last_attempt = at - object.began;
        let last_attempt = object.last_attempt;
        self.counts.work = self.counts.work + last_attempt;
    }
}

impl Observer for Meter {
    // Always inlined: where a fact is told its kind is known, so one that is not counted is not even made.
    #[inline(always)]
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        match *fact {
            Fact::Showed { .. } | Fact::Noticed { .. } => {}
            Fact::PassBegan => self.counts.passes += 1,
            Fact::Took { named, answer, claim } => self.took(named, &answer, claim),
            Fact::Began { named, .. } => self.object(named).began = at,
            Fact::Finished { named, .. } | Fact::Dropped { named, .. } => self.attempt_ended(named, at),
            Fact::Wrote { why, .. } => {
                self.counts.writes += u64::from(!matches!(why, Why::Tampered | Why::PutBack));
                self.counts.reverts += u64::from(why == Why::Reverted);
            }
            Fact::Made { named, answer } => self.made(named, &answer),
            Fact::Forged { named, answer } => self.note(named, &answer, Span::ZERO),
            Fact::Answered { named, answer } => self.answered(at, named, &answer),
            Fact::Updated { update, item, set, valid } => {
                self.counts.updates += 1;
                self.counts.valid += u64::from(valid);
                self.delivery.updated(at, update, item, set, valid);
                self.freshness.pass(at);
                self.stand();
            }
            Fact::WorldChanged { oracle, version, good } => {
                if good {
                    self.exposure.renewed(at, oracle, version);
                }
            }
            Fact::OutageBegan { .. }
            | Fact::OutageEnded { .. }
            | Fact::Restarted
            | Fact::Flapped { .. }
            | Fact::Skipped { .. }
            | Fact::Held { .. }
            | Fact::Discarded { .. }
            | Fact::Reused { .. }
            | Fact::Removed { .. } => {}
        }
    }
}

/// Quantiles by nearest rank (§10.12).
fn latency(latencies: &mut [u64]) -> Option<Latency> {
    latencies.sort_unstable();
    let n = latencies.len();
    let (&min, &max) = (latencies.first()?, latencies.last()?);
    let rank = |percent: usize| Span(latencies[(n * percent).div_ceil(100) - 1]);
    let sum: u128 = latencies.iter().map(|&latency| u128::from(latency)).sum();
    let mean = Span(((2 * sum + n as u128) / (2 * n as u128)) as u64);
    Some(Latency { min: Span(min), mean, p50: rank(50), p95: rank(95), p99: rank(99), max: Span(max) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_nearest_rank() {
        let mut hundred: Vec<u64> = (1..=100).rev().collect();
        let l = latency(&mut hundred).unwrap();
        assert_eq!((l.min.0, l.p50.0, l.p95.0, l.p99.0, l.max.0), (1, 50, 95, 99, 100));
        assert_eq!(l.mean.0, 51, "50.5, rounded half up");
        let l = latency(&mut [7]).unwrap();
        assert_eq!((l.min.0, l.p50.0, l.p95.0, l.max.0), (7, 7, 7, 7));
        assert_eq!(latency(&mut []), None);
    }
}
