//! Charts of a fit: errors by epoch, piece-square tables before and after, and the largest changes.

use serde_json::Value;
use smalt::evaluation::Parameters;
use smalt::evaluation::schema::{Entry, SCHEMA, Shape};
use smalt_report::plot::{Axis, BarChart, Chart, HeatMap, IntervalChart, LineChart, PlotError, stacked};

use crate::clop::{ClopState, Region};
use crate::spsa::{Forecast, SpsaState};
use crate::tuning::{TunableParam, Tuning as _};
use crate::weights::difference::{Change, differences};

/// Parameters that the plot of moved ones shows.
const MOVED_SHOWN: usize = 24;

/// Maximum number of distinguishable lines in a chart.
const LINES_SHOWN: usize = 6;

/// Parts of a curve of the landscape.
const CURVE_STEPS: u32 = 60;

/// Both numbers of a weight.
const PHASES: [&str; 2] = ["mg", "eg"];

/// The errors of a fit by epoch, out of what `texel --json` wrote; none if that is something else.
pub(crate) fn errors(run: &Value) -> Option<LineChart> {
    let history = run["history"].as_array()?;
    let points = |key: &'static str| {
        history.iter().filter_map(move |step| step["epoch"].as_f64().zip(step[key].as_f64()))
    };
    let start = |key: &str| run[key].as_f64().map(|error| (0.0, error));
    let chart =
        LineChart::new("Error by epoch", Axis::new("epoch"), Axis::in_unit("mean squared error", "points²"))
            .on_counted_x()
            .line("training", start("initial_error").into_iter().chain(points("train")));
    if run["validation"].as_u64() == Some(0) {
        return Some(chart);
    }
    let first = start("initial_validation_error");
    Some(chart.line("validation", first.into_iter().chain(points("validation"))))
}

/// The parameters of a tuning by games that moved most, by games played, in steps (c_end) from where they began. The band is the
/// 95 % interval of noise alone by the [`Forecast`].
pub(crate) fn parameters_by_games(state: &SpsaState) -> LineChart {
    let played: u64 = state.run.games.iter().sum();
    let steps = |index: usize, value: f64| {
        (value - state.run.parameters[index].start) / state.run.parameters[index].step
    };
    let mut order: Vec<usize> = (0..state.run.parameters.len()).collect();
    order.sort_by(|&a, &b| steps(b, state.values[b]).abs().total_cmp(&steps(a, state.values[a]).abs()));
    let axes = (Axis::new("games"), Axis::in_unit("change", "steps (c_end)"));
    let chart = LineChart::new("Parameters by games", axes.0, axes.1).on_counted_x();
    order.into_iter().take(LINES_SHOWN).fold(chart, |chart, index| {
        let past = state.history.iter().map(|point| (point.games as f64, point.values.get(index)));
        let points = [(0.0, Some(&state.run.parameters[index].start))].into_iter().chain(past);
        let points = points.chain([(played as f64, state.values.get(index))]);
        let parameter = &state.run.parameters[index];
        let banded = |(games, value): (f64, Option<&f64>)| {
            let (pairs, count) = (state.run.pairs, state.run.parameters.len());
            let share = (games / 2.0 / pairs as f64).min(1.0);
            let noise = 1.96 * Forecast::after(count, pairs, share, parameter.rate, 0.0).deviation;
            let moved = steps(index, *value?);
            Some((games, moved, Some([moved - noise, moved + noise])))
        };
        chart.line_with_band(parameter.name.clone(), points.filter_map(banded))
    })
}

/// The landscape of CLOP: Elo below the best point along each parameter with its 95 % band, the others at their best values;
/// for a categorical parameter the Elo of each over the first.
///
/// # Errors
/// If the drawing library fails.
pub(crate) fn landscape(state: &ClopState) -> Result<String, PlotError> {
    let (fitted, best) = (state.landscape(), state.best());
    let curve = |index: usize, parameter: &TunableParam, ends: [f64; 2]| {
        let point = |step: u32| {
            let value =
                parameter.min + f64::from(step) / f64::from(CURVE_STEPS) * (parameter.max - parameter.min);
            let mut point = best.clone();
            point[index] = value;
            let (elo, error) = fitted.difference(&point, &best);
            (value, elo, Some([elo - 1.96 * error, elo + 1.96 * error]))
        };
        let [low, high] = ends;
        let name = format!("best {:.3} ({low:.3} to {high:.3})", best[index]);
        let axes = (Axis::new(parameter.name.clone()), Axis::in_unit("against the best", "Elo"));
        LineChart::new(parameter.name.clone(), axes.0, axes.1)
            .line_with_band(name, (0..=CURVE_STEPS).map(point))
    };
    let all = state.run.parameters.iter().zip(state.regions()).enumerate();
    let charts =
        all.map(|(index, (parameter, region))| -> Box<dyn Chart> {
            let choices = match region {
                Region::Interval(ends) => return Box::new(curve(index, parameter, ends)),
                Region::Choices(choices) => choices,
            };
            let chart = IntervalChart::new(parameter.name.clone(), Axis::in_unit("over the first", "Elo"));
            Box::new(parameter.choices.iter().zip(choices).fold(chart, |chart, (word, (elo, error, _))| {
                chart.value(word.clone(), elo, Some(1.96 * error))
            }))
        });
    let charts: Vec<Box<dyn Chart>> = charts.collect();
    stacked(&charts.iter().map(Box::as_ref).collect::<Vec<_>>())
}

/// The boards of all terms that have one: before at the left, after at the right, middlegame above endgame.
pub(crate) fn boards(before: &Parameters, after: &Parameters) -> HeatMap {
    let (files, ranks) = (['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ['8', '7', '6', '5', '4', '3', '2', '1']);
    let empty = HeatMap::new("Boards before and after", "centipawns", files, ranks);
    let entries = SCHEMA.iter().filter(|entry| entry.shape == Shape::Board);
    entries.flat_map(|entry| [(entry, 0), (entry, 1)]).fold(empty, |map, (entry, phase)| {
        let title = |when: &str| format!("{} {}, {when}", entry.name, PHASES[phase]);
        map.boards((title("old"), board(before, entry, phase)), (title("new"), board(after, entry, phase)))
    })
}

fn board(parameters: &Parameters, entry: &Entry, phase: usize) -> [f64; 64] {
    let mut cells = [0.0; 64];
    let weights = parameters.numbers().skip(entry.term.start());
    cells.iter_mut().zip(weights).for_each(|(cell, numbers)| *cell = f64::from(numbers[phase]));
    cells
}

/// The numbers that moved most, in the file's own units, the greatest step on top.
pub(crate) fn moved(before: &Parameters, after: &Parameters) -> BarChart {
    let changes = differences(before, after).into_iter().flat_map(|group| group.changes);
    let mut steps: Vec<(String, i32, i32)> = changes.flat_map(|change| both(&change)).collect();
    steps.retain(|(_, before, after)| before != after);
    steps.sort_by_key(|(_, before, after)| std::cmp::Reverse((after - before).abs()));
    steps.truncate(MOVED_SHOWN);
    let axis = Axis::in_unit("after minus before", "units of the file");
    steps.into_iter().fold(BarChart::new("Largest changes", axis), |chart, (name, before, after)| {
        chart.bar(name, f64::from(after - before), format!("{before} → {after}"))
    })
}

fn both(change: &Change) -> [(String, i32, i32); 2] {
    [0, 1].map(|half| (format!("{} {}", change.name, PHASES[half]), change.before[half], change.after[half]))
}
