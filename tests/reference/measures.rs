//! The measures (§7), by their definitions, over the whole list of facts.

use std::collections::{BTreeMap, BTreeSet};

use rehearsal::measure::{Latency, MeanAndPeak, Measures, Outcome};
use rehearsal::model::setting::{Setting, Source};
use rehearsal::model::{Span, Time, Why};

use super::facts::Fact;
use super::simulator::{Updated, World};
use super::values::Value;

/// The oracles that no other asks.
pub fn sinks(setting: &Setting) -> Vec<usize> {
    let asked = |r: usize| {
        let asks = setting.oracles.iter().flat_map(|oracle| &oracle.asks);
        asks.into_iter().any(|source| matches!(source, Source::Oracle(oracle) if oracle.index() == r))
    };
    (0..setting.oracles.len()).filter(|&r| !asked(r)).collect()
}

/// The oracle and every one that it asks, and they ask.
fn ancestors(setting: &Setting, r: usize) -> BTreeSet<usize> {
    let mut all = BTreeSet::from([r]);
    for source in &setting.oracles[r].asks {
        if let Source::Oracle(oracle) = source {
            all.extend(ancestors(setting, oracle.index()));
        }
    }
    all
}

/// Whether the sink depends on the field.
fn depends(setting: &Setting, sink: usize, field: usize) -> bool {
    ancestors(setting, sink)
        .iter()
        .any(|&r| setting.oracles[r].asks.iter().any(|source| matches!(source, Source::Field(f) if f.index() == field)))
}

/// Whether an answer of this lineage is what `sink` must have for `update` to be delivered.
fn delivers(setting: &Setting, sink: usize, answer: &Value, update: &Updated) -> bool {
    update.set.iter().filter(|(field, _)| depends(setting, sink, **field)).all(|(&field, &version)| {
        let oldest = answer.fields.iter().filter(|(f, _)| *f == field).map(|(_, v)| *v).min();
        oldest.is_some_and(|oldest| oldest >= version)
    })
}

/// The sinks that depend on the update's fields.
fn sinks_of(setting: &Setting, update: &Updated) -> Vec<usize> {
    let sinks = sinks(setting).into_iter();
    sinks.filter(|&sink| update.set.keys().any(|&field| depends(setting, sink, field))).collect()
}

/// Whether the update is delivered by now.
pub fn delivered(world: &World<'_>, update: &Updated) -> bool {
    sinks_of(world.setting, update).into_iter().all(|sink| {
        world.answered.iter().any(|(_, r, making)| {
            *r == sink && delivers(world.setting, sink, &world.answers[&(sink, *making)].value, update)
        })
    })
}

/// Whether something is wanted now.
pub fn wanted(world: &World<'_>) -> bool {
    is_wanted(&world.updates, world.setting.fields.len(), |update| delivered(world, update))
}

/// Whether something is wanted when these updates have been made: the workload's present values are all valid and not
/// all delivered.
fn is_wanted(made: &[Updated], fields: usize, delivered: impl Fn(&Updated) -> bool) -> bool {
    let present: Vec<&Updated> =
        (0..fields).filter_map(|field| made.iter().rfind(|update| update.set.contains_key(&field))).collect();
    present.iter().all(|update| update.bad_for.is_empty()) && present.iter().any(|update| !delivered(update))
}

/// The run's updates and deliveries, by the place of a fact in the list.
struct Deliveries<'a> {
    updates: &'a [Updated],
    /// Where each was made.
    made: Vec<usize>,
    /// Where each was delivered, if it was.
    delivered: Vec<Option<usize>>,
    fields: usize,
}

impl Deliveries<'_> {
    fn is_delivered(&self, update: &Updated, at: usize) -> bool {
        self.delivered[update.number as usize - 1].is_some_and(|delivered| delivered <= at)
    }

    /// The updates made up to the fact at this place.
    fn made_by(&self, at: usize) -> &[Updated] {
        &self.updates[..self.made.iter().filter(|&&made| made <= at).count()]
    }

    fn wanted(&self, at: usize) -> bool {
        is_wanted(self.made_by(at), self.fields, |update| self.is_delivered(update, at))
    }

    /// When the update was made since which something valid has waited, if something is wanted.
    fn stale_since(&self, at: usize) -> Option<Time> {
        if !self.wanted(at) {
            return None;
        }
        let made = self.made_by(at);
        let delivered = made.iter().filter(|update| update.bad_for.is_empty() && self.is_delivered(update, at));
        let newest_delivered = delivered.map(|update| update.number).max();
        let waits = |update: &&Updated| {
            update.bad_for.is_empty()
                && !self.is_delivered(update, at)
                && newest_delivered.is_none_or(|newest| update.number > newest)
        };
        made.iter().find(waits).map(|update| update.at)
    }

    /// When the newest delivered valid update was made.
    fn age_since(&self, at: usize) -> Option<Time> {
        let made = self.made_by(at).iter().rev();
        made.filter(|update| update.bad_for.is_empty()).find(|update| self.is_delivered(update, at)).map(|u| u.at)
    }

    /// Whether this fact delivers something valid.
    fn delivery(&self, at: usize) -> bool {
        self.updates.iter().any(|u| u.bad_for.is_empty() && self.delivered[u.number as usize - 1] == Some(at))
    }
}

