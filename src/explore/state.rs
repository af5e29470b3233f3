//! A state of the graph: a world, what may happen next, and what may still befall it.

use super::befall::{Befallen, Bounds, Updates};
use super::property::Property;
use super::step::{Label, Step};
use super::tally::{Aims, Tally};
use crate::measure::Observer;
use crate::model::policy::Pending;
use crate::model::setting::ReadsFrom;
use crate::model::{
    Draw, Driver, Event, Fact, Length, Merging, OracleId, Plan, Probability, Scratch, Stretch, Time, World,
};

/// What is searched: a plan, what may befall it, and what is followed of its runs.
#[derive(Clone, Debug)]
pub(super) struct Ground<'p> {
    pub plan: &'p Plan,
    pub bounds: Bounds,
    pub aims: Aims,
    pub merging: Merging,
    /// Whether of several wake-ups under way one is as good as all.
    one_wakes_as_many: bool,
}

impl<'p> Ground<'p> {
    pub fn new(plan: &'p Plan, bounds: Bounds, properties: &[Property], merging: Merging) -> Ground<'p> {
        let setting = plan.setting();
        let follows =
            |properties_that: &[Property]| properties.iter().any(|property| properties_that.contains(property));
        let follows_delivery = follows(&[Property::Live, Property::Eventual, Property::Progress]);
        let counts = setting.oracles.iter().any(|oracle| oracle.fails_first > 0);
        Ground {
            plan,
            bounds,
            aims: Aims::new(plan, follows_delivery, follows(&[Property::NoHiddenSuccess])),
            merging: if counts { Merging::Off } else { merging },
            one_wakes_as_many: one_wakes_as_many(plan),
        }
    }

    /// Whether an oracle flaps.
    pub fn flaps(&self) -> bool {
        self.plan.setting().oracles.iter().any(|oracle| oracle.flaps.is_some())
    }
}

/// Where updates come without end and each wake-up may matter, nothing befalls a run while so many are under way: else there
/// were no end of states.
const MANY_WAKES: u8 = 2;

/// Where each wake-up may matter, no oracle flaps while so many are under way: else there were no end of states.
pub(super) const MOST_WAKES: u8 = 8;

/// Whether of several wake-ups under way one is as good as all, because a pass right after another finds nothing. Not so
/// where copies lag: what was written shows later, so that a second pass may write again (docs/model.md, ruling 39). Not
/// where several questions are held: one that is already the spec is written without a change, and the next pass writes
/// another. And not where a pass takes time: a wake-up that comes meanwhile starts another.
fn one_wakes_as_many(plan: &Plan) -> bool {
    let choreographer = &plan.setting().choreographer;
    choreographer.reads_from == ReadsFrom::Write
        && choreographer.visit == Length::ZERO
        && plan.oracles().all(|r| plan.policy(r).pending == Pending::Latest)
}

/// A world on its way, with neither clock nor dice.
#[derive(Clone, Debug)]
pub(super) struct State<'p> {
    world: World<'p>,
    /// Wake-ups under way.
    wakes: u8,
    pending: Vec<Event>,
    befallen: Befallen,
    tally: Tally,
}

/// What came of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Applied {
    /// How each draw fell.
    pub draws: Vec<bool>,
    /// Something was delivered.
    pub delivers: bool,
    /// A draw fell to a fault, or an update came that is bad for certain.
    pub faulty: bool,
    /// It happened more often than the bounds allow.
    pub beyond_bounds: bool,
}

