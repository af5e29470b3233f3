//! Health rules case by case, selectors, and YAML from strangers.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::health::{HealthRule, Rule};
use super::selector::{FieldMatch, Selector};
use super::yaml::{self, At, File, Value};
use super::{Choice, import};
use crate::catalogue;
use crate::model::{Axis, Ready};

/// What is read of the value in a YAML text.
fn read<T>(text: &str, read: impl FnOnce(&At<'_>) -> Result<T, crate::scenario::Failure>) -> T {
    let file = File { name: "it.yaml".into(), text: text.to_owned() };
    let documents = yaml::read(&file.text).unwrap_or_else(|mistake| panic!("{}", file.failure(mistake)));
    read(&At::root(&file, &documents[0].root)).unwrap_or_else(|failure| panic!("{failure}"))
}

fn rule(text: &str) -> HealthRule {
    read(text, HealthRule::read)
}

fn with(conditions: &[(&str, &str)], more: Json) -> Json {
    let conditions: Vec<Json> =
        conditions.iter().map(|(kind, status)| json!({ "type": kind, "status": status })).collect();
    let mut object = json!({ "metadata": { "generation": 2 }, "status": more });
    object["status"]["conditions"] = json!(conditions);
    object
}

/// "AlwaysHealthy being set indicates the resource should always be considered healthy."
#[test]
fn always_healthy() {
    let rule = rule("alwaysHealthy: {}");
    assert_eq!(rule.reads(&json!({}), false), Ready::True);
    assert_eq!(rule.reads(&with(&[("Ready", "False")], json!({})), false), Ready::True);
}

/// "... names a single condition which, when True indicates the resource is healthy. When False it is unhealthy. Otherwise,
/// healthiness is Unknown."
#[test]
fn a_single_condition() {
    let rule = rule("singleConditionType: Ready");
    for (status, ready) in
        [("True", Ready::True), ("False", Ready::False), ("Unknown", Ready::Unknown), ("Maybe", Ready::Unknown)]
    {
        assert_eq!(rule.reads(&with(&[("Synced", "False"), ("Ready", status)], json!({})), false), ready, "{status}");
    }
    assert_eq!(rule.reads(&with(&[("Synced", "True")], json!({})), false), Ready::Unknown, "it is not there");
    assert_eq!(rule.reads(&json!({}), true), Ready::Unknown, "nothing was reported");
}

const MULTI: &str = r#"
multiMatch:
  healthy:
    matchConditions: [{type: Ready, status: "True"}, {type: Synced, status: "True"}]
    matchFields: [{key: .status.phase, operator: In, values: [Done, Good]}]
  unhealthy:
    matchConditions: [{type: Ready, status: "False"}, {type: Stalled, status: "True"}]
    matchFields: [{key: .status.error, operator: Exists}]
"#;

/// "Healthy: ... requirements, ALL of which must be met."
#[test]
fn healthy_is_all() {
    let rule = rule(MULTI);
    let both = [("Ready", "True"), ("Synced", "True")];
    assert_eq!(rule.reads(&with(&both, json!({ "phase": "Good" })), false), Ready::True);
    assert_eq!(rule.reads(&with(&both, json!({ "phase": "Begun" })), false), Ready::Unknown);
    assert_eq!(rule.reads(&with(&both, json!({})), false), Ready::Unknown);
    assert_eq!(rule.reads(&with(&both[..1], json!({ "phase": "Good" })), false), Ready::Unknown);
}

/// "Unhealthy: ... requirements, ANY of which, when met, indicate that the resource should be considered unhealthy", and it
/// is asked first.
#[test]
fn unhealthy_is_any_and_comes_first() {
    let rule = rule(MULTI);
    let both = [("Ready", "True"), ("Synced", "True")];
    assert_eq!(rule.reads(&with(&[("Ready", "False")], json!({})), false), Ready::False);
    assert_eq!(rule.reads(&with(&[("Stalled", "True")], json!({})), false), Ready::False);
    assert_eq!(rule.reads(&with(&both, json!({ "phase": "Good", "error": "late" })), false), Ready::False);
}

/// A side that asks for nothing: all of nothing holds, none of nothing does.
#[test]
fn a_side_that_asks_for_nothing() {
    let rule = rule("multiMatch: {healthy: {}, unhealthy: {}}");
    assert_eq!(rule.reads(&json!({}), false), Ready::True);
}

#[test]
fn fields_are_matched_by_operator() {
    let holds = |operator: &str, document: Json| {
        let text = format!("{{key: .status.phase, operator: {operator}}}");
        read(&text, FieldMatch::read).holds(&document)
    };
    let (done, failed, none) =
        (json!({ "status": { "phase": "Done" } }), json!({ "status": { "phase": "Failed" } }), json!({}));
    for (operator, expected) in [
        ("In, values: [Done]", [true, false, false]),
        ("NotIn, values: [Done]", [false, true, true]),
        ("Exists", [true, true, false]),
        ("DoesNotExist", [false, false, true]),
    ] {
        let answers = [&done, &failed, &none].map(|document| holds(operator, document.clone()));
        assert_eq!(answers, expected.map(Some), "{operator}");
    }
    // Values are text, and a number is none.
    assert_eq!(holds("In, values: [\"3\"]", json!({ "status": { "phase": 3 } })), Some(false));
    // A path that does not fit the document matches nothing, not even an absence.
    let odd = read("{key: '.status[0]', operator: DoesNotExist}", FieldMatch::read);
    assert_eq!(odd.holds(&json!({ "status": { "phase": "Done" } })), Some(false));
    // What ytt computes is there, and nobody knows what it is.
    let computed = json!({ "status": { "phase": "#@ phase" } });
    assert_eq!(holds("Exists", computed.clone()), Some(true));
    assert_eq!(holds("In, values: [Done]", computed), None);
}

/// The proposal of tracing with health rules: "If the value found at this path on the object is NOT equal to the value found
/// at `.metadata.generation`, then the object is in an `Unknown` state."
#[test]
fn an_observed_generation_is_asked_for() {
    let rule = rule("{singleConditionType: Ready, observedGenerationPath: .status.observedGeneration}");
    let of = |observed: Json, ready| {
        rule.reads(&with(&[("Ready", ready)], json!({ "observedGeneration": observed })), false)
    };
    assert_eq!(of(json!(2), "True"), Ready::True);
    assert_eq!(of(json!(2), "False"), Ready::False);
    assert_eq!(of(json!(1), "True"), Ready::Unknown);
    assert_eq!(of(json!("2"), "True"), Ready::Unknown);
    assert_eq!(of(Json::Null, "True"), Ready::Unknown);
}

/// A template without a rule: "healthy once an output can be read"; a deployment by what it waits for.
#[test]
fn without_a_rule() {
    let outputs = HealthRule { rule: Rule::Outputs, observed: None };
    assert_eq!(outputs.reads(&json!({}), true), Ready::True);
    assert_eq!(outputs.reads(&json!({}), false), Ready::Unknown);
    let path = |text| super::jsonpath::Path::parse(text).expect("a path");
    let completion = HealthRule {
        rule: Rule::Completion {
            succeeded: (path(".status.phase"), "Done".into()),
            failed: Some((path(".status.phase"), "Lost".into())),
        },
        observed: None,
    };
    for (phase, ready) in [("Done", Ready::True), ("Lost", Ready::False), ("Begun", Ready::Unknown)] {
        assert_eq!(completion.reads(&json!({ "status": { "phase": phase } }), false), ready, "{phase}");
    }
    let pairs = vec![(path(".spec.wants"), path(".status.has"))];
    let matches = HealthRule { rule: Rule::Matches(pairs), observed: None };
    assert_eq!(matches.reads(&json!({ "spec": { "wants": 2 }, "status": { "has": 2 } }), false), Ready::True);
    assert_eq!(matches.reads(&json!({ "spec": { "wants": 2 }, "status": { "has": 1 } }), false), Ready::Unknown);
    assert_eq!(matches.reads(&json!({}), false), Ready::Unknown, "two that are missing are no match");
}

#[test]
fn selectors_are_all_of_their_requirements() {
    let selector = read(
        "{matchLabels: {a: b}, matchExpressions: [{key: c, operator: NotIn, values: [d]}], \
          matchFields: [{key: workload.spec.e, operator: Exists}]}",
        Selector::read,
    );
    let owner = |labels: Json, spec: Json| json!({ "metadata": { "labels": labels }, "spec": spec });
    let holds = |owner: Json| selector.holds(&owner, &json!({ "workload": owner }));
    assert_eq!(holds(owner(json!({ "a": "b" }), json!({ "e": 1 }))), Some(true));
    assert_eq!(holds(owner(json!({ "a": "b", "c": "d" }), json!({ "e": 1 }))), Some(false));
    assert_eq!(holds(owner(json!({ "a": "b" }), json!({}))), Some(false));
    assert_eq!(holds(owner(json!({ "a": "#@ x" }), json!({ "e": 1 }))), None);
    assert_eq!(holds(owner(json!({ "a": "#@ x" }), json!({}))), Some(false), "whatever ytt says");
}

/// The paths that profiles hold are paths.
#[test]
fn the_paths_of_the_catalogue_are_paths() {
    for profile in catalogue::profiles() {
        let paths = profile.only.iter().map(|only| &only.path).chain(&profile.polls);
        for path in paths {
            assert!(super::jsonpath::Path::parse(path).is_ok(), "{}: {path}", profile.name);
        }
    }
}

#[test]
fn yaml_is_read_as_it_is_written() {
    let documents = yaml::read(
        "a: &it {x: 1, y: [true, ~, 0x10, 1.5, 1e3, no, '1', \"two\"]}\nb: *it\nc: {<<: *it, y: z}\nd: #@ data.values.d\n\
         #@ if e:\ne: |\n  #@ not a comment\n---\n# empty\n---\nlist:\n- #@ item\n- 1\n",
    )
    .unwrap_or_else(|_| panic!("it is YAML"));
    assert_eq!(documents.len(), 2, "an empty document is none");
    let it = json!({ "x": 1, "y": [true, null, 16, 1.5, 1000.0, "no", "1", "two"] });
    let expected = json!({
        "a": it, "b": it, "c": { "x": 1, "y": "z" }, "d": "#@ data.values.d", "e": "#@ not a comment\n",
    });
    assert_eq!(documents[0].root.json(), expected);
    assert_eq!(documents[0].controls.len(), 1, "`#@ if` decides");
    assert_eq!(documents[1].root.json(), json!({ "list": ["#@ item", 1] }));
    assert!(matches!(documents[0].root.get("d").map(|node| &node.value), Some(Value::Ytt(_))));
}

/// A value as YAML in one line.
fn flow() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i32>().prop_map(Json::from),
        "[ -~]{0,8}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map("[a-z]{1,3}", inner, 0..4)
                .prop_map(|entries| entries.into_iter().collect::<Json>()),
        ]
    })
}

