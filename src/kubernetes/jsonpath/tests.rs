//! JSONPath, rule by rule, as <https://kubernetes.io/docs/reference/kubectl/jsonpath/> has it.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn object() -> Json {
    json!({
        "metadata": { "name": "app", "labels": { "kubernetes.io/name": "app", "a.b": "dotted" } },
        "spec": { "replicas": 3, "paused": false, "ports": [80, 443, 8080, 9090] },
        "status": {
            "phase": "Running",
            "nothing": null,
            "conditions": [
                { "type": "Ready", "status": "True", "weight": 1 },
                { "type": "Synced", "status": "False", "weight": 2, "reason": "Late" },
                { "type": "it's \"odd\"", "status": "Unknown", "weight": 3 },
            ],
        },
    })
}

#[track_caller]
fn leads_to(path: &str, expected: Json) {
    let object = object();
    let parsed = Path::parse(path).unwrap_or_else(|wrong| panic!("{path}: {} at {}", wrong.message, wrong.at));
    let found = parsed.all(&object).unwrap_or_else(|error| panic!("{path}: {error}"));
    assert_eq!(json!(found), expected, "{path}");
}

#[test]
fn fields() {
    for path in
        [".status.phase", "status.phase", "{.status.phase}", "{ .status.phase }", "$.status.phase", "@.status.phase"]
    {
        leads_to(path, json!(["Running"]));
    }
    leads_to("['status']['phase']", json!(["Running"]));
    leads_to(".status['phase']", json!(["Running"]));
    leads_to(r".metadata.labels.kubernetes\.io/name", json!(["app"]));
    // A dot in brackets is a dot, as it is outside, unless a backslash stands before it.
    leads_to(".metadata.labels['a.b']", json!([]));
    leads_to(r".metadata.labels['a\.b']", json!(["dotted"]));
    leads_to("['status.phase']", json!(["Running"]));
    leads_to(".metadata.*", json!(["app", { "kubernetes.io/name": "app", "a.b": "dotted" }]));
}

#[test]
fn what_is_missing_leads_nowhere() {
    for path in
        [".status.fase", ".status.phase.deeper", ".status.nothing", ".none.conditions[0].status", ".none[?(@.a)].b"]
    {
        leads_to(path, json!([]));
    }
}

#[test]
fn lists() {
    leads_to(".spec.ports[0]", json!([80]));
    leads_to(".spec.ports[-1]", json!([9090]));
    leads_to(".spec.ports[*]", json!([80, 443, 8080, 9090]));
    leads_to(".spec.ports[1:3]", json!([443, 8080]));
    leads_to(".spec.ports[:2]", json!([80, 443]));
    leads_to(".spec.ports[-2:]", json!([8080, 9090]));
    leads_to(".spec.ports[0:4:2]", json!([80, 8080]));
    leads_to(".spec.ports[0,2]", json!([80, 8080]));
    leads_to(".spec.ports[3:1]", json!([]));
    leads_to(".spec.ports[9:99]", json!([]));
    leads_to(".status.conditions[*].type", json!(["Ready", "Synced", "it's \"odd\""]));
    leads_to("['metadata.name', 'status.phase']", json!(["app", "Running"]));
}

#[test]
fn filters() {
    leads_to(".status.conditions[?(@.type==\"Ready\")].status", json!(["True"]));
    leads_to(".status.conditions[?(@.type=='Ready')].status", json!(["True"]));
    leads_to(".status.conditions[?( @.type == \"Ready\" )].status", json!(["True"]));
    leads_to(".status.conditions[?(@.type!=\"Ready\")].weight", json!([2, 3]));
    leads_to(".status.conditions[?(@.weight<2)].type", json!(["Ready"]));
    leads_to(".status.conditions[?(@.weight<=2)].type", json!(["Ready", "Synced"]));
    leads_to(".status.conditions[?(@.weight>1)].weight", json!([2, 3]));
    leads_to(".status.conditions[?(@.weight>=3)].weight", json!([3]));
    leads_to(".status.conditions[?(@.reason)].type", json!(["Synced"]));
    leads_to(r#".status.conditions[?(@.type=="it's \"odd\"")].weight"#, json!([3]));
    leads_to(".status.conditions[?(@.type==\"None\")].status", json!([]));
    leads_to(".status.conditions[?(@.type==@.status)].type", json!([]));
    leads_to(".spec.ports[?(@>443)]", json!([8080, 9090]));
}

#[test]
fn descent() {
    leads_to("..reason", json!(["Late"]));
    leads_to(".status..weight", json!([1, 2, 3]));
    leads_to("..conditions[0].type", json!(["Ready"]));
}

#[test]
fn a_document_of_another_shape_is_an_error() {
    let fails = |path: &str| Path::parse(path).expect("a path").all(&object()).is_err();
    assert!(fails(".metadata[0]"), "a map has no index");
    assert!(fails(".spec.ports[7]"), "there is no such item");
    assert!(fails(".status.conditions[?(@.weight==\"1\")].type"), "a number is no text");
    assert!(fails(".metadata[?(@.name)]"), "a map is not filtered");
    let several = Path::parse(".spec.ports[*]").expect("a path");
    assert_eq!(several.one(&object()).unwrap_err(), "it leads to 4 values, not to one");
}

#[test]
fn what_is_wrong_says_where() {
    for (path, at, message) in [
        ("", 0, "the path is empty"),
        ("{.a", 0, "the brace is never closed"),
        (".a[", 2, "the bracket is never closed"),
        (".a[]", 3, "the brackets are empty"),
        (".a[b]", 3, "`b` is no index: write a number, `*`, or a name in single quotes"),
        (".a[1:2:0]", 3, "a step must be 1 or more"),
        (".a[1:2:3:4]", 3, "a slice has at most three parts"),
        (".a[?(@.b=='c'].d", 2, "the filter is never closed"),
        (".a[?(@.b)", 9, "after the filter a `]` is missing"),
        (".a..", 4, "the path leads nowhere"),
        ("....a", 2, "`..` stands here twice"),
        (".a b", 3, "`b` cannot stand here"),
        (".a\\", 1, "nothing follows the backslash"),
        (".a[\"b\"]", 3, "a name in brackets stands in single quotes, as in `['name']`"),
        (".a['']", 3, "here a name is missing"),
    ] {
        match Path::parse(path) {
            Err(wrong) => assert_eq!((wrong.at, wrong.message.as_str()), (at, message), "{path}"),
            // `..` alone leads to everything, as in Kubernetes.
            Ok(_) => assert_eq!(path, ".a..", "{path} is wrong"),
        }
    }
}

proptest! {
    /// Any text is a path or one error, and any path leads somewhere, nowhere, or to one error.
    #[test]
    fn any_text_is_read(text in r#"[a.\[\]?@$(){}'"=<>!~,:*0-9 \\-]{0,24}"#) {
        if let Ok(path) = Path::parse(&text) {
            let _ = path.all(&object());
            let _ = path.fields().count();
        }
    }

    /// A field is found by its name, whatever it is called, if what would end a name stands behind a backslash.
    #[test]
    fn an_escaped_name_is_the_field(name in r"[a-z.@$:,/\[\]{}-]{1,8}") {
        let document = json!({ &name: 1 });
        let escaped: String = name.chars().flat_map(|c| ['\\', c]).collect();
        let path = Path::parse(&format!(".{escaped}")).expect("a path");
        prop_assert_eq!(json!(path.all(&document).expect("found")), json!([1]));
    }
}
