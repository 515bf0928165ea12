//! A labelled position and its 40-byte record.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | occupied squares, bit 0 is a1 |
//! | 8..24 | 32 nibbles, a code for each occupied square in ascending order, low nibble first |
//! | 24..28 | game |
//! | 28..30 | ply of the game |
//! | 30..32 | occurrences in this game, stops at 65,535 |
//! | 32..34 | result, White's view, 0 to 65,534 |
//! | 34..36 | score, White's view, centipawns; the least number means none |
//! | 36 | 1 if Black is to move |
//! | 37 | halfmove clock, stops at 255 |
//! | 38, 39 | who played White and Black: a number from 1, by the list of names in the file; 0 if unknown |
//!
//! A nibble is the index of the piece (0 to 11), 12 and 13 for a white and a black rook that may castle, 14 for a pawn
//! that has just made its double step and can be taken. All numbers are little-endian.

use smalt_chess::{Color, Move, Piece, Position, PositionError, Role, Setup, Square};

/// Bytes of one position.
pub const RECORD_SIZE: usize = 40;

/// Offsets of the fields.
const GAME: usize = 24;
const COUNT: usize = 30;
const PLY: usize = 28;
const TURN: usize = 36;

const RESULT_SCALE: f32 = 65_534.0;
const NO_SCORE: i16 = i16::MIN;
const CASTLING_ROOK: u8 = 12;
const PASSING_PAWN: u8 = 14;

#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub position: Position,
    /// Result from White's view, 0 to 1; the mean if several games are merged.
    pub result: f32,
    /// Engine score in centipawns, White's view.
    pub score: Option<i16>,
    /// Game number; positions of one game are never split between training and validation.
    pub game: u32,
    /// Ply of the game.
    pub ply: u16,
    pub count: u16,
    /// White and Black as numbers from 1 into the player names; 0 if unknown.
    pub players: [u8; 2],
    /// The move played; not stored in records.
    pub mv: Option<Move>,
}

/// A position with more than 32 pieces cannot be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} pieces, and a record holds 32")]
pub struct TooManyPiecesError(pub usize);

/// Why a record is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("the record is damaged")]
    Damaged,
    /// The pieces form no legal position.
    #[error(transparent)]
    Position(#[from] PositionError),
}

impl Sample {
    /// A position with result and score only.
    pub fn new(position: Position, result: f32, score: Option<i16>) -> Sample {
        // The lowest value means no score.
        let score = score.map(|score| score.max(-i16::MAX));
        Sample { position, result, score, game: 0, ply: 0, count: 1, players: [0; 2], mv: None }
    }

    /// Record of the sample. Results are rounded to 1/65,534, with 0, ½ and 1 exact; the move number is not
    /// stored.
    ///
    /// # Errors
    /// If there are more than 32 pieces.
    pub fn to_bytes(&self) -> Result<[u8; RECORD_SIZE], TooManyPiecesError> {
        let occupied = self.position.occupied();
        if occupied.count() > 32 {
            return Err(TooManyPiecesError(occupied.count()));
        }
        let mut bytes = [0; RECORD_SIZE];
        bytes[0..8].copy_from_slice(&occupied.0.to_le_bytes());
        for (index, square) in occupied.into_iter().enumerate() {
            bytes[8 + index / 2] |= code(&self.position, square) << (4 * (index % 2));
        }
        bytes[24..28].copy_from_slice(&self.game.to_le_bytes());
        bytes[28..30].copy_from_slice(&self.ply.to_le_bytes());
        bytes[30..32].copy_from_slice(&self.count.to_le_bytes());
        let result = (self.result.clamp(0.0, 1.0) * RESULT_SCALE).round() as u16;
        bytes[32..34].copy_from_slice(&result.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.score.unwrap_or(NO_SCORE).to_le_bytes());
        bytes[36] = u8::from(self.position.turn() == Color::Black);
        bytes[37] = self.position.halfmove_clock().min(255) as u8;
        bytes[38..40].copy_from_slice(&self.players);
        Ok(bytes)
    }

    /// Parses a record. The move number is that of the ply.
    ///
    /// # Errors
    /// If the position is illegal or a field is out of range.
    pub fn from_bytes(bytes: &[u8; RECORD_SIZE]) -> Result<Sample, RecordError> {
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let (mut setup, ply) = (Setup::empty(), short(28));
        setup.turn = match bytes[36] {
            0 => Color::White,
            1 => Color::Black,
            _ => return Err(RecordError::Damaged),
        };
        setup.halfmove_clock = bytes[37].into();
        setup.fullmove_number = ply.saturating_add(u16::from(setup.turn == Color::White)) / 2 + 1;
        let occupied = u64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
        if occupied.count_ones() > 32 {
            return Err(RecordError::Damaged);
        }
        for (index, square) in smalt_chess::Bitboard(occupied).into_iter().enumerate() {
            place(&mut setup, square, bytes[8 + index / 2] >> (4 * (index % 2)) & 15)?;
        }
        let result = short(32);
        if result == u16::MAX {
            return Err(RecordError::Damaged);
        }
        let score = short(34) as i16;
        Ok(Sample {
            position: Position::new(&setup)?,
            result: f32::from(result) / RESULT_SCALE,
            score: (score != NO_SCORE).then_some(score),
            game: u32::from_le_bytes(std::array::from_fn(|index| bytes[24 + index])),
            ply,
            count: short(30),
            players: [bytes[38], bytes[39]],
            mv: None,
        })
    }
}

