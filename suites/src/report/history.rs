//! Report of the history of an engine's builds: tables, and a plot over time.

use smalt_report::plot::{Axis, LineChart, PlotError, stacked};

use super::{ReportStyle, Section};
use crate::history::{Build, History};
use smalt_workbench::calendar::Date;

/// Positions of WAC and points of STS: 100 percent.
const WAC_POSITIONS: f64 = 300.0;
const STS_POINTS: f64 = 15_000.0;

/// The improvement table, and the measurements of its builds.
pub(crate) fn history_report(history: &History, style: ReportStyle) -> String {
    let mut section = Section::new("Improvements");
    section.table(history.table());
    section.lines(["Improvement: the Elo less that of the build before, as if measured apart; it means something where both were \
                    measured on one scale"
        .to_owned()]);
    let mut text = section.write(style);
    let mut section = Section::new("Measurements");
    section.table(history.measurements());
    text.push('\n');
    text.push_str(&section.write(style));
    text
}

/// Suites in percent, and Elo below them, over time, as SVG.
pub(crate) fn history_plot(history: &History) -> Result<String, PlotError> {
    let (axis, places) = places(&history.builds);
    let chart = |title, y| {
        let chart = LineChart::new(title, axis.to_axis(), y);
        if axis == Along::Builds { chart.on_counted_x() } else { chart }
    };
    let builds = || history.builds.iter().zip(&places);
    let points = |value: &dyn Fn(&Build) -> Option<f64>| -> Vec<(f64, f64)> {
        builds().filter_map(|(build, &place)| Some((place, value(build)?))).collect()
    };
    let title = if history.suites().is_empty() { "WAC and STS" } else { "Suites" };
    let suites = chart(title, Axis::in_unit("of all points", "%"))
        .line("WAC", points(&|build| Some(f64::from(build.wac?) * 100.0 / WAC_POSITIONS)))
        .line("STS", points(&|build| Some(f64::from(build.sts?) * 100.0 / STS_POINTS)));
    let suites = history.suites().into_iter().fold(suites, |chart, suite| {
        chart.line(suite, points(&|build| Some(build.suites.get(suite)?.percent())))
    });
    let strengths: Vec<_> = builds()
        .filter_map(|(build, &place)| Some((place, build.elo?, build.elo_error.unwrap_or(0.0))))
        .collect();
    let strength = chart("Elo", Axis::new("Elo")).line_with_errors("Elo", strengths);
    stacked(&[&suites, &strength])
}

/// Unit of the x axis.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Along {
    /// Days since this date.
    Days(String),
    /// Builds, from 1.
    Builds,
}

impl Along {
    fn to_axis(&self) -> Axis {
        match self {
            Along::Days(first) => Axis::in_unit(&format!("time since {first}"), "days"),
            Along::Builds => Axis::new("build"),
        }
    }
}

/// x of each build: its number if all are of one day, otherwise its day, with builds of one day spread over it in
/// order.
fn places(builds: &[Build]) -> (Along, Vec<f64>) {
    let days = days(builds);
    let first = days.first().copied().unwrap_or_default();
    if days.iter().all(|&day| day == first) {
        return (Along::Builds, (1..=days.len()).map(|number| number as f64).collect());
    }
    let spread = |(index, &day): (usize, &i64)| {
        let same = days.iter().filter(|&&other| other == day).count();
        let before = days[..index].iter().filter(|&&other| other == day).count();
        (day - first) as f64 + before as f64 / same as f64
    };
    let is_day = |build: &&Build| Date::parse(&build.date).is_some();
    let first = builds.iter().find(is_day).map(|build| build.date.clone()).unwrap_or_default();
    (Along::Days(first), days.iter().enumerate().map(spread).collect())
}

/// Day of each build. If a date is unreadable or earlier, the previous build's day is used.
fn days(builds: &[Build]) -> Vec<i64> {
    let days: Vec<Option<i64>> =
        builds.iter().map(|build| Date::parse(&build.date).map(Date::to_days)).collect();
    let mut day = days.iter().flatten().next().copied().unwrap_or_default();
    let latest = |known: Option<i64>| {
        day = known.map_or(day, |known| day.max(known));
        day
    };
    days.into_iter().map(latest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(dates: &[&str], expected: (Along, &[f64])) {
        let build = |date: &&str| Build { date: (*date).to_owned(), ..Build::default() };
        let builds: Vec<Build> = dates.iter().map(build).collect();
        assert_eq!(places(&builds), (expected.0, expected.1.to_vec()), "{dates:?}");
    }

    #[test]
    fn builds_of_one_day_are_spread_over_it() {
        let days = Along::Days("2026-02-28".to_owned());
        check(&["2026-02-28", "2026-02-28", "2026-03-01", "?"], (days, &[0.0, 0.5, 1.0, 1.5]));
    }

    #[test]
    fn builds_of_a_single_day_are_counted() {
        check(&["2026-02-28"; 3], (Along::Builds, &[1.0, 2.0, 3.0]));
        check(&["2026-02-28"], (Along::Builds, &[1.0]));
        check(&["?", "2026-02-28"], (Along::Builds, &[1.0, 2.0]));
    }

    #[test]
    fn a_plot_has_what_was_measured() {
        let builds = vec![
            Build { date: "2026-01-01".into(), wac: Some(100), elo: Some(10.0), ..Build::default() },
            Build { date: "2026-01-03".into(), wac: Some(200), elo: Some(30.0), ..Build::default() },
        ];
        let svg = history_plot(&History { builds }).unwrap();
        assert!(svg.contains("WAC and STS") && svg.contains("Elo") && svg.ends_with("</svg>\n"), "{svg}");
        let only = vec![Build { date: "2026-01-01".into(), sts: Some(100), ..Build::default() }];
        assert!(history_plot(&History { builds: only }).is_ok());
        assert!(matches!(history_plot(&History::default()), Err(PlotError::Empty { .. })));
    }
}
