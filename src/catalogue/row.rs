//! One `[[policy]]`, in a scenario or in the catalogue: its name, where it comes from, and its value on each axis.

use super::axes::AXES;
use crate::model::Policy;
use crate::model::policy::{Fixed, Lifecycle, OnFailure, Pending, Write};
use crate::scenario::document::{Table, Value};
use crate::scenario::failure::{Mistake, Place, Read};
use crate::scenario::name_itself;

/// A `[[policy]]` whose keys are all known.
pub(crate) struct PolicyRow<'a> {
    /// Its name.
    pub name: &'a str,
    table: Table<'a>,
}

impl<'a> PolicyRow<'a> {
    /// Opens a row and reads its name.
    pub fn open(row: &Value<'a>) -> Read<PolicyRow<'a>> {
        let keys = ["name", "like", "about", "source"].into_iter().chain(AXES.iter().map(|axis| axis.name));
        let table = row.table("a policy", keys, "[[policy]]")?;
        let name = table.need("name", r#"name = "read-after-success""#)?;
        Ok(PolicyRow { name: name_itself(&name, "read-after-success")?, table })
    }

    /// Where its name stands.
    pub fn name_place(&self) -> Place {
        self.table.get("name").map_or(self.table.place(), |value| value.place())
    }

    /// The policy it is like, and where that is said.
    pub fn like(&self) -> Read<Option<(&'a str, Place)>> {
        let Some(value) = self.table.get("like") else { return Ok(None) };
        Ok(Some((value.text("the name of a policy", "read-after-success")?, value.place())))
    }

    /// What it says for people under this key.
    pub fn line(&self, key: &str) -> Read<Option<String>> {
        self.table.get(key).map(|value| value.line("RFC 20")).transpose()
    }

    /// Whether no axis is set.
    pub fn says_nothing(&self) -> bool {
        AXES.iter().all(|axis| self.table.get(axis.name).is_none())
    }

    /// The policy that begins as `base` and has what is set here.
    pub fn read(&self, base: Policy) -> Read<Policy> {
        self.line("about")?;
        self.line("source")?;
        let mut policy = base;
        for axis in AXES {
            if let Some(value) = self.table.get(axis.name) {
                (axis.read)(&value, &mut policy)?;
            }
        }
        self.can_be(&policy)?;
        Ok(policy)
    }

    /// Some values exclude each other.
    fn can_be(&self, policy: &Policy) -> Read<()> {
        let here = |key: &str| self.table.get(key).map(|_| self.table.key_place(key));
        // One of the two may come from what the policy is like.
        match contradiction(policy) {
            None => Ok(()),
            Some(found) => Err(match (here(found.axis), here(found.with)) {
                (Some(place), Some(other)) => Mistake::at(place, found.message).also(other, "with this"),
                (Some(place), None) | (None, Some(place)) => Mistake::at(place, found.message),
                (None, None) => Mistake::at(self.name_place(), found.message),
            }
            .help(found.help)),
        }
    }
}

/// Two axes whose values exclude each other.
struct Contradiction {
    axis: &'static str,
    with: &'static str,
    message: String,
    help: &'static str,
}

fn contradiction(policy: &Policy) -> Option<Contradiction> {
    if policy.lifecycle == Lifecycle::Immutable && policy.on_failure != OnFailure::Wait {
        return Some(Contradiction {
            axis: "on_failure",
            with: "lifecycle",
            message: format!("an immutable object is asked once: there is no `{}` for it", policy.on_failure),
            help: "an older object keeps its answer when a newer one fails; take `on_failure = \"wait\"`, or `lifecycle = \"mutable\"`",
        });
    }
    let held = |axis, message: &str, help| Contradiction { axis, with: "write", message: message.into(), help };
    if policy.write == Write::Always && policy.timeout.is_some() {
        return Some(held(
            "timeout",
            "no write is ever held, so none can time out",
            "hold writes, as in `write = \"at-rest\"`, or say `timeout = \"none\"`",
        ));
    }
    (policy.write == Write::Always && policy.pending == Pending::Fifo).then(|| {
        held(
            "pending",
            "no write is ever held, so there is no queue",
            "hold writes, as in `write = \"at-rest\"`, or say `pending = \"latest\"`",
        )
    })
}

/// The axes that an `[[oracle]]` fixes, whatever policy is tried.
pub(crate) fn fixed(value: &Value<'_>) -> Read<Fixed> {
    let table = value.table("`policy` of an oracle", AXES.iter().map(|axis| axis.name), EXAMPLE)?;
    if let Some(intake) = table.get("intake") {
        return Err(Mistake::at(intake.place(), "`intake` is of the chain as a whole")
            .help("say it in a `[[policy]]`; an oracle's template has no say in it"));
    }
    let mut fixed = Fixed::default();
    for axis in AXES {
        if let Some(value) = table.get(axis.name) {
            (axis.fix)(&value, &mut fixed)?;
        }
    }
    // What is not fixed comes from the policy tried, and gives way (§10.40).
    match contradiction(&fixed.laid_over(&Policy::default())) {
        Some(found) if [found.axis, found.with].iter().all(|axis| table.get(axis).is_some()) => {
            Err(Mistake::at(table.key_place(found.axis), found.message)
                .also(table.key_place(found.with), "with this")
                .help(found.help))
        }
        _ => Ok(fixed),
    }
}

const EXAMPLE: &str = r#"policy = { lifecycle = "immutable" }"#;
