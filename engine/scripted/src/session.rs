//! The UCI loop over standard input, and its searches.

mod xboard;

use std::fmt;
use std::io::{self, BufRead};
use std::process::{self, ExitCode};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use smalt_chess::{CastlingMode, UciMove};
use smalt_protocol::uci::client::{ClientMessage, Start};
use smalt_protocol::uci::engine::{BestMove, EngineMessage, Id};
use smalt_protocol::{Info, Moves, OptionDeclaration, OptionKind, Score, SearchLimits};

use crate::arguments::Script;
use crate::board::PlayedGame;
use crate::fault::ScriptedFault;
use crate::lingering;
use crate::output::{self, Dialect, LineEnd, Lines};
use xboard::XboardGame;

const CHESS960: &str = "UCI_Chess960";

/// Runs the script until `quit`.
pub(crate) fn run(script: Script) -> ExitCode {
    if script.has(ScriptedFault::ExitAtStart) {
        return ExitCode::FAILURE;
    }
    if script.has(ScriptedFault::Grandchild) {
        lingering::spawn();
    }
    if script.has(ScriptedFault::Daemon) {
        lingering::spawn_daemon();
    }
    if script.has(ScriptedFault::SlowStart) {
        thread::sleep(script.delay);
    }
    let mut session = ScriptedSession::new(script);
    session.read_input();
    if session.script.has(ScriptedFault::SlowQuit) {
        thread::sleep(session.script.delay);
    }
    // Not a return: dropping the session would release an answer that waits for `stop`.
    process::exit(0)
}

pub(crate) struct ScriptedSession {
    pub(crate) script: Script,
    pub(crate) board: PlayedGame,
    pub(crate) lines: Lines,
    searches: u32,
    thinking: Option<PendingSearch>,
    pub(crate) table: XboardGame,
}

/// An unanswered search: dropping `stop` makes it answer.
struct PendingSearch {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

/// Whether the session continues.
pub(crate) enum Next {
    Continue,
    Quit,
}

impl ScriptedSession {
    fn new(script: Script) -> ScriptedSession {
        let end = if script.has(ScriptedFault::Crlf) { LineEnd::Windows } else { LineEnd::Unix };
        ScriptedSession {
            script,
            board: PlayedGame::new(),
            lines: Lines::new(end),
            searches: 0,
            thinking: None,
            table: XboardGame::default(),
        }
    }

    fn read_input(&mut self) {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while matches!(input.read_until(b'\n', &mut line), Ok(1..)) {
            let text = String::from_utf8_lossy(&line);
            if let Next::Quit = self.handle_uci(&text) {
                return;
            }
            line.clear();
        }
        if self.script.has(ScriptedFault::IgnoreQuit) {
            output::hang();
        }
    }

    fn handle_uci(&mut self, line: &str) -> Next {
        if self.script.is_bilingual && line.trim_end() == "xboard" {
            self.script.dialect = Dialect::Xboard(2);
        }
        if let Dialect::Xboard(version) = self.script.dialect {
            return self.handle_xboard(line, version);
        }
        match ClientMessage::parse(line) {
            ClientMessage::Position { start, moves } => self.set_position(start, &moves),
            ClientMessage::Go(limits) => self.go(&limits),
            ClientMessage::IsReady if !self.script.has(ScriptedFault::NoReadyok) => {
                self.send(&EngineMessage::ReadyOk)
            }
            ClientMessage::Uci => self.introduce(),
            ClientMessage::SetOption { name, value } if name.eq_ignore_ascii_case(CHESS960) => {
                let is_on = value.is_some_and(|value| value.eq_ignore_ascii_case("true"));
                self.board.castling = if is_on { CastlingMode::Chess960 } else { CastlingMode::Standard };
            }
            ClientMessage::Stop | ClientMessage::PonderHit if !self.script.has(ScriptedFault::IgnoreStop) => {
                if self.script.has(ScriptedFault::SlowStop) {
                    thread::sleep(self.script.delay);
                }
                self.end_thinking();
            }
            ClientMessage::Quit => return self.quit(),
            _ => {}
        }
        Next::Continue
    }

    pub(crate) fn quit(&self) -> Next {
        if self.script.has(ScriptedFault::ExitAtQuit) {
            process::exit(1);
        }
        if self.script.has(ScriptedFault::CrashAtQuit) {
            process::abort();
        }
        if self.script.has(ScriptedFault::IgnoreQuit) { Next::Continue } else { Next::Quit }
    }

    pub(crate) fn send(&mut self, message: &impl fmt::Display) {
        self.lines.push(message);
        self.lines.send();
    }

