//! The clock and what is due: schedules the model's events in their total order, and forgets those that are cancelled.

use std::collections::HashSet;

use super::chance::Dice;
use super::queue::{Queue, Ticket};
use crate::measure::Observer;
use crate::model::{Content, Draw, Driver, Event, Fact, Length, Probability, Span, Stretch, Time, World};

/// How events of one instant are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// By class and order of scheduling, as the contract says (§8).
    #[default]
    InOrder,
    /// Shuffled by the seed, to show what depends on them.
    Shuffled,
}

/// The classes of one instant. The contract's class 0 is `BEFALLS`, 1 is `ORACLES` and 2 `CHOREOGRAPHER`; the others say
/// where between them an outage's ends, what it held up, and the choreographer's timers stand.
mod class {
    pub const OUTAGES: u8 = 0;
    pub const BEFALLS: u8 = 1;
    pub const HELD_UP: u8 = 2;
    pub const ORACLES: u8 = 3;
    pub const TIMERS: u8 = 4;
    pub const CHOREOGRAPHER: u8 = 5;
}

/// The place of an event's kind among what befalls the run; its item breaks the tie.
fn befall_rank(event: Event, ticket: u64) -> u64 {
    let (kind, within) = match event {
        Event::Update(item) => (0, item.into()),
        Event::WorldChange(item) => (1, item.into()),
        Event::Tamper(item) | Event::PutBack(item) => (2, item.into()),
        Event::Forge(item) => (3, item.into()),
        Event::Restart(item) => (4, item.into()),
        _ => (5, ticket),
    };
    kind << 48 | within
}

fn class_of(event: Event) -> u8 {
    match event {
        Event::OutageBegins(_) | Event::OutageEnds(_) => class::OUTAGES,
        Event::Update(_)
        | Event::WorldChange(_)
        | Event::Tamper(_)
        | Event::PutBack(_)
        | Event::Forge(_)
        | Event::Restart(_)
        | Event::Flap(_) => class::BEFALLS,
        Event::Notice(_) | Event::React(_) | Event::Finish(_) | Event::Next(_) | Event::Retry(_) | Event::Appear(_) => {
            class::ORACLES
        }
        Event::HoldOver(_) | Event::GraceOver(_) | Event::Resync => class::TIMERS,
        Event::Follow(_) | Event::Wake | Event::Visit => class::CHOREOGRAPHER,
    }
}

/// A kind of event of which one at most is pending per object or oracle, and which may be cancelled.
fn slot_of(event: Event) -> Option<usize> {
    const PER_OBJECT: usize = 2;
    const FIRST_OBJECT: usize = 1 + 2 * crate::model::setting::MAX_ORACLES;
    match event {
        Event::Visit => Some(0),
        Event::HoldOver(r) => Some(1 + 2 * r.index()),
        Event::GraceOver(r) => Some(2 + 2 * r.index()),
        // A controller is at one of these at a time.
        Event::Finish(object) | Event::Next(object) | Event::Retry(object) => {
            Some(FIRST_OBJECT + PER_OBJECT * object.slot as usize)
        }
        Event::Flap(object) => Some(FIRST_OBJECT + PER_OBJECT * object.slot as usize + 1),
        _ => None,
    }
}

/// No ticket: nothing is pending.
const NONE: Ticket = 0;

/// Pending events and the dice.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    queue: Queue<Event>,
    dice: Dice,
    ties: Ties,
    shuffle: Content,
    /// The valid ticket of each cancellable event.
    live: Vec<Ticket>,
    /// A wake-up is pending for this instant.
    wake_now: bool,
    /// Later instants for which a wake-up is pending.
    wakes: HashSet<Time>,
    /// What outages hold up, each with its place in the order in which it was due.
    held_up: Vec<(u64, Ticket, Event)>,
    times_held_up: u64,
}

impl Engine {
    pub fn new(ties: Ties) -> Engine {
        Engine {
            queue: Queue::default(),
            dice: Dice::new(0),
            ties,
            shuffle: Content::default(),
            live: Vec::new(),
            wake_now: false,
            wakes: HashSet::new(),
            held_up: Vec::new(),
            times_held_up: 0,
        }
    }

    pub fn reset(&mut self, seed: u64) {
        self.queue.clear();
        self.dice = Dice::new(seed);
        self.shuffle = Content::of_name("ties").with(seed);
        self.live.clear();
        self.wake_now = false;
        self.wakes.clear();
        self.held_up.clear();
        self.times_held_up = 0;
    }

    #[inline]
    pub fn now(&self) -> Time {
        self.queue.now()
    }

    /// Moves the clock on to `now`, before which nothing is pending.
    pub fn move_to(&mut self, now: Time) {
        self.queue.move_to(now);
    }

    pub fn dice(&self) -> &Dice {
        &self.dice
    }

