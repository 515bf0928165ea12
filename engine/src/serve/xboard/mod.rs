//! The xboard (CECP) session: one loop receives interface lines and reports of the engine thread, keeps the game, and
//! decides what to search. Reports of a search are ignored once the session no longer waits for it, so that nothing is
//! sent after `force` or `new`.

mod board;
mod claims;
mod clocks;
mod edit;
mod features;
mod handler;
mod report;
mod setting_up;
mod thinking;

use std::sync::mpsc;

use smalt_chess::{CastlingMode, Color, Move, Position};
use smalt_protocol::xboard::client::EditLine;
use smalt_protocol::xboard::{ClientMessage, EngineMessage};

use super::console::ConsoleCommand;
use super::engine_thread::EngineThread;
use super::output::Output;
use super::settings::{HASH, SYZYGY_PATH, THREADS};
use super::{Flow, ServeEvent, run_loop};
use board::{MoveRefusal, SessionBoard};
use clocks::Clocks;
use edit::Editor;
use handler::{CommandHandler, XboardJob};
use thinking::{Purpose, QueuedSearch};

pub(crate) use handler::Report;

/// Mode of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Playing(Color),
    /// `force`: accepts moves without thinking.
    Force,
    Analysis,
}

pub(crate) struct XboardSession {
    output: Output,
    engine_thread: EngineThread<XboardJob>,
    board: SessionBoard,
    clocks: Clocks,
    mode: Mode,
    /// The board in edit mode: all lines up to its end are edit lines.
    editor: Option<Editor>,
    /// Whether pondering is on (`hard`).
    ponders: bool,
    /// Whether thinking output is on (`post`).
    posts: bool,
    search: Option<QueuedSearch>,
    /// Number of searches so far.
    searches: u64,
    /// The expected reply.
    expected: Option<Move>,
    /// Score of the last search for a move, in centipawns from the engine's point of view.
    score: Option<i32>,
    /// Whether the opponent has offered a draw since the engine's last move.
    is_draw_offered: bool,
    /// Whether a job is queued that cannot be stopped and must finish before the exit.
    has_pending_job: bool,
}

impl XboardSession {
    pub(crate) fn new(output: Output, events: mpsc::Sender<ServeEvent>) -> XboardSession {
        let mut handler = CommandHandler::new(events);
        XboardSession {
            output,
            engine_thread: EngineThread::start(move |job| handler.handle(job)),
            board: SessionBoard::new(),
            clocks: Clocks::new(),
            mode: Mode::Playing(Color::Black),
            editor: None,
            ponders: false,
            posts: false,
            search: None,
            searches: 0,
            expected: None,
            score: None,
            is_draw_offered: false,
            has_pending_job: false,
        }
    }

    /// Runs from this line on until `quit` or the end of a pipe.
    pub(crate) fn run(mut self, first: String, events: &mpsc::Receiver<ServeEvent>) {
        let is_read = run_loop(first, events, |event| match event {
            ServeEvent::Line(line) => self.on_line(&line),
            ServeEvent::Report(report) => self.on_report(report),
            ServeEvent::EndOfInput | ServeEvent::OutputClosed => Flow::Quit,
        });
        self.abort_search();
        self.engine_thread.finish(self.has_pending_job && is_read);
    }

    fn on_line(&mut self, line: &str) -> Flow {
        if self.editor.is_some() {
            self.edit(line);
            return Flow::Continue;
        }
        let message = ClientMessage::parse(line);
        match message {
            ClientMessage::Quit => return Flow::Quit,
            ClientMessage::ProtocolVersion(version) if version >= 2 => {
                features::send(&mut |text| self.output.send(text));
            }
            ClientMessage::Ping(number) => self.answer_ping(number),
            ClientMessage::Move { text, .. } => self.on_move(text),
            ClientMessage::Option { name, value } => self.set(name, value.unwrap_or_default(), line),
            ClientMessage::Memory(megabytes) => self.set(HASH, &megabytes.to_string(), line),
            ClientMessage::Cores(count) => self.set(THREADS, &count.to_string(), line),
            ClientMessage::Unreadable(line) => self.refuse("missing or unreadable argument", line),
            ClientMessage::EgtPath { kind: "syzygy", path } => self.set(SYZYGY_PATH, path, line),
            ClientMessage::EgtPath { .. } => self.refuse("unsupported kind of tables", line),
            ClientMessage::NodeRate(0) => self.refuse("the processor's time is not measured", line),
            ClientMessage::Pause | ClientMessage::Resume => self.refuse("unknown command", line),
            ClientMessage::Other(line) => self.on_other_line(line),
            _ => self.on_game_command(&message, line),
        }
        Flow::Continue
    }

