//! When the search asks the endgame tables, and what scores it makes of their answers.

use std::sync::atomic::Ordering::Relaxed;

use smalt_chess::Position;
use smalt_protocol::Bound;

use super::quiescence::is_cutoff;
use super::score::{INFINITE, MAX_PLY, NO_SCORE, table_loss, table_win};
use super::transposition::Entry;
use super::worker::Worker;
use crate::tablebases::{Outlook, Ranking, Tablebases};

/// Whether wins that need more than fifty moves without a capture or pawn move are wins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FiftyMoves {
    /// They are draws.
    Respected,
    /// They are wins.
    Ignored,
}

/// When tables are asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProbeRule {
    /// Least depth, in plies, at which positions with as many pieces as the tables know at most are looked up; those with
    /// fewer are at any depth.
    pub depth: i32,
    /// The most pieces, kings included.
    pub pieces: usize,
    /// What counts as a win.
    pub fifty_moves: FiftyMoves,
}

impl Default for ProbeRule {
    fn default() -> ProbeRule {
        ProbeRule { depth: 1, pieces: 7, fifty_moves: FiftyMoves::Respected }
    }
}

/// Tables and when they are asked.
#[derive(Clone, Copy, Debug)]
pub struct Probing<'a> {
    tables: &'a Tablebases,
    rule: ProbeRule,
}

impl<'a> Probing<'a> {
    /// The tables under a rule.
    pub fn new(tables: &'a Tablebases, rule: ProbeRule) -> Probing<'a> {
        Probing { tables, rule: ProbeRule { pieces: rule.pieces.min(tables.pieces()), ..rule } }
    }

    /// What the tables say of the moves at the root.
    pub(super) fn rank(&self, task: &super::Task) -> Option<Ranking> {
        if task.position.occupied().count() > self.rule.pieces {
            return None;
        }
        self.tables.rank(&task.position, &task.history, &task.moves)
    }

    /// Whether the search below a root of which tables have said this still has to ask them: where they gave distances,
    /// or there is nothing to win, it is left to find its own way.
    pub(super) fn is_needed_below(&self, ranking: Option<&Ranking>) -> bool {
        ranking.is_none_or(|ranking| {
            let best = ranking.moves.iter().map(|ranked| ranked.outlook).max();
            !ranking.has_distances && best > Some(Outlook::Draw)
        })
    }

    /// The score of an outlook at this ply, and what it says of the true one: a win may be a mate.
    pub(super) fn score(&self, outlook: Outlook, ply: usize) -> (i32, Bound) {
        let is_strict = self.rule.fifty_moves == FiftyMoves::Respected;
        match outlook {
            Outlook::BlessedLoss | Outlook::CursedWin if is_strict => (0, Bound::Exact),
            Outlook::Draw => (0, Bound::Exact),
            Outlook::Loss | Outlook::BlessedLoss => (table_loss(ply), Bound::Upper),
            Outlook::Win | Outlook::CursedWin => (table_win(ply), Bound::Lower),
        }
    }

    /// Tables assume that the clock of the fifty-move rule is at zero and nobody may castle.
    #[inline]
    fn applies(&self, position: &Position, depth: i32) -> bool {
        let pieces = position.occupied().count();
        pieces <= self.rule.pieces
            && position.halfmove_clock() == 0
            && (pieces < self.rule.pieces || depth >= self.rule.depth)
            && position.castling_rooks().is_empty()
    }
}

/// What the tables say about a node.
pub(super) enum Answer {
    /// Its score.
    Score(i32),
    /// The least and the greatest score that it may have.
    Range(i32, i32),
}

impl Worker<'_> {
    /// What the tables say about a node that is to be searched to this depth between these bounds.
    #[inline]
    pub(super) fn ask_tables(
        &self,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> Answer {
        match &self.shared.probing {
            Some(probing) if probing.applies(position, depth) => {
                self.ask(probing, position, alpha, beta, depth, ply)
            }
            _ => Answer::Range(-INFINITE, INFINITE),
        }
    }

    fn ask(
        &self,
        probing: &Probing<'_>,
        position: &Position,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
    ) -> Answer {
        let Some(outlook) = probing.tables.probe(position) else {
            return Answer::Range(-INFINITE, INFINITE);
        };
        self.shared.table_hits.fetch_add(1, Relaxed);
        let (score, bound) = probing.score(outlook, ply);
        // Worth more than what a search of this depth finds, but for mates.
        let depth = (depth + 6).min(MAX_PLY as i32 - 1);
        let entry = Entry { best: None, score, bound, evaluation: NO_SCORE, depth, was_pv: false };
        if is_cutoff(&entry, alpha, beta) {
            self.shared.table.store(self.table_key(position), ply, entry);
            return Answer::Score(score);
        }
        match bound {
            Bound::Lower => Answer::Range(score, INFINITE),
            _ => Answer::Range(-INFINITE, score),
        }
    }
}
