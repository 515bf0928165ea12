//! The engine as a program that others talk to over pipes: recognizes the protocol, reads lines, and ends quietly
//! when either pipe does.
//!
//! Three threads: one reads lines, one decides what they mean (so that `stop` is heard at once), one owns the engine
//! and obeys. UCI is spoken here; xboard's protocol has its place beside it.

mod output;
pub mod uci;

use std::io::{BufRead, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use output::Output;

/// What happens at the pipes.
pub(crate) enum Event {
    /// A line has come, without its end.
    Line(String),
    /// No further line will come.
    EndOfInput,
    /// Nobody reads the output any more.
    OutputClosed,
}

/// Serves on standard input and output until told to quit.
pub fn run() -> ExitCode {
    serve(std::io::BufReader::new(std::io::stdin()), std::io::stdout());
    ExitCode::SUCCESS
}

/// Serves on any pipes until told to quit, the input ends, or nobody reads the output. Reading goes on in a thread of
/// its own, which outlives this call while it waits for a line.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) {
    let (sender, events) = mpsc::channel();
    let output = Output::new(output, sender.clone());
    std::thread::spawn(move || read_lines(input, &sender));
    uci::Session::new(output).run(&events);
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
