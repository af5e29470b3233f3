//! Laws of the exhaustive checker: what it merges no rule can tell apart, and what the simulator does it can do.

mod random;

use std::collections::BTreeSet;

use random::{Allow, EVERYTHING, Random};
use rehearsal::explore::{Bounds, Limits as Most, Options, Property, Report, Step, Updates, Verdict, Walk, check};
use rehearsal::measure::Observer;
use rehearsal::model::setting::When;
use rehearsal::model::{Axis, Event, Fact, Merging, Plan, Time};
use rehearsal::simulate::{Limits, Simulator};

const AS_OFTEN_AS_THEY_COME: Updates = Updates::Bounded { streamed: u8::MAX, in_all: u8::MAX };

fn random_plan(seed: u64, allow: Allow) -> Plan {
    let mut random = Random::new(seed);
    let setting = random.setting(allow);
    Plan::new(setting, random.policy())
}

/// The events of a run and how the draws in each fell.
#[derive(Default)]
struct Record(Vec<(Event, Vec<bool>)>);

impl Observer for Record {
    fn hear(&mut self, _: Time, _: &Fact<'_>) {}

    fn happens(&mut self, event: Event) {
        self.0.push((event, Vec::new()));
    }

    fn falls(&mut self, so: bool) {
        if let Some((_, draws)) = self.0.last_mut() {
            draws.push(so);
        }
    }
}

/// Which properties are refuted by what is heard.
#[derive(Default, Debug, PartialEq, Eq)]
struct Refuted(BTreeSet<Property>);

impl Observer for Refuted {
    fn hear(&mut self, _: Time, fact: &Fact<'_>) {
        self.0.extend(Property::ALL.iter().filter(|property| property.refuted_by(fact)));
    }
}

/// Many random scenarios; `CASES` and `SEED` ask for more and others.
fn cases(usual: u64) -> impl Iterator<Item = u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first = number("SEED").unwrap_or(1) * 1_000_000 + number("SKIP").unwrap_or(0);
    first..first + number("CASES").unwrap_or(usual)
}

#[test]
fn every_simulated_run_is_a_path_and_renaming_changes_nothing_on_it() {
    for case in cases(800) {
        let plan = random_plan(case, EVERYTHING);
        let mut record = Record::default();
        let limits = Limits { max_events: 200_000 };
        let Ok(measures) = Simulator::new(&plan, limits).run(case, &mut record) else { continue };
        let mut walk = Walk::new(&plan, Bounds::new(plan.setting(), AS_OFTEN_AS_THEY_COME).told_apart());
        let mut renamed = walk.renamed();
        let (mut claims_falsely, mut befell) = (false, 0_u32);
        // Where attempts are counted by contents, these must not be renamed. The checker calls the version of a field by
        // its update, the same only if every update sets it, and what is made differently each time by what it is.
        let setting = plan.setting();
        let counts = setting.oracles.iter().any(|oracle| oracle.fails_first > 0);
        let reproducible = setting.oracles.iter().all(|oracle| oracle.reproducible);
        if counts && (setting.fields.len() > 1 || !reproducible) {
            continue;
        }
        for (at, (event, draws)) in record.0.into_iter().take(2_000).enumerate() {
            let place = || format!("case {case}, step {at}: {event:?} {draws:?}");
            let step = Step::Event(event, draws.clone());
            if event == Event::Wake && !walk.may(&step) {
                // It was one with an earlier one.
                assert!(walk.wakes_to_nothing(), "{}", place());
                continue;
            }
            if walk.is_over(event) {
                continue;
            }
            befell += u32::from(matches!(event, Event::Update(_) | Event::WorldChange(_)));
            let flaps_in_a_crowd = matches!(event, Event::Flap(_)) && walk.is_crowded();
            // Here the run leaves the bounds of the checker.
            if befell == u32::from(u8::MAX) || flaps_in_a_crowd {
                break;
            }
            assert!(walk.may(&step), "{}", place());
            assert!(renamed.may(&step), "{}", place());
            let (mut one, mut other) = (Refuted::default(), Refuted::default());
            walk.take(&step, &mut one);
            renamed.take(&step, &mut other);
            assert_eq!(one, other, "{}", place());
            claims_falsely |= one.0.contains(&Property::Traceable);
            assert_eq!(walk.to_bytes(), renamed.to_bytes(), "{}", place());
            assert_eq!((walk.wanted(), walk.hides()), (renamed.wanted(), renamed.hides()), "{}", place());
            renamed = renamed.renamed();
            assert_eq!(walk.to_bytes(), renamed.to_bytes(), "renamed twice, {}", place());
        }
        assert!(!claims_falsely || measures.misattributed > 0, "case {case}");
    }
}

