//! viriformat: games as a packed start position and four bytes per move. A move is from, to (six bits each),
//! promotion and kind (two bits each), then the score from White's view; four zero bytes end a game. Castling is
//! encoded as king takes rook.
//!
//! A game whose positions are not all in the file is written as several, each from its own start position: when read,
//! neighbors with the same result and rising plies are one game again.

use std::io::{self, Read, Write};

use smalt_chess::{Bitboard, Color, Move, Piece, Position, Role, Setup, Square, UciMove};

use super::games::GameCounter;
use super::record::{RecordError, Sample};
use super::text::LineError;

const HEADER: usize = 32;
const UNMOVED_ROOK: u8 = 6;
const NO_EN_PASSANT: u8 = 64;
const BLACK: u8 = 8;

/// Kinds of moves, in the two high bits.
const EN_PASSANT: u16 = 1 << 14;
const CASTLE: u16 = 2 << 14;
const PROMOTION: u16 = 3 << 14;

/// Promotion pieces by their two bits.
const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// Reads games as positions in order.
pub(super) struct ViriReader<R> {
    input: R,
    games: GameCounter,
    /// Position of the next move, its ply, and the result; `None` between games.
    current: Option<(Position, u16, f32)>,
    count: u64,
}

impl<R: Read> ViriReader<R> {
    pub(super) fn new(input: R) -> ViriReader<R> {
        ViriReader { input, games: GameCounter::default(), current: None, count: 0 }
    }

    /// The next position with its number; `None` at the end.
    fn read(&mut self) -> io::Result<Option<(u64, Result<Sample, LineError>)>> {
        loop {
            let Some((position, ply, result)) = self.current else {
                let mut header = [0; HEADER];
                if !read_or_end(&mut self.input, &mut header)? {
                    return Ok(None);
                }
                match start(&header) {
                    Ok(start) => self.current = Some(start),
                    Err(error) => {
                        self.skip_game()?;
                        self.count += 1;
                        return Ok(Some((self.count, Err(LineError::Record(error)))));
                    }
                }
                continue;
            };
            let mut bytes = [0; 4];
            self.input.read_exact(&mut bytes)?;
            if bytes == [0; 4] {
                self.current = None;
                continue;
            }
            self.count += 1;
            let code = u16::from_le_bytes([bytes[0], bytes[1]]);
            let Some(mv) = parse_move(code, &position) else {
                self.current = None;
                self.skip_game()?;
                return Ok(Some((self.count, Err(LineError::Record(RecordError::Damaged)))));
            };
            let score = Some(i16::from_le_bytes([bytes[2], bytes[3]]));
            let game = self.games.game_of(ply, result);
            let sample = Sample { game, ply, mv: Some(mv), ..Sample::new(position, result, score) };
            self.current = Some((position.after(mv), ply.saturating_add(1), result));
            return Ok(Some((self.count, Ok(sample))));
        }
    }

    /// Skips the rest of a damaged game, to the end of the file at most.
    fn skip_game(&mut self) -> io::Result<()> {
        let mut bytes = [0; 4];
        loop {
            match self.input.read_exact(&mut bytes) {
                Ok(()) if bytes != [0; 4] => {}
                Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
                _ => return Ok(()),
            }
        }
    }
}

