//! A value of a scenario that is varied: `oracle.image.work=1m..20m*8`. The scenario's text is changed at that place, and read
//! anew, so that whatever is wrong with a value is told as ever.

use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value as Toml};

use super::duration::parse_duration;
use crate::model::Span;

/// A value of a scenario, and what it is to be in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    path: String,
    values: Vec<Value>,
}

/// What a value is to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A length of time. Where a distribution stands it keeps its form: its mean is moved there, or its median, if that is
    /// how it is written.
    Duration(Span),
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A word.
    Word(String),
}

/// Why text is not a variation, or cannot be made of a scenario; and what would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariationError {
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub help: String,
}

/// No axis has more values.
const MOST_VALUES: usize = 100;

const FORM: &str = "write what and which values, as in `oracle.image.work=1m..20m*8`, `oracle.image.fails=0..0.5*6` or \
                    `oracle.image.acknowledges=start,finish,never`";

fn error<T>(message: impl Into<String>, help: impl Into<String>) -> Result<T, VariationError> {
    Err(VariationError { message: message.into(), help: help.into() })
}

impl std::fmt::Display for VariationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n  help: {}", self.message, self.help)
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Duration(span) => span.fmt(f),
            Value::Whole(number) => number.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Word(word) => word.fmt(f),
        }
    }
}

impl std::fmt::Display for Variation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        write!(f, "{}={}", self.path, values.join(","))
    }
}

impl Value {
    fn parse(text: &str) -> Value {
        if let Ok(span) = parse_duration(text) {
            return Value::Duration(span);
        }
        match (text.parse(), text.parse(), text.parse()) {
            (Ok(number), ..) => Value::Whole(number),
            (_, Ok(number), _) if f64::is_finite(number) => Value::Number(number),
            (.., Ok(flag)) => Value::Flag(flag),
            _ => Value::Word(text.to_owned()),
        }
    }
}

impl std::str::FromStr for Variation {
    type Err = VariationError;

    /// Durations between two ends lie apart by equal factors, numbers by equal steps.
    fn from_str(text: &str) -> Result<Variation, VariationError> {
        let Some((path, values)) = text.split_once('=') else {
            return error(format!("`{text}` does not say which values"), FORM);
        };
        let path = path.trim();
        if path.split('.').count() < 2 || path.split('.').any(str::is_empty) {
            return error(format!("`{path}` is not a place in a scenario"), FORM);
        }
        let values = match values.split_once("..") {
            Some((from, rest)) => between(from.trim(), rest.trim())?,
            None => values.split(',').map(|value| Value::parse(value.trim())).collect(),
        };
        if values.is_empty() || values.len() > MOST_VALUES {
            return error(
                format!("{} values are too many or too few", values.len()),
                format!("take 1 to {MOST_VALUES}"),
            );
        }
        if values.iter().any(|value| *value == Value::Word(String::new())) {
            return error(format!("a value of `{path}` is empty"), FORM);
        }
        Ok(Variation { path: path.to_owned(), values })
    }
}

fn between(from: &str, rest: &str) -> Result<Vec<Value>, VariationError> {
    let Some((to, count)) = rest.split_once('*') else {
        return error(format!("`{from}..{rest}` does not say how many values"), FORM);
    };
    let count = match count.trim().parse::<usize>() {
        Ok(count) if (2..=MOST_VALUES).contains(&count) => count,
        _ => return error(format!("`{count}` is not a number of values"), format!("take 2 to {MOST_VALUES}")),
    };
    let part = |number: usize| number as f64 / (count - 1) as f64;
    match (Value::parse(from), Value::parse(to.trim())) {
        (Value::Duration(from), Value::Duration(to)) if from > Span::ZERO && to > from => {
            let factor = libm::log(to.0 as f64 / from.0 as f64);
            let between = |number: usize| match number {
                0 => from,
                last if last == count - 1 => to,
                number => round(from.0 as f64 * libm::exp(factor * part(number))),
            };
            Ok((0..count).map(|number| Value::Duration(between(number))).collect())
        }
        (Value::Duration(_), Value::Duration(_)) => {
            error("durations between two ends go up by equal factors, from more than zero", FORM)
        }
        (Value::Whole(from), Value::Whole(to)) if to > from => {
            let step = |number: usize| from as f64 + (to - from) as f64 * part(number);
            let mut values: Vec<Value> = (0..count)
                .map(|number| match (to - from) as usize % (count - 1) {
                    0 => Value::Whole(step(number).round() as i64),
                    _ => Value::Number(shortened(step(number))),
                })
                .collect();
            values.dedup();
            Ok(values)
        }
        (from, to) => {
            let number = |value: &Value| match value {
                Value::Whole(number) => Some(*number as f64),
                Value::Number(number) => Some(*number),
                _ => None,
            };
            match (number(&from), number(&to)) {
                (Some(from), Some(to)) if to > from => {
                    Ok((0..count).map(|at| Value::Number(shortened(from + (to - from) * part(at)))).collect())
                }
                _ => error(format!("there is nothing between `{from}` and `{to}`, in this order"), FORM),
            }
        }
    }
}

