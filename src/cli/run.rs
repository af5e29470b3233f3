//! `run`: one run, to look at.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::output::Output;
use super::scenarios::{self, Cost};
use super::whole_file::WholeFile;
use super::{Global, Verdict};
use crate::explore::Step;
use crate::measure::{Digest, Measures, Observer};
use crate::model::{Plan, Setting};
use crate::report::{Detail, RunReport, Timeline, Trace};
use crate::scenario::NamedPolicy;
use crate::schedule::Schedule;
use crate::simulate::{Given, Simulator};
use clap::{Args, ValueEnum};

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
    /// Play the steps of this file, as `check --save` writes it: their order is given, and they are spread evenly over the
    /// time to the horizon
    #[arg(long, value_name = "FILE")]
    schedule: Option<PathBuf>,
    /// How often to play the part of a schedule that repeats
    #[arg(long, value_name = "N", default_value_t = 10, requires = "schedule", value_parser = clap::value_parser!(u16).range(1..=1000))]
    rounds: u16,
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
        let scenario = scenarios::load(std::slice::from_ref(&self.scenario), global)?.remove(0);
        let schedule = self.schedule.as_deref().map(|path| Schedule::load(path, &scenario.setting)).transpose();
        let schedule = schedule.map_err(|failure| Failure::Scenarios(vec![failure]))?;
        let given = schedule.as_ref().map(|schedule| schedule.policy.clone());
        let named = match self.policy.clone().or(given) {
            Some(name) => scenarios::policy(&scenario, &name)?,
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
            let measures = self.simulate(&plan, schedule.as_ref(), &mut (observers, &mut timeline))?;
            let told = timeline.finish();
            trace.map_or(Ok(()), TraceFile::keep)?;
            told?;
            writeln!(output)?;
            measures
        } else {
            let measures = self.simulate(&plan, schedule.as_ref(), &mut observers)?;
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

    fn simulate(
        &self,
        plan: &Plan,
        schedule: Option<&Schedule>,
        observer: &mut impl Observer,
    ) -> Result<Measures, Failure> {
        let mut simulator = Simulator::new(plan, self.cost.limits());
        if let (Some(schedule), Some(path)) = (schedule, &self.schedule) {
            let steps = schedule.steps(self.rounds.into());
            let given: Vec<Given> = steps.into_iter().filter_map(given).collect();
            return simulator.play(self.seed, &given, observer).map_err(|unplayable| Failure::Path {
                path: path.clone(),
                message: unplayable.to_string(),
                help: "is it a schedule of this scenario and policy?".to_owned(),
            });
        }
        simulator.run(self.seed, observer).map_err(scenarios::overrun(&self.scenario))
    }
}

fn given(step: &Step) -> Option<Given> {
    match step {
        Step::Event(event, draws) => Some(Given { event: *event, draws: draws.clone() }),
        Step::PutRight | Step::PutRightAndUpdate => None,
    }
}

/// A trace on its way to a file.
struct TraceFile<'a> {
    path: &'a Path,
    trace: Trace<BufWriter<WholeFile>>,
}

impl<'a> TraceFile<'a> {
    fn create(path: &'a Path, setting: &Setting) -> Result<TraceFile<'a>, Failure> {
        let destination = WholeFile::create(path).map_err(|error| Failure::File { path: path.to_owned(), error })?;
        Ok(TraceFile { path, trace: Trace::new(setting, BufWriter::new(destination)) })
    }

    /// The trace is whole: it takes its name.
    fn keep(self) -> Result<(), Failure> {
        let kept = self.trace.finish().and_then(|out| out.into_inner().map_err(io::IntoInnerError::into_error));
        kept.and_then(WholeFile::keep).map_err(|error| Failure::File { path: self.path.to_owned(), error })
    }
}
