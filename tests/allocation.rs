//! Nothing is allocated per event once a simulator is warm, and memory does not grow with the number of runs.

// A counting allocator is the only way to see allocations; it forwards to the system's.
#![expect(unsafe_code, reason = "an allocator is unsafe by its trait")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};

use rehearsal::model::policy::{Order, Pending, Policy, Read, Trace, Write};
use rehearsal::model::setting::{OnNewQuestion, ReadsFrom, Retry, Source, Update, When, WorldChange};
use rehearsal::model::{FieldId, Length, Oracle, OracleId, Plan, Probability, SECOND, Setting, Span, Time};
use rehearsal::simulate::{Batch, Limits, Seeds, Simulator};

struct Counting;

static BLOCKS: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

fn grown(bytes: i64) {
    BLOCKS.fetch_add(1, Relaxed);
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(live, Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came; counting changes nothing of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size() as i64);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(place, layout) }
    }
    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        grown(size as i64 - layout.size() as i64);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The counters are of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn chain(horizon: u64, discipline: OnNewQuestion) -> Setting {
    let horizon = Time(horizon * SECOND);
    let oracle = |name: &str, asks| Oracle {
        notice: Length::Uniform(Span::ZERO, Span::seconds(2)),
        work: Length::Exponential(Span::seconds(30)),
        on_new_question: discipline,
        fails: Probability::new(0.1).expect("a probability"),
        retry: Some(Retry {
            backoff: Length::Fixed(Span::seconds(5)),
            factor: 2.0,
            max: Some(Span::seconds(60)),
            attempts: Some(4),
        }),
        ..Oracle::new(name, vec![asks])
    };
    let oracles = vec![oracle("image", Source::Field(FieldId(0))), oracle("deploy", Source::Oracle(OracleId(0)))];
    let mut setting = Setting::new(horizon, vec!["source".into()], oracles);
    let stream = |mean| When::Stream {
        from: Time::ZERO,
        until: horizon,
        every: Length::Exponential(Span::seconds(mean)),
        count: None,
    };
    let bad_for = vec![(OracleId(0), Probability::new(0.1).expect("a probability"))];
    setting.updates.push(Update { when: stream(60), set: vec![FieldId(0)], bad_for, hangs_for: Vec::new() });
    setting.worlds.push(WorldChange { oracle: OracleId(0), when: stream(600), bad: false });
    setting
}

/// Blocks allocated by a run of a simulator that has run before.
fn blocks_when_warm(setting: Setting, policy: &Policy) -> u64 {
    let plan = Plan::new(setting, policy.clone());
    let mut simulator = Simulator::new(&plan, Limits::default());
    simulator.run(1, &mut ()).expect("within the limits");
    let before = BLOCKS.load(Relaxed);
    simulator.run(1, &mut ()).expect("within the limits");
    BLOCKS.load(Relaxed) - before
}

#[test]
fn nothing_is_allocated_per_event() {
    let _alone = ALONE.lock();
    let held = |pending| Policy {
        write: Write::AtRest,
        order: Order::ReadFirst,
        pending,
        read: Read::Ready,
        ..Policy::default()
    };
    let policies = [
        Policy::default(),
        held(Pending::Latest),
        held(Pending::Fifo),
        held(Pending::Stack),
        Policy { timeout: Some(Span::seconds(90)), ..held(Pending::Stack) },
        Policy { trace: Trace::ReportedInputs, ..Policy::default() },
    ];
    for (at, policy) in policies.iter().enumerate() {
        for discipline in [OnNewQuestion::Finish, OnNewQuestion::Restart, OnNewQuestion::Queue] {
            for reads_from in [ReadsFrom::Write, ReadsFrom::Cache] {
                let blocks = |horizon| {
                    let mut setting = chain(horizon, discipline);
                    setting.choreographer.reads_from = reads_from;
                    setting.choreographer.cache_lag = Length::Fixed(Span::seconds(1));
                    blocks_when_warm(setting, policy)
                };
                // The copies of the world that probe it at the horizon are all that is allocated: so much, however long the run.
                let (short, long) = (blocks(20_000), blocks(400_000));
                let case =
                    format!("policy {at}, {discipline}, {reads_from}: {short} blocks, {long} for 20 times the events");
                assert!(short < 600 && long < 600, "{case}");
            }
        }
    }
}

#[test]
fn memory_does_not_grow_with_the_number_of_runs() {
    let _alone = ALONE.lock();
    let plans = [Plan::new(chain(3_000, OnNewQuestion::Finish), Policy::default())];
    let peak = |count| {
        PEAK.store(LIVE.load(Relaxed), Relaxed);
        let before = LIVE.load(Relaxed);
        let batch = Batch {
            plans: &plans,
            seeds: Seeds { first: 1, count },
            jobs: 2,
            limits: Limits::default(),
            measured_from: Time::ZERO,
        };
        let mut sum = 0;
        batch
            .run(|| 0, |sum, round| *sum += round.measures[0].taken, |part| sum += part, |_| {})
            .expect("within the limits");
        assert!(sum > count);
        PEAK.load(Relaxed) - before
    };
    peak(1_000);
    let (few, many) = (peak(1_000), peak(20_000));
    // A simulator's buffers grow with the longest run it has met, so a little more is to be expected; twenty times is not.
    assert!(many < few * 3 / 2 + 65_536, "{few} bytes at the peak for 1,000 runs, {many} for 20,000");
}
