//! Charts of scores: bars by theme and suite, and the share solved over time.

use std::iter;

use smalt_report::plot::{Axis, BarChart, Chart, LineChart, PlotError, stacked};

use crate::record::{self, Record};

/// SVG charts: for each suite with several themes, all engines' points by theme and share solved over time. Suites
/// with a single theme share a pair of charts.
pub(crate) fn score_plot(runs: &[Record]) -> Result<String, PlotError> {
    let mut charts = Vec::new();
    for group in groups(runs) {
        charts.push((points(&group), solved(&group)));
    }
    let both = charts.iter().flat_map(|(points, solved)| [points as &dyn Chart, solved]);
    stacked(&both.collect::<Vec<_>>())
}

/// The runs on one suite, or on several single-theme suites drawn together.
struct SuiteGroup<'a> {
    /// Suites in scoring order.
    suites: Vec<&'a str>,
    runs: Vec<&'a Record>,
}

impl<'a> SuiteGroup<'a> {
    fn engines(&self) -> Vec<&'a str> {
        distinct(self.runs.iter().map(|run| run.engine.as_str()))
    }

    fn runs_of(&self, engine: &str) -> impl Iterator<Item = &'a Record> {
        self.runs.iter().copied().filter(move |run| run.engine == engine)
    }

    /// Points made and possible by theme of the one suite, or by suite.
    fn parts_of(&self, engine: &str) -> Vec<(&'a str, (u64, u64))> {
        let themes = |run: &'a Record| {
            run.themes.iter().map(|theme| (theme.name.as_str(), (theme.points, theme.max_points)))
        };
        if self.suites.len() == 1 {
            self.runs_of(engine).flat_map(themes).collect()
        } else {
            self.runs_of(engine).map(|run| (run.suite.as_str(), (run.points, run.max_points))).collect()
        }
    }

    /// Names of the suites, or their number.
    fn title(&self) -> String {
        match self.suites.len() {
            0..=4 => self.suites.join(", "),
            count => format!("{count} suites"),
        }
    }
}

fn groups(runs: &[Record]) -> Vec<SuiteGroup<'_>> {
    let suites = distinct(runs.iter().map(|run| run.suite.as_str()));
    let has_one_theme = |suite: &&str| runs.iter().all(|run| run.suite != *suite || run.themes.len() <= 1);
    let (small, large): (Vec<&str>, Vec<&str>) = suites.into_iter().partition(has_one_theme);
    let parts = large.into_iter().map(|suite| vec![suite]).chain((!small.is_empty()).then_some(small));
    parts
        .map(|suites| {
            let runs = runs.iter().filter(|run| suites.contains(&run.suite.as_str())).collect();
            SuiteGroup { suites, runs }
        })
        .collect()
}

/// Distinct names in order of first occurrence.
fn distinct<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    distinct
}

/// Points as a share of the maximum by theme or suite, engines side by side.
fn points(group: &SuiteGroup<'_>) -> BarChart {
    let engines = group.engines();
    let parts: Vec<Vec<_>> = engines.iter().map(|engine| group.parts_of(engine)).collect();
    let names = distinct(parts.iter().flatten().map(|part| part.0));
    let of_part = |parts: &Vec<(&str, _)>, name: &str| {
        parts.iter().find(|part| part.0 == name).map_or((0, 0), |part| part.1)
    };
    let what = if group.suites.len() == 1 { "theme" } else { "suite" };
    let axis = Axis::in_unit("points of those possible", "%");
    let mut chart = BarChart::new(format!("{}: points by {what}", group.title()), axis)
        .of_series(engines.iter().copied());
    for name in names.iter().filter(|_| names.len() > 1) {
        chart = chart.group(name, parts.iter().map(|parts| bar(of_part(parts, name))));
    }
    let total = |engine: &&str| {
        let runs = group.runs_of(engine).map(|run| (run.points, run.max_points));
        bar(runs.fold((0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1)))
    };
    chart.group("Total", engines.iter().map(total))
}

fn bar((points, most): (u64, u64)) -> (f64, String) {
    (record::percent(points, most), format!("{points} of {most}"))
}

/// Share of positions solved over time; the final solution counts.
fn solved(group: &SuiteGroup<'_>) -> LineChart {
    let x = Axis::in_unit("time to solution", "ms, logarithmic");
    let y = Axis::in_unit("positions solved", "%");
    let chart = LineChart::new(format!("{}: solved over time", group.title()), x, y).on_logarithmic_x();
    let end = group.runs.iter().flat_map(|run| solving_times(run)).max().unwrap_or_default().max(10) as f64;
    group.engines().into_iter().fold(chart, |chart, engine| {
        let mut times: Vec<u64> = group.runs_of(engine).flat_map(solving_times).collect();
        times.sort_unstable();
        let positions: usize = group.runs_of(engine).map(|run| run.positions).sum();
        let share = |count: usize| 100.0 * count as f64 / positions.max(1) as f64;
        // Times below a millisecond count as one. Each solution is a step up, and the line continues to the end.
        let steps = (0..).zip(&times).flat_map(|(count, &time)| {
            let time = time.max(1) as f64;
            [(time, share(count)), (time, share(count + 1))]
        });
        let points = iter::once((1.0, 0.0)).chain(steps).chain([(end, share(times.len()))]);
        chart.line(engine, points)
    })
}

/// Times from which the solutions of a run were kept, in milliseconds.
fn solving_times(run: &Record) -> impl Iterator<Item = u64> {
    run.results.iter().filter_map(|result| result.solved_after_ms)
}
