//! What a template's rules read of its object, evaluated on the object as the catalogue shows it in each phase; and what
//! follows from that for the oracle.

use serde_json::{Value as Json, json};

use super::chain::{Link, Run};
use super::health::{HealthRule, Readings, Rule};
use super::template::{Lifecycle, Template, lifecycle_note};
use crate::catalogue::Profile;
use crate::model::policy::Lifecycle as OfObjects;
use crate::model::setting::{Health, StatusPhase};
use crate::model::{Axis, Ready};
use crate::scenario::wording::quoted;

/// A rule and what it reads in each phase.
#[derive(Clone, Debug)]
pub(crate) struct RuleRow {
    pub told: String,
    pub readings: Readings,
    /// Whether there is an output to be read.
    pub has_output: bool,
    pub findings: Vec<String>,
}

/// The object in a phase: what the template says of it, and over that what its controller shows.
fn document(template: &Template<'_>, profile: Option<&Profile>, run: Option<&Run>, phase: StatusPhase) -> Json {
    let mut object = template.stamps.object.clone();
    let shown = profile.map_or_else(|| well_behaved(phase), |profile| profile.object(phase).clone());
    // Data of a ConfigMap is the template's own.
    let own = if object["data"].is_object() { object["data"].clone() } else { Json::Null };
    lay_over(&mut object, shown);
    if !own.is_null() {
        object["data"] = own;
    }
    if let Some(run) = run
        && object["status"]["outputs"].is_object()
    {
        object["status"]["outputs"] = run.outputs.iter().map(|name| (name.clone(), json!("value"))).collect();
    }
    object
}

fn lay_over(under: &mut Json, over: Json) {
    match (under, over) {
        (Json::Object(under), Json::Object(over)) => {
            for (key, value) in over {
                lay_over(under.entry(key).or_insert(Json::Null), value);
            }
        }
        (under, over) => *under = over,
    }
}

/// What a kind that nobody knows shows if it keeps to the conventions.
fn well_behaved(phase: StatusPhase) -> Json {
    let shows = |generation: u64, ready: &str| {
        let conditions = json!([{ "type": "Ready", "status": ready }]);
        let metadata = json!({ "generation": generation });
        json!({ "metadata": metadata, "status": { "observedGeneration": generation, "conditions": conditions } })
    };
    match phase {
        StatusPhase::NeverReported => json!({ "metadata": { "generation": 1 } }),
        StatusPhase::FirstWork => shows(1, "Unknown"),
        StatusPhase::Succeeded => shows(2, "True"),
        StatusPhase::Failed => shows(2, "False"),
        StatusPhase::LaterWork | StatusPhase::Flapped | StatusPhase::Hung => shows(2, "Unknown"),
    }
}

/// Whether an output is there in a phase, as far as a controller keeps its last good one.
fn kept(phase: StatusPhase) -> bool {
    !matches!(phase, StatusPhase::NeverReported | StatusPhase::FirstWork)
}

