//! The xboard loop: version 2 with features, or version 1 without.

use smalt_chess::{CastlingMode, CastlingSide, Color, Piece, Position, Setup, UciMove};
use smalt_protocol::uci::client::Start;
use smalt_protocol::xboard::client::EditLine;
use smalt_protocol::xboard::{ClientMessage, EngineMessage, Thinking, declare_option, moves};
use smalt_protocol::{Moves, ReportedScore, Score, SearchLimits};

use super::{Next, ScriptedSession};
use crate::fault::ScriptedFault;
use crate::output::Dialect;

/// The state of an xboard game: the engine's board, and whether it plays.
#[derive(Default)]
pub(crate) struct XboardGame {
    fen: Option<String>,
    moves: Vec<UciMove>,
    plays: Plays,
    shows: Shows,
    edited: Option<Edited>,
    /// The last move sent, not yet played on the board.
    pub(crate) answer: Option<UciMove>,
}

/// Whether the engine answers moves.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Plays {
    #[default]
    Answers,
    TakesIn,
}

/// Whether thinking output is on.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Shows {
    #[default]
    Nothing,
    Thinking,
}

/// A board in edit mode, and the color of the next piece.
struct Edited {
    setup: Setup,
    color: Color,
}

impl ScriptedSession {
    pub(crate) fn handle_xboard(&mut self, line: &str, version: u32) -> Next {
        if self.table.edited.is_some() {
            self.edit(line);
            return Next::Continue;
        }
        match ClientMessage::parse(line) {
            ClientMessage::ProtocolVersion(_) if version >= 2 => self.send_features(),
            ClientMessage::New => {
                self.end_thinking();
                self.board.castling = CastlingMode::Standard;
                self.table = XboardGame { shows: self.table.shows, ..XboardGame::default() };
            }
            ClientMessage::Variant("fischerandom") => self.board.castling = CastlingMode::Chess960,
            ClientMessage::Force => {
                self.settle();
                self.table.plays = Plays::TakesIn;
            }
            ClientMessage::Go => {
                self.settle();
                self.table.plays = Plays::Answers;
                self.answer_xboard();
            }
            ClientMessage::SetBoard(fen) if version >= 2 => {
                self.settle();
                self.table.fen = Some(fen.to_owned());
                self.table.moves.clear();
            }
            ClientMessage::Edit => {
                self.table.edited = Some(Edited { setup: Setup::empty(), color: Color::White });
            }
            ClientMessage::Post => self.table.shows = Shows::Thinking,
            ClientMessage::NoPost => self.table.shows = Shows::Nothing,
            ClientMessage::Ping(number) if version >= 2 && !self.script.has(ScriptedFault::NoReadyok) => {
                self.send(&EngineMessage::Pong(number));
            }
            ClientMessage::MoveNow if !self.script.has(ScriptedFault::IgnoreStop) => self.end_thinking(),
            ClientMessage::Move { text, .. } => self.take_move(text),
            ClientMessage::Quit => return self.quit(),
            ClientMessage::Other(line) | ClientMessage::Unreadable(line) if !line.is_empty() => {
                self.send(&EngineMessage::Error(&format!("Error (unknown command): {line}")));
            }
            _ => {}
        }
        Next::Continue
    }

    fn send_features(&mut self) {
        let variants = if self.script.chess960 { "normal,fischerandom" } else { "normal" };
        let name = self.script.name.clone();
        self.lines.push(&format_args!(
            "feature done=0 ping=1 setboard=1 usermove=1 colors=0 reuse=1 sigint=0 sigterm=0 myname=\"{name}\" \
             variants=\"{variants}\" memory=1 {}",
            self.script.features
        ));
        let options: Vec<String> = self.script.options.iter().map(declare_option).collect();
        for option in options {
            self.lines.push(&format_args!("feature option=\"{option}\""));
        }
        if !self.script.has(ScriptedFault::NoUciok) {
            self.lines.push(&"feature done=1");
        }
        self.lines.send();
    }

