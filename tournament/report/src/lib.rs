//! Tables from numbers, as text for a terminal, as Markdown, as HTML and as CSV.
//!
//! Build a [`Table`] of [`Column`]s and rows of [`Cell`]s; [`Table::to_text`], [`Table::to_markdown`], [`Table::to_html`]
//! and [`Table::to_csv`] write it. A cell holds the number itself, a column says how it is shown: so a page and a
//! file for scripts come from one table. [`plot`] draws charts as SVG.
//! Knows no chess, no statistics and no output: it returns strings.

#![warn(missing_docs)]

pub mod csv;
pub mod format;
pub mod html;
pub mod markdown;
pub mod plot;
pub mod sanitize;
mod table;
mod text;

pub use format::Interval;
pub use table::{Align, Cell, Column, ColumnKind, Sign, Table};
