//! Keyed chance (contract §8): a draw depends on the seed and on what it is about, never on when it is made, so that two
//! policies under one seed meet the same commits, the same build times and the same failures.
//!
//! The transcendental functions are those of the `libm` crate, computed in software: the same bits on every platform.

use crate::model::{Content, Draw, Length, Probability, Span, Stretch};

/// The dice of one run.
#[derive(Clone, Copy, Debug)]
pub struct Dice {
    seed: Content,
}

/// The numbers of one draw: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) from the draw's key.
#[derive(Clone, Copy, Debug)]
pub struct Numbers(u64);

/// The 95th percentile of the standard normal distribution.
const Z95: f64 = 1.644_853_626_951_472_2;

impl Dice {
    /// The dice of this seed.
    pub fn new(seed: u64) -> Dice {
        Dice { seed: Content::of_name("rehearsal").with(seed) }
    }

    /// The numbers of a draw.
    #[inline]
    pub fn numbers(&self, about: Draw) -> Numbers {
        let key = self.seed.with(about.purpose as u64).with(about.subject).with(about.which).with(about.repeat);
        Numbers(key.0)
    }

    /// Whether something of this probability is so.
    pub fn decide(&self, chance: Probability, about: Draw) -> bool {
        self.numbers(about).unit() < chance.get()
    }

    /// A length, stretched, rounded to whole nanoseconds.
    #[inline]
    pub fn length(&self, length: &Length, stretch: Stretch, about: Draw) -> Span {
        let span = match length {
            Length::Fixed(span) => *span,
            drawn => self.numbers(about).length(drawn),
        };
        if stretch == Stretch::NONE { span } else { Span(round(span.0 as f64 * stretch.factor).min(stretch.limit)) }
    }
}

impl Numbers {
    /// Numbers that depend on `seed` alone.
    pub fn from_seed(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform among `0..n`.
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(n)) >> 64) as u64
    }

    /// Exponential with mean 1, by inversion.
    #[inline]
    fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Standard normal, by Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(2.0 * self.exponential());
        radius * libm::cos(std::f64::consts::TAU * self.unit())
    }

    /// Gamma with this shape and scale 1, by Marsaglia and Tsang (ACM TOMS 26, 2000).
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let boost = libm::pow(1.0 - self.unit(), 1.0 / shape);
            return self.gamma(shape + 1.0) * boost;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / libm::sqrt(9.0 * d);
        loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            let u = 1.0 - self.unit();
            if libm::log(u) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                return d * v;
            }
        }
    }

    fn length(&mut self, length: &Length) -> Span {
        Span(match length {
            Length::Fixed(span) => span.0,
            Length::Uniform(low, high) => match (high.0 - low.0).checked_add(1) {
                Some(width) => low.0 + self.below(width),
                None => self.word(),
            },
            Length::Exponential(mean) => round(mean.0 as f64 * self.exponential()),
            Length::LogNormal { median, p95 } => {
                let sigma = libm::log(p95.0 as f64 / median.0 as f64) / Z95;
                round(median.0 as f64 * libm::exp(sigma * self.normal()))
            }
            Length::Gamma { mean, sd } => {
                let (mean, sd) = (mean.0 as f64, sd.0 as f64);
                let shape = (mean / sd) * (mean / sd);
                round(self.gamma(shape) * mean / shape)
            }
            Length::Empirical(spans) => spans[self.below(spans.len() as u64) as usize].0,
        })
    }
}

/// Whole nanoseconds; what is not representable is as long as can be.
#[inline]
fn round(nanoseconds: f64) -> u64 {
    libm::round(nanoseconds) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Purpose, SECOND};

    fn about(repeat: u64) -> Draw {
        Draw { purpose: Purpose::Work, subject: 7, which: 9, repeat }
    }

    /// Mean and the share of draws at or below `mark`, over many draws.
    fn sample(length: &Length, mark: f64) -> (f64, f64) {
        let dice = Dice::new(1);
        let n = 200_000;
        let draws = (0..n).map(|i| dice.length(length, Stretch::NONE, about(i)).as_seconds());
        let (sum, below) = draws.fold((0.0, 0), |(sum, below), draw| (sum + draw, below + u32::from(draw <= mark)));
        (sum / n as f64, f64::from(below) / n as f64)
    }

    fn s(seconds: u64) -> Span {
        Span(seconds * SECOND)
    }

    #[test]
    fn draws_follow_their_distributions() {
        let close = |got: f64, want: f64, tolerance: f64| assert!((got - want).abs() < tolerance, "{got} for {want}");
        let (mean, below) = sample(&Length::Exponential(s(10)), 10.0);
        close(mean, 10.0, 0.1);
        close(below, 1.0 - (-1.0f64).exp(), 0.005);
        let (mean, below) = sample(&Length::Uniform(s(2), s(6)), 3.0);
        close(mean, 4.0, 0.02);
        close(below, 0.25, 0.005);
        let lognormal = Length::LogNormal { median: s(180), p95: s(540) };
        close(sample(&lognormal, 180.0).1, 0.5, 0.005);
        close(sample(&lognormal, 540.0).1, 0.95, 0.003);
        let (mean, below) = sample(&Length::Gamma { mean: s(10), sd: s(10) }, 10.0);
        close(mean, 10.0, 0.1);
        close(below, 1.0 - (-1.0f64).exp(), 0.005);
        // Erlang-4: P(X <= mean) = 1 - e^-4 (1 + 4 + 8 + 32/3).
        let (mean, below) = sample(&Length::Gamma { mean: s(8), sd: s(4) }, 8.0);
        close(mean, 8.0, 0.05);
        close(below, 1.0 - (-4.0f64).exp() * (13.0 + 32.0 / 3.0), 0.005);
        // A shape below 1: chi-square with one degree of freedom has mean 1, sd sqrt 2, P(X <= 1) = 0.6827.
        let one = Length::Gamma { mean: s(1), sd: Span(1_414_213_562) };
        close(sample(&one, 1.0).1, 0.6827, 0.005);
        let (mean, below) = sample(&Length::Empirical(vec![s(1), s(2), s(9)]), 2.0);
        close(mean, 4.0, 0.05);
        close(below, 2.0 / 3.0, 0.005);
    }

    /// The stream of draws is part of every blessed result: a change of it must be seen.
    #[test]
    fn draws_are_those_stored() {
        let dice = Dice::new(42);
        let draw = |length: Length| dice.length(&length, Stretch::NONE, about(1)).0;
        let got = [
            draw(Length::Exponential(s(90))),
            draw(Length::Uniform(s(1), s(5))),
            draw(Length::LogNormal { median: s(180), p95: s(540) }),
            draw(Length::Gamma { mean: s(180), sd: s(60) }),
            draw(Length::Gamma { mean: s(60), sd: s(180) }),
            draw(Length::Empirical(vec![s(61), s(75), s(180)])),
        ];
        assert_eq!(got, STORED);
    }

    const STORED: [u64; 6] = [259_275_016_116, 4_775_648_027, 47_030_465_476, 79_896_103_386, 1, 180_000_000_000];

    #[test]
    fn a_stretch_is_a_factor_and_a_limit() {
        let dice = Dice::new(1);
        let stretch = Stretch { factor: 4.0, limit: 10 * SECOND };
        assert_eq!(dice.length(&Length::Fixed(s(2)), stretch, about(0)), s(8));
        assert_eq!(dice.length(&Length::Fixed(s(3)), stretch, about(0)), s(10));
    }
}
