//! Whatever the text, reading it ends in a scenario or in one message that says where.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use rehearsal::scenario::{Scenario, parse_duration};

const EXAMPLES: [&str; 2] = [include_str!("right/example.toml"), include_str!("right/ways.toml")];

/// Pieces of which wrong files are made.
const PIECES: [&str; 40] = [
    "\"",
    "\"\"\"",
    "'",
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ",",
    ".",
    "\n",
    "#",
    "-",
    "0",
    "18446744073709551616",
    "1e999",
    "nan",
    "true",
    "[[oracle]]",
    "[[policy]]",
    "[[expect]]",
    "[workload]",
    "name",
    "asks",
    "workload.",
    "image",
    "source",
    "\"0s\"",
    "\"99999d\"",
    "\u{feff}",
    "\u{0}",
    "\r",
    "ä",
    "🦀",
    "\u{202e}",
    "\t",
    "at",
    "every",
];

#[derive(Clone, Debug)]
enum Change {
    /// Put a piece in.
    Insert(Index, &'static str),
    /// Take some characters out.
    Remove(Index, usize),
    /// Put in again what stands somewhere else.
    Repeat(Index, Index, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), select(&PIECES[..])).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<Index>(), 1..40_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), any::<Index>(), 1..80_usize).prop_map(|(at, from, length)| Change::Repeat(at, from, length)),
    ]
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for change in changes {
        match change {
            Change::Insert(at, piece) => {
                let at = at.index(text.len() + 1);
                text.splice(at..at, piece.chars());
            }
            Change::Remove(at, length) => {
                let at = at.index(text.len() + 1);
                text.drain(at..text.len().min(at + length));
            }
            Change::Repeat(at, from, length) => {
                let from = from.index(text.len() + 1);
                let piece = text[from..text.len().min(from + length)].to_vec();
                let at = at.index(text.len() + 1);
                text.splice(at..at, piece);
            }
        }
    }
    text.into_iter().collect()
}

/// Reads it, and if it is wrong looks at the message.
fn read(text: &str) -> Result<(), TestCaseError> {
    let Err(failure) = Scenario::parse("any.toml", text) else { return Ok(()) };
    let shown = failure.render(false);
    prop_assert!(shown.starts_with("error: "), "{shown}");
    prop_assert!(shown.contains("any.toml:"), "{shown}");
    prop_assert!(shown.contains("help: "), "{shown}");
    let (line, column) = failure.position().expect("a place");
    prop_assert!(line <= text.lines().count() + 1 && column >= 1);
    prop_assert!(!failure.render(true).is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        read(&text)?;
    }

    #[test]
    fn any_pieces_are_read_or_refused(pieces in prop::collection::vec(select(&PIECES[..]), 0..40)) {
        read(&pieces.concat())?;
    }

    #[test]
    fn a_spoiled_scenario_is_read_or_refused(
        example in select(&EXAMPLES[..]),
        changes in prop::collection::vec(change(), 1..4),
    ) {
        read(&changed(example, &changes))?;
    }

    #[test]
    fn any_duration_is_read_or_refused(text in "[-0-9.a-zµ ]{0,12}") {
        // Whatever is read prints as something that reads alike.
        if let Ok(span) = parse_duration(&text) {
            prop_assert_eq!(parse_duration(&span.to_string()), Ok(span));
        }
    }
}
