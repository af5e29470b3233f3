//! What befalls a run (contract §6): updates, world changes, outages, an enemy, restarts; and how the world is put right
//! for a probe (§7).

use super::event::{Draw, Driver, Event, Purpose};
use super::fact::{Fact, FieldSet, Why};
use super::memory::HoldClock;
use super::policy;
use super::setting::{FieldId, OracleId, Probability};
use super::value::{Faults, OracleSet, Origin, Stem, UpdateNumber};
use super::world::{Tampering, World};

impl World<'_> {
    /// The developer sets some fields at one instant.
    pub(super) fn update<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let plan = self.plan;
        let update = &plan.setting().updates[item as usize];
        let occurrence = self.made_by_item[item as usize];
        self.made_by_item[item as usize] += 1;
        let mut faults = Faults::default();
        for &(r, chance) in &update.bad_for {
            let about =
                Draw { purpose: Purpose::Bad, subject: plan.oracle_name(r).0, which: item.into(), repeat: occurrence };
            if chance == Probability::ALWAYS || chance > Probability::NEVER && driver.decide(chance, about) {
                faults.bad_for = faults.bad_for.with(r);
            }
        }
        for &r in &update.hangs_for {
            faults.hangs = faults.hangs.with(r);
        }
        self.set_fields(item, &update.set, faults, driver);
    }

    /// One valid update of all fields: what the second probe asks for.
    pub fn fresh_update<D: Driver>(&mut self, driver: &mut D) -> UpdateNumber {
        let every: Vec<_> = (0..self.fields.len() as u16).map(FieldId).collect();
        self.set_fields(u16::MAX, &every, Faults::default(), driver);
        self.updates
    }

    fn set_fields<D: Driver>(&mut self, item: u16, set: &[FieldId], faults: Faults, driver: &mut D) {
        self.updates = UpdateNumber(self.updates.0 + 1);
        let plan = self.plan;
        for (joint, (first, other)) in self.joint.iter_mut().zip(plan.layout().pairs()) {
            if set.contains(first) && set.contains(other) {
                *joint = self.updates;
            }
        }
        self.scratch_fields.clear();
        for &field in set {
            let version = &mut self.field_versions[field.index()];
            *version += 1;
            let content = plan.field_name(field).with((*version).into());
            self.scratch_fields.push(FieldSet { field, version: *version, content });
            let value = self.values.field(field, content, self.updates, faults, &self.joint);
            self.fields[field.index()] = Some(value);
        }
        let valid = faults.bad_for == OracleSet::default();
        driver.observe(&Fact::Updated { update: self.updates, item, set: &self.scratch_fields, valid });
        self.wake_later(driver);
    }

    /// **World change** (§3): the world's part; the controller reacts in the same instant, as an event of its own.
    pub(super) fn world_change<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let change = &self.plan.setting().worlds[item as usize];
        self.change_world(change.oracle, !change.bad, driver);
    }

    fn change_world<D: Driver>(&mut self, r: OracleId, good: bool, driver: &mut D) {
        let world = &mut self.worlds[r.index()];
        world.version.0 += 1;
        world.good = good;
        driver.observe(&Fact::WorldChanged { oracle: r, version: world.version, good });
        for object in [self.main(r), self.shadow(r)] {
            if self.object(object).spec.is_some() && self.sees_worlds(object) {
                driver.soon(Event::React(object));
            }
        }
    }

    pub(super) fn outage_begins<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let oracle = self.plan.setting().outages[item as usize].oracle;
        self.outages[oracle.index()] += 1;
        driver.observe(&Fact::OutageBegan { oracle });
    }

    pub(super) fn outage_ends<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let oracle = self.plan.setting().outages[item as usize].oracle;
        self.outages[oracle.index()] -= 1;
        driver.observe(&Fact::OutageEnded { oracle });
    }

    /// An enemy writes an evil value into one input of the one mutable object's spec.
    pub(super) fn tamper<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let tamper = &self.plan.setting().tampers[item as usize];
        let object = self.main(tamper.oracle);
        let Some(found) = self.object(object).spec else { return };
        let evil = self.values.evil(Stem::Tampered(item), Origin::NONE);
        let question = self.values.question_with(found, tamper.input, evil);
        self.tamperings[item as usize] = Some(Tampering { object, found, evil });
        self.write(object, question, Why::Tampered, driver);
    }

    /// It puts back the spec that it found, if its value still stands (§10.13).
    pub(super) fn put_back<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let input = self.plan.setting().tampers[item as usize].input;
        let Some(Tampering { object, found, evil }) = self.tamperings[item as usize].take() else { return };
        let Some(spec) = self.object(object).spec else { return };
        if self.values.content(self.values.inputs_of(spec)[input]) == self.values.content(evil) {
            self.write(object, found, Why::PutBack, driver);
        }
    }

    /// An enemy writes an answer into a status: of the main object, or the newest-asked immutable one. It bears the
    /// generation and the inputs that look right.
    pub(super) fn forge<D: Driver>(&mut self, item: u16, driver: &mut D) {
        let r = self.plan.setting().forges[item as usize].oracle;
        let id = self.memories[r.index()].immutable.last().copied().unwrap_or(self.main(r));
        let Some(spec) = self.object(id).spec else { return };
        let before = self.object(id).shown(self.plan.oracle(r));
        let origin = Origin {
            making: self.next_making(r),
            made_from: None,
            generation: self.object(id).generation,
            inputs: self.values.contents(spec),
        };
        let value = self.values.evil(Stem::Forged { item, question: spec }, origin);
        self.objects[id.slot as usize].answer = Some(value);
        driver.observe(&Fact::Forged { named: self.named(id), answer: self.answer_view(value) });
        self.showed(id, before, driver);
    }

    /// The choreographer restarts: a pass under way ends, held questions are lost, and mementos that live in memory
    /// (§4, §10.6).
    pub(super) fn restart<D: Driver>(&mut self, driver: &mut D) {
        driver.observe(&Fact::Restarted);
        self.end_pass_at_once(driver);
        for r in self.plan.oracles() {
            let forgets = self.plan.policy(r).memory == policy::Memory::Memento;
            let memory = &mut self.memories[r.index()];
            memory.held.clear();
            if memory.hold_clock == HoldClock::Running {
                driver.cancel(Event::HoldOver(r));
            }
            memory.hold_clock = HoldClock::Stopped;
            if forgets {
                memory.memento = None;
            }
            self.stir(r);
        }
        self.wake_later(driver);
    }

    /// All outages are over, for a probe (§7).
    pub fn end_outages(&mut self) {
        self.outages.fill(0);
    }

    /// The world put right, for a probe (§7): bad worlds replaced, what flaps up for good, and from now on no new faults.
    /// What hangs goes on hanging.
    pub fn put_right<D: Driver>(&mut self, driver: &mut D) {
        self.calm = true;
        for r in self.plan.oracles() {
            if !self.worlds[r.index()].good {
                self.change_world(r, true, driver);
            }
        }
        for slot in 0..self.objects_used {
            let object = self.in_slot(slot);
            driver.cancel(Event::Flap(object));
            if self.objects[slot].down {
                self.flap(object, driver);
            }
        }
    }
}
