//! Real chains in: Cartographer's objects, or plain ones, read from YAML and written out as a scenario.

mod blueprint;
mod chain;
mod edges;
mod health;
mod jsonpath;
mod objects;
mod print;
mod readings;
mod reference;
mod selector;
mod template;
mod yaml;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use blueprint::{Blueprint, Owner};
use objects::{Objects, Source};

use crate::model::Ready;
use crate::model::setting::StatusPhase;
use crate::scenario::{Failure, Scenario, read_text};

/// What to import, where the files leave it open.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The supply chain or delivery, if there are several.
    pub chain: Option<String>,
    /// The workload or deliverable, if there are several.
    pub owner: Option<String>,
    /// Who gives to whom, of plain objects.
    pub edges: Vec<(String, String)>,
}

/// A chain that was imported.
#[derive(Clone, Debug)]
pub struct Imported {
    /// A name for the scenario.
    pub name: String,
    /// The scenario, as a file.
    pub text: String,
    /// What each rule reads of each oracle in each phase.
    pub rules: Vec<RuleReads>,
    /// What a reader should know: what was chosen, what could not be told.
    pub notes: Vec<String>,
    /// What was left aside, and why.
    pub ignored: Vec<String>,
}

/// What a health rule reads of an oracle.
#[derive(Clone, Debug)]
pub struct RuleReads {
    /// The oracle.
    pub oracle: String,
    /// The rule, in a few words.
    pub rule: String,
    /// In each phase, in order: its health, and whether its output can be read, if it has one.
    pub phases: Vec<(StatusPhase, Ready, Option<bool>)>,
    /// What is remarkable about it.
    pub findings: Vec<String>,
}

/// Why a chain could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// Something is wrong in a file.
    #[error("{0}")]
    File(Failure),
    /// The files do not say what to import.
    #[error("{0}")]
    Choice(String),
}

impl From<Failure> for ImportError {
    fn from(failure: Failure) -> ImportError {
        ImportError::File(failure)
    }
}

/// All files of an import together are no larger, in bytes.
pub const LARGEST_IMPORT: usize = 16 << 20;

/// Reads files and imports the chain in them.
pub fn import_files(files: &[PathBuf], choice: &Choice) -> Result<Imported, ImportError> {
    let mut texts = Vec::new();
    let mut total = 0;
    for file in files {
        let text = read_text(file)?;
        total += text.len();
        if total > LARGEST_IMPORT {
            let limit = LARGEST_IMPORT >> 20;
            return Err(ImportError::Choice(format!(
                "the files are larger than {limit} MiB together: name those of the chain"
            )));
        }
        texts.push((file.display().to_string(), text));
    }
    import(texts, choice)
}

/// Imports the chain in these files, each a name and a text.
pub fn import(texts: Vec<(String, String)>, choice: &Choice) -> Result<Imported, ImportError> {
    let mut sources = Vec::new();
    for (name, text) in texts {
        let file = yaml::File { name, text };
        let documents = yaml::read(&file.text).map_err(|mistake| file.failure(mistake))?;
        sources.push(Source { file, documents });
    }
    let objects = Objects::of(&sources)?;
    let mut notes = Vec::new();
    let mut head =
        print::Head { files: sources.iter().map(|source| source.file.name.clone()).collect(), ..Default::default() };
    let links = match blueprint::choose(&objects, choice.chain.as_deref()).map_err(ImportError::Choice)? {
        Some(named) if choice.edges.is_empty() => {
            let owner = Owner::of(named, &objects, choice.owner.as_deref(), &mut notes)?;
            let blueprint = Blueprint::read(named, &objects, &owner, &mut notes)?;
            head.name.clone_from(&blueprint.named.name);
            head.about = format!("{} {}", named.kind, named.name);
            head.source = format!("{}:{}", named.at.file.name, named.at.line());
            head.owner = owner.object.map(|owner| owner.told());
            chain::links(&blueprint, &objects, &owner, &mut notes)?
        }
        Some(named) => {
            return Err(ImportError::Choice(format!(
                "{} says itself who gives to whom: take --edge away",
                named.told()
            )));
        }
        None if !choice.edges.is_empty() => {
            head.name = "objects".into();
            head.about = "Plain objects".into();
            edges::links(&objects, &choice.edges, &mut notes).map_err(ImportError::Choice)?
        }
        None => match objects.runnables.as_slice() {
            [one] => {
                head.name.clone_from(&one.name);
                head.about = format!("Runnable {}", one.name);
                head.source = format!("{}:{}", one.at.file.name, one.at.line());
                vec![chain::runnable(one, &objects, &mut notes)?]
            }
            _ => return Err(ImportError::Choice(nothing(&objects))),
        },
    };
    if links.is_empty() {
        return Err(ImportError::Choice(
            "every resource of the chain passes its input through: nothing is stamped".into(),
        ));
    }
    let text = print::scenario(&head, &links);
    // What is printed is held against the reader of scenarios: it refuses chains that are too long, and the like.
    let name = format!("{}.toml", chain::scenario_name(&head.name));
    Scenario::parse(&name, &text)?;
    let rules = links.iter().flat_map(|link| link.rules.iter().map(|row| reads(&link.name, row))).collect();
    let mut ignored = objects.ignored.clone();
    ignored.extend(unused(&objects, !choice.edges.is_empty(), choice));
    Ok(Imported { name: chain::scenario_name(&head.name), text, rules, notes, ignored })
}

fn reads(oracle: &str, row: &readings::RuleRow) -> RuleReads {
    use crate::model::Axis;
    let phase = |&phase: &StatusPhase| {
        (phase, row.readings.health.in_phase(phase), row.has_output.then(|| row.readings.output(phase)))
    };
    RuleReads {
        oracle: oracle.to_owned(),
        rule: row.told.clone(),
        phases: StatusPhase::ALL.iter().map(phase).collect(),
        findings: row.findings.clone(),
    }
}

fn nothing(objects: &Objects<'_>) -> String {
    let found = objects.others.len() + objects.templates.len() + objects.owners.len() + objects.run_templates.len();
    let several = match objects.runnables.len() {
        0 => String::new(),
        n => format!(" There are {n} Runnables; read the file of one."),
    };
    format!(
        "there is no ClusterSupplyChain and no ClusterDelivery among the {found} objects read: read the file of one too, or say \
         who gives to whom by --edge FROM=TO.{several}"
    )
}

/// Objects that are no part of a chain.
fn unused(objects: &Objects<'_>, by_edges: bool, choice: &Choice) -> Vec<String> {
    let named = |name: &str, kind: &str| {
        let either = |end: &String| *end == name || *end == format!("{kind}/{name}");
        choice.edges.iter().any(|(from, to)| either(from) || either(to))
    };
    let others = objects.others.iter().filter(|object| !by_edges || !named(&object.name, &object.kind));
    others.map(|object| format!("{}: no part of the chain", object.told())).collect()
}
