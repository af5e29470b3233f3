//! Every fact of a run as JSON, one object a line: the time in seconds, the kind, and what belongs to the kind.

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::names::Names;
use crate::measure::Observer;
use crate::model::{Answer, Claim, Content, Fact, Lineage, Named, OracleId, Question, Role, Setting, Time};

/// Writes every fact that it hears.
#[derive(Debug)]
pub struct Trace<W> {
    names: Names,
    out: W,
    failure: Option<io::Error>,
}

impl<W: Write> Trace<W> {
    /// A trace of a run in `setting`.
    pub fn new(setting: &Setting, out: W) -> Trace<W> {
        Trace { names: Names::new(setting), out, failure: None }
    }

    /// The end: the writer, or the first failure to write.
    pub fn finish(mut self) -> io::Result<W> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.out.flush().map(|()| self.out),
        }
    }

    /// A fact as a line of the trace.
    fn object(&mut self, at: Time, fact: &Fact<'_>) -> Map<String, Value> {
        let mut o = Map::new();
        put(&mut o, "t", at.as_seconds());
        put(&mut o, "kind", fact.kind());
        match *fact {
            Fact::Updated { update, set, valid, .. } => {
                put(&mut o, "update", update.0);
                let set = set.iter().map(|set| (self.names.field(set.field).to_owned(), json!(set.version)));
                put(&mut o, "set", set.collect::<Map<_, _>>());
                put(&mut o, "valid", valid);
            }
            Fact::WorldChanged { oracle, version, good } => {
                self.oracle(&mut o, oracle);
                put(&mut o, "world", version.0);
                put(&mut o, "good", good);
            }
            Fact::OutageBegan { oracle } | Fact::OutageEnded { oracle } => self.oracle(&mut o, oracle),
            Fact::Restarted | Fact::PassBegan => {}
            Fact::Flapped { named, ready } => {
                self.named(&mut o, named);
                put(&mut o, "ready", ready.name());
            }
            Fact::Skipped { oracle, input } => {
                self.oracle(&mut o, oracle);
                put(&mut o, "missing", self.names.input(oracle, input));
            }
            Fact::Wrote { named, generation, question, why } => {
                self.named(&mut o, named);
                put(&mut o, "generation", generation.0);
                put(&mut o, "why", why.name());
                self.question(&mut o, &question);
            }
            Fact::Held { oracle, question, held } => {
                self.oracle(&mut o, oracle);
                put(&mut o, "held", held);
                self.question(&mut o, &question);
            }
            Fact::Discarded { oracle, question } => {
                self.oracle(&mut o, oracle);
                self.question(&mut o, &question);
            }
            Fact::Reused { named } | Fact::Removed { named } => self.named(&mut o, named),
            Fact::Took { named, answer, claim } => {
                self.named(&mut o, named);
                self.answer(&mut o, named, &answer);
                self.claim(&mut o, &answer, claim);
            }
            Fact::Noticed { named, generation } | Fact::Dropped { named, generation } => {
                self.named(&mut o, named);
                put(&mut o, "generation", generation.0);
            }
            Fact::Began { named, generation, question, attempt, world, hangs } => {
                self.named(&mut o, named);
                put(&mut o, "generation", generation.0);
                put(&mut o, "attempt", attempt);
                put(&mut o, "world", world.0);
                put(&mut o, "hangs", hangs);
                self.question(&mut o, &question);
            }
            Fact::Finished { named, generation, attempt, success } => {
                self.named(&mut o, named);
                put(&mut o, "generation", generation.0);
                put(&mut o, "attempt", attempt);
                put(&mut o, "success", success);
            }
            Fact::Forged { named, answer } | Fact::Made { named, answer } | Fact::Answered { named, answer } => {
                self.named(&mut o, named);
                self.answer(&mut o, named, &answer);
                let truth = self.truth(&answer);
                put(&mut o, "truth", truth);
            }
            Fact::Showed { named, generation, observed, ready, answer } => {
                self.named(&mut o, named);
                put(&mut o, "generation", generation.0);
                put(&mut o, "observed", observed.0);
                put(&mut o, "ready", ready.name());
                put(&mut o, "answer", answer.map(|making| self.names.answer(named.oracle, making)));
            }
        }
        o
    }

    fn oracle(&self, o: &mut Map<String, Value>, oracle: OracleId) {
        put(o, "oracle", self.names.oracle(oracle));
    }

    fn named(&self, o: &mut Map<String, Value>, named: Named) {
        self.oracle(o, named.oracle);
        match named.role {
            Role::Main => {}
            Role::Shadow => put(o, "object", "shadow"),
            Role::Immutable(number) => put(o, "object", number),
        }
    }

    fn question(&mut self, o: &mut Map<String, Value>, question: &Question<'_>) {
        put(o, "question", self.asked(question.contents()));
    }

    /// A question by its inputs; null if it is too long past to be known by name.
    fn asked(&mut self, contents: Content) -> Value {
        json!(self.names.question(contents))
    }

    fn answer(&mut self, o: &mut Map<String, Value>, named: Named, answer: &Answer<'_>) {
        put(o, "answer", self.names.answer(named.oracle, answer.making()));
        put(o, "content", format!("{:016x}", answer.content().0));
    }

    fn claim(&mut self, o: &mut Map<String, Value>, answer: &Answer<'_>, claim: Option<Claim>) {
        let claimed =
            claim.map(|claim| json!({ "generation": claim.generation.0, "question": self.asked(claim.contents) }));
        put(o, "claim", claimed);
        let truth = self.truth(answer);
        put(o, "truth", truth);
        if let Some(claim) = claim {
            put(o, "false", answer.origin().made_from != Some(claim.contents));
        }
    }

    /// What an answer was made from, which no policy sees.
    fn truth(&mut self, answer: &Answer<'_>) -> Value {
        let lineage = answer.lineage();
        let question = match answer.origin().made_from {
            Some(contents) => self.asked(contents),
            None => Value::Null,
        };
        json!({
            "question": question,
            "versions": self.versions(&lineage),
            "worlds": self.worlds(&lineage),
            "mixed": lineage.mixed(),
            "evil": lineage.evil,
        })
    }

    fn worlds(&self, lineage: &Lineage<'_>) -> Map<String, Value> {
        let worlds = self.names.worlds(lineage).into_iter();
        worlds.map(|(oracle, world)| (self.names.oracle(oracle).to_owned(), json!(world.0))).collect()
    }

    /// For each field, its version; where a lineage holds several, the oldest and the newest.
    fn versions(&self, lineage: &Lineage<'_>) -> Map<String, Value> {
        let versions = self.names.versions(lineage).into_iter().map(|(field, oldest, newest)| {
            let version = if oldest == newest { json!(oldest) } else { json!([oldest, newest]) };
            (self.names.field(field).to_owned(), version)
        });
        versions.collect()
    }
}

fn put(o: &mut Map<String, Value>, key: &str, value: impl serde::Serialize) {
    o.insert(key.to_owned(), json!(value));
}

impl<W: Write> Observer for Trace<W> {
    fn hear(&mut self, at: Time, fact: &Fact<'_>) {
        self.names.learn(fact);
        if self.failure.is_some() {
            return;
        }
        let object = Value::Object(self.object(at, fact));
        self.failure = writeln!(self.out, "{object}").err();
    }
}
