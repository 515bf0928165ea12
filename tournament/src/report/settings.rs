//! The settings of a run as tables: engines, time controls, openings, adjudication.

use smalt_driver::Pondering;
use smalt_driver::{Protocol, Restart};
use smalt_report::{Column, ColumnKind, Table, format};

use super::RunReport;
use smalt_match::plan::{
    AdjudicationRules, EMBEDDED_OPENINGS, Entrant, Order, Plan, Program, Sides, TimeFlow, Variant,
};
use smalt_match::standings::report::test_terms;
use smalt_workbench::calendar::UtcTime;

pub(super) fn engines(report: &RunReport) -> Table {
    let text = |header: &str| Column::new(header, ColumnKind::Text);
    let mut table = Table::new([
        text("engine"),
        text("reported name"),
        text("time control"),
        text("program"),
        text("protocol"),
        text("settings"),
    ]);
    for (index, entrant) in report.plan.entrants.iter().enumerate() {
        table.push([
            entrant.name.as_str().into(),
            report.programs.get(&index).map(String::as_str).map(smalt_report::Cell::from).unwrap_or_default(),
            entrant.clock.to_string().into(),
            program(entrant).into(),
            protocol(entrant.engine.proto).into(),
            settings(entrant).into(),
        ]);
    }
    table
}

fn program(entrant: &Entrant) -> String {
    let program = match &entrant.program {
        Program::Builtin => "built in".to_owned(),
        Program::Command(path) => path.display().to_string(),
    };
    std::iter::once(&program).chain(&entrant.engine.args).cloned().collect::<Vec<_>>().join(" ")
}

fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Uci => "uci",
        Protocol::Xboard => "xboard",
        Protocol::Auto => "uci or xboard",
    }
}

fn settings(entrant: &Entrant) -> String {
    let mut words: Vec<String> =
        entrant.engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.extend((entrant.engine.restart == Restart::On).then(|| "restarted for each game".to_owned()));
    words.extend((entrant.engine.ponder == Pondering::On).then(|| "ponders".to_owned()));
    words.join(", ")
}

/// The settings of the run as a whole, and its time.
pub(super) fn facts(report: &RunReport) -> Table {
    let plan = &report.plan;
    let mut table = Table::new([Column::new("what", ColumnKind::Text), Column::new("how", ColumnKind::Text)]);
    let begun = UtcTime::of(report.begun).pgn_time();
    let length =
        report.length.map(|length| format!(", {} from the first game to the last", format::duration(length)));
    let rounds = if plan.rounds > 1 { format!(", {} rounds", plan.rounds) } else { String::new() };
    let rules = adjudication(&plan.settings.adjudication.rules());
    let tables = plan.tablebases().map(|rule| format!("up to {} pieces", rule.pieces));
    let at_once = plan.settings.run.concurrency.map(|games| games.to_string());
    let rows = [
        ("begun", Some(begun + &length.unwrap_or_default())),
        ("format", Some(format!("{}, {} games of each pairing{rounds}", plan.format(), plan.games()))),
        ("openings", Some(openings(plan))),
        ("adjudication", (!rules.is_empty()).then_some(rules)),
        ("tablebases", tables),
        ("variant", (plan.settings.run.variant == Variant::Chess960).then(|| "Chess960".to_owned())),
        ("clocks", (plan.flow() == TimeFlow::Hourglass).then(|| "hourglass".to_owned())),
        ("concurrency", at_once),
        ("seed", Some(plan.settings.run.seed.to_string())),
        ("test", plan.sprt.as_ref().map(test_terms)),
        ("report by", Some(format!("smalt-tournament {}", smalt_about::VERSION))),
    ];
    for (what, how) in rows {
        if let Some(how) = how {
            table.push([what.into(), how.into()]);
        }
    }
    table
}

pub(crate) fn openings(plan: &Plan) -> String {
    let file = plan.settings.openings.file.display().to_string();
    let name = if file == EMBEDDED_OPENINGS { "the built-in book".to_owned() } else { file };
    let order = match plan.settings.openings.order {
        Order::Sequential => "in their order",
        Order::Random => "shuffled",
    };
    let start = plan.settings.openings.start.get();
    let start = if start > 1 { format!(", from number {start}") } else { String::new() };
    let plies = match plan.settings.openings.random_plies {
        0 => String::new(),
        plies => format!(", then {plies} random plies"),
    };
    let share = 100.0 * plan.settings.openings.chess960_share;
    let chess960 = if share > 0.0 { format!("; {share}% from Chess960") } else { String::new() };
    format!("{name}, {order}{start}{plies}{chess960}")
}

pub(crate) fn adjudication(rules: &AdjudicationRules) -> String {
    let sides = |sides: Sides| if sides == Sides::Both { "both sides" } else { "one side" };
    let rules = [
        rules.draw.map(|rule| {
            format!("draw: {} moves within {} cp, from move {}", rule.movecount, rule.score, rule.movenumber)
        }),
        rules.resign.map(|rule| {
            format!("resign: {} moves at -{} cp or worse, {}", rule.movecount, rule.score, sides(rule.sides))
        }),
        rules.mate.map(|rule| format!("mate: announced for {} moves, {}", rule.movecount, sides(rule.sides))),
        rules.max_moves.map(|moves| format!("draw after {moves} moves")),
    ];
    rules.into_iter().flatten().collect::<Vec<_>>().join("; ")
}
