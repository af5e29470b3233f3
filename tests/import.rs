//! Real chains in: chains of our own, after the structure of Cartographer's public examples, and everything that can be
//! wrong with one.

use std::fs;
use std::path::{Path, PathBuf};

use rehearsal::kubernetes::{self, Choice, Imported};
use rehearsal::model::Plan;
use rehearsal::scenario::Scenario;
use rehearsal::simulate::{Limits, Simulator};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    files
}

/// The texts of a chain, under names that are the same everywhere.
fn texts(chain: &str) -> Vec<(String, String)> {
    let path = folder("import").join(chain);
    let all = if path.is_dir() { files(&path) } else { vec![path] };
    let text = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("text"))
    };
    all.into_iter().map(text).collect()
}

fn imported(chain: &str, choice: &Choice) -> Imported {
    kubernetes::import(texts(chain), choice).unwrap_or_else(|error| panic!("{chain}: {error}"))
}

fn chains() -> Vec<(&'static str, &'static str, Choice)> {
    let edges = ["app=image", "image=app-deploy", "app-deploy=tell", "image=front"];
    let edges = edges.iter().map(|edge| edge.split_once('=').expect("an edge"));
    let edges = edges.map(|(from, to)| (from.to_owned(), to.to_owned())).collect();
    let owner = |name: &str| Choice { owner: Some(name.to_owned()), ..Choice::default() };
    vec![
        ("basic", "basic", Choice::default()),
        ("tested", "tested", Choice::default()),
        ("options", "options", owner("ledger")),
        ("options-vault", "options", owner("vault")),
        ("delivery", "delivery", Choice::default()),
        ("gitops", "gitops", Choice::default()),
        ("objects", "objects.yaml", Choice { edges, ..Choice::default() }),
    ]
}

#[test]
fn chains_are_read_as_a_person_would_read_them() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("import-told");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, chain, choice) in chains() {
            let it = imported(chain, &choice);
            let rules = it.rules.iter().map(|row| {
                let phases = row.phases.iter().map(|(phase, ready, output)| {
                    format!("{phase} {}{}", ready.name(), if *output == Some(true) { " +" } else { "" })
                });
                let phases = phases.collect::<Vec<_>>().join(", ");
                format!("{} ({}): {phases}\n  {}\n", row.oracle, row.rule, row.findings.join("\n  "))
            });
            let told = format!("{}\n{}\n{}", rules.collect::<String>(), it.notes.join("\n"), it.ignored.join("\n"));
            insta::assert_snapshot!(name, format!("{}\n=====\n\n{told}", it.text));
        }
    });
}

#[test]
fn what_is_imported_is_a_scenario_that_runs() {
    for (name, chain, choice) in chains() {
        let it = imported(chain, &choice);
        let scenario = Scenario::parse(&format!("{}.toml", it.name), &it.text).expect("a scenario");
        assert!(scenario.policies.len() > 10, "all presets are tried");
        for named in &scenario.policies {
            let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
            let measures = Simulator::new(&plan, Limits::default()).run(1, &mut ()).expect("it ends");
            assert!(measures.updates > 1, "{name} under {}", named.name);
        }
    }
}

/// Importing is stable: the same text again, and the scenario in it again.
#[test]
fn importing_and_printing_is_stable() {
    for (name, chain, choice) in chains() {
        let (first, second) = (imported(chain, &choice), imported(chain, &choice));
        assert_eq!(first.text, second.text, "{name}");
        let parsed = |text: &str| Scenario::parse("it.toml", text).expect("a scenario");
        assert_eq!(parsed(&first.text), parsed(&second.text), "{name}");
    }
}

/// Which file an object stands in makes no difference to the chain.
#[test]
fn a_chain_may_be_spread_over_files_or_stand_in_one() {
    let apart = imported("basic", &Choice::default());
    let all: Vec<String> = texts("basic").into_iter().map(|(_, text)| text).collect();
    let together = vec![("all.yaml".to_owned(), all.join("\n---\n"))];
    let together = kubernetes::import(together, &Choice::default()).expect("the same chain");
    let oracles = |text: &str| Scenario::parse("it.toml", text).expect("a scenario").setting;
    assert_eq!(oracles(&apart.text), oracles(&together.text));
}

/// What a template fixes reaches the policy that rules its oracle, whatever policy is tried.
#[test]
fn templates_fix_axes_for_their_oracle() {
    use rehearsal::model::policy::{Acknowledgement, Lifecycle, Read};
    let setting =
        |chain: &str| Scenario::parse("it.toml", &imported(chain, &Choice::default()).text).expect("it").setting;
    let ruling = |chain: &str, oracle: &str| {
        let setting = setting(chain);
        let at = setting.oracles.iter().position(|it| it.name == oracle).expect("an oracle");
        let plan = Plan::new(setting, Default::default());
        plan.policy(rehearsal::model::OracleId(at as u16)).clone()
    };
    for oracle in ["test", "lint"] {
        assert_eq!(ruling("tested", oracle).lifecycle, Lifecycle::Immutable, "{oracle}");
    }
    assert_eq!(ruling("tested", "build").lifecycle, Lifecycle::Mutable);
    let deploy = ruling("delivery", "deploy");
    assert_eq!((deploy.read, deploy.acknowledgement), (Read::Ready, Acknowledgement::Required));
}

#[test]
fn what_is_wrong_is_told() {
    let wrong = files(&folder("import-wrong"));
    assert!(wrong.len() >= 80);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("import-wrong-told");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for file in wrong {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = fs::read_to_string(&file).expect("text");
            let told = match kubernetes::import(vec![(format!("{name}.yaml"), text)], &Choice::default()) {
                Err(error) => error.to_string(),
                Ok(it) => panic!("{name} is wrong in no way:\n{}", it.text),
            };
            insta::assert_snapshot!(name, told);
        }
    });
}

#[test]
fn nothing_is_told_of_files_that_are_gone() {
    let told = fs::read_dir(folder("import-wrong-told")).expect("a folder").count();
    assert_eq!(told, files(&folder("import-wrong")).len());
}
