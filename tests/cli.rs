//! The command line as a person meets it: what each verb prints, and with what status it ends.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const TINY: &str = "tests/faces/tiny.toml";
const CHANCE: &str = "tests/faces/chance.toml";
const MISFORTUNES: &str = "tests/faces/misfortunes.toml";
const FAILING: &str = "tests/faces/failing/two-claims.toml";
const WRONG: &str = "tests/faces/wrong.toml";

fn rehearsal(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("rehearsal"));
    command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).stdin(Stdio::null());
    // What a person has set must not change what the tests see.
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "TERM"] {
        command.env_remove(variable);
    }
    command
}

fn output(arguments: &[&str]) -> Output {
    rehearsal(arguments).output().expect("the binary starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

/// What is printed, with the status and what is said on standard error if there is anything.
fn seen(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = output(arguments);
    let mut seen = text(&stdout);
    if !stderr.is_empty() {
        seen += &format!("--- standard error\n{}", text(&stderr));
    }
    if !status.success() {
        seen += &format!("--- status {}\n", status.code().expect("no signal"));
    }
    seen
}

fn succeeds(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = output(arguments);
    assert!(status.success(), "{arguments:?}: {}", text(&stderr));
    text(&stdout)
}

fn fails(status: i32, arguments: &[&str]) -> String {
    let output = output(arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", text(&output.stderr));
    text(&output.stderr)
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&succeeds(arguments)).expect("JSON")
}

const VERBS: [&str; 11] = [
    "compare",
    "validate",
    "regress",
    "shrink",
    "check",
    "run",
    "import",
    "policies",
    "profiles",
    "completions",
    "man",
];

#[test]
fn help_teaches() {
    insta::assert_snapshot!("help", seen(&["--help"]));
    for verb in VERBS {
        insta::assert_snapshot!(format!("help-{verb}"), seen(&[verb, "--help"]));
    }
}

#[test]
fn files_of_the_examples_are_there() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let any = fs::read_dir(folder.join("scenarios")).is_ok_and(|mut entries| entries.next().is_some());
    // A checkout of the sources alone has no scenarios, and then there is nothing to keep in step.
    for verb in VERBS.iter().filter(|_| any) {
        let help = succeeds(&[verb, "--help"]);
        for word in help.split_whitespace().filter(|word| word.starts_with("scenarios/")) {
            let path = word.trim_matches(|c| "\"'`.]".contains(c) && !word.ends_with(".toml"));
            assert!(folder.join(path).exists(), "`{verb} --help` speaks of {word}");
        }
    }
}

#[test]
fn run_tells_what_happened() {
    insta::assert_snapshot!("run", seen(&["run", TINY]));
    insta::assert_snapshot!("run-verbose", seen(&["run", TINY, "--policy", "patient", "-v"]));
    insta::assert_snapshot!("run-quiet", seen(&["run", TINY, "-q"]));
}

#[test]
fn run_tells_of_every_misfortune() {
    for policy in
        ["read-always", "stack-until-success", "shadow-on-failure", "rollback-on-failure", "immutable-objects"]
    {
        let told = seen(&["run", MISFORTUNES, "--policy", policy]);
        let (timeline, _) = told.split_once("\nmeasure ").expect("measures follow");
        insta::assert_snapshot!(format!("misfortunes-{policy}"), timeline);
    }
}

#[test]
fn a_policy_is_one_of_the_scenario_or_a_preset() {
    let run = |policy| json(&["run", TINY, "--policy", policy, "--format", "json"]);
    assert_eq!(run("patient")["policy"], "patient");
    assert_eq!(run("every-update-in-order")["policy"], "every-update-in-order");
    insta::assert_snapshot!("no-policy", fails(2, &["run", TINY, "--policy", "read-allways"]));
    assert_eq!(
        fails(2, &["compare", TINY, "--policy", "read-allways"]),
        fails(2, &["run", TINY, "--policy", "read-allways"])
    );
}

/// The keys of an object, with those of the objects in it, in order.
fn shape(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let keys: Vec<_> = object.iter().map(|(key, value)| format!("{key}{}", shape(value))).collect();
            format!("{{{}}}", keys.join(" "))
        }
        _ => String::new(),
    }
}

