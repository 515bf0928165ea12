//! A live board: the state of the game in a slot.
//!
//! The slot writes after every move and never waits: a publisher that reads at that instant misses this state and
//! gets the next one, which includes it. Memory is reused, so that a move allocates nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smalt_chess::{Color, UciMove};
use smalt_driver::SearchReport;
use smalt_protocol::{Info, Score};

use smalt_match::game::{GameObserver, MoveStart};
use smalt_match::opening::Opening;
use smalt_match::schedule::ScheduledGame;

/// Longest principal variation shown, in plies.
const MAX_PV: usize = 24;

/// A board shared by a slot and the publisher.
#[derive(Debug, Default)]
pub struct LiveBoard {
    shown: Mutex<BoardState>,
    watched: AtomicBool,
}

/// State of a board.
#[derive(Debug, Default)]
pub(super) struct BoardState {
    /// Edition number; grows with each change.
    pub(super) edition: u64,
    pub(super) game: Option<ScheduledGame>,
    pub(super) fen: Option<String>,
    /// ECO code and name of the opening, if the book names it.
    pub(super) opening: Option<String>,
    pub(super) moves: Vec<UciMove>,
    pub(super) sides: [SideState; 2],
    /// Start of the current search.
    pub(super) since: Option<Instant>,
}

/// State of one side.
#[derive(Clone, Debug, Default)]
pub(super) struct SideState {
    /// Time left at the start of the current search; `None` without a clock.
    pub left: Option<Duration>,
    /// Time used for its last move.
    pub took: Duration,
    pub thought: SearchInfo,
}

#[derive(Clone, Debug, Default)]
pub(super) struct SearchInfo {
    /// Score from its own view.
    pub score: Option<Score>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Nodes per second, as reported.
    pub nps: Option<u64>,
    /// Ply at the start of the variation.
    pub ply: usize,
    pub line: Vec<UciMove>,
}

impl SearchInfo {
    /// Sets the report of a finished search.
    fn take(&mut self, report: &SearchReport, ply: usize) {
        self.score = report.score.map(|reported| reported.score);
        (self.depth, self.nodes, self.nps) = (report.depth, report.nodes, report.nps);
        self.ply = ply;
        self.line.clear();
        self.line.extend(report.pv.iter().take(MAX_PV));
    }

    /// Updates from an info line of a running search.
    fn update(&mut self, info: &Info<'_>, ply: usize) {
        if info.multipv.is_some_and(|rank| rank != 1) {
            return;
        }
        self.nodes = info.nodes.or(self.nodes);
        self.nps = info.nps.or(self.nps);
        if let Some(reported) = info.score {
            self.score = Some(reported.score);
            self.depth = info.depth.or(self.depth);
        }
        if !info.pv.is_empty() {
            self.ply = ply;
            self.line.clear();
            self.line.extend(info.pv.to_vec().into_iter().take(MAX_PV));
        }
    }
}

impl LiveBoard {
    /// Shows a new search: the moves so far, and both sides as set by `set_sides`. A new game starts with an empty
    /// board.
    pub(super) fn show(
        &self,
        game: ScheduledGame,
        opening: &Opening,
        moves: &[UciMove],
        set_sides: impl FnOnce(&mut [SideState; 2]),
    ) {
        let Ok(mut shown) = self.shown.try_lock() else { return };
        let shown = &mut *shown;
        if shown.game != Some(game) || shown.moves.len() > moves.len() {
            shown.game = Some(game);
            shown.fen.clone_from(&opening.fen);
            shown.opening = named(opening);
            shown.moves.clear();
            shown.sides.iter_mut().for_each(|side| side.thought = SearchInfo::default());
        }
        shown.moves.extend_from_slice(&moves[shown.moves.len()..]);
        set_sides(&mut shown.sides);
        shown.since = Some(Instant::now());
        shown.edition += 1;
    }

    pub(super) fn set_watched(&self, watched: bool) {
        self.watched.store(watched, Ordering::Relaxed);
    }

