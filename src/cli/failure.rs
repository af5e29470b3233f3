//! Why a verb could not do its work.

use std::io;
use std::path::PathBuf;

use crate::scenario;
use crate::simulate::Overrun;

/// Why a verb could not do its work.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// Files that cannot be read as scenarios.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Scenarios(Vec<scenario::Failure>),
    /// A name that no policy bears.
    #[error("no policy is named `{name}`{}", helped(.help))]
    NoPolicy { name: String, help: Vec<String> },
    /// A name that no profile bears.
    #[error("no profile is named `{name}`{}", helped(.help))]
    NoProfile { name: String, help: Vec<String> },
    /// A run that would not end.
    #[error("{}: {overrun}", .file.display())]
    Overrun { file: PathBuf, overrun: Overrun },
    /// A path that leads nowhere.
    #[error("{path}: {message}\n  help: {help}", path = .path.display())]
    Path { path: PathBuf, message: String, help: String },
    /// A file that could not be written.
    #[error("{} could not be written: {error}", .path.display())]
    File { path: PathBuf, error: io::Error },
    /// Standard output could not be written.
    #[error("the result could not be written: {0}")]
    Output(#[from] io::Error),
}

fn helped(help: &[String]) -> String {
    help.iter().map(|line| format!("\n  help: {line}")).collect()
}

impl Failure {
    /// Whether standard output was closed by whoever read it.
    pub(super) fn is_broken_pipe(&self) -> bool {
        matches!(self, Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Says it on standard error.
    pub(super) fn say(&self) {
        match self {
            Failure::Scenarios(failures) => failures.iter().for_each(say_scenario),
            other => {
                let style = anstyle::AnsiColor::Red.on_default().bold();
                anstream::eprintln!("{style}error{style:#}: {other}");
            }
        }
    }
}

/// Says on standard error what is wrong with a scenario.
pub(super) fn say_scenario(failure: &scenario::Failure) {
    // The stream takes the colours out where they are not wanted.
    anstream::eprintln!("{}", failure.render(true));
}
