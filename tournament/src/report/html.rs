//! HTML report in one file, without scripts or external resources. Engine output is escaped.

use std::collections::BTreeSet;
use std::fmt::Write;

use smalt_report::Table;
use smalt_report::html::{escaped, page, reference};
use smalt_report::plot::{Chart, PlotError};

use super::highlights::Highlight;
use super::list::place_of;
use super::{COLUMNS, RunReport, settings};
use crate::plot::charts;
use smalt_match::standings::report as tables;
use smalt_match::store::StoredFault;

/// Anchor of the list of games.
const LIST: &str = "games";

/// The HTML page.
///
/// # Errors
/// If a chart cannot be drawn for another reason than missing data.
pub(crate) fn html(report: &RunReport) -> Result<String, PlotError> {
    let mut body = format!(
        "<h1>{}</h1>\n<p class=\"pale\">{}</p>\n",
        escaped(report.plan.name()),
        escaped(&report.summary())
    );
    if let Some(state) = report.standings.test() {
        body.push_str(&verdict(&tables::test(&state)));
    }
    report.absences().iter().for_each(|words| body.push_str(&verdict(words)));
    let table = |body: &mut String, (heading, table): (&str, Table)| {
        section(body, heading, &table.leading(&COLUMNS).to_html());
    };
    report.results().into_iter().for_each(|part| table(&mut body, part));
    if let Some(note) = report.notes() {
        writeln!(body, "<p class=\"pale\">{}</p>", escaped(note.trim_end()))
            .expect("a string takes any text");
    }
    let drawings = drawings(report)?;
    if !drawings.is_empty() {
        section(&mut body, "Charts", &drawings);
    }
    report.conduct().into_iter().for_each(|part| table(&mut body, part));
    let courses = courses(&report.highlights.games())?;
    let shown: BTreeSet<u32> = courses.iter().map(|(number, _)| *number).collect();
    body.push_str(&faults(report, &shown));
    if !courses.is_empty() {
        let courses: String = courses.into_iter().map(|(_, course)| course).collect();
        section(&mut body, "Games to look at", &courses);
    }
    body.push_str(&games(report, &shown));
    let tables = [settings::engines(report), settings::facts(report)].map(|table| table.to_html()).concat();
    let plan = escaped(&report.plan.settings.to_toml());
    let plan = format!("<details><summary>The whole plan</summary>\n<pre>{plan}</pre></details>\n");
    section(&mut body, "Settings", &(tables + &plan));
    Ok(page(report.plan.name(), &body))
}

fn verdict(words: &str) -> String {
    format!("<p class=\"verdict\">{}</p>\n", escaped(words.trim_end()))
}

fn section(body: &mut String, heading: &str, content: &str) {
    write!(body, "<section>\n<h2>{}</h2>\n{content}</section>\n", escaped(heading))
        .expect("a string takes any text");
}

/// All charts with data.
fn drawings(report: &RunReport) -> Result<String, PlotError> {
    let figures = &report.figures;
    let mut charts: Vec<Box<dyn Chart>> = vec![Box::new(charts::elo(figures))];
    if let Some(test) = &figures.test {
        charts.push(Box::new(charts::llr(test)));
    }
    if figures.entrants > 2 {
        charts.push(Box::new(charts::ratings(figures)));
    }
    for side in &figures.sides {
        charts.push(Box::new(charts::pairs(side)));
        charts.push(Box::new(charts::openings(side)));
    }
    let mut text = String::new();
    for chart in charts {
        text.push_str(&drawing(&*chart)?.unwrap_or_default());
    }
    Ok(text)
}

/// A chart, if it has data.
fn drawing(chart: &dyn Chart) -> Result<Option<String>, PlotError> {
    match chart.to_svg() {
        Ok(svg) => Ok(Some(format!("<figure>\n{svg}</figure>\n"))),
        Err(PlotError::Empty { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Highlighted games with their curves: evaluations, and clocks or otherwise move times.
fn courses(games: &[&Highlight]) -> Result<Vec<(u32, String)>, PlotError> {
    let mut courses = Vec::new();
    for game in games {
        let [evaluations, clocks, times] = charts::game(&game.course);
        let time = match drawing(&clocks)? {
            Some(clocks) => Some(clocks),
            None => drawing(&times)?,
        };
        let drawings: Vec<String> = [drawing(&evaluations)?, time].into_iter().flatten().collect();
        if !drawings.is_empty() {
            courses.push((game.number, course(game, &drawings.concat())));
        }
    }
    Ok(courses)
}

fn course(game: &Highlight, drawings: &str) -> String {
    let Highlight { number, course, result, why } = game;
    let [white, black] = course.players.each_ref().map(|name| escaped(name));
    let why = why.as_ref().map(|why| format!(": {}", escaped(why))).unwrap_or_default();
    format!(
        "<article id=\"{}\">\n<h3>Game {number}: {white} – {black}, {result}</h3>\n<p class=\"pale\">{}{why}</p>\n\
         <div class=\"beside\">\n{drawings}</div>\n</article>\n",
        place_of(*number),
        escaped(&course.ending)
    )
}

fn faults(report: &RunReport, shown: &BTreeSet<u32>) -> String {
    if report.faults.count == 0 {
        return String::new();
    }
    let mut content = String::new();
    for StoredFault { game, fault } in &report.faults.first {
        let place = match game.map(|number| number + 1) {
            Some(number) if shown.contains(&number) => {
                reference(&place_of(number), &format!("Game {number}"))
            }
            Some(number) => format!("Game {number}"),
            None => "Between games".to_owned(),
        };
        let words = escaped(&format!("{} {}", report.name_of(fault.entrant), fault.words));
        let lines = escaped(&fault.transcript.join("\n"));
        match fault.transcript.is_empty() {
            true => writeln!(content, "<p>{place}: {words}</p>"),
            false => {
                writeln!(
                    content,
                    "<details><summary>{place}: {words}</summary>\n<pre>{lines}</pre></details>"
                )
            }
        }
        .expect("a string takes any text");
    }
    if report.faults.more() > 0 {
        let more = reference(LIST, &format!("and {} more", report.faults.more()));
        writeln!(content, "<p class=\"pale\">{more}</p>").expect("a string takes any text");
    }
    let mut text = String::new();
    section(&mut text, "Faults", &content);
    text
}

fn games(report: &RunReport, shown: &BTreeSet<u32>) -> String {
    let (table, skipped) = (report.games.table(shown), report.games.skipped());
    if table.is_empty() {
        return String::new();
    }
    let skipped = match skipped {
        0 => String::new(),
        count => format!("<p class=\"pale\">and {count} more games without a fault</p>\n"),
    };
    let count = report.standings.games_finished();
    // The id is inside, so that a browser unfolds the section when following a link.
    let content = format!(
        "<details><summary>{count} games</summary>\n<div id=\"{LIST}\">\n{}{skipped}</div></details>\n",
        table.to_html()
    );
    let mut text = String::new();
    section(&mut text, "Games", &content);
    text
}
