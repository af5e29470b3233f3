//! Two implementations of `docs/model.md` give the same traces and the same measures.

mod reference;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use rehearsal::measure::Outcome;
use rehearsal::model::policy::{OnFailure, Policy};
use rehearsal::model::setting::{OnNewQuestion, Oracle, Outage, Setting, Source, Tamper, Update, When};
use rehearsal::model::{FieldId, Length, OracleId, Plan, Probability, SECOND, Span, Time};
use rehearsal::simulate::{Limits, Simulator};

/// What both say of a scenario, if it ends.
struct Both {
    ours: reference::Run,
    theirs: reference::Run,
}

fn both(setting: &Setting, policy: &Policy) -> Option<Both> {
    let ours = reference::run(setting, policy)?;
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

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: number_from("CASES").unwrap_or(1_000) as u32,
        rng_seed: RngSeed::Fixed(number_from("SEED").unwrap_or(1)),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    })]

    /// `SEED=7 CASES=20000` looks further.
    #[test]
    fn two_implementations_tell_the_same(scenario in reference::scenarios::scenario()) {
        let both = both(&scenario.setting, &scenario.policy);
        if let Some(difference) = both.as_ref().and_then(difference) {
            return Err(TestCaseError::fail(difference));
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

/// What is compared is worth comparing: everything that can come to pass does.
#[test]
fn the_random_scenarios_leave_nothing_out() {
    let mut runner = TestRunner::deterministic();
    let mut kinds = BTreeSet::new();
    for _ in 0..600 {
        let scenario = reference::scenarios::scenario().new_tree(&mut runner).expect("a scenario").current();
        let Some(run) = reference::run(&scenario.setting, &scenario.policy) else { continue };
        kinds.insert(format!("{:?}", run.measures.outcome));
        for line in run.lines {
            let words: Vec<&str> = line.split(' ').collect();
            let ends = ["wrote", "took", "finished"].contains(&words[1]).then(|| words[words.len() - 1]);
            kinds.insert([words[1], ends.unwrap_or_default()].join(" ").trim().into());
        }
    }
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let all = "Deadlocked,Settled,Stuck,Waiting,answered,began,discarded,dropped,finished badly,finished well,flapped,\
        forged,held,made,noticed,outage-began,outage-ended,pass-began,removed,restarted,reused,showed,skipped,took claim,\
        took false,took true,updated,world-changed,wrote asked,wrote created,wrote put-back,wrote reverted,\
        wrote rolled-back,wrote shadowed,wrote tampered";
    assert_eq!(kinds.join(","), all);
}

#[test]
fn the_reference_drops_work_for_a_newer_question_as_derived_by_hand() {
    let mut image = Oracle::new("image", vec![Source::Field(FieldId(0))]);
    image.work = Length::Fixed(Span::seconds(5));
    image.on_new_question = OnNewQuestion::Restart;
    let mut setting = Setting::new(seconds(20), vec!["source".into()], vec![image]);
    setting.updates = vec![update(0), update(2)];
    let run = reference::run(&setting, &Policy::default()).expect("it ends");
    let expected = "\
0s updated u1 (item 0) source=1 valid
0s pass-began
0s wrote image#main g1 [source=1] created
0s showed image#main g1 o0 Unknown nothing
0s noticed image#main g1
0s began image#main g1 attempt 1 w1
0s showed image#main g1 o1 Unknown nothing
0s pass-began
2s updated u2 (item 1) source=2 valid
2s pass-began
2s held image [source=2] of 1
2s wrote image#main g2 [source=2] asked
2s showed image#main g2 o1 Unknown nothing
2s noticed image#main g2
2s dropped image#main g1
2s began image#main g2 attempt 1 w1
2s showed image#main g2 o2 Unknown nothing
2s pass-began
7s finished image#main g2 attempt 1 well
7s made image#main m1 image#1
7s answered image#main m1
7s showed image#main g2 o2 True m1
7s pass-began
7s took image#main m1 claim g2 true";
    assert_eq!(run.lines.join("\n"), expected);
    let m = run.measures;
    assert_eq!((m.work, m.wasted), (Span::seconds(7), Span::seconds(2)));
    assert_eq!((m.delivered, m.latency.map(|latency| latency.mean)), (2, Some(Span::seconds(6))));
    // Stale for seven seconds of twenty, at most by seven; of age five at the delivery, eighteen at the end.
    assert_eq!((m.staleness.mean, m.staleness.peak), (Span(1_225_000_000), Span::seconds(7)));
    assert_eq!(m.age.map(|age| (age.mean, age.peak)), Some((Span(11_500_000_000), Span::seconds(18))));
}

#[test]
fn the_reference_holds_up_a_finish_for_an_outage_as_derived_by_hand() {
    let mut image = Oracle::new("image", vec![Source::Field(FieldId(0))]);
    image.work = Length::Fixed(Span::seconds(3));
    let mut setting = Setting::new(seconds(20), vec!["source".into()], vec![image]);
    setting.updates = vec![update(0)];
    setting.outages = vec![Outage { oracle: OracleId(0), from: seconds(3), until: seconds(6) }];
    let run = reference::run(&setting, &Policy::default()).expect("it ends");
    let expected = "\
3s outage-began image
6s outage-ended image
6s finished image#main g1 attempt 1 well
6s made image#main m1 image#1
6s answered image#main m1
6s showed image#main g1 o1 True m1
6s pass-began
6s took image#main m1 claim g1 true";
    assert_eq!(run.lines[8..].join("\n"), expected);
    assert_eq!((run.measures.work, run.measures.outcome), (Span::seconds(6), Outcome::Settled));
}

/// §2: with `reproducible = false` every success gives new content. The random scenarios leave these two cases out.
fn every_success_gives_new_content(setting: &Setting, policy: &Policy) {
    let both = both(setting, policy).expect("it ends");
    assert_eq!(difference(&both), None);
}

#[test]
fn a_shadow_s_success_gives_new_content() {
    let mut image = Oracle::new("image", vec![Source::Field(FieldId(0))]);
    image.work = Length::Fixed(Span::seconds(1));
    image.reproducible = false;
    let mut setting = Setting::new(seconds(20), vec!["source".into()], vec![image]);
    let bad = Update { bad_for: vec![(OracleId(0), Probability::ALWAYS)], ..update(5) };
    setting.updates = vec![update(0), bad];
    every_success_gives_new_content(&setting, &Policy { on_failure: OnFailure::Shadow, ..Policy::default() });
}

#[test]
fn a_success_without_a_controller_gives_new_content() {
    let mut settings = Oracle::new("settings", vec![Source::Field(FieldId(0))]);
    settings.reproducible = false;
    settings.reconciles = false;
    let mut setting = Setting::new(seconds(20), vec!["source".into()], vec![settings]);
    setting.updates = vec![update(0)];
    setting.tampers = vec![Tamper { oracle: OracleId(0), input: 0, at: seconds(1), until: None }];
    every_success_gives_new_content(&setting, &Policy::default());
}
