//! Charts: titles, axes and units of each figure.

use smalt_chess::Color;
use smalt_protocol::Score;
use smalt_report::format::{self, Sign};
use smalt_report::plot::{Axis, BarChart, IntervalChart, LineChart, ShareChart};
use smalt_stats::Wdl;

use super::figures::{EntrantFigures, Figures, Test};
use super::game::{GameCurves, MoveFacts};
use super::openings::in_order;
use smalt_match::standings::EloPoint;

/// Maximum number of openings shown: the worst and the best.
const OPENINGS_SHOWN: usize = 24;

/// Maximum score of a chart, in pawns; mates are drawn at this value.
const EDGE: f64 = 10.0;

/// Share of early games ignored for the range of the Elo axis.
const UNSETTLED: f64 = 0.1;

/// Elo after each pair with its 95 % interval.
pub(crate) fn elo(figures: &Figures) -> LineChart {
    let title = match figures.sides.as_slice() {
        [side] => format!("Elo of {} with its 95% interval", side.name),
        _ => "Elo against all opponents, 95% intervals".to_owned(),
    };
    let last = figures.sides.iter().filter_map(|side| side.curve.last()).map(|point| point.games).max();
    let axes = (Axis::new("games"), Axis::in_unit("difference", "Elo"));
    let chart = LineChart::new(title, axes.0, axes.1).on_counted_x().level("", 0.0);
    let point = |point: &EloPoint| {
        let ends = point.interval.low.zip(point.interval.high).map(<[f64; 2]>::from);
        Some((point.games as f64, point.elo?.value, ends))
    };
    let add = |chart: LineChart, side: &EntrantFigures| {
        chart.line_with_band(side.name.as_str(), side.curve.iter().filter_map(point))
    };
    figures.sides.iter().fold(chart, add).settled_from(UNSETTLED * last.unwrap_or(0) as f64)
}

/// The log-likelihood ratio between its bounds.
pub(crate) fn llr(test: &Test) -> LineChart {
    let Test { name, sprt, curve } = test;
    let number = |value: f64| format::number(value, 2, Sign::Both);
    let bounds = sprt.bounds();
    let hypotheses = format!("{} against {} Elo, {}", sprt.elo1(), sprt.elo0(), sprt.model());
    let start = (!curve.is_empty()).then_some((0.0, 0.0));
    LineChart::new(
        format!("LLR of {name}"),
        Axis::new("games"),
        Axis::in_unit("log-likelihood ratio", "nats"),
    )
    .line(hypotheses, start.into_iter().chain(curve.iter().map(|point| (point.games as f64, point.llr))))
    .level(format!("H0 up to {}, H1 from {}", number(bounds.lower), number(bounds.upper)), bounds.upper)
    .level("", bounds.lower)
}

/// Ratings with errors; entrants without a rating have an empty row.
pub(crate) fn ratings(figures: &Figures) -> IntervalChart {
    let chart = IntervalChart::new("Ratings, 95% intervals", Axis::in_unit("rating, mean 0", "Elo"));
    let Some(list) = &figures.ratings else { return chart };
    list.order().iter().fold(chart, |chart, &player| {
        let found = list.rating(player);
        let value = found.map_or(f64::NAN, |found| found.value);
        chart.value(list.name(player), value, found.and_then(|found| found.error))
    })
}

pub(crate) fn pairs(side: &EntrantFigures) -> BarChart {
    let all = side.pairs.pairs();
    let title = format!("Pairs of games of {} by points", side.name);
    let rows = ["0", "½", "1", "1½", "2"].into_iter().zip(side.pairs.0).rev();
    rows.filter(|_| all > 0).fold(BarChart::new(title, Axis::new("pairs")), |chart, (points, count)| {
        let share = format::percent(count as f64 / all as f64, 1);
        let name = if points == "0" { "0 points" } else { points };
        chart.bar(name, count as f64, format!("{count} ({share})"))
    })
}

/// Wins, draws and losses by opening, the worst on top.
pub(crate) fn openings(side: &EntrantFigures) -> ShareChart {
    let mut rows: Vec<&(String, Wdl)> = side.openings.iter().collect();
    let score = |results: &Wdl| results.points() / results.games().max(1) as f64;
    rows.sort_by(|(a_name, a), (b_name, b)| {
        let by_score = score(a).total_cmp(&score(b)).then(b.games().cmp(&a.games()));
        by_score.then_with(|| in_order(a_name, b_name))
    });
    let count = rows.len();
    if count > OPENINGS_SHOWN {
        rows.drain(OPENINGS_SHOWN / 2..count - OPENINGS_SHOWN / 2);
    }
    let choice = if count > rows.len() { format!(", {} of {count}", rows.len()) } else { String::new() };
    let title = format!("{} by opening{choice}", side.name);
    let axis = Axis::in_unit("share of its games", "%");
    rows.into_iter().fold(ShareChart::new(title, axis, ["won", "drawn", "lost"]), |chart, (name, results)| {
        let name = format!("{name} ({})", results.games());
        chart.row(name, [results.wins, results.draws, results.losses].map(|games| games as f64))
    })
}

/// Evaluations, clocks and move times of one game; missing data is omitted.
pub(crate) fn game(course: &GameCurves) -> [LineChart; 3] {
    let [white, black] = &course.players;
    let moves = || Axis::new("move");
    let chart = |title: &str, y: Axis, number: fn(&MoveFacts) -> Option<f64>| {
        let points = |color: Color| {
            let own = course.moves.iter().filter(move |facts| facts.color == color);
            own.filter_map(move |facts| Some((facts.number, number(facts)?)))
        };
        LineChart::new(title, moves(), y)
            .line(format!("{white} (White)"), points(Color::White))
            .line(format!("{black} (Black)"), points(Color::Black))
    };
    let evaluation = Axis::in_unit("evaluation, White's view", "pawns");
    let seconds = |label: &str| Axis::in_unit(label, "s");
    [
        chart(&format!("Evaluation: {}", course.ending), evaluation, |facts| facts.score.map(pawns))
            .level("", 0.0),
        chart("Time left on the clock", seconds("time left"), |facts| {
            facts.left.map(|left| left.as_secs_f64())
        }),
        chart("Time for each move", seconds("time used"), |facts| facts.used.map(|used| used.as_secs_f64())),
    ]
}

/// Pawns from White's point of view, clamped to the chart.
pub(crate) fn pawns(score: Score) -> f64 {
    match score {
        Score::Centipawns(value) => (f64::from(value) / 100.0).clamp(-EDGE, EDGE),
        Score::Mate(moves) if moves > 0 => EDGE,
        Score::Mate(_) => -EDGE,
    }
}
