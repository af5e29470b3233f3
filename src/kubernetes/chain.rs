//! A chain of objects as a scenario's oracles: what each asks, and what it is like.

use serde_json::Value as Json;

use super::blueprint::{Blueprint, Owner, Resource, Stamped};
use super::jsonpath::Path;
use super::objects::{Named, Objects};
use super::readings::{RuleRow, rules};
use super::reference::{InputKind, Reference, Use};
use super::template::{Stamps, Template};
use super::yaml::At;
use crate::catalogue::{self, Profile};
use crate::scenario::failure::Mistake;
use crate::scenario::wording::quoted;
use crate::scenario::{Failure, parse_duration};

/// One oracle of the chain.
#[derive(Debug)]
pub(crate) struct Link {
    pub name: String,
    /// What it is, for a comment.
    pub told: String,
    pub profile: Option<&'static Profile>,
    /// Its inputs, as a scenario names them.
    pub asks: Vec<String>,
    /// Settings that its template or its object gives, as TOML, each with the reason.
    pub settings: Vec<(&'static str, String, String)>,
    pub rules: Vec<RuleRow>,
}

/// The field whose changes a scenario makes up a stream of.
pub(crate) const SOURCE: &str = "source";

/// The oracles of a blueprint.
pub(crate) fn links<'a>(
    blueprint: &Blueprint<'a>,
    objects: &'a Objects<'a>,
    owner: &Owner<'_, 'a>,
    notes: &mut Vec<String>,
) -> Result<Vec<Link>, Failure> {
    let mut links = Vec::new();
    for resource in &blueprint.resources {
        let template = match &resource.stamped {
            Stamped::By(template) => *template,
            Stamped::PassThrough(_, input) => {
                notes.push(format!("{} stamps nothing: it passes {} through", quoted(&resource.name), quoted(input)));
                continue;
            }
        };
        let asks = asks(blueprint, resource, template, owner, notes)?;
        let mut link = link(&resource.name, &template.stamps, asks, notes);
        link.told = format!("{}, by {} {}", template.stamps.told(), template.kind, quoted(&template.name));
        for unclear in &template.unclear {
            notes.push(format!("{}: {unclear}", quoted(&resource.name)));
        }
        let run = run_template(template, objects)?;
        if let Some(run) = &run {
            run.note(template, &resource.name, &mut link, notes);
        }
        rules(template, run.as_ref(), &mut link, notes);
        links.push(link);
    }
    Ok(links)
}

/// An oracle for an object, with what its kind and its spec tell.
pub(crate) fn link(name: &str, stamps: &Stamps, asks: Vec<String>, notes: &mut Vec<String>) -> Link {
    let profile = catalogue::profile_of(&stamps.api, &stamps.kind).filter(|profile| {
        profile.only.as_ref().is_none_or(|only| {
            let path = Path::parse(&only.path).expect("a test reads the catalogue's paths");
            path.one(&stamps.object).ok().flatten().and_then(Json::as_str) == Some(&only.value)
        })
    });
    if profile.is_none() {
        notes.push(format!(
            "{}: the catalogue has no {}; it is taken for well-behaved, answering at once, and its rule to read that: look at \
             `acknowledges`, `while_working`, `on_new_question`, `retention`, `work` and `health`",
            quoted(name),
            stamps.told()
        ));
    }
    let mut settings = Vec::new();
    if let Some(polls) = profile.and_then(|profile| profile.polls.as_ref()) {
        let path = Path::parse(polls).expect("a test reads the catalogue's paths");
        let interval = path.one(&stamps.object).ok().flatten().and_then(Json::as_str);
        if let Some(span) = interval.and_then(|text| parse_duration(text).ok()).filter(|span| span.0 > 0) {
            let value = format!("{{ uniform = [\"0s\", \"{span}\"] }}");
            settings.push(("notice", value, format!("{polls} of the object: something new is seen at the next poll")));
        }
    }
    Link { name: scenario_name(name), told: stamps.told(), profile, asks, settings, rules: Vec::new() }
}

/// A name as scenarios allow it.
pub(crate) fn scenario_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let name: String = name.chars().map(plain).take(63).collect();
    let trimmed = name.trim_start_matches(['-', '_']);
    if trimmed.is_empty() { "unnamed".to_owned() } else { trimmed.to_owned() }
}

