//! Events of the YAML parser in, documents out.

use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::Number;

use super::{Document, Entry, Node, Value};
use crate::scenario::failure::{Lines, Mistake, Place, Read};
use crate::scenario::wording::quoted;

/// No chain nests deeper.
const DEEPEST: usize = 64;
/// No chain has more values, aliases written out.
const MOST_NODES: usize = 100_000;
/// No chain has more text, aliases written out, in bytes.
const MOST_TEXT: usize = 16 << 20;

/// The documents of a file, empty ones left out.
pub(crate) fn read(text: &str) -> Read<Vec<Document>> {
    let options = granit_parser::options! { flow_nesting_limit: DEEPEST, block_nesting_limit: DEEPEST };
    let mut reader = Reader { text, ..Reader::default() };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| not_yaml(text, &error))?;
        reader.event(event, place(&span, text))?;
    }
    Ok(reader.done)
}

fn place(span: &Span, text: &str) -> Place {
    span.byte_range().unwrap_or(text.len()..text.len())
}

fn not_yaml(text: &str, error: &ScanError) -> Mistake {
    let at = error.marker().byte_offset().unwrap_or(text.len()).min(text.len());
    let at = (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    let info = error.info();
    let deep = info.contains("nest") || info.contains("recursion") || info.contains("depth");
    let mistake = Mistake::at(at..end, format!("this is not YAML that can be read: {info}"));
    if deep { mistake.help(format!("values may nest {DEEPEST} deep")) } else { mistake.help(INDENTS) }
}

const INDENTS: &str = "indent with spaces, and put text that holds `: ` or ` #` in quotes";

/// A list or a map that is being read.
struct Open {
    place: Place,
    anchor: usize,
    holds: Holds,
}

enum Holds {
    List(Vec<Node>),
    Map(Vec<Entry>, Option<(String, Place)>),
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    open: Vec<Open>,
    done: Vec<Document>,
    /// What an anchor names, and how large that is.
    anchors: HashMap<usize, (Node, Size)>,
    sizes: Vec<Size>,
    total: Size,
    /// ytt in comments: where, and what.
    ytt: Vec<(Place, String)>,
    root: Option<Node>,
}

/// How much a value comes to, with its aliases written out.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    text: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, place: Place) -> Read<()> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let value = if plain { resolved(&text) } else { Value::Text(text.into_owned()) };
                let size = Size { nodes: 1, text: place.len() };
                self.grow(size, &place)?;
                self.put(Node { place, value }, anchor, size)
            }
            Event::SequenceStart(_, anchor, _) => self.begin(place, anchor, Holds::List(Vec::new())),
            Event::MappingStart(_, anchor, _) => self.begin(place, anchor, Holds::Map(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(id) => {
                let (node, size) = self.anchors.get(&id).cloned().ok_or_else(|| {
                    Mistake::at(place.clone(), "this alias stands inside what it names").help("write the value out")
                })?;
                self.grow(size, &place)?;
                self.put(Node { place, ..node }, 0, size)
            }
            Event::Comment(text, _) => {
                if let Some(ytt) = text.strip_prefix('@') {
                    self.ytt.push((place, ytt.trim().to_owned()));
                }
                Ok(())
            }
            Event::DocumentEnd => {
                self.document();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether there may be so much more.
    fn grow(&mut self, size: Size, place: &Place) -> Read<()> {
        self.total = Size { nodes: self.total.nodes + size.nodes, text: self.total.text + size.text };
        for outer in &mut self.sizes {
            *outer = Size { nodes: outer.nodes + size.nodes, text: outer.text + size.text };
        }
        if self.total.nodes > MOST_NODES {
            return Err(Mistake::at(place.clone(), format!("there are more than {MOST_NODES} values"))
                .help("aliases count for what they stand for; import only the files of the chain"));
        }
        if self.total.text > MOST_TEXT {
            return Err(Mistake::at(place.clone(), format!("there are more than {} MiB of text", MOST_TEXT >> 20))
                .help("aliases count for what they stand for; import only the files of the chain"));
        }
        Ok(())
    }

    fn begin(&mut self, place: Place, anchor: usize, holds: Holds) -> Read<()> {
        if self.open.len() == DEEPEST {
            return Err(Mistake::at(place, "this nests too deep").help(format!("values may nest {DEEPEST} deep")));
        }
        self.grow(Size { nodes: 1, text: 0 }, &place)?;
        self.sizes.push(Size { nodes: 1, text: 0 });
        self.open.push(Open { place, anchor, holds });
        Ok(())
    }

    fn end(&mut self) -> Read<()> {
        let Open { place, anchor, holds } = self.open.pop().expect("what ends was begun");
        let size = self.sizes.pop().expect("what ends was begun");
        let value = match holds {
            Holds::List(items) => Value::List(items),
            Holds::Map(entries, _) => Value::Map(merged(entries)?),
        };
        self.put(Node { place, value }, anchor, size)
    }

    /// A value is complete: it goes where it belongs.
    fn put(&mut self, node: Node, anchor: usize, size: Size) -> Read<()> {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.holds) {
            None => self.root = Some(node),
            Some(Holds::List(items)) => items.push(node),
            Some(Holds::Map(entries, key)) => match key.take() {
                Some((key, key_place)) => entries.push(Entry { key, key_place, node }),
                None => *key = Some((key_text(&node, self.text)?, node.place)),
            },
        }
        Ok(())
    }

    fn document(&mut self) {
        let ytt = std::mem::take(&mut self.ytt);
        self.anchors.clear();
        let Some(mut root) = self.root.take() else { return };
        let lines = Lines::of(self.text);
        let mut beside: HashMap<usize, (Place, String)> =
            ytt.into_iter().map(|(place, text)| (lines.number(place.start), (place, text))).collect();
        expressions(&mut root, None, &lines, &mut beside);
        let deciding = |text: &str| {
            ["if", "elif", "else", "for", "while", "def"].iter().any(|word| {
                text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            })
        };
        let mut controls: Vec<Place> =
            beside.into_values().filter(|(_, text)| deciding(text)).map(|(place, _)| place).collect();
        controls.sort_by_key(|place| place.start);
        if root.value != Value::Null {
            self.done.push(Document { root, controls });
        }
    }
}

/// A value that is left empty beside a ytt expression is the expression's.
fn expressions(node: &mut Node, key: Option<&Place>, lines: &Lines, beside: &mut HashMap<usize, (Place, String)>) {
    match &mut node.value {
        Value::Null => {
            let line = lines.number(key.unwrap_or(&node.place).start);
            if let Some((place, text)) = beside.remove(&line) {
                *node = Node { place, value: Value::Ytt(text) };
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| expressions(item, None, lines, beside)),
        Value::Map(entries) => {
            for entry in entries {
                expressions(&mut entry.node, Some(&entry.key_place), lines, beside);
            }
        }
        _ => {}
    }
}

/// Keys may be anything that reads as a word.
fn key_text(node: &Node, text: &str) -> Read<String> {
    match &node.value {
        Value::Text(key) => Ok(key.clone()),
        Value::List(_) | Value::Map(_) => Err(Mistake::at(node.place.clone(), "a key must be text")
            .help("Kubernetes objects have only text for keys; put templates of other tools in quotes")),
        _ => Ok(text.get(node.place.clone()).unwrap_or_default().to_owned()),
    }
}

/// A map without keys that stand in it twice, and with what `<<` brings in.
fn merged(entries: Vec<Entry>) -> Read<Vec<Entry>> {
    let mut seen = HashSet::new();
    for entry in &entries {
        if !seen.insert(entry.key.as_str()) {
            let first = entries.iter().find(|first| first.key == entry.key).expect("it was seen");
            return Err(Mistake::at(
                entry.key_place.clone(),
                format!("the key {} stands here twice", quoted(&entry.key)),
            )
            .also(first.key_place.clone(), "the first")
            .help("keep one of the two"));
        }
    }
    if !seen.contains("<<") {
        return Ok(entries);
    }
    let (merges, mut own): (Vec<Entry>, Vec<Entry>) = entries.into_iter().partition(|entry| entry.key == "<<");
    for merge in merges {
        let sources = match merge.node.value {
            Value::List(items) => items,
            _ => vec![merge.node],
        };
        for source in sources {
            let Value::Map(more) = source.value else {
                return Err(Mistake::at(source.place, "`<<` wants a map, or a list of maps")
                    .help("write an alias of a map behind it: `<<: *name`"));
            };
            for entry in more {
                if own.iter().all(|other| other.key != entry.key) {
                    own.push(entry);
                }
            }
        }
    }
    Ok(own)
}

/// What a plain scalar means in the core schema of YAML 1.2.
fn resolved(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Flag(true),
        "false" | "False" | "FALSE" => return Value::Flag(false),
        _ => {}
    }
    let number = || {
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return None;
        }
        let radix = |prefix, radix| i64::from_str_radix(text.strip_prefix(prefix)?, radix).ok();
        let whole = text.parse().ok().or_else(|| radix("0x", 16)).or_else(|| radix("0o", 8));
        whole.map(Number::from).or_else(|| {
            let plain = digits.chars().all(|c| c.is_ascii_digit() || ".eE+-".contains(c));
            Number::from_f64(text.parse().ok().filter(|_| plain)?)
        })
    };
    number().map_or_else(|| Value::Text(text.to_owned()), Value::Number)
}
