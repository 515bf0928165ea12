//! The faults of a search.

use std::io;
use std::process;
use std::thread;
use std::time::Duration;

use smalt_protocol::SearchLimits;

use crate::fault::ScriptedFault;
use crate::output::{self, Dialect};
use crate::session::ScriptedSession;

const INFO: &str = "info depth 20 seldepth 30 score cp 12 nodes 1234567 nps 1000000 time 1234 pv e2e4 e7e5\n";
const THINKING: &str = "20 12 123 1234567 e2e4 e7e5\n";

impl ScriptedSession {
    /// Answers a search with the scripted fault.
    pub(crate) fn misbehave(&mut self, fault: ScriptedFault, limits: &SearchLimits) {
        match fault {
            ScriptedFault::Exit => process::exit(1),
            ScriptedFault::Crash => process::abort(),
            ScriptedFault::LoudCrash => {
                output::complain("thread 'search' panicked at src/search.rs:42:5:\nindex out of bounds\n");
                process::abort()
            }
            ScriptedFault::Hang => output::hang(),
            ScriptedFault::CloseStdout => output::close_stdout(),
            ScriptedFault::InfoForever => self.send_info_forever(),
            ScriptedFault::IgnoreLimit => {
                let sample = self.sample();
                self.send(&sample.trim_end());
                self.play(&SearchLimits { infinite: true, ..SearchLimits::default() });
            }
            ScriptedFault::EndlessLine => output::send_forever(&"x".repeat(1 << 16), Duration::ZERO),
            ScriptedFault::IllegalMove => {
                let illegal = self.board.choose_illegal().to_string();
                self.send_best_move(&illegal);
            }
            ScriptedFault::MalformedBestmove => self.send_best_move("Zz9-h"),
            ScriptedFault::NullMove => self.send_best_move("0000"),
            ScriptedFault::NoneMove => self.send_best_move("(none)"),
            ScriptedFault::MissingMove => self.send_best_move(""),
            ScriptedFault::InvalidUtf8 => {
                output::send(b"info string \xff\xfe\xc3\x28 \xed\xa0\x80\n");
                self.play(limits);
            }
            ScriptedFault::FloodStdout => {
                output::flood(io::stdout().lock(), self.sample(), self.script.flood_bytes);
                self.play(limits);
            }
            ScriptedFault::FloodStderr => {
                output::flood(io::stderr().lock(), "a word to nobody\n", self.script.flood_bytes);
                self.play(limits);
            }
            ScriptedFault::Late => {
                self.push_answer();
                self.send_after(self.script.delay);
            }
            ScriptedFault::StrayBestmove => {
                self.push_answer();
                self.play(limits);
            }
            ScriptedFault::LateRepeat => {
                self.push_answer();
                let answer = self.lines.as_str().to_owned();
                self.send_after(self.script.think);
                self.lines.replace(answer);
                self.send_after(self.script.think + self.script.delay);
            }
            ScriptedFault::LongInfo => {
                let line = match self.script.dialect {
                    Dialect::Uci => "info string ",
                    Dialect::Xboard(_) => "# ",
                };
                output::send(line.as_bytes());
                output::flood(io::stdout().lock(), "x", self.script.flood_bytes);
                output::send(b"\n");
                self.play(limits);
            }
            ScriptedFault::TrailingGarbage => {
                self.play_distorted(limits, |answer| format!("{} xyzzy 42 e9\n", answer.trim_end()));
            }
            ScriptedFault::NulBytes => {
                self.play_distorted(limits, |answer| format!("\0\0{}", answer.replace(' ', "\0 \0")));
            }
            ScriptedFault::HalfLine => self.play_distorted(limits, half),
            ScriptedFault::HalfLineExit => {
                self.play_distorted(&SearchLimits::default(), half);
                process::exit(1);
            }
            ScriptedFault::ExitAfterBestmove => {
                self.push_answer();
                self.lines.send();
                process::exit(1);
            }
            ScriptedFault::FalseResult | ScriptedFault::Resign | ScriptedFault::RefuseMove => {
                self.claim(fault)
            }
            // These send nothing, or occur elsewhere.
            ScriptedFault::NoBestmove
            | ScriptedFault::ExitAtStart
            | ScriptedFault::SlowStart
            | ScriptedFault::Grandchild
            | ScriptedFault::Crlf
            | ScriptedFault::NoUciok
            | ScriptedFault::NoReadyok
            | ScriptedFault::IgnoreStop
            | ScriptedFault::IgnoreQuit
            | ScriptedFault::SlowStop
            | ScriptedFault::SlowQuit
            | ScriptedFault::Daemon
            | ScriptedFault::ExitAtQuit
            | ScriptedFault::CrashAtQuit => {}
        }
    }

    fn play_distorted(&mut self, limits: &SearchLimits, distort: impl FnOnce(&str) -> String) {
        self.push_answer();
        let distorted = distort(self.lines.as_str());
        self.lines.replace(distorted);
        self.answer(limits);
    }

    /// On a separate thread, so that `isready` and `quit` are still handled.
    fn send_info_forever(&self) {
        let sample = self.sample();
        thread::spawn(|| output::send_forever(sample, Duration::from_millis(1)));
    }

    /// An info or thinking line.
    fn sample(&self) -> &'static str {
        match self.script.dialect {
            Dialect::Uci => INFO,
            Dialect::Xboard(_) => THINKING,
        }
    }
}

/// The lines, the last one cut in the middle.
fn half(answer: &str) -> String {
    let whole = answer.trim_end();
    whole[..whole.len().saturating_sub(2)].to_owned()
}
