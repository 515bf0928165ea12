//! Xboard commands, other than moves, that change the game or the engine's side.

use std::fmt::Display;

use smalt_chess::{CastlingMode, Color, Position};
use smalt_protocol::xboard::EngineMessage;
use smalt_protocol::xboard::client::MoveSet;
use smalt_protocol::xboard::engine::Audience;

use super::handler::XboardJob;
use super::thinking::Purpose;
use super::{Mode, XboardSession};

impl XboardSession {
    /// Starts a new game, in which the engine plays Black unless in analysis mode.
    pub(super) fn new_game(&mut self) {
        self.abort_search();
        self.engine_thread.send(XboardJob::NewGame);
        self.board.set_variant(CastlingMode::Standard);
        self.clocks.restart();
        if self.mode != Mode::Analysis {
            self.mode = Mode::Playing(Color::Black);
        }
        self.set_position(Position::start());
    }

    /// Sets the position, or reports why it is invalid.
    pub(super) fn set_board<E: Display>(&mut self, position: Result<Position, E>) {
        self.abort_search();
        match position {
            Ok(position) => self.set_position(position),
            Err(reason) => {
                self.board.refuse();
                self.forget();
                let text = format!("Illegal position: {reason}");
                self.output.send(EngineMessage::Tell { whom: Audience::UserAsError, text: &text });
            }
        }
    }

    fn set_position(&mut self, position: Position) {
        self.board.set_up(position);
        self.clocks.count_from_start();
        self.forget();
        self.analyze_on();
    }

    /// Clears the results of earlier searches, after a change of position.
    fn forget(&mut self) {
        (self.expected, self.score, self.is_draw_offered) = (None, None, false);
    }

    /// The obsolete commands `white` and `black`: that side is to move, and the engine plays the other.
    pub(super) fn set_turn(&mut self, turn: Color) {
        self.abort_search();
        if self.board.turn() != turn {
            self.set_board(self.board.with_turn(turn));
        }
        self.mode = Mode::Playing(!turn);
    }

    pub(super) fn undo(&mut self, line: &str) {
        if matches!(self.mode, Mode::Playing(_)) {
            return self.refuse("command not legal now", line);
        }
        self.undo_moves(1, line);
    }

    pub(super) fn remove(&mut self, line: &str) {
        self.undo_moves(2, line);
    }

    fn undo_moves(&mut self, count: usize, line: &str) {
        let was_thinking = self.is_searching_move();
        if !self.board.undo_moves(count) {
            return self.refuse("command not legal now", line);
        }
        self.abort_search();
        self.forget();
        self.analyze_on();
        if was_thinking {
            self.start(Purpose::Move);
        }
    }

    pub(super) fn enter(&mut self, mode: Mode) {
        self.abort_search();
        self.mode = mode;
        self.is_draw_offered = false;
    }

    pub(super) fn go(&mut self, line: &str) {
        if self.board.is_refused() {
            return self.refuse("illegal position", line);
        }
        if self.is_searching_move() {
            return;
        }
        let offered = self.is_draw_offered;
        self.enter(Mode::Playing(self.board.turn()));
        self.is_draw_offered = offered;
        self.resume_play();
    }

    pub(super) fn play_other(&mut self, line: &str) {
        if self.board.is_refused() {
            return self.refuse("illegal position", line);
        }
        self.enter(Mode::Playing(!self.board.turn()));
        self.ponder();
    }

    pub(super) fn analyze(&mut self, line: &str) {
        if self.board.is_refused() {
            return self.refuse("illegal position", line);
        }
        self.enter(Mode::Analysis);
        self.analyze_on();
    }

    /// Excludes root moves, or includes them again.
    pub(super) fn exclude(&mut self, moves: MoveSet<'_>, is_excluded: bool, line: &str) {
        match self.board.exclude(moves, is_excluded) {
            Ok(()) => {
                if self.mode == Mode::Analysis {
                    self.abort_search();
                    self.analyze_on();
                }
            }
            Err(_) => self.refuse("illegal move", line),
        }
    }
}
