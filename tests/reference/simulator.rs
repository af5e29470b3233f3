//! The world, what happens next in it, and what befalls it (§6, §8).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rehearsal::model::policy::{Fixed, Intake, Lifecycle, OnFailure, Pending, Policy, Ready, Write};
use rehearsal::model::setting::{FlapTo, ReadsFrom, Retention, Setting, StatusPhase, When};
use rehearsal::model::{FieldId, Length, Role, Time, Why};

use super::choreographer::{Memory, Pass};
use super::controller::{Attempt, Phase, after_work};
use super::facts::{Fact, Who};
use super::values::{Answer, Question, Value, contents};

/// Something that is going to happen.
#[derive(Clone, Debug)]
pub enum What {
    OutageBegins(usize),
    OutageEnds(usize),
    Update(usize),
    WorldChange(usize),
    Tamper(usize),
    PutBack(usize),
    Forge(usize),
    Restart,
    Flap(usize),
    /// With a queue, the generation and contents that this notice brings.
    Notice(usize, Option<(u32, Question)>),
    React(usize),
    Finish(usize),
    Next(usize),
    Retry(usize),
    Appear(usize, Answer),
    HoldOver(usize),
    GraceOver(usize),
    Resync,
    Follow(usize, Shown),
    Wake,
    Visit,
}

impl What {
    /// The object whose controller does this.
    fn controller(&self) -> Option<usize> {
        match *self {
            What::Flap(o) | What::Notice(o, _) | What::React(o) | What::Finish(o) | What::Next(o) => Some(o),
            What::Retry(o) | What::Appear(o, _) => Some(o),
            _ => None,
        }
    }

    /// Its place among the events of an instant: the stage, and within the stage its place in the file.
    fn place(&self) -> (u32, usize) {
        match *self {
            What::OutageBegins(i) | What::OutageEnds(i) => (0, i),
            What::Update(i) => (1, i),
            What::WorldChange(i) => (2, i),
            What::Tamper(i) | What::PutBack(i) => (3, i),
            What::Forge(i) => (4, i),
            What::Restart => (5, 0),
            What::Flap(_) => (6, 0),
            // 7 is what an outage had held up.
            What::Notice(..) | What::React(_) | What::Finish(_) | What::Next(_) | What::Retry(_) => (8, 0),
            What::Appear(..) => (8, 0),
            What::HoldOver(_) | What::GraceOver(_) | What::Resync => (9, 0),
            What::Follow(..) | What::Wake | What::Visit => (10, 0),
        }
    }

    /// Whether it befalls the run, rather than follows from what the run does.
    pub fn befalls(&self) -> bool {
        self.place().0 <= 6
    }
}

pub const HELD_UP: u32 = 7;

/// When an event was first due: instant, stage, place in the file, order of scheduling.
pub type Due = (Time, u32, usize, u64);

/// When an event happens: instant and stage, then when it was due.
pub type Moment = (Time, u32, Due);

/// What an object shows.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    pub generation: u32,
    /// Nothing before there is an object.
    pub spec: Option<Question>,
    pub observed: u32,
    pub ready: Ready,
    pub answer: Option<Answer>,
}

impl Shown {
    /// What is compared to tell a change; a new answer counts even if its content is the old one.
    fn looks(&self) -> (u32, u32, Ready, Option<u32>) {
        (self.generation, self.observed, self.ready, self.answer.as_ref().map(|answer| answer.making))
    }
}

/// An object and its controller.
#[derive(Clone, Debug)]
pub struct Object {
    pub who: Who,
    pub removed: bool,
    // What is stored.
    pub generation: u32,
    pub spec: Question,
    pub observed: u32,
    pub ready: Ready,
    pub answer: Option<Answer>,
    // What it showed when somebody last looked, and what the choreographer's copy shows.
    pub shown: Shown,
    pub copy: Shown,
    // Its controller.
    pub notice_under_way: bool,
    pub heard: Option<(u32, Question)>,
    pub queue: VecDeque<(u32, Question)>,
    pub phase: Phase,
    pub flapped_down: bool,
    /// How many attempts it has begun at each question.
    pub attempts: BTreeMap<Vec<String>, u32>,
}

