//! When the choreographer wakes, and how a pass goes from visit to visit (contract §4).

use std::ops::ControlFlow;

use super::event::{Draw, Driver, Event, Purpose};
use super::fact::Fact;
use super::memory::HoldClock;
use super::object::{ObjectId, Shown};
use super::policy::Intake;
use super::setting::{OracleId, ReadsFrom};
use super::time::Length;
use super::value::{ValueId, Values};
use super::world::World;

/// The pass under way, if one is.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub active: bool,
    /// The oracle to visit next.
    pub next: usize,
    /// A wake-up came during the pass.
    pub again: bool,
    /// The workload that the pass goes by: as it was when the pass began, or as it was last taken up.
    pub snapshot: Vec<Option<ValueId>>,
    /// What this pass has for an output of each oracle.
    pub outputs: Vec<Option<ValueId>>,
    /// The inputs of the oracle being visited.
    pub gathered: Vec<ValueId>,
    pub passes: u64,
    pub resyncs: u64,
}

impl Pass {
    pub fn new(fields: usize, oracles: usize, arity: usize) -> Pass {
        Pass {
            active: false,
            next: 0,
            again: false,
            snapshot: vec![None; fields],
            outputs: vec![None; oracles],
            gathered: Vec::with_capacity(arity),
            passes: 0,
            resyncs: 0,
        }
    }

    pub fn clear(&mut self) {
        self.active = false;
        self.again = false;
        self.next = 0;
        self.snapshot.fill(None);
        self.outputs.fill(None);
        self.gathered.clear();
        self.passes = 0;
        self.resyncs = 0;
    }

    pub fn mark(&self, values: &mut Values, intake: Intake) {
        let outputs = self.outputs.iter().filter(|_| self.active);
        let snapshot = self.snapshot.iter().filter(|_| self.active || intake == Intake::AtRest);
        snapshot.chain(outputs).flatten().for_each(|&value| values.mark_value(value));
    }
}

