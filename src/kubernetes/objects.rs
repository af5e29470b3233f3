//! The objects of the files that are read: Cartographer's by kind, and all others.

use super::template::{KINDS, Template};
use super::yaml::{At, Document, File, Node, Value, YTT};
use crate::scenario::Failure;
use crate::scenario::failure::Place;
use crate::scenario::wording::{meant, quoted};

/// Cartographer's API version.
const CARTOGRAPHER: &str = "carto.run/v1alpha1";

/// A file with its documents.
pub(crate) struct Source {
    pub file: File,
    pub documents: Vec<Document>,
}

/// An object under its name.
#[derive(Clone, Debug)]
pub(crate) struct Named<'a> {
    pub kind: String,
    pub api: String,
    pub name: String,
    pub at: At<'a>,
}

impl Named<'_> {
    /// As a person names it, with where it stands.
    pub fn told(&self) -> String {
        format!("{} {} ({}:{})", self.kind, quoted(&self.name), self.at.file.name, self.at.line())
    }
}

/// Everything that was found.
#[derive(Default)]
pub(crate) struct Objects<'a> {
    pub templates: Vec<Template<'a>>,
    /// `ClusterSupplyChain` and `ClusterDelivery`.
    pub blueprints: Vec<Named<'a>>,
    /// `Workload` and `Deliverable`.
    pub owners: Vec<Named<'a>>,
    pub runnables: Vec<Named<'a>>,
    pub run_templates: Vec<Named<'a>>,
    /// Objects of other APIs.
    pub others: Vec<Named<'a>>,
    /// What is left aside, and why.
    pub ignored: Vec<String>,
}

impl<'a> Objects<'a> {
    /// Sorts the objects of all files.
    pub fn of(sources: &'a [Source]) -> Result<Objects<'a>, Failure> {
        let mut objects = Objects::default();
        for source in sources {
            for document in &source.documents {
                for place in &document.controls {
                    objects.ignored.push(ytt_control(&source.file, place));
                }
                objects.take(At::root(&source.file, &document.root))?;
            }
        }
        Ok(objects)
    }

    fn take(&mut self, at: At<'a>) -> Result<(), Failure> {
        let (Some(api), Some(kind)) = (at.get("apiVersion"), at.get("kind")) else {
            let why = "it has no apiVersion and kind, so it is no object";
            self.ignored.push(format!("{}:{}: {why}", at.file.name, at.line()));
            return Ok(());
        };
        let (api, kind_at, kind) = (api.text()?, kind.clone(), kind.text()?);
        if kind == "List" && api == "v1" {
            return at.need("items", "items:")?.list()?.into_iter().try_for_each(|item| self.take(item));
        }
        let name = name_of(&at.node.clone()).unwrap_or_default();
        let named = Named { kind: kind.clone(), api: api.clone(), name, at: at.clone() };
        if api.split('/').next() != Some("carto.run") {
            self.others.push(named);
            return Ok(());
        }
        if api != CARTOGRAPHER {
            let at = at.get("apiVersion").expect("it was read");
            return Err(at.wrong(
                format!("{} is no version of Cartographer's API that is known here", quoted(&api)),
                format!("known is {CARTOGRAPHER}"),
            ));
        }
        if named.name.is_empty() {
            return Err(at.wrong(format!("this {kind} has no name"), "add `metadata: {name: ...}`"));
        }
        if let Some((known, _)) = KINDS.iter().find(|(known, _)| *known == kind) {
            let template = Template::read(&at, known, named.name.clone())?;
            let same = |other: &&Template<'_>| other.kind == template.kind && other.name == template.name;
            if let Some(first) = self.templates.iter().find(same) {
                return Err(twice(&named, &first.at));
            }
            self.templates.push(template);
            return Ok(());
        }
        let kinds = match kind.as_str() {
            "ClusterSupplyChain" | "ClusterDelivery" => &mut self.blueprints,
            "Workload" | "Deliverable" => &mut self.owners,
            "Runnable" => &mut self.runnables,
            "ClusterRunTemplate" => &mut self.run_templates,
            other => {
                let known = ["ClusterSupplyChain", "ClusterDelivery", "Workload", "Deliverable", "Runnable"];
                let known = known.into_iter().chain(["ClusterRunTemplate"]).chain(KINDS.iter().map(|(kind, _)| *kind));
                let message = format!("{CARTOGRAPHER} has no kind {}", quoted(other));
                return Err(kind_at.wrong_name(message, meant(other, "its kinds", known.collect::<Vec<_>>())));
            }
        };
        let unique = kind.starts_with("Cluster");
        if let Some(first) = kinds.iter().find(|other| unique && other.kind == kind && other.name == named.name) {
            return Err(twice(&named, &first.at));
        }
        kinds.push(named);
        Ok(())
    }

    /// The template of this kind and name.
    pub fn template(&self, kind: &str, name: &str) -> Option<&Template<'a>> {
        self.templates.iter().find(|template| template.kind == kind && template.name == name)
    }
}

/// `metadata.name`, or `generateName`.
fn name_of(node: &Node) -> Option<String> {
    let metadata = node.get("metadata")?;
    let text = |key| match metadata.get(key).map(|node| &node.value) {
        Some(Value::Text(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        // What it will be called does not matter, only that it has a name.
        Some(Value::Ytt(expression)) => Some(format!("{YTT}{expression}")),
        _ => None,
    };
    text("name").or_else(|| text("generateName").map(|name| name.trim_end_matches('-').to_owned()))
}

fn twice(second: &Named<'_>, first: &At<'_>) -> Failure {
    let place = second.at.find(&["metadata", "name"]).unwrap_or_else(|| second.at.clone());
    let first = format!("the first is at {}:{}", first.file.name, first.line());
    place.wrong(format!("there are two of {} {}", second.kind, quoted(&second.name)), first)
}

fn ytt_control(file: &File, place: &Place) -> String {
    let text = file.text.get(place.clone()).unwrap_or_default().trim();
    format!("{}:{}: `{text}` is not evaluated: what stands under it is taken as it is", file.name, file.line(place))
}
