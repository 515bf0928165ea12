//! Tables from numbers, as text for a terminal, as Markdown and as CSV.
//!
//! Build a [`Table`] of [`Column`]s and rows of [`Cell`]s; [`Table::to_text`], [`Table::to_markdown`] and
//! [`Table::to_csv`] write it. A cell holds the number itself, a column says how it is shown: so a page and a
//! file for scripts come from one table. [`plot`] draws charts as SVG; [`exit`] has the codes with which programs end.
//! Knows no chess, no statistics and no output: it returns strings.

mod csv;
pub mod exit;
pub mod format;
mod markdown;
pub mod plot;
mod table;
mod text;

pub use table::{Align, Cell, Column, Kind, Sign, Table};
