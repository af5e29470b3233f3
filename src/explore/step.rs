//! One way on from a state.

use crate::model::{Event, ObjectId, OracleId};

/// One step of a run that has no clock.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Something happens, and each draw in it falls so, in the order in which they are made; further ones fall to `false`.
    /// An object is named by its slot alone.
    Event(Event, Vec<bool>),
    /// The world is put right (contract §7): nothing befalls it any more.
    PutRight,
    /// The world is put right, and one valid update of all fields made.
    PutRightAndUpdate,
}

/// An event as a number, whatever object lives in the slot: states are searched and steps told apart by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Label(pub u32);

const KINDS: u32 = 32;

impl Label {
    /// A wake-up that finds nothing is let go, which is no step.
    pub const NOTHING: Label = Label(29);
    pub const PUT_RIGHT: Label = Label(30);
    pub const PUT_RIGHT_AND_UPDATE: Label = Label(31);

    pub fn of(event: Event) -> Label {
        let (kind, which) = match event {
            Event::OutageBegins(item) => (0, item.into()),
            Event::OutageEnds(item) => (1, item.into()),
            Event::Update(item) => (2, item.into()),
            Event::WorldChange(item) => (3, item.into()),
            Event::Tamper(item) => (4, item.into()),
            Event::PutBack(item) => (5, item.into()),
            Event::Forge(item) => (6, item.into()),
            Event::Restart(item) => (7, item.into()),
            Event::Flap(object) => (8, object.slot),
            Event::Notice(object) => (9, object.slot),
            Event::React(object) => (10, object.slot),
            Event::Finish(object) => (11, object.slot),
            Event::Next(object) => (12, object.slot),
            Event::Retry(object) => (13, object.slot),
            Event::Appear(object) => (14, object.slot),
            Event::Follow(object) => (15, object.slot),
            Event::HoldOver(r) => (16, r.0.into()),
            Event::GraceOver(r) => (17, r.0.into()),
            Event::Resync => (18, 0),
            Event::Wake => (19, 0),
            Event::Visit => (20, 0),
        };
        Label(which * KINDS + kind)
    }

    /// The event, of the object that lives first in its slot; none where the world is put right.
    pub fn event(self) -> Option<Event> {
        let which = self.0 / KINDS;
        let (item, r) = (which as u16, OracleId(which as u16));
        let object = ObjectId { slot: which, life: 0 };
        Some(match self.0 % KINDS {
            0 => Event::OutageBegins(item),
            1 => Event::OutageEnds(item),
            2 => Event::Update(item),
            3 => Event::WorldChange(item),
            4 => Event::Tamper(item),
            5 => Event::PutBack(item),
            6 => Event::Forge(item),
            7 => Event::Restart(item),
            8 => Event::Flap(object),
            9 => Event::Notice(object),
            10 => Event::React(object),
            11 => Event::Finish(object),
            12 => Event::Next(object),
            13 => Event::Retry(object),
            14 => Event::Appear(object),
            15 => Event::Follow(object),
            16 => Event::HoldOver(r),
            17 => Event::GraceOver(r),
            18 => Event::Resync,
            19 => Event::Wake,
            20 => Event::Visit,
            _ => return None,
        })
    }

    pub fn is_update(self) -> bool {
        self.0 % KINDS == 2
    }

    /// Whether it is a step that comes sometime if it stays possible: the oracles' and the choreographer's, and the end of
    /// what passes. What befalls a run need not come, and neither need a wake-up for no reason.
    pub fn is_fair(self) -> bool {
        matches!(self.0 % KINDS, 1 | 8..=17 | 19 | 20)
    }

    /// The step, unless it is none.
    pub fn step(self, draws: Vec<bool>) -> Option<Step> {
        match self {
            Label::NOTHING => None,
            Label::PUT_RIGHT => Some(Step::PutRight),
            Label::PUT_RIGHT_AND_UPDATE => Some(Step::PutRightAndUpdate),
            _ => self.event().map(|event| Step::Event(event, draws)),
        }
    }
}

/// The next way for the draws of an event to fall, after `fell`; none if that was the last.
pub(super) fn next_script(mut fell: Vec<bool>) -> Option<Vec<bool>> {
    while let Some(last) = fell.pop() {
        if !last {
            fell.push(true);
            return Some(fell);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_comes_once() {
        let mut scripts = vec![vec![false, false]];
        while let Some(mut next) = next_script(scripts.last().expect("one").clone()) {
            next.resize(2, false);
            scripts.push(next);
        }
        assert_eq!(scripts, [[false, false], [false, true], [true, false], [true, true]]);
    }

    #[test]
    fn a_label_tells_its_event() {
        let object = ObjectId { slot: 7, life: 0 };
        for event in [Event::Update(3), Event::Notice(object), Event::HoldOver(OracleId(2)), Event::Wake, Event::Resync]
        {
            assert_eq!(Label::of(event).event(), Some(event));
        }
    }
}
