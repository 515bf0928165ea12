//! Labelled positions as CSV with a header. `fen` and `result` are required; `score`, `game`, `ply` and `move` are
//! optional. Scores and results are from White's point of view.

use std::io::{self, BufRead};

use smalt_chess::{CastlingMode, UciMove};

use super::games::GameCounter;
use super::record::Sample;
use super::source::{MAX_LINE, read_line};
use super::text::{LineError, parse_labels, parse_result};

pub(super) const HEADER: &str = "fen,score,result,game,ply,move\n";

/// Recognized columns, by the names that programs use.
const COLUMNS: [&[&str]; 6] =
    [&["fen", "position"], &["score", "eval", "cp"], &["result", "wdl"], &["game"], &["ply"], &["move"]];

/// Reads positions in order.
pub(super) struct CsvReader<R> {
    input: R,
    line: u64,
    /// Index of each column; `None` before the header is read.
    columns: Option<[Option<usize>; 6]>,
    games: GameCounter,
}

impl<R: BufRead> CsvReader<R> {
    pub(super) fn new(input: R) -> CsvReader<R> {
        CsvReader { input, line: 0, columns: None, games: GameCounter::default() }
    }

    fn read(&mut self) -> io::Result<Option<(u64, Result<Sample, LineError>)>> {
        loop {
            let mut line = Vec::new();
            if read_line(&mut self.input, &mut line, MAX_LINE)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let text = String::from_utf8_lossy(&line);
            let fields = split(text.trim());
            if text.trim().is_empty() {
                continue;
            }
            let Some(columns) = &self.columns else {
                self.columns = Some(COLUMNS.map(|names| {
                    fields.iter().position(|field| names.contains(&field.trim().to_lowercase().as_str()))
                }));
                continue;
            };
            let sample = sample(&fields, columns, |sample| self.games.assign(self.line, sample));
            return Ok(Some((self.line, sample)));
        }
    }
}

impl<R: BufRead> Iterator for CsvReader<R> {
    type Item = io::Result<(u64, Result<Sample, LineError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Fields of a line. A quoted field may contain commas; a doubled quotation mark stands for one.
fn split(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let field = fields.last_mut().expect("there is a field from the beginning");
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            letter => field.push(letter),
        }
    }
    fields
}

fn sample(
    fields: &[String],
    columns: &[Option<usize>; 6],
    assign_game: impl FnOnce(&mut Sample),
) -> Result<Sample, LineError> {
    let [fen, score, result, own_game, ply, mv] =
        columns.map(|column| column.and_then(|column| fields.get(column)).map(|field| field.trim()));
    let score = score.filter(|score| !score.is_empty());
    let result = result.and_then(parse_result).ok_or(LineError::NoResult)?;
    let mut sample = parse_labels(fen.unwrap_or_default(), score, result)?;
    let mv = mv.and_then(|mv| UciMove::parse(mv).ok()).and_then(|mv| mv.to_move(&sample.position).ok());
    assign_game(&mut sample);
    Ok(Sample {
        game: own_game.and_then(|game| game.parse().ok()).unwrap_or(sample.game),
        ply: ply.and_then(|ply| ply.parse().ok()).unwrap_or(sample.ply),
        mv,
        ..sample
    })
}

/// The line of one position.
pub(super) fn to_text(sample: &Sample) -> String {
    let score = sample.score.map_or_else(String::new, |score| score.to_string());
    let mode = CastlingMode::of(&sample.position);
    let mv = sample.mv.map_or_else(String::new, |mv| UciMove::from_move(mv, mode).to_string());
    let Sample { position, result, game, ply, .. } = sample;
    format!("{},{score},{result},{game},{ply},{mv}\n", position.to_fen())
}
