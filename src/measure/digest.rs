//! A hash of every fact of a run in order: equal digests, equal runs.

use xxhash_rust::xxh3::Xxh3;

use super::Observer;
use crate::model::{Answer, Fact, Named, Question, Role, Time};

/// Hashes the facts that it hears (XXH3, 128 bits). Facts are hashed as numbers of fixed width, contents and truths
/// included, so that the same run gives the same digest on every machine.
#[derive(Clone, Default)]
pub struct Digest {
    hash: Xxh3,
}

impl Digest {
    /// The digest of what was heard so far, as 32 hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:032x}", self.hash.digest128())
    }

    /// Ready for another run.
    pub fn clear(&mut self) {
        self.hash.reset();
    }

    fn words(&mut self, words: &[u64]) {
        for word in words {
            self.hash.update(&word.to_le_bytes());
        }
    }

    fn named(&mut self, named: Named) {
        let role = match named.role {
            Role::Main => 0,
            Role::Shadow => 1,
            Role::Immutable(number) => 1 + u64::from(number),
        };
        self.words(&[named.oracle.0.into(), role]);
    }

    fn question(&mut self, question: Question<'_>) {
        self.words(&[question.contents().0]);
        for input in question.inputs() {
            self.words(&[input.0]);
        }
    }

    fn answer(&mut self, answer: Answer<'_>) {
        let origin = answer.origin();
        let lineage = answer.lineage();
        self.words(&[
            origin.making.0.into(),
            answer.content().0,
            origin.made_from.map_or(0, |contents| contents.0),
            origin.generation.0.into(),
            lineage.evil.into(),
        ]);
    }
}

impl Observer for Digest {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.hash.update(&at.0.to_le_bytes());
        self.hash.update(fact.kind().as_bytes());
        match *fact {
            Fact::Updated { update, item, set, valid } => {
                self.words(&[update.0.into(), item.into(), valid.into()]);
                for set in set {
                    self.words(&[set.field.0.into(), set.version.into()]);
                }
            }
            Fact::WorldChanged { oracle, version, good } => {
                self.words(&[oracle.0.into(), version.0.into(), good.into()]);
            }
            Fact::OutageBegan { oracle } | Fact::OutageEnded { oracle } => self.words(&[oracle.0.into()]),
            Fact::Restarted | Fact::PassBegan => {}
            Fact::Flapped { named, ready } => {
                self.named(named);
                self.words(&[ready as u64]);
            }
            Fact::Skipped { oracle, input } => self.words(&[oracle.0.into(), input as u64]),
            Fact::Wrote { named, generation, question, why } => {
                self.named(named);
                self.words(&[generation.0.into(), why as u64]);
                self.question(question);
            }
            Fact::Held { oracle, question, held } => {
                self.words(&[oracle.0.into(), held as u64]);
                self.question(question);
            }
            Fact::Discarded { oracle, question } => {
                self.words(&[oracle.0.into()]);
                self.question(question);
            }
            Fact::Reused { named } | Fact::Removed { named } => self.named(named),
            Fact::Took { named, answer, claim } => {
                self.named(named);
                self.answer(answer);
                self.words(&claim.map_or([0, 0], |claim| [claim.generation.0.into(), claim.contents.0]));
            }
            Fact::Noticed { named, generation } | Fact::Dropped { named, generation } => {
                self.named(named);
                self.words(&[generation.0.into()]);
            }
            Fact::Began { named, generation, question, attempt, world, hangs } => {
                self.named(named);
                self.words(&[generation.0.into(), attempt.into(), world.0.into(), hangs.into()]);
                self.question(question);
            }
            Fact::Finished { named, generation, attempt, success } => {
                self.named(named);
                self.words(&[generation.0.into(), attempt.into(), success.into()]);
            }
            Fact::Forged { named, answer } | Fact::Made { named, answer } | Fact::Answered { named, answer } => {
                self.named(named);
                self.answer(answer);
            }
            Fact::Showed { named, generation, observed, ready, answer } => {
                self.named(named);
                let answer = answer.map_or(0, |making| making.0.into());
                self.words(&[generation.0.into(), observed.0.into(), ready as u64, answer]);
            }
        }
    }
}
