//! Planted faults whose smallest scenario is known.

use super::*;

fn task(row: usize) -> Task {
    Task { row, seed: 1, limits: Limits::default(), max_states: 50_000, max_tries: 20_000 }
}

fn reduced(text: &str, row: usize) -> String {
    let reduced = reduce(text, task(row)).unwrap();
    assert!(reduced.smallest, "{}", reduced.text);
    let scenario =
        Scenario::parse("smaller.toml", &reduced.text).unwrap_or_else(|error| panic!("{error}\n{}", reduced.text));
    assert!(!ways(&scenario, 0, task(1)).is_empty(), "it still fails:\n{}", reduced.text);
    // What is smallest stays as it is.
    assert_eq!(reduce(&reduced.text, task(1)).unwrap().text, reduced.text);
    reduced.text
}

/// A long chain with a day of everything; two commits of one minute's distance are what makes a false claim.
const BUSY: &str = r#"about = "A busy day."
horizon = "12h"

# Commits.
[[update]]
until = "2h"
every = { exponential = "6m" }
set = ["source", "env"]
bad_for = { test = 0.3 }

[[world]]
oracle = "image"
every = { exponential = "3h" }

[[outage]]
oracle = "deploy"
from = "50m"
until = "55m"

[[restart]]
at = "30m"

[workload]
fields = ["source", "env"]

[[oracle]]
name = "test"
asks = ["workload.source"]
work = "1m30s"
flaps = { up = "10m", down = "1m", to = "unknown" }

[[oracle]]
name = "image"
asks = ["test", "workload.env"]
work = { lognormal = { median = "3m", p95 = "9m" } }
fails = 0.05

[[oracle]]
name = "deploy"
asks = ["image"]
work = "20s"

[choreographer]
watch = "100ms"
resync = "1h"

[[policy]]
name = "read-always"

[[policy]]
name = "read-after-success"

[[expect]]
policy = "read-after-success"
misattributed = 0

[[expect]]
policy = "*"
outcome = ["settled", "waiting", "stuck"]
misattributed = 0
"#;

#[test]
fn a_false_claim_needs_one_oracle_and_two_updates() {
    let text = reduced(BUSY, 2);
    let scenario = Scenario::parse("smaller.toml", &text).unwrap();
    assert_eq!(scenario.setting.oracles.len(), 1, "{text}");
    assert_eq!(text.matches("[[update]]").count(), 2, "{text}");
    for gone in ["[[world]]", "[[outage]]", "[[restart]]", "fails", "flaps", "lognormal", "env", "every", "outcome"] {
        assert!(!text.contains(gone), "{gone} is not needed:\n{text}");
    }
    assert!(text.lines().filter(|line| !line.trim().is_empty()).count() <= 20, "{text}");
}

#[test]
fn an_enemy_is_needed_for_what_he_does() {
    let planted = BUSY.replace("[[restart]]", "[[forge]]\noracle = \"deploy\"\nat = \"40m\"\n\n[[tamper]]\noracle = \"image\"\ninput = \"test\"\nat = \"20m\"\nuntil = \"2h\"\n\n[[restart]]")
        + "\n[[expect]]\npolicy = \"read-always\"\nreverts = 0\n";
    let text = reduced(&planted, 3);
    assert!(text.contains("[[tamper]]") && !text.contains("[[forge]]"), "{text}");
    assert!(text.matches("[[update]]").count() <= 1, "{text}");
}

#[test]
fn a_measure_keeps_failing_on_the_same_side() {
    let text = BUSY.to_owned()
        + "\n[[expect]]\npolicy = \"read-always\"\nlatency.p95 = { below = \"2m\" }\nlatency.min = { above = \"0s\" }\n";
    let text = reduced(&text, 3);
    assert!(text.contains("p95") && !text.contains("min"), "{text}");
    let scenario = Scenario::parse("smaller.toml", &text).unwrap();
    assert_eq!(ways(&scenario, 0, task(1))[0].kind, Fails::TooMuch, "an undelivered update has no latency:\n{text}");
    assert_eq!(text.matches("[[update]]").count(), 1, "{text}");
}

#[test]
fn a_property_is_decided_by_the_checker() {
    let text = "about = \"Three.\"\nhorizon = \"1h\"\n\n[[update]]\nat = \"1m\"\nset = [\"source\"]\n\n[[update]]\nat = \"2m\"\nset = [\"source\"]\n\n[[update]]\nat = \"9m\"\nset = [\"source\"]\n\n[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]\nwork = \"3m\"\n\n[[oracle]]\nname = \"app\"\nasks = [\"image\"]\n\n[[policy]]\nname = \"read-always\"\n\n[[expect]]\npolicy = \"*\"\nproperty = \"traceable\"\nholds = true\n";
    let text = reduced(text, 1);
    assert_eq!((text.matches("[[oracle]]").count(), text.matches("[[update]]").count()), (1, 2), "{text}");
}

#[test]
fn what_does_not_fail_is_told() {
    assert_eq!(reduce(BUSY, task(1)), Err(NotReduced::Holds(1, 1)));
    assert_eq!(reduce(BUSY, task(3)), Err(NotReduced::NoSuchRow(3, 2)));
    assert_eq!(reduce(BUSY, task(0)), Err(NotReduced::NoSuchRow(0, 2)));
}

#[test]
fn whoever_tires_leaves_a_scenario_that_fails() {
    for max_tries in [1, 7, 40] {
        let reduced = reduce(BUSY, Task { max_tries, ..task(2) }).unwrap();
        assert!(!reduced.smallest && reduced.tries == max_tries);
        let scenario = Scenario::parse("smaller.toml", &reduced.text).unwrap();
        assert!(!ways(&scenario, 0, task(1)).is_empty());
    }
}
