//! What an `[[oracle]]` says of its controller and its object (contract §3).

use super::document::{Table, Value};
use super::duration::always_zero;
use super::failure::{Mistake, Read};
use super::wording::{helped, meant, quoted};
use crate::catalogue;
use crate::model::setting::{Flaps, Health, Probability, Retry, StatusPhase};
use crate::model::{Axis, Oracle};

/// Whose a setting is.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    /// The object's or its template's: it has it with or without a controller.
    Object,
    /// Its controller's: without one it means nothing.
    Controller,
}

/// One key, and how its value changes the oracle.
type Setting = (&'static str, Of, fn(&Value<'_>, &mut Oracle) -> Read<()>);

/// Every setting of an oracle.
const SETTINGS: &[Setting] = &[
    ("notice", Of::Controller, |value, oracle| put(&mut oracle.notice, value.length())),
    ("work", Of::Controller, |value, oracle| put(&mut oracle.work, value.length())),
    ("gap", Of::Controller, |value, oracle| put(&mut oracle.gap, value.length())),
    ("answer_lag", Of::Controller, |value, oracle| put(&mut oracle.answer_lag, value.length())),
    ("acknowledges", Of::Controller, |value, oracle| put(&mut oracle.acknowledges, value.axis())),
    ("while_working", Of::Controller, |value, oracle| put(&mut oracle.while_working, value.axis())),
    ("on_new_question", Of::Controller, |value, oracle| put(&mut oracle.on_new_question, value.axis())),
    ("between", Of::Controller, |value, oracle| put(&mut oracle.between, value.axis())),
    ("retention", Of::Controller, |value, oracle| put(&mut oracle.retention, value.axis())),
    ("reports_failure", Of::Controller, |value, oracle| put(&mut oracle.reports_failure, value.flag())),
    ("reports", Of::Object, |value, oracle| put(&mut oracle.reports, value.axis())),
    ("reproducible", Of::Object, |value, oracle| put(&mut oracle.reproducible, value.flag())),
    ("reconciles", Of::Object, |value, oracle| put(&mut oracle.reconciles, value.flag())),
    ("healthy", Of::Object, |value, oracle| put(&mut oracle.healthy, value.axis())),
    ("health", Of::Object, |value, oracle| put(&mut oracle.health, health(value).map(Some))),
    ("policy", Of::Object, |value, oracle| put(&mut oracle.fixed, catalogue::fixed(value))),
    ("fails", Of::Controller, |value, oracle| put(&mut oracle.fails, probability(value))),
    ("fails_first", Of::Controller, |value, oracle| put(&mut oracle.fails_first, value.small())),
    ("hangs", Of::Controller, |value, oracle| put(&mut oracle.hangs, probability(value))),
    ("retry", Of::Controller, |value, oracle| put(&mut oracle.retry, retry(value).map(Some))),
    ("flaps", Of::Controller, |value, oracle| put(&mut oracle.flaps, flaps(value).map(Some))),
    ("workers", Of::Controller, |value, oracle| put(&mut oracle.workers, workers(value).map(Some))),
];

fn put<T>(place: &mut T, read: Read<T>) -> Read<()> {
    *place = read?;
    Ok(())
}

/// The keys of all settings.
pub(crate) fn setting_keys() -> impl Iterator<Item = &'static str> + Clone {
    SETTINGS.iter().map(|(key, ..)| *key)
}

/// The table of an `[[oracle]]`.
pub(crate) fn open<'a>(row: &Value<'a>) -> Read<Table<'a>> {
    let keys = ["name", "asks", "like"].into_iter().chain(setting_keys());
    row.table("an oracle", keys, "[[oracle]]")
}

/// `oracle` has its name and what it asks; here come the profile it is like and its settings.
pub(crate) fn read(table: &Table<'_>, mut oracle: Oracle) -> Read<Oracle> {
    if let Some(like) = table.get("like") {
        let profile = profile(&like)?;
        oracle = Oracle { name: oracle.name, asks: oracle.asks, ..profile };
    }
    settings(table, &mut oracle)?;
    controller_wanted(table, &oracle)?;
    retries_end(table, &oracle)?;
    Ok(oracle)
}

/// Every setting that the table has.
pub(crate) fn settings(table: &Table<'_>, oracle: &mut Oracle) -> Read<()> {
    for (key, _, apply) in SETTINGS {
        if let Some(value) = table.get(key) {
            apply(&value, oracle)?;
        }
    }
    Ok(())
}

fn profile(like: &Value<'_>) -> Read<Oracle> {
    let name = like.text("the name of a profile", "kpack/Image")?;
    catalogue::profile(name).map(|profile| profile.oracle.clone()).ok_or_else(|| {
        let mistake = Mistake::at(like.place(), format!("no profile is named {}", quoted(name)));
        let names = catalogue::profiles().iter().map(|profile| profile.name.as_str());
        helped(mistake, meant(name, "the profiles", names))
    })
}

