//! `run`: one run, to look at.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use tempfile::NamedTempFile;

use super::failure::Failure;
use super::output::Output;
use super::scenarios::{self, Cost};
use super::{Global, Verdict};
use crate::measure::{Digest, Measures, Observer};
use crate::model::{Plan, Setting};
use crate::report::{Detail, RunReport, Timeline, Trace};
use crate::scenario::NamedPolicy;
use crate::simulate::Simulator;

/// Tell one run as a timeline, then measure it
///
/// The timeline tells what each object showed, what the choreographer believed, and what was true. Contents have names:
/// `source v3` is the third version of the field `source`, `image #2` the second answer that `image` made. A claim that is
/// not true is marked FALSE. With -v every fact is told, with -q only the measures are.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Run {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// The policy, of the scenario or a preset [default: the first of the scenario]
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// The seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How to print: for people, or the measures as one JSON object
    #[arg(long, default_value = "table")]
    format: Format,
    /// Write every fact to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    cost: Cost,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal run scenarios/rfc-0020/08-fast-commits-starve.toml --policy read-after-success
  rehearsal run scenarios/chains/git-kpack-app.toml --seed 7 --format json --trace facts.jsonl";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Run {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let scenario = scenarios::load(std::slice::from_ref(&self.scenario))?.remove(0);
        let named = match &self.policy {
            Some(name) => scenarios::policy(&scenario, name)?,
            None => {
                let first = scenario.policies[0].clone();
                if scenario.policies.len() > 1 && !global.quiet {
                    let many = scenario.policies.len();
                    anstream::eprintln!("policy: {}, the first of {many}; name another with --policy", first.name);
                }
                first
            }
        };
        let NamedPolicy { name, policy } = named;
        let plan = Plan::new(scenario.setting, policy);
        let setting = plan.setting();
        let tells = self.format == Format::Table && !global.quiet;

        let mut trace = self.trace.as_deref().map(|path| TraceFile::create(path, setting)).transpose()?;
        if trace.is_none() {
            output.end_process_when_closed();
        }
        let mut digest = Digest::default();
        let mut observers = (&mut digest, trace.as_mut().map(|file| &mut file.trace));
        let measures = if tells {
            let horizon = crate::report::Short(setting.horizon.as_seconds());
            writeln!(output, "{}: {}", scenario.name, scenario.about)?;
            writeln!(output, "{name}, seed {}, horizon {horizon}\n", self.seed)?;
            let detail = if global.verbose { Detail::Everything } else { Detail::Told };
            let mut timeline = Timeline::new(setting, detail, &mut *output);
            let measures = self.simulate(&plan, &mut (observers, &mut timeline))?;
            let told = timeline.finish();
            self.keep(trace)?;
            told?;
            writeln!(output)?;
            measures
        } else {
            let measures = self.simulate(&plan, &mut observers)?;
            self.keep(trace)?;
            measures
        };

        let report = RunReport {
            scenario: &scenario.name,
            policy: &name,
            seed: self.seed,
            horizon: setting.horizon,
            digest: digest.hex(),
            measures,
        };
        match self.format {
            Format::Json => writeln!(output, "{:#}", report.json())?,
            Format::Table => output.write_all(report.table().as_bytes())?,
        }
        Ok(Verdict::Well)
    }

    fn simulate(&self, plan: &Plan, observer: &mut impl Observer) -> Result<Measures, Failure> {
        let mut simulator = Simulator::new(plan, self.cost.limits());
        simulator.run(self.seed, observer).map_err(scenarios::overrun(&self.scenario))
    }

    /// The trace is whole: it takes its name.
    fn keep(&self, trace: Option<TraceFile<'_>>) -> Result<(), Failure> {
        trace.map_or(Ok(()), TraceFile::keep)
    }
}

/// A trace on its way to a file: written aside, so that a run that is stopped leaves nothing that looks whole.
struct TraceFile<'a> {
    path: &'a Path,
    trace: Trace<BufWriter<NamedTempFile>>,
}

impl<'a> TraceFile<'a> {
    fn create(path: &'a Path, setting: &Setting) -> Result<TraceFile<'a>, Failure> {
        // A rename is at once only within a folder's file system.
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let file = tempfile::Builder::new()
            .prefix(".rehearsal-")
            .suffix(".partial")
            .tempfile_in(folder)
            .map_err(|error| Failure::File { path: path.to_owned(), error })?;
        Ok(TraceFile { path, trace: Trace::new(setting, BufWriter::new(file)) })
    }

    fn keep(self) -> Result<(), Failure> {
        let path = self.path;
        let wrong = |error| Failure::File { path: path.to_owned(), error };
        let file = self.trace.finish().map_err(wrong)?.into_inner().map_err(|error| wrong(error.into_error()))?;
        file.as_file().sync_all().map_err(wrong)?;
        file.persist(path).map_err(|error| wrong(error.error))?;
        Ok(())
    }
}
