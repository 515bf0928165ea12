//! Ratings on the scale of a public list. Entrants rated on it are anchors within their errors, so that the errors of
//! all ratings include those of the anchors.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::{Cell, Column, ColumnKind, Sign, Table, format};
use smalt_stats::Elo;
use smalt_stats::ratings::{Anchor, RatingOptions, Ratings};

use super::Standings;
use crate::plan::Plan;

/// Default half-width of the 95% interval of a known rating: that of an engine with a few thousand games.
const USUAL_ERROR: f64 = 20.0;

/// The rating of an entrant on a public list.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KnownRating {
    entrant: usize,
    rating: f64,
    error: f64,
    source: String,
}

impl KnownRating {
    /// Known ratings of the engines of a plan.
    pub(super) fn all(plan: &Plan) -> Vec<KnownRating> {
        let known = |(entrant, settings): (usize, &crate::plan::EngineSettings)| {
            Some(KnownRating {
                entrant,
                rating: settings.rating?,
                error: settings.rating_error.unwrap_or(USUAL_ERROR),
                source: settings.source.clone().unwrap_or_else(|| "known ratings".to_owned()),
            })
        };
        plan.entrants.iter().map(|entrant| &entrant.engine).enumerate().filter_map(known).collect()
    }
}

/// Ratings on a known scale.
#[derive(Clone, Debug)]
pub struct Scale<'a> {
    source: &'a str,
    anchors: Vec<&'a KnownRating>,
    ratings: Ratings,
}

/// The scale as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(super) struct ScaleJson {
    /// Name of the rating list.
    source: String,
    /// Engines with a rating on this list.
    anchors: Vec<AnchorJson>,
}

/// An engine whose rating on the list is known.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct AnchorJson {
    /// Name of the engine.
    name: String,
    /// Its rating on the list.
    rating: f64,
    /// Half-width of the 95 % interval of its rating.
    rating_error: f64,
}

impl Standings {
    /// Ratings on the scale of the list that rates most entrants; `None` if it rates none, or no players can be
    /// compared.
    pub fn scale(&self) -> Option<Scale<'_>> {
        let count = |source: &str| self.known_ratings.iter().filter(|known| known.source == source).count();
        let mut sources = self.known_ratings.iter().map(|known| known.source.as_str());
        let first = sources.next()?;
        let source = sources.fold(first, |best, next| if count(next) > count(best) { next } else { best });
        let anchors: Vec<&KnownRating> =
            self.known_ratings.iter().filter(|known| known.source == source).collect();
        let anchor = |known: &&KnownRating| Anchor {
            player: known.entrant,
            rating: Elo(known.rating),
            error: Elo(known.error),
        };
        let options =
            RatingOptions { anchors: anchors.iter().map(anchor).collect(), ..RatingOptions::default() };
        let ratings = self.ratings(&options).ok().filter(Ratings::is_anchored)?;
        Some(Scale { source, anchors, ratings })
    }
}

impl Scale<'_> {
    pub(super) fn ratings(&self) -> &Ratings {
        &self.ratings
    }

    /// Title of the table: the list and its anchors.
    pub fn title(&self, standings: &Standings) -> String {
        let anchor = |known: &&KnownRating| {
            let rating = format::estimate(known.rating, Some(known.error), 0, Sign::Negative);
            format!("{} {rating}", standings.entrants()[known.entrant].name)
        };
        let anchors: Vec<String> = self.anchors.iter().map(anchor).collect();
        format!("Ratings on the scale of {} (anchors: {})", self.source, anchors.join(", "))
    }

    /// All rated entrants, the best first.
    pub fn table(&self, standings: &Standings) -> Table {
        let mut table = Table::new([
            Column::new("engine", ColumnKind::Text),
            Column::new("rating", ColumnKind::Estimate(0, Sign::Negative)),
            Column::new("games", ColumnKind::Integer),
        ]);
        for entrant in standings.order(Some(&self.ratings)) {
            let tally = &standings.entrants()[entrant];
            let rating = self.ratings.players()[entrant].estimate();
            let rating = rating.map_or(Cell::Missing, |found| Cell::Estimate(found.value, found.error));
            table.push([tally.name.clone().into(), rating, tally.results.games().into()]);
        }
        table
    }

    /// The scale as JSON.
    pub(super) fn json(&self, standings: &Standings) -> ScaleJson {
        let anchor = |known: &&KnownRating| AnchorJson {
            name: standings.entrants()[known.entrant].name.clone(),
            rating: known.rating,
            rating_error: known.error,
        };
        ScaleJson { source: self.source.to_owned(), anchors: self.anchors.iter().map(anchor).collect() }
    }
}
