//! YAML with places, from strangers: bounded in nesting, in size and in what its aliases may grow to.

mod at;
mod read;

use serde_json::{Map, Number, Value as Json};

use crate::scenario::failure::Place;

pub(crate) use at::{At, File};
pub(crate) use read::read;

/// How the text begins that stands in JSON for a value that ytt would compute.
pub(crate) const YTT: &str = "#@ ";

/// One document of a file.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub root: Node,
    /// Lines of ytt that decide what the document holds: `#@ if`, `#@ for`, `#@ def`.
    pub controls: Vec<Place>,
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub place: Place,
    pub value: Value,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Number(Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Entry>),
    /// The result of a ytt expression, which nobody here evaluates.
    Ytt(String),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub key: String,
    pub key_place: Place,
    pub node: Node,
}

/// Places are no part of what a value is.
impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        (&self.key, &self.node) == (&other.key, &other.node)
    }
}

impl Node {
    /// The value of a key, if this is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            _ => None,
        }
    }

    /// The value as JSON; of a ytt expression, text that begins with [`YTT`].
    pub fn json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Ytt(expression) => Json::String(format!("{YTT}{expression}")),
            Value::Flag(flag) => Json::Bool(*flag),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::String(text.clone()),
            Value::List(items) => items.iter().map(Node::json).collect(),
            Value::Map(entries) => {
                let entries = entries.iter().map(|entry| (entry.key.clone(), entry.node.json()));
                Json::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// Every text in it, and every ytt expression, each with its place.
    pub fn texts<'a>(&'a self, found: &mut impl FnMut(&'a Node, &'a str)) {
        match &self.value {
            Value::Text(text) | Value::Ytt(text) => found(self, text),
            Value::List(items) => items.iter().for_each(|item| item.texts(found)),
            Value::Map(entries) => entries.iter().for_each(|entry| entry.node.texts(found)),
            Value::Null | Value::Flag(_) | Value::Number(_) => {}
        }
    }

    /// What kind of value it is, with an article.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "nothing",
            Value::Flag(_) => "true or false",
            Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
            Value::Ytt(_) => "a ytt expression",
        }
    }
}
