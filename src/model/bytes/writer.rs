//! States out as bytes.

use super::super::memory::Memory;
use super::super::object::Object;
use super::super::plan::Plan;
use super::super::setting::OracleId;
use super::super::value::{Content, Generation, Making, QuestionId, Stem, UpdateNumber, ValueId, Values, WorldVersion};
use super::{Codec, Merging};

/// What a number written down counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Update,
    World(OracleId),
    Making(OracleId),
}

/// A place for a number's rank, to be filled in once all numbers of its kind are known.
#[derive(Clone, Copy, Debug)]
struct Blank {
    at: usize,
    kind: Kind,
    number: u32,
    /// It has no rank of its own, but that of the newest that is not newer.
    passed: bool,
}

/// Room to work in, kept from state to state.
#[derive(Debug, Default)]
pub struct Scratch {
    values: Vec<Content>,
    questions: Vec<Content>,
    generations: Vec<Generation>,
    blanks: Vec<Blank>,
    ranks: Vec<(Kind, u32)>,
}

pub(super) struct Writer<'a> {
    plan: &'a Plan,
    merging: Merging,
    /// Every making is told from every other.
    makings: bool,
    scratch: &'a mut Scratch,
    out: &'a mut Vec<u8>,
}

impl<'a> Writer<'a> {
    pub fn new(
        plan: &'a Plan,
        merging: Merging,
        makings: bool,
        scratch: &'a mut Scratch,
        out: &'a mut Vec<u8>,
    ) -> Writer<'a> {
        scratch.values.clear();
        scratch.questions.clear();
        scratch.blanks.clear();
        Writer { plan, merging, makings, scratch, out }
    }

    /// Numbers get their ranks, from 1; no number at all stays 0.
    pub fn finish(self) {
        let Scratch { blanks, ranks, .. } = self.scratch;
        ranks.clear();
        ranks.extend(blanks.iter().filter(|blank| !blank.passed && blank.number > 0).map(|b| (b.kind, b.number)));
        ranks.sort_unstable();
        ranks.dedup();
        for blank in blanks.iter() {
            let first = ranks.partition_point(|&(kind, _)| kind < blank.kind);
            let rank = ranks[first..].partition_point(|&rank| rank <= (blank.kind, blank.number));
            if matches!(blank.kind, Kind::Making(_)) {
                // Of answers that show late there may be any number.
                let rank: u16 = rank.try_into().expect("a state names fewer than 65,536 answers");
                self.out[blank.at..blank.at + 2].copy_from_slice(&rank.to_le_bytes());
            } else {
                self.out[blank.at] =
                    rank.try_into().expect("a state names fewer than 256 updates, or worlds of an oracle");
            }
        }
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    fn renamed(&mut self, kind: Kind, number: u32, passed: bool) {
        match self.merging {
            Merging::On => {
                self.scratch.blanks.push(Blank { at: self.out.len(), kind, number, passed });
                self.out.extend(if matches!(kind, Kind::Making(_)) { &[0, 0][..] } else { &[0] });
            }
            Merging::Off => self.varint(number.into()),
        }
    }

    fn define(&mut self, value: ValueId, values: &mut Values) {
        let faults = values.faults_of(value);
        match values.stem(value) {
            Stem::Field(field) => {
                self.out.push(0);
                self.varint(field.0.into());
                let made = values.lineage(value).oldest(field).expect("a version of it");
                self.renamed(Kind::Update, made.0, false);
                if self.plan.setting().updates.iter().any(|update| update.may_be_faulty()) {
                    self.varint(faults.bad_for.0);
                    self.varint(faults.hangs.0);
                }
                for at in 0..self.plan.layout().pairs().len() {
                    let joint = values.lineage(value).joint()[at];
                    self.renamed(Kind::Update, joint, false);
                }
            }
            Stem::Answer { oracle, question } => {
                self.out.push(1);
                self.varint(oracle.0.into());
                self.question(&mut { question }, values);
                let lineage = values.lineage(value);
                self.renamed(Kind::World(oracle), lineage.world(oracle).expect("it was made in one").0, false);
                if !self.plan.oracle(oracle).reproducible {
                    self.renamed(Kind::Making(oracle), values.origin(value).making.0, false);
                }
            }
            Stem::Tampered(item) => {
                self.out.push(2);
                self.varint(item.into());
            }
            Stem::Forged { item, question } => {
                self.out.push(3);
                self.varint(item.into());
                self.question(&mut { question }, values);
            }
        }
    }
}

