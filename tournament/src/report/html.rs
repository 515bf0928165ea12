//! A report as one file for a browser: no script, and nothing that is asked for elsewhere. Whatever an engine says is
//! text.

use std::fmt::Write;

use smalt_report::Table;
use smalt_report::html::{escaped, page};
use smalt_report::plot::{Chart, PlotError};

use super::{Report, terms};
use crate::plot::charts;
use crate::standings::report as tables;
use crate::store::Fault;

/// The report as a page.
///
/// # Errors
/// If a chart cannot be drawn for another reason than that there are no numbers for it.
pub fn html(report: &Report) -> Result<String, PlotError> {
    let mut body = format!(
        "<h1>{}</h1>\n<p class=\"pale\">{}</p>\n",
        escaped(&report.plan.name),
        escaped(&report.summary())
    );
    if let Some(state) = report.standings.test() {
        section(&mut body, None, &format!("<p class=\"verdict\">{}</p>\n", escaped(&tables::test(&state))));
    }
    let table =
        |body: &mut String, (heading, table): &(&str, Table)| section(body, Some(heading), &table.to_html());
    report.results().iter().for_each(|part| table(&mut body, part));
    let drawings = drawings(report)?;
    if !drawings.is_empty() {
        section(&mut body, Some("Charts"), &drawings);
    }
    report.conduct().iter().for_each(|part| table(&mut body, part));
    body.push_str(&faults(report));
    let terms = [terms::engines(report), terms::facts(report)].map(|table| table.to_html()).concat();
    let plan = escaped(&report.plan.to_file().to_toml());
    let plan = format!("<details><summary>The whole plan</summary>\n<pre>{plan}</pre></details>\n");
    section(&mut body, Some("Terms"), &(terms + &plan));
    body.push_str(&games(report));
    Ok(page(&report.plan.name, &body))
}

fn section(body: &mut String, heading: Option<&str>, content: &str) {
    let heading = heading.map(|heading| format!("<h2>{}</h2>\n", escaped(heading))).unwrap_or_default();
    write!(body, "<section>\n{heading}{content}</section>\n").expect("a string takes any text");
}

/// All charts that have numbers.
fn drawings(report: &Report) -> Result<String, PlotError> {
    let figures = &report.figures;
    let mut charts: Vec<Box<dyn Chart>> = vec![Box::new(charts::elo(figures))];
    if let Some((sprt, curve)) = &figures.test {
        charts.push(Box::new(charts::llr(sprt, curve)));
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
        match chart.to_svg() {
            Ok(svg) => write!(text, "<figure>\n{svg}</figure>\n").expect("a string takes any text"),
            Err(PlotError::Empty { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(text)
}

fn faults(report: &Report) -> String {
    if report.faults.count == 0 {
        return String::new();
    }
    let mut content = String::new();
    for Fault { game, fault } in &report.faults.first {
        let place = game.map_or_else(|| "Between games".to_owned(), |number| format!("Game {}", number + 1));
        let words = format!("{place}: {} {}", report.name_of(fault.entrant), fault.words);
        let lines = escaped(&fault.transcript.join("\n"));
        let words = escaped(&words);
        match fault.transcript.is_empty() {
            true => writeln!(content, "<p>{words}</p>"),
            false => {
                writeln!(content, "<details><summary>{words}</summary>\n<pre>{lines}</pre></details>")
            }
        }
        .expect("a string takes any text");
    }
    if report.faults.more() > 0 {
        writeln!(content, "<p class=\"pale\">and {} more</p>", report.faults.more())
            .expect("a string takes any text");
    }
    let mut text = String::new();
    section(&mut text, Some("Faults"), &content);
    text
}

fn games(report: &Report) -> String {
    let (table, left_out) = (report.games.table(), report.games.left_out());
    if table.is_empty() {
        return String::new();
    }
    let left_out = match left_out {
        0 => String::new(),
        count => format!("<p class=\"pale\">and {count} more, which no fault ended</p>\n"),
    };
    let count = report.standings.games_finished();
    let content =
        format!("<details><summary>{count} games</summary>\n{}{left_out}</details>\n", table.to_html());
    let mut text = String::new();
    section(&mut text, Some("Games"), &content);
    text
}
