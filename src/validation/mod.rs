//! A scenario's expectations against its runs, and against the exhaustive checker.

use crate::explore::{self, Limit, Options, Property, Verdict};
use crate::measure::{Measures, Outcome, Reading};
use crate::model::{Plan, Time};
use crate::scenario::{Bound, Claimed, Expectation, Scenario};
use crate::simulate::{Batch, Limits, Overrun, Round, Seeds};

/// What came of one `[[expect]]` row.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked<'s> {
    /// The row.
    pub expectation: &'s Expectation,
    /// What came otherwise, a policy and claim each; empty if the row holds.
    pub misses: Vec<Miss<'s>>,
}

/// A claim that did not hold for a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Miss<'s> {
    /// The policy, by its place in the scenario.
    pub policy: usize,
    /// The claim.
    pub claim: &'s Claimed,
    /// What came instead.
    pub came: Came,
    /// What shows it.
    pub shown: Shown,
}

/// What shows that a claim does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// So many runs, and of them the one of this seed first.
    By {
        /// In how many runs it did not hold.
        runs: u64,
        /// The first seed under which it did not.
        seed: u64,
    },
    /// The exhaustive checker.
    ByCheck,
}

/// What came instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Came {
    /// Another outcome.
    Outcome(Outcome),
    /// Another value, or none.
    Reading(Option<Reading>),
    /// The property was proved.
    Proved,
    /// It was refuted in so many steps.
    Refuted(usize),
    /// It could not be decided within this limit.
    Undecided(Limit),
}

impl Checked<'_> {
    /// Whether everything is as expected.
    pub fn holds(&self) -> bool {
        self.misses.is_empty()
    }

    /// Whether something is not as expected; if not, and the row does not hold, it is undecided.
    pub fn fails(&self) -> bool {
        self.misses.iter().any(|miss| !matches!(miss.came, Came::Undecided(_)))
    }
}

/// Which runs to check.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The seeds.
    pub seeds: Seeds,
    /// How many threads; 0: one per core.
    pub jobs: usize,
    /// What each run may cost.
    pub limits: Limits,
    /// When a check of a property gives up.
    pub check: explore::Limits,
}

/// A claim of a policy, and how it fares.
#[derive(Clone, Copy, Debug)]
struct Question<'s> {
    row: usize,
    policy: usize,
    plan: usize,
    claim: &'s Claimed,
}

/// How often a claim did not hold, and what came first.
#[derive(Clone, Copy, Debug, Default)]
struct Answer {
    runs: u64,
    first: Option<(u64, Came)>,
}

/// Runs every policy of which something is expected, and tells what came of each row, in order.
///
/// # Errors
///
/// If a run exceeds its limits.
pub fn validate(scenario: &Scenario, effort: Effort) -> Result<Vec<Checked<'_>>, Overrun> {
    let mut policies: Vec<usize> = Vec::new();
    let mut questions: Vec<Question<'_>> = Vec::new();
    for (row, expectation) in scenario.expectations.iter().enumerate() {
        for claim in expectation.claims.iter().filter(|claim| !matches!(claim, Claimed::Property { .. })) {
            for &policy in &expectation.policies {
                let plan = policies.iter().position(|&other| other == policy).unwrap_or_else(|| {
                    policies.push(policy);
                    policies.len() - 1
                });
                questions.push(Question { row, policy, plan, claim });
            }
        }
    }
    let plans: Vec<Plan> = policies
        .iter()
        .map(|&policy| Plan::new(scenario.setting.clone(), scenario.policies[policy].policy.clone()))
        .collect();

    let mut answers = vec![Answer::default(); questions.len()];
    if !plans.is_empty() {
        let Effort { seeds, jobs, limits, .. } = effort;
        let fold = |part: &mut Vec<Answer>, round: Round<'_, '_>| {
            for (answer, question) in part.iter_mut().zip(&questions) {
                if let Some(came) = otherwise(question.claim, &round.measures[question.plan]) {
                    answer.runs += 1;
                    answer.first.get_or_insert((round.seed, came));
                }
            }
        };
        let merge = |part: Vec<Answer>| {
            for (ours, theirs) in answers.iter_mut().zip(part) {
                ours.runs += theirs.runs;
                ours.first = ours.first.or(theirs.first);
            }
        };
        let new = || vec![Answer::default(); questions.len()];
        Batch { plans: &plans, seeds, jobs, limits, measured_from: Time::ZERO }.run(new, fold, merge, |_| {})?;
    }

    let mut rows: Vec<Checked<'_>> =
        scenario.expectations.iter().map(|expectation| Checked { expectation, misses: Vec::new() }).collect();
    for (question, answer) in questions.iter().zip(answers) {
        if let Some((seed, came)) = answer.first {
            let Question { row, policy, claim, .. } = *question;
            rows[row].misses.push(Miss { policy, claim, came, shown: Shown::By { runs: answer.runs, seed } });
        }
    }
    check_properties(scenario, effort, &mut rows);
    Ok(rows)
}

