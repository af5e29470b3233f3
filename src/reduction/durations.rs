//! Durations and numbers that a person can remember.

use toml_edit::{DocumentMut, Item, Value as Toml};

use super::Reducer;
use super::place::{self, Place, Step};
use crate::model::{SECOND, Span};
use crate::scenario::parse_duration;

/// Brings the horizon nearer: to a half while that will do, then to three quarters, then to a round length.
pub(super) fn shorten_horizon(reducer: &mut Reducer) {
    let horizon = |reducer: &Reducer| {
        reducer.document.get("horizon").and_then(Item::as_str).and_then(|text| parse_duration(text).ok())
    };
    for (part, of) in [(1, 2), (3, 4), (9, 10)] {
        while let Some(now) = horizon(reducer) {
            let nearer = Span(now.0 / of * part);
            let rounder = Span(first_digit(nearer).0.max(1));
            let set =
                |to: Span| move |document: &mut DocumentMut| document["horizon"] = toml_edit::value(to.to_string());
            if nearer < NEAREST || !((rounder < now && reducer.attempt(set(rounder))) || reducer.attempt(set(nearer))) {
                break;
            }
        }
    }
}

/// Nobody reads a shorter run more easily.
const NEAREST: Span = Span(SECOND);

/// Takes away the time in which nothing happens yet.
pub(super) fn begin_at_once(reducer: &mut Reducer) {
    let is_time = |place: &Place| {
        let list = matches!(place.first(), Some(Step::Key(key)) if LISTS.contains(&key.as_str()));
        list && place.len() == 3
            && matches!(&place[2], Step::Key(key) if ["at", "from", "until"].contains(&key.as_str()))
    };
    let places: Vec<Place> = place::all(&reducer.document).into_iter().filter(is_time).collect();
    let span = |document: &DocumentMut, place: &Place| {
        place::value(document, place)?.as_str().and_then(|text| parse_duration(text).ok())
    };
    let Some(first) = places.iter().filter_map(|place| span(&reducer.document, place)).min() else { return };
    reducer.attempt(|document| {
        for place in places.iter().chain([&vec![Step::Key("horizon".to_owned())]]) {
            if let Some(span) = span(document, place) {
                place::put(document, place, &Toml::from(Span(span.0.saturating_sub(first.0)).to_string()));
            }
        }
    });
}

/// What befalls a run at certain times.
const LISTS: [&str; 6] = ["update", "world", "outage", "tamper", "forge", "restart"];

/// Makes durations short and round, distributions single values, and chances certain.
pub(super) fn round(reducer: &mut Reducer) {
    let mut at = 0;
    loop {
        let places = place::all(&reducer.document);
        let Some(place) = places.get(at) else { return };
        at += 1;
        let stays = matches!(place.first(), Some(Step::Key(key)) if ["about", "source", "horizon", "expect"].contains(&key.as_str()));
        let Some(old) = place::value(&reducer.document, place).filter(|_| !stays) else { continue };
        for new in simpler(&old) {
            if reducer.attempt(|document| place::put(document, place, &new)) {
                break;
            }
        }
    }
}

/// What is simpler than a value, the simplest first. Each is strictly simpler, so that this comes to an end.
fn simpler(value: &Toml) -> Vec<Toml> {
    match value {
        Toml::String(text) => {
            let Ok(span) = parse_duration(text.value()) else { return Vec::new() };
            let rank = |span: Span| (digits(span), span);
            let candidates = [Span::ZERO, unit(span)].into_iter().chain(rounded(span));
            let simpler = candidates.filter(|&candidate| rank(candidate) < rank(span));
            simpler.map(|span| Toml::from(span.to_string())).collect()
        }
        Toml::InlineTable(table) if table.len() == 1 => {
            // A distribution: what it is written by may stand in its place.
            let (kind, inner) = table.iter().next().expect("it holds one");
            let is_distribution = ["uniform", "exponential", "lognormal", "gamma", "empirical"].contains(&kind);
            let within: Vec<&Toml> = match inner {
                Toml::Array(values) => values.iter().collect(),
                Toml::InlineTable(values) => values.iter().map(|(_, value)| value).collect(),
                single => vec![single],
            };
            let spans = within
                .into_iter()
                .filter_map(Toml::as_str)
                .filter(|text| is_distribution && parse_duration(text).is_ok());
            spans.map(Toml::from).collect()
        }
        Toml::Float(chance) if *chance.value() > 0.0 && *chance.value() < 1.0 => vec![Toml::from(1.0)],
        Toml::Integer(number) if *number.value() > 1 => vec![Toml::from(1), Toml::from(number.value() / 2)],
        _ => Vec::new(),
    }
}

const UNITS: [u64; 6] = [3_600_000_000_000, 60_000_000_000, 1_000_000_000, 1_000_000, 1_000, 1];

fn largest_unit(span: Span) -> u64 {
    UNITS.into_iter().find(|&unit| unit <= span.0).unwrap_or(1)
}

/// One of the largest unit in it.
fn unit(span: Span) -> Span {
    Span(largest_unit(span))
}

/// The first digit of the largest unit in it; the others are nought.
fn first_digit(span: Span) -> Span {
    let unit = largest_unit(span);
    let count = span.0 / unit;
    let power = 10_u64.pow(count.checked_ilog10().unwrap_or(0));
    Span(count / power * power * unit)
}

/// Down to whole days, hours, minutes, seconds and so on, and up, and at last to one digit.
fn rounded(span: Span) -> impl Iterator<Item = Span> {
    let parts = UNITS.into_iter().flat_map(move |unit| {
        let down = span.0 / unit * unit;
        [Span(down), Span(down.saturating_add(unit))]
    });
    parts.filter(|span| span.0 > 0).chain([first_digit(span)])
}

/// The digits that must be remembered.
fn digits(span: Span) -> usize {
    span.to_string().chars().filter(|c| ('1'..='9').contains(c)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_simpler_has_fewer_digits_or_is_shorter() {
        let told = |text: &str| {
            simpler(&Toml::from(text)).iter().map(|value| value.as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(told("1h3m20s"), ["0s", "1h", "1h", "2h", "1h3m", "1h4m", "1h"]);
        assert_eq!(told("47m"), ["0s", "1m", "1h", "40m"]);
        assert_eq!(told("1m"), ["0s"]);
        assert_eq!(told("0s"), [""; 0]);
        assert_eq!(told("start"), [""; 0]);
    }
}
