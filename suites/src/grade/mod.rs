//! Points for answers: what a move, and a mate announced with it, is worth by a problem's goal.

mod move_list;

use smalt_chess::Move;
use smalt_protocol::{Bound, ReportedScore, Score};

use crate::suite::Goal;

pub use move_list::{ListedMove, MoveList, NoMove, RefusedMove, RefusedMoveReason};

/// What an answer earned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grade {
    /// Points made.
    pub points: u32,
    /// Points that could be made.
    pub max_points: u32,
    /// Whether the move is one that was asked for (and the mate announced, where one was).
    pub solved: bool,
}

impl Goal {
    /// Grades a move; none is worth nothing. `announced` is the mate in so many moves that came with it. Where moves
    /// have points the move earns its own, else a solved problem is worth one.
    pub fn grade(&self, mv: Option<Move>, announced: Option<u32>) -> Grade {
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
    pub fn is_solved_by(&self, mv: Move, announced: Option<u32>) -> bool {
        let is_best = self.best.is_empty() || self.best.contains(&mv);
        let is_mate = self.mate_in.is_none_or(|asked| announced.is_some_and(|announced| announced <= asked));
        is_best && is_mate && !self.avoid.contains(&mv)
    }
}

/// In how many moves the side to move mates, if the score says so.
pub fn announced_mate(score: Option<ReportedScore>) -> Option<u32> {
    match score? {
        ReportedScore { score: Score::Mate(moves), bound: Bound::Exact | Bound::Lower } if moves > 0 => {
            u32::try_from(moves).ok()
        }
        _ => None,
    }
}
