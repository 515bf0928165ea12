//! Tables for a terminal, aligned by display width, with decimal points and `±` below each other.

use unicode_width::UnicodeWidthStr;

use crate::format::{Spread, TwoPartText};
use crate::table::{Align, Column, Table, one_line, show};

/// Gap between two columns.
const GAP: &str = "  ";

impl Table {
    /// Aligned columns below headers and a rule; each line ends with a line feed, without trailing spaces.
    pub fn to_text(&self) -> String {
        let columns: Vec<Vec<String>> = (0..self.columns.len()).map(|index| self.column(index)).collect();
        let mut text = String::new();
        for line in 0..self.rows.len() + 2 {
            let cells: Vec<&str> = columns.iter().map(|column| column[line].as_str()).collect();
            text.push_str(cells.join(GAP).trim_end());
            text.push('\n');
        }
        text
    }

    /// All lines of a column, padded to one width.
    fn column(&self, index: usize) -> Vec<String> {
        let Column { header, kind, align } = &self.columns[index];
        let shown = self.rows.iter().map(|row| show(*kind, &row[index]));
        let cells = joined_at_sign(shown.collect());
        let header = one_line(header);
        let width = cells.iter().chain([&header]).map(|cell| cell.width()).max().unwrap_or(0);
        let mut lines = vec![padded(&header, width, *align), "─".repeat(width)];
        lines.extend(cells.iter().map(|cell| padded(cell, width, *align)));
        lines
    }
}

/// Pads values and spreads separately, so that the `±` are aligned.
fn joined_at_sign(shown: Vec<TwoPartText>) -> Vec<String> {
    let error = |cell: &TwoPartText| if let Spread::Error(error) = &cell.spread { error.width() } else { 0 };
    let errors = shown.iter().map(error).max().unwrap_or(0);
    let join = |TwoPartText { value, spread }| match spread {
        Spread::Error(error) => (value, format!(" ± {}", padded(&error, errors, Align::Right))),
        Spread::Ends(ends) => (value, format!(" {ends}")),
        Spread::Unknown => (value, String::new()),
    };
    let parts: Vec<(String, String)> = shown.into_iter().map(join).collect();
    let width = parts.iter().map(|(_, spread)| spread.width()).max().unwrap_or(0);
    parts.into_iter().map(|(value, spread)| value + &padded(&spread, width, Align::Left)).collect()
}

fn padded(text: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => format!("{text}{space}"),
        Align::Right => format!("{space}{text}"),
    }
}
