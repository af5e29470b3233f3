//! `run`: one run, to look at.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
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
  rehearsal run scenarios/rfc-0020/08a-fast-commits-starve.toml --policy read-after-success
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
            trace.map_or(Ok(()), TraceFile::keep)?;
            told?;
            writeln!(output)?;
            measures
        } else {
            let measures = self.simulate(&plan, &mut observers)?;
            trace.map_or(Ok(()), TraceFile::keep)?;
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
}

/// A trace on its way to a file.
struct TraceFile<'a> {
    path: &'a Path,
    trace: Trace<BufWriter<Destination>>,
}

/// Where a trace is written.
enum Destination {
    /// Aside, so that a run that is stopped leaves nothing that looks whole.
    Aside(NamedTempFile, PathBuf),
    /// To a pipe or a terminal, of which there is no aside.
    There(File),
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::Aside(file, _) => file.write(bytes),
            Destination::There(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Destination::Aside(file, _) => file.flush(),
            Destination::There(file) => file.flush(),
        }
    }
}

impl Destination {
    fn open(path: &Path) -> io::Result<Destination> {
        if fs::metadata(path).is_ok_and(|data| !data.is_file() && !data.is_dir()) {
            return File::options().write(true).open(path).map(Destination::There);
        }
        // What a link leads to is replaced, not the link.
        let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        // A rename is at once only within a folder's file system.
        let folder = match whole.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".rehearsal-").suffix(".partial");
        // A trace is no secret: it gets the rights that any new file does.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        Ok(Destination::Aside(file, whole))
    }

    fn keep(self) -> io::Result<()> {
        match self {
            Destination::Aside(file, whole) => {
                file.as_file().sync_all()?;
                file.persist(whole)?;
                Ok(())
            }
            Destination::There(_) => Ok(()),
        }
    }
}

impl<'a> TraceFile<'a> {
    fn create(path: &'a Path, setting: &Setting) -> Result<TraceFile<'a>, Failure> {
        let destination = Destination::open(path).map_err(|error| Failure::File { path: path.to_owned(), error })?;
        Ok(TraceFile { path, trace: Trace::new(setting, BufWriter::new(destination)) })
    }

    /// The trace is whole: it takes its name.
    fn keep(self) -> Result<(), Failure> {
        let kept = self.trace.finish().and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
        kept.and_then(Destination::keep).map_err(|error| Failure::File { path: self.path.to_owned(), error })
    }
}