/// A plan small enough to be seen whole: hardly any oracles, a few things that befall it.
fn small_plan(seed: u64) -> Plan {
    let mut random = Random::new(seed);
    let allow = Allow { only_well_behaved: random.coin(3), forging: true };
    let mut setting = random.setting(allow);
    setting.oracles.truncate(1 + random.below(2) as usize);
    let oracles = setting.oracles.len();
    let here = |r: rehearsal::model::OracleId| r.index() < oracles;
    setting.updates.truncate(2);
    for update in &mut setting.updates {
        update.bad_for.retain(|&(r, _)| here(r));
        update.hangs_for.retain(|&r| here(r));
        update.when = When::At(Time::ZERO);
    }
    setting.worlds.retain(|world| here(world.oracle));
    setting.worlds.truncate(1);
    setting.worlds.iter_mut().for_each(|world| world.when = When::At(Time::ZERO));
    setting.outages.retain(|outage| here(outage.oracle));
    setting.outages.truncate(random.below(2) as usize);
    setting.tampers.retain(|tamper| here(tamper.oracle));
    setting.tampers.truncate(1);
    setting.forges.retain(|forge| here(forge.oracle));
    setting.forges.truncate(random.below(2) as usize);
    setting.restarts.truncate(random.below(2) as usize);
    Plan::new(setting, random.policy())
}

/// All but progress, whose graph is another.
fn bounded() -> Vec<Property> {
    Property::ALL.iter().copied().filter(|&property| property != Property::Progress).collect()
}

fn decide(plan: &Plan, options: Options) -> Report {
    check(plan, &options, &mut |_| true)
}

fn most(max_states: u64) -> Most {
    Most { max_states, ..Most::default() }
}

/// What of a verdict must not depend on how it was found.
fn gist(report: &Report) -> Option<Vec<(Property, Option<usize>)>> {
    let gist = |(property, verdict): &(Property, Verdict)| match verdict {
        Verdict::Proved => Some((*property, None)),
        // A wake-up that finds nothing is a step only if nothing is left out.
        Verdict::Refuted(_) if *property == Property::NoHiddenSuccess => Some((*property, Some(0))),
        Verdict::Refuted(refutation) => {
            // How it goes on where the world was put right is one way of many.
            let put_right = |step: &Step| !matches!(step, Step::Event(..));
            let length = refutation.steps.iter().position(put_right).unwrap_or(refutation.steps.len());
            Some((*property, Some(length)))
        }
        Verdict::Undecided(_) => None,
    };
    report.decided.iter().map(gist).collect()
}

#[test]
fn verdicts_are_the_same_merged_or_not_reduced_or_not_and_with_any_number_of_threads() {
    let mut compared = 0;
    for case in cases(150) {
        let plan = small_plan(case);
        let options = || Options { properties: bounded(), limits: most(20_000), jobs: 1, ..Options::default() };
        let Some(usual) = gist(&decide(&plan, options())) else { continue };
        let others = [
            ("not merged", Options { merging: Merging::Off, ..options() }),
            ("not reduced", Options { reduction: false, ..options() }),
            ("neither", Options { merging: Merging::Off, reduction: false, ..options() }),
        ];
        for (how, options) in others {
            if let Some(other) = gist(&decide(&plan, options)) {
                compared += 1;
                assert_eq!(usual, other, "case {case}, {how}");
            }
        }
        assert_eq!(decide(&plan, options()), decide(&plan, Options { jobs: 3, ..options() }), "case {case}");
    }
    assert!(compared > 100, "only {compared} could be compared");
}

#[test]
fn progress_is_the_same_reduced_or_not() {
    let mut compared = 0;
    for case in cases(150) {
        let plan = small_plan(case);
        let options = |reduction| Options {
            properties: vec![Property::Progress],
            limits: most(20_000),
            versions: 4,
            reduction,
            ..Options::default()
        };
        let word = |report: &Report| match report.decided[0].1 {
            Verdict::Proved => Some(true),
            Verdict::Refuted(_) => Some(false),
            Verdict::Undecided(_) => None,
        };
        let (with, without) = (word(&decide(&plan, options(true))), word(&decide(&plan, options(false))));
        if with.is_some() && without.is_some() {
            compared += 1;
            assert_eq!(with, without, "case {case}");
        }
    }
    assert!(compared > 50, "only {compared} could be compared");
}

