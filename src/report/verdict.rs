//! What a comparison says, in a few plain sentences made of its figures.

use super::figures::{figure, percent};
use crate::measure::{Comparison, Finding, Kind, Measure, Outcome, RANKED_BY};
use crate::model::Time;

/// A policy starves if its longest wait is, in the mean, so many times that of the policy that waits least.
const STARVES_FROM: f64 = 2.0;
/// Waits shorter than this part of the run are no starvation, however short the others are.
const STARVES_FROM_PART: f64 = 0.02;

/// The verdict on these policies: which deadlock, lose updates, make false claims and starve; and which of the others
/// serves best, and by how much.
pub fn verdict(policies: &[&str], comparison: &Comparison, horizon: Time) -> Vec<String> {
    let judge = Judge { policies, comparison, horizon };
    judge.sentences()
}

struct Judge<'a> {
    policies: &'a [&'a str],
    comparison: &'a Comparison,
    horizon: Time,
}

impl Judge<'_> {
    fn sentences(&self) -> Vec<String> {
        let deadlocked = self.with_outcome(Outcome::Deadlocked);
        let stuck = self.with_outcome(Outcome::Stuck);
        let lying = self.lying();
        let starving = self.starving(&deadlocked);
        let faults = [
            ("Deadlock", "for ever, whatever is committed next", &deadlocked),
            ("Valid updates are lost for good", "", &stuck),
            ("False claims", "", &lying),
            ("Starvation", "the longest wait for a delivery", &starving),
        ];
        let mut sentences: Vec<String> = faults
            .into_iter()
            .filter(|(.., found)| !found.is_empty())
            .map(|(fault, note, found)| {
                let list: Vec<_> =
                    found.iter().map(|(at, figure)| format!("{} ({figure})", self.policies[*at])).collect();
                let note = if note.is_empty() { String::new() } else { format!(", {note}") };
                format!("{fault}{note}: {}.", list.join(", "))
            })
            .collect();
        if sentences.is_empty() {
            let who = if self.policies.len() == 1 { self.policies[0] } else { "No policy" };
            let not = if self.policies.len() == 1 {
                "does not deadlock, lose an update, make a false claim or starve"
            } else {
                "deadlocks, loses an update, makes a false claim or starves"
            };
            sentences.push(format!("{who} {not}."));
        }
        let at_fault = |at: &usize| {
            [&deadlocked, &stuck, &lying, &starving].iter().any(|found| found.iter().any(|(other, _)| other == at))
        };
        let all: Vec<usize> = (0..self.policies.len()).collect();
        let rest: Vec<usize> = all.iter().copied().filter(|at| !at_fault(at)).collect();
        if self.policies.len() > 1 {
            sentences.push(match rest.as_slice() {
                [] => format!("No policy is free of all that; {}", self.best(&all)),
                [only] => format!("Only {} is free of all that: {}.", self.policies[*only], self.wait(*only)),
                _ if rest.len() == all.len() => self.best(&rest),
                _ => format!("Of the others, {}", self.best(&rest)),
            });
        }
        sentences
    }

    fn with_outcome(&self, outcome: Outcome) -> Vec<(usize, String)> {
        let runs = self.comparison.runs();
        let counts = self.comparison.tallies().iter().map(|tally| tally.outcome(outcome)).enumerate();
        counts.filter(|(_, count)| *count > 0).map(|(at, count)| (at, in_runs(count, runs))).collect()
    }

    fn lying(&self) -> Vec<(usize, String)> {
        let measure = named("misattributed");
        let found = self.comparison.tallies().iter().map(|tally| tally.measure(measure)).enumerate();
        found
            .filter(|(_, lies)| lies.positive > 0)
            .map(|(at, lies)| {
                (at, format!("{} a run, {}", figure(Kind::Count, lies.mean), in_runs(lies.positive, lies.count)))
            })
            .collect()
    }

    /// Who starves; of who deadlocks it goes without saying.
    fn starving(&self, deadlocked: &[(usize, String)]) -> Vec<(usize, String)> {
        let measure = named("starvation");
        let waits: Vec<f64> = self.comparison.tallies().iter().map(|tally| tally.measure(measure).mean).collect();
        let least = waits.iter().copied().fold(f64::INFINITY, f64::min);
        let limit = (STARVES_FROM * least).max(STARVES_FROM_PART * self.horizon.as_seconds());
        let mut found: Vec<_> = waits
            .iter()
            .enumerate()
            .filter(|(at, wait)| **wait > limit && deadlocked.iter().all(|(other, _)| other != at))
            .map(|(at, &wait)| (at, figure(Kind::Span, wait)))
            .collect();
        if let (Some((_, first)), Some(at)) = (found.first_mut(), waits.iter().position(|&wait| wait == least)) {
            first.push_str(&format!(", against {} under {}", figure(Kind::Span, least), self.policies[at]));
        }
        found
    }

    /// Which of `some` serves best, and by how much.
    fn best(&self, some: &[usize]) -> String {
        let mut ranked = some.to_vec();
        let wait = |at: usize| self.comparison.tallies()[at].measure(named(RANKED_BY)).mean;
        ranked.sort_by(|&one, &other| wait(one).total_cmp(&wait(other)));
        let best = ranked[0];
        let shown = |at: usize| Finding::of(named(RANKED_BY), self.comparison.behind(at, best)) == Finding::Worse;
        let equals: Vec<usize> = ranked[1..].iter().copied().filter(|&at| !shown(at)).collect();
        let next = ranked[1..].iter().copied().find(|&at| shown(at));
        let behind = |at: usize| {
            let behind = self.comparison.behind(at, best);
            let half = super::figures::half(Kind::Span, behind).map(|half| format!(" (±{half})")).unwrap_or_default();
            format!("{}{half} less than under {}", figure(Kind::Span, behind.mean), self.policies[at])
        };
        let name = self.policies[best];
        let wait = self.wait(best);
        let next = next.map(|at| format!(", {}", behind(at))).unwrap_or_default();
        match equals.as_slice() {
            [] => format!("{name} serves best: {wait}{next}."),
            _ => {
                let equals: Vec<_> = equals.iter().map(|&at| self.policies[at]).collect();
                format!("{name} serves best: {wait}{next}; no difference is shown to {}.", equals.join(", "))
            }
        }
    }

    /// How long developers wait under a policy, and what it leaves untraced.
    fn wait(&self, at: usize) -> String {
        let tally = &self.comparison.tallies()[at];
        let coverage = tally.measure(named("coverage")).mean;
        let untraced = match coverage < 1.0 {
            true => format!(" and {} of what it takes is traced", percent(coverage)),
            false => String::new(),
        };
        let wait = figure(Kind::Span, tally.measure(named(RANKED_BY)).mean);
        format!("what developers wait for has waited {wait} in the mean (`{RANKED_BY}`){untraced}")
    }
}

fn named(name: &str) -> &'static Measure {
    Measure::named(name).expect("it stands in the table of measures")
}

fn in_runs(count: u64, runs: u64) -> String {
    if count == runs { "every run".to_owned() } else { format!("{} of runs", percent(count as f64 / runs as f64)) }
}
