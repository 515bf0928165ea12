//! The rating list as text tables.

use smalt_report::sanitize::sanitize_lines;
use smalt_report::{Cell, Column, ColumnKind, Sign, Table, format};
use smalt_stats::Estimate;
use smalt_stats::ratings::ParameterSource;

use super::RatingList;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListParts {
    pub head_to_head: Visibility,
    pub los: Visibility,
}

/// Whether a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Yes,
    No,
}

/// The requested tables, the list first.
pub(crate) fn tables(list: &RatingList, parts: ListParts) -> Vec<Table> {
    let mut tables = vec![table(list)];
    if parts.head_to_head == Visibility::Yes {
        tables.push(head_to_head(list));
    }
    if parts.los == Visibility::Yes {
        tables.push(los(list));
    }
    tables
}

/// Players from highest to lowest.
pub(crate) fn table(list: &RatingList) -> Table {
    let simulated =
        list.simulation().map(|_| Column::new("simulated ±", ColumnKind::Number(1, Sign::Negative)));
    let mut table = Table::new(
        [Column::new("#", ColumnKind::Integer), Column::new("player", ColumnKind::Text)]
            .into_iter()
            .chain([Column::new("rating", ColumnKind::Estimate(1, Sign::Negative))])
            .chain(simulated)
            .chain([
                Column::new("points", ColumnKind::Number(1, Sign::Negative)),
                Column::new("expected", ColumnKind::Number(1, Sign::Negative)),
                Column::new("games", ColumnKind::Integer),
                Column::new("score", ColumnKind::Percent(1)),
                Column::new("wins", ColumnKind::Integer),
                Column::new("draws", ColumnKind::Integer),
                Column::new("losses", ColumnKind::Integer),
                Column::new("los over next", ColumnKind::Percent(1)),
                Column::new("note", ColumnKind::Text),
            ]),
    );
    for (place, &player) in list.order().iter().enumerate() {
        let tally = &list.players()[player];
        let results = tally.results;
        let next = list.order().get(place + 1);
        let is_rated = list.rating(player).is_some();
        let score = (results.games() > 0).then(|| results.points() / results.games() as f64);
        let error = list.simulation().map(|_| Cell::from(list.simulated_error(player)));
        let head = [
            Cell::from(place as u64 + 1),
            list.name(player).into(),
            list.rating(player).map_or(Cell::Missing, cell),
        ];
        let rest = [
            tally.results.points().into(),
            is_rated.then_some(tally.expected).into(),
            results.games().into(),
            score.into(),
            results.wins.into(),
            results.draws.into(),
            results.losses.into(),
            next.and_then(|&next| list.ratings().los(player, next)).into(),
            note(list, player).into(),
        ];
        table.push(head.into_iter().chain(error).chain(rest));
    }
    table
}

/// Note on a missing rating, or on games not counted for the rating.
fn note(list: &RatingList, player: usize) -> String {
    let tally = &list.players()[player];
    let [all, rated] = [tally.results.games(), tally.rated.games()];
    if list.rating(player).is_some() && rated < all {
        return format!("{} of {rated} points count for the rating", tally.rated.points());
    }
    list.note(player).to_owned()
}

fn cell(estimate: Estimate) -> Cell {
    Cell::Estimate(estimate.value, estimate.error)
}

/// Head-to-head results in list order.
pub(crate) fn head_to_head(list: &RatingList) -> Table {
    let mut table = Table::new([
        Column::new("pairing", ColumnKind::Text),
        Column::new("games", ColumnKind::Integer),
        Column::new("W-D-L", ColumnKind::Text),
        Column::new("points", ColumnKind::Number(1, Sign::Negative)),
        Column::new("expected", ColumnKind::Number(1, Sign::Negative)),
        Column::new("difference", ColumnKind::Number(1, Sign::Both)),
        Column::new("score", ColumnKind::Percent(1)),
        Column::new("expected score", ColumnKind::Percent(1)),
    ]);
    for pairing in list.pairings() {
        let results = pairing.results;
        let games = results.games() as f64;
        table.push([
            format!("{} - {}", list.name(pairing.first), list.name(pairing.second)).into(),
            results.games().into(),
            format!("{}-{}-{}", results.wins, results.draws, results.losses).into(),
            results.points().into(),
            pairing.expected.into(),
            pairing.expected.map(|expected| results.points() - expected).into(),
            (results.points() / games).into(),
            pairing.expected.map(|expected| expected / games).into(),
        ]);
    }
    table
}