/// What is known of one oracle.
#[derive(Clone, Debug)]
pub struct OracleState {
    pub world: u32,
    pub world_is_good: bool,
    pub makings: u32,
    /// Objects that wait for a worker.
    pub line: Vec<usize>,
    pub memory: Memory,
}

/// An update that was made.
#[derive(Clone, Debug)]
pub struct Updated {
    pub number: u32,
    pub at: Time,
    pub set: BTreeMap<usize, u32>,
    pub bad_for: BTreeSet<usize>,
    pub hangs_for: BTreeSet<usize>,
}

/// Everything.
#[derive(Clone)]
pub struct World<'a> {
    pub setting: &'a Setting,
    /// Of each oracle.
    pub policies: Vec<Policy>,
    pub intake: Intake,
    /// With `intake = "at-rest"`: the workload that passes go by.
    pub taken_up: Vec<Option<Value>>,
    pub now: Time,
    pub events: BTreeMap<Moment, What>,
    pub scheduled: u64,
    pub happened: u64,
    /// A copy that goes on past the horizon: put right, and no new faults.
    pub probing: bool,
    pub objects: Vec<Object>,
    pub oracles: Vec<OracleState>,
    /// The workload's present values.
    pub fields: Vec<Option<Value>>,
    pub updates: Vec<Updated>,
    pub pass: Option<Pass>,
    /// By tampering: the object, its evil value and the spec that was found.
    pub tampered: BTreeMap<usize, (usize, String, Question)>,
    /// Every answer that was made or forged, by oracle and making.
    pub answers: BTreeMap<(usize, u32), Answer>,
    pub facts: Vec<(Time, Fact<String>)>,
    /// The answers that appeared: the place of the fact, the oracle, the making.
    pub answered: Vec<(usize, usize, u32)>,
}

/// A fixed length in nanoseconds.
pub fn fixed(length: &Length) -> u64 {
    match length {
        Length::Fixed(span) => span.0,
        random => panic!("the reference has no dice for {random:?}"),
    }
}

/// What rules an oracle whose template fixes some axes.
fn ruling(fixed: &Fixed, policy: &Policy) -> Policy {
    let mut ruling = policy.clone();
    if *fixed == Fixed::default() {
        return ruling;
    }
    fn put<T: Copy>(axis: &mut T, fixed: Option<T>) {
        *axis = fixed.unwrap_or(*axis);
    }
    put(&mut ruling.read, fixed.read);
    put(&mut ruling.write, fixed.write);
    put(&mut ruling.order, fixed.order);
    put(&mut ruling.acknowledgement, fixed.acknowledgement);
    put(&mut ruling.pending, fixed.pending);
    put(&mut ruling.timeout, fixed.timeout);
    put(&mut ruling.grace, fixed.grace);
    put(&mut ruling.memory, fixed.memory);
    put(&mut ruling.trace, fixed.trace);
    put(&mut ruling.on_failure, fixed.on_failure);
    put(&mut ruling.missing, fixed.missing);
    put(&mut ruling.lifecycle, fixed.lifecycle);
    put(&mut ruling.reverts, fixed.reverts);
    if ruling.lifecycle == Lifecycle::Immutable {
        ruling.on_failure = OnFailure::Wait;
    }
    if ruling.write == Write::Always {
        ruling.timeout = None;
        if ruling.pending == Pending::Fifo {
            ruling.pending = Pending::Latest;
        }
    }
    ruling
}

