//! Cartographer's templates (`carto.run/v1alpha1`): what object they stamp, what they refer to, where its output is, and how
//! they tell its health.

use serde_json::Value as Json;

use super::health::{HealthRule, Rule};
use super::jsonpath::Path;
use super::reference::{self, Use};
use super::selector::path;
use super::yaml::{self, At, Value};
use crate::scenario::Failure;
use crate::scenario::wording::quoted;

/// The kinds of template a resource may name, each with the paths of its output.
pub(crate) const KINDS: [(&str, &[&str]); 5] = [
    ("ClusterSourceTemplate", &["urlPath", "revisionPath"]),
    ("ClusterImageTemplate", &["imagePath"]),
    ("ClusterConfigTemplate", &["configPath"]),
    ("ClusterDeploymentTemplate", &[]),
    ("ClusterTemplate", &[]),
];

/// A template.
#[derive(Clone, Debug)]
pub(crate) struct Template<'a> {
    pub kind: &'static str,
    pub name: String,
    pub at: At<'a>,
    pub stamps: Stamps,
    pub uses: Vec<Use>,
    /// Parameters that it has a default for.
    pub params: Vec<String>,
    pub outputs: Vec<Path>,
    /// `healthRule`, or what stands for it.
    pub rule: HealthRule,
    /// `artifactTracing.healthRule`.
    pub tracing: Option<HealthRule>,
    /// `observedCompletion` or `observedMatches`: the output is read only when it is met.
    pub gate: Option<Rule>,
    pub lifecycle: Lifecycle,
    /// What could not be told.
    pub unclear: Vec<String>,
}

/// What an object's template makes of a new spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    Mutable,
    Immutable,
    Tekton,
}

/// The object that a template stamps.
#[derive(Clone, Debug)]
pub(crate) struct Stamps {
    pub api: String,
    pub kind: String,
    /// The object, as far as it is known.
    pub object: Json,
}

impl Stamps {
    /// The object in a template's `template`.
    pub fn read(at: &At<'_>) -> Result<Stamps, Failure> {
        let api = at.need("apiVersion", "apiVersion: kpack.io/v1alpha2")?.text()?;
        let kind = at.need("kind", "kind: Image")?.text()?;
        Ok(Stamps { api, kind, object: at.node.json() })
    }

    fn unknown() -> Stamps {
        Stamps { api: String::new(), kind: String::new(), object: Json::Null }
    }

    /// As a person names it.
    pub fn told(&self) -> String {
        if self.kind.is_empty() {
            "an object of a kind that only ytt knows".into()
        } else {
            format!("{} ({})", self.kind, self.api)
        }
    }
}

impl<'a> Template<'a> {
    /// Reads a template of a known kind.
    pub fn read(at: &At<'a>, kind: &'static str, name: String) -> Result<Template<'a>, Failure> {
        let spec = at.need("spec", "spec:")?;
        let (_, output_paths) = KINDS.iter().find(|(known, _)| *known == kind).expect("a kind of template");
        let mut unclear = Vec::new();
        let (stamps, uses) = match (spec.get("template"), spec.get("ytt")) {
            (Some(_), Some(ytt)) => {
                return Err(ytt.wrong("there are both `template` and `ytt`", "a template has one of the two"));
            }
            (None, None) => {
                return Err(
                    spec.wrong("this template stamps nothing", "it wants `template:` with an object, or `ytt:`")
                );
            }
            (Some(object), None) => (Stamps::read(&object)?, reference::in_texts(&object)?),
            (None, Some(ytt)) => ytt_template(&ytt, &mut unclear)?,
        };
        let outputs = output_paths
            .iter()
            .map(|key| path(&spec.need(key, &format!("{key}: .status.output"))?))
            .collect::<Result<Vec<_>, _>>()?;
        let lifecycle = match spec.get("lifecycle") {
            None => Lifecycle::Mutable,
            Some(word) => match word.one_of(&["mutable", "immutable", "tekton"])? {
                "immutable" => Lifecycle::Immutable,
                "tekton" => Lifecycle::Tekton,
                _ => Lifecycle::Mutable,
            },
        };
        let gate = gate(&spec, kind)?;
        let given = spec.get("healthRule").map(|rule| HealthRule::read(&rule)).transpose()?;
        let rule =
            given.unwrap_or_else(|| HealthRule { rule: default_rule(kind, lifecycle, gate.as_ref()), observed: None });
        let tracing = match spec.find(&["artifactTracing", "healthRule"]) {
            None => None,
            Some(rule) => Some(HealthRule::read(&rule)?),
        };
        let params = match spec.get("params") {
            None => Vec::new(),
            Some(params) => names_of(&params)?,
        };
        Ok(Template {
            kind,
            name,
            at: at.clone(),
            stamps,
            uses,
            params,
            outputs,
            rule,
            tracing,
            gate,
            lifecycle,
            unclear,
        })
    }

    /// The rule that the choreographer goes by.
    pub fn ruling(&self) -> &HealthRule {
        self.tracing.as_ref().unwrap_or(&self.rule)
    }
}

