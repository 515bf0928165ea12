//! What one thread of a search holds: the line that it is on, its counters, its view of the root.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use smalt_chess::{Move, Position, Square};
use smalt_protocol::Bound;

use super::corrections::{Corrections, Spots, Steps};
use super::endings::{is_known_draw, known_win, lone_side};
use super::histories::{Context, Exposure, Histories, Place};
use super::ordering::{Knowledge, Picker, Wanted};
use super::outlook::Outlook;
use super::params::PARAMETERS as P;
use super::params::exchange_values;
use super::probing::Probing;
use super::ranking::Ranked;
use super::score::{INFINITE, MAX_PLY, NO_SCORE, clamp};
use super::signals::Signals;
use super::time::Allotment;
use super::transposition::{Entry, TranspositionTable};
use super::{Experience, Memory};
use crate::evaluation::{Evaluator, dampened};

/// Nodes between two looks at the clock and the signals.
const CHECK_INTERVAL: u64 = 1024;

/// Frames before the root, so that a node may ask what was played four plies earlier.
const LEAD: usize = 4;

/// What all threads of one search share.
pub(super) struct Shared<'a> {
    pub(super) table: &'a TranspositionTable,
    pub(super) signals: &'a Signals,
    pub(super) allotment: Allotment,
    pub(super) node_limit: Option<u64>,
    /// Whether only a mate is wanted: then nothing is left out that could be one.
    pub(super) seeks_mate: bool,
    /// Nodes of each thread, a little behind.
    pub(super) nodes: Vec<AtomicU64>,
    /// Endgame tables for the search below the root.
    pub(super) probing: Option<Probing<'a>>,
    /// How often they knew a position.
    pub(super) table_hits: AtomicU64,
    /// The first thread has finished, or another has seen that the search is over.
    pub(super) finished: AtomicBool,
    /// What has been searched while pondering is enough: the move may be told as soon as the awaited one is played.
    pub(super) is_ripe: AtomicBool,
}

impl Shared<'_> {
    pub(super) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|count| count.load(Relaxed)).sum()
    }

    /// Whether every thread has to end: one said so, the world outside did, or the time is used up.
    pub(super) fn is_over(&self) -> bool {
        self.finished.load(Relaxed)
            || self.signals.is_stopped()
            || self
                .signals
                .own_time()
                .is_some_and(|time| self.is_ripe.load(Relaxed) || self.allotment.is_used_up(time))
    }
}

/// One ply of the line being searched.
#[derive(Clone)]
pub(super) struct Frame {
    /// Corrected static evaluation; [`NO_SCORE`] in check.
    pub(super) evaluation: i32,
    /// The move that a singular search leaves out here.
    pub(super) excluded: Option<Move>,
    pub(super) killers: [Option<Move>; 2],
    /// Where the move made here brought its piece.
    pub(super) made: Place,
    /// The move made here, if it was a quiet one, and its exposure.
    pub(super) quiet: Option<(Move, Exposure)>,
    /// Where the move made here took something.
    pub(super) taken_on: Option<Square>,
    /// Plies that the move made here was searched less deep.
    pub(super) reduction: i32,
    /// How often nodes at this ply were refuted, since a node two plies up began.
    pub(super) cutoffs: i32,
    /// Moves of the line so far that were extended by two plies.
    pub(super) double_extensions: i32,
    /// Plies since the last that can't be taken back (capture, pawn move, null move).
    pub(super) reversible: usize,
    pub(super) pv: Vec<Move>,
}

/// A move at the root and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// What endgame tables say: moves with a greater rank come first, whatever the search thinks of them.
    pub(super) rank: i32,
    /// The score that goes with the rank, where tables know the root.
    pub(super) table_score: Option<i32>,
    /// From this iteration; -[`INFINITE`] if it did not become best.
    pub(super) score: i32,
    /// What the score is of this iteration, as long as its window has failed: not exact.
    pub(super) bound: Bound,
    /// From the iteration before, in the same way.
    pub(super) previous: i32,
    pub(super) selective_depth: usize,
    pub(super) nodes: u64,
    /// The line from the root; at least the move itself.
    pub(super) pv: Vec<Move>,
}

impl RootMove {
    /// Its score of this iteration or the one before, if it was the best move of a line in one of them.
    pub(super) fn latest_score(&self) -> Option<(i32, Bound)> {
        let scores = [(self.score, self.bound), (self.previous, Bound::Exact)];
        scores.into_iter().find(|&(score, _)| score > -INFINITE)
    }
}