impl World<'_> {
    /// What is under way before anything happens: the first resync.
    pub fn set_off<D: Driver>(&mut self, driver: &mut D) {
        self.schedule_resync(driver);
    }

    /// A wake-up, `watch` after what caused it.
    pub(super) fn wake_later<D: Driver>(&mut self, driver: &mut D) {
        let about = Draw { purpose: Purpose::Watch, subject: 0, which: self.updates.0.into(), repeat: 0 };
        driver.schedule(Event::Wake, &self.plan.setting().choreographer.watch, about);
    }

    /// An object shows something new: the choreographer is woken, or its copy will follow.
    pub(super) fn seen_change<D: Driver>(&mut self, id: ObjectId, now: Shown, driver: &mut D) {
        let circumstances = &self.plan.setting().choreographer;
        match circumstances.reads_from {
            ReadsFrom::Write => {
                let about = Draw::of(&circumstances.watch, || self.about_change(Purpose::Watch, id, now));
                driver.schedule(Event::Wake, &circumstances.watch, about);
            }
            ReadsFrom::Cache => {
                let about = Draw::of(&circumstances.cache_lag, || self.about_change(Purpose::CacheLag, id, now));
                self.objects[id.slot as usize].copies.push_back(now);
                driver.schedule(Event::Follow(id), &circumstances.cache_lag, about);
            }
        }
    }

    fn about_change(&self, purpose: Purpose, id: ObjectId, now: Shown) -> Draw {
        Draw {
            purpose,
            subject: self.plan.oracle_name(self.object(id).oracle).0,
            which: now.spec.map_or(0, |spec| self.values.contents(spec).0),
            repeat: u64::from(now.observed.0) << 32 | u64::from(now.generation.0) << 2 | now.ready as u64,
        }
    }

    /// The choreographer's copy follows; wake-ups come `watch` after that (§10.4).
    pub(super) fn follow<D: Driver>(&mut self, id: ObjectId, driver: &mut D) {
        let object = &mut self.objects[id.slot as usize];
        if object.life != id.life {
            return;
        }
        object.copy = object.copies.pop_front().expect("a copy follows a change");
        let (oracle, copy) = (object.oracle, object.copy);
        self.stir(oracle);
        let watch = &self.plan.setting().choreographer.watch;
        let about = Draw::of(watch, || self.about_change(Purpose::Watch, id, copy));
        driver.schedule(Event::Wake, watch, about);
    }

    pub(super) fn hold_over<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        let clock = &mut self.memories[r.index()].hold_clock;
        debug_assert_eq!(*clock, HoldClock::Running);
        *clock = HoldClock::Over;
        self.stir(r);
        driver.soon(Event::Wake);
    }

    pub(super) fn grace_over<D: Driver>(&mut self, r: OracleId, driver: &mut D) {
        self.memories[r.index()].in_grace = false;
        self.stir(r);
        driver.soon(Event::Wake);
    }

    pub(super) fn resync<D: Driver>(&mut self, driver: &mut D) {
        driver.soon(Event::Wake);
        self.schedule_resync(driver);
    }

    fn schedule_resync<D: Driver>(&mut self, driver: &mut D) {
        if let Some(resync) = &self.plan.setting().choreographer.resync {
            self.pass.resyncs += 1;
            let about = Draw { purpose: Purpose::Resync, subject: 0, which: 0, repeat: self.pass.resyncs };
            driver.schedule(Event::Resync, resync, about);
        }
    }

    /// **A pass** takes a snapshot of the workload's fields, then visits the oracles in chain order. Its outputs are its
    /// own and start empty. A wake-up that comes during a pass starts another right after it.
    pub(super) fn wake<D: Driver>(&mut self, driver: &mut D) {
        if self.pass.active {
            self.pass.again = true;
            return;
        }
        self.pass.active = true;
        self.pass.next = 0;
        self.pass.passes += 1;
        if self.plan.intake() == Intake::Always {
            self.pass.snapshot.copy_from_slice(&self.fields);
        }
        self.pass.outputs.fill(None);
        driver.observe(&Fact::PassBegan);
        self.visit_next(driver);
    }

    /// Visits, until the pass ends or a visit takes time.
    pub(super) fn visit_next<D: Driver>(&mut self, driver: &mut D) {
        let between = &self.plan.setting().choreographer.visit;
        loop {
            let r = OracleId(self.pass.next as u16);
            self.pass.next += 1;
            if self.visit(r, driver) == ControlFlow::Break(()) || self.pass.next == self.memories.len() {
                return self.end_pass(driver);
            }
            if *between != Length::ZERO {
                let about = Draw {
                    purpose: Purpose::Visit,
                    subject: self.plan.oracle_name(r).0,
                    which: 0,
                    repeat: self.pass.passes,
                };
                return driver.schedule(Event::Visit, between, about);
            }
        }
    }

    fn end_pass<D: Driver>(&mut self, driver: &mut D) {
        self.pass.active = false;
        let taken_up = self.plan.intake() == Intake::AtRest && self.take_up();
        if std::mem::take(&mut self.pass.again) || taken_up {
            driver.soon(Event::Wake);
        }
    }

    /// **Intake.** The newest workload is taken up if the whole chain is at rest; tells whether there was a newer one.
    fn take_up(&mut self) -> bool {
        let content = |value: &Option<ValueId>| value.map(|value| self.values.content(value));
        let taken_up = self.pass.snapshot.iter().map(content);
        let newer = taken_up.ne(self.fields.iter().map(content)) && self.plan.oracles().all(|r| self.rests(r));
        if newer {
            self.pass.snapshot.copy_from_slice(&self.fields);
        }
        newer
    }

    /// A restart ends a pass under way (§10.6).
    pub(super) fn end_pass_at_once<D: Driver>(&mut self, driver: &mut D) {
        if self.pass.active {
            self.pass.active = false;
            self.pass.again = false;
            driver.cancel(Event::Visit);
        }
    }
}
