//! The example of the guide reads as exactly what it says.

use rehearsal::catalogue::preset;
use rehearsal::measure::{Measure, Outcome, Reading};
use rehearsal::model::policy::Policy;
use rehearsal::model::setting::{
    Choreographer, FlapTo, Flaps, Forge, Outage, Probability, ReadsFrom, Restart, Retry, Source, Tamper, Update, When,
    WorldChange,
};
use rehearsal::model::{FieldId, Length, Oracle, OracleId, SECOND, Setting, Span, Time};
use rehearsal::scenario::{Bound, Claimed, Expectation, NamedPolicy, Scenario};

const EXAMPLE: &str = include_str!("right/example.toml");

const SOURCE: OracleId = OracleId(0);
const IMAGE: OracleId = OracleId(1);
const DEPLOY: OracleId = OracleId(2);

fn at(seconds: u64) -> Time {
    Time(seconds * SECOND)
}

fn fixed(seconds: u64) -> Length {
    Length::Fixed(Span::seconds(seconds))
}

fn probability(p: f64) -> Probability {
    Probability::new(p).unwrap()
}

fn setting() -> Setting {
    let source = Oracle {
        notice: Length::Fixed(Span(200_000_000)),
        work: fixed(2),
        ..Oracle::new("source", vec![Source::Field(FieldId(0))])
    };
    let image = Oracle {
        work: Length::LogNormal { median: Span::seconds(180), p95: Span::seconds(540) },
        fails: probability(0.05),
        retry: Some(Retry { backoff: fixed(30), factor: 2.0, max: Some(Span::seconds(600)), attempts: Some(5) }),
        hangs: probability(0.01),
        flaps: Some(Flaps { up: fixed(600), down: fixed(60), to: FlapTo::Unknown }),
        ..Oracle::new("image", vec![Source::Oracle(SOURCE), Source::Field(FieldId(1))])
    };
    let deploy = Oracle { work: fixed(20), ..Oracle::new("deploy", vec![Source::Oracle(IMAGE)]) };
    let once = Update {
        when: When::At(Time::ZERO),
        set: vec![FieldId(0), FieldId(1)],
        bad_for: Vec::new(),
        hangs_for: Vec::new(),
    };
    let stream = Update {
        when: When::Stream {
            from: at(60),
            until: at(3600),
            every: Length::Exponential(Span::seconds(90)),
            count: None,
        },
        set: vec![FieldId(0)],
        bad_for: vec![(IMAGE, probability(0.1))],
        hangs_for: Vec::new(),
    };
    Setting {
        choreographer: Choreographer {
            watch: Length::Fixed(Span(100_000_000)),
            visit: Length::ZERO,
            reads_from: ReadsFrom::Write,
            cache_lag: Length::ZERO,
            resync: Some(fixed(36_000)),
        },
        updates: vec![once, stream],
        worlds: vec![WorldChange { oracle: IMAGE, when: When::At(at(2400)), bad: false }],
        outages: vec![Outage { oracle: IMAGE, from: at(3000), until: at(3300) }],
        tampers: vec![Tamper { oracle: IMAGE, input: 0, at: at(1200), until: Some(at(1205)) }],
        forges: vec![Forge { oracle: IMAGE, at: at(1500) }],
        restarts: vec![Restart { at: at(1800) }],
        ..Setting::new(at(10_800), vec!["source".into(), "env".into()], vec![source, image, deploy])
    }
}

#[test]
fn the_example_reads_as_what_it_says() {
    let scenario = Scenario::parse("scenarios/rfc-0020/fast-commits.toml", EXAMPLE).unwrap();
    assert_eq!(scenario.name, "fast-commits");
    assert_eq!(scenario.about, "Commits come faster than the builder builds.");
    assert_eq!(scenario.source.as_deref(), Some("RFC 20, Avoid starvation during fast commits"));
    assert_eq!(scenario.setting, setting());
    assert_eq!(scenario.setting.oracles[DEPLOY.index()].name, "deploy");

    let rfc_20 = preset("read-after-success").unwrap().policy.clone();
    let patient = Policy { timeout: Some(Span::seconds(900)), ..preset("update-at-rest").unwrap().policy.clone() };
    let expected = [
        NamedPolicy { name: "read-after-success".into(), policy: rfc_20 },
        NamedPolicy { name: "patient".into(), policy: patient },
    ];
    assert_eq!(scenario.policies, expected);

    let measure = |name| Measure::named(name).unwrap();
    let measured = Expectation {
        policies: vec![0],
        claims: vec![
            Claimed::Outcome(vec![Outcome::Settled]),
            Claimed::Measure(measure("misattributed"), vec![Bound::Is(Reading::Count(0))]),
            Claimed::Measure(measure("starvation"), vec![Bound::Above(Reading::Span(Span::seconds(3000)))]),
            Claimed::Measure(measure("latency.p95"), vec![Bound::Below(Reading::Span(Span::seconds(3600)))]),
        ],
        line: line("[[expect]]", 0),
    };
    let proven = Expectation {
        policies: vec![0],
        claims: vec![Claimed::Property { property: rehearsal::explore::Property::Progress, holds: false }],
        line: line("[[expect]]", 1),
    };
    assert_eq!(scenario.expectations, [measured, proven]);
}

