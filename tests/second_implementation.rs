//! Two implementations of `docs/model.md` give the same traces and the same measures.

mod reference;

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError};
use rehearsal::model::policy::Policy;
use rehearsal::model::setting::{Oracle, Setting, Source, Update, When};
use rehearsal::model::{FieldId, Length, Plan, SECOND, Span, Time};
use rehearsal::simulate::{Limits, Simulator};

/// What both say of a scenario, if it ends.
struct Both {
    ours: reference::Run,
    theirs: reference::Run,
}

fn both(setting: &Setting, policy: &Policy) -> Option<Both> {
    let start = std::time::Instant::now();
    let ours = reference::run(setting, policy);
    if start.elapsed().as_millis() > 500 {
        eprintln!("SLOW {:?} {}", start.elapsed(), ours.is_some());
        eprintln!("{:?}", reference::scenarios::Scenario { setting: setting.clone(), policy: policy.clone() });
    }
    let ours = ours?;
    let plan = Plan::new(setting.clone(), policy.clone());
    let mut observed = reference::Observed::new(setting);
    let measures = Simulator::new(&plan, Limits { max_events: 2_000_000 }).run(1, &mut observed).ok()?;
    Some(Both { ours, theirs: reference::Run { lines: observed.lines, measures } })
}

/// The first difference, with what went before.
fn difference(both: &Both) -> Option<String> {
    let (ours, theirs) = (&both.ours.lines, &both.theirs.lines);
    let first = (0..ours.len().max(theirs.len())).find(|&at| ours.get(at) != theirs.get(at));
    if let Some(first) = first {
        let before = ours[first.saturating_sub(60)..first].join("\n");
        let next = |lines: &[String]| lines[first.min(lines.len())..(first + 8).min(lines.len())].join("\n");
        return Some(format!(
            "{before}\n--- the reference goes on\n{}\n--- the simulator goes on\n{}",
            next(ours),
            next(theirs)
        ));
    }
    let (ours, theirs) = (both.ours.measures, both.theirs.measures);
    (ours != theirs).then(|| {
        let (a, b) = (format!("{ours:?}"), format!("{theirs:?}"));
        let lines = a
            .split(", ")
            .zip(b.split(", "))
            .filter(|(a, b)| a != b)
            .map(|(a, b)| format!("reference {a} simulator {b}\n"));
        format!("{}\nmeasures: {}", both.ours.lines.join("\n"), lines.collect::<String>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000),
        rng_seed: RngSeed::Fixed(std::env::var("SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]
    #[test]
    fn two_implementations_tell_the_same(scenario in reference::scenarios::scenario()) {
        if let Some(both) = both(&scenario.setting, &scenario.policy) {
            if let Some(difference) = difference(&both) {
                return Err(TestCaseError::fail(difference));
            }
        }
    }
}

fn seconds(n: u64) -> Time {
    Time(n * SECOND)
}

fn update(at: u64) -> Update {
    Update { when: When::At(seconds(at)), set: vec![FieldId(0)], bad_for: Vec::new(), hangs_for: Vec::new() }
}

#[test]
fn the_reference_tells_one_update_through_one_oracle_as_derived_by_hand() {
    let mut image = Oracle::new("image", vec![Source::Field(FieldId(0))]);
    image.notice = Length::Fixed(Span::seconds(1));
    image.work = Length::Fixed(Span::seconds(5));
    let mut setting = Setting::new(seconds(20), vec!["source".into()], vec![image]);
    setting.updates.push(update(2));
    let run = reference::run(&setting, &Policy::default()).expect("it ends");
    let expected = "\
2s updated u1 (item 0) source=1 valid
2s pass-began
2s wrote image#main g1 [source=1] created
2s showed image#main g1 o0 Unknown nothing
2s pass-began
3s noticed image#main g1
3s began image#main g1 attempt 1 w1
3s showed image#main g1 o1 Unknown nothing
3s pass-began
8s finished image#main g1 attempt 1 well
8s made image#main m1 image#1
8s answered image#main m1
8s showed image#main g1 o1 True m1
8s pass-began
8s took image#main m1 claim g1 true";
    assert_eq!(run.lines.join("\n"), expected);
    assert_eq!(run.measures.starvation, Span::seconds(6));
}
