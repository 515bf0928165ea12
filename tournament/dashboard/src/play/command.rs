//! Commands of the page, and the position from which a game starts.

use std::time::Duration;

use serde::Deserialize;
use smalt_chess::notation::pgn::{PgnError, Variations};
use smalt_chess::{CastlingMode, Color, FenError, Game, PgnReader, Position, Setup};
use smalt_match::plan::{ClockError, MoveClock};
use smalt_workbench::entrant::{EngineSettings, WordsError, from_words};

use super::random;

/// Time margin of the engine's moves: large, since a game against a human is not a test of its clock.
const MARGIN: Duration = Duration::from_secs(1);

/// A command of the page: a JSON object whose field `do` names it.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub(super) enum PlayCommand {
    /// A human move, in UCI notation.
    Move {
        #[serde(rename = "move")]
        mv: String,
    },
    /// Takes back the human's last move and all later ones.
    TakeBack,
    /// Asks the engine for the best move.
    Hint,
    Resign,
    /// Offers a draw, or accepts the engine's offer.
    Draw,
    New(Box<NewGame>),
    /// Analyzes the position after `ply` plies of the game and then `moves`, with this number of lines.
    Analyze {
        ply: usize,
        #[serde(default)]
        moves: Vec<String>,
        lines: u32,
    },
    /// Returns from analysis to the game.
    Play,
    /// Restarts a failed engine.
    Restart,
}

#[derive(Clone, Debug, Deserialize)]
pub struct NewGame {
    pub color: ColorChoice,
    pub start: StartPosition,
    /// Rating limit of the engine (`UCI_Elo`); `None` for full strength.
    #[serde(default)]
    pub level: Option<i64>,
    /// Time control and limits as key=value words: `tc=300+3`, `movetime=1000`, `depth=6`.
    pub limits: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColorChoice {
    White,
    Black,
    Random,
    /// The side to move.
    Mover,
}

impl ColorChoice {
    pub(super) fn choose(self, position: &Position) -> Color {
        match self {
            ColorChoice::White => Color::White,
            ColorChoice::Black => Color::Black,
            ColorChoice::Mover => position.turn(),
            ColorChoice::Random if random::below(2) == 0 => Color::White,
            ColorChoice::Random => Color::Black,
        }
    }
}

/// Start of a game.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StartPosition {
    Standard,
    Fen(String),
    /// A Chess960 start position by number, from 0 to 959; random if `None`.
    Chess960(Option<u16>),
    /// A game of a PGN.
    Pgn {
        text: String,
        /// Number of the game, from 1.
        #[serde(default = "first")]
        game: usize,
        /// Number of plies to play; all if `None`.
        #[serde(default)]
        plies: Option<usize>,
    },
    /// The position on the board, with the moves leading to it.
    Here,
}

fn first() -> usize {
    1
}

