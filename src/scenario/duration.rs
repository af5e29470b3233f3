//! Durations as people write them (`1h30m`, `90s`, `250ms`), and the distributions that may stand in their place.

use super::document::{Table, Value};
use super::failure::{Mistake, Read};
use super::wording::{any_of, quoted};
use crate::model::{Length, SECOND, Span, Time};

/// The units, from large to small, in nanoseconds.
const UNITS: [(&str, u64); 7] = [
    ("d", 86_400 * SECOND),
    ("h", 3_600 * SECOND),
    ("m", 60 * SECOND),
    ("s", SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// What people write for a unit that is spelled otherwise here.
const OTHER_SPELLINGS: [(&[&str], &str); 7] = [
    (&["day", "days", "D"], "d"),
    (&["hr", "hrs", "hour", "hours", "H"], "h"),
    (&["min", "mins", "minute", "minutes", "M"], "m"),
    (&["sec", "secs", "second", "seconds", "S"], "s"),
    (&["msec", "millis", "milliseconds"], "ms"),
    (&["usec", "micros", "microseconds"], "us"),
    (&["nanos", "nanoseconds"], "ns"),
];

/// Why text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DurationError {
    /// It says nothing, or something else.
    NotADuration,
    /// There are spaces in it.
    Spaces,
    /// It begins with a minus sign.
    Negative,
    /// A number stands without a unit.
    NoUnit,
    /// There is no such unit; perhaps this one was meant.
    UnknownUnit(String, Option<&'static str>),
    /// Units stand out of order, or twice.
    OutOfOrder,
    /// There is no whole number of nanoseconds in it.
    TooFine,
    /// It does not fit into the nanoseconds that 64 bits count.
    TooLong,
}

impl std::fmt::Display for DurationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            DurationError::NotADuration => f.write_str("is not a duration"),
            DurationError::Spaces => f.write_str("has spaces in it"),
            DurationError::Negative => f.write_str("is negative, and time only goes on"),
            DurationError::NoUnit => f.write_str("has a number without a unit"),
            DurationError::UnknownUnit(unit, _) => write!(f, "has an unknown unit {}", quoted(unit)),
            DurationError::OutOfOrder => f.write_str("has its units out of order"),
            DurationError::TooFine => f.write_str("is finer than a nanosecond"),
            DurationError::TooLong => f.write_str("is longer than 584 years"),
        }
    }
}

impl std::error::Error for DurationError {}

impl DurationError {
    /// What would be right.
    pub fn help(&self) -> String {
        match self {
            DurationError::NotADuration | DurationError::NoUnit => {
                "a duration is numbers with units, as in `1h30m`, `90s` or `250ms`".into()
            }
            DurationError::Spaces => "write it in one piece, as in `1h30m`".into(),
            DurationError::Negative => "write a duration of zero or more, as in `90s`".into(),
            DurationError::UnknownUnit(_, Some(meant)) => format!("did you mean `{meant}`?"),
            DurationError::UnknownUnit(_, None) => format!("the units are {}", any_of(UNITS.map(|(unit, _)| unit))),
            DurationError::OutOfOrder => "go from large to small, each unit once, as in `1h30m`".into(),
            DurationError::TooFine => "simulated time is whole nanoseconds; round it to one".into(),
            DurationError::TooLong => "simulated time is nanoseconds in 64 bits; take a shorter one".into(),
        }
    }
}

