//! Facts in, sentences out: who did what, what the choreographer believed, and what was true. The simulator's timeline
//! and a counterexample of the checker are told by the same code.

use std::collections::HashMap;

use super::names::Names;
use crate::model::{Answer, Claim, Fact, Making, Named, OracleId, Ready, Setting, Why};

/// How a sentence is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// It went well.
    Good,
    /// It went wrong, as things do.
    Bad,
    /// A false claim: what must never be.
    False,
    /// Somebody means harm, or something breaks.
    Harm,
}

/// One thing that came to pass, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Who did it.
    pub who: String,
    /// What they did.
    pub what: String,
    /// How it is meant.
    pub tone: Tone,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What a person wants to know; what only repeats is left out.
    Told,
    /// Every fact.
    Everything,
}

/// Tells facts in order.
#[derive(Clone, Debug)]
pub struct Story {
    names: Names,
    detail: Detail,
    /// What was last taken of each oracle, and claimed for what: taking it again in the next pass is no news.
    taken: HashMap<OracleId, (Named, Making, Option<Claim>)>,
    /// The input that was last missing at each oracle.
    missing: HashMap<OracleId, usize>,
    /// The answer just made: when it appears at once, that is no news.
    made: Option<(Named, Making)>,
}

const CHOREOGRAPHER: &str = "choreographer";
const ENEMY: &str = "enemy";

impl Story {
    /// The story of a run in `setting`.
    pub fn new(setting: &Setting, detail: Detail) -> Story {
        Story { names: Names::new(setting), detail, taken: HashMap::new(), missing: HashMap::new(), made: None }
    }

    /// The longest name that acts.
    pub fn widest_actor(&self, setting: &Setting) -> usize {
        let oracles = setting.oracles.iter().map(|oracle| oracle.name.chars().count());
        oracles.chain([CHOREOGRAPHER.len()]).max().unwrap_or(0)
    }

    /// What `fact` is in words; none if it is no news.
    pub fn tell(&mut self, fact: &Fact<'_>) -> Option<Sentence> {
        self.names.learn(fact);
        let made = self.made.take();
        match *fact {
            Fact::PassBegan | Fact::Noticed { .. } | Fact::Finished { success: true, .. }
                if self.detail == Detail::Told =>
            {
                None
            }
            Fact::Skipped { oracle, input } => self.skipped(oracle, input),
            Fact::Took { named, answer, claim } => self.took(named, &answer, claim),
            Fact::Made { named, answer } => {
                self.made = Some((named, answer.making()));
                Some(self.makes(named, &answer))
            }
            Fact::Answered { named, answer } => {
                let at_once = made == Some((named, answer.making())) && self.detail == Detail::Told;
                (!at_once).then(|| self.object(named, format!("its answer {} appears", self.answer(named, &answer))))
            }
            _ => Some(self.sentence(fact)),
        }
    }

    /// The facts that need nothing remembered.
    fn sentence(&mut self, fact: &Fact<'_>) -> Sentence {
        match *fact {
            Fact::Updated { update, set, valid, .. } => {
                let set: Vec<_> = set.iter().map(|set| self.names.version(set.field, set.version)).collect();
                let bad = if valid { "" } else { ", a bad one" };
                let what = format!("update {}: {}{bad}", update.0, set.join(", "));
                Sentence { who: "workload".into(), what, tone: if valid { Tone::Plain } else { Tone::Bad } }
            }
            Fact::WorldChanged { oracle, version, good } => {
                let what = match good {
                    true => format!("its world changes: now {}", version.0),
                    false => format!("its world changes: now {}, a bad one", version.0),
                };
                self.oracle(oracle, what, if good { Tone::Plain } else { Tone::Bad })
            }
            Fact::OutageBegan { oracle } => self.oracle(oracle, "an outage begins", Tone::Harm),
            Fact::OutageEnded { oracle } => self.oracle(oracle, "the outage is over", Tone::Plain),
            Fact::Forged { named, answer } => {
                let (object, answer) = (self.names.object(named), self.answer(named, &answer));
                speak(ENEMY, format!("forges the status of {object}: {answer}"), Tone::Harm)
            }
            Fact::Restarted => speak(CHOREOGRAPHER, "restarts", Tone::Harm),
            Fact::Flapped { named, ready } => match ready {
                Ready::True => self.object(named, "flaps back to Ready"),
                _ => self.toned(named, format!("flaps: Ready is {}", ready.name()), Tone::Harm),
            },
            Fact::PassBegan => speak(CHOREOGRAPHER, "begins a pass", Tone::Plain),
            Fact::Wrote { named, generation, question, why } => {
                self.missing.remove(&named.oracle);
                let object = self.names.object(named);
                let question = self.names.question_in_words(question.contents());
                let generation = generation.0;
                let (who, what, tone) = match why {
                    Why::Created => (CHOREOGRAPHER, format!("creates {object}: {question}"), Tone::Plain),
                    Why::Asked => {
                        (CHOREOGRAPHER, format!("asks {object}: {question} (generation {generation})"), Tone::Plain)
                    }
                    Why::Reverted => {
                        let what = format!("puts {object} right again: {question} (generation {generation})");
                        (CHOREOGRAPHER, what, Tone::Plain)
                    }
                    Why::RolledBack => {
                        let what = format!("rolls {object} back: {question} (generation {generation})");
                        (CHOREOGRAPHER, what, Tone::Plain)
                    }
                    Why::Shadowed => (CHOREOGRAPHER, format!("creates {object}: {question}"), Tone::Plain),
                    Why::Tampered => {
                        (ENEMY, format!("tampers with {object}: {question} (generation {generation})"), Tone::Harm)
                    }
                    Why::PutBack => {
                        let what = format!("puts back what {object} was asked: {question} (generation {generation})");
                        (ENEMY, what, Tone::Harm)
                    }
                };
                speak(who, what, tone)
            }
            Fact::Held { oracle, question, held } => {
                let question = self.names.question_in_words(question.contents());
                let many = if held > 1 { format!(" ({held} are held)") } else { String::new() };
                let what = format!("holds back from {}: {question}{many}", self.names.oracle(oracle));
                speak(CHOREOGRAPHER, what, Tone::Plain)
            }
            Fact::Discarded { oracle, question } => {
                let question = self.names.question_in_words(question.contents());
                let what = format!("will never ask {}: {question}", self.names.oracle(oracle));
                speak(CHOREOGRAPHER, what, Tone::Bad)
            }
            Fact::Reused { named } => {
                let what = format!("turns to {} again, which was asked the same", self.names.object(named));
                speak(CHOREOGRAPHER, what, Tone::Plain)
            }
            Fact::Removed { named } => {
                speak(CHOREOGRAPHER, format!("removes {}", self.names.object(named)), Tone::Plain)
            }
            Fact::Noticed { named, generation } => self.object(named, format!("notices generation {}", generation.0)),
            Fact::Began { named, generation, question, attempt, world, hangs } => {
                let question = self.names.question_in_words(question.contents());
                let attempt = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                let world = if world.0 > 1 { format!(", in world {}", world.0) } else { String::new() };
                let (hangs, tone) = if hangs { (", and hangs", Tone::Bad) } else { ("", Tone::Plain) };
                let what = format!("works on {question} (generation {}){attempt}{world}{hangs}", generation.0);
                self.toned(named, what, tone)
            }
            Fact::Dropped { named, generation } => {
                self.object(named, format!("drops its work on generation {}", generation.0))
            }
            Fact::Finished { named, generation, attempt, success } => {
                let attempt = if attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
                let (does, tone) = if success { ("succeeds", Tone::Good) } else { ("fails", Tone::Bad) };
                self.toned(named, format!("{does} at generation {}{attempt}", generation.0), tone)
            }
            Fact::Showed { named, generation, observed, ready, answer } => {
                let answer = match answer {
                    Some(making) => self.names.answer(named.oracle, making),
                    None => "no answer".to_owned(),
                };
                let ready = ready.name();
                let what =
                    format!("shows generation {}, observed {}, Ready {ready}, {answer}", generation.0, observed.0);
                self.object(named, what)
            }
            Fact::Skipped { .. } | Fact::Took { .. } | Fact::Made { .. } | Fact::Answered { .. } => {
                unreachable!("told by what is remembered")
            }
        }
    }

