//! Strongly connected components, and which of them a fair run may stay in for ever.
//!
//! Tarjan's algorithm, without recursion: `petgraph`'s recurses, and would overflow the stack where a graph is deep.

use super::graph::{Edge, Graph, StateId, Traits};
use super::step::{Label, Step};

/// The components of part of a graph.
pub(super) struct Components {
    /// The component of each state; [`NONE`] of those left out. A component's number is greater than those of all that can
    /// be reached from it.
    of: Vec<u32>,
    pub count: u32,
}

const NONE: u32 = u32::MAX;

impl Components {
    /// The components of the states that `keeps` keeps, by the edges that `follows` follows.
    pub fn new(graph: &Graph, keeps: impl Fn(StateId) -> bool, follows: impl Fn(Edge) -> bool) -> Components {
        let states = graph.len();
        let mut of = vec![NONE; states];
        // The place in the order of discovery, from 1; 0 is undiscovered.
        let mut place = vec![0_u32; states];
        let mut low = vec![0_u32; states];
        let (mut discovered, mut count) = (0, 0);
        let mut stack: Vec<u32> = Vec::new();
        let mut under_way: Vec<(u32, u32)> = Vec::new();
        for root in 0..states as u32 {
            if place[root as usize] != 0 || !keeps(StateId(root)) {
                continue;
            }
            under_way.push((root, 0));
            while let Some(&mut (state, ref mut next)) = under_way.last_mut() {
                let at = state as usize;
                if *next == 0 {
                    discovered += 1;
                    (place[at], low[at]) = (discovered, discovered);
                    stack.push(state);
                }
                let edges = graph.edges(StateId(state));
                let mut deeper = None;
                while let Some(&edge) = edges.get(*next as usize) {
                    *next += 1;
                    let to = edge.to.index();
                    if !follows(edge) || !keeps(edge.to) {
                        continue;
                    }
                    if place[to] == 0 {
                        deeper = Some(edge.to.0);
                        break;
                    }
                    if of[to] == NONE {
                        low[at] = low[at].min(place[to]);
                    }
                }
                if let Some(deeper) = deeper {
                    under_way.push((deeper, 0));
                    continue;
                }
                under_way.pop();
                if let Some(&(parent, _)) = under_way.last() {
                    low[parent as usize] = low[parent as usize].min(low[at]);
                }
                if low[at] == place[at] {
                    loop {
                        let member = stack.pop().expect("the root is on the stack");
                        of[member as usize] = count;
                        if member == state {
                            break;
                        }
                    }
                    count += 1;
                }
            }
        }
        Components { of, count }
    }

    /// The component of a state, if it was not left out.
    pub fn of(&self, state: StateId) -> Option<u32> {
        Some(self.of[state.index()]).filter(|&component| component != NONE)
    }

    /// For each state whether one that is a `target` can be reached from it, or it is one. All edges are followed.
    pub fn reach(&self, graph: &Graph, target: impl Fn(StateId) -> bool) -> Vec<bool> {
        let mut members: Vec<u32> = (0..graph.len() as u32).filter(|&state| self.of[state as usize] != NONE).collect();
        members.sort_unstable_by_key(|&state| self.of[state as usize]);
        let mut reaches = vec![false; graph.len()];
        // What can be reached from a component has a lower number, and is known already.
        for component in members.chunk_by(|&one, &other| self.of[one as usize] == self.of[other as usize]) {
            let reached = component
                .iter()
                .map(|&state| StateId(state))
                .any(|state| target(state) || graph.edges(state).iter().any(|edge| reaches[edge.to.index()]));
            component.iter().for_each(|&state| reaches[state as usize] = reached);
        }
        reaches
    }

    /// Whether an edge stays within a component.
    fn inner(&self, from: StateId, edge: Edge) -> bool {
        self.of[from.index()] != NONE && self.of[from.index()] == self.of[edge.to.index()]
    }