impl Codec for Writer<'_> {
    fn number(&mut self, number: &mut u32) {
        self.varint((*number).into());
    }

    fn update(&mut self, update: &mut UpdateNumber) {
        self.renamed(Kind::Update, update.0, false);
    }

    fn update_passed(&mut self, update: &mut UpdateNumber) {
        self.renamed(Kind::Update, update.0, true);
    }

    fn world(&mut self, r: OracleId, version: &mut WorldVersion) {
        self.renamed(Kind::World(r), version.0, false);
    }

    fn making(&mut self, r: OracleId, making: &mut Making) {
        self.renamed(Kind::Making(r), making.0, false);
    }

    fn ranks(&mut self, generations: impl Iterator<Item = Generation>) {
        let ranks = &mut self.scratch.generations;
        ranks.clear();
        ranks.push(Generation(0));
        ranks.extend(generations);
        ranks.sort_unstable();
        ranks.dedup();
    }

    fn generation(&mut self, generation: &mut Generation) {
        let number = match self.merging {
            Merging::On => self.scratch.generations.partition_point(|known| known < generation) as u64,
            Merging::Off => generation.0.into(),
        };
        self.varint(number);
    }

    fn value(&mut self, value: &mut Option<ValueId>, values: &mut Values) {
        let Some(value) = *value else { return self.out.push(0) };
        let content = values.content(value);
        match self.scratch.values.iter().position(|&known| known == content) {
            Some(known) => self.varint(known as u64 + 2),
            None => {
                self.out.push(1);
                self.define(value, values);
                self.scratch.values.push(content);
            }
        }
    }

    fn question(&mut self, question: &mut QuestionId, values: &mut Values) {
        let contents = values.contents(*question);
        match self.scratch.questions.iter().position(|&known| known == contents) {
            Some(known) => self.varint(known as u64 + 1),
            None => {
                self.out.push(0);
                let inputs = values.inputs_of(*question).len();
                self.varint(inputs as u64);
                for at in 0..inputs {
                    let mut input = Some(values.inputs_of(*question)[at]);
                    self.value(&mut input, values);
                }
                self.scratch.questions.push(contents);
            }
        }
    }

    fn shown_answer(&mut self, r: OracleId, answer: &mut Option<ValueId>, values: &mut Values) {
        self.value(answer, values);
        let Some(answer) = *answer else { return };
        let origin = values.origin(answer);
        if self.makings || self.plan.tells_makings_apart(r) {
            self.renamed(Kind::Making(r), origin.making.0, false);
        }
        if self.plan.reads_reports(r) {
            self.generation(&mut { origin.generation });
        }
    }

    /// An answer that shows nowhere cannot be read again.
    fn known(&mut self, r: OracleId, memory: &mut Memory, shown: &[Option<ValueId>], values: &Values) {
        let origin = memory.known.and_then(|(making, _)| {
            let mut origins = shown.iter().flatten().map(|&answer| values.origin(answer));
            origins.find(|origin| origin.making == making)
        });
        let Some((origin, (making, claim))) = origin.zip(memory.known) else { return self.out.push(0) };
        let claimed = claim.map(|claim| Some(claim.contents) == origin.made_from);
        self.out.push(match claimed {
            None => 1,
            Some(true) => 2,
            Some(false) => 3,
        });
        self.renamed(Kind::Making(r), making.0, false);
    }

    /// How often a question was begun keys draws only; attempts count as far as the first ones fail.
    fn repeats(&mut self, object: &mut Object) {
        let first = self.plan.oracle(object.oracle).fails_first;
        let counts = object.repeats.in_order();
        self.varint(counts.len() as u64);
        for (question, counts) in counts {
            self.out.extend(question.0.to_le_bytes());
            self.varint(counts.attempted.min(first).into());
        }
    }

    fn merging(&self) -> Merging {
        self.merging
    }
}
