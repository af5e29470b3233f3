//! Lanes as a picture: cut into rows that lie under each other like the lines of a page.

use std::fmt::Write as _;

use super::marks::{BAR, bar, mark};
use super::{Bar, Ended, Lane, Lanes, Mark, MarkKind};
use crate::model::Ready;
use crate::report::Short;
use crate::report::figures::percent;
use crate::report::picture::{Axis, Canvas, Corner, Picture, Px, Unit};

/// As wide as an upright page is printed.
const WIDTH: f64 = 720.0;
/// Room for the lanes' names.
const LEFT: f64 = 92.0;
/// From the right edge.
const RIGHT: f64 = 12.0;
/// So many bars of a lane stand in a row, so that most have room for their number.
const BARS_A_ROW: usize = 16;
/// Rows at the most.
const MOST_ROWS: usize = 12;
/// Steps in a row.
const STEPS_A_ROW: f64 = 30.0;

/// The height of a lane with marks alone.
const MARKS: f64 = 20.0;
/// Room for the marks above and below the bars of a lane.
const ABOVE: f64 = 12.0;
const BELOW: f64 = 13.0;
/// The height of the ribbon.
const RIBBON: f64 = 6.0;
/// The height of one held question.
const HELD: f64 = 3.0;
/// Held questions that are drawn on top of each other; more are not higher.
const MOST_HELD: usize = 5;
/// Room for the axis beneath a row.
const FOOT: f64 = 34.0;

/// A row's extent.
#[derive(Clone, Copy)]
struct Row {
    from: f64,
    to: f64,
    axis: Axis,
}

/// What is drawn of one thing, to be put in the order of time.
struct Piece {
    at: f64,
    canvas: Canvas,
}

impl Row {
    /// Whether a place lies in the row; what lies on its end is the next one's.
    fn holds(&self, at: f64, end: f64) -> bool {
        self.from <= at && (at < self.to || (at <= self.to && self.to >= end))
    }

    /// Where what lasts from here to there lies in the row, if any of it does.
    fn part(&self, from: f64, to: f64) -> Option<(f64, f64)> {
        let (begins, ends) = (from.max(self.from), to.min(self.to));
        (begins < ends || (begins == ends && self.from <= from && from < self.to))
            .then(|| (self.axis.at(begins), self.axis.at(ends)))
    }
}

impl Lane {
    /// How many bars of a row lie over each other at the most.
    fn levels(&self, row: &Row, end: f64) -> f64 {
        let there = self.bars.iter().filter(|bar| row.part(bar.from, bar.to.unwrap_or(end)).is_some());
        there.map(|bar| bar.level + 1).max().unwrap_or(1) as f64
    }

    fn stack(&self) -> f64 {
        let most = self.held.iter().map(|&(_, held)| held).max().unwrap_or(0);
        HELD * most.min(MOST_HELD) as f64
    }

    fn height(&self, row: &Row, end: f64) -> f64 {
        self.stack() + ABOVE + self.levels(row, end) * (BAR + 2.0) + RIBBON + BELOW
    }
}

impl Lanes {
    /// The run as a picture. `title` says which run it is.
    pub fn picture(&self, title: String) -> Picture {
        let rows = self.rows();
        let mut drawn = Canvas::default();
        let mut top = 0.0;
        for row in &rows {
            let heights = self.oracles.iter().map(|lane| lane.height(row, self.end));
            let bottom = top + heights.sum::<f64>() + 2.0 * MARKS;
            self.draw_row(&mut drawn, row, (top, bottom));
            top = bottom + FOOT;
        }
        Picture { width: WIDTH, height: top, title, about: self.about(), drawn }
    }

    /// Whether the run goes on after what is shown, and until when what is shown goes.
    pub fn cut(&self) -> Option<String> {
        let seconds = |seconds: f64| Short(seconds).to_string();
        (self.end < self.whole).then(|| format!("the first {} of {}", seconds(self.end), seconds(self.whole)))
    }

    /// How many false claims are shown.
    fn false_claims(&self) -> usize {
        self.oracles.iter().flat_map(|lane| &lane.marks).filter(|mark| mark.kind == MarkKind::FalseClaim).count()
    }

    fn about(&self) -> String {
        let updates = self.workload.iter().filter(|mark| matches!(mark.kind, MarkKind::Update { .. })).count();
        format!("{updates} updates, {} deliveries, {} false claims.", self.deliveries.len(), self.false_claims())
    }