    /// For each component whether a fair run may stay in it for ever, taking only edges that `follows` follows: every step
    /// that is possible in all its states is taken in it.
    pub fn fair(&self, graph: &Graph, follows: impl Fn(Edge) -> bool) -> Vec<bool> {
        let mut always: Vec<Option<Vec<Label>>> = vec![None; self.count as usize];
        let states = || (0..graph.len() as u32).map(StateId);
        for state in states() {
            let Some(component) = self.of(state) else { continue };
            // What is possible in a reduced state is possible in the one that stands for it.
            if !graph.traits(state).has(Traits::EXPANDED) || graph.traits(state).has(Traits::REDUCED) {
                continue;
            }
            let edges = graph.edges(state);
            match &mut always[component as usize] {
                None => {
                    let mut labels: Vec<_> = edges.iter().map(|edge| edge.label()).filter(|l| l.is_fair()).collect();
                    labels.sort_unstable();
                    labels.dedup();
                    always[component as usize] = Some(labels);
                }
                Some(labels) => labels.retain(|&label| edges.iter().any(|edge| edge.label() == label)),
            }
        }
        for state in states() {
            let Some(component) = self.of(state) else { continue };
            for &edge in graph.edges(state).iter().filter(|&&edge| follows(edge) && self.inner(state, edge)) {
                if let Some(labels) = &mut always[component as usize] {
                    labels.retain(|&label| label != edge.label());
                }
            }
        }
        always.into_iter().map(|labels| labels.is_some_and(|labels| labels.is_empty())).collect()
    }

    /// A run that begins and ends in `from`, stays in its fair component, is fair, and takes an edge that `wanted` wants.
    pub fn cycle(
        &self,
        graph: &Graph,
        from: StateId,
        follows: impl Fn(Edge) -> bool,
        wanted: impl Fn(Edge) -> bool,
    ) -> Vec<Step> {
        let inner = |state: StateId, edge: Edge| follows(edge) && self.inner(state, edge);
        let mut round = Round { at: from, visited: vec![from], took: Vec::new() };
        round.go(shortest(graph, from, inner, |_, edge| wanted(edge)).unwrap_or_default());
        while let Some(owed) = round.owed(graph) {
            let pays = |state: StateId, edge: Edge| edge.label() == owed || !possible(graph, state, owed);
            round.go(shortest(graph, round.at, inner, pays).expect("the component is fair"));
        }
        if round.at != from {
            round.go(shortest(graph, round.at, inner, |state, _| state == from).expect("the component is connected"));
        }
        round.took.into_iter().filter_map(|label| label.step(Vec::new())).collect()
    }
}

/// A way through a component, to be made a fair one.
struct Round {
    at: StateId,
    visited: Vec<StateId>,
    took: Vec<Label>,
}

impl Round {
    fn go(&mut self, path: Vec<Edge>) {
        for edge in path {
            self.took.push(edge.label());
            self.visited.push(edge.to);
            self.at = edge.to;
        }
    }

    /// A step that has been possible all the way and was not taken.
    fn owed(&self, graph: &Graph) -> Option<Label> {
        let plain = self.visited.iter().find(|&&state| !graph.traits(state).has(Traits::REDUCED))?;
        let labels = graph.edges(*plain).iter().map(|edge| edge.label());
        labels
            .filter(|label| label.is_fair() && !self.took.contains(label))
            .find(|&label| self.visited.iter().all(|&state| possible(graph, state, label)))
    }
}

/// Whether a step is possible in a state. In a reduced one any may be: what is, is known of the one that stands for it.
fn possible(graph: &Graph, state: StateId, label: Label) -> bool {
    graph.traits(state).has(Traits::REDUCED) || graph.edges(state).iter().any(|edge| edge.label() == label)
}

/// The shortest way from a state, by edges that `inner` allows, to a state or edge that is a `goal`; none if there is no
/// such way. The state itself does not count.
pub(super) fn shortest(
    graph: &Graph,
    from: StateId,
    inner: impl Fn(StateId, Edge) -> bool,
    goal: impl Fn(StateId, Edge) -> bool,
) -> Option<Vec<Edge>> {
    let mut came: hashbrown::HashMap<u32, (u32, Edge)> = hashbrown::HashMap::new();
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(state) = queue.pop_front() {
        for &edge in graph.edges(state) {
            if !inner(state, edge) {
                continue;
            }
            if goal(edge.to, edge) {
                let mut path = vec![edge];
                let mut at = state;
                while at != from {
                    let (before, by) = came[&at.0];
                    path.push(by);
                    at = StateId(before);
                }
                path.reverse();
                return Some(path);
            }
            if edge.to != from && !came.contains_key(&edge.to.0) {
                came.insert(edge.to.0, (state.0, edge));
                queue.push_back(edge.to);
            }
        }
    }
    None
}
