//! A grid of comparisons over one or two values of a scenario: where each policy is the best, where it starves, where it
//! deadlocks. It is made of the comparisons' JSON, which is what a finished cell is kept as.

use serde_json::Value;

use super::durations::Short;
use super::figures::percent;
use crate::measure::{Kind, Measure};

/// One value that is varied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Varied {
    /// What it is.
    pub path: String,
    /// What it was in turn.
    pub values: Vec<String>,
}

/// A grid of comparisons.
#[derive(Clone, Debug)]
pub struct Map {
    /// The scenario.
    pub scenario: String,
    /// What it is about.
    pub about: String,
    /// The values varied: along the columns, and along the rows if there are two.
    pub varied: Vec<Varied>,
    /// The policies, in order.
    pub policies: Vec<String>,
    /// The cells: row by row, each from left to right.
    pub cells: Vec<Value>,
}

/// What a map shows of each cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shows {
    /// The mean of a measure.
    Mean(&'static Measure),
    /// The share of runs that end deadlocked or stuck.
    Lost,
}

impl Shows {
    /// What maps are drawn of.
    pub fn all() -> Vec<Shows> {
        let mean = |name: &str| Shows::Mean(Measure::named(name).expect("it stands in the table of measures"));
        vec![
            mean("latency.mean"),
            mean("starvation"),
            Shows::Lost,
            mean("censored"),
            mean("misattributed"),
            mean("wasted"),
        ]
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Shows::Mean(measure) => measure.name,
            Shows::Lost => "deadlocked or stuck",
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Shows::Mean(measure) => measure.meaning,
            Shows::Lost => "share of runs that end with a valid update lost for good, or with nothing deliverable",
        }
    }

    /// A value in at most five letters.
    pub fn told(self, value: f64) -> String {
        let kind = match self {
            Shows::Mean(measure) => measure.kind,
            Shows::Lost => Kind::Share,
        };
        match kind {
            Kind::Span => short_span(value),
            Kind::Share => percent(value),
            Kind::Count if value >= 9_999.5 => format!("{:.0}k", value / 1e3),
            Kind::Count if value >= 9.95 || value == value.trunc() => format!("{value:.0}"),
            Kind::Count => format!("{value:.1}"),
        }
    }
}

/// A length of time in one unit.
fn short_span(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(86_400.0, "d"), (3_600.0, "h"), (60.0, "m"), (1.0, "s")];
    let Some((size, unit)) = UNITS.into_iter().find(|(size, _)| seconds >= size * 0.995) else {
        return Short(seconds).to_string();
    };
    let number = seconds / size;
    if number < 9.95 && unit != "s" && (number - number.round()).abs() >= 0.05 {
        format!("{number:.1}{unit}")
    } else {
        format!("{number:.0}{unit}")
    }
}

impl Map {
    /// Columns and rows.
    pub fn size(&self) -> (usize, usize) {
        (self.varied[0].values.len(), self.varied.get(1).map_or(1, |varied| varied.values.len()))
    }

    /// The policy that is best in a cell, by its place.
    pub fn best(&self, cell: usize) -> Option<usize> {
        let name = self.cells[cell].get("best")?.as_str()?;
        self.policies.iter().position(|policy| policy == name)
    }

    /// What a cell shows of a policy; none if nothing was delivered.
    pub fn value(&self, cell: usize, policy: usize, shows: Shows) -> Option<f64> {
        let policy = self.cells[cell].get("policies")?.get(policy)?;
        match shows {
            Shows::Mean(measure) => {
                let place = format!("/measures/{}/mean", measure.name.replace('.', "/"));
                policy.pointer(&place)?.as_f64()
            }
            Shows::Lost => {
                let share = |outcome: &str| policy.pointer(&format!("/shares/{outcome}/share"))?.as_f64();
                Some(share("deadlocked")? + share("stuck")?)
            }
        }
    }

    /// Where a cell lies, in words.
    pub fn place(&self, cell: usize) -> String {
        let (columns, _) = self.size();
        let places = [cell % columns, cell / columns];
        let parts =
            self.varied.iter().zip(places).map(|(varied, at)| format!("{} = {}", varied.path, varied.values[at]));
        parts.collect::<Vec<_>>().join(", ")
    }

    /// What the map says, in a few sentences: how often each policy is the best, and who fails where.
    pub fn sentences(&self) -> Vec<String> {
        let cells = self.cells.len();
        let mut wins: Vec<(usize, usize)> = (0..self.policies.len())
            .map(|policy| ((0..cells).filter(|&cell| self.best(cell) == Some(policy)).count(), policy))
            .filter(|(count, _)| *count > 0)
            .collect();
        wins.sort_by_key(|&(count, policy)| (std::cmp::Reverse(count), policy));
        let wins: Vec<String> =
            wins.iter().map(|(count, policy)| format!("{} ({count} of {cells})", self.policies[*policy])).collect();
        let mut sentences = vec![match wins.as_slice() {
            [] => "No policy serves anywhere on this map.".to_owned(),
            wins => format!("Best, in so many cells: {}.", wins.join(", ")),
        }];
        let none = (0..cells).filter(|&cell| self.best(cell).is_none()).count();
        if none > 0 && !wins.is_empty() {
            sentences.push(format!("In {none} of {cells} cells no policy serves."));
        }
        let lost = |policy: usize| {
            (0..cells).filter(|&cell| self.value(cell, policy, Shows::Lost).is_some_and(|share| share > 0.05)).count()
        };
        let losing: Vec<String> = (0..self.policies.len())
            .filter(|&policy| lost(policy) > 0)
            .map(|policy| format!("{} ({})", self.policies[policy], lost(policy)))
            .collect();
        if !losing.is_empty() {
            sentences.push(format!(
                "Deadlocked or stuck in more than 5% of runs, in so many of {cells} cells: {}.",
                losing.join(", ")
            ));
        }
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_in_five_letters() {
        let span = Shows::all()[0];
        let told: Vec<String> = [0.0, 0.25, 9.7, 59.9, 90.0, 600.0, 5_400.0, 36_000.0, 130_000.0]
            .into_iter()
            .map(|v| span.told(v))
            .collect();
        assert_eq!(told, ["0s", "250ms", "10s", "1m", "1.5m", "10m", "1.5h", "10h", "1.5d"]);
        assert_eq!(Shows::Lost.told(0.004), "<1%");
    }
}
