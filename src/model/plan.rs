//! A setting and a policy, with what follows from them once and for all: who reaches whom, names, the layout of
//! lineages.

use super::policy::{Intake, Policy, Trace};
use super::setting::{FieldId, MAX_FIELDS, MAX_ORACLES, Oracle, OracleId, Setting, Source};
use super::value::{Content, Layout, OracleSet};

/// What a run follows.
#[derive(Clone, Debug)]
pub struct Plan {
    setting: Setting,
    /// For each oracle, the policy that rules it.
    policies: Vec<Policy>,
    intake: Intake,
    oracle_names: Vec<Content>,
    field_names: Vec<Content>,
    /// For each oracle, the oracles before it and itself.
    ancestors: Vec<OracleSet>,
    /// For each oracle, the fields that reach it, one bit each.
    reached_by: Vec<u64>,
    sinks: Vec<OracleId>,
    layout: Layout,
    arity: usize,
    counts_repeats: Vec<bool>,
}

impl Plan {
    /// A plan for `setting` under `policy`.
    ///
    /// # Panics
    ///
    /// If an oracle asks what does not come before it, or there are more than [`MAX_ORACLES`] or [`MAX_FIELDS`]: whoever
    /// makes a setting of input has checked that.
    pub fn new(setting: Setting, policy: Policy) -> Plan {
        assert!(setting.oracles.len() <= MAX_ORACLES && setting.fields.len() <= MAX_FIELDS);
        let mut ancestors: Vec<OracleSet> = Vec::new();
        let mut reached_by: Vec<u64> = Vec::new();
        let mut asked = OracleSet::default();
        for (r, oracle) in setting.oracles.iter().enumerate() {
            let mut before = OracleSet::default().with(OracleId(r as u16));
            let mut fields = 0;
            for source in &oracle.asks {
                match *source {
                    Source::Field(field) => {
                        assert!(field.index() < setting.fields.len(), "{} asks a field that is not there", oracle.name);
                        fields |= 1 << field.0;
                    }
                    Source::Oracle(earlier) => {
                        assert!(earlier.index() < r, "{} asks what does not come before it", oracle.name);
                        before = before.or(ancestors[earlier.index()]);
                        fields |= reached_by[earlier.index()];
                        asked = asked.with(earlier);
                    }
                }
            }
            ancestors.push(before);
            reached_by.push(fields);
        }
        let ids = || (0..setting.oracles.len() as u16).map(OracleId);
        Plan {
            oracle_names: setting.oracles.iter().map(|oracle| Content::of_name(&oracle.name)).collect(),
            field_names: setting.fields.iter().map(|field| Content::of_name(field)).collect(),
            ancestors,
            reached_by,
            sinks: ids().filter(|&r| !asked.has(r)).collect(),
            layout: Layout::new(setting.fields.len(), setting.oracles.len(), joint_pairs(&setting)),
            arity: setting.oracles.iter().map(|oracle| oracle.asks.len()).max().unwrap_or(0),
            counts_repeats: setting.oracles.iter().map(counts_repeats).collect(),
            policies: setting.oracles.iter().map(|oracle| oracle.fixed.over(&policy)).collect(),
            setting,
            intake: policy.intake,
        }
    }

    /// The setting.
    pub fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The policy that rules oracle `r`: the one tried, but for what the oracle's template fixes.
    #[inline]
    pub fn policy(&self, r: OracleId) -> &Policy {
        &self.policies[r.index()]
    }

    /// Which of the workload's values a pass goes by.
    #[inline]
    pub fn intake(&self) -> Intake {
        self.intake
    }

    /// The oracle's settings.
    #[inline]
    pub fn oracle(&self, r: OracleId) -> &Oracle {
        &self.setting.oracles[r.index()]
    }

    /// All oracles, in chain order.
    pub fn oracles(&self) -> impl DoubleEndedIterator<Item = OracleId> + use<> {
        (0..self.setting.oracles.len() as u16).map(OracleId)
    }

    /// The content of an oracle's name, which keys its draws.
    #[inline]
    pub fn oracle_name(&self, r: OracleId) -> Content {
        self.oracle_names[r.index()]
    }

    /// The content of a field's name.
    pub fn field_name(&self, field: FieldId) -> Content {
        self.field_names[field.index()]
    }

    /// The oracles that no other asks.
    pub fn sinks(&self) -> &[OracleId] {
        &self.sinks
    }

    /// Whether no other oracle asks `r`.
    pub fn is_sink(&self, r: OracleId) -> bool {
        self.sinks.contains(&r)
    }

    /// The oracles before `r`, and `r`.
    pub fn ancestors(&self, r: OracleId) -> OracleSet {
        self.ancestors[r.index()]
    }

    /// Whether what is set in `field` reaches `r`.
    pub fn reaches(&self, field: FieldId, r: OracleId) -> bool {
        self.reached_by[r.index()] >> field.0 & 1 == 1
    }

    /// How lineages are laid out.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The most inputs an oracle has.
    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    /// Whether it matters how often an object of `r` has begun a question.
    pub(super) fn counts_repeats(&self, r: OracleId) -> bool {
        self.counts_repeats[r.index()]
    }

    /// Whether what was asked must be remembered beyond the last question.
    pub(super) fn remembers_asked(&self, r: OracleId) -> bool {
        matches!(self.policy(r).trace, Trace::ReportedGeneration | Trace::ReportedInputs)
    }
}

fn counts_repeats(oracle: &Oracle) -> bool {
    let random_lengths = [&oracle.work, &oracle.gap, &oracle.answer_lag].into_iter().any(|length| length.is_random());
    let random_backoff = oracle.retry.as_ref().is_some_and(|retry| retry.backoff.is_random());
    random_lengths
        || random_backoff
        || oracle.fails.get() > 0.0
        || oracle.hangs.get() > 0.0
        || oracle.fails_first > 0
        || !oracle.reproducible
}

fn joint_pairs(setting: &Setting) -> Vec<(FieldId, FieldId)> {
    let mut pairs = Vec::new();
    for update in &setting.updates {
        for &first in &update.set {
            pairs.extend(update.set.iter().filter(|&&other| other != first).map(|&other| (first, other)));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
