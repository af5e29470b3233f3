//! What a person claims: `[[expect]]`.

use super::document::{Table, Value};
use super::failure::{Lines, Mistake, Read};
use super::names::distinct;
use super::wording::{all_of, helped, meant, nearest, quoted};
use super::{Bound, Claimed, Expectation, NamedPolicy};
use crate::catalogue;
use crate::explore::Property;
use crate::measure::{Kind, MEASURES, Measure, Reading};
use crate::model::Axis;

/// The keys of an expectation that are no measures.
const OTHERS: [&str; 4] = ["policy", "outcome", "property", "holds"];

/// The keys of a bound.
const BOUNDS: [&str; 4] = ["above", "at_least", "below", "at_most"];

/// Measures of which there is none where nothing was delivered.
const MAY_BE_ABSENT: [&str; 2] = ["latency", "age"];

/// Reads one `[[expect]]`.
pub(crate) fn read(row: &Value<'_>, policies: &[NamedPolicy], lines: &Lines) -> Read<Expectation> {
    let table = row.open_table("an expectation", "[[expect]]")?;
    let about = about(&table, policies)?;
    let mut claims = Vec::new();
    for (place, value) in table.entries() {
        match value.key() {
            "policy" => {}
            "outcome" => {
                claims.push(Claimed::Outcome(listed(&value, "outcome", |value| value.axis())?));
            }
            "property" => claims.extend(properties(&table, &value)?),
            "holds" if table.get("property").is_some() => {}
            "holds" => {
                return Err(Mistake::at(place, "`holds` wants the `property` that does or does not")
                    .help("as in `property = \"progress\"`"));
            }
            name => match Measure::named(name) {
                Some(measure) => claims.push(claim(measure, &value)?),
                None if parts(name).next().is_some() => claims.extend(group(name, &value)?),
                None => {
                    return Err(no_measure(
                        name,
                        Mistake::at(place, format!("nothing is measured as {}", quoted(name))),
                    ));
                }
            },
        }
    }
    if claims.is_empty() {
        return Err(Mistake::at(table.place(), "this expectation expects nothing")
            .help("say what is claimed, as in `outcome = \"settled\"` or `misattributed = 0`"));
    }
    Ok(Expectation { policies: about, claims, line: lines.number(table.place().start) })
}

