//! A ClusterSupplyChain or ClusterDelivery: its resources in order, each with the template that is meant for this owner, and
//! who gives what to whom.

use serde_json::{Value as Json, json};

use super::objects::{Named, Objects};
use super::reference::{self, InputKind, Use};
use super::selector::Selector;
use super::template::{KINDS, Template};
use super::yaml::At;
use crate::scenario::Failure;
use crate::scenario::wording::{meant, quoted};

/// A resource of a blueprint.
#[derive(Debug)]
pub(crate) struct Resource<'a> {
    pub name: String,
    pub at: At<'a>,
    pub stamped: Stamped<'a>,
    pub inputs: Vec<Input<'a>>,
    pub params: Vec<Param>,
}

/// What becomes of a resource.
#[derive(Debug)]
pub(crate) enum Stamped<'a> {
    /// An object of this template.
    By(&'a Template<'a>),
    /// Nothing: this input is passed on.
    PassThrough(InputKind, String),
}

/// An input: the output of an earlier resource.
#[derive(Debug)]
pub(crate) struct Input<'a> {
    pub kind: InputKind,
    pub name: String,
    /// Whose output it is, by place in the blueprint.
    pub from: usize,
    pub at: At<'a>,
}

/// A parameter that a blueprint gives a value.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub name: String,
    /// Whether the owner cannot set another.
    pub fixed: bool,
    /// What the value refers to.
    pub uses: Vec<Use>,
}

/// Who owns a chain: the workload or deliverable, if one is among the files.
pub(crate) struct Owner<'o, 'a> {
    pub object: Option<&'o Named<'a>>,
    json: Json,
    context: Json,
}

/// A blueprint, read.
pub(crate) struct Blueprint<'a> {
    pub named: Named<'a>,
    pub resources: Vec<Resource<'a>>,
    pub params: Vec<Param>,
}

/// The blueprint of this name, or the only one.
pub(crate) fn choose<'o, 'a>(objects: &'o Objects<'a>, name: Option<&str>) -> Result<Option<&'o Named<'a>>, String> {
    let told = || objects.blueprints.iter().map(Named::told).collect::<Vec<_>>().join(", ");
    match (objects.blueprints.as_slice(), name) {
        (all, Some(name)) => match all.iter().find(|blueprint| blueprint.name == name) {
            Some(blueprint) => Ok(Some(blueprint)),
            None if all.is_empty() => Err(format!("no chain is named {}: there is none at all", quoted(name))),
            None => Err(format!("no chain is named {}; there are {}", quoted(name), told())),
        },
        ([], None) => Ok(None),
        ([only], None) => Ok(Some(only)),
        (_, None) => Err(format!("there are several chains: {}; say which by --chain NAME", told())),
    }
}

impl<'o, 'a> Owner<'o, 'a> {
    /// The owner of this name, or the first that the blueprint selects; notes what is doubtful.
    pub fn of(
        blueprint: &Named<'a>,
        objects: &'o Objects<'a>,
        name: Option<&str>,
        notes: &mut Vec<String>,
    ) -> Result<Owner<'o, 'a>, Failure> {
        let kind = if blueprint.kind == "ClusterDelivery" { "Deliverable" } else { "Workload" };
        let key = kind.to_lowercase();
        let mut selector = Selector::default();
        let spec = blueprint.at.need("spec", "spec:")?;
        if let Some(at) = spec.get("selector") {
            selector.with_labels(&at)?;
        }
        if let Some(at) = spec.get("selectorMatchExpressions") {
            selector.with_expressions(&at)?;
        }
        if let Some(at) = spec.get("selectorMatchFields") {
            selector.with_fields(&at)?;
        }
        let of = |object: Option<&'o Named<'a>>| {
            let json = object.map_or(Json::Null, |object| object.at.node.json());
            Owner { object, context: json!({ key.as_str(): json }), json }
        };
        let all = || objects.owners.iter().filter(|owner| owner.kind == kind);
        let selected = |owner: &&Named<'a>| {
            let of = of(objects.owners.iter().find(|other| other.at.node == owner.at.node));
            selector.holds(&of.json, &of.context) != Some(false)
        };
        if let Some(name) = name {
            if let Some(owner) = all().find(|owner| owner.name == name) {
                return Ok(of(Some(owner)));
            }
            let names: Vec<&str> = all().map(|owner| owner.name.as_str()).collect();
            let help = meant(name, "there are", names);
            return Err(blueprint.at.wrong_name(format!("no {kind} is named {}", quoted(name)), help));
        }
        let mut matching = all().filter(selected);
        let first = matching.next();
        match (first, matching.next()) {
            (Some(first), Some(_)) => {
                let taken = first.told();
                notes.push(format!("several of {kind} fit; taken is {taken}: say which by --owner NAME"));
            }
            (None, _) if all().next().is_some() => {
                notes.push(format!("no {kind} fits the selector of {}: it is read without one", blueprint.told()));
            }
            _ => {}
        }
        Ok(of(first))
    }

    /// Whether the owner sets this parameter; none if there is no owner.
    pub fn sets(&self, param: &str) -> Option<bool> {
        self.object?;
        let params = self.json["spec"]["params"].as_array();
        Some(params.is_some_and(|params| params.iter().any(|item| item["name"] == param)))
    }
}

