//! How a scenario stands to its blessed result.

use super::blessed::Blessed;
use super::change::{Change, Kind, changes};
use super::trail::told_at;
use crate::model::Plan;
use crate::scenario::Scenario;
use crate::simulate::{Limits, Overrun};

/// A scenario and how it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The scenario's file.
    pub file: String,
    /// How it stands.
    pub status: Status,
}

/// How a scenario stands to its blessed result.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It comes to the same.
    Same,
    /// It comes to something else.
    Changed {
        /// Whether its text changed too.
        edited: bool,
        /// What, the worst first. None if only the text did.
        changes: Vec<Change>,
    },
    /// Its blessed result is of another version of the model, and cannot be compared.
    OtherModel(u32),
    /// There is no blessed result.
    New,
    /// There is a blessed result, but no scenario.
    Gone,
    /// The scenario or its blessed result cannot be read, which was said.
    Wrong(String),
}

impl Status {
    /// Whether nothing is to be done.
    pub fn is_same(&self) -> bool {
        matches!(self, Status::Same)
    }

    /// How bad it is: the less, the worse.
    pub fn rank(&self) -> u8 {
        match self {
            Status::Wrong(_) => 0,
            Status::Changed { changes, .. } if changes.iter().any(Change::is_flip) => 1,
            Status::Changed { changes, .. } if !changes.is_empty() => 2,
            Status::Changed { .. } => 3,
            Status::OtherModel(_) => 4,
            Status::Gone => 5,
            Status::New => 6,
            Status::Same => 7,
        }
    }
}

/// How what a scenario comes to now stands to what it came to.
///
/// # Errors
///
/// If a run exceeds its limits.
pub fn judge(scenario: &Scenario, old: Option<&Blessed>, new: &Blessed, limits: Limits) -> Result<Status, Overrun> {
    let Some(old) = old else { return Ok(Status::New) };
    if old.model != new.model {
        return Ok(Status::OtherModel(old.model));
    }
    if old == new {
        return Ok(Status::Same);
    }
    let mut changes = changes(old, new);
    for Change { policy, kind } in &mut changes {
        let (Kind::Parted(parting), Some(name)) = (kind, policy) else { continue };
        let named = scenario.policies.iter().find(|named| named.name == *name);
        if let (Some(fact), Some(named)) = (parting.fact, named) {
            let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
            parting.now = told_at(&plan, parting.seed, fact, limits)?;
        }
    }
    Ok(Status::Changed { edited: old.scenario != new.scenario, changes })
}

/// Whether a policy comes to something else though neither the scenario's text nor the model's version says why.
pub fn needs_another_version(old: &Blessed, new: &Blessed) -> bool {
    let same_cause = old.model == new.model && old.scenario == new.scenario && old.seeds == new.seeds;
    let differs = |old: &super::PolicyResult| new.policies.iter().any(|new| new.name == old.name && new != old);
    same_cause && old.policies.iter().any(differs)
}
