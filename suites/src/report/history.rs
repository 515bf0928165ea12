//! The history of an engine's builds, for people: tables, and a plot over time.

use smalt_report::plot::{Axis, LineChart, PlotError, stacked};

use super::{Section, Style};
use crate::history::{Build, Date, History};

/// Positions of WAC, and points of STS: all of them are 100 percent.
const WAC_POSITIONS: f64 = 300.0;
const STS_POINTS: f64 = 15_000.0;

/// The improvement table, and how its builds were measured.
pub fn history_report(history: &History, style: Style) -> String {
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

/// WAC and STS in percent, and Elo below them, over time, as SVG.
///
/// # Errors
/// If no build has any number.
pub fn history_plot(history: &History) -> Result<String, PlotError> {
    let times = times(&history.builds);
    let builds = || history.builds.iter().zip(&times);
    let points = |value: &dyn Fn(&Build) -> Option<f64>| -> Vec<(f64, f64)> {
        builds().filter_map(|(build, &time)| Some((time, value(build)?))).collect()
    };
    let first = history.builds.first().map(|build| build.date.as_str()).unwrap_or_default();
    let spans_days = history.builds.iter().any(|build| build.date != first);
    let days = || {
        if spans_days {
            Axis::in_unit(&format!("time since {first}"), "days")
        } else {
            Axis::new(format!("part of {first}, in the order of the builds"))
        }
    };
    let suites = LineChart::new("WAC and STS", days(), Axis::in_unit("of all points", "%"))
        .line("WAC", points(&|build| Some(f64::from(build.wac?) * 100.0 / WAC_POSITIONS)))
        .line("STS", points(&|build| Some(f64::from(build.sts?) * 100.0 / STS_POINTS)));
    let strengths: Vec<_> = builds()
        .filter_map(|(build, &time)| Some((time, build.elo?, build.elo_error.unwrap_or(0.0))))
        .collect();
    let strength = LineChart::new("Elo", days(), Axis::new("Elo")).line_with_errors("Elo", strengths);
    stacked(&[&suites, &strength])
}

/// When each build was made, in days since the first. Builds of one day are spread over it in their order; where a date
/// cannot be read, or is earlier, a build is taken to be of the day of the one before.
fn times(builds: &[Build]) -> Vec<f64> {
    let mut day = None;
    let days: Vec<i64> = builds
        .iter()
        .map(|build| {
            let told = Date::parse(&build.date).map(Date::to_days);
            day = told.map_or(day, |told| day.map_or(Some(told), |before: i64| Some(before.max(told))));
            day.unwrap_or_default()
        })
        .collect();
    let first = days.first().copied().unwrap_or_default();
    let spread = |(index, &day): (usize, &i64)| {
        let same = days.iter().filter(|&&other| other == day).count();
        let before = days[..index].iter().filter(|&&other| other == day).count();
        (day - first) as f64 + before as f64 / same as f64
    };
    days.iter().enumerate().map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_of_one_day_are_spread_over_it() {
        let build = |date: &str| Build { date: date.to_owned(), ..Build::default() };
        let builds = ["2026-02-28", "2026-02-28", "2026-03-01", "?"].map(build);
        assert_eq!(times(&builds), [0.0, 0.5, 1.0, 1.5]);
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
