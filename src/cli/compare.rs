//! `compare`: policies beside each other on the same seeds.

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
use crate::measure::{Comparison, MEASURES, Measure, Precision};
use crate::report::Form;
use crate::report::comparison::{ComparisonReport, Stop};
use crate::scenario::{NamedPolicy, Scenario};
use crate::simulate::{Batch, Seeds};

/// Compare policies on a scenario, and what differs between them
///
/// Every policy meets the same commits, build times and failures (common random numbers), so that differences are taken
/// run by run and a hundred runs show much. A run's latency is that of its delivered updates. Means come with 95% intervals by Student's t. With -v every measure is shown.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Compare {
    /// The scenario files
    #[arg(value_name = "SCENARIO", required = true)]
    scenarios: Vec<PathBuf>,
    /// A policy, of the scenario or a preset; the first is what the others are held against [default: all of the scenario]
    #[arg(long = "policy", value_name = "NAME")]
    policies: Vec<String>,
    #[command(flatten)]
    runs: Runs,
    #[command(flatten)]
    precision: UntilPrecise,
    /// How to print; json and csv hold every measure
    #[arg(long, default_value = "table")]
    format: Format,
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
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let loaded = scenarios::load(&self.scenarios)?;
        // Names are looked up before anything runs.
        let chosen: Vec<Vec<NamedPolicy>> =
            loaded.iter().map(|scenario| scenarios::policies(scenario, &self.policies)).collect::<Result<_, _>>()?;
        let bar = progress(global, self.runs.runs * loaded.len() as u64);
        let mut all = Vec::new();
        for ((file, scenario), policies) in self.scenarios.iter().zip(&loaded).zip(&chosen) {
            bar.set_message(scenario.name.clone());
            let comparison = self.compare(file, scenario, policies, &bar)?;
            all.push((scenario, policies, comparison));
        }
        bar.finish_and_clear();
        let reports: Vec<_> = all
            .iter()
            .map(|(scenario, policies, comparison)| ComparisonReport {
                scenario: &scenario.name,
                about: &scenario.about,
                horizon: scenario.setting.horizon,
                seed: self.runs.seed,
                policies: policies.iter().map(|policy| policy.name.as_str()).collect(),
                comparison,
                precision: self.precision.stop(),
            })
            .collect();
        self.print(&reports, global.verbose, output)?;
        Ok(Verdict::Well)
    }

    fn compare(
        &self,
        file: &Path,
        scenario: &Scenario,
        policies: &[NamedPolicy],
        bar: &ProgressBar,
    ) -> Result<Comparison, Failure> {
        let plans = scenarios::plans(scenario, policies);
        let mut whole = Comparison::new(plans.len());
        while let Some(runs) = self.precision.next(&whole, self.runs.runs) {
            let seeds = Seeds { first: self.runs.seed.wrapping_add(whole.runs()), count: runs - whole.runs() };
            self.precision.tell(&whole, runs, bar);
            Batch { plans: &plans, seeds, jobs: self.runs.jobs(), limits: self.runs.cost.limits() }
                .run(
                    || Comparison::new(plans.len()),
                    |part, round| part.push(round.measures, round.waits()),
                    |part| whole.merge(&part),
                    |_| bar.inc(1),
                )
                .map_err(scenarios::overrun(file))?;
        }
        Ok(whole)
    }

    fn print(&self, reports: &[ComparisonReport<'_>], everything: bool, output: &mut Output) -> Result<(), Failure> {
        match self.format {
            Format::Json => {
                let comparisons: Vec<_> = reports.iter().map(ComparisonReport::json).collect();
                writeln!(output, "{:#}", json!({ "comparisons": comparisons }))?;
            }
            Format::Csv => {
                let mut csv = csv::Writer::from_writer(&mut *output);
                csv.write_record(ComparisonReport::COLUMNS).map_err(std::io::Error::from)?;
                for record in reports.iter().flat_map(ComparisonReport::records) {
                    csv.write_record(record).map_err(std::io::Error::from)?;
                }
                csv.flush()?;
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

/// A bar on standard error, if a terminal shows it; it appears only when the work takes a while.
pub(super) fn progress(global: &Global, seeds: u64) -> ProgressBar {
    if global.quiet {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} {prefix}{wide_bar} {pos}/{len} seeds, {per_sec}, {eta} left")
        .expect("a template");
    let bar = ProgressBar::new(seeds).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
