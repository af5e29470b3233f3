//! Selectors as Cartographer evaluates them: labels by Kubernetes' rules, fields by JSONPath. What depends on a value that
//! only ytt knows cannot be told.

use serde_json::Value as Json;

use super::jsonpath::Path;
use super::yaml::{At, YTT};
use crate::scenario::Failure;
use crate::scenario::wording::quoted;

/// How a field or a label is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

const OPERATORS: [(&str, Operator); 4] = [
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("Exists", Operator::Exists),
    ("DoesNotExist", Operator::DoesNotExist),
];

/// One requirement of a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldMatch {
    pub key: Path,
    pub operator: Operator,
    pub values: Vec<String>,
}

/// A selector: all of it must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Selector {
    labels: Vec<(String, Operator, Vec<String>)>,
    fields: Vec<FieldMatch>,
}

/// A JSONPath that stands in a document.
pub(crate) fn path(at: &At<'_>) -> Result<Path, Failure> {
    let text = at.text()?;
    Path::parse(&text).map_err(|wrong| {
        // In plain text the place is known to the character; in quoted text escapes would shift it.
        let place = &at.node.place;
        let place = match at.file.text.get(place.clone()) {
            Some(written) if written == text => {
                let from = place.start + wrong.at.min(text.len());
                from..(from + 1).min(place.end).max(from)
            }
            _ => place.clone(),
        };
        let message = format!("this JSONPath is wrong: {}", wrong.message);
        let help = "as in `.status.conditions[?(@.type==\"Ready\")].status`";
        at.file.failure(at.mistake_at(place, message).help(help))
    })
}

/// An operator with its values.
fn requirement(at: &At<'_>) -> Result<(Operator, Vec<String>), Failure> {
    let operator = at.need("operator", "operator: In")?;
    let word = operator.one_of(&OPERATORS.map(|(name, _)| name))?;
    let (_, known) = OPERATORS.iter().find(|(name, _)| *name == word).expect("one of them");
    let values = at.get("values");
    let listed = match &values {
        None => Vec::new(),
        Some(values) => values.list()?.iter().map(At::text).collect::<Result<Vec<_>, _>>()?,
    };
    let wants = matches!(known, Operator::In | Operator::NotIn);
    match (wants, listed.is_empty(), values) {
        (true, true, _) => Err(operator.wrong(format!("`{word}` wants values"), "add `values: [...]`")),
        (false, false, Some(values)) => Err(values.wrong(format!("`{word}` takes no values"), "take them away")),
        _ => Ok((*known, listed)),
    }
}

impl FieldMatch {
    pub fn read(at: &At<'_>) -> Result<FieldMatch, Failure> {
        let key = path(&at.need("key", "key: .status.phase")?)?;
        let (operator, values) = requirement(at)?;
        Ok(FieldMatch { key, operator, values })
    }

    /// Whether a document meets it; none if only ytt knows. A path that fails on the document meets nothing.
    pub fn holds(&self, document: &Json) -> Option<bool> {
        let Ok(value) = self.key.one(document) else { return Some(false) };
        if value.is_some_and(computed) {
            return match self.operator {
                Operator::Exists => Some(true),
                Operator::DoesNotExist => Some(false),
                Operator::In | Operator::NotIn => None,
            };
        }
        // Cartographer compares with text only: a number never equals any.
        let listed = || value.and_then(Json::as_str).is_some_and(|text| self.values.iter().any(|other| other == text));
        Some(match self.operator {
            Operator::In => listed(),
            Operator::NotIn => !listed(),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
        })
    }
}

fn computed(value: &Json) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(YTT))
}

impl Selector {
    /// A selector with `matchLabels`, `matchExpressions` and `matchFields`.
    pub fn read(at: &At<'_>) -> Result<Selector, Failure> {
        for (entry, value) in at.entries()? {
            if !["matchLabels", "matchExpressions", "matchFields"].contains(&entry.key.as_str()) {
                return Err(value.wrong(
                    format!("a selector has no {}", quoted(&entry.key)),
                    "there are `matchLabels`, `matchExpressions` and `matchFields`",
                ));
            }
        }
        let mut selector = Selector::default();
        if let Some(labels) = at.get("matchLabels") {
            selector.with_labels(&labels)?;
        }
        if let Some(expressions) = at.get("matchExpressions") {
            selector.with_expressions(&expressions)?;
        }
        if let Some(fields) = at.get("matchFields") {
            selector.with_fields(&fields)?;
        }
        Ok(selector)
    }

    /// Labels with their values.
    pub fn with_labels(&mut self, at: &At<'_>) -> Result<(), Failure> {
        for (entry, value) in at.entries()? {
            self.labels.push((entry.key.clone(), Operator::In, vec![value.text()?]));
        }
        Ok(())
    }

    /// Requirements of labels.
    pub fn with_expressions(&mut self, at: &At<'_>) -> Result<(), Failure> {
        for at in at.list()? {
            let key = at.need("key", "key: app.kubernetes.io/name")?.text()?;
            let (operator, values) = requirement(&at)?;
            self.labels.push((key, operator, values));
        }
        Ok(())
    }

    /// Requirements of fields.
    pub fn with_fields(&mut self, at: &At<'_>) -> Result<(), Failure> {
        for at in at.list()? {
            self.fields.push(FieldMatch::read(&at)?);
        }
        Ok(())
    }

    /// Whether an owner meets it; none if only ytt knows. `context` holds the owner under its kind, as in
    /// `workload.spec.source`.
    pub fn holds(&self, owner: &Json, context: &Json) -> Option<bool> {
        let labels = &owner["metadata"]["labels"];
        let label = |(key, operator, values): &(String, Operator, Vec<String>)| {
            let value = labels.get(key);
            if value.is_some_and(computed) && matches!(operator, Operator::In | Operator::NotIn) {
                return None;
            }
            let listed = || value.and_then(Json::as_str).is_some_and(|text| values.iter().any(|other| other == text));
            Some(match operator {
                Operator::In => listed(),
                Operator::NotIn => !listed(),
                Operator::Exists => value.is_some(),
                Operator::DoesNotExist => value.is_none(),
            })
        };
        let all = self.labels.iter().map(label).chain(self.fields.iter().map(|field| field.holds(context)));
        let answers: Vec<Option<bool>> = all.collect();
        // What fails for certain fails, whatever ytt says of the rest.
        match answers.contains(&Some(false)) {
            true => Some(false),
            false if answers.contains(&None) => None,
            false => Some(true),
        }
    }
}
