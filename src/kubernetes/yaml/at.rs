//! A value together with the file it stands in and the path to it, so that whatever is wrong with it can be shown.

use super::{Entry, Node, Value};
use crate::scenario::failure::{Failure, Mistake, Place};
use crate::scenario::wording::{helped, meant, nearest, quoted};

/// A file that was read.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub name: String,
    pub text: String,
}

impl File {
    /// Something is wrong with it.
    pub fn failure(&self, mistake: Mistake) -> Failure {
        Failure::new(&self.name, &self.text, mistake)
    }

    /// The number, from 1, of the line that holds a place.
    pub fn line(&self, place: &Place) -> usize {
        1 + self.text.as_bytes()[..place.start.min(self.text.len())].iter().filter(|&&byte| byte == b'\n').count()
    }
}

/// A value, where it stands, and the path to it in its document.
#[derive(Clone, Debug)]
pub(crate) struct At<'a> {
    pub file: &'a File,
    pub node: &'a Node,
    pub path: String,
}

impl<'a> At<'a> {
    /// The root of a document.
    pub fn root(file: &'a File, node: &'a Node) -> At<'a> {
        At { file, node, path: String::new() }
    }

    fn under(&self, node: &'a Node, key: &str) -> At<'a> {
        let dot = if self.path.is_empty() { "" } else { "." };
        At { file: self.file, node, path: format!("{}{dot}{key}", self.path) }
    }

    /// The value of a key, if it is there and not null.
    pub fn get(&self, key: &str) -> Option<At<'a>> {
        let node = self.node.get(key).filter(|node| node.value != Value::Null)?;
        Some(self.under(node, key))
    }

    /// The value at the end of a path of keys.
    pub fn find(&self, keys: &[&str]) -> Option<At<'a>> {
        keys.iter().try_fold(self.clone(), |at, key| at.get(key))
    }

    /// The value of a key that must be there; `example` shows one.
    pub fn need(&self, key: &str, example: &str) -> Result<At<'a>, Failure> {
        self.get(key).ok_or_else(|| {
            let place = self.node.get(key).map_or(&self.node.place, |node| &node.place).clone();
            let near = self.keys().and_then(|keys| nearest(key, keys));
            let help = near.map(|near| format!("{} is there: is that meant?", quoted(near)));
            let mistake = self.mistake_at(first_line(&place, &self.file.text), format!("there is no `{key}` here"));
            self.file.failure(mistake.help(help.unwrap_or(format!("as in `{example}`"))))
        })
    }

    fn keys(&self) -> Option<impl Iterator<Item = &'a str> + use<'a>> {
        match &self.node.value {
            Value::Map(entries) => Some(entries.iter().map(|entry| entry.key.as_str())),
            _ => None,
        }
    }

    /// Text; a number or a flag reads as it is written.
    pub fn text(&self) -> Result<String, Failure> {
        match &self.node.value {
            Value::Text(text) => Ok(text.clone()),
            Value::Flag(_) | Value::Number(_) => {
                Ok(self.file.text.get(self.node.place.clone()).unwrap_or_default().to_owned())
            }
            _ => Err(self.instead_of("text")),
        }
    }

    /// One of these words.
    pub fn one_of(&self, words: &[&'static str]) -> Result<&'static str, Failure> {
        let text = self.text()?;
        words.iter().find(|word| **word == text).copied().ok_or_else(|| {
            let help = meant(&text, "it is one of", words.iter().copied());
            self.wrong_name(format!("{} is none of the words that may stand here", quoted(&text)), help)
        })
    }

    /// The items of a list.
    pub fn list(&self) -> Result<Vec<At<'a>>, Failure> {
        match &self.node.value {
            Value::List(items) => {
                let item = |(at, node)| At { file: self.file, node, path: format!("{}[{at}]", self.path) };
                Ok(items.iter().enumerate().map(item).collect())
            }
            _ => Err(self.instead_of("a list")),
        }
    }

    /// The entries of a map.
    pub fn entries(&self) -> Result<Vec<(&'a Entry, At<'a>)>, Failure> {
        match &self.node.value {
            Value::Map(entries) => {
                Ok(entries.iter().map(|entry| (entry, self.under(&entry.node, &entry.key))).collect())
            }
            _ => Err(self.instead_of("a map")),
        }
    }

    /// Something is wrong with it; `help` says what would be right.
    pub fn wrong(&self, message: impl Into<String>, help: impl Into<String>) -> Failure {
        let place = first_line(&self.node.place, &self.file.text);
        self.file.failure(self.mistake_at(place, message.into()).help(help))
    }

    /// It names what there is not; `help` says what was probably meant, and what there is.
    pub fn wrong_name(&self, message: impl Into<String>, help: Vec<String>) -> Failure {
        let place = first_line(&self.node.place, &self.file.text);
        self.file.failure(helped(self.mistake_at(place, message.into()), help))
    }

    fn instead_of(&self, wanted: &str) -> Failure {
        self.wrong(format!("here stands {} instead of {wanted}", self.node.kind()), format!("write {wanted}"))
    }

    /// A mistake that tells the path in the document.
    pub fn mistake_at(&self, place: Place, message: String) -> Mistake {
        Mistake::at(place, message).label(if self.path.is_empty() { "this document" } else { &self.path })
    }

    /// Its line in its file, from 1.
    pub fn line(&self) -> usize {
        self.file.line(&self.node.place)
    }
}

/// What is underlined of a value of many lines: the first.
fn first_line(place: &Place, text: &str) -> Place {
    let end = text[place.clone()].find('\n').map_or(place.end, |at| place.start + at);
    place.start..end.max(place.start)
}