/// Evaluates the template's rules, and sets what follows from them.
pub(crate) fn rules(template: &Template<'_>, run: Option<&Run>, link: &mut Link, notes: &mut Vec<String>) {
    let documents: Vec<Json> =
        StatusPhase::ALL.iter().map(|&phase| document(template, link.profile, run, phase)).collect();
    let in_document = |phase: StatusPhase| &documents[phase as usize];
    let found = |phase: StatusPhase| {
        template.outputs.iter().all(|path| path.one(in_document(phase)).is_ok_and(|value| value.is_some()))
    };
    let has_output = !template.outputs.is_empty() || template.gate.is_some();
    let known = link.profile.is_some();
    let reads = |rule: &HealthRule, phase: StatusPhase, output: bool| match rule.rule {
        // Nobody can say what another rule would find in an object that nobody knows.
        Rule::Always | Rule::Outputs => rule.reads(in_document(phase), output),
        _ if known => rule.reads(in_document(phase), output),
        _ => Health::default().in_phase(phase),
    };
    // Where the output is not in the catalogue's document, it is there whenever there is an answer.
    let in_catalogue = known && found(StatusPhase::Succeeded);
    let row = |rule: &HealthRule, told: String| {
        let available = |phase| match &template.gate {
            Some(gate) => reads(&HealthRule { rule: gate.clone(), observed: None }, phase, false) == Ready::True,
            None if in_catalogue => found(phase),
            None => kept(phase),
        };
        let health = Health::new(|phase| reads(rule, phase, available(phase)));
        let shown = |phase| if known && template.gate.is_none() { found(phase) } else { available(phase) };
        let mut phases = StatusPhase::ALL.iter().copied();
        let outputs = std::array::from_fn(|_| shown(phases.next().expect("an output a phase")));
        let readings = Readings::new(health, outputs);
        let assumed = !known && !matches!(rule.rule, Rule::Always | Rule::Outputs);
        let flaps = in_document(StatusPhase::Flapped) != in_document(StatusPhase::Succeeded);
        let findings = if assumed { Vec::new() } else { readings.findings(&rule.rule, flaps) };
        RuleRow { told: if assumed { format!("{told}, assumed") } else { told }, readings, has_output, findings }
    };
    let reconciled = link.profile.is_none_or(|profile| profile.oracle.reconciles);
    let mut rows = vec![row(&template.rule, template.rule.rule.told())];
    if let Some(tracing) = &template.tracing {
        rows.push(row(tracing, format!("artifactTracing: {}", tracing.rule.told())));
    }
    let ruling = template.ruling();
    if let Some(gate) = template.gate.as_ref().filter(|gate| ruling.rule != **gate) {
        rows.push(row(&HealthRule { rule: gate.clone(), observed: None }, gate.told()));
    }
    let mut reads = rows[usize::from(template.tracing.is_some())].readings.health;
    if !reconciled {
        // It is never at work: what is written is there.
        reads = Health::default().but(StatusPhase::Succeeded, reads.in_phase(StatusPhase::Succeeded));
        rows.iter_mut().for_each(|row| row.readings.only_written(&mut row.findings));
    }
    let reason = format!("what its rule ({}) reads in each phase", ruling.rule.told());
    match ruling.rule {
        Rule::Always => {
            let by_rule = template.at.find(&["spec", "healthRule"]).is_some() || template.tracing.is_some();
            let reason = if by_rule { "its rule is alwaysHealthy" } else { "a ClusterTemplate without a rule" };
            link.settings.push(("healthy", "\"always\"".into(), reason.into()));
        }
        _ => link.settings.push(("health", health(&reads), reason)),
    }
    let immutable_kind =
        link.profile.is_some_and(|profile| profile.oracle.fixed.lifecycle == Some(OfObjects::Immutable));
    notes.extend(
        lifecycle_note(template, immutable_kind && run.is_none()).map(|note| format!("{}: {note}", quoted(&link.name))),
    );
    let immutable = immutable_kind || template.lifecycle != Lifecycle::Mutable;
    let mut fixed = Vec::new();
    let mut reasons = Vec::new();
    if template.gate.is_some() {
        fixed.push("read = \"ready\", acknowledgement = \"required\"");
        reasons.push("its template reads only what has completed and is acknowledged");
    }
    if immutable {
        fixed.push("lifecycle = \"immutable\"");
        reasons.push("each question makes an object of its own");
    }
    // What its kind fixes stands in the catalogue already.
    if template.gate.is_some() || (immutable && !immutable_kind) {
        link.settings.push(("policy", format!("{{ {} }}", fixed.join(", ")), reasons.join("; ")));
    }
    link.rules = rows;
}

/// A reading a phase, as TOML; what a well-behaved object's `Ready` would say is left out.
fn health(reads: &Health) -> String {
    let told = StatusPhase::ALL.iter().filter(|&&phase| reads.in_phase(phase) != Health::default().in_phase(phase));
    let told: Vec<String> =
        told.map(|&phase| format!("{} = \"{}\"", Axis::name(phase), Axis::name(reads.in_phase(phase)))).collect();
    if told.is_empty() { "{}".into() } else { format!("{{ {} }}", told.join(", ")) }
}
