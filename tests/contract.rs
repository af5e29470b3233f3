//! The contract, rule by rule: `contract/<section>-<rule>.toml` is a tiny scenario without chance, the file
//! `.trace` beside it its whole trace, derived by hand from `docs/model.md`, never from the code. When the two differ, read
//! the contract again and find out who is right.
//!
//! Each scenario runs its first policy under seed 1. A trace has one line for each fact. Where several facts come of one
//! event, the contract leaves their order open, and a trace keeps to this one: what happened, then what the object shows.
//!
//! ```text
//! 0s updated source=1                     a field's new version; `bad` if the update is bad for some oracle
//! 0s pass                                 the choreographer begins a pass
//! 0s wrote image g1 [source=1] created    the object, its new generation, the question, who and why
//! 0s showed image g1 o0 Unknown -         what it now shows: generation, observed, Ready, answer
//! 0s heard image g1                       its controller noticed a generation
//! 0s began image g1 [source=1] #1 w1      generation, question, attempt, world; `hangs` if it will never end
//! 5s finished image g1 #1 ok              or `failed`; `dropped` if the work was dropped
//! 5s made image m1 image/1                a success made answer m1, whose content is image/1
//! 5s answered image m1 image/1            it appeared
//! 5s took image m1 claim g1               or `claim none`, or `claim g1 FALSE`
//! ```
//!
//! Contents are named by first appearance: `image/1` is the first content that image made, `evil/1` the first an enemy
//! wrote. Objects are `image`, `image~shadow`, and `image~2` for the second immutable one. Lines that are empty or begin with `#`
//! are remarks.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use rehearsal::measure::Observer;
use rehearsal::model::setting::Source;
use rehearsal::model::{Answer, Content, Fact, Named, OracleId, Plan, Question, Ready, Role, Setting, Span, Time};
use rehearsal::scenario::Scenario;
use rehearsal::simulate::{Limits, Simulator};

/// Hears a run and writes it down.
struct Scribe<'s> {
    setting: &'s Setting,
    names: HashMap<Content, String>,
    questions: HashMap<Content, String>,
    contents: HashMap<String, u32>,
    lines: Vec<String>,
}

impl<'s> Scribe<'s> {
    fn new(setting: &'s Setting) -> Scribe<'s> {
        Scribe {
            setting,
            names: HashMap::new(),
            questions: HashMap::new(),
            contents: HashMap::new(),
            lines: Vec::new(),
        }
    }

    /// The name of a content; if it has none yet, the next of `kind`.
    fn content(&mut self, content: Content, kind: &str) -> String {
        if let Some(name) = self.names.get(&content) {
            return name.clone();
        }
        let count = self.contents.entry(kind.to_owned()).or_default();
        *count += 1;
        let name = format!("{kind}/{count}");
        self.names.insert(content, name.clone());
        name
    }

    /// A question by its inputs. An input that nobody made is an enemy's.
    fn question(&mut self, question: Question<'_>) -> String {
        let inputs: Vec<String> = question.inputs().map(|input| self.content(input, "evil")).collect();
        let name = format!("[{}]", inputs.join(" "));
        self.questions.insert(question.contents(), name.clone());
        name
    }

    fn answer(&mut self, answer: Answer<'_>, kind: &str) -> String {
        let content = self.content(answer.content(), kind);
        format!("m{} {content}", answer.making().0)
    }

    fn oracle(&self, oracle: OracleId) -> &'s str {
        &self.setting.oracles[oracle.index()].name
    }

    fn object(&self, named: Named) -> String {
        let oracle = self.oracle(named.oracle);
        match named.role {
            Role::Main => oracle.to_owned(),
            Role::Shadow => format!("{oracle}~shadow"),
            Role::Immutable(number) => format!("{oracle}~{number}"),
        }
    }

