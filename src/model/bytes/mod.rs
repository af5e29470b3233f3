//! A state as bytes and back, so that worlds that no rule can tell apart are the same bytes (docs/checker.md).
//!
//! One description serves both ways: it goes through the state in a fixed order and hands each part to a [`Codec`], which
//! writes it down or puts it back. Updates, worlds, generations and makings are renamed by rank; what no rule can read any
//! more is left out.

mod reader;
mod writer;

use std::collections::VecDeque;

use super::memory::{Asked, Held, HoldClock, Memory};
use super::object::{Attempt, Heard, Object, ObjectId, Phase, Role, Shown, Task};
use super::plan::Plan;
use super::policy::{self, Intake, Lifecycle, OnFailure, Pending, Ready, Trace, Write};
use super::setting::{OnNewQuestion, OracleId, ReadsFrom, Reports};
use super::time::Length;
use super::value::{Content, Generation, Making, QuestionId, UpdateNumber, ValueId, Values, WorldVersion};
use super::world::{Tampering, World};

use reader::Reader;
pub use writer::Scratch;
use writer::Writer;

/// What whoever follows a run remembers of it, so that it is renamed with the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Updates that are compared with later ones: only whether one that is still in use is newer matters.
    pub updates: Vec<UpdateNumber>,
    /// Per oracle, the making that is compared with those taken later, if one is.
    pub makings: Vec<Option<Making>>,
}

/// Whether states that no rule can tell apart are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Merging {
    /// Numbers are renamed by rank.
    #[default]
    On,
    /// Numbers stay as they are: for tests, and where the model counts attempts at a question by its contents
    /// (`fails_first`).
    Off,
}

impl World<'_> {
    /// Appends the state as bytes.
    pub fn write_bytes(&mut self, notes: &mut Notes, merging: Merging, scratch: &mut Scratch, out: &mut Vec<u8>) {
        for r in self.plan.oracles().filter(|&r| self.plan.reads_reports(r)) {
            self.forget_asked(r);
        }
        let mut writer = Writer::new(self.plan, merging, !notes.makings.is_empty(), scratch, out);
        walk(self, notes, &mut writer);
        writer.finish();
    }

    /// Becomes the state that `bytes` tell; returns what is left of them.
    ///
    /// # Panics
    ///
    /// If the bytes are not of a world of this plan.
    pub fn read_bytes<'b>(&mut self, notes: &mut Notes, merging: Merging, bytes: &'b [u8]) -> &'b [u8] {
        self.reset();
        let mut reader = Reader::new(self.plan, merging, !notes.makings.is_empty(), bytes);
        walk(self, notes, &mut reader);
        // The checker calls a version of a field by the update that made it.
        self.field_versions.fill(self.updates.0);
        if merging == Merging::On {
            self.makings.fill(LATER_THAN_ANY_RANK);
        }
        reader.rest()
    }
}

/// Ranks of makings take two bytes.
const LATER_THAN_ANY_RANK: Making = Making(1 << 16);

/// Takes each part of a state in its turn.
trait Codec: Sized {
    fn number(&mut self, number: &mut u32);
    fn update(&mut self, update: &mut UpdateNumber);
    /// An update of which it matters only which updates in use are newer.
    fn update_passed(&mut self, update: &mut UpdateNumber);
    fn world(&mut self, r: OracleId, version: &mut WorldVersion);
    fn making(&mut self, r: OracleId, making: &mut Making);
    /// The generations that the object coming next names.
    fn ranks(&mut self, generations: impl Iterator<Item = Generation>);
    fn generation(&mut self, generation: &mut Generation);
    fn value(&mut self, value: &mut Option<ValueId>, values: &mut Values);
    fn question(&mut self, question: &mut QuestionId, values: &mut Values);
    /// An answer where it is shown: its identity and what it reports count too.
    fn shown_answer(&mut self, r: OracleId, answer: &mut Option<ValueId>, values: &mut Values);
    /// Whether the claim of an answer known by its making is true.
    fn known(&mut self, r: OracleId, memory: &mut Memory, shown: &[Option<ValueId>], values: &Values);
    fn repeats(&mut self, object: &mut Object);
    fn merging(&self) -> Merging;

    fn flag(&mut self, flag: &mut bool) {
        let mut number = u32::from(*flag);
        self.number(&mut number);
        *flag = number != 0;
    }

    fn some_question(&mut self, question: &mut Option<QuestionId>, values: &mut Values) {
        self.option(question, QuestionId(0), |codec, question| codec.question(question, values));
    }

    fn option<T: Copy>(&mut self, option: &mut Option<T>, blank: T, mut each: impl FnMut(&mut Self, &mut T)) {
        let mut some = option.is_some();
        self.flag(&mut some);
        if some {
            each(self, option.get_or_insert(blank));
        } else {
            *option = None;
        }
    }

