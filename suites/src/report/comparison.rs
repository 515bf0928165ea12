//! Report of the comparison of two runs.

use smalt_report::format::{number, percent};
use smalt_report::{Cell, Column, ColumnKind, Sign, Table};

use super::{ReportStyle, Section, right};
use crate::compare::{ChangedPosition, ComparedRun, Comparison, ComparisonVerdict, TOTAL};

/// Totals, changes and verdict; over several suites without the changes, which each suite lists.
pub(crate) fn comparison_report(comparison: &Comparison, style: ReportStyle) -> String {
    let mut section = Section::new(format!(
        "{}: {} against {}",
        comparison.suite,
        label(&comparison.second),
        label(&comparison.first)
    ));
    section.table(totals(comparison));
    section.lines(meaning(comparison));
    let mut text = section.write(style);
    if comparison.suite == TOTAL {
        return text;
    }
    for (heading, changes) in
        [("Newly solved", &comparison.newly_solved), ("Newly lost", &comparison.newly_lost)]
    {
        if !changes.is_empty() {
            let mut section = Section::new(format!("{heading}: {}", changes.len()));
            section.table(changed(changes));
            text.push('\n');
            text.push_str(&section.write(style));
        }
    }
    text
}

fn label(side: &ComparedRun) -> String {
    side.limit.as_ref().map_or_else(|| side.engine.clone(), |limit| format!("{} ({limit})", side.engine))
}

fn totals(comparison: &Comparison) -> Table {
    let mut table = Table::new([
        Column::new("", ColumnKind::Text),
        Column::new("First", ColumnKind::Integer),
        Column::new("Second", ColumnKind::Integer),
        Column::new("Difference", ColumnKind::Number(0, Sign::Both)),
    ]);
    let (first, second) = (&comparison.first, &comparison.second);
    let mut row = |name: &str, first: u64, second: u64| {
        table.push([name.into(), first.into(), second.into(), Cell::Number(second as f64 - first as f64)]);
    };
    row("Solved", first.solved as u64, second.solved as u64);
    row("Points", first.points, second.points);
    table
}

fn meaning(comparison: &Comparison) -> Vec<String> {
    let mut lines = vec![format!(
        "Solved: {} gained, {} lost; p = {} (McNemar's exact test)",
        comparison.newly_solved.len(),
        comparison.newly_lost.len(),
        number(comparison.p_value, 4, Sign::Negative)
    )];
    if let (Some(low), Some(high)) = (comparison.points_low, comparison.points_high) {
        lines.push(format!(
            "Points: {}, {} interval [{}, {}] (paired bootstrap)",
            number(comparison.points as f64, 0, Sign::Both),
            percent(0.95, 0),
            number(low, 0, Sign::Both),
            number(high, 0, Sign::Both),
        ));
    }
    lines.push(match comparison.verdict {
        ComparisonVerdict::Better => "Verdict: better".to_owned(),
        ComparisonVerdict::Worse => "Verdict: worse".to_owned(),
        ComparisonVerdict::Noise => "Verdict: no significant difference".to_owned(),
    });
    if comparison.unpaired > 0 {
        lines.push(format!(
            "Skipped: {} positions that only one of the runs has answered",
            comparison.unpaired
        ));
    }
    lines
}

fn changed(changes: &[ChangedPosition]) -> Table {
    let mut table = Table::new([
        Column::new("Position", ColumnKind::Text),
        Column::new("First", ColumnKind::Text),
        Column::new("Second", ColumnKind::Text),
        Column::new("Right", ColumnKind::Text),
    ]);
    for change in changes {
        table.push([
            change.id.as_str().into(),
            change.first.clone().into(),
            change.second.clone().into(),
            right(&change.best, &change.avoid).into(),
        ]);
    }
    table
}

/// All changes of all comparisons, one per row, for scripts.
pub(crate) fn changes(comparisons: &[Comparison]) -> Table {
    let headers =
        ["suite", "first_engine", "second_engine", "change", "id", "fen", "first", "second", "right"];
    let mut table = Table::new(headers.map(|header| Column::new(header, ColumnKind::Text)));
    for comparison in comparisons.iter().filter(|comparison| comparison.suite != TOTAL) {
        for (name, changes) in [("solved", &comparison.newly_solved), ("lost", &comparison.newly_lost)] {
            for change in changes {
                table.push([
                    comparison.suite.as_str().into(),
                    comparison.first.engine.as_str().into(),
                    comparison.second.engine.as_str().into(),
                    name.into(),
                    change.id.as_str().into(),
                    change.fen.as_str().into(),
                    change.first.clone().into(),
                    change.second.clone().into(),
                    right(&change.best, &change.avoid).into(),
                ]);
            }
        }
    }
    table
}
