//! `check`: proofs and counterexamples.

mod results;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::failure::Failure;
use super::output::Output;
use super::scenarios;
use super::whole_file::WholeFile;
use super::{Global, Verdict};
use crate::explore::{Limits, Options, Property, Refutation, Report, Seen, Verdict as Found, check};
use crate::model::{Axis, Plan, Setting};
use crate::report::checked::{self, CheckReport, LEGEND, cell, ground, limit};
use crate::report::page::shell_word;
use crate::report::{Detail, Form, counterexample};
use crate::scenario::{NamedPolicy, parse_duration};
use crate::schedule::Schedule;

/// Prove properties of policies, or refute them by the shortest counterexample
///
/// Tries everything: whatever is under way may be the next to happen, every draw falls each way, timers and durations carry
/// no time. So what is proved holds for every duration, within the bounds that are told: what befalls the run comes as
/// often as the scenario says, at any time and in any order. `progress` is decided where good updates come without end.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Check {
    /// The scenario files; of several the verdicts alone are told
    #[arg(value_name = "SCENARIO", required = true)]
    scenarios: Vec<PathBuf>,
    /// A policy of the scenario, a preset, or a group of presets (`rfc-20`, `systems`) [default: all of the scenario]
    #[arg(long = "policy", value_name = "NAME")]
    policies: Vec<String>,
    /// A property [default: all]
    #[arg(long = "property", value_name = "NAME", value_parser = property)]
    properties: Vec<Property>,
    #[command(flatten)]
    extent: Extent,
    /// How many threads; the result is the same for any number [default: one per core]
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(0..=1024)
    )]
    jobs: u16,
    /// How to print; json and markdown tell the verdicts alone
    #[arg(long, default_value = "table")]
    format: Format,
    /// Write the counterexample to this file, to be played by `run --schedule`: of one policy and one property
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Write a folder of results: report.html with each counterexample drawn step by step, report.md, results.json, figures,
    /// and schedules that `run --schedule` plays. A folder of results that is there already is replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// How much is tried.
#[derive(Args)]
pub(in crate::cli) struct Extent {
    /// At most so many updates in all [default: as many as the scenario has, of a stream two]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=250))]
    updates: Option<u8>,
    /// Where updates come without end: versions of the workload in use at a time
    #[arg(long, value_name = "N", default_value_t = Options::default().versions, value_parser = clap::value_parser!(u8).range(2..=100))]
    versions: u8,
    /// Give up after so many states
    #[arg(long, value_name = "N", default_value_t = Limits::default().max_states, value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    max_states: u64,
    /// Give up when states use so much memory, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Limits::default().max_memory >> 20, value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    max_memory: u64,
    /// Give up after this time, as in 30s or 5m; how far it gets then depends on the machine
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    max_time: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal check scenarios/rfc-0020/08a-fast-commits-starve.toml --property progress
  rehearsal check scenarios/rfc-0020/22a-all-five-hold.toml --policy read-after-success -q";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Markdown,
}

fn property(name: &str) -> Result<Property, String> {
    let names: Vec<_> = Property::ALL.iter().map(|property| property.name()).collect();
    Property::ALL
        .iter()
        .copied()
        .find(|property| property.name() == name)
        .ok_or_else(|| format!("the properties are {}", names.join(", ")))
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map(|span| Duration::from_nanos(span.0)).map_err(|error| error.to_string())
}

impl Extent {
    /// What to decide, and within what.
    pub(in crate::cli) fn options(&self, properties: &[Property], jobs: usize) -> Options {
        let limits = Limits { max_states: self.max_states, max_memory: self.max_memory << 20, max_time: self.max_time };
        let usual = Options::default();
        Options {
            properties: properties.to_vec(),
            streamed: self.updates.map_or(usual.streamed, |updates| updates.max(usual.streamed)),
            updates: self.updates.unwrap_or(usual.updates),
            versions: self.versions,
            limits,
            jobs,
            ..usual
        }
    }
}