/// Every way to go from here, that many steps far, without a memory of what was seen: the fewest steps after which each
/// property of facts, or of rest, is refuted.
fn enumerate(walk: &Walk<'_>, steps: usize, most: usize, fewest: &mut [Option<usize>]) {
    let note = |fewest: &mut [Option<usize>], property: Property, steps: usize| {
        let known = &mut fewest[property as usize];
        *known = Some(known.map_or(steps, |known| known.min(steps)));
    };
    if walk.hides().is_some() {
        note(fewest, Property::NoHiddenSuccess, steps);
    }
    if steps == most {
        return;
    }
    for step in walk.steps() {
        let mut next = walk.clone();
        let mut refuted = Refuted::default();
        next.take(&step, &mut refuted);
        refuted.0.into_iter().for_each(|property| note(fewest, property, steps + 1));
        enumerate(&next, steps + 1, most, fewest);
    }
}

#[test]
fn trying_every_order_without_a_memory_gives_the_same_verdicts() {
    const STEPS: usize = 6;
    const OF_RUNS: [Property; 5] =
        [Property::Traceable, Property::Covered, Property::Untampered, Property::NoHiddenSuccess, Property::InStep];
    let mut refuted = 0;
    for case in cases(150) {
        let plan = small_plan(case);
        let walk = Walk::new(&plan, Bounds::new(plan.setting(), AS_OFTEN_AS_THEY_COME));
        let mut fewest = [None; 8];
        enumerate(&walk, 0, STEPS, &mut fewest);
        let options = Options { properties: OF_RUNS.to_vec(), limits: most(50_000), jobs: 1, ..Options::default() };
        for (property, verdict) in decide(&plan, options).decided {
            let found = match verdict {
                Verdict::Refuted(refutation) => Some(refutation.steps.len()).filter(|&steps| steps <= STEPS),
                Verdict::Proved | Verdict::Undecided(_) => None,
            };
            refuted += u32::from(found.is_some());
            assert_eq!(found, fewest[property as usize], "case {case}: {}", property.name());
        }
    }
    assert!(refuted > 30, "only {refuted} were refuted");
}

#[test]
fn a_counterexample_can_be_played_and_refutes_in_its_last_step() {
    let mut played = 0;
    for case in cases(400) {
        let plan = small_plan(case);
        let options = Options { limits: most(5_000), versions: 4, jobs: 1, ..Options::default() };
        for (property, verdict) in decide(&plan, options).decided {
            let Verdict::Refuted(refutation) = verdict else { continue };
            let updates = match property {
                Property::Progress => Updates::Endless { versions: 4 },
                _ => AS_OFTEN_AS_THEY_COME,
            };
            let mut walk = Walk::new(&plan, Bounds::new(plan.setting(), updates));
            let mut last = Refuted::default();
            for (at, step) in refutation.steps.iter().enumerate() {
                let place = || format!("case {case}, {}: step {at} of {:#?}", property.name(), refutation.steps);
                // A wake-up that finds nothing is no step of a counterexample, unless it refutes; it goes before anything else
                // comes.
                let wake = Step::Event(Event::Wake, Vec::new());
                while *step != wake && walk.may(&wake) && walk.wakes_to_nothing() {
                    walk.take(&wake, &mut Refuted::default());
                }
                assert!(walk.may(step), "{}", place());
                assert!(!last.0.contains(&property), "refuted before the last: {}", place());
                last = Refuted::default();
                walk.take(step, &mut last);
            }
            played += 1;
            match property {
                Property::NoHiddenSuccess => assert!(walk.hides().is_some(), "case {case}"),
                Property::Live | Property::Eventual => assert!(walk.wanted(), "case {case}"),
                Property::Progress => assert!(refutation.cycle_from.is_some_and(|from| from < refutation.steps.len())),
                _ => assert!(last.0.contains(&property), "case {case}: {}", property.name()),
            }
        }
    }
    assert!(played > 200, "only {played} were played");
}

#[test]
fn what_a_run_refutes_the_checker_refutes() {
    let mut refuted = 0;
    for case in cases(400) {
        let plan = small_plan(case);
        let misattributes = (0..10).any(|seed| {
            let measures = Simulator::new(&plan, Limits { max_events: 20_000 }).run(seed, &mut ());
            measures.is_ok_and(|measures| measures.misattributed > 0)
        });
        if misattributes {
            let properties = vec![Property::Traceable];
            let options = Options { properties, limits: most(200_000), ..Options::default() };
            let verdict = &decide(&plan, options).decided[0].1;
            assert!(!matches!(verdict, Verdict::Proved), "case {case}");
            refuted += u32::from(matches!(verdict, Verdict::Refuted(_)));
        }
    }
    assert!(refuted > 10, "only {refuted} made a false claim");
}
