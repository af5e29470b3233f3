//! A scenario's expectations against its runs.

use crate::measure::{Measures, Outcome, Reading};
use crate::model::Plan;
use crate::scenario::{Bound, Claimed, Expectation, Scenario};
use crate::simulate::{Batch, Limits, Overrun, Seeds};

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
    /// In how many runs it did not hold.
    pub runs: u64,
    /// The first seed under which it did not.
    pub seed: u64,
    /// What came instead under that seed.
    pub came: Came,
}

/// What came instead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Came {
    /// Another outcome.
    Outcome(Outcome),
    /// Another value, or none.
    Reading(Option<Reading>),
}

impl Checked<'_> {
    /// Whether runs can tell: a property is for the exhaustive checker.
    pub fn is_checked(&self) -> bool {
        self.expectation.claims.iter().any(|claim| !is_property(claim))
    }

    /// The claims that runs cannot tell of.
    pub fn unchecked(&self) -> impl Iterator<Item = &Claimed> {
        self.expectation.claims.iter().filter(|claim| is_property(claim))
    }

    /// Whether everything that runs can tell is as expected.
    pub fn holds(&self) -> bool {
        self.misses.is_empty()
    }
}

fn is_property(claim: &Claimed) -> bool {
    matches!(claim, Claimed::Property { .. })
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
        for claim in expectation.claims.iter().filter(|claim| !is_property(claim)) {
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
        let Effort { seeds, jobs, limits } = effort;
        let fold = |part: &mut Vec<Answer>, seed: u64, measures: &[Measures]| {
            for (answer, question) in part.iter_mut().zip(&questions) {
                if let Some(came) = otherwise(question.claim, &measures[question.plan]) {
                    answer.runs += 1;
                    answer.first.get_or_insert((seed, came));
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
        Batch { plans: &plans, seeds, jobs, limits }.run(new, fold, merge, |_| {})?;
    }

    let mut rows: Vec<Checked<'_>> =
        scenario.expectations.iter().map(|expectation| Checked { expectation, misses: Vec::new() }).collect();
    for (question, answer) in questions.iter().zip(answers) {
        if let Some((seed, came)) = answer.first {
            let Question { row, policy, claim, .. } = *question;
            rows[row].misses.push(Miss { policy, claim, runs: answer.runs, seed, came });
        }
    }
    Ok(rows)
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
