//! What several verbs ask for: scenarios, policies by name, seeds, limits.

use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::Failure;
use super::{Global, import};
use crate::catalogue;
use crate::model::Plan;
use crate::scenario::{NamedPolicy, Scenario};
use crate::simulate::{Limits, Overrun, Seeds};

/// Which runs to make.
#[derive(Args)]
pub(super) struct Runs {
    /// How many runs of each policy
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) runs: u64,
    /// The first seed; the others follow it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// How many threads; the result is the same for any number [default: one per core]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(0..=1024)
    )]
    jobs: u16,
    #[command(flatten)]
    pub(super) cost: Cost,
}

impl Runs {
    pub(super) fn jobs(&self) -> usize {
        self.jobs.into()
    }

    pub(super) fn seeds(&self) -> Seeds {
        Seeds { first: self.seed, count: self.runs }
    }
}

/// What a run may cost.
#[derive(Args)]
pub(super) struct Cost {
    /// Stop a run after so many events, for its horizon is endless in practice
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_events)]
    max_events: u64,
}

impl Cost {
    pub(super) fn limits(&self) -> Limits {
        Limits { max_events: self.max_events }
    }
}

/// Reads scenarios; if some are wrong, all that are.
pub(super) fn load(files: &[PathBuf], global: &Global) -> Result<Vec<Scenario>, Failure> {
    Ok(load_with_texts(files, global)?.into_iter().map(|(scenario, _)| scenario).collect())
}

/// Reads scenarios, each with the text of its file; if some are wrong, all that are. YAML, and a directory of it, is
/// imported as one chain.
pub(super) fn load_with_texts(files: &[PathBuf], global: &Global) -> Result<Vec<(Scenario, String)>, Failure> {
    let mut failures = Vec::new();
    let mut scenarios = Vec::new();
    for file in files {
        if import::is_chain(file) {
            let imported = import::chain(file)?;
            let notes = imported.notes.len() + imported.ignored.len();
            if notes > 0 && !global.quiet {
                let shown = file.display();
                anstream::eprintln!(
                    "{shown}: imported; `rehearsal import {shown}` tells what was understood and what not"
                );
            }
            let name = format!("{}.toml", imported.name);
            let scenario =
                Scenario::parse(&name, &imported.text).map_err(|failure| Failure::Scenarios(vec![failure]))?;
            scenarios.push((scenario, imported.text));
            continue;
        }
        match Scenario::load_with_text(file) {
            Ok(scenario) => scenarios.push(scenario),
            Err(failure) => failures.push(failure),
        }
    }
    if failures.is_empty() { Ok(scenarios) } else { Err(Failure::Scenarios(failures)) }
}

/// The policy of this name: one of the scenario's, or a preset.
pub(super) fn policy(scenario: &Scenario, name: &str) -> Result<NamedPolicy, Failure> {
    if let Some(own) = scenario.policies.iter().find(|policy| policy.name == name) {
        return Ok(own.clone());
    }
    if let Some(preset) = catalogue::preset(name) {
        return Ok(NamedPolicy { name: preset.name.clone(), policy: preset.policy.clone() });
    }
    let own = scenario.policies.iter().map(|policy| policy.name.as_str());
    let presets = catalogue::presets().iter().chain(catalogue::systems()).map(|preset| preset.name.as_str());
    let mut names: Vec<&str> = own.collect();
    names.extend(presets.filter(|preset| !scenario.policies.iter().any(|policy| policy.name == *preset)));
    Err(no_policy(name, &names))
}

/// The failure to find a policy among `names`.
pub(super) fn no_policy(name: &str, names: &[&str]) -> Failure {
    Failure::NoPolicy { name: name.to_owned(), help: nearest(name, names) }
}

/// What may have been meant by a name that none of these is.
pub(super) fn nearest(name: &str, names: &[&str]) -> Vec<String> {
    let near = names
        .iter()
        .map(|other| (strsim::osa_distance(name, other), other))
        .filter(|(distance, other)| *distance <= other.len().max(name.len()) / 3)
        .min_by_key(|(distance, _)| *distance);
    let mut help = Vec::new();
    help.extend(near.map(|(_, other)| format!("did you mean `{other}`?")));
    help.push(format!("there are {}", names.join(", ")));
    help
}

/// The policies of these names, a group's name for all of its presets; or all of the scenario's if none is named.
pub(super) fn policies(scenario: &Scenario, names: &[String]) -> Result<Vec<NamedPolicy>, Failure> {
    if names.is_empty() {
        return Ok(scenario.policies.clone());
    }
    let mut policies: Vec<NamedPolicy> = Vec::new();
    for name in names {
        let own = scenario.policies.iter().any(|policy| policy.name == *name);
        match catalogue::GROUPS.iter().find(|(group, _)| group == name && !own) {
            None => policies.push(policy(scenario, name)?),
            Some((_, presets)) => policies.extend(
                presets().iter().map(|preset| NamedPolicy { name: preset.name.clone(), policy: preset.policy.clone() }),
            ),
        }
    }
    Ok(policies)
}

/// A plan a policy.
pub(super) fn plans(scenario: &Scenario, policies: &[NamedPolicy]) -> Vec<Plan> {
    policies.iter().map(|named| Plan::new(scenario.setting.clone(), named.policy.clone())).collect()
}

/// The failure of a scenario whose run would not end.
pub(super) fn overrun(file: &Path) -> impl Fn(Overrun) -> Failure + '_ {
    |overrun| Failure::Overrun { file: file.to_owned(), overrun }
}

/// The files that paths stand for: a folder for all .toml files in it and below, in the order of their names.
pub(super) fn find(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let below = files_below(path, &["toml"])?;
        if below.is_empty() {
            return Err(Failure::Path {
                path: path.clone(),
                message: "holds no scenario".to_owned(),
                help: "a scenario's name ends in .toml".to_owned(),
            });
        }
        files.extend(below);
    }
    Ok(files)
}

/// All files in a folder and below whose names end so, in the order of their names.
pub(super) fn files_below(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    descend(folder, endings, &mut files)?;
    Ok(files)
}

fn descend(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::Path {
        path: folder.to_owned(),
        message: format!("cannot be listed: {error}"),
        help: "name the files themselves".to_owned(),
    };
    let mut entries = Vec::new();
    for entry in folder.read_dir().map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        // A link to a folder may lead in a circle, so that only real folders are descended into.
        entries.push((entry.path(), entry.file_type().map_err(wrong)?.is_dir()));
    }
    entries.sort();
    for (path, is_folder) in entries {
        let wanted = || path.extension().is_some_and(|own| endings.iter().any(|ending| own == *ending));
        if is_folder {
            descend(&path, endings, files)?;
        } else if wanted() && path.is_file() {
            files.push(path);
        }
    }
    Ok(())
}
