//! Commands that start something: a new game, a position, a search.

use smalt_chess::{CastlingMode, Color, UciMove};
use smalt_protocol::xboard::ClientMessage;

use super::board::{OutOfReach, push};
use super::{XboardEngine, time_lines};
use crate::conversation::ConversationError;
use crate::fault::Fault;
use crate::search::SearchRequest;

impl XboardEngine {
    /// Adds the commands of a new game, from the start position, in force mode.
    pub(super) fn push_new_game(&mut self) {
        // The engine may be playing or pondering. `result *` would add nothing, and can crash Fairy-Max 5.0b after
        // fewer than two moves.
        push(&mut self.outgoing, &ClientMessage::Force);
        push(&mut self.outgoing, &ClientMessage::New);
        if self.variant == CastlingMode::Chess960 {
            push(&mut self.outgoing, &ClientMessage::Variant("fischerandom"));
        }
        push(&mut self.outgoing, &ClientMessage::Force);
        self.time.begin_game();
        self.is_playing = false;
        self.board.reset();
    }

    /// Adds the commands that bring the engine's board to this position, except a last move that makes it move; returns
    /// the text of that move.
    pub(super) fn push_position(
        &mut self,
        request: &SearchRequest<'_>,
    ) -> Result<Option<UciMove>, ConversationError> {
        let news = self.board.news(request.start, request.moves).map(<[UciMove]>::to_vec);
        let news = match news {
            Some(news) if !self.is_playing => news,
            Some(news) if news.len() == 1 => return Ok(Some(news[0])),
            Some(news) => {
                push(&mut self.outgoing, &ClientMessage::Force);
                self.is_playing = false;
                news
            }
            None => {
                self.push_new_game();
                let features = &self.received.features;
                if let Err(OutOfReach(lack)) = self.board.set_up(request.start, features, &mut self.outgoing)
                {
                    self.outgoing.clear();
                    self.board.forget();
                    return Err(Fault::NoSetBoard { lack }.into());
                }
                request.moves.to_vec()
            }
        };
        for mv in news {
            self.push_move(mv)?;
        }
        Ok(None)
    }

    fn push_move(&mut self, mv: UciMove) -> Result<(), ConversationError> {
        let features = &self.received.features;
        match self.board.play(mv, features, self.variant, &mut self.outgoing) {
            Some(text) => {
                self.received.last_move = text;
                Ok(())
            }
            None => {
                self.outgoing.clear();
                self.board.forget();
                Err(Fault::NoSetBoard { lack: "a move that leads to the position is illegal" }.into())
            }
        }
    }

    /// Adds the commands that start a search: the last move, or `go`.
    pub(super) fn push_start(
        &mut self,
        request: &SearchRequest<'_>,
        node_rate: Option<u64>,
        last: Option<UciMove>,
    ) -> Result<(), ConversationError> {
        let (limits, turn) = (request.limits, self.board.position().turn());
        let mover = if last.is_some() { turn.opposite() } else { turn };
        self.time.update(limits, node_rate, mover, &mut self.outgoing);
        if let Some(mv) = last {
            time_lines::clocks(limits, mover, &self.received.features, &mut self.outgoing);
            return self.push_move(mv);
        }
        // The idiom of section 13: old engines take `time` for the side that they were last set to play.
        let (own, other) = match mover {
            Color::White => (ClientMessage::White, ClientMessage::Black),
            Color::Black => (ClientMessage::Black, ClientMessage::White),
        };
        let has_colors = self.received.features.colors;
        if has_colors {
            push(&mut self.outgoing, &other);
        }
        time_lines::clocks(limits, mover, &self.received.features, &mut self.outgoing);
        if has_colors {
            push(&mut self.outgoing, &own);
        }
        push(&mut self.outgoing, &ClientMessage::Go);
        self.is_playing = true;
        Ok(())
    }
}
