//! A disk that is full, a folder that cannot be written, an input that has gone: one clear error, and old results stay.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt as _;

const TINY: &str = "tests/faces/tiny.toml";
const FAILING: &str = "tests/faces/failing/two-claims.toml";

fn rehearsal(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("rehearsal").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
    command
}

/// Ends with status 2 and one error, which says so.
fn one_error(what: &[&str], output: &Output, says: &str) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{what:?}: {said}");
    assert_eq!(said.lines().filter(|line| line.starts_with("error")).count(), 1, "{what:?}: {said}");
    assert!(said.contains(says), "{what:?}: {said}");
    assert!(!said.contains("panicked"), "{what:?}: {said}");
}

#[test]
fn standard_output_on_a_full_disk() {
    for arguments in [
        &["run", TINY][..],
        &["compare", TINY, "--runs", "2"],
        &["validate", TINY, "--runs", "2"],
        &["regress", TINY, "--format", "json"],
        &["shrink", FAILING, "--expect", "1", "--quiet"],
        &["check", TINY, "--policy", "patient", "--property", "traceable"],
        &["policies"],
        &["man"],
        &["completions", "bash"],
    ] {
        let output =
            rehearsal(arguments).stdout(File::options().write(true).open("/dev/full").unwrap()).output().unwrap();
        one_error(arguments, &output, "could not be written: No space left on device");
    }
}

/// Nobody may make anything in `/proc`, not even root.
#[test]
fn a_folder_that_cannot_be_written() {
    for arguments in [
        &["compare", TINY, "--runs", "2", "--out", "/proc/rehearsal/results"][..],
        &["compare", TINY, "--runs", "2", "--vary", "oracle.image.work=1m,2m", "--out", "/proc/rehearsal/results"],
        &["check", TINY, "--policy", "read-always", "--property", "traceable", "--out", "/proc/rehearsal/results"],
        &["check", TINY, "--policy", "read-always", "--property", "traceable", "--save", "/proc/rehearsal-schedule"],
        &["run", TINY, "--trace", "/proc/rehearsal-trace"],
        &["shrink", FAILING, "--expect", "1", "--out", "/proc/rehearsal-smaller.toml"],
        &["regress", TINY, "--bless", "--results", "/proc/rehearsal/results"],
    ] {
        let output = rehearsal(arguments).output().unwrap();
        one_error(arguments, &output, "/proc/rehearsal");
    }
}

#[test]
fn an_input_that_has_gone() {
    for arguments in [
        &["run", "gone.toml"][..],
        &["compare", "gone.toml"],
        &["validate", "gone.toml"],
        &["regress", "gone.toml"],
        &["check", "gone.toml"],
        &["shrink", "gone.toml", "--expect", "1"],
        &["run", TINY, "--schedule", "gone.toml"],
    ] {
        let output = rehearsal(arguments).output().unwrap();
        one_error(arguments, &output, "gone.toml");
    }
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all = BTreeMap::new();
    for path in entries {
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    all
}

/// A limit on the size of files stands for a disk that fills up while results are written.
#[test]
fn a_disk_that_fills_up_leaves_old_results_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(TINY, folder.path().join("tiny.toml")).unwrap();
    let blocks_of_512 = |blocks: &str, arguments: &[&str]| {
        let mut command = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let binary = Command::cargo_bin("rehearsal").unwrap();
        command.current_dir(folder.path()).args(["-c", &script]).arg(binary.get_program()).args(arguments);
        command.output().unwrap()
    };
    for (arguments, again) in [
        (
            ["compare", "tiny.toml", "--runs", "5", "--out", "results"],
            ["compare", "tiny.toml", "--runs", "6", "--out", "results"],
        ),
        (
            ["run", "tiny.toml", "--seed", "1", "--trace", "trace"],
            ["run", "tiny.toml", "--seed", "2", "--trace", "trace"],
        ),
    ] {
        let first = blocks_of_512("unlimited", &arguments);
        assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
        let before = contents(folder.path());
        one_error(&again, &blocks_of_512("1", &again), "could not be written: File too large");
        assert!(contents(folder.path()) == before, "{again:?}");
    }
}
