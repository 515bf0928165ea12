//! Report of one engine on one suite: themes, totals, faults, missed problems.

use smalt_driver::Protocol;
use smalt_report::format::{grouped, number, percent};
use smalt_report::{Cell, Column, ColumnKind, Sign, Table};

use super::{ReportStyle, Section, right};
use crate::grade::MateProof;
use crate::rating;
use crate::record::{self, MateRecord, Record, ScoreRecord};
use crate::suite;

/// Maximum number of faults listed.
const FAULTS_SHOWN: usize = 20;

/// Themes, totals and faults.
pub(crate) fn run_report(run: &Record, style: ReportStyle) -> String {
    let mut section = Section::new(heading(run));
    section.table(themes(run));
    section.lines(totals(run));
    section.lines(mates(run));
    section.lines(faults(run));
    section.write(style)
}

/// `wac: stockfish (Stockfish 15.1), movetime 200`.
fn heading(run: &Record) -> String {
    let id = run.engine_id.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
    let limit = run.limit.as_ref().map(|limit| format!(", {limit}")).unwrap_or_default();
    format!("{}: {}{id}{limit}", run.suite, run.engine)
}

fn themes(run: &Record) -> Table {
    let mut table = Table::new([
        Column::new("Theme", ColumnKind::Text),
        Column::new("Positions", ColumnKind::Integer),
        Column::new("Solved", ColumnKind::Integer),
        Column::new("Points", ColumnKind::Integer),
        Column::new("Of", ColumnKind::Integer),
        Column::new("%", ColumnKind::Percent(1)),
    ]);
    let mut row = |name: &str, positions: usize, solved: usize, points: u64, max_points: u64| {
        table.push([
            name.into(),
            count(positions),
            count(solved),
            points.into(),
            max_points.into(),
            (record::percent(points, max_points) / 100.0).into(),
        ]);
    };
    for theme in run.themes.iter().filter(|_| run.themes.len() > 1) {
        row(&theme.name, theme.positions, theme.solved, theme.points, theme.max_points);
    }
    row("Total", run.positions, run.solved, run.points, run.max_points);
    table
}

fn count(value: usize) -> Cell {
    Cell::from(value as u64)
}

fn totals(run: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    let what = if run.suite == suite::STS { "STS" } else { "Puzzle" };
    if let (Some(rating), Some(condition)) = (run.rating, &run.rating_condition) {
        let error = run.rating_error.map(|error| format!(" ± {}", number(error, 0, Sign::Negative)));
        let rating = number(rating, 0, Sign::Negative);
        lines.push(format!("{what} rating: about {rating}{} ({condition})", error.unwrap_or_default()));
    } else if let Some(condition) = &run.rating_condition {
        lines.push(format!("{what} rating: none, since all or none were solved ({condition})"));
    }
    if run.suite == suite::STS && run.limit.is_some() && run.rating.is_none() {
        lines.push(format!("STS rating: {}", rating::reason_for_none()));
    }
    if let Some((median, slowest)) = solving_times(run) {
        lines.push(format!(
            "Time to solution: half of the solved within {median} ms, the slowest after {slowest} ms"
        ));
    }
    let early = run.results.iter().filter(|result| result.stopped_early).count();
    if early > 0 {
        let searches = if early == 1 { "search was" } else { "searches were" };
        lines.push(format!("{early} {searches} ended early, a solution being held"));
    }
    lines.extend(too_few_nodes(run));
    lines.extend(late(run));
    lines.extend(interrupted(run));
    if run.unanswered > 0 {
        let why = run.ended_by.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
        lines.push(format!(
            "Without an answer{why}: {} of {} positions, counted as missed",
            run.unanswered, run.positions
        ));
    }
    lines
}

/// Warning about an engine that moves long before its node limit, and so does not understand it.
fn too_few_nodes(run: &Record) -> Option<String> {
    let limit: u64 = run.limit.as_deref()?.strip_prefix("nodes ")?.parse().ok()?;
    let mut nodes: Vec<u64> = run.results.iter().filter_map(|result| result.nodes).collect();
    nodes.sort_unstable();
    let &median = nodes.get(nodes.len() / 2)?;
    let [median_text, limit_text] = [median, limit].map(|nodes| grouped(nodes.cast_signed()));
    (median < limit / 4).then(|| {
        format!(
            "Few nodes: {} moved after {median_text} or fewer in half of the positions, of {limit_text} that it had; it may \
             not know this limit",
            run.engine
        )
    })
}

/// Note on limits that the xboard protocol lacks.
fn interrupted(run: &Record) -> Option<String> {
    let (kind, amount) = run.limit.as_deref()?.split_once(' ')?;
    let is_whole = amount.parse::<u64>().is_ok_and(|ms| ms % 1000 == 0);
    match kind {
        _ if run.protocol.as_deref() != Some(Protocol::Xboard.name()) => None,
        "movetime" if !is_whole => Some(format!(
            "xboard has whole seconds only: {} got `?` (move now) after {amount} ms, and may have reacted late; or, if it \
             ignores that, had a clock of one move",
            run.engine
        )),
        "nodes" => Some(format!(
            "xboard has no node limit: {} got `?` (move now) after {amount}, and another run may differ; or, if it can \
             count time in nodes (`nps`), did that",
            run.engine
        )),
        _ => None,
    }
}

/// Number of late answers and their effect.
fn late(run: &Record) -> Option<String> {
    if run.late == 0 {
        return None;
    }
    let when = match run.settings.grace_ms {
        Some(ms) => format!("more than {ms} ms after their time (--grace)"),
        None => "after their limit".to_owned(),
    };
    let answers = if run.late == 1 { "answer" } else { "answers" };
    Some(format!(
        "Late: {} {answers} came {when}; what counts is the move in the pv by then. As played it would be {} solved, {} \
         points",
        run.late, run.solved_with_late, run.points_with_late
    ))
}

