//! What observers are told: every change of the world, in order, each with the truth about it. Facts are the only way
//! out of the model; measures, traces, digests and timelines are all made of them.

use super::object::{ObjectId, Role};
use super::policy::Ready;
use super::setting::{FieldId, OracleId};
use super::value::{
    Content, Generation, Lineage, Making, Origin, QuestionId, UpdateNumber, ValueId, Values, WorldVersion,
};

/// Who wrote a spec, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The choreographer created the object.
    Created,
    /// The choreographer asked something new.
    Asked,
    /// The choreographer reverted what somebody else wrote.
    Reverted,
    /// The choreographer went back to the last question seen to succeed.
    RolledBack,
    /// The choreographer created a shadow.
    Shadowed,
    /// An enemy tampered.
    Tampered,
    /// The enemy put back what it had found.
    PutBack,
}

impl Why {
    /// The word for it in traces.
    pub fn name(self) -> &'static str {
        match self {
            Why::Created => "created",
            Why::Asked => "asked",
            Why::Reverted => "reverted",
            Why::RolledBack => "rolled-back",
            Why::Shadowed => "shadowed",
            Why::Tampered => "tampered",
            Why::PutBack => "put-back",
        }
    }
}

/// An object, as facts name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// Its oracle.
    pub oracle: OracleId,
    /// The object itself.
    pub object: ObjectId,
    /// Which of the oracle's objects it is.
    pub role: Role,
}

/// A field set by an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldSet {
    /// The field.
    pub field: FieldId,
    /// Its new version, from 1.
    pub version: u32,
    /// The content of that version.
    pub content: Content,
}

/// A question in a fact.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub(super) id: QuestionId,
    pub(super) values: &'a Values,
}

impl<'a> Question<'a> {
    /// Its contents: equal for equal questions.
    pub fn contents(&self) -> Content {
        self.values.contents(self.id)
    }

    /// The contents of its inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = Content> + use<'a> {
        let values = self.values;
        values.inputs_of(self.id).iter().map(|&input| values.content(input))
    }

    /// The lineages of its inputs, in order.
    pub fn lineages(&self) -> impl Iterator<Item = Lineage<'a>> + use<'a> {
        let values = self.values;
        values.inputs_of(self.id).iter().map(|&input| values.lineage(input))
    }
}

/// An answer in a fact.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    pub(super) id: ValueId,
    pub(super) values: &'a Values,
}

impl<'a> Answer<'a> {
    /// Its place among the values that are still in use: an observer may keep notes by it until the next answer
    /// appears in the same place.
    pub fn slot(&self) -> usize {
        self.id.0 as usize
    }

    /// Its identity.
    pub fn making(&self) -> Making {
        self.values.origin(self.id).making
    }

    /// Its content.
    pub fn content(&self) -> Content {
        self.values.content(self.id)
    }

    /// Where it came from.
    pub fn origin(&self) -> Origin {
        self.values.origin(self.id)
    }

    /// What went into it.
    pub fn lineage(&self) -> Lineage<'a> {
        self.values.lineage(self.id)
    }
}

/// A trace that the choreographer makes: this answer came from that question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// The generation under which the question was asked.
    pub generation: Generation,
    /// The contents of the question.
    pub contents: Content,
}

