//! `--warm-up`: what is before is left out, and nothing else changes.

mod random;

use random::{EVERYTHING, Random};
use rehearsal::measure::{Delivery, Digest, Measures, Observer};
use rehearsal::model::setting::{OnNewQuestion, Source, Update, When};
use rehearsal::model::{Fact, FieldId, Length, Oracle, Plan, Policy, SECOND, Setting, Span, Time, UpdateNumber, Why};
use rehearsal::simulate::{Limits, Simulator};

const LIMITS: Limits = Limits { max_events: 2_000_000 };

fn measured_from(plan: &Plan, from: Time, seed: u64, observer: &mut impl Observer) -> Measures {
    Simulator::new(plan, LIMITS).measured_from(from).run(seed, observer).unwrap_or_else(|overrun| panic!("{overrun}"))
}

/// Counts what is measured from `from` on in the plainest way.
struct Counting {
    from: Time,
    delivery: Delivery,
    made: Vec<(UpdateNumber, Time)>,
    updates: u64,
    delivered: u64,
    latency: u128,
    writes: u64,
    passes: u64,
}

impl Observer for Counting {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        let counts = at >= self.from;
        match *fact {
            Fact::Updated { update, item, set, valid } => {
                self.made.push((update, at));
                self.updates += u64::from(counts);
                self.delivery.updated(at, update, item, set, valid);
            }
            Fact::Answered { named, answer } => {
                for pending in self.delivery.answered(named.oracle, &answer.lineage()) {
                    let &(_, made) = self.made.iter().find(|(update, _)| *update == pending.update).unwrap();
                    if made >= self.from {
                        self.delivered += 1;
                        self.latency += u128::from((at - made).0);
                    }
                }
            }
            Fact::PassBegan => self.passes += u64::from(counts),
            Fact::Wrote { why, .. } if !matches!(why, Why::Tampered | Why::PutBack) => {
                self.writes += u64::from(counts);
            }
            _ => {}
        }
    }
}

#[test]
fn what_is_before_is_left_out() {
    let mut delivered = 0;
    for scenario in 0..800 {
        let mut random = Random::new(scenario);
        let setting = random.setting(EVERYTHING);
        let plan = Plan::new(setting, random.policy());
        let horizon = plan.setting().horizon;
        let from = Time(horizon.0 / 3);

        let mut whole_digest = Digest::default();
        let whole = measured_from(&plan, Time::ZERO, 7, &mut whole_digest);
        let mut counting = (
            Counting {
                from,
                delivery: Delivery::new(&plan),
                made: Vec::new(),
                updates: 0,
                delivered: 0,
                latency: 0,
                writes: 0,
                passes: 0,
            },
            Digest::default(),
        );
        let part = measured_from(&plan, from, 7, &mut counting);
        let (counted, digest) = counting;

        assert_eq!(digest.hex(), whole_digest.hex(), "scenario {scenario}: the run is the same");
        assert_eq!((part.outcome, part.hidden), (whole.outcome, whole.hidden), "scenario {scenario}");
        assert_eq!(part.updates, counted.updates, "scenario {scenario}");
        assert_eq!(part.delivered, counted.delivered, "scenario {scenario}");
        assert_eq!(part.valid, part.delivered + part.censored, "scenario {scenario}");
        assert_eq!((part.writes, part.passes), (counted.writes, counted.passes), "scenario {scenario}");
        if let Some(latency) = part.latency {
            let n = u128::from(part.delivered);
            assert_eq!(u128::from(latency.mean.0), (2 * counted.latency + n) / (2 * n), "scenario {scenario}");
        }
        assert!(part.wasted <= part.work && part.work <= whole.work, "scenario {scenario}");
        assert!(part.claimed <= part.taken && part.taken <= whole.taken, "scenario {scenario}");
        assert!(part.starvation <= whole.starvation && part.exposure <= whole.exposure, "scenario {scenario}");
        assert!(part.staleness.peak <= whole.staleness.peak, "scenario {scenario}");
        // What is left of the whole run's staleness is its part before: no time is counted twice or lost.
        let (all, later) = (horizon.0 as f64, (horizon.0 - from.0) as f64);
        let integral = |measures: &Measures, length: f64| measures.staleness.mean.0 as f64 * length;
        assert!(integral(&part, later) <= integral(&whole, all) + all, "scenario {scenario}");
        delivered += part.delivered;
    }
    assert!(delivered > 1_000, "the scenarios do something: {delivered}");
}

/// A queue that begins empty is younger than the theory of one that has always been there; with a warm-up it is not.
#[test]
fn the_start_up_is_left_out() {
    let (lambda, mu) = (0.8, 1.0);
    let rho: f64 = lambda / mu;
    let known = (1.0 + 1.0 / rho + rho * rho / (1.0 - rho)) / mu;
    let length = |rate: f64| Length::Exponential(Span((SECOND as f64 / rate) as u64));
    let oracle = Oracle {
        on_new_question: OnNewQuestion::Queue,
        work: length(mu),
        ..Oracle::new("queue".to_owned(), vec![Source::Field(FieldId(0))])
    };
    let away = |horizon: Time, from: Time| {
        let mut setting = Setting::new(horizon, vec!["source".to_owned()], vec![oracle.clone()]);
        setting.updates.push(Update {
            when: When::Stream { from: Time::ZERO, until: horizon, every: length(lambda), count: None },
            set: vec![FieldId(0)],
            bad_for: Vec::new(),
            hangs_for: Vec::new(),
        });
        let plan = Plan::new(setting, Policy::default());
        let mut simulator = Simulator::new(&plan, LIMITS).measured_from(from);
        let ages: Vec<f64> = (1..=2_000)
            .map(|seed| simulator.run(seed, &mut ()).unwrap().age.map_or(known, |age| age.mean.as_seconds()))
            .collect();
        let n = ages.len() as f64;
        let mean = ages.iter().sum::<f64>() / n;
        let error = (ages.iter().map(|age| (age - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
        (mean - known) / error
    };
    // Two hundred seconds each: after six hundred, and from an empty queue on.
    let (with, without) = (away(Time(800 * SECOND), Time(600 * SECOND)), away(Time(200 * SECOND), Time::ZERO));
    assert!(with.abs() < 3.3, "with a warm-up the mean is {with:.1} standard errors away");
    assert!(without < -5.0, "without one it is {without:.1} away: there would be nothing to leave out");
}
