//! The same bytes, wherever and however a command runs.

use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt as _;
use rehearsal::measure::Digest;
use rehearsal::model::Plan;
use rehearsal::scenario::Scenario;
use rehearsal::simulate::{Limits, Simulator};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn printed(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn rehearsal(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("rehearsal").unwrap();
    command.current_dir(ROOT).args(arguments);
    command
}

/// Commands whose results are rich: floats, random lengths, properties.
const COMMANDS: [&[&str]; 4] = [
    &["compare", "tests/faces/chance.toml", "--runs", "500", "--format", "json"],
    &["compare", "scenarios/chains/git-kpack-app.toml", "--runs", "40", "--format", "csv"],
    &["validate", "scenarios/rfc-0020", "--runs", "3", "--format", "json"],
    &["regress", "scenarios/chains", "--format", "json"],
];

#[test]
fn any_number_of_threads() {
    for command in COMMANDS {
        let with = |jobs: &str| printed(rehearsal(command).args(["--jobs", jobs]));
        let one = with("1");
        for jobs in ["2", "3", "8"] {
            assert!(with(jobs) == one, "{command:?} with {jobs} threads");
        }
    }
}

#[test]
fn any_locale_time_zone_and_terminal() {
    for command in COMMANDS {
        let plain = printed(&mut rehearsal(command));
        for (variable, value) in [
            ("LC_ALL", "de_DE.UTF-8"),
            ("LANG", "tr_TR.UTF-8"),
            ("TZ", "Pacific/Kiritimati"),
            ("TERM", "dumb"),
            ("COLUMNS", "40"),
        ] {
            assert!(printed(rehearsal(command).env(variable, value)) == plain, "{command:?} with {variable}={value}");
        }
    }
}

#[test]
fn any_working_directory() {
    // What names a file says how it was named; the facts and figures of the runs do not change.
    let json = |folder: &Path, file: &str| -> serde_json::Value {
        let mut json: serde_json::Value =
            serde_json::from_slice(&printed(rehearsal(&["run", file, "--format", "json"]).current_dir(folder)))
                .unwrap();
        json.as_object_mut().unwrap().remove("file");
        json
    };
    let root = Path::new(ROOT);
    let here = json(root, "scenarios/chains/git-kpack-app.toml");
    assert_eq!(json(&root.join("scenarios"), "chains/git-kpack-app.toml"), here);
    assert_eq!(json(Path::new("/"), &format!("{ROOT}/scenarios/chains/git-kpack-app.toml")), here);
}

fn scenarios() -> Vec<Scenario> {
    let folders = ["scenarios/rfc-0020", "scenarios/chains", "scenarios/theory"];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(Path::new(ROOT).join(folder)).unwrap());
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "toml"));
    files.sort();
    assert!(files.len() > 40, "there are scenarios to run");
    files.iter().map(|file| Scenario::load(file).unwrap()).collect()
}

#[test]
fn any_order_of_scenarios_and_again_in_one_process() {
    let scenarios = scenarios();
    let digest = |scenario: &Scenario| -> String {
        let digests = scenario.policies.iter().take(3).map(|named| {
            let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
            let mut digest = Digest::default();
            Simulator::new(&plan, Limits::default()).run(7, &mut digest).unwrap();
            digest.hex()
        });
        digests.collect()
    };
    let first: Vec<String> = scenarios.iter().map(digest).collect();
    let mut backwards: Vec<String> = scenarios.iter().rev().map(digest).collect();
    backwards.reverse();
    assert_eq!(first, backwards);
    // At once, in as many threads as there are scenarios.
    let at_once: Vec<String> = std::thread::scope(|scope| {
        let runs: Vec<_> = scenarios.iter().map(|scenario| scope.spawn(|| digest(scenario))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert_eq!(first, at_once);
}

#[test]
fn a_simulator_that_was_used_is_as_good_as_new() {
    for scenario in scenarios().iter().step_by(5) {
        let named = &scenario.policies[0];
        let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
        let digest = |simulator: &mut Simulator<'_>, seed| {
            let mut digest = Digest::default();
            simulator.run(seed, &mut digest).unwrap();
            digest.hex()
        };
        let mut used = Simulator::new(&plan, Limits::default());
        let fresh: Vec<String> =
            (1..5).map(|seed| digest(&mut Simulator::new(&plan, Limits::default()), seed)).collect();
        for _ in 0..2 {
            let again: Vec<String> = (1..5).map(|seed| digest(&mut used, seed)).collect();
            assert_eq!(again, fresh, "{}", scenario.name);
        }
    }
}
