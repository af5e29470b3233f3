//! Many runs on one thread and on two, on the real chain under all its policies. `cargo bench --bench runs` prints how much
//! faster two are, measured in turns.

use std::path::Path;
use std::time::Instant;

use rehearsal::model::{Plan, Time};
use rehearsal::scenario::Scenario;
use rehearsal::simulate::{Batch, Limits, Seeds};

fn main() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/chains/git-kpack-app.toml");
    let scenario = Scenario::load(&path).unwrap_or_else(|failure| panic!("{failure}"));
    let plan = |named: &rehearsal::scenario::NamedPolicy| Plan::new(scenario.setting.clone(), named.policy.clone());
    let plans: Vec<Plan> = scenario.policies.iter().map(plan).collect();
    let once = std::env::args().any(|argument| argument == "--test");
    let (turns, count) = if once { (1, 16) } else { (11, 800) };
    let time = |jobs| {
        let began = Instant::now();
        let batch = Batch {
            plans: &plans,
            seeds: Seeds { first: 1, count },
            jobs,
            limits: Limits::default(),
            measured_from: Time::ZERO,
        };
        batch.run(|| (), |(), _| {}, |()| {}, |_| {}).expect("within the limits");
        began.elapsed().as_secs_f64()
    };
    time(2);
    let mut turns: Vec<(f64, f64)> = (0..turns).map(|_| (time(1), time(2))).collect();
    turns.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (one, two) = turns[turns.len() / 2];
    let runs = count as f64 * plans.len() as f64;
    println!(
        "runs: {:.0} a second on one thread, {:.0} on two: {:.2} times as fast (median of {})",
        runs / one,
        runs / two,
        one / two,
        turns.len()
    );
}
