//! Health rules, evaluated on the objects of the catalogue: what a rule reads in each phase of an object's life.
//!
//! The rules are Cartographer's: unhealthy is asked first and is *any*, healthy is *all*
//! (<https://github.com/vmware-tanzu/cartographer/blob/main/pkg/realizer/healthcheck/healthcheck.go>). A proposed
//! `artifactTracing.healthRule` may name where the object acknowledges; what has not acknowledged its generation is unknown.

use serde_json::Value as Json;

use super::jsonpath::Path;
use super::selector::{FieldMatch, path};
use super::yaml::At;
use crate::model::setting::{Health, StatusPhase};
use crate::model::{Axis, Ready};
use crate::scenario::Failure;
use crate::scenario::wording::quoted;

/// How the choreographer tells whether an object is healthy.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rule {
    /// `alwaysHealthy`, and a ClusterTemplate without a rule.
    Always,
    /// `singleConditionType`
    Condition(String),
    /// `multiMatch`
    MultiMatch { healthy: Match, unhealthy: Match },
    /// No rule: healthy once every output can be read.
    Outputs,
    /// `observedCompletion` of a ClusterDeploymentTemplate.
    Completion { succeeded: (Path, String), failed: Option<(Path, String)> },
    /// `observedMatches` of a ClusterDeploymentTemplate.
    Matches(Vec<(Path, Path)>),
}

/// Requirements of conditions and fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Match {
    conditions: Vec<(String, String)>,
    fields: Vec<FieldMatch>,
}

/// A rule, and where it asks for an acknowledgement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HealthRule {
    pub rule: Rule,
    pub observed: Option<Path>,
}

impl HealthRule {
    /// A `healthRule`.
    pub fn read(at: &At<'_>) -> Result<HealthRule, Failure> {
        const RULES: [&str; 3] = ["alwaysHealthy", "singleConditionType", "multiMatch"];
        let mut rules = Vec::new();
        let mut observed = None;
        for (entry, value) in at.entries()? {
            match entry.key.as_str() {
                "observedGenerationPath" => observed = Some(path(&value)?),
                "alwaysHealthy" => rules.push((value, Rule::Always)),
                "singleConditionType" => rules.push((value.clone(), Rule::Condition(value.text()?))),
                "multiMatch" => {
                    let side = |key: &str| match value.get(key) {
                        None => Err(value.wrong(
                            format!("`multiMatch` has no `{key}`"),
                            "it has `healthy` and `unhealthy`, each with `matchConditions` or `matchFields`",
                        )),
                        Some(side) => Match::read(&side),
                    };
                    let (healthy, unhealthy) = (side("healthy")?, side("unhealthy")?);
                    rules.push((value, Rule::MultiMatch { healthy, unhealthy }));
                }
                other => {
                    return Err(value.wrong(
                        format!("a health rule has no {}", quoted(other)),
                        format!("there are {}", RULES.map(quoted).join(", ")),
                    ));
                }
            }
        }
        match rules.len() {
            0 => Err(
                at.wrong("this health rule says nothing", "say one of alwaysHealthy, singleConditionType, multiMatch")
            ),
            1 => Ok(HealthRule { rule: rules.remove(0).1, observed }),
            _ => Err(rules[1].0.wrong("a health rule is one rule, and this is a second", "keep one of the two")),
        }
    }

    /// What it reads of an object.
    pub fn reads(&self, object: &Json, outputs: bool) -> Ready {
        if self.rule == Rule::Always {
            return Ready::True;
        }
        if let Some(observed) = &self.observed
            && observed.one(object).ok().flatten() != Some(&object["metadata"]["generation"])
        {
            return Ready::Unknown;
        }
        self.rule.reads(object, outputs)
    }
}

impl Match {
    fn read(at: &At<'_>) -> Result<Match, Failure> {
        let mut read = Match::default();
        for (entry, value) in at.entries()? {
            match entry.key.as_str() {
                "matchConditions" => {
                    for at in value.list()? {
                        let status = at.need("status", "status: \"True\"")?;
                        let kind = at.need("type", "type: Ready")?.text()?;
                        let status = match status.text()?.as_str() {
                            // YAML reads an unquoted True as a flag; Kubernetes would refuse it.
                            "True" | "true" => "True",
                            "False" | "false" => "False",
                            "Unknown" => "Unknown",
                            other => {
                                let message = format!("a condition is never {}", quoted(other));
                                return Err(status.wrong(message, "its status is \"True\", \"False\" or \"Unknown\""));
                            }
                        };
                        read.conditions.push((kind, status.to_owned()));
                    }
                }
                "matchFields" => {
                    for at in value.list()? {
                        if let Some(message) = at.get("messagePath") {
                            path(&message)?;
                        }
                        read.fields.push(FieldMatch::read(&at)?);
                    }
                }
                other => {
                    return Err(value.wrong(
                        format!("here {} says nothing", quoted(other)),
                        "there are `matchConditions` and `matchFields`",
                    ));
                }
            }
        }
        Ok(read)
    }

    fn any(&self, object: &Json) -> bool {
        self.conditions.iter().any(|(kind, status)| condition(object, kind) == Some(status))
            || self.fields.iter().any(|field| field.holds(object) == Some(true))
    }

