//! The simulator against queueing and age-of-information theory, where the mean is known in closed form.
//!
//! Each law is tried at several rates: the mean over independent replications must lie within its own 99.9% confidence
//! interval of the known value. That such intervals are honest is a test of its own.
//!
//! Sources: Kaul, Yates, Gruteser, "Real-time status: how often should one update?", INFOCOM 2012 (M/M/1, M/D/1, D/M/1);
//! Costa, Codreanu, Ephremides, "On the age of information in status update systems with packet management", IEEE Trans.
//! Inf. Theory 2016 (M/M/1/2*); Yates, "The age of information in networks: moments, distributions, and sampling", IEEE
//! Trans. Inf. Theory 2020 (lines of preemptive servers); Kleinrock, "Queueing Systems" I, 1975 (M/M/1, M/G/1).

use rehearsal::measure::Measures;
use rehearsal::model::policy::{Order, Pending, Policy, Write};
use rehearsal::model::setting::{OnNewQuestion, Retry, Source, Update, When, WorldChange};
use rehearsal::model::{FieldId, Length, Oracle, OracleId, Plan, Probability, SECOND, Setting, Span, Time};
use rehearsal::simulate::{Limits, Simulator};

fn seconds(s: f64) -> Span {
    Span((s * SECOND as f64).round() as u64)
}

fn exponential(rate: f64) -> Length {
    Length::Exponential(seconds(1.0 / rate))
}

/// A line of oracles of one discipline; the first asks the workload.
fn line(discipline: OnNewQuestion, works: &[Length]) -> Vec<Oracle> {
    let oracle = |(at, work): (usize, &Length)| {
        let asks = match at {
            0 => Source::Field(FieldId(0)),
            after => Source::Oracle(OracleId(after as u16 - 1)),
        };
        Oracle { on_new_question: discipline, work: work.clone(), ..Oracle::new(format!("oracle-{at}"), vec![asks]) }
    };
    works.iter().enumerate().map(oracle).collect()
}

/// Updates of one field, without end.
fn stream(oracles: Vec<Oracle>, every: Length, horizon: f64) -> Setting {
    let horizon = Time::ZERO + seconds(horizon);
    let mut setting = Setting::new(horizon, vec!["source".into()], oracles);
    setting.updates.push(Update {
        when: When::Stream { from: Time::ZERO, until: horizon, every, count: None },
        set: vec![FieldId(0)],
        bad_for: Vec::new(),
        hangs_for: Vec::new(),
    });
    setting
}

/// A sample of one number per replication.
struct Sample {
    mean: f64,
    standard_error: f64,
}

