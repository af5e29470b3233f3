//! What was seen of a state graph: for each state a fingerprint, how it was first reached, and, where it is asked for, its
//! edges.

use hashbrown::HashTable;
use xxhash_rust::xxh3::xxh3_128;

use super::step::{Label, Step};

/// A state, by its place in the order in which states were first reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct StateId(pub u32);

impl StateId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A state's bytes, by a hash: two states of n share one with a probability of about n² / 2¹²⁹.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(u128);

impl Fingerprint {
    pub fn of(bytes: &[u8]) -> Fingerprint {
        Fingerprint(xxh3_128(bytes))
    }
}

/// How a state was first reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    from: u32,
    /// The event's label, and how many draws fell.
    what: u32,
    /// How they fell, one bit each.
    draws: u32,
}

const LABEL_BITS: u32 = 24;
const LABEL: u32 = (1 << LABEL_BITS) - 1;

impl Way {
    const NOWHERE: u32 = u32::MAX;
    const BEGINNING: Way = Way { from: Way::NOWHERE, what: 0, draws: 0 };

    pub fn new(from: StateId, label: Label, draws: &[bool]) -> Way {
        // Trailing draws fall to `false` by themselves.
        let count = draws.iter().rposition(|&draw| draw).map_or(0, |last| last + 1);
        assert!(count <= 32, "one event makes hardly more than two draws an oracle");
        let bits = draws[..count].iter().enumerate().map(|(at, &draw)| u32::from(draw) << at).sum();
        Way { from: from.0, what: label.0 | (count as u32) << LABEL_BITS, draws: bits }
    }

    pub fn label(self) -> Label {
        Label(self.what & LABEL)
    }

    fn step(self) -> Option<Step> {
        let draws = (0..self.what >> LABEL_BITS).map(|at| self.draws >> at & 1 == 1).collect();
        Label(self.what & LABEL).step(draws)
    }
}

/// A step from one state to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub to: StateId,
    what: u32,
}

impl Edge {
    const LAST: u32 = 1 << 31;
    const DELIVERS: u32 = 1 << 30;
    const FAULTY: u32 = 1 << 29;

    pub fn new(to: StateId, label: Label, delivers: bool, faulty: bool) -> Edge {
        let delivers = if delivers { Edge::DELIVERS } else { 0 };
        let faulty = if faulty { Edge::FAULTY } else { 0 };
        Edge { to, what: label.0 | delivers | faulty }
    }

    pub fn label(self) -> Label {
        Label(self.what & LABEL)
    }

    /// Something is delivered.
    pub fn delivers(self) -> bool {
        self.what & Edge::DELIVERS != 0
    }

    /// A draw fell to a fault.
    pub fn is_faulty(self) -> bool {
        self.what & Edge::FAULTY != 0
    }
}

/// What is known of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traits(u8);

impl Traits {
    /// The world was put right.
    pub const PUT_RIGHT: Traits = Traits(1);
    /// Something is wanted.
    pub const WANTED: Traits = Traits(2);
    /// A wake-up under way finds nothing, so that the state without it stands for this one.
    pub const REDUCED: Traits = Traits(4);
    /// Its edges are known.
    pub const EXPANDED: Traits = Traits(8);
    /// An update was left out, because too many versions of the workload are in use.
    pub const SATURATED: Traits = Traits(16);

    pub fn has(self, other: Traits) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn and(self, other: Traits, holds: bool) -> Traits {
        Traits(self.0 | if holds { other.0 } else { 0 })
    }
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    fingerprints: Vec<u128>,
    table: HashTable<u32>,
    ways: Vec<Way>,
    traits: Vec<Traits>,
    first_edge: Vec<u32>,
    edges: Vec<Edge>,
}

const NO_EDGE: u32 = u32::MAX;

fn hash(fingerprint: u128) -> u64 {
    fingerprint as u64
}

impl Graph {
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Bytes in use, about.
    pub fn memory(&self) -> u64 {
        let per_state = size_of::<u128>() + size_of::<Way>() + size_of::<Traits>() + size_of::<u32>();
        let states = self.fingerprints.capacity() * per_state + self.table.capacity() * 5;
        (states + self.edges.capacity() * size_of::<Edge>()) as u64
    }

    pub fn find(&self, fingerprint: Fingerprint) -> Option<StateId> {
        let fingerprint = fingerprint.0;
        let same = |&id: &u32| self.fingerprints[id as usize] == fingerprint;
        self.table.find(hash(fingerprint), same).map(|&id| StateId(id))
    }

    /// A state that was not yet known, first reached by `way`; none: it is the beginning.
    pub fn insert(&mut self, fingerprint: Fingerprint, way: Option<Way>, traits: Traits) -> StateId {
        let id = self.fingerprints.len() as u32;
        assert!(id < NO_EDGE, "a graph has fewer than 2³² states");
        self.fingerprints.push(fingerprint.0);
        let fingerprints = &self.fingerprints;
        self.table.insert_unique(hash(fingerprint.0), id, |&id| hash(fingerprints[id as usize]));
        self.ways.push(way.unwrap_or(Way::BEGINNING));
        self.traits.push(traits);
        self.first_edge.push(NO_EDGE);
        StateId(id)
    }

    pub fn traits(&self, state: StateId) -> Traits {
        self.traits[state.index()]
    }

    /// All edges from a state are known: those added since `begin_edges`.
    pub fn begin_edges(&self) -> usize {
        self.edges.len()
    }

    pub fn add_edge(&mut self, edge: Edge) {
        self.edges.push(edge);
    }

    pub fn end_edges(&mut self, state: StateId, begun: usize, learned: Traits) {
        let traits = &mut self.traits[state.index()];
        *traits = Traits(traits.0 | learned.0);
        if self.edges.len() > begun {
            self.first_edge[state.index()] = begun as u32;
            self.edges.last_mut().expect("one at least").what |= Edge::LAST;
        }
    }

    /// The edges from a state, as far as they are kept.
    pub fn edges(&self, state: StateId) -> &[Edge] {
        match self.first_edge[state.index()] {
            NO_EDGE => &[],
            first => {
                let rest = &self.edges[first as usize..];
                let last = rest.iter().position(|edge| edge.what & Edge::LAST != 0).expect("every list ends");
                &rest[..=last]
            }
        }
    }

    /// The steps by which a state was first reached.
    pub fn path(&self, to: StateId) -> Vec<Step> {
        let mut steps = Vec::new();
        let mut way = self.ways[to.index()];
        while way.from != Way::NOWHERE {
            steps.extend(way.step());
            way = self.ways[way.from as usize];
        }
        steps.reverse();
        steps
    }

    /// The steps by which a step's source was first reached, and that step.
    pub fn path_by(&self, last: Way) -> Vec<Step> {
        let mut steps = self.path(StateId(last.from));
        steps.extend(last.step());
        steps
    }
}
