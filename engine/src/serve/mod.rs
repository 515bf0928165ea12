//! The protocol loops: detects UCI or xboard (CECP) by the first line and runs until `quit` or the end of a pipe.
//!
//! Three threads: one reads lines, one dispatches them (so that `stop` takes effect at once), and the engine thread searches.
//! [`uci`] and [`xboard`] share the options, the console commands and the engine thread.

mod console;
mod diagram;
mod engine_thread;
mod output;
mod settings;
pub mod uci;
mod xboard;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use console::ConsoleCommand;
use output::Output;

/// Events of a session.
pub(crate) enum Event {
    /// An input line, without its end.
    Line(String),
    /// End of the input.
    EndOfInput,
    /// The output pipe is closed.
    OutputClosed,
    /// A report of the engine thread.
    Report(xboard::Report),
}

/// Whether the session goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Continue,
    Quit,
}

/// Engine protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Protocol {
    Uci,
    Xboard,
}

impl Protocol {
    /// Detects the protocol of a first line: UCI, unless only xboard knows the command.
    fn of(line: &str) -> Protocol {
        use smalt_protocol::{uci, xboard};
        let is_uci = !matches!(uci::ClientMessage::parse(line), uci::ClientMessage::Other(_));
        let is_xboard = !matches!(xboard::ClientMessage::parse(line), xboard::ClientMessage::Other(_));
        if is_xboard && !is_uci && ConsoleCommand::parse(line).is_none() {
            Protocol::Xboard
        } else {
            Protocol::Uci
        }
    }
}

/// Serves on standard input and output until `quit`.
pub fn run() -> ExitCode {
    serve(std::io::BufReader::new(std::io::stdin()), std::io::stdout());
    ExitCode::SUCCESS
}

/// Serves on any pipes until `quit`, the end of the input, or a closed output. The first line that is not blank decides the
/// protocol. The reading thread may outlive this call while it waits for a line.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) {
    let (sender, events) = mpsc::channel();
    let output = Output::new(output, sender.clone());
    let lines = sender.clone();
    std::thread::spawn(move || read_lines(input, &lines));
    while let Ok(Event::Line(line)) = events.recv() {
        if line.trim().is_empty() {
            continue;
        }
        return match Protocol::of(&line) {
            Protocol::Uci => uci::Session::new(output).run(line, &events),
            Protocol::Xboard => xboard::Session::new(output, sender).run(line, &events),
        };
    }
}

/// Passes the first line and all later events to `on_event` until it returns quit or a pipe ends. Returns whether the output is
/// still open.
fn run_loop(first: String, events: &mpsc::Receiver<Event>, mut on_event: impl FnMut(Event) -> Flow) -> bool {
    let mut event = Event::Line(first);
    loop {
        match event {
            Event::EndOfInput => return true,
            Event::OutputClosed => return false,
            Event::Line(_) | Event::Report(_) => {
                if on_event(event) == Flow::Quit {
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

/// Sends the input line by line. Invalid UTF-8, as in a path or a name, is replaced and does not end the session.
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
    // The receiver may be gone already.
    let _ = events.send(Event::EndOfInput);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_the_protocol() {
        for line in ["uci", "isready", "go depth 3", "quit", "position startpos", "hello", "perft 3", "moves"]
        {
            assert_eq!(Protocol::of(line), Protocol::Uci, "{line}");
        }
        for line in
            ["xboard", "protover 2", "new", "e2e4", "Nf3", "usermove e2e4", "setboard 8/8", "level 40"]
        {
            assert_eq!(Protocol::of(line), Protocol::Xboard, "{line}");
        }
    }
}
