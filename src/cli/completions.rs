//! `completions`: for shells.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::failure::Failure;
use super::output::Output;
use super::{Command, Verdict};

/// Print what a shell needs to complete arguments
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal completions bash > ~/.local/share/bash-completion/completions/rehearsal
  rehearsal completions fish > ~/.config/fish/completions/rehearsal.fish";

impl Completions {
    pub(super) fn act(self, output: &mut Output) -> Result<Verdict, Failure> {
        // The generator panics if it cannot write, so it writes to memory.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Command::command(), "rehearsal", &mut script);
        output.write_all(&script)?;
        Ok(Verdict::Well)
    }
}
