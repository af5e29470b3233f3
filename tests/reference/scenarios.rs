//! Random small scenarios without dice, made so that ties abound and that they shrink: every choice is a number, and
//! less is simpler.

use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use rehearsal::model::policy::{Fixed, Lifecycle, OnFailure, Policy};
use rehearsal::model::setting::{
    Choreographer, FlapTo, Flaps, Forge, Health, Healthy, Outage, ReadsFrom, Restart, Retry, Setting, Source,
    StatusPhase, Tamper, Update, When, WorldChange,
};
use rehearsal::model::{Axis, FieldId, Length, Oracle, OracleId, Probability, SECOND, Span, Time};

/// A time or length in whole seconds.
type Seconds = u64;

fn time(seconds: Seconds) -> Time {
    Time(seconds * SECOND)
}

fn span(seconds: Seconds) -> Span {
    Span::seconds(seconds)
}

fn length(seconds: Seconds) -> Length {
    Length::Fixed(span(seconds))
}

/// Any value.
fn any_of<A: Axis + std::fmt::Debug>() -> impl Strategy<Value = A> {
    select(A::ALL)
}

/// One time in `n` any value, else the default.
fn rarely<A: Axis + std::fmt::Debug>(n: u32) -> impl Strategy<Value = A> {
    prop_oneof![n - 1 => Just(A::ALL[0]), 1 => select(A::ALL)]
}

/// True one time in `n`.
fn one_in(n: u32) -> impl Strategy<Value = bool> {
    prop_oneof![n - 1 => Just(false), 1 => Just(true)]
}

/// Mostly none.
fn short(longest: Seconds) -> impl Strategy<Value = Length> {
    prop_oneof![2 => Just(0), 1 => 0..=longest].prop_map(length)
}

fn always(is: bool) -> Probability {
    if is { Probability::ALWAYS } else { Probability::NEVER }
}

fn retry() -> impl Strategy<Value = Retry> {
    (0..=5_u64, select(vec![1.0, 2.0, 1.5]), weighted(0.5, 1..=6_u64), weighted(0.8, 1..=4_u32)).prop_map(
        |(backoff, factor, max, attempts)| Retry {
            backoff: length(backoff + u64::from(attempts.is_none())),
            factor,
            max: max.map(span),
            attempts,
        },
    )
}

fn flaps() -> impl Strategy<Value = Flaps> {
    (1..=8_u64, 1..=5_u64, any_of::<FlapTo>()).prop_map(|(up, down, to)| Flaps {
        up: length(up),
        down: length(down),
        to,
    })
}

fn health() -> impl Strategy<Value = Health> {
    vec(any_of(), StatusPhase::ALL.len()).prop_map(|reads| Health::new(|phase| reads[phase as usize]))
}

fn fixed() -> impl Strategy<Value = Fixed> {
    let rules = (maybe(), maybe(), maybe(), maybe(), maybe());
    let times = (weighted(0.2, weighted(0.5, 1..=20_u64)), weighted(0.2, weighted(0.5, 1..=10_u64)));
    let rest = (maybe(), maybe(), maybe(), maybe(), maybe(), weighted(0.2, any::<bool>()));
    (rules, times, rest).prop_map(|(rules, times, rest)| {
        let (read, write, order, acknowledgement, pending) = rules;
        let (memory, trace, on_failure, missing, lifecycle, reverts) = rest;
        let (timeout, grace) = (times.0.map(|some| some.map(span)), times.1.map(|some| some.map(span)));
        Fixed {
            read,
            write,
            order,
            acknowledgement,
            pending,
            timeout,
            grace,
            memory,
            trace,
            on_failure,
            missing,
            intake: None,
            lifecycle,
            reverts,
        }
    })
}

fn maybe<A: Axis + std::fmt::Debug>() -> impl Strategy<Value = Option<A>> {
    weighted(0.2, any_of())
}

