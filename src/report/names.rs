//! What people call the contents that facts speak of: `source v3` for a field, `image #2` for an answer. Names are
//! learned from the facts themselves.

use std::collections::HashMap;

use crate::model::setting::Source;
use crate::model::{
    Answer, Content, Fact, FieldId, Lineage, Making, Named, OracleId, Question, Role, Setting, UpdateNumber,
    WorldVersion,
};

/// What is known of the contents that were met lately: a run of a million updates must not fill the memory, and what a
/// choreographer still speaks of is met again and again.
#[derive(Clone, Debug)]
struct Recent<V> {
    now: HashMap<Content, V>,
    before: HashMap<Content, V>,
}

/// So many contents are remembered for sure.
const RECENT: usize = 1 << 16;

impl<V> Recent<V> {
    fn new() -> Recent<V> {
        Recent { now: HashMap::new(), before: HashMap::new() }
    }

    fn put(&mut self, content: Content, value: V) {
        if self.now.len() >= RECENT {
            self.before = std::mem::take(&mut self.now);
        }
        self.now.insert(content, value);
    }

    fn get(&mut self, content: Content) -> Option<&V> {
        if let Some(value) = self.before.remove(&content) {
            self.put(content, value);
        }
        self.now.get(&content)
    }
}

/// The names of everything in a run.
#[derive(Clone, Debug)]
pub struct Names {
    fields: Vec<String>,
    oracles: Vec<String>,
    asks: Vec<Vec<Source>>,
    values: Recent<String>,
    questions: Recent<Vec<String>>,
    /// For each field, the updates that set it, in order: the n-th made version n.
    versions: Vec<Vec<UpdateNumber>>,
}

impl Names {
    /// The names of a run in `setting`, of which nothing has been heard yet.
    pub fn new(setting: &Setting) -> Names {
        Names {
            fields: setting.fields.clone(),
            oracles: setting.oracles.iter().map(|oracle| oracle.name.clone()).collect(),
            asks: setting.oracles.iter().map(|oracle| oracle.asks.clone()).collect(),
            values: Recent::new(),
            questions: Recent::new(),
            versions: vec![Vec::new(); setting.fields.len()],
        }
    }

    /// Learns what `fact` brings; to be told every fact before it is spoken of.
    pub fn learn(&mut self, fact: &Fact<'_>) {
        match *fact {
            Fact::Updated { update, set, .. } => {
                for set in set {
                    self.versions[set.field.index()].push(update);
                    let name = self.version(set.field, set.version);
                    self.values.put(set.content, name);
                }
            }
            Fact::Made { named, answer } | Fact::Forged { named, answer } => self.learn_answer(named, &answer),
            Fact::Wrote { named, question, .. } | Fact::Began { named, question, .. } => {
                self.learn_question(named.oracle, &question);
            }
            Fact::Held { oracle, question, .. } => self.learn_question(oracle, &question),
            _ => {}
        }
    }

    /// The same content made again goes by its first name.
    fn learn_answer(&mut self, named: Named, answer: &Answer<'_>) {
        if self.values.get(answer.content()).is_none() {
            self.values.put(answer.content(), self.answer(named.oracle, answer.making()));
        }
    }

    fn learn_question(&mut self, oracle: OracleId, question: &Question<'_>) {
        if self.questions.get(question.contents()).is_none() {
            let inputs = self.inputs(oracle, question);
            self.questions.put(question.contents(), inputs);
        }
    }

    fn inputs(&mut self, oracle: OracleId, question: &Question<'_>) -> Vec<String> {
        let asks = self.asks[oracle.index()].clone();
        asks.iter()
            .zip(question.inputs().zip(question.lineages()))
            .map(|(&source, (content, lineage))| match self.values.get(content) {
                Some(name) => name.clone(),
                None if lineage.evil => format!("an evil {}", self.source(source)),
                None => format!("an old {}", self.source(source)),
            })
            .collect()
    }

    fn source(&self, source: Source) -> &str {
        match source {
            Source::Field(field) => self.field(field),
            Source::Oracle(oracle) => self.oracle(oracle),
        }
    }

    /// An oracle.
    pub fn oracle(&self, oracle: OracleId) -> &str {
        &self.oracles[oracle.index()]
    }

    /// A workload field.
    pub fn field(&self, field: FieldId) -> &str {
        &self.fields[field.index()]
    }

    /// An oracle's input, by its place.
    pub fn input(&self, oracle: OracleId, input: usize) -> &str {
        self.source(self.asks[oracle.index()][input])
    }

    /// An object: its oracle's name, unless the oracle has several.
    pub fn object(&self, named: Named) -> String {
        let oracle = self.oracle(named.oracle);
        match named.role {
            Role::Main => oracle.to_owned(),
            Role::Shadow => format!("{oracle}/shadow"),
            Role::Immutable(number) => format!("{oracle}/{number}"),
        }
    }

    /// A version of a field.
    pub fn version(&self, field: FieldId, version: u32) -> String {
        format!("{} v{version}", self.field(field))
    }

    /// An answer, by its making.
    pub fn answer(&self, oracle: OracleId, making: Making) -> String {
        format!("{} #{}", self.oracle(oracle), making.0)
    }

    /// What a content was first called.
    pub fn content(&mut self, content: Content) -> Option<&str> {
        self.values.get(content).map(String::as_str)
    }

    /// The inputs of the question with these contents, by name; none if it is long past.
    pub fn question(&mut self, contents: Content) -> Option<&[String]> {
        self.questions.get(contents).map(Vec::as_slice)
    }

    /// A question in words.
    pub fn question_in_words(&mut self, contents: Content) -> String {
        self.question(contents).map_or_else(|| "an old question".to_owned(), |inputs| inputs.join(" + "))
    }

    /// The oldest and the newest version of each field that went into a value.
    pub fn versions(&self, lineage: &Lineage<'_>) -> Vec<(FieldId, u32, u32)> {
        let version = |field: FieldId, update: UpdateNumber| {
            let made = &self.versions[field.index()];
            made.partition_point(|&other| other < update) as u32 + 1
        };
        let fields = (0..self.fields.len() as u16).map(FieldId);
        fields
            .filter_map(|field| {
                let (oldest, newest) = (lineage.oldest(field)?, lineage.newest(field)?);
                Some((field, version(field, oldest), version(field, newest)))
            })
            .collect()
    }

    /// The world of each oracle that went into a value; where there were several, the oldest.
    pub fn worlds(&self, lineage: &Lineage<'_>) -> Vec<(OracleId, WorldVersion)> {
        let oracles = (0..self.oracles.len() as u16).map(OracleId);
        oracles.filter_map(|oracle| Some((oracle, lineage.world(oracle)?))).collect()
    }

    /// What went into a value, in words: the version of each field, and each world that had changed.
    pub fn ingredients(&self, lineage: &Lineage<'_>) -> String {
        let mut parts: Vec<String> = self
            .versions(lineage)
            .into_iter()
            .map(|(field, oldest, newest)| match newest {
                _ if oldest == newest => self.version(field, oldest),
                _ => format!("{} with v{newest}", self.version(field, oldest)),
            })
            .collect();
        let changed = self.worlds(lineage).into_iter().filter(|(_, world)| world.0 > 1);
        parts.extend(changed.map(|(oracle, world)| format!("{}'s world {}", self.oracle(oracle), world.0)));
        if lineage.evil {
            parts.push("an enemy's writing".to_owned());
        }
        parts.join(", ")
    }
}
