//! Tables for a terminal: aligned by display width, decimal points and `±` below each other.

use unicode_width::UnicodeWidthStr;

use crate::table::{Align, Column, Shown, Table, one_line, show};

/// Between columns.
const GAP: &str = "  ";

impl Table {
    /// Aligned columns below their headers and a rule; each line ends with a line feed, none with spaces.
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

/// Pads values and errors apart, so that their `±` stand below each other.
fn joined_at_sign(shown: Vec<Shown>) -> Vec<String> {
    let width = shown.iter().filter_map(|cell| cell.error.as_deref()).map(UnicodeWidthStr::width).max();
    let Some(width) = width else {
        return shown.into_iter().map(|cell| cell.value).collect();
    };
    let joined = shown.into_iter().map(|Shown { value, error }| match error {
        Some(error) => format!("{value} ± {}", padded(&error, width, Align::Right)),
        None => format!("{value}   {}", " ".repeat(width)),
    });
    joined.collect()
}

fn padded(text: &str, width: usize, align: Align) -> String {
    let space = " ".repeat(width.saturating_sub(text.width()));
    match align {
        Align::Left => format!("{text}{space}"),
        Align::Right => format!("{space}{text}"),
    }
}
