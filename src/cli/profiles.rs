//! `profiles`: what is known of real controllers.

use std::io::Write;

use clap::Args;

use super::failure::Failure;
use super::output::Output;
use super::scenarios::nearest;
use super::{Global, Verdict};
use crate::catalogue::{self, Profile};
use crate::model::Axis;
use crate::model::setting::StatusPhase;
use crate::report::{Form, Table};

/// List the profiles of real controllers that an oracle can be like, or show one with its sources
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Profiles {
    /// The profile to show
    name: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal profiles
  rehearsal profiles kpack/Image";

impl Profiles {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        match &self.name {
            None => list(global, output)?,
            Some(name) => {
                let names = || catalogue::profiles().iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>();
                let missing = || Failure::NoProfile { name: name.clone(), help: nearest(name, &names()) };
                show(catalogue::profile(name).ok_or_else(missing)?, output)?;
            }
        }
        Ok(Verdict::Well)
    }
}

/// The settings that tell profiles apart.
const COLUMNS: [&str; 4] = ["acknowledges", "while_working", "on_new_question", "work"];

fn list(global: &Global, output: &mut Output) -> Result<(), Failure> {
    let mut table = Table::new(0..COLUMNS.len() + 1, ["profile"].into_iter().chain(COLUMNS));
    for profile in catalogue::profiles() {
        let values = COLUMNS.iter().map(|column| {
            let setting = profile.settings.iter().find(|setting| setting.key == *column);
            let words = |value: &str| {
                value.split(|c| " \"{}=".contains(c)).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            };
            setting.map_or("·".to_owned(), |setting| words(&setting.value))
        });
        table.row(std::iter::once(profile.name.clone()).chain(values));
    }
    output.write_all(table.render(Form::Terminal).as_bytes())?;
    if global.quiet {
        return Ok(());
    }
    writeln!(output, "\n· stands for what a well-behaved oracle does. Times are typical, and were not measured.")?;
    writeln!(output, "`rehearsal profiles NAME` shows one in full, each value with where it comes from.")?;
    if global.verbose {
        writeln!(output)?;
        for profile in catalogue::profiles() {
            writeln!(output, "{} ({} of {})\n  {}", profile.name, profile.kind, profile.api.join(", "), profile.about)?;
        }
    }
    Ok(())
}

fn show(profile: &Profile, output: &mut Output) -> Result<(), Failure> {
    writeln!(output, "# {}: {}", profile.name, profile.about)?;
    writeln!(output, "# {} of {}", profile.kind, profile.api.join(", "))?;
    writeln!(output, "#\n# In a scenario: like = \"{}\". Written out, that is\n", profile.name)?;
    writeln!(output, "[[oracle]]")?;
    for setting in &profile.settings {
        let typical = if setting.typical { "typical, not measured: " } else { "" };
        writeln!(output, "# {typical}{}\n#   {}", setting.why, setting.source)?;
        writeln!(output, "{} = {}", setting.key, setting.value)?;
    }
    for (of, heading) in [("wakes", "What wakes it besides its spec"), ("misbehaves", "Known misbehaviour")] {
        writeln!(output, "\n# {heading}")?;
        for note in profile.notes.iter().filter(|note| note.of == of) {
            writeln!(output, "# - {}\n#   {}", note.is, note.source)?;
        }
    }
    writeln!(output, "\n# What the object shows in each phase")?;
    for &phase in StatusPhase::ALL {
        writeln!(output, "# - {phase}: {}\n#   {}", profile.object(phase), profile.object_source(phase))?;
    }
    Ok(())
}