/// One thread of a search.
pub(super) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) histories: &'a mut Histories,
    pub(super) corrections: &'a mut Corrections,
    evaluator: &'a mut Evaluator,
    index: usize,
    frames: Vec<Frame>,
    /// Keys of the game's positions and of the line, the current one last.
    keys: Vec<u64>,
    pub(super) nodes: u64,
    next_check: u64,
    pub(super) stopped: bool,
    pub(super) selective_depth: usize,
    pub(super) root: Vec<RootMove>,
    /// The static evaluation of the root.
    pub(super) standing: i32,
    /// Root moves before this one belong to better lines.
    pub(super) line: usize,
    /// Whether the root looks at some legal moves only.
    pub(super) is_root_restricted: bool,
    pub(super) completed_depth: i32,
    /// No null move is tried before this ply: while one is verified.
    pub(super) null_moves_from: usize,
    logarithms: &'static Logarithms,
    #[expect(clippy::vec_box, reason = "they go in and out for every node, and are larger than a pointer")]
    buffers: Vec<Box<Ranked>>,
}

/// Where a search begins.
pub(super) struct Root<'a> {
    pub(super) position: &'a Position,
    /// Keys of the positions before it that may repeat.
    pub(super) history: &'a [u64],
    pub(super) moves: &'a [Move],
    /// What endgame tables say of each move, if they know the position: its rank and score.
    pub(super) ranks: &'a [(i32, i32)],
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        shared: &'a Shared<'a>,
        memory: &'a mut Memory,
        index: usize,
        root: &Root<'_>,
    ) -> Worker<'a> {
        let frame = Frame {
            evaluation: NO_SCORE,
            excluded: None,
            killers: [None; 2],
            made: Place::NONE,
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
        let standing = memory.evaluator.evaluate(root.position);
        let Experience { histories, corrections } = &mut *memory.experience;
        Worker {
            shared,
            histories,
            corrections,
            evaluator: &mut memory.evaluator,
            index,
            frames,
            keys,
            nodes: 0,
            next_check: shared.node_limit.unwrap_or(CHECK_INTERVAL).min(CHECK_INTERVAL),
            stopped: false,
            selective_depth: 0,
            root: root_moves,
            standing: clamp(standing),
            line: 0,
            is_root_restricted: root.moves.len() != root.position.count_legal_moves(),
            completed_depth: 0,
            null_moves_from: 0,
            logarithms: &LOGARITHMS,
            buffers: Vec::new(),
        }
    }

    /// Whether this thread answers for the search: reports, and looks at limits.
    pub(super) fn is_first(&self) -> bool {
        self.index == 0
    }

    /// Where iterations begin: every other thread is a depth ahead, so that the others find its results in the table and
    /// not all do the same.
    pub(super) fn first_depth(&self) -> i32 {
        1 + (self.index % 2) as i32
    }

    #[inline]
    pub(super) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + LEAD]
    }

    /// The frame so many plies earlier; before the root nothing was played.
    #[inline]
    pub(super) fn earlier(&self, ply: usize, plies: usize) -> &Frame {
        &self.frames[ply + LEAD - plies]
    }

    /// Counts a node. True if the search has to end.
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
            // Whoever sees it tells the others: with far more threads than processors the first one seldom runs.
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

    /// Makes the count of nodes known to the other threads.
    pub(super) fn publish_nodes(&self) {
        self.shared.nodes[self.index].store(self.nodes, Relaxed);
    }

    /// The key under which the table knows a position. A search for a mate, which leaves nothing out, must not believe
    /// what others found.
    #[inline]
    pub(super) fn table_key(&self, position: &Position) -> u64 {
        if self.shared.seeks_mate { !position.key() } else { position.key() }
    }

    /// Asks the memory for what the table knows of the position behind the move that will probably be tried first.
    #[inline]
    pub(super) fn prefetch_after_known(&self, position: &Position, known: Option<Entry>) {
        if let Some(mv) = known.and_then(|entry| entry.best) {
            self.shared.table.prefetch(position.likely_key_after(mv));
        }
    }

    /// Static evaluation for the side to move, without corrections.
    #[inline]
    pub(super) fn evaluate(&mut self, position: &Position) -> i32 {
        clamp(known_win(position).unwrap_or_else(|| self.evaluator.evaluate(position)))
    }

    /// Where the correction histories have their word on the node at this ply; to be asked for before the evaluation,
    /// so that they are at hand behind it.
    #[inline]
    pub(super) fn corrections_at(&self, position: &Position, ply: usize) -> Spots {
        self.corrections.find(position, self.steps(ply))
    }

    /// A static evaluation with what the fifty-move rule and the correction histories have to say.
    #[inline]
    pub(super) fn corrected(&self, position: &Position, evaluation: i32, spots: Spots) -> i32 {
        let correction = match lone_side(position) {
            Some(_) => 0,
            None => self.corrections.of(spots),
        };
        clamp(dampened(evaluation, position.halfmove_clock()) + correction)
    }

    /// The moves that led to the node at this ply.
    #[inline]
    pub(super) fn steps(&self, ply: usize) -> Steps {
        Steps { last: self.earlier(ply, 1).made, before: self.earlier(ply, 2).made }
    }

    /// Plays a move of the node at this ply: `child`, whatever it was, becomes the position behind it. It is written in its
    /// place, for a copy of what was just written in parts would wait for those stores. The exposure of a quiet move matters
    /// only where nodes below teach it.
    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn play(
        &mut self,
        position: &Position,
        mv: Move,
        exposure: Exposure,
        ply: usize,
        child: &mut Position,
    ) {
        child.set_after(position, mv);
        self.evaluator.prefetch(child);
        let frame = self.frame(ply);
        frame.made = Place::of(position, mv);
        frame.quiet = mv.is_quiet().then_some((mv, exposure));
        frame.taken_on = mv.is_capture().then_some(mv.to());
        frame.reduction = 0;
        let (reversible, double_extensions) = (frame.reversible + 1, frame.double_extensions);
        let next = self.frame(ply + 1);
        next.reversible = if child.halfmove_clock() == 0 { 0 } else { reversible };
        next.double_extensions = double_extensions;
        self.keys.push(child.repetition_key());
    }

    /// Passes.
    pub(super) fn play_null(&mut self, position: &Position, ply: usize) -> Position {
        let child = position.after_null_move();
        let frame = self.frame(ply);
        frame.made = Place::NONE;
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

    /// Goes back from the last move played.
    #[inline]
    pub(super) fn take_back(&mut self) {
        self.keys.pop();
    }

    /// Whether the game ends here in a draw: by fifty moves, or because the position has been there
    /// before: once on the line itself, or twice at the root or earlier.
    #[inline]
    pub(super) fn is_draw(&self, position: &Position, ply: usize) -> bool {
        if position.halfmove_clock() >= 100 {
            return !position.is_check() || position.has_legal_move();
        }
        self.is_repetition(ply)
    }

    /// Whether the side to move can go back to a position that was on the line since the root: then it has at least
    /// a draw.
    #[inline]
    pub(super) fn can_repeat(&self, position: &Position, ply: usize) -> bool {
        let (key, before) = self.keys.split_last().expect("the root's key is always there");
        let reversible = self.earlier(ply, 0).reversible;
        let mut plies = (3..=reversible.min(ply.saturating_sub(1))).step_by(2);
        plies.any(|back| position.can_step_by(key ^ before[before.len() - back]))
    }

    /// The score of a node that is drawn at least, if that decides it; else it may lift alpha.
    #[inline]
    pub(super) fn drawn(&self, position: &Position, alpha: &mut i32, beta: i32, ply: usize) -> Option<i32> {
        if self.is_draw(position, ply) {
            return Some(self.draw_score());
        }
        if is_known_draw(position) {
            return Some(0);
        }
        if *alpha < 0 && self.can_repeat(position, ply) {
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

    /// The score of a draw: nothing, give or take one, so that different ways to a draw are not all the same.
    #[inline]
    pub(super) fn draw_score(&self) -> i32 {
        1 - (self.nodes & 2) as i32
    }

    pub(super) fn context(&self, position: &Position, ply: usize) -> Context {
        let before = [1, 2, 4].map(|plies| self.earlier(ply, plies).made);
        Context { turn: position.turn(), pawn_key: position.pawn_key(), before }
    }

    pub(super) fn picker(
        &mut self,
        position: &Position,
        wanted: Wanted,
        table_move: Option<Move>,
        ply: usize,
    ) -> Picker {
        let buffer = self.buffers.pop().unwrap_or_default();
        let killers = self.frame(ply).killers;
        Picker::new(position, wanted, table_move, killers, buffer)
    }

    // Not inlined: one copy for all nodes.
    #[inline(never)]
    pub(super) fn pick(&self, picker: &mut Picker, context: Context, outlook: &Outlook<'_>) -> Option<Move> {
        let knowledge = Knowledge { histories: self.histories, context, outlook, table: self.shared.table };
        picker.next(&knowledge)
    }

    pub(super) fn put_back(&mut self, picker: Picker) {
        self.buffers.push(picker.into_buffer());
    }

    /// Makes a move and the line after it the line of this ply.
    pub(super) fn set_pv(&mut self, ply: usize, mv: Move) {
        let (above, below) = self.frames.split_at_mut(ply + LEAD + 1);
        let pv = &mut above[ply + LEAD].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&below[0].pv);
    }

    /// Reduction of a late move, in 1024ths of a ply.
    #[inline]
    pub(super) fn reduction(&self, is_quiet: bool, depth: i32, number: usize) -> i32 {
        let logarithms = self.logarithms.0[(depth as usize).min(63)][number.min(63)];
        let (base, factor) = match is_quiet {
            true => (P.reduction_base(), P.reduction_factor()),
            false => (P.reduction_capture_base(), P.reduction_capture_factor()),
        };
        base + logarithms * factor / 1024
    }
}

/// How early to look at a root move as long as nothing has been searched.
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
