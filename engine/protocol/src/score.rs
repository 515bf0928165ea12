//! Engine scores.

/// A score from the side to move's point of view: positive is good for that side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    Centipawns(i32),
    /// Full moves, not plies, to mate: positive if the side to move mates, negative if it is mated; 0 if it is already
    /// mated.
    Mate(i32),
}

impl Score {
    /// The same score from the other side's point of view.
    #[must_use]
    pub fn negated(self) -> Score {
        match self {
            Score::Centipawns(score) => Score::Centipawns(score.saturating_neg()),
            Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
        }
    }
}

/// Bound of a score.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Bound {
    #[default]
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// A reported score, from the point of view of the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReportedScore {
    pub score: Score,
    pub bound: Bound,
}

impl ReportedScore {
    /// The same from the other side's point of view: lower and upper bound are swapped.
    #[must_use]
    pub fn negated(self) -> ReportedScore {
        let bound = match self.bound {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        };
        ReportedScore { score: self.score.negated(), bound }
    }
}

impl From<Score> for ReportedScore {
    fn from(score: Score) -> ReportedScore {
        ReportedScore { score, bound: Bound::Exact }
    }
}

/// WDL of the side to move at the root, in permille. The sum should be 1,000.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wdl {
    pub win: u32,
    pub draw: u32,
    pub loss: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_reversed_for_the_other_side() {
        let lower = ReportedScore { score: Score::Centipawns(30), bound: Bound::Lower };
        assert_eq!(lower.negated(), ReportedScore { score: Score::Centipawns(-30), bound: Bound::Upper });
        assert_eq!(ReportedScore::from(Score::Mate(2)).negated(), Score::Mate(-2).into());
    }
}
