//! Reports as text, Markdown or CSV: tables, lists and sentences. `cli` prints them.

mod comparison;
mod history;
mod run;
mod score;
mod side_by_side;

use smalt_report::{Table, markdown};

pub(crate) use comparison::{changes, comparison_report};
pub(crate) use history::{history_plot, history_report};
pub(crate) use run::{failures, positions, run_report};
pub(crate) use score::score_plot;
pub(crate) use side_by_side::side_by_side;

/// Format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportStyle {
    Text,
    Markdown,
}

/// Heading and body of a section.
pub(crate) struct Section {
    heading: String,
    parts: Vec<ReportPart>,
}

enum ReportPart {
    Lines(Vec<String>),
    Table(Table),
}

impl Section {
    fn new(heading: impl Into<String>) -> Section {
        Section { heading: heading.into(), parts: Vec::new() }
    }

    fn table(&mut self, table: Table) {
        if !table.is_empty() {
            self.parts.push(ReportPart::Table(table));
        }
    }

    /// Adds lines, each a complete sentence.
    fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        let lines: Vec<String> = lines.into_iter().collect();
        if !lines.is_empty() {
            self.parts.push(ReportPart::Lines(lines));
        }
    }

    fn write(&self, style: ReportStyle) -> String {
        let mut text = match style {
            ReportStyle::Text => format!("{}\n", self.heading),
            ReportStyle::Markdown => format!("## {}\n", markdown::escaped(&self.heading)),
        };
        for part in &self.parts {
            text.push('\n');
            match (part, style) {
                (ReportPart::Table(table), ReportStyle::Text) => text.push_str(&table.to_text()),
                (ReportPart::Table(table), ReportStyle::Markdown) => text.push_str(&table.to_markdown()),
                (ReportPart::Lines(lines), ReportStyle::Text) => {
                    text.extend(lines.iter().map(|line| format!("{line}\n")))
                }
                (ReportPart::Lines(lines), ReportStyle::Markdown) => {
                    text.extend(lines.iter().map(|line| format!("- {}\n", markdown::escaped(line))));
                }
            }
        }
        text
    }
}

/// Solution of a position: `Qg6, not Rd6`.
fn right(best: &[String], avoid: &[String]) -> String {
    let avoid = avoid.iter().map(|mv| format!("not {mv}"));
    best.iter().cloned().chain(avoid).collect::<Vec<_>>().join(", ")
}
