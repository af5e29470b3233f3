//! Plain objects, and who gives to whom: `--edge from=to`.

use super::blueprint::cycle;
use super::chain::{self, Link, scenario_name};
use super::objects::{Named, Objects};
use super::template::Stamps;
use crate::scenario::wording::{meant, quoted};

/// A chain of plain objects.
pub(crate) fn links(
    objects: &Objects<'_>,
    edges: &[(String, String)],
    notes: &mut Vec<String>,
) -> Result<Vec<Link>, String> {
    let all = || objects.others.iter().chain(&objects.runnables);
    let find = |name: &str| {
        let named: Vec<&Named<'_>> =
            all().filter(|object| object.name == name || format!("{}/{}", object.kind, object.name) == name).collect();
        match named.as_slice() {
            [one] => Ok(*one),
            [] => {
                let names: Vec<&str> = all().map(|object| object.name.as_str()).collect();
                let help = if names.is_empty() {
                    "the files hold no objects".into()
                } else {
                    meant(name, "there are", names).join("; ")
                };
                Err(format!("no object is named {}: {help}", quoted(name)))
            }
            several => {
                let told: Vec<String> = several.iter().map(|object| object.told()).collect();
                Err(format!("several objects are named {}: {}; say `Kind/name`", quoted(name), told.join(", ")))
            }
        }
    };
    let mut nodes: Vec<&Named<'_>> = Vec::new();
    let mut asks: Vec<Vec<usize>> = Vec::new();
    for (from, to) in edges {
        for end in [from, to] {
            let object = find(end)?;
            if !nodes.iter().any(|other| std::ptr::eq(*other, object)) {
                nodes.push(object);
                asks.push(Vec::new());
            }
        }
        let place = |end| find(end).map(|object| nodes.iter().position(|other| std::ptr::eq(*other, object)));
        let (Some(from), Some(to)) = (place(from)?, place(to)?) else { unreachable!("both ends were put there") };
        if !asks[to].contains(&from) {
            asks[to].push(from);
        }
    }
    if let Some(cycle) = cycle(&asks) {
        let told: Vec<String> = cycle.iter().chain(cycle.first()).map(|&at| quoted(&nodes[at].name)).collect();
        return Err(format!("these objects ask each other in a circle: {}", told.join(" asks ")));
    }
    let names = distinct(&nodes);
    let roots = asks.iter().filter(|asks| asks.is_empty()).count();
    let mut links = Vec::new();
    for at in in_order(&asks) {
        let object = nodes[at];
        let stamps = Stamps { api: object.api.clone(), kind: object.kind.clone(), object: object.at.node.json() };
        let asked = match asks[at].as_slice() {
            [] if roots == 1 => vec![format!("workload.{}", chain::SOURCE)],
            [] => vec![format!("workload.{}", names[at])],
            others => others.iter().map(|&other| names[other].clone()).collect(),
        };
        let mut link = chain::link(&object.name, &stamps, asked, notes);
        link.name.clone_from(&names[at]);
        link.told = format!("{}, at {}:{}", stamps.told(), object.at.file.name, object.at.line());
        links.push(link);
    }
    Ok(links)
}

/// Names of which no two are the same: those that are get their kind before them.
fn distinct(nodes: &[&Named<'_>]) -> Vec<String> {
    let plain: Vec<String> = nodes.iter().map(|node| scenario_name(&node.name)).collect();
    let twice = |name: &String| plain.iter().filter(|other| *other == name).count() > 1;
    let name = |(node, name): (&&Named<'_>, &String)| {
        if twice(name) { scenario_name(&format!("{}-{name}", node.kind.to_lowercase())) } else { name.clone() }
    };
    nodes.iter().zip(&plain).map(name).collect()
}

/// Whoever is asked before whoever asks.
fn in_order(asks: &[Vec<usize>]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < asks.len() {
        let next = (0..asks.len())
            .find(|at| !order.contains(at) && asks[*at].iter().all(|asked| order.contains(asked)))
            .expect("there is no cycle");
        order.push(next);
    }
    order
}
