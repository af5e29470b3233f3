//! What has changed since a result was blessed, the worst first.

use super::blessed::{Blessed, GUARDED, PolicyResult, Verdict};
use super::trail::LENGTH;
use crate::measure::{Better, Measure, Outcome};
use crate::model::Axis;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The policy; none if it is of a whole expectation.
    pub policy: Option<String>,
    /// What changed.
    pub kind: Kind,
}

/// What changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// An expectation has another verdict.
    Flipped {
        /// What it says.
        says: String,
        /// Its verdict then; none if it was not there.
        from: Option<Verdict>,
        /// Its verdict now; none if it is not there any more.
        to: Option<Verdict>,
    },
    /// The policy was not there.
    Appeared,
    /// The policy is not there any more.
    Vanished,
    /// So many runs come to an outcome.
    Outcomes {
        /// Which.
        outcome: Outcome,
        /// How many did.
        from: u64,
        /// How many do.
        to: u64,
    },
    /// A mean has moved.
    Moved {
        /// Of which measure.
        measure: &'static Measure,
        /// What it was; none if no run had it.
        from: Option<f64>,
        /// What it is.
        to: Option<f64>,
    },
    /// Runs have other facts.
    Parted(Parting),
}

/// Where runs part from what they were.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The first seed whose run is another.
    pub seed: u64,
    /// In how many runs.
    pub runs: u64,
    /// The first fact of that run that is another, from 0; none if it is the same as far as is kept, which is of the first
    /// seed alone.
    pub fact: Option<usize>,
    /// That fact in words, as it is now; none if the run has ended before it, or nobody has asked.
    pub now: Option<String>,
}

impl Change {
    /// How bad it is: the less, the worse.
    fn rank(&self) -> (u8, u64) {
        let by_size = |from: f64, to: f64| {
            let size = (to - from).abs() / from.abs().max(to.abs()).max(f64::MIN_POSITIVE);
            1_000_000 - (size.min(1.0) * 1_000_000.0) as u64
        };
        match &self.kind {
            Kind::Flipped { to: Some(Verdict::Fails), .. } => (0, 0),
            Kind::Flipped { .. } => (1, 0),
            Kind::Vanished | Kind::Appeared => (2, 0),
            Kind::Outcomes { outcome, from, to } => {
                let worse = (to > from) == matches!(outcome, Outcome::Stuck | Outcome::Deadlocked);
                (if worse { 3 } else { 4 }, u64::MAX - to.abs_diff(*from))
            }
            Kind::Moved { measure, from, to } => {
                let (from, to) = (from.unwrap_or(0.0), to.unwrap_or(0.0));
                let worse = match measure.better {
                    Better::Lower => to > from,
                    Better::Higher => to < from,
                    Better::Neither => false,
                };
                (if worse { 5 } else { 6 }, by_size(from, to))
            }
            Kind::Parted(_) => (7, 0),
        }
    }

    /// Whether a verdict became another.
    pub fn is_flip(&self) -> bool {
        matches!(&self.kind, Kind::Flipped { .. })
    }
}

/// What differs between what was and what is, the worst first.
pub fn changes(old: &Blessed, new: &Blessed) -> Vec<Change> {
    let mut all = Vec::new();
    let count = |rows: &[super::blessed::Row], says: &str| rows.iter().filter(|row| row.says == says).count();
    for row in &new.rows {
        let was = old.rows.iter().find(|old| old.says == row.says).map(|old| old.verdict);
        // Of several that say the same the order tells which is which.
        let was = match count(&new.rows, &row.says) {
            1 => was,
            _ => old.rows.iter().zip(&new.rows).find(|(_, new)| std::ptr::eq(*new, row)).map(|(old, _)| old.verdict),
        };
        if was != Some(row.verdict) {
            let kind = Kind::Flipped { says: row.says.clone(), from: was, to: Some(row.verdict) };
            all.push(Change { policy: None, kind });
        }
    }
    for row in old.rows.iter().filter(|row| count(&new.rows, &row.says) == 0) {
        let kind = Kind::Flipped { says: row.says.clone(), from: Some(row.verdict), to: None };
        all.push(Change { policy: None, kind });
    }
    for policy in &new.policies {
        let policy_change = |kind| Change { policy: Some(policy.name.clone()), kind };
        match old.policies.iter().find(|old| old.name == policy.name) {
            None => all.push(policy_change(Kind::Appeared)),
            Some(was) => all.extend(of_policy(was, policy, old.seeds == new.seeds, new.seeds.0).map(policy_change)),
        }
    }
    for was in old.policies.iter().filter(|old| !new.policies.iter().any(|new| new.name == old.name)) {
        all.push(Change { policy: Some(was.name.clone()), kind: Kind::Vanished });
    }
    all.sort_by_key(Change::rank);
    all
}

