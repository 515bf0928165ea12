//! The engine behind the protocols: set the position, go, new game, options. It reports by callback and prints nothing;
//! [`crate::serve`] implements UCI and xboard on top of it.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use smalt_chess::notation::polyglot::{BookMove, PolyglotBook};
use smalt_chess::splitmix::splitmix;
use smalt_chess::{Move, Position, UciMove, UciMoveError};
use smalt_protocol::{Bound, SearchLimits};

use crate::evaluation::Parameters;
use crate::node_clock::{NodeClock, time_nodes};
use crate::search::score::{MAX_PLY, mated_in};
use crate::search::{
    Limits, ProbeRule, Probing, Progress, PvLine, SearchContext, SearchControl, Task, ThreadData, TimeBudget,
    TranspositionTable, search,
};
use crate::strength::{Handicap, Strength};
use crate::tablebases::SyzygyTables;

/// Not enough memory for the requested transposition table.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not enough memory for a hash table of {megabytes} MB; it has 1 MB now")]
pub struct NoMemoryError {
    pub megabytes: usize,
}

/// Not enough memory for the requested number of search threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there is no memory for {wanted} threads; it has {threads} now")]
pub struct NoThreadMemoryError {
    pub wanted: usize,
    pub threads: usize,
}

pub struct Engine {
    table: TranspositionTable,
    threads: Vec<ThreadData>,
    parameters: Arc<Parameters>,
    lines: usize,
    move_overhead: Duration,
    node_clock: NodeClock,
    strength: Strength,
    seed: u64,
    book: Option<PolyglotBook<Vec<u8>>>,
    tablebases: Option<Arc<SyzygyTables>>,
    probe_rule: ProbeRule,
    /// Number of new games so far.
    games: u64,
    position: Position,
    /// Repetition keys of earlier positions, latest last.
    history: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Best move; `None` if the game is over.
    pub best: Option<Move>,
    pub ponder: Option<Move>,
}

/// An illegal move in a list. The position is the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("move {number}: {reason}")]
pub struct PositionMovesError {
    /// Index of the move in the list, from 1.
    pub number: usize,
    pub reason: UciMoveError,
}

impl Default for Engine {
    fn default() -> Engine {
        Engine::new()
    }
}

impl Engine {
    /// Default size of the transposition table in megabytes.
    pub(crate) const DEFAULT_HASH: usize = 16;
    pub(crate) const DEFAULT_MOVE_OVERHEAD: Duration = Duration::from_millis(30);

    /// An engine at the start position, with one thread, at full strength.
    pub fn new() -> Engine {
        let parameters = Arc::new(Parameters::embedded().clone());
        Engine {
            table: TranspositionTable::new(Engine::DEFAULT_HASH),
            threads: vec![ThreadData::new(Arc::clone(&parameters))],
            parameters,
            lines: 1,
            move_overhead: Engine::DEFAULT_MOVE_OVERHEAD,
            node_clock: NodeClock::default(),
            strength: Strength::Full,
            seed: 0,
            book: None,
            tablebases: None,
            probe_rule: ProbeRule::default(),
            games: 0,
            position: Position::start(),
            history: Vec::new(),
        }
    }

