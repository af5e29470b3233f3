//! Pictures: drawn once, as SVG; shown in a page, kept as a file of their own, or rendered to PNG.
//!
//! Shapes bear classes, and one style sheet says what a class looks like. A page takes the colours from its own variables,
//! so that they follow its light or dark ground; a file has those of the light ground written into it.

mod axis;
mod canvas;
mod colours;
mod png;

pub use axis::{Axis, Unit};
pub use canvas::{Canvas, Corner, Px};
pub use colours::{ground, of_policy, of_update, variables};

use std::fmt::Write as _;

/// A picture.
#[derive(Clone, Debug)]
pub struct Picture {
    /// Width in pixels of 1/96 inch.
    pub width: f64,
    /// Height in the same.
    pub height: f64,
    /// What it shows, in a few words.
    pub title: String,
    /// What can be read off it, for whoever does not see it.
    pub about: String,
    /// What was drawn.
    pub drawn: Canvas,
}

/// What classes look like, with the page's variables for colours.
pub const STYLE: &str = include_str!("style.css");

impl Picture {
    /// The picture as a part of a page, which holds [`STYLE`] and [`variables`]. Where `parts` is set, what is drawn has
    /// parts of its own to be looked at; else it is one image.
    pub fn inline(&self, parts: bool) -> String {
        let (width, height) = (Px(self.width), Px(self.height));
        let role = if parts { "group" } else { "img" };
        let mut label = String::new();
        let _ = write!(maud::Escaper::new(&mut label), "{}. {}", self.title, self.about);
        format!(
            "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"{role}\" \
             aria-label=\"{label}\">{}</svg>",
            self.drawn.as_svg()
        )
    }

    /// The picture as a file of its own.
    pub fn file(&self) -> String {
        let (width, height) = (Px(self.width), Px(self.height));
        let mut words = String::new();
        let mut escaped = |element: &str, text: &str| {
            let _ = write!(words, "<{element}>");
            let _ = write!(maud::Escaper::new(&mut words), "{text}");
            let _ = write!(words, "</{element}>");
        };
        escaped("title", &self.title);
        escaped("desc", &self.about);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">{words}<style>{}</style>\
             <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>{}</svg>\n",
            colours::in_light(STYLE),
            self.drawn.as_svg()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(words: &str) -> Picture {
        let mut drawn = Canvas::default();
        drawn.text("t", Corner::Left, 4.0, 20.0, words);
        Picture { width: 120.0, height: 30.0, title: words.to_owned(), about: words.to_owned(), drawn }
    }

    #[test]
    fn words_are_never_markup() {
        let evil = picture("<script>alert(1)</script>\"'&");
        for svg in [evil.inline(true), evil.file()] {
            assert!(!svg.contains("<script"), "{svg}");
        }
        assert!(evil.inline(false).contains("aria-label=\"&lt;script&gt;"));
    }

    #[test]
    fn a_file_needs_nothing_around_it() {
        assert!(!picture("plain").file().contains("var("));
        assert!(resvg::usvg::roxmltree::Document::parse(&picture("<&>").file()).is_ok());
    }

    #[test]
    fn it_is_rendered_with_its_words() {
        let png = picture("words").png();
        assert!(png.starts_with(b"\x89PNG"));
        assert_ne!(png, picture("other").png(), "the words can be seen");
        assert_eq!(png, picture("words").png());
    }
}
