//! One finished game as JSON: every position with search data. Scores are from White's point of view, so that
//! one graph shows both engines.

use serde::Serialize;
use smalt_chess::{Color, Position, San, UciMove};
use smalt_protocol::Score;
use smalt_workbench::calendar::unix_ms;

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
    /// Index of the losing move in `plies`.
    losing_ply: Option<usize>,
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

/// The game that ended last.
#[derive(Debug, Serialize)]
pub(super) struct LastGameJson {
    number: u32,
    white: usize,
    black: usize,
    result: String,
    sentence: String,
    losing_move: Option<LosingMoveJson>,
    /// Whether the sentence says why it was lost, or it was drawn.
    is_explained: bool,
}

#[derive(Debug, Serialize)]
struct LosingMoveJson {
    san: String,
    /// Number of plies of the game up to it.
    ply: usize,
    /// Number of plies before it, counted from White's first move by the move number.
    plies_before: usize,
}

impl LastGameJson {
    pub(super) fn of(record: &GameRecord) -> LastGameJson {
        LastGameJson {
            number: record.game.number + 1,
            white: record.game.white,
            black: record.game.black,
            result: record.outcome.to_string(),
            sentence: record.sentence(),
            losing_move: losing_move(record),
            is_explained: record.loser().is_none() || record.termination.is_fault(),
        }
    }
}

fn losing_move(record: &GameRecord) -> Option<LosingMoveJson> {
    let index = record.losing_ply()?;
    let mut position = start(record);
    for ply in &record.plies[..index] {
        position = position.after(ply.mv.to_move(&position).ok()?);
    }
    let mv = record.plies[index].mv.to_move(&position).ok()?;
    let moves_before = usize::from(position.fullmove_number()).saturating_sub(1);
    Some(LosingMoveJson {
        san: San::from_move(mv, &position).to_string(),
        ply: index + 1,
        plies_before: 2 * moves_before + usize::from(position.turn() == Color::Black),
    })
}

fn start(record: &GameRecord) -> Position {
    record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_default()
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
        let start = start(record);
        let opening = (!openings.is_empty()).then(|| openings.get(game.opening));
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
            started_ms: unix_ms(record.started),
            seconds: record.duration.as_secs_f64(),
            fen: start.to_fen(),
            plies: plies(&record.plies, start),
            losing_ply: record.losing_ply(),
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
    mv.squares().map_or_else(Default::default, |squares| squares.map(|square| square.to_string()))
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
    use smalt_chess::Outcome;
    use smalt_match::game::{SearchRecord, Termination};
    use smalt_match::schedule::ScheduledGame;

    use super::*;

    #[test]
    fn the_last_game_names_its_losing_move() {
        let ply = |(mv, score): (&str, i32)| PlyRecord {
            mv: mv.parse().unwrap(),
            search: Some(SearchRecord { score: Some(Score::Centipawns(score)), ..SearchRecord::default() }),
        };
        let moves = [
            ("g8f6", 20),
            ("g1f3", -20),
            ("f6e4", 10),
            ("f3e5", 250),
            ("a7a6", 0),
            ("e5f7", 300),
            ("a6a5", -280),
            ("f7d8", 320),
        ];
        let game = ScheduledGame { number: 6, pair: 3, round: 0, white: 0, black: 1, opening: 0 };
        let record = GameRecord {
            game,
            fen: Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned()),
            plies: moves.into_iter().map(ply).collect(),
            outcome: Outcome::Win(Color::White),
            termination: Termination::Resignation,
            started: std::time::UNIX_EPOCH,
            duration: std::time::Duration::from_secs(1),
            fault: None,
            peak_memory: [None, None],
            machine: None,
        };
        let last = serde_json::to_value(LastGameJson::of(&record)).unwrap();
        assert_eq!(last["losing_move"], serde_json::json!({ "san": "Nxe4", "ply": 3, "plies_before": 3 }));
        assert_eq!((&last["number"], &last["is_explained"]), (&7.into(), &false.into()));
        let page = serde_json::to_value(GamePage::of(&record, &Openings::default())).unwrap();
        assert_eq!(page["losing_ply"], 2);
        let drawn = GameRecord { outcome: Outcome::Draw, ..record };
        let last = serde_json::to_value(LastGameJson::of(&drawn)).unwrap();
        assert_eq!((&last["losing_move"], &last["is_explained"]), (&serde_json::Value::Null, &true.into()));
    }

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
