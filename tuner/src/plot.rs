//! Charts of a fit: errors by epoch, piece-square tables before and after, and the largest changes.

use serde_json::Value;
use smalt_report::plot::{Axis, BarChart, Chart, HeatMap, IntervalChart, LineChart, PlotError, stacked};

use crate::clop::{ClopState, Region};
use crate::spsa::{Forecast, SpsaState};
use crate::tuning::{TunableParam, Tuning as _};
use crate::weights::schema::{Schema, SchemaWeight};

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

/// The parameters of an evaluation before and after a fit.
pub(crate) struct Comparison<'a> {
    pub(crate) schema: &'a Schema,
    /// Unit of the numbers.
    pub(crate) unit: &'static str,
    /// Whether boards begin with a1 instead of a8.
    pub(crate) is_a1_first: bool,
    pub(crate) before: Vec<f64>,
    pub(crate) after: Vec<f64>,
}

/// A term with a number for each square, or for each square of files a to d.
struct BoardTerm<'a> {
    first: usize,
    count: usize,
    weight: &'a SchemaWeight,
}

fn short_name(weight: &SchemaWeight) -> &str {
    weight.term[weight.group_length..].trim_start_matches('.')
}

impl Comparison<'_> {
    /// The boards of all terms that have one: before at the left, after at the right, middlegame above endgame. `None` if no term
    /// has 64 or 32 numbers.
    pub(crate) fn boards(&self) -> Option<HeatMap> {
        let (files, ranks) =
            (['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ['8', '7', '6', '5', '4', '3', '2', '1']);
        let empty = HeatMap::new("Boards before and after", self.unit, files, ranks);
        let terms = self.terms();
        let parts = |term: &BoardTerm<'_>| if term.weight.is_single { 1 } else { PHASES.len() };
        let all = terms.iter().flat_map(|term| (0..parts(term)).map(move |phase| (term, phase)));
        let map = all.fold(empty, |map, (term, phase)| {
            let name = Self::title(term, &terms);
            let name =
                if term.weight.is_single { name.to_owned() } else { format!("{name} {}", PHASES[phase]) };
            let title = |when: &str| format!("{name}, {when}");
            let cells = |numbers: &[f64]| self.cells(term, phase, numbers);
            map.boards((title("old"), cells(&self.before)), (title("new"), cells(&self.after)))
        });
        (!terms.is_empty()).then_some(map)
    }

    fn terms(&self) -> Vec<BoardTerm<'_>> {
        let weights = &self.schema.weights;
        let mut terms: Vec<BoardTerm<'_>> = Vec::new();
        for (index, weight) in weights.iter().enumerate() {
            match terms.last_mut().filter(|last| last.weight.term == weight.term) {
                Some(last) => last.count += 1,
                None => terms.push(BoardTerm { first: index, count: 1, weight }),
            }
        }
        terms.retain(|term| matches!(term.count, 32 | 64));
        terms
    }

    /// The name of a term without its group, if that is unique.
    fn title<'a>(term: &BoardTerm<'a>, all: &[BoardTerm<'_>]) -> &'a str {
        let name = short_name(term.weight);
        let count = all.iter().filter(|other| short_name(other.weight) == name).count();
        if name.is_empty() || count > 1 { &term.weight.term } else { name }
    }

    /// The numbers of a board from a8 to h1.
    fn cells(&self, term: &BoardTerm<'_>, phase: usize, numbers: &[f64]) -> [f64; 64] {
        let mut cells = [0.0; 64];
        for (square, cell) in cells.iter_mut().enumerate() {
            let (rank, file) = (square / 8, square % 8);
            let rank = if self.is_a1_first { 7 - rank } else { rank };
            let index = if term.count == 64 { 8 * rank + file } else { 4 * rank + file.min(7 - file) };
            *cell = numbers[2 * (term.first + index) + phase];
        }
        cells
    }

    /// The numbers that changed most, the largest change on top. `None` if none changed.
    pub(crate) fn moved(&self) -> Option<BarChart> {
        let change = |parameter: usize| self.after[parameter] - self.before[parameter];
        let mut moved: Vec<usize> = (0..self.schema.parameter_count())
            .filter(|&parameter| self.schema.is_used(parameter) && change(parameter) != 0.0)
            .collect();
        moved.sort_by(|&a, &b| change(b).abs().total_cmp(&change(a).abs()));
        moved.truncate(MOVED_SHOWN);
        let axis = Axis::in_unit("after minus before", "units of the file");
        let empty = BarChart::new("Largest changes", axis);
        let chart = moved.iter().fold(empty, |chart, &parameter| {
            let label = format!("{} → {}", self.before[parameter], self.after[parameter]);
            chart.bar(self.schema.parameter_name(parameter), change(parameter), label)
        });
        (!moved.is_empty()).then_some(chart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::header::Header;

    /// A comparison of an engine with one table of this many pairs; the numbers are their indices.
    #[track_caller]
    fn check(count: usize, is_a1_first: bool, corners: Option<[f64; 4]>) {
        let lines = (0..count).map(|index| format!("trace parameter psqt.king[{index}] {index} 0\n"));
        let header =
            Header::parse(&format!("trace version 1\n{}trace ready\n", lines.collect::<String>())).unwrap();
        let [before, after] = [header.start.clone(), header.start.clone()];
        let comparison =
            Comparison { schema: &header.schema, unit: "centipawns", is_a1_first, before, after };
        let terms = comparison.terms();
        let found = terms.first().map(|term| {
            let cells = comparison.cells(term, 0, &comparison.before);
            [0, 7, 56, 62].map(|square| cells[square])
        });
        assert_eq!(found, corners, "a8, h8, a1, g1 of {count}");
        assert_eq!(comparison.boards().is_some(), corners.is_some());
        assert!(comparison.moved().is_none());
    }

    #[test]
    fn tables_of_64_and_of_32_numbers_are_boards() {
        check(64, false, Some([0.0, 7.0, 56.0, 62.0]));
        check(64, true, Some([56.0, 63.0, 0.0, 6.0]));
        check(32, false, Some([0.0, 0.0, 28.0, 29.0]));
        check(32, true, Some([28.0, 28.0, 0.0, 1.0]));
        check(28, false, None);
    }
}
