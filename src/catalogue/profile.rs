//! Profiles of real controllers: what an `[[oracle]]` may be `like`, what its object shows in each phase of its life, and
//! where each of that comes from.

use std::sync::LazyLock;

use serde_json::{Value as Json, json};

use crate::model::setting::StatusPhase;
use crate::model::{Axis, Oracle};
use crate::scenario::document::{self, Table, Value};
use crate::scenario::failure::{Failure, Mistake, Read};
use crate::scenario::oracle;

/// What is known of a kind of objects and of their controller.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The project and the kind, as in `kpack/Image`.
    pub name: String,
    /// The API versions it is known in; a `*` stands for anything.
    pub api: Vec<String>,
    /// Its kind; `*` if any.
    pub kind: String,
    /// Which objects of the kind it is of, if not all.
    pub only: Option<Only>,
    /// What it does, in one line.
    pub about: String,
    /// Where its spec says how often it looks for something new, as a JSONPath.
    pub polls: Option<String>,
    /// An oracle with its settings, to be named.
    pub oracle: Oracle,
    /// Each setting with its reason.
    pub settings: Vec<ProfileSetting>,
    /// What no setting says.
    pub notes: Vec<Note>,
    documents: Vec<Document>,
}

/// The objects whose field, found by a JSONPath, has this value.
#[derive(Clone, Debug)]
pub struct Only {
    /// Where the field is.
    pub path: String,
    /// What it must be.
    pub value: String,
}

/// One setting of a profile.
#[derive(Clone, Debug)]
pub struct ProfileSetting {
    /// Its key in a scenario.
    pub key: &'static str,
    /// Its value, as TOML.
    pub value: String,
    /// Whether the value is typical rather than what the controller's code does: it was not measured.
    pub typical: bool,
    /// What the controller does.
    pub why: String,
    /// Where that can be read.
    pub source: String,
}

/// Something about a controller that no setting says.
#[derive(Clone, Debug)]
pub struct Note {
    /// What it is about: `wakes` or `misbehaves`.
    pub of: String,
    /// What it does.
    pub is: String,
    /// Where that can be read.
    pub source: String,
}

/// What an object shows in one phase.
#[derive(Clone, Debug)]
struct Document {
    object: Json,
    source: String,
}

const TEXTS: &[(&str, &str)] = &[
    ("kpack-image.toml", include_str!("profiles/kpack-image.toml")),
    ("flux-gitrepository.toml", include_str!("profiles/flux-gitrepository.toml")),
    ("flux-kustomization.toml", include_str!("profiles/flux-kustomization.toml")),
    ("flux-helmrelease.toml", include_str!("profiles/flux-helmrelease.toml")),
    ("tekton-taskrun.toml", include_str!("profiles/tekton-taskrun.toml")),
    ("tekton-pipelinerun.toml", include_str!("profiles/tekton-pipelinerun.toml")),
    ("cartographer-runnable.toml", include_str!("profiles/cartographer-runnable.toml")),
    ("knative-service.toml", include_str!("profiles/knative-service.toml")),
    ("deployment.toml", include_str!("profiles/deployment.toml")),
    ("job.toml", include_str!("profiles/job.toml")),
    ("configmap.toml", include_str!("profiles/configmap.toml")),
    ("secret.toml", include_str!("profiles/secret.toml")),
    ("kapp-app.toml", include_str!("profiles/kapp-app.toml")),
    ("certmanager-certificate.toml", include_str!("profiles/certmanager-certificate.toml")),
    ("service-loadbalancer.toml", include_str!("profiles/service-loadbalancer.toml")),
    ("argocd-application.toml", include_str!("profiles/argocd-application.toml")),
    ("crossplane-managed.toml", include_str!("profiles/crossplane-managed.toml")),
];

/// Every profile.
pub fn profiles() -> &'static [Profile] {
    static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
        let read = |&(file, text): &(&str, &str)| match read(text) {
            Ok(profile) => profile,
            // The text is part of the program, and a test reads it.
            Err(mistake) => panic!("{}", Failure::new(file, text, mistake)),
        };
        TEXTS.iter().map(read).collect()
    });
    &PROFILES
}