    fn input(&self, oracle: OracleId, input: usize) -> &'s str {
        match self.setting.oracles[oracle.index()].asks[input] {
            Source::Field(field) => &self.setting.fields[field.index()],
            Source::Oracle(other) => self.oracle(other),
        }
    }

    fn line(&mut self, fact: &Fact<'_>) -> String {
        match *fact {
            Fact::Updated { set, valid, .. } => {
                let mut line = "updated".to_owned();
                for set in set {
                    let name = format!("{}={}", self.setting.fields[set.field.index()], set.version);
                    write!(line, " {name}").unwrap();
                    self.names.insert(set.content, name);
                }
                line + if valid { "" } else { " bad" }
            }
            Fact::WorldChanged { oracle, version, good } => {
                format!("world {} w{}{}", self.oracle(oracle), version.0, if good { "" } else { " bad" })
            }
            Fact::OutageBegan { oracle } => format!("outage {} began", self.oracle(oracle)),
            Fact::OutageEnded { oracle } => format!("outage {} ended", self.oracle(oracle)),
            Fact::Forged { named, answer } => {
                format!("forged {} {}", self.object(named), self.answer(answer, "evil"))
            }
            Fact::Restarted => "restarted".to_owned(),
            Fact::Flapped { named, ready } => format!("flapped {} {}", self.object(named), word(ready)),
            Fact::PassBegan => "pass".to_owned(),
            Fact::Skipped { oracle, input } => {
                format!("skipped {} for {}", self.oracle(oracle), self.input(oracle, input))
            }
            Fact::Wrote { named, generation, question, why } => {
                format!("wrote {} g{} {} {}", self.object(named), generation.0, self.question(question), why.name())
            }
            Fact::Held { oracle, question, held } => {
                format!("held {} {} {held}", self.oracle(oracle), self.question(question))
            }
            Fact::Discarded { oracle, question } => {
                format!("discarded {} {}", self.oracle(oracle), self.question(question))
            }
            Fact::Reused { named } => format!("reused {}", self.object(named)),
            Fact::Removed { named } => format!("removed {}", self.object(named)),
            Fact::Took { named, answer, claim } => {
                let claim = match claim {
                    None => "none".to_owned(),
                    Some(claim) => {
                        let truth = answer.origin().made_from == Some(claim.contents);
                        format!("g{}{}", claim.generation.0, if truth { "" } else { " FALSE" })
                    }
                };
                format!("took {} {} claim {claim}", self.object(named), self.answer(answer, "evil"))
            }
            Fact::Noticed { named, generation } => format!("heard {} g{}", self.object(named), generation.0),
            Fact::Began { named, generation, question, attempt, world, hangs } => {
                let asked = self.question(question);
                let hangs = if hangs { " hangs" } else { "" };
                format!("began {} g{} {asked} #{attempt} w{}{hangs}", self.object(named), generation.0, world.0)
            }
            Fact::Dropped { named, generation } => format!("dropped {} g{}", self.object(named), generation.0),
            Fact::Finished { named, generation, attempt, success } => {
                let outcome = if success { "ok" } else { "failed" };
                format!("finished {} g{} #{attempt} {outcome}", self.object(named), generation.0)
            }
            Fact::Made { named, answer } => {
                let kind = self.oracle(named.oracle);
                format!("made {} {}", self.object(named), self.answer(answer, kind))
            }
            Fact::Answered { named, answer } => {
                let kind = self.oracle(named.oracle);
                format!("answered {} {}", self.object(named), self.answer(answer, kind))
            }
            Fact::Showed { named, generation, observed, ready, answer } => {
                let answer = answer.map_or("-".to_owned(), |making| format!("m{}", making.0));
                let ready = word(ready);
                format!("showed {} g{} o{} {ready} {answer}", self.object(named), generation.0, observed.0)
            }
        }
    }
}

impl Observer for Scribe<'_> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        let line = format!("{} {}", Span(at.0), self.line(fact));
        self.lines.push(line);
    }
}

/// The condition as Kubernetes writes it.
fn word(ready: Ready) -> &'static str {
    match ready {
        Ready::True => "True",
        Ready::False => "False",
        Ready::Unknown => "Unknown",
    }
}

/// The trace that the code gives.
fn trace(path: &Path) -> Vec<String> {
    let scenario = Scenario::load(path).unwrap_or_else(|failure| panic!("{failure}"));
    let plan = Plan::new(scenario.setting.clone(), scenario.policies[0].policy.clone());
    let mut scribe = Scribe::new(&scenario.setting);
    Simulator::new(&plan, Limits::default()).run(1, &mut scribe).unwrap();
    scribe.lines
}

/// Two traces beside each other where they part: what only the contract has with `-`, what only the code has with `+`.
fn difference(contract: &[String], code: &[String]) -> String {
    // The longest common subsequence, from the back.
    let mut longest = vec![vec![0; code.len() + 1]; contract.len() + 1];
    for i in (0..contract.len()).rev() {
        for j in (0..code.len()).rev() {
            longest[i][j] = if contract[i] == code[j] {
                longest[i + 1][j + 1] + 1
            } else {
                longest[i + 1][j].max(longest[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut told = String::new();
    while i < contract.len() || j < code.len() {
        let (mark, line) = if i < contract.len() && j < code.len() && contract[i] == code[j] {
            (i, j) = (i + 1, j + 1);
            (' ', &contract[i - 1])
        } else if j == code.len() || (i < contract.len() && longest[i + 1][j] >= longest[i][j + 1]) {
            i += 1;
            ('-', &contract[i - 1])
        } else {
            j += 1;
            ('+', &code[j - 1])
        };
        writeln!(told, "  {mark} {line}").unwrap();
    }
    told
}

fn scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut scenarios: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
    scenarios.sort();
    scenarios
}

#[test]
fn every_rule_gives_the_trace_that_the_contract_says() {
    let mut told = String::new();
    for path in scenarios() {
        let text = fs::read_to_string(path.with_extension("trace")).unwrap_or_default();
        let remark = |line: &&str| line.is_empty() || line.starts_with('#');
        let contract: Vec<String> = text.lines().filter(|line| !remark(line)).map(str::to_owned).collect();
        let code = trace(&path);
        if contract != code {
            let name = path.file_stem().unwrap().display();
            write!(told, "\n{name} (- the contract, + the code)\n{}", difference(&contract, &code)).unwrap();
        }
    }
    assert!(told.is_empty(), "{told}");
}
