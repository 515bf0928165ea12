//! Writes data sets in any format: to a temporary file that replaces the target when complete.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use smalt_chess::{CastlingMode, Color, Epd, Move, Position};
use smalt_workbench::output_file::Output;
use tempfile::NamedTempFile;

use super::file::PositionWriter;
use super::format::Format;
use super::record::Sample;
use super::{binpack, bullet, plain, table, viri};

/// Checks before long work that a path can be replaced by a regular file.
///
/// # Errors
/// If it is a pipe, a device or a folder, or `-`, which elsewhere is standard output.
pub fn check_target(path: &Path) -> io::Result<()> {
    let is_file = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    if path.file_name().is_some_and(|name| name != "-") && (is_file || !path.exists()) {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::InvalidInput,
        "expected a regular file, which is replaced when it is complete",
    ))
}

/// Why a format cannot store a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("without a score, which the format needs")]
    NoScore,
    #[error("with a mean result, where the format has win, draw and loss alone")]
    MeanResult,
    #[error("without a legal move, which the format needs")]
    NoMove,
    #[error("which the format can't represent (Chess960, or more than 32 pieces)")]
    NoRoom,
}

/// Positions that the format could not store, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnfitCounts {
    counts: [u64; Unfit::ALL.len()],
}

impl UnfitCounts {
    /// Counts a rejected position.
    pub fn count(&mut self, pushed: Result<(), Unfit>) {
        if let Err(unfit) = pushed {
            self.counts[unfit as usize] += 1;
        }
    }

    /// Reasons with their counts, without zeros.
    pub fn iter(&self) -> impl Iterator<Item = (Unfit, u64)> {
        Unfit::ALL.into_iter().zip(self.counts).filter(|(_, count)| *count > 0)
    }
}

impl Unfit {
    pub const ALL: [Unfit; 4] = [Unfit::NoScore, Unfit::MeanResult, Unfit::NoMove, Unfit::NoRoom];
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Number of positions in the file.
    pub positions: u64,
    /// Positions without a known move, written with the first quiet legal one.
    pub guessed_moves: u64,
}

pub struct SampleWriter {
    output: Output,
    sink: Sink,
    written: Written,
}

enum Sink {
    Smalt(PositionWriter),
    Text(BufWriter<NamedTempFile>, fn(&Sample) -> String),
    /// FEN | score | result: the only text format without a way to omit the score.
    Bars(BufWriter<NamedTempFile>),
    Plain(BufWriter<NamedTempFile>),
    Bullet(BufWriter<NamedTempFile>),
    Viri(BufWriter<NamedTempFile>, viri::ViriWriter),
    Binpack(NamedTempFile, binpack::BinpackWriter),
}

impl SampleWriter {
    /// Creates a file; the output changes only at [`SampleWriter::finish`]. The seed is stored if the format has a
    /// field for it.
    ///
    /// # Errors
    /// If the folder does not exist or can't be written to, or as [`check_target`].
    pub fn create(output: Output, format: Format, seed: u64) -> io::Result<SampleWriter> {
        check_target(output.path())?;
        let file = || Ok::<_, io::Error>(BufWriter::with_capacity(1 << 18, output.draft()?));
        let sink = match format {
            Format::Smalt => Sink::Smalt(PositionWriter::create(output.draft()?, seed)?),
            Format::Fen => Sink::Bars(file()?),
            Format::Epd => Sink::Text(file()?, epd),
            Format::Book => Sink::Text(file()?, brackets),
            Format::Csv => {
                let mut file = file()?;
                file.write_all(table::HEADER.as_bytes())?;
                Sink::Text(file, table::to_text)
            }
            Format::Plain => Sink::Plain(file()?),
            Format::Bullet => Sink::Bullet(file()?),
            Format::Viri => Sink::Viri(file()?, viri::ViriWriter::default()),
            Format::Binpack => {
                let file = output.draft()?;
                let handle: File = file.reopen()?;
                Sink::Binpack(file, binpack::BinpackWriter::new(handle)?)
            }
        };
        Ok(SampleWriter { output, sink, written: Written::default() })
    }

