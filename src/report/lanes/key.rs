//! What the signs in lanes mean: drawn by the code that draws the lanes.

use super::marks::{BAR, bar, mark};
use super::{Bar, Ended, MarkKind};
use crate::report::picture::{Canvas, Corner, Picture};

const WIDTH: f64 = 720.0;
const COLUMNS: usize = 2;
const LINE: f64 = 22.0;
/// Room for a sign before its words.
const SIGN: f64 = 52.0;

type Draw = fn(&mut Canvas, f64, f64);

const SIGNS: &[(&str, Draw)] = &[
    ("an update of the workload; with a cross: a bad one", |canvas, x, y| {
        mark(canvas, MarkKind::Update { valid: true }, Some(1), (x + 12.0, y));
        mark(canvas, MarkKind::Update { valid: false }, Some(1), (x + 32.0, y));
    }),
    ("the update with this number is delivered", |canvas, x, y| {
        mark(canvas, MarkKind::Delivery, Some(1), (x + 22.0, y));
    }),
    ("work on a question with update 1; it succeeds", |canvas, x, y| attempt(canvas, Ended::Well, x, y)),
    ("work that fails", |canvas, x, y| attempt(canvas, Ended::Failed, x, y)),
    ("work that is dropped", |canvas, x, y| attempt(canvas, Ended::Dropped, x, y)),
    ("work that hangs, or goes on at the end", |canvas, x, y| attempt(canvas, Ended::Hangs, x, y)),
    ("a spec is written", |canvas, x, y| mark(canvas, MarkKind::Write, Some(1), (x + 22.0, y))),
    ("an answer is read; the claim, if any, is true", |canvas, x, y| {
        mark(canvas, MarkKind::Read, Some(1), (x + 22.0, y));
    }),
    ("a false claim: made from another question", |canvas, x, y| {
        mark(canvas, MarkKind::FalseClaim, None, (x + 22.0, y));
    }),
    ("held back: an update a layer", |canvas, x, y| {
        canvas.rect("heldfill", (x + 4.0, y + 1.0), (36.0, 2.2));
        canvas.rect("heldfill", (x + 16.0, y - 2.0), (24.0, 2.2));
    }),
    ("Ready: True (tall), False (low), Unknown (a line)", |canvas, x, y| {
        canvas.rect("ready", (x + 2.0, y - 3.0), (14.0, 6.0));
        canvas.rect("unready", (x + 16.0, y), (14.0, 3.0));
        canvas.rect("unknown", (x + 30.0, y + 1.5), (14.0, 1.5));
    }),
    ("its world changes; red: to a bad one", |canvas, x, y| {
        mark(canvas, MarkKind::World { good: true }, None, (x + 14.0, y));
        mark(canvas, MarkKind::World { good: false }, None, (x + 32.0, y));
    }),
    ("harm: tampering, a forged status, a flap", |canvas, x, y| mark(canvas, MarkKind::Harm, None, (x + 22.0, y))),
    ("the choreographer restarts", |canvas, x, y| mark(canvas, MarkKind::Restart, None, (x + 22.0, y))),
    ("an outage, or time that is not shown", |canvas, x, y| canvas.rect("out", (x + 2.0, y - 7.0), (42.0, 14.0))),
];

fn attempt(canvas: &mut Canvas, ended: Ended, x: f64, y: f64) {
    let one = Bar { from: 0.0, to: None, update: Some(1), ended, level: 0, told: String::new() };
    bar(canvas, &one, (x + 2.0, x + 42.0), y - BAR / 2.0);
}

/// The signs with what they mean.
pub fn key() -> Picture {
    let mut drawn = Canvas::default();
    let rows = SIGNS.len().div_ceil(COLUMNS);
    for (at, (words, draw)) in SIGNS.iter().enumerate() {
        let (x, y) = (WIDTH / COLUMNS as f64 * (at / rows) as f64, LINE * (at % rows) as f64 + LINE / 2.0);
        draw(&mut drawn, x, y);
        drawn.text("t s", Corner::Left, x + SIGN, y + 4.0, words);
    }
    let about: Vec<&str> = SIGNS.iter().map(|(words, _)| *words).collect();
    let about = format!("There are signs for: {}.", about.join("; "));
    Picture { width: WIDTH, height: LINE * rows as f64, title: "What the signs mean".to_owned(), about, drawn }
}
