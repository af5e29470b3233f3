//! `import`: real chains in.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::Failure;
use super::output::Output;
use super::scenarios::files_below;
use super::whole_file::WholeFile;
use super::{Global, Verdict};
use crate::kubernetes::{self, Choice, ImportError, Imported, RuleReads};
use crate::model::Axis;
use crate::report::{Form, Table};

/// Read a real chain from Kubernetes YAML and write it as a scenario
///
/// Cartographer's supply chains and deliveries with their templates, or plain objects with --edge. The scenario goes to
/// standard output, or to a file with --out; what each health rule reads, what could not be told and what was left aside is
/// told beside it. `compare`, `check` and `run` take YAML and directories of it as they are.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Import {
    /// YAML files, or directories for all that is in them and below
    #[arg(value_name = "FILE|DIR", required = true)]
    paths: Vec<PathBuf>,
    /// The ClusterSupplyChain or ClusterDelivery, if there are several
    #[arg(long, value_name = "NAME")]
    chain: Option<String>,
    /// The Workload or Deliverable, if there are several
    #[arg(long, value_name = "NAME")]
    owner: Option<String>,
    /// Of plain objects: the output of FROM goes into TO
    #[arg(long = "edge", value_name = "FROM=TO", value_parser = edge)]
    edges: Vec<(String, String)>,
    /// Show only what each health rule reads in each phase
    #[arg(long, conflicts_with = "out")]
    health: bool,
    /// Write the scenario to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal import tests/import/basic > chain.toml
  rehearsal import tests/import/objects.yaml --edge app=image --edge image=app-deploy";

fn edge(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(from, to)| !from.is_empty() && !to.is_empty());
    let (from, to) = parts.ok_or("write FROM=TO, as in --edge source=image")?;
    if from == to { Err("an object does not ask itself".into()) } else { Ok((from.into(), to.into())) }
}

impl Import {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let mut files = Vec::new();
        for path in &self.paths {
            files.extend(yaml_files(path)?);
        }
        let choice = Choice { chain: self.chain, owner: self.owner, edges: self.edges };
        let imported = kubernetes::import_files(&files, &choice).map_err(|error| failure(&self.paths[0], error))?;
        if self.health {
            write!(output, "{}", health(&imported, Form::Terminal))?;
            return Ok(Verdict::Well);
        }
        match &self.out {
            None => write!(output, "{}", imported.text)?,
            Some(path) => {
                let wrong = |error| Failure::File { path: path.clone(), error };
                let mut file = WholeFile::create(path).map_err(wrong)?;
                file.write_all(imported.text.as_bytes()).and_then(|()| file.keep()).map_err(wrong)?;
            }
        }
        if !global.quiet {
            anstream::eprint!("{}", told(&imported, global.verbose));
        }
        Ok(Verdict::Well)
    }
}

/// The YAML files that a path stands for.
fn yaml_files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let files = files_below(path, &["yaml", "yml"])?;
    if files.is_empty() {
        return Err(Failure::Path {
            path: path.to_owned(),
            message: "holds no YAML".to_owned(),
            help: "a directory is read as a chain in files that end in .yaml or .yml; scenarios are named one by one"
                .to_owned(),
        });
    }
    Ok(files)
}

/// Whether a path is a chain to be imported: a YAML file, or a directory.
pub(super) fn is_chain(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml") || path.is_dir()
}

/// The chain in a file or directory, for verbs that take scenarios.
pub(super) fn chain(path: &Path) -> Result<Imported, Failure> {
    kubernetes::import_files(&yaml_files(path)?, &Choice::default()).map_err(|error| failure(path, error))
}

fn failure(path: &Path, error: ImportError) -> Failure {
    match error {
        ImportError::File(failure) => Failure::Scenarios(vec![failure]),
        ImportError::Choice(message) => Failure::Path {
            path: path.to_owned(),
            message: format!("cannot be imported: {message}"),
            help: "`rehearsal import --help` shows how".to_owned(),
        },
    }
}

/// What a person should know of an import, beside the scenario.
fn told(imported: &Imported, verbose: bool) -> String {
    let mut text = String::new();
    if !imported.rules.is_empty() {
        text.push_str("What each health rule reads in each phase:\n\n");
        text.push_str(&health(imported, Form::Terminal));
        text.push('\n');
    }
    for note in &imported.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    const FEW: usize = 5;
    let shown = if verbose { imported.ignored.len() } else { FEW };
    for ignored in imported.ignored.iter().take(shown) {
        text.push_str(&format!("ignored: {ignored}\n"));
    }
    if imported.ignored.len() > shown {
        text.push_str(&format!("ignored: {} more; -v lists them\n", imported.ignored.len() - shown));
    }
    text
}

/// The table of readings: a row a rule, a column a phase; a + where the output can be read. Under it, what is remarkable.
fn health(imported: &Imported, form: Form) -> String {
    let Some(first) = imported.rules.first() else { return "No template has a health rule.\n".to_owned() };
    let phases = first.phases.iter().map(|(phase, ..)| Axis::name(*phase).replace('_', "\n"));
    let mut table =
        Table::new(0..first.phases.len() + 2, ["oracle".to_owned(), "rule".to_owned()].into_iter().chain(phases));
    for RuleReads { oracle, rule, phases, .. } in &imported.rules {
        let cells = phases.iter().map(|(_, ready, output)| {
            let plus = if *output == Some(true) { " +" } else { "" };
            format!("{}{plus}", ready.name())
        });
        table.row([oracle.clone(), rule.clone()].into_iter().chain(cells));
    }
    let mut text = table.render(form);
    text.push_str("\n+ the output can be read then\n");
    let mut findings: Vec<(&str, Vec<String>)> = Vec::new();
    for row in &imported.rules {
        for finding in &row.findings {
            let whose = format!("{} ({})", row.oracle, row.rule);
            match findings.iter_mut().find(|(other, _)| other == finding) {
                Some((_, oracles)) => oracles.push(whose),
                None => findings.push((finding, vec![whose])),
            }
        }
    }
    for (finding, oracles) in findings {
        text.push_str(&format!("- {finding}: {}\n", oracles.join(", ")));
    }
    text
}
