//! Stockfish's binpack, through the crate `sfbinpack`. Chunks are decoded one by one; a decoder panic on a damaged
//! chunk becomes an error.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::panic;
use std::path::Path;

use sfbinpack::chess::coords::Square as PackSquare;
use sfbinpack::chess::r#move::{Move as PackMove, MoveType};
use sfbinpack::chess::piece::Piece as PackPiece;
use sfbinpack::chess::position::Position as PackPosition;
use sfbinpack::{CompressedTrainingDataEntryWriter, TrainingDataEntry, parse_chunk};
use smalt_chess::{Color, Move, Piece, Position, Role, UciMove};

use super::games::GameCounter;
use super::plain::{from_mover, to_mover};
use super::record::{RecordError, Sample};
use super::text::LineError;

/// Magic bytes of a chunk.
pub(super) const MAGIC: [u8; 4] = *b"BINP";
/// Bytes of a chunk header: magic and length.
const HEADER: usize = 8;

/// Writers make chunks of about a megabyte; a chunk longer than this is damaged.
const LONGEST_CHUNK: u32 = 100 << 20;

/// Longest game of the format, in plies.
const LAST_PLY: u16 = (1 << 14) - 1;

/// Reads positions in order.
pub(super) struct BinpackReader {
    file: File,
    entries: std::vec::IntoIter<TrainingDataEntry>,
    games: GameCounter,
    count: u64,
}

impl BinpackReader {
    pub(super) fn open(path: &Path) -> io::Result<BinpackReader> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(0))?;
        Ok(BinpackReader { file, entries: Vec::new().into_iter(), games: GameCounter::default(), count: 0 })
    }

    fn read(&mut self) -> io::Result<Option<(u64, Result<Sample, LineError>)>> {
        loop {
            if let Some(entry) = self.entries.next() {
                self.count += 1;
                let sample = sample(&entry, &mut self.games).map_err(LineError::Record);
                return Ok(Some((self.count, sample)));
            }
            let Some(chunk) = self.next_chunk()? else { return Ok(None) };
            match panic::catch_unwind(|| parse_chunk(&chunk)) {
                Ok(entries) => self.entries = entries.into_iter(),
                Err(_) => {
                    self.count += 1;
                    return Ok(Some((self.count, Err(LineError::Record(RecordError::Damaged)))));
                }
            }
        }
    }

    fn next_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut header = [0; HEADER];
        if !super::viri::read_or_end(&mut self.file, &mut header)? {
            return Ok(None);
        }
        let length = u32::from_le_bytes(std::array::from_fn(|index| header[4 + index]));
        if header[..4] != MAGIC || length > LONGEST_CHUNK {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a chunk of the binpack is damaged"));
        }
        let mut chunk = vec![0; length as usize];
        self.file.read_exact(&mut chunk)?;
        Ok(Some(chunk))
    }
}

impl Iterator for BinpackReader {
    type Item = io::Result<(u64, Result<Sample, LineError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

fn sample(entry: &TrainingDataEntry, games: &mut GameCounter) -> Result<Sample, RecordError> {
    let fen =
        panic::catch_unwind(|| entry.pos.fen()).ok().and_then(Result::ok).ok_or(RecordError::Damaged)?;
    let position = Position::from_fen(&fen).map_err(|_| RecordError::Damaged)?;
    let (score, result) = from_mover(&position, entry.score, entry.result).ok_or(RecordError::Damaged)?;
    let mv = parse_move(&entry.mv, &position);
    Ok(Sample {
        game: games.game_of(entry.ply, result),
        ply: entry.ply,
        mv,
        ..Sample::new(position, result, Some(score))
    })
}

fn parse_move(mv: &PackMove, position: &Position) -> Option<Move> {
    let square = |square: PackSquare| {
        let index = square.index() as usize;
        (index < 64).then(|| smalt_chess::Square::from_index(index))
    };
    let promotion = match mv.mtype() {
        MoveType::Promotion => Some(*Role::ALL.get(usize::from(mv.promoted_piece().id() / 2))?),
        MoveType::Normal | MoveType::Castle | MoveType::EnPassant => None,
    };
    UciMove::new(square(mv.from())?, square(mv.to())?, promotion).to_move(position).ok()
}

/// Writes positions. Consecutive positions of a game take a few bits each.
pub(super) struct BinpackWriter {
    packer: CompressedTrainingDataEntryWriter<File>,
}

impl BinpackWriter {
    pub(super) fn new(file: File) -> io::Result<BinpackWriter> {
        Ok(BinpackWriter { packer: CompressedTrainingDataEntryWriter::new(file).map_err(io::Error::other)? })
    }

    /// Adds a position; the result is 0 to 2 from White's point of view.
    pub(super) fn push(&mut self, sample: &Sample, mv: Move, score: i16, result: u8) -> io::Result<()> {
        let position = &sample.position;
        let (score, result) = to_mover(position, score, result);
        let mut pos = PackPosition::from_fen(&position.to_fen())
            .map_err(|error| io::Error::other(format!("{error:?}")))?;
        let ply = sample.ply.min(LAST_PLY);
        pos.set_ply(ply);
        let entry = TrainingDataEntry { pos, mv: pack_move(mv, position.turn()), score, ply, result };
        self.packer.write_entry(&entry).map_err(io::Error::other)
    }

    /// Writes the last chunk.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.packer.flush_and_end();
        self.packer.into_inner()?.flush()
    }
}

fn pack_move(mv: Move, turn: Color) -> PackMove {
    let square = |square: smalt_chess::Square| PackSquare::new(square.index() as u32);
    let (from, to) = (square(mv.from()), square(mv.to()));
    let piece =
        |role| PackPiece::from_id(Piece::new(turn, role).role() as i32 * 2 + i32::from(turn == Color::Black));
    match mv.promoted_to() {
        Some(role) => PackMove::promotion(from, to, piece(role)),
        None if mv.is_castle() => PackMove::castle(from, to),
        None if mv.is_en_passant() => PackMove::en_passant(from, to),
        None => PackMove::normal(from, to),
    }
}