/// Reads a duration as scenario files write it. Decimals are allowed where they come to whole nanoseconds.
pub fn parse_duration(text: &str) -> Result<Span, DurationError> {
    if text.starts_with(['-', '−']) {
        return Err(DurationError::Negative);
    }
    if text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit()) {
        return Err(DurationError::Spaces);
    }
    let mut rest = text;
    let mut total: u64 = 0;
    let mut units_left = &UNITS[..];
    if rest.is_empty() {
        return Err(DurationError::NotADuration);
    }
    while !rest.is_empty() {
        let number;
        (number, rest) = split_where(rest, |c| !c.is_ascii_digit() && c != '.');
        let unit;
        (unit, rest) = split_where(rest, |c| !c.is_alphabetic());
        if number.is_empty() {
            return Err(DurationError::NotADuration);
        }
        let unit = match unit {
            "" if rest.is_empty() => return Err(DurationError::NoUnit),
            "" => return Err(DurationError::NotADuration),
            "µs" | "μs" => "us",
            unit => unit,
        };
        let Some(place) = units_left.iter().position(|(name, _)| *name == unit) else {
            let known = UNITS.iter().any(|(name, _)| *name == unit);
            return Err(if known { DurationError::OutOfOrder } else { unknown(unit) });
        };
        let span = scaled(number, units_left[place].1)?;
        total = total.checked_add(span).ok_or(DurationError::TooLong)?;
        units_left = &units_left[place + 1..];
    }
    Ok(Span(total))
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(ends).unwrap_or(text.len()))
}

fn unknown(unit: &str) -> DurationError {
    let meant = OTHER_SPELLINGS.iter().find(|(others, _)| others.contains(&unit)).map(|(_, meant)| *meant);
    DurationError::UnknownUnit(unit.to_owned(), meant)
}

/// A decimal number of a unit, in nanoseconds, exactly.
fn scaled(number: &str, unit: u64) -> Result<u64, DurationError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    if whole.is_empty() || fraction.is_empty() || fraction.contains('.') {
        return Err(DurationError::NotADuration);
    }
    let whole: u64 = whole.parse().map_err(|_| DurationError::TooLong)?;
    let fraction = fraction.trim_end_matches('0');
    // A day is 8.64e13 ns: no more than 14 decimals of anything can come to whole nanoseconds.
    if fraction.len() > 14 {
        return Err(DurationError::TooFine);
    }
    let numerator = u128::from(unit) * fraction.parse::<u128>().unwrap_or(0);
    let denominator = 10_u128.pow(fraction.len() as u32);
    if !numerator.is_multiple_of(denominator) {
        return Err(DurationError::TooFine);
    }
    let nanoseconds = u128::from(whole) * u128::from(unit) + numerator / denominator;
    u64::try_from(nanoseconds).map_err(|_| DurationError::TooLong)
}

