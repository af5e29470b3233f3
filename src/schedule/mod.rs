//! A run without a clock, written down step by step: what a counterexample is saved as, and what `run --schedule` plays.

mod read;
mod words;

use std::path::Path;

use crate::explore::{Property, Refutation, Step};
use crate::model::{Axis, Setting};
use crate::scenario::{Failure, read_text};

/// A run, step by step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The policy under which the steps can come.
    pub policy: String,
    /// What they refute, if they were saved as a counterexample.
    pub property: Option<Property>,
    /// The steps.
    pub refutation: Refutation,
}

impl Schedule {
    /// Reads a schedule of a run in `setting`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no schedule of such a run.
    pub fn load(path: &Path, setting: &Setting) -> Result<Schedule, Failure> {
        Schedule::parse(&path.display().to_string(), &read_text(path)?, setting)
    }

    /// Reads the text of a schedule. Messages name the file.
    ///
    /// # Errors
    ///
    /// If the text is no schedule of a run in `setting`.
    pub fn parse(file: &str, text: &str, setting: &Setting) -> Result<Schedule, Failure> {
        read::schedule(text, setting).map_err(|mistake| Failure::new(file, text, mistake))
    }

    /// The schedule as a file, `scenario` being the path it is of.
    pub fn to_toml(&self, scenario: &str, setting: &Setting) -> String {
        let mut text = format!(
            "# A run of {scenario}, step by step, to be played by\n#   rehearsal run {scenario} --schedule THIS_FILE\n\
             policy = {}\n",
            words::toml_text(&self.policy)
        );
        if let Some(property) = self.property {
            text += &format!("property = {:?}\n", property.name());
        }
        if let Some(from) = self.refutation.cycle_from {
            text += &format!("repeats_from = {} # this step and those after it, without end\n", from + 1);
        }
        for step in &self.refutation.steps {
            text += "\n[[step]]\n";
            text += &words::step(step, setting);
        }
        text
    }

    /// The steps up to where the world is put right, its cycle `rounds` times: what a simulated run can be given.
    pub fn steps(&self, rounds: usize) -> Vec<&Step> {
        let Refutation { steps, cycle_from } = &self.refutation;
        let put_right = steps.iter().position(|step| !matches!(step, Step::Event(..)));
        let (stem, cycle) = match (put_right, *cycle_from) {
            (Some(put_right), _) => (&steps[..put_right], &steps[..0]),
            (None, Some(from)) => steps.split_at(from),
            (None, None) => (&steps[..], &steps[..0]),
        };
        stem.iter().chain(std::iter::repeat_n(cycle, rounds).flatten()).collect()
    }
}