#[test]
fn json_of_a_run_has_the_shape_that_is_documented() {
    let run = json(&["run", TINY, "--policy", "read-always", "--format", "json"]);
    let documented = "{scenario policy seed horizon digest measures{outcome updates valid delivered censored \
        latency{min mean p50 p95 p99 max} starvation staleness{mean max} age{mean peak} taken misattributed unattributed \
        coverage tampered{taken answered} hidden mixed exposure work wasted writes reverts passes}}";
    assert_eq!(shape(&run), documented);
    assert_eq!((&run["scenario"], &run["seed"], &run["horizon"]), (&"tiny".into(), &1.into(), &3600.0.into()));
    assert_eq!(run["digest"].as_str().map(str::len), Some(32));
    assert!(run["measures"]["updates"].is_u64() && run["measures"]["work"].is_f64());

    let nothing = json(&["run", TINY, "--policy", "read-after-success", "--format", "json"]);
    assert_eq!(nothing["measures"]["delivered"], 0);
    assert!(nothing["measures"]["latency"].is_null() && nothing["measures"]["age"].is_null());
}

#[test]
fn a_trace_holds_every_fact() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("facts.jsonl");
    let trace = path.to_str().unwrap();
    succeeds(&["run", MISFORTUNES, "--policy", "shadow-on-failure", "-q", "--trace", trace]);
    let lines: Vec<Value> =
        fs::read_to_string(&path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().all(|fact| fact["t"].is_number() && fact["kind"].is_string()));
    let times: Vec<f64> = lines.iter().map(|fact| fact["t"].as_f64().unwrap()).collect();
    assert!(times.is_sorted());
    let mut kinds: Vec<&str> = lines.iter().map(|fact| fact["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    insta::assert_snapshot!("trace-kinds", kinds.join("\n"));
    let first_of_kind = |kind: &str| lines.iter().find(|fact| fact["kind"] == kind).unwrap().to_string();
    insta::assert_snapshot!("trace-lines", kinds.iter().map(|kind| first_of_kind(kind) + "\n").collect::<String>());
    assert_eq!(names_in(folder.path()), ["facts.jsonl"]);
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_that_is_stopped_leaves_the_old_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("facts.jsonl");
    fs::write(&path, "of an earlier run\n").unwrap();
    let told = fails(2, &["run", TINY, "-q", "--trace", path.to_str().unwrap(), "--max-events", "10"]);
    assert!(told.contains("--max-events") && told.contains(TINY), "{told}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "of an earlier run\n");
    assert_eq!(names_in(folder.path()), ["facts.jsonl"]);
    let told = fails(2, &["run", TINY, "--trace", "no/such/folder/facts.jsonl"]);
    assert!(told.contains("no/such/folder/facts.jsonl could not be written"), "{told}");
}

#[cfg(unix)]
#[test]
fn a_trace_goes_where_a_link_leads_and_into_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("facts.jsonl"), folder.path().join("link"));
    fs::write(&file, "").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    succeeds(&["run", TINY, "-q", "--trace", link.to_str().unwrap()]);
    assert!(link.is_symlink() && fs::read_to_string(&file).unwrap().lines().count() > 10);
    let told = succeeds(&["run", TINY, "--format", "json", "--trace", "/dev/stdout"]);
    assert!(told.starts_with("{\"t\":60.0,\"kind\":\"updated\"") && told.contains("\"digest\""), "{told}");
    assert!(Path::new("/dev/stdout").is_symlink());
}

#[test]
fn compare_shows_policies_beside_each_other() {
    insta::assert_snapshot!("compare", seen(&["compare", CHANCE, "--runs", "40"]));
    insta::assert_snapshot!("compare-markdown", seen(&["compare", CHANCE, "--runs", "40", "--format", "markdown"]));
    insta::assert_snapshot!("compare-verbose", seen(&["compare", TINY, "--runs", "2", "-v"]));
    insta::assert_snapshot!("compare-one", seen(&["compare", TINY, "--runs", "1", "--policy", "patient"]));
    let told = succeeds(&["compare", TINY, CHANCE, "--runs", "3"]);
    assert!(told.contains("tiny: Three") && told.contains("chance: Commits"), "{told}");
    assert!(told.lines().all(|line| line.chars().count() <= 100), "{told}");
}

