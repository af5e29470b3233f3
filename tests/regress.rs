//! `regress`: what has changed is found, told, and kept apart from what cannot be compared.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;

/// A folder with two scenarios, whose results are blessed.
fn blessed() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("scenarios/deep")).unwrap();
    fs::copy("tests/faces/tiny.toml", folder.path().join("scenarios/tiny.toml")).unwrap();
    fs::copy("tests/faces/chance.toml", folder.path().join("scenarios/deep/chance.toml")).unwrap();
    assert_eq!(said(folder.path(), &["--bless"], 0), "2 blessed, 0 removed, 0 as they were\n");
    folder
}

fn regress(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = std::process::Command::cargo_bin("rehearsal").unwrap();
    command.current_dir(folder).arg("regress").args(arguments).output().unwrap()
}

/// What is printed, on standard error too, by a command that ends with this status.
fn said(folder: &Path, arguments: &[&str], status: i32) -> String {
    let output = regress(folder, arguments);
    let mut said = String::from_utf8(output.stdout).unwrap();
    if !output.stderr.is_empty() {
        said += &format!("--- standard error\n{}", String::from_utf8(output.stderr).unwrap());
    }
    assert_eq!(output.status.code(), Some(status), "{said}");
    said
}

fn edit(file: &Path, changes: &[(&str, &str)]) {
    let mut text = fs::read_to_string(file).unwrap();
    for (from, to) in changes {
        assert!(text.contains(from), "{from} in {text}");
        text = text.replacen(from, to, 1);
    }
    fs::write(file, text).unwrap();
}

/// As if the model had come to something else when the results were blessed.
fn plant(folder: &Path) {
    let file = folder.join("results/tiny.toml");
    let text = fs::read_to_string(&file).unwrap();
    let digest = text.split("digests = \"\"\"\n").nth(1).unwrap()[..8].to_owned();
    let trail = text.split("trail = \"").nth(1).unwrap()[..9].to_owned();
    let other = if trail.as_bytes()[8] == b'A' { "B" } else { "A" };
    let outcome = "outcomes = { settled = 20 }";
    edit(
        &file,
        &[
            (&digest, "00000000"),
            (&trail, &format!("{}{other}", &trail[..8])),
            (outcome, "outcomes = { settled = 17, deadlocked = 3 }"),
            ("mean.\"wasted\" = ", "mean.\"wasted\" = 9"),
            ("verdict = \"holds\"", "verdict = \"fails\""),
        ],
    );
}

#[test]
fn nothing_has_changed() {
    let folder = blessed();
    assert_eq!(said(folder.path(), &[], 0), "2 scenarios, 20 runs a policy: 2 same\n");
    let twice = said(folder.path(), &["--bless"], 0);
    assert_eq!(twice, "0 blessed, 0 removed, 2 as they were\n");
}

#[test]
fn what_changed_is_told_in_every_form() {
    let folder = blessed();
    plant(folder.path());
    for form in ["table", "markdown", "json", "github", "junit"] {
        insta::assert_snapshot!(format!("regress-{form}"), said(folder.path(), &["--format", form], 1));
    }
}

#[test]
fn the_fact_told_is_the_one_at_which_runs_part() {
    let folder = blessed();
    plant(folder.path());
    let json: Value = serde_json::from_str(&said(folder.path(), &["--format", "json"], 1)).unwrap();
    let changes = json["scenarios"][0]["changes"].as_array().unwrap();
    let parting = changes.iter().find(|change| change["kind"] == "facts").unwrap();
    assert_eq!((&parting["fact"], &parting["seed"], &parting["runs"]), (&9.into(), &1.into(), &1.into()));
    // The ninth line of the timeline that leaves nothing out tells the same.
    let mut run = std::process::Command::cargo_bin("rehearsal").unwrap();
    let policy = parting["policy"].as_str().unwrap();
    let run = run.current_dir(folder.path()).args(["run", "scenarios/tiny.toml", "-v", "--policy", policy]).output();
    let timeline = String::from_utf8(run.unwrap().stdout).unwrap();
    let words: Vec<&str> = parting["now"].as_str().unwrap().split_whitespace().skip(1).collect();
    let told = timeline.lines().skip_while(|line| !line.starts_with("0s") && !line.trim_start().starts_with('0'));
    let ninth = told.filter(|line| !line.trim().is_empty()).nth(8).unwrap();
    assert!(ninth.split_whitespace().collect::<Vec<_>>().ends_with(&words), "{words:?} in {ninth}\n{timeline}");
}

