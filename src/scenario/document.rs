//! Tables and values of a TOML document with their places. Readers ask for what they want; what is there instead becomes
//! a message that says so.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::failure::{Mistake, Place, Read};
use super::wording::{any_of, helped, meant, nearest, quoted};
use crate::model::Axis;

/// A whole document, parsed.
pub(crate) fn parse(text: &str) -> Read<Spanned<DeTable<'_>>> {
    DeTable::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(text.len()..text.len());
        let (message, help) = syntax(error.message(), text.get(..place.start).unwrap_or_default());
        Mistake::at(place, message).help(help)
    })
}

/// What the TOML parser says, as a sentence of ours with a help; `before` is the text up to there.
fn syntax(message: &str, before: &str) -> (String, String) {
    let (what, wanted) = message.split_once(", expected ").unwrap_or((message, ""));
    match what {
        "duplicate key" => (
            "this name is given twice".into(),
            "give each key once in a table; what there may be several of stands under `[[double brackets]]`".into(),
        ),
        "string values must be quoted" => {
            ("text must be quoted".into(), "put it in double quotes, as in `work = \"90s\"`".into())
        }
        "recursion limit" | "cannot recurse further; max recursion depth met" => {
            ("this is nested too deeply".into(), "a scenario never nests deeper than a few levels".into())
        }
        "missing comma between array elements" | "unclosed array" => {
            ("this list goes on where it should end".into(), "put `,` between its values and `]` after the last".into())
        }
        "invalid basic string" | "invalid literal string" => {
            ("this text is not closed".into(), format!("put {wanted} where it ends, on the same line"))
        }
        "key with no value" if before.trim_end().ends_with(':') => {
            ("a key and its value are joined by `=`".into(), "write `key = value`, where YAML has `key: value`".into())
        }
        "key with no value" => ("this key has no value".into(), "write `key = value`".into()),
        _ if wanted.is_empty() => {
            (format!("this is not TOML: {what}"), "https://toml.io shows how it is written".into())
        }
        _ => (format!("this is not TOML: {what}"), format!("expected here: {wanted}")),
    }
}

/// A value, the key it stands under, and where both are.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    key: &'a str,
    node: &'a Spanned<DeValue<'a>>,
}

/// A table whose keys are all known.
#[derive(Clone)]
pub(crate) struct Table<'a> {
    what: &'static str,
    place: Place,
    entries: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// The document's own table, if all its keys are among `keys`.
    pub fn document(what: &'static str, document: &'a Spanned<DeTable<'a>>, keys: &[&str]) -> Read<Table<'a>> {
        let table = Table { what, place: 0..0, entries: document.get_ref() };
        table.only(keys.iter().copied())?;
        Ok(table)
    }

    fn only<'k>(&self, keys: impl Iterator<Item = &'k str> + Clone) -> Read<()> {
        let unknown = self.entries.keys().filter(|key| keys.clone().all(|known| known != key.get_ref().as_ref()));
        let Some(first) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let name = first.get_ref().as_ref();
        let mistake = Mistake::at(first.span(), format!("{} has no key {}", self.what, quoted(name)));
        Err(helped(mistake, meant(name, &format!("the keys of {}", self.what), keys)))
    }

    /// The value of a key, if it is given.
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.entries.get_key_value(key).map(|(key, node)| Value { key: key.get_ref().as_ref(), node })
    }

    /// The value of a key that must be given; `example` shows one.
    pub fn need(&self, key: &str, example: &str) -> Read<Value<'a>> {
        self.get(key).ok_or_else(|| {
            Mistake::at(self.place.clone(), format!("{} needs `{key}`", self.what)).help(format!("add `{example}`"))
        })
    }

    /// The rows of an array of tables, none if it is not given.
    pub fn rows(&self, key: &str) -> Read<Vec<Value<'a>>> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let help = format!("there may be several: write `[[{key}]]` above each");
        match value.node.get_ref() {
            DeValue::Array(rows) => {
                let rows: Vec<_> = rows.iter().map(|node| Value { node, ..value }).collect();
                match rows.iter().find(|row| !row.node.get_ref().is_table()) {
                    Some(other) => Err(other.instead_of("tables", &help)),
                    None => Ok(rows),
                }
            }
            DeValue::Table(_) => Err(Mistake::at(value.place(), format!("`{key}` is one table here")).help(help)),
            _ => Err(value.instead_of("tables", &help)),
        }
    }

    /// Every key with its value, in the order of the file.
    pub fn entries(&self) -> Vec<(Place, Value<'a>)> {
        let mut entries: Vec<_> =
            self.entries.iter().map(|(key, node)| (key.span(), Value { key: key.get_ref().as_ref(), node })).collect();
        entries.sort_by_key(|(place, _)| place.start);
        entries
    }

    /// Where a key stands, or the table if the key is not given.
    pub fn key_place(&self, key: &str) -> Place {
        self.entries.get_key_value(key).map_or(self.place.clone(), |(key, _)| key.span())
    }

    /// Where the table begins: its header.
    pub fn place(&self) -> Place {
        self.place.clone()
    }

    /// What it is, with an article.
    pub fn what(&self) -> &'static str {
        self.what
    }
}

