//! Whatever is read, mutated: it ends in something read or in one error, within bounds of time and memory.
//!
//! The corpus is every scenario, every wrong file, every blessed result and every chain in YAML of the repository. A bounded part runs with the other tests;
//! for hours:
//!
//! ```console
//! FUZZ_INPUTS=100000000 cargo test --release --test fuzz -- --nocapture
//! ```
//!
//! `FUZZ_FIRST` says with which input to begin. An input that fails is named.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use rehearsal::kubernetes::{self, Choice};
use rehearsal::model::Plan;
use rehearsal::regression;
use rehearsal::scenario::{Scenario, Variation};
use rehearsal::schedule::Schedule;
use rehearsal::simulate::{Limits, Simulator};

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().expect("a number"))
}

fn collect(folder: &Path, ending: &str, into: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, ending, into);
        } else if path.extension().is_some_and(|own| own == ending) {
            into.extend(String::from_utf8(fs::read(&path).unwrap()));
        }
    }
}

const PIECES: [&str; 36] = [
    "\"",
    "[[",
    "]",
    "{",
    "}",
    "=",
    "\n",
    "#",
    "-1",
    "1e999",
    "nan",
    "18446744073709551616",
    "99999d",
    "0s",
    "\"0s\"",
    "[[oracle]]",
    "[[step]]",
    "[[policy]]",
    "workload.",
    "\u{0}",
    "\u{feff}",
    "🦀",
    "1.0",
    "true",
    ": ",
    "- ",
    "---\n",
    "&a ",
    "*a",
    "<<: ",
    "$(",
    ")$",
    "[?(@.",
    "..",
    "#@ if x:",
    "\t",
];

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), so that an input is its number.
struct Mutator(u64);

impl Mutator {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }

    fn boundary(&mut self, text: &str) -> usize {
        let at = self.below(text.len() + 1);
        (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
    }

    fn line<'t>(&mut self, text: &'t str) -> &'t str {
        let lines: Vec<&str> = text.lines().collect();
        lines.get(self.below(lines.len())).copied().unwrap_or_default()
    }

    fn mutate(&mut self, corpus: &[String]) -> String {
        let chosen = self.below(corpus.len());
        let mut text = corpus[chosen].clone();
        for _ in 0..=self.below(4) {
            let (one, other) = (self.boundary(&text), self.boundary(&text));
            let (from, to) = (one.min(other), one.max(other));
            text = match self.below(7) {
                0 => format!("{}{}{}", &text[..from], PIECES[self.below(PIECES.len())], &text[from..]),
                1 if to - from < 200 => format!("{}{}", &text[..from], &text[to..]),
                2 => text[..to].to_owned(),
                3 => format!("{}{}{}", &text[..to], &text[from..to], &text[to..]),
                4 => {
                    let line = self.line(&text).to_owned();
                    text.replacen(&line, "", 1)
                }
                5 => {
                    let (line, from) = (self.line(&text).to_owned(), self.below(corpus.len()));
                    let new = self.line(&corpus[from]).to_owned();
                    text.replacen(&line, &new, 1)
                }
                _ => {
                    let digits: Vec<usize> =
                        text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
                    match digits.get(self.below(digits.len())) {
                        Some(&at) => format!("{}{}{}", &text[..at], self.below(100_000), &text[at + 1..]),
                        None => text,
                    }
                }
            };
            if text.len() > 200_000 {
                text.truncate((0..=200_000).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0));
            }
        }
        text
    }
}

/// Reads text as everything that can be read; whether a scenario came of it.
fn read(text: &str, known: &Scenario, variations: &[&str]) -> bool {
    let _ = regression::read(text);
    let _ = Schedule::parse("a.toml", text, &known.setting).map_err(|failure| failure.to_string());
    for line in text.lines().take(3) {
        let _ = line.parse::<Variation>();
    }
    for variation in variations {
        let variation: Variation = variation.parse().expect("a variation");
        for value in variation.values().iter().take(1) {
            let _ = variation.apply(text, value);
        }
    }
    let scenario = match Scenario::parse("a.toml", text) {
        Ok(scenario) => scenario,
        Err(failure) => {
            assert!(!failure.render(false).is_empty());
            return false;
        }
    };
    let limits = Limits { max_events: 20_000 };
    for named in scenario.policies.iter().take(2) {
        // It may be too long a run, and that is told.
        let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
        let _ = Simulator::new(&plan, limits).run(1, &mut ());
    }
    true
}

