//! `list` and `show`: suites and their problems.

use std::io::{self, IsTerminal as _};

use anyhow::anyhow;
use smalt_chess::{Move, San};
use smalt_report::format::grouped;
use smalt_report::{Column, ColumnKind, Table};

use super::arguments::ShowFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::TextSink;
use super::{intent, output};
use crate::suite::{EMBEDDED, Goal, Problem, Suite};

pub(super) fn list() -> Result<Exit, Refusal> {
    let mut table = Table::new([
        Column::new("Suite", ColumnKind::Text),
        Column::new("Positions", ColumnKind::Integer),
        Column::new("What", ColumnKind::Text),
        Column::new("Scoring", ColumnKind::Text),
    ]);
    for embedded in &EMBEDDED {
        let suite = Suite::embedded(embedded.name).expect("it is in the list");
        let positions = suite.problems.len() as u64;
        table.push([embedded.name.into(), positions.into(), embedded.title.into(), embedded.scoring.into()]);
    }
    output::print(&table.to_text())?;
    Ok(Exit::Done)
}

pub(super) fn show(flags: &ShowFlags) -> Result<Exit, Refusal> {
    let suite = intent::suite(&flags.suite)?;
    let is_wanted = |problem: &&Problem| flags.ids.is_empty() || flags.ids.contains(&problem.id);
    let wanted: Vec<&Problem> = suite.problems.iter().filter(is_wanted).collect();
    if let Some(id) = flags.ids.iter().find(|id| wanted.iter().all(|problem| problem.id != **id)) {
        return Err(anyhow!("{} has no position {id:?}", suite.name)).or_usage();
    }
    match (flags.epd, flags.ids.is_empty()) {
        // Scripts get the bytes of the suite.
        (true, _) if !io::stdout().is_terminal() => output::print(&epd(&wanted))?,
        (true, _) => TextSink::Output.show(&epd(&wanted))?,
        (false, false) => {
            let texts: Vec<_> = wanted.iter().map(|problem| describe(&suite, problem)).collect();
            TextSink::Output.show(&texts.join("\n"))?;
        }
        (false, true) => TextSink::Output.show(&overview(&suite))?,
    }
    Ok(intent::exit_of(&suite))
}

fn epd(problems: &[&Problem]) -> String {
    problems.iter().map(|problem| format!("{}\n", problem.epd)).collect()
}

fn overview(suite: &Suite) -> String {
    let mut text = format!(
        "{}: {}. {} positions, {} points.\n\n",
        suite.name,
        suite.title,
        grouped(suite.problems.len() as i64),
        grouped(i64::try_from(suite.max_points()).unwrap_or(i64::MAX))
    );
    let mut table = Table::new([
        Column::new("Theme", ColumnKind::Text),
        Column::new("Positions", ColumnKind::Integer),
        Column::new("First", ColumnKind::Text),
    ]);
    for theme in &suite.themes {
        let own = || suite.problems.iter().filter(|problem| problem.has_theme(theme, suite));
        let first = own().next().map(|problem| problem.id.clone());
        table.push([theme.as_str().into(), (own().count() as u64).into(), first.into()]);
    }
    text.push_str(&table.to_text());
    let oddities = oddities(suite);
    if !oddities.is_empty() {
        text.push_str("\nIrregularities and their handling:\n");
        text.extend(oddities.iter().map(|oddity| format!("{oddity}\n")));
    }
    text
}

/// Irregularities of the suite as a whole, then those of its problems.
fn oddities(suite: &Suite) -> Vec<String> {
    let those = |is_so: &dyn Fn(&Goal) -> bool| {
        let ids = suite.problems.iter().filter(|problem| is_so(&problem.goal)).map(|problem| &*problem.id);
        ids.collect::<Vec<_>>()
    };
    let has_several = |goal: &Goal| goal.best.len() > 1;
    let has_both = |goal: &Goal| !goal.best.is_empty() && !goal.avoid.is_empty();
    let mut oddities: Vec<String> = suite.remarks.iter().map(ToString::to_string).collect();
    for (ids, what) in [
        (those(&has_several), "several best moves, of which each solves"),
        (those(&has_both), "moves to find and moves to avoid: one of the former solves"),
    ] {
        if !ids.is_empty() {
            oddities.push(format!("{} with {what}: {}", ids.len(), ids.join(", ")));
        }
    }
    oddities.extend(suite.notes().map(|(problem, note)| format!("{}: {note}", problem.id)));
    oddities
}

fn describe(suite: &Suite, problem: &Problem) -> String {
    let position = &problem.epd.position;
    let names = |moves: &[Move]| {
        moves.iter().map(|&mv| San::from_move(mv, position).to_string()).collect::<Vec<_>>().join(", ")
    };
    let goal = &problem.goal;
    let mut lines = vec![
        format!("{}: {}", problem.id, suite.themes[problem.theme]),
        format!("  position  {}", position.to_fen()),
    ];
    if !goal.best.is_empty() {
        lines.push(format!("  right     {}", names(&goal.best)));
    }
    if !goal.avoid.is_empty() {
        lines.push(format!("  wrong     {}", names(&goal.avoid)));
    }
    lines.extend(goal.mate_in.map(|moves| {
        let mates = if moves > 0 { "mates in " } else { "mated in " };
        format!("  {mates} {}, to be announced", moves.unsigned_abs())
    }));
    if !goal.points.is_empty() {
        let points = goal.points.iter().map(|&(mv, points)| format!("{} {points}", names(&[mv])));
        lines.push(format!("  points    {}", points.collect::<Vec<_>>().join(", ")));
    }
    lines.extend(problem.notes.iter().map(|note| format!("  note      {note}")));
    lines.join("\n") + "\n"
}