/// The workload's field that a path into the owner belongs to; none for what never changes.
pub(crate) fn field(path: &[String]) -> Option<String> {
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    match parts.as_slice() {
        ["spec", field, ..] => Some(scenario_name(field)),
        ["spec"] | [] => Some("spec".into()),
        ["metadata", field @ ("labels" | "annotations"), ..] => Some((*field).to_owned()),
        _ => None,
    }
}

/// What the resource's object asks: the workload's fields, and the makers of the inputs that its template uses.
fn asks<'a>(
    blueprint: &Blueprint<'a>,
    resource: &Resource<'a>,
    template: &Template<'a>,
    owner: &Owner<'_, 'a>,
    notes: &mut Vec<String>,
) -> Result<Vec<String>, Failure> {
    let mut asks = Vec::new();
    let mut used = vec![false; resource.inputs.len()];
    let mut pending: Vec<(Use, Option<&At<'a>>)> =
        template.uses.iter().map(|found| (found.clone(), Some(&template.at))).collect();
    // A deployment puts out what it was given, whether or not its template mentions it.
    let deployment = resource.inputs.iter().position(|input| input.kind == InputKind::Deployment);
    if let Some(at) = deployment.filter(|_| template.kind == "ClusterDeploymentTemplate") {
        used[at] = true;
        add(&mut asks, &scenario_name(&blueprint.resources[blueprint.maker(resource.inputs[at].from)].name));
    }
    while let Some((found, stands)) = pending.pop() {
        let wrong = |message: String, help: String| match stands {
            Some(at) => at.file.failure(Mistake::at(found.place.clone(), message).label(&found.path).help(help)),
            None => resource.at.wrong(message, help),
        };
        match &found.reference {
            Reference::Owner(path) => {
                if let Some(field) = field(path) {
                    add(&mut asks, &format!("workload.{field}"));
                }
            }
            Reference::Input(kind, name) => {
                let of_kind: Vec<usize> =
                    (0..resource.inputs.len()).filter(|&at| resource.inputs[at].kind == *kind).collect();
                let given = match name {
                    Some(name) => of_kind.iter().copied().find(|&at| resource.inputs[at].name == *name),
                    None if of_kind.len() > 1 => {
                        let message = format!(
                            "{} gets several {}, and this does not say which",
                            quoted(&resource.name),
                            kind.key()
                        );
                        return Err(wrong(message, format!("name it, as in `$({}.NAME...)$`", kind.key())));
                    }
                    None => of_kind.first().copied(),
                };
                let Some(at) = given else {
                    let what =
                        name.as_ref().map_or_else(|| kind.key().to_owned(), |name| format!("{}.{name}", kind.key()));
                    return Err(wrong(
                        format!("the template wants {what}, which resource {} does not get", quoted(&resource.name)),
                        format!(
                            "list it under `{}` of the resource at {}:{}",
                            kind.key(),
                            resource.at.file.name,
                            resource.at.line()
                        ),
                    ));
                };
                used[at] = true;
                let maker = blueprint.maker(resource.inputs[at].from);
                add(&mut asks, &scenario_name(&blueprint.resources[maker].name));
            }
            Reference::Param(name) => {
                let given = resource.params.iter().chain(&blueprint.params).find(|param| param.name == *name);
                if let Some(param) = given {
                    pending.extend(param.uses.iter().map(|found| (found.clone(), None)));
                }
                let may_be_set = given.is_none_or(|param| !param.fixed);
                let has_default = given.is_some() || template.params.contains(name);
                match owner.sets(name) {
                    Some(true) if may_be_set => add(&mut asks, "workload.params"),
                    Some(false) if !has_default => {
                        return Err(wrong(
                            format!("nobody gives param {} a value", quoted(name)),
                            "set it in the resource, the chain, the template's `params` or the workload".into(),
                        ));
                    }
                    None if !has_default => add(&mut asks, "workload.params"),
                    _ => {}
                }
            }
            // What a run template refers to is given by the Runnable.
            Reference::Runnable | Reference::Selected => {}
        }
    }
    for (input, _) in resource.inputs.iter().zip(&used).filter(|(_, used)| !**used) {
        notes.push(format!(
            "{}: its template does not use {} {}, so that changes of it are not asked again ({}:{})",
            quoted(&resource.name),
            input.kind.key(),
            quoted(&input.name),
            input.at.file.name,
            input.at.line()
        ));
    }
    if asks.is_empty() {
        // It is stamped once and never asked again.
        asks.push("workload.name".into());
    }
    asks.sort_by_key(|ask| !ask.starts_with("workload."));
    Ok(asks)
}

fn add(asks: &mut Vec<String>, ask: &str) {
    if asks.iter().all(|other| other != ask) {
        asks.push(ask.to_owned());
    }
}

/// The run template of a Runnable.
pub(crate) struct Run {
    name: String,
    stamps: Stamps,
    /// The names of what it puts out.
    pub outputs: Vec<String>,
}

fn run_template(template: &Template<'_>, objects: &Objects<'_>) -> Result<Option<Run>, Failure> {
    if template.stamps.kind != "Runnable" || !template.stamps.api.starts_with("carto.run/") {
        return Ok(None);
    }
    let Some(at) = template.at.find(&["spec", "template", "spec", "runTemplateRef", "name"]) else { return Ok(None) };
    run_named(&at, &at.text()?, objects).map(Some)
}

fn run_named(at: &At<'_>, name: &str, objects: &Objects<'_>) -> Result<Run, Failure> {
    let Some(found) = objects.run_templates.iter().find(|run| run.name == name) else {
        let names: Vec<&str> = objects.run_templates.iter().map(|run| run.name.as_str()).collect();
        let help = if names.is_empty() {
            "the files read have none".to_owned()
        } else {
            format!("there are {}", names.join(", "))
        };
        return Err(at.wrong(format!("no ClusterRunTemplate is named {}", quoted(name)), help));
    };
    read_run(found)
}

fn read_run(found: &Named<'_>) -> Result<Run, Failure> {
    let spec = found.at.need("spec", "spec:")?;
    let object = spec.need("template", "template:")?;
    super::reference::in_texts(&object)?;
    let mut outputs = Vec::new();
    if let Some(listed) = spec.get("outputs") {
        for (entry, value) in listed.entries()? {
            super::selector::path(&value)?;
            outputs.push(entry.key.clone());
        }
    }
    Ok(Run { name: found.name.clone(), stamps: Stamps::read(&object)?, outputs })
}

impl Run {
    /// What the Runnable of a template takes over from what it runs.
    fn note(&self, template: &Template<'_>, resource: &str, link: &mut Link, notes: &mut Vec<String>) {
        self.lasts(link);
        for path in &template.outputs {
            let fields: Vec<&str> = path.fields().collect();
            if let ["status", "outputs", name, ..] = fields.as_slice()
                && !self.outputs.iter().any(|output| output == name)
            {
                notes.push(format!(
                    "{}: its template reads status.outputs.{name}, and ClusterRunTemplate {} has no such output",
                    quoted(resource),
                    quoted(&self.name)
                ));
            }
        }
    }

    fn lasts(&self, link: &mut Link) {
        let profile = catalogue::profile_of(&self.stamps.api, &self.stamps.kind);
        let work = profile.and_then(|profile| profile.settings.iter().find(|setting| setting.key == "work"));
        if let Some(work) = work {
            link.settings.push((
                "work",
                work.value.clone(),
                format!("typical of a {}, not measured", self.stamps.kind),
            ));
        }
    }
}

/// A Runnable without a chain is a chain of one.
pub(crate) fn runnable(named: &Named<'_>, objects: &Objects<'_>, notes: &mut Vec<String>) -> Result<Link, Failure> {
    let reference = named.at.need("spec", "spec:")?.need("runTemplateRef", "runTemplateRef: {name: test}")?;
    let name = reference.need("name", "name: test")?;
    let run = run_named(&name, &name.text()?, objects)?;
    let stamps = Stamps { api: named.api.clone(), kind: named.kind.clone(), object: named.at.node.json() };
    let mut link = link(&named.name, &stamps, vec!["workload.inputs".into()], notes);
    run.lasts(&mut link);
    link.told = format!("Runnable of ClusterRunTemplate {}", quoted(&run.name));
    Ok(link)
}