impl<'a> Blueprint<'a> {
    /// Reads a blueprint for an owner.
    pub fn read(
        named: &Named<'a>,
        objects: &'a Objects<'a>,
        owner: &Owner<'_, 'a>,
        notes: &mut Vec<String>,
    ) -> Result<Blueprint<'a>, Failure> {
        let spec = named.at.need("spec", "spec:")?;
        let rows = spec.need("resources", "resources:")?;
        let list = rows.list()?;
        if list.is_empty() {
            return Err(rows.wrong("this chain has no resources", "list at least one"));
        }
        let mut names: Vec<String> = Vec::new();
        for at in &list {
            let name = at.need("name", "name: image-builder")?;
            let text = name.text()?;
            if let Some(first) = names.iter().position(|other| *other == text) {
                let first = format!("the first is at line {}", list[first].line());
                return Err(name.wrong(format!("two resources are named {}", quoted(&text)), first));
            }
            names.push(text);
        }
        acyclic(&list, &names)?;
        let mut resources: Vec<Resource<'a>> = Vec::new();
        for (at, name) in list.iter().zip(&names) {
            let inputs = inputs(at, &names, &resources)?;
            let stamped = stamped(at, &inputs, objects, owner, notes)?;
            resources.push(Resource { name: name.clone(), at: at.clone(), stamped, inputs, params: params(at)? });
        }
        Ok(Blueprint { named: named.clone(), resources, params: params(&spec)? })
    }

    /// Who makes what a resource puts out: itself, or whoever it passes on.
    pub fn maker(&self, mut at: usize) -> usize {
        while let Stamped::PassThrough(kind, name) = &self.resources[at].stamped {
            let inputs = &self.resources[at].inputs;
            let input = inputs.iter().find(|input| input.kind == *kind && input.name == *name);
            at = input.expect("it was looked for when it was read").from;
        }
        at
    }
}

fn input_rows<'a>(at: &At<'a>) -> Result<Vec<(InputKind, At<'a>)>, Failure> {
    let mut rows = Vec::new();
    for kind in InputKind::ALL {
        match (kind, at.get(kind.key())) {
            (_, None) => {}
            (InputKind::Deployment, Some(row)) => rows.push((kind, row)),
            (_, Some(list)) => rows.extend(list.list()?.into_iter().map(|row| (kind, row))),
        }
    }
    Ok(rows)
}