/// Decides every property of which something is expected, once a policy.
fn check_properties<'s>(scenario: &'s Scenario, effort: Effort, rows: &mut [Checked<'s>]) {
    for (at, policy) in scenario.policies.iter().enumerate() {
        let mut asked: Vec<(usize, &'s Claimed, Property, bool)> = Vec::new();
        for (row, expectation) in scenario.expectations.iter().enumerate() {
            for claim in expectation.claims.iter().filter(|_| expectation.policies.contains(&at)) {
                if let Claimed::Property { property, holds } = *claim {
                    asked.push((row, claim, property, holds));
                }
            }
        }
        let mut properties: Vec<_> = asked.iter().map(|&(.., property, _)| property).collect();
        properties.sort_unstable();
        properties.dedup();
        if properties.is_empty() {
            continue;
        }
        let plan = Plan::new(scenario.setting.clone(), policy.policy.clone());
        let options = Options { properties, limits: effort.check, jobs: effort.jobs, ..Options::default() };
        let report = explore::check(&plan, &options, &mut |_| true);
        for (row, claim, property, holds) in asked {
            let verdict =
                report.decided.iter().find_map(|(decided, verdict)| (*decided == property).then_some(verdict));
            let came = match verdict.expect("it was asked for") {
                Verdict::Proved if holds => continue,
                Verdict::Refuted(_) if !holds => continue,
                Verdict::Proved => Came::Proved,
                Verdict::Refuted(refutation) => Came::Refuted(refutation.steps.len()),
                Verdict::Undecided(limit) => Came::Undecided(*limit),
            };
            rows[row].misses.push(Miss { policy: at, claim, came, shown: Shown::ByCheck });
        }
    }
}

/// What came, if it is not as claimed.
fn otherwise(claim: &Claimed, measures: &Measures) -> Option<Came> {
    match claim {
        Claimed::Outcome(outcomes) => {
            (!outcomes.contains(&measures.outcome)).then_some(Came::Outcome(measures.outcome))
        }
        Claimed::Measure(measure, bounds) => {
            let reading = (measure.read)(measures);
            (!bounds.iter().all(|&bound| within(bound, reading))).then_some(Came::Reading(reading))
        }
        Claimed::Property { .. } => None,
    }
}

/// Whether a reading is within a bound. None is within no bound but its own.
fn within(bound: Bound, reading: Option<Reading>) -> bool {
    match (bound, reading) {
        (Bound::Absent, reading) => reading.is_none(),
        (_, None) => false,
        (Bound::Is(limit), Some(reading)) => reading == limit,
        (Bound::Above(limit), Some(reading)) => reading > limit,
        (Bound::Below(limit), Some(reading)) => reading < limit,
        (Bound::AtLeast(limit), Some(reading)) => reading >= limit,
        (Bound::AtMost(limit), Some(reading)) => reading <= limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_is_within_no_bound_but_its_own() {
        let three = Reading::Count(3);
        assert!(within(Bound::Absent, None) && !within(Bound::Absent, Some(three)));
        for bound in [Bound::Is, Bound::Above, Bound::Below, Bound::AtLeast, Bound::AtMost] {
            assert!(!within(bound(three), None));
        }
    }

    #[test]
    fn a_bound_holds_its_own_limit_only_if_it_says_so() {
        let at = |bound: fn(Reading) -> Bound| within(bound(Reading::Count(3)), Some(Reading::Count(3)));
        assert!(at(Bound::Is) && at(Bound::AtLeast) && at(Bound::AtMost));
        assert!(!at(Bound::Above) && !at(Bound::Below));
    }
}