fn of_policy(
    old: &PolicyResult,
    new: &PolicyResult,
    same_seeds: bool,
    first: u64,
) -> impl Iterator<Item = Kind> + use<> {
    let mut kinds = Vec::new();
    for &outcome in Outcome::ALL {
        let count = |result: &PolicyResult| {
            result.outcomes.iter().find(|(other, _)| *other == outcome).map_or(0, |(_, count)| *count)
        };
        let (from, to) = (count(old), count(new));
        if from != to {
            kinds.push(Kind::Outcomes { outcome, from, to });
        }
    }
    for name in GUARDED {
        let mean = |result: &PolicyResult| result.means.iter().find(|(other, _)| other == name).map(|(_, mean)| *mean);
        let (from, to) = (mean(old), mean(new));
        if from != to {
            let measure = Measure::named(name).expect("what is guarded stands in the table of measures");
            kinds.push(Kind::Moved { measure, from, to });
        }
    }
    let differ: Vec<usize> = (0..old.digests.len().max(new.digests.len()))
        .filter(|&at| old.digests.get(at) != new.digests.get(at))
        .collect();
    if let (Some(&at), true) = (differ.first(), same_seeds) {
        let (was, is) = (old.trail.as_bytes(), new.trail.as_bytes());
        let length = was.len().max(is.len()).min(LENGTH);
        let fact = (0..length).find(|&fact| was.get(fact) != is.get(fact)).filter(|_| at == 0);
        kinds.push(Kind::Parted(Parting { seed: first + at as u64, runs: differ.len() as u64, fact, now: None }));
    }
    kinds.into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::blessed::Row;
    use super::*;

    fn blessed() -> Blessed {
        let policy = |name: &str| PolicyResult {
            name: name.to_owned(),
            digests: vec!["a".into(), "b".into()],
            outcomes: vec![(Outcome::Settled, 2)],
            means: vec![("latency.mean", 10.0), ("wasted", 5.0)],
            trail: "abcdef".to_owned(),
        };
        Blessed {
            model: 1,
            scenario: String::new(),
            seeds: (4, 2),
            policies: vec![policy("one"), policy("other")],
            rows: vec![Row { says: "claim".into(), verdict: Verdict::Holds }],
        }
    }

    #[test]
    fn nothing_changed() {
        assert_eq!(changes(&blessed(), &blessed()), []);
    }

    #[test]
    fn what_changed_is_told_the_worst_first() {
        let mut new = blessed();
        new.policies[0].digests[0] = "x".into();
        new.policies[0].trail = "abXYZ".to_owned();
        new.policies[0].means = vec![("latency.mean", 11.0), ("misattributed", 1.0), ("wasted", 4.0)];
        new.policies[1].outcomes = vec![(Outcome::Settled, 1), (Outcome::Deadlocked, 1)];
        new.rows[0].verdict = Verdict::Fails;
        let all = changes(&blessed(), &new);
        let kinds: Vec<&Kind> = all.iter().map(|change| &change.kind).collect();
        assert!(matches!(kinds[0], Kind::Flipped { to: Some(Verdict::Fails), .. }), "{kinds:?}");
        assert!(matches!(kinds[1], Kind::Outcomes { .. }), "{kinds:?}");
        let moved: Vec<&str> = kinds
            .iter()
            .filter_map(|kind| if let Kind::Moved { measure, .. } = kind { Some(measure.name) } else { None })
            .collect();
        assert_eq!(moved, ["misattributed", "latency.mean", "wasted"], "from nothing to something; worse; better");
        assert_eq!(kinds.last(), Some(&&Kind::Parted(Parting { seed: 4, runs: 1, fact: Some(2), now: None })));
    }

    #[test]
    fn a_policy_and_a_claim_come_and_go() {
        let mut new = blessed();
        new.policies[1].name = "third".to_owned();
        new.rows = vec![Row { says: "another claim".into(), verdict: Verdict::Holds }];
        let all = changes(&blessed(), &new);
        assert_eq!(all.len(), 4);
        assert!(all.iter().any(|change| change.kind == Kind::Vanished && change.policy.as_deref() == Some("other")));
        assert!(all.iter().any(|change| change.kind == Kind::Appeared && change.policy.as_deref() == Some("third")));
    }
}
