//! How often an object has begun a question, which keys its draws (contract §10.10) and counts `fails_first`.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::value::Content;

/// Contents are hashes already.
#[derive(Clone, Copy, Debug, Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("contents are hashed as one word")
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// What came before an attempt at a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// How often the object had begun the question, retries apart.
    pub begun: u32,
    /// How many attempts it had made at it.
    pub attempted: u32,
}

/// A question that was last begun longer ago than this many others may count as never begun; memory stays bounded.
const REMEMBERED: usize = 4096;

type Table = HashMap<Content, Counts, BuildHasherDefault<AsItIs>>;

#[derive(Clone, Debug, Default)]
pub(super) struct Repeats {
    young: Table,
    old: Table,
}

impl Repeats {
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    /// What came before, question by question, in the order of their contents.
    pub fn in_order(&self) -> Vec<(Content, Counts)> {
        let forgotten = self.old.iter().filter(|(question, _)| !self.young.contains_key(question));
        let mut counts: Vec<_> =
            self.young.iter().chain(forgotten).map(|(&question, &counts)| (question, counts)).collect();
        counts.sort_unstable_by_key(|&(question, _)| question);
        counts
    }

    /// Remembers what came before at a question.
    pub fn put_back(&mut self, question: Content, counts: Counts) {
        self.young.insert(question, counts);
    }

    /// Counts an attempt, and returns what came before it.
    pub fn begin(&mut self, question: Content, attempt: u32) -> Counts {
        if self.young.len() == REMEMBERED && !self.young.contains_key(&question) {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        let old = &self.old;
        let counts = self.young.entry(question).or_insert_with(|| old.get(&question).copied().unwrap_or_default());
        let mut before = *counts;
        counts.attempted += 1;
        if attempt == 1 {
            counts.begun += 1;
        } else {
            // The attempt belongs to the beginning that was counted with its first attempt.
            before.begun = before.begun.saturating_sub(1);
        }
        before
    }
}
