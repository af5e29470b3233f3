//! `validate`: scenarios against what they expect.

use std::io::Write;
use std::path::{Path, PathBuf};

use anstyle::{AnsiColor, Style};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::compare::progress;
use super::failure::{Failure, say_scenario};
use super::output::Output;
use super::scenarios::{self, Runs};
use super::{Global, Verdict};
use crate::explore;
use crate::model::Axis;
use crate::report::expectations;
use crate::report::page::shell_word;
use crate::scenario::{Claimed, Scenario};
use crate::validation::{self, Came, Checked, Effort, Miss, Shown};

/// Check what scenarios expect; of what fails, name the run that shows it
///
/// A folder stands for every .toml file in it and below. An expectation must hold under every seed; what is expected of a
/// property is decided by the exhaustive checker. With -q only what fails is shown.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Validate {
    /// Scenario files, and folders of them
    #[arg(value_name = "PATH", default_value = "scenarios")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    runs: Runs,
    /// Give up deciding a property after so many states
    #[arg(long, value_name = "N", default_value_t = explore::Limits::default().max_states, value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    max_states: u64,
    /// How to print
    #[arg(long, default_value = "table")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal validate
  rehearsal validate scenarios/rfc-0020 --runs 1000 --quiet";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
}

/// How many there were.
#[derive(Default)]
struct Summary {
    scenarios: usize,
    hold: usize,
    fail: usize,
    undecided: usize,
    wrong: usize,
}

