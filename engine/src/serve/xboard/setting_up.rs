//! Verbs of the conversation that change the game or who plays it, other than moves.

use std::fmt::Display;

use smalt_chess::{CastlingMode, Color, Position};
use smalt_protocol::xboard::EngineMessage;
use smalt_protocol::xboard::client::MoveSet;
use smalt_protocol::xboard::engine::Audience;

use super::thinking::Purpose;
use super::work::Job;
use super::{Mode, Session};

impl Session {
    /// A new game, in which the engine plays Black, unless it analyzes.
    pub(super) fn new_game(&mut self) {
        self.abandon();
        self.servant.hand_over(Job::NewGame);
        self.board.set_variant(CastlingMode::Standard);
        self.clocks.restart();
        if self.mode != Mode::Analysis {
            self.mode = Mode::Playing(Color::Black);
        }
        self.put_up(Position::start());
    }

    /// Sets up a position, or says why it is none.
    pub(super) fn set_board<E: Display>(&mut self, position: Result<Position, E>) {
        self.abandon();
        match position {
            Ok(position) => self.put_up(position),
            Err(reason) => {
                self.board.refuse();
                self.forget();
                let text = format!("Illegal position: {reason}");
                self.output.say(EngineMessage::Tell { whom: Audience::UserAsError, text: &text });
            }
        }
    }

    fn put_up(&mut self, position: Position) {
        self.board.set_up(position);
        self.clocks.count_from_start();
        self.forget();
        self.analyze_on();
    }

    /// Forgets what was thought of another position.
    fn forget(&mut self) {
        (self.expected, self.score, self.is_draw_offered) = (None, None, false);
    }

    /// The old commands `white` and `black`: that side is to move, the engine plays the other one, and waits.
    pub(super) fn give_turn(&mut self, turn: Color) {
        self.abandon();
        if self.board.turn() != turn {
            self.set_board(self.board.with_turn(turn));
        }
        self.mode = Mode::Playing(!turn);
    }

    /// Takes a move back, of either side.
    pub(super) fn undo(&mut self, line: &str) {
        if matches!(self.mode, Mode::Playing(_)) {
            return self.refuse("command not legal now", line);
        }
        self.take_back(1, line);
    }

    /// Takes a move of each side back.
    pub(super) fn remove(&mut self, line: &str) {
        self.take_back(2, line);
    }

    fn take_back(&mut self, count: usize, line: &str) {
        let was_thinking = self.is_thinking_of_move();
        if !self.board.take_back(count) {
            return self.refuse("command not legal now", line);
        }
        self.abandon();
        self.forget();
        self.analyze_on();
        if was_thinking {
            self.start(Purpose::Move);
        }
    }

    /// Leaves what it did for another mode.
    pub(super) fn enter(&mut self, mode: Mode) {
        self.abandon();
        self.mode = mode;
        self.is_draw_offered = false;
    }

    pub(super) fn go(&mut self, line: &str) {
        if self.board.is_refused() {
            return self.refuse("illegal position", line);
        }
        if self.is_thinking_of_move() {
            return;
        }
        let offered = self.is_draw_offered;
        self.enter(Mode::Playing(self.board.turn()));
        self.is_draw_offered = offered;
        self.go_on();
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

    /// Leaves moves out of the search of this position, or takes them in again.
    pub(super) fn exclude(&mut self, moves: MoveSet<'_>, is_left_out: bool, line: &str) {
        match self.board.exclude(moves, is_left_out) {
            Ok(()) => {
                if self.mode == Mode::Analysis {
                    self.abandon();
                    self.analyze_on();
                }
            }
            Err(_) => self.refuse("illegal move", line),
        }
    }
}
