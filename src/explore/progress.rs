//! Whether good updates can keep coming for ever while nothing is delivered (`progress`).
//!
//! The graph's updates come without end. What is looked for is a strongly connected part in which a good update is made,
//! nothing is delivered and no new fault is drawn, and in which a fair run may stay: faults without end deliver nothing
//! under any policy.

use super::fair::Components;
use super::graph::{Edge, Graph, StateId, Traits};
use super::property::Refutation;

fn starves(edge: Edge) -> bool {
    !edge.delivers() && !edge.is_faulty()
}

/// Whether a fair run without a delivery may stay where updates were left out: what further ones would do is not known.
pub(super) fn is_cut_short(graph: &Graph) -> bool {
    let components = normal(graph);
    let fair = components.fair(graph, starves);
    (0..graph.len() as u32).map(StateId).any(|state| {
        graph.traits(state).has(Traits::SATURATED) && components.of(state).is_some_and(|of| fair[of as usize])
    })
}

fn normal(graph: &Graph) -> Components {
    Components::new(graph, |state| !graph.traits(state).has(Traits::PUT_RIGHT), starves)
}

/// The nearest state from which an endless fair run goes round without a delivery, as far as the graph is known.
pub(super) fn refute(graph: &Graph) -> Option<Refutation> {
    let components = normal(graph);
    let fair = components.fair(graph, starves);
    let states = || (0..graph.len() as u32).map(StateId);
    let mut updated = vec![false; components.count as usize];
    for state in states() {
        let Some(component) = components.of(state) else { continue };
        let updates =
            |&&edge: &&Edge| edge.label().is_update() && starves(edge) && components.of(edge.to) == Some(component);
        updated[component as usize] |= graph.edges(state).iter().find(updates).is_some();
    }
    let endless = |&state: &StateId| components.of(state).is_some_and(|of| fair[of as usize] && updated[of as usize]);
    let from = states().find(endless)?;
    let mut steps = graph.path(from);
    let cycle_from = Some(steps.len());
    steps.extend(components.cycle(graph, from, starves, |edge| edge.label().is_update()));
    Some(Refutation { steps, cycle_from })
}
