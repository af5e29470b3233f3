//! Times and lengths of time as a person reads them.

use std::fmt;

use crate::model::Time;

/// An instant as hours, minutes, seconds and milliseconds: `0:02:30.500`. What is finer is cut off; traces have it.
#[derive(Clone, Copy, Debug)]
pub struct Clock(pub Time);

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let millis = self.0.0 / 1_000_000;
        let (seconds, millis) = (millis / 1_000, millis % 1_000);
        f.pad(&format!("{}:{:02}:{:02}.{millis:03}", seconds / 3_600, seconds / 60 % 60, seconds % 60))
    }
}

/// A length of time in two units, rounded: `350ms`, `4.2s`, `2m05s`, `1h23m`, `3d04h`. It may be negative.
#[derive(Clone, Copy, Debug)]
pub struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.abs();
        let text = if !seconds.is_finite() {
            "?".to_owned()
        } else if seconds < 0.000_5 {
            // Half a millisecond and less is nothing to a supply chain.
            "0s".to_owned()
        } else if seconds < 0.999_5 {
            format!("{:.0}ms", seconds * 1e3)
        } else if seconds < 9.95 {
            let text = format!("{seconds:.1}");
            format!("{}s", text.strip_suffix(".0").unwrap_or(&text))
        } else if seconds < 59.5 {
            format!("{seconds:.0}s")
        } else if seconds < 3_570.0 {
            two(seconds, 1.0, "m", "s")
        } else if seconds < 84_600.0 {
            two(seconds, 60.0, "h", "m")
        } else {
            let hours = (seconds / 3_600.0).round() as u64;
            format!("{}d{:02}h", hours / 24, hours % 24)
        };
        let sign = if self.0 < 0.0 && text != "0s" { "-" } else { "" };
        f.pad(&format!("{sign}{text}"))
    }
}

/// `seconds` in whole `unit`s, sixty of which make one of the larger.
fn two(seconds: f64, unit: f64, large: &str, small: &str) -> String {
    let units = (seconds / unit).round() as u64;
    match units % 60 {
        0 => format!("{}{large}", units / 60),
        rest => format!("{}{large}{rest:02}{small}", units / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_reads_in_two_units() {
        let read = |seconds| Short(seconds).to_string();
        assert_eq!(read(0.0), "0s");
        assert_eq!(read(0.0001), "0s");
        assert_eq!(read(0.35), "350ms");
        assert_eq!(read(0.9996), "1s");
        assert_eq!(read(4.2), "4.2s");
        assert_eq!(read(9.96), "10s");
        assert_eq!(read(59.4), "59s");
        assert_eq!(read(59.6), "1m");
        assert_eq!(read(125.0), "2m05s");
        assert_eq!(read(3_569.4), "59m29s");
        assert_eq!(read(3_599.6), "1h");
        assert_eq!(read(4_980.0), "1h23m");
        assert_eq!(read(86_399.0), "1d00h");
        assert_eq!(read(90_000.0), "1d01h");
        assert_eq!(read(-192.0), "-3m12s");
        assert_eq!(read(-0.0001), "0s");
    }

    #[test]
    fn a_clock_is_cut_to_milliseconds() {
        assert_eq!(Clock(Time(150_500_900_000)).to_string(), "0:02:30.500");
        assert_eq!(Clock(Time(93_600_000_000_000)).to_string(), "26:00:00.000");
    }
}
