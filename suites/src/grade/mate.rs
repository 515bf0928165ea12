//! Checks an announced mate: whether its line is legal, ends in mate and has the announced length, and whether the mate is
//! forced. Tablebases refute mates in positions that are no win.

use std::fmt;
use std::sync::Arc;

use smalt_chess::{Color, Ending, Outcome, Position, UciMove};

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

/// Tablebases that refute announced mates.
#[derive(Clone)]
pub struct Tablebases(Arc<Probe>);

type Probe = dyn Fn(&Position) -> Option<Outcome> + Send + Sync;

impl Tablebases {
    /// `probe` returns the outcome with best play, without the fifty-move rule, of positions that are in the tables.
    pub fn new(probe: impl Fn(&Position) -> Option<Outcome> + Send + Sync + 'static) -> Tablebases {
        Tablebases(Arc::new(probe))
    }

    fn probe(&self, position: &Position) -> Option<Outcome> {
        (self.0)(position)
    }
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tablebases").finish()
    }
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
    #[error("move {number} of its line, {mv}, gives the win away (tablebases)")]
    NotWon {
        /// Ply, from 1.
        number: usize,
        mv: UciMove,
    },
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
    pub(crate) fn name(self) -> &'static str {
        match self {
            MateProof::Proved => "proved",
            MateProof::Refuted => "refuted",
            MateProof::Unknown => "unknown",
        }
    }
}

impl MateClaim {
    /// Checks a mate in `moves` from a position. `line` is the PV that came with it.
    pub(crate) fn check(
        position: &Position,
        moves: i32,
        line: &[UciMove],
        tables: Option<&Tablebases>,
    ) -> MateClaim {
        let winner = if moves > 0 { position.turn() } else { !position.turn() };
        let won = Won { tables, winner };
        let proof = match prove(position, moves) {
            MateProof::Unknown if won.is_given_away(position) => MateProof::Refuted,
            proof => proof,
        };
        MateClaim { moves, line: check_line(position, moves, line, &won), proof }
    }

    /// Whether the mate is not forced, or its line is wrong (a truncated line is not).
    pub(crate) fn is_wrong(&self) -> bool {
        self.proof == MateProof::Refuted
            || !matches!(self.line, Ok(()) | Err(MateLineError::Incomplete { .. }))
    }
}

/// What tablebases know of a win.
struct Won<'a> {
    tables: Option<&'a Tablebases>,
    winner: Color,
}

impl Won<'_> {
    /// Whether the tablebases have a draw or loss here.
    fn is_given_away(&self, position: &Position) -> bool {
        let outcome = self.tables.and_then(|tables| tables.probe(position));
        outcome.is_some_and(|outcome| outcome != Outcome::Win(self.winner))
    }
}

fn check_line(position: &Position, moves: i32, line: &[UciMove], won: &Won<'_>) -> Result<(), MateLineError> {
    // The winner makes the last ply.
    let announced = 2 * moves.unsigned_abs() as usize - usize::from(moves > 0);
    let mut position = *position;
    for (number, &text) in (1..).zip(line) {
        let mv = text.to_move(&position).map_err(|_| MateLineError::Illegal { number, mv: text })?;
        position.play(mv);
        if won.is_given_away(&position) {
            return Err(MateLineError::NotWon { number, mv: text });
        }
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
        let claim = MateClaim::check(&position, moves, &line, None);
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
        assert_eq!(MateClaim::check(&start, 9, &[], None).proof, MateProof::Unknown);
        let claim = MateClaim::check(&start, 1, &[], None);
        assert!(claim.is_wrong());
        assert_eq!(claim.line, Err(MateLineError::Incomplete { plies: 0 }));
        assert!(!MateClaim::check(&Position::from_fen(LADDER).unwrap(), 2, &[], None).is_wrong());
    }

    #[test]
    fn tablebases_refute_mates_and_lines() {
        // A lone rook's pawn draws, as does a stalemate; the queen wins.
        let tables = Tablebases::new(|position| {
            let is_draw = position.to_fen().starts_with("k7") || position.legal_moves().is_empty();
            Some(if is_draw { Outcome::Draw } else { Outcome::Win(Color::White) })
        });
        let check = |fen: &str, moves: i32, line: &str| {
            let line: Vec<UciMove> = line.split_whitespace().map(|mv| UciMove::parse(mv).unwrap()).collect();
            MateClaim::check(&Position::from_fen(fen).unwrap(), moves, &line, Some(&tables))
        };
        // All are too far for a proof.
        let drawn = check("k7/8/8/8/P7/K7/8/8 w - - 0 1", 30, "");
        assert_eq!((drawn.proof, drawn.is_wrong()), (MateProof::Refuted, true));
        assert_eq!(check("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", -20, "").proof, MateProof::Refuted);
        let won = check("8/8/8/4k3/8/8/8/KQ6 w - - 0 1", 20, "b1b2");
        assert_eq!((won.proof, won.is_wrong()), (MateProof::Unknown, false));
        let stalemate = check("7k/8/8/8/8/8/8/KQ6 w - - 0 1", 20, "b1g6");
        let words = "move 1 of its line, b1g6, gives the win away (tablebases)";
        assert_eq!(stalemate.line.unwrap_err().to_string(), words);
    }
}
