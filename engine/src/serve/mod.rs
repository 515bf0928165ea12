//! The engine as a program that others talk to over pipes: recognizes the protocol, reads lines, and ends quietly
//! when either pipe does.
//!
//! Three threads: one reads lines, one decides what they mean (so that `stop` is heard at once), one owns the engine
//! and obeys. [`uci`] and [`xboard`] are two faces of the same engine; what they share lies beside them: the options, the
//! commands for people, the thread that obeys.

mod console;
mod diagram;
mod output;
mod servant;
mod settings;
pub mod uci;
mod xboard;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use console::ConsoleCommand;
use output::Output;

/// What happens at the pipes, and behind them.
pub(crate) enum Event {
    /// A line has come, without its end.
    Line(String),
    /// No further line will come.
    EndOfInput,
    /// Nobody reads the output any more.
    OutputClosed,
    /// The thread that owns the engine has something to report.
    Report(xboard::Report),
}

/// Whether a conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    GoOn,
    Quit,
}

/// A protocol that the engine speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Face {
    Uci,
    Xboard,
}

impl Face {
    /// The protocol that a first line speaks: UCI, unless the line means something to xboard's alone.
    fn of(line: &str) -> Face {
        use smalt_protocol::{uci, xboard};
        let is_uci = !matches!(uci::ClientMessage::parse(line), uci::ClientMessage::Other(_));
        let is_xboard = !matches!(xboard::ClientMessage::parse(line), xboard::ClientMessage::Other(_));
        if is_xboard && !is_uci && ConsoleCommand::parse(line).is_none() { Face::Xboard } else { Face::Uci }
    }
}

/// Serves on standard input and output until told to quit.
pub fn run() -> ExitCode {
    serve(std::io::BufReader::new(std::io::stdin()), std::io::stdout());
    ExitCode::SUCCESS
}

/// Serves on any pipes until told to quit, the input ends, or nobody reads the output. The first line that is not blank
/// decides which protocol is spoken. Reading goes on in a thread of its own, which outlives this call while it waits
/// for a line.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) {
    let (sender, events) = mpsc::channel();
    let output = Output::new(output, sender.clone());
    let lines = sender.clone();
    std::thread::spawn(move || read_lines(input, &lines));
    while let Ok(Event::Line(line)) = events.recv() {
        if line.trim().is_empty() {
            continue;
        }
        return match Face::of(&line) {
            Face::Uci => uci::Session::new(output).run(line, &events),
            Face::Xboard => xboard::Session::new(output, sender).run(line, &events),
        };
    }
}

/// Lets `heed` have the first line and all events after it, until it says quit or a pipe ends. Whether somebody still
/// reads the output then.
fn converse(first: String, events: &mpsc::Receiver<Event>, mut heed: impl FnMut(Event) -> Flow) -> bool {
    let mut event = Event::Line(first);
    loop {
        match event {
            Event::EndOfInput => return true,
            Event::OutputClosed => return false,
            Event::Line(_) | Event::Report(_) => {
                if heed(event) == Flow::Quit {
                    return true;
                }
            }
        }
        match events.recv() {
            Ok(next) => event = next,
            Err(mpsc::RecvError) => return true,
        }
    }
}

/// Sends the input line by line. Bytes that are no UTF-8 become question marks: they may stand in a path or a name,
/// and must not end the conversation.
fn read_lines(mut input: impl BufRead, events: &mpsc::Sender<Event>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                if events.send(Event::Line(line)).is_err() {
                    return;
                }
            }
        }
    }
    // If nobody listens any more, the end is known already.
    let _ = events.send(Event::EndOfInput);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_protocol() {
        for line in ["uci", "isready", "go depth 3", "quit", "position startpos", "hello", "perft 3", "moves"]
        {
            assert_eq!(Face::of(line), Face::Uci, "{line}");
        }
        for line in
            ["xboard", "protover 2", "new", "e2e4", "Nf3", "usermove e2e4", "setboard 8/8", "level 40"]
        {
            assert_eq!(Face::of(line), Face::Xboard, "{line}");
        }
    }
}
