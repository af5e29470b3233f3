//! `compare`: policies beside each other on the same seeds.

mod grid;
mod results;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::failure::Failure;
use super::output::Output;
use super::scenarios::{self, Runs};
use super::{Global, Verdict};
use crate::measure::{Comparison, MEASURES, Measure, Precision, Samples, StalenessOverTime};
use crate::model::{Plan, Span, Time};
use crate::report::Form;
use crate::report::comparison::{ComparisonReport, Stop};
use crate::report::page::shell_word;
use crate::scenario::{NamedPolicy, Scenario, Variation, parse_duration};
use crate::simulate::{Batch, Seeds};

/// Compare policies on a scenario, and what differs between them
///
/// Every policy meets the same commits, build times and failures (common random numbers), so that differences are taken
/// run by run and a hundred runs show much. A run's latency is that of its delivered updates. Means come with 95% intervals by Student's t. With -v every measure is shown.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Compare {
    /// The scenario files
    #[arg(value_name = "SCENARIO", required = true)]
    scenarios: Vec<PathBuf>,
    /// A policy of the scenario, a preset, or a group of presets (`rfc-20`, `systems`); the first is what the others are held
    /// against [default: all of the scenario]
    #[arg(long = "policy", value_name = "NAME")]
    policies: Vec<String>,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    precision: UntilPrecise,
    /// Leave the start-up of each run out of the measures: updates made before, and time and work before [default: none]
    #[arg(long, value_name = "DURATION", default_value = "0s", hide_default_value = true, value_parser = duration)]
    warm_up: Span,
    /// How to print; json and csv hold every measure
    #[arg(long, default_value = "table")]
    format: Format,
    /// Write a folder of results: report.html to look at, report.md for a review, results.json and results.csv, the figures,
    /// and scenario.toml; only the verdict is printed then. A folder of results that is there already is replaced
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Compare at each of these values, as in oracle.image.work=1m..20m*8, and draw a map of what is best where; twice for a
    /// map of two axes. Finished cells are kept in DIR.cells, so that a grid that was interrupted goes on
    #[arg(long, value_name = "PLACE=VALUES", requires = "out", value_parser = variation)]
    vary: Vec<Variation>,
}

/// So many runs of each policy are kept one by one, of the first seeds.
const SAMPLES: u64 = 200;
/// Instants of a run at which staleness is noted.
const INSTANTS: u64 = 120;

/// What came of one scenario.
struct Compared<'a> {
    file: &'a Path,
    /// The file's text.
    text: &'a str,
    scenario: &'a Scenario,
    policies: &'a [NamedPolicy],
    plans: Vec<Plan>,
    comparison: Comparison,
    samples: Samples,
}

/// When there are enough runs.
#[derive(Args)]
struct UntilPrecise {
    /// Make runs until half of the interval is at most this part of the mean under every policy, as in 5%; --runs is then the
    /// least
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    precision: Option<f64>,
    /// The measure whose mean is to be so precise
    #[arg(long, value_name = "MEASURE", default_value = "latency.mean", value_parser = measure, requires = "precision")]
    of: &'static Measure,
    /// Stop there, precise or not
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "precision", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    max_runs: u64,
}

fn variation(text: &str) -> Result<Variation, String> {
    text.parse::<Variation>().map_err(|error| error.to_string())
}

fn duration(text: &str) -> Result<Span, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    number
        .filter(|percent| *percent > 0.0 && *percent <= 100.0)
        .map(|percent| percent / 100.0)
        .ok_or_else(|| "write a percentage above 0%, as in 5%".to_owned())
}

fn measure(name: &str) -> Result<&'static Measure, String> {
    Measure::named(name).ok_or_else(|| {
        let names: Vec<_> = MEASURES.iter().map(|measure| measure.name).collect();
        format!("the measures are {}", names.join(", "))
    })
}

impl UntilPrecise {
    fn stop(&self) -> Option<Stop> {
        let asked = Precision { measure: self.of, part: self.precision? };
        Some(Stop { asked, most: self.max_runs })
    }

