//! Stockfish's `.plain`: a few lines per position (`fen`, `move`, `score`, `ply`, `result`), ended by `e`. Score and
//! result are from the side to move's view.

use std::io::{self, BufRead};

use smalt_chess::{CastlingMode, Color, Move, Position, UciMove};

use super::games::GameCounter;
use super::record::Sample;
use super::source::{MAX_LINE, read_line};
use super::text::LineError;

/// Reads positions in order.
pub(super) struct PlainReader<R> {
    input: R,
    line: u64,
    games: GameCounter,
}

/// The lines of one position.
#[derive(Default)]
struct Fields {
    fen: Option<String>,
    mv: Option<String>,
    score: Option<String>,
    ply: Option<String>,
    result: Option<String>,
}

impl<R: BufRead> PlainReader<R> {
    pub(super) fn new(input: R) -> PlainReader<R> {
        PlainReader { input, line: 0, games: GameCounter::default() }
    }

    fn read(&mut self) -> io::Result<Option<(u64, Result<Sample, LineError>)>> {
        let (mut fields, mut first) = (Fields::default(), 0);
        loop {
            let mut line = Vec::new();
            if read_line(&mut self.input, &mut line, MAX_LINE)? == 0 {
                let is_broken_off = fields.fen.is_some();
                return Ok(is_broken_off.then_some((first, Err(LineError::NoResult))));
            }
            self.line += 1;
            let text = String::from_utf8_lossy(&line);
            let (key, value) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
            if first == 0 && !key.is_empty() {
                first = self.line;
            }
            let value = Some(value.trim().to_owned());
            match key {
                "fen" => fields.fen = value,
                "move" => fields.mv = value,
                "score" => fields.score = value,
                "ply" => fields.ply = value,
                "result" => fields.result = value,
                "e" => return Ok(Some((first, sample(&fields, &mut self.games)))),
                _ => {}
            }
        }
    }
}

impl<R: BufRead> Iterator for PlainReader<R> {
    type Item = io::Result<(u64, Result<Sample, LineError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn sample(fields: &Fields, games: &mut GameCounter) -> Result<Sample, LineError> {
    let text = |field: &Option<String>| field.clone().unwrap_or_default();
    let position = Position::from_fen(&text(&fields.fen))?;
    let result: i16 = text(&fields.result).parse().map_err(|_| LineError::NoResult)?;
    let score: i16 = text(&fields.score).parse().map_err(|_| LineError::Score(text(&fields.score)))?;
    let ply = text(&fields.ply).parse().unwrap_or(0);
    let mv = UciMove::parse(&text(&fields.mv)).ok().and_then(|mv| mv.to_move(&position).ok());
    let (score, result) = from_mover(&position, score, result).ok_or(LineError::NoResult)?;
    Ok(Sample { game: games.game_of(ply, result), ply, mv, ..Sample::new(position, result, Some(score)) })
}

/// Converts score and result (1, 0, −1) from the side to move's view to White's, the result to 0 to 1.
pub(super) fn from_mover(position: &Position, score: i16, result: i16) -> Option<(i16, f32)> {
    let sign = if position.turn() == Color::White { 1 } else { -1 };
    let result = sign * result.clamp(-2, 2);
    (-1..=1).contains(&result).then(|| (score.saturating_mul(sign), f32::from(result + 1) / 2.0))
}

/// Converts White's score and result (0 to 2) to the side to move's view, the result to 1, 0 or −1.
pub(super) fn to_mover(position: &Position, score: i16, result: u8) -> (i16, i16) {
    let sign = if position.turn() == Color::White { 1 } else { -1 };
    (score.saturating_mul(sign), sign * (i16::from(result) - 1))
}

/// The lines of one position.
pub(super) fn to_text(sample: &Sample, mv: Move, score: i16, result: u8) -> String {
    let position = &sample.position;
    let (score, result) = to_mover(position, score, result);
    let mv = UciMove::from_move(mv, CastlingMode::of(position));
    format!("fen {}\nmove {mv}\nscore {score}\nply {}\nresult {result}\ne\n", position.to_fen(), sample.ply)
}