/// The mean and peak of the time since an instant that each stretch has, or zero where it has none, over `length`. What
/// lasts no time is not seen, unless there is no more time than that.
fn mean_and_peak(stretches: &[(Time, Time, Option<Time>)], length: u64) -> MeanAndPeak {
    let (mut twice_the_area, mut peak) = (0_u128, 0);
    for (at, &(from, to, since)) in stretches.iter().enumerate() {
        if from == to && (length > 0 || at + 1 < stretches.len()) {
            continue;
        }
        if let Some(since) = since {
            let (a, b) = (from.0 - since.0, to.0 - since.0);
            twice_the_area += (u128::from(a) + u128::from(b)) * u128::from(to.0 - from.0);
            peak = peak.max(b);
        }
    }
    if length == 0 {
        return MeanAndPeak { mean: Span(peak), peak: Span(peak) };
    }
    let length = u128::from(length);
    MeanAndPeak { mean: Span(((twice_the_area + length) / (2 * length)) as u64), peak: Span(peak) }
}

fn latency(world: &World<'_>, deliveries: &Deliveries<'_>) -> Option<Latency> {
    let mut all = Vec::new();
    for update in &world.updates {
        if let (true, Some(at)) = (update.bad_for.is_empty(), deliveries.delivered[update.number as usize - 1]) {
            all.push(world.facts[at].0.0 - update.at.0);
        }
    }
    all.sort();
    let n = all.len();
    if n == 0 {
        return None;
    }
    let quantile = |percent: usize| Span(all[(percent * n).div_ceil(100) - 1]);
    let sum: u128 = all.iter().map(|&length| u128::from(length)).sum();
    let mean = Span(((2 * sum + n as u128) / (2 * n as u128)) as u64);
    Some(Latency {
        min: Span(all[0]),
        mean,
        p50: quantile(50),
        p95: quantile(95),
        p99: quantile(99),
        max: Span(all[n - 1]),
    })
}

/// The longest time without a delivery while something was wanted. What is wanted for no time is not wanted.
fn starvation(deliveries: &Deliveries<'_>, stretches: &[(usize, Time, Time)]) -> Span {
    let mut longest = Span(0);
    let mut first = None;
    for &(place, from, to) in stretches {
        if deliveries.delivery(place) {
            first = None;
        }
        if deliveries.wanted(place) && from < to {
            longest = longest.max(to - *first.get_or_insert(from));
        }
    }
    longest
}

/// Whether the answer mixes versions.
fn is_mixed(world: &World<'_>, answer: &Value) -> bool {
    let versions = |field: usize| answer.fields.iter().filter(move |(f, _)| *f == field).map(|(_, version)| *version);
    let two_of_one = answer.fields.iter().any(|&(field, _)| versions(field).count() > 1);
    let half_of_an_update = world.updates.iter().any(|update| {
        let newer = update.set.iter().any(|(&field, &version)| versions(field).any(|v| v >= version));
        let older = update.set.iter().any(|(&field, &version)| versions(field).any(|v| v < version));
        newer && older
    });
    two_of_one || half_of_an_update
}

/// Whether a sink's answer is older than a world that it came from.
fn is_exposed(answer: &Value, newest_good: &[u32]) -> bool {
    answer.worlds.iter().any(|&(oracle, version)| version < newest_good[oracle])
}

