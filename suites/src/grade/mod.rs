//! Grades answers: points of a move, and of an announced mate, by a problem's goal.

mod mate;
mod move_list;

use smalt_chess::Move;
use smalt_protocol::{Bound, ReportedScore, Score};

use crate::suite::Goal;

pub use mate::Tablebases;
pub(crate) use mate::{MateClaim, MateProof};
pub use move_list::MoveList;

/// Grade of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grade {
    pub points: u32,
    pub max_points: u32,
    /// Whether the move is a solution (with the mate announced, if required).
    pub solved: bool,
}

impl Goal {
    /// Grades a move; no move earns nothing. `announced` is the mate in moves reported with it, negative against the
    /// side to move. If moves have points, the move earns its own; otherwise a solution earns one.
    pub fn grade(&self, mv: Option<Move>, announced: Option<i32>) -> Grade {
        let solved = mv.is_some_and(|mv| self.is_solved_by(mv, announced));
        let listed = self.points.iter().find(|&&(listed, _)| Some(listed) == mv);
        let points = match listed {
            _ if self.points.is_empty() => u32::from(solved),
            Some(&(_, points)) => points,
            None => 0,
        };
        Grade { points, max_points: self.max_points(), solved }
    }

    /// Whether a move solves the problem.
    pub(crate) fn is_solved_by(&self, mv: Move, announced: Option<i32>) -> bool {
        let is_best = self.best.is_empty() || self.best.contains(&mv);
        let is_mate =
            self.mate_in.is_none_or(|asked| announced.is_some_and(|found| is_as_short(found, asked)));
        is_best && is_mate && !self.avoid.contains(&mv)
    }
}

/// Whether a mate is for the same side as another, in no more moves.
fn is_as_short(found: i32, asked: i32) -> bool {
    found.signum() == asked.signum() && found.unsigned_abs() <= asked.unsigned_abs()
}

/// Mate announced by a score, in moves; negative if the side to move is mated.
pub(crate) fn announced_mate(score: Option<ReportedScore>) -> Option<i32> {
    match score? {
        ReportedScore { score: Score::Mate(moves), bound: Bound::Exact } => Some(moves),
        ReportedScore { score: Score::Mate(moves), bound: Bound::Lower } if moves > 0 => Some(moves),
        ReportedScore { score: Score::Mate(moves), bound: Bound::Upper } if moves < 0 => Some(moves),
        _ => None,
    }
}
