//! A table: typed columns and rows of cells, independent of the output format.

use std::time::Duration;

pub use crate::format::Sign;
use crate::format::{self, Interval, MISSING, TwoPartText};
use crate::sanitize::sanitize;

/// Alignment of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Align {
    /// At the left edge: text.
    Left,
    /// At the right edge: numbers.
    Right,
}

/// Format of a column's cells. CSV has the unformatted numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnKind {
    /// Text, left-aligned by default.
    Text,
    /// Integers with thousands separators.
    Integer,
    /// Numbers with this number of decimals.
    Number(usize, Sign),
    /// `value ± error` with this number of decimals; two columns in CSV.
    Estimate(usize, Sign),
    /// `value ± error` with this number of decimals, or the known part of the interval; four columns in CSV.
    Interval(usize, Sign),
    /// A share in [0, 1], as a percentage with this number of decimals.
    Percent(usize),
    /// The two largest units; seconds in CSV.
    Duration,
}

/// Content of a cell. A value that does not fit its column's kind is shown unformatted.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cell {
    /// Unknown or not applicable.
    #[default]
    Missing,
    /// Text, shown as it is.
    Text(String),
    /// An integer, grouped in threes.
    Integer(i64),
    /// An integer that links to this id on an HTML page.
    Reference(i64, String),
    /// A number or a share; missing when not finite.
    Number(f64),
    /// A value and the half-width of its interval, if known.
    Estimate(f64, Option<f64>),
    /// A value with its interval.
    Interval(Interval),
    /// A span of time.
    Duration(Duration),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Cell::Integer(value)
    }
}

/// A count; values beyond `i64` are clamped.
impl From<u64> for Cell {
    fn from(value: u64) -> Cell {
        Cell::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Number(value)
    }
}

impl From<Duration> for Cell {
    fn from(value: Duration) -> Cell {
        Cell::Duration(value)
    }
}

impl From<Interval> for Cell {
    fn from(interval: Interval) -> Cell {
        Cell::Interval(interval)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Missing, Into::into)
    }
}

/// A column: header, kind and alignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub(crate) header: String,
    pub(crate) kind: ColumnKind,
    pub(crate) align: Align,
}

impl Column {
    /// A column with its kind's usual alignment: text left, numbers right.
    pub fn new(header: impl Into<String>, kind: ColumnKind) -> Column {
        let align = if kind == ColumnKind::Text { Align::Left } else { Align::Right };
        Column { header: header.into(), kind, align }
    }

    /// The column with this alignment.
    #[must_use]
    pub fn aligned(mut self, align: Align) -> Column {
        self.align = align;
        self
    }
}

/// A table of typed cells.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Moves the columns with these headers behind the first one, which names the row, in this order; unknown headers are
    /// ignored. A phone shows only the first few columns.
    #[must_use]
    pub fn leading(self, headers: &[&str]) -> Table {
        let place = |header: &&str| self.columns.iter().position(|column| column.header == **header);
        let first = (!self.columns.is_empty()).then_some(0);
        let leading = headers.iter().filter_map(place).filter(|place| Some(*place) != first);
        let mut order: Vec<usize> = first.into_iter().chain(leading).collect();
        order.extend((0..self.columns.len()).filter(|index| !order.contains(index)).collect::<Vec<_>>());
        let columns = order.iter().map(|&index| self.columns[index].clone()).collect();
        let in_order = |row: &Vec<Cell>| order.iter().map(|&index| row[index].clone()).collect();
        Table { columns, rows: self.rows.iter().map(in_order).collect() }
    }

    /// Adds a row. Missing cells are empty; surplus cells are dropped.
    pub fn push(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let mut row: Vec<Cell> = cells.into_iter().collect();
        row.resize(self.columns.len(), Cell::Missing);
        self.rows.push(row);
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Formats a cell by the kind of its column.
pub(crate) fn show(kind: ColumnKind, cell: &Cell) -> TwoPartText {
    let (decimals, sign) = match kind {
        ColumnKind::Number(decimals, sign)
        | ColumnKind::Estimate(decimals, sign)
        | ColumnKind::Interval(decimals, sign) => (decimals, sign),
        ColumnKind::Percent(decimals) => (decimals, Sign::Negative),
        ColumnKind::Text | ColumnKind::Integer | ColumnKind::Duration => (0, Sign::Negative),
    };
    match cell {
        Cell::Missing => TwoPartText::plain(MISSING.to_owned()),
        Cell::Text(text) => TwoPartText::plain(one_line(text)),
        Cell::Integer(value) if matches!(kind, ColumnKind::Number(..)) => {
            TwoPartText::plain(format::number(*value as f64, decimals, sign))
        }
        Cell::Integer(value) | Cell::Reference(value, _) => TwoPartText::plain(format::grouped(*value)),
        Cell::Number(value) if matches!(kind, ColumnKind::Percent(_)) => {
            TwoPartText::plain(format::percent(*value, decimals))
        }
        Cell::Number(value) => TwoPartText::plain(format::number(*value, decimals, sign)),
        Cell::Estimate(value, error) => {
            let interval = Interval { value: Some(*value), error: *error, ..Interval::default() };
            TwoPartText::of(&interval, decimals, sign)
        }
        Cell::Interval(interval) => TwoPartText::of(interval, decimals, sign),
        Cell::Duration(value) => TwoPartText::plain(format::duration(*value)),
    }
}

/// A text on one line, with other hidden characters escaped: names come from other programs.
pub(crate) fn one_line(text: &str) -> String {
    sanitize(&text.replace(['\r', '\n', '\t'], " "))
}