impl<'p> State<'p> {
    /// The state before anything has happened.
    pub(super) fn first(ground: &Ground<'p>) -> State<'p> {
        let mut state = State::blank(ground);
        let mut nobody = ();
        state.step_world(ground, &[], &mut nobody, |world, driver| world.set_off(driver));
        state
    }

    /// A state to be made another by [`State::read_bytes`].
    pub(super) fn blank(ground: &Ground<'p>) -> State<'p> {
        State {
            world: World::new(ground.plan),
            wakes: 0,
            pending: Vec::new(),
            befallen: ground.bounds.nothing_yet(),
            tally: ground.aims.nothing_yet(),
        }
    }

    pub(super) fn is_over(&self, event: Event) -> bool {
        self.world.is_over(event)
    }

    /// No wake-up is under way any more.
    pub(super) fn let_wakes_go(&mut self) {
        self.wakes = 0;
    }

    /// A wake-up comes under way that nothing caused.
    pub(super) fn wake_for_no_reason(&mut self) {
        self.wakes = self.wakes.saturating_add(1);
    }

    /// Whether the world was put right, so that nothing befalls it any more.
    pub(super) fn is_put_right(&self) -> bool {
        self.world.is_put_right()
    }

    /// Whether the workload's present values are all valid and not all delivered.
    pub(super) fn wanted(&self, ground: &Ground<'_>) -> bool {
        ground.aims.wanted(&self.tally, &self.world)
    }

    /// Of which oracle a success was never taken, and nothing newer either, nothing being under way.
    pub(super) fn rests_with_hidden_success(&self, ground: &Ground<'_>) -> Option<OracleId> {
        let rests = self.wakes == 0 && self.pending.iter().all(|&event| event == Event::Resync);
        ground.aims.hides(&self.tally).filter(|_| rests)
    }

    /// Whether so many wake-ups are under way that nothing flaps.
    pub(super) fn is_crowded(&self, ground: &Ground<'_>) -> bool {
        !ground.one_wakes_as_many && self.wakes >= MOST_WAKES
    }

    /// Appends every event that may be the next, each once. Tells whether an update is left out because too many versions
    /// are in use, or too many wake-ups under way.
    pub(super) fn events(&self, ground: &Ground<'_>, events: &mut Vec<Event>) -> bool {
        let endless = matches!(ground.bounds.updates, Updates::Endless { .. });
        let too_many_wakes = endless && !ground.one_wakes_as_many && self.wakes >= MANY_WAKES;
        let versions = self.world.updates().0;
        let left_out = !self.is_put_right()
            && (too_many_wakes || ground.bounds.events(ground.plan, &self.befallen, versions, events));
        if self.wakes > 0 {
            events.push(Event::Wake);
        }
        for (at, &event) in self.pending.iter().enumerate() {
            let waits = matches!(event, Event::Flap(_)) && self.is_crowded(ground) || self.world.held_up(event);
            if !waits && !self.world.is_over(event) && !self.pending[..at].contains(&event) {
                events.push(event);
            }
        }
        left_out
    }

    /// Lets `event` happen, of whatever object lives in the slot it names, its draws falling as `script` says and further
    /// ones to `false`.
    pub(super) fn apply<O: Observer>(
        &mut self,
        ground: &Ground<'_>,
        event: Event,
        script: &[bool],
        observer: &mut O,
    ) -> Applied {
        let event = self.world.living(event);
        if event == Event::Wake {
            self.wakes -= 1;
        } else if ground.bounds.place(event).is_none() {
            let at = self.pending.iter().position(|&other| other == event).expect("it may be the next");
            self.pending.remove(at);
        }
        let mut applied = self.step_world(ground, script, observer, |world, driver| world.apply(event, driver));
        applied.faulty = applied.draws.contains(&true)
            || matches!(event, Event::Update(item) if ground.plan.setting().updates[item as usize].is_faulty());
        applied.beyond_bounds = !ground.bounds.count(event, applied.faulty, &mut self.befallen);
        applied
    }

    /// Puts the world right, for a probe (contract §7); with a fresh update of all fields, if `fresh`.
    pub(super) fn put_right<O: Observer>(&mut self, ground: &Ground<'_>, fresh: bool, observer: &mut O) {
        self.world.end_outages();
        self.befallen.fill(0);
        self.step_world(ground, &[], observer, |world, driver| {
            world.put_right(driver);
            if fresh {
                world.fresh_update(driver);
            }
        });
    }

    /// Takes a step.
    pub(super) fn take<O: Observer>(&mut self, ground: &Ground<'_>, step: &Step, observer: &mut O) {
        match step {
            Step::Event(event, draws) => {
                self.apply(ground, *event, draws, observer);
            }
            Step::PutRight => self.put_right(ground, false, observer),
            Step::PutRightAndUpdate => self.put_right(ground, true, observer),
        }
    }

    fn step_world<O: Observer>(
        &mut self,
        ground: &Ground<'_>,
        script: &[bool],
        observer: &mut O,
        step: impl FnOnce(&mut World<'p>, &mut Trying<'_, O>),
    ) -> Applied {
        let State { world, wakes, pending, tally, .. } = self;
        let aims = &ground.aims;
        let one_wakes_as_many = ground.one_wakes_as_many;
        let mut trying =
            Trying { wakes, one_wakes_as_many, pending, script, applied: Applied::default(), aims, tally, observer };
        step(world, &mut trying);
        trying.applied
    }

    /// Appends the state as bytes: the same if nothing can tell two states apart. The first byte counts the wake-ups under
    /// way, and nothing else does.
    pub(super) fn write_bytes(&mut self, ground: &Ground<'_>, scratch: &mut Scratch, out: &mut Vec<u8>) {
        out.push(self.wakes);
        let State { world, pending, .. } = self;
        pending.retain(|&event| !world.is_over(event));
        pending.sort_unstable_by_key(|&event| Label::of(event));
        put_number(pending.len() as u32, out);
        for &event in &*pending {
            put_number(Label::of(event).0, out);
        }
        out.extend(&self.befallen);
        out.extend(&self.tally.groups);
        self.world.write_bytes(&mut self.tally.notes, ground.merging, scratch, out);
    }

    /// Becomes the state that `bytes` tell.
    pub(super) fn read_bytes(&mut self, ground: &Ground<'_>, bytes: &[u8]) {
        self.wakes = bytes[0];
        self.pending.clear();
        let mut at = 1;
        for _ in 0..take_number(bytes, &mut at) {
            let label = Label(take_number(bytes, &mut at));
            self.pending.push(label.event().expect("only events are pending"));
        }
        for list in [&mut self.befallen, &mut self.tally.groups] {
            let end = at + list.len();
            list.copy_from_slice(&bytes[at..end]);
            at = end;
        }
        self.world.read_bytes(&mut self.tally.notes, ground.merging, &bytes[at..]);
    }
}

/// Seven bits a byte, small numbers in one.
fn put_number(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(bytes: &[u8], at: &mut usize) -> u32 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

/// The checker's side of the model: no clock, so that what is scheduled may come at any time; no dice, so that every draw
/// falls both ways.
struct Trying<'a, O> {
    wakes: &'a mut u8,
    one_wakes_as_many: bool,
    pending: &'a mut Vec<Event>,
    script: &'a [bool],
    applied: Applied,
    aims: &'a Aims,
    tally: &'a mut Tally,
    observer: &'a mut O,
}

impl<O: Observer> Driver for Trying<'_, O> {
    fn schedule_stretched(&mut self, event: Event, _: &Length, _: Stretch, _: Draw) {
        self.soon(event);
    }

    fn soon(&mut self, event: Event) {
        if event == Event::Wake {
            *self.wakes = if self.one_wakes_as_many { 1 } else { self.wakes.saturating_add(1) };
        } else {
            self.pending.push(event);
        }
    }

    fn cancel(&mut self, event: Event) {
        self.pending.retain(|&other| other != event);
    }

    fn decide(&mut self, chance: Probability, _: Draw) -> bool {
        if chance == Probability::ALWAYS {
            return true;
        }
        let falls = self.script.get(self.applied.draws.len()).copied().unwrap_or(false);
        self.applied.draws.push(falls);
        falls
    }

    fn observe(&mut self, fact: &Fact<'_>) {
        self.applied.delivers |= self.aims.hear(self.tally, fact);
        self.observer.hear(Time::ZERO, fact);
    }
}