#[test]
fn json_of_a_comparison_holds_every_measure() {
    let whole = json(&["compare", TINY, "--runs", "3", "--seed", "5", "--format", "json"]);
    let tiny = &whole["comparisons"][0];
    assert_eq!(shape(&whole), "{comparisons}");
    assert_eq!((&tiny["runs"], &tiny["seed"], &tiny["first"]), (&3.into(), &5.into(), &"read-always".into()));
    let [first, second, _] = tiny["policies"].as_array().unwrap().as_slice() else { panic!("three policies") };
    assert_eq!(shape(&first["outcomes"]), "{settled waiting stuck deadlocked}");
    assert_eq!(shape(&first["measures"]["latency"]["p95"]), "{runs mean sd low high min max}");
    assert_eq!(first["measures"]["latency"]["p95"]["mean"], 200.0);
    assert!(first["against_first"].is_null() && second["measures"]["latency"].is_null());
    assert_eq!(shape(&second["against_first"]["misattributed"]), "{runs mean sd low high min max finding}");
    assert_eq!(second["against_first"]["misattributed"]["finding"], "better");
    assert!(!tiny["verdict"].as_array().unwrap().is_empty());
}

#[test]
fn csv_of_a_comparison_is_a_record_a_measure() {
    let told = succeeds(&["compare", TINY, "--runs", "3", "--format", "csv"]);
    let mut csv = csv::Reader::from_reader(told.as_bytes());
    let records: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!(records.len(), 3 * (4 + rehearsal::measure::MEASURES.len() + 6));
    insta::assert_snapshot!("compare-csv", told.lines().take(12).map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn runs_are_made_until_a_precision_is_reached() {
    let enough = succeeds(&["compare", CHANCE, "--precision", "4%", "--max-runs", "2000"]);
    insta::assert_snapshot!("compare-precise", enough);
    let runs = json(&["compare", CHANCE, "--precision", "4%", "--max-runs", "2000", "--format", "json"]);
    let runs = runs["comparisons"][0]["runs"].as_u64().expect("a number").to_string();
    let asked_for = |line: &&str| !line.contains("runs were enough");
    let at_once = succeeds(&["compare", CHANCE, "--runs", &runs]);
    let without: Vec<&str> = enough.lines().filter(asked_for).filter(|line| !line.contains("asked for")).collect();
    assert_eq!(without, at_once.lines().collect::<Vec<_>>(), "the same as when so many runs are made at once");
    let too_many = succeeds(&["compare", CHANCE, "--precision", "0.1%", "--max-runs", "200"]);
    assert!(too_many.contains("The precision is not reached: at 200 runs, of at most 200,"), "{too_many}");
    for wrong in ["5", "0%", "101%", "x%"] {
        assert!(fails(2, &["compare", CHANCE, "--precision", wrong]).contains("write a percentage above 0%"));
    }
    assert!(
        fails(2, &["compare", CHANCE, "--precision", "5%", "--of", "latency"]).contains("latency.mean, latency.p50")
    );
}

#[test]
fn the_number_of_threads_changes_no_byte() {
    for format in ["table", "json", "csv", "markdown"] {
        let with = |jobs| succeeds(&["compare", CHANCE, "--runs", "50", "--format", format, "--jobs", jobs]);
        let one = with("1");
        assert_eq!(one, with("2"));
        assert_eq!(one, with("5"));
    }
    let with = |jobs| seen(&["validate", FAILING, "--runs", "50", "--jobs", jobs]);
    assert_eq!(with("1"), with("3"));
}

#[test]
fn validate_says_what_holds_and_what_came_instead() {
    insta::assert_snapshot!("validate", seen(&["validate", TINY, "--runs", "5"]));
    insta::assert_snapshot!("validate-failing", seen(&["validate", "tests/faces/failing", "--runs", "40"]));
    insta::assert_snapshot!("validate-quiet", seen(&["validate", TINY, FAILING, "--runs", "40", "-q"]));
    insta::assert_snapshot!("validate-json", seen(&["validate", TINY, FAILING, "--runs", "5", "--format", "json"]));
}

#[test]
fn check_proves_and_refutes() {
    insta::assert_snapshot!("check", seen(&["check", TINY, "-q"]));
    let of_one = ["check", TINY, "--policy", "read-always", "--property", "traceable"];
    insta::assert_snapshot!("check-counterexample", seen(&of_one));
    insta::assert_snapshot!("check-verbose", seen(&[&of_one[..], &["-v"]].concat()));
    let endless = ["check", TINY, "--policy", "read-after-success", "--property", "progress"];
    insta::assert_snapshot!("check-cycle", seen(&endless));
    insta::assert_snapshot!("check-undecided", seen(&["check", TINY, "--policy", "patient", "--max-states", "20"]));
    insta::assert_snapshot!("check-markdown", seen(&["check", TINY, CHANCE, "--format", "markdown"]));
    insta::assert_snapshot!("check-json", seen(&["check", TINY, "--format", "json", "--policy", "read-always"]));
}

#[test]
fn a_counterexample_that_is_saved_can_be_played() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("lie.toml");
    let saved = saved.to_str().unwrap();
    let of_one = ["check", TINY, "--policy", "read-always", "--property", "traceable", "-q", "--save", saved];
    assert_eq!(output(&of_one).status.code(), Some(1));
    insta::assert_snapshot!("schedule", fs::read_to_string(saved).unwrap());
    insta::assert_snapshot!("run-schedule", seen(&["run", TINY, "--schedule", saved]));
    let told = fails(2, &["check", TINY, "--property", "traceable", "--save", saved]);
    assert!(told.contains("name one scenario, one --policy and one --property"), "{told}");
}

#[test]
fn the_command_that_validate_names_shows_the_failure() {
    let told = text(&output(&["validate", FAILING, "--runs", "40"]).stdout);
    let command = told.lines().find_map(|line| line.trim().strip_prefix("rehearsal ")).expect("a command");
    let arguments: Vec<&str> = command.split(' ').chain(["--format", "json"]).collect();
    let run = json(&arguments);
    assert!(run["measures"]["latency"]["max"].as_f64().unwrap() >= 120.0, "{run}");
}

#[test]
fn statuses_tell_what_came() {
    succeeds(&["validate", TINY]);
    fails(1, &["validate", FAILING]);
    fails(2, &["validate", WRONG]);
    // A wrong file outweighs a failed expectation, and the others are checked all the same.
    let Output { status, stdout, stderr } = output(&["validate", WRONG, FAILING]);
    assert_eq!(status.code(), Some(2));
    assert!(text(&stdout).contains("FAILS") && text(&stdout).contains("1 file is wrong"), "{}", text(&stdout));
    assert!(text(&stderr).contains("did you mean `work`?"), "{}", text(&stderr));
    fails(2, &["validate", "no-such-folder"]);
    fails(2, &["run", "no-such-file.toml"]);
    fails(2, &["run"]);
    fails(2, &["fly"]);
    fails(2, &["compare", TINY, "--runs", "0"]);
}

#[test]
fn input_that_is_wrong_is_told_on_standard_error() {
    insta::assert_snapshot!("wrong-scenario", seen(&["run", WRONG]));
    insta::assert_snapshot!("wrong-scenarios", seen(&["compare", WRONG, "no-such-file.toml"]));
    insta::assert_snapshot!("no-verb", seen(&["fly"]));
    let folder = tempfile::tempdir().unwrap();
    let told = fails(2, &["validate", folder.path().to_str().unwrap()]);
    assert!(told.contains("holds no scenario"), "{told}");
}

#[test]
fn folders_are_walked_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(TINY)).unwrap();
    for name in ["b.toml", "a/c.toml", "a/a.toml", "c/z/a.toml", "notes.md"] {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &tiny).unwrap();
    }
    let told = rehearsal(&["validate", ".", "--runs", "1"]).current_dir(folder.path()).output().unwrap();
    let told = text(&told.stdout);
    let files: Vec<&str> = told.lines().filter(|line| line.starts_with("./")).collect();
    assert_eq!(files, ["./a/a.toml", "./a/c.toml", "./b.toml", "./c/z/a.toml"]);
}

