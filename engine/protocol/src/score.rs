//! What an engine thinks of a position.

/// A judgement of a position, from the view of the side to move in it: positive is good for that side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Full moves, not plies, to mate: positive when the side to move gives it, negative when it is mated; 0 when
    /// it is mated already.
    Mate(i32),
}

impl Score {
    /// The same score from the other side's view.
    #[must_use]
    pub fn negated(self) -> Score {
        match self {
            Score::Centipawns(score) => Score::Centipawns(score.saturating_neg()),
            Score::Mate(moves) => Score::Mate(moves.saturating_neg()),
        }
    }
}

/// How a reported score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Bound {
    /// It is the score.
    #[default]
    Exact,
    /// The score is at least that.
    Lower,
    /// The score is at most that.
    Upper,
}

/// A score as an engine reports it, from the view of the side to move at the root.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ReportedScore {
    /// The number.
    pub score: Score,
    /// How sure it is.
    pub bound: Bound,
}

impl From<Score> for ReportedScore {
    fn from(score: Score) -> ReportedScore {
        ReportedScore { score, bound: Bound::Exact }
    }
}

/// Chances of the side to move at the root, in thousandths. A fair engine's three add up to 1,000.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wdl {
    /// To win.
    pub win: u32,
    /// To draw.
    pub draw: u32,
    /// To lose.
    pub loss: u32,
}