    fn skipped(&mut self, oracle: OracleId, input: usize) -> Option<Sentence> {
        let known = self.missing.insert(oracle, input) == Some(input);
        (!known || self.detail == Detail::Everything).then(|| {
            let what = format!(
                "cannot ask {}: nothing from {} yet",
                self.names.oracle(oracle),
                self.names.input(oracle, input)
            );
            speak(CHOREOGRAPHER, what, Tone::Plain)
        })
    }

    fn took(&mut self, named: Named, answer: &Answer<'_>, claim: Option<Claim>) -> Option<Sentence> {
        let now = (named, answer.making(), claim);
        let known = self.taken.insert(named.oracle, now) == Some(now);
        if known && self.detail == Detail::Told {
            return None;
        }
        let truth = answer.origin().made_from;
        let name = self.answer(named, answer);
        let made_from = match truth {
            Some(contents) => format!("it was made from {}", self.names.question_in_words(contents)),
            None => "it is forged".to_owned(),
        };
        let (what, tone) = match claim {
            None => (format!("takes {name}, without a claim ({made_from})"), Tone::Plain),
            Some(claim) => {
                let believed = self.names.question_in_words(claim.contents);
                let generation = claim.generation.0;
                match truth == Some(claim.contents) {
                    true => (format!("takes {name}, the answer to {believed} (generation {generation})"), Tone::Good),
                    false => {
                        let claim = format!("takes {name} for the answer to {believed} (generation {generation})");
                        (format!("{claim}: FALSE, {made_from}"), Tone::False)
                    }
                }
            }
        };
        let evil = if answer.lineage().evil && truth.is_some() { "; an enemy's writing is in it" } else { "" };
        let mixed = if answer.lineage().mixed() { "; it mixes versions" } else { "" };
        Some(speak(CHOREOGRAPHER, format!("{what}{evil}{mixed}"), tone))
    }

    fn makes(&mut self, named: Named, answer: &Answer<'_>) -> Sentence {
        let name = self.answer(named, answer);
        let ingredients = self.names.ingredients(&answer.lineage());
        let of = if ingredients.is_empty() { String::new() } else { format!(" of {ingredients}") };
        let same = match self.names.content(answer.content()) {
            Some(first) if first != name => format!(", the same as {first}"),
            _ => String::new(),
        };
        self.toned(named, format!("makes {name}{of}{same}"), Tone::Good)
    }

    fn answer(&self, named: Named, answer: &Answer<'_>) -> String {
        self.names.answer(named.oracle, answer.making())
    }

    fn object(&self, named: Named, what: impl Into<String>) -> Sentence {
        self.toned(named, what, Tone::Plain)
    }

    fn toned(&self, named: Named, what: impl Into<String>, tone: Tone) -> Sentence {
        Sentence { who: self.names.object(named), what: what.into(), tone }
    }

    fn oracle(&self, oracle: OracleId, what: impl Into<String>, tone: Tone) -> Sentence {
        speak(self.names.oracle(oracle), what, tone)
    }
}

fn speak(who: &str, what: impl Into<String>, tone: Tone) -> Sentence {
    Sentence { who: who.to_owned(), what: what.into(), tone }
}