#[test]
fn whatever_is_read_ends_well() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut corpus = Vec::new();
    for folder in ["scenarios", "results", "tests/right", "tests/wrong", "tests/contract", "tests/faces"] {
        collect(&root.join(folder), "toml", &mut corpus);
    }
    assert!(corpus.len() > 300, "there is a corpus");
    let known = Scenario::load(&root.join("tests/faces/tiny.toml")).unwrap();
    let variations = ["oracle.image.work=1m,2m", "update.1.every=5s,6s", "choreographer.watch=1s,2s"];
    let (first, inputs) = (number("FUZZ_FIRST", 0), number("FUZZ_INPUTS", 10_000));
    let mut scenarios = 0;
    for input in first..first + inputs {
        let text = Mutator(input).mutate(&corpus);
        match catch_unwind(AssertUnwindSafe(|| read(&text, &known, &variations))) {
            Ok(read) => scenarios += u64::from(read),
            Err(_) => panic!("input {input} (FUZZ_FIRST={input} FUZZ_INPUTS=1 shows it):\n{text}"),
        }
    }
    println!("{inputs} inputs tried, {scenarios} of them scenarios that ran");
    assert!(inputs < 1_000 || scenarios > inputs / 50, "some mutants are still scenarios: {scenarios}");
}

/// Reads a text as a chain in YAML; whether one came of it.
fn import(text: String) -> bool {
    let edges = vec![("app".to_owned(), "image".to_owned()), ("image".to_owned(), "front".to_owned())];
    for choice in [Choice::default(), Choice { edges, ..Choice::default() }] {
        match kubernetes::import(vec![("a.yaml".into(), text.clone())], &choice) {
            Err(error) => assert!(!error.to_string().is_empty()),
            Ok(it) => {
                let scenario = Scenario::parse("a.toml", &it.text).expect("what is imported is a scenario");
                for named in scenario.policies.iter().take(2) {
                    let plan = Plan::new(scenario.setting.clone(), named.policy.clone());
                    let _ = Simulator::new(&plan, Limits { max_events: 5_000 }).run(1, &mut ());
                }
                return true;
            }
        }
    }
    false
}

#[test]
fn whatever_yaml_is_imported_ends_well() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut corpus = Vec::new();
    collect(&root.join("tests/import-wrong"), "yaml", &mut corpus);
    // What explodes takes its time, and stands among the wrong files already.
    corpus.retain(|text| text.len() < 20_000);
    // A wrong file has one mistake already: as many more are chains without one.
    let mut right = Vec::new();
    for chain in ["tested", "options", "delivery", "gitops"] {
        collect(&root.join("tests/import").join(chain), "yaml", &mut right);
    }
    let mut parts = Vec::new();
    collect(&root.join("tests/import/basic"), "yaml", &mut parts);
    right.push(parts.join("\n---\n"));
    corpus.extend(right.iter().cycle().take(corpus.len()).cloned());
    assert!(corpus.len() > 70, "there is a corpus");
    let (first, inputs) = (number("FUZZ_FIRST", 0), number("FUZZ_INPUTS", 10_000));
    let mut chains = 0;
    for input in first..first + inputs {
        let text = Mutator(input).mutate(&corpus);
        match catch_unwind(AssertUnwindSafe(|| import(text.clone()))) {
            Ok(read) => chains += u64::from(read),
            Err(_) => panic!("input {input} (FUZZ_FIRST={input} FUZZ_INPUTS=1 shows it):\n{text}"),
        }
    }
    println!("{inputs} inputs tried, {chains} of them chains that ran");
    assert!(inputs < 1_000 || chains > inputs / 50, "some mutants are still chains: {chains}");
}

/// A reader that recursed as deep as its text would overflow the stack, which no error can follow.
#[test]
fn nesting_without_end_is_one_error() {
    let tiny = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faces/tiny.toml")).unwrap();
    let known = Scenario::parse("tiny.toml", &tiny).unwrap();
    for deep in
        ["[".repeat(500_000), "{a=".repeat(300_000), "a.".repeat(500_000), format!("[{}a]", "a.".repeat(500_000))]
    {
        for text in [format!("x = {deep}"), format!("{deep}\n"), format!("{tiny}\nx = {deep}")] {
            assert!(Scenario::parse("a.toml", &text).is_err());
            assert!(Schedule::parse("a.toml", &text, &known.setting).is_err());
            assert!(regression::read(&text).is_err());
            let _ = import(text.clone());
            let variation: Variation = "oracle.image.work=1m,2m".parse().unwrap();
            assert!(variation.apply(&text, &variation.values()[0]).is_err());
        }
    }
}