impl<'a> Value<'a> {
    /// The key it stands under.
    pub fn key(&self) -> &'a str {
        self.key
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        self.node.span()
    }

    /// Something else is wanted here.
    pub fn instead_of(&self, wanted: &str, help: &str) -> Mistake {
        let is = match self.node.get_ref() {
            DeValue::String(_) => "text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a decimal number",
            DeValue::Boolean(true) => "a bare `true`",
            DeValue::Boolean(false) => "a bare `false`",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        Mistake::at(self.place(), format!("{} wants {wanted}, not {is}", quoted(self.key))).help(help)
    }

    /// Its text, if it is text.
    pub fn as_text(&self) -> Option<&'a str> {
        self.node.get_ref().as_str()
    }

    /// Text; `example` shows some.
    pub fn text(&self, wanted: &str, example: &str) -> Read<&'a str> {
        self.as_text().ok_or_else(|| self.instead_of(wanted, &format!("as in `{} = \"{example}\"`", self.key)))
    }

    /// A sentence for people: one line that says something.
    pub fn line(&self, example: &str) -> Read<String> {
        let text = self.text("a line of text", example)?.trim();
        if text.is_empty() {
            return Err(Mistake::at(self.place(), format!("{} says nothing", quoted(self.key)))
                .help(format!("as in `{} = \"{example}\"`", self.key)));
        }
        if text.contains(['\n', '\r']) {
            return Err(Mistake::at(self.place(), format!("{} is more than one line", quoted(self.key)))
                .help("say it in one line; a comment may say more"));
        }
        Ok(text.to_owned())
    }

    /// `true` or `false`.
    pub fn flag(&self) -> Read<bool> {
        self.node
            .get_ref()
            .as_bool()
            .ok_or_else(|| self.instead_of("`true` or `false`", "write it without quotes: `true` or `false`"))
    }

    /// A whole number that is not negative.
    pub fn count(&self) -> Read<u64> {
        let help = format!("as in `{} = 3`", self.key);
        let DeValue::Integer(number) = self.node.get_ref() else {
            return Err(self.instead_of("a whole number", &help));
        };
        whole(number).ok_or_else(|| {
            let fault = if number.as_str().starts_with('-') { "cannot be negative" } else { "is too large" };
            Mistake::at(self.place(), format!("{} {fault}", quoted(self.key))).help("write a whole number, 0 or more")
        })
    }

    /// A whole number from 1 to the largest that 32 bits hold; `none` says what zero would have meant.
    pub fn some(&self, none: &str) -> Read<u32> {
        match self.count()? {
            0 => Err(Mistake::at(self.place(), format!("{} cannot be 0", quoted(self.key))).help(none)),
            count => self.fits(count),
        }
    }

    /// A whole number that 32 bits hold.
    pub fn small(&self) -> Read<u32> {
        self.fits(self.count()?)
    }

    fn fits(&self, count: u64) -> Read<u32> {
        u32::try_from(count).map_err(|_| {
            Mistake::at(self.place(), format!("{} is too large", quoted(self.key)))
                .help(format!("a whole number up to {}", u32::MAX))
        })
    }

    /// A finite number.
    pub fn number(&self, wanted: &str, example: &str) -> Read<f64> {
        let help = format!("as in `{} = {example}`", self.key);
        let number = match self.node.get_ref() {
            DeValue::Integer(number) => {
                whole(number).map(|number| number as f64).or_else(|| number.as_str().parse().ok())
            }
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => return Err(self.instead_of(wanted, &help)),
        };
        number.filter(|number: &f64| number.is_finite()).ok_or_else(|| {
            Mistake::at(self.place(), format!("{} wants {wanted}, and this is none", quoted(self.key))).help(help)
        })
    }

    /// A named setting.
    pub fn axis<T: Axis>(&self) -> Read<T> {
        let names = T::ALL.iter().map(|value| value.name());
        let choices = T::ALL.iter().map(|value| format!("\n`{}`: {}", value.name(), value.meaning()));
        let choices = format!("{} is one of{}", quoted(self.key), choices.collect::<String>());
        let text = self.as_text().ok_or_else(|| self.instead_of(&any_of(names.clone()), &choices))?;
        T::named(text).ok_or_else(|| {
            let mistake = Mistake::at(self.place(), format!("{} cannot be {}", quoted(self.key), quoted(text)));
            match nearest(text, names) {
                Some(meant) => mistake.help(format!("did you mean {}?", quoted(meant))),
                None => mistake,
            }
            .help(choices)
        })
    }

    /// The values of a list.
    pub fn list(&self, wanted: &str, help: &str) -> Read<Vec<Value<'a>>> {
        match self.node.get_ref() {
            DeValue::Array(list) => Ok(list.iter().map(|node| Value { node, ..*self }).collect()),
            _ => Err(self.instead_of(wanted, help)),
        }
    }

    /// The values of a list, or the one value that stands for a list of one.
    pub fn one_or_more(&self) -> Vec<Value<'a>> {
        match self.node.get_ref() {
            DeValue::Array(list) => list.iter().map(|node| Value { node, ..*self }).collect(),
            _ => vec![*self],
        }
    }

    /// What it holds, as JSON.
    pub fn json(&self) -> serde_json::Value {
        let inner = |node: &'a Spanned<DeValue<'a>>| Value { node, ..*self }.json();
        match self.node.get_ref() {
            DeValue::String(text) => text.as_ref().into(),
            DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok().into(),
            DeValue::Float(number) => number.as_str().parse::<f64>().ok().into(),
            DeValue::Boolean(flag) => (*flag).into(),
            DeValue::Datetime(date) => date.to_string().into(),
            DeValue::Array(list) => list.iter().map(inner).collect(),
            DeValue::Table(entries) => {
                entries.iter().map(|(key, node)| (key.get_ref().clone().into_owned(), inner(node))).collect()
            }
        }
    }

    /// Whether it is a whole number.
    pub fn is_whole(&self) -> bool {
        self.node.get_ref().is_integer()
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.node.get_ref().is_table()
    }

    /// A table in which all keys are known. `what` names it with an article, `example` shows one.
    pub fn table<'k>(
        &self,
        what: &'static str,
        keys: impl IntoIterator<Item = &'k str, IntoIter: Clone>,
        example: &str,
    ) -> Read<Table<'a>> {
        let table = self.open_table(what, example)?;
        table.only(keys.into_iter())?;
        Ok(table)
    }

    /// A table whose keys its reader looks at itself.
    pub fn open_table(&self, what: &'static str, example: &str) -> Read<Table<'a>> {
        match self.node.get_ref() {
            DeValue::Table(entries) => Ok(Table { what, place: self.place(), entries }),
            DeValue::Array(rows) if rows.iter().any(|row| row.get_ref().is_table()) => {
                Err(Mistake::at(self.place(), format!("there is only one {}", quoted(self.key)))
                    .help(format!("write it as one table: `{example}`")))
            }
            _ => Err(self.instead_of("a table", &format!("as in `{example}`"))),
        }
    }
}

/// A number that fits and is not negative, whatever its radix.
fn whole(number: &DeInteger<'_>) -> Option<u64> {
    u64::from_str_radix(number.as_str(), number.radix()).ok()
}
