//! The tables of `docs/findings.md` are what the checker finds.

use std::fs;
use std::path::{Path, PathBuf};

use rehearsal::explore::{Limits, Options, Property, check};
use rehearsal::model::{Axis, Plan};
use rehearsal::report::Form;
use rehearsal::report::checked::{CheckReport, tables};
use rehearsal::scenario::Scenario;

fn files(folder: &str, begin: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/findings").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(begin)).collect();
    files.sort();
    files
}

/// The table that `check --max-states 600000 --format markdown` prints of these files.
fn table(files: &[PathBuf], properties: &[Property]) -> String {
    let limits = Limits { max_states: 600_000, ..Limits::default() };
    let options = Options { properties: properties.to_vec(), limits, ..Options::default() };
    let scenarios: Vec<_> = files.iter().map(|file| Scenario::load(file).unwrap()).collect();
    let reports: Vec<_> = scenarios
        .iter()
        .map(|scenario| {
            let decided = scenario.policies.iter().map(|named| {
                let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
                (named.name.as_str(), check(&plan, &options, &mut |_| true))
            });
            CheckReport { scenario: &scenario.name, policies: decided.collect(), properties }
        })
        .collect();
    tables(&reports, Form::Markdown)
}

fn is_told(table: &str) {
    let told = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/findings.md")).unwrap();
    assert!(told.contains(table), "docs/findings.md tells otherwise:\n{table}");
}

#[test]
fn which_conditions_are_needed() {
    let files = files("conditions", "1-");
    assert_eq!(files.len(), 28);
    is_told(&table(&files, &[Property::Traceable]));
}

#[test]
fn what_every_preset_has() {
    for file in files("presets", "") {
        is_told(&table(&[file], Property::ALL));
    }
}

#[test]
fn longer_chains_claim_falsely_where_one_oracle_does() {
    let verdicts = |begin: &str| {
        let claims = files("conditions", begin).into_iter().map(|file| Scenario::load(&file).unwrap().expectations);
        claims
            .map(|expectations| expectations.into_iter().map(|it| (it.policies, it.claims)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let one = verdicts("1-");
    assert_eq!(one, verdicts("2-"));
    assert_eq!(one, verdicts("3-"));
}
