//! Numbers as a person reads them, and measures as JSON.

use serde_json::{Map, Value, json};

use super::durations::Short;
use crate::measure::{Kind, MEASURES, Measure, Moments, Reading};

/// A reading, or the mean of some.
pub fn figure(kind: Kind, value: f64) -> String {
    match kind {
        Kind::Count => count(value),
        Kind::Span => Short(value).to_string(),
        Kind::Share => percent(value),
    }
}

/// A mean with half of its interval, unless that rounds to nothing.
pub fn mean(kind: Kind, moments: &Moments) -> String {
    if moments.count == 0 {
        return "-".to_owned();
    }
    format!("{}{}", figure(kind, moments.mean), half(kind, moments).map(|half| format!(" ±{half}")).unwrap_or_default())
}

/// Half of a mean's interval, unless it rounds to nothing.
pub fn half(kind: Kind, moments: &Moments) -> Option<String> {
    let half = figure(kind, moments.interval()?.half());
    (half != figure(kind, 0.0)).then_some(half)
}

/// A difference, with its sign.
pub fn difference(kind: Kind, value: f64) -> String {
    let text = figure(kind, value);
    if value > 0.0 && text != figure(kind, 0.0) { format!("+{text}") } else { text }
}

/// A number of things, or the mean of some: three digits where it is broken.
fn count(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ if size >= 99.95 => format!("{value:.0}"),
        _ if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    };
    if text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.')) { "0".to_owned() } else { text }
}

/// A share: nothing but all is 100%, and nothing but none is 0%.
pub fn percent(share: f64) -> String {
    let text = format!("{:.0}%", share * 100.0);
    match text.as_str() {
        "0%" | "-0%" if share > 0.0 => "<1%".to_owned(),
        "-0%" => "0%".to_owned(),
        "100%" if share < 1.0 => ">99%".to_owned(),
        _ => text,
    }
}

/// A reading as JSON: counts as whole numbers, spans in seconds.
pub fn reading(reading: Option<Reading>) -> Value {
    match reading {
        None => Value::Null,
        Some(Reading::Count(count)) => json!(count),
        Some(other) => json!(other.as_f64()),
    }
}

/// All measures as JSON, `latency.p95` as `p95` within `latency`. A group of which there is nothing is null.
pub fn nested(first: Map<String, Value>, value: impl Fn(&'static Measure) -> Value) -> Value {
    let mut all = first;
    for measure in MEASURES {
        let value = value(measure);
        match measure.name.split_once('.') {
            None => {
                all.insert(measure.name.to_owned(), value);
            }
            Some((group, part)) => {
                let group = all.entry(group.to_owned()).or_insert_with(|| json!({}));
                group.as_object_mut().expect("no measure bears the name of a group").insert(part.to_owned(), value);
            }
        }
    }
    for value in all.values_mut() {
        if value.as_object().is_some_and(|group| group.values().all(Value::is_null)) {
            *value = Value::Null;
        }
    }
    Value::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_three_digits() {
        let all: Vec<_> = [0.0, 12.0, 0.126, 9.994, 12.34, 123.4, 0.001, -0.001, -2.5].into_iter().map(count).collect();
        assert_eq!(all, ["0", "12", "0.13", "9.99", "12.3", "123", "0", "0", "-2.50"]);
    }

    #[test]
    fn a_share_is_all_or_none_only_if_it_is() {
        let all: Vec<_> = [0.0, 0.001, 0.5, 0.999, 1.0, -0.2].into_iter().map(percent).collect();
        assert_eq!(all, ["0%", "<1%", "50%", ">99%", "100%", "-20%"]);
    }
}