impl Check {
    pub(in crate::cli) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let loaded = scenarios::load(&self.scenarios, global)?;
        let chosen: Vec<Vec<NamedPolicy>> =
            loaded.iter().map(|scenario| scenarios::policies(scenario, &self.policies)).collect::<Result<_, _>>()?;
        let properties = if self.properties.is_empty() { Property::ALL } else { &self.properties };
        let one = matches!(&chosen[..], [policies] if policies.len() == 1) && properties.len() == 1;
        if let (Some(path), false) = (&self.save, one) {
            return Err(Failure::Path {
                path: path.clone(),
                message: "holds one counterexample".to_owned(),
                help: "name one scenario, one --policy and one --property".to_owned(),
            });
        }
        let folder = self.out.as_deref().map(results::Folder::create).transpose()?;
        let stop = stop_when_interrupted();
        let mut reports = Vec::new();
        for ((file, scenario), policies) in self.scenarios.iter().zip(&loaded).zip(&chosen) {
            let mut found = Vec::new();
            for named in policies {
                let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
                let options = self.extent.options(properties, self.jobs.into());
                let bar = bar(global, &named.name);
                let report = check(&plan, &options, &mut |seen| {
                    bar.set_message(progress(seen));
                    !stop.load(Ordering::Relaxed)
                });
                bar.finish_and_clear();
                if self.format == Format::Table && loaded.len() == 1 {
                    self.tell(&plan, named, &report, global, output)?;
                }
                if let (Some(path), [(property, Found::Refuted(refutation))]) = (&self.save, &report.decided[..]) {
                    save(path, file, named, *property, refutation, plan.setting())?;
                }
                found.push((named.name.as_str(), report));
            }
            reports.push(CheckReport { scenario: &scenario.name, policies: found, properties });
        }
        match self.format {
            Format::Json => {
                let checks: Vec<_> = reports.iter().map(CheckReport::json).collect();
                writeln!(output, "{:#}", json!({ "checks": checks }))?;
            }
            Format::Markdown => output.write_all(checked::tables(&reports, Form::Markdown).as_bytes())?,
            Format::Table if !one => {
                let tables = checked::tables(&reports, Form::Terminal);
                output.write_all(tables.as_bytes())?;
                if tables.contains('✗') {
                    writeln!(output, "\n{LEGEND}")?;
                }
            }
            Format::Table => {}
        }
        if let Some(folder) = folder {
            let files: Vec<String> = self.scenarios.iter().map(|file| file.display().to_string()).collect();
            let settings: Vec<_> = loaded.iter().zip(&chosen).zip(&files).zip(&reports).collect();
            folder.fill(&self.command(&files), &settings, global, output)?;
        }
        let policies = reports.iter().flat_map(|report| &report.policies);
        Ok(verdict(policies.flat_map(|(_, report)| &report.decided).map(|(_, found)| found)))
    }

    /// The command that checks so again, in the words of a shell.
    fn command(&self, files: &[String]) -> String {
        let mut words = vec!["rehearsal".to_owned(), "check".to_owned()];
        words.extend(files.iter().map(|file| shell_word(file)));
        let mut option = |name: &str, value: String| words.extend([format!("--{name}"), shell_word(&value)]);
        self.policies.iter().for_each(|policy| option("policy", policy.clone()));
        self.properties.iter().for_each(|property| option("property", property.name().to_owned()));
        if let Some(updates) = self.extent.updates {
            option("updates", updates.to_string());
        }
        option("versions", self.extent.versions.to_string());
        option("max-states", self.extent.max_states.to_string());
        option("max-memory", self.extent.max_memory.to_string());
        if let Some(time) = self.extent.max_time {
            option("max-time", format!("{}ns", time.as_nanos()));
        }
        if let Some(out) = &self.out {
            option("out", out.display().to_string());
        }
        words.join(" ")
    }

    /// Tells each verdict, and what refutes.
    fn tell(
        &self,
        plan: &Plan,
        named: &NamedPolicy,
        report: &Report,
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let bold = Style::new().bold();
        for (property, found) in &report.decided {
            let style = match found {
                Found::Proved => AnsiColor::Green.on_default(),
                Found::Refuted(_) => AnsiColor::Red.on_default().bold(),
                Found::Undecided(_) => AnsiColor::Yellow.on_default(),
            };
            let (name, meaning) = (property.name(), property.meaning());
            writeln!(output, "{bold}{}{bold:#}: {style}{}{style:#}  {name}: {meaning}", named.name, cell(found))?;
            match found {
                Found::Undecided(hit) => writeln!(output, "  {}", limit(*hit))?,
                Found::Refuted(refutation) if !global.quiet => {
                    let detail = if global.verbose { Detail::Everything } else { Detail::Told };
                    writeln!(output)?;
                    counterexample::tell(plan, *property, refutation, detail, output)?;
                    writeln!(output)?;
                }
                Found::Proved | Found::Refuted(_) => {}
            }
        }
        for seen in report.bounded.iter().chain(&report.endless) {
            writeln!(output, "{}", ground(seen))?;
        }
        writeln!(output)?;
        Ok(())
    }
}

fn save(
    path: &Path,
    scenario: &Path,
    named: &NamedPolicy,
    property: Property,
    refutation: &Refutation,
    setting: &Setting,
) -> Result<(), Failure> {
    let schedule = Schedule { policy: named.name.clone(), property: Some(property), refutation: refutation.clone() };
    let text = schedule.to_toml(&scenario.display().to_string(), setting);
    let wrong = |error| Failure::File { path: path.to_owned(), error };
    let mut file = WholeFile::create(path).map_err(wrong)?;
    file.write_all(text.as_bytes()).and_then(|()| file.keep()).map_err(wrong)
}

/// What all verdicts come to: refuted outweighs undecided.
pub(in crate::cli) fn verdict<'a>(found: impl Iterator<Item = &'a Found>) -> Verdict {
    found.fold(Verdict::Well, |so_far, found| match (so_far, found) {
        (Verdict::Failed, _) | (_, Found::Refuted(_)) => Verdict::Failed,
        (_, Found::Undecided(_)) => Verdict::Undecided,
        (so_far, Found::Proved) => so_far,
    })
}

fn progress(seen: &Seen) -> String {
    format!("{} states, {} steps deep, {} MiB", seen.states, seen.depth, seen.memory >> 20)
}

fn bar(global: &Global, policy: &str) -> ProgressBar {
    if global.quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{prefix}: {msg} {elapsed}").expect("a template");
    let bar = ProgressBar::new_spinner().with_style(style).with_prefix(policy.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Set by the first Ctrl-C, so that what is known by then is told; the second ends the process.
fn stop_when_interrupted() -> &'static AtomicBool {
    static STOP: AtomicBool = AtomicBool::new(false);
    // Where signals cannot be caught, Ctrl-C ends the process as ever.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    &STOP
}
