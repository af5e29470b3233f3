//! Places in a TOML document: every table, entry and value in it, from the outside in.

use toml_edit::{DocumentMut, Item, TableLike, Value as Toml};

/// A step from a node to one within.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// To what stands under a key.
    Key(String),
    /// To an entry by its number.
    At(usize),
}

/// A node, by the steps that lead to it.
pub(super) type Place = Vec<Step>;

/// A node that can be changed.
enum Node<'d> {
    Item(&'d mut Item),
    Table(&'d mut dyn TableLike),
    Value(&'d mut Toml),
}

/// Every node within the document, what holds others before them.
pub(super) fn all(document: &DocumentMut) -> Vec<Place> {
    let mut places = Vec::new();
    of_table(document.as_table(), &mut Vec::new(), &mut places);
    places
}

fn of_table(table: &dyn TableLike, here: &mut Place, places: &mut Vec<Place>) {
    for (key, item) in table.iter() {
        here.push(Step::Key(key.to_owned()));
        places.push(here.clone());
        match item {
            Item::Table(table) => of_table(table, here, places),
            Item::ArrayOfTables(tables) => {
                for (at, table) in tables.iter().enumerate() {
                    here.push(Step::At(at));
                    places.push(here.clone());
                    of_table(table, here, places);
                    here.pop();
                }
            }
            Item::Value(value) => of_value(value, here, places),
            Item::None => {}
        }
        here.pop();
    }
}

fn of_value(value: &Toml, here: &mut Place, places: &mut Vec<Place>) {
    match value {
        Toml::InlineTable(table) => of_table(table, here, places),
        Toml::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                here.push(Step::At(at));
                places.push(here.clone());
                of_value(value, here, places);
                here.pop();
            }
        }
        _ => {}
    }
}

fn step<'d>(node: Node<'d>, step: &Step) -> Option<Node<'d>> {
    match (node, step) {
        (Node::Item(Item::ArrayOfTables(tables)), Step::At(at)) => tables.get_mut(*at).map(|table| Node::Table(table)),
        (Node::Item(Item::Value(value)), _) => self::step(Node::Value(value), step),
        (Node::Item(Item::Table(table)), Step::Key(key)) => table.get_mut(key).map(Node::Item),
        (Node::Table(table), Step::Key(key)) => table.get_mut(key).map(Node::Item),
        (Node::Value(Toml::InlineTable(table)), Step::Key(key)) => table.get_mut(key).map(Node::Value),
        (Node::Value(Toml::Array(values)), Step::At(at)) => values.get_mut(*at).map(Node::Value),
        _ => None,
    }
}

fn find<'d>(document: &'d mut DocumentMut, place: &[Step]) -> Option<Node<'d>> {
    place.iter().try_fold(Node::Table(document.as_table_mut()), step)
}

/// Takes a node out, with what is within it.
pub(super) fn remove(document: &mut DocumentMut, place: &[Step]) {
    let Some((last, before)) = place.split_last() else { return };
    match (find(document, before), last) {
        (Some(Node::Table(table)), Step::Key(key)) => drop(table.remove(key)),
        (Some(Node::Item(Item::Table(table))), Step::Key(key)) => drop(table.remove(key)),
        (Some(Node::Item(Item::ArrayOfTables(tables))), Step::At(at)) => {
            tables.remove(*at);
        }
        (Some(Node::Value(value) | Node::Item(Item::Value(value))), last) => match (value, last) {
            (Toml::InlineTable(table), Step::Key(key)) => drop(table.remove(key)),
            (Toml::Array(values), Step::At(at)) => {
                values.remove(*at);
                values.fmt();
            }
            _ => {}
        },
        _ => {}
    }
}

/// The value at a place.
pub(super) fn value(document: &DocumentMut, place: &[Step]) -> Option<Toml> {
    let mut document = document.clone();
    match find(&mut document, place)? {
        Node::Value(value) | Node::Item(Item::Value(value)) => Some(value.clone()),
        _ => None,
    }
}

/// Puts another value in a value's place; comments stay.
pub(super) fn put(document: &mut DocumentMut, place: &[Step], new: &Toml) {
    if let Some(Node::Value(old) | Node::Item(Item::Value(old))) = find(document, place) {
        let decor = old.decor().clone();
        *old = new.clone();
        *old.decor_mut() = decor;
    }
}
