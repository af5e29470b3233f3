//! States back from bytes.

use super::super::fact::Claim;
use super::super::memory::Memory;
use super::super::object::Object;
use super::super::plan::Plan;
use super::super::repeats::Counts;
use super::super::setting::{FieldId, OracleId};
use super::super::value::{
    Content, Faults, Generation, Making, OracleSet, Origin, QuestionId, Stem, UpdateNumber, ValueId, Values,
    WorldVersion,
};
use super::{Codec, Merging, unlike_any_other};

pub(super) struct Reader<'p, 'b> {
    plan: &'p Plan,
    merging: Merging,
    /// Every making is told from every other.
    makings: bool,
    bytes: &'b [u8],
    values: Vec<ValueId>,
    questions: Vec<QuestionId>,
}

impl<'p, 'b> Reader<'p, 'b> {
    pub fn new(plan: &'p Plan, merging: Merging, makings: bool, bytes: &'b [u8]) -> Reader<'p, 'b> {
        Reader { plan, merging, makings, bytes, values: Vec::new(), questions: Vec::new() }
    }

    pub fn rest(self) -> &'b [u8] {
        self.bytes
    }

    fn byte(&mut self) -> u8 {
        let (&byte, rest) = self.bytes.split_first().expect("a state ends where it should");
        self.bytes = rest;
        byte
    }

    fn varint(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
    }

    fn small(&mut self) -> u32 {
        self.varint() as u32
    }

    fn renamed(&mut self) -> u32 {
        match self.merging {
            Merging::On => self.byte().into(),
            Merging::Off => self.small(),
        }
    }

    fn making_here(&mut self) -> Making {
        Making(match self.merging {
            Merging::On => u16::from_le_bytes([self.byte(), self.byte()]).into(),
            Merging::Off => self.small(),
        })
    }

    fn define(&mut self, values: &mut Values) -> ValueId {
        match self.byte() {
            0 => self.field(values),
            1 => self.answer(values),
            2 => {
                let item = self.small() as u16;
                values.evil(Stem::Tampered(item), Origin::NONE)
            }
            _ => {
                let item = self.small() as u16;
                let question = self.some_question_here(values);
                let inputs = values.contents(question);
                values.evil(Stem::Forged { item, question }, Origin { inputs, ..Origin::NONE })
            }
        }
    }

    fn field(&mut self, values: &mut Values) -> ValueId {
        let field = FieldId(self.small() as u16);
        let update = UpdateNumber(self.renamed());
        let mut faults = Faults::default();
        if self.plan.setting().updates.iter().any(|update| update.may_be_faulty()) {
            faults = Faults { bad_for: OracleSet(self.varint()), hangs: OracleSet(self.varint()) };
        }
        let pairs = self.plan.layout().pairs().len();
        let joint: Vec<_> = (0..pairs).map(|_| UpdateNumber(self.renamed())).collect();
        let content = self.plan.field_name(field).with(update.0.into());
        values.field(field, content, update, faults, &joint)
    }

    fn answer(&mut self, values: &mut Values) -> ValueId {
        let oracle = OracleId(self.small() as u16);
        let question = self.some_question_here(values);
        let contents = values.contents(question);
        let world = WorldVersion(self.renamed());
        let mut content = self.plan.oracle_name(oracle).with(contents.0).with(world.0.into());
        let mut making = Making(0);
        if !self.plan.oracle(oracle).reproducible {
            making = self.making_here();
            content = unlike_any_other(content, making.0);
        }
        let origin = Origin { making, made_from: Some(contents), generation: Generation(0), inputs: contents };
        values.answer(oracle, content, question, world, origin)
    }

    fn some_question_here(&mut self, values: &mut Values) -> QuestionId {
        let mut question = QuestionId(0);
        self.question(&mut question, values);
        question
    }
}

impl Codec for Reader<'_, '_> {
    fn number(&mut self, number: &mut u32) {
        *number = self.small();
    }

    fn update(&mut self, update: &mut UpdateNumber) {
        update.0 = self.renamed();
    }

    fn update_passed(&mut self, update: &mut UpdateNumber) {
        update.0 = self.renamed();
    }

    fn world(&mut self, _: OracleId, version: &mut WorldVersion) {
        version.0 = self.renamed();
    }

    fn making(&mut self, _: OracleId, making: &mut Making) {
        *making = self.making_here();
    }

    fn ranks(&mut self, _: impl Iterator<Item = Generation>) {}

    fn generation(&mut self, generation: &mut Generation) {
        generation.0 = self.small();
    }

    fn value(&mut self, value: &mut Option<ValueId>, values: &mut Values) {
        *value = match self.varint() {
            0 => None,
            1 => {
                let defined = self.define(values);
                self.values.push(defined);
                Some(defined)
            }
            known => Some(self.values[known as usize - 2]),
        };
    }

    fn question(&mut self, question: &mut QuestionId, values: &mut Values) {
        *question = match self.varint() {
            0 => {
                let inputs: Vec<_> = (0..self.varint())
                    .map(|_| {
                        let mut input = None;
                        self.value(&mut input, values);
                        input.expect("a question has all its inputs")
                    })
                    .collect();
                let defined = values.question(&inputs);
                self.questions.push(defined);
                defined
            }
            known => self.questions[known as usize - 1],
        };
    }

    fn shown_answer(&mut self, r: OracleId, answer: &mut Option<ValueId>, values: &mut Values) {
        self.value(answer, values);
        let Some(shown) = *answer else { return };
        let (makings, generations) = (self.makings || self.plan.tells_makings_apart(r), self.plan.reads_reports(r));
        if makings || generations {
            let Origin { mut making, mut generation, .. } = values.origin(shown);
            if makings {
                making = self.making_here();
            }
            if generations {
                self.generation(&mut generation);
            }
            *answer = Some(values.again(shown, making, generation));
        }
    }

    fn known(&mut self, _: OracleId, memory: &mut Memory, shown: &[Option<ValueId>], values: &Values) {
        let claimed = match self.byte() {
            0 => return memory.known = None,
            1 => None,
            2 => Some(true),
            _ => Some(false),
        };
        let making = self.making_here();
        let mut origins = shown.iter().flatten().map(|&answer| values.origin(answer));
        let made_from = origins.find(|origin| origin.making == making).and_then(|origin| origin.made_from);
        let claim = claimed.map(|is_true| {
            let contents = made_from.filter(|_| is_true).unwrap_or(Content(0));
            Claim { generation: Generation(0), contents }
        });
        memory.known = Some((making, claim));
    }

    fn repeats(&mut self, object: &mut Object) {
        for _ in 0..self.varint() {
            let mut question = 0;
            for byte in 0..8 {
                question |= u64::from(self.byte()) << (8 * byte);
            }
            let counts = Counts { begun: 0, attempted: self.small() };
            object.repeats.put_back(Content(question), counts);
        }
    }

    fn merging(&self) -> Merging {
        self.merging
    }
}
