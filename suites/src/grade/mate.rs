//! Checks an announced mate: whether its line is legal, ends in mate and has the announced length, and whether the mate is
//! forced.

use smalt_chess::{Ending, Position, UciMove};

/// Maximum number of positions of a proof: a fraction of a second.
const PROOF_POSITIONS: u64 = 100_000;

/// Longest mate that is proved, in moves: a proof recurses once per move.
const PROOF_MOVES: u32 = 100;

/// A mate announced by an engine, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MateClaim {
    /// Moves to mate; negative if the side to move is mated.
    pub moves: i32,
    /// Error of its line (PV), if any.
    pub line: Result<(), MateLineError>,
    pub proof: MateProof,
}

/// Error of the line of an announced mate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MateLineError {
    #[error("move {number} of its line, {mv}, is illegal")]
    Illegal {
        /// Ply, from 1.
        number: usize,
        mv: UciMove,
    },
    #[error("its line has {plies} plies and ends before the mate")]
    Incomplete { plies: usize },
    #[error("its line ends without mate after {plies} plies")]
    NoMate { plies: usize },
    #[error("its line mates after {plies} plies")]
    Length { plies: usize },
}

/// Whether a mate is forced in the announced number of moves, whatever the other side does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateProof {
    Proved,
    Refuted,
    /// The proof exceeds the maximum number of positions.
    Unknown,
}

impl MateProof {
    /// A stable name for files and tables.
    pub fn name(self) -> &'static str {
        match self {
            MateProof::Proved => "proved",
            MateProof::Refuted => "refuted",
            MateProof::Unknown => "unknown",
        }
    }
}

impl MateClaim {
    /// Checks a mate in `moves` from a position. `line` is the PV that came with it.
    pub fn check(position: &Position, moves: i32, line: &[UciMove]) -> MateClaim {
        MateClaim { moves, line: check_line(position, moves, line), proof: prove(position, moves) }
    }

    /// Whether the mate is not forced, or its line is wrong (a truncated line is not).
    pub fn is_wrong(&self) -> bool {
        self.proof == MateProof::Refuted
            || !matches!(self.line, Ok(()) | Err(MateLineError::Incomplete { .. }))
    }
}

fn check_line(position: &Position, moves: i32, line: &[UciMove]) -> Result<(), MateLineError> {
    // The winner makes the last ply.
    let announced = 2 * moves.unsigned_abs() as usize - usize::from(moves > 0);
    let mut position = *position;
    for (number, &text) in (1..).zip(line) {
        let mv = text.to_move(&position).map_err(|_| MateLineError::Illegal { number, mv: text })?;
        position.play(mv);
    }
    let plies = line.len();
    let is_mate = matches!(position.ending(), Some(Ending::Checkmate { .. }));
    match plies.cmp(&announced) {
        _ if is_mate && plies != announced => Err(MateLineError::Length { plies }),
        _ if is_mate => Ok(()),
        std::cmp::Ordering::Less => Err(MateLineError::Incomplete { plies }),
        _ => Err(MateLineError::NoMate { plies }),
    }
}

/// Searches all moves of both sides, up to a maximum number of positions.
fn prove(position: &Position, moves: i32) -> MateProof {
    if moves.unsigned_abs() > PROOF_MOVES {
        return MateProof::Unknown;
    }
    let mut left = PROOF_POSITIONS;
    let forced = if moves > 0 {
        mates_in(position, moves.unsigned_abs(), &mut left)
    } else {
        is_mated_in(position, moves.unsigned_abs(), &mut left)
    };
    match forced {
        Some(true) => MateProof::Proved,
        Some(false) => MateProof::Refuted,
        None => MateProof::Unknown,
    }
}

