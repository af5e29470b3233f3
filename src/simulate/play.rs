//! A run whose order somebody else has laid down, step by step: no clock decides what is next, and no dice.

use super::chance::Dice;
use super::simulator::Overrun;
use crate::measure::Observer;
use crate::model::{Draw, Driver, Event, Fact, Length, Probability, Span, Stretch, Time, World};

/// One step of such a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// What happens, to whatever object lives in the slot that it names.
    pub event: Event,
    /// How the draws in it fall, in the order in which they are made; further ones fall to `false`.
    pub draws: Vec<bool>,
}

/// Why a run cannot go as it is given. Steps count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unplayable {
    /// Nothing has made the step due.
    #[error("step {0} cannot come there: nothing has made it due")]
    NotDue(usize),
    /// An outage holds it up.
    #[error("step {0} cannot come there: an outage holds it up")]
    HeldUp(usize),
    /// What follows the steps would not end.
    #[error(transparent)]
    Overrun(#[from] Overrun),
}

/// What is under way, each with the time at which it would have been due.
#[derive(Debug)]
pub(super) struct Play {
    dice: Dice,
    now: Time,
    pending: Vec<(Time, Event)>,
}

impl Play {
    pub fn new(dice: Dice) -> Play {
        Play { dice, now: Time::ZERO, pending: Vec::new() }
    }

    /// What is still under way, in the order in which it is due, nothing before `now`.
    pub fn rest(mut self, now: Time) -> Vec<(Time, Event)> {
        self.pending.sort_by_key(|&(due, _)| due);
        self.pending.into_iter().map(|(due, event)| (due.max(now), event)).collect()
    }

    /// Lets something happen before the first step.
    pub fn set_off<O: Observer>(&mut self, world: &mut World<'_>, observer: &mut O) {
        world.set_off(&mut Playing { play: self, draws: &[], observer });
    }

    /// Takes the step with this number, at `at`.
    pub fn step<O: Observer>(
        &mut self,
        world: &mut World<'_>,
        (number, step): (usize, &Given),
        at: Time,
        observer: &mut O,
    ) -> Result<(), Unplayable> {
        self.now = at;
        let event = world.living(step.event);
        if world.held_up(event) {
            return Err(Unplayable::HeldUp(number));
        }
        let befalls = matches!(
            event,
            Event::OutageBegins(_)
                | Event::OutageEnds(_)
                | Event::Update(_)
                | Event::WorldChange(_)
                | Event::Tamper(_)
                | Event::PutBack(_)
                | Event::Forge(_)
                | Event::Restart(_)
        );
        if !befalls {
            let place = self.pending.iter().position(|&(_, other)| other == event).ok_or(Unplayable::NotDue(number))?;
            self.pending.remove(place);
        }
        observer.happens(event);
        world.apply(event, &mut Playing { play: self, draws: &step.draws, observer });
        Ok(())
    }
}

struct Playing<'a, O> {
    play: &'a mut Play,
    draws: &'a [bool],
    observer: &'a mut O,
}

impl<O: Observer> Driver for Playing<'_, O> {
    fn schedule_stretched(&mut self, event: Event, length: &Length, stretch: Stretch, about: Draw) {
        let span: Span = self.play.dice.length(length, stretch, about);
        self.play.pending.push((self.play.now + span, event));
    }

    fn soon(&mut self, event: Event) {
        self.play.pending.push((self.play.now, event));
    }

    fn cancel(&mut self, event: Event) {
        self.play.pending.retain(|&(_, other)| other != event);
    }

    fn decide(&mut self, chance: Probability, _: Draw) -> bool {
        if chance == Probability::ALWAYS {
            return true;
        }
        let so = match self.draws.split_first() {
            Some((&so, further)) => {
                self.draws = further;
                so
            }
            None => false,
        };
        self.observer.falls(so);
        so
    }

    fn observe(&mut self, fact: &Fact<'_>) {
        self.observer.hear(self.play.now, fact);
    }
}
