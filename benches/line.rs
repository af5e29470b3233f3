//! A line of three preemptive oracles under `read-always`, all measures on, against the same line written by hand as one loop
//! over a heap. `cargo bench --bench line` prints both, and their ratio measured in turns.

#![allow(missing_docs, reason = "what criterion's macros make")]

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use rehearsal::measure::Observer;
use rehearsal::model::policy::Policy;
use rehearsal::model::setting::{OnNewQuestion, Source, Update, When};
use rehearsal::model::{Fact, FieldId, Length, Oracle, OracleId, Plan, SECOND, Setting, Span, Time};
use rehearsal::simulate::chance::Numbers;
use rehearsal::simulate::{Limits, Simulator};

const STAGES: usize = 3;
const UPDATE_MEAN: u64 = 10;
const WORK_MEANS: [u64; STAGES] = [8, 5, 12];
const HORIZON: u64 = 2_000_000;

fn plan() -> Plan {
    let oracle = |at: usize| {
        let asks = if at == 0 { Source::Field(FieldId(0)) } else { Source::Oracle(OracleId(at as u16 - 1)) };
        Oracle {
            work: Length::Exponential(Span::seconds(WORK_MEANS[at])),
            on_new_question: OnNewQuestion::Restart,
            ..Oracle::new(format!("stage-{at}"), vec![asks])
        }
    };
    let horizon = Time(HORIZON * SECOND);
    let mut setting = Setting::new(horizon, vec!["source".into()], (0..STAGES).map(oracle).collect());
    setting.updates.push(Update {
        when: When::Stream {
            from: Time::ZERO,
            until: horizon,
            every: Length::Exponential(Span::seconds(UPDATE_MEAN)),
            count: None,
        },
        set: vec![FieldId(0)],
        bad_for: Vec::new(),
        hangs_for: Vec::new(),
    });
    Plan::new(setting, Policy::default())
}

/// Counts what both programs do: updates and finishes.
#[derive(Default)]
struct Steps(u64);

impl Observer for Steps {
    fn hear(&mut self, _: Time, fact: &Fact<'_>) {
        self.0 += u64::from(matches!(fact, Fact::Updated { .. } | Fact::Finished { .. }));
    }
}

/// The same line by hand: updates and finishes on a heap, a finish of dropped work skipped by its number; the mean age at the
/// sink. Returns how many updates and finishes there were, and the mean age in seconds.
fn by_hand(seed: u64) -> (u64, f64) {
    let mut numbers = Numbers::from_seed(seed);
    let mut exponential = |mean: u64| {
        let unit = (numbers.word() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        libm::round((mean * SECOND) as f64 * -libm::log(1.0 - unit)) as u64
    };
    let horizon = HORIZON * SECOND;
    let mut heap: BinaryHeap<Reverse<(u64, u32, u32)>> = BinaryHeap::new();
    let mut work = [0u32; STAGES];
    let mut at_work = [0u64; STAGES];
    let (mut steps, mut delivered, mut since, mut first) = (0, 0u64, 0u64, None);
    let mut doubled_area = 0u128;
    heap.push(Reverse((exponential(UPDATE_MEAN), u32::MAX, 0)));
    while let Some(Reverse((now, stage, number))) = heap.pop() {
        if now > horizon {
            break;
        }
        let (next, made) = if stage == u32::MAX {
            heap.push(Reverse((now + exponential(UPDATE_MEAN), u32::MAX, 0)));
            (0, now)
        } else {
            if work[stage as usize] != number {
                continue;
            }
            (stage as usize + 1, at_work[stage as usize])
        };
        steps += 1;
        if next < STAGES {
            at_work[next] = made;
            work[next] += 1;
            heap.push(Reverse((now + exponential(WORK_MEANS[next]), next as u32, work[next])));
        } else {
            if first.is_some() {
                let (low, high) = (u128::from(since - delivered), u128::from(now - delivered));
                doubled_area += high * high - low * low;
            }
            first.get_or_insert(now);
            (delivered, since) = (made, now);
        }
    }
    (steps, doubled_area as f64 / 2.0 / (since - first.unwrap_or(0)) as f64 / SECOND as f64)
}

fn bench(criterion: &mut Criterion) {
    let plan = plan();
    let mut simulator = Simulator::new(&plan, Limits::default());
    let mut steps = Steps::default();
    let measures = simulator.run(1, &mut steps).expect("within the limits");
    let (hand_steps, hand_age) = by_hand(1);
    let age = measures.age.expect("something is delivered").mean.as_seconds();
    assert!((age / hand_age - 1.0).abs() < 0.02, "the two lines are the same line: {age} and {hand_age}");

    let mut group = criterion.benchmark_group("line");
    group.throughput(Throughput::Elements(steps.0)).sample_size(20);
    group.bench_function(BenchmarkId::from_parameter("rehearsal"), |bench| {
        bench.iter(|| black_box(simulator.run(1, &mut ()).expect("within the limits")));
    });
    group.throughput(Throughput::Elements(hand_steps));
    group.bench_function(BenchmarkId::from_parameter("by-hand"), |bench| bench.iter(|| black_box(by_hand(1))));
    group.finish();
}

/// Both in turns, so that a machine whose speed drifts is as fast for the one as for the other.
fn ratio() {
    let plan = plan();
    let mut simulator = Simulator::new(&plan, Limits::default());
    let mut steps = Steps::default();
    simulator.run(1, &mut steps).expect("within the limits");
    let hand_steps = by_hand(1).0;
    let mut ratios: Vec<(f64, f64, f64)> = (0..15)
        .map(|seed| {
            let ours = rate(steps.0, || {
                let _ = black_box(simulator.run(seed, &mut ()));
            });
            let theirs = rate(hand_steps, || {
                black_box(by_hand(seed));
            });
            (ours / theirs, ours, theirs)
        })
        .collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, ours, theirs) = ratios[ratios.len() / 2];
    println!(
        "line: {:.2} million updates and finishes a second, by hand {:.2} million: {ratio:.3} of it (median of {})",
        ours / 1e6,
        theirs / 1e6,
        ratios.len()
    );
}

fn rate(steps: u64, run: impl FnOnce()) -> f64 {
    let began = Instant::now();
    run();
    steps as f64 / began.elapsed().max(Duration::from_nanos(1)).as_secs_f64()
}

criterion_group!(benches, bench);

fn main() {
    benches();
    if !std::env::args().any(|argument| argument == "--test") {
        ratio();
    }
}
