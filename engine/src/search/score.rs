//! Scores within the search: whole numbers, from the view of the side to move in the node at hand.
//!
//! Small ones are centipawns. The great ones are mates, counted in plies from the root, so that a nearer mate is
//! worth more; below them lie wins that endgame tables know, counted in plies from the root to where they were asked. In
//! the transposition table both count from the node instead, since a node is met at many plies.

use smalt_protocol::Score;

/// The longest line that is searched, in plies.
pub const MAX_PLY: usize = 240;

/// Beyond every score.
pub const INFINITE: i32 = 32_001;
/// Mated here and now, at the root, with the sign changed.
pub const MATE: i32 = 32_000;
/// Scores from here on are mates.
pub const LEAST_MATE: i32 = MATE - 2 * MAX_PLY as i32;
/// Won by the endgame tables at the root; below all mates.
pub const TABLE_WIN: i32 = LEAST_MATE - 1;
/// Scores from here on are decided: wins by the endgame tables, and mates.
pub const LEAST_DECIDED: i32 = TABLE_WIN - 2 * MAX_PLY as i32;
/// No score.
pub const NO_SCORE: i32 = 32_002;

/// The side to move gives mate with the move that leads to this ply.
#[inline]
pub const fn mate_in(ply: usize) -> i32 {
    MATE - ply as i32
}

/// The side to move is mated at this ply.
#[inline]
pub const fn mated_in(ply: usize) -> i32 {
    ply as i32 - MATE
}

/// Whether somebody is mated by force.
#[inline]
pub const fn is_mate(score: i32) -> bool {
    score.abs() >= LEAST_MATE
}

/// The side to move wins by the endgame tables, asked at this ply.
#[inline]
pub const fn table_win(ply: usize) -> i32 {
    TABLE_WIN - ply as i32
}

/// The side to move loses by the endgame tables, asked at this ply.
#[inline]
pub const fn table_loss(ply: usize) -> i32 {
    ply as i32 - TABLE_WIN
}

/// Whether the game is decided: by a forced mate, or by the endgame tables.
#[inline]
pub const fn is_decided(score: i32) -> bool {
    score.abs() >= LEAST_DECIDED
}

/// A static evaluation held within the range that decides nothing.
#[inline]
pub fn clamp(score: i32) -> i32 {
    score.clamp(1 - LEAST_DECIDED, LEAST_DECIDED - 1)
}

/// A score of this ply as the transposition table keeps it.
#[inline]
pub const fn to_table(score: i32, ply: usize) -> i32 {
    if score >= LEAST_DECIDED {
        score + ply as i32
    } else if score <= -LEAST_DECIDED {
        score - ply as i32
    } else {
        score
    }
}

/// A score from the transposition table as this ply sees it.
#[inline]
pub const fn from_table(score: i32, ply: usize) -> i32 {
    if score >= LEAST_DECIDED {
        score - ply as i32
    } else if score <= -LEAST_DECIDED {
        score + ply as i32
    } else {
        score
    }
}

/// A root score for the world outside: centipawns, or full moves to mate. A win by the endgame tables is more centipawns
/// than any evaluation.
pub const fn to_report(score: i32) -> Score {
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
    fn mates_are_told_in_full_moves() {
        assert_eq!(to_report(mate_in(1)), Score::Mate(1));
        assert_eq!(to_report(mate_in(3)), Score::Mate(2));
        assert_eq!(to_report(mated_in(0)), Score::Mate(0));
        assert_eq!(to_report(mated_in(2)), Score::Mate(-1));
        assert_eq!(to_report(mated_in(4)), Score::Mate(-2));
        assert_eq!(to_report(-31), Score::Centipawns(-31));
    }

    #[test]
    fn the_table_keeps_mates_by_their_distance_from_the_node() {
        for score in [0, 250, -250, mate_in(9), mated_in(10), table_win(9), table_loss(9)] {
            assert_eq!(from_table(to_table(score, 7), 7), score);
        }
        assert_eq!(from_table(to_table(mate_in(9), 6), 2), mate_in(5));
        assert_eq!(from_table(to_table(table_loss(9), 6), 2), table_loss(5));
    }

    #[test]
    fn wins_by_tables_lie_between_evaluations_and_mates() {
        let worst_mate = mate_in(2 * MAX_PLY);
        assert!(is_mate(worst_mate) && table_win(0) < worst_mate && !is_mate(table_win(0)));
        let longest = table_win(2 * MAX_PLY);
        assert!(is_decided(longest) && is_decided(table_loss(2 * MAX_PLY)));
        assert!(clamp(INFINITE) < longest && !is_decided(clamp(INFINITE)));
        assert!(clamp(crate::evaluation::LARGEST_EVALUATION) == crate::evaluation::LARGEST_EVALUATION);
    }
}
