//! Parts of pages.

use maud::{Markup, html};

use crate::report::picture::of_policy;
use crate::report::table::Table;

/// A table of text as one of HTML. It scrolls on a narrow screen, by keyboard too.
pub(super) fn table(table: &Table) -> Markup {
    let class = |column: usize| table.holds_words(column).then_some("w");
    let heading = |text: &str| text.replace("-\n", "").replace('\n', " ");
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table" {
            table {
                thead {
                    tr {
                        @for (column, header) in table.headers().iter().enumerate() {
                            th class=[class(column)] scope="col" { (heading(header)) }
                        }
                    }
                }
                tbody {
                    @for row in table.rows() {
                        tr {
                            @for (column, cell) in row.iter().enumerate() {
                                @if column == 0 {
                                    th scope="row" { (cell.replace("-\n", "-").replace('\n', "")) }
                                } @else {
                                    td class=[class(column)] { (cell) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A policy's sign: where a colour comes again, its shape is another.
pub(super) fn swatch(policy: usize) -> Markup {
    let class = format!("f{}", of_policy(policy));
    let shape = match policy / 8 % 3 {
        0 => "M0 0h10v10H0z",
        1 => "M5 0l5 5l-5 5l-5 -5z",
        _ => "M0 10L5 0l5 10z",
    };
    html! { svg.swatch viewBox="0 0 10 10" aria-hidden="true" { path class=(class) d=(shape) {} } }
}

/// A word of a command, quoted where a shell would take it apart.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:@%+*".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_gets_each_word_whole() {
        assert_eq!(shell_word("read-always"), "read-always");
        assert_eq!(shell_word("two words"), "'two words'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
        assert_eq!(shell_word("$(rm)"), "'$(rm)'");
    }
}
