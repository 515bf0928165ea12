//! Search scores: integers from the point of view of the side to move at the node.
//!
//! Small scores are centipawns. Large ones are mates, by plies from the root; below them are tablebase wins, by plies
//! from the root to the probe. The transposition table stores both relative to the node.

use smalt_protocol::Score;

/// Maximum distance from the root, in plies; deeper nodes return the static evaluation.
pub(crate) const MAX_PLY: usize = 240;

/// Greater than every score.
pub(crate) const INFINITE: i32 = 32_001;
/// Mate at the root.
pub(crate) const MATE: i32 = 32_000;
pub(crate) const LEAST_MATE: i32 = MATE - 2 * MAX_PLY as i32;
/// Tablebase win at the root; below all mates.
pub const TABLE_WIN: i32 = LEAST_MATE - 1;
/// Least decisive score: tablebase wins and mates.
pub(crate) const LEAST_DECIDED: i32 = TABLE_WIN - 2 * MAX_PLY as i32;
pub(crate) const NO_SCORE: i32 = 32_002;

/// Score of giving mate at this ply.
#[inline]
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// Score of being mated at this ply.
#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Whether the score is a forced mate, for either side.
#[inline]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= LEAST_MATE
}

/// Tablebase win probed at this ply.
#[inline]
pub(crate) const fn table_win(ply: usize) -> i32 {
    TABLE_WIN - ply as i32
}

/// Tablebase loss probed at this ply.
#[inline]
pub(crate) const fn table_loss(ply: usize) -> i32 {
    ply as i32 - TABLE_WIN
}

/// Whether the score is a forced mate or a tablebase win, for either side.
#[inline]
pub const fn is_decided(score: i32) -> bool {
    score.abs() >= LEAST_DECIDED
}

/// Clamps a static evaluation below the decisive scores.
#[inline]
pub(crate) fn clamp(score: i32) -> i32 {
    score.clamp(1 - LEAST_DECIDED, LEAST_DECIDED - 1)
}

/// Converts a score at this ply for the transposition table.
#[inline]
pub(crate) const fn to_table(score: i32, ply: usize) -> i32 {
    if score >= LEAST_DECIDED {
        score + ply as i32
    } else if score <= -LEAST_DECIDED {
        score - ply as i32
    } else {
        score
    }
}

/// Converts a score of the transposition table for this ply.
#[inline]
pub(crate) const fn from_table(score: i32, ply: usize) -> i32 {
    if score >= LEAST_DECIDED {
        score - ply as i32
    } else if score <= -LEAST_DECIDED {
        score + ply as i32
    } else {
        score
    }
}

/// Converts a root score for reporting: centipawns, or full moves to mate. A tablebase win is larger than any
/// evaluation.
pub(crate) const fn to_report(score: i32) -> Score {
    if score >= LEAST_MATE {
        Score::Mate((MATE - score + 1) / 2)
    } else if score <= -LEAST_MATE {
        Score::Mate(-(MATE + score) / 2)
    } else {
        Score::Centipawns(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_are_reported_in_full_moves() {
        assert_eq!(to_report(mate_in(1)), Score::Mate(1));
        assert_eq!(to_report(mate_in(3)), Score::Mate(2));
        assert_eq!(to_report(mated_in(0)), Score::Mate(0));
        assert_eq!(to_report(mated_in(2)), Score::Mate(-1));
        assert_eq!(to_report(mated_in(4)), Score::Mate(-2));
        assert_eq!(to_report(-31), Score::Centipawns(-31));
    }

    #[test]
    fn the_table_stores_mates_relative_to_the_node() {
        for score in [0, 250, -250, mate_in(9), mated_in(10), table_win(9), table_loss(9)] {
            assert_eq!(from_table(to_table(score, 7), 7), score);
        }
        assert_eq!(from_table(to_table(mate_in(9), 6), 2), mate_in(5));
        assert_eq!(from_table(to_table(table_loss(9), 6), 2), table_loss(5));
    }

    #[test]
    fn tablebase_wins_lie_between_evaluations_and_mates() {
        let worst_mate = mate_in(2 * MAX_PLY);
        assert!(is_mate(worst_mate) && table_win(0) < worst_mate && !is_mate(table_win(0)));
        let longest = table_win(2 * MAX_PLY);
        assert!(is_decided(longest) && is_decided(table_loss(2 * MAX_PLY)));
        assert!(clamp(INFINITE) < longest && !is_decided(clamp(INFINITE)));
        assert!(clamp(crate::evaluation::LARGEST_EVALUATION) == crate::evaluation::LARGEST_EVALUATION);
    }
}