#[test]
fn import_writes_a_scenario_and_tells_what_it_understood() {
    insta::assert_snapshot!("import", seen(&["import", "tests/import/basic"]));
    insta::assert_snapshot!("import-health", seen(&["import", "tests/import/tested", "--health"]));
    insta::assert_snapshot!(
        "import-quiet",
        seen(&["import", "tests/import/objects.yaml", "--edge", "app=image", "-q"])
    );
    insta::assert_snapshot!("import-wrong", seen(&["import", "tests/import-wrong/cycle.yaml"]));
    insta::assert_snapshot!("import-nothing", seen(&["import", "tests/import/objects.yaml"]));
    insta::assert_snapshot!("import-no-yaml", seen(&["import", "scenarios/chains"]));
    insta::assert_snapshot!("import-edge", seen(&["import", "tests/import/objects.yaml", "--edge", "app=imagine"]));
    insta::assert_snapshot!(
        "import-circle",
        seen(&["import", "tests/import/objects.yaml", "--edge", "app=image", "--edge", "image=app"])
    );
    insta::assert_snapshot!("import-twice", seen(&["import", "tests/import/basic", "--chain", "web-shops"]));
}

/// `compare`, `check` and `run` take YAML as it is, and find what they find in the scenario that `import` writes.
#[test]
fn yaml_is_compared_in_one_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("web-shop.toml");
    let file = file.to_str().expect("a path");
    succeeds(&["import", "tests/import/basic", "--out", file, "-q"]);
    for verb in [
        &["compare", "--runs", "3"][..],
        &["run", "-q"][..],
        &["check", "--property", "covered", "--policy", "read-always", "--updates", "1"][..],
    ] {
        let out = |path: &str| {
            let out = rehearsal(&[verb, &[path]].concat()).output().expect("it runs");
            (String::from_utf8(out.stdout).expect("text"), out.status.code())
        };
        let (by_yaml, by_scenario) = (out("tests/import/basic"), out(file));
        assert_eq!(by_yaml.1, by_scenario.1, "{verb:?}");
        // The path stands in the commands that are shown.
        let plain = |text: String, path: &str| text.replace(path, "IT");
        assert_eq!(plain(by_yaml.0, "tests/import/basic"), plain(by_scenario.0, file), "{verb:?}");
    }
}