/// All measures of a run at its horizon.
pub fn measure(world: &World<'_>, outcome: Outcome) -> Measures {
    let setting = world.setting;
    let (facts, horizon) = (&world.facts, setting.horizon);
    let value = |oracle: usize, making: u32| &world.answers[&(oracle, making)].value;
    let sinks = sinks(setting);
    let is_sink = |oracle: usize| sinks.contains(&oracle);
    let count = |which: &dyn Fn(&Fact<String>) -> bool| facts.iter().filter(|(_, fact)| which(fact)).count() as u64;

    // Deliveries.
    let made: Vec<usize> = (0..facts.len()).filter(|&place| matches!(facts[place].1, Fact::Updated { .. })).collect();
    let answered: Vec<(usize, usize, u32)> = world.answered.clone();
    let delivered = world.updates.iter().map(|update| {
        let by_sink = sinks_of(setting, update).into_iter().map(|sink| {
            let first = answered
                .iter()
                .find(|(_, r, making)| *r == sink && delivers(setting, sink, value(sink, *making), update));
            first.map(|(place, ..)| *place)
        });
        by_sink.collect::<Option<Vec<usize>>>().and_then(|places| places.into_iter().max())
    });
    let deliveries =
        Deliveries { updates: &world.updates, made, delivered: delivered.collect(), fields: setting.fields.len() };
    let valid = world.updates.iter().filter(|update| update.bad_for.is_empty());
    let (valid, delivered) = valid.fold((0, 0), |(valid, delivered), update| {
        let is = deliveries.delivered[update.number as usize - 1].is_some();
        (valid + 1, delivered + u64::from(is))
    });

    // From each fact to the next it stays as it is.
    let stretches: Vec<(usize, Time, Time)> = (0..facts.len())
        .map(|place| (place, facts[place].0, facts.get(place + 1).map_or(horizon, |(next, _)| *next)))
        .collect();
    let stale: Vec<_> = stretches.iter().map(|&(place, from, to)| (from, to, deliveries.stale_since(place))).collect();
    let ages: Vec<_> = stretches.iter().map(|&(place, from, to)| (from, to, deliveries.age_since(place))).collect();
    let first_delivery = ages.iter().find(|(_, _, since)| since.is_some()).map(|(from, ..)| *from);

    // Exposure.
    let mut exposure = 0;
    for &sink in &sinks {
        let mut newest_good = vec![1; setting.oracles.len()];
        let mut answer: Option<&Value> = None;
        for &(place, from, to) in &stretches {
            match facts[place].1 {
                Fact::WorldChanged { oracle, version, good: true } => newest_good[oracle] = version,
                Fact::Answered { who, making } if who.oracle == sink => answer = Some(value(sink, making)),
                _ => {}
            }
            if answer.is_some_and(|answer| is_exposed(answer, &newest_good)) {
                exposure += to.0 - from.0;
            }
        }
    }

    // What was taken.
    let mut taken = BTreeSet::new();
    let (mut claimed, mut unattributed, mut false_claims) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (_, fact) in facts {
        let Fact::Took { who, making, claim } = fact else { continue };
        let answer = (who.oracle, *making);
        taken.insert(answer);
        match claim {
            None => {
                unattributed.insert(answer);
            }
            Some(claim) => {
                claimed.insert(answer);
                if claim.is_false {
                    false_claims.insert((answer, claim.question.clone()));
                }
            }
        }
    }
    let successes: Vec<(usize, u32)> = facts
        .iter()
        .filter_map(|(_, fact)| match fact {
            Fact::Made { who, making, .. } => Some((who.oracle, *making)),
            _ => None,
        })
        .collect();
    let last_taken = |oracle: usize| taken.iter().filter(|(r, _)| *r == oracle).map(|(_, making)| *making).max();
    let hidden = successes
        .iter()
        .filter(|(oracle, making)| !is_sink(*oracle) && last_taken(*oracle).is_none_or(|last| *making > last));

    // Work.
    let (mut work, mut useful) = (0, 0);
    let mut began: BTreeMap<String, Time> = BTreeMap::new();
    for (place, (at, fact)) in facts.iter().enumerate() {
        match fact {
            Fact::Began { who, .. } => {
                began.insert(format!("{who:?}"), *at);
            }
            Fact::Dropped { who, .. } => work += at.0 - began[&format!("{who:?}")].0,
            Fact::Finished { who, success, .. } => {
                let lasted = at.0 - began[&format!("{who:?}")].0;
                work += lasted;
                if *success {
                    let answer = facts[place..].iter().find_map(|(_, fact)| match fact {
                        Fact::Made { who: maker, making, .. } if maker == who => Some((who.oracle, *making)),
                        _ => None,
                    });
                    if taken.contains(&answer.expect("a success makes an answer")) {
                        useful += lasted;
                    }
                }
            }
            _ => {}
        }
    }

    Measures {
        outcome,
        updates: world.updates.len() as u64,
        valid,
        delivered,
        censored: valid - delivered,
        latency: latency(world, &deliveries),
        starvation: starvation(&deliveries, &stretches),
        staleness: mean_and_peak(&stale, horizon.0),
        age: first_delivery.map(|first| mean_and_peak(&ages, horizon.0 - first.0)),
        taken: taken.len() as u64,
        misattributed: false_claims.len() as u64,
        unattributed: unattributed.len() as u64,
        claimed: claimed.len() as u64,
        tampered_taken: taken.iter().filter(|(oracle, making)| value(*oracle, *making).evil).count() as u64,
        tampered_answered: successes
            .iter()
            .filter(|(oracle, making)| is_sink(*oracle) && value(*oracle, *making).evil)
            .count() as u64,
        hidden: hidden.count() as u64,
        mixed: taken.iter().filter(|(oracle, making)| is_mixed(world, value(*oracle, *making))).count() as u64,
        exposure: Span(exposure),
        work: Span(work),
        wasted: Span(work - useful),
        writes: count(&|fact| matches!(fact, Fact::Wrote { why, .. } if !matches!(why, Why::Tampered | Why::PutBack))),
        reverts: count(&|fact| matches!(fact, Fact::Wrote { why: Why::Reverted, .. })),
        passes: count(&|fact| matches!(fact, Fact::PassBegan)),
    }
}
