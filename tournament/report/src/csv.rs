//! Tables for scripts and spreadsheets: RFC 4180.
//!
//! Numbers stand as they are, with all their digits, a point and no grouping; shares from 0 to 1, durations in
//! seconds; an estimate takes two columns, the second headed `… error`; what is missing is empty. Texts that a spreadsheet
//! would take for a formula have an apostrophe before them, since names come from foreign programs.

use std::borrow::Cow;

use crate::table::{Cell, Column, Kind, Table};

impl Table {
    /// A header and the rows; each line ends with carriage return and line feed.
    pub fn to_csv(&self) -> String {
        let headers = self.columns.iter().flat_map(|Column { header, kind, .. }| {
            let error = matches!(kind, Kind::Estimate(..)).then(|| harmless(&format!("{header} error")));
            [Some(harmless(header)), error].into_iter().flatten()
        });
        let mut text = record(headers);
        for row in &self.rows {
            let cells = self.columns.iter().zip(row);
            text += &record(cells.flat_map(|(column, cell)| fields(column.kind, cell).into_iter().flatten()));
        }
        text
    }
}

/// One field, or two in a column of estimates.
fn fields(kind: Kind, cell: &Cell) -> [Option<String>; 2] {
    let (value, error) = match cell {
        Cell::Missing => (String::new(), None),
        Cell::Text(text) => (harmless(text), None),
        Cell::Integer(value) | Cell::Reference(value, _) => (value.to_string(), None),
        Cell::Number(value) => (number(*value), None),
        Cell::Estimate(value, error) => (number(*value), error.map(number)),
        Cell::Duration(value) => (number(value.as_secs_f64()), None),
    };
    let has_two = matches!(kind, Kind::Estimate(..));
    [Some(value), has_two.then(|| error.unwrap_or_default())]
}

fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// A text as a field of its own, for lines that are no table.
pub fn field(text: &str) -> String {
    quoted(&harmless(text)).into_owned()
}

/// No formula (OWASP, *CSV Injection*): those begin with one of these, as signed numbers do.
fn harmless(text: &str) -> String {
    let may_be_one = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let apostrophe = if may_be_one { "'" } else { "" };
    format!("{apostrophe}{text}")
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
