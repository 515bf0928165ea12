//! JSON export: a game with all its moves, as array elements or one a line.

use schemars::JsonSchema;
use serde::Serialize;
use smalt_protocol::Score;

use super::{milliseconds, seconds};
use smalt_match::game::{GameRecord, PlyRecord};
use smalt_workbench::calendar::UtcTime;

/// A game; numbers start at 1.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonGame<'a> {
    /// Number of the game, from 1.
    game: u32,
    /// Number of its pair, from 1.
    pair: u32,
    /// Number of its round, from 1.
    round: u32,
    /// Name of the engine with White.
    white: &'a str,
    /// Name of the engine with Black.
    black: &'a str,
    /// Result, e.g. `1-0`.
    result: String,
    /// Name of the termination.
    termination: &'static str,
    /// Number of the opening, from 1.
    opening: usize,
    /// Start position, if it is not the initial one.
    fen: Option<&'a str>,
    /// Start of the game in UTC, as in PGN.
    started: String,
    /// Duration in seconds.
    seconds: f64,
    /// The fault that ended it.
    fault: Option<JsonFault<'a>>,
    /// The moves.
    moves: Vec<JsonMove>,
}

/// The fault that ended a game.
#[derive(Debug, Serialize, JsonSchema)]
struct JsonFault<'a> {
    /// Name of the engine.
    engine: &'a str,
    /// Name of the fault.
    name: &'a str,
    /// Description of the fault, which follows the engine's name.
    words: &'a str,
}

/// A move; scores are centipawns or moves to mate from the point of view of the side that moved. Book moves
/// have no other fields.
#[derive(Debug, Serialize, JsonSchema)]
struct JsonMove {
    /// The move in UCI notation.
    #[serde(rename = "move")]
    mv: String,
    /// Score in centipawns.
    #[serde(skip_serializing_if = "Option::is_none")]
    cp: Option<i32>,
    /// Moves to mate; negative if the side is mated.
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    /// Depth in plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    /// Number of nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    /// Time in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
}

impl<'a> JsonGame<'a> {
    /// A record with the names of its entrants.
    pub(crate) fn of(record: &'a GameRecord, names: &'a [String]) -> JsonGame<'a> {
        let game = &record.game;
        JsonGame {
            game: game.number + 1,
            pair: game.pair + 1,
            round: game.round + 1,
            white: &names[game.white],
            black: &names[game.black],
            result: record.outcome.to_string(),
            termination: record.termination.name(),
            opening: game.opening + 1,
            fen: record.fen.as_deref(),
            started: UtcTime::of(record.started).pgn_time(),
            seconds: seconds(record.duration),
            fault: record.fault.as_ref().map(|fault| JsonFault {
                engine: &names[record.entrant(fault.color)],
                name: &fault.name,
                words: &fault.words,
            }),
            moves: record.plies.iter().map(json_move).collect(),
        }
    }
}

fn json_move(ply: &PlyRecord) -> JsonMove {
    let search = ply.search.as_ref();
    let score = search.and_then(|search| search.score);
    JsonMove {
        mv: ply.mv.to_string(),
        cp: score.and_then(|score| if let Score::Centipawns(value) = score { Some(value) } else { None }),
        mate: score.and_then(|score| if let Score::Mate(moves) = score { Some(moves) } else { None }),
        depth: search.and_then(|search| search.depth),
        nodes: search.and_then(|search| search.nodes),
        ms: search.map(|search| milliseconds(search.elapsed)),
    }
}