#[test]
fn a_group_of_presets_is_compared_under_its_name() {
    let names = |group: &str| {
        let out = succeeds(&["compare", TINY, "--policy", group, "--runs", "1", "--format", "json"]);
        let out: Value = serde_json::from_str(&out).expect("JSON");
        let policies = out["comparisons"][0]["policies"].as_array().expect("policies").clone();
        policies.iter().map(|policy| policy["policy"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let presets =
        |presets: &[rehearsal::catalogue::Preset]| presets.iter().map(|preset| preset.name.clone()).collect::<Vec<_>>();
    assert_eq!(names("systems"), presets(rehearsal::catalogue::systems()));
    assert_eq!(names("rfc-20"), presets(rehearsal::catalogue::presets()));
}

#[test]
fn profiles_are_listed_and_shown() {
    insta::assert_snapshot!("profiles", seen(&["profiles"]));
    insta::assert_snapshot!("profiles-one", seen(&["profiles", "kpack/Image"]));
    insta::assert_snapshot!("profiles-none", seen(&["profiles", "kpack/image"]));
    for profile in rehearsal::catalogue::profiles() {
        // What is shown, named and asking something, is the oracle that is like it.
        let shown = succeeds(&["profiles", &profile.name]);
        let chain = |settings: &str| {
            let named = format!("[[oracle]]\nname = \"it\"\nasks = [\"workload.source\"]\n{settings}");
            let text = format!("about = \"It.\"\nhorizon = \"1h\"\n{named}");
            rehearsal::scenario::Scenario::parse("it.toml", &text).expect("a scenario").setting.oracles.remove(0)
        };
        let (_, settings) = shown.split_once("[[oracle]]").expect("an oracle");
        assert_eq!(chain(settings), chain(&format!("like = \"{}\"", profile.name)), "{}", profile.name);
    }
}

#[test]
fn policies_are_listed_and_shown() {
    insta::assert_snapshot!("policies", seen(&["policies"]));
    insta::assert_snapshot!("policies-one", seen(&["policies", "stack-with-timeout"]));
    insta::assert_snapshot!("policies-none", seen(&["policies", "stack-with-time-out"]));
}

#[test]
fn a_policy_that_is_shown_can_be_put_into_a_scenario() {
    for preset in rehearsal::catalogue::presets() {
        let shown = succeeds(&["policies", &preset.name]);
        let scenario =
            "about = \"Any.\"\nhorizon = \"1m\"\n[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]\n";
        let scenario = rehearsal::scenario::Scenario::parse("any.toml", &format!("{scenario}{shown}")).unwrap();
        assert_eq!(scenario.policies[0].policy, preset.policy);
    }
}

#[test]
fn shells_and_man_are_served() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(succeeds(&["completions", shell]).contains("rehearsal"));
    }
    assert!(succeeds(&["man"]).contains(".TH rehearsal 1"));
    for verb in VERBS {
        assert!(succeeds(&["man", verb]).contains(&format!(".TH rehearsal-{verb} 1")), "{verb}");
    }
}

#[test]
fn colours_are_for_terminals_and_whoever_wants_them() {
    assert!(!succeeds(&["run", TINY]).contains('\x1b'));
    assert!(succeeds(&["run", TINY, "--color", "always"]).contains("\x1b[1m\x1b[31mtakes image #1"));
    assert!(!succeeds(&["run", TINY, "--color", "never"]).contains('\x1b'));
    let forced = |no_color: bool| {
        let mut command = rehearsal(&["run", TINY]);
        command.env("CLICOLOR_FORCE", "1");
        if no_color {
            command.env("NO_COLOR", "1");
        }
        text(&command.output().unwrap().stdout)
    };
    assert!(forced(false).contains('\x1b'));
    assert!(!forced(true).contains('\x1b'));
}

/// Reads one line, goes away, and gives the status and what was said on standard error.
fn read_one_line(arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = rehearsal(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    // The reader is dropped with the pipe's end in it.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), text(&output.stderr))
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let folder = tempfile::tempdir().unwrap();
    let long = folder.path().join("long.toml");
    let stream = "[[update]]\nevery = \"1s\"\nset = [\"source\"]\n";
    let oracle = "[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]\n";
    fs::write(&long, format!("about = \"Long.\"\nhorizon = \"10h\"\n{stream}{oracle}")).unwrap();
    let long = long.to_str().unwrap();
    let quiet = (Some(0), String::new());
    assert_eq!(read_one_line(&["run", long, "--policy", "read-always"]), quiet);
    assert_eq!(read_one_line(&["run", long, "--policy", "read-always", "-v"]), quiet);
    assert_eq!(read_one_line(&["completions", "bash"]), quiet);

    // The trace is what was asked for; nobody reading the timeline is no reason to stop.
    let trace = folder.path().join("facts.jsonl");
    assert_eq!(read_one_line(&["run", long, "--policy", "read-always", "--trace", trace.to_str().unwrap()]), quiet);
    let last = fs::read_to_string(&trace).unwrap().lines().last().map(str::to_owned).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&last).unwrap()["t"], 35_999.0);
}

#[test]
fn shrink_makes_what_fails_smaller() {
    insta::assert_snapshot!("shrink", seen(&["shrink", FAILING, "--expect", "1", "--seed", "2"]));
    insta::assert_snapshot!("shrink-no-such-row", fails(2, &["shrink", FAILING, "--expect", "9"]));
    insta::assert_snapshot!("shrink-holds", fails(2, &["shrink", TINY, "--expect", "1"]));
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("smaller.toml");
    let said =
        succeeds(&["shrink", FAILING, "--expect", "1", "--seed", "2", "--quiet", "--out", out.to_str().unwrap()]);
    assert_eq!(said, "");
    // What is written is a scenario, and fails as the whole did.
    assert_eq!(output(&["validate", out.to_str().unwrap(), "--seed", "2", "--runs", "1"]).status.code(), Some(1));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