    /// Handles commands about the game, its clocks and the search.
    fn on_game_command(&mut self, message: &ClientMessage<'_>, line: &str) {
        match *message {
            ClientMessage::New => self.new_game(),
            ClientMessage::Variant("normal") => self.board.set_variant(CastlingMode::Standard),
            ClientMessage::Variant("fischerandom") => self.board.set_variant(CastlingMode::Chess960),
            ClientMessage::Variant(_) => self.refuse("unsupported variant", line),
            ClientMessage::SetBoard(fen) => self.set_board(Position::from_fen(fen)),
            ClientMessage::Edit => {
                self.abort_search();
                self.editor = Some(Editor::new(self.board.position()));
            }
            ClientMessage::White => self.set_turn(Color::White),
            ClientMessage::Black => self.set_turn(Color::Black),
            ClientMessage::Undo => self.undo(line),
            ClientMessage::Remove => self.remove(line),
            ClientMessage::Force | ClientMessage::Result { .. } => self.enter(Mode::Force),
            ClientMessage::Exit if self.mode == Mode::Analysis => self.enter(Mode::Force),
            ClientMessage::Exit => self.refuse("command not legal now", line),
            ClientMessage::Go => self.go(line),
            ClientMessage::PlayOther => self.play_other(line),
            ClientMessage::Analyze => self.analyze(line),
            ClientMessage::MoveNow => self.move_now(),
            ClientMessage::Hard => self.enable_pondering(),
            ClientMessage::Easy => self.disable_pondering(),
            ClientMessage::Post => self.posts = true,
            ClientMessage::NoPost => self.posts = false,
            ClientMessage::Draw => self.consider_draw(),
            ClientMessage::Hint => self.hint(),
            ClientMessage::Book => self.aside(XboardJob::ShowBook(*self.board.position())),
            ClientMessage::Status => self.send_status(),
            ClientMessage::Exclude(moves) => self.exclude(moves, true, line),
            ClientMessage::Include(moves) => self.exclude(moves, false, line),
            _ => self.on_clock_command(message),
        }
    }

    fn on_clock_command(&mut self, message: &ClientMessage<'_>) {
        match *message {
            ClientMessage::Time(time) => return self.clocks.set_own(time),
            ClientMessage::OpponentTime(time) => return self.clocks.set_other(time),
            ClientMessage::Level { moves, base, increment } => {
                self.clocks.set_level(moves, base, increment, self.board.ply());
            }
            ClientMessage::MoveTime(time) => self.clocks.set_move_time(time),
            ClientMessage::Depth(plies) => self.clocks.set_depth(plies),
            ClientMessage::NodeRate(rate) => self.clocks.set_node_rate(rate),
            // The remaining commands have no effect: `xboard`, names, ratings, `accepted`.
            _ => return,
        }
        self.restart_pondering();
    }

    fn on_other_line(&mut self, line: &str) {
        match ConsoleCommand::parse(line) {
            Some(command) => self.console(command, line),
            None if line.is_empty() => {}
            None => self.refuse("unknown command", line),
        }
    }

    fn refuse(&self, reason: &str, line: &str) {
        self.output.send(format_args!("Error ({reason}): {line}"));
    }

    fn set(&mut self, name: &str, value: &str, asked: &str) {
        let [name, value, asked] = [name, value, asked].map(str::to_owned);
        self.aside(XboardJob::Set { name, value, asked });
    }

    fn on_move(&mut self, text: &str) {
        if self.is_searching_move() {
            return self.output.send(format_args!("Illegal move (not your turn): {text}"));
        }
        let mv = match self.board.read_move(text) {
            Ok(mv) => mv,
            Err(MoveRefusal::Illegal) => return self.output.send(format_args!("Illegal move: {text}")),
            Err(MoveRefusal::Ambiguous) => return self.refuse("ambiguous move", text),
        };
        if self.is_ponder_hit(mv) {
            self.board.play(mv);
            return self.on_ponderhit();
        }
        self.abort_search();
        self.board.play(mv);
        self.expected = None;
        self.resume_play();
    }

    /// Continues after a move: claims the result of a finished game, otherwise searches if the mode requires it.
    fn resume_play(&mut self) {
        match self.mode {
            Mode::Force => {}
            Mode::Analysis => self.analyze_on(),
            Mode::Playing(color) => {
                if !self.claim() && self.board.turn() == color {
                    self.start(Purpose::Move);
                }
            }
        }
    }

    /// Claims the result if the game is over.
    fn claim(&self) -> bool {
        let claim = claims::claim(self.board.game());
        if let Some(result) = &claim {
            self.output.send(result);
        }
        claim.is_some()
    }

    fn edit(&mut self, line: &str) {
        let Some(editor) = &mut self.editor else { return };
        match EditLine::parse(line) {
            Some(line) if editor.edit(line) => {}
            Some(_) => {
                let position = self.editor.take().map(|editor| editor.finish(self.board.variant()));
                if let Some(position) = position {
                    self.set_board(position);
                }
            }
            None => self.refuse("unknown command", line),
        }
    }

    fn on_report(&mut self, report: Report) -> Flow {
        match report {
            Report::Begun(number) => self.search_begun(number),
            Report::Progress(number, progress) => self.search_progressed(number, progress),
            Report::Choice(number, choice) => self.search_ended(number, choice),
            Report::Said(text) => self.output.send(text),
            Report::Reached(number) => self.output.send(EngineMessage::Pong(number)),
        }
        Flow::Continue
    }
}
