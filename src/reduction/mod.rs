//! A scenario made smaller while one of its expectations still fails, and fails in the same way.

mod durations;
mod place;
mod remove;
mod streams;

use toml_edit::{Array, DocumentMut, Value as Toml};

use crate::explore;
use crate::scenario::{Bound, Claimed, Scenario};
use crate::simulate::{Limits, Seeds};
use crate::validation::{self, Came, Effort};

/// What a scenario was made to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The scenario as text.
    pub text: String,
    /// How many others were tried.
    pub tries: u64,
    /// Whether there was nothing more to try.
    pub smallest: bool,
}

/// Why a scenario cannot be made smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReduced {
    /// There is no such expectation.
    #[error("there is no expectation {0}: there are {1}, counted from 1")]
    NoSuchRow(usize, usize),
    /// It does not fail under this seed.
    #[error("expectation {0} does not fail under seed {1}")]
    Holds(usize, u64),
}

/// What to reduce, and how hard to try.
#[derive(Clone, Copy, Debug)]
pub struct Task {
    /// Which `[[expect]]` row, from 1.
    pub row: usize,
    /// The seed under which it fails.
    pub seed: u64,
    /// What a run may cost.
    pub limits: Limits,
    /// Properties are given up after so many states.
    pub max_states: u64,
    /// Stop after so many tries.
    pub max_tries: u64,
}

/// How an expectation fails: another failure is not the one that was to be explained.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    policy: String,
    claim: usize,
    kind: Fails,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fails {
    Outcome(crate::measure::Outcome),
    TooMuch,
    TooLittle,
    Absent,
    Proved,
    Refuted,
}

/// A scenario as text, what is wanted of it, and how much was tried.
struct Reducer {
    document: DocumentMut,
    task: Task,
    way: Way,
    tries: u64,
}

/// Makes a scenario smaller.
///
/// What is not needed for the failure is taken out, streams of updates become the updates of this run, durations become
/// round, and the horizon comes nearer, until nothing more can be done. The order of tries is fixed, so that the result is.
///
/// # Errors
///
/// If there is no such expectation, or it does not fail.
///
/// # Panics
///
/// If `text` is not the text of a scenario.
pub fn reduce(text: &str, task: Task) -> Result<Reduced, NotReduced> {
    let scenario = Scenario::parse("scenario.toml", text).expect("a scenario");
    let number = scenario.expectations.len();
    if !(1..=number).contains(&task.row) {
        return Err(NotReduced::NoSuchRow(task.row, number));
    }
    let way = ways(&scenario, task.row - 1, task).into_iter().next().ok_or(NotReduced::Holds(task.row, task.seed))?;
    let document = text.parse().expect("a scenario is TOML");
    let mut reducer = Reducer { document, task, way, tries: 0 };
    reducer.narrow(&scenario);
    let mut before = String::new();
    while before != reducer.document.to_string() && !reducer.has_tired() {
        before = reducer.document.to_string();
        remove::entries(&mut reducer);
        remove::oracles(&mut reducer);
        remove::fields(&mut reducer);
        streams::write_out(&mut reducer);
        remove::everything(&mut reducer);
        durations::begin_at_once(&mut reducer);
        durations::shorten_horizon(&mut reducer);
        durations::round(&mut reducer);
    }
    let smallest = !reducer.has_tired();
    Ok(Reduced { text: reducer.document.to_string(), tries: reducer.tries, smallest })
}

