//! Simulated time: whole nanoseconds from the start of the run (contract §1). No clock and no floating point.

use std::fmt;
use std::ops::{Add, Sub};

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

/// A length of simulated time in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);

    /// The time that has passed since `earlier`; zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Seconds from the start of the run, for people and JSON; never fed back into a simulation.
    pub fn as_seconds(self) -> f64 {
        Span(self.0).as_seconds()
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// One day.
    pub const DAY: Span = Span(86_400 * SECOND);

    /// Whole seconds.
    pub const fn seconds(n: u64) -> Span {
        Span(n * SECOND)
    }

    /// Seconds as a float, for people and JSON; never fed back into a simulation.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }
}

impl Add<Span> for Time {
    type Output = Time;
    /// Saturates: an instant past the end of representable time is later than every horizon.
    fn add(self, span: Span) -> Time {
        Time(self.0.saturating_add(span.0))
    }
}

impl Sub<Time> for Time {
    type Output = Span;
    fn sub(self, earlier: Time) -> Span {
        debug_assert!(self >= earlier);
        self.since(earlier)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }
}

/// Prints a duration as scenario files write it: `1h30m`, `90s` as `1m30s`, `250ms`, `0s`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 7] = [
            (86_400 * SECOND, "d"),
            (3_600 * SECOND, "h"),
            (60 * SECOND, "m"),
            (SECOND, "s"),
            (1_000_000, "ms"),
            (1_000, "us"),
            (1, "ns"),
        ];
        if self.0 == 0 {
            return f.write_str("0s");
        }
        let mut rest = self.0;
        for (size, unit) in UNITS {
            if rest >= size {
                write!(f, "{}{unit}", rest / size)?;
                rest %= size;
            }
        }
        Ok(())
    }
}

/// A duration or the distribution it is drawn from. Draws are rounded to whole nanoseconds and never negative.
#[derive(Clone, Debug, PartialEq)]
pub enum Length {
    /// Always the same.
    Fixed(Span),
    /// Uniform between two ends.
    Uniform(Span, Span),
    /// Exponential, by its mean.
    Exponential(Span),
    /// Log-normal, by its median and its 95th percentile.
    LogNormal {
        /// Half of all draws are shorter.
        median: Span,
        /// 95 of 100 draws are shorter.
        p95: Span,
    },
    /// Gamma, by its mean and standard deviation.
    Gamma {
        /// The mean.
        mean: Span,
        /// The standard deviation.
        sd: Span,
    },
    /// One of these, each as likely.
    Empirical(Vec<Span>),
}

impl Length {
    /// The length that takes no time.
    pub const ZERO: Length = Length::Fixed(Span::ZERO);

    /// Whether it is drawn by chance.
    #[inline]
    pub fn is_random(&self) -> bool {
        !matches!(self, Length::Fixed(_))
    }
}

impl Default for Length {
    fn default() -> Self {
        Length::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_prints_as_a_person_writes_it() {
        assert_eq!(Span::seconds(5400).to_string(), "1h30m");
        assert_eq!(Span(250_000_000).to_string(), "250ms");
        assert_eq!(Span::ZERO.to_string(), "0s");
        assert_eq!(Span(1_000_000_001).to_string(), "1s1ns");
        assert_eq!(Span::DAY.to_string(), "1d");
    }
}
