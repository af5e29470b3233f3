//! What befalls a run (contract §6): when, and whom.

use super::document::{Table, Value};
use super::failure::{Mistake, Place, Read};
use super::names::{Names, WORKLOAD, distinct};
use super::oracle::probability;
use super::wording::{all_of, any_of, nearest, quoted};
use crate::model::setting::{Forge, Outage, Probability, Restart, Source, Tamper, Update, When, WorldChange};
use crate::model::{FieldId, Oracle, OracleId, Time};

/// The keys of a stream.
const STREAM: [&str; 4] = ["from", "until", "every", "count"];

/// What the rows of this file are read against.
pub(crate) struct Run<'n> {
    /// The end of the run.
    pub horizon: Time,
    /// The names in the file.
    pub names: &'n Names,
    /// The chain.
    pub oracles: &'n [Oracle],
}

impl Run<'_> {
    /// An `[[update]]`.
    pub fn update(&self, row: &Value<'_>) -> Read<Update> {
        let table =
            row.table("an update", ["at", "set", "bad_for", "hangs_for"].into_iter().chain(STREAM), "[[update]]")?;
        let when = self.when(&table)?;
        let example = format!("set = [\"{}\"]", self.names.fields[0]);
        let set = table.need("set", &example)?;
        let values = set.list("a list of fields", &format!("as in `{example}`"))?;
        if values.is_empty() {
            return Err(Mistake::at(set.place(), "this update sets nothing")
                .help(format!("name the fields it sets, as in `{example}`")));
        }
        let set = distinct(&values, |value| self.names.field(value))?;
        let bad_for = match table.get("bad_for") {
            None => Vec::new(),
            Some(value) => self.bad_for(&value, &set)?,
        };
        let hangs_for = match table.get("hangs_for") {
            None => Vec::new(),
            Some(value) => {
                let list = value.list("a list of oracles", r#"as in `["image"]`"#)?;
                let hung = self.names.distinct_oracles(&list)?;
                for (value, oracle) in list.iter().zip(&hung) {
                    self.can_suffer(value.place(), *oracle, &set, "can hang")?;
                }
                hung
            }
        };
        Ok(Update { when, set, bad_for, hangs_for })
    }

    /// A list of oracles, for which an update is always bad, or a table of probabilities.
    fn bad_for(&self, value: &Value<'_>, set: &[FieldId]) -> Read<Vec<(OracleId, Probability)>> {
        if !value.is_table() {
            let wanted = "a list of oracles, or a table of probabilities";
            let list = value.list(wanted, r#"as in `["image"]`, always, or `{ image = 0.1 }`, one in ten"#)?;
            let always = self.names.distinct_oracles(&list)?;
            for (value, oracle) in list.iter().zip(&always) {
                self.can_suffer(value.place(), *oracle, set, "can fail")?;
            }
            return Ok(always.into_iter().map(|oracle| (oracle, Probability::ALWAYS)).collect());
        }
        let table = value.open_table("`bad_for`", "bad_for = { image = 0.1 }")?;
        let mut chances = Vec::new();
        for (place, chance) in table.entries() {
            let oracle = self.names.oracle_named(place.clone(), chance.key())?;
            self.can_suffer(place, oracle, set, "can fail")?;
            chances.push((oracle, probability(&chance)?));
        }
        Ok(chances)
    }

    /// A `[[world]]`.
    pub fn world(&self, row: &Value<'_>) -> Read<WorldChange> {
        let table =
            row.table("a change of the world", ["oracle", "at", "bad"].into_iter().chain(STREAM), "[[world]]")?;
        let oracle = self.whom(&table)?;
        let when = self.when(&table)?;
        let bad = match table.get("bad") {
            None => false,
            Some(value) => value.flag()?,
        };
        Ok(WorldChange { oracle, when, bad })
    }

    /// An `[[outage]]`.
    pub fn outage(&self, row: &Value<'_>) -> Read<Outage> {
        let table = row.table("an outage", ["oracle", "from", "until"], "[[outage]]")?;
        let oracle = self.whom(&table)?;
        self.has_controller(table.key_place("oracle"), oracle, "can be out")?;
        let from = self.instant(&table.need("from", r#"from = "50m""#)?)?;
        let until = table.need("until", r#"until = "55m""#)?;
        let until = self.after(from, &until)?;
        Ok(Outage { oracle, from, until })
    }

    /// A `[[tamper]]`.
    pub fn tamper(&self, row: &Value<'_>) -> Read<Tamper> {
        let table = row.table("a tampering", ["oracle", "input", "at", "until"], "[[tamper]]")?;
        let oracle = self.whom(&table)?;
        let input = self.input(&table, oracle)?;
        let at = self.instant(&table.need("at", r#"at = "20m""#)?)?;
        let until = match table.get("until") {
            None => None,
            Some(value) => Some(self.after(at, &value)?),
        };
        Ok(Tamper { oracle, input, at, until })
    }

    /// A `[[forge]]`.
    pub fn forge(&self, row: &Value<'_>) -> Read<Forge> {
        let table = row.table("a forgery", ["oracle", "at"], "[[forge]]")?;
        let oracle = self.whom(&table)?;
        Ok(Forge { oracle, at: self.instant(&table.need("at", r#"at = "25m""#)?)? })
    }

    /// A `[[restart]]`.
    pub fn restart(&self, row: &Value<'_>) -> Read<Restart> {
        let table = row.table("a restart", ["at"], "[[restart]]")?;
        Ok(Restart { at: self.instant(&table.need("at", r#"at = "30m""#)?)? })
    }

    fn whom(&self, table: &Table<'_>) -> Read<OracleId> {
        self.names.oracle(&table.need("oracle", &format!("oracle = \"{}\"", self.names.oracles[0]))?)
    }

    /// An update can only be bad for an oracle that works, and on an answer into which the update goes.
    fn can_suffer(&self, place: Place, oracle: OracleId, set: &[FieldId], can: &str) -> Read<()> {
        self.has_controller(place.clone(), oracle, can)?;
        if self.depends(oracle, set) {
            return Ok(());
        }
        let fields = any_of(set.iter().map(|field| self.names.fields[field.index()].as_str()));
        let name = quoted(&self.names.oracles[oracle.index()]);
        Err(Mistake::at(place, format!("{name} never hears of {fields}"))
            .help(format!("neither {name} nor an oracle before it asks what this update sets; take it away here")))
    }

    /// Whether any of these fields goes into the oracle's answers.
    fn depends(&self, oracle: OracleId, set: &[FieldId]) -> bool {
        // An oracle asks only oracles before it, so one look at each in order is enough.
        let mut hears = Vec::with_capacity(self.oracles.len());
        for oracle in self.oracles {
            hears.push(oracle.asks.iter().any(|source| match source {
                Source::Field(field) => set.contains(field),
                Source::Oracle(asked) => hears[asked.index()],
            }));
        }
        hears[oracle.index()]
    }

    /// Only where a controller works does work go wrong.
    fn has_controller(&self, place: Place, oracle: OracleId, can: &str) -> Read<()> {
        let oracle = &self.oracles[oracle.index()];
        if oracle.reconciles {
            return Ok(());
        }
        Err(Mistake::at(place, format!("{} has no controller that {can}", quoted(&oracle.name)))
            .help("it has `reconciles = false`: take one of the two away"))
    }

    /// Which of an oracle's inputs is tampered with.
    fn input(&self, table: &Table<'_>, oracle: OracleId) -> Read<usize> {
        let oracle = &self.oracles[oracle.index()];
        let inputs: Vec<String> = oracle
            .asks
            .iter()
            .map(|source| match source {
                Source::Field(field) => format!("{WORKLOAD}{}", self.names.fields[field.index()]),
                Source::Oracle(asked) => self.names.oracles[asked.index()].clone(),
            })
            .collect();
        let example = inputs.first().map_or("source", String::as_str);
        let value = table.need("input", &format!("input = \"{example}\""))?;
        let name = value.text("the name of an input", example)?;
        if let Some(place) = inputs.iter().position(|input| input == name) {
            return Ok(place);
        }
        let mistake = Mistake::at(value.place(), format!("{} does not ask {}", quoted(&oracle.name), quoted(name)));
        let all = || inputs.iter().map(String::as_str);
        let qualified = format!("{WORKLOAD}{name}");
        let meant = all().find(|input| **input == qualified).or_else(|| nearest(name, all()));
        let mistake = match meant {
            Some(meant) => mistake.help(format!("did you mean {}?", quoted(meant))),
            None => mistake,
        };
        Err(match &inputs[..] {
            [] => mistake.help("it asks nothing, so there is nothing to tamper with"),
            _ => mistake.help(format!("it asks {}", all_of(all()))),
        })
    }

    /// An instant within the run.
    fn instant(&self, value: &Value<'_>) -> Read<Time> {
        let time = value.time()?;
        if time <= self.horizon {
            return Ok(time);
        }
        Err(Mistake::at(
            value.place(),
            format!("{} lies beyond the horizon, {}", quoted(value.key()), time_text(self.horizon)),
        )
        .help("the run ends at its horizon: choose an earlier time, or move `horizon`"))
    }

    /// An instant within the run and after another.
    fn after(&self, from: Time, value: &Value<'_>) -> Read<Time> {
        let until = self.instant(value)?;
        if until > from {
            return Ok(until);
        }
        Err(Mistake::at(
            value.place(),
            match until == from {
                true => format!("it ends at {}, the instant it begins", time_text(until)),
                false => format!("it ends at {}, before it begins at {}", time_text(until), time_text(from)),
            },
        )
        .help(format!("`until` is a time from the start of the run, not a length: later than {}", time_text(from))))
    }

    /// An instant or a stream.
    fn when(&self, table: &Table<'_>) -> Read<When> {
        let what = table.what();
        if let Some(at) = table.get("at") {
            let of_stream = table.entries().into_iter().find(|(_, value)| STREAM.contains(&value.key()));
            if let Some((place, value)) = of_stream {
                let message = format!("{} belongs to a stream, and `at` to one instant", quoted(value.key()));
                return Err(Mistake::at(place, message)
                    .also(table.key_place("at"), "one instant")
                    .help(format!("for {what} once, keep `at` alone; for a stream, take `at` away and say `every`")));
            }
            return Ok(When::At(self.instant(&at)?));
        }
        let Some(every) = table.get("every") else {
            if let Some((place, value)) = table.entries().into_iter().find(|(_, value)| STREAM.contains(&value.key())) {
                return Err(Mistake::at(place, format!("a stream with {} needs `every` too", quoted(value.key())))
                    .help("say how often, as in `every = \"10m\"`; for one instant, say `at` alone"));
            }
            return Err(Mistake::at(table.place(), format!("{what} wants a time")).help(
                "once: `at = \"40m\"`; again and again: `every = \"10m\"`, with `from`, `until` and `count` if need be",
            ));
        };
        let from = match table.get("from") {
            None => Time::ZERO,
            Some(value) => self.instant(&value)?,
        };
        let until = match table.get("until") {
            Some(value) => self.after(from, &value)?,
            None if from < self.horizon => self.horizon,
            None => {
                return Err(Mistake::at(table.key_place("from"), "this stream begins where the run ends")
                    .help("begin it before the horizon"));
            }
        };
        let count = match table.get("count") {
            None => None,
            Some(value) => Some(u64::from(value.some("a stream of none is no stream: take it away")?)),
        };
        let every = every.interval(until - from, count)?;
        Ok(When::Stream { from, until, every, count })
    }
}

fn time_text(time: Time) -> String {
    time.since(Time::ZERO).to_string()
}
