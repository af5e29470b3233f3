//! `compare --out`: the folder of results.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::{Compare, Compared, as_csv};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::whole_folder::WholeFolder;
use crate::cli::{Global, scenarios};
use crate::model::Plan;
use crate::report::Moment;
use crate::report::comparison::ComparisonReport;
use crate::report::lanes::{Gather, Lanes};
use crate::report::page::{Page, Shown};
use crate::report::picture::Picture;
use crate::simulate::Simulator;

/// The folder, before it is whole.
pub(super) struct Folder<'a> {
    path: &'a Path,
    folder: WholeFolder,
}

impl<'a> Folder<'a> {
    /// Begins the folder: whether it can be there is found before anything runs.
    pub(super) fn create(path: &'a Path) -> Result<Folder<'a>, Failure> {
        Ok(Folder { path, folder: WholeFolder::create(path)? })
    }

    /// Writes everything, and says what was found and where more is.
    pub(super) fn fill(
        self,
        compare: &Compare,
        all: &[Compared<'_>],
        reports: &[ComparisonReport<'_>],
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let names = folder_names(all);
        let single = all.len() == 1;
        for ((compared, report), name) in all.iter().zip(reports).zip(&names) {
            let at = if single { String::new() } else { format!("{name}/") };
            self.one(compare, compared, report, &at)?;
            output.write_all(report.headline().as_bytes())?;
        }
        if !single {
            self.overview(compare, all, reports, &names)?;
        }
        self.folder.keep()?;
        if !global.quiet {
            writeln!(output, "{}", self.path.join("report.html").display())?;
        }
        Ok(())
    }

    /// The results of one scenario.
    fn one(
        &self,
        compare: &Compare,
        compared: &Compared<'_>,
        report: &ComparisonReport<'_>,
        at: &str,
    ) -> Result<(), Failure> {
        let file = compared.file.display().to_string();
        let command = compare.command(&[&file]);
        let runs = self.runs(compare, compared)?;
        let page = Page { report, samples: &compared.samples, file: &file, command: &command, runs: &runs };
        let charts = page.subject().charts();
        let write = |name: &str, bytes: &[u8]| self.folder.write(&format!("{at}{name}"), bytes);
        for chart in &charts {
            self.figure(&format!("{at}figures/{}", chart.name), &chart.picture)?;
        }
        for (place, (policy, (middle, _))) in compared.policies.iter().zip(&runs).enumerate() {
            let title = format!("The run in the middle under {}, seed {}", policy.name, middle.seed);
            let name = format!("{at}figures/run-{:02}-{}", place + 1, plain(&policy.name));
            self.figure(&name, &middle.lanes.picture(title))?;
        }
        write("report.html", page.html(&charts).as_bytes())?;
        write("report.md", report.review(&command).as_bytes())?;
        write("results.json", as_json(&command, std::slice::from_ref(report)).as_bytes())?;
        write("results.csv", &as_csv(std::slice::from_ref(report))?)?;
        write("scenario.toml", again(compared.text, &file, &command).as_bytes())
    }

    fn overview(
        &self,
        compare: &Compare,
        all: &[Compared<'_>],
        reports: &[ComparisonReport<'_>],
        names: &[String],
    ) -> Result<(), Failure> {
        let files: Vec<String> = all.iter().map(|compared| compared.file.display().to_string()).collect();
        let command = compare.command(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let overview = crate::report::page::Overview { reports, folders: names, command: &command };
        self.folder.write("report.html", overview.html().as_bytes())?;
        self.folder.write("report.md", overview.markdown().as_bytes())?;
        self.folder.write("results.json", as_json(&command, reports).as_bytes())?;
        self.folder.write("results.csv", &as_csv(reports)?)
    }

    fn figure(&self, name: &str, picture: &Picture) -> Result<(), Failure> {
        self.folder.write(&format!("{name}.svg"), picture.file().as_bytes())?;
        self.folder.write(&format!("{name}.png"), &picture.png())
    }

    /// Each policy's run in the middle, and its worst one if that is another.
    fn runs(&self, compare: &Compare, compared: &Compared<'_>) -> Result<Vec<(Shown, Option<Shown>)>, Failure> {
        let run = |(at, plan): (usize, &Plan)| {
            let (middle, worst) = (compared.samples.median(at).seed, compared.samples.worst(at).seed);
            let show = |seed: u64| {
                let lanes = lanes(compare, plan, seed).map_err(scenarios::overrun(compared.file))?;
                Ok::<_, Failure>(Shown { seed, lanes })
            };
            Ok((show(middle)?, (worst != middle).then(|| show(worst)).transpose()?))
        };
        compared.plans.iter().enumerate().map(run).collect()
    }
}

/// A run, made again to be drawn.
fn lanes(compare: &Compare, plan: &Plan, seed: u64) -> Result<Lanes, crate::simulate::Overrun> {
    let mut gather = Gather::new(plan);
    Simulator::new(plan, compare.runs.cost.limits()).run(seed, &mut gather)?;
    Ok(gather.end_at(Moment::At(plan.setting().horizon)))
}

/// The scenario as it was, headed by what makes the results of it.
fn again(text: &str, file: &str, command: &str) -> String {
    let version = env!("CARGO_PKG_VERSION");
    // A file's name may hold a line's end; a comment must not.
    let line = |text: &str| text.replace(['\n', '\r'], " ");
    format!("# Results of this scenario, {}, by Rehearsal {version}:\n# {}\n\n{text}", line(file), line(command))
}

fn as_json(command: &str, reports: &[ComparisonReport<'_>]) -> String {
    let comparisons: Vec<Value> = reports.iter().map(ComparisonReport::json).collect();
    let version = env!("CARGO_PKG_VERSION");
    format!("{:#}\n", json!({ "version": version, "command": command, "comparisons": comparisons }))
}

/// A name as part of a file's name: what may mean something to a file system is left out.
fn plain(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect();
    plain.to_ascii_lowercase()
}

/// A folder for each scenario: its name, numbered where another bears it.
fn folder_names(all: &[Compared<'_>]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for compared in all {
        let name = plain(&compared.scenario.name);
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name));
        names.push(free.expect("there are numbers enough"));
    }
    names
}
