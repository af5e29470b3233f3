//! Values: what anyone can compare (content), and what only the simulator knows (lineage; contract §2).
//!
//! Values and questions live in slabs and are named by small ids, so that moving one costs a copy of four bytes and
//! nothing is allocated per event. What nothing names any more is swept when a slab has doubled.

use super::setting::{FieldId, OracleId};

/// A content: equal for equal values. A 64-bit hash of what made the value, so that it depends on nothing else; two
/// different values of one run meet with a probability of about n² / 2⁶⁵ for n values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content(pub u64);

impl Content {
    /// The content of a name.
    pub const fn of_name(name: &str) -> Content {
        let (bytes, mut at) = (name.as_bytes(), 0);
        let mut content = Content(0x9e37_79b9_7f4a_7c15);
        while at < bytes.len() {
            content = content.with(bytes[at] as u64);
            at += 1;
        }
        content
    }

    /// The content made of this one and a further part. The finalizer is that of MurmurHash3 (public domain).
    #[inline]
    pub const fn with(self, part: u64) -> Content {
        let mut h = self.0.rotate_left(23) ^ part.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        Content(h ^ (h >> 33))
    }
}

/// `metadata.generation`: counts the writes of an object's spec that changed it. Zero: none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Generation(pub u32);

impl Generation {
    /// The generation after this one.
    pub fn next(self) -> Generation {
        Generation(self.0 + 1)
    }
}

/// The identity of an answer: the success that made it, counted per oracle from 1 (§10.9).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Making(pub u32);

/// A version of an oracle's world, from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldVersion(pub u32);

/// An update of the workload, counted from 1 in the order they are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UpdateNumber(pub u32);

/// A value's place in its slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ValueId(pub u32);

/// A question's place in its slab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QuestionId(pub u32);

/// One bit per oracle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OracleSet(pub u64);

impl OracleSet {
    /// Whether `oracle` is in the set.
    pub fn has(self, oracle: OracleId) -> bool {
        self.0 >> oracle.0 & 1 == 1
    }

    /// The set with `oracle` in it.
    pub fn with(self, oracle: OracleId) -> OracleSet {
        OracleSet(self.0 | 1 << oracle.0)
    }

    /// What is in either.
    pub fn or(self, other: OracleSet) -> OracleSet {
        OracleSet(self.0 | other.0)
    }
}

/// How a lineage is laid out: first the marks that merge to the older one, then those that merge to the newer one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    fields: usize,
    oracles: usize,
    /// Ordered pairs of fields that one update may set together.
    pairs: Vec<(FieldId, FieldId)>,
}

/// No version: older than none, newer than none.
const ABSENT_OLDEST: u32 = u32::MAX;

impl Layout {
    /// A layout for these many fields and oracles.
    pub fn new(fields: usize, oracles: usize, pairs: Vec<(FieldId, FieldId)>) -> Layout {
        Layout { fields, oracles, pairs }
    }

    /// Ordered pairs of fields that one update may set together.
    pub fn pairs(&self) -> &[(FieldId, FieldId)] {
        &self.pairs
    }

    fn newest_from(&self) -> usize {
        self.fields + self.oracles
    }

    fn pairs_from(&self) -> usize {
        self.newest_from() + self.fields
    }

    fn width(&self) -> usize {
        self.pairs_from() + self.pairs.len()
    }

    fn clear(&self, marks: &mut [u32]) {
        let (oldest, newest) = marks.split_at_mut(self.newest_from());
        oldest.fill(ABSENT_OLDEST);
        newest.fill(0);
    }

    fn merge(&self, into: &mut [u32], from: &[u32]) {
        let split = self.newest_from();
        for (mark, other) in into[..split].iter_mut().zip(&from[..split]) {
            *mark = (*mark).min(*other);
        }
        for (mark, other) in into[split..].iter_mut().zip(&from[split..]) {
            *mark = (*mark).max(*other);
        }
    }
}

/// What went into a value: ground truth, for measures alone. A field's version is named by the update that made it.
#[derive(Clone, Copy, Debug)]
pub struct Lineage<'a> {
    layout: &'a Layout,
    marks: &'a [u32],
    /// Whether an enemy's writing is in it.
    pub evil: bool,
}