#[test]
fn an_edited_scenario_is_named_as_such() {
    let folder = blessed();
    edit(&folder.path().join("scenarios/tiny.toml"), &[("work = \"3m\"", "work = \"4m\"")]);
    insta::assert_snapshot!("regress-edited", said(folder.path(), &[], 1));
    let folder = blessed();
    edit(&folder.path().join("scenarios/tiny.toml"), &[("about = \"Three", "about = \"The three")]);
    insta::assert_snapshot!("regress-edited-alone", said(folder.path(), &[], 1));
    // Whoever means it accepts it.
    assert_eq!(said(folder.path(), &["--bless"], 0), "1 blessed, 0 removed, 1 as they were\n");
    said(folder.path(), &[], 0);
}

#[test]
fn another_model_is_not_compared() {
    let folder = blessed();
    plant(folder.path());
    edit(&folder.path().join("results/tiny.toml"), &[("model = 1", "model = 0")]);
    let told = said(folder.path(), &[], 1);
    assert!(
        told.contains("tiny.toml: blessed by version 0 of the model, and not compared: this is version 1"),
        "{told}"
    );
    assert!(!told.contains("mean"), "{told}");
    assert_eq!(said(folder.path(), &["--bless"], 0), "1 blessed, 0 removed, 1 as they were\n");
}

#[test]
fn what_changes_without_a_cause_needs_another_version_of_the_model() {
    let folder = blessed();
    plant(folder.path());
    let before = fs::read_to_string(folder.path().join("results/tiny.toml")).unwrap();
    insta::assert_snapshot!("regress-bless-refused", said(folder.path(), &["--bless"], 2));
    assert_eq!(fs::read_to_string(folder.path().join("results/tiny.toml")).unwrap(), before);
}

#[test]
fn scenarios_come_and_go() {
    let folder = blessed();
    let scenarios = folder.path().join("scenarios");
    fs::rename(scenarios.join("tiny.toml"), scenarios.join("other.toml")).unwrap();
    insta::assert_snapshot!("regress-come-and-go", said(folder.path(), &[], 1));
    // Who asks for one scenario is not told of others.
    assert_eq!(said(folder.path(), &["scenarios/deep"], 0), "1 scenario, 20 runs a policy: 1 same\n");
    assert_eq!(said(folder.path(), &["--bless"], 0), "1 blessed, 1 removed, 1 as they were\n");
    said(folder.path(), &[], 0);
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_compared() {
    let folder = blessed();
    edit(&folder.path().join("results/tiny.toml"), &[("seeds", "sees")]);
    insta::assert_snapshot!("regress-unreadable", said(folder.path(), &[], 2));
    fs::write(folder.path().join("scenarios/tiny.toml"), "horizon = 3").unwrap();
    assert!(said(folder.path(), &["--bless"], 2).contains("horizon"));
    assert!(fs::read_to_string(folder.path().join("results/tiny.toml")).unwrap().contains("sees"), "it stays");
}

#[test]
fn parts_make_the_whole_and_are_the_same_from_anywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &Path, part: &str, path: &str| -> Vec<String> {
        let results = root.join("results");
        let output =
            regress(folder, &[path, "--results", results.to_str().unwrap(), "--shard", part, "--format", "json"]);
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let files = json["scenarios"].as_array().unwrap().iter();
        files.map(|judged| judged["file"].as_str().unwrap().rsplit("rfc-0020/").next().unwrap().to_owned()).collect()
    };
    let parts: Vec<Vec<String>> = (1..=3).map(|k| files(root, &format!("{k}/3"), "scenarios/rfc-0020")).collect();
    let mut all: Vec<&String> = parts.iter().flatten().collect();
    all.sort();
    let whole = fs::read_dir(root.join("scenarios/rfc-0020")).unwrap();
    let whole = whole.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "toml"));
    assert_eq!(all.len(), whole.count());
    all.dedup();
    assert_eq!(all.len(), parts.iter().map(Vec::len).sum::<usize>());
    assert!(parts.iter().all(|part| !part.is_empty()));
    let elsewhere = files(&root.join("scenarios"), "2/3", "./rfc-0020");
    assert_eq!(elsewhere, parts[1]);
}
