//! The words for steps.

use crate::explore::Step;
use crate::model::{Event, ObjectId, OracleId, Setting};

/// Whose or which one a kind of event is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    /// One of a list of the scenario.
    Item(fn(u16) -> Event, fn(&Setting) -> usize),
    /// An object's.
    Object(fn(ObjectId) -> Event),
    /// An oracle's.
    Oracle(fn(OracleId) -> Event),
    /// Nobody's.
    Nobody(Event),
    PutRight,
    PutRightAndUpdate,
}

/// Every kind of step, by its word.
pub(super) const KINDS: &[(&str, Of)] = &[
    ("update", Of::Item(Event::Update, |setting| setting.updates.len())),
    ("world", Of::Item(Event::WorldChange, |setting| setting.worlds.len())),
    ("outage-begins", Of::Item(Event::OutageBegins, |setting| setting.outages.len())),
    ("outage-ends", Of::Item(Event::OutageEnds, |setting| setting.outages.len())),
    ("tamper", Of::Item(Event::Tamper, |setting| setting.tampers.len())),
    ("put-back", Of::Item(Event::PutBack, |setting| setting.tampers.len())),
    ("forge", Of::Item(Event::Forge, |setting| setting.forges.len())),
    ("restart", Of::Item(Event::Restart, |setting| setting.restarts.len())),
    ("flap", Of::Object(Event::Flap)),
    ("notice", Of::Object(Event::Notice)),
    ("react", Of::Object(Event::React)),
    ("finish", Of::Object(Event::Finish)),
    ("next", Of::Object(Event::Next)),
    ("retry", Of::Object(Event::Retry)),
    ("appear", Of::Object(Event::Appear)),
    ("follow", Of::Object(Event::Follow)),
    ("hold-over", Of::Oracle(Event::HoldOver)),
    ("grace-over", Of::Oracle(Event::GraceOver)),
    ("resync", Of::Nobody(Event::Resync)),
    ("wake", Of::Nobody(Event::Wake)),
    ("visit", Of::Nobody(Event::Visit)),
    ("put-right", Of::PutRight),
    ("put-right-and-update", Of::PutRightAndUpdate),
];

/// A step as the lines of a table.
pub(super) fn step(step: &Step, setting: &Setting) -> String {
    let (event, draws) = match step {
        Step::PutRight => return "do = \"put-right\"\n".to_owned(),
        Step::PutRightAndUpdate => return "do = \"put-right-and-update\"\n".to_owned(),
        Step::Event(event, draws) => (*event, draws),
    };
    let name = |r: OracleId| toml_text(&setting.oracles[r.index()].name);
    let found = KINDS.iter().find_map(|(word, of)| {
        let of = match *of {
            Of::Item(make, _) => {
                (0..u16::MAX).find(|&item| make(item) == event).map(|item| format!("item = {}\n", item + 1))
            }
            Of::Object(make) => {
                event.object().filter(|&object| make(object) == event).map(|object| whose(object, setting))
            }
            Of::Oracle(make) => {
                let of = (0..setting.oracles.len() as u16).map(OracleId).find(|&r| make(r) == event);
                of.map(|r| format!("oracle = {}\n", name(r)))
            }
            Of::Nobody(other) => (other == event).then(String::new),
            Of::PutRight | Of::PutRightAndUpdate => None,
        };
        of.map(|of| format!("do = \"{word}\"\n{of}"))
    });
    let mut text = found.expect("every event has a word");
    if draws.contains(&true) {
        text += &format!("draws = {draws:?}\n");
    }
    text
}

/// The main objects come first, then the shadows, then immutable objects in the order in which they were created.
fn whose(object: ObjectId, setting: &Setting) -> String {
    let (slot, oracles) = (object.slot as usize, setting.oracles.len());
    let name = |at: usize| toml_text(&setting.oracles[at].name);
    match slot / oracles {
        0 => format!("oracle = {}\n", name(slot)),
        1 => format!("oracle = {}\nobject = \"shadow\"\n", name(slot - oracles)),
        _ => format!("object = {}\n", slot - 2 * oracles + 1),
    }
}

/// JSON's strings are TOML's too.
pub(super) fn toml_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
