//! The history of an engine's builds, for people.

use super::{Section, Style};
use crate::history::History;

/// The improvement table, and how its builds were measured.
pub fn history_report(history: &History, style: Style) -> String {
    let mut section = Section::new("Improvements");
    section.table(history.table());
    let mut text = section.write(style);
    let mut section = Section::new("Measurements");
    section.table(history.measurements());
    text.push('\n');
    text.push_str(&section.write(style));
    text
}