    fn all(&self, object: &Json) -> bool {
        self.conditions.iter().all(|(kind, status)| condition(object, kind) == Some(status))
            && self.fields.iter().all(|field| field.holds(object) == Some(true))
    }
}

/// The status of the first condition of this type.
fn condition<'a>(object: &'a Json, kind: &str) -> Option<&'a str> {
    let conditions = object["status"]["conditions"].as_array()?;
    conditions.iter().find(|condition| condition["type"] == kind)?["status"].as_str()
}

fn equals(path: &Path, object: &Json, wanted: &str) -> bool {
    path.one(object).ok().flatten().and_then(Json::as_str) == Some(wanted)
}

impl Rule {
    fn reads(&self, object: &Json, outputs: bool) -> Ready {
        match self {
            Rule::Always => Ready::True,
            Rule::Condition(kind) => match condition(object, kind) {
                Some("True") => Ready::True,
                Some("False") => Ready::False,
                _ => Ready::Unknown,
            },
            Rule::MultiMatch { unhealthy, .. } if unhealthy.any(object) => Ready::False,
            Rule::MultiMatch { healthy, .. } if healthy.all(object) => Ready::True,
            Rule::MultiMatch { .. } => Ready::Unknown,
            Rule::Outputs if outputs => Ready::True,
            Rule::Outputs => Ready::Unknown,
            Rule::Completion { failed: Some((path, value)), .. } if equals(path, object, value) => Ready::False,
            Rule::Completion { succeeded: (path, value), .. } if equals(path, object, value) => Ready::True,
            Rule::Completion { .. } => Ready::Unknown,
            Rule::Matches(pairs) => {
                let same = |(input, output): &(Path, Path)| {
                    let read = |path: &Path| path.one(object).ok().flatten().cloned();
                    read(input).is_some_and(|input| read(output) == Some(input))
                };
                if pairs.iter().all(same) { Ready::True } else { Ready::Unknown }
            }
        }
    }

    /// The rule in a few words.
    pub fn told(&self) -> String {
        match self {
            Rule::Always => "always healthy".into(),
            Rule::Condition(kind) => format!("condition {kind}"),
            Rule::MultiMatch { .. } => "multiMatch".into(),
            Rule::Outputs => "no rule: its output".into(),
            Rule::Completion { .. } => "observedCompletion".into(),
            Rule::Matches(_) => "observedMatches".into(),
        }
    }
}

/// What is read in each phase: of the object's health, and whether its outputs can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Readings {
    pub health: Health,
    outputs: [bool; StatusPhase::ALL.len()],
}

impl Readings {
    pub fn new(health: Health, outputs: [bool; StatusPhase::ALL.len()]) -> Readings {
        Readings { health, outputs }
    }

    /// Whether the outputs can be read in a phase.
    pub fn output(&self, phase: StatusPhase) -> bool {
        self.outputs[phase as usize]
    }

    /// Of an object that nobody reconciles there is one phase: it is written.
    pub fn only_written(&mut self, findings: &mut Vec<String>) {
        findings.clear();
        if self.health.in_phase(StatusPhase::Succeeded) != Ready::True {
            findings.push("never healthy, for nobody reports a status of such an object".to_owned());
        }
    }

    /// What a reader of the rule should know; `flaps` if such an object shows when it loses its readiness.
    pub fn findings(&self, rule: &Rule, flaps: bool) -> Vec<String> {
        use StatusPhase::{Failed, FirstWork, Flapped, LaterWork, NeverReported, Succeeded};
        let reads = |phase| self.health.in_phase(phase);
        let mut found = Vec::new();
        if *rule == Rule::Always {
            found.push(
                "always healthy, so that an output may be read, and claimed, while the object still works".to_owned(),
            );
            return found;
        }
        if StatusPhase::ALL.iter().all(|&phase| reads(phase) != Ready::True) {
            found.push("never healthy, for it reads True in no phase".to_owned());
        } else if reads(Succeeded) != Ready::True {
            found.push(format!("reads {} when the object has succeeded", reads(Succeeded).name()));
        }
        if reads(NeverReported) == Ready::True || reads(FirstWork) == Ready::True {
            found.push("healthy before the object has finished anything".to_owned());
        }
        if reads(LaterWork) == Ready::True {
            found.push(
                "healthy while the object works on a later question: what is read then answers the one before"
                    .to_owned(),
            );
        }
        if [FirstWork, LaterWork].iter().any(|&phase| reads(phase) == Ready::False) {
            found.push("unhealthy while the object works, so that it seems to rest".to_owned());
        }
        match reads(Failed) {
            Ready::True => found.push("healthy after a failure".to_owned()),
            Ready::Unknown => found.push(
                "never unhealthy after a failure, so that who waits for rest waits until the next success".to_owned(),
            ),
            Ready::False => {}
        }
        if flaps && reads(Flapped) == Ready::True && *rule != Rule::Outputs {
            found.push("blind to a loss of readiness".to_owned());
        }
        if !self.output(Succeeded) {
            found.push(
                "an output path that leads nowhere in what such an object shows when it has succeeded".to_owned(),
            );
        }
        found
    }
}
