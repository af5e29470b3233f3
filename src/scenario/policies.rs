//! The policies that a scenario tries: presets, or ones of its own.

use super::NamedPolicy;
use super::document::Value;
use super::failure::{Mistake, Place, Read};
use super::wording::{helped, meant, quoted};
use crate::catalogue::{self, PolicyRow};
use crate::model::Policy;

/// More than anybody compares, and few enough to look each up among all.
const MOST_POLICIES: usize = 1_000;

/// Reads every `[[policy]]`; without any, all presets are tried.
pub(crate) fn read(rows: &[Value<'_>]) -> Read<Vec<NamedPolicy>> {
    if rows.is_empty() {
        let all = catalogue::presets().iter();
        return Ok(all
            .map(|preset| NamedPolicy { name: preset.name.clone(), policy: preset.policy.clone() })
            .collect());
    }
    if let Some(row) = rows.get(MOST_POLICIES) {
        return Err(Mistake::at(row.place(), format!("there are more than {MOST_POLICIES} policies"))
            .help("nobody reads a comparison of as many; split the scenario"));
    }
    let rows = rows.iter().map(PolicyRow::open).collect::<Read<Vec<_>>>()?;
    let mut policies: Vec<NamedPolicy> = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        if let Some(earlier) = rows[..index].iter().find(|earlier| earlier.name == row.name) {
            return Err(Mistake::at(row.name_place(), format!("two policies are named {}", quoted(row.name)))
                .also(earlier.name_place(), "the first")
                .help("give each policy a name of its own"));
        }
        let policy = row.read(base(row, &rows, &policies)?)?;
        same_as_its_preset(row, &policy)?;
        policies.push(NamedPolicy { name: row.name.to_owned(), policy });
    }
    Ok(policies)
}

/// What a row's policy starts from.
fn base(row: &PolicyRow<'_>, rows: &[PolicyRow<'_>], before: &[NamedPolicy]) -> Read<Policy> {
    let preset = catalogue::preset(row.name).map(|preset| preset.policy.clone());
    let Some((name, place)) = row.like()? else {
        return match preset {
            Some(policy) => Ok(policy),
            None if row.says_nothing() => Err(unknown(row.name, row.name_place(), before, "preset")
                .help("a policy of one's own says what it is `like`, or what differs from `read-always`")),
            None => Ok(Policy::default()),
        };
    };
    if let Some(policy) = before.iter().find(|policy| policy.name == name) {
        return Ok(policy.policy.clone());
    }
    if let Some(preset) = catalogue::preset(name) {
        return Ok(preset.policy.clone());
    }
    if name == row.name {
        return Err(Mistake::at(place, format!("{} is like itself", quoted(name)))
            .help("name a preset, or a policy above this one"));
    }
    if let Some(later) = rows.iter().find(|other| other.name == name) {
        return Err(Mistake::at(place, format!("{} comes later in the file", quoted(name)))
            .also(later.name_place(), "named here")
            .help(format!("move the `[[policy]]` {} above {}", quoted(name), quoted(row.name))));
    }
    Err(unknown(name, place, before, "policy"))
}

fn unknown(name: &str, place: Place, before: &[NamedPolicy], what: &str) -> Mistake {
    let presets = catalogue::presets().iter().chain(catalogue::systems()).map(|preset| preset.name.as_str());
    let own = before.iter().map(|policy| policy.name.as_str()).filter(|name| catalogue::preset(name).is_none());
    let mistake = Mistake::at(place, format!("no {what} is named {}", quoted(name)));
    let mut names: Vec<&str> = presets.collect();
    if what == "policy" {
        names.extend(own);
    }
    helped(mistake, meant(name, if what == "policy" { "the policies" } else { "the presets" }, names))
}

/// A preset's name promises its values: reports of two scenarios are compared by it.
fn same_as_its_preset(row: &PolicyRow<'_>, policy: &Policy) -> Read<()> {
    match catalogue::preset(row.name) {
        Some(preset) if preset.policy != *policy => Err(Mistake::at(
            row.name_place(),
            format!("{} is a preset, and this one differs from it", quoted(row.name)),
        )
        .help(format!("give it a name of its own, and say `like = \"{}\"`", row.name))),
        _ => Ok(()),
    }
}
