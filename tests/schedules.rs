//! Schedules: what is saved is read again, and what is wrong is told.

mod random;

use random::{EVERYTHING, Random};
use rehearsal::explore::{Bounds, Property, Refutation, Step, Updates, Walk};
use rehearsal::model::{Axis, Plan};
use rehearsal::scenario::Scenario;
use rehearsal::schedule::Schedule;

/// A way through a random plan, whichever of its steps come.
fn way(plan: &Plan, random: &mut Random) -> Vec<Step> {
    let mut walk = Walk::new(plan, Bounds::new(plan.setting(), Updates::Bounded { streamed: 3, in_all: 100 }));
    let mut steps = Vec::new();
    for _ in 0..40 {
        let mut possible = walk.steps();
        if possible.is_empty() {
            break;
        }
        let step = possible.swap_remove(random.below(possible.len() as u64) as usize);
        walk.take(&step, &mut ());
        steps.push(step);
    }
    if random.coin(3) {
        steps.push(if random.coin(2) { Step::PutRight } else { Step::PutRightAndUpdate });
    }
    steps
}

#[test]
fn what_is_saved_is_read_again() {
    let mut kinds = std::collections::BTreeSet::new();
    for case in 0..100 {
        let mut random = Random::new(case);
        let plan = Plan::new(random.setting(EVERYTHING), random.policy());
        let steps = way(&plan, &mut random);
        let cycle_from = (!steps.is_empty() && random.coin(4)).then(|| random.below(steps.len() as u64) as usize);
        let schedule = Schedule {
            policy: "a \"policy\" \\ of any name".to_owned(),
            property: Property::ALL.get(case as usize % 9).copied(),
            refutation: Refutation { steps, cycle_from },
        };
        let text = schedule.to_toml("any.toml", plan.setting());
        let read = Schedule::parse("saved.toml", &text, plan.setting()).unwrap_or_else(|failure| panic!("{failure}"));
        // A step names the object that lives then, whichever it is: its life is not written down.
        assert_eq!(read.to_toml("any.toml", plan.setting()), text, "case {case}");
        assert_eq!(read.refutation.steps.len(), schedule.refutation.steps.len(), "case {case}");
        kinds.extend(text.lines().filter(|line| line.starts_with("do = ")).map(str::to_owned));
    }
    assert!(kinds.len() > 15, "only steps of {kinds:?}");
}

const SCENARIO: &str = "\
about = \"Two updates.\"\nhorizon = \"1h\"
[[update]]\nat = \"1m\"\nset = [\"source\"]
[[update]]\nat = \"2m\"\nset = [\"source\"]
[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]
[[tamper]]\nat = \"3m\"\noracle = \"image\"\ninput = \"workload.source\"
";

#[test]
fn what_is_wrong_is_told() {
    let wrong = [
        ("no-policy", "property = \"traceable\"\n"),
        ("unknown-key", "policy = \"read-always\"\npolicys = 1\n"),
        ("unknown-property", "policy = \"read-always\"\nproperty = \"tracable\"\n"),
        ("unknown-step", "policy = \"read-always\"\n[[step]]\ndo = \"wakes\"\n"),
        ("no-step", "policy = \"read-always\"\n[[step]]\nitem = 1\n"),
        ("no-such-item", "policy = \"read-always\"\n[[step]]\ndo = \"update\"\nitem = 3\n"),
        ("no-such-outage", "policy = \"read-always\"\n[[step]]\ndo = \"outage-begins\"\nitem = 1\n"),
        ("item-zero", "policy = \"read-always\"\n[[step]]\ndo = \"update\"\nitem = 0\n"),
        ("no-item", "policy = \"read-always\"\n[[step]]\ndo = \"update\"\n"),
        ("no-such-oracle", "policy = \"read-always\"\n[[step]]\ndo = \"notice\"\noracle = \"imgae\"\n"),
        ("no-such-object", "policy = \"read-always\"\n[[step]]\ndo = \"notice\"\nobject = 0\n"),
        ("never-put-back", "policy = \"read-always\"\n[[step]]\ndo = \"put-back\"\nitem = 1\n"),
        ("draws-no-list", "policy = \"read-always\"\n[[step]]\ndo = \"wake\"\ndraws = true\n"),
        ("draws-numbers", "policy = \"read-always\"\n[[step]]\ndo = \"wake\"\ndraws = [1]\n"),
        ("repeats-from-nowhere", "policy = \"read-always\"\nrepeats_from = 2\n[[step]]\ndo = \"wake\"\n"),
        ("no-toml", "policy = \"read-always\n"),
    ];
    let setting = Scenario::parse("two.toml", SCENARIO).unwrap().setting;
    let told = wrong.map(|(name, text)| {
        let failure = Schedule::parse(&format!("{name}.toml"), text, &setting).expect_err(name);
        assert!(failure.position().is_some(), "{name} does not say where it is wrong");
        assert!(!failure.help().is_empty(), "{name} does not say what would be right");
        failure.render(false)
    });
    insta::assert_snapshot!("wrong-schedules", told.join("\n"));
}
