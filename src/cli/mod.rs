//! The command line: one file a verb. Results go to standard output, everything else to standard error.

mod check;
mod compare;
mod completions;
mod failure;
mod import;
mod man;
mod output;
mod policies;
mod profiles;
mod regress;
mod run;
mod scenarios;
mod shrink;
mod validate;
mod whole_file;
mod whole_folder;

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{Args, Parser, Subcommand, ValueEnum};

use output::Output;

/// Rehearse how a supply chain is choreographed: which policy serves it best, and why.
///
/// A scenario file describes a workload, the chain of oracles that build it, and what befalls them. Rehearsal runs it under
/// policies that differ in when an output may be read and a spec written, and measures what developers get.
#[derive(Parser)]
#[command(name = "rehearsal", version, max_term_width = 100, after_help = EXIT_STATUS, infer_subcommands = false)]
pub(crate) struct Command {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    verb: Verb,
}

const EXIT_STATUS: &str = "\
Exit status: 0 all well; 1 an expectation failed, a property was refuted or a result changed;
2 the input is wrong; 3 a check was undecided within its limits.

Examples:
  rehearsal compare scenarios/chains/git-kpack-app.toml
  rehearsal validate scenarios/";

#[derive(Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// Say less: results only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    verbose: bool,
    /// When to colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
}

/// When to colour. `auto` heeds NO_COLOR, CLICOLOR_FORCE and whether a terminal reads.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

impl Color {
    fn choice(self) -> ColorChoice {
        match self {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
    }
}

#[derive(Subcommand)]
enum Verb {
    Compare(compare::Compare),
    Validate(validate::Validate),
    Regress(regress::Regress),
    Shrink(shrink::Shrink),
    Run(run::Run),
    Check(check::Check),
    Import(import::Import),
    Policies(policies::Policies),
    Profiles(profiles::Profiles),
    Completions(completions::Completions),
    Man(man::Man),
}

/// What came of a verb that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// All is well.
    Well,
    /// An expectation failed, a property was refuted, or a result changed.
    Failed,
    /// A check was undecided within its limits.
    Undecided,
    /// Some of the input was wrong, which has been said.
    WrongInput,
}

impl Verdict {
    fn status(self) -> u8 {
        match self {
            Verdict::Well => 0,
            Verdict::Failed => 1,
            Verdict::Undecided => 3,
            Verdict::WrongInput => 2,
        }
    }
}

/// Does what the arguments of the process say.
pub fn main() -> ExitCode {
    let Command { global, verb } = Command::parse();
    global.color.choice().write_global();
    let mut output = Output::new();
    let done = match verb {
        Verb::Compare(compare) => compare.act(&global, &mut output),
        Verb::Validate(validate) => validate.act(&global, &mut output),
        Verb::Regress(regress) => regress.act(&global, &mut output),
        Verb::Shrink(shrink) => shrink.act(&global, &mut output),
        Verb::Run(run) => run.act(&global, &mut output),
        Verb::Check(check) => check.act(&global, &mut output),
        Verb::Import(import) => import.act(&global, &mut output),
        Verb::Policies(policies) => policies.act(&global, &mut output),
        Verb::Profiles(profiles) => profiles.act(&global, &mut output),
        Verb::Completions(completions) => completions.act(&mut output),
        Verb::Man(man) => man.act(&mut output),
    };
    let done = done.and_then(|verdict| output.end().map(|()| verdict));
    match done {
        Ok(verdict) => verdict.status().into(),
        // Whoever read has read enough: nothing is wrong.
        Err(failure) if failure.is_broken_pipe() => ExitCode::SUCCESS,
        Err(failure) => {
            failure.say();
            Verdict::WrongInput.status().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Command;

    #[test]
    fn the_command_is_consistent() {
        Command::command().debug_assert();
    }

    #[test]
    fn every_help_ends_with_two_examples_that_parse() {
        let whole = Command::command();
        for verb in whole.get_subcommands().chain([&whole]) {
            let help = verb.get_after_help().unwrap_or_else(|| panic!("{} has examples", verb.get_name())).to_string();
            let (_, examples) = help.split_once("Examples:").expect("examples are headed so");
            let examples: Vec<&str> = examples.trim().lines().map(str::trim).collect();
            assert_eq!(examples.len(), 2, "{}", verb.get_name());
            for example in examples {
                // What a shell does with the result is not for the parser.
                let arguments = example.split_whitespace().take_while(|word| !["|", ">"].contains(word));
                Command::try_parse_from(arguments).unwrap_or_else(|error| panic!("{example}: {error}"));
            }
        }
    }
}
