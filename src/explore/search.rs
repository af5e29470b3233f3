//! Every state that can be reached, nearest first.

use std::ops::Range;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::befall::{Bounds, Updates};
use super::graph::{Edge, Fingerprint, Graph, StateId, Traits, Way};
use super::live;
use super::progress;
use super::property::{Decided, Properties, Property, Refutation, Verdict, Watch};
use super::state::{Ground, MOST_WAKES, State};
use super::step::{Label, next_script};
use crate::model::{Event, Merging, Plan, Scratch};

/// When a search gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// States seen.
    pub max_states: u64,
    /// Memory used for states, in bytes.
    pub max_memory: u64,
    /// Time taken, if it is bounded: the one thing here that depends on the machine.
    pub max_time: Option<Duration>,
}

impl Default for Limits {
    /// Two million states, four GiB.
    fn default() -> Self {
        Limits { max_states: 2_000_000, max_memory: 4 << 30, max_time: None }
    }
}

/// Which limit was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::max_states`].
    States,
    /// [`Limits::max_memory`].
    Memory,
    /// [`Limits::max_time`].
    Time,
    /// Somebody asked it to stop.
    Stopped,
    /// [`Options::versions`]: a run in which nothing is delivered goes on only with further versions of the workload.
    Versions,
    /// More wake-ups are under way at once than a state counts: 255.
    Wakes,
}

/// What to search, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to decide.
    pub properties: Vec<Property>,
    /// How often one stream of updates comes, where they are bounded.
    pub streamed: u8,
    /// How many updates come in all, where they are bounded.
    pub updates: u8,
    /// How many versions of the workload are in use at a time, where updates come without end.
    pub versions: u8,
    /// When to give up.
    pub limits: Limits,
    /// How many threads; 0: one per core.
    pub jobs: usize,
    /// Whether states that no rule can tell apart are one.
    pub merging: Merging,
    /// Whether a wake-up that finds nothing is tried alone.
    pub reduction: bool,
}

/// Updates are named by a byte.
const MOST_UPDATES: u8 = 250;

impl Default for Options {
    fn default() -> Self {
        Options {
            properties: <Property as crate::model::Axis>::ALL.to_vec(),
            streamed: 2,
            updates: MOST_UPDATES,
            versions: 8,
            limits: Limits::default(),
            jobs: 0,
            merging: Merging::On,
            reduction: true,
        }
    }
}

/// How much of a graph was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// What bounds it, in words.
    pub within: String,
    /// States.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
    /// The longest of the shortest ways to a state, in steps.
    pub depth: u32,
    /// Memory used for states, in bytes.
    pub memory: u64,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// A verdict for each property asked for, in that order.
    pub decided: Vec<Decided>,
    /// The graph in which updates are bounded, where one was searched.
    pub bounded: Option<Seen>,
    /// The graph in which they come without end, where one was searched.
    pub endless: Option<Seen>,
}

/// Decides `options.properties` of `plan`; `watch` is told now and then how much was seen, and stops the search by `false`.
pub fn check(plan: &Plan, options: &Options, watch: &mut (dyn FnMut(&Seen) -> bool + Send)) -> Report {
    let (endless, bounded): (Vec<_>, Vec<_>) =
        options.properties.iter().copied().partition(|&property| property == Property::Progress);
    let mut decided: Vec<Decided> = Vec::new();
    let mut search = |properties: &[Property], updates: Updates| {
        if properties.is_empty() {
            return None;
        }
        let bounds = Bounds::new(plan.setting(), updates);
        let mut search = Search::new(plan, bounds, properties, options);
        let gave_up = search.run(watch);
        decided.extend(search.verdicts(gave_up));
        Some(search.seen())
    };
    let bounded = search(&bounded, Updates::Bounded { streamed: options.streamed, in_all: options.updates });
    let endless = search(&endless, Updates::Endless { versions: options.versions });
    let order = |&(property, _): &Decided| options.properties.iter().position(|&asked| asked == property);
    decided.sort_by_key(order);
    Report { decided, bounded, endless }
}

