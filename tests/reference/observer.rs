//! The facts of the implementation under test, as the lines of this one.

use rehearsal::measure::Observer;
use rehearsal::model::setting::Setting;
use rehearsal::model::{self, Answer, Claim, Content, Named, Question, Time};

use super::facts::{Claimed, Fact, Names, Who, line};

/// Hears facts and tells them in lines.
pub struct Observed<'a> {
    setting: &'a Setting,
    names: Names<Content>,
    pub lines: Vec<String>,
}

impl<'a> Observed<'a> {
    pub fn new(setting: &'a Setting) -> Observed<'a> {
        Observed { setting, names: Names::default(), lines: Vec::new() }
    }
}

fn who(named: Named) -> Who {
    Who { oracle: named.oracle.index(), role: named.role }
}

fn inputs(question: Question<'_>) -> Vec<Content> {
    question.inputs().collect()
}

fn claimed(claim: Claim, answer: Answer<'_>) -> Claimed<Content> {
    Claimed {
        generation: claim.generation.0,
        question: claim.contents,
        is_false: answer.origin().made_from != Some(claim.contents),
    }
}

impl Observer for Observed<'_> {
    fn hear(&mut self, at: Time, fact: &model::Fact<'_>) {
        use model::Fact as Theirs;
        let ours = match *fact {
            Theirs::Updated { update, item, set, valid } => Fact::Updated {
                update: update.0,
                item: item.into(),
                set: set.iter().map(|set| (set.field.index(), set.version, set.content)).collect(),
                valid,
            },
            Theirs::WorldChanged { oracle, version, good } => {
                Fact::WorldChanged { oracle: oracle.index(), version: version.0, good }
            }
            Theirs::OutageBegan { oracle } => Fact::OutageBegan { oracle: oracle.index() },
            Theirs::OutageEnded { oracle } => Fact::OutageEnded { oracle: oracle.index() },
            Theirs::Forged { named, answer } => {
                Fact::Forged { who: who(named), making: answer.making().0, content: answer.content() }
            }
            Theirs::Restarted => Fact::Restarted,
            Theirs::Flapped { named, ready } => Fact::Flapped { who: who(named), ready },
            Theirs::PassBegan => Fact::PassBegan,
            Theirs::Skipped { oracle, input } => Fact::Skipped { oracle: oracle.index(), input },
            Theirs::Wrote { named, generation, question, why } => {
                Fact::Wrote { who: who(named), generation: generation.0, inputs: inputs(question), why }
            }
            Theirs::Held { oracle, question, held } => {
                Fact::Held { oracle: oracle.index(), inputs: inputs(question), held }
            }
            Theirs::Discarded { oracle, question } => {
                Fact::Discarded { oracle: oracle.index(), inputs: inputs(question) }
            }
            Theirs::Reused { named } => Fact::Reused { who: who(named) },
            Theirs::Took { named, answer, claim } => Fact::Took {
                who: who(named),
                making: answer.making().0,
                claim: claim.map(|claim| claimed(claim, answer)),
            },
            Theirs::Removed { named } => Fact::Removed { who: who(named) },
            Theirs::Noticed { named, generation } => Fact::Noticed { who: who(named), generation: generation.0 },
            Theirs::Began { named, generation, question: _, attempt, world, hangs } => {
                Fact::Began { who: who(named), generation: generation.0, attempt, world: world.0, hangs }
            }
            Theirs::Dropped { named, generation } => Fact::Dropped { who: who(named), generation: generation.0 },
            Theirs::Finished { named, generation, attempt, success } => {
                Fact::Finished { who: who(named), generation: generation.0, attempt, success }
            }
            Theirs::Made { named, answer } => {
                Fact::Made { who: who(named), making: answer.making().0, content: answer.content() }
            }
            Theirs::Answered { named, answer } => Fact::Answered { who: who(named), making: answer.making().0 },
            Theirs::Showed { named, generation, observed, ready, answer } => Fact::Showed {
                who: who(named),
                generation: generation.0,
                observed: observed.0,
                ready,
                answer: answer.map(|making| making.0),
            },
        };
        self.lines.push(line(at, &ours, self.setting, &mut self.names));
    }
}
