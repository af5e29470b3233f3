//! One workload's chain: everything that moves, and the only way it moves, [`World::apply`].
//!
//! A world is plain data over a [`Plan`]; it has no clock and no dice. Those are the [`Driver`]'s.

use std::collections::VecDeque;

use super::event::{Driver, Event};
use super::fact::{Answer, FieldSet, Question};
use super::memory::Memory;
use super::object::{Object, ObjectId, Role};
use super::pass::Pass;
use super::plan::Plan;
use super::setting::{FieldId, OracleId};
use super::value::{Making, OracleSet, QuestionId, UpdateNumber, ValueId, Values, WorldVersion};

/// The world of one oracle outside the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutsideWorld {
    pub version: WorldVersion,
    pub good: bool,
}

/// The workers of one oracle.
#[derive(Clone, Debug, Default)]
pub(super) struct Crew {
    pub busy: u32,
    pub line: VecDeque<ObjectId>,
}

/// What an enemy found, and the spec it wrote.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tampering {
    pub object: ObjectId,
    pub found: QuestionId,
    pub evil: ValueId,
}

/// Everything that moves.
#[derive(Clone, Debug)]
pub struct World<'p> {
    pub(super) plan: &'p Plan,
    pub(super) values: Values,
    /// The workload's present values.
    pub(super) fields: Vec<Option<ValueId>>,
    pub(super) field_versions: Vec<u32>,
    pub(super) updates: UpdateNumber,
    /// How many updates each item of the scenario has made, which keys their draws.
    pub(super) made_by_item: Vec<u64>,
    /// For each pair of fields in the layout, the latest update that set both.
    pub(super) joint: Vec<UpdateNumber>,
    pub(super) worlds: Vec<OutsideWorld>,
    /// Outages under way, per oracle.
    pub(super) outages: Vec<u16>,
    pub(super) tamperings: Vec<Option<Tampering>>,
    pub(super) makings: Vec<Making>,
    pub(super) crews: Vec<Crew>,
    /// The oracles' main objects, then their shadows, then immutable objects as they come.
    pub(super) objects: Vec<Object>,
    /// How many of `objects` are in use; the rest wait to be used again.
    pub(super) objects_used: usize,
    pub(super) memories: Vec<Memory>,
    pub(super) pass: Pass,
    /// No new faults: the world was put right for a probe (§7).
    pub(super) calm: bool,
    pub(super) scratch_fields: Vec<FieldSet>,
}

