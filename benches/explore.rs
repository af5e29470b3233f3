//! The checker on two chains: states a second on one thread and on two, and bytes a state. `cargo bench --bench explore`.

use std::path::Path;
use std::time::Instant;

use rehearsal::explore::{Limits, Options, Property, check};
use rehearsal::model::Plan;
use rehearsal::scenario::Scenario;

fn main() {
    let once = std::env::args().any(|argument| argument == "--test");
    let files: &[&str] = if once { &["1-hold-start"] } else { &["1-hold-start", "2-hold-start", "3-hold-start"] };
    for file in files {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/findings/conditions/{file}.toml"));
        let scenario = Scenario::load(&path).unwrap_or_else(|failure| panic!("{failure}"));
        let plan = Plan::new(scenario.setting.clone(), scenario.policies[0].policy.clone());
        let search = |jobs| {
            let limits = Limits { max_states: 10_000_000, ..Limits::default() };
            let options = Options { properties: vec![Property::Traceable], limits, jobs, ..Options::default() };
            let began = Instant::now();
            let seen = check(&plan, &options, &mut |_| true).bounded.expect("it was searched");
            (seen, began.elapsed().as_secs_f64())
        };
        let fastest = |jobs| {
            let turns = if once { 1 } else { 5 };
            (0..turns).map(|_| search(jobs).1).min_by(f64::total_cmp).expect("a turn")
        };
        let seen = search(1).0;
        println!(
            "explore: {file}: {} states, {:.0} a second on one thread, {:.0} on two, {} bytes a state",
            seen.states,
            seen.states as f64 / fastest(1),
            seen.states as f64 / fastest(2),
            seen.memory / seen.states
        );
    }
}
