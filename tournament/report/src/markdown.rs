//! Texts and tables for pull requests: GitHub's Markdown, with pipe tables.

use crate::table::{Align, Table, one_line, show};

impl Table {
    /// A pipe table; each line ends with a line feed. Markdown's special characters are escaped.
    pub fn to_markdown(&self) -> String {
        let mut text = line(self.columns.iter().map(|column| escaped(&column.header)));
        text += &line(self.columns.iter().map(|column| match column.align {
            Align::Left => ":--".to_owned(),
            Align::Right => "--:".to_owned(),
        }));
        for row in &self.rows {
            let cells = self.columns.iter().zip(row);
            text += &line(cells.map(|(column, cell)| escaped(&show(column.kind, cell).joined())));
        }
        text
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let mut text = String::from("|");
    for cell in cells {
        text.push(' ');
        text.push_str(&cell);
        text.push_str(" |");
    }
    text.push('\n');
    text
}

/// Zero-width space between `@` and a name, or `#` and a number.
const GAP: &str = "&#8203;";

/// Escapes a text for one line of Markdown: special characters of Markdown and HTML, and hidden ones; line ends become
/// spaces. GitHub looks for `@name` and `#12` in rendered Markdown, after backslashes are removed; a
/// zero-width space prevents mentions and issue links.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let text = one_line(text);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if matches!(letter, '\\' | '|' | '*' | '`' | '<' | '&' | '[' | '_' | '~') {
            escaped.push('\\');
        }
        escaped.push(letter);
        if matches!(letter, '@' | '#') && letters.peek().is_some_and(|next| next.is_alphanumeric()) {
            escaped.push_str(GAP);
        }
    }
    escaped
}