impl<'p> World<'p> {
    /// The world before anything happened.
    pub fn new(plan: &'p Plan) -> World<'p> {
        let setting = plan.setting();
        let (fields, oracles) = (setting.fields.len(), setting.oracles.len());
        let mut world = World {
            plan,
            values: Values::new(plan.layout().clone(), plan.arity()),
            fields: vec![None; fields],
            field_versions: vec![0; fields],
            updates: UpdateNumber(0),
            made_by_item: vec![0; setting.updates.len()],
            joint: vec![UpdateNumber(0); plan.layout().pairs().len()],
            worlds: vec![OutsideWorld { version: WorldVersion(1), good: true }; oracles],
            outages: vec![0; oracles],
            tamperings: vec![None; setting.tampers.len()],
            makings: vec![Making(0); oracles],
            crews: vec![Crew::default(); oracles],
            objects: Vec::new(),
            objects_used: 2 * oracles,
            memories: vec![Memory::default(); oracles],
            pass: Pass::new(fields, oracles, plan.arity()),
            calm: false,
            scratch_fields: Vec::with_capacity(fields),
        };
        for role in [Role::Main, Role::Shadow] {
            world.objects.extend(plan.oracles().map(|r| Object::absent(r, role)));
        }
        world
    }

    /// Back to the beginning, without freeing.
    pub fn reset(&mut self) {
        let oracles = self.worlds.len();
        self.values.clear();
        self.fields.fill(None);
        self.field_versions.fill(0);
        self.updates = UpdateNumber(0);
        self.made_by_item.fill(0);
        self.joint.fill(UpdateNumber(0));
        self.worlds.fill(OutsideWorld { version: WorldVersion(1), good: true });
        self.outages.fill(0);
        self.tamperings.fill(None);
        self.makings.fill(Making(0));
        for crew in &mut self.crews {
            crew.busy = 0;
            crew.line.clear();
        }
        for object in &mut self.objects[..self.objects_used] {
            let (oracle, role) = (object.oracle, object.role);
            object.vacate(oracle, role);
            object.life = 0;
        }
        self.objects_used = 2 * oracles;
        for memory in &mut self.memories {
            memory.clear();
        }
        self.pass.clear();
        self.calm = false;
    }

    /// Lets `event` happen: the only way that the world changes.
    pub fn apply<D: Driver>(&mut self, event: Event, driver: &mut D) {
        if self.values.full() {
            self.sweep();
        }
        if let Some(object) = event.controller() {
            debug_assert!(!self.held_up(event), "an outage holds a controller up");
            if self.objects[object.slot as usize].life != object.life {
                return;
            }
        }
        match event {
            Event::OutageBegins(item) => self.outage_begins(item, driver),
            Event::OutageEnds(item) => self.outage_ends(item, driver),
            Event::Update(item) => self.update(item, driver),
            Event::WorldChange(item) => self.world_change(item, driver),
            Event::Tamper(item) => self.tamper(item, driver),
            Event::PutBack(item) => self.put_back(item, driver),
            Event::Forge(item) => self.forge(item, driver),
            Event::Restart(_) => self.restart(driver),
            Event::Flap(object) => self.flap(object, driver),
            Event::Notice(object) => self.notice(object, driver),
            Event::React(object) => self.react(object, driver),
            Event::Finish(object) => self.finish(object, driver),
            Event::Next(object) => self.next(object, driver),
            Event::Retry(object) => self.retry(object, driver),
            Event::Appear(object) => self.appear(object, driver),
            Event::Follow(object) => self.follow(object, driver),
            Event::HoldOver(r) => self.hold_over(r, driver),
            Event::GraceOver(r) => self.grace_over(r, driver),
            Event::Resync => self.resync(driver),
            Event::Wake => self.wake(driver),
            Event::Visit => self.visit_next(driver),
        }
    }

    /// Whether `event` is what a controller would do and an outage holds it up (§3, **Outage**).
    #[inline]
    pub fn held_up(&self, event: Event) -> bool {
        event.controller().is_some_and(|object| self.outages[self.object(object).oracle.index()] > 0)
    }

    /// Whether `event` is of an object that is gone: it will change nothing.
    pub fn is_over(&self, event: Event) -> bool {
        event.object().is_some_and(|object| self.object(object).life != object.life)
    }

    /// The update that made a field's present value, and whether that is bad for no oracle.
    pub fn present(&self, field: FieldId) -> Option<(UpdateNumber, bool)> {
        let value = self.fields[field.index()]?;
        let made = self.values.lineage(value).oldest(field)?;
        Some((made, self.values.faults_of(value).bad_for == OracleSet::default()))
    }

    /// How many updates there were; of a state that came from bytes, how many are still in use.
    pub fn updates(&self) -> UpdateNumber {
        self.updates
    }

    /// Whether the world was put right (§7).
    pub fn is_put_right(&self) -> bool {
        self.calm
    }

    /// The object that lives now in the slot of `event`'s, if the event is an object's.
    pub fn living(&self, event: Event) -> Event {
        event.of_object(|object| self.in_slot(object.slot as usize))
    }

    #[inline]
    pub(super) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.slot as usize]
    }

    /// The object that lives in a slot now.
    #[inline]
    pub(super) fn in_slot(&self, slot: usize) -> ObjectId {
        ObjectId { slot: slot as u32, life: self.objects[slot].life }
    }

    #[inline]
    pub(super) fn main(&self, r: OracleId) -> ObjectId {
        self.in_slot(r.index())
    }

    pub(super) fn shadow(&self, r: OracleId) -> ObjectId {
        self.in_slot(self.worlds.len() + r.index())
    }

    /// A new immutable object of `r`, its number among them given.
    pub(super) fn new_object(&mut self, r: OracleId, number: u32) -> ObjectId {
        let slot = self.objects_used;
        self.objects_used += 1;
        if slot == self.objects.len() {
            self.objects.push(Object::absent(r, Role::Immutable(number)));
        } else {
            self.objects[slot].vacate(r, Role::Immutable(number));
            self.objects[slot].life = 0;
        }
        self.in_slot(slot)
    }

    pub(super) fn question_view(&self, id: QuestionId) -> Question<'_> {
        Question { id, values: &self.values }
    }

    pub(super) fn answer_view(&self, id: ValueId) -> Answer<'_> {
        Answer { id, values: &self.values }
    }

    /// Frees the values and questions that nothing names any more.
    fn sweep(&mut self) {
        for r in self.plan.oracles() {
            self.forget_asked(r);
            // Its inputs may go, and others come in their places.
            self.stir(r);
        }
        let World { plan, values, fields, pass, memories, objects, tamperings, .. } = self;
        values.unmark();
        fields.iter().flatten().for_each(|&value| values.mark_value(value));
        pass.mark(values, plan.intake());
        memories.iter().for_each(|memory| memory.mark(values));
        objects[..self.objects_used].iter().for_each(|object| object.mark(values));
        for tampering in tamperings.iter().flatten() {
            values.mark_question(tampering.found);
            values.mark_value(tampering.evil);
        }
        values.sweep();
    }
}