/// The number of the line that begins so, counting those that do.
fn line(beginning: &str, which: usize) -> usize {
    let lines = EXAMPLE.lines().enumerate().filter(|(_, line)| line.starts_with(beginning));
    lines.map(|(index, _)| index + 1).nth(which).unwrap()
}

#[test]
fn without_a_policy_all_presets_are_tried() {
    let text = "about = \"x\"\nhorizon = \"1h\"\n[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]\n";
    let scenario = Scenario::parse("least.toml", text).unwrap();
    assert_eq!(scenario.policies.len(), 18);
    assert_eq!(scenario.policies[0].policy, Policy::default());
    assert_eq!(scenario.setting.oracles, [Oracle::new("image", vec![Source::Field(FieldId(0))])]);
}

#[test]
fn every_way_to_say_a_thing_is_read() {
    let scenario = Scenario::parse("ways.toml", include_str!("right/ways.toml")).unwrap();
    let setting = &scenario.setting;
    let image = &setting.oracles[0];
    assert_eq!(image.notice, Length::Uniform(Span::ZERO, Span::seconds(2)));
    assert_eq!(image.work, Length::Gamma { mean: Span::seconds(180), sd: Span::seconds(60) });
    assert_eq!(image.gap, Length::Empirical(vec![Span::seconds(1), Span(1_500_000_000)]));
    assert_eq!((image.fails_first, image.workers), (3, Some(2)));
    assert_eq!(setting.updates[0].bad_for, [(OracleId(0), Probability::ALWAYS)]);
    assert_eq!(setting.updates[0].hangs_for, [OracleId(0)]);
    let stream = |from, until, seconds, count| When::Stream { from, until, every: fixed(seconds), count };
    assert_eq!(setting.updates[1].when, stream(Time::ZERO, at(3600), 60, Some(20)));
    assert_eq!(setting.worlds[0].when, stream(at(600), at(3600), 300, None));
    assert_eq!(setting.choreographer.reads_from, ReadsFrom::Cache);
    assert_eq!(setting.choreographer.cache_lag, fixed(2));
    assert!(!setting.oracles[1].reconciles);

    let [first, second, third] = &scenario.policies[..] else { panic!("{:?}", scenario.policies) };
    assert_eq!(first.policy, Policy { reverts: false, ..Policy::default() });
    assert_eq!(second.policy, Policy { grace: Some(Span::seconds(5)), ..first.policy.clone() });
    assert_eq!(third.policy, Policy { timeout: None, ..preset("stack-with-timeout").unwrap().policy.clone() });

    let claims = &scenario.expectations[0].claims;
    assert_eq!(scenario.expectations[0].policies, [0, 1, 2]);
    assert_eq!(claims[0], Claimed::Outcome(vec![Outcome::Stuck, Outcome::Deadlocked]));
    let measure = |name| Measure::named(name).unwrap();
    assert_eq!(claims[1], Claimed::Measure(measure("latency.min"), vec![Bound::Absent]));
    assert_eq!(claims[2], Claimed::Measure(measure("age.peak"), vec![Bound::Absent]));
    let hour = Reading::Span(Span::seconds(3600));
    let zero = Reading::Span(Span::ZERO);
    assert_eq!(claims[3], Claimed::Measure(measure("staleness.max"), vec![Bound::Above(zero), Bound::AtMost(hour)]));
    assert_eq!(claims[4], Claimed::Measure(measure("coverage"), vec![Bound::AtLeast(Reading::Share(0.5))]));
    assert_eq!(claims[5], Claimed::Measure(measure("tampered.taken"), vec![Bound::Is(Reading::Count(0))]));
}