/// The profile of this name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    profiles().iter().find(|profile| profile.name == name)
}

/// The profile of objects of this API version and kind.
pub fn profile_of(api: &str, kind: &str) -> Option<&'static Profile> {
    profiles().iter().find(|profile| {
        (profile.kind == "*" || profile.kind == kind) && profile.api.iter().any(|pattern| matches(pattern, api))
    })
}

/// Whether `text` is `pattern`, in which each `*` stands for anything.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == text };
    let Some(rest) = text.strip_prefix(before) else { return false };
    (0..=rest.len()).any(|at| rest.is_char_boundary(at) && matches(after, &rest[at..]))
}

impl Profile {
    /// What the object shows in a phase, but for what its template says of it.
    pub fn object(&self, phase: StatusPhase) -> &Json {
        &self.documents[phase as usize].object
    }

    /// Where that can be read.
    pub fn object_source(&self, phase: StatusPhase) -> &str {
        &self.documents[phase as usize].source
    }
}

fn read(text: &str) -> Read<Profile> {
    let document = document::parse(text)?;
    let keys = ["name", "api", "kind", "only", "about", "polls", "setting", "note", "phase"];
    let top = Table::document("a profile", &document, &keys)?;
    let line = |table: &Table<'_>, key: &str| table.need(key, &format!("{key} = \"...\""))?.line("...");
    let mut oracle = Oracle::new("", Vec::new());
    let setting = |row: &Value<'_>| setting(text, row, &mut oracle);
    let settings = top.rows("setting")?.iter().map(setting).collect::<Read<_>>()?;
    let note = |row: &Value<'_>| {
        let table = row.table("a note", ["of", "is", "source"], "[[note]]")?;
        Ok(Note { of: line(&table, "of")?, is: line(&table, "is")?, source: line(&table, "source")? })
    };
    let only = |value: Value<'_>| {
        let table = value.table("`only`", ["path", "value"], "only = { path = \"...\", value = \"...\" }")?;
        Ok(Only { path: line(&table, "path")?, value: line(&table, "value")? })
    };
    let names = |value: Value<'_>| value.one_or_more().iter().map(|name| name.line("v1")).collect::<Read<Vec<_>>>();
    Ok(Profile {
        name: line(&top, "name")?,
        api: names(top.need("api", "api = [\"v1\"]")?)?,
        kind: line(&top, "kind")?,
        only: top.get("only").map(only).transpose()?,
        about: line(&top, "about")?,
        polls: top.get("polls").map(|value| value.line(".spec.interval")).transpose()?,
        settings,
        notes: top.rows("note")?.iter().map(note).collect::<Read<_>>()?,
        documents: documents(&top.rows("phase")?)?,
        oracle,
    })
}

fn setting(text: &str, row: &Value<'_>, blank: &mut Oracle) -> Read<ProfileSetting> {
    let table = row.table("a setting", ["why", "source", "typical"].into_iter().chain(oracle::setting_keys()), "")?;
    oracle::settings(&table, blank)?;
    let mut keys = oracle::setting_keys().filter_map(|key| Some((key, table.get(key)?)));
    let (Some((key, value)), None) = (keys.next(), keys.next()) else {
        return Err(Mistake::at(table.place(), "a setting is one key with its reason"));
    };
    let line = |key: &str| table.need(key, &format!("{key} = \"...\""))?.line("...");
    Ok(ProfileSetting {
        key,
        value: text[value.place()].to_owned(),
        typical: table.get("typical").map(|value| value.flag()).transpose()?.unwrap_or(false),
        why: line("why")?,
        source: line("source")?,
    })
}

