//! A chain as the text of a scenario.

use std::fmt::Write as _;

use super::chain::{Link, SOURCE};

/// What stands above the chain.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub name: String,
    pub about: String,
    pub source: String,
    pub owner: Option<String>,
    pub files: Vec<String>,
}

/// The scenario.
pub(crate) fn scenario(head: &Head, links: &[Link]) -> String {
    let fields = fields(links);
    let changing = fields.iter().find(|field| *field == SOURCE).unwrap_or(&fields[0]);
    let names: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    let mut text = String::new();
    comment(&mut text, &format!("Imported by `rehearsal import` from {}.", counted(&head.files)));
    if let Some(owner) = &head.owner {
        comment(&mut text, &format!("For {owner}."));
    }
    line(&mut text, "about", &quoted(&short(&format!("{}: {}", head.about, names.join(", ")))));
    if !head.source.is_empty() {
        line(&mut text, "source", &quoted(&head.source));
    }
    text.push_str("horizon = \"12h\"\n\n[workload]\n");
    line(&mut text, "fields", &list(&fields));
    for link in links {
        text.push('\n');
        comment(&mut text, &link.told);
        text.push_str("[[oracle]]\n");
        line(&mut text, "name", &quoted(&link.name));
        match link.profile {
            Some(profile) => line(&mut text, "like", &quoted(&profile.name)),
            None => comment(&mut text, "Not in the catalogue: say here how it behaves, and how long its work takes."),
        }
        line(&mut text, "asks", &list(&link.asks));
        for (key, value, reason) in &link.settings {
            comment(&mut text, &sentence(reason));
            line(&mut text, key, value);
        }
    }
    let _ = write!(
        text,
        "\n\
         # Not in the YAML: what happens to the chain. Here all fields are set once, then {changing} changes for a working day.\n\
         [[update]]\n\
         at = \"0s\"\n\
         set = {all}\n\
         \n\
         [[update]]\n\
         from = \"1m\"\n\
         until = \"8h\"\n\
         every = {{ exponential = \"10m\" }}\n\
         set = [{set}]\n\
         \n\
         # Cartographer looks again every ten hours even if nothing wakes it.\n\
         [choreographer]\n\
         watch = \"100ms\"\n\
         resync = \"10h\"\n",
        all = list(&fields),
        set = quoted(changing),
    );
    text
}

/// The workload's fields that are asked, in the order in which they first are.
fn fields(links: &[Link]) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    for field in links.iter().flat_map(|link| &link.asks).filter_map(|ask| ask.strip_prefix("workload.")) {
        if fields.iter().all(|other| other != field) {
            fields.push(field.to_owned());
        }
    }
    if fields.is_empty() { vec![SOURCE.to_owned()] } else { fields }
}

fn counted(files: &[String]) -> String {
    match files {
        [one] => plain(one),
        [first, others @ ..] => format!("{} and {} more", plain(first), others.len()),
        [] => "nothing".into(),
    }
}

/// With a capital and a full stop; a path keeps how it is written.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase()).into_iter();
    format!("{}.", first.chain(chars).collect::<String>().trim_end_matches('.'))
}

fn line(text: &mut String, key: &str, value: &str) {
    let _ = writeln!(text, "{key} = {value}");
}

fn comment(text: &mut String, says: &str) {
    let _ = writeln!(text, "# {}", plain(says));
}

/// What stands in a comment is one line without control characters.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn short(text: &str) -> String {
    const LONGEST: usize = 100;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST - 1).chain(['…']).collect()
    }
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
}

/// Text as TOML writes it.
fn quoted(text: &str) -> String {
    toml_edit::Value::from(plain(text)).to_string().trim().to_owned()
}
