//! `compare --vary`: a grid of comparisons. Each cell is kept when it is finished, so that a long grid can be interrupted and
//! goes on where it was.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

use super::{Compare, Compared, as_csv};
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::whole_file::WholeFile;
use crate::cli::whole_folder::WholeFolder;
use crate::cli::{Global, scenarios};
use crate::report::map::{Map, Shows, Varied};
use crate::report::page::MapPage;
use crate::scenario::{Scenario, Variation};

/// A cell as it is kept.
struct Cell {
    comparison: Value,
    /// Its records, without their heading.
    csv: String,
}

impl Compare {
    /// Runs the grid of one scenario and writes its map.
    pub(super) fn grid(&self, out: &Path, global: &Global, output: &mut Output) -> Result<(), Failure> {
        let [file] = self.scenarios.as_slice() else {
            return Err(option("takes one scenario", "name one, or leave --vary out"));
        };
        let (scenario, text) = scenarios::load_with_texts(&self.scenarios, global)?.remove(0);
        let folder = WholeFolder::create(out)?;
        let cells = self.cells(file, &text)?;
        // Whatever is wrong in a cell is told before any is run.
        for (cell, changed) in &cells {
            let scenario = parse(file, cell, changed)?;
            self.warms_up_within(file, &scenario)?;
            scenarios::policies(&scenario, &self.policies)?;
        }
        let kept = kept_in(out);
        let wrong = |error| Failure::File { path: kept.clone(), error };
        fs::create_dir_all(&kept).map_err(wrong)?;
        let bar = super::progress(global, self.runs.runs * cells.len() as u64);
        let mut finished = Vec::new();
        for (number, (cell, changed)) in cells.iter().enumerate() {
            bar.set_message(format!("cell {} of {}", number + 1, cells.len()));
            let path = kept.join(format!("{:032x}.json", self.key(file, changed)));
            let found = match read_cell(&path) {
                Some(found) => {
                    bar.inc(self.runs.runs);
                    found
                }
                None => {
                    let found = self.cell(file, cell, changed, &bar)?;
                    write_cell(&path, &found)?;
                    // What is kept is what counts, so that a grid that went on is as one that was never stopped.
                    read_cell(&path).ok_or_else(|| wrong(std::io::Error::other("a cell just kept cannot be read")))?
                }
            };
            finished.push(found);
        }
        bar.finish_and_clear();
        let policies = scenarios::policies(&scenario, &self.policies)?;
        let map = Map {
            scenario: scenario.name.clone(),
            about: scenario.about.clone(),
            varied: self.varied(),
            policies: policies.iter().map(|policy| policy.name.clone()).collect(),
            cells: finished.iter().map(|cell| cell.comparison.clone()).collect(),
        };
        self.write(&folder, out, &map, &cells, &finished)?;
        folder.keep()?;
        fs::remove_dir_all(&kept).map_err(wrong)?;
        for sentence in map.sentences() {
            writeln!(output, "{sentence}")?;
        }
        if !global.quiet {
            writeln!(output, "\n{}", out.join("report.html").display())?;
        }
        Ok(())
    }

    fn varied(&self) -> Vec<Varied> {
        let varied = |variation: &Variation| Varied {
            path: variation.path().to_owned(),
            values: variation.values().iter().map(ToString::to_string).collect(),
        };
        self.vary.iter().map(varied).collect()
    }

    /// Each cell's place in words and its scenario, row by row.
    fn cells(&self, file: &Path, text: &str) -> Result<Vec<(String, String)>, Failure> {
        let name = |variation: &Variation, value: &dyn std::fmt::Display| format!("{} = {value}", variation.path());
        let apply = |variation: &Variation, text: &str, value| {
            variation.apply(text, value).map_err(|error| Failure::Path {
                path: file.to_owned(),
                message: error.message,
                help: error.help,
            })
        };
        let mut cells = Vec::new();
        match self.vary.as_slice() {
            [across] => {
                for value in across.values() {
                    cells.push((name(across, value), apply(across, text, value)?));
                }
            }
            [across, up] => {
                for above in up.values() {
                    let row = apply(up, text, above)?;
                    for value in across.values() {
                        let place = format!("{}, {}", name(across, value), name(up, above));
                        cells.push((place, apply(across, &row, value)?));
                    }
                }
            }
            _ => return Err(option("is there more than twice", "a map has two axes at the most")),
        }
        Ok(cells)
    }

    fn cell(&self, file: &Path, place: &str, text: &str, bar: &ProgressBar) -> Result<Cell, Failure> {
        let scenario = parse(file, place, text)?;
        let policies = scenarios::policies(&scenario, &self.policies)?;
        let plans = scenarios::plans(&scenario, &policies);
        let (comparison, samples) = self.compare(file, &plans, bar)?;
        let compared = Compared { file, text, scenario: &scenario, policies: &policies, plans, comparison, samples };
        let name = format!("{} with {place}", scenario.name);
        let mut report = self.report(&compared);
        report.scenario = &name;
        let csv = as_csv(std::slice::from_ref(&report))?;
        let csv = String::from_utf8_lossy(&csv).split_once('\n').map_or_else(String::new, |(_, rows)| rows.to_owned());
        Ok(Cell { comparison: report.json(), csv })
    }

