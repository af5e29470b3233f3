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
use crate::measure::Comparison;
use crate::report::Form;
use crate::report::comparison::ComparisonReport;
use crate::scenario::{NamedPolicy, Scenario};
use crate::simulate::Batch;

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
    /// How to print; json and csv hold every measure
    #[arg(long, default_value = "table")]
    format: Format,
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
        let batch =
            Batch { plans: &plans, seeds: self.runs.seeds(), jobs: self.runs.jobs(), limits: self.runs.cost.limits() };
        let mut whole = Comparison::new(plans.len());
        batch
            .run(
                || Comparison::new(plans.len()),
                |part, _, measures| part.push(measures),
                |part| whole.merge(&part),
                |_| bar.inc(1),
            )
            .map_err(scenarios::overrun(file))?;
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
    let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} seeds, {eta} left").expect("a template");
    let bar = ProgressBar::new(seeds).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
