//! Values: what anyone can compare, and what only the simulator knows (§2).

use std::collections::BTreeSet;

/// A workload field's value or an answer's.
#[derive(Clone, Debug, Default)]
pub struct Value {
    /// What anyone can compare.
    pub content: String,
    /// The field versions that went into it.
    pub fields: BTreeSet<(usize, u32)>,
    /// The world versions that went into it.
    pub worlds: BTreeSet<(usize, u32)>,
    /// Whether an enemy's writing is in it.
    pub evil: bool,
}

/// A question: the input values.
pub type Question = Vec<Value>;

/// What anyone can compare of a question.
pub fn contents(question: &Question) -> Vec<String> {
    question.iter().map(|value| value.content.clone()).collect()
}

/// Whether two questions look the same.
pub fn same(a: &Question, b: &Question) -> bool {
    contents(a) == contents(b)
}

/// The lineage of a question as a whole, as a value without content.
pub fn lineage(question: &Question) -> Value {
    let mut all = Value::default();
    for value in question {
        all.fields.extend(&value.fields);
        all.worlds.extend(&value.worlds);
        all.evil |= value.evil;
    }
    all
}

/// An answer: a value, the success that made it, and what it bears.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Counted per oracle from 1.
    pub making: u32,
    /// The value.
    pub value: Value,
    /// The contents that it was made from; none if it was forged.
    pub made_from: Option<Vec<String>>,
    /// The generation that it bears, if its oracle reports that.
    pub generation: u32,
    /// The inputs' contents that it bears, if its oracle reports those.
    pub inputs: Vec<String>,
}
