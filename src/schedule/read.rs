//! Schedules in, with errors that teach.

use super::Schedule;
use super::words::{KINDS, Of};
use crate::explore::{Property, Refutation, Step};
use crate::model::{Event, ObjectId, OracleId, Setting};
use crate::scenario::document::{self, Table, Value};
use crate::scenario::failure::{Mistake, Read};
use crate::scenario::wording::{helped, meant, quoted};

const KEYS: &[&str] = &["policy", "property", "repeats_from", "step"];
const STEP_KEYS: &[&str] = &["do", "item", "oracle", "object", "draws"];
/// No counterexample is longer.
const MOST_STEPS: usize = 100_000;

pub(super) fn schedule(text: &str, setting: &Setting) -> Read<Schedule> {
    let document = document::parse(text)?;
    let top = Table::document("a schedule", &document, KEYS)?;
    let policy =
        top.need("policy", "policy = \"read-always\"")?.text("the name of a policy", "read-always")?.to_owned();
    let property = top.get("property").map(|value| value.axis::<Property>()).transpose()?;
    let rows = top.rows("step")?;
    if let Some(row) = rows.get(MOST_STEPS) {
        return Err(Mistake::at(row.place(), format!("there are more than {MOST_STEPS} steps")));
    }
    let steps = rows.iter().map(|row| step(row, setting)).collect::<Read<Vec<_>>>()?;
    let cycle_from = match top.get("repeats_from") {
        None => None,
        Some(value) => match value.count()? {
            from if (1..=steps.len() as u64).contains(&from) => Some(from as usize - 1),
            _ => {
                return Err(Mistake::at(value.place(), "there is no such step")
                    .help(format!("the steps are counted from 1 to {}", steps.len())));
            }
        },
    };
    Ok(Schedule { policy, property, refutation: Refutation { steps, cycle_from } })
}

fn step(row: &Value<'_>, setting: &Setting) -> Read<Step> {
    let table = row.table("a step", STEP_KEYS.iter().copied(), "[[step]]")?;
    let does = table.need("do", "do = \"wake\"")?;
    let word = does.text("what happens", "wake")?;
    let Some((_, of)) = KINDS.iter().find(|(kind, _)| *kind == word) else {
        let mistake = Mistake::at(does.place(), format!("no step does {}", quoted(word)));
        return Err(helped(mistake, meant(word, "the steps", KINDS.iter().map(|(kind, _)| *kind))));
    };
    let event = match *of {
        Of::PutRight => return Ok(Step::PutRight),
        Of::PutRightAndUpdate => return Ok(Step::PutRightAndUpdate),
        Of::Nobody(event) => event,
        Of::Item(make, count) => make(item(&table, word, count(setting))?),
        Of::Oracle(make) => make(oracle(&table, setting)?),
        Of::Object(make) => make(object(&table, setting)?),
    };
    check_words(event, setting, &does)?;
    let draws = match table.get("draws") {
        None => Vec::new(),
        Some(value) => {
            value.list("how the draws fall", "[true, false]")?.iter().map(Value::flag).collect::<Read<Vec<_>>>()?
        }
    };
    Ok(Step::Event(event, draws))
}

/// What an oracle can never do would be no step of any run.
fn check_words(event: Event, setting: &Setting, does: &Value<'_>) -> Read<()> {
    let puts_back = matches!(event, Event::PutBack(item) if setting.tampers[item as usize].until.is_none());
    match puts_back {
        true => Err(Mistake::at(does.place(), "this tampering is never put back").help("it has no `until`")),
        false => Ok(()),
    }
}

fn item(table: &Table<'_>, word: &str, count: usize) -> Read<u16> {
    let value = table.need("item", "item = 1")?;
    match value.count()? {
        item if (1..=count as u64).contains(&item) => Ok(item as u16 - 1),
        _ => {
            let mistake = Mistake::at(value.place(), format!("the scenario has no such item for {}", quoted(word)));
            Err(mistake.help(match count {
                0 => "it has none".to_owned(),
                count => format!("they are counted from 1 to {count}, in the order of the file"),
            }))
        }
    }
}

fn oracle(table: &Table<'_>, setting: &Setting) -> Read<OracleId> {
    let value = table.need("oracle", "oracle = \"image\"")?;
    let name = value.text("the name of an oracle", "image")?;
    let names = || setting.oracles.iter().map(|oracle| oracle.name.as_str());
    match names().position(|other| other == name) {
        Some(at) => Ok(OracleId(at as u16)),
        None => {
            let mistake = Mistake::at(value.place(), format!("no oracle is named {}", quoted(name)));
            Err(helped(mistake, meant(name, "the oracles", names())))
        }
    }
}

/// The oracle's one object, its shadow, or an immutable object by its number.
fn object(table: &Table<'_>, setting: &Setting) -> Read<ObjectId> {
    let oracles = setting.oracles.len() as u32;
    let slot = match table.get("object") {
        None => u32::from(oracle(table, setting)?.0),
        Some(value) if value.as_text() == Some("shadow") => oracles + u32::from(oracle(table, setting)?.0),
        Some(value) => {
            let number = value.small().ok().filter(|&number| number > 0 && (number as usize) < MOST_STEPS);
            let number = number.ok_or_else(|| {
                Mistake::at(value.place(), "this names no object")
                    .help("`object = \"shadow\"`, or the number of an immutable object, from 1")
            })?;
            2 * oracles + number - 1
        }
    };
    Ok(ObjectId { slot, life: 0 })
}