/// An oracle but for its place: the mask says which of the fields and the oracles before it are asked.
fn oracle() -> impl Strategy<Value = (u32, Oracle)> {
    let lengths = (short(4), prop_oneof![12 => 1..=10_u64, 1 => Just(0)], short(4), short(6));
    let shows = (rarely(2), rarely(3), rarely(2), rarely(3), rarely(3), any_of());
    let ways = (one_in(5), one_in(6), one_in(8), rarely::<Healthy>(8));
    let faults = (one_in(12), prop_oneof![3 => Just(0), 1 => 0..=3_u32], one_in(20));
    let more = (weighted(0.3, retry()), weighted(0.2, flaps()), weighted(0.2, 1..=2_u32));
    let template = (weighted(0.2, health()), weighted(0.2, fixed()));
    let parts = (0..64_u32, lengths, shows, ways, faults, more, template);
    parts.prop_map(|(mask, lengths, shows, ways, faults, more, template)| {
        let mut oracle = Oracle::new("", Vec::new());
        (oracle.notice, _, oracle.gap, oracle.answer_lag) = (lengths.0, lengths.1, lengths.2, lengths.3);
        oracle.work = length(lengths.1);
        oracle.acknowledges = shows.0;
        oracle.while_working = shows.1;
        oracle.on_new_question = shows.2;
        oracle.between = shows.3;
        oracle.retention = shows.4;
        oracle.reports = shows.5;
        oracle.reports_failure = !ways.0;
        oracle.reproducible = !ways.1;
        oracle.reconciles = !ways.2;
        oracle.healthy = ways.3;
        oracle.fails = always(faults.0);
        oracle.fails_first = faults.1;
        oracle.hangs = always(faults.2);
        (oracle.retry, oracle.flaps, oracle.workers) = more;
        (oracle.health, oracle.fixed) = (template.0, template.1.unwrap_or_default());
        (mask, oracle)
    })
}

/// The last instant at which something may befall a run.
const LAST: Seconds = 60;

/// Mostly early, so that much happens at once.
fn instant() -> impl Strategy<Value = Seconds> {
    prop_oneof![3 => 0..=12_u64, 1 => 0..=LAST]
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![
        4 => instant().prop_map(|at| When::At(time(at))),
        1 => (instant(), 1..=20_u64, 1..=9_u64, weighted(0.4, 1..=3_u64)).prop_map(|(from, lasts, every, count)| {
            When::Stream { from: time(from), until: time(from + lasts), every: length(every), count }
        }),
    ]
}

/// Any oracle, to be found by counting round.
fn which() -> impl Strategy<Value = usize> {
    0..4_usize
}

fn choreographer() -> impl Strategy<Value = Choreographer> {
    (short(3), short(2), rarely(3), 0..=4_u64, weighted(0.2, 1..=20_u64)).prop_map(
        |(watch, visit, reads_from, cache_lag, resync)| Choreographer {
            watch,
            visit,
            cache_lag: length(if reads_from == ReadsFrom::Cache { cache_lag } else { 0 }),
            reads_from,
            resync: resync.map(length),
        },
    )
}

/// The chain: each oracle asks what its mask says, or else what stands before it; every field is asked.
fn chain(fields: usize, raw: Vec<(u32, Oracle)>) -> Vec<Oracle> {
    let mut chain: Vec<Oracle> = Vec::new();
    for (at, (mask, mut oracle)) in raw.into_iter().enumerate() {
        oracle.name = ["image", "config", "test", "deploy"][at].into();
        let mut sources: Vec<Source> = (0..at as u16).map(|earlier| Source::Oracle(OracleId(earlier))).collect();
        sources.extend((0..fields as u16).map(|field| Source::Field(FieldId(field))));
        let asked = sources.iter().enumerate().filter(|(bit, _)| at == 0 || mask >> bit & 1 == 1);
        oracle.asks = asked.map(|(_, &source)| source).collect();
        if oracle.asks.is_empty() {
            oracle.asks.push(Source::Oracle(OracleId(at as u16 - 1)));
        }
        chain.push(oracle);
    }
    chain
}

