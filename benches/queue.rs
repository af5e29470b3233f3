//! The event queue alone on the hold model (pop the earliest, schedule one an exponential time later), against the plainest
//! heap with the same generator. `cargo bench --bench queue` prints both, and their ratio measured in turns.

#![allow(missing_docs, reason = "what criterion's macros make")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group};
use rehearsal::model::{SECOND, Time};
use rehearsal::simulate::chance::Numbers;
use rehearsal::simulate::queue::Queue;

const PENDING: [usize; 3] = [10, 1_000, 100_000];
const HOLDS: u64 = 100_000;
/// As large as the events of the simulator.
type Payload = [u32; 4];

fn exponential(numbers: &mut Numbers) -> u64 {
    let unit = (numbers.word() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
    (-(SECOND as f64) * libm::log(1.0 - unit)) as u64 + 1
}

struct Ours(Queue<Payload>, Numbers);

impl Ours {
    fn new(pending: usize) -> Ours {
        let (mut queue, mut numbers) = (Queue::default(), Numbers::from_seed(7));
        for at in 0..pending {
            queue.push(Time(exponential(&mut numbers)), 3, [at as u32; 4]);
        }
        Ours(queue, numbers)
    }

    fn hold(&mut self) {
        let (_, event) = self.0.pop(Time(u64::MAX)).expect("as many as before");
        let at = Time(self.0.now().0 + exponential(&mut self.1));
        self.0.push(at, 3, black_box(event));
    }
}

/// The plainest binary heap: an array, sift up, sift down, ordered by time and then by order of scheduling.
struct Plain {
    heap: Vec<(u64, u64, Payload)>,
    scheduled: u64,
    numbers: Numbers,
}

impl Plain {
    fn new(pending: usize) -> Plain {
        let mut plain = Plain { heap: Vec::new(), scheduled: 0, numbers: Numbers::from_seed(7) };
        for at in 0..pending {
            let time = exponential(&mut plain.numbers);
            plain.push(time, [at as u32; 4]);
        }
        plain
    }

    fn before(&self, one: usize, other: usize) -> bool {
        let key = |at: usize| (self.heap[at].0, self.heap[at].1);
        key(one) < key(other)
    }

    fn push(&mut self, time: u64, event: Payload) {
        self.scheduled += 1;
        self.heap.push((time, self.scheduled, event));
        let mut at = self.heap.len() - 1;
        while at > 0 && self.before(at, (at - 1) / 2) {
            self.heap.swap(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn pop(&mut self) -> (u64, Payload) {
        let (time, _, event) = self.heap.swap_remove(0);
        let mut at = 0;
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut least = at;
            if left < self.heap.len() && self.before(left, least) {
                least = left;
            }
            if right < self.heap.len() && self.before(right, least) {
                least = right;
            }
            if least == at {
                return (time, event);
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn hold(&mut self) {
        let (now, event) = self.pop();
        let later = now + exponential(&mut self.numbers);
        self.push(later, black_box(event));
    }
}

fn bench(criterion: &mut Criterion) {
    for pending in PENDING {
        let mut group = criterion.benchmark_group(format!("hold-{pending}"));
        group.throughput(Throughput::Elements(HOLDS)).sample_size(20);
        let (mut ours, mut plain) = (Ours::new(pending), Plain::new(pending));
        group.bench_function(BenchmarkId::from_parameter("queue"), |bench| {
            bench.iter(|| (0..HOLDS).for_each(|_| ours.hold()));
        });
        group.bench_function(BenchmarkId::from_parameter("plain-heap"), |bench| {
            bench.iter(|| (0..HOLDS).for_each(|_| plain.hold()));
        });
        group.finish();
    }
}

/// Both in turns, so that a machine whose speed drifts is as fast for the one as for the other.
fn ratios() {
    for pending in PENDING {
        let (mut ours, mut plain) = (Ours::new(pending), Plain::new(pending));
        let mut ratios: Vec<f64> = (0..31)
            .map(|_| {
                let one = time(|| (0..HOLDS).for_each(|_| ours.hold()));
                let other = time(|| (0..HOLDS).for_each(|_| plain.hold()));
                one / other
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!("hold model, {pending} pending: {:.2} times the plain heap's time (median of 31)", ratios[15]);
    }
}

fn time(run: impl FnOnce()) -> f64 {
    let began = Instant::now();
    run();
    began.elapsed().as_secs_f64()
}

criterion_group!(benches, bench);

fn main() {
    benches();
    if !std::env::args().any(|argument| argument == "--test") {
        ratios();
    }
}