/// Where nobody reconciles, a controller's settings say nothing.
fn controller_wanted(table: &Table<'_>, oracle: &Oracle) -> Read<()> {
    if oracle.reconciles {
        return Ok(());
    }
    let of_controller = |key: &str| SETTINGS.iter().any(|(name, of, _)| *name == key && *of == Of::Controller);
    match table.entries().into_iter().find(|(_, value)| of_controller(value.key())) {
        None => Ok(()),
        Some((place, value)) => Err(Mistake::at(
            place,
            format!("{} is a controller's, and {} has none", quoted(value.key()), quoted(&oracle.name)),
        )
        .also(table.key_place("reconciles"), "no controller reconciles it")
        .help("an object that is not reconciled answers in the instant it is written; take one of the two away")),
    }
}

/// An attempt that takes no time, repeated without end and without a wait, would stop the clock.
fn retries_end(table: &Table<'_>, oracle: &Oracle) -> Read<()> {
    let Some(retry) = &oracle.retry else { return Ok(()) };
    let no_wait = always_zero(&retry.backoff) || retry.max.is_some_and(|max| max.0 == 0) || retry.factor < 1.0;
    if !no_wait || !always_zero(&oracle.work) || retry.attempts.is_some() {
        return Ok(());
    }
    Err(Mistake::at(table.key_place("retry"), "this may be tried again and again without time passing").help(
        "give it `work` that takes time, a `backoff` that does not shrink to nothing, or a limit: `attempts = 5`",
    ))
}

/// A probability between 0 and 1.
pub(crate) fn probability(value: &Value<'_>) -> Read<Probability> {
    let number = value.number("a probability between 0 and 1", "0.05")?;
    Probability::new(number).ok_or_else(|| {
        let mistake = Mistake::at(value.place(), "a probability lies between 0 and 1");
        if (2.0..=100.0).contains(&number) {
            mistake.help(format!("for {number} percent, write {}", number / 100.0))
        } else {
            mistake.help("0 is never, 1 is always, 0.05 is one in twenty")
        }
    })
}

fn retry(value: &Value<'_>) -> Read<Retry> {
    let example = r#"retry = { backoff = "30s", factor = 2.0, max = "10m", attempts = 5 }"#;
    let table = value.table("`retry`", ["backoff", "factor", "max", "attempts"], example)?;
    let backoff = table.need("backoff", r#"backoff = "30s""#)?.length()?;
    let factor = match table.get("factor") {
        None => 1.0,
        Some(value) => match value.number("a number above 0", "2.0")? {
            factor if factor > 0.0 => factor,
            _ => {
                return Err(Mistake::at(value.place(), "`factor` must be above 0")
                    .help("2.0 doubles each wait, 1 leaves them alike, 0.5 halves them"));
            }
        },
    };
    let max = match table.get("max") {
        None => None,
        Some(value) => Some((value.span()?, value.place())),
    };
    if let (crate::model::Length::Fixed(backoff), Some((max, place))) = (&backoff, &max)
        && max < backoff
    {
        return Err(Mistake::at(place.clone(), format!("no wait is longer than {max}, yet the first is {backoff}"))
            .help("make `max` as long as `backoff` or longer"));
    }
    let attempts = match table.get("attempts") {
        None => None,
        Some(value) => Some(value.some("the first attempt counts: `attempts = 1` never retries")?),
    };
    Ok(Retry { backoff, factor, max: max.map(|(max, _)| max), attempts })
}

fn flaps(value: &Value<'_>) -> Read<Flaps> {
    let example = r#"flaps = { up = "10m", down = "1m", to = "unknown" }"#;
    let table = value.table("`flaps`", ["up", "down", "to"], example)?;
    let up = table.need("up", r#"up = "10m""#)?.length()?;
    let down = table.need("down", r#"down = "1m""#)?.length()?;
    if always_zero(&up) && always_zero(&down) {
        return Err(Mistake::at(value.place(), "it would flap without end in one instant: `up` and `down` are zero")
            .help("let one of the two take time, as in `up = \"10m\"`"));
    }
    let to = table.need("to", r#"to = "unknown""#)?.axis()?;
    Ok(Flaps { up, down, to })
}

fn health(value: &Value<'_>) -> Read<Health> {
    let phases = || StatusPhase::ALL.iter().copied();
    let table = value.table("`health`", phases().map(Axis::name), r#"health = { later_work = "true" }"#)?;
    phases().try_fold(Health::default(), |health, phase| match table.get(phase.name()) {
        None => Ok(health),
        Some(reads) => Ok(health.but(phase, reads.axis()?)),
    })
}

fn workers(value: &Value<'_>) -> Read<u32> {
    value.some("without a worker nothing is ever done; without `workers` there are as many as wanted")
}