    /// How many runs there are to be next; none if there are enough.
    fn next(&self, so_far: &Comparison, least: u64) -> Option<u64> {
        match self.stop() {
            Some(Stop { most, .. }) if so_far.runs() < least.min(most) => Some(least.min(most)),
            Some(Stop { asked, most }) => asked.next(so_far, most),
            None => (so_far.runs() < least).then_some(least),
        }
    }

    /// Tells how far it is.
    fn tell(&self, so_far: &Comparison, runs: u64, bar: &ProgressBar) {
        let Some(Stop { asked, .. }) = self.stop() else { return };
        if let Some(reached) = asked.reached(so_far) {
            bar.inc_length(runs - so_far.runs());
            bar.set_prefix(format!("±{:.1}% of ±{:.1}% ", reached * 100.0, asked.part * 100.0));
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  rehearsal compare scenarios/chains/git-kpack-app.toml
  rehearsal compare scenarios/rfc-0020/08a-fast-commits-starve.toml --runs 1000 --format markdown";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Csv,
    Markdown,
}

impl Compare {
    pub(in crate::cli) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        if let (false, Some(out)) = (self.vary.is_empty(), &self.out) {
            self.grid(out, global, output)?;
            return Ok(Verdict::Well);
        }
        let loaded = scenarios::load_with_texts(&self.scenarios, global)?;
        // Names are looked up before anything runs.
        let chosen: Vec<Vec<NamedPolicy>> = loaded
            .iter()
            .map(|(scenario, _)| scenarios::policies(scenario, &self.policies))
            .collect::<Result<_, _>>()?;
        for (file, (scenario, _)) in self.scenarios.iter().zip(&loaded) {
            self.warms_up_within(file, scenario)?;
        }
        let folder = self.out.as_deref().map(results::Folder::create).transpose()?;
        let bar = progress(global, self.runs.runs * loaded.len() as u64);
        let mut all = Vec::new();
        for ((file, (scenario, text)), policies) in self.scenarios.iter().zip(&loaded).zip(&chosen) {
            bar.set_message(scenario.name.clone());
            let plans = scenarios::plans(scenario, policies);
            let (comparison, samples) = self.compare(file, &plans, &bar)?;
            all.push(Compared { file, text, scenario, policies, plans, comparison, samples });
        }
        bar.finish_and_clear();
        let reports: Vec<_> = all.iter().map(|compared| self.report(compared)).collect();
        match folder {
            Some(folder) => folder.fill(&self, &all, &reports, global, output)?,
            None => self.print(&reports, global.verbose, output)?,
        }
        Ok(Verdict::Well)
    }

    fn report<'c>(&self, compared: &'c Compared<'_>) -> ComparisonReport<'c> {
        ComparisonReport {
            scenario: &compared.scenario.name,
            about: &compared.scenario.about,
            horizon: compared.scenario.setting.horizon,
            seed: self.runs.seed,
            policies: compared.policies.iter().map(|policy| policy.name.as_str()).collect(),
            comparison: &compared.comparison,
            precision: self.precision.stop(),
            warm_up: self.warm_up,
        }
    }

    fn warms_up_within(&self, file: &Path, scenario: &Scenario) -> Result<(), Failure> {
        let horizon = scenario.setting.horizon;
        if Time::ZERO + self.warm_up < horizon {
            return Ok(());
        }
        let horizon = Span(horizon.0);
        Err(Failure::Path {
            path: file.to_owned(),
            message: format!("its runs end at {horizon}, before they are warmed up: --warm-up is {}", self.warm_up),
            help: "take a shorter --warm-up, or a later `horizon` in the file".to_owned(),
        })
    }

    fn compare(&self, file: &Path, plans: &[Plan], bar: &ProgressBar) -> Result<(Comparison, Samples), Failure> {
        let new = || (Comparison::new(plans.len()), Samples::new(plans.len()));
        let mut whole = new();
        while let Some(runs) = self.precision.next(&whole.0, self.runs.runs) {
            let so_far = whole.0.runs();
            let seeds = Seeds { first: self.runs.seed.wrapping_add(so_far), count: runs - so_far };
            self.precision.tell(&whole.0, runs, bar);
            let samples = self.out.is_some() && so_far < SAMPLES;
            let is_kept = |seed: u64| seed.wrapping_sub(self.runs.seed) < SAMPLES;
            Batch {
                plans,
                seeds,
                jobs: self.runs.jobs(),
                limits: self.runs.cost.limits(),
                measured_from: Time::ZERO + self.warm_up,
            }
            .run_heard(
                |plan| samples.then(|| StalenessOverTime::new(plan, INSTANTS)),
                new,
                |(part, kept), round| {
                    part.push(round.measures, round.waits());
                    if samples {
                        let ended: Vec<_> = round.observers.iter_mut().flatten().map(StalenessOverTime::end).collect();
                        if is_kept(round.seed) {
                            kept.push(round.seed, round.measures, ended.into_iter());
                        }
                    }
                },
                |(part, kept)| {
                    whole.0.merge(&part);
                    whole.1.merge(kept);
                },
                |_| bar.inc(1),
            )
            .map_err(scenarios::overrun(file))?;
        }
        Ok(whole)
    }

    /// The command that compares so again, in the words of a shell.
    fn command(&self, files: &[&str]) -> String {
        let mut words = vec!["rehearsal".to_owned(), "compare".to_owned()];
        words.extend(files.iter().map(|file| shell_word(file)));
        words.extend(self.policies.iter().flat_map(|policy| ["--policy".to_owned(), shell_word(policy)]));
        words.extend([
            "--seed".to_owned(),
            self.runs.seed.to_string(),
            "--runs".to_owned(),
            self.runs.runs.to_string(),
        ]);
        if let Some(Stop { asked, most }) = self.precision.stop() {
            let part = format!("{}%", asked.part * 100.0);
            words.extend(["--precision".to_owned(), part, "--of".to_owned(), asked.measure.name.to_owned()]);
            words.extend(["--max-runs".to_owned(), most.to_string()]);
        }
        if self.warm_up > Span::ZERO {
            words.extend(["--warm-up".to_owned(), self.warm_up.to_string()]);
        }
        words.extend(self.vary.iter().flat_map(|variation| ["--vary".to_owned(), shell_word(&variation.to_string())]));
        let out = self.out.as_deref().map(|out| shell_word(&out.display().to_string()));
        words.extend(out.into_iter().flat_map(|out| ["--out".to_owned(), out]));
        words.join(" ")
    }

    fn print(&self, reports: &[ComparisonReport<'_>], everything: bool, output: &mut Output) -> Result<(), Failure> {
        match self.format {
            Format::Json => {
                let comparisons: Vec<_> = reports.iter().map(ComparisonReport::json).collect();
                writeln!(output, "{:#}", json!({ "comparisons": comparisons }))?;
            }
            Format::Csv => {
                output.write_all(&as_csv(reports)?)?;
            }
            Format::Table | Format::Markdown => {
                let form = if self.format == Format::Table { Form::Terminal } else { Form::Markdown };
                for (at, report) in reports.iter().enumerate() {
                    if at > 0 {
                        writeln!(output)?;
                    }
                    output.write_all(report.tables(form, everything).as_bytes())?;
                }
            }
        }
        Ok(())
    }
}

/// Every measure of every comparison as CSV.
fn as_csv(reports: &[ComparisonReport<'_>]) -> std::io::Result<Vec<u8>> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(ComparisonReport::COLUMNS)?;
    for record in reports.iter().flat_map(ComparisonReport::records) {
        csv.write_record(record)?;
    }
    csv.into_inner().map_err(|error| error.into_error())
}

/// A bar on standard error, if a terminal shows it; it appears only when the work takes a while.
pub(in crate::cli) fn progress(global: &Global, seeds: u64) -> ProgressBar {
    if global.quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {prefix}{wide_bar} {pos}/{len} seeds, {per_sec}, {eta} left")
        .expect("a template");
    let bar = ProgressBar::new(seeds).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
