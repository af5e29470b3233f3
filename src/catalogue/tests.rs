//! The catalogue against the contract.

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::model::Span;
use crate::scenario::Scenario;

/// The table of presets as it stands in `docs/model.md` §5.
const CONTRACT: &str = "
| `read-always` (the choreographer before any of this) | always | always | write-first | latest | none | latest | |
| `read-at-rest` | at-rest | always | write-first | latest | memento | latest | |
| `write-at-rest` | always | at-rest | read-first | latest | none | latest | |
| `read-and-write-at-rest` | at-rest | at-rest | read-first | latest | memento | latest | |
| `read-after-success` (RFC 20) | ready | always | write-first | latest | memento | when-ready | |
| `read-after-success-forgetful` | ready | always | write-first | latest | none | when-ready | |
| `update-only-when-ready` | ready | ready | read-first | latest | memento | when-ready | |
| `update-at-rest` (tracing with health rules) | ready | at-rest | read-first | latest | persisted | when-ready | |
| `update-at-rest-write-first` | ready | at-rest | write-first | latest | persisted | when-ready | |
| `every-update-in-order` | ready | at-rest | read-first | fifo | memento | when-ready | |
| `stack-until-success` | ready | at-rest | read-first | stack | memento | when-ready | |
| `stack-with-timeout` | ready | at-rest | read-first | stack | memento | when-ready | timeout 10m |
| `note-when-ready` | always | always | write-first | latest | none | when-ready | |
| `generation-output` | always | always | write-first | latest | none | reported-generation | |
| `correlation-rules` | always | always | write-first | latest | none | reported-inputs | |
| `rollback-on-failure` | ready | at-rest | read-first | latest | memento | when-ready | on_failure rollback |
| `shadow-on-failure` | ready | at-rest | read-first | latest | memento | when-ready | on_failure shadow |
| `immutable-objects` | ready | always | write-first | latest | memento | when-ready | lifecycle immutable |
";

/// A name is one preset's, and each says where it comes from.
#[test]
fn systems_have_names_and_sources_of_their_own() {
    let all: Vec<&Preset> = presets().iter().chain(systems()).collect();
    for (at, preset) in all.iter().enumerate() {
        assert!(all[..at].iter().all(|other| other.name != preset.name), "{}", preset.name);
        assert!(GROUPS.iter().all(|(group, _)| *group != preset.name), "{}", preset.name);
        assert!(!preset.about.is_empty() && !preset.source.is_empty(), "{}", preset.name);
    }
    assert!(systems().len() >= 12 && systems().iter().all(|preset| preset.source.starts_with("https://")));
}

#[test]
fn the_presets_are_those_of_the_contract() {
    let columns = ["read", "write", "order", "pending", "memory", "trace"];
    let rows: Vec<&str> = CONTRACT.trim().lines().collect();
    assert_eq!(rows.len(), presets().len());
    for (row, preset) in rows.iter().zip(presets()) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!(cells[0].split('`').nth(1), Some(preset.name.as_str()));
        let other = cells[7].split_once(' ');
        for axis in AXES {
            let expected = match columns.iter().position(|name| *name == axis.name) {
                Some(column) => format!("\"{}\"", cells[column + 1]),
                None => match other {
                    Some((name, value)) if name == axis.name => format!("\"{value}\""),
                    _ => axis.default(),
                },
            };
            assert_eq!((axis.show)(&preset.policy), expected, "{} of {}", axis.name, preset.name);
        }
    }
    assert_eq!(preset("stack-with-timeout").and_then(|preset| preset.policy.timeout), Some(Span::seconds(600)));
}

#[test]
fn every_preset_says_what_it_does_and_where_it_comes_from() {
    for preset in presets() {
        assert!(preset.about.ends_with('.'), "{}", preset.name);
        assert!(!preset.source.is_empty(), "{}", preset.name);
    }
}

#[test]
fn a_policy_printed_as_toml_reads_back() {
    for preset in presets() {
        // Under another name, so that nothing comes from the preset's own.
        for name in [preset.name.clone(), format!("my-{}", preset.name)] {
            let named = NamedPolicy { name, policy: preset.policy.clone() };
            let text = format!("{MINIMAL}{}", policy_as_toml(&named));
            assert_eq!(Scenario::parse("round.toml", &text).unwrap().policies, [named]);
        }
    }
}

const MINIMAL: &str = r#"
about = "The least that is a scenario."
horizon = "1h"

[[oracle]]
name = "image"
asks = ["workload.source"]

"#;

/// Any policy that the axes can say, whether or not it can be.
fn any_policy() -> impl Strategy<Value = Policy> {
    let named: Vec<_> = AXES.iter().map(|axis| (axis.values)()).collect();
    let line = |(axis, values): (&PolicyAxis, Values)| -> BoxedStrategy<String> {
        let name = axis.name;
        match values {
            Values::Named(names) => {
                let names: Vec<_> = names.into_iter().map(|(value, _)| format!("{name} = \"{value}\"\n")).collect();
                select(names).boxed()
            }
            Values::Flag => any::<bool>().prop_map(move |flag| format!("{name} = {flag}\n")).boxed(),
            Values::Duration => prop::option::of(1..=u64::MAX)
                .prop_map(move |span| match span {
                    Some(span) => format!("{name} = \"{}\"\n", Span(span)),
                    None => format!("{name} = \"none\"\n"),
                })
                .boxed(),
        }
    };
    let lines: Vec<_> = AXES.iter().zip(named).map(line).collect();
    lines.prop_filter_map("a policy that cannot be", |lines| {
        let text = format!("[[policy]]\nname = \"any\"\n{}", lines.concat());
        read_presets(&text).ok().map(|mut presets| presets.remove(0).policy)
    })
}

proptest! {
    #[test]
    fn any_policy_printed_as_toml_reads_back(policy in any_policy()) {
        let named = NamedPolicy { name: "any".into(), policy };
        let text = format!("{MINIMAL}{}", policy_as_toml(&named));
        prop_assert_eq!(Scenario::parse("round.toml", &text).unwrap().policies, [named]);
    }
}