impl Lineage<'_> {
    /// For each pair of the layout, the latest update known to have set both.
    pub(super) fn joint(&self) -> &[u32] {
        &self.marks[self.layout.pairs_from()..]
    }

    /// The oldest version of `field` in it, by the update that made it.
    #[inline]
    pub fn oldest(&self, field: FieldId) -> Option<UpdateNumber> {
        let mark = self.marks[field.index()];
        (mark != ABSENT_OLDEST).then_some(UpdateNumber(mark))
    }

    /// The newest version of `field` in it.
    pub fn newest(&self, field: FieldId) -> Option<UpdateNumber> {
        let mark = self.marks[self.layout.newest_from() + field.index()];
        (mark != 0).then_some(UpdateNumber(mark))
    }

    /// The oldest world of `oracle` in it.
    #[inline]
    pub fn world(&self, oracle: OracleId) -> Option<WorldVersion> {
        let mark = self.marks[self.layout.fields + oracle.index()];
        (mark != ABSENT_OLDEST).then_some(WorldVersion(mark))
    }

    /// Whether it holds two versions of a field or, of two fields that one update set, one at that update's version or
    /// later and the other older (contract §7, `mixed`).
    pub fn mixed(&self) -> bool {
        let torn = (0..self.layout.fields as u16).map(FieldId).any(|f| self.oldest(f) != self.newest(f));
        torn || self
            .layout
            .pairs
            .iter()
            .zip(&self.marks[self.layout.pairs_from()..])
            .any(|(&(_, other), &joint)| self.oldest(other).is_some_and(|oldest| oldest.0 < joint))
    }
}

/// Where an answer came from: the truth about it, and what it bears to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its identity.
    pub making: Making,
    /// The contents of the question that it was made from; none if it was forged.
    pub made_from: Option<Content>,
    /// The generation of that question, or the one a forger writes into the status.
    pub generation: Generation,
    /// The contents that it bears as its inputs, if its oracle reports them.
    pub inputs: Content,
}

/// What a value is, apart from what it is called: enough to make it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stem {
    /// A version of a field.
    Field(FieldId),
    /// The answer of an oracle to a question.
    Answer { oracle: OracleId, question: QuestionId },
    /// What an enemy wrote into a spec, by its place in the scenario.
    Tampered(u16),
    /// What an enemy wrote into a status, by its place in the scenario, and the question it seems to answer.
    Forged { item: u16, question: QuestionId },
}

#[derive(Clone, Copy, Debug)]
struct Value {
    content: Content,
    stem: Stem,
    bad_for: OracleSet,
    hangs: OracleSet,
    evil: bool,
    origin: Origin,
}

/// Faults that a value's lineage carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Oracles that fail at it.
    pub bad_for: OracleSet,
    /// Oracles that hang at it.
    pub hangs: OracleSet,
}

/// Slots that are used, freed and used again.
#[derive(Clone, Debug, Default)]
struct Slots {
    free: Vec<u32>,
    marked: Vec<bool>,
    used: usize,
    limit: usize,
}

const FIRST_LIMIT: usize = 64;

impl Slots {
    fn clear(&mut self) {
        self.free.clear();
        self.marked.clear();
        self.used = 0;
        self.limit = FIRST_LIMIT;
    }

    /// A free slot, or a new one at the end.
    #[inline]
    fn take(&mut self) -> u32 {
        self.used += 1;
        self.free.pop().unwrap_or_else(|| {
            self.marked.push(false);
            self.marked.len() as u32 - 1
        })
    }

    fn full(&self) -> bool {
        self.used >= self.limit
    }

    fn unmark(&mut self) {
        self.marked.fill(false);
    }

    fn sweep(&mut self) {
        self.free.clear();
        // Downwards, so that the lowest slots are used again first and the slab stays dense.
        self.free.extend((0..self.marked.len() as u32).rev().filter(|&slot| !self.marked[slot as usize]));
        self.used = self.marked.len() - self.free.len();
        self.limit = FIRST_LIMIT.max(2 * self.used);
    }
}

/// All values and questions of a run.
#[derive(Clone, Debug)]
pub struct Values {
    layout: Layout,
    arity: usize,
    values: Vec<Value>,
    marks: Vec<u32>,
    value_slots: Slots,
    questions: Vec<Content>,
    inputs: Vec<ValueId>,
    question_slots: Slots,
}

impl Values {
    /// No values yet; questions have at most `arity` inputs.
    pub fn new(layout: Layout, arity: usize) -> Values {
        let mut values = Values {
            layout,
            arity,
            values: Vec::new(),
            marks: Vec::new(),
            value_slots: Slots::default(),
            questions: Vec::new(),
            inputs: Vec::new(),
            question_slots: Slots::default(),
        };
        values.clear();
        values
    }

