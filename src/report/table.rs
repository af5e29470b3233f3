//! Tables for a terminal of a hundred columns, and for Markdown.

use comfy_table::{CellAlignment, ContentArrangement, presets};

/// Where a table is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// On a terminal: no borders, cells of several lines.
    Terminal,
    /// In Markdown: a line a row.
    Markdown,
}

/// A table of text.
#[derive(Clone, Debug)]
pub struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The columns that hold words; the others hold numbers and stand to the right.
    words: Vec<usize>,
}

/// What a table may fill of a terminal.
const WIDTH: u16 = 100;

impl Table {
    /// A table without rows, of which these columns hold words and the others numbers.
    pub fn new(words: impl IntoIterator<Item = usize>, headers: impl IntoIterator<Item = impl Into<String>>) -> Table {
        Table {
            headers: headers.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
            words: words.into_iter().collect(),
        }
    }

    /// Adds a row. A cell may have several lines.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The headings.
    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// The rows, top down.
    pub fn rows(&self) -> &[Vec<String>] {
        &self.rows
    }

    /// Whether a column holds words.
    pub fn holds_words(&self, column: usize) -> bool {
        self.words.contains(&column)
    }

    /// The table, each line ended.
    pub fn render(&self, form: Form) -> String {
        let mut table = comfy_table::Table::new();
        let heading = |text: &String| match form {
            Form::Terminal => text.clone(),
            // A heading is hyphenated only to be narrow.
            Form::Markdown => text.replace("-\n", "").replace('\n', " "),
        };
        let cell = |text: &String| match form {
            Form::Terminal => text.clone(),
            // A name is broken after its own hyphens.
            Form::Markdown => text.replace("-\n", "-").replace('\n', " ").replace('|', "\\|"),
        };
        match form {
            Form::Terminal => {
                table.load_style(presets::NOTHING);
                table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
            }
            Form::Markdown => {
                table.load_style(presets::ASCII_MARKDOWN);
            }
        }
        table.set_header(self.headers.iter().map(heading));
        for row in &self.rows {
            table.add_row(row.iter().map(cell));
        }
        for (at, column) in table.column_iter_mut().enumerate() {
            if form == Form::Terminal {
                column.set_padding((0, 2));
            }
            if !self.words.contains(&at) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}

/// A name in lines of at most `width`, broken after hyphens: as a word it would be broken anywhere or not at all.
pub fn in_lines(name: &str, width: usize) -> String {
    let mut lines = vec![String::new()];
    for part in name.split_inclusive('-') {
        let last = lines.last_mut().expect("there is a line");
        if !last.is_empty() && last.chars().count() + part.chars().count() > width {
            lines.push(part.to_owned());
        } else {
            last.push_str(part);
        }
    }
    lines.join("\n")
}