impl<R: Read> Iterator for ViriReader<R> {
    type Item = io::Result<(u64, Result<Sample, LineError>)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Fills the buffer; `false` if the input ends before the first byte.
pub(super) fn read_or_end(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    let mut first = [0];
    loop {
        match input.read(&mut first) {
            Ok(0) => return Ok(false),
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer[0] = first[0];
    input.read_exact(&mut buffer[1..])?;
    Ok(true)
}

/// Start of a game: position, ply, result.
fn start(bytes: &[u8; HEADER]) -> Result<(Position, u16, f32), RecordError> {
    let occupied = u64::from_le_bytes(std::array::from_fn(|index| bytes[index]));
    if occupied.count_ones() > 32 || bytes[30] > 2 {
        return Err(RecordError::Damaged);
    }
    let mut setup = Setup::empty();
    for (index, square) in Bitboard(occupied).into_iter().enumerate() {
        let code = bytes[8 + index / 2] >> (4 * (index % 2)) & 15;
        let color = if code & BLACK == 0 { Color::White } else { Color::Black };
        let role = match code & !BLACK {
            UNMOVED_ROOK => {
                setup.castling_rooks.insert(square);
                Role::Rook
            }
            code => *Role::ALL.get(usize::from(code)).ok_or(RecordError::Damaged)?,
        };
        setup.board[square.index()] = Some(Piece::new(color, role));
    }
    setup.turn = if bytes[24] & 128 == 0 { Color::White } else { Color::Black };
    let en_passant = bytes[24] & 127;
    setup.en_passant = (en_passant < 64).then(|| Square::from_index(en_passant.into()));
    setup.halfmove_clock = bytes[25].into();
    setup.fullmove_number = u16::from_le_bytes([bytes[26], bytes[27]]).max(1);
    let position = Position::new(&setup)?;
    Ok((position, ply_of(&position), f32::from(bytes[30]) / 2.0))
}

fn ply_of(position: &Position) -> u16 {
    let moves = position.fullmove_number().saturating_sub(1);
    moves.saturating_mul(2).saturating_add(u16::from(position.turn() == Color::Black))
}

fn parse_move(code: u16, position: &Position) -> Option<Move> {
    let square = |bits: u16| Square::from_index(usize::from(bits & 63));
    let promotion = (code & PROMOTION == PROMOTION).then(|| PROMOTIONS[usize::from(code >> 12 & 3)]);
    UciMove::new(square(code), square(code >> 6), promotion).to_move(position).ok()
}

fn move_code(mv: Move) -> u16 {
    let squares = mv.from().index() as u16 | (mv.to().index() as u16) << 6;
    let kind = match mv.promoted_to() {
        Some(role) => {
            let index = PROMOTIONS.iter().position(|&other| other == role).unwrap_or_default();
            PROMOTION | (index as u16) << 12
        }
        None if mv.is_castle() => CASTLE,
        None if mv.is_en_passant() => EN_PASSANT,
        None => 0,
    };
    squares | kind
}

/// Writes games: consecutive positions become moves of one game.
#[derive(Default)]
pub(super) struct ViriWriter {
    /// Current game, its result, and the position after its last move; `None` before the first.
    open: Option<(u32, u8, Position)>,
}

impl ViriWriter {
    /// Writes a position; the result is 0 to 2 from White's view.
    pub(super) fn push(
        &mut self,
        sample: &Sample,
        mv: Move,
        score: i16,
        result: u8,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let goes_on = self.open.is_some_and(|(game, before, position)| {
            game == sample.game && before == result && position == sample.position
        });
        if !goes_on {
            self.finish(output)?;
            output.write_all(&header(&sample.position, score, result))?;
        }
        output.write_all(&move_code(mv).to_le_bytes())?;
        output.write_all(&score.to_le_bytes())?;
        self.open = Some((sample.game, result, sample.position.after(mv)));
        Ok(())
    }

    /// Terminates the last game.
    pub(super) fn finish(&mut self, output: &mut impl Write) -> io::Result<()> {
        if self.open.take().is_some() { output.write_all(&[0; 4]) } else { Ok(()) }
    }
}

fn header(position: &Position, score: i16, result: u8) -> [u8; HEADER] {
    let mut bytes = [0; HEADER];
    bytes[0..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    for (index, square) in position.occupied().into_iter().enumerate() {
        let Some(piece) = position.piece_at(square) else { continue };
        let is_unmoved = position.castling_rooks().contains(square);
        let code = if is_unmoved { UNMOVED_ROOK } else { piece.role() as u8 };
        let side = if piece.color() == Color::White { 0 } else { BLACK };
        bytes[8 + index / 2] |= (code | side) << (4 * (index % 2));
    }
    let en_passant = position.en_passant().map_or(NO_EN_PASSANT, |square| square.index() as u8);
    bytes[24] = en_passant | if position.turn() == Color::Black { 128 } else { 0 };
    bytes[25] = position.halfmove_clock().min(255) as u8;
    bytes[26..28].copy_from_slice(&position.fullmove_number().to_le_bytes());
    bytes[28..30].copy_from_slice(&score.to_le_bytes());
    bytes[30] = result;
    bytes
}