impl Validate {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let files = scenarios::find(&self.paths)?;
        let mut summary = Summary::default();
        let mut all = Vec::new();
        let bar = progress(global, files.len() as u64);
        for file in &files {
            bar.set_message(file.display().to_string());
            match self.check(file, global, &bar, &mut summary, output) {
                Ok(json) => all.push(json),
                Err(failure @ Failure::Output(_)) => return Err(failure),
                // The other scenarios are still worth knowing about.
                Err(failure) => {
                    summary.wrong += 1;
                    bar.suspend(|| match &failure {
                        Failure::Scenarios(failures) => failures.iter().for_each(say_scenario),
                        other => other.say(),
                    });
                    all.push(json!({ "file": shown(file), "error": failure.to_string() }));
                }
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        match self.format {
            Format::Table => writeln!(output, "{}", summary.words(self.runs.runs))?,
            Format::Json => {
                let whole = json!({
                    "runs": self.runs.runs,
                    "seed": self.runs.seed,
                    "scenarios": all,
                    "summary": summary.json(),
                });
                writeln!(output, "{whole:#}")?;
            }
        }
        Ok(match summary {
            Summary { wrong: 1.., .. } => Verdict::WrongInput,
            Summary { fail: 1.., .. } => Verdict::Failed,
            Summary { undecided: 1.., .. } => Verdict::Undecided,
            _ => Verdict::Well,
        })
    }

    fn check(
        &self,
        file: &Path,
        global: &Global,
        bar: &indicatif::ProgressBar,
        summary: &mut Summary,
        output: &mut Output,
    ) -> Result<Value, Failure> {
        let scenario = Scenario::load(file).map_err(|failure| Failure::Scenarios(vec![failure]))?;
        let effort = Effort {
            seeds: self.runs.seeds(),
            jobs: self.runs.jobs(),
            limits: self.runs.cost.limits(),
            check: explore::Limits { max_states: self.max_states, ..explore::Limits::default() },
        };
        let checked = validation::validate(&scenario, effort).map_err(scenarios::overrun(file))?;
        summary.count(&checked);
        if self.format == Format::Table {
            let text = self.text(file, &scenario, &checked, global.quiet);
            bar.suspend(|| -> Result<(), Failure> {
                output.write_all(text.as_bytes())?;
                output.end()
            })?;
        }
        Ok(json!({
            "file": shown(file),
            "scenario": scenario.name,
            "expectations": checked
                .iter()
                .enumerate()
                .map(|(at, row)| row_as_json(file, &scenario, at + 1, row))
                .collect::<Vec<_>>(),
        }))
    }

    fn text(&self, file: &Path, scenario: &Scenario, checked: &[Checked<'_>], quiet: bool) -> String {
        let mut text = String::new();
        let shown_rows = || checked.iter().filter(|row| !quiet || !row.holds());
        if shown_rows().next().is_some() || (checked.is_empty() && !quiet) {
            text += &format!("{}\n", shown(file));
        }
        if checked.is_empty() && !quiet {
            text += "  expects nothing\n";
        }
        for row in shown_rows() {
            let number = checked.iter().position(|other| std::ptr::eq(other, row)).map_or(0, |at| at + 1);
            let (word, style) = match (row.holds(), row.fails()) {
                (true, _) => ("holds", AnsiColor::Green.on_default()),
                (_, true) => ("FAILS", AnsiColor::Red.on_default().bold()),
                (_, false) => ("undecided", AnsiColor::Yellow.on_default()),
            };
            let what = row.expectation.claims.iter().map(expectations::claim).collect::<Vec<_>>().join(", ");
            let line = format!("line {}", row.expectation.line);
            text += &format!(
                "  {style}{:<4$}{style:#}  {:<8}  {}: {}\n",
                word,
                line,
                policies(scenario, row).join(", "),
                what,
                "undecided".len()
            );
            for miss in &row.misses {
                text += &self.miss(file, scenario, miss);
            }
            if let Some(shrink) = shrink(file, number, row).filter(|_| row.fails()) {
                text += &format!("      made smaller: {shrink}\n");
            }
        }
        text
    }

    fn miss(&self, file: &Path, scenario: &Scenario, miss: &Miss<'_>) -> String {
        let policy = &scenario.policies[miss.policy].name;
        let often = match (miss.shown, self.runs.runs) {
            (Shown::ByCheck, _) => String::new(),
            (Shown::By { seed, .. }, 1) => format!(" under seed {seed}"),
            (Shown::By { runs: those, seed }, runs) if runs == those => {
                format!(" under seed {seed}, and under every other")
            }
            (Shown::By { runs: those, seed }, runs) => format!(" under seed {seed}, and so in {those} of {runs} runs"),
        };
        let bold = Style::new().bold();
        format!(
            "      {policy}: {}{often}\n      {bold}{}{bold:#}\n",
            expectations::miss(miss),
            command(file, policy, miss)
        )
    }
}

impl Summary {
    fn count(&mut self, checked: &[Checked<'_>]) {
        self.scenarios += 1;
        for row in checked {
            let count = match (row.holds(), row.fails()) {
                (true, _) => &mut self.hold,
                (_, true) => &mut self.fail,
                (_, false) => &mut self.undecided,
            };
            *count += 1;
        }
    }

    fn words(&self, runs: u64) -> String {
        let Summary { scenarios, hold, fail, undecided, wrong } = self;
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let mut words = format!(
            "{scenarios} scenario{}, {runs} run{} a policy: {hold} expectation{} hold{}, {fail} fail{}",
            s(*scenarios),
            if runs == 1 { "" } else { "s" },
            s(*hold),
            if *hold == 1 { "s" } else { "" },
            if *fail == 1 { "s" } else { "" },
        );
        if *undecided > 0 {
            words += &format!(", {undecided} could not be decided");
        }
        if *wrong > 0 {
            words += &format!("; {wrong} file{} wrong", if *wrong == 1 { " is" } else { "s are" });
        }
        words
    }

    fn json(&self) -> Value {
        json!({
            "scenarios": self.scenarios,
            "hold": self.hold,
            "fail": self.fail,
            "undecided": self.undecided,
            "wrong": self.wrong,
        })
    }
}

fn row_as_json(file: &Path, scenario: &Scenario, number: usize, row: &Checked<'_>) -> Value {
    let misses = row.misses.iter().map(|miss| {
        let policy = &scenario.policies[miss.policy].name;
        json!({
            "policy": policy,
            "claim": expectations::claim(miss.claim),
            "came": expectations::came(miss.came),
            "runs": match miss.shown {
                Shown::By { runs, .. } => Some(runs),
                Shown::ByCheck => None,
            },
            "seed": match miss.shown {
                Shown::By { seed, .. } => Some(seed),
                Shown::ByCheck => None,
            },
            "command": command(file, policy, miss),
        })
    });
    json!({
        "line": row.expectation.line,
        "policies": row.expectation.policies.iter().map(|&at| &scenario.policies[at].name).collect::<Vec<_>>(),
        "claims": row.expectation.claims.iter().map(expectations::claim).collect::<Vec<_>>(),
        "result": match (row.holds(), row.fails()) {
            (true, _) => "holds",
            (_, true) => "fails",
            (_, false) => "undecided",
        },
        "misses": misses.collect::<Vec<_>>(),
        "shrink": shrink(file, number, row).filter(|_| row.fails()),
    })
}

/// The policies of a row, by name; all of several in one word.
fn policies<'s>(scenario: &'s Scenario, row: &Checked<'_>) -> Vec<&'s str> {
    let chosen = &row.expectation.policies;
    if chosen.len() == scenario.policies.len() && chosen.len() > 2 {
        return vec!["every policy"];
    }
    chosen.iter().map(|&at| scenario.policies[at].name.as_str()).collect()
}

/// What a person types to see what came.
fn command(file: &Path, policy: &str, miss: &Miss<'_>) -> String {
    let file = shell_word(&shown(file));
    match (miss.shown, miss.claim) {
        (Shown::By { seed, .. }, _) => format!("rehearsal run {file} --policy {policy} --seed {seed}"),
        (Shown::ByCheck, Claimed::Property { property, .. }) => {
            format!("rehearsal check {file} --policy {policy} --property {}", property.name())
        }
        (Shown::ByCheck, _) => format!("rehearsal check {file} --policy {policy}"),
    }
}

/// What a person types to see the smallest scenario in which a row still fails.
fn shrink(file: &Path, number: usize, row: &Checked<'_>) -> Option<String> {
    let seed =
        row.misses.iter().find(|miss| !matches!(miss.came, Came::Undecided(_))).map(|miss| match miss.shown {
            Shown::By { seed, .. } => format!(" --seed {seed}"),
            Shown::ByCheck => String::new(),
        })?;
    Some(format!("rehearsal shrink {}{seed} --expect {number}", shell_word(&shown(file))))
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}