/// Why a game cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum NewGameError {
    #[error("the FEN: {0}")]
    Fen(#[from] FenError),
    #[error("the PGN: {0}")]
    Pgn(#[from] PgnError),
    #[error("the PGN has {found} games, and number {wanted} was asked for")]
    NoGame { found: usize, wanted: usize },
    #[error("the games of a PGN are numbered from 1")]
    GameZero,
    #[error("Chess960 has the start positions 0 to 959, and not {0}")]
    Chess960(u16),
    #[error("the time control: {0}")]
    Words(#[from] WordsError),
    #[error("the time control: {0}")]
    Clock(#[from] ClockError),
    #[error("the engine's strength cannot be limited: it has no option UCI_Elo")]
    NoLevel,
    #[error("the engine can be limited to {low} to {high} Elo, and not to {wanted}")]
    Level { low: i64, high: i64, wanted: i64 },
}

/// The moves before a game.
pub(super) struct StartLine {
    pub(super) game: Game,
    /// Castling notation for the engine.
    pub(super) mode: CastlingMode,
    /// Number of the Chess960 start position.
    pub(super) number: Option<u16>,
}

impl StartLine {
    pub(super) fn new(start: Position) -> StartLine {
        StartLine { game: Game::new(start), mode: CastlingMode::of(&start), number: None }
    }
}

impl NewGame {
    /// Parses the time control and limits.
    pub(super) fn clock(&self) -> Result<MoveClock, NewGameError> {
        let settings: EngineSettings = from_words(&self.limits)?;
        let clock = MoveClock::of(&settings)?;
        Ok(MoveClock { margin: clock.margin.max(MARGIN), ..clock })
    }
}

impl StartPosition {
    /// The moves before the game; `here` returns the line on the board.
    pub(super) fn line(&self, here: impl FnOnce() -> StartLine) -> Result<StartLine, NewGameError> {
        match self {
            StartPosition::Standard => Ok(StartLine::new(Position::start())),
            StartPosition::Fen(fen) => Ok(StartLine::new(Position::from_fen(fen.trim())?)),
            StartPosition::Chess960(number) => {
                let number = number.unwrap_or_else(|| random::below(960));
                let setup = Setup::chess960(number).ok_or(NewGameError::Chess960(number))?;
                let start = Position::new(&setup).map_err(FenError::from)?;
                let game = Game::new(start);
                Ok(StartLine { game, mode: CastlingMode::Chess960, number: Some(number) })
            }
            StartPosition::Pgn { text, game, plies } => pgn_line(text, *game, *plies),
            StartPosition::Here => Ok(here()),
        }
    }
}

fn pgn_line(text: &str, wanted: usize, plies: Option<usize>) -> Result<StartLine, NewGameError> {
    if wanted == 0 {
        return Err(NewGameError::GameZero);
    }
    let mut reader = PgnReader::new(text.as_bytes());
    let mut found = 0;
    while let Some(pgn) = reader.read_game(Variations::Skip)? {
        found += 1;
        if found < wanted {
            continue;
        }
        let all = pgn.to_game();
        let mut line = StartLine::new(*all.start());
        if pgn.tags().get("Variant").is_some_and(|variant| variant.ends_with("960")) {
            line.mode = CastlingMode::Chess960;
        }
        for &mv in all.moves().iter().take(plies.unwrap_or(usize::MAX)) {
            line.game.play(mv).expect("the reader keeps legal moves only");
        }
        return Ok(line);
    }
    Err(NewGameError::NoGame { found, wanted })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(json: &str) -> Result<StartLine, NewGameError> {
        let start: StartPosition = serde_json::from_str(json).unwrap();
        start.line(|| StartLine::new(Position::start()))
    }

    #[test]
    fn a_game_starts_from_anything_that_has_a_position() {
        let check = |json: &str, fen: &str| assert_eq!(line(json).unwrap().game.position().to_fen(), fen);
        check(r#""standard""#, &Position::start().to_fen());
        check(r#"{"fen": " 4k3/8/8/8/8/8/8/4K2R b K - 3 9 "}"#, "4k3/8/8/8/8/8/8/4K2R b K - 3 9");
        check(r#"{"chess960": 518}"#, &Position::start().to_fen());
        let two = r#"{"pgn": {"text": "1. e4 *\n\n1. d4 d5 2. c4 *", "game": 2, "plies": 1}}"#;
        check(two, "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1");
    }

    #[test]
    fn chess960_writes_castling_as_king_takes_rook() {
        assert_eq!(line(r#"{"chess960": 518}"#).unwrap().mode, CastlingMode::Chess960);
        let random = line(r#"{"chess960": null}"#).unwrap();
        assert!(random.number.is_some_and(|number| number < 960));
        let tagged = r#"{"pgn": {"text": "[Variant \"Chess960\"]\n\n1. e4 *"}}"#;
        assert_eq!(line(tagged).unwrap().mode, CastlingMode::Chess960);
        assert_eq!(line(r#""standard""#).unwrap().mode, CastlingMode::Standard);
    }

    #[test]
    fn what_is_no_position_is_refused_with_its_reason() {
        let check = |json: &str, words: &str| {
            let error = line(json).err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        };
        check(r#"{"fen": "8/8/8/8/8/8/8/8 w - - 0 1"}"#, "the FEN: ");
        check(r#"{"chess960": 960}"#, "0 to 959");
        check(r#"{"pgn": {"text": "1. e4 *", "game": 2}}"#, "has 1 games");
        check(r#"{"pgn": {"text": "1. e4 *", "game": 0}}"#, "numbered from 1");
    }
}
