//! What a comparison says, in a few plain sentences made of its figures.

use super::figures::{figure, half, percent};
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
        let spotless = sentences.is_empty();
        let [only] = self.policies else {
            if spotless {
                sentences.push("No policy deadlocks, loses an update, makes a false claim or starves.".to_owned());
            }
            let faulty = |at: &usize| [&deadlocked, &stuck, &lying, &starving].iter().any(|found| holds(found, *at));
            sentences.push(self.choice(faulty));
            return sentences;
        };
        if spotless {
            sentences.push(format!("{only} does not deadlock, lose an update or make a false claim."));
        }
        sentences
    }

    /// Which policy to take: the best of those without a fault, if there are any.
    fn choice(&self, faulty: impl Fn(&usize) -> bool) -> String {
        let all: Vec<usize> = (0..self.policies.len()).collect();
        let rest: Vec<usize> = all.iter().copied().filter(|at| !faulty(at)).collect();
        match rest.as_slice() {
            [] => {
                let dead =
                    |at: &usize| self.comparison.tallies()[*at].outcome(Outcome::Deadlocked) == self.comparison.runs();
                let alive: Vec<usize> = all.into_iter().filter(|at| !dead(at)).collect();
                match alive.as_slice() {
                    [] => "No policy serves here.".to_owned(),
                    alive => format!("No policy is free of all that; {}", self.best(alive)),
                }
            }
            [only] => format!("Only {} is free of all that: {}.", self.policies[*only], self.wait(*only)),
            rest if rest.len() == self.policies.len() => self.best(rest),
            rest => format!("Of the others, {}", self.best(rest)),
        }
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
            .filter(|(at, wait)| **wait > limit && !holds(deadlocked, *at))
            .map(|(at, &wait)| (at, figure(Kind::Span, wait)))
            .collect();
        if let (Some((_, first)), Some(at)) = (found.first_mut(), waits.iter().position(|&wait| wait == least)) {
            first.push_str(&format!(", against {} under {}", figure(Kind::Span, least), self.policies[at]));
        }
        found
    }

    /// Which of `some` serves best, and by how much.
    fn best(&self, some: &[usize]) -> String {
        let mean = |name: &str, at: usize| self.comparison.tallies()[at].measure(named(name)).mean;
        let mut ranked = some.to_vec();
        ranked.sort_by(|&one, &other| mean(RANKED_BY, one).total_cmp(&mean(RANKED_BY, other)));
        let least = ranked[0];
        let shown = |at: &usize| Finding::of(named(RANKED_BY), self.comparison.behind(*at, least)) == Finding::Worse;
        let (behind, mut equals): (Vec<usize>, Vec<usize>) = ranked.into_iter().partition(shown);
        // Of those between which the ranking shows no difference the one that delivers the most is taken.
        equals.sort_by(|&one, &other| mean("delivered", other).total_cmp(&mean("delivered", one)));
        let best = equals.remove(0);
        let next = behind.first().map(|&at| {
            let less = self.comparison.behind(at, best);
            let half = half(Kind::Span, less).map(|half| format!(" (±{half})")).unwrap_or_default();
            format!(", {}{half} less than under {}", figure(Kind::Span, less.mean), self.policies[at])
        });
        let equals: Vec<_> = equals.iter().map(|&at| self.policies[at]).collect();
        let equals = match equals.as_slice() {
            [] => String::new(),
            equals => format!("; no difference is shown to {}", equals.join(", ")),
        };
        format!("{} serves best: {}{}{equals}.", self.policies[best], self.wait(best), next.unwrap_or_default())
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
        format!("on average the oldest update still wanted has waited {wait} (`{RANKED_BY}`){untraced}")
    }
}

fn holds(found: &[(usize, String)], at: usize) -> bool {
    found.iter().any(|(other, _)| *other == at)
}

fn named(name: &str) -> &'static Measure {
    Measure::named(name).expect("it stands in the table of measures")
}

fn in_runs(count: u64, runs: u64) -> String {
    if count == runs { "every run".to_owned() } else { format!("{} of runs", percent(count as f64 / runs as f64)) }
}