/// One thing that came to pass.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// The workload was updated.
    Updated {
        /// The update.
        update: UpdateNumber,
        /// Its place in the scenario.
        item: u16,
        /// The fields it set.
        set: &'a [FieldSet],
        /// Whether it is bad for no oracle.
        valid: bool,
    },
    /// An oracle's world changed.
    WorldChanged {
        /// Whose world.
        oracle: OracleId,
        /// Its new version.
        version: WorldVersion,
        /// Whether attempts begun in it can succeed.
        good: bool,
    },
    /// A controller stopped doing anything.
    OutageBegan {
        /// Whose controller.
        oracle: OracleId,
    },
    /// It goes on.
    OutageEnded {
        /// Whose controller.
        oracle: OracleId,
    },
    /// An enemy wrote an answer into a status.
    Forged {
        /// Whose status.
        named: Named,
        /// The answer.
        answer: Answer<'a>,
    },
    /// The choreographer restarted.
    Restarted,
    /// An object lost or regained its readiness by itself.
    Flapped {
        /// The object.
        named: Named,
        /// What `Ready` is now.
        ready: Ready,
    },
    /// A pass began.
    PassBegan,
    /// A visit found an input missing.
    Skipped {
        /// The oracle that was not visited further.
        oracle: OracleId,
        /// The first missing input, by its place.
        input: usize,
    },
    /// A spec was written and changed.
    Wrote {
        /// The object.
        named: Named,
        /// Its new generation.
        generation: Generation,
        /// The new spec.
        question: Question<'a>,
        /// Who wrote it, and why.
        why: Why,
    },
    /// A question was put among the held.
    Held {
        /// The oracle.
        oracle: OracleId,
        /// The question.
        question: Question<'a>,
        /// How many are held now.
        held: usize,
    },
    /// A held question was dropped and will not be asked.
    Discarded {
        /// The oracle.
        oracle: OracleId,
        /// The question.
        question: Question<'a>,
    },
    /// An immutable object that exists was asked for again.
    Reused {
        /// The object.
        named: Named,
    },
    /// An answer was taken.
    Took {
        /// The object.
        named: Named,
        /// The answer.
        answer: Answer<'a>,
        /// The question it was claimed for.
        claim: Option<Claim>,
    },
    /// A shadow was removed.
    Removed {
        /// The object.
        named: Named,
    },
    /// A controller noticed a question.
    Noticed {
        /// The object.
        named: Named,
        /// Its generation.
        generation: Generation,
    },
    /// An attempt began.
    Began {
        /// The object.
        named: Named,
        /// The question's generation.
        generation: Generation,
        /// The question.
        question: Question<'a>,
        /// Which attempt at it.
        attempt: u32,
        /// The world it is made in.
        world: WorldVersion,
        /// Whether it will never end.
        hangs: bool,
    },
    /// An attempt was dropped.
    Dropped {
        /// The object.
        named: Named,
        /// The question's generation.
        generation: Generation,
    },
    /// An attempt ended.
    Finished {
        /// The object.
        named: Named,
        /// The question's generation.
        generation: Generation,
        /// Which attempt at it.
        attempt: u32,
        /// Whether it succeeded.
        success: bool,
    },
    /// A success made an answer, which may show later.
    Made {
        /// The object.
        named: Named,
        /// The answer.
        answer: Answer<'a>,
    },
    /// An answer appeared: it replaced the one before.
    Answered {
        /// The object.
        named: Named,
        /// The answer.
        answer: Answer<'a>,
    },
    /// What an object shows changed.
    Showed {
        /// The object.
        named: Named,
        /// `metadata.generation`.
        generation: Generation,
        /// `status.observedGeneration`.
        observed: Generation,
        /// The `Ready` condition.
        ready: Ready,
        /// The answer that shows.
        answer: Option<Making>,
    },
}

impl Fact<'_> {
    /// The word for it in traces.
    pub fn kind(&self) -> &'static str {
        match self {
            Fact::Updated { .. } => "updated",
            Fact::WorldChanged { .. } => "world-changed",
            Fact::OutageBegan { .. } => "outage-began",
            Fact::OutageEnded { .. } => "outage-ended",
            Fact::Forged { .. } => "forged",
            Fact::Restarted => "restarted",
            Fact::Flapped { .. } => "flapped",
            Fact::PassBegan => "pass-began",
            Fact::Skipped { .. } => "skipped",
            Fact::Wrote { .. } => "wrote",
            Fact::Held { .. } => "held",
            Fact::Discarded { .. } => "discarded",
            Fact::Reused { .. } => "reused",
            Fact::Took { .. } => "took",
            Fact::Removed { .. } => "removed",
            Fact::Noticed { .. } => "noticed",
            Fact::Began { .. } => "began",
            Fact::Dropped { .. } => "dropped",
            Fact::Finished { .. } => "finished",
            Fact::Made { .. } => "made",
            Fact::Answered { .. } => "answered",
            Fact::Showed { .. } => "showed",
        }
    }
}
