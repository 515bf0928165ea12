//! Tablebase probes in the search: when to probe, and conversion of results to scores.

use smalt_chess::Position;
use smalt_protocol::Bound;

use super::score::{table_loss, table_win};
use crate::tablebases::{Ranking, SyzygyTables, WdlScore};

/// Whether tablebase results respect the fifty-move rule (`Syzygy50MoveRule`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiftyMoves {
    /// Cursed wins and blessed losses are draws.
    Respected,
    /// Cursed wins are wins.
    Ignored,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbeRule {
    /// Least depth in plies at which positions with the largest piece count are probed (`SyzygyProbeDepth`); positions with
    /// fewer pieces are probed at any depth.
    pub depth: i32,
    /// Largest number of pieces, kings included (`SyzygyProbeLimit`).
    pub pieces: usize,
    pub fifty_moves: FiftyMoves,
}

impl Default for ProbeRule {
    fn default() -> ProbeRule {
        ProbeRule { depth: 1, pieces: 7, fifty_moves: FiftyMoves::Respected }
    }
}

/// Tablebases and the rule for probing them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probing<'a> {
    tables: &'a SyzygyTables,
    rule: ProbeRule,
}

impl<'a> Probing<'a> {
    /// Tablebases with a probe rule; its piece limit is lowered to that of the tables.
    pub(crate) fn new(tables: &'a SyzygyTables, rule: ProbeRule) -> Probing<'a> {
        Probing { tables, rule: ProbeRule { pieces: rule.pieces.min(tables.pieces()), ..rule } }
    }

    /// Tablebase ranking of the root moves; `None` if the root is not in the tables.
    pub(super) fn rank(&self, task: &super::Task) -> Option<Ranking> {
        if task.position.occupied().count() > self.rule.pieces {
            return None;
        }
        self.tables.rank(&task.position, &task.history, &task.moves)
    }

    /// Whether to probe below a ranked root: not if DTZ tables ranked the moves or there is no win to find.
    pub(super) fn is_needed_below(&self, ranking: Option<&Ranking>) -> bool {
        ranking.is_none_or(|ranking| {
            let best = ranking.moves.iter().map(|ranked| ranked.wdl).max();
            !ranking.has_distances && best > Some(WdlScore::Draw)
        })
    }

    /// Score and bound of a WDL value at this ply. Wins are lower bounds, since a mate scores more.
    pub(super) fn score(&self, wdl: WdlScore, ply: usize) -> (i32, Bound) {
        let is_strict = self.rule.fifty_moves == FiftyMoves::Respected;
        match wdl {
            WdlScore::BlessedLoss | WdlScore::CursedWin if is_strict => (0, Bound::Exact),
            WdlScore::Draw => (0, Bound::Exact),
            WdlScore::Loss | WdlScore::BlessedLoss => (table_loss(ply), Bound::Upper),
            WdlScore::Win | WdlScore::CursedWin => (table_win(ply), Bound::Lower),
        }
    }

    /// Whether to probe: tables assume a halfmove clock of zero and no castling rights.
    #[inline]
    pub(super) fn applies(&self, position: &Position, depth: i32) -> bool {
        let pieces = position.occupied().count();
        pieces <= self.rule.pieces
            && position.halfmove_clock() == 0
            && (pieces < self.rule.pieces || depth >= self.rule.depth)
            && position.castling_rooks().is_empty()
    }

    /// The result in the tables; `None` if they lack the position.
    pub(super) fn probe(&self, position: &Position) -> Option<WdlScore> {
        self.tables.probe(position)
    }
}
