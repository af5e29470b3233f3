//! A run as it happens, line by line.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::durations::Clock;
use super::story::{Detail, Sentence, Story, Tone};
use crate::measure::Observer;
use crate::model::{Fact, Setting, Time};

/// Writes each fact as a line: the time if there is one, who, and what.
///
/// Lines are styled; the writer takes the styles out where they are not wanted.
#[derive(Debug)]
pub struct Timeline<W> {
    story: Story,
    out: W,
    who: usize,
    last: Option<Time>,
    /// Observers cannot fail, so that the first failure waits here.
    failure: Option<io::Error>,
}

impl<W: Write> Timeline<W> {
    /// A timeline of runs in `setting`.
    pub fn new(setting: &Setting, detail: Detail, out: W) -> Timeline<W> {
        let story = Story::new(setting, detail);
        let who = story.widest_actor(setting);
        Timeline { story, out, who, last: None, failure: None }
    }

    /// Writes a fact that came to pass at `at`; a step of the checker has no time.
    pub fn write(&mut self, at: Option<Time>, fact: &Fact<'_>) {
        let Some(sentence) = self.story.tell(fact) else { return };
        if self.failure.is_none() {
            self.failure = self.line(at, &sentence).err();
        }
    }

    fn line(&mut self, at: Option<Time>, sentence: &Sentence) -> io::Result<()> {
        if let Some(at) = at {
            // What happens in one instant stands under one time.
            let again = self.last.replace(at) == Some(at);
            let clock = if again { String::new() } else { Clock(at).to_string() };
            write!(self.out, "{clock:>11}  ")?;
        }
        let style = style(sentence.tone);
        writeln!(self.out, "{:<width$}  {style}{}{style:#}", sentence.who, sentence.what, width = self.who)
    }

    /// The end: what was written last, or the first failure to write.
    pub fn finish(mut self) -> io::Result<()> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.out.flush(),
        }
    }
}

impl<W: Write> Observer for Timeline<W> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.write(Some(at), fact);
    }
}

fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Good => AnsiColor::Green.on_default(),
        Tone::Bad => AnsiColor::Yellow.on_default(),
        Tone::False => AnsiColor::Red.on_default().bold(),
        Tone::Harm => AnsiColor::Magenta.on_default(),
    }
}
