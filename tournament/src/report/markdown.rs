//! Report for a pull request: tables, descriptions of faults, and folded settings.

use std::fmt::Write;

use smalt_report::Table;
use smalt_report::markdown::escaped;

use super::{COLUMNS, RunReport, settings};
use smalt_match::standings::report as tables;
use smalt_match::store::StoredFault;

/// Maximum number of described faults.
const FAULTS_LISTED: usize = 10;

/// The report as Markdown.
pub(crate) fn markdown(report: &RunReport) -> String {
    let mut text = format!("## {}\n\n{}\n", escaped(report.plan.name()), escaped(&report.summary()));
    if let Some(state) = report.standings.test() {
        write!(text, "\n```\n{}```\n", tables::test(&state)).expect("a string takes any text");
    }
    for words in report.absences() {
        write!(text, "\n{}\n", escaped(&words)).expect("a string takes any text");
    }
    let table = |text: &mut String, (heading, table): (&str, Table)| {
        write!(text, "\n### {heading}\n\n{}", table.leading(&COLUMNS).to_markdown())
            .expect("a string takes any text");
    };
    report.results().into_iter().for_each(|part| table(&mut text, part));
    if let Some(note) = report.notes() {
        write!(text, "\n{}\n", escaped(note.trim_end())).expect("a string takes any text");
    }
    report.conduct().into_iter().for_each(|part| table(&mut text, part));
    text.push_str(&faults(report));
    let (engines, facts) = (settings::engines(report).to_markdown(), settings::facts(report).to_markdown());
    write!(text, "\n<details><summary>Settings</summary>\n\n{engines}\n{facts}\n</details>\n")
        .expect("a string takes any text");
    text
}

fn faults(report: &RunReport) -> String {
    if report.faults.count == 0 {
        return String::new();
    }
    let mut text = "\n### Faults\n\n".to_owned();
    let listed = &report.faults.first[..report.faults.first.len().min(FAULTS_LISTED)];
    for StoredFault { game, fault } in listed {
        let place = game.map_or_else(|| "Between games".to_owned(), |number| format!("Game {}", number + 1));
        let line = format!("{place}: {} {}", report.name_of(fault.entrant), fault.words);
        writeln!(text, "- {}", escaped(&line)).expect("a string takes any text");
    }
    let more = report.faults.count - listed.len();
    if more > 0 {
        writeln!(text, "- and {more} more").expect("a string takes any text");
    }
    text
}