/// Three digits of a number of nanoseconds: an axis reads better so.
fn round(nanoseconds: f64) -> Span {
    let mut digit = 1.0;
    while digit * 1_000.0 <= nanoseconds {
        digit *= 10.0;
    }
    Span(((nanoseconds / digit).round() * digit) as u64)
}

/// Without the digits that only the way of counting brings.
fn shortened(number: f64) -> f64 {
    (number * 1e9).round() / 1e9
}

impl Variation {
    /// The place, as it was written.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The values, in order.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The text of a scenario with this value in that place; all else is as it was.
    ///
    /// # Errors
    ///
    /// If the scenario has no such place.
    pub fn apply(&self, text: &str, value: &Value) -> Result<String, VariationError> {
        let mut document: DocumentMut =
            text.parse().or_else(|_| error("the scenario is not TOML", "validate it first"))?;
        let keys: Vec<&str> = self.path.split('.').collect();
        let (last, before) = keys.split_last().expect("there are two at least");
        let mut changed = 0;
        self.within(document.as_table_mut(), before, last, &mut |table| {
            changed += 1;
            set(table, last, value);
        })?;
        if changed == 0 {
            return error(
                format!("`{}` is nowhere in the scenario", self.path),
                format!("no [[{}]] has `{last}`; name a place that is there", keys[0]),
            );
        }
        Ok(document.to_string())
    }

    /// Each table that the keys lead to.
    fn within(
        &self,
        table: &mut dyn TableLike,
        keys: &[&str],
        last: &str,
        change: &mut dyn FnMut(&mut dyn TableLike),
    ) -> Result<(), VariationError> {
        let Some((key, rest)) = keys.split_first() else {
            change(table);
            return Ok(());
        };
        match table.get_mut(key) {
            Some(Item::ArrayOfTables(tables)) => {
                let named = |table: &Table, name: &str| table.get("name").and_then(Item::as_str) == Some(name);
                // What is nobody's name is the key of all that have it: `update.every`.
                if let Some((name, rest)) = rest.split_first() {
                    let by_number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                    let by_name = tables.iter().position(|table| named(table, name));
                    if let Some(table) = by_name.or(by_number).and_then(|place| tables.get_mut(place)) {
                        return self.within(table, rest, last, change);
                    }
                    let names: Vec<&str> = tables.iter().filter_map(|table| table.get("name")?.as_str()).collect();
                    let there = match names.as_slice() {
                        [] => format!("there are {}, counted from 1", tables.len()),
                        names => format!("there are {}", names.join(", ")),
                    };
                    return error(format!("no [[{key}]] is `{name}`"), there);
                }
                let all = tables.iter_mut().filter(|table| table.contains_key(last));
                all.for_each(|table| change(table));
                Ok(())
            }
            Some(item) if item.is_table_like() => {
                self.within(item.as_table_like_mut().expect("it is one"), rest, last, change)
            }
            _ => error(format!("the scenario has no `{key}`"), FORM),
        }
    }
}

fn set(table: &mut dyn TableLike, key: &str, value: &Value) {
    if let (Some(item), Value::Duration(span)) = (table.get_mut(key), value)
        && let Some(distribution) = item.as_inline_table_mut()
        && distribution.len() == 1
        && move_to(distribution, *span)
    {
        return;
    }
    let new: Toml = match value {
        Value::Duration(span) => span.to_string().into(),
        Value::Whole(number) => (*number).into(),
        Value::Number(number) => (*number).into(),
        Value::Flag(flag) => (*flag).into(),
        Value::Word(word) => word.as_str().into(),
    };
    match table.get_mut(key).and_then(Item::as_value_mut) {
        Some(old) => {
            let decor = old.decor().clone();
            *old = new;
            *old.decor_mut() = decor;
        }
        None => {
            table.insert(key, Item::Value(new));
        }
    }
}

