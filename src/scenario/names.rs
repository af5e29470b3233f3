//! The names a scenario gives to fields and oracles, and what else in the file means them.

use super::document::{Table, Value};
use super::failure::{Mistake, Place, Read};
use super::wording::{helped, meant, quoted};
use crate::model::{FieldId, OracleId};

/// Before the name of a workload's field, where an oracle asks it.
pub(crate) const WORKLOAD: &str = "workload.";

/// Every name that other parts of the file may use.
pub(crate) struct Names {
    /// The workload's fields, in order.
    pub fields: Vec<String>,
    /// Where each field is listed; empty if none is and the workload has the default ones.
    pub field_places: Vec<Place>,
    /// The oracles, in order.
    pub oracles: Vec<String>,
}

impl Names {
    /// The field of this name.
    pub fn field(&self, value: &Value<'_>) -> Read<FieldId> {
        let name = value.text("the name of a field", &self.fields[0])?;
        let place = self.fields.iter().position(|field| field == name);
        place.map(|place| FieldId(place as u16)).ok_or_else(|| {
            let mistake = Mistake::at(value.place(), format!("the workload has no field {}", quoted(name)));
            if let Some(bare) = name.strip_prefix(WORKLOAD).filter(|bare| self.fields.iter().any(|field| field == bare))
            {
                return mistake.help(format!("here a field goes by its bare name: {}", quoted(bare)));
            }
            helped(mistake, meant(name, "its fields", self.fields.iter().map(String::as_str)))
        })
    }

    /// The oracle of this name.
    pub fn oracle(&self, value: &Value<'_>) -> Read<OracleId> {
        let name = value.text("the name of an oracle", &self.oracles[0])?;
        self.oracle_named(value.place(), name)
    }

    /// The oracle of this name, which stands at this place.
    pub fn oracle_named(&self, place: Place, name: &str) -> Read<OracleId> {
        match self.oracles.iter().position(|oracle| oracle == name) {
            Some(index) => Ok(OracleId(index as u16)),
            None => Err(helped(
                Mistake::at(place, format!("no oracle is named {}", quoted(name))),
                meant(name, "the oracles", self.oracles.iter().map(String::as_str)),
            )),
        }
    }

    /// Names of oracles without repeats.
    pub fn distinct_oracles(&self, values: &[Value<'_>]) -> Read<Vec<OracleId>> {
        distinct(values, |value| self.oracle(value))
    }
}

/// What the values mean, if no two mean the same.
pub(crate) fn distinct<'a, T: PartialEq>(
    values: &[Value<'a>],
    mut read: impl FnMut(&Value<'a>) -> Read<T>,
) -> Read<Vec<T>> {
    let mut found = Vec::with_capacity(values.len());
    for value in values {
        let one = read(value)?;
        if let Some(earlier) = found.iter().position(|other| *other == one) {
            let name = value.as_text().map(quoted).unwrap_or_default();
            return Err(Mistake::at(value.place(), format!("{name} is named twice"))
                .also(values[earlier].place(), "first here")
                .help("name it once"));
        }
        found.push(one);
    }
    Ok(found)
}

/// A name that something in the file bears.
pub(crate) fn new_name<'a>(table: &Table<'a>, example: &str) -> Read<&'a str> {
    let value = table.need("name", &format!("name = \"{example}\""))?;
    name_itself(&value, example)
}

/// A name of letters, digits, `-` and `_`: such a one cannot be taken for `workload.field`, for `"*"` or for a path.
pub(crate) fn name_itself<'a>(value: &Value<'a>, example: &str) -> Read<&'a str> {
    const LONGEST: usize = 63;
    let name = value.text("a name", example)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let wrong = |message: String, help: &str| Err(Mistake::at(value.place(), message).help(help));
    if name.is_empty() {
        wrong("a name cannot be empty".into(), &format!("as in `\"{example}\"`"))
    } else if name.len() > LONGEST {
        wrong(format!("this name is longer than {LONGEST} characters"), "shorten it; Kubernetes allows no longer ones")
    } else if !name.chars().all(plain) || name.starts_with(['-', '_']) {
        let rule = "a name is letters, digits, `-` and `_`, and begins with a letter or a digit";
        wrong(format!("{} is not a name", quoted(name)), rule)
    } else {
        Ok(name)
    }
}
