//! Starvation, staleness and age: what time does to what is not delivered (contract §7). All in whole nanoseconds.

use super::measures::MeanAndPeak;
use crate::model::{Span, Time};

/// The integral of `now - anchor` over time, and its largest value.
#[derive(Clone, Copy, Debug, Default)]
struct Ramp {
    /// Twice the integral, in square nanoseconds.
    doubled: u128,
    peak: u64,
}

impl Ramp {
    fn add(&mut self, anchor: Time, from: Time, to: Time) {
        let (low, high) = (u128::from(from.since(anchor).0), u128::from(to.since(anchor).0));
        self.doubled += high * high - low * low;
        self.peak = self.peak.max(high as u64);
    }

    /// Over `length`: the mean, rounded half up.
    fn over(&self, length: Span) -> MeanAndPeak {
        let length = u128::from(length.0);
        let mean = if length == 0 { self.peak.into() } else { (self.doubled + length) / (2 * length) };
        MeanAndPeak { mean: Span(mean as u64), peak: Span(self.peak) }
    }
}

/// What holds from the last change on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    pub wanted: bool,
    /// When the oldest update that matters was made.
    pub oldest: Option<Time>,
    /// When the newest delivered update was made.
    pub newest_delivered: Option<Time>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Freshness {
    since: Time,
    standing: Standing,
    starvation: Span,
    /// The first and the last instant of the present stretch at which something was wanted.
    wanted: Option<(Time, Time)>,
    staleness: Ramp,
    age: Ramp,
    first_delivery: Option<Time>,
    /// From where on is measured.
    from: Time,
}

impl Freshness {
    pub fn clear(&mut self) {
        *self = Freshness::default();
    }

    /// Time passes to `now`.
    #[inline]
    pub fn pass(&mut self, now: Time) {
        let since = std::mem::replace(&mut self.since, now);
        if since == now {
            return;
        }
        if self.standing.wanted {
            let first = self.wanted.map_or(since, |(first, _)| first);
            self.wanted = Some((first, now));
            if let Some(oldest) = self.standing.oldest {
                self.staleness.add(oldest, since, now);
            }
        }
        if let Some(made) = self.standing.newest_delivered {
            self.age.add(made, since, now);
        }
    }

    /// Forgets what was before `from`, which is now. What waits goes on waiting, and was made when it was.
    pub fn measure_from(&mut self, from: Time) {
        self.pass(from);
        *self = Freshness {
            since: from,
            standing: self.standing,
            first_delivery: self.first_delivery.map(|_| from),
            from,
            ..Freshness::default()
        };
    }

    /// What stands from now on.
    pub fn stand(&mut self, standing: Standing) {
        self.standing = standing;
    }

    /// Something was delivered now: a stretch ends.
    pub fn delivered(&mut self) {
        self.end_stretch();
        self.first_delivery.get_or_insert(self.since);
    }

    fn end_stretch(&mut self) {
        if let Some((first, last)) = self.wanted.take() {
            self.starvation = self.starvation.max(last - first);
        }
    }

    /// Starvation, staleness and age up to the horizon.
    pub fn end(&mut self, horizon: Time) -> (Span, MeanAndPeak, Option<MeanAndPeak>) {
        self.pass(horizon);
        self.end_stretch();
        let age = self.first_delivery.map(|first| {
            if let Some(made) = self.standing.newest_delivered {
                self.age.peak = self.age.peak.max(horizon.since(made).0);
            }
            self.age.over(horizon - first)
        });
        (self.starvation, self.staleness.over(horizon - self.from), age)
    }
}
