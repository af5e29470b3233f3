//! `regress`: scenarios against what they came to when their results were blessed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use clap::{Args, ValueEnum};
use xxhash_rust::xxh3::xxh3_64;

use super::compare::progress;
use super::failure::Failure;
use super::output::Output;
use super::scenarios::{self, Cost};
use super::whole_file::WholeFile;
use super::{Global, Verdict};
use crate::model::MODEL_VERSION;
use crate::regression::{self, Blessed, Judged, Status};
use crate::report::regression::RegressionReport;
use crate::scenario::Scenario;
use crate::simulate::Seeds;

/// Run scenarios again, and say what has changed since their results were blessed
///
/// A folder stands for every .toml file in it and below. Every policy of each scenario runs under the same seeds; facts,
/// measures, outcomes and the verdicts of expectations are compared. Exit status 1 if anything differs.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Regress {
    /// Scenario files, and folders of them
    #[arg(value_name = "PATH", default_value = "scenarios")]
    paths: Vec<PathBuf>,
    /// Where blessed results are; each has the path that its scenario has within `scenarios`
    #[arg(long, value_name = "DIR", default_value = "results")]
    results: PathBuf,
    /// Write what scenarios come to now as their blessed results
    #[arg(long, conflicts_with = "format")]
    bless: bool,
    /// Only the K-th of N parts of the scenarios, which are the same parts everywhere
    #[arg(long, value_name = "K/N", value_parser = shard)]
    shard: Option<Shard>,
    /// How many threads; the result is the same for any number [default: one per core]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = clap::value_parser!(u16).range(0..=1024))]
    jobs: u16,
    #[command(flatten)]
    cost: Cost,
    /// How to print
    #[arg(long, default_value = "table")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  rehearsal regress
  rehearsal regress scenarios/rfc-0020 --shard 1/4 --format junit > regress.xml";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Markdown,
    Json,
    /// JUnit's XML
    Junit,
    /// Annotations of GitHub Actions
    Github,
}

/// A part of the scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shard {
    /// Which, from 1.
    which: u64,
    of: u64,
}

impl Shard {
    /// By its name alone: neither other scenarios nor their order matter.
    fn holds(self, key: &str) -> bool {
        xxh3_64(key.as_bytes()) % self.of == self.which - 1
    }
}

fn shard(text: &str) -> Result<Shard, String> {
    let parsed = text.split_once('/').and_then(|(which, of)| Some((which.parse().ok()?, of.parse().ok()?)));
    match parsed {
        Some((which, of)) if 1 <= which && which <= of => Ok(Shard { which, of }),
        _ => Err("a part is written K/N, with K from 1 to N: `2/4` is the second of four".to_owned()),
    }
}

/// The runs of a policy that are compared.
const SEEDS: Seeds = Seeds { first: 1, count: 20 };

impl Regress {
    pub(super) fn act(self, global: &Global, output: &mut Output) -> Result<Verdict, Failure> {
        let files = self.by_key()?;
        let gone = self.gone(&files)?;
        let bar = progress(global, files.len() as u64);
        let mut judged = Vec::new();
        let mut blessed = (0, 0);
        for (key, file) in &files {
            bar.set_message(shown(file));
            let status = match self.one(key, file) {
                Ok(Done::Judged(status)) => status,
                Ok(Done::Blessed { written }) => {
                    blessed.0 += u64::from(written);
                    Status::Same
                }
                // The other scenarios are still worth knowing about.
                Err(failure) => {
                    bar.suspend(|| failure.say());
                    Status::Wrong(failure.to_string())
                }
            };
            judged.push(Judged { file: shown(file), status });
            bar.inc(1);
        }
        bar.finish_and_clear();
        for (key, file) in &gone {
            if self.bless {
                let path = self.results.join(key);
                fs::remove_file(&path).map_err(|error| Failure::File { path, error })?;
                blessed.1 += 1;
            } else {
                judged.push(Judged { file: file.clone(), status: Status::Gone });
            }
        }
        let wrong = judged.iter().any(|judged| matches!(judged.status, Status::Wrong(_)));
        let changed = judged.iter().any(|judged| !judged.status.is_same());
        if self.bless {
            let same = judged.iter().filter(|judged| judged.status.is_same()).count() as u64 - blessed.0;
            writeln!(output, "{} blessed, {} removed, {same} as they were", blessed.0, blessed.1)?;
        } else {
            let report = RegressionReport::new(judged, SEEDS.count);
            match self.format {
                Format::Table => write!(output, "{}", report.table())?,
                Format::Markdown => write!(output, "{}", report.markdown())?,
                Format::Json => writeln!(output, "{:#}", report.json())?,
                Format::Junit => write!(output, "{}", report.junit())?,
                Format::Github => write!(output, "{}", report.github())?,
            }
        }
        Ok(match (wrong, changed) {
            (true, _) => Verdict::WrongInput,
            (_, true) => Verdict::Failed,
            _ => Verdict::Well,
        })
    }