/// How Cartographer tells the health of an object whose template has no rule: a ClusterTemplate has no output to wait for.
fn default_rule(kind: &str, lifecycle: Lifecycle, gate: Option<&Rule>) -> Rule {
    match (kind, lifecycle, gate) {
        (_, Lifecycle::Tekton, _) => Rule::Condition("Succeeded".into()),
        (_, _, Some(gate)) => gate.clone(),
        ("ClusterTemplate", ..) => Rule::Always,
        _ => Rule::Outputs,
    }
}

/// The names in a list of parameters.
pub(crate) fn names_of(list: &At<'_>) -> Result<Vec<String>, Failure> {
    list.list()?.iter().map(|item| item.need("name", "name: prefix")?.text()).collect()
}

fn gate(spec: &At<'_>, kind: &str) -> Result<Option<Rule>, Failure> {
    let (completion, matches) = (spec.get("observedCompletion"), spec.get("observedMatches"));
    if kind != "ClusterDeploymentTemplate" {
        return match completion.or(matches) {
            None => Ok(None),
            Some(at) => Err(at.wrong(
                format!("a {kind} does not wait for a deployment"),
                "only a ClusterDeploymentTemplate has observedCompletion or observedMatches",
            )),
        };
    }
    let condition = |at: At<'_>| -> Result<(Path, String), Failure> {
        Ok((path(&at.need("key", "key: .status.phase")?)?, at.need("value", "value: \"True\"")?.text()?))
    };
    match (completion, matches) {
        (Some(_), Some(matches)) => {
            Err(matches.wrong("there are both observedCompletion and observedMatches", "keep one of the two"))
        }
        (None, None) => Err(spec.wrong(
            "this deployment would never be known to be done",
            "a ClusterDeploymentTemplate wants observedCompletion or observedMatches",
        )),
        (Some(completion), None) => Ok(Some(Rule::Completion {
            succeeded: condition(completion.need("succeeded", "succeeded: {key: .status.phase, value: Done}")?)?,
            failed: completion.get("failed").map(condition).transpose()?,
        })),
        (None, Some(matches)) => {
            let pair = |at: &At<'_>| {
                Ok((
                    path(&at.need("input", "input: .spec.value")?)?,
                    path(&at.need("output", "output: .status.value")?)?,
                ))
            };
            Ok(Some(Rule::Matches(matches.list()?.iter().map(pair).collect::<Result<_, _>>()?)))
        }
    }
}

/// The object and the references of a ytt template, as far as they can be told without running ytt.
fn ytt_template(at: &At<'_>, unclear: &mut Vec<String>) -> Result<(Stamps, Vec<Use>), Failure> {
    let text = at.text()?;
    let (uses, some_unclear) = reference::in_ytt(&text, &at.node.place, &at.path);
    if some_unclear {
        unclear.push("some of what its ytt refers to is computed, and is left out".into());
    }
    let documents = yaml::read(&without_functions(&text)).unwrap_or_default();
    let object = documents.iter().rev().find(|document| document.root.get("kind").is_some());
    let stamps = object.map_or_else(Stamps::unknown, |document| {
        let word = |key| match document.root.get(key).map(|node| &node.value) {
            Some(Value::Text(text)) => text.clone(),
            _ => String::new(),
        };
        Stamps { api: word("apiVersion"), kind: word("kind"), object: document.root.json() }
    });
    if stamps.kind.is_empty() {
        unclear.push("its ytt does not show plainly what kind of object it stamps".into());
    }
    Ok((stamps, uses))
}

/// A ytt text without its functions, whose bodies are no part of the object.
fn without_functions(text: &str) -> String {
    let mut depth = 0_usize;
    let mut functions: Vec<usize> = Vec::new();
    let mut kept = String::new();
    for line in text.lines() {
        let code = line.trim_start().strip_prefix("#@").map(str::trim);
        match code {
            Some(code) if code.starts_with("def ") => {
                functions.push(depth);
                depth += 1;
            }
            Some(code) if ["if ", "for ", "while "].iter().any(|word| code.starts_with(word)) => depth += 1,
            Some("end") => {
                depth = depth.saturating_sub(1);
                if functions.last() == Some(&depth) {
                    functions.pop();
                    continue;
                }
            }
            _ => {}
        }
        if functions.is_empty() {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// What Cartographer would refuse to change: a spec that its own controller fixes.
pub(crate) fn lifecycle_note(template: &Template<'_>, immutable_kind: bool) -> Option<String> {
    (immutable_kind && template.lifecycle == Lifecycle::Mutable).then(|| {
        format!(
            "its template says `lifecycle: mutable`, but the spec of a {} cannot be changed: it is read as immutable",
            quoted(&template.stamps.kind)
        )
    })
}
