//! What a template refers to: `$(workload.spec.source.git.url)$` in its texts, `data.values.workload.spec...` in ytt.

use super::jsonpath::Path;
use super::yaml::{At, Node, Value};
use crate::scenario::Failure;
use crate::scenario::failure::Place;
use crate::scenario::wording::{helped, meant, quoted};

/// Something outside a template that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// A field of the workload or deliverable, by its path.
    Owner(Vec<String>),
    /// A parameter.
    Param(String),
    /// An input of this kind, by name; without one, the only input of that kind.
    Input(InputKind, Option<String>),
    /// The Runnable that a run template is stamped for.
    Runnable,
    /// The object that a Runnable selects.
    Selected,
}

/// A kind of input of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    Source,
    Image,
    Config,
    Deployment,
}

impl InputKind {
    pub const ALL: [InputKind; 4] = [InputKind::Source, InputKind::Image, InputKind::Config, InputKind::Deployment];

    /// The key of a resource that lists such inputs.
    pub fn key(self) -> &'static str {
        match self {
            InputKind::Source => "sources",
            InputKind::Image => "images",
            InputKind::Config => "configs",
            InputKind::Deployment => "deployment",
        }
    }

    /// The kinds of template whose output it takes.
    pub fn templates(self) -> &'static [&'static str] {
        match self {
            InputKind::Source | InputKind::Deployment => &["ClusterSourceTemplate", "ClusterDeploymentTemplate"],
            InputKind::Image => &["ClusterImageTemplate"],
            InputKind::Config => &["ClusterConfigTemplate"],
        }
    }
}

/// A reference, and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub reference: Reference,
    pub place: Place,
    /// The path in the document to the value that it stands in.
    pub path: String,
}

/// What may stand first in an interpolation.
const ROOTS: [&str; 12] = [
    "workload",
    "deliverable",
    "params",
    "sources",
    "source",
    "images",
    "image",
    "configs",
    "config",
    "deployment",
    "runnable",
    "selected",
];

/// The reference that begins with these fields.
fn reference(fields: &[String]) -> Option<Reference> {
    let name = || fields.get(1).cloned();
    Some(match fields.first()?.as_str() {
        "workload" | "deliverable" => Reference::Owner(fields[1..].to_vec()),
        "params" => Reference::Param(name()?),
        "sources" => Reference::Input(InputKind::Source, Some(name()?)),
        "source" => Reference::Input(InputKind::Source, None),
        "images" => Reference::Input(InputKind::Image, Some(name()?)),
        "image" => Reference::Input(InputKind::Image, None),
        "configs" => Reference::Input(InputKind::Config, Some(name()?)),
        "config" => Reference::Input(InputKind::Config, None),
        "deployment" => Reference::Input(InputKind::Deployment, None),
        "runnable" => Reference::Runnable,
        "selected" => Reference::Selected,
        _ => return None,
    })
}

/// Every reference in the texts of a value.
pub(crate) fn in_texts(at: &At<'_>) -> Result<Vec<Use>, Failure> {
    let mut texts: Vec<(&Node, &str)> = Vec::new();
    at.node.texts(&mut |node, text| {
        if matches!(node.value, Value::Text(_)) {
            texts.push((node, text));
        }
    });
    let mut uses = Vec::new();
    for (node, text) in texts {
        for inner in interpolations(text) {
            let here = place_of(at, node, inner);
            let fields: Vec<String> = match Path::parse(inner) {
                Ok(path) => path.fields().map(str::to_owned).collect(),
                Err(wrong) => {
                    let message = format!("this interpolation is wrong: {}", wrong.message);
                    let help = "as in `$(workload.spec.source.git.url)$`";
                    return Err(at.file.failure(at.mistake_at(here, message).help(help)));
                }
            };
            let Some(reference) = reference(&fields) else {
                let first = fields.first().map_or("", String::as_str);
                let mistake = at.mistake_at(here, format!("nothing is named {} in a template", quoted(first)));
                return Err(at.file.failure(helped(mistake, meant(first, "there are", ROOTS))));
            };
            uses.push(Use { reference, place: here, path: at.path.clone() });
        }
    }
    Ok(uses)
}

/// What stands between each `$(` and its `)$`.
fn interpolations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(from) = rest.find("$(") {
        rest = &rest[from + 2..];
        let Some(to) = rest.find(")$") else { break };
        found.push(&rest[..to]);
        rest = &rest[to + 2..];
    }
    found
}

/// Where a part of a text stands in the file: where it is written as it reads, else the whole text.
fn place_of(at: &At<'_>, node: &Node, part: &str) -> Place {
    let written = at.file.text.get(node.place.clone()).unwrap_or_default();
    match written.find(part) {
        Some(from) => node.place.start + from..node.place.start + from + part.len(),
        None => node.place.clone(),
    }
}

/// Every reference in the text of a ytt template, and whether there are some that cannot be told.
pub(crate) fn in_ytt(text: &str, place: &Place, path: &str) -> (Vec<Use>, bool) {
    let (mut uses, mut unclear) = (Vec::new(), false);
    for (from, _) in text.match_indices("data.values") {
        let fields = ytt_fields(&text[from + "data.values".len()..]);
        match reference(&fields) {
            Some(reference) => uses.push(Use { reference, place: place.clone(), path: path.to_owned() }),
            None => unclear = true,
        }
    }
    (uses, unclear)
}

/// The plain fields of `.a.b["c"]`, up to whatever is none.
fn ytt_fields(mut rest: &str) -> Vec<String> {
    let mut fields = Vec::new();
    loop {
        let (name, after) = if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(after.len());
            (&after[..end], &after[end..])
        } else if let Some(after) = rest.strip_prefix('[') {
            let Some((inner, after)) = after.split_once(']') else { break };
            let quoted = ['"', '\''].iter().find_map(|&quote| inner.trim().strip_prefix(quote)?.strip_suffix(quote));
            let Some(name) = quoted else { break };
            (name, after)
        } else {
            break;
        };
        if name.is_empty() {
            break;
        }
        fields.push(name.to_owned());
        rest = after;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolations_are_found_side_by_side() {
        assert_eq!(
            interpolations("$(params.prefix)$$(workload.metadata.name)$"),
            ["params.prefix", "workload.metadata.name"]
        );
        assert_eq!(interpolations("cost $(5) and $(a)$ and $(b"), ["5) and $(a"]);
    }

    #[test]
    fn ytt_is_read_as_far_as_plain_fields_go() {
        let (uses, unclear) = in_ytt(
            "a: #@ data.values.workload.spec.source\nb: #@ data.values[\"params\"][\"x\"]\nc: #@ data.values[key]\n",
            &(0..0),
            "spec.ytt",
        );
        let references: Vec<_> = uses.into_iter().map(|found| found.reference).collect();
        let owner = Reference::Owner(vec!["spec".into(), "source".into()]);
        assert_eq!(references, [owner, Reference::Param("x".into())]);
        assert!(unclear);
    }
}
