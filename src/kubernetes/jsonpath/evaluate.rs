//! Steps and a document in, values out.

use std::cmp::Ordering;

use serde_json::Value as Json;

use super::{Compare, Operand, Slice, Step};

/// What a path may lead to in all, on the way and at its end: `..` in `..` grows without bound.
const MOST: usize = 10_000;

pub(super) fn steps<'a>(steps: &[Step], document: &'a Json) -> Result<Vec<&'a Json>, String> {
    let mut reached = vec![document];
    for step in steps {
        let mut next = Vec::new();
        for value in reached {
            take(step, value, &mut next)?;
            if next.len() > MOST {
                return Err(format!("it leads to more than {MOST} values"));
            }
        }
        reached = next;
    }
    Ok(reached)
}

fn take<'a>(step: &Step, value: &'a Json, next: &mut Vec<&'a Json>) -> Result<(), String> {
    match step {
        Step::Field(name) => next.extend(value.get(name).filter(|value| !value.is_null())),
        Step::All => match value {
            Json::Array(items) => next.extend(items),
            Json::Object(entries) => next.extend(entries.values()),
            _ => {}
        },
        Step::Descend => descend(value, next)?,
        Step::Slice(slice) => match value {
            Json::Array(items) => next.extend(sliced(items, slice)?),
            Json::Null => {}
            other => return Err(format!("{} is no list", kind(other))),
        },
        Step::Union(paths) => {
            for path in paths {
                next.extend(steps(path, value)?);
            }
        }
        Step::Filter(left, right) => match value {
            Json::Array(items) => {
                for item in items {
                    if passes(left, right.as_ref(), item)? {
                        next.push(item);
                    }
                }
            }
            Json::Null => {}
            other => return Err(format!("{} is no list to be filtered", kind(other))),
        },
    }
    Ok(())
}

fn descend<'a>(value: &'a Json, next: &mut Vec<&'a Json>) -> Result<(), String> {
    if next.len() > MOST {
        return Err(format!("it leads to more than {MOST} values"));
    }
    next.push(value);
    match value {
        Json::Array(items) => items.iter().try_for_each(|item| descend(item, next)),
        Json::Object(entries) => entries.values().try_for_each(|item| descend(item, next)),
        _ => Ok(()),
    }
}

fn sliced<'a>(items: &'a [Json], slice: &Slice) -> Result<Vec<&'a Json>, String> {
    let length = items.len() as i64;
    let from_end = |index: i64| if index < 0 { index.saturating_add(length) } else { index };
    if slice.single {
        let index = from_end(slice.from.unwrap_or(0));
        let item = usize::try_from(index).ok().and_then(|index| items.get(index));
        return item.map(|item| vec![item]).ok_or_else(|| format!("there is no item {index} in a list of {length}"));
    }
    let from = from_end(slice.from.unwrap_or(0)).clamp(0, length) as usize;
    let to = from_end(slice.to.unwrap_or(length)).clamp(0, length) as usize;
    let by = usize::try_from(slice.by.unwrap_or(1)).unwrap_or(usize::MAX).max(1);
    Ok(items.get(from..to).unwrap_or_default().iter().step_by(by).collect())
}

fn passes(left: &[Step], right: Option<&(Compare, Operand)>, item: &Json) -> Result<bool, String> {
    let found = steps(left, item)?;
    let Some((compare, operand)) = right else { return Ok(!found.is_empty()) };
    let several = || "a filter compares one value with one".to_owned();
    let left = match found.as_slice() {
        [] => return Ok(false),
        [value] => *value,
        _ => return Err(several()),
    };
    let right = match operand {
        Operand::Value(value) => value,
        Operand::Path(path) => match steps(path, item)?.as_slice() {
            [] => return Ok(false),
            [value] => *value,
            _ => return Err(several()),
        },
    };
    let order = match (left, right) {
        (Json::String(left), Json::String(right)) => left.cmp(right),
        (Json::Number(left), Json::Number(right)) => left
            .as_f64()
            .zip(right.as_f64())
            .and_then(|(left, right)| left.partial_cmp(&right))
            .unwrap_or(Ordering::Equal),
        (Json::Bool(left), Json::Bool(right)) => left.cmp(right),
        _ => return Err(format!("{} cannot be compared with {}", kind(left), kind(right))),
    };
    Ok(match compare {
        Compare::Equal => order.is_eq(),
        Compare::NotEqual => order.is_ne(),
        Compare::Less => order.is_lt(),
        Compare::AtMost => order.is_le(),
        Compare::Greater => order.is_gt(),
        Compare::AtLeast => order.is_ge(),
    })
}

fn kind(value: &Json) -> &'static str {
    match value {
        Json::Null => "nothing",
        Json::Bool(_) => "true or false",
        Json::Number(_) => "a number",
        Json::String(_) => "text",
        Json::Array(_) => "a list",
        Json::Object(_) => "a map",
    }
}