    fn many<T: Copy>(&mut self, items: &mut VecDeque<T>, blank: T, mut each: impl FnMut(&mut Self, &mut T)) {
        let mut length = items.len() as u32;
        self.number(&mut length);
        items.resize(length as usize, blank);
        items.iter_mut().for_each(|item| each(self, item));
    }
}

/// What of a state can matter under a plan.
impl Plan {
    /// Whether it matters which making an answer of `r` is, beside its content.
    fn tells_makings_apart(&self, r: OracleId) -> bool {
        self.policy(r).trace == Trace::Latest || self.oracle(r).answer_lag != Length::ZERO
    }

    /// Whether answers of `r` are traced by what they report. Then the generations they were made from matter, if only to
    /// know what may be forgotten of what was asked.
    fn reads_reports(&self, r: OracleId) -> bool {
        matches!(
            (self.policy(r).trace, self.oracle(r).reports),
            (Trace::ReportedGeneration, Reports::Generation) | (Trace::ReportedInputs, Reports::Inputs)
        )
    }

    fn holds_writes(&self, r: OracleId) -> bool {
        self.policy(r).write != Write::Always || self.setting().choreographer.reads_from == ReadsFrom::Cache
    }

    fn notes_outcomes(&self, r: OracleId) -> bool {
        self.policy(r).pending == Pending::Stack || self.policy(r).on_failure != OnFailure::Wait
    }

    fn counts_attempts(&self, r: OracleId) -> bool {
        self.oracle(r).retry.as_ref().is_some_and(|retry| retry.attempts.is_some())
    }
}

fn walk<C: Codec>(world: &mut World<'_>, notes: &mut Notes, codec: &mut C) {
    let plan = world.plan;
    let setting = plan.setting();
    codec.flag(&mut world.calm);
    for field in &mut world.fields {
        codec.value(field, &mut world.values);
    }
    codec.update(&mut world.updates);
    if codec.merging() == Merging::Off {
        world.makings.iter_mut().for_each(|making| codec.number(&mut making.0));
    }
    for joint in &mut world.joint {
        codec.update(joint);
    }
    for (r, outside) in plan.oracles().zip(&mut world.worlds) {
        if !setting.worlds.is_empty() {
            codec.world(r, &mut outside.version);
            codec.flag(&mut outside.good);
        }
    }
    if !setting.outages.is_empty() {
        for outages in &mut world.outages {
            let mut number = (*outages).into();
            codec.number(&mut number);
            *outages = number as u16;
        }
    }
    let immutable_from = 2 * plan.oracles().count();
    let mut immutable = (world.objects_used - immutable_from) as u32;
    codec.number(&mut immutable);
    while world.objects_used < immutable_from + immutable as usize {
        world.new_object(OracleId(0), 1);
    }
    for slot in 0..world.objects_used {
        let shadow = (immutable_from / 2..immutable_from).contains(&slot);
        if !shadow || plan.policy(world.objects[slot].oracle).on_failure == OnFailure::Shadow {
            walk_object(world, slot, codec);
        }
    }
    for at in 0..world.tamperings.len() {
        let object = world.main(setting.tampers[at].oracle);
        let values = &mut world.values;
        let blank = Tampering { object, found: QuestionId(0), evil: ValueId(0) };
        codec.option(&mut world.tamperings[at], blank, |codec, tampering| {
            codec.question(&mut tampering.found, values);
            let mut evil = Some(tampering.evil);
            codec.value(&mut evil, values);
            tampering.evil = evil.expect("the enemy wrote it");
        });
    }
    for r in plan.oracles().filter(|&r| plan.oracle(r).workers.is_some()) {
        let crew = &mut world.crews[r.index()];
        codec.number(&mut crew.busy);
        codec.many(&mut crew.line, ObjectId { slot: 0, life: 0 }, |codec, object| codec.number(&mut object.slot));
    }
    let pass = &mut world.pass;
    codec.flag(&mut pass.active);
    if pass.active || plan.intake() == Intake::AtRest {
        pass.snapshot.iter_mut().for_each(|value| codec.value(value, &mut world.values));
    }
    if pass.active {
        codec.flag(&mut pass.again);
        let mut next = pass.next as u32;
        codec.number(&mut next);
        pass.next = next as usize;
        pass.outputs.iter_mut().for_each(|value| codec.value(value, &mut world.values));
    }
    for update in &mut notes.updates {
        codec.update_passed(update);
    }
    for (r, making) in plan.oracles().zip(&mut notes.makings) {
        codec.option(making, Making(0), |codec, making| codec.making(r, making));
    }
}

