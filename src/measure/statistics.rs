//! Means and their intervals, of runs that come in any number and are never kept.

/// How many, their mean and their spread (Welford); mergeable (Chan, Golub and LeVeque), so that chunks of runs can be
/// summed up apart. The same pushes and merges in the same order give the same bits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many values there were.
    pub count: u64,
    /// How many of them were above zero.
    pub positive: u64,
    /// Their mean; 0 if there were none.
    pub mean: f64,
    /// The sum of their squared distances from the mean.
    squares: f64,
    /// The least; 0 if there were none.
    pub min: f64,
    /// The greatest; 0 if there were none.
    pub max: f64,
}

/// A mean's 95% confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Interval {
    /// Half its width.
    pub fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

impl Moments {
    /// Adds a value.
    pub fn push(&mut self, value: f64) {
        let first = self.count == 0;
        self.count += 1;
        self.positive += u64::from(value > 0.0);
        let from_old = value - self.mean;
        self.mean += from_old / self.count as f64;
        self.squares += from_old * (value - self.mean);
        self.min = if first { value } else { self.min.min(value) };
        self.max = if first { value } else { self.max.max(value) };
    }

    /// Adds all values of `later`.
    pub fn merge(&mut self, later: &Moments) {
        if later.count == 0 {
            return;
        }
        if self.count == 0 {
            *self = *later;
            return;
        }
        let (ours, theirs) = (self.count as f64, later.count as f64);
        let all = ours + theirs;
        let apart = later.mean - self.mean;
        self.mean += apart * theirs / all;
        self.squares += later.squares + apart * apart * ours * theirs / all;
        self.count += later.count;
        self.positive += later.positive;
        self.min = self.min.min(later.min);
        self.max = self.max.max(later.max);
    }

    /// The variance of what the values were drawn from; none of fewer than two.
    pub fn variance(&self) -> Option<f64> {
        (self.count >= 2).then(|| self.squares / (self.count - 1) as f64)
    }

    /// The standard deviation of what the values were drawn from; none of fewer than two.
    pub fn deviation(&self) -> Option<f64> {
        self.variance().map(libm::sqrt)
    }

    /// The 95% interval of the mean by Student's t; none of fewer than two.
    pub fn interval(&self) -> Option<Interval> {
        let error = libm::sqrt(self.variance()? / self.count as f64);
        let half = if error == 0.0 { 0.0 } else { t_quantile(0.975, (self.count - 1) as f64) * error };
        Some(Interval { low: self.mean - half, high: self.mean + half })
    }

    /// The probability with which chance alone makes a mean as far from zero, by Student's t, two-sided; none of fewer than
    /// two values.
    pub fn chance(&self) -> Option<f64> {
        let error = libm::sqrt(self.variance()? / self.count as f64);
        Some(match error {
            _ if self.mean == 0.0 => 1.0,
            0.0 => 0.0,
            _ => 2.0 * t_tail(self.mean.abs() / error, (self.count - 1) as f64),
        })
    }
}

/// The value below which Student's t with `freedom` degrees of freedom falls with probability `p`, which is above a half.
pub fn t_quantile(p: f64, freedom: f64) -> f64 {
    debug_assert!((0.5..1.0).contains(&p) && freedom >= 1.0);
    let tail = 1.0 - p;
    let (mut low, mut high) = (0.0, 1.0);
    while t_tail(high, freedom) > tail {
        (low, high) = (high, high * 2.0);
    }
    // Halving until nothing lies between gives the same bits everywhere and needs no derivative.
    loop {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if t_tail(middle, freedom) > tail { low = middle } else { high = middle }
    }
}

/// The probability that Student's t exceeds `t`, which is not negative.
fn t_tail(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / (freedom + t * t), freedom / 2.0, 0.5) / 2.0
}

/// The regularized incomplete beta function Iₓ(a, b), by its continued fraction (DLMF 8.17.22).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    // The fraction converges fast below the mean of the beta distribution; above it, the mirror image does.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    if x <= 0.0 {
        return 0.0;
    }
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = libm::exp(a * libm::log(x) + b * libm::log1p(-x) - log_beta) / a;
    front / continued_fraction(x, a, b)
}