/// States waiting to be looked at, as bytes.
#[derive(Default)]
struct Frontier {
    bytes: Vec<u8>,
    states: Vec<(StateId, Range<usize>)>,
}

impl Frontier {
    fn push(&mut self, id: StateId, bytes: &[u8]) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.states.push((id, begin..self.bytes.len()));
    }
}

/// What came of one step from a state.
struct Found {
    label: Label,
    draws: Vec<bool>,
    delivers: bool,
    faulty: bool,
    refutes: Properties,
    fingerprint: Fingerprint,
    traits: Traits,
    /// Its place in the bytes of its chunk; empty where the state was known already.
    bytes: Range<usize>,
}

/// What came of all steps from some states.
#[derive(Default)]
struct Expanded {
    bytes: Vec<u8>,
    found: Vec<Found>,
    /// For each state how many of `found` are its, and what is known of it.
    states: Vec<(usize, Local)>,
    /// A state was found in which nothing flaps, because too many wake-ups are under way.
    crowded: bool,
}

/// What is learned of a state by looking at it.
#[derive(Clone, Copy, Default)]
struct Local {
    reduced: bool,
    hides: bool,
    saturated: bool,
}

/// A thread's room to work in.
struct Bench<'p> {
    state: State<'p>,
    scratch: Scratch,
    events: Vec<Event>,
}

/// A property that one step or one state refuted.
#[derive(Clone, Copy)]
enum Broken {
    By(Way),
    At(StateId),
}

pub(super) struct Search<'p, 'o> {
    ground: Ground<'p>,
    options: &'o Options,
    properties: Vec<Property>,
    pub graph: Graph,
    /// For each property, what refuted it first.
    broken: Vec<Option<Broken>>,
    /// For live, eventual and progress, as found on the graph.
    cycles: Vec<Option<Refutation>>,
    pub roots: live::Roots,
    transitions: u64,
    depth: u32,
    /// A state was found in which as many wake-ups are under way as can be counted, or more.
    too_many_wakes: bool,
    /// A state was found in which nothing flaps, because too many wake-ups are under way.
    crowded: bool,
}

const CHUNK: usize = 256;

impl<'p, 'o> Search<'p, 'o> {
    fn new(plan: &'p Plan, bounds: Bounds, properties: &[Property], options: &'o Options) -> Search<'p, 'o> {
        Search {
            ground: Ground::new(plan, bounds, properties, options.merging),
            options,
            properties: properties.to_vec(),
            graph: Graph::default(),
            broken: vec![None; properties.len()],
            cycles: vec![None; properties.len()],
            roots: live::Roots::default(),
            transitions: 0,
            depth: 0,
            too_many_wakes: false,
            crowded: false,
        }
    }

    fn asks(&self, property: Property) -> bool {
        self.properties.contains(&property)
    }

    fn seen(&self) -> Seen {
        let mut within = self.ground.bounds.in_words(self.ground.plan.setting());
        if self.crowded {
            within += &format!(", no oracle flapping while {MOST_WAKES} wake-ups are under way");
        }
        Seen {
            within,
            states: self.graph.len() as u64,
            transitions: self.transitions,
            depth: self.depth,
            memory: self.graph.memory(),
        }
    }

    /// Looks at every state, breadth first; tells which limit was hit, if one was.
    fn run(&mut self, watch: &mut (dyn FnMut(&Seen) -> bool + Send)) -> Option<Limit> {
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(self.options.jobs).build().expect("threads can be begun");
        pool.install(|| self.search(watch))
    }

