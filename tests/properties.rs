//! What must hold of every run, over random scenarios and policies.

mod invariants;
mod random;

use std::collections::{BTreeMap, BTreeSet};

use invariants::Invariants;
use random::{Allow, EVERYTHING, Random};
use rehearsal::measure::{Digest, Measures, Observer, Outcome};
use rehearsal::model::policy::{Fixed, Pending, Policy, Read, Trace, Write};
use rehearsal::model::{Content, Fact, Length, ObjectId, Oracle, OracleId, Plan, Setting, Span, Time};
use rehearsal::simulate::{Batch, Limits, Seeds, Simulator, Ties};

const SCENARIOS: u64 = 1_500;

fn random_plan(seed: u64, allow: Allow) -> Plan {
    let mut random = Random::new(seed);
    let setting = random.setting(allow);
    Plan::new(setting, random.policy())
}

fn run<O: Observer>(plan: &Plan, seed: u64, observer: &mut O) -> Measures {
    let limits = Limits { max_events: 2_000_000 };
    Simulator::new(plan, limits).run(seed, observer).unwrap_or_else(|overrun| panic!("{overrun}"))
}

fn digest(plan: &Plan, seed: u64) -> (String, Measures) {
    let mut digest = Digest::default();
    let measures = run(plan, seed, &mut digest);
    (digest.hex(), measures)
}

#[test]
fn a_run_is_the_same_again_in_a_new_simulator_and_in_a_used_one() {
    for scenario in 0..SCENARIOS {
        let plan = random_plan(scenario, EVERYTHING);
        let once = digest(&plan, 7);
        assert_eq!(once, digest(&plan, 7), "scenario {scenario}");
        let mut used = Simulator::new(&plan, Limits::default());
        for seed in [3, 7] {
            let mut digest = Digest::default();
            let measures = used.run(seed, &mut digest).unwrap();
            if seed == 7 {
                assert_eq!(once, (digest.hex(), measures), "scenario {scenario}, after another run");
            }
        }
    }
}

#[test]
fn many_runs_are_the_same_for_any_number_of_threads() {
    for scenario in 0..20 {
        let plans = [random_plan(scenario, EVERYTHING), random_plan(scenario + 1_000, EVERYTHING)];
        let folded = |jobs| {
            let mut all = Vec::new();
            let batch = Batch {
                plans: &plans,
                seeds: Seeds { first: 5, count: 37 },
                jobs,
                limits: Limits::default(),
                measured_from: Time::ZERO,
            };
            batch
                .run(
                    Vec::new,
                    |chunk: &mut Vec<_>, round| chunk.push((round.seed, round.measures.to_vec())),
                    |chunk| all.extend(chunk),
                    |_| {},
                )
                .unwrap();
            all
        };
        let alone = folded(1);
        assert_eq!(alone.iter().map(|(seed, _)| *seed).collect::<Vec<_>>(), (5..42).collect::<Vec<_>>());
        assert_eq!(alone, folded(2));
        assert_eq!(alone, folded(5));
    }
}

/// Whatever befalls the run but forged status, RFC 20's policy makes no false claim of well-behaved oracles.
#[test]
fn read_after_success_never_lies_about_well_behaved_oracles() {
    let policy = Policy {
        read: Read::Ready,
        memory: rehearsal::model::policy::Memory::Memento,
        trace: Trace::WhenReady,
        ..Policy::default()
    };
    let mut taken = 0;
    for scenario in 0..SCENARIOS {
        let mut random = Random::new(scenario);
        let setting = random.setting(Allow { only_well_behaved: true, forging: false });
        let measures = run(&Plan::new(setting, policy.clone()), scenario, &mut ());
        assert_eq!(measures.misattributed, 0, "scenario {scenario}");
        assert_eq!(measures.coverage(), 1.0, "scenario {scenario}");
        taken += measures.taken;
    }
    assert!(taken > 5 * SCENARIOS, "the scenarios do something: {taken}");
}

#[test]
fn the_invariants_hold_at_every_fact_and_the_accounts_balance() {
    let mut outcomes = BTreeMap::<&str, u32>::new();
    for scenario in 0..2 * SCENARIOS {
        let plan = random_plan(scenario, EVERYTHING);
        let mut invariants = Invariants::new(&plan);
        let m = run(&plan, scenario, &mut invariants);
        invariants.balance(&m);
        let name = rehearsal::model::Axis::name(m.outcome);
        *outcomes.entry(name).or_default() += 1;
    }
    assert_eq!(outcomes.len(), 4, "every outcome occurs: {outcomes:?}");
}