    fn introduce(&mut self) {
        let chess960 =
            OptionDeclaration { name: CHESS960.to_owned(), kind: OptionKind::Check { default: false } };
        self.lines.push(&EngineMessage::Id(Id::Name(&self.script.name)));
        self.lines.push(&EngineMessage::Id(Id::Author("the Smalt authors")));
        for option in
            self.script.options.iter().chain([&chess960].into_iter().filter(|_| self.script.chess960))
        {
            self.lines.push(&EngineMessage::Option(option.clone()));
        }
        if !self.script.has(ScriptedFault::NoUciok) {
            self.lines.push(&EngineMessage::UciOk);
        }
        self.lines.send();
    }

    fn set_position(&mut self, start: Start<'_>, moves: &Moves<'_>) {
        if let Err(refused) = self.board.set(start, moves) {
            let string = Some(refused.0.as_str());
            self.send(&EngineMessage::Info(Info { string, ..Info::default() }));
        }
    }

    pub(crate) fn go(&mut self, limits: &SearchLimits) {
        self.end_thinking();
        self.searches += 1;
        self.send_first_move();
        match self.script.fault_at(self.searches) {
            Some(fault) => self.misbehave(fault, limits),
            None => self.play(limits),
        }
    }

    /// Reports the script's move in an info line at once.
    fn send_first_move(&mut self) {
        let Some(first) = self.script.first else { return };
        match self.script.dialect {
            Dialect::Uci => {
                self.lines.push(&EngineMessage::Info(info_of(&self.script, 1, &[first])));
            }
            Dialect::Xboard(_) => self.push_thinking(1, &first.to_string()),
        }
        self.lines.send();
    }

    pub(crate) fn play(&mut self, limits: &SearchLimits) {
        self.push_answer();
        self.answer(limits);
    }

    /// Adds info lines and the best move to the output.
    pub(crate) fn push_answer(&mut self) {
        let scripted = self.script.moves.get(self.board.ply());
        let best = scripted.map_or_else(
            || self.board.choose(self.script.seed).map_or(BestMove::None, BestMove::Move),
            |text| UciMove::parse(text).map_or(BestMove::Unreadable(text), BestMove::Move),
        );
        match self.script.dialect {
            Dialect::Uci => {
                push_infos(&mut self.lines, &self.script, best);
                let ponder =
                    self.script.guesses.get(self.board.ply()).and_then(|text| UciMove::parse(text).ok());
                self.lines.push(&EngineMessage::BestMove { best, ponder });
            }
            Dialect::Xboard(_) => {
                let text = best.to_string();
                self.table.answer = match best {
                    BestMove::Move(mv) => Some(mv),
                    _ => None,
                };
                self.push_xboard_answer(text.trim());
            }
        }
    }

    /// Sends this word as best move.
    pub(crate) fn send_best_move(&mut self, word: &str) {
        let command = match self.script.dialect {
            Dialect::Uci => "bestmove",
            Dialect::Xboard(_) => "move",
        };
        self.send(&format_args!("{command} {word}").to_string().trim_end());
    }

    /// Sends the prepared lines when the limits permit.
    pub(crate) fn answer(&mut self, limits: &SearchLimits) {
        let waits_for_stop = limits.infinite || limits.ponder;
        if waits_for_stop {
            self.think(None);
        } else if self.script.think > Duration::ZERO {
            self.think(Some(self.script.think));
        } else {
            self.lines.send();
        }
    }

    /// Sends the lines after a time or on `stop`.
    fn think(&mut self, time: Option<Duration>) {
        let (stop, stopped) = mpsc::channel::<()>();
        let mut answer = self.lines.take();
        let thread = thread::spawn(move || {
            // Nothing is ever sent: the time passes, or the other end is dropped.
            let _never_a_value = match time {
                Some(time) => stopped.recv_timeout(time).ok(),
                None => stopped.recv().ok(),
            };
            answer.send();
        });
        self.thinking = Some(PendingSearch { stop, thread });
    }

    /// Sends the lines after a time, ignoring `stop`.
    pub(crate) fn send_after(&mut self, time: Duration) {
        let mut answer = self.lines.take();
        thread::spawn(move || {
            thread::sleep(time);
            answer.send();
        });
    }

    pub(crate) fn end_thinking(&mut self) {
        if let Some(PendingSearch { stop, thread }) = self.thinking.take() {
            drop(stop);
            // It cannot have panicked: it only writes, and exits the process if that fails.
            let _ = thread.join();
        }
    }
}

fn push_infos(lines: &mut Lines, script: &Script, best: BestMove<'_>) {
    let pv: &[UciMove] = match &best {
        BestMove::Move(mv) => std::slice::from_ref(mv),
        _ => &[],
    };
    for depth in 1..=script.info_lines {
        lines.push(&EngineMessage::Info(info_of(script, depth, pv)));
    }
}

fn info_of<'a>(script: &Script, depth: u32, pv: &'a [UciMove]) -> Info<'a> {
    Info {
        depth: Some(depth),
        score: Some(Score::Centipawns(script.score).into()),
        nodes: Some(u64::from(depth)),
        time: Some(Duration::ZERO),
        pv: Moves::from_slice(pv),
        ..Info::default()
    }
}
