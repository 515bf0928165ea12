//! c-chess-cli's `-sample`: positions with score and result for evaluation tuning.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use smalt_chess::{Color, Position, Role, Square, UciMove};
use smalt_protocol::Score;

use super::flag::Flag;
use smalt_match::game::{GameRecord, Termination};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct SampleOptions {
    /// Share of positions, 0 to 1.
    frequency: f64,
    /// Exponential decay of that share per ply without a capture or pawn move.
    decay: f64,
    /// Whether to use the position after the captures of the PV, if it is not check.
    pub(super) resolves: bool,
    pub(super) file: PathBuf,
    format: SampleFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SampleFormat {
    /// `FEN,score,result`
    Csv,
    Binary,
}

impl SampleOptions {
    /// `-sample [freq=F] [decay=D] [resolve=y|n] [file=FILE] [format=csv|bin]`
    pub(super) fn parse(flag: &Flag<'_>) -> anyhow::Result<SampleOptions> {
        let mut options = SampleOptions {
            frequency: 1.0,
            decay: 0.0,
            resolves: false,
            file: PathBuf::new(),
            format: SampleFormat::Csv,
        };
        for (key, value) in flag.pairs()? {
            match (key, value) {
                ("freq", _) => options.frequency = flag.value(key, value)?,
                ("decay", _) => options.decay = flag.value(key, value)?,
                ("resolve", "y" | "n") => options.resolves = value == "y",
                ("resolve", _) => return Err(flag.refuse(key, value, "expected y or n")),
                ("file", _) => options.file = PathBuf::from(value),
                ("format", "csv") => options.format = SampleFormat::Csv,
                ("format", "bin") => options.format = SampleFormat::Binary,
                ("format", _) => return Err(flag.refuse(key, value, "the formats are csv and bin")),
                _ => return Err(flag.unknown(key, "freq, decay, resolve, file and format")),
            }
        }
        if options.file.as_os_str().is_empty() {
            let extension = if options.format == SampleFormat::Csv { "csv" } else { "bin" };
            options.file = PathBuf::from(format!("sample.{extension}"));
        }
        Ok(options)
    }
}

/// Appends the samples of games to a file.
pub(super) struct Sampler {
    options: SampleOptions,
    file: File,
    seed: u64,
}

/// A position with score and result (0 a loss, 1 a draw, 2 a win) of the side to move.
#[derive(Clone, Debug, PartialEq)]
struct Sample {
    position: Position,
    score: i16,
    result: u8,
}

impl Sampler {
    pub(super) fn open(options: &SampleOptions, seed: u64) -> io::Result<Sampler> {
        let file = OpenOptions::new().append(true).create(true).open(&options.file)?;
        Ok(Sampler { options: options.clone(), file, seed })
    }

    /// Appends the samples of a game.
    pub(super) fn write(&mut self, record: &GameRecord) -> io::Result<()> {
        let mut bytes = Vec::new();
        for sample in samples(&self.options, record, self.seed) {
            match self.options.format {
                SampleFormat::Csv => bytes.extend_from_slice(sample.line().as_bytes()),
                SampleFormat::Binary => sample.pack(&mut bytes),
            }
        }
        self.file.write_all(&bytes)
    }
}

/// Samples of a game: of each search except the one before an adjudication.
fn samples(options: &SampleOptions, record: &GameRecord, seed: u64) -> Vec<Sample> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(u64::from(record.game.number));
    let is_adjudicated =
        matches!(record.termination, Termination::DrawAdjudication | Termination::WinAdjudication);
    let searched = record.plies.len() - usize::from(is_adjudicated && !record.plies.is_empty());
    let mut samples = Vec::new();
    let mut position = record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_default();
    for ply in &record.plies[..searched] {
        let before = position;
        let Ok(mv) = ply.mv.to_move(&before) else { break };
        position.play(mv);
        let Some((search, score)) = ply.search.as_ref().and_then(|search| Some((search, search.score?)))
        else {
            continue;
        };
        let share = options.frequency * (-options.decay * f64::from(before.halfmove_clock())).exp();
        let drawn = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        if drawn >= share || options.resolves && matches!(score, Score::Mate(_)) {
            continue;
        }
        let sampled = if options.resolves { resolved(before, &search.pv) } else { before };
        if options.resolves && sampled.is_check() {
            continue;
        }
        let score = to_units(score);
        let score = if sampled.turn() == before.turn() { score } else { score.saturating_neg() };
        let result = match record.loser() {
            None => 1,
            Some(loser) if loser == sampled.turn() => 0,
            Some(_) => 2,
        };
        samples.push(Sample { position: sampled, score, result });
    }
    samples
}

/// Centipawns; a mate in N moves is 32767 - N, or -32768 + N.
fn to_units(score: Score) -> i16 {
    let units = match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => i32::from(i16::MAX) - moves,
        Score::Mate(moves) => i32::from(i16::MIN) - moves,
    };
    units.clamp(i16::MIN.into(), i16::MAX.into()) as i16
}

/// Plays captures, castling and promotions at the start of the PV; returns the last position without check.
fn resolved(start: Position, pv: &[UciMove]) -> Position {
    let (mut position, mut resolved) = (start, start);
    for text in pv {
        let Ok(mv) = text.to_move(&position) else { break };
        if mv.is_quiet() && !mv.is_castle() {
            break;
        }
        position.play(mv);
        if !position.is_check() {
            resolved = position;
        }
    }
    resolved
}

impl Sample {
    fn line(&self) -> String {
        format!("{},{},{}\n", self.position.to_fen(), self.score, self.result)
    }

    /// Occupied squares, side to move and halfmove clock, four bits per piece, and 32 bits each for score and result,
    /// as written by the program; its README states 16 and 8 bits.
    fn pack(&self, bytes: &mut Vec<u8>) {
        let position = &self.position;
        let occupied: u64 = position.occupied().into_iter().map(|square| 1 << square.index()).sum();
        bytes.extend_from_slice(&occupied.to_le_bytes());
        bytes.push(position.turn() as u8 | (position.halfmove_clock().min(127) as u8) << 1);
        let pieces: Vec<u8> =
            position.occupied().into_iter().map(|square| packed_piece(position, square)).collect();
        for pair in pieces.chunks(2) {
            bytes.push(pair[0] | pair.get(1).map_or(0, |second| second << 4));
        }
        bytes.extend_from_slice(&i32::from(self.score).to_le_bytes());
        bytes.extend_from_slice(&u32::from(self.result).to_le_bytes());
    }
}

/// Twice the kind, plus one for Black: knight, bishop, rook, queen, king, pawn, rook with castling right, pawn
/// capturable en passant.
fn packed_piece(position: &Position, square: Square) -> u8 {
    let Some(piece) = position.piece_at(square) else { return 0 };
    let is_passed_by = |target: Square| target.file() == square.file() && target.distance(square) == 1;
    let kind = match piece.role() {
        Role::Rook if position.castling_rooks().contains(square) => 6,
        Role::Pawn if piece.color() != position.turn() && position.en_passant().is_some_and(is_passed_by) => {
            7
        }
        Role::Knight => 0,
        Role::Bishop => 1,
        Role::Rook => 2,
        Role::Queen => 3,
        Role::King => 4,
        Role::Pawn => 5,
    };
    2 * kind + u8::from(piece.color() == Color::Black)
}