fn inputs<'a>(at: &At<'a>, names: &[String], before: &[Resource<'a>]) -> Result<Vec<Input<'a>>, Failure> {
    let mut inputs = Vec::new();
    for (kind, row) in input_rows(at)? {
        let resource = row.need("resource", "resource: source-provider")?;
        let of = resource.text()?;
        let Some(from) = names.iter().position(|name| *name == of) else {
            let help = meant(&of, "the resources", names.iter().map(String::as_str));
            return Err(resource.wrong_name(format!("no resource is named {}", quoted(&of)), help));
        };
        if from >= before.len() {
            let own = &names[before.len()];
            return Err(resource.wrong(
                format!("{} comes later than {}, which asks it", quoted(&of), quoted(own)),
                format!("move {} above {}: Cartographer goes through the resources in order", quoted(&of), quoted(own)),
            ));
        }
        let given = before[from].at.find(&["templateRef", "kind"]).map(|at| at.text()).transpose()?.unwrap_or_default();
        if !kind.templates().contains(&given.as_str()) {
            let wanted = kind.templates().join(" or ");
            let message = format!("{} is made by a {given}, and {} want a {wanted}", quoted(&of), kind.key());
            return Err(resource.wrong(message, "list it under the key of its kind"));
        }
        let name =
            if kind == InputKind::Deployment { String::new() } else { row.need("name", "name: source")?.text()? };
        inputs.push(Input { kind, name, from, at: row });
    }
    Ok(inputs)
}

/// Spells out a cycle, if there is one.
fn acyclic(list: &[At<'_>], names: &[String]) -> Result<(), Failure> {
    let mut asks: Vec<Vec<usize>> = Vec::new();
    for at in list {
        let mut of = Vec::new();
        for (_, row) in input_rows(at)? {
            if let Some(name) = row.get("resource").map(|at| at.text()).transpose()? {
                of.extend(names.iter().position(|other| *other == name));
            }
        }
        asks.push(of);
    }
    if let Some(cycle) = cycle(&asks) {
        let told: Vec<String> = cycle.iter().chain(cycle.first()).map(|&at| quoted(&names[at])).collect();
        return Err(
            list[cycle[0]].wrong(format!("these ask each other in a circle: {}", told.join(" asks ")), "break it")
        );
    }
    Ok(())
}

/// The first cycle of a graph.
pub(crate) fn cycle(asks: &[Vec<usize>]) -> Option<Vec<usize>> {
    // 0 not seen, 1 on the way, 2 done.
    let mut seen = vec![0_u8; asks.len()];
    for start in 0..asks.len() {
        let mut way: Vec<(usize, usize)> = Vec::new();
        if seen[start] == 0 {
            seen[start] = 1;
            way.push((start, 0));
        }
        while let Some((at, next)) = way.last_mut() {
            let Some(&to) = asks[*at].get(*next) else {
                seen[*at] = 2;
                way.pop();
                continue;
            };
            *next += 1;
            match seen[to] {
                0 => {
                    seen[to] = 1;
                    way.push((to, 0));
                }
                1 => {
                    let from = way.iter().position(|&(at, _)| at == to)?;
                    return Some(way[from..].iter().map(|&(at, _)| at).collect());
                }
                _ => {}
            }
        }
    }
    None
}

/// Parameters with their values.
fn params(at: &At<'_>) -> Result<Vec<Param>, Failure> {
    let Some(list) = at.get("params") else { return Ok(Vec::new()) };
    let read = |at: &At<'_>| {
        let name = at.need("name", "name: image_prefix")?.text()?;
        // A value that ytt computes is null here, and still a value.
        let (value, default) = (at.node.get("value"), at.node.get("default"));
        let uses = match at.get("value").or_else(|| at.get("default")) {
            None => Vec::new(),
            Some(value) => reference::in_texts(&value)?,
        };
        match (value, default) {
            (None, None) => Err(at.wrong("this param has neither `value` nor `default`", "give it one of the two")),
            (Some(_), Some(_)) => Err(at.wrong("this param has both `value` and `default`", "keep one of the two")),
            (value, _) => Ok(Param { name, fixed: value.is_some(), uses }),
        }
    };
    list.list()?.iter().map(read).collect()
}

fn stamped<'a>(
    at: &At<'a>,
    inputs: &[Input<'a>],
    objects: &'a Objects<'a>,
    owner: &Owner<'_, 'a>,
    notes: &mut Vec<String>,
) -> Result<Stamped<'a>, Failure> {
    let reference = at.need("templateRef", "templateRef: {kind: ClusterImageTemplate, name: image}")?;
    let kind = reference.need("kind", "kind: ClusterImageTemplate")?.one_of(&KINDS.map(|(kind, _)| kind))?;
    match (reference.get("name"), reference.get("options")) {
        (Some(_), Some(options)) => Err(options.wrong("there are both `name` and `options`", "keep one of the two")),
        (None, None) => Err(reference.wrong("this names no template", "add `name:` or `options:`")),
        (Some(name), None) => named(&name, kind, objects).map(Stamped::By),
        (None, Some(options)) => {
            let chosen = option(&options, owner, notes)?;
            match (chosen.get("name"), chosen.get("passThrough")) {
                (Some(name), None) => named(&name, kind, objects).map(Stamped::By),
                (None, Some(name)) => {
                    let text = name.text()?;
                    let fits = |input: &&Input<'_>| input.name == text && input.kind.templates().contains(&kind);
                    match inputs.iter().find(fits) {
                        Some(input) => Ok(Stamped::PassThrough(input.kind, text)),
                        None => {
                            let names = inputs.iter().map(|input| input.name.as_str());
                            let help = meant(&text, "its inputs", names.collect::<Vec<_>>());
                            Err(name.wrong_name(format!("no input of this kind is named {}", quoted(&text)), help))
                        }
                    }
                }
                _ => Err(chosen
                    .wrong("an option names a template or passes an input through", "say `name:` or `passThrough:`")),
            }
        }
    }
}