/// Median and maximum time to solution, in milliseconds.
fn solving_times(run: &Record) -> Option<(u64, u64)> {
    let mut times: Vec<u64> = run.results.iter().filter_map(|result| result.solved_after_ms).collect();
    times.sort_unstable();
    Some((*times.get(times.len() / 2)?, *times.last()?))
}

/// Announced mates, and wrong ones.
fn mates(run: &Record) -> Vec<String> {
    let claims = || run.results.iter().filter_map(|result| Some((result, result.mate.as_ref()?)));
    let count = |is_so: &dyn Fn(&MateRecord) -> bool| claims().filter(|(_, mate)| is_so(mate)).count();
    let (all, wrong) = (count(&|_| true), count(&|mate| mate.wrong));
    if all == 0 {
        return Vec::new();
    }
    let proved = count(&|mate| mate.proof == MateProof::Proved.name());
    let whole = count(&|mate| mate.line_error.is_none());
    let mut lines = vec![format!(
        "Mates announced: {all}; {whole} with a whole line to the mate, {proved} proved to be forced, {wrong} wrong"
    )];
    for (result, mate) in claims().filter(|(_, mate)| mate.wrong).take(FAULTS_SHOWN) {
        let refuted = mate.proof == MateProof::Refuted.name();
        let reasons = [mate.line_error.as_deref(), refuted.then_some("it is not forced")];
        let reasons: Vec<&str> = reasons.into_iter().flatten().collect();
        lines.push(format!(
            "{}: announced #{}, which is wrong: {}",
            result.id,
            mate.moves,
            reasons.join("; ")
        ));
    }
    if wrong > FAULTS_SHOWN {
        lines.push(format!("… and {} more wrong mates", wrong - FAULTS_SHOWN));
    }
    lines
}

fn faults(run: &Record) -> Vec<String> {
    let failed = run.results.iter().filter(|result| result.fault.is_some() && !result.is_unanswered());
    let mut lines: Vec<String> = failed
        .take(FAULTS_SHOWN)
        .map(|result| {
            format!("{}: {} {}", result.id, run.engine, result.fault_text.as_deref().unwrap_or_default())
        })
        .collect();
    if run.faults > FAULTS_SHOWN {
        lines.push(format!("… and {} more faults", run.faults - FAULTS_SHOWN));
    }
    lines
}

/// Missed problems with played move and solution; empty if there are none.
pub(crate) fn failures(run: &Record, style: ReportStyle) -> String {
    let mut table = Table::new([
        Column::new("Position", ColumnKind::Text),
        Column::new("Played", ColumnKind::Text),
        Column::new("Right", ColumnKind::Text),
        Column::new("Points", ColumnKind::Integer),
        Column::new("Score", ColumnKind::Text),
        Column::new("Depth", ColumnKind::Integer),
    ]);
    for result in run.results.iter().filter(|result| !result.solved) {
        table.push([
            result.id.as_str().into(),
            result.san.clone().or_else(|| result.fault.clone()).into(),
            right(&result.best, &result.avoid).into(),
            u64::from(result.points).into(),
            result.score.map(score_text).into(),
            result.depth.map(u64::from).into(),
        ]);
    }
    if table.is_empty() {
        return String::new();
    }
    let share = percent(table.len() as f64 / run.positions.max(1) as f64, 1);
    let mut section = Section::new(format!("{}: {} missed {} ({share})", run.suite, run.engine, table.len()));
    section.table(table);
    section.write(style)
}

fn score_text(score: ScoreRecord) -> String {
    match score {
        ScoreRecord::Cp(centipawns) => number(f64::from(centipawns) / 100.0, 2, Sign::Both),
        ScoreRecord::Mate(moves) => format!("#{moves}"),
    }
}

/// All positions of all runs, one per row, for scripts.
pub(crate) fn positions(runs: &[Record]) -> Table {
    let text = |header: &str| Column::new(header, ColumnKind::Text);
    let whole = |header: &str| Column::new(header, ColumnKind::Integer);
    let mut table = Table::new([
        text("suite"),
        text("engine"),
        text("limit"),
        text("id"),
        text("theme"),
        text("fen"),
        text("move"),
        text("san"),
        text("best"),
        whole("points"),
        whole("max_points"),
        text("solved"),
        whole("time_ms"),
        whole("solved_after_ms"),
        whole("solved_after_nodes"),
        whole("solved_after_depth"),
        whole("depth"),
        whole("nodes"),
        text("score"),
        text("fault"),
        text("late_move"),
        text("stopped_early"),
    ]);
    for (run, result) in runs.iter().flat_map(|run| run.results.iter().map(move |result| (run, result))) {
        table.push([
            run.suite.as_str().into(),
            run.engine.as_str().into(),
            run.limit.clone().into(),
            result.id.as_str().into(),
            result.theme.as_str().into(),
            result.fen.as_str().into(),
            result.mv.clone().into(),
            result.san.clone().into(),
            result.best.join(" ").into(),
            u64::from(result.points).into(),
            u64::from(result.max_points).into(),
            result.solved.to_string().into(),
            result.time_ms.into(),
            result.solved_after_ms.into(),
            result.solved_after_nodes.into(),
            result.solved_after_depth.map(u64::from).into(),
            result.depth.map(u64::from).into(),
            result.nodes.into(),
            result.score.map(score_text).into(),
            result.fault.clone().into(),
            result.late.as_ref().map(|late| late.mv.clone()).into(),
            result.stopped_early.to_string().into(),
        ]);
    }
    table
}
