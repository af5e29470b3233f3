//! How names and lists read in a message, and which name was probably meant.

use super::failure::Mistake;

/// A name as a message quotes it: control characters escaped, and cut if it is absurdly long.
pub(crate) fn quoted(name: &str) -> String {
    const LONGEST: usize = 60;
    let shown: String = name.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    let cut = if name.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("`{shown}{cut}`")
}

/// `a`, `b` or `c`.
pub(crate) fn any_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "or")
}

/// `a`, `b` and `c`; of very many only the first.
pub(crate) fn all_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    joined(names, "and")
}

fn joined<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> String {
    // A message that lists a chain of sixty oracles helps nobody; all measures still find place.
    const MOST: usize = 32;
    let mut names: Vec<String> = names.into_iter().map(quoted).collect();
    if names.len() > MOST {
        let left = names.split_off(MOST).len();
        return format!("{} {word} {left} more", names.join(", "));
    }
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} {word} {last}", names.join(", ")),
    }
}

/// The name that was probably meant by `word`, if one is near enough.
pub(crate) fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nothing that anybody meant is longer, and comparing takes time in the product of both lengths.
    const LONGEST: usize = 64;
    if word.chars().count() > LONGEST {
        return None;
    }
    let plain = |name: &str| name.to_lowercase().replace(['_', ' '], "-");
    let word = plain(word);
    names
        .into_iter()
        .map(|name| (strsim::osa_distance(&word, &plain(name)), name))
        .filter(|(distance, name)| *distance <= (name.chars().count().max(word.chars().count()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Help for a name that nothing bears: the one probably meant, and all there are unless they would drown it.
pub(crate) fn meant<'a>(
    word: &str,
    what: &str,
    names: impl IntoIterator<Item = &'a str, IntoIter: Clone>,
) -> Vec<String> {
    const SHORT: usize = 8;
    let names = names.into_iter();
    let meant = nearest(word, names.clone()).map(|name| format!("did you mean {}?", quoted(name)));
    let all = (meant.is_none() || names.clone().count() <= SHORT).then(|| format!("{what}: {}", all_of(names)));
    meant.into_iter().chain(all).collect()
}

/// A mistake with these helps.
pub(crate) fn helped(mistake: Mistake, help: Vec<String>) -> Mistake {
    help.into_iter().fold(mistake, Mistake::help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_a_person_writes_them() {
        assert_eq!(any_of(["a"]), "`a`");
        assert_eq!(any_of(["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(all_of([]), "");
    }

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["image", "deploy", "source"];
        assert_eq!(nearest("imagee", names), Some("image"));
        assert_eq!(nearest("Deploy", names), Some("deploy"));
        assert_eq!(nearest("zebra", names), None);
        assert_eq!(nearest("while-working", ["while_working"]), Some("while_working"));
    }

    #[test]
    fn names_are_quoted_without_control_characters() {
        assert_eq!(quoted("a\u{1b}[31m"), "`a\\u{1b}[31m`");
        assert_eq!(quoted(&"x".repeat(100)).chars().count(), 63);
    }
}