fn walk_object<C: Codec>(world: &mut World<'_>, slot: usize, codec: &mut C) {
    let plan = world.plan;
    let World { objects, values, memories, .. } = world;
    let object = &mut objects[slot];
    if let Role::Immutable(_) = object.role {
        let mut oracle = object.oracle.0.into();
        codec.number(&mut oracle);
        object.oracle = OracleId(oracle as u16);
    }
    let r = object.oracle;
    let is_main = slot == r.index();
    let memory = &mut memories[r.index()];
    codec.ranks(generations(plan, object, is_main.then_some(&*memory), values));
    if !is_main {
        let mut exists = object.spec.is_some();
        codec.flag(&mut exists);
        if !exists {
            return;
        }
    }
    let settings = plan.oracle(r);
    let Object { generation, spec, observed, ready, answer, .. } = *object;
    let mut now = Shown { generation, spec, observed, ready, answer };
    shown(codec, r, &mut now, values);
    let Shown { generation, spec, observed, ready, answer } = now;
    (object.generation, object.spec, object.observed, object.ready, object.answer) =
        (generation, spec, observed, ready, answer);
    phase(codec, plan, object, values);
    codec.flag(&mut object.noticing);
    let heard = |codec: &mut C, heard: &mut Heard, values: &mut Values| {
        codec.generation(&mut heard.generation);
        codec.question(&mut heard.question, values);
    };
    let blank = Heard { generation: Generation(0), question: QuestionId(0) };
    codec.option(&mut object.heard, blank, |codec, item| heard(codec, item, values));
    if settings.on_new_question == OnNewQuestion::Queue {
        codec.many(&mut object.notices, blank, |codec, item| heard(codec, item, values));
        codec.many(&mut object.queue, blank, |codec, item| heard(codec, item, values));
    }
    if settings.flaps.is_some() {
        codec.flag(&mut object.down);
    }
    if settings.answer_lag != Length::ZERO {
        codec.many(&mut object.late, ValueId(0), |codec, late| {
            let mut answer = Some(*late);
            codec.shown_answer(r, &mut answer, values);
            *late = answer.expect("an answer is late");
        });
    }
    if plan.setting().choreographer.reads_from == ReadsFrom::Cache {
        shown(codec, r, &mut object.copy, values);
        codec.many(&mut object.copies, Shown::default(), |codec, copy| shown(codec, r, copy, values));
    }
    if settings.fails_first > 0 {
        codec.repeats(object);
    }
    if is_main {
        walk_memory(codec, plan, object, memory, values);
    }
}

/// Every generation that an object names, or its oracle's memory of it.
fn generations<'a>(
    plan: &'a Plan,
    object: &'a Object,
    memory: Option<&'a Memory>,
    values: &'a Values,
) -> impl Iterator<Item = Generation> + 'a {
    let shown = [&object.copy].into_iter().chain(&object.copies);
    let heard = object.heard.iter().chain(&object.notices).chain(&object.queue).map(|heard| heard.generation);
    let task = match object.phase {
        Phase::Lined(task) | Phase::Backoff(task) => Some(task.generation),
        Phase::Working(attempt) | Phase::Hung(attempt) => Some(attempt.task.generation),
        Phase::Idle | Phase::Gap => None,
    };
    let answers = plan.reads_reports(object.oracle).then(|| {
        let answers = object.answer.into_iter().chain(object.late.iter().copied());
        let copies = [&object.copy].into_iter().chain(&object.copies).filter_map(|copy| copy.answer);
        answers.chain(copies).map(|answer| values.origin(answer).generation)
    });
    let history = |memory: &'a Memory| memory.history.iter().filter(|_| plan.reads_reports(object.oracle));
    let asked = memory.map(move |memory| memory.asked.iter().chain(history(memory)).map(|asked| asked.generation));
    [object.generation, object.observed]
        .into_iter()
        .chain(shown.flat_map(|shown| [shown.generation, shown.observed]))
        .chain(heard)
        .chain(task)
        .chain(answers.into_iter().flatten())
        .chain(asked.into_iter().flatten())
}

fn shown<C: Codec>(codec: &mut C, r: OracleId, shown: &mut Shown, values: &mut Values) {
    codec.generation(&mut shown.generation);
    codec.some_question(&mut shown.spec, values);
    codec.generation(&mut shown.observed);
    let mut ready = shown.ready as u32;
    codec.number(&mut ready);
    shown.ready = match ready {
        0 => Ready::Unknown,
        1 => Ready::True,
        _ => Ready::False,
    };
    codec.shown_answer(r, &mut shown.answer, values);
}

