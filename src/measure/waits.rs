//! How long updates wait to be delivered, over many runs: quantiles with their intervals, and the share that waits longer.

use std::collections::BTreeMap;

use super::statistics::{Interval, t_quantile};

/// The waits of one run, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits<'a> {
    /// From the making of each valid update to its delivery, the shortest first.
    pub delivered: &'a [u64],
    /// From the making of each valid update that is not delivered to the horizon: it waits at least so long.
    pub undelivered: &'a [u64],
}

/// Values of many runs, counted in bins whose width is 1/64 of what they hold, so that any number of runs takes the same
/// memory. Mergeable: all of it is whole numbers.
///
/// The values of one run depend on each other, so a run is a cluster: intervals are those of a ratio of sums over runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pooled {
    /// Those that were needed.
    bins: BTreeMap<u64, Bin>,
    runs: u64,
    delivered: u64,
    undelivered: u64,
    /// The sum over runs of the square of how many values each has.
    squares: u128,
}

/// What came to lie in a bin. With `c` the number of a run's values in it or below, and `n` that of all its values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    delivered: u64,
    /// The sum of what was delivered.
    sum: u128,
    undelivered: u64,
    /// How much more the sum of `c²` over the runs is here than in the bin below.
    squares: u128,
    /// The same of `c · n`.
    products: u128,
}

/// A quantile in seconds, with its 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantile {
    /// The value, within 1.6%; exactly, where many are the same.
    pub value: f64,
    /// The lower end of the interval; none if so few runs tell of none.
    pub low: Option<f64>,
    /// The upper end; none likewise.
    pub high: Option<f64>,
}

/// Bins in each doubling of a value.
const PER_DOUBLING: u64 = 64;

fn bin_of(value: u64) -> u64 {
    if value < PER_DOUBLING {
        return value;
    }
    let doublings = value.ilog2() - PER_DOUBLING.ilog2();
    u64::from(doublings) * PER_DOUBLING + (value >> doublings)
}

impl Bin {
    /// The mean of what was delivered, in seconds.
    fn value(&self) -> f64 {
        self.sum as f64 / self.delivered as f64 / 1e9
    }
}

impl Pooled {
    /// Adds a run.
    pub fn push(&mut self, waits: Waits<'_>) {
        let all = waits.delivered.len() as u128;
        self.runs += 1;
        self.squares += all * all;
        for (below, &value) in waits.delivered.iter().enumerate() {
            let bin = self.bins.entry(bin_of(value)).or_default();
            bin.delivered += 1;
            bin.sum += u128::from(value);
            // The next square is larger by twice the root and one.
            bin.squares += 2 * below as u128 + 1;
            bin.products += all;
        }
        for &value in waits.undelivered {
            self.bins.entry(bin_of(value)).or_default().undelivered += 1;
        }
        self.delivered += waits.delivered.len() as u64;
        self.undelivered += waits.undelivered.len() as u64;
    }

    /// Adds all runs of `other`.
    pub fn merge(&mut self, other: &Pooled) {
        for (&at, theirs) in &other.bins {
            let ours = self.bins.entry(at).or_default();
            ours.sum += theirs.sum;
            ours.delivered += theirs.delivered;
            ours.undelivered += theirs.undelivered;
            ours.squares += theirs.squares;
            ours.products += theirs.products;
        }
        self.runs += other.runs;
        self.delivered += other.delivered;
        self.undelivered += other.undelivered;
        self.squares += other.squares;
    }

    /// How many values were delivered.
    pub fn delivered(&self) -> u64 {
        self.delivered
    }

    /// How many were not: of each only the least that it can be is known.
    pub fn undelivered(&self) -> u64 {
        self.undelivered
    }

    /// The quantile `p` of what was delivered, by nearest rank, with the interval of Woodruff (1952): that of the share of
    /// values up to it, by Student's t over the runs, read back as values. None if nothing was delivered.
    pub fn quantile(&self, p: f64) -> Option<Quantile> {
        let (at, bin) = self.first_bin(p)?;
        let value = bin.value();
        let Some(half) = self.half_of_share(at) else {
            return Some(Quantile { value, low: None, high: None });
        };
        let end = |share: f64| (0.0 < share && share < 1.0).then(|| self.first_bin(share)).flatten();
        let end = |share: f64| end(share).map(|(_, bin)| bin.value());
        Some(Quantile { value, low: end(p - half), high: end(p + half) })
    }

