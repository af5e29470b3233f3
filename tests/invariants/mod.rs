//! The invariants of the contract, held against every fact of a run. They are `assert!`s: they stay on in release.

use std::collections::{BTreeMap, BTreeSet};

use rehearsal::measure::{Measures, Observer};
use rehearsal::model::setting::StatusPhase;
use rehearsal::model::{Content, Fact, Generation, ObjectId, OracleId, Plan, Ready, Time, Why, WorldVersion};

/// The contract's invariants, checked at every fact.
pub struct Invariants<'a> {
    plan: &'a Plan,
    last: Time,
    generations: BTreeMap<ObjectId, Generation>,
    observed: BTreeMap<ObjectId, Generation>,
    making: BTreeMap<OracleId, u32>,
    asked: BTreeSet<(OracleId, Content)>,
    /// What each object's controller is at: the generation, the world, and since when.
    working: BTreeMap<ObjectId, (Generation, WorldVersion, Time)>,
    /// What was answered well: there is nothing more to do for it.
    done: BTreeSet<(ObjectId, Generation, WorldVersion)>,
    work: u64,
    facts: u64,
    at_work: BTreeMap<OracleId, u32>,
    heard: BTreeMap<ObjectId, Generation>,
    updates: u32,
}

impl<'a> Invariants<'a> {
    pub fn new(plan: &'a Plan) -> Self {
        Invariants {
            plan,
            last: Time::ZERO,
            generations: BTreeMap::new(),
            observed: BTreeMap::new(),
            making: BTreeMap::new(),
            asked: BTreeSet::new(),
            working: BTreeMap::new(),
            done: BTreeSet::new(),
            work: 0,
            facts: 0,
            at_work: BTreeMap::new(),
            heard: BTreeMap::new(),
            updates: 0,
        }
    }

    /// How many facts were checked.
    #[allow(dead_code, reason = "not every test reports it")]
    pub fn facts(&self) -> u64 {
        self.facts
    }

    /// Holds what was measured against itself, and against what was heard.
    pub fn balance(&self, m: &Measures) {
        assert!(m.valid <= m.updates && m.delivered + m.censored == m.valid, "{m:?}");
        assert!(m.updates == u64::from(self.updates), "every update was heard of: {m:?}");
        assert!(m.wasted <= m.work && m.work.0 == self.work, "work that ended is counted: {m:?}, {}", self.work);
        assert!(m.claimed <= m.taken && m.unattributed <= m.taken, "{m:?}");
        assert!(m.claimed + m.unattributed >= m.taken, "{m:?}");
        assert!(m.tampered_taken <= m.taken && m.mixed <= m.taken && m.reverts <= m.writes, "{m:?}");
        assert!(m.starvation.0 <= self.plan.setting().horizon.0 && m.staleness.mean <= m.staleness.peak, "{m:?}");
        assert_eq!(m.latency.is_some(), m.delivered > 0, "{m:?}");
        assert_eq!(m.age.is_some(), m.delivered > 0, "{m:?}");
    }
}

impl Observer for Invariants<'_> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        assert!(at >= self.last, "the clock never goes back");
        self.last = at;
        self.facts += 1;
        match *fact {
            Fact::Updated { update, .. } => {
                self.updates += 1;
                assert_eq!(update.0, self.updates);
            }
            Fact::Wrote { named, generation, question, why } => {
                let last = self.generations.insert(named.object, generation).unwrap_or_default();
                assert_eq!(generation, last.next(), "a generation grows by one");
                if !matches!(why, Why::Tampered | Why::PutBack) {
                    self.asked.insert((named.oracle, question.contents()));
                }
            }
            Fact::Noticed { named, generation } => {
                assert!(generation <= self.generations[&named.object], "only what was written is heard");
                assert!(self.heard.insert(named.object, generation).is_none_or(|last| last < generation));
            }
            Fact::Began { named, generation, world, .. } => {
                assert!(!self.done.contains(&(named.object, generation, world)), "what is at rest has nothing to do");
                assert!(generation <= self.heard[&named.object], "a controller knows only what it has heard");
                let before = self.working.insert(named.object, (generation, world, at));
                assert_eq!(before, None, "one attempt at a time");
                *self.at_work.entry(named.oracle).or_default() += 1;
                let workers = self.plan.oracle(named.oracle).workers.unwrap_or(u32::MAX);
                assert!(self.at_work[&named.oracle] <= workers, "no more work than workers");
            }
            Fact::Finished { named, generation, .. } | Fact::Dropped { named, generation } => {
                let (begun, world, since) = self.working.remove(&named.object).expect("what ends was begun");
                assert_eq!(begun, generation, "what ends was begun");
                self.work += at.since(since).0;
                if matches!(*fact, Fact::Finished { success: true, .. }) {
                    self.done.insert((named.object, generation, world));
                }
                *self.at_work.get_mut(&named.oracle).expect("it was at work") -= 1;
            }
            Fact::Made { named, answer } => {
                let making = self.making.entry(named.oracle).or_default();
                assert!(answer.making().0 > *making, "makings are counted");
                *making = answer.making().0;
                for field in 0..self.plan.setting().fields.len() as u16 {
                    let newest = answer.lineage().newest(rehearsal::model::FieldId(field));
                    assert!(newest.is_none_or(|update| update.0 <= self.updates), "what went in was made");
                }
            }
            Fact::Took { named, claim: Some(claim), .. } => {
                assert!(self.asked.contains(&(named.oracle, claim.contents)), "a claimed question was asked");
            }
            Fact::Showed { named, generation, observed, ready, .. } => {
                assert_eq!(generation, self.generations[&named.object]);
                assert!(observed <= generation, "nothing is acknowledged before it is asked");
                let last = self.observed.insert(named.object, observed).unwrap_or_default();
                assert!(observed >= last, "an acknowledgement is not taken back");
                let oracle = self.plan.oracle(named.oracle);
                if !oracle.reconciles {
                    let read = oracle.health.map_or(Ready::Unknown, |health| health.in_phase(StatusPhase::Succeeded));
                    assert_eq!((ready, observed), (read, Generation(0)), "nobody reports; a rule may read the answer");
                }
            }
            Fact::Removed { named } => {
                self.generations.remove(&named.object);
                self.observed.remove(&named.object);
                self.heard.remove(&named.object);
            }
            _ => {}
        }
    }
}