    fn one(&self, key: &str, file: &Path) -> Result<Done, Failure> {
        let (scenario, text) = Scenario::load_with_text(file).map_err(|failure| Failure::Scenarios(vec![failure]))?;
        let path = self.results.join(key);
        let old = read(&path, self.bless)?;
        let limits = self.cost.limits();
        let new =
            regression::results(&scenario, &text, SEEDS, self.jobs.into(), limits).map_err(scenarios::overrun(file))?;
        if !self.bless {
            let status = regression::judge(&scenario, old.as_ref(), &new, limits).map_err(scenarios::overrun(file))?;
            return Ok(Done::Judged(status));
        }
        if old.as_ref() == Some(&new) {
            return Ok(Done::Blessed { written: false });
        }
        if old.is_some_and(|old| regression::needs_another_version(&old, &new)) {
            return Err(Failure::Path {
                path: file.to_owned(),
                message: format!(
                    "comes to something else, though its text and the model's version, {MODEL_VERSION}, are the same"
                ),
                help: "what changes results raises MODEL_VERSION in src/model/version.rs".to_owned(),
            });
        }
        let wrong = |error| Failure::File { path: path.clone(), error };
        fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(wrong)?;
        let mut whole = WholeFile::create(&path).map_err(wrong)?;
        whole.write_all(regression::write(&new, key).as_bytes()).map_err(wrong)?;
        whole.keep().map_err(wrong)?;
        Ok(Done::Blessed { written: true })
    }

    /// The scenarios by the names of their results, in order.
    fn by_key(&self) -> Result<BTreeMap<String, PathBuf>, Failure> {
        let mut files = BTreeMap::new();
        for file in scenarios::find(&self.paths)? {
            let key = key(&file);
            let other = match self.shard.is_none_or(|shard| shard.holds(&key)) {
                true => files.insert(key, file.clone()),
                false => None,
            };
            if let Some(other) = other.filter(|other| *other != file) {
                return Err(Failure::Path {
                    path: file,
                    message: format!("would share its result with {}", other.display()),
                    help: "name them so that the paths differ without what leads up to them".to_owned(),
                });
            }
        }
        Ok(files)
    }

    /// Blessed results whose scenarios would be within the folders asked for, and are not; with those scenarios.
    fn gone(&self, files: &BTreeMap<String, PathBuf>) -> Result<Vec<(String, String)>, Failure> {
        let mut gone = BTreeSet::new();
        for folder in self.paths.iter().filter(|path| path.is_dir()) {
            let mirror = self.results.join(key(folder));
            if !mirror.is_dir() {
                continue;
            }
            for result in scenarios::files_below(&mirror, &["toml"])? {
                let within = result.strip_prefix(&mirror).expect("it was found below");
                let scenario = folder.join(within);
                let key = key(&scenario);
                let ours = self.shard.is_none_or(|shard| shard.holds(&key));
                if ours && !files.contains_key(&key) && !scenario.exists() {
                    gone.insert((key, shown(&scenario)));
                }
            }
        }
        Ok(gone.into_iter().collect())
    }
}

enum Done {
    Judged(Status),
    Blessed { written: bool },
}

/// The blessed result, if there is one. Whoever blesses replaces what cannot be read.
fn read(path: &Path, any: bool) -> Result<Option<Blessed>, Failure> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(_) if any => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    match regression::read(&text) {
        Ok(blessed) => Ok(Some(blessed)),
        Err(_) if any => Ok(None),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::Path {
        path: path.to_owned(),
        message: format!("is no blessed result: {error}"),
        help: "`rehearsal regress --bless` writes it anew".to_owned(),
    }
}

/// The name of a scenario's result: its path without what leads up to it, nor the folder that all scenarios are in.
fn key(file: &Path) -> String {
    let parts = file.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let parts: Vec<_> = parts.collect();
    let from = usize::from(parts.first().is_some_and(|part| part == "scenarios"));
    parts[from..].join("/")
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_the_path_of_its_scenario() {
        for (file, name) in [
            ("scenarios/a/b.toml", "a/b.toml"),
            ("./scenarios/a/b.toml", "a/b.toml"),
            ("../c.toml", "c.toml"),
            ("my/own.toml", "my/own.toml"),
            ("scenarios", ""),
        ] {
            assert_eq!(key(Path::new(file)), name);
        }
    }

    #[test]
    fn parts_are_a_partition() {
        for of in 1..7 {
            for n in 0..50 {
                let key = format!("{n}/a.toml");
                let holders = (1..=of).filter(|&which| Shard { which, of }.holds(&key)).count();
                assert_eq!(holders, 1);
            }
        }
        assert!(
            Shard { which: 2, of: 2 }.holds("rfc-0020/01a-name.toml")
                || Shard { which: 1, of: 2 }.holds("rfc-0020/01a-name.toml")
        );
    }

    #[test]
    fn a_part_is_one_of_its_number() {
        assert_eq!(shard("2/4"), Ok(Shard { which: 2, of: 4 }));
        for wrong in ["0/4", "5/4", "1", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(shard(wrong).is_err(), "{wrong}");
        }
    }
}
