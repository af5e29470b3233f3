//! `man`: manual pages.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_mangen::Man as Page;

use super::failure::Failure;
use super::output::Output;
use super::{Command, Verdict};

/// Print the manual page of Rehearsal, or of one of its commands
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Man {
    /// The command [default: Rehearsal as a whole]
    #[arg(value_name = "COMMAND", value_parser = ["compare", "validate", "regress", "shrink", "check", "run", "import", "policies", "profiles", "completions", "man"])]
    command: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal man | man -l -
  rehearsal man compare > rehearsal-compare.1";

impl Man {
    pub(super) fn act(self, output: &mut Output) -> Result<Verdict, Failure> {
        let mut whole = Command::command();
        whole.build();
        let command = match &self.command {
            None => whole,
            Some(name) => whole.find_subcommand(name).expect("only commands are let through").clone(),
        };
        // A command's page is named as git names its own: rehearsal-compare.
        let name = command.get_display_name().unwrap_or("rehearsal").to_owned();
        Page::new(command.name(name)).render(&mut *output)?;
        output.flush()?;
        Ok(Verdict::Well)
    }
}