/// A document a phase. One may be the same as another that stands above it.
fn documents(rows: &[Value<'_>]) -> Read<Vec<Document>> {
    let mut read: Vec<(StatusPhase, Document)> = Vec::new();
    for row in rows {
        let table = row.table("a phase", ["phase", "same_as", "source", "object"], "[[phase]]")?;
        let phase = table.need("phase", "phase = \"succeeded\"")?.axis()?;
        let object = match table.get("same_as") {
            None => in_phase(table.need("object", "[phase.object]")?.json(), phase),
            Some(other) => {
                let named: StatusPhase = other.axis()?;
                let found = read.iter().find(|(phase, _)| *phase == named);
                let (_, document) = found.ok_or_else(|| Mistake::at(other.place(), "this phase is not above"))?;
                document.object.clone()
            }
        };
        let source = table.need("source", "source = \"...\"")?.line("...")?;
        read.push((phase, Document { object, source }));
    }
    let of = |phase: &StatusPhase| {
        let found = read.iter().find(|(other, _)| other == phase).map(|(_, document)| document.clone());
        found.ok_or_else(|| Mistake::at(0..0, format!("there is no document for `{phase}`")))
    };
    StatusPhase::ALL.iter().map(of).collect()
}

/// The object with the generation that it has in a phase: the first question is of generation 1, a later one of 2.
fn in_phase(mut object: Json, phase: StatusPhase) -> Json {
    let generation = if matches!(phase, StatusPhase::NeverReported | StatusPhase::FirstWork) { 1 } else { 2 };
    object["metadata"] = json!({ "generation": generation });
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_profile_can_be_read_and_tells_where_each_value_comes_from() {
        assert_eq!(profiles().len(), 17);
        for profile in profiles() {
            assert!(!profile.settings.is_empty() && !profile.notes.is_empty(), "{}", profile.name);
            let sources = profile.settings.iter().map(|setting| &setting.source);
            let sources = sources.chain(profile.notes.iter().map(|note| &note.source));
            let sources = sources.chain(profile.documents.iter().map(|document| &document.source));
            for source in sources {
                assert!(source.starts_with("https://"), "{}: {source}", profile.name);
            }
            for note in &profile.notes {
                assert!(["wakes", "misbehaves"].contains(&note.of.as_str()), "{}: {}", profile.name, note.of);
            }
        }
    }

    /// A duration was not measured here, and says so.
    #[test]
    fn lengths_are_typical_unless_the_controller_fixes_them() {
        for profile in profiles() {
            for setting in &profile.settings {
                if ["work", "notice"].contains(&setting.key) {
                    assert!(setting.typical, "{}: {}", profile.name, setting.key);
                }
            }
        }
    }

    /// What the documents show agrees with what the settings say, where a document can tell.
    #[test]
    fn documents_and_settings_agree() {
        for profile in profiles() {
            let observed = |phase| profile.object(phase)["status"]["observedGeneration"].as_i64();
            let reports = observed(StatusPhase::Succeeded).is_some();
            assert_eq!(reports, profile.oracle.acknowledges_ever(), "{} and its observedGeneration", profile.name);
            if reports {
                assert_eq!(observed(StatusPhase::Succeeded), Some(2), "{}", profile.name);
                let at_work = observed(StatusPhase::LaterWork) == Some(2);
                let early = profile.oracle.acknowledges != crate::model::setting::Acknowledges::Finish;
                assert_eq!(at_work, early, "{} acknowledges while it works", profile.name);
            }
        }
    }

    #[test]
    fn kinds_are_found_by_api_version() {
        let name = |api, kind| profile_of(api, kind).map(|profile| profile.name.as_str());
        assert_eq!(name("kpack.io/v1alpha2", "Image"), Some("kpack/Image"));
        assert_eq!(name("serving.knative.dev/v1", "Service"), Some("knative/Service"));
        assert_eq!(name("v1", "Service"), Some("core/Service"));
        assert_eq!(name("s3.aws.upbound.io/v1beta1", "Bucket"), Some("crossplane/Managed"));
        assert_eq!(name("example.com/v1", "Image"), None);
        assert_eq!(name("kpack.io/v1alpha2", "Builder"), None);
    }
}
