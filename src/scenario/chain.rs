//! The chain: the oracles in file order, and who asks whom.

use std::collections::VecDeque;

use super::document::Value;
use super::failure::{Mistake, Place, Read};
use super::names::{Names, WORKLOAD, distinct, new_name};
use super::oracle;
use super::wording::{all_of, helped, meant, nearest, quoted};
use crate::model::setting::{MAX_ORACLES, Source};
use crate::model::{FieldId, Oracle, OracleId};

/// The names of the oracles, and each `asks` to be read when all names are known.
struct Row<'a> {
    name: &'a str,
    name_place: Place,
    asks: Vec<Value<'a>>,
}

/// Reads every `[[oracle]]`. Of `names`, the fields are given and the oracles are found.
pub(crate) fn read(rows: &[Value<'_>], names: &mut Names) -> Read<Vec<Oracle>> {
    if rows.is_empty() {
        return Err(Mistake::at(0..0, "a scenario wants at least one oracle")
            .help("add one:\n[[oracle]]\nname = \"image\"\nasks = [\"workload.source\"]\nwork = \"3m\""));
    }
    if let Some(row) = rows.get(MAX_ORACLES) {
        return Err(Mistake::at(
            row.place(),
            format!("a chain has at most {MAX_ORACLES} oracles, and this is one more"),
        )
        .help(format!("there are {}; take some away, or split the scenario", rows.len())));
    }
    let tables = rows.iter().map(oracle::open).collect::<Read<Vec<_>>>()?;
    let mut chain: Vec<Row<'_>> = Vec::with_capacity(tables.len());
    for table in &tables {
        let name = new_name(table, "image")?;
        let name_place = table.get("name").map_or(table.place(), |value| value.place());
        if let Some(earlier) = chain.iter().find(|row| row.name == name) {
            return Err(Mistake::at(name_place, format!("two oracles are named {}", quoted(name)))
                .also(earlier.name_place.clone(), "the first")
                .help("give each oracle a name of its own"));
        }
        let asks = table
            .need("asks", &format!("asks = [\"{WORKLOAD}{}\"]", names.fields[0]))?
            .list("a list of what it asks", &format!("as in `asks = [\"{WORKLOAD}{}\"]`", names.fields[0]))?;
        chain.push(Row { name, name_place, asks });
    }
    names.oracles = chain.iter().map(|row| row.name.to_owned()).collect();

    let mut oracles = Vec::with_capacity(chain.len());
    for (index, (row, table)) in chain.iter().zip(&tables).enumerate() {
        let asks = distinct(&row.asks, |ask| source(ask, index, &chain, &names.fields))?;
        oracles.push(oracle::read(table, Oracle::new(row.name, asks))?);
    }
    every_field_asked(rows, &oracles, names)?;
    Ok(oracles)
}

/// Where the input that oracle `index` names here comes from.
fn source(ask: &Value<'_>, index: usize, chain: &[Row<'_>], fields: &[String]) -> Read<Source> {
    let name = ask.text("names", &format!("{WORKLOAD}{}", fields[0]))?;
    if let Some(field) = name.strip_prefix(WORKLOAD) {
        return match fields.iter().position(|known| known == field) {
            Some(place) => Ok(Source::Field(FieldId(place as u16))),
            None => {
                let mistake = Mistake::at(ask.place(), format!("the workload has no field {}", quoted(field)));
                let all: Vec<String> = fields.iter().map(|field| format!("{WORKLOAD}{field}")).collect();
                Err(helped(mistake, meant(name, "its fields", all.iter().map(String::as_str)))
                    .help("what fields it has is said under `[workload]`: `fields = [...]`"))
            }
        };
    }
    match chain.iter().position(|row| row.name == name) {
        Some(asked) if asked < index => Ok(Source::Oracle(OracleId(asked as u16))),
        Some(asked) => Err(out_of_order(ask, index, asked, chain)),
        None => Err(nobody(ask, name, index, chain, fields)),
    }
}