/// Whether two records have the same position; labels may differ.
pub fn is_same_position(a: &[u8; RECORD_SIZE], b: &[u8; RECORD_SIZE]) -> bool {
    a[..GAME] == b[..GAME] && a[TURN] == b[TURN]
}

/// Ply of a record.
pub(crate) fn ply_of(record: &[u8; RECORD_SIZE]) -> u16 {
    u16::from_le_bytes([record[PLY], record[PLY + 1]])
}

/// Game number of a record.
pub fn game_of(record: &[u8; RECORD_SIZE]) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|index| record[GAME + index]))
}

/// Counts another occurrence in the record's game.
pub fn count_again(record: &mut [u8; RECORD_SIZE]) {
    let count = u16::from_le_bytes([record[COUNT], record[COUNT + 1]]).saturating_add(1);
    record[COUNT..COUNT + 2].copy_from_slice(&count.to_le_bytes());
}

/// Merges samples of one position: mean result, and the players if all agree.
pub fn merged(samples: &[Sample]) -> Option<Sample> {
    let first = samples.first()?;
    let count: u32 = samples.iter().map(|sample| u32::from(sample.count)).sum();
    let sum: f64 = samples.iter().map(|sample| f64::from(sample.result) * f64::from(sample.count)).sum();
    let is_alike = samples.iter().all(|sample| sample.players == first.players);
    Some(Sample {
        result: (sum / f64::from(count.max(1))) as f32,
        count: count.min(u16::MAX.into()) as u16,
        players: if is_alike { first.players } else { [0; 2] },
        mv: None,
        ..first.clone()
    })
}

fn code(position: &Position, square: Square) -> u8 {
    let piece = position.piece_at(square).expect("the square is occupied");
    let passing = position.en_passant().map(|behind| Square::from_index(behind.index() ^ 8));
    if position.castling_rooks().contains(square) {
        CASTLING_ROOK + piece.color().index() as u8
    } else if passing == Some(square) {
        PASSING_PAWN
    } else {
        piece.index() as u8
    }
}

fn place(setup: &mut Setup, square: Square, code: u8) -> Result<(), RecordError> {
    let piece = match code {
        CASTLING_ROOK | 13 => {
            setup.castling_rooks.insert(square);
            Piece::new(Color::ALL[usize::from(code - CASTLING_ROOK)], Role::Rook)
        }
        PASSING_PAWN => {
            setup.en_passant = Some(Square::from_index(square.index() ^ 8));
            Piece::new(!setup.turn, Role::Pawn)
        }
        _ => Piece::from_index(code.into()).ok_or(RecordError::Damaged)?,
    };
    setup.board[square.index()] = Some(piece);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(fen: &str) -> Sample {
        let position = Position::from_fen(fen).unwrap();
        Sample {
            position,
            result: 0.5,
            score: Some(-31),
            game: 70_000,
            ply: 12,
            count: 3,
            players: [2, 1],
            mv: None,
        }
    }

    /// Checks that a position at ply 12 survives a round trip.
    #[track_caller]
    fn check(fen: &str) {
        let sample = sample(fen);
        let read = Sample::from_bytes(&sample.to_bytes().unwrap()).unwrap();
        assert_eq!(read, sample);
    }

    #[test]
    fn positions_survive_their_bytes() {
        check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 7");
        check("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w Kq - 7 7");
        check("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 7");
        check("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 7");
        check("1r2k1r1/8/8/8/8/8/8/1R2K1R1 b BGbg - 3 7");
        check("8/8/8/8/8/4k3/8/4K3 b - - 99 7");
    }

    #[test]
    fn results_and_missing_scores_are_exact() {
        for result in [0.0, 0.5, 1.0] {
            let sample = Sample { result, score: None, ..sample("8/8/8/8/8/4k3/8/4K3 b - - 0 7") };
            assert_eq!(Sample::from_bytes(&sample.to_bytes().unwrap()), Ok(sample));
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let crowded = sample("QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/7k/K7 b - - 0 1");
        assert_eq!(crowded.to_bytes(), Err(TooManyPiecesError(34)));
        let good = sample("8/8/8/8/8/4k3/8/4K3 b - - 0 1").to_bytes().unwrap();
        for (at, byte) in [(36, 2), (8, 0xff), (8, 0x00), (0, 0xff)] {
            let mut bad = good;
            bad[at] = byte;
            assert!(Sample::from_bytes(&bad).is_err(), "byte {at} = {byte}");
        }
        assert!(Sample::from_bytes(&[0; RECORD_SIZE]).is_err());
    }
}
