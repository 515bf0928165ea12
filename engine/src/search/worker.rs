//! State of one search thread: search stack, node counter, root moves; making and unmaking moves, draw detection.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use smalt_chess::{Move, Position, Square};
use smalt_protocol::Bound;

use super::check_info::CheckInfo;
use super::control::SearchControl;
use super::correction_history::{CorrectionHistory, CorrectionIndices, PreviousMoves};
use super::endings::{is_known_draw, known_win, lone_side};
use super::histories::{CONTINUATION_PLIES, Context, Histories, PieceTo, ThreatIndex};
use super::move_picker::{MovePicker, PickContext, PickMode};
use super::move_scoring::ScoredMoves;
use super::params::PARAMETERS as P;
use super::params::exchange_values;
use super::probing::Probing;
use super::score::{INFINITE, MAX_PLY, NO_SCORE, clamp};
use super::time::TimeBudget;
use super::transposition::{Entry, TranspositionTable};
use super::{ThreadData, ThreadHistories};
use crate::evaluation::{Evaluator, rule50_scaled};

/// Nodes between two checks of the clock and the stop flag.
const CHECK_INTERVAL: u64 = 1024;

/// Stack frames before the root, for access to the moves six plies back.
const LEAD: usize = 6;

/// Shared by all threads of one search (Lazy SMP).
pub(super) struct Shared<'a> {
    pub(super) table: &'a TranspositionTable,
    pub(super) control: &'a SearchControl,
    pub(super) time_budget: TimeBudget,
    pub(super) node_limit: Option<u64>,
    /// `go mate`: no pruning that could miss a mate.
    pub(super) seeks_mate: bool,
    /// Nodes of each thread, updated every [`CHECK_INTERVAL`].
    pub(super) nodes: Vec<AtomicU64>,
    /// Tablebases for the search below the root.
    pub(super) probing: Option<Probing<'a>>,
    pub(super) tbhits: AtomicU64,
    /// Set when the main thread has finished or any thread has reached a limit.
    pub(super) finished: AtomicBool,
    /// Set while pondering when the time budget is already used: stop at ponderhit.
    pub(super) stop_on_ponderhit: AtomicBool,
}

impl Shared<'_> {
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Whether all threads must stop.
    pub(super) fn is_over(&self) -> bool {
        self.finished.load(Relaxed)
            || self.control.is_stopped()
            || self
                .control
                .own_time()
                .is_some_and(|time| self.stop_on_ponderhit.load(Relaxed) || self.time_budget.is_used_up(time))
    }
}

/// One ply of the search stack.
#[derive(Clone)]
pub(super) struct Frame {
    /// Corrected static evaluation; [`NO_SCORE`] in check.
    pub(super) evaluation: i32,
    /// The move excluded by a singular search.
    pub(super) excluded: Option<Move>,
    pub(super) killers: [Option<Move>; 2],
    /// Piece and destination of the current move.
    pub(super) made: PieceTo,
    /// The current move, if quiet, and its threat index.
    pub(super) quiet: Option<(Move, ThreatIndex)>,
    /// Destination of the current move, if a capture.
    pub(super) taken_on: Option<Square>,
    /// Late move reduction of the current move, in plies.
    pub(super) reduction: i32,
    /// Beta cutoffs at this ply since the start of the node two plies up.
    pub(super) cutoffs: i32,
    /// Double extensions on the current line.
    pub(super) double_extensions: i32,
    /// Plies since the last irreversible move (capture, pawn move, null move).
    pub(super) reversible: usize,
    pub(super) pv: Vec<Move>,
}

#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Tablebase rank: moves with a higher rank come first, whatever their score.
    pub(super) rank: i32,
    /// Tablebase score, if the root is in the tables.
    pub(super) table_score: Option<i32>,
    /// Score of this iteration; -[`INFINITE`] unless it became the best move.
    pub(super) score: i32,
    /// Bound of that score; not exact after a fail high or low of the aspiration window.
    pub(super) bound: Bound,
    /// Score of the previous iteration.
    pub(super) previous: i32,
    pub(super) selective_depth: usize,
    pub(super) nodes: u64,
    /// Principal variation, starting with the move itself.
    pub(super) pv: Vec<Move>,
}

impl RootMove {
    /// Score of this iteration, else of the previous one.
    pub(super) fn latest_score(&self) -> Option<(i32, Bound)> {
        let scores = [(self.score, self.bound), (self.previous, Bound::Exact)];
        scores.into_iter().find(|&(score, _)| score > -INFINITE)
    }
}

pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) histories: &'a mut Histories,
    pub(super) corrections: &'a mut CorrectionHistory,
    evaluator: &'a mut Evaluator,
    index: usize,
    frames: Vec<Frame>,
    /// Repetition keys of the game and of the current line, latest last.
    keys: Vec<u64>,
    pub(super) nodes: u64,
    next_check: u64,
    pub(super) stopped: bool,
    pub(super) selective_depth: usize,
    pub(super) root: Vec<RootMove>,
    /// The static evaluation of the root.
    pub(super) root_static_eval: i32,
    /// Index of the current MultiPV line: root moves before it belong to better lines.
    pub(super) line: usize,
    /// Whether the root is restricted (`searchmoves`).
    pub(super) is_root_restricted: bool,
    pub(super) completed_depth: i32,
    /// Null moves are disabled before this ply, during null move verification.
    pub(super) null_moves_from: usize,
    logarithms: &'static Logarithms,
    #[expect(clippy::vec_box, reason = "they go in and out for every node, and are larger than a pointer")]
    buffers: Vec<Box<ScoredMoves>>,
}

/// The root of a search.
pub(super) struct Root<'a> {
    pub(super) position: &'a Position,
    /// Repetition keys of the game's earlier positions.
    pub(super) history: &'a [u64],
    pub(super) moves: &'a [Move],
    /// Tablebase rank and score of each move; empty if the root is not in the tables.
    pub(super) ranks: &'a [(i32, i32)],
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        thread_data: &'a mut ThreadData,
        index: usize,
        root: &Root<'_>,
    ) -> Worker<'a> {
        let frame = Frame {
            evaluation: NO_SCORE,
            excluded: None,
            killers: [None; 2],
            made: PieceTo::NONE,
            quiet: None,
            taken_on: None,
            reduction: 0,
            cutoffs: 0,
            double_extensions: 0,
            reversible: 0,
            pv: Vec::new(),
        };
        let mut frames = vec![frame; MAX_PLY + LEAD + 4];
        frames[LEAD].reversible = usize::from(root.position.halfmove_clock()).min(root.history.len());
        let mut keys = root.history.to_vec();
        keys.push(root.position.repetition_key());
        let root_move = |(index, &mv): (usize, &Move)| RootMove {
            mv,
            rank: root.ranks.get(index).map_or(0, |&(rank, _)| rank),
            table_score: root.ranks.get(index).map(|&(_, score)| score),
            score: -INFINITE,
            bound: Bound::Exact,
            previous: -INFINITE,
            selective_depth: 0,
            nodes: 0,
            pv: vec![mv],
        };
        let mut root_moves: Vec<RootMove> = root.moves.iter().enumerate().map(root_move).collect();
        let known_best = shared.table.probe(root.position.key(), 0).and_then(|entry| entry.best);
        let guess = |root_move: &RootMove| (root_move.rank, first_guess(root, root_move.mv, known_best));
        root_moves.sort_by_key(|root_move| std::cmp::Reverse(guess(root_move)));
        let root_static_eval = thread_data.evaluator.evaluate(root.position);
        let ThreadHistories { histories, corrections } = &mut *thread_data.histories;
        Worker {
            shared,
            histories,
            corrections,
            evaluator: &mut thread_data.evaluator,
            index,
            frames,
            keys,
            nodes: 0,
            next_check: shared.node_limit.unwrap_or(CHECK_INTERVAL).min(CHECK_INTERVAL),
            stopped: false,
            selective_depth: 0,
            root: root_moves,
            root_static_eval: clamp(root_static_eval),
            line: 0,
            is_root_restricted: root.moves.len() != root.position.count_legal_moves(),
            completed_depth: 0,
            null_moves_from: 0,
            logarithms: &LOGARITHMS,
            buffers: Vec::new(),
        }
    }

    /// Whether this is the main thread, which reports and checks limits.
    pub(super) fn is_first(&self) -> bool {
        self.index == 0
    }

    /// First depth: every other thread starts one ply deeper, so that threads search different trees.
    pub(super) fn first_depth(&self) -> i32 {
        1 + (self.index % 2) as i32
    }

    #[inline]
    pub(super) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + LEAD]
    }

    /// The stack frame `plies` back; before the root it has no move.
    #[inline]
    pub(super) fn earlier(&self, ply: usize, plies: usize) -> &Frame {
        &self.frames[ply + LEAD - plies]
    }

    /// Counts a node. True if the search must stop.
    #[inline]
    pub(super) fn enter_node(&mut self, ply: usize) -> bool {
        if self.stopped {
            return true;
        }
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        if self.nodes >= self.next_check {
            self.check_limits();
        }
        self.stopped
    }

    #[cold]
    fn check_limits(&mut self) {
        let shared = self.shared;
        shared.nodes[self.index].store(self.nodes, Relaxed);
        self.next_check = self.nodes + CHECK_INTERVAL;
        if shared.is_over() {
            // Any thread stops the others: with more threads than cores the main thread rarely runs.
            shared.finished.store(true, Relaxed);
            self.stopped = true;
            return;
        }
        if !self.is_first() {
            return;
        }
        if let Some(limit) = shared.node_limit {
            let total = shared.total_nodes();
            self.stopped |= total >= limit;
            self.next_check = self.next_check.min(self.nodes + limit.saturating_sub(total).max(1));
        }
    }

    /// Publishes the node count to the other threads.
    pub(super) fn publish_nodes(&self) {
        self.shared.nodes[self.index].store(self.nodes, Relaxed);
    }

    /// TT key of a position. `go mate` prunes less, so it uses separate entries.
    #[inline]
    pub(super) fn table_key(&self, position: &Position) -> u64 {
        if self.shared.seeks_mate { !position.key() } else { position.key() }
    }

    /// Prefetches the TT entry after the TT move.
    #[inline]
    pub(super) fn prefetch_tt_move(&self, position: &Position, known: Option<Entry>) {
        if let Some(mv) = known.and_then(|entry| entry.best) {
            self.shared.table.prefetch(position.likely_key_after(mv));
        }
    }

    /// Static evaluation for the side to move in centipawns, uncorrected.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> i32 {
        clamp(known_win(position).unwrap_or_else(|| self.evaluator.evaluate(position)))
    }

    /// Indices into the correction histories, prefetched: call it before the evaluation.
    #[inline]
    pub(super) fn correction_indices(&self, position: &Position, ply: usize) -> CorrectionIndices {
        self.corrections.indices(position, self.previous_moves(ply))
    }

    /// Static evaluation after rule-50 scaling and correction history.
    #[inline]
    pub(super) fn corrected(&self, position: &Position, evaluation: i32, indices: CorrectionIndices) -> i32 {
        let correction = match lone_side(position) {
            Some(_) => 0,
            None => self.corrections.correction(indices),
        };
        clamp(rule50_scaled(evaluation, position.halfmove_clock()) + correction)
    }

    /// The two moves that led to the node at this ply.
    #[inline]
    pub(super) fn previous_moves(&self, ply: usize) -> PreviousMoves {
        PreviousMoves { last: self.earlier(ply, 1).made, before: self.earlier(ply, 2).made }
    }

    /// Makes a move of the node at this ply and writes the new position into `child`: in place, since copying fields
    /// just written would stall on store forwarding. `threat_index` is only used for quiet moves.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn make_move(
        &mut self,
        position: &Position,
        mv: Move,
        threat_index: ThreatIndex,
        ply: usize,
        child: &mut Position,
    ) {
        child.set_after(position, mv);
        self.evaluator.prefetch(child);
        let frame = self.frame(ply);
        frame.made = PieceTo::of(position, mv);
        frame.quiet = mv.is_quiet().then_some((mv, threat_index));
        frame.taken_on = mv.is_capture().then_some(mv.to());
        frame.reduction = 0;
        let (reversible, double_extensions) = (frame.reversible + 1, frame.double_extensions);
        let next = self.frame(ply + 1);
        next.reversible = if child.halfmove_clock() == 0 { 0 } else { reversible };
        next.double_extensions = double_extensions;
        self.keys.push(child.repetition_key());
    }

    /// Makes a null move.
    pub(super) fn make_null_move(&mut self, position: &Position, ply: usize) -> Position {
        let child = position.after_null_move();
        let frame = self.frame(ply);
        frame.made = PieceTo::NONE;
        frame.quiet = None;
        frame.taken_on = None;
        frame.reduction = 0;
        let double_extensions = frame.double_extensions;
        let next = self.frame(ply + 1);
        next.reversible = 0;
        next.double_extensions = double_extensions;
        self.keys.push(child.repetition_key());
        child
    }

    /// Undoes the last move.
    #[inline]
    pub(super) fn undo_move(&mut self) {
        self.keys.pop();
    }

    /// Draw by the fifty-move rule or by repetition: once within the search, or twice including the game.
    #[inline]
    pub(super) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        if position.halfmove_clock() >= 100 {
            return !position.is_check() || position.has_legal_move();
        }
        self.is_repetition(ply)
    }

    /// Upcoming repetition: whether the side to move can return to an earlier position of the line, and so has at least
    /// a draw (cuckoo tables, M. Dietrich).
    #[inline]
    pub(super) fn has_upcoming_repetition(&self, position: &Position, ply: usize) -> bool {
        let (key, before) = self.keys.split_last().expect("the root's key is always there");
        let reversible = self.earlier(ply, 0).reversible;
        let mut plies = (3..=reversible.min(ply.saturating_sub(1))).step_by(2);
        plies.any(|back| position.can_step_by(key ^ before[before.len() - back]))
    }

    /// The score of a drawn node. An upcoming repetition raises alpha to a draw, and returns if that causes a cutoff.
    #[inline]
    pub(super) fn check_draw(
        &self,
        position: &Position,
        alpha: &mut i32,
        beta: i32,
        ply: usize,
    ) -> Option<i32> {
        if self.is_draw(position, ply) {
            return Some(self.draw_score());
        }
        if is_known_draw(position) {
            return Some(0);
        }
        if *alpha < 0 && self.has_upcoming_repetition(position, ply) {
            *alpha = self.draw_score();
            return (*alpha >= beta).then_some(*alpha);
        }
        None
    }

    fn is_repetition(&self, ply: usize) -> bool {
        let (&key, before) = self.keys.split_last().expect("the root's key is always there");
        let reversible = self.earlier(ply, 0).reversible;
        let mut seen = 0;
        for back in (4..=reversible).step_by(2) {
            if before[before.len() - back] == key {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Draw score: 0 with a random component of one, to avoid threefold blindness.
    #[inline]
    pub(super) fn draw_score(&self) -> i32 {
        1 - (self.nodes & 2) as i32
    }

    pub(super) fn context(&self, position: &Position, ply: usize) -> Context {
        let before = CONTINUATION_PLIES.map(|plies| self.earlier(ply, plies).made);
        let in_check = position.is_check();
        Context { turn: position.turn(), pawn_key: position.pawn_key(), before, in_check }
    }

    pub(super) fn picker(
        &mut self,
        position: &Position,
        wanted: PickMode,
        tt_move: Option<Move>,
        ply: usize,
    ) -> MovePicker {
        let buffer = self.buffers.pop().unwrap_or_default();
        let killers = self.frame(ply).killers;
        MovePicker::new(position, wanted, tt_move, killers, buffer)
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn pick(
        &self,
        picker: &mut MovePicker,
        context: Context,
        check_info: &CheckInfo<'_>,
    ) -> Option<Move> {
        let knowledge =
            PickContext { histories: self.histories, context, check_info, table: self.shared.table };
        picker.next(&knowledge)
    }

    pub(super) fn put_back(&mut self, picker: MovePicker) {
        self.buffers.push(picker.into_buffer());
    }

    /// Sets the PV of this ply to a move and the PV of the next ply.
    pub(super) fn set_pv(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.frames.split_at_mut(ply + LEAD + 1);
        let pv = &mut above[ply + LEAD].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&below[0].pv);
    }

    /// Base late move reduction, in 1024ths of a ply.
    #[inline]
    pub(super) fn lmr_reduction(&self, is_quiet: bool, depth: i32, number: usize) -> i32 {
        let logarithms = self.logarithms.0[(depth as usize).min(63)][number.min(63)];
        let (base, factor) = match is_quiet {
            true => (P.lmr_base(), P.lmr_factor()),
            false => (P.lmr_capture_base(), P.lmr_capture_factor()),
        };
        base + logarithms * factor / 1024
    }
}

/// Order of root moves before the first iteration: TT move, then static exchange evaluation.
fn first_guess(root: &Root<'_>, mv: Move, known_best: Option<Move>) -> (bool, i32) {
    (Some(mv) == known_best, root.position.exchange_value(mv, &exchange_values()))
}

/// ln(depth) * ln(move number) in 1024ths.
struct Logarithms([[i32; 64]; 64]);

static LOGARITHMS: LazyLock<Logarithms> = LazyLock::new(|| {
    let logarithm = |number: usize| (number.max(1) as f64).ln();
    Logarithms(std::array::from_fn(|depth| {
        std::array::from_fn(|number| (1024.0 * logarithm(depth) * logarithm(number)) as i32)
    }))
});