fn phase<C: Codec>(codec: &mut C, plan: &Plan, object: &mut Object, values: &mut Values) {
    let r = object.oracle;
    let blank = Task { generation: Generation(0), question: QuestionId(0), attempt: 1 };
    let blank = Attempt { task: blank, world: WorldVersion(1), fails: false, repeat: 0 };
    let (mut kind, mut attempt) = match object.phase {
        Phase::Idle => (0, blank),
        Phase::Gap => (1, blank),
        Phase::Lined(task) => (2, Attempt { task, ..blank }),
        Phase::Backoff(task) => (3, Attempt { task, ..blank }),
        Phase::Working(attempt) => (4, attempt),
        Phase::Hung(attempt) => (5, attempt),
    };
    codec.number(&mut kind);
    if kind >= 2 {
        codec.generation(&mut attempt.task.generation);
        codec.question(&mut attempt.task.question, values);
        if plan.counts_attempts(r) {
            codec.number(&mut attempt.task.attempt);
        }
    }
    // Where nothing but a newer question ends it, it does not matter in which world it hangs or how it would have ended.
    if kind == 4 {
        codec.world(r, &mut attempt.world);
        codec.flag(&mut attempt.fails);
    }
    object.phase = match kind {
        0 => Phase::Idle,
        1 => Phase::Gap,
        2 => Phase::Lined(attempt.task),
        3 => Phase::Backoff(attempt.task),
        4 => Phase::Working(attempt),
        _ => Phase::Hung(attempt),
    };
}

fn walk_memory<C: Codec>(codec: &mut C, plan: &Plan, main: &mut Object, memory: &mut Memory, values: &mut Values) {
    let r = main.oracle;
    let policy = plan.policy(r);
    let blank = Asked { question: QuestionId(0), generation: Generation(0) };
    let asked = |codec: &mut C, asked: &mut Asked, values: &mut Values| {
        codec.question(&mut asked.question, values);
        codec.generation(&mut asked.generation);
    };
    codec.option(&mut memory.asked, blank, |codec, item| asked(codec, item, values));
    if plan.reads_reports(r) {
        codec.many(&mut memory.history, blank, |codec, item| asked(codec, item, values));
    }
    if policy.memory != policy::Memory::None {
        codec.value(&mut memory.memento, values);
    }
    if policy.trace == Trace::Latest {
        let answers = [main.answer].into_iter().chain(main.late.iter().copied().map(Some));
        let copies = [&main.copy].into_iter().chain(&main.copies).map(|copy| copy.answer);
        let shown: Vec<_> = answers.chain(copies).collect();
        codec.known(r, memory, &shown, values);
    }
    if plan.holds_writes(r) {
        walk_held(codec, policy.pending == Pending::Stack, memory, values);
    }
    if policy.timeout.is_some() {
        let mut clock = memory.hold_clock as u32;
        codec.number(&mut clock);
        memory.hold_clock = [HoldClock::Stopped, HoldClock::Running, HoldClock::Over][clock as usize];
    }
    if policy.grace.is_some() {
        codec.flag(&mut memory.in_grace);
    }
    if plan.notes_outcomes(r) {
        codec.some_question(&mut memory.succeeded, values);
        codec.some_question(&mut memory.failed, values);
    }
    if policy.on_failure == OnFailure::Shadow {
        let shadow = ObjectId { slot: (plan.oracles().count() + r.index()) as u32, life: 0 };
        codec.option(&mut memory.shadow, shadow, |_, _| {});
    }
    if policy.lifecycle == Lifecycle::Immutable {
        let mut count = memory.immutable.len() as u32;
        codec.number(&mut count);
        memory.immutable.resize(count as usize, ObjectId { slot: 0, life: 0 });
        memory.immutable.iter_mut().for_each(|object| codec.number(&mut object.slot));
        memory.created = count;
    }
}

/// What is held: of the stamps it matters only which are older than that of the question last asked.
fn walk_held<C: Codec>(codec: &mut C, stamps: bool, memory: &mut Memory, values: &mut Values) {
    let asked_stamp = memory.asked_stamp;
    let mut older = 0;
    codec.many(&mut memory.held, Held { question: QuestionId(0), stamp: 0 }, |codec, held| {
        codec.question(&mut held.question, values);
        if stamps {
            let mut is_older = held.stamp < asked_stamp;
            codec.flag(&mut is_older);
            older += u32::from(is_older);
        }
    });
    for (at, held) in memory.held.iter_mut().enumerate() {
        let at = at as u32;
        held.stamp = if at < older { at + 1 } else { at + 2 };
    }
    memory.asked_stamp = older + 1;
    memory.stamp = memory.held.len() as u32 + 2;
}

/// The content of an answer that is made again only under another name: any that no rule can make.
fn unlike_any_other(content: Content, which: u32) -> Content {
    content.with(u64::MAX).with(which.into())
}
