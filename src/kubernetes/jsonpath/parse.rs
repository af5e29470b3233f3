//! Text in, steps out.

use serde_json::Value as Json;

use super::{Compare, Operand, Slice, Step, Wrong};

/// Paths in paths: a filter in a filter in a union.
const DEEPEST: usize = 16;

pub(super) fn path(text: &str) -> Result<Vec<Step>, Wrong> {
    let trimmed = text.trim();
    let start = text.len() - text.trim_start().len();
    if trimmed.is_empty() {
        return Err(Wrong { message: "the path is empty".into(), at: 0 });
    }
    let (inner, start) = match trimmed.strip_prefix('{') {
        None => (trimmed, start),
        Some(rest) => match rest.strip_suffix('}') {
            Some(inner) => (inner, start + 1),
            None => return Err(Wrong { message: "the brace is never closed".into(), at: start }),
        },
    };
    let mut reader = Reader { text: inner, at: 0, start, depth: 0 };
    let steps = reader.steps(true)?;
    match steps.is_empty() {
        true => Err(Wrong { message: "the path leads nowhere".into(), at: start }),
        false => Ok(steps),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Where the text begins in the whole.
    start: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        Wrong { message: message.into(), at: self.start + self.at }
    }

    /// A part of the text that is a path of its own.
    fn inner(&self, from: usize, to: usize) -> Result<Reader<'t>, Wrong> {
        if self.depth == DEEPEST {
            return Err(self.wrong(format!("paths may nest {DEEPEST} deep")));
        }
        Ok(Reader { text: &self.text[from..to], at: 0, start: self.start + from, depth: self.depth + 1 })
    }

    fn steps(&mut self, mut bare_field: bool) -> Result<Vec<Step>, Wrong> {
        let mut steps = Vec::new();
        while let Some(next) = self.rest().chars().next() {
            match next {
                ' ' | '\t' => self.at += 1,
                '$' | '@' if steps.is_empty() => self.at += 1,
                '.' if self.rest().starts_with("..") => {
                    if steps.last() == Some(&Step::Descend) {
                        return Err(self.wrong("`..` stands here twice"));
                    }
                    self.at += 2;
                    steps.push(Step::Descend);
                    if self.rest().starts_with(|c: char| !"[.*".contains(c)) {
                        steps.push(self.field()?);
                    }
                }
                '.' => {
                    self.at += 1;
                    // `{.}` is the document itself.
                    if !self.rest().is_empty() && !self.rest().starts_with('[') {
                        steps.push(self.field()?);
                    }
                }
                '[' => steps.push(self.bracket()?),
                // Cartographer puts a dot before a path that has none.
                _ if bare_field && steps.is_empty() => steps.push(self.field()?),
                other => return Err(self.wrong(format!("`{other}` cannot stand here"))),
            }
            bare_field = false;
        }
        Ok(steps)
    }

    /// A name up to whatever ends it; a backslash takes the next character as it is.
    fn field(&mut self) -> Result<Step, Wrong> {
        let mut name = String::new();
        let mut chars = self.rest().char_indices();
        let mut length = self.rest().len();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => match chars.next() {
                    Some((_, next)) => name.push(next),
                    None => return Err(self.wrong("nothing follows the backslash")),
                },
                '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}' | ' ' | '\t' | '\r' | '\n' => {
                    length = at;
                    break;
                }
                c => name.push(c),
            }
        }
        if length == 0 {
            return Err(self.wrong("here a name is missing"));
        }
        self.at += length;
        Ok(if name == "*" { Step::All } else { Step::Field(name) })
    }

    /// Whatever stands in brackets.
    fn bracket(&mut self) -> Result<Step, Wrong> {
        if self.rest().starts_with("[?(") {
            return self.filter();
        }
        let close = self.closing('[', ']').ok_or_else(|| self.wrong("the bracket is never closed"))?;
        let (from, to) = (self.at + 1, close);
        let step = self.in_brackets(from, to)?;
        self.at = close + 1;
        Ok(step)
    }

    fn in_brackets(&self, from: usize, to: usize) -> Result<Step, Wrong> {
        let text = &self.text[from..to];
        let parts = split(text, ',');
        if parts.len() > 1 {
            let part = |part: &std::ops::Range<usize>| {
                let inner = &text[part.clone()];
                let shift = inner.len() - inner.trim_start().len();
                let (from, to) = (from + part.start + shift, from + part.start + shift + inner.trim().len());
                let inner = self.inner(from, to)?;
                Ok(vec![inner.in_brackets(0, inner.text.len())?])
            };
            return parts.iter().map(part).collect::<Result<_, _>>().map(Step::Union);
        }
        let text = text.trim();
        if let Some(name) = quoted(text) {
            // As in Kubernetes a quoted name is a path itself: ['metadata.name']; a dot in a name wants a backslash.
            let shift = self.text[from..to].find('\'').unwrap_or(0) + 1;
            let mut inner = self.inner(from + shift, from + shift + name.len())?;
            let mut steps = inner.steps(true)?;
            return match steps.len() {
                0 => Err(Wrong { message: "here a name is missing".into(), at: self.start + from }),
                1 => Ok(steps.remove(0)),
                _ => Ok(Step::Union(vec![steps])),
            };
        }
        if text.starts_with('"') {
            let message = "a name in brackets stands in single quotes, as in `['name']`";
            return Err(Wrong { message: message.into(), at: self.start + from });
        }
        if text == "*" {
            return Ok(Step::Slice(Slice::default()));
        }
        let parts: Vec<&str> = text.split(':').collect();
        let number = |text: &str| match text.trim() {
            "" => Ok(None),
            digits => digits.parse().map(Some).map_err(|_| Wrong {
                message: format!("`{text}` is no index: write a number, `*`, or a name in single quotes"),
                at: self.start + from,
            }),
        };
        match parts.as_slice() {
            [""] => Err(Wrong { message: "the brackets are empty".into(), at: self.start + from }),
            [one] => Ok(Step::Slice(Slice { from: number(one)?, single: true, ..Slice::default() })),
            [a, b] => Ok(Step::Slice(Slice { from: number(a)?, to: number(b)?, ..Slice::default() })),
            [a, b, c] => {
                let by = number(c)?;
                if by.is_some_and(|by| by <= 0) {
                    return Err(Wrong { message: "a step must be 1 or more".into(), at: self.start + from });
                }
                Ok(Step::Slice(Slice { from: number(a)?, to: number(b)?, by, single: false }))
            }
            _ => Err(Wrong { message: "a slice has at most three parts".into(), at: self.start + from }),
        }
    }

    fn filter(&mut self) -> Result<Step, Wrong> {
        let open = self.at + 2;
        let outer = Reader { at: open, ..Reader { text: self.text, at: 0, start: self.start, depth: self.depth } };
        let close = outer.closing('(', ')').ok_or_else(|| self.wrong("the filter is never closed"))?;
        if !self.text[close + 1..].starts_with(']') {
            let at = self.start + close + 1;
            return Err(Wrong { message: "after the filter a `]` is missing".into(), at });
        }
        let condition = &self.text[open + 1..close];
        let step = match comparison(condition) {
            None => Step::Filter(self.inner(open + 1, close)?.steps(false)?, None),
            Some((compare, left, right)) => {
                let left = self.inner(open + 1 + left.start, open + 1 + left.end)?.steps(false)?;
                let operand = self.inner(open + 1 + right.start, open + 1 + right.end)?.operand()?;
                Step::Filter(left, Some((compare.map_err(|message| self.wrong(message))?, operand)))
            }
        };
        self.at = close + 2;
        Ok(step)
    }

    fn operand(mut self) -> Result<Operand, Wrong> {
        let text = self.text.trim();
        let text_in = |quote: char| text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(text) = text_in('"').or_else(|| text_in('\'')).filter(|_| text.len() > 1) {
            return Ok(Operand::Value(unescaped(text).into()));
        }
        match text {
            "" => Err(self.wrong("here a value is missing")),
            "true" => Ok(Operand::Value(true.into())),
            "false" => Ok(Operand::Value(false.into())),
            _ if text.starts_with(['@', '$', '.']) => Ok(Operand::Path(self.steps(false)?)),
            _ => text.parse::<serde_json::Number>().map(|number| Operand::Value(Json::Number(number))).map_err(|_| {
                self.wrong(format!("`{text}` is no value: put text in quotes, as in `@.type==\"Ready\"`"))
            }),
        }
    }

    /// Where what opens here is closed, quotes passed over.
    fn closing(&self, open: char, close: char) -> Option<usize> {
        let mut depth = 0;
        let mut quote = None;
        let mut escaped = false;
        for (at, c) in self.rest().char_indices() {
            match (quote, c) {
                _ if escaped => escaped = false,
                (_, '\\') => escaped = true,
                (Some(open), c) if c == open => quote = None,
                (Some(_), _) => {}
                (None, '"' | '\'') => quote = Some(c),
                (None, c) if c == open => depth += 1,
                (None, c) if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(self.at + at);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.strip_prefix('\'')?.strip_suffix('\'')
}

fn unescaped(text: &str) -> String {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        plain.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    plain
}

/// The parts of a text between separators outside of quotes.
fn split(text: &str, separator: char) -> Vec<std::ops::Range<usize>> {
    let mut parts = Vec::new();
    let (mut from, mut quote) = (0, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if c == separator => {
                parts.push(from..at);
                from = at + c.len_utf8();
            }
            None => {}
        }
    }
    parts.push(from..text.len());
    parts
}

type Comparison = (Result<Compare, String>, std::ops::Range<usize>, std::ops::Range<usize>);

/// The operator of a condition, with what stands left and right of it.
fn comparison(condition: &str) -> Option<Comparison> {
    let is_operator = |c: char| "!<>=~".contains(c);
    let mut quote = None;
    let from = condition.char_indices().find_map(|(at, c)| match quote {
        Some(open) => {
            if c == open {
                quote = None;
            }
            None
        }
        None if c == '"' || c == '\'' => {
            quote = Some(c);
            None
        }
        None => is_operator(c).then_some(at),
    })?;
    let operator: String = condition[from..].chars().take_while(|&c| is_operator(c)).collect();
    let compare = match operator.as_str() {
        "==" => Ok(Compare::Equal),
        "!=" => Ok(Compare::NotEqual),
        "<" => Ok(Compare::Less),
        "<=" => Ok(Compare::AtMost),
        ">" => Ok(Compare::Greater),
        ">=" => Ok(Compare::AtLeast),
        other => Err(format!("`{other}` is no comparison: there are ==, !=, <, <=, > and >=")),
    };
    Some((compare, 0..from, from + operator.len()..condition.len()))
}