    /// Reads the board unless its edition is unchanged.
    pub(super) fn read_if_changed<T>(
        &self,
        known: u64,
        read: impl FnOnce(&BoardState) -> T,
    ) -> Option<(u64, T)> {
        // The slot holds the lock for nanoseconds; after a panic the board stays unchanged.
        let shown = self.shown.lock().ok()?;
        (shown.edition != known).then(|| (shown.edition, read(&shown)))
    }
}

fn named(opening: &Opening) -> Option<String> {
    let name = opening.name.as_deref()?;
    Some(opening.eco.as_ref().map_or_else(|| name.to_owned(), |eco| format!("{eco} {name}")))
}

impl GameObserver for LiveBoard {
    fn move_started(&self, start: &MoveStart<'_>) {
        self.show(start.game, start.opening, start.moves, |sides| {
            for (side, left) in sides.iter_mut().zip(start.left) {
                side.left = left;
            }
            if let Some((color, report, elapsed)) = start.last {
                let side = &mut sides[color.index()];
                side.took = elapsed;
                side.thought.take(report, start.moves.len().saturating_sub(1));
            }
        });
    }

    fn wants_info(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    fn info(&self, side: Color, ply: usize, info: &Info<'_>) {
        if let Ok(mut shown) = self.shown.try_lock() {
            shown.sides[side.index()].thought.update(info, ply);
            shown.edition += 1;
        }
    }

    fn warning(&self, _: Color, _: String) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u32) -> ScheduledGame {
        ScheduledGame { number, pair: 0, round: 0, white: 0, black: 1, opening: 0 }
    }

    fn moves(text: &str) -> Vec<UciMove> {
        text.split(' ').map(|word| word.parse().unwrap()).collect()
    }

    fn seen(board: &LiveBoard) -> Vec<String> {
        let seen = board.read_if_changed(0, |shown| shown.moves.iter().map(ToString::to_string).collect());
        seen.map_or_else(Vec::new, |(_, moves)| moves)
    }

    #[test]
    fn a_state_that_was_missed_is_part_of_the_next() {
        let board = LiveBoard::default();
        board.show(game(0), &Opening::standard(), &moves("e2e4"), |_| {});
        {
            let _looking = board.shown.lock().unwrap();
            board.show(game(0), &Opening::standard(), &moves("e2e4 e7e5"), |_| {});
        }
        assert_eq!(seen(&board), ["e2e4"]);
        board.show(game(0), &Opening::standard(), &moves("e2e4 e7e5 g1f3"), |_| {});
        assert_eq!(seen(&board), ["e2e4", "e7e5", "g1f3"]);
    }

    #[test]
    fn another_game_begins_with_an_empty_board() {
        let board = LiveBoard::default();
        board.show(game(0), &Opening::standard(), &moves("e2e4 e7e5"), |sides| {
            sides[0].thought.depth = Some(9);
        });
        board.show(game(1), &Opening::standard(), &moves("d2d4 d7d5 c2c4"), |_| {});
        assert_eq!(seen(&board), ["d2d4", "d7d5", "c2c4"]);
        assert_eq!(board.read_if_changed(0, |shown| shown.sides[0].thought.depth).unwrap().1, None);
    }

    #[test]
    fn a_board_has_the_name_that_the_book_gives_its_opening() {
        let board = LiveBoard::default();
        let named = |name: Option<&str>, eco: Option<&str>| Opening {
            name: name.map(str::to_owned),
            eco: eco.map(str::to_owned),
            ..Opening::standard()
        };
        let shown = |number, opening: &Opening| {
            board.show(game(number), opening, &moves("e2e4"), |_| {});
            board.read_if_changed(0, |shown| shown.opening.clone()).unwrap().1
        };
        assert_eq!(shown(0, &named(Some("Line 7"), None)).as_deref(), Some("Line 7"));
        assert_eq!(shown(1, &named(Some("Open"), Some("B00"))).as_deref(), Some("B00 Open"));
        assert_eq!(shown(2, &named(None, Some("B00"))), None);
    }

    #[test]
    fn an_edition_is_looked_at_once() {
        let board = LiveBoard::default();
        board.show(game(0), &Opening::standard(), &moves("e2e4"), |_| {});
        let (edition, ()) = board.read_if_changed(0, |_| ()).unwrap();
        assert!(board.read_if_changed(edition, |_| ()).is_none());
    }
}