fn sample(setting: Setting, policy: Policy, seeds: std::ops::Range<u64>, read: impl Fn(&Measures) -> f64) -> Sample {
    let plan = Plan::new(setting, policy);
    let mut simulator = Simulator::new(&plan, Limits::default());
    let readings: Vec<f64> =
        seeds.map(|seed| read(&simulator.run(seed, &mut ()).expect("within the limits"))).collect();
    let n = readings.len() as f64;
    let mean = readings.iter().sum::<f64>() / n;
    let variance = readings.iter().map(|reading| (reading - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Sample { mean, standard_error: (variance / n).sqrt() }
}

const REPLICATIONS: u64 = 30;
/// Student's t with 29 degrees of freedom: 99.9% of its weight lies within.
const T_29: f64 = 3.659;

fn holds(law: &str, setting: Setting, policy: Policy, read: impl Fn(&Measures) -> f64, known: f64) {
    let Sample { mean, standard_error } = sample(setting, policy, 1..1 + REPLICATIONS, read);
    let half_width = T_29 * standard_error;
    assert!((mean - known).abs() <= half_width, "{law}: {mean} ± {half_width}, and theory says {known}");
    assert!(half_width < 0.03 * known, "{law}: {mean} ± {half_width} is too wide to tell anything");
}

fn mean_age(measures: &Measures) -> f64 {
    measures.age.expect("something is delivered").mean.as_seconds()
}

fn mean_latency(measures: &Measures) -> f64 {
    measures.latency.expect("something is delivered").mean.as_seconds()
}

const RATES: [(f64, f64); 3] = [(0.1, 0.2), (0.2, 0.2), (1.0, 0.3)];
/// Rates at which a queue is stable.
const STABLE: [(f64, f64); 3] = [(0.1, 0.5), (0.2, 0.4), (0.6, 1.0)];

/// Simulated seconds that hold about this many updates.
fn long_enough(updates: f64, lambda: f64) -> f64 {
    updates / lambda
}

#[test]
fn age_of_a_line_of_preemptive_oracles() {
    for (lambda, mu) in RATES {
        let mus = [mu, 2.0 * mu, 0.7 * mu];
        for n in 1..=3 {
            let works: Vec<_> = mus[..n].iter().map(|&mu| exponential(mu)).collect();
            let setting =
                stream(line(OnNewQuestion::Restart, &works), exponential(lambda), long_enough(8_000.0, lambda));
            let known = 1.0 / lambda + mus[..n].iter().map(|mu| 1.0 / mu).sum::<f64>();
            holds(&format!("{n} preemptive, λ={lambda} μ={mu}"), setting, Policy::default(), mean_age, known);
        }
    }
}

#[test]
fn age_of_a_preemptive_oracle_under_any_renewal_stream() {
    let mu = 0.25;
    let work = || line(OnNewQuestion::Restart, &[exponential(mu)]);
    let horizon = long_enough(8_000.0, 0.2);
    // The age at the source is E[Y²] / 2E[Y]; a memoryless preemptive server adds 1/μ.
    let periodic = stream(work(), Length::Fixed(seconds(5.0)), horizon);
    holds("periodic updates", periodic, Policy::default(), mean_age, 2.5 + 1.0 / mu);
    let uniform = stream(work(), Length::Uniform(seconds(2.0), seconds(8.0)), horizon);
    holds("uniform updates", uniform, Policy::default(), mean_age, 28.0 / 10.0 + 1.0 / mu);
    let gamma = stream(work(), Length::Gamma { mean: seconds(6.0), sd: seconds(3.0) }, horizon);
    holds("gamma updates", gamma, Policy::default(), mean_age, 45.0 / 12.0 + 1.0 / mu);
}

fn age_of_m_m_1(lambda: f64, mu: f64) -> f64 {
    let rho = lambda / mu;
    (1.0 + 1.0 / rho + rho * rho / (1.0 - rho)) / mu
}

#[test]
fn age_of_a_queue() {
    for (lambda, mu) in STABLE {
        let setting =
            stream(line(OnNewQuestion::Queue, &[exponential(mu)]), exponential(lambda), long_enough(12_000.0, lambda));
        holds(&format!("M/M/1, λ={lambda} μ={mu}"), setting, Policy::default(), mean_age, age_of_m_m_1(lambda, mu));
    }
}

/// A policy that writes every update in order, each when the one before is done, makes a queue of any oracle.
#[test]
fn age_of_every_update_in_order() {
    let fifo = Policy { write: Write::AtRest, order: Order::ReadFirst, pending: Pending::Fifo, ..Policy::default() };
    for (lambda, mu) in STABLE {
        for discipline in [OnNewQuestion::Finish, OnNewQuestion::Restart] {
            let setting =
                stream(line(discipline, &[exponential(mu)]), exponential(lambda), long_enough(8_000.0, lambda));
            let law = format!("fifo over {discipline}, λ={lambda} μ={mu}");
            holds(&law, setting, fifo.clone(), mean_age, age_of_m_m_1(lambda, mu));
        }
    }
}

#[test]
fn age_of_queues_with_fixed_work_and_with_periodic_updates() {
    for (lambda, mu) in STABLE {
        let rho = lambda / mu;
        let m_d_1 = stream(
            line(OnNewQuestion::Queue, &[Length::Fixed(seconds(1.0 / mu))]),
            exponential(lambda),
            long_enough(8_000.0, lambda),
        );
        let known = (0.5 / (1.0 - rho) + 0.5 + (1.0 - rho) * rho.exp() / rho) / mu;
        holds(&format!("M/D/1, λ={lambda} μ={mu}"), m_d_1, Policy::default(), mean_age, known);

        let d_m_1 = stream(
            line(OnNewQuestion::Queue, &[exponential(mu)]),
            Length::Fixed(seconds(1.0 / lambda)),
            long_enough(8_000.0, lambda),
        );
        // β solves β = exp(-(1 - β) / ρ).
        let beta = (0..10_000).fold(0.0, |beta: f64, _| (-(1.0 - beta) / rho).exp());
        let known = (0.5 / rho + 1.0 / (1.0 - beta)) / mu;
        holds(&format!("D/M/1, λ={lambda} μ={mu}"), d_m_1, Policy::default(), mean_age, known);
    }
}

fn age_of_m_m_1_2_star(lambda: f64, mu: f64) -> f64 {
    1.0 / lambda + 2.0 / mu + lambda / (lambda + mu).powi(2) + 1.0 / (lambda + mu)
        - 2.0 * (lambda + mu) / (lambda * lambda + lambda * mu + mu * mu)
}

/// An oracle that finishes and then takes the newest question is M/M/1/2*; so is one whose writes are held till it rests.
#[test]
fn age_when_the_newest_waits() {
    let held = Policy { write: Write::AtRest, order: Order::ReadFirst, ..Policy::default() };
    for (lambda, mu) in RATES {
        for (policy, discipline) in [
            (Policy::default(), OnNewQuestion::Finish),
            (held.clone(), OnNewQuestion::Restart),
            (held.clone(), OnNewQuestion::Queue),
        ] {
            let setting =
                stream(line(discipline, &[exponential(mu)]), exponential(lambda), long_enough(8_000.0, lambda));
            let law = format!("M/M/1/2*, write={} {discipline}, λ={lambda} μ={mu}", policy.write);
            holds(&law, setting, policy, mean_age, age_of_m_m_1_2_star(lambda, mu));
        }
    }
}

#[test]
fn latency_of_queues() {
    for (lambda, mu) in STABLE {
        let rho = lambda / mu;
        let queue = |work: Length| {
            stream(line(OnNewQuestion::Queue, &[work]), exponential(lambda), long_enough(20_000.0, lambda))
        };
        let sojourn = 1.0 / (mu - lambda);
        holds("M/M/1 mean sojourn", queue(exponential(mu)), Policy::default(), mean_latency, sojourn);
        let median = |m: &Measures| m.latency.unwrap().p50.as_seconds();
        let known = sojourn * std::f64::consts::LN_2;
        holds("M/M/1 median sojourn", queue(exponential(mu)), Policy::default(), median, known);
        let p95 = |m: &Measures| m.latency.unwrap().p95.as_seconds();
        holds("M/M/1 95% sojourn", queue(exponential(mu)), Policy::default(), p95, sojourn * 20f64.ln());
        // Pollaczek and Khinchine: E[S²] of a gamma with coefficient of variation 1/2 is 1.25 / μ².
        let gamma = Length::Gamma { mean: seconds(1.0 / mu), sd: seconds(0.5 / mu) };
        let known = 1.0 / mu + 1.25 * rho / (2.0 * mu * (1.0 - rho));
        holds("M/G/1 mean sojourn", queue(gamma), Policy::default(), mean_latency, known);
    }
}

/// Under preemption an update is delivered by the next answer, its own or a later one's: a memoryless wait per stage.
#[test]
fn latency_and_throughput_of_preemptive_oracles() {
    for (lambda, mu) in RATES {
        let horizon = long_enough(8_000.0, lambda);
        let works = [exponential(mu), exponential(2.0 * mu)];
        let two = stream(line(OnNewQuestion::Restart, &works), exponential(lambda), horizon);
        holds("two preemptive", two, Policy::default(), mean_latency, 1.5 / mu);
        let one = stream(line(OnNewQuestion::Restart, &works[..1]), exponential(lambda), horizon);
        let answers_per_second = |m: &Measures| m.taken as f64 / horizon;
        let known = lambda * mu / (lambda + mu);
        holds("answers a second", one, Policy::default(), answers_per_second, known);
    }
}

/// A renewed world is worked on at once, or after what is under way: exposed unless the newest world's answer is there.
#[test]
fn exposure_to_old_worlds() {
    for (rate, mu) in [(0.01, 0.05), (0.05, 0.05), (0.1, 0.05)] {
        let horizon = 8_000.0 / rate;
        let mut setting = stream(line(OnNewQuestion::Finish, &[exponential(mu)]), exponential(rate), horizon);
        setting.updates[0].when = When::At(Time::ZERO);
        setting.worlds.push(WorldChange {
            oracle: OracleId(0),
            when: When::Stream { from: Time::ZERO, until: setting.horizon, every: exponential(rate), count: None },
            bad: false,
        });
        let exposed = |m: &Measures| m.exposure.as_seconds() / horizon;
        let r = rate / mu;
        let known = (r + r * r) / (1.0 + r + r * r);
        holds(&format!("exposure, rate={rate} μ={mu}"), setting, Policy::default(), exposed, known);
    }
}

/// Attempts that fail with probability p: 1/(1-p) of them on average, and a backoff between two.
#[test]
fn latency_with_retries() {
    let (mu, backoff) = (0.5, 3.0);
    for p in [0.1, 0.5] {
        let mut oracles = line(OnNewQuestion::Finish, &[exponential(mu)]);
        oracles[0].fails = Probability::new(p).unwrap();
        oracles[0].retry =
            Some(Retry { backoff: Length::Fixed(seconds(backoff)), factor: 1.0, max: None, attempts: None });
        // Updates far apart: none meets another.
        let setting = stream(oracles, Length::Fixed(seconds(500.0)), 500.0 * 4_000.0 + 400.0);
        let known = 1.0 / (mu * (1.0 - p)) + backoff * p / (1.0 - p);
        holds(&format!("retries, p={p}"), setting, Policy::default(), mean_latency, known);
    }
}

/// Of 200 intervals of 95% about 190 hold the known value.
#[test]
fn the_intervals_are_honest() {
    /// Student's t with 19 degrees of freedom, 95%.
    const T_19: f64 = 2.093;
    let (lambda, mu) = (0.2, 0.2);
    let known = 1.0 / lambda + 1.0 / mu;
    let covers = |repeat: &u64| {
        let setting = stream(line(OnNewQuestion::Restart, &[exponential(mu)]), exponential(lambda), 5_000.0);
        let first = 1_000 + repeat * 20;
        let Sample { mean, standard_error } = sample(setting, Policy::default(), first..first + 20, mean_age);
        (mean - known).abs() <= T_19 * standard_error
    };
    let covered = (0..200).filter(covers).count();
    // Binomial(200, 0.95) lies in this range with a probability of 99.8%.
    assert!((180..=198).contains(&covered), "{covered} of 200 intervals of 95% hold the known value");
}
