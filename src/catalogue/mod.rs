//! What comes with the simulator: policies by name, and profiles of real controllers. They are TOML beside the code, read
//! as a scenario is.

mod axes;
mod profile;
mod row;

use std::sync::LazyLock;

use crate::model::Policy;
use crate::scenario::NamedPolicy;
use crate::scenario::document::{self, Table};
use crate::scenario::failure::{Failure, Read};

pub use axes::{AXES, PolicyAxis, Values};
pub use profile::{Note, Only, Profile, ProfileSetting, profile, profile_of, profiles};
pub(crate) use row::{PolicyRow, fixed};

/// A policy of the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// Where it comes from.
    pub source: String,
    /// Its values.
    pub policy: Policy,
}

const PRESETS: &str = include_str!("presets.toml");
const SYSTEMS: &str = include_str!("systems.toml");

/// The presets of RFC 20's debate, in the order of the contract (§5): what is tried where no policy is named.
pub fn presets() -> &'static [Preset] {
    static READ: LazyLock<Vec<Preset>> = LazyLock::new(|| read_or_panic("presets.toml", PRESETS));
    &READ
}

/// The presets that are named after what real systems do.
pub fn systems() -> &'static [Preset] {
    static READ: LazyLock<Vec<Preset>> = LazyLock::new(|| read_or_panic("systems.toml", SYSTEMS));
    &READ
}

/// A name under which presets are tried together, and these.
pub type Group = (&'static str, fn() -> &'static [Preset]);

/// Every group.
pub const GROUPS: [Group; 2] = [("rfc-20", presets), ("systems", systems)];

/// The preset of this name, of either group.
pub fn preset(name: &str) -> Option<&'static Preset> {
    presets().iter().chain(systems()).find(|preset| preset.name == name)
}

fn read_or_panic(file: &str, text: &str) -> Vec<Preset> {
    match read_presets(text) {
        Ok(presets) => presets,
        // The text is part of the program, and a test reads it.
        Err(mistake) => panic!("{}", Failure::new(file, text, mistake)),
    }
}

fn read_presets(text: &str) -> Read<Vec<Preset>> {
    let document = document::parse(text)?;
    let top = Table::document("the presets", &document, &["policy"])?;
    let rows = top.rows("policy")?;
    let preset = |row| {
        let row = PolicyRow::open(row)?;
        Ok(Preset {
            name: row.name.to_owned(),
            about: row.line("about")?.unwrap_or_default(),
            source: row.line("source")?.unwrap_or_default(),
            policy: row.read(Policy::default())?,
        })
    };
    rows.iter().map(preset).collect()
}

/// A policy as a scenario would say it, every axis written out, so that it stands on its own.
pub fn policy_as_toml(named: &NamedPolicy) -> String {
    let axes = AXES.iter().map(|axis| format!("{} = {}\n", axis.name, (axis.show)(&named.policy)));
    format!("[[policy]]\nname = \"{}\"\n{}", named.name, axes.collect::<String>())
}

#[cfg(test)]
mod tests;
