//! Colours that differ for every kind of sight, on a light and on a dark ground.
//!
//! The eight that tell policies and updates apart are after Okabe and Ito (2008), "Color Universal Design"; its yellow and
//! black, which vanish on one of the two grounds, give way to a purple and a grey. Nothing is told by colour alone.

use std::fmt::Write as _;

/// Each variable with its value on the light and on the dark ground.
const VARIABLES: &[(&str, &str, &str)] = &[
    ("ground", "#ffffff", "#14171c"),
    ("ink", "#1b1f24", "#e6e9ee"),
    ("dim", "#59626e", "#a3adba"),
    ("grid", "#e3e6ea", "#2b313a"),
    ("row", "#f5f6f8", "#1b2027"),
    ("soft", "#c9d0d9", "#3b4450"),
    ("bad", "#c1121f", "#ff7b72"),
    ("good", "#00704d", "#4cc38a"),
    ("link", "#0059b3", "#79b8ff"),
    ("ready", "#3d8f6d", "#3f9d76"),
    ("unready", "#b8860b", "#b58a2a"),
    ("unknown", "#aab2bd", "#5a6472"),
    ("held", "#7a5195", "#b39ddb"),
    ("c0", "#0072b2", "#4ba3e3"),
    ("c1", "#d55e00", "#f0883e"),
    ("c2", "#009e73", "#2fbf8f"),
    ("c3", "#cc79a7", "#e69ac3"),
    ("c4", "#e69f00", "#e8b339"),
    ("c5", "#56b4e9", "#8fd0f5"),
    ("c6", "#6a4c93", "#b39ddb"),
    ("c7", "#6b7280", "#9aa4b2"),
];

/// How many colours tell things apart.
const TELLING: usize = 8;

/// The number of a policy's colour, by its place among the policies: the same in every picture.
pub fn of_policy(place: usize) -> usize {
    place % TELLING
}

/// The number of an update's colour.
pub fn of_update(update: u32) -> usize {
    update as usize % TELLING
}

/// The variables as CSS: the light ground's, or the dark one's.
pub fn variables(dark: bool) -> String {
    let mut css = String::new();
    for (name, light, on_dark) in VARIABLES {
        let _ = write!(css, "--{name}:{};", if dark { on_dark } else { light });
    }
    css
}

/// The light ground's colour.
pub fn ground() -> &'static str {
    VARIABLES[0].1
}

/// A style sheet with the light ground's colours in the place of its variables.
pub fn in_light(css: &str) -> String {
    VARIABLES.iter().fold(css.to_owned(), |css, (name, light, _)| css.replace(&format!("var(--{name})"), light))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as the Web Content Accessibility Guidelines 2.2 define it.
    fn luminance(colour: &str) -> f64 {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    }

    fn contrast(one: &str, other: &str) -> f64 {
        let (one, other) = (luminance(one), luminance(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn words_stand_out_from_their_ground() {
        let of = |name: &str| VARIABLES.iter().find(|(other, ..)| *other == name).unwrap();
        for name in ["ink", "dim", "bad", "good", "link"] {
            for ground in ["ground", "row"] {
                let (light, dark) = (contrast(of(name).1, of(ground).1), contrast(of(name).2, of(ground).2));
                assert!(light >= 4.5 && dark >= 4.5, "{name} on {ground}: {light:.2}, {dark:.2}");
            }
        }
    }
}
