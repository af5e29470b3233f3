//! Every file under `tests/wrong` is wrong in one way. What a person is told about it is kept beside the tests, to be
//! read: it says where, what is wrong, and what would be right.

use std::fs;
use std::path::{Path, PathBuf};

use rehearsal::scenario::Scenario;

fn wrong_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_is_wrong_is_told() {
    let files = wrong_files();
    assert!(files.len() >= 45);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("wrong-told");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for file in files {
            let name = file.file_stem().unwrap().to_str().unwrap();
            let text = fs::read_to_string(&file).unwrap();
            let Err(failure) = Scenario::parse(&format!("{name}.toml"), &text) else {
                panic!("{name} is wrong in no way");
            };
            assert!(failure.position().is_some(), "{name} does not say where it is wrong");
            assert!(!failure.help().is_empty(), "{name} does not say what would be right");
            insta::assert_snapshot!(name, failure.render(false));
        }
    });
}

#[test]
fn nothing_is_told_of_files_that_are_gone() {
    let told = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wrong-told");
    assert_eq!(fs::read_dir(told).unwrap().count(), wrong_files().len());
}
