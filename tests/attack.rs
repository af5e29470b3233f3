//! The model attacked: random chains, policies and faults of every kind, with the contract's invariants checked at every
//! fact. A bounded part runs with the other tests; for hours:
//!
//! ```console
//! ATTACK_RUNS=100000000 cargo test --release --test attack -- --nocapture
//! ```
//!
//! `ATTACK_FIRST` says with which scenario to begin. A run that fails is named, and is scenario and seed in one.

mod invariants;
mod random;

use std::sync::atomic::{AtomicU64, Ordering};

use invariants::Invariants;
use random::{EVERYTHING, Random};
use rehearsal::model::Plan;
use rehearsal::simulate::{Limits, Simulator, Ties};

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

#[test]
fn nothing_breaks_the_invariants() {
    let first = number("ATTACK_FIRST", 1_000_000);
    let runs = number("ATTACK_RUNS", 50_000);
    let next = AtomicU64::new(first);
    let attack = || {
        let (mut facts, mut done) = (0, 0);
        loop {
            let scenario = next.fetch_add(1, Ordering::Relaxed);
            if scenario >= first + runs {
                return (done, facts);
            }
            let mut random = Random::new(scenario);
            let plan = Plan::new(random.setting(EVERYTHING), random.policy());
            let ties = if scenario.is_multiple_of(4) { Ties::Shuffled } else { Ties::InOrder };
            let mut invariants = Invariants::new(&plan);
            let what = std::panic::AssertUnwindSafe(|| {
                let limits = Limits { max_events: 2_000_000 };
                let measures = Simulator::with_ties(&plan, limits, ties).run(scenario, &mut invariants).unwrap();
                invariants.balance(&measures);
            });
            if std::panic::catch_unwind(what).is_err() {
                panic!("run {scenario} breaks an invariant: ATTACK_FIRST={scenario} ATTACK_RUNS=1 shows it");
            }
            facts += invariants.facts();
            done += 1;
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let totals: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(attack)).collect();
        workers.into_iter().map(|worker| worker.join().expect("no invariant is broken")).collect()
    });
    let (done, facts) = totals.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    println!("{done} runs attacked, {facts} facts checked");
    assert_eq!(done, runs);
    assert!(facts > 50 * runs, "the runs are not empty");
}