    /// Forgets everything and frees nothing.
    pub fn clear(&mut self) {
        self.values.clear();
        self.marks.clear();
        self.value_slots.clear();
        self.questions.clear();
        self.inputs.clear();
        self.question_slots.clear();
    }

    fn place(&mut self, value: Value) -> (ValueId, &mut [u32]) {
        let slot = self.value_slots.take() as usize;
        let width = self.layout.width();
        if slot == self.values.len() {
            self.values.push(value);
            self.marks.resize((slot + 1) * width, 0);
        } else {
            self.values[slot] = value;
        }
        let marks = &mut self.marks[slot * width..(slot + 1) * width];
        self.layout.clear(marks);
        (ValueId(slot as u32), marks)
    }

    /// The value of a field that `update` set; `joint` tells, for each pair of the layout, the latest update that set
    /// both.
    pub fn field(
        &mut self,
        field: FieldId,
        content: Content,
        update: UpdateNumber,
        faults: Faults,
        joint: &[UpdateNumber],
    ) -> ValueId {
        let (newest_from, pairs_from) = (self.layout.newest_from(), self.layout.pairs_from());
        let (id, marks) = self.place(Value {
            content,
            stem: Stem::Field(field),
            bad_for: faults.bad_for,
            hangs: faults.hangs,
            evil: false,
            origin: Origin::NONE,
        });
        marks[field.index()] = update.0;
        marks[newest_from + field.index()] = update.0;
        for (at, (&(first, _), joint)) in self.layout.pairs.iter().zip(joint).enumerate() {
            if first == field {
                self.marks[id.0 as usize * self.layout.width() + pairs_from + at] = joint.0;
            }
        }
        id
    }

    /// A value that an enemy wrote.
    pub(super) fn evil(&mut self, stem: Stem, origin: Origin) -> ValueId {
        let content = match stem {
            Stem::Forged { item, .. } => Content::of_name("forge").with(item.into()),
            Stem::Tampered(item) => Content::of_name("tamper").with(item.into()),
            Stem::Field(_) | Stem::Answer { .. } => unreachable!("an enemy writes neither"),
        };
        let value = Value { content, stem, bad_for: OracleSet(0), hangs: OracleSet(0), evil: true, origin };
        self.place(value).0
    }

    /// The answer of `oracle` to `question`, made in `world`.
    pub fn answer(
        &mut self,
        oracle: OracleId,
        content: Content,
        question: QuestionId,
        world: WorldVersion,
        origin: Origin,
    ) -> ValueId {
        let faults = self.faults(question);
        let evil = self.inputs_of(question).iter().any(|&input| self.is_evil(input));
        let stem = Stem::Answer { oracle, question };
        let (id, _) = self.place(Value { content, stem, bad_for: faults.bad_for, hangs: faults.hangs, evil, origin });
        let width = self.layout.width();
        let at = id.0 as usize * width;
        for input in 0..self.arity {
            let Some(from) = self.input(question, input) else { break };
            let from = from.0 as usize * width;
            // Ids differ: the new value is no input of its own question.
            let (low, high) = self.marks.split_at_mut(from.max(at));
            if from < at {
                self.layout.merge(&mut high[..width], &low[from..from + width]);
            } else {
                self.layout.merge(&mut low[at..at + width], &high[..width]);
            }
        }
        self.marks[at + self.layout.fields + oracle.index()] = world.0;
        id
    }

    /// The question made of `inputs`.
    pub fn question(&mut self, inputs: &[ValueId]) -> QuestionId {
        let content = self.content_of(inputs);
        let slot = self.question_slots.take() as usize;
        if slot == self.questions.len() {
            self.questions.push(content);
            self.inputs.resize((slot + 1) * self.arity, ValueId(u32::MAX));
        }
        self.questions[slot] = content;
        let place = &mut self.inputs[slot * self.arity..(slot + 1) * self.arity];
        place.fill(ValueId(u32::MAX));
        place[..inputs.len()].copy_from_slice(inputs);
        QuestionId(slot as u32)
    }

    /// The question `of`, with one input replaced.
    pub fn question_with(&mut self, of: QuestionId, input: usize, value: ValueId) -> QuestionId {
        let slot = self.question_slots.take() as usize;
        if slot == self.questions.len() {
            self.questions.push(Content(0));
            self.inputs.resize((slot + 1) * self.arity, ValueId(u32::MAX));
        }
        let from = of.0 as usize * self.arity;
        self.inputs.copy_within(from..from + self.arity, slot * self.arity);
        self.inputs[slot * self.arity + input] = value;
        let id = QuestionId(slot as u32);
        self.questions[slot] = self.content_of(self.inputs_of(id));
        id
    }

