//! Tables as terminal text, Markdown, HTML and CSV, and charts as SVG.
//!
//! Build a [`Table`] of [`Column`]s and rows of [`Cell`]s; [`Table::to_text`], [`Table::to_markdown`],
//! [`Table::to_html`] and [`Table::to_csv`] format it. A cell holds the number, its column the format, so that one
//! table serves readers and scripts. [`plot`] draws charts. All functions return strings.

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
