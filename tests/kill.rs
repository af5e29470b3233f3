//! Whoever is killed leaves nothing that looks whole, and goes on where he was: the bytes are those of an undisturbed run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use assert_cmd::cargo::CommandCargoExt as _;

/// Every file within a folder with its bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            all.extend(contents(&path).into_iter().map(|(within, bytes)| (name.join(within), bytes)));
        } else {
            all.insert(name, fs::read(&path).unwrap());
        }
    }
    all
}

/// Runs a command in `folder`, killed after so many milliseconds; whether it had ended before.
fn killed(folder: &Path, arguments: &[&str], after: u64) -> bool {
    let mut child = Command::cargo_bin("rehearsal")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(after));
    let ended = child.try_wait().unwrap().is_some();
    let _ = child.kill();
    child.wait().unwrap();
    ended
}

fn undisturbed(folder: &Path, arguments: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    let status = Command::cargo_bin("rehearsal").unwrap().current_dir(folder).args(arguments).output().unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
    contents(&folder.join("results"))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("tests/faces/tiny.toml", folder.path().join("tiny.toml")).unwrap();
    folder
}

/// Kills at many moments, spread so that some fall into every part of the work.
fn survives(arguments: &[&str], moments: impl Iterator<Item = u64>) {
    let calm = folder();
    let whole = undisturbed(calm.path(), arguments);
    assert!(whole.contains_key(Path::new("report.html")) && whole.contains_key(Path::new("results.json")));
    let rough = folder();
    let mut kills = 0;
    for after in moments {
        if !killed(rough.path(), arguments, after) {
            kills += 1;
        }
        let results = rough.path().join("results");
        if results.exists() {
            assert_eq!(contents(&results), whole, "killed after {after} ms, what is there is whole");
        }
    }
    assert_eq!(undisturbed(rough.path(), arguments), whole, "after {kills} kills");
    assert!(kills > 5, "it was killed {kills} times: it ends too soon to be killed");
    eprintln!("{kills} kills survived");
}

#[test]
fn a_folder_of_results() {
    let arguments = ["compare", "tiny.toml", "--runs", "2000", "--out", "results"];
    survives(&arguments, (0..40).map(|n| 5 + n * 9));
}

#[test]
fn a_grid_goes_on_where_it_was() {
    let arguments = [
        "compare",
        "tiny.toml",
        "--runs",
        "400",
        "--vary",
        "oracle.image.work=1m..5m*4",
        "--vary",
        "oracle.deploy.work=10s,20s",
        "--out",
        "results",
    ];
    survives(&arguments, (0..30).map(|n| 5 + n * 9));

    let folder = folder();
    let mut after = 20;
    while fs::read_dir(folder.path().join("results.cells")).map_or(0, Iterator::count) < 3 {
        assert!(!killed(folder.path(), &arguments, after), "it ended before three cells were seen");
        after += 5;
    }
    // A cell that is there is not made again: what stands in it is what is told.
    for entry in fs::read_dir(folder.path().join("results.cells")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        if path.extension().is_some_and(|ending| ending == "json") {
            fs::write(&path, text.replace("\"verdict\":[\"", "\"verdict\":[\"Kept. ")).unwrap();
        }
    }
    let told = undisturbed(folder.path(), &arguments);
    assert!(String::from_utf8_lossy(&told[Path::new("results.json")]).contains("Kept. "));
    assert!(!folder.path().join("results.cells").exists(), "what is done need not be kept");
}

#[test]
fn blessed_results() {
    let calm = folder();
    let rough = folder();
    for (name, folder) in ('a'..='e').flat_map(|name| [(name, &calm), (name, &rough)]) {
        fs::copy("tests/faces/misfortunes.toml", folder.path().join(format!("{name}.toml"))).unwrap();
    }
    let again = ["regress", "a.toml", "b.toml", "c.toml", "d.toml", "e.toml", "--bless"];
    let whole = undisturbed(calm.path(), &again);
    let mut kills = 0;
    for after in (0..30).map(|n| 2 + n * 4) {
        kills += usize::from(!killed(rough.path(), &again, after));
        if let Ok(results) = fs::read_dir(rough.path().join("results")) {
            for entry in results.map(|entry| entry.unwrap().path()) {
                if entry.extension().is_some_and(|ending| ending == "toml") {
                    let name = PathBuf::from(entry.file_name().unwrap());
                    assert_eq!(fs::read(&entry).unwrap(), whole[&name], "what is there is whole");
                }
            }
        }
        if kills % 7 == 6 {
            // Each file is kept when it is done; begin afresh, so that kills fall between them.
            let _ = fs::remove_dir_all(rough.path().join("results"));
        }
    }
    assert!(kills > 5, "it was killed {kills} times: it ends too soon to be killed");
    let mut end = undisturbed(rough.path(), &again);
    end.retain(|name, _| name.extension().is_some_and(|ending| ending == "toml"));
    assert_eq!(end, whole);
    eprintln!("{kills} kills survived");
}
