//! Progress of a knockout, a Swiss tournament, a race or a bisection: bracket, table with tie-breaks, verdicts, or
//! probabilities, as text and JSON.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::{Column, ColumnKind, Sign, Table};

use super::Standings;
use super::bisection::BisectionJson;
use super::race::RaceJson;
use crate::schedule::knockout::{BracketRound, Tie};
use crate::schedule::swiss::SwissStanding;
use crate::schedule::{Selection, TournamentProgress};

/// Tournament progress as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ProgressJson {
    Knockout {
        /// Rounds paired so far.
        rounds: Vec<RoundJson>,
        /// Winner of the final, once it is played.
        champion: Option<String>,
    },
    Race(RaceJson),
    Bisect(BisectionJson),
    Swiss {
        /// Planned number of rounds.
        rounds: u32,
        /// Number of complete rounds.
        complete: u32,
        /// Entrants by points, then Buchholz.
        places: Vec<SwissPlaceJson>,
    },
}

/// A round of a knockout.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoundJson {
    /// Number of the round, from 1.
    round: usize,
    /// Pairings of the round.
    encounters: Vec<KnockoutPairingJson>,
}

/// A pairing of a knockout round.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
struct KnockoutPairingJson {
    /// Name of the first engine.
    first: String,
    /// Name of its opponent; null for a bye.
    second: Option<String>,
    /// Points of `first`, tiebreaks included.
    first_points: f64,
    /// Points of `second`, tiebreaks included.
    second_points: f64,
    /// Number of tiebreak games so far.
    further_games: u32,
    /// The engine that advances; null while undecided.
    winner: Option<String>,
}

/// A place in a Swiss tournament.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SwissPlaceJson {
    /// Place, from 1.
    place: usize,
    /// Name of the engine.
    name: String,
    /// Points, with those of byes.
    points: f64,
    /// Buchholz: sum of the points of all opponents.
    buchholz: f64,
    /// Number of byes.
    byes: u32,
    /// Names of the opponents so far.
    met: Vec<String>,
}

fn points(half_points: u32) -> f64 {
    f64::from(half_points) / 2.0
}

impl ProgressJson {
    /// Current progress; `None` for formats that do not depend on results.
    pub fn of(standings: &Standings) -> Option<ProgressJson> {
        let name = |entrant: usize| standings.entrants()[entrant].name.clone();
        Some(match standings.schedule().progress()? {
            TournamentProgress::Candidates(rounds) => match rounds.selection() {
                Selection::Race(race) => ProgressJson::Race(RaceJson::of(race, &rounds, standings)),
                Selection::Bisection(bisection) => {
                    ProgressJson::Bisect(BisectionJson::of(bisection, &rounds, standings))
                }
            },
            TournamentProgress::Knockout(bracket) => {
                let champion = champion(&bracket).map(name);
                let round = |(index, round): (usize, &BracketRound)| RoundJson {
                    round: index + 1,
                    encounters: round.ties.iter().map(|tie| pairing(tie, name)).collect(),
                };
                ProgressJson::Knockout { rounds: bracket.iter().enumerate().map(round).collect(), champion }
            }
            TournamentProgress::Swiss { places, rounds, complete } => {
                let place = |(index, place): (usize, &SwissStanding)| SwissPlaceJson {
                    place: index + 1,
                    name: name(place.entrant),
                    points: points(place.half_points),
                    buchholz: points(place.buchholz),
                    byes: place.byes,
                    met: place.met.iter().map(|&other| name(other)).collect(),
                };
                ProgressJson::Swiss {
                    rounds,
                    complete,
                    places: places.iter().enumerate().map(place).collect(),
                }
            }
        })
    }

    /// The table with a progress line.
    pub(crate) fn to_text(&self) -> String {
        format!("{}\n{}\n", self.to_table().to_text().trim_end(), self.progress())
    }

    /// Bracket, table with tie-breaks, verdicts, or probabilities.
    pub fn to_table(&self) -> Table {
        match self {
            ProgressJson::Knockout { rounds, .. } => bracket_table(rounds),
            ProgressJson::Swiss { places, .. } => swiss_table(places),
            ProgressJson::Race(race) => race.to_table(),
            ProgressJson::Bisect(bisection) => bisection.to_table(),
        }
    }

    /// Progress as one line.
    pub fn progress(&self) -> String {
        match self {
            ProgressJson::Race(race) => race.progress(),
            ProgressJson::Bisect(bisection) => bisection.progress(),
            ProgressJson::Knockout { champion: Some(name), .. } => format!("Champion: {name}"),
            ProgressJson::Knockout { rounds, .. } => format!("Round {} is being played", rounds.len()),
            ProgressJson::Swiss { rounds, complete, .. } => format!("{complete} of {rounds} rounds are over"),
        }
    }
}

/// Winner of the final.
fn champion(bracket: &[BracketRound]) -> Option<usize> {
    let final_round = bracket.last().filter(|round| round.ties.len() == 1)?;
    final_round.ties[0].winner
}

fn pairing(tie: &Tie, name: impl Fn(usize) -> String) -> KnockoutPairingJson {
    let half_points = tie.score.map_or((0, 0), |score| (score.first, score.second));
    KnockoutPairingJson {
        first: name(tie.entrants.0),
        second: tie.entrants.1.map(&name),
        first_points: points(half_points.0),
        second_points: points(half_points.1),
        further_games: tie.further_games,
        winner: tie.winner.map(name),
    }
}

fn bracket_table(rounds: &[RoundJson]) -> Table {
    let mut table = Table::new([
        Column::new("round", ColumnKind::Integer),
        Column::new("pairing", ColumnKind::Text),
        Column::new("points", ColumnKind::Text),
        Column::new("tiebreak games", ColumnKind::Integer),
        Column::new("advances", ColumnKind::Text),
    ]);
    for round in rounds {
        for met in &round.encounters {
            let (names, score) = match &met.second {
                Some(second) => (
                    format!("{} - {second}", met.first),
                    format!("{:.1} - {:.1}", met.first_points, met.second_points),
                ),
                None => (format!("{} (bye)", met.first), String::new()),
            };
            table.push([
                (round.round as u64).into(),
                names.into(),
                score.into(),
                u64::from(met.further_games).into(),
                met.winner.clone().unwrap_or_default().into(),
            ]);
        }
    }
    table
}

fn swiss_table(places: &[SwissPlaceJson]) -> Table {
    let mut table = Table::new([
        Column::new("#", ColumnKind::Integer),
        Column::new("engine", ColumnKind::Text),
        Column::new("points", ColumnKind::Number(1, Sign::Negative)),
        Column::new("buchholz", ColumnKind::Number(1, Sign::Negative)),
        Column::new("byes", ColumnKind::Integer),
        Column::new("met", ColumnKind::Text),
    ]);
    for place in places {
        table.push([
            (place.place as u64).into(),
            place.name.clone().into(),
            place.points.into(),
            place.buchholz.into(),
            u64::from(place.byes).into(),
            place.met.join(", ").into(),
        ]);
    }
    table
}
