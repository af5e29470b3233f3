//! A stream of updates as the updates that one run makes of it, so that each can be taken out.

use toml_edit::{ArrayOfTables, Item, Table, Value as Toml};

use super::{Reducer, words};
use crate::measure::Observer;
use crate::model::{Fact, Plan, Time};
use crate::simulate::Simulator;

/// Longer streams stay streams.
const MOST: usize = 400;

/// When each update of the scenario comes: its entry, its time, and whether it is bad for some oracle.
#[derive(Default)]
struct Arrivals(Vec<(usize, Time, bool)>);

impl Observer for Arrivals {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        if let Fact::Updated { item, valid, .. } = *fact {
            self.0.push((item.into(), at, !valid));
        }
    }
}

/// Writes out streams of updates.
pub(super) fn write_out(reducer: &mut Reducer) {
    let number = reducer.document.get("update").and_then(Item::as_array_of_tables).map_or(0, ArrayOfTables::len);
    for entry in (0..number).rev() {
        let is_stream = reducer.document["update"].as_array_of_tables().and_then(|updates| updates.get(entry));
        let is_stream = is_stream.is_some_and(|update| update.contains_key("every"));
        let arrivals = if is_stream { arrivals(reducer) } else { Arrivals::default() };
        let of_entry: Vec<_> = arrivals.0.into_iter().filter(|&(item, ..)| item == entry).collect();
        if of_entry.is_empty() || of_entry.len() > MOST {
            continue;
        }
        reducer.attempt(|document| {
            let Some(updates) = document["update"].as_array_of_tables() else { return };
            let mut all: Vec<Table> = updates.iter().cloned().collect();
            let stream = all.remove(entry);
            let single = of_entry.iter().map(|&(_, at, bad)| update_at(&stream, at, bad));
            all.splice(entry..entry, single);
            let mut list = ArrayOfTables::new();
            for mut update in all {
                // Without a position of its own a table is printed where it stands in the list.
                update.set_position(None);
                list.push(update);
            }
            document["update"] = Item::ArrayOfTables(list);
        });
    }
}

fn arrivals(reducer: &Reducer) -> Arrivals {
    let scenario = reducer.scenario();
    let mut arrivals = Arrivals::default();
    if let Some(named) = scenario.policies.iter().find(|named| named.name == reducer.way.policy) {
        let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
        // What kept the reducer going so far ends within the limits.
        let _ = Simulator::new(&plan, reducer.task.limits).run(reducer.task.seed, &mut arrivals);
    }
    arrivals
}

fn update_at(stream: &Table, at: Time, bad: bool) -> Table {
    let mut update = Table::new();
    update.insert("at", toml_edit::value(at.since(Time::ZERO).to_string()));
    if let Some(set) = stream.get("set") {
        update.insert("set", set.clone());
    }
    match stream.get("bad_for") {
        Some(Item::Value(Toml::Array(names))) => {
            update.insert("bad_for", toml_edit::value(names.clone()));
        }
        // Which of several it was bad for is not told: all that may be.
        Some(chances) if bad => {
            let names = chances.as_table_like().into_iter().flat_map(|chances| chances.iter()).map(|(name, _)| name);
            update.insert("bad_for", Item::Value(words(names)));
        }
        _ => {}
    }
    update
}