impl<'a> World<'a> {
    pub fn new(setting: &'a Setting, policy: &'a Policy) -> World<'a> {
        let oracle =
            OracleState { world: 1, world_is_good: true, makings: 0, line: Vec::new(), memory: Memory::default() };
        let mut world = World {
            setting,
            policies: setting.oracles.iter().map(|oracle| ruling(&oracle.fixed, policy)).collect(),
            intake: policy.intake,
            taken_up: vec![None; setting.fields.len()],
            now: Time(0),
            events: BTreeMap::new(),
            scheduled: 0,
            happened: 0,
            probing: false,
            objects: Vec::new(),
            oracles: vec![oracle; setting.oracles.len()],
            fields: vec![None; setting.fields.len()],
            updates: Vec::new(),
            pass: None,
            tampered: BTreeMap::new(),
            answers: BTreeMap::new(),
            facts: Vec::new(),
            answered: Vec::new(),
        };
        for (i, outage) in setting.outages.iter().enumerate() {
            world.schedule(outage.from, What::OutageBegins(i));
            world.schedule(outage.until, What::OutageEnds(i));
        }
        for (i, update) in setting.updates.iter().enumerate() {
            for at in world.instants(&update.when) {
                world.schedule(at, What::Update(i));
            }
        }
        for (i, change) in setting.worlds.iter().enumerate() {
            for at in world.instants(&change.when) {
                world.schedule(at, What::WorldChange(i));
            }
        }
        for (i, tamper) in setting.tampers.iter().enumerate() {
            world.schedule(tamper.at, What::Tamper(i));
            if let Some(until) = tamper.until {
                world.schedule(until, What::PutBack(i));
            }
        }
        for (i, forge) in setting.forges.iter().enumerate() {
            world.schedule(forge.at, What::Forge(i));
        }
        for restart in &setting.restarts {
            world.schedule(restart.at, What::Restart);
        }
        if let Some(resync) = &setting.choreographer.resync {
            world.schedule(Time(fixed(resync)), What::Resync);
        }
        world
    }

    /// All instants of a stream up to the horizon.
    fn instants(&self, when: &When) -> Vec<Time> {
        match when {
            When::At(at) => vec![*at],
            When::Stream { from, until, every, count } => {
                let mut instants = Vec::new();
                let mut at = from.0 + fixed(every);
                while at < until.0 && at <= self.setting.horizon.0 && count.is_none_or(|n| (instants.len() as u64) < n)
                {
                    instants.push(Time(at));
                    at += fixed(every);
                }
                instants
            }
        }
    }

    pub fn tell(&mut self, fact: Fact<String>) {
        self.facts.push((self.now, fact));
    }

    pub fn schedule(&mut self, at: Time, what: What) {
        let (stage, in_file) = what.place();
        self.events.insert((at, stage, (at, stage, in_file, self.scheduled)), what);
        self.scheduled += 1;
    }

    pub fn after(&mut self, length: u64, what: What) {
        self.schedule(Time(self.now.0.saturating_add(length)), what);
    }

    /// What is pending and `is` so happens no more.
    pub fn cancel(&mut self, is: impl Fn(&What) -> bool) {
        self.events.retain(|_, what| !is(what));
    }

    /// The outage that holds up this oracle's controller now, and the longest.
    fn outage(&self, oracle: usize) -> Option<(Time, usize)> {
        let outages = self.setting.outages.iter().enumerate().filter(|(_, outage)| {
            !self.probing && outage.oracle.index() == oracle && outage.from <= self.now && self.now < outage.until
        });
        outages.map(|(i, outage)| (outage.until, i)).max()
    }

    /// The next event up to `end` happens; says whether there was one.
    pub fn step(&mut self, end: Time) -> bool {
        let Some((&moment, _)) = self.events.first_key_value() else { return false };
        let (at, _, due) = moment;
        if at > end {
            return false;
        }
        let what = self.events.remove(&moment).expect("it was just seen");
        self.now = at;
        if let Some(object) = what.controller()
            && let Some((until, _)) = self.outage(self.objects[object].who.oracle)
        {
            self.events.insert((until, HELD_UP, due), what);
            return true;
        }
        self.happened += 1;
        self.happen(what);
        true
    }

    /// None if there are too many events.
    pub fn go_on_to_the_horizon(&mut self) -> Option<()> {
        while self.step(self.setting.horizon) {
            if self.happened > super::MAX_EVENTS {
                return None;
            }
        }
        self.now = self.setting.horizon;
        Some(())
    }

    fn happen(&mut self, what: What) {
        match what {
            What::OutageBegins(i) => {
                self.tell(Fact::OutageBegan { oracle: self.setting.outages[i].oracle.index() });
            }
            What::OutageEnds(i) => {
                self.tell(Fact::OutageEnded { oracle: self.setting.outages[i].oracle.index() });
            }
            What::Update(i) => {
                let update = &self.setting.updates[i];
                let bad_for = update.bad_for.iter().filter(|(_, p)| p.get() == 1.0).map(|(r, _)| r.index()).collect();
                let hangs_for = update.hangs_for.iter().map(|r| r.index()).collect();
                self.update(i, &update.set, bad_for, hangs_for);
            }
            What::WorldChange(i) => {
                let change = &self.setting.worlds[i];
                self.change_world(change.oracle.index(), !change.bad);
            }
            What::Tamper(i) => self.tamper(i),
            What::PutBack(i) => self.put_back(i),
            What::Forge(i) => self.forge(i),
            What::Restart => self.restart(),
            What::Flap(o) => self.flap(o),
            What::Notice(o, brings) => self.notice(o, brings),
            What::React(o) => self.react(o),
            What::Finish(o) => self.finish(o),
            What::Next(o) => self.next(o),
            What::Retry(o) => self.retry(o),
            What::Appear(o, answer) => {
                // Unless a later answer shows by then.
                if self.objects[o].answer.as_ref().is_none_or(|shows| shows.making < answer.making) {
                    self.answer(o, answer);
                    self.show(o);
                }
            }
            What::HoldOver(r) => {
                self.oracles[r].memory.hold_is_over = true;
                self.wake_after(0);
            }
            What::GraceOver(r) => {
                self.oracles[r].memory.in_grace = false;
                self.wake_after(0);
            }
            What::Resync => {
                let every = fixed(self.setting.choreographer.resync.as_ref().expect("it resyncs"));
                self.after(every, What::Resync);
                self.wake_after(0);
            }
            What::Follow(o, shown) => {
                let changed = self.objects[o].copy.looks() != shown.looks();
                self.objects[o].copy = shown;
                if changed && !self.objects[o].removed {
                    self.wake_after(fixed(&self.setting.choreographer.watch));
                }
            }
            What::Wake => self.wake(),
            What::Visit => self.go_on_with_the_pass(),
        }
    }

    // What befalls the run.

    /// An update is made.
    pub fn update(
        &mut self,
        item: usize,
        set: &[FieldId],
        bad_for: BTreeSet<usize>,
        hangs_for: BTreeSet<usize>,
    ) -> u32 {
        let number = self.updates.len() as u32 + 1;
        let mut versions = BTreeMap::new();
        let mut told = Vec::new();
        for field in set.iter().map(|field| field.index()) {
            let last = self.updates.iter().filter_map(|update| update.set.get(&field)).max();
            let version = last.map_or(1, |last| last + 1);
            let content = format!("{}={version}", self.setting.fields[field]);
            let value =
                Value { content: content.clone(), fields: BTreeSet::from([(field, version)]), ..Value::default() };
            self.fields[field] = Some(value);
            versions.insert(field, version);
            told.push((field, version, content));
        }
        let valid = bad_for.is_empty();
        self.updates.push(Updated { number, at: self.now, set: versions, bad_for, hangs_for });
        self.tell(Fact::Updated { update: number, item, set: told, valid });
        self.wake_after(fixed(&self.setting.choreographer.watch));
        number
    }

    /// An oracle's world changes, and its controllers are going to react.
    pub fn change_world(&mut self, oracle: usize, good: bool) {
        self.oracles[oracle].world += 1;
        self.oracles[oracle].world_is_good = good;
        self.tell(Fact::WorldChanged { oracle, version: self.oracles[oracle].world, good });
        for role in [Role::Main, Role::Shadow] {
            if let Some(object) = self.object(oracle, role) {
                self.schedule(self.now, What::React(object));
            }
        }
    }

    /// The oracle's object of this role, if there is one now.
    pub fn object(&self, oracle: usize, role: Role) -> Option<usize> {
        self.objects.iter().position(|object| !object.removed && object.who == Who { oracle, role })
    }

    fn tamper(&mut self, i: usize) {
        let tamper = &self.setting.tampers[i];
        let Some(o) = self.object(tamper.oracle.index(), Role::Main) else { return };
        let found = self.objects[o].spec.clone();
        let mut spec = found.clone();
        let evil = format!("evil {i}");
        spec[tamper.input] = Value { content: evil.clone(), evil: true, ..Value::default() };
        self.tampered.insert(i, (o, evil, found));
        self.write(o, spec, Why::Tampered);
    }

    fn put_back(&mut self, i: usize) {
        let Some((o, evil, found)) = self.tampered.remove(&i) else { return };
        if self.objects[o].spec[self.setting.tampers[i].input].content == evil {
            self.write(o, found, Why::PutBack);
        }
    }

    fn forge(&mut self, i: usize) {
        let r = self.setting.forges[i].oracle.index();
        let object = match self.object(r, Role::Main) {
            Some(main) => Some(main),
            None => self.oracles[r].memory.immutable.last().copied(),
        };
        let Some(o) = object else { return };
        self.oracles[r].makings += 1;
        let making = self.oracles[r].makings;
        let content = format!("forged {i}");
        let value = Value { content: content.clone(), evil: true, ..Value::default() };
        let (generation, inputs) = (self.objects[o].generation, contents(&self.objects[o].spec));
        let answer = Answer { making, value, made_from: None, generation, inputs };
        self.answers.insert((r, making), answer.clone());
        self.objects[o].answer = Some(answer);
        self.tell(Fact::Forged { who: self.objects[o].who, making, content });
        self.show(o);
    }

    fn restart(&mut self) {
        self.tell(Fact::Restarted);
        self.forget();
        self.wake_after(fixed(&self.setting.choreographer.watch));
    }

    fn flap(&mut self, o: usize) {
        let oracle = &self.setting.oracles[self.objects[o].who.oracle];
        let flaps = oracle.flaps.clone().expect("it flaps");
        let down = !self.objects[o].flapped_down;
        self.objects[o].flapped_down = down;
        self.objects[o].ready = match (down, oracle.health, flaps.to) {
            (false, ..) => after_work(oracle, true),
            (true, Some(rule), _) => rule.in_phase(StatusPhase::Flapped),
            (true, None, FlapTo::False) => Ready::False,
            (true, None, FlapTo::Unknown) => Ready::Unknown,
        };
        self.tell(Fact::Flapped { who: self.objects[o].who, ready: self.objects[o].ready });
        self.show(o);
        self.after(fixed(if down { &flaps.down } else { &flaps.up }), What::Flap(o));
    }

    // What objects show.

    /// What the object shows now.
    pub fn shows(&self, o: usize) -> Shown {
        let object = &self.objects[o];
        let oracle = &self.setting.oracles[object.who.oracle];
        let hidden = oracle.reconciles && oracle.retention == Retention::WhileReady && object.ready != Ready::True;
        Shown {
            generation: object.generation,
            spec: Some(object.spec.clone()),
            observed: object.observed,
            ready: object.ready,
            answer: if hidden { None } else { object.answer.clone() },
        }
    }

    /// Tells what the object shows if that has changed; it wakes the choreographer, or its copy follows.
    pub fn show(&mut self, o: usize) {
        let shown = self.shows(o);
        if shown.looks() == self.objects[o].shown.looks() {
            return;
        }
        let (generation, observed, ready, answer) = shown.looks();
        self.objects[o].shown = shown.clone();
        self.tell(Fact::Showed { who: self.objects[o].who, generation, observed, ready, answer });
        match self.setting.choreographer.reads_from {
            ReadsFrom::Write => self.wake_after(fixed(&self.setting.choreographer.watch)),
            ReadsFrom::Cache => self.after(fixed(&self.setting.choreographer.cache_lag), What::Follow(o, shown)),
        }
    }

    /// What the choreographer sees of the object.
    pub fn sees(&self, o: usize) -> Shown {
        match self.setting.choreographer.reads_from {
            ReadsFrom::Write => self.shows(o),
            ReadsFrom::Cache => self.objects[o].copy.clone(),
        }
    }

    /// A new object without a spec.
    pub fn create(&mut self, who: Who) -> usize {
        self.objects.push(Object {
            who,
            removed: false,
            generation: 0,
            spec: Vec::new(),
            observed: 0,
            ready: Ready::Unknown,
            answer: None,
            shown: Shown::default(),
            copy: Shown::default(),
            notice_under_way: false,
            heard: None,
            queue: VecDeque::new(),
            phase: Phase::Idle,
            flapped_down: false,
            attempts: BTreeMap::new(),
        });
        self.objects.len() - 1
    }

    /// Somebody writes the object's spec. One that leaves all contents as they are changes nothing.
    pub fn write(&mut self, o: usize, spec: Question, why: Why) {
        let object = &mut self.objects[o];
        if object.generation > 0 && contents(&object.spec) == contents(&spec) {
            return;
        }
        object.generation += 1;
        object.spec = spec.clone();
        let (who, generation) = (object.who, object.generation);
        self.tell(Fact::Wrote { who, generation, inputs: contents(&spec), why });
        let oracle = &self.setting.oracles[who.oracle];
        let (reads, reconciles) = (oracle.health, oracle.reconciles);
        if let Some(rule) = reads
            && (generation == 1 || !reconciles)
        {
            self.objects[o].ready = if reconciles {
                rule.in_phase(StatusPhase::NeverReported)
            } else {
                rule.in_phase(StatusPhase::Succeeded)
            };
        }
        if reconciles {
            self.a_write_is_going_to_be_noticed(o);
        } else {
            let world = self.oracles[who.oracle].world;
            let answer = self.make(o, &Attempt { generation, question: spec, number: 1, world, well: true });
            self.answer(o, answer);
        }
        self.show(o);
    }

    /// A success makes an answer.
    pub fn make(&mut self, o: usize, attempt: &Attempt) -> Answer {
        let who = self.objects[o].who;
        let oracle = &self.setting.oracles[who.oracle];
        self.oracles[who.oracle].makings += 1;
        let making = self.oracles[who.oracle].makings;
        let mut value = super::values::lineage(&attempt.question);
        value.worlds.insert((who.oracle, attempt.world));
        value.content = format!("{}({})@w{}", oracle.name, contents(&attempt.question).join(","), attempt.world);
        if !oracle.reproducible {
            value.content += &format!(" making {making}");
        }
        let answer = Answer {
            making,
            value,
            made_from: Some(contents(&attempt.question)),
            generation: attempt.generation,
            inputs: contents(&attempt.question),
        };
        self.answers.insert((who.oracle, making), answer.clone());
        self.tell(Fact::Made { who, making, content: answer.value.content.clone() });
        answer
    }

    /// An answer appears: it replaces the one before.
    pub fn answer(&mut self, o: usize, answer: Answer) {
        let who = self.objects[o].who;
        // A probe may go on for long; an answer with a lineage that was there before delivers nothing more.
        let was_there = |(_, oracle, making): &(usize, usize, u32)| {
            *oracle == who.oracle && self.answers[&(*oracle, *making)].value.fields == answer.value.fields
        };
        if !(self.probing && self.answered.iter().any(was_there)) {
            self.answered.push((self.facts.len(), who.oracle, answer.making));
        }
        self.tell(Fact::Answered { who, making: answer.making });
        self.objects[o].answer = Some(answer);
    }
}