/// Moves a distribution so that what it is written by, its mean or else its median, lies there; false if it is none.
fn move_to(distribution: &mut InlineTable, to: Span) -> bool {
    let length = |value: &Toml| value.as_str().and_then(|text| parse_duration(text).ok());
    let Some((kind, written)) = distribution.iter_mut().next() else { return false };
    let center = match (kind.get(), &*written) {
        ("exponential", value) => length(value).map(|mean| mean.0 as f64),
        ("lognormal", Toml::InlineTable(table)) => {
            table.get("median").or(table.get("mean")).and_then(length).map(|span| span.0 as f64)
        }
        ("gamma", Toml::InlineTable(table)) => table.get("mean").and_then(length).map(|mean| mean.0 as f64),
        ("uniform" | "empirical", Toml::Array(values)) => {
            let lengths: Option<Vec<Span>> = values.iter().map(length).collect();
            lengths
                .filter(|all| !all.is_empty())
                .map(|all| all.iter().map(|span| span.0 as f64).sum::<f64>() / all.len() as f64)
        }
        _ => None,
    };
    let Some(center) = center.filter(|center| *center > 0.0) else { return false };
    let factor = to.0 as f64 / center;
    let scaled = |value: &mut Toml| {
        if let Some(span) = length(value) {
            let decor = value.decor().clone();
            *value = Span((span.0 as f64 * factor).round() as u64).to_string().into();
            *value.decor_mut() = decor;
        }
    };
    match written {
        Toml::Array(values) => values.iter_mut().for_each(scaled),
        Toml::InlineTable(table) => table.iter_mut().for_each(|(_, value)| scaled(value)),
        value => scaled(value),
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Scenario;

    const TEXT: &str = r#"# What it is about.
about = "One commit, one image."
horizon = "1h"

[[update]]
every = { exponential = "90s" } # commits
set = ["source"]

[[update]]
at = "0s"
set = ["source"]

[[oracle]]
name = "image"
asks = ["workload.source"]
work = { lognormal = { median = "3m", p95 = "9m" } }

[[oracle]]
name = "app"
asks = ["image"]
work = { uniform = ["10s", "30s"] }

[choreographer]
resync = "1h"
"#;

    fn changed(variation: &str) -> Vec<String> {
        let variation: Variation = variation.parse().unwrap();
        let texts = variation.values().iter().map(|value| variation.apply(TEXT, value).unwrap());
        texts
            .inspect(|text| drop(Scenario::parse("a.toml", text).unwrap_or_else(|failure| panic!("{failure}"))))
            .map(|text| {
                let lines = text.lines().zip(TEXT.lines());
                let differ: Vec<&str> = lines.filter(|(one, other)| one != other).map(|(one, _)| one).collect();
                assert!(text.lines().count() - TEXT.lines().count() <= 1, "{text}");
                differ.join("\n")
            })
            .collect()
    }

    #[test]
    fn a_distribution_keeps_its_form() {
        assert_eq!(changed("oracle.image.work=6m"), ["work = { lognormal = { median = \"6m\", p95 = \"18m\" } }"]);
        assert_eq!(changed("oracle.app.work=1m"), ["work = { uniform = [\"30s\", \"1m30s\"] }"]);
        assert_eq!(changed("update.every=30s"), ["every = { exponential = \"30s\" } # commits"]);
        assert_eq!(changed("update.1.every=30s"), ["every = { exponential = \"30s\" } # commits"]);
        assert_eq!(changed("choreographer.resync=2h,3h"), ["resync = \"2h\"", "resync = \"3h\""]);
    }

    #[test]
    fn what_was_not_said_can_be() {
        let variation: Variation = "oracle.app.fails=0..0.5*3".parse().unwrap();
        assert_eq!(variation.values(), [Value::Number(0.0), Value::Number(0.25), Value::Number(0.5)]);
        let text = variation.apply(TEXT, &variation.values()[1]).unwrap();
        let scenario = Scenario::parse("a.toml", &text).unwrap();
        assert_eq!(scenario.setting.oracles[1].fails, crate::model::Probability::new(0.25).unwrap());
        assert!(text.starts_with("# What it is about."), "{text}");
    }

    #[test]
    fn durations_go_by_factors_and_numbers_by_steps() {
        let told = |text: &str| {
            let variation: Variation = text.parse().unwrap();
            variation.values().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told("a.b=1m..16m*5"), ["1m", "2m", "4m", "8m", "16m"]);
        assert_eq!(told("a.b=1m..20m*3"), ["1m", "4m28s", "20m"]);
        assert_eq!(told("a.b=1..9*3"), ["1", "5", "9"]);
        assert_eq!(told("a.b=0..1*4"), ["0", "0.333333333", "0.666666667", "1"]);
        assert_eq!(told("a.b=start, finish"), ["start", "finish"]);
    }

    #[test]
    fn what_is_wrong_is_told() {
        let wrong = |text: &str| text.parse::<Variation>().unwrap_err().message;
        assert_eq!(wrong("oracle.image.work"), "`oracle.image.work` does not say which values");
        assert_eq!(wrong("work=1m,2m"), "`work` is not a place in a scenario");
        assert_eq!(wrong("a.b=1m..2m"), "`1m..2m` does not say how many values");
        assert_eq!(wrong("a.b=1m..2m*1"), "`1` is not a number of values");
        assert_eq!(wrong("a.b=0s..2m*3"), "durations between two ends go up by equal factors, from more than zero");
        assert_eq!(wrong("a.b=start..2m*3"), "there is nothing between `start` and `2m`, in this order");
        assert_eq!(wrong("a.b=1m,,2m"), "a value of `a.b` is empty");
        let nowhere = |text: &str| {
            let variation: Variation = text.parse().unwrap();
            let error = variation.apply(TEXT, &variation.values()[0]).unwrap_err();
            format!("{}: {}", error.message, error.help)
        };
        assert_eq!(nowhere("oracle.imgae.work=1m"), "no [[oracle]] is `imgae`: there are image, app");
        assert_eq!(nowhere("update.3.every=1m"), "no [[update]] is `3`: there are 2, counted from 1");
        assert!(nowhere("update.evry=1m").starts_with("`update.evry` is nowhere in the scenario"));
        assert!(nowhere("orcale.image.work=1m").starts_with("the scenario has no `orcale`"));
    }
}
