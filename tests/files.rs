//! Files that cannot be read, and text that comes in odd shapes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rehearsal::scenario::{Failure, LARGEST_FILE, Scenario};

const LEAST: &str = "about = \"x\"\nhorizon = \"1h\"\n[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]\n";

/// A file of this name in the folder that cargo gives to tests.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn failure(path: &Path) -> Failure {
    Scenario::load(path).unwrap_err()
}

fn told(failure: &Failure) -> (&str, Option<(usize, usize)>) {
    (failure.message(), failure.position())
}

#[test]
fn a_file_is_read_and_gives_the_scenario_its_name() {
    let scenario = Scenario::load(&file("fast-commits.toml", LEAST.as_bytes())).unwrap();
    assert_eq!(scenario.name, "fast-commits");
}

#[test]
fn a_file_that_is_not_there() {
    let failure = failure(Path::new("no/such/scenario.toml"));
    let expected = "error: there is no such file\n--> no/such/scenario.toml\n = help: check the path";
    assert_eq!(failure.to_string(), expected);
}

#[test]
fn a_directory() {
    assert_eq!(told(&failure(Path::new(env!("CARGO_TARGET_TMPDIR")))), ("this is a directory", None));
}

#[test]
fn a_file_that_is_not_utf_8() {
    let path = file("latin.toml", b"about = \"x\"\nsource = \"Universit\xe4t\"\n");
    assert_eq!(told(&failure(&path)), ("this is not UTF-8 text", Some((2, 20))));
}

#[test]
fn a_file_that_is_too_large() {
    let comments = "#".repeat(LARGEST_FILE as usize);
    let path = file("large.toml", format!("{comments}\n{LEAST}").as_bytes());
    assert_eq!(told(&failure(&path)), ("this file is larger than 4 MiB", None));
    // Whatever it holds: the limit is told before the bytes are looked at.
    let path = file("noise.toml", &vec![0xff; LARGEST_FILE as usize + 1]);
    assert_eq!(told(&failure(&path)), ("this file is larger than 4 MiB", None));
}

#[test]
fn lines_may_end_as_on_windows_and_begin_with_a_mark() {
    let text = format!("\u{feff}{}", LEAST.replace('\n', "\r\n"));
    assert!(Scenario::parse("windows.toml", &text).is_ok());
    let wrong = text.replace("1h", "1x");
    assert_eq!(Scenario::parse("windows.toml", &wrong).unwrap_err().position(), Some((2, 11)));
}

#[test]
fn columns_count_characters() {
    let text = LEAST.replace("about = \"x\"", "about = \"Überraschung\"\nworkload = { \"größe\" = 1 }");
    assert_eq!(Scenario::parse("umlauts.toml", &text).unwrap_err().position(), Some((2, 14)));
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let failure = Scenario::parse("x.toml", "").unwrap_err();
    assert!(failure.render(true).contains('\u{1b}'));
    assert!(!failure.render(false).contains('\u{1b}'));
    let escaped = Scenario::parse("x.toml", "\"\\u001b[31mred\" = 1").unwrap_err();
    assert!(!escaped.render(false).contains('\u{1b}'));
}

#[test]
fn nothing_takes_long_however_large() {
    let most = LARGEST_FILE as usize / 4;
    let rows = |row: &str| format!("{LEAST}{}", row.repeat(most / row.len()));
    let texts = [
        rows("[[policy]]\nname = \"read-always\"\n"),
        rows("[[expect]]\n"),
        rows("[[restart]]\nat = \"1s\"\n"),
        rows("[[oracle]]\nname = \"x\"\n"),
        rows("[a.b.c.d]\n"),
        rows("[[a]]\n"),
        rows("x.y.z.k = 1\n"),
        rows("["),
        format!("{LEAST}x = {}", "[".repeat(most)),
        format!("{LEAST}x = {}", "{a=".repeat(most / 3)),
        format!("{LEAST}{}x = 1", "a.".repeat(most / 2)),
        format!("{LEAST}[{}x]", "a.".repeat(most / 2)),
        format!("{LEAST}{} = 1", "x".repeat(most)),
        LEAST.replace("image", &"x".repeat(most)),
        LEAST.replace("workload.source", &"x".repeat(most)),
        LEAST.replace("\"workload.source\"", &"\"x\",".repeat(most / 4)),
        LEAST.replace("1h", &"1".repeat(most)),
        LEAST.replace("1h", &format!("1.{}h", "1".repeat(most))),
        format!("workload.fields = [{}]\n{LEAST}", "\"source\",".repeat(most / 9)),
        format!("workload.fields = [\n{}]\n{LEAST}", "\"source\",\n".repeat(most / 10)),
        (0..most / 9).map(|i| format!("a{i:05}=1\n")).collect(),
    ];
    for text in texts {
        let beginning: String = text[LEAST.len()..].chars().take(20).collect();
        assert!(text.len() as u64 <= LARGEST_FILE, "{beginning}");
        let begun = Instant::now();
        let failure = Scenario::parse("large.toml", &text).unwrap_err().render(false);
        let took = begun.elapsed();
        assert!(failure.len() < 20_000, "{beginning}");
        assert!(took < Duration::from_secs(10), "{beginning}: {took:?}");
    }
}