/// Anything that may happen to a chain of up to four oracles.
pub fn setting() -> impl Strategy<Value = Setting> {
    let first = prop_oneof![4 => (0..=3_u64).prop_map(Some), 1 => Just(None)];
    let updates = vec((when(), 1..4_u32, weighted(0.35, which()), weighted(0.06, which())), 1..=6);
    let outages = vec((which(), instant(), 1..=20_u64), 0..=2);
    let worlds = vec((which(), when(), one_in(3)), 0..=3);
    let enemies = (
        vec((which(), which(), instant(), weighted(0.5, 1..=15_u64)), 0..=2),
        prop_oneof![4 => Just(Vec::new()), 1 => vec((which(), instant()), 1..=2)],
    );
    let restarts = prop_oneof![2 => Just(Vec::new()), 1 => vec(instant(), 1..=2)];
    let chains = (1..=2_usize, vec(oracle(), 1..=4), choreographer(), prop_oneof![1..=30_u64, 20..=90_u64]);
    (chains, (first, updates), worlds, outages, enemies, restarts).prop_map(
        |(
            (fields, oracles, choreographer, horizon),
            (first, updates),
            worlds,
            outages,
            (tampers, forges),
            restarts,
        )| {
            let names = ["source", "tests"][..fields].iter().map(|name| name.to_string()).collect();
            let mut setting = Setting::new(time(horizon), names, chain(fields, oracles));
            let count = setting.oracles.len();
            let oracle = |which: usize| OracleId((which % count) as u16);
            setting.choreographer = choreographer;
            // Mostly everything is set, well, to begin with.
            let first = first.map(|at| (When::At(time(at)), u32::MAX, None, None));
            for (when, mask, bad_for, hangs_for) in first.into_iter().chain(updates) {
                let set: Vec<FieldId> = (0..fields as u16).filter(|bit| mask >> bit & 1 == 1).map(FieldId).collect();
                setting.updates.push(Update {
                    when,
                    set: if set.is_empty() { vec![FieldId(0)] } else { set },
                    bad_for: bad_for.map(|which| (oracle(which), Probability::ALWAYS)).into_iter().collect(),
                    hangs_for: hangs_for.map(oracle).into_iter().collect(),
                });
            }
            for (which, when, bad) in worlds {
                setting.worlds.push(WorldChange { oracle: oracle(which), when, bad });
            }
            for (which, from, lasts) in outages {
                setting.outages.push(Outage { oracle: oracle(which), from: time(from), until: time(from + lasts) });
            }
            for (which, input, at, lasts) in tampers {
                let oracle = oracle(which);
                let input = input % setting.oracles[oracle.index()].asks.len();
                let until = lasts.map(|lasts| time(at + lasts));
                setting.tampers.push(Tamper { oracle, input, at: time(at), until });
            }
            for (which, at) in forges {
                setting.forges.push(Forge { oracle: oracle(which), at: time(at) });
            }
            setting.restarts.extend(restarts.into_iter().map(|at| Restart { at: time(at) }));
            setting
        },
    )
}

/// Any policy. What a failure does to immutable objects is not said.
pub fn policy() -> impl Strategy<Value = Policy> {
    let rules = (any_of(), any_of(), any_of(), any_of(), any_of());
    let times = (weighted(0.3, 1..=20_u64), weighted(0.2, 1..=10_u64));
    let rest = (any_of(), any_of(), any_of(), rarely(4), rarely(3), rarely::<Lifecycle>(3), one_in(4));
    (rules, times, rest).prop_map(|(rules, times, rest)| {
        let (read, write, order, acknowledgement, pending) = rules;
        let (memory, trace, on_failure, missing, intake, lifecycle, tolerates) = rest;
        let on_failure = if lifecycle == Lifecycle::Immutable { OnFailure::Wait } else { on_failure };
        Policy {
            read,
            write,
            order,
            acknowledgement,
            pending,
            timeout: times.0.map(span),
            grace: times.1.map(span),
            memory,
            trace,
            on_failure,
            missing,
            intake,
            lifecycle,
            reverts: !tolerates,
        }
    })
}

/// A setting and a policy, told by what is not as usual.
#[derive(Clone)]
pub struct Scenario {
    pub setting: Setting,
    pub policy: Policy,
}

/// Any scenario.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    (setting(), policy()).prop_map(|(setting, policy)| Scenario { setting, policy })
}

/// The top-level parts of a value, a line each.
fn parts(value: &impl std::fmt::Debug) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for line in format!("{value:#?}").lines() {
        let is_new =
            line.starts_with("    ") && !line.starts_with("     ") && !line.trim().starts_with([']', '}', ')']);
        match parts.last_mut() {
            Some(part) if !is_new => part.push_str(line.trim()),
            _ => parts.push(line.trim().into()),
        }
    }
    parts
}

/// What of `value` is not as in `usual`.
fn unusual(value: &impl std::fmt::Debug, usual: &impl std::fmt::Debug) -> String {
    let usual = parts(usual);
    let parts: Vec<String> = parts(value).into_iter().filter(|part| !usual.contains(part)).collect();
    parts.join(" ").replace("000000000,", "s")
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let usual = Setting::new(Time(0), Vec::new(), Vec::new());
        let chainless = Setting { oracles: Vec::new(), ..self.setting.clone() };
        writeln!(f, "\n{}", unusual(&chainless, &usual))?;
        for oracle in &self.setting.oracles {
            writeln!(f, "oracle: {}", unusual(oracle, &Oracle::new("", Vec::new())))?;
        }
        writeln!(f, "policy: {}", unusual(&self.policy, &Policy::default()))
    }
}