/// An oracle asks itself or one that comes later: a cycle, or merely the wrong order.
fn out_of_order(ask: &Value<'_>, index: usize, asked: usize, chain: &[Row<'_>]) -> Mistake {
    let (this, other) = (chain[index].name, chain[asked].name);
    if index == asked {
        return Mistake::at(ask.place(), format!("{} asks itself", quoted(this)))
            .help("an oracle may ask the workload and the oracles before it; take this away");
    }
    if let Some(path) = path(asked, index, chain) {
        let round: Vec<_> = std::iter::once(index).chain(path).map(|oracle| chain[oracle].name).collect();
        return Mistake::at(ask.place(), format!("the oracles ask in a circle: {}", round.join(" -> ")))
            .label(format!("{} asks {}, which waits for {}", quoted(this), quoted(other), quoted(this)))
            .help("`a -> b` says that a asks b; an answer can only come once one of them no longer asks the next");
    }
    Mistake::at(ask.place(), format!("{} asks {}, which comes later in the file", quoted(this), quoted(other)))
        .also(chain[asked].name_place.clone(), "named here")
        .help(format!("the chain is in file order: move the `[[oracle]]` {} above {}", quoted(other), quoted(this)))
}

/// The oracles on a shortest way of asking from `from` to `to`, both included.
fn path(from: usize, to: usize, chain: &[Row<'_>]) -> Option<Vec<usize>> {
    let mut asker_of = vec![None; chain.len()];
    let mut frontier = VecDeque::from([from]);
    while let Some(asker) = frontier.pop_front() {
        if asker == to {
            let mut way: Vec<usize> = std::iter::successors(Some(to), |oracle| asker_of[*oracle]).collect();
            way.reverse();
            return Some(way);
        }
        for name in chain[asker].asks.iter().filter_map(Value::as_text) {
            match chain.iter().position(|row| row.name == name) {
                Some(asked) if asked != from && asker_of[asked].is_none() => {
                    asker_of[asked] = Some(asker);
                    frontier.push_back(asked);
                }
                _ => {}
            }
        }
    }
    None
}

/// Nothing that could be asked bears this name.
fn nobody(ask: &Value<'_>, name: &str, index: usize, chain: &[Row<'_>], fields: &[String]) -> Mistake {
    let mistake = Mistake::at(ask.place(), format!("no oracle is named {}", quoted(name)));
    let qualified: Vec<String> = fields.iter().map(|field| format!("{WORKLOAD}{field}")).collect();
    let before = chain[..index].iter().map(|row| row.name);
    let mistake = match fields.iter().position(|field| field == name) {
        Some(field) => mistake.help(format!("for the workload's field, write {}", quoted(&qualified[field]))),
        None => match nearest(name, before.clone().chain(qualified.iter().map(String::as_str))) {
            Some(meant) => mistake.help(format!("did you mean {}?", quoted(meant))),
            None => mistake,
        },
    };
    let askable = all_of(before.chain(qualified.iter().map(String::as_str)));
    mistake.help(format!("{} may ask {askable}", quoted(chain[index].name)))
}

/// A field that nobody asks changes nothing, so it is a slip.
fn every_field_asked(rows: &[Value<'_>], oracles: &[Oracle], names: &Names) -> Read<()> {
    let asked = |field: usize| {
        let source = Source::Field(FieldId(field as u16));
        oracles.iter().any(|oracle| oracle.asks.contains(&source))
    };
    match (0..names.fields.len()).find(|field| !asked(*field)) {
        None => Ok(()),
        Some(field) => {
            let name = &names.fields[field];
            let (place, or) = match names.field_places.get(field) {
                Some(place) => (place.clone(), format!("take {} out of `fields`", quoted(name))),
                None => (rows[0].place(), "say under `[workload]` which `fields` there are".to_owned()),
            };
            Err(Mistake::at(place, format!("no oracle asks the workload's field {}", quoted(name)))
                .help(format!("let an oracle ask `{WORKLOAD}{name}`, or {or}")))
        }
    }
}
