//! One finished game as JSON: every position with search data. Scores are from White's point of view, so that
//! one graph shows both engines.

use serde::Serialize;
use smalt_chess::{Color, Position, San, UciMove};
use smalt_protocol::Score;

use smalt_match::game::{GameRecord, PlyRecord};
use smalt_match::opening::Openings;

#[derive(Debug, Serialize)]
pub(super) struct GamePage<'a> {
    number: u32,
    pair: u32,
    round: u32,
    white: usize,
    black: usize,
    result: String,
    ending: &'static str,
    sentence: String,
    opening: OpeningJson,
    started_ms: u64,
    seconds: f64,
    fen: String,
    plies: Vec<PlyJson>,
    fault: Option<GameFaultJson<'a>>,
}

#[derive(Debug, Serialize)]
struct OpeningJson {
    number: usize,
    name: Option<String>,
    eco: Option<String>,
}

/// A move and the position after it.
#[derive(Debug, Serialize)]
struct PlyJson {
    san: String,
    fen: String,
    from: String,
    to: String,
    #[serde(flatten)]
    search: Option<SearchJson>,
}

#[derive(Debug, Serialize)]
struct SearchJson {
    #[serde(flatten)]
    score: ScoreJson,
    depth: Option<u32>,
    nodes: Option<u64>,
    ms: f64,
    left_ms: Option<f64>,
    line: Vec<String>,
    arrows: Vec<[String; 2]>,
}

/// Number of moves of a variation drawn as arrows.
const ARROWS: usize = 3;

/// A score from White's point of view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct ScoreJson {
    pub(super) cp: Option<i32>,
    /// Moves to mate; positive when White mates.
    pub(super) mate: Option<i32>,
}

#[derive(Debug, Serialize)]
struct GameFaultJson<'a> {
    engine: usize,
    name: &'a str,
    words: &'a str,
    transcript: &'a [String],
}

impl ScoreJson {
    /// Converts a score from a side's view. Being mated is mate in 0 for the opponent.
    pub(super) fn of(score: Option<Score>, side: Color) -> ScoreJson {
        let of_white = |value: i32| if side == Color::White { value } else { value.saturating_neg() };
        match score {
            Some(Score::Centipawns(value)) => ScoreJson { cp: Some(of_white(value)), mate: None },
            Some(Score::Mate(moves)) => ScoreJson { cp: None, mate: Some(of_white(moves)) },
            None => ScoreJson::default(),
        }
    }
}

impl<'a> GamePage<'a> {
    pub(super) fn of(record: &'a GameRecord, openings: &Openings) -> GamePage<'a> {
        let game = &record.game;
        let start = record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_default();
        let opening = (!openings.is_empty()).then(|| openings.get(game.opening));
        let started = record.started.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        GamePage {
            number: game.number + 1,
            pair: game.pair + 1,
            round: game.round + 1,
            white: game.white,
            black: game.black,
            result: record.outcome.to_string(),
            ending: record.termination.name(),
            sentence: record.sentence(),
            opening: OpeningJson {
                number: game.opening + 1,
                name: opening.as_ref().and_then(|opening| opening.name.clone()),
                eco: opening.and_then(|opening| opening.eco),
            },
            started_ms: u64::try_from(started.as_millis()).unwrap_or(0),
            seconds: record.duration.as_secs_f64(),
            fen: start.to_fen(),
            plies: plies(&record.plies, start),
            fault: record.fault.as_ref().map(|fault| GameFaultJson {
                engine: record.entrant(fault.color),
                name: &fault.name,
                words: &fault.words,
                transcript: &fault.transcript,
            }),
        }
    }
}

fn plies(records: &[PlyRecord], mut position: Position) -> Vec<PlyJson> {
    let mut plies = Vec::with_capacity(records.len());
    for record in records {
        let Ok(mv) = record.mv.to_move(&position) else { break };
        let mover = position.turn();
        let search = record.search.as_ref().map(|search| SearchJson {
            score: ScoreJson::of(search.score, mover),
            depth: search.depth,
            nodes: search.nodes,
            ms: search.elapsed.as_secs_f64() * 1e3,
            left_ms: search.left.map(|left| left.as_secs_f64() * 1e3),
            line: line_in_san(&search.pv, position),
            arrows: arrows(&search.pv, position),
        });
        let san = San::from_move(mv, &position).to_string();
        position = position.after(mv);
        let [from, to] = squares(record.mv);
        plies.push(PlyJson { san, fen: position.to_fen(), from, to, search });
    }
    plies
}

/// From and to square of a move; empty for a null move.
pub(super) fn squares(mv: UciMove) -> [String; 2] {
    match mv {
        UciMove::Normal { from, to, .. } => [from.to_string(), to.to_string()],
        UciMove::Null => [String::new(), String::new()],
    }
}

/// A variation in SAN, up to its first illegal move.
pub(super) fn line_in_san(moves: &[UciMove], mut position: Position) -> Vec<String> {
    let mut line = Vec::with_capacity(moves.len());
    for mv in moves {
        let Ok(mv) = mv.to_move(&position) else { break };
        line.push(San::from_move(mv, &position).to_string());
        position = position.after(mv);
    }
    line
}

/// From and to squares of the first moves of a variation, up to its first illegal move.
pub(super) fn arrows(moves: &[UciMove], mut position: Position) -> Vec<[String; 2]> {
    let mut arrows = Vec::new();
    for &mv in moves.iter().take(ARROWS) {
        let Ok(legal) = mv.to_move(&position) else { break };
        arrows.push(squares(mv));
        position = position.after(legal);
    }
    arrows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shown_in_whites_view() {
        let check = |score, side, cp, mate| {
            assert_eq!(ScoreJson::of(Some(score), side), ScoreJson { cp, mate });
        };
        check(Score::Centipawns(35), Color::White, Some(35), None);
        check(Score::Centipawns(35), Color::Black, Some(-35), None);
        check(Score::Mate(-3), Color::Black, None, Some(3));
    }

    #[test]
    fn a_line_ends_where_it_becomes_illegal() {
        let moves: Vec<UciMove> = ["e2e4", "e7e5", "e2e4"].iter().map(|mv| mv.parse().unwrap()).collect();
        assert_eq!(line_in_san(&moves, Position::start()), ["e4", "e5"]);
        assert_eq!(arrows(&moves, Position::start()), [["e2", "e4"], ["e7", "e5"]]);
    }
}