/// Whether the side to move mates in at most `moves` moves; `None` when `left` is used up.
fn mates_in(position: &Position, moves: u32, left: &mut u64) -> Option<bool> {
    if moves == 0 {
        return Some(false);
    }
    let mut next: Vec<Position> = position.legal_moves().iter().map(|&mv| position.after(mv)).collect();
    if moves == 1 {
        next.retain(Position::is_check);
    }
    // Checks first, fewest replies first.
    next.sort_by_cached_key(|after| (!after.is_check(), after.count_legal_moves()));
    for after in &next {
        if is_mated_in(after, moves - 1, left)? {
            return Some(true);
        }
    }
    Some(false)
}

/// Whether the side to move is mated now, or in at most `moves` moves against any defense; `None` when `left` is used
/// up.
fn is_mated_in(position: &Position, moves: u32, left: &mut u64) -> Option<bool> {
    *left = left.checked_sub(1)?;
    let replies = position.legal_moves();
    if replies.is_empty() {
        return Some(position.is_check());
    }
    if moves == 0 {
        return Some(false);
    }
    for &mv in &replies {
        if !mates_in(&position.after(mv), moves, left)? {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mate_of_any_length_is_checked_without_a_deep_recursion() {
        for moves in [i32::MAX, i32::MIN + 1, 100, -100] {
            assert_eq!(prove(&Position::start(), moves), MateProof::Unknown, "{moves}");
        }
    }

    const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    /// Two rooks drive the king to the edge: mate in two.
    const LADDER: &str = "7k/8/R7/1R6/8/8/8/K7 w - - 0 1";

    fn check(fen: &str, moves: i32, line: &str, expected: Result<(), &str>, proof: MateProof) {
        let position = Position::from_fen(fen).unwrap();
        let line: Vec<UciMove> = line.split_whitespace().map(|mv| UciMove::parse(mv).unwrap()).collect();
        let claim = MateClaim::check(&position, moves, &line);
        let words = claim.line.as_ref().map(|&()| ()).map_err(ToString::to_string);
        assert_eq!(words, expected.map_err(str::to_owned), "{fen} {moves}");
        assert_eq!(claim.proof, proof, "{fen} {moves}");
    }

    #[test]
    fn a_right_line_is_legal_and_mates_in_time() {
        check(BACK_RANK, 1, "a1a8", Ok(()), MateProof::Proved);
        check(LADDER, 2, "b5b7 h8g8 a6a8", Ok(()), MateProof::Proved);
        check("7k/1R6/R7/8/8/8/8/K7 b - - 0 1", -1, "h8g8 a6a8", Ok(()), MateProof::Proved);
        check("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", 0, "", Ok(()), MateProof::Proved);
    }

    #[test]
    fn wrong_claims_are_found() {
        use MateProof::{Proved, Refuted};
        check(BACK_RANK, 1, "a1b8", Err("move 1 of its line, a1b8, is illegal"), Proved);
        check(BACK_RANK, 1, "a1a7", Err("its line ends without mate after 1 plies"), Proved);
        check(BACK_RANK, 2, "a1a8", Err("its line mates after 1 plies"), Proved);
        check(LADDER, 2, "b5b7", Err("its line has 1 plies and ends before the mate"), Proved);
        check(LADDER, 1, "b5b7", Err("its line ends without mate after 1 plies"), Refuted);
        // Fool's mate: the line is legal, but White is not forced to help.
        let fool = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1";
        check(fool, 2, "e7e5 g2g4 d8h4", Ok(()), Refuted);
        check(LADDER, -2, "b5b7 h8g8 a6a8", Err("its line mates after 3 plies"), Refuted);
    }

    #[test]
    fn a_long_proof_is_given_up() {
        let start = Position::start();
        assert_eq!(MateClaim::check(&start, 9, &[]).proof, MateProof::Unknown);
        let claim = MateClaim::check(&start, 1, &[]);
        assert!(claim.is_wrong());
        assert_eq!(claim.line, Err(MateLineError::Incomplete { plies: 0 }));
        assert!(!MateClaim::check(&Position::from_fen(LADDER).unwrap(), 2, &[]).is_wrong());
    }
}
