//! The game as JSON for pages.

use serde::Serialize;
use smalt_chess::{CastlingMode, CastlingSide, Color, Game, Move, Position, San, Square, UciMove};

use super::game::PlayedGame;
use super::opponent::EngineFacts;
use super::pgn::opening;
use crate::game::{ScoreJson, squares};
use crate::page_json::to_page_json;

/// An analysis: a position of the game, and moves tried from there.
#[derive(Clone, Debug)]
pub(super) struct Analysis {
    /// Ply of the game.
    pub(super) ply: usize,
    /// All moves up to the position.
    pub(super) line: Game,
    pub(super) lines: u32,
}

/// State shown besides the game.
#[derive(Clone, Debug, Default)]
pub(super) struct Messages {
    /// A message of the engine, until the next command.
    pub(super) notice: Option<String>,
    /// Why the engine cannot play.
    pub(super) problem: Option<String>,
    /// Whether the engine offers a draw.
    pub(super) draw_offered: bool,
    pub(super) hint: Option<UciMove>,
    /// Whether a hint is being searched.
    pub(super) hint_asked: bool,
}

#[derive(Serialize)]
struct GameJson<'a> {
    number: u32,
    human: &'static str,
    names: [&'a str; 2],
    engine: EngineJson<'a>,
    level: Option<i64>,
    limits: String,
    chess960: bool,
    chess960_start: Option<u16>,
    fen: String,
    plies: Vec<PlyJson>,
    /// Position on the board: of the analysis, or of the game.
    board: BoardJson,
    state: &'static str,
    result: Option<String>,
    sentence: Option<&'a str>,
    opening: Option<String>,
    analysis: Option<AnalysisJson>,
    notice: Option<&'a str>,
    problem: Option<&'a str>,
    draw_offered: bool,
    hint: Option<HintJson>,
    hint_asked: bool,
    /// Number of plies left to review in a finished game.
    to_review: usize,
}

#[derive(Serialize)]
struct EngineJson<'a> {
    name: &'a str,
    elo: Option<(i64, i64)>,
    lines: u32,
    chess960: bool,
}

#[derive(Serialize)]
struct PlyJson {
    #[serde(flatten)]
    mv: PlayedJson,
    /// The review's score, otherwise the engine's own.
    #[serde(flatten)]
    score: ScoreJson,
    depth: Option<u32>,
    ms: Option<u64>,
    left_ms: Option<u64>,
    /// The review's preferred move, if different.
    better: Option<String>,
}

/// A move and the position after it.
#[derive(Serialize)]
struct PlayedJson {
    san: String,
    fen: String,
    from: String,
    to: String,
}

#[derive(Serialize)]
struct BoardJson {
    fen: String,
    from: String,
    to: String,
    turn: &'static str,
    check: bool,
    legal: Vec<LegalJson>,
}

#[derive(Serialize)]
struct LegalJson {
    uci: String,
    san: String,
    from: String,
    /// Target squares for input: castling has the king's destination and the rook.
    to: Vec<String>,
}

#[derive(Serialize)]
struct AnalysisJson {
    ply: usize,
    moves: Vec<AnalyzedJson>,
    lines: u32,
}

#[derive(Serialize)]
struct AnalyzedJson {
    uci: String,
    #[serde(flatten)]
    mv: PlayedJson,
}

#[derive(Serialize)]
struct HintJson {
    san: String,
    from: String,
    to: String,
}

/// The names of both sides.
pub(super) fn names<'a>(game: &PlayedGame, engine: &'a str, human: &'a str) -> [&'a str; 2] {
    if game.human == Color::White { [human, engine] } else { [engine, human] }
}

/// JSON of a game.
pub(super) fn game_json(
    game: &PlayedGame,
    facts: &EngineFacts,
    analysis: Option<&Analysis>,
    messages: &Messages,
) -> String {
    let shown = analysis.map_or(game.game(), |analysis| &analysis.line);
    let hint = messages.hint.and_then(|hint| hint.to_move(game.position()).ok());
    let json = GameJson {
        number: game.number,
        human: color_name(game.human),
        names: names(game, &facts.name, "You"),
        engine: EngineJson {
            name: &facts.name,
            elo: facts.elo,
            lines: facts.lines,
            chess960: facts.chess960,
        },
        level: game.level,
        limits: game.clock.to_string(),
        chess960: game.mode == CastlingMode::Chess960,
        chess960_start: game.chess960,
        fen: game.game().start().to_fen(),
        plies: plies(game),
        board: board(shown, game.mode),
        state: state(game, analysis),
        result: game.end.as_ref().map(|end| end.outcome.to_string()),
        sentence: game.end.as_ref().map(|end| end.sentence.as_str()),
        opening: opening(game).map(|(eco, name)| format!("{eco} {name}")),
        analysis: analysis.map(|analysis| analysis_json(analysis, game.mode)),
        notice: messages.notice.as_deref(),
        problem: messages.problem.as_deref(),
        draw_offered: messages.draw_offered,
        hint: hint.map(|mv| {
            let [from, to] = squares(UciMove::from_move(mv, game.mode));
            HintJson { san: San::from_move(mv, game.position()).to_string(), from, to }
        }),
        hint_asked: messages.hint_asked,
        to_review: if game.end.is_some() {
            game.plies().iter().filter(|ply| ply.review.is_none()).count()
        } else {
            0
        },
    };
    to_page_json(&json)
}