/// 1 + d₁/(1 + d₂/(1 + …)), by the method of Lentz.
fn continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const MOST_STEPS: u32 = 100_000;
    const NEVER_ZERO: f64 = 1e-300;
    let nonzero = |value: f64| if value.abs() < NEVER_ZERO { NEVER_ZERO } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for step in 1..=MOST_STEPS {
        let m = f64::from(step / 2);
        let coefficient = if step % 2 == 0 {
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        } else {
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        };
        d = 1.0 / nonzero(1.0 + coefficient * d);
        c = nonzero(1.0 + coefficient / c);
        value *= c * d;
        if (c * d - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// Numbers for the tests of statistics.
#[cfg(test)]
pub(super) mod draws {
    /// Uniform between 0 and 1: Knuth's MMIX generator, of which the upper bits are good.
    pub struct Uniform(u64);

    impl Uniform {
        pub fn new(seed: u64) -> Uniform {
            Uniform(seed)
        }

        pub fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::draws::Uniform;
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() <= 1e-9 * (1.0 + one.abs().max(other.abs()))
    }

    #[test]
    fn student_t_is_as_the_tables_have_it() {
        // NIST/SEMATECH e-Handbook, 1.3.6.7.2, and for one and two degrees the closed forms.
        let known = [
            (1.0, 12.706_204_736_174_7),
            (2.0, 4.302_652_729_749_46),
            (3.0, 3.182_446_305_284_26),
            (5.0, 2.570_581_835_636_31),
            (9.0, 2.262_157_162_798_2),
            (10.0, 2.228_138_851_986_27),
            (30.0, 2.042_272_456_301_24),
            (99.0, 1.984_216_951_508_64),
            (100.0, 1.983_971_518_523_55),
        ];
        for (freedom, expected) in known {
            let t = t_quantile(0.975, freedom);
            assert!((t - expected).abs() < 1e-8, "{freedom} degrees: {t}, not {expected}");
        }
        // Many degrees are as good as the normal distribution.
        assert!((t_quantile(0.975, 1e6) - 1.959_966).abs() < 1e-5);
        assert!((t_quantile(0.975, 1e9) - 1.959_964).abs() < 1e-5);
    }

    #[test]
    fn t_of_one_degree_is_cauchy() {
        for p in [0.6, 0.75, 0.9, 0.99] {
            let expected = libm::tan(std::f64::consts::PI * (p - 0.5));
            assert!(close(t_quantile(p, 1.0), expected), "{p}");
        }
    }

    #[test]
    fn a_chance_is_below_a_twentieth_where_the_interval_leaves_zero_out() {
        for values in [[1.0, 2.0, 4.0], [-1.0, 2.0, 0.5], [5.0, 5.1, 5.2], [-3.0, -1.0, -2.0]] {
            let mut moments = Moments::default();
            values.iter().for_each(|&value| moments.push(value));
            let interval = moments.interval().unwrap();
            assert_eq!(moments.chance().unwrap() < 0.05, interval.low > 0.0 || interval.high < 0.0, "{values:?}");
        }
    }

    #[test]
    fn nothing_and_one_have_no_interval() {
        let mut moments = Moments::default();
        assert_eq!((moments.variance(), moments.interval()), (None, None));
        moments.push(3.0);
        assert_eq!((moments.mean, moments.variance(), moments.interval()), (3.0, None, None));
        moments.push(3.0);
        assert_eq!(moments.interval(), Some(Interval { low: 3.0, high: 3.0 }));
    }

    /// The interval says 95 of 100, and of 4000 samples of ten normal values so many must hold the mean (within three
    /// standard errors, 1.03%).
    #[test]
    fn the_interval_covers_as_often_as_it_says() {
        let mut uniform = Uniform::new(1);
        let mut normal = || {
            let (radius, angle) = (uniform.next(), uniform.next());
            libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(2.0 * std::f64::consts::PI * angle)
        };
        let samples = 4_000;
        let covered = (0..samples).filter(|_| {
            let mut moments = Moments::default();
            (0..10).for_each(|_| moments.push(5.0 + 2.0 * normal()));
            let interval = moments.interval().expect("ten values");
            interval.low <= 5.0 && 5.0 <= interval.high
        });
        let share = covered.count() as f64 / f64::from(samples);
        assert!((share - 0.95).abs() < 0.0104, "{share}");
    }

    proptest! {
        #[test]
        fn merged_is_as_computed_directly(
            values in proptest::collection::vec(-1e6_f64..1e6, 2..200),
            cut in 0_usize..200,
        ) {
            let cut = cut.min(values.len());
            let sum_up = |values: &[f64]| {
                let mut moments = Moments::default();
                values.iter().for_each(|&value| moments.push(value));
                moments
            };
            let mut merged = sum_up(&values[..cut]);
            merged.merge(&sum_up(&values[cut..]));

            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
            prop_assert_eq!(merged.count, values.len() as u64);
            prop_assert!((merged.mean - mean).abs() < 1e-6);
            prop_assert!(close(merged.variance().unwrap(), variance), "{:?} {}", merged.variance(), variance);
            prop_assert_eq!(merged.positive, values.iter().filter(|&&value| value > 0.0).count() as u64);
            prop_assert_eq!(merged.min, values.iter().copied().fold(f64::INFINITY, f64::min));
            prop_assert_eq!(merged.max, values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
        }
    }
}