/// Likelihood that the row's player is stronger than the column's.
pub(crate) fn los(list: &RatingList) -> Table {
    let names = list.order().iter().map(|&player| Column::new(list.name(player), ColumnKind::Percent(1)));
    let mut table = Table::new([Column::new("stronger than", ColumnKind::Text)].into_iter().chain(names));
    for &row in list.order() {
        let cells = list.order().iter().map(|&column| {
            let los = (row != column).then(|| list.ratings().los(row, column)).flatten();
            Cell::from(los)
        });
        table.push([Cell::from(list.name(row))].into_iter().chain(cells));
    }
    table
}

/// Errors of the rating differences between rows and columns, as in Ordo's -e.
pub(crate) fn error_matrix(list: &RatingList) -> Table {
    let names = list
        .order()
        .iter()
        .map(|&player| Column::new(list.name(player), ColumnKind::Number(1, Sign::Negative)));
    let mut table =
        Table::new([Column::new("error of the difference", ColumnKind::Text)].into_iter().chain(names));
    for &row in list.order() {
        let cells = list.order().iter().map(|&column| {
            let difference = if row == column { None } else { list.difference(row, column) };
            Cell::from(difference.and_then(|difference| difference.error))
        });
        table.push([Cell::from(list.name(row))].into_iter().chain(cells));
    }
    table
}

/// Remarks below the list.
pub(crate) fn remarks(list: &RatingList) -> String {
    let (white, draws) = (list.white_advantage(), list.draw_rate());
    let mut text = format!(
        "White's advantage: {} Elo. Draws between equals: {}%.\n",
        format::estimate(white.value, white.error, 1, Sign::Negative),
        format::estimate(100.0 * draws.value, draws.error.map(|error| 100.0 * error), 1, Sign::Negative),
    );
    if list.confidence() != 0.95 {
        text.push_str(&format!("Errors are of {}% confidence.\n", 100.0 * list.confidence()));
    }
    if list.hidden() > 0 {
        text.push_str(&format!(
            "Not shown, with too few games: {}.\n",
            format::count(list.hidden(), "player")
        ));
    }
    if list.ratings().white_advantage_source() == ParameterSource::Open {
        text.push_str("The games do not determine White's advantage: it is set to 0.\n");
    }
    if list.ratings().draw_rate_source() == ParameterSource::Open {
        text.push_str(
            "The games do not determine the draw rate between equals, since the weaker side never won: it is set to that of all games.\n",
        );
    }
    if list.lost_its_anchors() {
        text.push_str(
            "No anchor can be compared with the rated players, since each won or lost all its games against them, or met \
             none: the ratings are around their mean instead (--prior ERROR puts them on the anchors' scale).\n",
        );
    }
    if let Some(simulation) = list.simulation() {
        let shown = |error: Option<f64>, scale: f64| {
            error.map_or_else(|| format::MISSING.to_owned(), |error| format!("{:.1}", scale * error))
        };
        text.push_str(&format!(
            "{} of {} simulated lists were usable: White's advantage ± {} Elo, draws between equals ± {}%.\n",
            simulation.lists(),
            list.simulations_tried(),
            shown(simulation.white_advantage_error(), 1.0),
            shown(simulation.draw_rate_error(), 100.0),
        ));
        for &player in list.order() {
            let missing = list.simulations_tried() - simulation.lists_rating(player);
            if missing > 0 && list.rating(player).is_some() {
                let consequence = match simulation.error(player) {
                    Some(_) => "they are not in its simulated error",
                    None => "too many for a simulated error (--prior rates it in all)",
                };
                text.push_str(&format!(
                    "{} has no rating in {missing} of {} simulated lists, where it won or lost all: {consequence}.\n",
                    list.name(player),
                    list.simulations_tried(),
                ));
            }
        }
    }
    if list.groups().len() > 1 {
        text.push_str(&format!("{} groups that no game connects:\n", list.groups().len()));
        for group in list.groups() {
            let names: Vec<&str> = group.iter().take(GROUP_NAMES).map(|&player| list.name(player)).collect();
            let more = group.len().saturating_sub(GROUP_NAMES);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            text.push_str(&format!("  {}{more}\n", names.join(", ")));
        }
    }
    // Player names may have hidden characters.
    sanitize_lines(&text)
}

/// Maximum number of group members listed.
const GROUP_NAMES: usize = 8;