/// The policies it is about: a name, names, or `"*"`.
fn about(table: &Table<'_>, policies: &[NamedPolicy]) -> Read<Vec<usize>> {
    let value =
        table.need("policy", r#"policy = "*"` for all of them, or name some, as in `policy = ["read-always"]"#)?;
    if value.as_text() == Some("*") {
        return Ok((0..policies.len()).collect());
    }
    listed(&value, "policy", |value| {
        let name = value.text("the name of a policy", &policies[0].name)?;
        policies.iter().position(|policy| policy.name == name).ok_or_else(|| {
            let mistake = Mistake::at(value.place(), format!("no policy here is named {}", quoted(name)));
            if name == "*" {
                return mistake.help("`\"*\"` stands alone, for all policies: `policy = \"*\"`");
            }
            if catalogue::preset(name).is_some() {
                return mistake.help(format!(
                    "it is a preset that this scenario does not try; to try it, add\n[[policy]]\nname = \"{name}\""
                ));
            }
            helped(mistake, meant(name, "the policies here", policies.iter().map(|policy| policy.name.as_str())))
        })
    })
}

/// One or more of something, none twice.
fn listed<'a, T: PartialEq>(value: &Value<'a>, what: &str, read: impl Fn(&Value<'a>) -> Read<T>) -> Read<Vec<T>> {
    let values = value.one_or_more();
    if values.is_empty() {
        return Err(Mistake::at(value.place(), format!("this list names no {what}")).help("name at least one"));
    }
    distinct(&values, read)
}

fn properties(table: &Table<'_>, value: &Value<'_>) -> Read<Vec<Claimed>> {
    let properties = listed(value, "property", |value| {
        let name = value.text("the name of a property", "progress")?;
        Property::ALL.iter().copied().find(|property| property.name() == name).ok_or_else(|| {
            let mistake = Mistake::at(value.place(), format!("no property is named {}", quoted(name)));
            helped(mistake, meant(name, "the properties", Property::ALL.iter().map(|property| property.name())))
        })
    })?;
    let holds = match table.get("holds") {
        Some(value) => value.flag()?,
        None => {
            return Err(Mistake::at(table.key_place("property"), "a `property` wants to be said to hold, or not to")
                .help("add `holds = true` or `holds = false`"));
        }
    };
    Ok(properties.into_iter().map(|property| Claimed::Property { property, holds }).collect())
}

/// The measures of a group, as `latency.min` is of `latency`, by what comes after the point.
fn parts(group: &str) -> impl Iterator<Item = (&'static str, &'static Measure)> + Clone {
    MEASURES.iter().filter_map(move |measure| {
        let (of, part) = measure.name.split_once('.')?;
        (of == group).then_some((part, measure))
    })
}

/// `latency.p95 = ...`, which TOML reads as a table within the table, or `latency = "none"`.
fn group(name: &str, value: &Value<'_>) -> Read<Vec<Claimed>> {
    let names = || parts(name).map(|(_, measure)| measure.name);
    if value.as_text() == Some("none") && MAY_BE_ABSENT.contains(&name) {
        return Ok(parts(name).take(1).map(|(_, measure)| Claimed::Measure(measure, vec![Bound::Absent])).collect());
    }
    let which = || {
        Mistake::at(value.place(), format!("{} is more than one measure", quoted(name)))
            .help(format!("say which: {}", all_of(names())))
    };
    if !value.is_table() {
        return Err(which());
    }
    let table = value.open_table("a measure", "latency.p95 = { below = \"1h\" }")?;
    let entries = table.entries();
    if entries.iter().all(|(_, value)| BOUNDS.contains(&value.key())) {
        return Err(which());
    }
    let claims = entries.into_iter().map(|(place, value)| match parts(name).find(|(part, _)| *part == value.key()) {
        Some((_, measure)) => claim(measure, &value),
        None => {
            let full = format!("{name}.{}", value.key());
            let mistake = Mistake::at(place, format!("nothing is measured as {}", quoted(&full)));
            Err(helped(mistake, meant(&full, &format!("the measures of {name}"), names())))
        }
    });
    claims.collect()
}

/// Nothing is measured by this name, and it is no other key.
fn no_measure(name: &str, mistake: Mistake) -> Mistake {
    let measures = MEASURES.iter().map(|measure| measure.name);
    // Who writes `p95` means `latency.p95`.
    if let Some(whole) = measures.clone().find(|measure| measure.split('.').nth(1) == Some(name)) {
        return mistake.help(format!("did you mean {}?", quoted(whole)));
    }
    match nearest(name, OTHERS.into_iter().chain(measures.clone())) {
        Some(meant) => mistake.help(format!("did you mean {}?", quoted(meant))),
        None => mistake.help(format!("the measures: {}", all_of(measures))),
    }
}

/// A value, bounds, or none.
fn claim(measure: &'static Measure, value: &Value<'_>) -> Read<Claimed> {
    if value.as_text() == Some("none") {
        let of = measure.name.split('.').next().unwrap_or_default();
        return match MAY_BE_ABSENT.contains(&of) {
            true => Ok(Claimed::Measure(measure, vec![Bound::Absent])),
            false => Err(Mistake::at(value.place(), format!("there is always a value of {}", quoted(measure.name)))
                .help(format!("only of {} may there be none; perhaps you mean 0", all_of(MAY_BE_ABSENT)))),
        };
    }
    if !value.is_table() {
        return Ok(Claimed::Measure(measure, vec![Bound::Is(reading(measure, value)?)]));
    }
    let example = format!("{} = {{ below = {} }}", measure.name, example(measure));
    let table = value.table("a bound", BOUNDS, &example)?;
    if table.entries().is_empty() {
        return Err(Mistake::at(value.place(), "this bounds nothing").help(format!("as in `{example}`")));
    }
    let low = one_of(&table, measure, ["above", "at_least"])?;
    let high = one_of(&table, measure, ["below", "at_most"])?;
    if let (Some((_, low)), Some((key, high))) = (&low, &high) {
        let empty = if low.1 && high.1 { low.0 > high.0 } else { low.0 >= high.0 };
        if empty {
            return Err(
                Mistake::at(table.key_place(key), "no value is within these bounds").help("swap them, or widen them")
            );
        }
    }
    let low = low.map(|(_, (reading, with))| if with { Bound::AtLeast(reading) } else { Bound::Above(reading) });
    let high = high.map(|(_, (reading, with))| if with { Bound::AtMost(reading) } else { Bound::Below(reading) });
    Ok(Claimed::Measure(measure, low.into_iter().chain(high).collect()))
}

/// The key that is given of two that bound the same side, the reading, and whether that reading is itself allowed.
type Side = Option<(&'static str, (Reading, bool))>;

fn one_of(table: &Table<'_>, measure: &Measure, [without, with]: [&'static str; 2]) -> Read<Side> {
    match (table.get(without), table.get(with)) {
        (Some(_), Some(second)) => {
            Err(Mistake::at(table.key_place(second.key()), format!("`{without}` and `{with}` bound the same side"))
                .help("take one of the two away"))
        }
        (Some(value), None) => Ok(Some((without, (reading(measure, &value)?, false)))),
        (None, Some(value)) => Ok(Some((with, (reading(measure, &value)?, true)))),
        (None, None) => Ok(None),
    }
}

fn example(measure: &Measure) -> &'static str {
    match measure.kind {
        Kind::Count => "3",
        Kind::Span => "\"1h\"",
        Kind::Share => "0.5",
    }
}

/// A value of the measure's own kind.
fn reading(measure: &Measure, value: &Value<'_>) -> Read<Reading> {
    let help = format!("as in `{} = {}`: {}", measure.name, example(measure), measure.meaning);
    match measure.kind {
        Kind::Count if value.is_whole() => value.count().map(Reading::Count),
        Kind::Count => Err(value.instead_of("a count", &help)),
        Kind::Span if value.as_text().is_some() => value.span().map(Reading::Span),
        Kind::Span => Err(value.instead_of("a duration", &help)),
        Kind::Share => {
            let share = value.number("a share from 0 to 1", "0.5")?;
            if (0.0..=1.0).contains(&share) {
                return Ok(Reading::Share(share));
            }
            let mistake = Mistake::at(value.place(), format!("{} lies between 0 and 1", quoted(measure.name)));
            Err(match (2.0..=100.0).contains(&share) {
                true => mistake.help(format!("for {share} percent, write {}", share / 100.0)),
                false => mistake.help(help),
            })
        }
    }
}
