//! The observer of a slot's games: sends warnings to the coordinator and the rest to the slot's live board.

use std::sync::mpsc::Sender;

use smalt_chess::Color;
use smalt_protocol::Info;

use super::event::Event;
use crate::game::{GameObserver, GameWarning, MoveStart};
use crate::schedule::ScheduledGame;

/// Sends warnings to the coordinator, and the rest to the slot's live board, if any.
#[derive(Debug)]
pub(super) struct SlotObserver<'a> {
    pub(super) game: ScheduledGame,
    pub(super) board: Option<&'a dyn GameObserver>,
    pub(super) events: Sender<Event>,
}

impl SlotObserver<'_> {
    fn entrant(&self, side: Color) -> usize {
        if side == Color::White { self.game.white } else { self.game.black }
    }
}

impl GameObserver for SlotObserver<'_> {
    fn move_started(&self, start: &MoveStart<'_>) {
        if let Some(board) = self.board {
            board.move_started(start);
        }
    }

    fn wants_info(&self) -> bool {
        self.board.is_some_and(GameObserver::wants_info)
    }

    fn info(&self, side: Color, ply: usize, info: &Info<'_>) {
        if let Some(board) = self.board {
            board.info(side, ply, info);
        }
    }

    fn warning(&self, side: Color, words: String) {
        // The coordinator outlives its slots.
        let _ = self.events.send(Event::EngineWarning { entrant: self.entrant(side), words });
    }

    fn search_warning(&self, side: Color, warning: GameWarning) {
        let (entrant, warning) = (self.entrant(side), Box::new(warning));
        let _ = self.events.send(Event::SearchWarning { entrant, game: self.game, warning });
    }
}