    /// The contents of a question that would be made of `inputs`.
    #[inline]
    pub fn content_of(&self, inputs: &[ValueId]) -> Content {
        inputs.iter().fold(Content(0), |content, &input| content.with(self.content(input).0))
    }

    /// The contents of a question: equal for equal questions.
    #[inline]
    pub fn contents(&self, question: QuestionId) -> Content {
        self.questions[question.0 as usize]
    }

    fn input(&self, question: QuestionId, at: usize) -> Option<ValueId> {
        let input = self.inputs[question.0 as usize * self.arity + at];
        (input.0 != u32::MAX).then_some(input)
    }

    /// The inputs of a question.
    #[inline]
    pub fn inputs_of(&self, question: QuestionId) -> &[ValueId] {
        let place = &self.inputs[question.0 as usize * self.arity..(question.0 as usize + 1) * self.arity];
        let count = place.iter().position(|input| input.0 == u32::MAX).unwrap_or(self.arity);
        &place[..count]
    }

    /// The faults that a question's lineage carries.
    pub fn faults(&self, question: QuestionId) -> Faults {
        self.inputs_of(question).iter().fold(Faults::default(), |faults, input| {
            let value = &self.values[input.0 as usize];
            Faults { bad_for: faults.bad_for.or(value.bad_for), hangs: faults.hangs.or(value.hangs) }
        })
    }

    /// A value's content.
    #[inline]
    pub fn content(&self, value: ValueId) -> Content {
        self.values[value.0 as usize].content
    }

    /// Where an answer came from.
    #[inline]
    pub fn origin(&self, value: ValueId) -> Origin {
        self.values[value.0 as usize].origin
    }

    /// What it is.
    pub(super) fn stem(&self, value: ValueId) -> Stem {
        self.values[value.0 as usize].stem
    }

    /// The faults that a value carries.
    pub(super) fn faults_of(&self, value: ValueId) -> Faults {
        let Value { bad_for, hangs, .. } = self.values[value.0 as usize];
        Faults { bad_for, hangs }
    }

    /// The same answer made again: another identity, under another generation.
    pub(super) fn again(&mut self, value: ValueId, making: Making, generation: Generation) -> ValueId {
        let Value { origin, .. } = self.values[value.0 as usize];
        let again = Value { origin: Origin { making, generation, ..origin }, ..self.values[value.0 as usize] };
        let (id, _) = self.place(again);
        let width = self.layout.width();
        let from = value.0 as usize * width;
        self.marks.copy_within(from..from + width, id.0 as usize * width);
        id
    }

    /// Whether an enemy's writing is in it.
    pub fn is_evil(&self, value: ValueId) -> bool {
        self.values[value.0 as usize].evil
    }

    /// What went into a value.
    #[inline]
    pub fn lineage(&self, value: ValueId) -> Lineage<'_> {
        let width = self.layout.width();
        let at = value.0 as usize * width;
        Lineage { layout: &self.layout, marks: &self.marks[at..at + width], evil: self.is_evil(value) }
    }

    /// Whether a sweep is due.
    #[inline]
    pub fn full(&self) -> bool {
        self.value_slots.full() || self.question_slots.full()
    }

    /// Begins a sweep: nothing is marked.
    pub fn unmark(&mut self) {
        self.value_slots.unmark();
        self.question_slots.unmark();
    }

    /// Keeps a value, and the question it answers.
    pub fn mark_value(&mut self, value: ValueId) {
        if std::mem::replace(&mut self.value_slots.marked[value.0 as usize], true) {
            return;
        }
        if let Stem::Answer { question, .. } | Stem::Forged { question, .. } = self.values[value.0 as usize].stem {
            self.mark_question(question);
        }
    }

    /// Keeps a question and its inputs.
    pub fn mark_question(&mut self, question: QuestionId) {
        if std::mem::replace(&mut self.question_slots.marked[question.0 as usize], true) {
            return;
        }
        for at in 0..self.arity {
            match self.input(question, at) {
                Some(input) => self.mark_value(input),
                None => break,
            }
        }
    }

    /// Ends a sweep: what was not marked is free.
    pub fn sweep(&mut self) {
        self.value_slots.sweep();
        self.question_slots.sweep();
    }
}

impl Origin {
    /// No answer at all.
    pub const NONE: Origin =
        Origin { making: Making(0), made_from: None, generation: Generation(0), inputs: Content(0) };
}