    /// Sets the size of the transposition table, in megabytes, and empties it.
    ///
    /// # Errors
    /// If there is not enough memory; the table then has one megabyte.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), NoMemoryError> {
        // Free the old table first, so that both need not fit into memory.
        self.table = TranspositionTable::new(1);
        self.table = TranspositionTable::try_new(megabytes).ok_or(NoMemoryError { megabytes })?;
        Ok(())
    }

    /// Empties the transposition table.
    pub fn clear_hash(&mut self) {
        self.table.clear(self.threads.len());
    }

    /// Sets the number of threads, at least one.
    ///
    /// # Errors
    /// If there is not enough memory; the number of threads is then unchanged.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), NoThreadMemoryError> {
        let (before, wanted) = (self.threads.len(), threads.max(1));
        self.threads.truncate(wanted);
        while self.threads.len() < wanted {
            let Some(data) = ThreadData::try_new(Arc::clone(&self.parameters)) else {
                self.threads.truncate(before);
                return Err(NoThreadMemoryError { wanted, threads: before });
            };
            self.threads.push(data);
        }
        Ok(())
    }

    /// Sets the number of lines (`MultiPV`).
    pub fn set_lines(&mut self, lines: usize) {
        self.lines = lines.max(1);
    }

    /// Sets the move overhead.
    pub(crate) fn set_move_overhead(&mut self, overhead: Duration) {
        self.move_overhead = overhead;
    }

    /// Sets the nodes that count as a millisecond of the engine's time (`nodestime`); 0: real time.
    pub(crate) fn set_nodes_per_ms(&mut self, nodes: u64) {
        self.node_clock.set_rate(nodes);
    }

    /// Sets the playing strength.
    pub fn set_strength(&mut self, strength: Strength) {
        self.strength = strength;
    }

    /// Sets the random seed of book moves and of the errors at limited strength.
    pub fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Sets or removes the opening book.
    pub(crate) fn set_book(&mut self, book: Option<PolyglotBook<Vec<u8>>>) {
        self.book = book;
    }

    /// Sets or removes the tablebases, and clears the hash. They are not probed at limited strength.
    pub fn set_tablebases(&mut self, tablebases: Option<Arc<SyzygyTables>>) {
        self.tablebases = tablebases;
        self.clear_hash();
    }

    /// Sets the probe rule and clears the hash.
    pub fn set_probe_rule(&mut self, rule: ProbeRule) {
        self.probe_rule = rule;
        self.clear_hash();
    }

    pub(crate) fn probe_rule(&self) -> ProbeRule {
        self.probe_rule
    }

    /// Book moves of a position.
    pub(crate) fn book_moves(&self, position: &Position) -> Vec<BookMove> {
        self.book.iter().flat_map(|book| book.moves(position)).collect()
    }

    /// Sets the evaluation parameters and clears hash and histories.
    pub(crate) fn set_parameters(&mut self, parameters: Arc<Parameters>) {
        self.parameters = parameters;
        for thread in &mut self.threads {
            thread.set_parameters(Arc::clone(&self.parameters));
        }
        self.clear_hash();
    }

    pub(crate) fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Starts a new game: clears hash and histories, as in a fresh engine.
    pub fn new_game(&mut self) {
        self.games += 1;
        self.node_clock.reset();
        self.clear_hash();
        self.threads.iter_mut().for_each(ThreadData::clear);
        self.set_position(Position::start(), []).expect("no move can be wrong");
    }

    /// Sets the position from the start position of the game and its moves.
    ///
    /// # Errors
    /// If a move is illegal; the moves before it are kept.
    pub fn set_position(
        &mut self,
        start: Position,
        moves: impl IntoIterator<Item = UciMove>,
    ) -> Result<(), PositionMovesError> {
        self.position = start;
        self.history.clear();
        for (index, mv) in moves.into_iter().enumerate() {
            let mv = mv
                .to_move(&self.position)
                .map_err(|reason| PositionMovesError { number: index + 1, reason })?;
            self.play(mv);
        }
        Ok(())
    }

    fn play(&mut self, mv: Move) {
        self.history.push(self.position.repetition_key());
        self.position.play(mv);
        if self.position.halfmove_clock() == 0 {
            self.history.clear();
        }
    }

    /// Searches within the limits and returns the best move. Only `control` ends an infinite search or pondering.
    pub fn go(
        &mut self,
        limits: &SearchLimits,
        control: &SearchControl,
        report: &mut dyn FnMut(&Progress),
    ) -> Choice {
        let moves = self.moves_to_search(limits);
        let choice = if moves.is_empty() {
            report(&self.end_of_game(control));
            Choice { best: None, ponder: None }
        } else if let Some(mv) = self.book_move(limits) {
            Choice { best: Some(mv), ponder: None }
        } else {
            self.choose(limits, moves, control, report)
        };
        control.wait_for_release(limits.infinite);
        choice
    }

    /// The legal moves among `searchmoves`; all legal moves if that is empty.
    fn moves_to_search(&self, limits: &SearchLimits) -> Vec<Move> {
        let legal = self.position.legal_moves();
        let mut wanted: Vec<Move> =
            limits.search_moves.iter().filter_map(|mv| mv.to_move(&self.position).ok()).collect();
        wanted.sort();
        wanted.dedup();
        if wanted.is_empty() { legal.to_vec() } else { wanted }
    }

    /// A book move, unless in analysis (infinite, ponder, mate, searchmoves).
    fn book_move(&self, limits: &SearchLimits) -> Option<Move> {
        if limits.infinite || limits.ponder || limits.mate.is_some() || !limits.search_moves.is_empty() {
            return None;
        }
        let random = splitmix(self.position.key() ^ splitmix(self.seed) ^ self.games);
        self.book.as_ref()?.choose_move(&self.position, random)
    }

    fn choose(
        &mut self,
        limits: &SearchLimits,
        moves: Vec<Move>,
        control: &SearchControl,
        report: &mut dyn FnMut(&Progress),
    ) -> Choice {
        let handicap = match self.strength {
            Strength::Full => None,
            Strength::Limited(elo) => Handicap::of(elo),
        };
        let turn = self.position.turn();
        let mut given = limits.clone();
        let nodes_per_ms = self.node_clock.apply(&mut given, turn);
        let mut limits = self.limits(&given, nodes_per_ms);
        if let Some(handicap) = handicap {
            limits.nodes = Some(limits.nodes.unwrap_or(u64::MAX).min(handicap.nodes));
            limits.lines = limits.lines.max(handicap.lines());
        }
        let lines = self.lines;
        let task = Task { position: self.position, history: self.history.clone(), moves };
        // No tablebases at limited strength.
        let tables = self.tablebases.as_deref().filter(|_| handicap.is_none());
        let probing = tables.map(|tables| Probing::new(tables, self.probe_rule));
        let context = SearchContext { table: &self.table, threads: &mut self.threads, probing, control };
        let mut last = None;
        let end = search(&task, &limits, context, &mut |progress| match handicap {
            None => report(progress),
            Some(_) => {
                let mut shown = progress.clone();
                shown.lines.truncate(lines);
                report(&shown);
                last = Some(shown);
            }
        });
        if let Some(rate) = nodes_per_ms {
            self.node_clock.spend(end.nodes, rate, given.clock_of(turn));
        }
        let index = handicap.map_or(0, |handicap| handicap.choose(&end.lines, &self.position, self.seed));
        // The last reported line must be the one played.
        if index > 0
            && let Some(mut shown) = last
        {
            shown.lines = vec![end.lines[index].clone()];
            report(&shown);
        }
        let line = &end.lines[index].moves;
        Choice { best: Some(line[0]), ponder: line.get(1).copied().or_else(|| self.expected_answer(line[0])) }
    }

    fn limits(&self, limits: &SearchLimits, nodes_per_ms: Option<NonZeroU64>) -> Limits {
        let deepest = MAX_PLY as u32 - 1;
        let mut time_budget = if limits.infinite {
            TimeBudget::default()
        } else {
            TimeBudget::new(
                limits,
                self.position.turn(),
                self.position.fullmove_number().into(),
                self.move_overhead,
            )
        };
        let mut nodes = limits.nodes;
        // The hard limit as one of nodes is exact with one thread.
        if let Some(rate) = nodes_per_ms
            && let Some(hard) = time_budget.hard.take()
        {
            let most = time_nodes(hard, rate).max(1);
            nodes = Some(nodes.map_or(most, |nodes| nodes.min(most)));
        }
        Limits {
            depth: limits.depth.unwrap_or(deepest).clamp(1, deepest) as i32,
            nodes,
            mate: limits.mate,
            time_budget,
            nodes_per_ms,
            lines: self.lines,
        }
    }

    /// Ponder move from the transposition table.
    fn expected_answer(&self, mv: Move) -> Option<Move> {
        let next = self.position.after(mv);
        let answer = self.table.probe(next.key(), 0)?.best?;
        next.is_legal(answer).then_some(answer)
    }

    /// Progress to report when the game is over.
    fn end_of_game(&self, control: &SearchControl) -> Progress {
        let score = if self.position.is_check() { mated_in(0) } else { 0 };
        Progress {
            depth: 0,
            lines: vec![PvLine { score, bound: Bound::Exact, moves: Vec::new(), selective_depth: 0 }],
            nodes: 0,
            time: control.elapsed(),
            hashfull: 0,
            tbhits: 0,
        }
    }
}