    fn search(&mut self, watch: &mut (dyn FnMut(&Seen) -> bool + Send)) -> Option<Limit> {
        let began = Instant::now();
        let mut bytes = Vec::new();
        let mut first = State::first(&self.ground);
        first.write_bytes(&self.ground, &mut Scratch::default(), &mut bytes);
        let id = self.graph.insert(Fingerprint::of(&bytes), None, Traits::default());
        let mut layer = Frontier::default();
        layer.push(id, &bytes);
        let mut judged_at = 1 << 12;
        loop {
            let mut limit = None;
            let mut next = Frontier::default();
            // What stands for a state of this layer is of this layer. What put-right states come to is seen whole before
            // the next, so that it can be judged at any time.
            while limit.is_none() && !layer.states.is_empty() {
                let mut now = Frontier::default();
                limit = self.layer(&layer, &mut next, &mut now, began, watch);
                layer = now;
            }
            let complete = next.states.is_empty();
            if limit.is_some() || complete || self.graph.len() >= judged_at {
                self.judge();
                judged_at = 2 * self.graph.len();
            }
            if limit.is_some() || complete || self.all_is_refuted() {
                return limit.filter(|_| !self.all_is_refuted());
            }
            self.depth += 1;
            layer = next;
        }
    }

    fn all_is_refuted(&self) -> bool {
        self.broken.iter().zip(&self.cycles).all(|(broken, cycle)| broken.is_some() || cycle.is_some())
    }

    /// Looks at each of some states; those found go to `next`, or to `now` if they are to be looked at before.
    fn layer(
        &mut self,
        layer: &Frontier,
        next: &mut Frontier,
        now: &mut Frontier,
        began: Instant,
        watch: &mut (dyn FnMut(&Seen) -> bool + Send),
    ) -> Option<Limit> {
        let chunks: Vec<_> = layer.states.chunks(CHUNK).collect();
        let Limits { max_states, max_memory, max_time } = self.options.limits;
        for batch in chunks.chunks(4 * rayon::current_num_threads()) {
            let expanded: Vec<Expanded> = batch
                .par_iter()
                .map_init(|| self.bench(), |bench, chunk| self.expand(bench, &layer.bytes, chunk))
                .collect();
            for (chunk, expanded) in batch.iter().zip(expanded) {
                if self.merge(chunk, expanded, next, now) {
                    return None;
                }
                if self.too_many_wakes {
                    return Some(Limit::Wakes);
                }
                if self.graph.len() as u64 >= max_states {
                    return Some(Limit::States);
                }
                let waiting = next.bytes.capacity() + now.bytes.capacity() + layer.bytes.capacity();
                if self.graph.memory() + waiting as u64 > max_memory {
                    return Some(Limit::Memory);
                }
            }
            if max_time.is_some_and(|max| began.elapsed() >= max) {
                return Some(Limit::Time);
            }
            if !watch(&self.seen()) {
                return Some(Limit::Stopped);
            }
        }
        None
    }

