//! JSON export: a game with all its moves, as array elements or one a line.

use serde::Serialize;
use smalt_protocol::Score;

use super::{milliseconds, seconds};
use smalt_match::game::{GameRecord, PlyRecord};
use smalt_workbench::calendar::UtcTime;

/// A game; numbers start at 1.
#[derive(Debug, Serialize)]
pub(crate) struct JsonGame<'a> {
    game: u32,
    pair: u32,
    round: u32,
    white: &'a str,
    black: &'a str,
    result: String,
    termination: &'static str,
    opening: usize,
    fen: Option<&'a str>,
    started: String,
    seconds: f64,
    fault: Option<JsonFault<'a>>,
    moves: Vec<JsonMove>,
}

#[derive(Debug, Serialize)]
struct JsonFault<'a> {
    engine: &'a str,
    name: &'a str,
    words: &'a str,
}

/// A move; scores are centipawns or moves to mate from the point of view of the side that moved. Book moves
/// have no other fields.
#[derive(Debug, Serialize)]
struct JsonMove {
    #[serde(rename = "move")]
    mv: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cp: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mate: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
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
