//! Differences between two sets of weights, by group and by weight.

use smalt::evaluation::Parameters;
use smalt::evaluation::schema::{SCHEMA, from_tenths};
use smalt_report::{Cell, Column, ColumnKind, Sign, Table};

use super::source::{Comments, SourceError, marked_numbers};
use super::{entry_of, name_of};

/// A weight whose numbers differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub name: String,
    /// [middlegame, endgame] before.
    pub before: [f64; 2],
    /// [middlegame, endgame] after.
    pub after: [f64; 2],
}

/// Changes in a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupChange {
    pub group: &'static str,
    pub weights: usize,
    /// Changed weights, in schema order.
    pub changes: Vec<Change>,
    /// Mean difference over all weights of the group, [middlegame, endgame].
    pub mean: [f64; 2],
    /// Root mean square difference over all numbers of the group.
    pub spread: f64,
}

/// Differences of each group, in schema order.
pub fn differences(before: &Parameters, after: &Parameters) -> Vec<GroupChange> {
    let mut groups: Vec<GroupChange> = Vec::new();
    for entry in &SCHEMA {
        if groups.last().is_none_or(|last| last.group != entry.group) {
            let changes = Vec::new();
            groups.push(GroupChange { group: entry.group, weights: 0, changes, mean: [0.0; 2], spread: 0.0 });
        }
    }
    for (weight, (before, after)) in before.tenths().zip(after.tenths()).enumerate() {
        let group = entry_of(weight).group;
        let sums = groups.iter_mut().find(|sums| sums.group == group).expect("every group was added");
        let [before, after] = [before, after].map(|pair| pair.map(from_tenths));
        sums.weights += 1;
        for half in 0..2 {
            let difference = after[half] - before[half];
            sums.mean[half] += difference;
            sums.spread += difference * difference;
        }
        if before != after {
            sums.changes.push(Change { name: name_of(weight), before, after });
        }
    }
    for sums in &mut groups {
        let count = sums.weights.max(1) as f64;
        sums.mean = sums.mean.map(|sum| sum / count);
        sums.spread = (sums.spread / (2.0 * count)).sqrt();
    }
    groups
}

/// A table of the differences between two tables of Smalt's evaluation.
pub(crate) fn difference_table(groups: &[GroupChange]) -> Table {
    let mut table = Table::new([
        Column::new("group", ColumnKind::Text),
        Column::new("weights", ColumnKind::Integer),
        Column::new("changed", ColumnKind::Integer),
        Column::new("mean mg", ColumnKind::Number(1, Sign::Both)),
        Column::new("mean eg", ColumnKind::Number(1, Sign::Both)),
        Column::new("spread", ColumnKind::Number(1, Sign::Negative)),
    ]);
    for group in groups {
        let [middlegame, endgame] = group.mean;
        let counts = [group.weights, group.changes.len()].map(|count| Cell::from(count as u64));
        let numbers = [middlegame, endgame, group.spread].map(Cell::from);
        table.push(std::iter::once(Cell::from(group.group)).chain(counts).chain(numbers));
    }
    table
}

/// A table of the differences between the marked regions of two versions of a source.
///
/// # Errors
/// If a region has no end.
pub(crate) fn source_difference_table(
    before: &str,
    after: &str,
    comments: Comments,
) -> Result<Table, SourceError> {
    let mut table = Table::new([
        Column::new("region", ColumnKind::Text),
        Column::new("numbers", ColumnKind::Integer),
        Column::new("changed", ColumnKind::Integer),
        Column::new("mean", ColumnKind::Number(2, Sign::Both)),
        Column::new("spread", ColumnKind::Number(2, Sign::Negative)),
    ]);
    let [before, after] = [marked_numbers(before, comments)?, marked_numbers(after, comments)?];
    for (before, after) in before.iter().zip(&after) {
        let pairs = || before.values.iter().zip(&after.values);
        let changed = pairs().filter(|(before, after)| before != after).count();
        let changes: Option<Vec<f64>> = pairs().map(|(before, after)| Some((*after)? - (*before)?)).collect();
        let mean = |of: &dyn Fn(f64) -> f64| {
            changes.as_ref().map(|all| all.iter().map(|change| of(*change)).sum::<f64>() / all.len() as f64)
        };
        table.push([
            Cell::from(before.name.as_str()),
            (before.values.len() as u64).into(),
            (changed as u64).into(),
            mean(&|change| change).into(),
            mean(&|change| change * change).map(f64::sqrt).into(),
        ]);
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_a_source_are_counted_by_region() {
        let source = |numbers: &str| format!("// smalt:begin a\n{{{numbers}}}\n// smalt:end a\n");
        let table = source_difference_table(&source("1, 2"), &source("4, 2"), Comments::Slashes).unwrap();
        let text = table.to_markdown();
        assert!(text.contains("| a | 2 | 1 | +1.50 | 2.12 |"), "{text}");
    }
}