    fn bench(&self) -> Bench<'p> {
        Bench { state: State::blank(&self.ground), scratch: Scratch::default(), events: Vec::new() }
    }

    /// Takes every step from each of some states.
    fn expand(&self, bench: &mut Bench<'p>, bytes: &[u8], states: &[(StateId, Range<usize>)]) -> Expanded {
        let mut expanded = Expanded::default();
        for (_, place) in states {
            let before = expanded.found.len();
            let local = self.expand_one(bench, &bytes[place.clone()], &mut expanded);
            expanded.states.push((expanded.found.len() - before, local));
        }
        expanded
    }

    fn expand_one(&self, bench: &mut Bench<'p>, bytes: &[u8], expanded: &mut Expanded) -> Local {
        let ground = &self.ground;
        bench.state.read_bytes(ground, bytes);
        let mut local = Local::default();
        if bench.state.is_put_right() {
            // What was wanted is delivered: there is nothing more to ask.
            if !bench.state.wanted(ground) {
                return local;
            }
        } else {
            local.hides = bench.state.rests_with_hidden_success(ground).is_some();
        }
        let is_put_right = bench.state.is_put_right();
        let mut events = std::mem::take(&mut bench.events);
        events.clear();
        local.saturated = bench.state.events(ground, &mut events);
        expanded.crowded |= bench.state.is_crowded(ground) && ground.flaps();
        // The wake-up is tried first: if it finds nothing, the state without it stands for this one.
        if self.options.reduction && bytes[0] > 0 {
            let wake = expanded.found.len();
            self.take(bench, bytes, Event::Wake, expanded);
            events.retain(|&event| event != Event::Wake);
            local.reduced = expanded.found.len() == wake + 1 && {
                let after = &expanded.bytes[expanded.found[wake].bytes.clone()];
                after[0].checked_add(1) == Some(bytes[0]) && after[1..] == bytes[1..]
            };
            self.forget_known(wake, expanded);
            if local.reduced {
                bench.events = events;
                return local;
            }
        }
        for &event in &events {
            let begin = expanded.found.len();
            self.take(bench, bytes, event, expanded);
            self.forget_known(begin, expanded);
        }
        bench.events = events;
        if !is_put_right {
            self.put_right(bench, bytes, expanded);
        }
        local
    }

    /// Takes one step from a state, its draws falling each way.
    fn take(&self, bench: &mut Bench<'p>, bytes: &[u8], event: Event, expanded: &mut Expanded) {
        let mut script = Vec::new();
        loop {
            let ground = &self.ground;
            bench.state.read_bytes(ground, bytes);
            let mut watch = Watch::default();
            let applied = bench.state.apply(ground, event, &script, &mut watch);
            if !applied.beyond_bounds {
                let is_put_right = bench.state.is_put_right();
                let wanted = is_put_right && bench.state.wanted(ground);
                let begin = expanded.bytes.len();
                bench.state.write_bytes(ground, &mut bench.scratch, &mut expanded.bytes);
                expanded.found.push(Found {
                    label: Label::of(event),
                    draws: applied.draws.clone(),
                    delivers: applied.delivers,
                    faulty: applied.faulty,
                    refutes: watch.refuted,
                    fingerprint: Fingerprint::of(&expanded.bytes[begin..]),
                    traits: Traits::default().and(Traits::PUT_RIGHT, is_put_right).and(Traits::WANTED, wanted),
                    bytes: begin..expanded.bytes.len(),
                });
            }
            match next_script(applied.draws) {
                Some(following) => script = following,
                None => return,
            }
        }
    }

    /// Frees the bytes of the last states found that were known already.
    fn forget_known(&self, from: usize, expanded: &mut Expanded) {
        while let Some(last) = expanded.found[from..].iter_mut().rev().find(|found| !found.bytes.is_empty()) {
            if last.bytes.end != expanded.bytes.len() || self.graph.find(last.fingerprint).is_none() {
                return;
            }
            expanded.bytes.truncate(last.bytes.start);
            last.bytes = 0..0;
        }
    }

    /// The state put right, as it is and with a fresh update, as far as it is asked for.
    fn put_right(&self, bench: &mut Bench<'p>, bytes: &[u8], expanded: &mut Expanded) {
        let ground = &self.ground;
        for (property, fresh, label) in
            [(Property::Eventual, false, Label::PUT_RIGHT), (Property::Live, true, Label::PUT_RIGHT_AND_UPDATE)]
        {
            if !self.asks(property) {
                continue;
            }
            bench.state.read_bytes(ground, bytes);
            bench.state.put_right(ground, fresh, &mut ());
            let wanted = bench.state.wanted(ground);
            let begin = expanded.bytes.len();
            bench.state.write_bytes(ground, &mut bench.scratch, &mut expanded.bytes);
            expanded.found.push(Found {
                label,
                draws: Vec::new(),
                delivers: false,
                faulty: false,
                refutes: Properties::default(),
                fingerprint: Fingerprint::of(&expanded.bytes[begin..]),
                traits: Traits::PUT_RIGHT.and(Traits::WANTED, wanted),
                bytes: begin..expanded.bytes.len(),
            });
            self.forget_known(expanded.found.len() - 1, expanded);
        }
    }

    /// Takes down what was found from some states, in order; tells whether nothing is left to find.
    fn merge(
        &mut self,
        states: &[(StateId, Range<usize>)],
        expanded: Expanded,
        next: &mut Frontier,
        now: &mut Frontier,
    ) -> bool {
        let keeps_edges_of_all = self.asks(Property::Progress);
        self.crowded |= expanded.crowded;
        let mut found = expanded.found.into_iter();
        for (&(from, _), (count, local)) in states.iter().zip(expanded.states) {
            let keeps_edges = keeps_edges_of_all || self.graph.traits(from).has(Traits::PUT_RIGHT);
            let begun = self.graph.begin_edges();
            if local.hides {
                self.breaks(|property| property == Property::NoHiddenSuccess, Broken::At(from));
            }
            for found in found.by_ref().take(count) {
                let mut way = Way::new(from, found.label, &found.draws);
                if found.refutes != Properties::default() {
                    self.breaks(|property| found.refutes.has(property), Broken::By(way));
                }
                let mut label = found.label;
                if local.reduced {
                    label = Label::NOTHING;
                    way = Way::new(from, label, &[]);
                } else {
                    self.transitions += 1;
                }
                let to = self.graph.find(found.fingerprint).unwrap_or_else(|| {
                    let id = self.graph.insert(found.fingerprint, Some(way), found.traits);
                    let waits = !local.reduced && !found.traits.has(Traits::PUT_RIGHT);
                    let frontier = if waits { &mut *next } else { &mut *now };
                    let bytes = &expanded.bytes[found.bytes];
                    self.too_many_wakes |= bytes[0] == u8::MAX;
                    frontier.push(id, bytes);
                    id
                });
                if matches!(label, Label::PUT_RIGHT | Label::PUT_RIGHT_AND_UPDATE) {
                    self.roots.add(to, way);
                } else if keeps_edges {
                    self.graph.add_edge(Edge::new(to, label, found.delivers, found.faulty));
                }
            }
            let learned = Traits::EXPANDED.and(Traits::REDUCED, local.reduced).and(Traits::SATURATED, local.saturated);
            self.graph.end_edges(from, begun, learned);
        }
        self.all_is_refuted()
    }

    fn breaks(&mut self, which: impl Fn(Property) -> bool, how: Broken) {
        for (property, broken) in self.properties.iter().zip(&mut self.broken) {
            if broken.is_none() && which(*property) {
                *broken = Some(how);
            }
        }
    }

    /// Decides what only the graph as a whole can tell, as far as it was seen.
    fn judge(&mut self) {
        for (at, &property) in self.properties.iter().enumerate() {
            if self.cycles[at].is_some() {
                continue;
            }
            self.cycles[at] = match property {
                Property::Live => live::refute_live(&self.graph, &self.roots),
                Property::Eventual => live::refute_eventual(&self.graph, &self.roots),
                Property::Progress => progress::refute(&self.graph),
                _ => None,
            };
        }
    }

    fn verdicts(&self, gave_up: Option<Limit>) -> Vec<Decided> {
        let verdict = |at: usize| match (self.broken[at], &self.cycles[at], gave_up) {
            (Some(Broken::By(way)), ..) => {
                Verdict::Refuted(Refutation { steps: self.graph.path_by(way), cycle_from: None })
            }
            (Some(Broken::At(state)), ..) => {
                Verdict::Refuted(Refutation { steps: self.graph.path(state), cycle_from: None })
            }
            (None, Some(refutation), _) => Verdict::Refuted(refutation.clone()),
            (None, None, Some(limit)) => Verdict::Undecided(limit),
            (None, None, None) if self.properties[at] == Property::Progress && progress::is_cut_short(&self.graph) => {
                Verdict::Undecided(Limit::Versions)
            }
            (None, None, None) => Verdict::Proved,
        };
        self.properties.iter().enumerate().map(|(at, &property)| (property, verdict(at))).collect()
    }
}