    /// All that a cell's figures depend on.
    fn key(&self, file: &Path, text: &str) -> u128 {
        let all = json!([
            env!("CARGO_PKG_VERSION"),
            file.file_name().map(|name| name.to_string_lossy()),
            text,
            self.policies,
            self.runs.runs,
            self.runs.seed,
            self.warm_up.0,
            self.precision.stop().map(|stop| (stop.asked.measure.name, stop.asked.part.to_bits(), stop.most)),
        ]);
        xxh3_128(all.to_string().as_bytes())
    }

    fn write(
        &self,
        folder: &WholeFolder,
        out: &Path,
        map: &Map,
        cells: &[(String, String)],
        finished: &[Cell],
    ) -> Result<(), Failure> {
        let command = self.command(&[&self.scenarios[0].display().to_string()]);
        let runs = self.runs.runs;
        let page = MapPage {
            map,
            runs: format!(
                "{} cells, {} policies, {runs} runs of each in each cell, seeds from {}.",
                cells.len(),
                map.policies.len(),
                self.runs.seed
            ),
            cells: &out.join("cells").display().to_string(),
            command: &command,
        };
        folder.write("report.html", page.html().as_bytes())?;
        folder.write("report.md", review(map, &command).as_bytes())?;
        let all: Vec<&Value> = finished.iter().map(|cell| &cell.comparison).collect();
        let version = env!("CARGO_PKG_VERSION");
        let json = format!("{:#}\n", json!({ "version": version, "command": command, "comparisons": all }));
        folder.write("results.json", json.as_bytes())?;
        let rows: String = finished.iter().map(|cell| cell.csv.as_str()).collect();
        let csv = String::from_utf8_lossy(&as_csv(&[])?).into_owned() + &rows;
        folder.write("results.csv", csv.as_bytes())?;
        let columns = map.size().0;
        for (number, (place, text)) in cells.iter().enumerate() {
            let name = format!("cells/{:02}-{:02}.toml", number % columns + 1, number / columns + 1);
            folder.write(&name, format!("# {place}\n{text}").as_bytes())?;
        }
        let figure = |name: &str, picture: crate::report::picture::Picture| {
            folder.write(&format!("figures/{name}.svg"), picture.file().as_bytes())?;
            folder.write(&format!("figures/{name}.png"), &picture.png())
        };
        figure("best", map.winners())?;
        for shows in Shows::all() {
            figure(&shows.name().replace([' ', '.'], "-"), map.sheet(shows))?;
        }
        Ok(())
    }
}

/// The map as Markdown: the best policy of each cell.
fn review(map: &Map, command: &str) -> String {
    let (columns, rows) = map.size();
    let mut text = format!("## {}\n\n{}\n\n{}\n\n", map.scenario, map.about, map.sentences().join("\n"));
    let up = map.varied.get(1);
    let corner = up.map_or_else(String::new, |up| format!("{} ↓, ", up.path));
    text += &format!("| {corner}{} → |", map.varied[0].path);
    map.varied[0].values.iter().for_each(|value| text += &format!(" {value} |"));
    text += &format!("\n|{}\n", "---|".repeat(columns + 1));
    for row in (0..rows).rev() {
        text += &format!("| {} |", up.map_or("", |up| up.values[row].as_str()));
        for column in 0..columns {
            let best = map.best(row * columns + column).map_or("–", |policy| &map.policies[policy]);
            text += &format!(" {best} |");
        }
        text.push('\n');
    }
    format!("{text}\nMade by Rehearsal {} with\n\n```sh\n{command}\n```\n", env!("CARGO_PKG_VERSION"))
}

fn option(message: &str, help: &str) -> Failure {
    Failure::Path { path: PathBuf::from("--vary"), message: message.to_owned(), help: help.to_owned() }
}

/// Where finished cells wait for the others.
fn kept_in(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".cells");
    out.with_file_name(name)
}

fn parse(file: &Path, place: &str, text: &str) -> Result<Scenario, Failure> {
    Scenario::parse(&file.display().to_string(), text)
        .map_err(|failure| Failure::Scenarios(vec![failure.with_help(format!("this is the scenario with {place}"))]))
}

/// A finished cell; none if it is not there, or is no cell.
fn read_cell(path: &Path) -> Option<Cell> {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
    let csv = value.get("csv")?.as_str()?.to_owned();
    Some(Cell { comparison: value.get_mut("comparison").filter(|comparison| comparison.is_object())?.take(), csv })
}

fn write_cell(path: &Path, cell: &Cell) -> Result<(), Failure> {
    let wrong = |error| Failure::File { path: path.to_owned(), error };
    let text = json!({ "comparison": cell.comparison, "csv": cell.csv }).to_string();
    let mut file = WholeFile::create(path).map_err(wrong)?;
    file.write_all(text.as_bytes()).and_then(|()| file.keep()).map_err(wrong)
}
