//! What the choreographer remembers of one oracle: what it asked, holds, saw and claimed.

use std::collections::VecDeque;

use super::fact::Claim;
use super::object::ObjectId;
use super::setting::OracleId;
use super::value::{Content, Generation, Making, QuestionId, ValueId, Values};
use super::world::World;

/// A question held for later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub question: QuestionId,
    /// When it became desired, counted; tells what is older than a success.
    pub stamp: u32,
}

/// A question asked, and the generation that it got.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub question: QuestionId,
    pub generation: Generation,
}

/// An answer taken: of which object, and with what claim.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub object: ObjectId,
    pub value: ValueId,
    pub claim: Option<Claim>,
}

/// The last visit of an oracle, kept because most visits are like the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct LastVisit {
    /// Whether a visit with the same inputs would come to the same: nothing that it sees or remembers has changed since it
    /// began, by itself or otherwise.
    pub stands: bool,
    pub inputs: Vec<ValueId>,
    pub taken: Option<Taken>,
}

impl LastVisit {
    /// A visit with these inputs begins.
    pub fn begin(&mut self, inputs: &[ValueId]) {
        self.stands = true;
        self.inputs.clear();
        self.inputs.extend_from_slice(inputs);
        self.taken = None;
    }

    /// Whether a visit with these inputs comes to the same.
    #[inline]
    pub fn stands_for(&self, inputs: &[ValueId]) -> bool {
        self.stands && self.inputs.iter().eq(inputs)
    }
}

/// The clock of the policy's `timeout`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum HoldClock {
    #[default]
    Stopped,
    Running,
    Over,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    /// The question last asked of the one mutable object, and the generation of that write.
    pub asked: Option<Asked>,
    /// With a `reported-` trace: every question asked that an answer may still report, the last included.
    pub history: VecDeque<Asked>,
    /// The last output.
    pub memento: Option<ValueId>,
    /// The answer last read, and its claim.
    pub known: Option<(Making, Option<Claim>)>,
    pub held: VecDeque<Held>,
    /// The stamp of the newest question put among the held, and of the one last asked.
    pub stamp: u32,
    pub asked_stamp: u32,
    pub hold_clock: HoldClock,
    pub in_grace: bool,
    /// The last question seen to succeed.
    pub succeeded: Option<QuestionId>,
    /// The desired question, if it was seen to fail.
    pub failed: Option<QuestionId>,
    pub shadow: Option<ObjectId>,
    /// With `lifecycle = "immutable"`: the objects, the newest asked last.
    pub immutable: Vec<ObjectId>,
    pub created: u32,
    pub last_visit: LastVisit,
}

impl Memory {
    /// Forgets everything and frees nothing.
    pub fn clear(&mut self) {
        let Memory { history, held, immutable, last_visit, .. } = std::mem::take(self);
        *self = Memory { history, held, immutable, last_visit, ..Memory::default() };
        self.last_visit.stands = false;
        self.history.clear();
        self.held.clear();
        self.immutable.clear();
    }

    /// Keeps every value and question that the memory names.
    pub fn mark(&self, values: &mut Values) {
        let asked = self.asked.iter().chain(&self.history).map(|asked| asked.question);
        let held = self.held.iter().map(|held| held.question);
        for question in asked.chain(held).chain(self.succeeded).chain(self.failed) {
            values.mark_question(question);
        }
        self.memento.into_iter().for_each(|memento| values.mark_value(memento));
    }

    /// The newest question asked with these contents.
    pub fn asked_with(&self, contents: Content, values: &Values) -> Option<Asked> {
        self.history.iter().rev().find(|asked| values.contents(asked.question) == contents).copied()
    }

    /// The question asked under this generation.
    pub fn asked_as(&self, generation: Generation) -> Option<Asked> {
        self.history.iter().rev().find(|asked| asked.generation == generation).copied()
    }
}

impl World<'_> {
    /// Something changed that a visit of `r` sees or remembers: the next may come to something else than the last.
    #[inline]
    pub(super) fn stir(&mut self, r: OracleId) {
        self.memories[r.index()].last_visit.stands = false;
    }

    /// Drops from the history what no answer can report any more. What an answer made of an older generation is gone, so
    /// only the newest question older than every answer shown or to come may still be put back by an enemy.
    pub(super) fn forget_asked(&mut self, r: OracleId) {
        let oldest = self.object(self.main(r)).oldest_generation(&self.values);
        let history = &mut self.memories[r.index()].history;
        while history.get(1).is_some_and(|second| second.generation <= oldest) {
            history.pop_front();
        }
    }
}
