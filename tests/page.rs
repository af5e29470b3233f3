//! `--out`: the folder of results, and what a browser makes of its page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assert_cmd::cargo::CommandCargoExt as _;

/// A scenario whose every free word would be markup, if words could be; its file's name is, too.
const EVIL: &str = r#"
about = "<img src=x onerror=alert(1)> & \"quotes\" 'and' <script>alert(2)</script>"
horizon = "2h"

[[oracle]]
name = "image"
asks = ["workload.source"]
work = "3m"
fails = 0.3

[[update]]
every = "7m"
set = ["source"]

[[policy]]
name = "read-always"

[[policy]]
name = "read-after-success"
"#;

fn rehearsal(arguments: &[&str]) -> (bool, String) {
    let mut command = Command::cargo_bin("rehearsal").expect("it is built");
    let output = command.args(arguments).output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text)
}

fn compare(scenario: &Path, more: &[&str], out: &Path) -> (bool, String) {
    let mut arguments = vec!["compare", scenario.to_str().unwrap(), "--runs", "20", "--out", out.to_str().unwrap()];
    arguments.extend(more);
    rehearsal(&arguments)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.extend(files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

fn evil_scenario(folder: &Path) -> PathBuf {
    let path = folder.join("<b onclick=alert(3)><script>alert(4)<&>.toml");
    fs::write(&path, EVIL).unwrap();
    path
}

#[test]
fn the_same_inputs_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = evil_scenario(folder.path());
    let (out, elsewhere) = (folder.path().join("results"), folder.path().join("elsewhere"));
    for jobs in ["1", "3"] {
        let (well, said) = compare(&scenario, &["--jobs", jobs], &out);
        assert!(well, "{said}");
        if jobs == "1" {
            fs::rename(&out, &elsewhere).unwrap();
        }
    }
    let (ours, theirs) = (files(&out), files(&elsewhere));
    assert_eq!(ours.len(), theirs.len());
    let names: Vec<_> = ours.iter().map(|file| file.strip_prefix(&out).unwrap().to_str().unwrap().to_owned()).collect();
    for name in ["report.html", "report.md", "results.json", "results.csv", "scenario.toml", "figures/latency.svg"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    for (one, other) in ours.iter().zip(&theirs) {
        assert_eq!(one.strip_prefix(&out), other.strip_prefix(&elsewhere));
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{}", one.display());
    }
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 3, "nothing is left beside the two folders and the scenario");
}

#[test]
fn words_of_a_scenario_are_never_markup() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let (well, said) = compare(&evil_scenario(folder.path()), &[], &out);
    assert!(well, "{said}");
    for file in files(&out).into_iter().filter(|file| file.extension().is_some_and(|e| e == "html" || e == "svg")) {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains("<script>alert") && !text.contains("<img"), "{}", file.display());
        assert!(!text.contains("<b onclick"), "{}", file.display());
    }
}

#[test]
fn no_policy_is_named_script() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("named.toml");
    fs::write(&scenario, EVIL.replace("\"read-always\"", "\"<script>\"")).unwrap();
    let (well, said) = compare(&scenario, &[], &folder.path().join("results"));
    assert!(!well && said.contains("`<script>` is not a name"), "{said}");
    assert!(!folder.path().join("results").exists());
}

#[test]
fn a_review_fits_a_comment() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let (well, said) = compare(Path::new("scenarios/chains/git-kpack-app.toml"), &[], &out);
    assert!(well, "{said}");
    let review = fs::read_to_string(out.join("report.md")).unwrap();
    // GitHub takes 65,536 characters.
    assert!(review.chars().count() < 65_536 / 2, "{}", review.chars().count());
    let verdict = review.find("delivers earliest").unwrap();
    assert!(verdict < review.find("| policy").unwrap(), "the verdict comes first");
}

#[test]
fn what_holds_no_results_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = evil_scenario(folder.path());
    let out = folder.path().join("thesis");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("chapter-1.txt"), "ten years of work").unwrap();
    let (well, said) = compare(&scenario, &[], &out);
    assert!(!well && said.contains("holds no results"), "{said}");
    assert_eq!(fs::read_to_string(out.join("chapter-1.txt")).unwrap(), "ten years of work");

    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let (well, said) = compare(&scenario, &[], &file);
    assert!(!well && said.contains("there is a file of this name"), "{said}");
}

#[test]
fn several_scenarios_get_an_overview() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let evil = evil_scenario(folder.path());
    let other = "tests/faces/tiny.toml";
    let (well, said) =
        rehearsal(&["compare", other, evil.to_str().unwrap(), other, "--runs", "5", "--out", out.to_str().unwrap()]);
    assert!(well, "{said}");
    let overview = fs::read_to_string(out.join("report.html")).unwrap();
    for name in ["tiny", "-b-onclick-alert-3---script-alert-4----", "tiny-2"] {
        assert!(overview.contains(&format!("href=\"{name}/report.html\"")), "{name}");
        assert!(out.join(name).join("report.html").is_file());
    }
    assert!(!overview.contains("<script>alert"));
}

