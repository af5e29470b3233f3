//! The outcome of a run, by copies of the world that go on past the horizon (§7).

use std::collections::BTreeSet;

use rehearsal::measure::Outcome;
use rehearsal::model::{FieldId, Span, Time};

use super::controller::after_work;
use super::measures::{delivered, wanted};
use super::simulator::{HELD_UP, What, World};

/// The outcome; none if there are too many events.
pub fn outcome(world: &World<'_>) -> Option<Outcome> {
    let mut fresh = put_right(world);
    let fields: Vec<FieldId> = (0..world.setting.fields.len() as u16).map(FieldId).collect();
    let number = fresh.update(0, &fields, BTreeSet::new(), BTreeSet::new());
    let fresh_is_delivered = |world: &World<'_>| {
        let update = world.updates.iter().find(|update| update.number == number).expect("it was made");
        delivered(world, update)
    };
    if !goes_on_until(&mut fresh, fresh_is_delivered)? {
        return Some(Outcome::Deadlocked);
    }
    if !wanted(world) {
        return Some(Outcome::Settled);
    }
    let waits = goes_on_until(&mut put_right(world), |world| !wanted(world))?;
    Some(if waits { Outcome::Waiting } else { Outcome::Stuck })
}

/// A copy of the world, put right.
fn put_right<'a>(world: &World<'a>) -> World<'a> {
    let mut copy = world.clone();
    copy.probing = true;
    copy.cancel(What::befalls);
    // Outages are over: what they held up happens now, in order.
    let held_up: Vec<_> = copy.events.keys().filter(|(_, stage, ..)| *stage == HELD_UP).copied().collect();
    for moment in held_up {
        let what = copy.events.remove(&moment).expect("it is pending");
        if !what.befalls() {
            copy.events.insert((copy.now, HELD_UP, moment.2), what);
        }
    }
    for r in 0..copy.oracles.len() {
        if !copy.oracles[r].world_is_good {
            copy.change_world(r, true);
        }
    }
    for o in 0..copy.objects.len() {
        if copy.objects[o].flapped_down && !copy.objects[o].removed {
            copy.objects[o].flapped_down = false;
            let oracle = &copy.setting.oracles[copy.objects[o].who.oracle];
            copy.objects[o].ready = after_work(oracle, true);
            copy.show(o);
        }
    }
    copy
}

/// Whether it comes to that before nothing but resync is pending, or too much time has passed.
fn goes_on_until(world: &mut World<'_>, so: impl Fn(&World<'_>) -> bool) -> Option<bool> {
    let horizon = world.setting.horizon;
    let end = Time(horizon.0 + horizon.0.max(Span::DAY.0));
    let already = world.happened;
    let mut answered = usize::MAX;
    loop {
        // Only an answer can make a difference.
        let answers = world.answered.len();
        if answers != answered && so(world) {
            return Some(true);
        }
        answered = answers;
        if world.events.values().all(|what| matches!(what, What::Resync)) || !world.step(end) {
            return Some(false);
        }
        if world.happened - already > super::MAX_EVENTS {
            return None;
        }
    }
}
