//! A scenario: a setting, the policies to try in it, and what a person claims of them.

mod befalls;
mod chain;
pub(crate) mod document;
mod duration;
mod expectations;
pub(crate) mod failure;
mod names;
pub(crate) mod oracle;
mod policies;
mod read;
mod variation;
pub(crate) mod wording;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::explore::Property;
use crate::measure::{Measure, Outcome, Reading};
use crate::model::{Policy, Setting};

pub use duration::{DurationError, parse_duration};
pub use failure::Failure;
pub(crate) use names::name_itself;
pub use variation::{Value, Variation, VariationError};

/// A policy under its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPolicy {
    /// Its name.
    pub name: String,
    /// Its values.
    pub policy: Policy,
}

/// What a person claims of a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// Exactly this.
    Is(Reading),
    /// More than this.
    Above(Reading),
    /// Less than this.
    Below(Reading),
    /// This or more.
    AtLeast(Reading),
    /// This or less.
    AtMost(Reading),
    /// There is none: nothing was delivered.
    Absent,
}

/// What an expectation says.
#[derive(Clone, Debug, PartialEq)]
pub enum Claimed {
    /// The outcome is one of these.
    Outcome(Vec<Outcome>),
    /// A measure lies within bounds.
    Measure(&'static Measure, Vec<Bound>),
    /// A property of the exhaustive checker holds, or does not.
    Property {
        /// The property.
        property: Property,
        /// Whether it holds.
        holds: bool,
    },
}

/// One `[[expect]]` row.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The policies it is about, by their place in [`Scenario::policies`].
    pub policies: Vec<usize>,
    /// What it says of them.
    pub claims: Vec<Claimed>,
    /// The line in the file where it begins, from 1.
    pub line: usize,
}

/// A scenario file, read and checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's name without its ending.
    pub name: String,
    /// What it is about, in one line.
    pub about: String,
    /// Where it comes from.
    pub source: Option<String>,
    /// What the runs are made of.
    pub setting: Setting,
    /// The policies to try, at least one.
    pub policies: Vec<NamedPolicy>,
    /// What a person claims.
    pub expectations: Vec<Expectation>,
}

/// No scenario is larger: a file that is, is something else.
pub const LARGEST_FILE: u64 = 4 << 20;

impl Scenario {
    /// Reads a scenario file and checks it.
    pub fn load(path: &Path) -> Result<Scenario, Failure> {
        Ok(Scenario::load_with_text(path)?.0)
    }

    /// Reads a scenario file and checks it, and keeps its text beside it.
    pub fn load_with_text(path: &Path) -> Result<(Scenario, String), Failure> {
        let text = read_text(path)?;
        Ok((Scenario::parse(&path.display().to_string(), &text)?, text))
    }

    /// Reads the text of a scenario and checks it. Messages name the file; so does the scenario, without its ending.
    ///
    /// ```
    /// use rehearsal::scenario::Scenario;
    ///
    /// let text = r#"
    /// about = "One commit, one image."
    /// horizon = "1h"
    ///
    /// [[oracle]]
    /// name = "image"
    /// asks = ["workload.source"]
    /// work = "3m"
    ///
    /// [[update]]
    /// at = "0s"
    /// set = ["source"]
    /// "#;
    /// let scenario = Scenario::parse("one-commit.toml", text)?;
    /// assert_eq!(scenario.name, "one-commit");
    ///
    /// let failure = Scenario::parse("one-commit.toml", &text.replace("work =", "wrok =")).unwrap_err();
    /// assert_eq!(failure.position(), Some((8, 1)));
    /// assert_eq!(failure.help()[0], "did you mean `work`?");
    /// # Ok::<(), rehearsal::scenario::Failure>(())
    /// ```
    pub fn parse(file_name: &str, text: &str) -> Result<Scenario, Failure> {
        if text.len() as u64 > LARGEST_FILE {
            return Err(too_large(file_name));
        }
        let name =
            Path::new(file_name).file_stem().map_or(file_name.into(), |stem| stem.to_string_lossy().into_owned());
        read::scenario(name, text).map_err(|mistake| Failure::new(file_name, text, mistake))
    }
}

/// The text of a file that is not too large for one that a person writes.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    let file = path.display().to_string();
    let mut bytes = Vec::new();
    File::open(path)
        // One byte more than is allowed tells whether there is more, however large the file is.
        .and_then(|opened| opened.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(&file, &error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(too_large(&file));
    }
    String::from_utf8(bytes).map_err(|error| not_text(&file, error))
}

fn unreadable(file: &str, error: &io::Error) -> Failure {
    let (what, help) = match error.kind() {
        io::ErrorKind::NotFound => ("there is no such file".to_owned(), "check the path"),
        io::ErrorKind::IsADirectory => ("this is a directory".to_owned(), "name a scenario file in it"),
        io::ErrorKind::PermissionDenied => ("this file may not be read".to_owned(), "check its permissions"),
        _ => (format!("this file cannot be read: {error}"), "check the path"),
    };
    Failure::unreadable(file, what, help)
}

fn too_large(file: &str) -> Failure {
    let limit = format!("this file is larger than {} MiB", LARGEST_FILE >> 20);
    Failure::unreadable(file, limit, "no scenario needs as much: is it the right file?")
}

fn not_text(file: &str, error: std::string::FromUtf8Error) -> Failure {
    let good = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes());
    // Up to the first wrong byte the text is as it was; there stands the character that replaces it.
    let place = good..good + char::REPLACEMENT_CHARACTER.len_utf8();
    let mistake = failure::Mistake::at(place, "this is not UTF-8 text").help("save the file as UTF-8");
    Failure::new(file, &text, mistake)
}
