//! What can happen next, and what the model needs of whoever moves it.

use super::fact::Fact;
use super::object::ObjectId;
use super::setting::{OracleId, Probability};
use super::time::Length;

/// Something that happens at an instant. The numbers are places in the lists of [`super::Setting`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// An outage begins.
    OutageBegins(u16),
    /// An outage is over.
    OutageEnds(u16),
    /// The developer updates the workload.
    Update(u16),
    /// An oracle's world changes.
    WorldChange(u16),
    /// An enemy writes a spec.
    Tamper(u16),
    /// The enemy puts back what it found.
    PutBack(u16),
    /// An enemy writes a status.
    Forge(u16),
    /// The choreographer restarts.
    Restart(u16),
    /// An idle object loses or regains its readiness.
    Flap(ObjectId),
    /// A controller notices a write.
    Notice(ObjectId),
    /// A controller reacts to a change of its world.
    React(ObjectId),
    /// An attempt ends.
    Finish(ObjectId),
    /// The next question begins.
    Next(ObjectId),
    /// A failed question is begun again.
    Retry(ObjectId),
    /// The answer of a success that was ready before it shows.
    Appear(ObjectId),
    /// The choreographer's copy of an object follows.
    Follow(ObjectId),
    /// A write has been held for the policy's `timeout`.
    HoldOver(OracleId),
    /// The policy's `grace` after asking is over.
    GraceOver(OracleId),
    /// The choreographer wakes for no reason.
    Resync,
    /// The choreographer wakes.
    Wake,
    /// The next visit of a pass that takes time.
    Visit,
}

impl Event {
    /// The object whose controller does this; an outage holds it up (contract §3).
    #[inline]
    pub fn controller(self) -> Option<ObjectId> {
        match self {
            Event::Flap(object)
            | Event::Notice(object)
            | Event::React(object)
            | Event::Finish(object)
            | Event::Next(object)
            | Event::Retry(object)
            | Event::Appear(object) => Some(object),
            _ => None,
        }
    }
}

impl Event {
    /// The object whose event it is, if it is an object's.
    pub fn object(self) -> Option<ObjectId> {
        match self {
            Event::Follow(object) => Some(object),
            event => event.controller(),
        }
    }

    /// The same event of another object, if it is an object's.
    pub(super) fn of_object(self, other: impl FnOnce(ObjectId) -> ObjectId) -> Event {
        match self {
            Event::Flap(object) => Event::Flap(other(object)),
            Event::Notice(object) => Event::Notice(other(object)),
            Event::React(object) => Event::React(other(object)),
            Event::Finish(object) => Event::Finish(other(object)),
            Event::Next(object) => Event::Next(other(object)),
            Event::Retry(object) => Event::Retry(other(object)),
            Event::Appear(object) => Event::Appear(other(object)),
            Event::Follow(object) => Event::Follow(other(object)),
            event => event,
        }
    }
}

/// What a draw is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Purpose {
    /// The time between two of a stream.
    Arrival,
    /// Whether an update is bad for an oracle.
    Bad,
    /// How long until a write is noticed.
    Notice,
    /// How long an attempt lasts.
    Work,
    /// Whether an attempt fails.
    Fails,
    /// Whether an attempt hangs.
    Hangs,
    /// How long between two questions.
    Gap,
    /// How long until an answer shows.
    AnswerLag,
    /// How long until a retry.
    Backoff,
    /// How long an object stays up.
    FlapUp,
    /// How long an object stays down.
    FlapDown,
    /// How long until a wake-up.
    Watch,
    /// How long between two visits.
    Visit,
    /// How long the cache lags.
    CacheLag,
    /// How long until the next resync.
    Resync,
}

/// What a draw is about, which is all that it depends on beside the seed (contract §8): never when it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Draw {
    /// What it is for.
    pub purpose: Purpose,
    /// Whose it is: a name's content, so that adding an oracle changes no other's draws.
    pub subject: u64,
    /// Which one: a question's content and world, or a number.
    pub which: u64,
    /// Which repetition of it.
    pub repeat: u64,
}

/// Whoever moves the model: the simulator has a clock and dice, the checker has neither.
pub trait Driver {
    /// `event` happens after `length`, stretched by `factor`; `about` keys the draw.
    fn schedule_stretched(&mut self, event: Event, length: &Length, stretch: Stretch, about: Draw);

    /// `event` happens after `length`.
    #[inline]
    fn schedule(&mut self, event: Event, length: &Length, about: Draw) {
        self.schedule_stretched(event, length, Stretch::NONE, about);
    }

    /// `event` happens in this instant, after what is already due.
    fn soon(&mut self, event: Event);

    /// The pending `event` happens no more.
    fn cancel(&mut self, event: Event);

    /// Whether something of this probability is so.
    fn decide(&mut self, chance: Probability, about: Draw) -> bool;

    /// Tells what has come to pass.
    fn observe(&mut self, fact: &Fact<'_>);
}

/// How a backoff grows: a factor on the drawn length, and its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// The factor.
    pub factor: f64,
    /// The limit in nanoseconds.
    pub limit: u64,
}

impl Stretch {
    /// Leaves a length as it is.
    pub const NONE: Stretch = Stretch { factor: 1.0, limit: u64::MAX };
}

impl Draw {
    /// About nothing: for lengths that are never drawn.
    pub const NONE: Draw = Draw { purpose: Purpose::Watch, subject: 0, which: 0, repeat: 0 };

    /// What the draw of `length` is about, worked out only if it is drawn.
    #[inline]
    pub(super) fn of(length: &Length, about: impl FnOnce() -> Draw) -> Draw {
        if length.is_random() { about() } else { Draw::NONE }
    }
}
