//! Scores as pictures: the themes of each suite as bars, and how much was solved after how much time.

use smalt_report::plot::{Axis, BarChart, Chart, LineChart, PlotError, stacked};

use crate::record::{self, Record};

/// For each suite the points of all engines by theme, and below them what was solved by when, as SVG.
///
/// # Errors
/// If there is no run.
pub fn score_plot(runs: &[Record]) -> Result<String, PlotError> {
    let mut suites: Vec<&str> = runs.iter().map(|run| run.suite.as_str()).collect();
    suites.dedup();
    let of = |suite: &str| runs.iter().filter(|run| run.suite == suite).collect::<Vec<&Record>>();
    let charts: Vec<(BarChart, LineChart)> =
        suites.iter().map(|suite| (themes(suite, &of(suite)), solved(suite, &of(suite)))).collect();
    let both = charts.iter().flat_map(|(themes, solved)| [themes as &dyn Chart, solved]);
    stacked(&both.collect::<Vec<_>>())
}

/// Points of those possible by theme, the engines side by side.
fn themes(suite: &str, runs: &[&Record]) -> BarChart {
    let title = format!("{suite}: points by theme");
    let engines = runs.iter().map(|run| run.engine.as_str());
    let mut chart = BarChart::new(title, Axis::in_unit("points of those possible", "%")).of_series(engines);
    let names =
        runs.first().map(|run| run.themes.iter().map(|theme| theme.name.as_str()).collect::<Vec<_>>());
    for (index, name) in names.into_iter().flatten().enumerate().filter(|_| runs[0].themes.len() > 1) {
        let points =
            |run: &Record| run.themes.get(index).map_or((0, 0), |theme| (theme.points, theme.max_points));
        chart = chart.group(name, runs.iter().map(|run| bar(points(run))));
    }
    chart.group("Total", runs.iter().map(|run| bar((run.points, run.max_points))))
}

fn bar((points, most): (u32, u32)) -> (f64, String) {
    (record::percent(points, most), format!("{points} of {most}"))
}

/// The share of positions that were solved for good after so much time.
fn solved(suite: &str, runs: &[&Record]) -> LineChart {
    let axes = (Axis::in_unit("time to solution", "ms, logarithmic"), Axis::in_unit("positions solved", "%"));
    let chart = LineChart::new(format!("{suite}: solved over time"), axes.0, axes.1).on_logarithmic_x();
    runs.iter().fold(chart, |chart, run| {
        let mut times: Vec<u64> = run.results.iter().filter_map(|result| result.solved_after_ms).collect();
        times.sort_unstable();
        let share = |count: usize| 100.0 * count as f64 / run.positions.max(1) as f64;
        let last = times.last().copied().unwrap_or_default();
        let end = runs.iter().filter_map(|run| slowest(run)).max().unwrap_or_default().max(last).max(10);
        // What took less than a millisecond stands at one. Each solution is a step up, and the line goes on to the end.
        let steps = (0..).zip(times.iter().copied()).flat_map(|(count, time)| {
            let time = time.max(1) as f64;
            [(time, share(count)), (time, share(count + 1))]
        });
        let points = std::iter::once((1.0, 0.0)).chain(steps).chain([(end as f64, share(times.len()))]);
        chart.line(run.engine.as_str(), points)
    })
}

/// When the last solution of a run was found, in milliseconds.
fn slowest(run: &Record) -> Option<u64> {
    run.results.iter().filter_map(|result| result.solved_after_ms).max()
}
