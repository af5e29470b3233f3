//! One thing that came to pass, and the line that tells it. `K` names contents: text here, hashes in the implementation
//! under test; a line has neither, but who made the content and the how manieth of that maker it is.

use std::collections::BTreeMap;

use rehearsal::model::policy::Ready;
use rehearsal::model::setting::Setting;
use rehearsal::model::{Role, Span, Time, Why};

/// An object, by its oracle's place in the chain and its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub oracle: usize,
    pub role: Role,
}

/// A question that the choreographer names as an answer's.
#[derive(Clone, Debug)]
pub struct Claimed<K> {
    pub generation: u32,
    pub question: K,
    pub is_false: bool,
}

#[derive(Clone, Debug)]
pub enum Fact<K> {
    Updated { update: u32, item: usize, set: Vec<(usize, u32, K)>, valid: bool },
    WorldChanged { oracle: usize, version: u32, good: bool },
    OutageBegan { oracle: usize },
    OutageEnded { oracle: usize },
    Forged { who: Who, making: u32, content: K },
    Restarted,
    Flapped { who: Who, ready: Ready },
    PassBegan,
    Skipped { oracle: usize, input: usize },
    Wrote { who: Who, generation: u32, inputs: Vec<K>, why: Why },
    Held { oracle: usize, inputs: Vec<K>, held: usize },
    Discarded { oracle: usize, inputs: Vec<K> },
    Reused { who: Who },
    Took { who: Who, making: u32, claim: Option<Claimed<K>> },
    Removed { who: Who },
    Noticed { who: Who, generation: u32 },
    Began { who: Who, generation: u32, attempt: u32, world: u32, hangs: bool },
    Dropped { who: Who, generation: u32 },
    Finished { who: Who, generation: u32, attempt: u32, success: bool },
    Made { who: Who, making: u32, content: K },
    Answered { who: Who, making: u32 },
    Showed { who: Who, generation: u32, observed: u32, ready: Ready, answer: Option<u32> },
}

/// Contents by the order in which they first appear.
pub struct Names<K> {
    names: BTreeMap<K, String>,
    counts: BTreeMap<String, u32>,
}

impl<K> Default for Names<K> {
    fn default() -> Self {
        Names { names: BTreeMap::new(), counts: BTreeMap::new() }
    }
}

impl<K: Ord + Clone> Names<K> {
    /// The name of `content`, if it is new the next of `maker`.
    fn of(&mut self, maker: &str, content: &K) -> String {
        if let Some(name) = self.names.get(content) {
            return name.clone();
        }
        let count = self.counts.entry(maker.into()).or_default();
        *count += 1;
        let name = format!("{maker}#{count}");
        self.names.insert(content.clone(), name.clone());
        name
    }

    /// The names of a question's inputs: one that nobody has made is an enemy's.
    fn question(&mut self, inputs: &[K]) -> String {
        let inputs: Vec<String> = inputs.iter().map(|input| self.of("evil", input)).collect();
        format!("[{}]", inputs.join(","))
    }
}

/// The line that tells `fact`.
pub fn line<K: Ord + Clone>(at: Time, fact: &Fact<K>, setting: &Setting, names: &mut Names<K>) -> String {
    let oracle = |r: usize| setting.oracles[r].name.clone();
    let object = |who: Who| match who.role {
        Role::Main => format!("{}#main", oracle(who.oracle)),
        Role::Shadow => format!("{}#shadow", oracle(who.oracle)),
        Role::Immutable(n) => format!("{}#{n}", oracle(who.oracle)),
    };
    let told = match fact {
        Fact::Updated { update, item, set, valid } => {
            let mut fields = Vec::new();
            for (field, version, content) in set {
                let name = format!("{}={version}", setting.fields[*field]);
                names.names.insert(content.clone(), name.clone());
                fields.push(name);
            }
            let valid = if *valid { "valid" } else { "bad" };
            format!("updated u{update} (item {item}) {} {valid}", fields.join(","))
        }
        Fact::WorldChanged { oracle: r, version, good } => {
            format!("world-changed {} w{version} {}", oracle(*r), if *good { "good" } else { "bad" })
        }
        Fact::OutageBegan { oracle: r } => format!("outage-began {}", oracle(*r)),
        Fact::OutageEnded { oracle: r } => format!("outage-ended {}", oracle(*r)),
        Fact::Forged { who, making, content } => {
            format!("forged {} m{making} {}", object(*who), names.of(&oracle(who.oracle), content))
        }
        Fact::Restarted => "restarted".into(),
        Fact::Flapped { who, ready } => format!("flapped {} {}", object(*who), ready.name()),
        Fact::PassBegan => "pass-began".into(),
        Fact::Skipped { oracle: r, input } => format!("skipped {} for input {input}", oracle(*r)),
        Fact::Wrote { who, generation, inputs, why } => {
            format!("wrote {} g{generation} {} {}", object(*who), names.question(inputs), why.name())
        }
        Fact::Held { oracle: r, inputs, held } => {
            format!("held {} {} of {held}", oracle(*r), names.question(inputs))
        }
        Fact::Discarded { oracle: r, inputs } => format!("discarded {} {}", oracle(*r), names.question(inputs)),
        Fact::Reused { who } => format!("reused {}", object(*who)),
        Fact::Took { who, making, claim } => {
            let claim = match claim {
                None => "no claim".into(),
                Some(claim) => format!("claim g{} {}", claim.generation, if claim.is_false { "false" } else { "true" }),
            };
            format!("took {} m{making} {claim}", object(*who))
        }
        Fact::Removed { who } => format!("removed {}", object(*who)),
        Fact::Noticed { who, generation } => format!("noticed {} g{generation}", object(*who)),
        Fact::Began { who, generation, attempt, world, hangs } => {
            let hangs = if *hangs { " hangs" } else { "" };
            format!("began {} g{generation} attempt {attempt} w{world}{hangs}", object(*who))
        }
        Fact::Dropped { who, generation } => format!("dropped {} g{generation}", object(*who)),
        Fact::Finished { who, generation, attempt, success } => {
            let how = if *success { "well" } else { "badly" };
            format!("finished {} g{generation} attempt {attempt} {how}", object(*who))
        }
        Fact::Made { who, making, content } => {
            format!("made {} m{making} {}", object(*who), names.of(&oracle(who.oracle), content))
        }
        Fact::Answered { who, making } => format!("answered {} m{making}", object(*who)),
        Fact::Showed { who, generation, observed, ready, answer } => {
            let answer = answer.map_or("nothing".into(), |making| format!("m{making}"));
            format!("showed {} g{generation} o{observed} {} {answer}", object(*who), ready.name())
        }
    };
    format!("{} {told}", Span(at.0))
}
