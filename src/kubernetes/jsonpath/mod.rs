//! JSONPath as Kubernetes reads it (`k8s.io/client-go/util/jsonpath`, with missing keys allowed), one expression, which is
//! how Cartographer evaluates paths: with or without braces, with or without a leading dot.

mod evaluate;
mod parse;

use serde_json::Value as Json;

/// A path that can be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Path {
    steps: Vec<Step>,
}

/// Why a path is wrong, and the byte where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wrong {
    pub message: String,
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    /// `.name`, `['name']`
    Field(String),
    /// `.*`
    All,
    /// `..`
    Descend,
    /// `[i]`, `[from:to:by]`, `[*]`
    Slice(Slice),
    /// `[a,b]`
    Union(Vec<Vec<Step>>),
    /// `[?(@.a)]`, `[?(@.a == "b")]`
    Filter(Vec<Step>, Option<(Compare, Operand)>),
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slice {
    from: Option<i64>,
    to: Option<i64>,
    by: Option<i64>,
    /// One item, which must be there.
    single: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Compare {
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Value(Json),
    Path(Vec<Step>),
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Path, Wrong> {
        parse::path(text).map(|steps| Path { steps })
    }

    /// Every value that the path leads to; what is missing leads nowhere. Fails where the document is of another shape
    /// than the path says, as an index into a map.
    pub fn all<'a>(&self, document: &'a Json) -> Result<Vec<&'a Json>, String> {
        evaluate::steps(&self.steps, document)
    }

    /// The one value that it leads to, if there is one. Fails if there are several.
    pub fn one<'a>(&self, document: &'a Json) -> Result<Option<&'a Json>, String> {
        match self.all(document)?.as_slice() {
            [] => Ok(None),
            [value] => Ok(Some(value)),
            several => Err(format!("it leads to {} values, not to one", several.len())),
        }
    }

    /// The first fields that it names, up to whatever is no plain field.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().map_while(|step| match step {
            Step::Field(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests;