    fn rows(&self) -> Vec<Row> {
        let end = self.end.max(1e-9);
        let length = match self.in_steps {
            true => STEPS_A_ROW.min(end),
            false => {
                let busiest = self.oracles.iter().map(|lane| lane.bars.len()).max().unwrap_or(0);
                let most = self.deliveries.len().max(self.workload.len()) / 2;
                let rows = busiest.max(most).div_ceil(BARS_A_ROW).clamp(1, MOST_ROWS);
                end / rows as f64
            }
        };
        let count = (end / length - 1e-9).ceil().max(1.0) as usize;
        let unit = if self.in_steps { Unit::Steps } else { Unit::Seconds };
        let row = |number: usize| {
            let (from, to) = (length * number as f64, length * (number + 1) as f64);
            Row { from, to, axis: Axis::even(unit, (from, to), (LEFT, WIDTH - RIGHT)) }
        };
        (0..count).map(row).collect()
    }

    fn draw_row(&self, drawn: &mut Canvas, row: &Row, (top, bottom): (f64, f64)) {
        for (x, _) in row.axis.ticks() {
            drawn.line("grid", (x, top), (x, bottom));
        }
        let mut pieces = Vec::new();
        let mut y = top;
        name(drawn, "workload", y + MARKS / 2.0);
        self.marks(&mut pieces, row, &self.workload, y + MARKS / 2.0, true);
        y += MARKS;
        for (at, lane) in self.oracles.iter().enumerate() {
            if at % 2 == 0 {
                drawn.rect("row", (LEFT, y), (WIDTH - LEFT - RIGHT, lane.height(row, self.end)));
            }
            self.lane(drawn, &mut pieces, row, lane, y);
            y += lane.height(row, self.end);
        }
        name(drawn, "delivered", y + MARKS / 2.0);
        self.marks(&mut pieces, row, &self.deliveries, y + MARKS / 2.0, true);
        let restarts = self.workload.iter().filter(|mark| mark.kind == MarkKind::Restart);
        for mark in restarts.filter(|mark| row.holds(mark.at, self.end)) {
            let x = row.axis.at(mark.at);
            drawn.line("axis dash2", (x, top + MARKS), (x, bottom));
        }
        if let Some(from) = self.cycle_from.filter(|from| row.holds(*from, self.end)) {
            let x = row.axis.at(from) - 3.0;
            drawn.line("badline dash1", (x, top), (x, bottom));
            let corner = if x > WIDTH / 2.0 { Corner::Right } else { Corner::Left };
            drawn.text("t s", corner, x, bottom + 27.0, "from here on the steps repeat without end");
        }
        if self.end < row.to {
            drawn.rect("out", (row.axis.at(self.end), top), (WIDTH - RIGHT - row.axis.at(self.end), bottom - top));
        }
        drawn.line("axis", (LEFT, bottom), (WIDTH - RIGHT, bottom));
        for (x, label) in row.axis.ticks() {
            drawn.line("axis", (x, bottom), (x, bottom + 4.0));
            let half = Canvas::width_of(&label, 11.0) / 2.0;
            drawn.text("t s dim", Corner::Middle, x.min(WIDTH - half), bottom + 15.0, &label);
        }
        let unit = if self.in_steps { "step" } else { "time" };
        drawn.text("t s dim", Corner::Left, 0.0, bottom + 15.0, unit);
        // Stable: of one place the upper lane first.
        pieces.sort_by(|one, other| one.at.total_cmp(&other.at));
        pieces.iter().for_each(|piece| drawn.append(&piece.canvas));
    }

    fn lane(&self, drawn: &mut Canvas, pieces: &mut Vec<Piece>, row: &Row, lane: &Lane, top: f64) {
        let bars = top + lane.stack() + ABOVE;
        let ribbon = bars + lane.levels(row, self.end) * (BAR + 2.0);
        name(drawn, &lane.name, bars + BAR / 2.0);
        for &(from, to) in &lane.outages {
            if let Some((from, to)) = row.part(from, to.min(self.end)) {
                drawn.rect("out", (from, top), (to - from, lane.height(row, self.end)));
            }
        }
        self.stack(pieces, row, lane, bars - ABOVE);
        self.ribbon(pieces, row, lane, ribbon);
        for one in &lane.bars {
            if let Some(part) = row.part(one.from, one.to.unwrap_or(self.end)) {
                let y = bars + one.level as f64 * (BAR + 2.0);
                piece(pieces, one.from.max(row.from), &self.told(one), |canvas| bar(canvas, one, part, y));
            }
        }
        let (above, below): (Vec<&Mark>, Vec<&Mark>) =
            lane.marks.iter().partition(|mark| !matches!(mark.kind, MarkKind::Read | MarkKind::FalseClaim));
        self.marks(pieces, row, above, bars - 6.0, false);
        self.marks(pieces, row, below, ribbon + RIBBON + 6.0, false);
    }

    fn told(&self, bar: &Bar) -> String {
        let end = match bar.ended {
            Ended::GoesOn => "; it goes on at the end",
            Ended::Well | Ended::Failed | Ended::Dropped | Ended::Hangs => "",
        };
        format!("{}{end}", bar.told)
    }