    /// The next event due by `until` that was not cancelled.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<(Ticket, Event)> {
        loop {
            let (ticket, event) = self.queue.pop(until)?;
            if let Some(slot) = slot_of(event) {
                if self.live[slot] != ticket {
                    continue;
                }
                self.live[slot] = NONE;
            } else if event == Event::Wake {
                self.wake_now = false;
                if !self.wakes.is_empty() {
                    self.wakes.remove(&self.now());
                }
            }
            return Some((ticket, event));
        }
    }

    /// Schedules `event` at `at`.
    // Always inlined: where an event is scheduled its kind is known, and most of what follows falls away.
    #[inline(always)]
    pub fn push(&mut self, at: Time, event: Event) {
        self.push_in_class(at, class_of(event), event);
    }

    #[inline(always)]
    fn push_in_class(&mut self, at: Time, class: u8, event: Event) {
        if event == Event::Wake && !self.claim_wake(at) {
            return;
        }
        let ticket = match self.ties {
            Ties::Shuffled if class != class::OUTAGES => self.push_shuffled(at, event),
            Ties::InOrder if class == class::BEFALLS => {
                let rank = befall_rank(event, self.queue.tickets());
                self.queue.push_ranked(at, class, rank, event)
            }
            _ => self.queue.push(at, class, event),
        };
        if let Some(slot) = slot_of(event) {
            self.expect(slot, ticket);
        }
    }

    /// Whether more outages end or begin in this instant.
    pub fn more_outages_now(&self) -> bool {
        self.queue.has_now(class::OUTAGES)
    }

    fn push_held_up(&mut self, place: u64, event: Event) {
        // A rank is a ticket too: these must be no other's.
        const FIRST: u64 = 1 << 52;
        let ticket = self.queue.push_ranked(self.now(), class::HELD_UP, FIRST | place, event);
        if let Some(slot) = slot_of(event) {
            self.live[slot] = ticket;
        }
    }

    #[cold]
    fn push_shuffled(&mut self, at: Time, event: Event) -> Ticket {
        self.shuffle = self.shuffle.with(1);
        self.queue.push_ranked(at, class::BEFALLS, self.shuffle.0 >> 8, event)
    }

    fn expect(&mut self, slot: usize, ticket: Ticket) {
        if slot >= self.live.len() {
            self.live.resize(slot + 1, NONE);
        }
        debug_assert_eq!(self.live[slot], NONE, "one at a time is pending");
        self.live[slot] = ticket;
    }

    /// Wake-ups due at the same instant are one (§4).
    #[inline]
    fn claim_wake(&mut self, at: Time) -> bool {
        let now = at == self.now();
        if now && self.wake_now || !self.wakes.is_empty() && self.wakes.contains(&at) {
            return false;
        }
        if now {
            self.wake_now = true;
        } else {
            self.wakes.insert(at);
        }
        true
    }

    #[inline]
    fn cancel(&mut self, event: Event) {
        let slot = slot_of(event).expect("only what may be cancelled is cancelled");
        if let Some(live) = self.live.get_mut(slot) {
            *live = NONE;
        }
    }

    /// An outage holds `event` up.
    pub fn hold_up(&mut self, ticket: Ticket, event: Event) {
        if let Some(slot) = slot_of(event) {
            self.live[slot] = ticket;
        }
        self.times_held_up += 1;
        self.held_up.push((self.times_held_up, ticket, event));
    }

    /// What no outage holds up any more happens now, in its order, whichever outage it was.
    pub fn release(&mut self, world: &World<'_>) {
        let mut held_up = std::mem::take(&mut self.held_up);
        held_up.retain(|&(place, ticket, event)| {
            if world.held_up(event) {
                return true;
            }
            match slot_of(event) {
                Some(slot) if self.live[slot] != ticket => {}
                slot => {
                    if let Some(slot) = slot {
                        self.live[slot] = NONE;
                    }
                    self.push_held_up(place, event);
                }
            }
            false
        });
        self.held_up = held_up;
    }

    /// Drops what would still befall the run: a probe leaves the world alone.
    pub fn leave_alone(&mut self) {
        let live = &mut self.live;
        self.queue.retain(|event| {
            let befalls = class_of(event) <= class::BEFALLS;
            if let (true, Some(slot)) = (befalls, slot_of(event)) {
                live[slot] = NONE;
            }
            !befalls
        });
    }

    /// Whether nothing but `resync` is pending.
    pub fn only_resync_is_left(&self, world: &World<'_>) -> bool {
        self.queue.iter().all(|(ticket, event)| {
            let cancelled = slot_of(event).is_some_and(|slot| self.live[slot] != ticket);
            event == Event::Resync || cancelled || world.is_over(event)
        })
    }

    /// This engine as the model's driver, telling `observer`.
    pub fn driver<'a, O: Observer>(&'a mut self, observer: &'a mut O) -> Moving<'a, O> {
        Moving { engine: self, observer }
    }
}

/// The simulator's side of the model: a clock, dice, and an observer.
pub(super) struct Moving<'a, O> {
    engine: &'a mut Engine,
    observer: &'a mut O,
}

impl<O: Observer> Driver for Moving<'_, O> {
    #[inline(always)]
    fn schedule_stretched(&mut self, event: Event, length: &Length, stretch: Stretch, about: Draw) {
        let span = match length {
            Length::Fixed(span) if stretch == Stretch::NONE => *span,
            drawn => self.engine.dice.length(drawn, stretch, about),
        };
        let at = self.engine.now() + span;
        self.engine.push(at, event);
    }

    #[inline(always)]
    fn soon(&mut self, event: Event) {
        self.engine.push(self.engine.now(), event);
    }

    fn cancel(&mut self, event: Event) {
        self.engine.cancel(event);
    }

    fn decide(&mut self, chance: Probability, about: Draw) -> bool {
        let so = self.engine.dice.decide(chance, about);
        if chance != Probability::ALWAYS {
            self.observer.falls(so);
        }
        so
    }

    #[inline(always)]
    fn observe(&mut self, fact: &Fact<'_>) {
        self.observer.hear(self.engine.now(), fact);
    }
}

/// A time past which nothing is looked at.
pub(super) fn probe_limit(horizon: Time) -> Time {
    horizon + Span(horizon.0.max(Span::DAY.0))
}
