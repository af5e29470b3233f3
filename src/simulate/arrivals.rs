//! When what befalls a run comes: instants and streams.

use super::chance::Dice;
use super::engine::Engine;
use crate::model::setting::When;
use crate::model::{Content, Draw, Event, Plan, Purpose, Stretch, Time};

/// Which occurrence of each stream comes next, from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    updates: Vec<u64>,
    worlds: Vec<u64>,
}

impl Arrivals {
    /// Schedules the first of everything.
    pub fn begin(&mut self, plan: &Plan, engine: &mut Engine) {
        let setting = plan.setting();
        self.updates.clear();
        self.updates.resize(setting.updates.len(), 0);
        self.worlds.clear();
        self.worlds.resize(setting.worlds.len(), 0);
        for (item, outage) in items(&setting.outages) {
            engine.push(outage.from, Event::OutageBegins(item));
            engine.push(outage.until, Event::OutageEnds(item));
        }
        for item in 0..setting.updates.len() as u16 {
            self.follow(Event::Update(item), plan, engine);
        }
        for item in 0..setting.worlds.len() as u16 {
            self.follow(Event::WorldChange(item), plan, engine);
        }
        for (item, tamper) in items(&setting.tampers) {
            engine.push(tamper.at, Event::Tamper(item));
            if let Some(until) = tamper.until {
                engine.push(until, Event::PutBack(item));
            }
        }
        for (item, forge) in items(&setting.forges) {
            engine.push(forge.at, Event::Forge(item));
        }
        for (item, restart) in items(&setting.restarts) {
            engine.push(restart.at, Event::Restart(item));
        }
    }

    /// After `event` has come, schedules the next of its stream, if there is one.
    #[inline]
    pub fn follow(&mut self, event: Event, plan: &Plan, engine: &mut Engine) {
        let (when, occurrence, subject, item) = match event {
            Event::Update(item) => {
                let subject = const { Content::of_name("update") };
                (&plan.setting().updates[item as usize].when, &mut self.updates[item as usize], subject, item)
            }
            Event::WorldChange(item) => {
                let change = &plan.setting().worlds[item as usize];
                (&change.when, &mut self.worlds[item as usize], plan.oracle_name(change.oracle), item)
            }
            _ => return,
        };
        let about = Draw { purpose: Purpose::Arrival, subject: subject.0, which: item.into(), repeat: *occurrence };
        if let Some(at) = arrival(when, *occurrence, engine.now(), engine.dice(), about) {
            *occurrence += 1;
            engine.push(at, event);
        }
    }
}

/// When the occurrence after `come` others comes, the last of them now.
fn arrival(when: &When, come: u64, now: Time, dice: &Dice, about: Draw) -> Option<Time> {
    match when {
        When::At(at) => (come == 0).then_some(*at),
        When::Stream { from, until, every, count } => {
            if count.is_some_and(|count| come >= count) {
                return None;
            }
            let last = if come == 0 { *from } else { now };
            let at = last + dice.length(every, Stretch::NONE, about);
            (at < *until).then_some(at)
        }
    }
}

fn items<T>(list: &[T]) -> impl Iterator<Item = (u16, &T)> {
    list.iter().enumerate().map(|(at, item)| (at as u16, item))
}