/// With ties shuffled the invariants hold as well, a seed still fixes everything, and something does depend on the ties.
#[test]
fn shuffled_ties_keep_the_invariants() {
    let mut differ = 0;
    for scenario in 0..SCENARIOS {
        let plan = random_plan(scenario, EVERYTHING);
        let shuffled = || {
            let mut both = (Invariants::new(&plan), Digest::default());
            Simulator::with_ties(&plan, Limits::default(), Ties::Shuffled).run(scenario, &mut both).unwrap();
            both.1.hex()
        };
        let once = shuffled();
        assert_eq!(once, shuffled(), "scenario {scenario}");
        differ += u64::from(once != digest(&plan, scenario).0);
    }
    assert!(differ > SCENARIOS / 3, "ties were shuffled in {differ} of {SCENARIOS} scenarios");
}

/// What an attempt is, and how long it lasted and whether it succeeded.
#[derive(Default)]
struct Attempts {
    begun: BTreeMap<(ObjectId, Content), u32>,
    under_way: BTreeMap<ObjectId, (AttemptKey, Time)>,
    ended: BTreeMap<AttemptKey, (u64, bool)>,
}

/// Oracle, role, question, world, which beginning, which attempt.
type AttemptKey = (OracleId, String, Content, u32, u32, u32);

impl Observer for Attempts {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        match *fact {
            Fact::Began { named, question, attempt, world, .. } => {
                let contents = question.contents();
                let begun = self.begun.entry((named.object, contents)).or_default();
                *begun += u32::from(attempt == 1);
                let role = format!("{:?}", named.role);
                let key = (named.oracle, role, contents, world.0, *begun, attempt);
                self.under_way.insert(named.object, (key, at));
            }
            Fact::Finished { named, success, .. } => {
                let (key, began) = self.under_way.remove(&named.object).expect("what ends was begun");
                self.ended.insert(key, ((at - began).0, success));
            }
            _ => {}
        }
    }
}

/// Draws are keyed by what they are about: with an oracle more, or under another policy, the same attempt at the same
/// question in the same world lasts as long and ends as well.
#[test]
fn adding_an_oracle_or_changing_the_policy_leaves_the_draws_alone() {
    let mut compared = 0;
    for scenario in 0..SCENARIOS {
        let mut random = Random::new(scenario);
        let mut setting = random.setting(EVERYTHING);
        // These change when attempts end, and which of them fail, without a draw.
        setting.outages.clear();
        setting.oracles.iter_mut().for_each(|oracle| oracle.fails_first = 0);
        let (policy, other) = (random.policy(), random.policy());
        let attempts = |setting: &Setting, policy: &Policy| {
            let plan = Plan::new(setting.clone(), policy.clone());
            let mut attempts = Attempts::default();
            run(&plan, scenario, &mut attempts);
            attempts.ended
        };
        let before = attempts(&setting, &policy);
        let otherwise = attempts(&setting, &other);
        let mut first = Oracle::new("one-more", setting.oracles[0].asks.clone());
        first.work = Length::Exponential(Span::seconds(10));
        setting.oracles.push(first);
        let after = attempts(&setting, &policy);
        for (key, ended) in &before {
            for other in [after.get(key), otherwise.get(key)].into_iter().flatten() {
                assert_eq!(ended, other, "scenario {scenario}: {key:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10 * SCENARIOS, "{compared} attempts were compared");
}

/// Where every write is permitted at once, how held writes are kept makes no difference.
#[test]
fn a_policy_that_never_holds_is_write_always() {
    for scenario in 0..SCENARIOS / 3 {
        let mut random = Random::new(scenario);
        let mut setting = random.setting(EVERYTHING);
        setting.oracles.iter_mut().for_each(|oracle| oracle.fixed = Fixed::default());
        let mut policy = random.policy();
        policy.write = Write::Always;
        policy.on_failure = Default::default();
        let digests: BTreeSet<String> = [(Pending::Latest, None), (Pending::Fifo, policy.timeout)]
            .into_iter()
            .map(|(pending, timeout)| {
                let policy = Policy { pending, timeout, ..policy.clone() };
                digest(&Plan::new(setting.clone(), policy), scenario).0
            })
            .collect();
        assert_eq!(digests.len(), 1, "scenario {scenario}");
    }
}

/// Forged status apart, an answer that the choreographer takes was shown, and a delivered update had been made.
#[test]
fn a_settled_run_has_delivered_its_newest_update() {
    for scenario in 0..SCENARIOS / 3 {
        let plan = random_plan(scenario, EVERYTHING);
        let m = run(&plan, scenario, &mut ());
        if m.outcome == Outcome::Settled && m.valid == m.updates && m.updates > 0 {
            assert!(m.delivered > 0, "scenario {scenario}: {m:?}");
        }
    }
}
