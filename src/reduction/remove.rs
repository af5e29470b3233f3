//! What can be taken out of a scenario.

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value as Toml};

use super::place::{self, Step};
use super::{Reducer, words};

/// Takes out entries of the lists that a run is made of: halves first, then ever smaller parts (delta debugging: Zeller and
/// Hildebrandt, IEEE Transactions on Software Engineering 28(2), 2002).
pub(super) fn entries(reducer: &mut Reducer) {
    for key in ["update", "world", "outage", "tamper", "forge", "restart", "policy"] {
        let number = |reducer: &Reducer| list(&reducer.document, key).map_or(0, ArrayOfTables::len);
        reducer.attempt(|document| drop(document.remove(key)));
        let mut part = number(reducer);
        while part > 0 {
            let mut from = 0;
            while from < number(reducer) {
                let taken = reducer.attempt(|document| {
                    let to = (from + part).min(list(document, key).map_or(0, ArrayOfTables::len));
                    if let Some(Item::ArrayOfTables(entries)) = document.get_mut(key) {
                        (from..to).rev().for_each(|at| drop(entries.remove(at)));
                    }
                    tidy(document, key);
                });
                if !taken {
                    from += part;
                }
            }
            part /= 2;
        }
    }
}

fn list<'d>(document: &'d DocumentMut, key: &str) -> Option<&'d ArrayOfTables> {
    document.get(key).and_then(Item::as_array_of_tables)
}

/// An empty list would be printed as nothing; it need not be there.
fn tidy(document: &mut DocumentMut, key: &str) {
    if list(document, key).is_some_and(ArrayOfTables::is_empty) {
        document.remove(key);
    }
}

/// Takes out oracles: whoever asks one asks what it asked.
pub(super) fn oracles(reducer: &mut Reducer) {
    for name in names(&reducer.document) {
        reducer.attempt(|document| take_out(document, &name));
    }
}

fn names(document: &DocumentMut) -> Vec<String> {
    let oracles = list(document, "oracle").into_iter().flat_map(|oracles| oracles.iter());
    oracles.filter_map(|oracle| oracle.get("name").and_then(Item::as_str)).map(str::to_owned).collect()
}

fn asks(oracle: &Table) -> Vec<String> {
    let asks = oracle.get("asks").and_then(Item::as_array).into_iter().flat_map(|asks| asks.iter());
    asks.filter_map(Toml::as_str).map(str::to_owned).collect()
}

fn take_out(document: &mut DocumentMut, name: &str) {
    let is = |table: &Table, key: &str| table.get(key).and_then(Item::as_str) == Some(name);
    if let Some(Item::ArrayOfTables(oracles)) = document.get_mut("oracle") {
        let in_its_place = oracles.iter().find(|oracle| is(oracle, "name")).map(asks).unwrap_or_default();
        oracles.retain(|oracle| !is(oracle, "name"));
        for oracle in oracles.iter_mut() {
            replace_question(oracle, name, &in_its_place);
        }
    }
    for key in ["world", "outage", "tamper", "forge"] {
        if let Some(Item::ArrayOfTables(entries)) = document.get_mut(key) {
            entries.retain(|entry| !is(entry, "oracle") && !is(entry, "input"));
        }
        tidy(document, key);
    }
    if let Some(Item::ArrayOfTables(updates)) = document.get_mut("update") {
        updates.iter_mut().for_each(|update| is_good_for(update, name));
    }
}

fn replace_question(oracle: &mut Table, asked: &str, instead: &[String]) {
    let before = asks(oracle);
    if !before.iter().any(|question| question == asked) {
        return;
    }
    let mut after: Vec<&str> = Vec::new();
    for question in &before {
        let questions: Vec<&str> = match question == asked {
            true => instead.iter().map(String::as_str).collect(),
            false => vec![question],
        };
        for question in questions {
            if !after.contains(&question) {
                after.push(question);
            }
        }
    }
    oracle.insert("asks", Item::Value(words(after)));
}

fn is_good_for(update: &mut Table, name: &str) {
    let empty = match update.get_mut("bad_for") {
        Some(Item::Value(Toml::Array(names))) => {
            names.retain(|other| other.as_str() != Some(name));
            names.fmt();
            names.is_empty()
        }
        Some(chances) => chances.as_table_like_mut().is_some_and(|chances| {
            chances.remove(name);
            chances.is_empty()
        }),
        None => false,
    };
    if empty {
        update.remove("bad_for");
    }
}

/// Takes out fields of the workload, wherever they are set or asked for.
pub(super) fn fields(reducer: &mut Reducer) {
    let fields = |document: &DocumentMut| -> Vec<String> {
        let fields = document.get("workload").and_then(|workload| workload.get("fields")).and_then(Item::as_array);
        let fields = fields.into_iter().flat_map(|fields| fields.iter());
        fields.filter_map(Toml::as_str).map(str::to_owned).collect()
    };
    // The first are those that a person thought of first.
    for field in fields(&reducer.document).into_iter().rev() {
        reducer.attempt(|document| {
            let rest: Vec<String> = fields(document).into_iter().filter(|other| *other != field).collect();
            document["workload"]["fields"] = Item::Value(words(rest.iter().map(String::as_str)));
            if let Some(Item::ArrayOfTables(updates)) = document.get_mut("update") {
                for update in updates.iter_mut() {
                    if let Some(set) = update.get_mut("set").and_then(Item::as_array_mut) {
                        set.retain(|other| other.as_str() != Some(&field));
                        set.fmt();
                    }
                }
                updates.retain(|update| update.get("set").and_then(Item::as_array).is_none_or(|set| !set.is_empty()));
            }
            tidy(document, "update");
            if let Some(Item::ArrayOfTables(oracles)) = document.get_mut("oracle") {
                oracles.iter_mut().for_each(|oracle| replace_question(oracle, &format!("workload.{field}"), &[]));
            }
        });
    }
}

/// What says what the scenario is about, and what must fail, stays.
const STAYS: [&str; 5] = ["about", "source", "horizon", "expect", "name"];

/// Takes out whatever else can be, the larger before the smaller: keys, and entries of lists.
pub(super) fn everything(reducer: &mut Reducer) {
    let mut at = 0;
    loop {
        let places = place::all(&reducer.document);
        let Some(place) = places.get(at) else { return };
        let stays = matches!(place.first(), Some(Step::Key(key)) if STAYS.contains(&key.as_str()))
            || matches!(place.last(), Some(Step::Key(key)) if STAYS.contains(&key.as_str()));
        let taken = !stays
            && reducer.attempt(|document| {
                place::remove(document, place);
                if let [Step::Key(key), Step::At(_)] = place.as_slice() {
                    tidy(document, key);
                }
            });
        if !taken {
            at += 1;
        }
    }
}
