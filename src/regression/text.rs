//! Blessed results as TOML: ordered, a figure a line, so that a diff says what moved.

use std::fmt::Write as _;

use toml_edit::{DocumentMut, Item, Table};

use super::blessed::{Blessed, GUARDED, PolicyResult, Row, Verdict};
use crate::measure::Outcome;
use crate::model::Axis;

/// Why text is no blessed result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(String);

/// Digests on a line.
const ON_A_LINE: usize = 10;

/// A blessed result as text.
pub fn write(blessed: &Blessed, scenario: &str) -> String {
    let mut text = format!("# What {} comes to. `rehearsal regress --bless` writes it.\n", scenario.replace('\n', " "));
    let _ = writeln!(text, "model = {}", blessed.model);
    let _ = writeln!(text, "scenario = \"{}\"", blessed.scenario);
    let _ = writeln!(text, "seeds = [{}, {}]", blessed.seeds.0, blessed.seeds.1);
    for PolicyResult { name, digests, outcomes, means, trail } in &blessed.policies {
        let _ = writeln!(text, "\n[[policy]]\nname = \"{name}\"");
        let outcomes: Vec<String> =
            outcomes.iter().map(|(outcome, count)| format!("{} = {count}", outcome.name())).collect();
        let _ = writeln!(text, "outcomes = {{ {} }}", outcomes.join(", "));
        for (measure, mean) in means {
            let _ = writeln!(text, "mean.\"{measure}\" = {mean:?}");
        }
        let digests: Vec<String> = digests.chunks(ON_A_LINE).map(|line| line.join(" ")).collect();
        let _ = writeln!(text, "digests = \"\"\"\n{}\"\"\"", digests.join("\n"));
        let _ = writeln!(text, "trail = \"{trail}\"");
    }
    for Row { says, verdict } in &blessed.rows {
        let _ = writeln!(text, "\n[[expect]]\nsays = {}\nverdict = \"{}\"", quoted(says), verdict.name());
    }
    text
}

fn quoted(text: &str) -> String {
    toml_edit::Value::from(text).to_string()
}

/// Reads a blessed result.
///
/// # Errors
///
/// If it is none; what is wrong, and where.
pub fn read(text: &str) -> Result<Blessed, Unreadable> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Unreadable(format!("it is not TOML: line {line}, column {column}: {}", error.message()))
    })?;
    let table = document.as_table();
    let seeds = table.get("seeds").and_then(Item::as_array).ok_or_else(|| missing("seeds"))?;
    let seed = |at: usize| {
        let seed = seeds.get(at).and_then(toml_edit::Value::as_integer);
        seed.and_then(|seed| u64::try_from(seed).ok()).ok_or_else(|| missing("seeds"))
    };
    Ok(Blessed {
        model: u32::try_from(integer(table, "model")?).map_err(|_| missing("model"))?,
        scenario: string(table, "scenario")?,
        seeds: (seed(0)?, seed(1)?),
        policies: tables(table, "policy").map(policy).collect::<Result<_, _>>()?,
        rows: tables(table, "expect").map(row).collect::<Result<_, _>>()?,
    })
}

fn policy(table: &Table) -> Result<PolicyResult, Unreadable> {
    let inner = |key: &str| table.get(key).and_then(Item::as_table_like);
    let mut outcomes = Vec::new();
    for &outcome in Outcome::ALL {
        let count = inner("outcomes").and_then(|counts| counts.get(outcome.name())).and_then(Item::as_integer);
        if let Some(count) = count {
            outcomes.push((outcome, u64::try_from(count).map_err(|_| missing("outcomes"))?));
        }
    }
    let mut means = Vec::new();
    for measure in GUARDED {
        let Some(mean) = inner("mean").and_then(|means| means.get(measure)) else { continue };
        let mean = mean.as_float().or(mean.as_integer().map(|whole| whole as f64));
        means.push((*measure, mean.filter(|mean| mean.is_finite()).ok_or_else(|| missing(measure))?));
    }
    Ok(PolicyResult {
        name: string(table, "name")?,
        digests: string(table, "digests")?.split_whitespace().map(str::to_owned).collect(),
        outcomes,
        means,
        trail: string(table, "trail")?,
    })
}

fn row(table: &Table) -> Result<Row, Unreadable> {
    let word = string(table, "verdict")?;
    let verdict = Verdict::ALL.iter().copied().find(|verdict| verdict.name() == word);
    Ok(Row { says: string(table, "says")?, verdict: verdict.ok_or_else(|| missing("verdict"))? })
}

fn tables<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = &'t Table> + use<'t> {
    table.get(key).and_then(Item::as_array_of_tables).into_iter().flat_map(|tables| tables.iter())
}

fn string(table: &Table, key: &str) -> Result<String, Unreadable> {
    table.get(key).and_then(Item::as_str).map(str::to_owned).ok_or_else(|| missing(key))
}

fn integer(table: &Table, key: &str) -> Result<i64, Unreadable> {
    table.get(key).and_then(Item::as_integer).ok_or_else(|| missing(key))
}

fn missing(key: &str) -> Unreadable {
    Unreadable(format!("`{key}` is missing or is not what it should be"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blessed() -> Blessed {
        Blessed {
            model: 3,
            scenario: "0123".to_owned(),
            seeds: (1, 12),
            policies: vec![PolicyResult {
                name: "read-always".to_owned(),
                digests: (0..12).map(|n| format!("{n:08x}")).collect(),
                outcomes: vec![(Outcome::Settled, 11), (Outcome::Deadlocked, 1)],
                means: vec![("misattributed", 28.8), ("latency.mean", 474.0), ("wasted", 0.1 + 0.2)],
                trail: "Ab-_9".to_owned(),
            }],
            rows: vec![Row { says: "a: \"quoted\" \\ above 0".to_owned(), verdict: Verdict::Undecided }],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(read(&write(&blessed(), "scenarios/a.toml")), Ok(blessed()));
    }

    #[test]
    fn what_is_no_result_is_told() {
        let text = write(&blessed(), "a");
        let syntax = read("model = 1\nseeds = [").unwrap_err().to_string();
        assert!(syntax.starts_with("it is not TOML: line 2, column 10: "), "{syntax}");
        for (from, to, key) in [
            ("model = 3", "model = -3", "model"),
            ("seeds = [1, 12]", "seeds = [1]", "seeds"),
            ("\"undecided\"", "\"perhaps\"", "verdict"),
            ("474.0", "nan", "latency.mean"),
            ("trail", "trial", "trail"),
        ] {
            let error = read(&text.replace(from, to)).unwrap_err().to_string();
            assert_eq!(error, format!("`{key}` is missing or is not what it should be"));
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_much(text in ".{0,200}", cut in 0_usize..600, put in "[\\[\\]{}=\"'a-z0-9\n]{0,6}") {
            let _ = read(&text);
            let whole = write(&blessed(), "a");
            let cut = (0..=cut.min(whole.len())).rev().find(|&at| whole.is_char_boundary(at)).unwrap();
            let _ = read(&format!("{}{put}{}", &whole[..cut], &whole[cut..]));
            let _ = read(&whole[..cut]);
        }
    }
}