    fn marks<'m>(
        &self,
        pieces: &mut Vec<Piece>,
        row: &Row,
        marks: impl IntoIterator<Item = &'m Mark>,
        y: f64,
        numbered: bool,
    ) {
        // To the right of what was drawn last.
        let mut free = f64::NEG_INFINITY;
        let mut marks = marks.into_iter().filter(|mark| row.holds(mark.at, self.end)).peekable();
        while let Some(one) = marks.next() {
            let x = row.axis.at(one.at);
            let number = one.update.filter(|_| numbered).map(|update| update.to_string()).unwrap_or_default();
            let width = Canvas::width_of(&number, 11.0);
            let next = marks.peek().map_or(WIDTH + 6.0, |next| row.axis.at(next.at));
            let fits = !number.is_empty() && x - 6.0 >= free && x + 7.0 + width <= next - 5.0;
            free = if fits { x + 9.0 + width } else { x + 6.0 };
            piece(pieces, one.at, &one.told, |canvas| {
                mark(canvas, one.kind, one.update, (x, y));
                if fits {
                    canvas.text("t s", Corner::Left, x + 7.0, y + 4.0, &number);
                }
            });
        }
    }

    /// What is held, from the bottom up.
    fn stack(&self, pieces: &mut Vec<Piece>, row: &Row, lane: &Lane, bottom: f64) {
        let spans = spans(&lane.held, self.end);
        let most = spans.iter().filter(|span| row.part(span.0, span.1).is_some()).map(|span| span.2).max().unwrap_or(0);
        if most == 0 {
            return;
        }
        let told = match most {
            1 => format!("{}: one question is held back for a time", lane.name),
            _ => format!("{}: up to {most} questions are held back at a time", lane.name),
        };
        piece(pieces, row.from, &told, |canvas| {
            let mut path = String::new();
            for &(from, to, held) in &spans {
                let Some((from, to)) = row.part(from, to).filter(|_| held > 0) else { continue };
                for number in 0..held.min(MOST_HELD) {
                    level(&mut path, (from, to.max(from + 1.0)), bottom - HELD * (number as f64 + 0.5));
                }
            }
            canvas.path("heldline", &path);
        });
    }

    /// Tall where `Ready` is True, low where it is False, a line where it is Unknown.
    fn ribbon(&self, pieces: &mut Vec<Piece>, row: &Row, lane: &Lane, top: f64) {
        let spans = spans(&lane.ribbon, self.end);
        let length = |which: Ready| {
            let of = spans.iter().filter(|span| span.2 == which);
            of.map(|span| (span.1.min(row.to) - span.0.max(row.from)).max(0.0)).sum::<f64>()
        };
        let [well, ill, unknown] = [Ready::True, Ready::False, Ready::Unknown].map(length);
        let all = well + ill + unknown;
        if all <= 0.0 {
            return;
        }
        let told = format!(
            "{} shows Ready True {} of this row's time, False {}, Unknown {}",
            lane.name,
            percent(well / all),
            percent(ill / all),
            percent(unknown / all)
        );
        piece(pieces, row.from, &told, |canvas| {
            for (state, class, height) in [
                (Ready::True, "readyline", RIBBON),
                (Ready::False, "unreadyline", RIBBON / 2.0),
                (Ready::Unknown, "unknownline", 1.5),
            ] {
                let mut path = String::new();
                for part in spans.iter().filter(|span| span.2 == state).filter_map(|span| row.part(span.0, span.1)) {
                    level(&mut path, part, top + RIBBON - height / 2.0);
                }
                canvas.path(class, &path);
            }
        });
    }
}

/// A level line, as a path's next part.
fn level(path: &mut String, (from, to): (f64, f64), y: f64) {
    let _ = write!(path, "M{} {}h{}", Px(from), Px(y), Px(to - from));
}

/// Changes as spans: from, to, and what holds between.
fn spans<T: Copy>(changes: &[(f64, T)], end: f64) -> Vec<(f64, f64, T)> {
    let ends = changes.iter().skip(1).map(|&(at, _)| at).chain([end]);
    changes.iter().zip(ends).map(|(&(from, what), to)| (from, to, what)).collect()
}

fn piece(pieces: &mut Vec<Piece>, at: f64, told: &str, draw: impl FnOnce(&mut Canvas)) {
    let mut canvas = Canvas::default();
    canvas.told(told, draw);
    pieces.push(Piece { at, canvas });
}

fn name(drawn: &mut Canvas, name: &str, middle: f64) {
    let letters = ((LEFT - 8.0) / Canvas::width_of("n", 12.0)) as usize;
    let shown: String = match name.chars().count() > letters {
        true => name.chars().take(letters - 1).chain(['…']).collect(),
        false => name.to_owned(),
    };
    drawn.text("t", Corner::Left, 0.0, middle + 4.0, &shown);
}
