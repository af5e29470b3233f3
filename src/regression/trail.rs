//! The beginning of a run, a few bits a fact: enough to find the first fact at which another run parts from it.

use crate::measure::{Digest, Observer};
use crate::model::{Fact, Plan, Time};
use crate::report::{Clock, Detail, Story};
use crate::simulate::{Limits, Overrun, Simulator};

/// So many facts are kept.
pub const LENGTH: usize = 256;

/// Six bits of the digest of all facts up to each: from the fact on at which two runs part they differ, but for one in 64
/// by chance.
#[derive(Clone, Default)]
pub struct Trail {
    digest: Digest,
    letters: String,
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

impl Trail {
    /// A letter a fact.
    pub fn letters(&self) -> &str {
        &self.letters
    }

    /// The digest of all facts, those that are not kept as well.
    pub fn hex(&self) -> String {
        self.digest.hex()
    }

    /// Ready for another run.
    pub fn clear(&mut self) {
        self.digest.clear();
        self.letters.clear();
    }
}

impl Observer for Trail {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.digest.hear(at, fact);
        if self.letters.len() < LENGTH {
            let so_far = self.digest.hex();
            let bits = usize::from_str_radix(&so_far[30..], 16).expect("it is in hexadecimal") % LETTERS.len();
            self.letters.push(char::from(LETTERS[bits]));
        }
    }
}

/// The fact of this number, from 0, in words: when, who, what. None if the run has fewer.
///
/// # Errors
///
/// If the run makes more events than its limits allow.
pub fn told_at(plan: &Plan, seed: u64, number: usize, limits: Limits) -> Result<Option<String>, Overrun> {
    struct Wait {
        story: Story,
        number: usize,
        heard: usize,
        told: Option<String>,
    }
    impl Observer for Wait {
        fn hear(&mut self, at: Time, fact: &Fact<'_>) {
            // The story learns names from every fact.
            let sentence = self.story.tell(fact);
            if self.heard == self.number {
                let words =
                    sentence.map_or_else(|| fact.kind().to_owned(), |told| format!("{} {}", told.who, told.what));
                self.told = Some(format!("{} {words}", Clock(at)));
            }
            self.heard += 1;
        }
    }
    let mut wait = Wait { story: Story::new(plan.setting(), Detail::Everything), number, heard: 0, told: None };
    Simulator::new(plan, limits).run(seed, &mut wait)?;
    Ok(wait.told)
}