impl Reducer {
    /// Leaves of the expectations the one that fails, for one policy, with one claim.
    fn narrow(&mut self, scenario: &Scenario) {
        let row = self.task.row - 1;
        let Some(rows) = self.document.get_mut("expect").and_then(|item| item.as_array_of_tables_mut()) else { return };
        for other in (0..rows.len()).rev().filter(|&other| other != row) {
            rows.remove(other);
        }
        let kept = &scenario.expectations[row].claims[self.way.claim];
        if let Some(table) = rows.get_mut(0) {
            table.insert("policy", toml_edit::value(self.way.policy.as_str()));
            let stays = |key: &str| match kept {
                Claimed::Outcome(_) => key == "outcome",
                Claimed::Measure(measure, _) => measure.name.split('.').next() == Some(key),
                Claimed::Property { .. } => key == "property" || key == "holds",
            };
            let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
            for key in keys.iter().filter(|key| *key != "policy" && !stays(key)) {
                table.remove(key);
            }
            if let Claimed::Measure(measure, _) = kept
                && let Some((group, part)) = measure.name.split_once('.')
                && let Some(group) = table.get_mut(group).and_then(|item| item.as_table_like_mut())
            {
                let keys: Vec<String> = group.iter().map(|(key, _)| key.to_owned()).collect();
                keys.iter().filter(|key| *key != part).for_each(|key| drop(group.remove(key)));
            }
        }
        self.task.row = 1;
        self.way.claim = 0;
        debug_assert!(self.fails(&self.document.to_string()));
    }

    /// Keeps a change if the expectation still fails in the same way.
    fn attempt(&mut self, change: impl FnOnce(&mut DocumentMut)) -> bool {
        if self.has_tired() {
            return false;
        }
        let mut changed = self.document.clone();
        change(&mut changed);
        let text = changed.to_string();
        if text == self.document.to_string() {
            return false;
        }
        self.tries += 1;
        let fails = self.fails(&text);
        if fails {
            self.document = changed;
        }
        fails
    }

    fn fails(&self, text: &str) -> bool {
        match Scenario::parse("scenario.toml", text) {
            Ok(scenario) if !scenario.expectations.is_empty() => ways(&scenario, 0, self.task).contains(&self.way),
            _ => false,
        }
    }

    fn has_tired(&self) -> bool {
        self.tries >= self.task.max_tries
    }

    fn scenario(&self) -> Scenario {
        Scenario::parse("scenario.toml", &self.document.to_string()).expect("only scenarios are kept")
    }
}

/// In which ways an expectation of the scenario fails under one seed.
fn ways(scenario: &Scenario, row: usize, task: Task) -> Vec<Way> {
    let alone = Scenario { expectations: vec![scenario.expectations[row].clone()], ..scenario.clone() };
    let check = explore::Limits { max_states: task.max_states, ..explore::Limits::default() };
    let effort = Effort { seeds: Seeds { first: task.seed, count: 1 }, jobs: 1, limits: task.limits, check };
    // A run that would not end shows nothing.
    let Ok(checked) = validation::validate(&alone, effort) else { return Vec::new() };
    let claims = &alone.expectations[0].claims;
    let misses = checked.iter().flat_map(|checked| &checked.misses);
    misses
        .filter_map(|miss| {
            let kind = match miss.came {
                Came::Outcome(outcome) => Fails::Outcome(outcome),
                Came::Reading(None) => Fails::Absent,
                Came::Reading(Some(reading)) => {
                    let Claimed::Measure(_, bounds) = miss.claim else { return None };
                    let under = |bound: &Bound| match *bound {
                        Bound::Is(limit) | Bound::Above(limit) | Bound::AtLeast(limit) => reading < limit,
                        Bound::Below(_) | Bound::AtMost(_) | Bound::Absent => false,
                    };
                    let at = |bound: &Bound| matches!(*bound, Bound::Above(limit) if reading == limit);
                    if bounds.iter().any(|bound| under(bound) || at(bound)) { Fails::TooLittle } else { Fails::TooMuch }
                }
                Came::Proved => Fails::Proved,
                Came::Refuted(_) => Fails::Refuted,
                Came::Undecided(_) => return None,
            };
            let claim = claims.iter().position(|claim| std::ptr::eq(claim, miss.claim))?;
            Some(Way { policy: alone.policies[miss.policy].name.clone(), claim, kind })
        })
        .collect()
}

/// An array of words.
fn words<'w>(words: impl IntoIterator<Item = &'w str>) -> Toml {
    Toml::Array(words.into_iter().collect::<Array>())
}

#[cfg(test)]
mod tests;
