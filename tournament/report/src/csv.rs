//! Tables for scripts and spreadsheets: RFC 4180.
//!
//! Numbers have all their digits, a decimal point and no grouping; shares are 0 to 1, durations seconds. An estimate
//! takes two columns, the second headed `… error`; an interval takes two more, `… low` and `… high`. Missing values
//! are empty. Texts that a spreadsheet would read as a formula get an apostrophe in front, since names come from
//! other programs.

use std::borrow::Cow;

use crate::format::Interval;
use crate::sanitize::sanitize;
use crate::table::{Cell, Column, ColumnKind, Table};

impl Table {
    /// A header and the rows; each line ends with carriage return and line feed.
    pub fn to_csv(&self) -> String {
        let headers = self.columns.iter().flat_map(|Column { header, kind, .. }| {
            let further = further(*kind).iter().map(move |what| harmless(&format!("{header} {what}")));
            [harmless(header)].into_iter().chain(further)
        });
        let mut text = record(headers);
        for row in &self.rows {
            let cells = self.columns.iter().zip(row);
            text += &record(cells.flat_map(|(column, cell)| fields(column.kind, cell)));
        }
        text
    }
}

/// Headers of the extra CSV columns of a kind.
fn further(kind: ColumnKind) -> &'static [&'static str] {
    match kind {
        ColumnKind::Estimate(..) => &["error"],
        ColumnKind::Interval(..) => &["error", "low", "high"],
        ColumnKind::Text
        | ColumnKind::Integer
        | ColumnKind::Number(..)
        | ColumnKind::Percent(_)
        | ColumnKind::Duration => &[],
    }
}

/// The value and its extra columns.
fn fields(kind: ColumnKind, cell: &Cell) -> impl Iterator<Item = String> {
    let (value, besides) = match cell {
        Cell::Missing => (String::new(), [None; 3]),
        Cell::Text(text) => (harmless(text), [None; 3]),
        Cell::Integer(value) | Cell::Reference(value, _) => (value.to_string(), [None; 3]),
        Cell::Number(value) => (number(*value), [None; 3]),
        Cell::Estimate(value, error) => (number(*value), [*error, None, None]),
        Cell::Interval(Interval { value, error, low, high }) => {
            (value.map(number).unwrap_or_default(), [*error, *low, *high])
        }
        Cell::Duration(value) => (number(value.as_secs_f64()), [None; 3]),
    };
    let besides = besides.map(|besides| besides.map(number).unwrap_or_default());
    [value].into_iter().chain(besides.into_iter().take(further(kind).len()))
}

fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// A text as one CSV field, for lines outside of tables.
pub fn field(text: &str) -> String {
    quoted(&harmless(text)).into_owned()
}

/// Removes terminal controls and neutralizes formulas (OWASP, *CSV Injection*), which begin with one of these
/// characters; signed numbers do too.
fn harmless(text: &str) -> String {
    let may_be_one = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let apostrophe = if may_be_one { "'" } else { "" };
    format!("{apostrophe}{}", sanitize(text))
}

fn record(fields: impl Iterator<Item = String>) -> String {
    let quoted: Vec<String> = fields.map(|field| quoted(&field).into_owned()).collect();
    format!("{}\r\n", quoted.join(","))
}

fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains(['"', ',', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_numbers() {
        assert_eq!(field("\u{1b}[2Jbo,"), "\"\\u{1b}[2Jbo,\"");
    }
}
