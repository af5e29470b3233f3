//! Whether the world put right delivers: a fresh update from every state (`live`), or what is wanted (`eventual`).
//!
//! Both are decided on the graph of put-right states. It has no chance and nothing befalls it, so that only the order of
//! steps is open. Where what was wanted is delivered, it ends.

use super::fair::{Components, shortest};
use super::graph::{Edge, Graph, StateId, Traits, Way};
use super::property::Refutation;
use super::step::Label;

/// The states in which the world was just put right, each with the first that it was put right from.
#[derive(Debug, Default)]
pub(super) struct Roots {
    wanted: Vec<(StateId, Way)>,
    fresh: Vec<(StateId, Way)>,
    known: hashbrown::HashSet<(StateId, bool)>,
}

impl Roots {
    /// `root` was reached by `way`; the first way to it is the shortest.
    pub fn add(&mut self, root: StateId, way: Way) {
        let fresh = way.label() == Label::PUT_RIGHT_AND_UPDATE;
        if self.known.insert((root, fresh)) {
            if fresh { &mut self.fresh } else { &mut self.wanted }.push((root, way));
        }
    }
}

fn every(_: Edge) -> bool {
    true
}

/// The nearest state from which, put right, no run delivers a fresh update; and one run from there, as far as it goes.
pub(super) fn refute_live(graph: &Graph, roots: &Roots) -> Option<Refutation> {
    let components = put_right(graph);
    let delivers = components.reach(graph, |state| {
        let traits = graph.traits(state);
        // Where it is not known what comes of a state, it may deliver.
        !traits.has(Traits::WANTED) || !traits.has(Traits::EXPANDED)
    });
    let root = roots.fresh.iter().find(|&&(root, _)| !delivers[root.index()])?;
    let fair = components.fair(graph, every);
    Some(run_into(graph, &components, root, |state| components.of(state).is_some_and(|of| fair[of as usize])))
}

/// The nearest state from which, put right and left alone, some fair run never delivers what is wanted.
pub(super) fn refute_eventual(graph: &Graph, roots: &Roots) -> Option<Refutation> {
    let components = put_right(graph);
    let fair = components.fair(graph, every);
    let stays = |state: StateId| {
        graph.traits(state).has(Traits::WANTED) && components.of(state).is_some_and(|of| fair[of as usize])
    };
    let never = components.reach(graph, stays);
    let root = roots.wanted.iter().find(|&&(root, _)| never[root.index()])?;
    Some(run_into(graph, &components, root, stays))
}

fn put_right(graph: &Graph) -> Components {
    Components::new(graph, |state| graph.traits(state).has(Traits::PUT_RIGHT), every)
}

/// The steps to a root, from there to the nearest state that `stays`, and round in its component.
fn run_into(
    graph: &Graph,
    components: &Components,
    &(root, way): &(StateId, Way),
    stays: impl Fn(StateId) -> bool,
) -> Refutation {
    let mut steps = graph.path_by(way);
    let mut at = root;
    if !stays(root) {
        let path = shortest(graph, root, |_, _| true, |state, _| stays(state)).unwrap_or_default();
        at = path.last().map_or(root, |edge| edge.to);
        steps.extend(path.into_iter().filter_map(|edge| edge.label().step(Vec::new())));
    }
    let cycle = components.cycle(graph, at, every, |_| false);
    let cycle_from = (!cycle.is_empty()).then_some(steps.len());
    steps.extend(cycle);
    Refutation { steps, cycle_from }
}