proptest! {
    /// JSON is YAML.
    #[test]
    fn json_reads_as_itself(value in flow()) {
        let value = json!({ "it": value });
        let documents = yaml::read(&value.to_string()).unwrap_or_else(|_| panic!("JSON is YAML"));
        prop_assert_eq!(documents[0].root.json(), value);
    }

    /// Any text is documents or one mistake, and its places lie in it.
    #[test]
    fn any_text_is_read(text in r##"[a-c:\-\[\]{}&*<|>'"#@!%? \n]{0,60}"##) {
        if let Err(mistake) = yaml::read(&text) {
            let failure = File { name: "it.yaml".into(), text: text.clone() }.failure(mistake);
            prop_assert!(failure.position().is_some(), "{}", failure);
        }
        let _ = import(vec![("it.yaml".into(), text)], &Choice::default());
    }

    /// A rule reads the same of the same object, and is unhealthy whenever one of its unhealthy requirements is met.
    #[test]
    fn unhealthy_wins(statuses in proptest::collection::vec(proptest::sample::select(vec!["True", "False", "Unknown"]), 3)) {
        let kinds = ["Ready", "Synced", "Stalled"];
        let conditions: Vec<(&str, &str)> = kinds.into_iter().zip(statuses.iter().copied()).collect();
        let reads = rule(MULTI).reads(&with(&conditions, json!({ "phase": "Done" })), false);
        let unhealthy = statuses[0] == "False" || statuses[2] == "True";
        let healthy = statuses[0] == "True" && statuses[1] == "True";
        let expected = if unhealthy { Ready::False } else if healthy { Ready::True } else { Ready::Unknown };
        prop_assert_eq!(reads, expected);
        prop_assert!(Ready::ALL.contains(&reads));
    }
}
