//! Curves of one game: evaluations, clocks and move times, from a game record or PGN comments.

use std::time::Duration;

use smalt_chess::{Color, CommentScore, MoveComment, PgnGame, SearchComment};
use smalt_protocol::{Score, TimeControl};

use smalt_match::game::{GameRecord, PlyRecord, RunningClock};
use smalt_match::plan::MoveClock;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct GameCurves {
    /// Names of the players, White first.
    pub players: [String; 2],
    pub ending: String,
    /// Moves without the opening.
    pub moves: Vec<MoveFacts>,
}

/// Data of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MoveFacts {
    pub color: Color,
    /// Move number; Black's moves are at half numbers.
    pub number: f64,
    /// Score from White's point of view.
    pub score: Option<Score>,
    pub used: Option<Duration>,
    pub left: Option<Duration>,
}

impl GameCurves {
    /// Curves of a stored game.
    pub(crate) fn of_record(record: &GameRecord, names: &[String]) -> GameCurves {
        let (turn, number) = record.fen.as_deref().map_or((Color::White, 1), turn_and_number);
        let mut count = MoveCounter { color: turn, number };
        let facts = |ply: &PlyRecord| {
            let (color, number) = count.next();
            let search = ply.search.as_ref()?;
            let score = search.score.map(|score| of_white(score, color));
            Some(MoveFacts { color, number, score, used: Some(search.elapsed), left: search.left })
        };
        GameCurves {
            players: [record.game.white, record.game.black].map(|entrant| names[entrant].clone()),
            ending: record.sentence(),
            moves: record.plies.iter().filter_map(facts).collect(),
        }
    }

    /// Curves of a PGN game from its comments. Missing clocks are computed from the time control and the times used.
    pub(crate) fn of_pgn(game: &PgnGame) -> GameCurves {
        let tag = |name: &str| game.tags().get(name).unwrap_or("?").to_owned();
        let (turn, number) = turn_and_number(&game.start().to_fen());
        let mut count = MoveCounter { color: turn, number };
        let terms = [Color::White, Color::Black].map(|color| terms(game, color));
        let mut clocks = terms.each_ref().map(|terms| terms.as_ref().map(RunningClock::new));
        let mut moves = Vec::new();
        for played in game.main_line() {
            let (color, number) = count.next();
            let comment = played.comments().find_map(|text| MoveComment::parse(text).ok());
            let Some(MoveComment::Search(comment)) = comment else { continue };
            let left = left_of(&comment).or_else(|| spend(&mut clocks[color.index()], comment.time));
            let score = Some(of_white(score_of(comment.score), color));
            moves.push(MoveFacts { color, number, score, used: comment.time, left });
        }
        let ending = game.outcome().map_or_else(|| "*".to_owned(), |outcome| outcome.to_string());
        GameCurves { players: [tag("White"), tag("Black")], ending, moves }
    }
}

/// Side to move and move number.
struct MoveCounter {
    color: Color,
    number: u32,
}

impl MoveCounter {
    fn next(&mut self) -> (Color, f64) {
        let now =
            (self.color, f64::from(self.number) + 0.5 * f64::from(u8::from(self.color == Color::Black)));
        self.number += u32::from(self.color == Color::Black);
        self.color = self.color.opposite();
        now
    }
}

fn turn_and_number(fen: &str) -> (Color, u32) {
    let mut fields = fen.split_ascii_whitespace().skip(1);
    let turn = if fields.next() == Some("b") { Color::Black } else { Color::White };
    (turn, fields.nth(3).and_then(|number| number.parse().ok()).unwrap_or(1))
}

fn of_white(score: Score, color: Color) -> Score {
    match (score, color) {
        (score, Color::White) => score,
        (Score::Centipawns(value), Color::Black) => Score::Centipawns(-value),
        (Score::Mate(moves), Color::Black) => Score::Mate(-moves),
    }
}

/// Comments count mates in plies, scores in moves.
fn score_of(score: CommentScore) -> Score {
    let moves = |plies: u32| i32::try_from(plies.div_ceil(2)).unwrap_or(i32::MAX);
    match score {
        CommentScore::Centipawns(value) => Score::Centipawns(value),
        CommentScore::Mates(plies) => Score::Mate(moves(plies)),
        CommentScore::Mated(plies) => Score::Mate(-moves(plies)),
    }
}

/// Time left in a comment: `tl=59.500s`.
fn left_of(comment: &SearchComment) -> Option<Duration> {
    let text = comment.rest.split([',', ' ']).find_map(|word| word.strip_prefix("tl="))?;
    let seconds = text.strip_suffix('s').unwrap_or(text).parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Time control in the tags.
fn terms(game: &PgnGame, color: Color) -> Option<MoveClock> {
    let own = match color {
        Color::White => "WhiteTimeControl",
        Color::Black => "BlackTimeControl",
    };
    let text = game.tags().get(own).or_else(|| game.tags().get("TimeControl"))?;
    let control = TimeControl::parse(text).ok()?;
    let (margin, longest_move) = (Duration::ZERO, Duration::MAX);
    Some(MoveClock {
        control,
        move_time: None,
        nodes: None,
        depth: None,
        margin,
        longest_move,
        reference: None,
    })
}

/// Time left after a move. A move without a time stops the clock.
fn spend(clock: &mut Option<RunningClock<'_>>, used: Option<Duration>) -> Option<Duration> {
    match (clock.as_mut(), used) {
        (Some(running), Some(used)) => {
            running.spend(used);
            running.time_left().map(|face| face.remaining)
        }
        _ => {
            *clock = None;
            None
        }
    }
}
