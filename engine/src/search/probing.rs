//! Tablebase probes in the search: when to probe, and conversion of results to scores.

use std::sync::atomic::Ordering::Relaxed;

use smalt_chess::Position;
use smalt_protocol::Bound;

use super::quiescence::is_cutoff;
use super::score::{INFINITE, MAX_PLY, NO_SCORE, table_loss, table_win};
use super::transposition::Entry;
use super::worker::Worker;
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
    fn applies(&self, position: &Position, depth: i32) -> bool {
        let pieces = position.occupied().count();
        pieces <= self.rule.pieces
            && position.halfmove_clock() == 0
            && (pieces < self.rule.pieces || depth >= self.rule.depth)
            && position.castling_rooks().is_empty()
    }
}

/// Result of a tablebase probe at a node.
pub(super) enum ProbeResult {
    /// The exact score, or one that causes a cutoff.
    Score(i32),
    /// Lower and upper bound of the score.
    Range(i32, i32),
}

impl Worker<'_> {
    /// Probes the tablebases at a node, if the rule allows it.
    #[inline]
    pub(super) fn probe_tablebases(
        &self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> ProbeResult {
        match &self.shared.probing {
            Some(probing) if probing.applies(position, depth) => {
                self.probe_with_guard(probing, position, alpha, beta, depth, ply)
            }
            _ => ProbeResult::Range(-INFINITE, INFINITE),
        }
    }

    fn probe_with_guard(
        &self,
        probing: &Probing<'_>,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> ProbeResult {
        let Some(wdl) = probing.tables.probe(position) else {
            return ProbeResult::Range(-INFINITE, INFINITE);
        };
        self.shared.tbhits.fetch_add(1, Relaxed);
        let (score, bound) = probing.score(wdl, ply);
        // A tablebase result is stored with more depth than the search.
        let depth = (depth + 6).min(MAX_PLY as i32 - 1);
        let entry = Entry { best: None, score, bound, evaluation: NO_SCORE, depth, tt_pv: false };
        if is_cutoff(&entry, alpha, beta) {
            self.shared.table.store(self.table_key(position), ply, entry);
            return ProbeResult::Score(score);
        }
        match bound {
            Bound::Lower => ProbeResult::Range(score, INFINITE),
            _ => ProbeResult::Range(-INFINITE, score),
        }
    }
}