#[test]
fn a_check_draws_its_counterexamples_and_keeps_them() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let scenario = "scenarios/rfc-0020/08a-fast-commits-starve.toml";
    let (_, said) = rehearsal(&[
        "check",
        scenario,
        "--policy",
        "read-after-success",
        "--property",
        "progress",
        "--property",
        "traceable",
        "--out",
        out.to_str().unwrap(),
    ]);
    let page = fs::read_to_string(out.join("report.html")).unwrap_or_else(|_| panic!("{said}"));
    assert!(page.contains("from here on the steps repeat without end"), "the cycle is marked");
    assert!(page.contains("✗ refuted") && page.contains("✓ "), "both verdicts are there");
    let review = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(review.contains("`progress`: These steps can repeat without end"), "{review}");
    let schedule = out.join("schedules/01-read-after-success-progress.toml");
    let (well, said) = rehearsal(&["run", scenario, "--schedule", schedule.to_str().unwrap(), "-q"]);
    assert!(well, "{said}");
    // The steps that repeat deliver nothing, however often they are played.
    assert!(said.lines().any(|line| line.starts_with("delivered") && line.contains(" 0 ")), "{said}");
}

/// What a browser finds of a page in a window of this width.
fn browsed(browser: &Path, page: &Path, width: &str) -> (serde_json::Value, String) {
    let folder = page.parent().unwrap();
    let harness = include_str!("page/harness.html")
        .replace("PAGE", page.file_name().unwrap().to_str().unwrap())
        .replace("WIDTH", width);
    let file = folder.join("harness.html");
    fs::write(&file, harness).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update", "--allow-file-access-from-files"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=30000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout);
    let found = dom.split_once("<pre id=\"found\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let found = found.unwrap_or_else(|| panic!("the browser finds nothing: {dom}")).0;
    let console: Vec<String> = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains(":CONSOLE"))
        .map(str::to_owned)
        .collect();
    let found = found.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    (serde_json::from_str(&found).unwrap_or_else(|error| panic!("{error}: {found}")), console.join("\n"))
}

#[test]
fn a_browser_shows_the_pages_well() {
    let browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].map(PathBuf::from);
    let Some(browser) = browser.iter().find(|browser| browser.is_file()) else {
        eprintln!("SKIPPED: there is no Chromium on this machine, so no page was looked at");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let (well, said) = compare(&evil_scenario(folder.path()), &[], &out);
    assert!(well, "{said}");
    let checked = folder.path().join("checked");
    let scenario = "scenarios/rfc-0020/22a-all-five-hold.toml";
    let (_, said) = rehearsal(&["check", scenario, "--policy", "read-always", "--out", checked.to_str().unwrap()]);
    assert!(checked.is_dir(), "{said}");
    // A frame's scroll bar takes 15 of them: what is left is the narrowest of usual telephones.
    let map = folder.path().join("map");
    let (well, said) = compare(&evil_scenario(folder.path()), &["--vary", "oracle.image.work=1m..10m*9"], &map);
    assert!(well, "{said}");
    for (folder, signs, width) in [
        (&map, 100, "375"),
        (&map, 100, "1200"),
        (&out, 100, "375"),
        (&out, 100, "1200"),
        (&checked, 5, "375"),
        (&checked, 5, "1200"),
    ] {
        let (found, console) = browsed(browser, &folder.join("report.html"), width);
        assert_eq!(console, "", "{width}: no errors");
        assert_eq!(found["wide"], 0, "{width}: it does not scroll sideways: {found}");
        assert_eq!(found["small"], serde_json::json!([]), "{width}: no text is under 11 px");
        assert!(found["marks"].as_u64().unwrap() > signs, "{width}: {found}");
        assert_eq!((&found["unreached"], &found["silent"]), (&0.into(), &0.into()), "{width}: {found}");
        assert_eq!(found["scripts"], 1, "{width}: only the page's own script is there");
    }
}

#[test]
fn a_grid_is_drawn_as_a_map() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results");
    let vary = ["--vary", "oracle.image.work=1m..10m*3", "--vary", "update.every=2m,20m"];
    let (well, said) = compare(&evil_scenario(folder.path()), &vary, &out);
    assert!(well, "{said}");
    assert!(said.contains("Best, in so many cells: "), "{said}");
    for name in ["report.html", "report.md", "results.json", "results.csv", "figures/best.svg", "cells/03-02.toml"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(out.join("results.json")).unwrap()).unwrap();
    assert_eq!(json["comparisons"].as_array().unwrap().len(), 6);
    let latency =
        |cell: usize| json["comparisons"][cell]["policies"][0]["measures"]["latency"]["mean"]["mean"].as_f64().unwrap();
    assert!(latency(0) < latency(2), "along a row the work takes longer");
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!page.contains("<img src=x") && page.contains("oracle.image.work"));
    // Each cell's scenario stands on its own.
    let cell = out.join("cells/03-02.toml");
    let (well, said) = rehearsal(&["run", cell.to_str().unwrap(), "-q"]);
    assert!(well, "{said}");
}

#[test]
fn a_grid_that_cannot_be_is_told_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = evil_scenario(folder.path());
    let out = folder.path().join("results");
    for (vary, message) in [
        ("oracle.imgae.work=1m,2m", "no [[oracle]] is `imgae`"),
        ("oracle.image.work=1m..2m", "does not say how many values"),
        ("oracle.image.wrok=1m,2m", "an oracle has no key `wrok`"),
        ("oracle.image.fails=0,1.5", "this is the scenario with oracle.image.fails = 1.5"),
    ] {
        let (well, said) = compare(&scenario, &["--vary", vary], &out);
        assert!(!well && said.contains(message), "{vary}: {said}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left: {vary}");
    }
}
