//! A counterexample, told as the timeline of a run without a clock, and closed by what went wrong.

use std::io::{self, Write};

use super::closing::Closing;
use super::lanes::{Gather, Lanes};
use super::story::{Detail, Sentence, Tone};
use super::timeline::{Moment, Timeline};
use crate::explore::{Bounds, Property, Refutation, Step, Updates, Walk};
use crate::measure::Observer;
use crate::model::{Event, Fact, ObjectId, Plan, Setting, Time};

/// Tells each fact of a step.
struct Teller<'a, 'p, W> {
    step: usize,
    timeline: &'a mut Timeline<W>,
    closing: &'a mut Closing<'p>,
}

impl<W: Write> Observer for Teller<'_, '_, W> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.timeline.write(Moment::Step(self.step), fact);
        self.closing.hear(at, fact);
    }
}

/// Writes a counterexample to `property` step by step, and its closing sentence.
///
/// # Errors
///
/// If it cannot be written.
///
/// # Panics
///
/// If a step cannot come where it is given: the refutation is not one of `plan`.
pub fn tell(
    plan: &Plan,
    property: Property,
    refutation: &Refutation,
    detail: Detail,
    mut out: &mut dyn Write,
) -> io::Result<()> {
    let mut walk = walk(plan);
    let mut timeline = Timeline::new(plan.setting(), detail, &mut out);
    let mut closing = Closing::new(plan, property);
    for (at, step) in refutation.steps.iter().enumerate() {
        if refutation.cycle_from == Some(at) {
            timeline.remark(None, "from here on the steps repeat without end:");
            closing.cycle_begins();
        }
        let number = at + 1;
        let put_right = match step {
            Step::PutRight => Some("the world is put right, and from here on nothing more befalls it"),
            Step::PutRightAndUpdate => {
                Some("the world is put right, a good update made, and from here on nothing more befalls it")
            }
            Step::Event(..) => None,
        };
        if let Some(remark) = put_right {
            timeline.remark(Some(Moment::Step(number)), remark);
        }
        let mut teller = Teller { step: number, timeline: &mut timeline, closing: &mut closing };
        walk.take(step, &mut teller);
        if let Step::Event(event, _) = step {
            timeline.otherwise(Moment::Step(number), &unseen(*event, plan.setting()));
        }
    }
    timeline.finish()?;
    writeln!(out, "{}", closing.sentence())
}

/// A counterexample as lanes, its steps for time.
///
/// # Panics
///
/// If a step cannot come where it is given: the refutation is not one of `plan`.
pub fn lanes(plan: &Plan, refutation: &Refutation) -> Lanes {
    struct Steps<'a, 'p>(usize, &'a mut Gather<'p>);
    impl Observer for Steps<'_, '_> {
        fn hear(&mut self, _: Time, fact: &Fact<'_>) {
            self.1.write(Moment::Step(self.0), fact);
        }
    }
    let mut walk = walk(plan);
    let mut gather = Gather::new(plan);
    for (at, step) in refutation.steps.iter().enumerate() {
        if refutation.cycle_from == Some(at) {
            gather.cycle_begins(at + 1);
        }
        walk.take(step, &mut Steps(at + 1, &mut gather));
    }
    gather.end_at(Moment::Step(refutation.steps.len() + 1))
}

fn walk(plan: &Plan) -> Walk<'_> {
    let once = Updates::Bounded { streamed: 1, in_all: 1 };
    Walk::new(plan, Bounds::new(plan.setting(), once))
}

/// A step in which nothing comes to pass that is told of.
fn unseen(event: Event, setting: &Setting) -> Sentence {
    // Slots after those of the oracles' own objects are of shadows and immutable objects.
    let object = |id: ObjectId| {
        setting.oracles.get(id.slot as usize).map_or_else(|| "an object".to_owned(), |oracle| oracle.name.clone())
    };
    let (who, what) = match event {
        Event::Follow(id) => ("choreographer".to_owned(), format!("its copy of {} follows by one change", object(id))),
        Event::Notice(id) => (object(id), "notices that it was written".to_owned()),
        Event::Wake | Event::Visit | Event::Resync => {
            ("choreographer".to_owned(), "looks, and does nothing".to_owned())
        }
        Event::HoldOver(r) | Event::GraceOver(r) => (
            "choreographer".to_owned(),
            format!("has waited for {} as long as it would", setting.oracles[r.index()].name),
        ),
        event => (event.object().map_or_else(|| "world".to_owned(), object), "nothing comes of it".to_owned()),
    };
    Sentence { who, what, tone: Tone::Plain }
}