fn state(game: &PlayedGame, analysis: Option<&Analysis>) -> &'static str {
    if analysis.is_some() {
        "analysis"
    } else if game.end.is_some() {
        "over"
    } else if game.is_engines_turn() {
        "thinking"
    } else {
        "move"
    }
}

fn color_name(color: Color) -> &'static str {
    if color == Color::White { "white" } else { "black" }
}

fn played(position: &Position, mv: Move, mode: CastlingMode) -> PlayedJson {
    let [from, to] = squares(UciMove::from_move(mv, mode));
    let san = San::from_move(mv, position).to_string();
    PlayedJson { san, fen: position.after(mv).to_fen(), from, to }
}

fn plies(game: &PlayedGame) -> Vec<PlyJson> {
    let ms = |time: Option<std::time::Duration>| time.and_then(|time| u64::try_from(time.as_millis()).ok());
    let ply = |((position, mv), ply): ((Position, Move), &super::game::PlayedPly)| {
        let better =
            ply.better.and_then(|better| better.to_move(&position).ok()).filter(|&better| better != mv);
        PlyJson {
            mv: played(&position, mv, game.mode),
            score: ScoreJson::of(ply.review.or(ply.score), position.turn()),
            depth: ply.depth,
            ms: ms(ply.elapsed),
            left_ms: ms(ply.left),
            better: better.map(|better| San::from_move(better, &position).to_string()),
        }
    };
    game.game().plies().zip(game.plies()).map(ply).collect()
}

fn board(game: &Game, mode: CastlingMode) -> BoardJson {
    let position = game.position();
    let last = game.moves().last().map(|&mv| UciMove::from_move(mv, mode));
    let [from, to] = last.map_or_else(Default::default, squares);
    let legal = position.legal_moves();
    let legal = legal.iter().map(|&mv| LegalJson {
        uci: UciMove::from_move(mv, mode).to_string(),
        san: San::from_move(mv, position).to_string(),
        from: mv.from().to_string(),
        to: targets(mv, &legal).iter().map(ToString::to_string).collect(),
    });
    BoardJson {
        fen: position.to_fen(),
        from,
        to,
        turn: color_name(position.turn()),
        check: position.is_check(),
        legal: legal.collect(),
    }
}

/// Target squares for the input of a move. For castling: the rook, and the king's destination unless a king step goes
/// there.
fn targets(mv: Move, legal: &[Move]) -> Vec<Square> {
    if !mv.is_castle() {
        return vec![mv.to()];
    }
    let king_to = Square::new(CastlingSide::of(mv.from(), mv.to()).king_file(), mv.from().rank());
    let is_step =
        legal.iter().any(|other| other.from() == mv.from() && other.to() == king_to && !other.is_castle());
    if is_step || king_to == mv.from() || king_to == mv.to() { vec![mv.to()] } else { vec![king_to, mv.to()] }
}

fn analysis_json(analysis: &Analysis, mode: CastlingMode) -> AnalysisJson {
    let moves = analysis.line.plies().skip(analysis.ply).map(|(position, mv)| AnalyzedJson {
        uci: UciMove::from_move(mv, mode).to_string(),
        mv: played(&position, mv, mode),
    });
    AnalysisJson { ply: analysis.ply, moves: moves.collect(), lines: analysis.lines }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn castling_targets(fen: &str) -> Vec<String> {
        let position = Position::from_fen(fen).unwrap();
        let legal = position.legal_moves();
        let castling = legal.iter().find(|mv| mv.is_castle()).unwrap();
        targets(*castling, &legal).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn castling_is_given_by_the_king_or_by_the_rook() {
        assert_eq!(castling_targets("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), ["g1", "h1"]);
        // A king step to g1 is also legal.
        assert_eq!(castling_targets("4k3/8/8/8/8/8/8/5K1R w K - 0 1"), ["h1"]);
        // The king does not move.
        assert_eq!(castling_targets("4k3/8/8/8/8/8/8/6KR w K - 0 1"), ["h1"]);
    }
}