    /// The first bin up to which the share `p` of the delivered values lies.
    fn first_bin(&self, p: f64) -> Option<(u64, &Bin)> {
        // 0.28 of 25 is 7, whatever the product of the two says in its last digit.
        let rank = libm::ceil(p * self.delivered as f64 - 1e-6).max(1.0);
        let mut below = 0;
        self.bins.iter().map(|(&at, bin)| (at, bin)).find(|(_, bin)| {
            below += bin.delivered;
            bin.delivered > 0 && below as f64 >= rank
        })
    }

    /// Half of the 95% interval of the share of values that lie up to this bin.
    fn half_of_share(&self, at: u64) -> Option<f64> {
        if self.runs < 2 {
            return None;
        }
        let upto = || self.bins.range(..=at).map(|(_, bin)| bin);
        let all = self.delivered as f64;
        let share = upto().map(|bin| bin.delivered).sum::<u64>() as f64 / all;
        let squares = upto().map(|bin| bin.squares).sum::<u128>() as f64;
        let products = upto().map(|bin| bin.products).sum::<u128>() as f64;
        // The sum over the runs of (c - share · n)².
        let apart = (squares - 2.0 * share * products + share * share * self.squares as f64).max(0.0);
        let runs = self.runs as f64;
        let error = libm::sqrt(apart * runs / (runs - 1.0)) / all;
        Some(t_quantile(0.975, runs - 1.0) * error)
    }

    /// How long updates wait, whether they are delivered or not: the share that waits longer than so many seconds, by Kaplan
    /// and Meier (1958), at each wait at which it falls. It begins with all at 0.
    pub fn survival(&self) -> Vec<(f64, f64)> {
        let mut waiting = self.delivered + self.undelivered;
        let mut share = 1.0;
        let mut curve = vec![(0.0, 1.0)];
        for bin in self.bins.values() {
            if bin.delivered > 0 {
                share *= 1.0 - bin.delivered as f64 / waiting as f64;
                curve.push((bin.value(), share));
            }
            waiting -= bin.delivered + bin.undelivered;
        }
        curve
    }

    /// The wait beyond which a share of `1 - p` waits, by [`Pooled::survival`]: the quantile `p` of all, the undelivered
    /// among them. None if it lies beyond what was seen.
    pub fn wait(&self, p: f64) -> Option<f64> {
        self.survival().into_iter().skip(1).find(|&(_, share)| share <= 1.0 - p + 1e-12).map(|(seconds, _)| seconds)
    }
}

