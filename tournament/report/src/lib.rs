//! Tables as terminal text, Markdown, HTML and CSV, and charts as SVG; all functions return strings.
//!
//! Build a [`Table`] of [`Column`]s and rows of [`Cell`]s; [`Table::to_text`], [`Table::to_markdown`],
//! [`Table::to_html`] and [`Table::to_csv`] format it. A cell holds the number, its column the format, so that one
//! table serves readers and scripts. Modules in reading order:
//!
//! - [`format`](mod@format): numbers, durations and counts for readers;
//! - [`sanitize`]: text of other programs made safe for a terminal;
//! - `table`: columns and cells;
//! - `text`, [`markdown`], [`html`], [`csv`]: a table in each format;
//! - [`plot`]: charts as SVG.

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
