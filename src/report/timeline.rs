//! A run as it happens, line by line.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::durations::Clock;
use super::story::{Detail, Sentence, Story, Tone};
use crate::measure::Observer;
use crate::model::{Content, Fact, OracleId, Setting, Time};

/// When something comes to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// At a time.
    At(Time),
    /// In a step of a run without a clock, counted from 1.
    Step(usize),
}

/// Writes each fact as a line: when, who, and what.
///
/// Lines are styled; the writer takes the styles out where they are not wanted.
#[derive(Debug)]
pub struct Timeline<W> {
    story: Story,
    out: W,
    who: usize,
    detail: Detail,
    last: Option<Moment>,
    /// A question just held, and how it is told: if it is asked in the same breath, that is all there is to tell.
    held: Option<(OracleId, Content, Moment, Sentence)>,
    /// Observers cannot fail, so that the first failure waits here.
    failure: Option<io::Error>,
}

impl<W: Write> Timeline<W> {
    /// A timeline of runs in `setting`.
    pub fn new(setting: &Setting, detail: Detail, out: W) -> Timeline<W> {
        let story = Story::new(setting, detail);
        let who = story.widest_actor(setting);
        Timeline { story, out, who, detail, last: None, held: None, failure: None }
    }

    /// Writes a fact that came to pass at `at`.
    pub fn write(&mut self, at: Moment, fact: &Fact<'_>) {
        let sentence = self.story.tell(fact);
        if let Some((oracle, contents, held_at, sentence)) = self.held.take() {
            let asked_at_once = matches!(*fact, Fact::Wrote { named, question, .. }
                if named.oracle == oracle && question.contents() == contents);
            if !asked_at_once {
                self.put(held_at, &sentence);
            }
        }
        let Some(sentence) = sentence else { return };
        match *fact {
            Fact::Held { oracle, question, .. } if self.detail == Detail::Told => {
                self.held = Some((oracle, question.contents(), at, sentence));
            }
            _ => self.put(at, &sentence),
        }
    }

    /// Writes a line of its own, between what came before and what comes after; under its moment, if it has one.
    pub fn remark(&mut self, at: Option<Moment>, remark: &str) {
        if let Some((.., at, sentence)) = self.held.take() {
            self.put(at, &sentence);
        }
        if self.failure.is_none() {
            let written = self.begin(at).and_then(|()| writeln!(self.out, "{remark}"));
            self.failure = written.err();
        }
    }

    /// Writes a sentence if nothing else is told of its moment.
    pub fn otherwise(&mut self, at: Moment, sentence: &Sentence) {
        if let Some((oracle, contents, held_at, held)) = self.held.take() {
            if held_at == at {
                self.held = Some((oracle, contents, held_at, held));
                return;
            }
            self.put(held_at, &held);
        }
        if self.last != Some(at) {
            self.put(at, sentence);
        }
    }

    fn put(&mut self, at: Moment, sentence: &Sentence) {
        if self.failure.is_none() {
            self.failure = self.line(at, sentence).err();
        }
    }

    fn begin(&mut self, at: Option<Moment>) -> io::Result<()> {
        // What happens in one instant stands under one time.
        let when = match at {
            Some(at) if self.last.replace(at) != Some(at) => match at {
                Moment::At(time) => Clock(time).to_string(),
                Moment::Step(step) => format!("step {step}"),
            },
            _ => String::new(),
        };
        write!(self.out, "{when:>11}  ")
    }

    fn line(&mut self, at: Moment, sentence: &Sentence) -> io::Result<()> {
        self.begin(Some(at))?;
        let style = style(sentence.tone);
        writeln!(self.out, "{:<width$}  {style}{}{style:#}", sentence.who, sentence.what, width = self.who)
    }

    /// The end: what was written last, or the first failure to write.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some((.., at, sentence)) = self.held.take() {
            self.put(at, &sentence);
        }
        match self.failure {
            Some(failure) => Err(failure),
            None => self.out.flush(),
        }
    }
}

impl<W: Write> Observer for Timeline<W> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.write(Moment::At(at), fact);
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