    /// Appends a position; returns the reason if the format cannot store it.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub fn push(&mut self, sample: &Sample) -> io::Result<Result<(), Unfit>> {
        let pushed = self.write(sample)?;
        self.written.positions += u64::from(pushed.is_ok());
        Ok(pushed)
    }

    fn write(&mut self, sample: &Sample) -> io::Result<Result<(), Unfit>> {
        let score = sample.score.ok_or(Unfit::NoScore);
        let result = whole(sample.result);
        let has_room = sample.position.occupied().count() <= 32;
        let fits = |condition: bool| if condition { Ok(()) } else { Err(Unfit::NoRoom) };
        let guessed = &mut self.written.guessed_moves;
        Ok(match &mut self.sink {
            Sink::Smalt(writer) => match sample.to_bytes() {
                Ok(bytes) => Ok(writer.push(&bytes)?),
                Err(_) => Err(Unfit::NoRoom),
            },
            Sink::Text(file, line) => Ok(file.write_all(line(sample).as_bytes())?),
            Sink::Bars(file) => match score {
                Ok(score) => Ok(file.write_all(bars(sample, score).as_bytes())?),
                Err(unfit) => Err(unfit),
            },
            Sink::Plain(file) => match labels(score, result, sample, guessed) {
                Ok((score, result, mv)) => {
                    Ok(file.write_all(plain::to_text(sample, mv, score, result).as_bytes())?)
                }
                Err(unfit) => Err(unfit),
            },
            Sink::Bullet(file) => match (score, result, fits(has_room)) {
                (Ok(score), Ok(result), Ok(())) => {
                    Ok(file.write_all(&bullet::to_bytes(sample, score, result))?)
                }
                (Err(unfit), ..) | (_, Err(unfit), _) | (.., Err(unfit)) => Err(unfit),
            },
            Sink::Viri(file, writer) => {
                match fits(has_room).and_then(|()| labels(score, result, sample, guessed)) {
                    Ok((score, result, mv)) => Ok(writer.push(sample, mv, score, result, file)?),
                    Err(unfit) => Err(unfit),
                }
            }
            Sink::Binpack(_, writer) => {
                let is_standard = CastlingMode::of(&sample.position) == CastlingMode::Standard;
                match fits(has_room && is_standard).and_then(|()| labels(score, result, sample, guessed)) {
                    Ok((score, result, mv)) => Ok(writer.push(sample, mv, score, result)?),
                    Err(unfit) => Err(unfit),
                }
            }
        })
    }

    /// Completes the file, with the names of the players if the format stores them, and moves it into place.
    ///
    /// # Errors
    /// If the disk is full or fails; an old file is then unchanged. Also if the file changed since its check: it is
    /// kept, and the complete new one is written beside it.
    pub fn finish(self, players: &[String]) -> io::Result<Written> {
        let file = match self.sink {
            Sink::Smalt(writer) => writer.finish(players)?,
            Sink::Text(file, _) | Sink::Bars(file) | Sink::Plain(file) | Sink::Bullet(file) => {
                into_file(file)?
            }
            Sink::Viri(mut file, mut writer) => {
                writer.finish(&mut file)?;
                into_file(file)?
            }
            Sink::Binpack(file, writer) => {
                writer.finish()?;
                file
            }
        };
        self.output.replace(file)?;
        Ok(self.written)
    }
}

fn into_file(file: BufWriter<NamedTempFile>) -> io::Result<NamedTempFile> {
    file.into_inner().map_err(io::IntoInnerError::into_error)
}

/// A result as 0, 1 or 2.
fn whole(result: f32) -> Result<u8, Unfit> {
    let doubled = 2.0 * result;
    if doubled.fract() == 0.0 { Ok(doubled as u8) } else { Err(Unfit::MeanResult) }
}

/// Score, result and move of a position, for formats with all three.
fn labels(
    score: Result<i16, Unfit>,
    result: Result<u8, Unfit>,
    sample: &Sample,
    guessed: &mut u64,
) -> Result<(i16, u8, Move), Unfit> {
    let (score, result) = (score?, result?);
    let mv = match sample.mv {
        Some(mv) => mv,
        None => {
            let mv = first_move(&sample.position).ok_or(Unfit::NoMove)?;
            *guessed += 1;
            mv
        }
    };
    Ok((score, result, mv))
}

/// The first quiet legal move, or else the first legal one.
fn first_move(position: &Position) -> Option<Move> {
    let moves = position.legal_moves();
    let quiet = moves.iter().find(|mv| mv.is_quiet());
    quiet.or_else(|| moves.iter().next()).copied()
}

fn bars(sample: &Sample, score: i16) -> String {
    format!("{} | {score} | {:?}\n", sample.position.to_fen(), sample.result)
}

fn brackets(sample: &Sample) -> String {
    format!("{} [{:?}]\n", sample.position.to_fen(), sample.result)
}

/// EPD: clocks as operations, the score from the side to move's view.
fn epd(sample: &Sample) -> String {
    let position = &sample.position;
    let mut epd = Epd::new(*position);
    if let Some(score) = sample.score {
        let score = if position.turn() == Color::White { score } else { -score };
        epd.push_words("ce", [score]);
    }
    epd.push_text("c9", &result_text(sample.result));
    format!("{epd}\n")
}

fn result_text(result: f32) -> String {
    match whole(result) {
        Ok(2) => "1-0".to_owned(),
        Ok(1) => "1/2-1/2".to_owned(),
        Ok(_) => "0-1".to_owned(),
        Err(_) => result.to_string(),
    }
}