/// The distributions by the key that names them, and how each is written.
const DISTRIBUTIONS: [(&str, &str); 5] = [
    ("uniform", r#"{ uniform = ["1m", "5m"] }"#),
    ("exponential", r#"{ exponential = "90s" }"#),
    ("lognormal", r#"{ lognormal = { median = "3m", p95 = "9m" } }"#),
    ("gamma", r#"{ gamma = { mean = "3m", sd = "1m" } }"#),
    ("empirical", r#"{ empirical = ["61s", "75s", "180s"] }"#),
];

impl Value<'_> {
    /// A duration, and no distribution.
    pub fn span(&self) -> Read<Span> {
        if self.is_table() {
            return Err(Mistake::at(
                self.place(),
                format!("{} wants one duration, not a distribution", quoted(self.key())),
            )
            .help(format!("as in `{} = \"90s\"`", self.key())));
        }
        let Some(text) = self.as_text() else { return Err(self.no_duration("a duration")) };
        parse_duration(text)
            .map_err(|error| Mistake::at(self.place(), format!("{} {error}", quoted(text))).help(error.help()))
    }

    /// Neither text nor a table stands here: most likely a number.
    fn no_duration(&self, wanted: &str) -> Mistake {
        match self.is_whole().then(|| self.count().ok()).flatten() {
            Some(number) => {
                self.instead_of(wanted, &format!("say in which unit, and put it in quotes: `\"{number}s\"`"))
            }
            None => {
                self.instead_of(wanted, "a duration is numbers with units in quotes, as in `\"90s\"` or `\"1h30m\"`")
            }
        }
    }

    /// A duration longer than nothing.
    fn positive_span(&self, what: &str) -> Read<Span> {
        match self.span()? {
            Span::ZERO => Err(Mistake::at(self.place(), format!("{what} cannot be zero"))
                .help("write a longer duration; for no time at all, write `\"0s\"` in place of the distribution")),
            span => Ok(span),
        }
    }

    /// An instant, as the time from the start of the run.
    pub fn time(&self) -> Read<Time> {
        self.span().map(|span| Time(span.0))
    }

    /// A duration, or the distribution it is drawn from.
    pub fn length(&self) -> Read<Length> {
        if self.as_text().is_some() {
            return self.span().map(Length::Fixed);
        }
        let ways = DISTRIBUTIONS.map(|(_, example)| format!("\n{example}")).concat();
        if !self.is_table() {
            return Err(self.no_duration("a duration or a distribution").help(format!("the distributions are{ways}")));
        }
        let table = self.table("a distribution", DISTRIBUTIONS.map(|(name, _)| name), "")?;
        match &table.entries()[..] {
            [(_, value)] => distribution(value),
            [] => Err(Mistake::at(self.place(), "this distribution is empty").help(format!("name one of{ways}"))),
            [_, (place, second), ..] => {
                Err(Mistake::at(place.clone(), format!("{} is a second distribution", quoted(second.key())))
                    .help("a duration is drawn from one distribution; take one of the two away"))
            }
        }
    }

    /// A length between things that come again and again during `total`: not always zero, nor so short that a run of
    /// them would never end. `count` may end them before.
    pub fn interval(&self, total: Span, count: Option<u64>) -> Read<Length> {
        const MOST: u64 = 10_000_000;
        let length = self.length()?;
        if always_zero(&length) {
            return Err(Mistake::at(self.place(), format!("{} cannot be zero", quoted(self.key())))
                .help("without time between them they would never end: write a longer duration"));
        }
        let coming = (total.0 / typical(&length).0.max(1)).min(count.unwrap_or(u64::MAX));
        if coming > MOST {
            return Err(Mistake::at(self.place(), format!("about {coming} of these would come, too many for a run"))
                .help(format!("write a longer duration: at most {MOST} may come in {total}")));
        }
        Ok(length)
    }
}

fn distribution(value: &Value<'_>) -> Read<Length> {
    let example = DISTRIBUTIONS.iter().find(|(name, _)| *name == value.key()).map_or("", |(_, example)| *example);
    match value.key() {
        "uniform" => uniform(value, example),
        "exponential" => Ok(Length::Exponential(value.positive_span("the mean")?)),
        "lognormal" => lognormal(&value.table("`lognormal`", ["median", "p95"], example)?),
        "gamma" => gamma(&value.table("`gamma`", ["mean", "sd"], example)?),
        _ => empirical(value, example),
    }
}

fn uniform(value: &Value<'_>, example: &str) -> Read<Length> {
    let help = format!("as in `{example}`");
    let ends = value.list("the shortest and the longest duration", &help)?;
    let [shortest, longest] = &ends[..] else {
        return Err(
            Mistake::at(value.place(), "`uniform` wants two durations, the shortest and the longest").help(help)
        );
    };
    let (from, to) = (shortest.span()?, longest.span()?);
    if from > to {
        return Err(Mistake::at(longest.place(), format!("the longest, {to}, is shorter than the shortest, {from}"))
            .help("write the shorter first"));
    }
    Ok(Length::Uniform(from, to))
}

fn lognormal(table: &Table<'_>) -> Read<Length> {
    let median = table.need("median", r#"median = "3m""#)?.positive_span("the median")?;
    let p95 = table.need("p95", r#"p95 = "9m""#)?;
    let place = p95.place();
    let p95 = p95.span()?;
    if p95 < median {
        return Err(Mistake::at(place, format!("the 95th percentile, {p95}, is shorter than the median, {median}"))
            .help("95 of 100 draws are shorter than `p95` and only half are shorter than `median`"));
    }
    Ok(Length::LogNormal { median, p95 })
}

fn gamma(table: &Table<'_>) -> Read<Length> {
    let mean = table.need("mean", r#"mean = "3m""#)?.positive_span("the mean")?;
    let sd = table.need("sd", r#"sd = "1m""#)?.positive_span("the standard deviation")?;
    Ok(Length::Gamma { mean, sd })
}

fn empirical(value: &Value<'_>, example: &str) -> Read<Length> {
    let help = format!("as in `{example}`");
    let list = value.list("a list of durations", &help)?;
    if list.is_empty() {
        return Err(Mistake::at(value.place(), "there is nothing to draw from in an empty list").help(help));
    }
    Ok(Length::Empirical(list.iter().map(|item| item.span()).collect::<Read<_>>()?))
}

/// Something between the shortest and the longest draw, by which to tell how often something comes.
pub(crate) fn typical(length: &Length) -> Span {
    match length {
        Length::Fixed(span) | Length::Exponential(span) => *span,
        Length::LogNormal { median: span, .. } | Length::Gamma { mean: span, .. } => *span,
        Length::Uniform(from, to) => Span(from.0 / 2 + to.0 / 2),
        Length::Empirical(spans) => {
            let total: u128 = spans.iter().map(|span| u128::from(span.0)).sum();
            // The mean of numbers of 64 bits is one; an empty list, which no file has, counts as zero.
            Span(total.checked_div(spans.len() as u128).unwrap_or(0) as u64)
        }
    }
}

/// Whether every draw is zero.
pub(crate) fn always_zero(length: &Length) -> bool {
    match length {
        Length::Fixed(span) | Length::Uniform(_, span) => *span == Span::ZERO,
        Length::Exponential(_) | Length::LogNormal { .. } | Length::Gamma { .. } => false,
        Length::Empirical(spans) => spans.iter().all(|span| *span == Span::ZERO),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_write_them() {
        let cases = [
            ("1h30m", 5_400 * SECOND),
            ("90s", 90 * SECOND),
            ("250ms", 250_000_000),
            ("1d", 86_400 * SECOND),
            ("7us", 7_000),
            ("7µs", 7_000),
            ("9ns", 9),
            ("0s", 0),
            ("1.5s", 1_500_000_000),
            ("0.25h", 900 * SECOND),
            ("1.000000001s", 1_000_000_001),
            ("1.50000000000000000000000s", 1_500_000_000),
            ("18446744073709551615ns", u64::MAX),
        ];
        for (text, nanoseconds) in cases {
            assert_eq!(parse_duration(text), Ok(Span(nanoseconds)), "{text}");
        }
    }

    #[test]
    fn what_is_no_duration_is_told_apart() {
        use DurationError::*;
        let cases = [
            ("", NotADuration),
            ("soon", NotADuration),
            ("1h 30m", Spaces),
            (" 1s", Spaces),
            ("1.s", NotADuration),
            (".5s", NotADuration),
            ("1..5s", NotADuration),
            ("1e3s", UnknownUnit("e".into(), None)),
            ("-5s", Negative),
            ("90", NoUnit),
            ("1h30", NoUnit),
            ("5min", UnknownUnit("min".into(), Some("m"))),
            ("5w", UnknownUnit("w".into(), None)),
            ("30m1h", OutOfOrder),
            ("1s1s", OutOfOrder),
            ("0.5ns", TooFine),
            ("1.0000000001s", TooFine),
            ("18446744073709551616ns", TooLong),
            ("999999999999999999999999d", TooLong),
            ("300000d", TooLong),
        ];
        for (text, error) in cases {
            assert_eq!(parse_duration(text), Err(error), "{text}");
        }
    }

    #[test]
    fn what_a_span_prints_reads_back() {
        for nanoseconds in [0, 1, 999, 1_000_000_001, 5_400 * SECOND, 86_400 * SECOND + 1, u64::MAX] {
            assert_eq!(parse_duration(&Span(nanoseconds).to_string()), Ok(Span(nanoseconds)));
        }
    }
}
