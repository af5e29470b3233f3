//! What is drawn on: shapes in, SVG out. The one place where words become part of markup.

use std::fmt::{self, Write as _};

/// A length in pixels, to a tenth: more is not seen, and the bytes are the same on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Px(pub f64);

impl fmt::Display for Px {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = (self.0 * 10.0).round() as i64;
        let sign = if tenths < 0 { "-" } else { "" };
        let tenths = tenths.unsigned_abs();
        match tenths % 10 {
            0 => write!(f, "{sign}{}", tenths / 10),
            rest => write!(f, "{sign}{}.{rest}", tenths / 10),
        }
    }
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// It begins here.
    Left,
    /// Its middle is here.
    Middle,
    /// It ends here.
    Right,
}

/// Shapes, in the order in which they were drawn.
#[derive(Clone, Debug, Default)]
pub struct Canvas {
    svg: String,
}

impl Canvas {
    /// What was drawn.
    pub fn as_svg(&self) -> &str {
        &self.svg
    }

    /// A rectangle.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        let (x, y, width, height) = (Px(x), Px(y), Px(width.max(0.0)), Px(height.max(0.0)));
        let _ = write!(self.svg, "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\"/>");
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let (x1, y1, x2, y2) = (Px(from.0), Px(from.1), Px(to.0), Px(to.1));
        let _ = write!(self.svg, "<path class=\"{class}\" d=\"M{x1} {y1}L{x2} {y2}\"/>");
    }

    /// Lines from point to point.
    pub fn polyline(&mut self, class: &str, points: impl IntoIterator<Item = (f64, f64)>) {
        let mut path = String::new();
        for (x, y) in points {
            let _ = write!(path, "{}{} {}", if path.is_empty() { "M" } else { "L" }, Px(x), Px(y));
        }
        self.path(class, &path);
    }

    /// A path in SVG's own words.
    pub fn path(&mut self, class: &str, path: &str) {
        if !path.is_empty() {
            let _ = write!(self.svg, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }

    /// A circle.
    pub fn circle(&mut self, class: &str, (x, y): (f64, f64), radius: f64) {
        let _ = write!(self.svg, "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", Px(x), Px(y), Px(radius));
    }

    /// A text on one line.
    pub fn text(&mut self, class: &str, corner: Corner, x: f64, y: f64, text: &str) {
        let anchor = match corner {
            Corner::Left => "",
            Corner::Middle => " text-anchor=\"middle\"",
            Corner::Right => " text-anchor=\"end\"",
        };
        let _ = write!(self.svg, "<text class=\"{class}\"{anchor} x=\"{}\" y=\"{}\">", Px(x), Px(y));
        let _ = write!(maud::Escaper::new(&mut self.svg), "{text}");
        self.svg.push_str("</text>");
    }

    /// Shapes that are one thing, which a sentence tells.
    pub fn told(&mut self, sentence: &str, draw: impl FnOnce(&mut Canvas)) {
        self.svg.push_str("<g class=\"mark\"><title>");
        let _ = write!(maud::Escaper::new(&mut self.svg), "{sentence}");
        self.svg.push_str("</title>");
        draw(self);
        self.svg.push_str("</g>");
    }

    /// What another canvas holds, on top.
    pub fn append(&mut self, other: &Canvas) {
        self.svg.push_str(&other.svg);
    }

    /// What another canvas holds, moved to this place.
    pub fn moved(&mut self, (x, y): (f64, f64), other: &Canvas) {
        let _ = write!(self.svg, "<g transform=\"translate({} {})\">{}</g>", Px(x), Px(y), other.svg);
    }

    /// About how wide a text of this class is.
    pub fn width_of(text: &str, size: f64) -> f64 {
        text.chars().count() as f64 * size * 0.56
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_told_to_a_tenth() {
        let told: Vec<String> =
            [0.0, 1.0, 1.04, 1.05, -0.04, -2.36, 300.0].into_iter().map(|px| Px(px).to_string()).collect();
        assert_eq!(told, ["0", "1", "1", "1.1", "0", "-2.4", "300"]);
    }
}
