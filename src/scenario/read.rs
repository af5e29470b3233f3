//! The whole file: every table in its turn.

use super::befalls::Run;
use super::document::{self, Table, Value};
use super::failure::{Lines, Mistake, Read};
use super::names::{Names, name_itself};
use super::wording::quoted;
use super::{Scenario, chain, expectations, policies};
use crate::model::setting::{Choreographer, MAX_FIELDS, ReadsFrom};
use crate::model::{Setting, Span, Time};

/// Every key at the top of a scenario.
const KEYS: &[&str] = &[
    "about",
    "source",
    "horizon",
    "workload",
    "update",
    "oracle",
    "world",
    "outage",
    "tamper",
    "forge",
    "restart",
    "choreographer",
    "policy",
    "expect",
];

/// Probes go on for another horizon past the horizon (contract §10.7), and must still be able to tell the time.
const LONGEST_HORIZON: Span = Span(u64::MAX / 2);

/// The model numbers what befalls a run in 16 bits; far fewer are enough for a file that a person can read.
const MOST_ROWS: usize = 10_000;

/// Reads the text of a scenario that goes by this name.
pub(crate) fn scenario(name: String, text: &str) -> Read<Scenario> {
    let document = document::parse(text)?;
    let top = Table::document("a scenario", &document, KEYS)?;
    let about = top
        .need("about", r#"about = "Commits come faster than the builder builds.""#)?
        .line("Commits come faster than the builder builds.")?;
    let source = match top.get("source") {
        None => None,
        Some(value) => Some(value.line("RFC 20, Tradeoffs")?),
    };
    let horizon = horizon(&top)?;
    let mut names = workload(&top)?;
    let oracles = chain::read(&top.rows("oracle")?, &mut names)?;
    let mut setting = Setting::new(horizon, names.fields.clone(), oracles);
    setting.choreographer = choreographer(&top, horizon)?;
    let run = Run { horizon, names: &names, oracles: &setting.oracles };
    setting.updates = each(&top, "update", |row| run.update(row))?;
    setting.worlds = each(&top, "world", |row| run.world(row))?;
    setting.outages = each(&top, "outage", |row| run.outage(row))?;
    setting.tampers = each(&top, "tamper", |row| run.tamper(row))?;
    setting.forges = each(&top, "forge", |row| run.forge(row))?;
    setting.restarts = each(&top, "restart", |row| run.restart(row))?;
    let policies = policies::read(&top.rows("policy")?)?;
    let lines = Lines::of(text);
    let expectations = each(&top, "expect", |row| expectations::read(row, &policies, &lines))?;
    Ok(Scenario { name, about, source, setting, policies, expectations })
}

fn each<T>(top: &Table<'_>, key: &str, read: impl Fn(&Value<'_>) -> Read<T>) -> Read<Vec<T>> {
    let rows = top.rows(key)?;
    if let Some(row) = rows.get(MOST_ROWS) {
        return Err(Mistake::at(row.place(), format!("there are more than {MOST_ROWS} `[[{key}]]`"))
            .help("a stream, with `every`, makes many of a kind"));
    }
    rows.iter().map(read).collect()
}

fn horizon(top: &Table<'_>) -> Read<Time> {
    let value = top.need("horizon", r#"horizon = "3h""#)?;
    match value.span()? {
        Span::ZERO => Err(Mistake::at(value.place(), "the run ends before it begins: its horizon is zero")
            .help("let it run for a while, as in `horizon = \"3h\"`")),
        span if span > LONGEST_HORIZON => Err(Mistake::at(value.place(), "the horizon is too far away").help(format!(
            "a run of nanoseconds in 64 bits, and a look beyond its end, allow {} days",
            LONGEST_HORIZON.0 / Span::DAY.0
        ))),
        span => Ok(Time(span.0)),
    }
}

/// The workload's fields; the oracles are not known yet.
fn workload(top: &Table<'_>) -> Read<Names> {
    let mut names = Names { fields: vec!["source".into()], field_places: Vec::new(), oracles: Vec::new() };
    let Some(value) = top.get("workload") else { return Ok(names) };
    let table = value.table("the workload", ["fields"], "[workload]")?;
    let Some(fields) = table.get("fields") else { return Ok(names) };
    let values = fields.list("a list of names", r#"as in `fields = ["source", "env"]`"#)?;
    if values.is_empty() {
        return Err(Mistake::at(fields.place(), "a workload without fields has nothing to ask for")
            .help(r#"name at least one, as in `fields = ["source"]`"#));
    }
    if let Some(value) = values.get(MAX_FIELDS) {
        return Err(Mistake::at(
            value.place(),
            format!("a workload has at most {MAX_FIELDS} fields, and this is one more"),
        )
        .help("fields that always change together can be one"));
    }
    names.fields = super::names::distinct(&values, |value| name_itself(value, "source").map(str::to_owned))?;
    names.field_places = values.iter().map(Value::place).collect();
    Ok(names)
}

fn choreographer(top: &Table<'_>, horizon: Time) -> Read<Choreographer> {
    let mut choreographer = Choreographer::default();
    let Some(value) = top.get("choreographer") else { return Ok(choreographer) };
    let keys = ["watch", "visit", "reads_from", "cache_lag", "resync"];
    let table = value.table("the choreographer", keys, "[choreographer]")?;
    if let Some(value) = table.get("watch") {
        choreographer.watch = value.length()?;
    }
    if let Some(value) = table.get("visit") {
        choreographer.visit = value.length()?;
    }
    if let Some(value) = table.get("reads_from") {
        choreographer.reads_from = value.axis()?;
    }
    if let Some(value) = table.get("resync") {
        choreographer.resync = Some(value.interval(horizon.since(Time::ZERO), None)?);
    }
    if let Some(value) = table.get("cache_lag") {
        choreographer.cache_lag = value.length()?;
        if choreographer.reads_from != ReadsFrom::Cache {
            let place = table.key_place("cache_lag");
            return Err(Mistake::at(
                place,
                format!("{} says how far a cache follows, and none is read", quoted("cache_lag")),
            )
            .help("add `reads_from = \"cache\"`, or take `cache_lag` away"));
        }
    }
    Ok(choreographer)
}
