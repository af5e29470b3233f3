//! What is wrong with a scenario file, where, and what would be right.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Level, Origin, Renderer, Snippet};

/// Bytes of the file, from the first to one past the last.
pub(crate) type Place = Range<usize>;

/// The result of reading a part of a file.
pub(crate) type Read<T> = Result<T, Mistake>;

/// What is wrong with a part of a file; it becomes a [`Failure`] once the file is known. Boxed, for it is returned by
/// every reader and almost never made.
#[derive(Clone, Debug)]
pub(crate) struct Mistake(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    message: String,
    place: Option<Place>,
    label: String,
    also: Vec<(Place, String)>,
    help: Vec<String>,
}

impl Mistake {
    /// Something is wrong at this place. The message is a sentence without a full stop.
    pub fn at(place: Place, message: impl Into<String>) -> Mistake {
        Mistake::new(Some(place), message.into())
    }

    /// Something is wrong with the file as a whole.
    fn of_file(message: impl Into<String>) -> Mistake {
        Mistake::new(None, message.into())
    }

    fn new(place: Option<Place>, message: String) -> Mistake {
        Mistake(Box::new(Parts { message, place, label: String::new(), also: Vec::new(), help: Vec::new() }))
    }

    /// What stands beside the underlined text.
    pub fn label(mut self, label: impl Into<String>) -> Mistake {
        self.0.label = label.into();
        self
    }

    /// Another place that has to do with it.
    pub fn also(mut self, place: Place, label: impl Into<String>) -> Mistake {
        self.0.also.push((place, label.into()));
        self
    }

    /// What would be right.
    pub fn help(mut self, help: impl Into<String>) -> Mistake {
        self.0.help.push(help.into());
        self
    }
}

/// Why a scenario could not be read: one error, with the file, the line and the column where there is one, what is wrong
/// and what would be right.
#[derive(Clone)]
pub struct Failure(Box<Report>);

#[derive(Clone)]
struct Report {
    file: String,
    text: String,
    mistake: Mistake,
}

impl Failure {
    pub(crate) fn new(file: &str, text: &str, mistake: Mistake) -> Failure {
        // Readers underline what they have read; should one ever be wrong about it, the message is still worth showing.
        let inside = |place: &Place| text.get(place.clone()).is_some();
        let mut parts = mistake.0;
        parts.place = parts.place.filter(inside);
        parts.also.retain(|(place, _)| inside(place));
        Failure(Box::new(Report { file: file.to_owned(), text: text.to_owned(), mistake: Mistake(parts) }))
    }

    /// The file could not be read at all.
    pub(crate) fn unreadable(file: &str, message: String, help: &str) -> Failure {
        Failure::new(file, "", Mistake::of_file(message).help(help))
    }

    /// What is wrong, in a sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.0.mistake.0.message
    }

    /// What would be right, a sentence or a short list each.
    pub fn help(&self) -> &[String] {
        &self.0.mistake.0.help
    }

    /// The same with more to say about what would be right.
    pub fn with_help(mut self, help: impl Into<String>) -> Failure {
        self.0.mistake.0.help.push(help.into());
        self
    }

    /// The file, as the caller named it.
    pub fn file(&self) -> &str {
        &self.0.file
    }

    /// The line and the column where it is wrong, both from 1 and the column in characters.
    pub fn position(&self) -> Option<(usize, usize)> {
        let start = self.0.mistake.0.place.as_ref()?.start;
        Some((line_of(&self.0.text, start), 1 + self.0.text[line_start(&self.0.text, start)..start].chars().count()))
    }

    /// The whole message: what is wrong, `file:line:column`, the line with the text underlined, and a `help:`.
    pub fn render(&self, color: bool) -> String {
        let parts = &*self.0.mistake.0;
        let shown: Element<'_> = match &parts.place {
            Some(place) => {
                // Only the lines that are shown are given to the renderer, which looks at every line it is given.
                let places = || std::iter::once(place).chain(parts.also.iter().map(|(place, _)| place));
                let from = line_start(&self.0.text, places().map(|p| p.start).min().unwrap_or(0));
                let until = line_end(&self.0.text, places().map(|p| p.end).max().unwrap_or(0));
                let shown = |place: &Place| place.start - from..place.end - from;
                let label = |text: &str| (!text.is_empty()).then(|| text.to_owned());
                let also = parts
                    .also
                    .iter()
                    .map(|(place, text)| AnnotationKind::Context.span(shown(place)).label(label(text)));
                Snippet::source(&self.0.text[from..until])
                    .path(&self.0.file)
                    .line_start(line_of(&self.0.text, from))
                    .annotation(AnnotationKind::Primary.span(shown(place)).label(label(&parts.label)))
                    .annotations(also)
                    .into()
            }
            None => Origin::path(&self.0.file).into(),
        };
        let help = parts.help.iter().map(|help| Level::HELP.message(help).into());
        let group = Level::ERROR.primary_title(&parts.message).elements(std::iter::once(shown).chain(help));
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// As a person reads it: a test that unwraps shows the message.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Failure {}

/// Where the lines of a text end, to look up the numbers of many.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    /// The lines of this text.
    pub fn of(text: &str) -> Lines {
        Lines(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The number, from 1, of the line that holds this byte.
    pub fn number(&self, byte: usize) -> usize {
        1 + self.0.partition_point(|end| *end < byte)
    }
}

/// The number, from 1, of the line that holds this byte.
fn line_of(text: &str, byte: usize) -> usize {
    1 + text.as_bytes()[..byte].iter().filter(|&&b| b == b'\n').count()
}

fn line_start(text: &str, byte: usize) -> usize {
    text[..byte].rfind('\n').map_or(0, |at| at + 1)
}

fn line_end(text: &str, byte: usize) -> usize {
    text[byte..].find('\n').map_or(text.len(), |at| byte + at)
}
