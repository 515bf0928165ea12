//! Table of several engines on one suite by theme, with ranks.

use smalt_report::{Align, Column, ColumnKind, Table};

use super::{ReportStyle, Section};
use crate::record::{self, Record};

/// Each engine's points in percent and rank, by theme. Empty for fewer than two runs.
pub(crate) fn side_by_side(runs: &[&Record], style: ReportStyle) -> String {
    let Some(first) = runs.first().filter(|_| runs.len() > 1) else { return String::new() };
    let engines =
        runs.iter().map(|run| Column::new(run.engine.as_str(), ColumnKind::Text).aligned(Align::Right));
    let mut table = Table::new(std::iter::once(Column::new("Theme", ColumnKind::Text)).chain(engines));
    let mut row = |name: &str, points: Vec<(u64, u64)>| {
        let ranks = ranks(&points);
        let cells = points
            .iter()
            .zip(ranks)
            .map(|(&(points, most), rank)| format!("{:.1}% ({rank})", record::percent(points, most)).into());
        table.push(std::iter::once(name.into()).chain(cells));
    };
    for (index, theme) in first.themes.iter().enumerate().filter(|_| first.themes.len() > 1) {
        let points = runs
            .iter()
            .map(|run| run.themes.get(index).map_or((0, 0), |theme| (theme.points, theme.max_points)));
        row(&theme.name, points.collect());
    }
    row("Total", runs.iter().map(|run| (run.points, run.max_points)).collect());
    let mut section = Section::new(format!("{}: percent of points, and rank", first.suite));
    section.table(table);
    section.write(style)
}

/// Ranks by points, from 1; ties share the better rank.
fn ranks(points: &[(u64, u64)]) -> Vec<usize> {
    points.iter().map(|own| 1 + points.iter().filter(|other| other.0 > own.0).count()).collect()
}