    fn edit(&mut self, line: &str) {
        let Some(edited) = &mut self.table.edited else { return };
        match EditLine::parse(line) {
            Some(EditLine::Clear) => edited.setup = Setup::empty(),
            Some(EditLine::ChangeColor) => edited.color = edited.color.opposite(),
            Some(EditLine::Place(role, square)) => {
                edited.setup.board[square.index()] = Some(Piece::new(edited.color, role));
            }
            Some(EditLine::Remove(square)) => edited.setup.board[square.index()] = None,
            Some(EditLine::End) => self.finish_edit(),
            None => {}
        }
    }

    /// Keeps the side to move; kings and rooks on their home squares may castle.
    fn finish_edit(&mut self) {
        let Some(Edited { mut setup, .. }) = self.table.edited.take() else { return };
        setup.turn = if self.table.moves.len().is_multiple_of(2) { Color::White } else { Color::Black };
        for color in Color::ALL {
            let king = setup.king_of(color);
            for side in [CastlingSide::King, CastlingSide::Queen] {
                let rank = color.rank(smalt_chess::Rank::First);
                let rook = smalt_chess::Square::new(side.rook_file(), rank);
                let is_home = king == Some(smalt_chess::Square::new(smalt_chess::File::E, rank))
                    && setup.board[rook.index()] == Some(Piece::new(color, smalt_chess::Role::Rook));
                if is_home {
                    setup.castling_rooks |= rook.into();
                }
            }
        }
        if let Ok(position) = Position::new(&setup) {
            self.table.fen = Some(position.to_fen());
            self.table.moves.clear();
        }
    }

    /// Plays its last move on the board.
    fn settle(&mut self) {
        self.end_thinking();
        self.table.moves.extend(self.table.answer.take());
    }

    fn set_table(&mut self) -> Result<(), String> {
        let start = self.table.fen.clone();
        let start = start.as_deref().map_or(Start::Standard, Start::Fen);
        self.board.set(start, &Moves::from_slice(&self.table.moves)).map_err(|refused| refused.0)
    }

    fn take_move(&mut self, text: &str) {
        self.settle();
        let known = self.set_table().is_ok();
        let position = *self.board.position();
        match moves::parse_move(text, &position).filter(|_| known) {
            Some(mv) => {
                self.table.moves.push(UciMove::from_move(mv, self.board.castling));
                if self.table.plays == Plays::Answers {
                    self.answer_xboard();
                }
            }
            None => self.send(&format_args!("Illegal move: {text}")),
        }
    }

    fn answer_xboard(&mut self) {
        if let Err(words) = self.set_table() {
            self.send(&format_args!("tellusererror Illegal position: {words}"));
            return;
        }
        self.go(&SearchLimits::default());
    }

    /// Adds thinking lines and the move to the output.
    pub(crate) fn push_xboard_answer(&mut self, word: &str) {
        for depth in 1..=self.script.info_lines {
            self.push_thinking(depth, word);
        }
        self.lines.push(&EngineMessage::Move(word));
    }

    /// Adds a thinking line to the output, if thinking output is on.
    pub(crate) fn push_thinking(&mut self, depth: u32, pv: &str) {
        if self.table.shows != Shows::Thinking {
            return;
        }
        self.lines.push(&EngineMessage::Thinking(Thinking {
            depth,
            depth_mark: None,
            score: ReportedScore::from(Score::Centipawns(self.script.score)),
            time: std::time::Duration::ZERO,
            nodes: u64::from(depth),
            selective_depth: None,
            nps: None,
            tbhits: None,
            pv,
        }));
    }

    /// Sends a result claim, or a complaint about the opponent's move, instead of a move.
    pub(crate) fn claim(&mut self, fault: ScriptedFault) {
        if self.script.dialect == Dialect::Uci {
            return self.play(&SearchLimits::default());
        }
        let won = match self.board.position().turn() {
            Color::White => "1-0 {White mates}",
            Color::Black => "0-1 {Black mates}",
        };
        let last = self.table.moves.last().map_or_else(String::new, ToString::to_string);
        match fault {
            ScriptedFault::Resign => self.send(&EngineMessage::Resign),
            ScriptedFault::RefuseMove => self.send(&format_args!("Illegal move: {last}")),
            _ => self.send(&won),
        }
    }
}
