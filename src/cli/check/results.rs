//! `check --out`: the folder of results.

use std::io::Write as _;
use std::path::Path;

use serde_json::json;

use crate::cli::Global;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::whole_folder::WholeFolder;
use crate::explore::Verdict as Found;
use crate::model::{Axis, Plan};
use crate::report::checked::{self, CheckReport};
use crate::report::page::{Checked, CheckedPage, Refuted, shell_word};
use crate::report::{Detail, Form, counterexample};
use crate::scenario::{NamedPolicy, Scenario};
use crate::schedule::Schedule;

/// The folder, before it is whole.
pub(super) struct Folder<'a> {
    path: &'a Path,
    folder: WholeFolder,
}

/// A scenario, its policies, its file and what was found.
type One<'a> = (((&'a Scenario, &'a Vec<NamedPolicy>), &'a String), &'a CheckReport<'a>);

impl<'a> Folder<'a> {
    /// Begins the folder: whether it can be there is found before anything is tried.
    pub(super) fn create(path: &'a Path) -> Result<Folder<'a>, Failure> {
        Ok(Folder { path, folder: WholeFolder::create(path)? })
    }

    /// Writes everything, and says where it is.
    pub(super) fn fill(
        self,
        command: &str,
        all: &[One<'_>],
        global: &Global,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let mut checked = Vec::new();
        let mut review = String::new();
        for (number, (((scenario, policies), file), report)) in all.iter().enumerate() {
            let refuted = self.refuted(number, scenario, policies, file, report)?;
            review += &format!("## {}\n\n{}\n\n", scenario.name, scenario.about);
            review += &checked::tables(std::slice::from_ref(*report), Form::Markdown);
            for Refuted { policy, property, closing, .. } in &refuted {
                review += &format!("\n- {policy}, `{}`: {closing}", property.name());
            }
            review += "\n\n";
            checked.push(Checked { about: &scenario.about, report, refuted });
        }
        review += &format!("Made by Rehearsal {} with\n\n```sh\n{command}\n```\n", env!("CARGO_PKG_VERSION"));
        let page = CheckedPage { checked: &checked, command };
        self.folder.write("report.html", page.html().as_bytes())?;
        self.folder.write("report.md", review.as_bytes())?;
        let checks: Vec<_> = all.iter().map(|(_, report)| report.json()).collect();
        let version = env!("CARGO_PKG_VERSION");
        let json = format!("{:#}\n", json!({ "version": version, "command": command, "checks": checks }));
        self.folder.write("results.json", json.as_bytes())?;
        self.folder.keep()?;
        if !global.quiet {
            writeln!(output, "{}", self.path.join("report.html").display())?;
        }
        Ok(())
    }

    /// The counterexamples of one scenario, each with its figure and its schedule.
    fn refuted(
        &self,
        number: usize,
        scenario: &Scenario,
        policies: &[NamedPolicy],
        file: &str,
        report: &CheckReport<'_>,
    ) -> Result<Vec<Refuted>, Failure> {
        let mut all = Vec::new();
        for (named, (_, found)) in policies.iter().zip(&report.policies) {
            let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
            for (property, verdict) in &found.decided {
                let Found::Refuted(refutation) = verdict else { continue };
                let mut told = Vec::new();
                counterexample::tell(&plan, *property, refutation, Detail::Told, &mut told)?;
                let told = anstream::adapter::strip_str(&String::from_utf8_lossy(&told)).to_string();
                let told = told.trim_end();
                let (steps, closing) = told.rsplit_once('\n').unwrap_or(("", told));
                let lanes = counterexample::lanes(&plan, refutation);
                let name = format!("{:02}-{}-{}", number + 1, named.name, property.name());
                let picture = lanes.picture(format!("A counterexample to {} under {}", property.name(), named.name));
                self.folder.write(&format!("figures/{name}.svg"), picture.file().as_bytes())?;
                self.folder.write(&format!("figures/{name}.png"), &picture.png())?;
                let schedule =
                    Schedule { policy: named.name.clone(), property: Some(*property), refutation: refutation.clone() };
                let schedule_file = format!("schedules/{name}.toml");
                self.folder.write(&schedule_file, schedule.to_toml(file, plan.setting()).as_bytes())?;
                let schedule_path = self.path.join(&schedule_file).display().to_string();
                all.push(Refuted {
                    policy: named.name.clone(),
                    property: *property,
                    steps: steps.to_owned(),
                    closing: closing.to_owned(),
                    play: format!("rehearsal run {} --schedule {}", shell_word(file), shell_word(&schedule_path)),
                    picture,
                });
            }
        }
        Ok(all)
    }
}