fn named<'a>(at: &At<'a>, kind: &str, objects: &'a Objects<'a>) -> Result<&'a Template<'a>, Failure> {
    let name = at.text()?;
    objects.template(kind, &name).ok_or_else(|| {
        if let Some(other) = objects.templates.iter().find(|template| template.name == name) {
            return at.wrong(
                format!("no {kind} is named {}, but a {} is", quoted(&name), other.kind),
                format!("it is at {}:{}", other.at.file.name, other.at.line()),
            );
        }
        let names = objects.templates.iter().filter(|template| template.kind == kind);
        let names: Vec<&str> = names.map(|template| template.name.as_str()).collect();
        let help = match names.as_slice() {
            [] => vec![format!("the files read have no {kind} at all")],
            _ => meant(&name, "there are", names),
        };
        at.wrong_name(format!("no {kind} is named {}", quoted(&name)), help)
    })
}

/// The option that is meant for the owner.
fn option<'a>(options: &At<'a>, owner: &Owner<'_, 'a>, notes: &mut Vec<String>) -> Result<At<'a>, Failure> {
    let rows = options.list()?;
    let mut selectors: Vec<Selector> = Vec::new();
    for row in &rows {
        let at = row.need("selector", "selector: {matchFields: [...]}")?;
        let selector = Selector::read(&at)?;
        if let Some(first) = selectors.iter().position(|other| *other == selector) {
            let first = format!("it is that of the option at line {}", rows[first].line());
            return Err(at.wrong("this selector matches whatever another one matches", first));
        }
        selectors.push(selector);
    }
    let told = |row: &At<'_>| {
        let word = |key: &str| row.get(key).and_then(|at| at.text().ok());
        word("name").or_else(|| word("passThrough").map(|input| format!("pass {input} through"))).unwrap_or_default()
    };
    let first =
        || rows.first().cloned().ok_or_else(|| options.wrong("there are no options", "a list wants at least two"));
    let Some(object) = owner.object else {
        let taken = first()?;
        let all: Vec<String> = rows.iter().map(told).collect();
        notes.push(format!(
            "which option of {} is taken depends on the workload, and none was read: taken is the first of {}",
            options.path,
            all.join(", ")
        ));
        return Ok(taken);
    };
    let answers: Vec<Option<bool>> = selectors.iter().map(|it| it.holds(&owner.json, &owner.context)).collect();
    let matching: Vec<usize> = (0..rows.len()).filter(|&at| answers[at] == Some(true)).collect();
    match matching.as_slice() {
        [one] => Ok(rows[*one].clone()),
        [a, b, ..] => Err(rows[*b].wrong(
            format!("two options match {}: {} and {}", object.told(), told(&rows[*a]), told(&rows[*b])),
            "exactly one option may match a workload: make their selectors exclude each other",
        )),
        [] => match answers.iter().position(Option::is_none) {
            Some(unknown) => {
                notes.push(format!(
                    "whether option {} of {} matches depends on a value that ytt computes: it is taken",
                    told(&rows[unknown]),
                    options.path
                ));
                Ok(rows[unknown].clone())
            }
            None => Err(options.wrong(
                format!("no option matches {}", object.told()),
                "exactly one option must match: add one, or read another workload by --owner NAME",
            )),
        },
    }
}