/// The 95% interval of a share of which `of` were asked and `count` said yes (Wilson 1927); all there is of none.
pub fn wilson(count: u64, of: u64) -> Interval {
    /// The normal distribution's quantile of 97.5%.
    const Z: f64 = 1.959_963_984_540_054;
    if of == 0 {
        return Interval { low: 0.0, high: 1.0 };
    }
    let (n, share) = (of as f64, count as f64 / of as f64);
    let scale = 1.0 + Z * Z / n;
    let center = share + Z * Z / (2.0 * n);
    let half = Z * libm::sqrt(share * (1.0 - share) / n + Z * Z / (4.0 * n * n));
    let low = if count == 0 { 0.0 } else { (center - half) / scale };
    let high = if count == of { 1.0 } else { (center + half) / scale };
    Interval { low, high }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::statistics::draws::Uniform;
    use super::*;

    fn pooled(runs: &[(Vec<u64>, Vec<u64>)]) -> Pooled {
        let mut all = Pooled::default();
        for (delivered, undelivered) in runs {
            let mut delivered = delivered.clone();
            delivered.sort_unstable();
            all.push(Waits { delivered: &delivered, undelivered });
        }
        all
    }

    #[test]
    fn the_curve_is_that_of_kaplan_and_meier() {
        // Their own example's shape: a loss between deaths lessens who is at risk, not the share.
        let second = 1_000_000_000;
        let waits = pooled(&[(vec![second, 4 * second], vec![2 * second]), (vec![3 * second], vec![5 * second])]);
        let curve = waits.survival();
        let shares: Vec<f64> = curve.iter().map(|&(_, share)| share).collect();
        let expected = [1.0, 4.0 / 5.0, 4.0 / 5.0 * 2.0 / 3.0, 4.0 / 5.0 * 2.0 / 3.0 * 1.0 / 2.0];
        assert!(shares.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-12), "{shares:?}");
        assert_eq!(waits.wait(0.9), None, "the last of five is never seen to end");
        assert!((waits.wait(0.4).unwrap() - 3.0).abs() < 0.03);
    }

    #[test]
    fn no_delivery_and_one_run_have_no_interval() {
        assert_eq!(pooled(&[(vec![], vec![5])]).quantile(0.5), None);
        let one = pooled(&[(vec![7], vec![])]).quantile(0.5).unwrap();
        assert_eq!(one, Quantile { value: 7e-9, low: None, high: None });
    }

    #[test]
    fn wilson_is_as_published() {
        // Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (count, of, low, high) in
            [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
        {
            let interval = wilson(count, of);
            assert!((interval.low - low).abs() < 5e-5 && (interval.high - high).abs() < 5e-5, "{interval:?}");
        }
    }

    /// Runs of several waits each, which share a part drawn once a run: the truth is known, and an interval that took the
    /// waits for independent would hold it far too seldom.
    #[test]
    fn quantiles_cover_as_often_as_they_say() {
        let mut uniform = Uniform::new(1);
        let (repeats, runs, each) = (1_000, 60, 12);
        for p in [0.5, 0.9] {
            // Each wait is the run's part and its own, both uniform over an hour: their sum is triangular.
            let truth = if p <= 0.5 { libm::sqrt(2.0 * p) } else { 2.0 - libm::sqrt(2.0 * (1.0 - p)) };
            let (mut covered, mut naive) = (0, 0);
            for _ in 0..repeats {
                let mut clustered = Pooled::default();
                let mut apart = Pooled::default();
                for _ in 0..runs {
                    let shared = uniform.next();
                    let mut waits: Vec<u64> = (0..each).map(|_| ((shared + uniform.next()) * 3.6e12) as u64).collect();
                    waits.sort_unstable();
                    clustered.push(Waits { delivered: &waits, undelivered: &[] });
                    waits.iter().for_each(|wait| apart.push(Waits { delivered: &[*wait], undelivered: &[] }));
                }
                let holds = |pooled: &Pooled| {
                    let quantile = pooled.quantile(p).unwrap();
                    quantile.low.unwrap() <= truth * 3600.0 * 1.008 && truth * 3600.0 * 0.992 <= quantile.high.unwrap()
                };
                covered += usize::from(holds(&clustered));
                naive += usize::from(holds(&apart));
            }
            let share = covered as f64 / repeats as f64;
            assert!((0.93..0.98).contains(&share), "{p}: {share}");
            assert!(naive < covered - 50, "{p}: waits taken for independent cover {naive} of {repeats}");
        }
    }

    /// The exact share of samples of 50 whose interval holds the truth lies near 95% for Wilson's, at every truth.
    #[test]
    fn wilson_covers_as_often_as_it_says() {
        for truth in [0.02, 0.1, 0.3, 0.5] {
            let n = 50_u64;
            let log_choose = |k: u64| {
                let lg = |x: u64| libm::lgamma(x as f64 + 1.0);
                lg(n) - lg(k) - lg(n - k)
            };
            let chance = |k: u64| {
                libm::exp(log_choose(k) + k as f64 * libm::log(truth) + (n - k) as f64 * libm::log(1.0 - truth))
            };
            let holds = |k: &u64| {
                let interval = wilson(*k, n);
                interval.low <= truth && truth <= interval.high
            };
            let share: f64 = (0..=n).filter(holds).map(chance).sum();
            assert!((0.92..0.985).contains(&share), "{truth}: {share}");
        }
    }

    proptest! {
        #[test]
        fn bins_are_in_order(value in 0_u64..1 << 62) {
            let (here, next) = (bin_of(value), bin_of(value + 1));
            prop_assert!(next == here || next == here + 1);
        }

        #[test]
        fn merged_is_as_pushed_at_once_and_a_quantile_is_that_of_the_values(
            runs in proptest::collection::vec(
                (proptest::collection::vec(0_u64..1 << 40, 0..8), proptest::collection::vec(0_u64..1 << 40, 0..3)), 1..8),
            cut in 0_usize..8,
            percent in 1_usize..100,
        ) {
            let whole = pooled(&runs);
            let cut = cut.min(runs.len());
            let mut merged = pooled(&runs[..cut]);
            merged.merge(&pooled(&runs[cut..]));
            prop_assert_eq!(&merged, &whole);

            let mut all: Vec<u64> = runs.iter().flat_map(|(delivered, _)| delivered.iter().copied()).collect();
            all.sort_unstable();
            let quantile = whole.quantile(percent as f64 / 100.0);
            prop_assert_eq!(quantile.is_some(), !all.is_empty());
            if let Some(quantile) = quantile {
                let exact = all[(all.len() * percent).div_ceil(100) - 1] as f64 * 1e-9;
                prop_assert!((quantile.value - exact).abs() <= exact / 64.0, "{} {}", quantile.value, exact);
                prop_assert!(quantile.low.is_none_or(|low| low <= quantile.value));
                prop_assert!(quantile.high.is_none_or(|high| high >= quantile.value));
            }
        }
    }
}
