//! bulletformat: 32 bytes per position, from the side to move's view, with that side at the bottom. Castling rights,
//! en passant and clocks are not stored.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | occupied squares, bit 0 is a1 |
//! | 8..24 | a nibble for each occupied square in ascending order: role 0 to 5, plus 8 for the opponent |
//! | 24..26 | score in centipawns |
//! | 26 | result: 0 lost, 1 drawn, 2 won |
//! | 27, 28 | the own king's square, and the opponent's as seen from his side |
//! | 29..32 | zeros |

use std::io::{self, Read};

use smalt_chess::{Bitboard, Color, Piece, Position, Role, Setup, Square};

use super::games::LINES_PER_GAME;
use super::record::{RecordError, Sample};
use super::text::LineError;
use super::viri::read_or_end;

/// Bytes of one position.
pub(super) const SIZE: usize = 32;

/// XOR mask that flips a square vertically.
const FLIPPED: usize = 56;
const OPPONENT: u8 = 8;

/// Parses a position, with White to move.
pub(super) fn parse(bytes: &[u8; SIZE]) -> Result<Sample, RecordError> {
    let occupied = u64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
    if occupied.count_ones() > 32 || bytes[26] > 2 {
        return Err(RecordError::Damaged);
    }
    let mut setup = Setup::empty();
    for (index, square) in Bitboard(occupied).into_iter().enumerate() {
        let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
        let role = *Role::ALL.get(usize::from(code & !OPPONENT)).ok_or(RecordError::Damaged)?;
        let color = if code & OPPONENT == 0 { Color::White } else { Color::Black };
        setup.board[square.index()] = Some(Piece::new(color, role));
    }
    let score = i16::from_le_bytes([bytes[24], bytes[25]]);
    Ok(Sample::new(Position::new(&setup)?, f32::from(bytes[26]) / 2.0, Some(score)))
}

/// Reads positions in order.
pub(super) struct BulletReader<R> {
    input: R,
    count: u64,
}

impl<R: Read> BulletReader<R> {
    pub(super) fn new(input: R) -> BulletReader<R> {
        BulletReader { input, count: 0 }
    }

    fn read(&mut self) -> io::Result<Option<(u64, Result<Sample, LineError>)>> {
        let mut bytes = [0; SIZE];
        if !read_or_end(&mut self.input, &mut bytes)? {
            return Ok(None);
        }
        self.count += 1;
        let game = (self.count / LINES_PER_GAME) as u32;
        let sample = parse(&bytes).map(|sample| Sample { game, ..sample }).map_err(LineError::Record);
        Ok(Some((self.count, sample)))
    }
}

impl<R: Read> Iterator for BulletReader<R> {
    type Item = io::Result<(u64, Result<Sample, LineError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

pub(super) fn to_bytes(sample: &Sample, score: i16, result: u8) -> [u8; SIZE] {
    let position = &sample.position;
    let own = position.turn();
    let flip = if own == Color::White { 0 } else { FLIPPED };
    let mut pieces: Vec<(usize, Piece)> = position
        .occupied()
        .into_iter()
        .filter_map(|square| Some((square.index() ^ flip, position.piece_at(square)?)))
        .collect();
    pieces.sort_by_key(|&(square, _)| square);
    let mut bytes = [0; SIZE];
    let mut occupied = 0_u64;
    for (index, &(square, piece)) in pieces.iter().enumerate() {
        occupied |= 1 << square;
        let side = if piece.color() == own { 0 } else { OPPONENT };
        bytes[8 + index / 2] |= (piece.role() as u8 | side) << (4 * (index % 2));
    }
    let (score, result) = if own == Color::White { (score, result) } else { (-score, 2 - result) };
    bytes[0..8].copy_from_slice(&occupied.to_le_bytes());
    bytes[24..26].copy_from_slice(&score.to_le_bytes());
    bytes[26] = result;
    let seen_by = |square: Square, flip: usize| (square.index() ^ flip) as u8;
    bytes[27] = seen_by(position.king(own), flip);
    bytes[28] = seen_by(position.king(!own), flip ^ FLIPPED);
    bytes
}
