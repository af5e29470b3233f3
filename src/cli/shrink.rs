//! `shrink`: the smallest scenario in which an expectation still fails.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::output::Output;
use super::scenarios::Cost;
use super::whole_file::WholeFile;
use super::{Global, Verdict};
use crate::reduction::{self, Task};
use crate::scenario::Scenario;

/// Make a scenario smaller while one of its expectations still fails
///
/// Takes out updates, oracles, faults and whatever else is not needed, rounds durations and shortens the horizon, as long as
/// the expectation fails in the same way. `validate` names the seed and the number.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Shrink {
    /// The scenario
    #[arg(value_name = "SCENARIO")]
    file: PathBuf,
    /// Which [[expect]] row fails, counted from 1
    #[arg(long, value_name = "K")]
    expect: usize,
    /// The seed under which it fails
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write the smaller scenario to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Stop after so many tries
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(1..))]
    max_tries: u64,
    /// Give up deciding a property after so many states
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..=4_000_000_000))]
    max_states: u64,
    #[command(flatten)]
    cost: Cost,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal shrink my.toml --seed 7 --expect 2
  rehearsal shrink my.toml --seed 7 --expect 2 --out smaller.toml";

impl Shrink {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let loaded = Scenario::load_with_text(&self.file);
        let (_, text) = loaded.map_err(|failure| Failure::Scenarios(vec![failure]))?;
        let task = Task {
            row: self.expect,
            seed: self.seed,
            limits: self.cost.limits(),
            max_states: self.max_states,
            max_tries: self.max_tries,
        };
        let reduced = reduction::reduce(&text, task).map_err(|error| Failure::Path {
            path: self.file.clone(),
            message: error.to_string(),
            help: "`rehearsal validate` names what fails, and under which seed".to_owned(),
        })?;
        match &self.out {
            None => write!(output, "{}", reduced.text)?,
            Some(path) => {
                let wrong = |error| Failure::File { path: path.clone(), error };
                let mut file = WholeFile::create(path).map_err(wrong)?;
                file.write_all(reduced.text.as_bytes()).map_err(wrong)?;
                file.keep().map_err(wrong)?;
            }
        }
        if !global.quiet {
            let lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
            let end = if reduced.smallest { "" } else { "; there was more to try" };
            output.end()?;
            anstream::eprintln!(
                "{} lines of {} after {} tries{end}",
                lines(&reduced.text),
                lines(&text),
                reduced.tries
            );
        }
        Ok(Verdict::Well)
    }
}
