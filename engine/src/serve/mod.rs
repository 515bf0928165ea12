//! The protocol loops: detects UCI or xboard (CECP) by the first line and runs until `quit` or the end of a pipe.
//!
//! Three threads: one reads lines, one dispatches them (so that `stop` takes effect at once), and the engine thread searches.
//! [`uci`] and [`xboard`] share the options, the console commands and the engine thread.

mod console;
mod diagram;
mod engine_thread;
mod output;
mod settings;
mod terminal;
mod uci;
mod xboard;

use std::io::{BufRead, IsTerminal, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use console::ConsoleCommand;
use diagram::BoardStyle;
use output::Output;

/// Events of a session.
pub(crate) enum ServeEvent {
    /// An input line, without its end.
    Line(String),
    /// End of the input.
    EndOfInput,
    /// The output pipe is closed.
    OutputClosed,
    /// A report of the engine thread.
    Report(xboard::Report),
}

/// Whether the session continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Flow {
    Continue,
    Quit,
}

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

/// Serves standard input and output until `quit`. At a terminal it prompts and plays.
pub fn run() -> ExitCode {
    let (input, output) = (std::io::stdin(), std::io::stdout());
    let is_terminal = input.is_terminal() && output.is_terminal();
    let style = is_terminal.then(terminal::board_style);
    serve_in_style(std::io::BufReader::new(input), output, style);
    ExitCode::SUCCESS
}

/// The engine `builtin` of another program: the faster build beside it, or [`run`].
pub fn run_builtin() -> ExitCode {
    smalt_about::run_faster_engine();
    run()
}

/// Serves any pipes until `quit`, the end of input, or a closed output. The first nonblank line decides the protocol.
/// The reading thread may outlive this call while it waits for a line.
pub fn serve(input: impl BufRead + Send + 'static, output: impl Write + Send + 'static) {
    serve_in_style(input, output, None);
}

/// As [`serve`]; a board style means that a person is at the terminal.
fn serve_in_style(
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
    style: Option<BoardStyle>,
) {
    let (sender, events) = mpsc::channel();
    let output = Output::new(output, sender.clone());
    let lines = sender.clone();
    std::thread::spawn(move || read_lines(input, &lines));
    if style.is_some() {
        output.send(terminal::BANNER);
        output.prompt(terminal::PROMPT);
    }
    while let Ok(ServeEvent::Line(line)) = events.recv() {
        if line.trim().is_empty() {
            continue;
        }
        // An interface may run the engine on a terminal too.
        let is_interface = matches!(line.split_whitespace().next(), Some("uci" | "xboard" | "protover"));
        let style = style.filter(|_| !is_interface);
        return match Protocol::of(&line) {
            Protocol::Xboard if style.is_none() => {
                xboard::XboardSession::new(output, sender).run(line, &events)
            }
            _ => uci::UciSession::new(output, style).run(line, &events),
        };
    }
}

/// Passes the first line and all later events to `on_event` until it returns quit or a pipe ends. Returns whether the
/// output is still open.
fn run_loop(
    first: String,
    events: &mpsc::Receiver<ServeEvent>,
    mut on_event: impl FnMut(ServeEvent) -> Flow,
) -> bool {
    let mut event = ServeEvent::Line(first);
    loop {
        match event {
            ServeEvent::EndOfInput => return true,
            ServeEvent::OutputClosed => return false,
            ServeEvent::Line(_) | ServeEvent::Report(_) => {
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

/// Sends the input line by line. Invalid UTF-8, as in a path or name, is replaced and does not end the session.
fn read_lines(mut input: impl BufRead, events: &mpsc::Sender<ServeEvent>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => break,
            Ok(_) => {
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                if events.send(ServeEvent::Line(line)).is_err() {
                    return;
                }
            }
        }
    }
    // The receiver may be closed.
    let _ = events.send(ServeEvent::EndOfInput);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output for these typed lines.
    fn typed(lines: &str, style: BoardStyle) -> String {
        #[derive(Clone, Default)]
        struct SharedBuffer(std::sync::Arc<std::sync::Mutex<Vec<u8>>>);
        impl Write for SharedBuffer {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                self.0.lock().unwrap().write(bytes)
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let page = SharedBuffer::default();
        serve_in_style(std::io::Cursor::new(lines.to_owned()), page.clone(), Some(style));
        let bytes = page.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn a_person_at_a_terminal_gets_a_banner_and_a_prompt_and_can_play() {
        let page =
            typed("time 0.01\nmoves e4 e7e5 Nf3\nundo\nmoves Qh5 Nc6 Bc4 Nf6\nQxf7\n", BoardStyle::Ascii);
        assert!(page.starts_with(terminal::BANNER), "{page}");
        assert!(page.matches(terminal::PROMPT).count() >= 6, "{page}");
        assert!(page.contains("Black to move") && page.contains("1-0 (checkmate)"), "{page}");
        let page = typed("time 0.01\nd4\nundo\nhint\ne9\nKe5\nlevel 1200\nhelp\n", BoardStyle::Unicode);
        for words in
            ["Smalt plays ", "hint: ", "Ke5: ", "level 1200 Elo", "unknown command: e9", "position startpos"]
        {
            assert!(page.contains(words), "{words}: {page}");
        }
        let page = typed(
            "level 800\nhint\nlevel\nboard\ntime 0.5\ntime\nmoves e4 e5 Nf3 Nf6 Bc4 Bc5\n0-0\n",
            BoardStyle::Unicode,
        );
        // At this level a search ends long before depth 5.
        let hint =
            page.lines().find_map(|line| line.split_once("depth ").filter(|_| line.contains("hint: ")));
        let depth: i32 = hint.and_then(|(_, depth)| depth.strip_suffix(')')?.parse().ok()).expect(&page);
        assert!(depth >= 5, "{page}");
        assert_eq!(page.matches("level 800 Elo").count(), 2, "{page}");
        assert_eq!(page.matches("0.5 s for each move").count(), 2, "{page}");
        assert!(page.contains("board unicode") && !page.contains("0-0:"), "{page}");
        assert!(page.contains('♙') && !page.contains('\x1b'), "{page}");
        assert!(typed("d\n", BoardStyle::Color).contains("\x1b[48;5;"));
    }

    #[test]
    fn an_interface_behind_a_terminal_gets_no_prompt_after_its_first_word() {
        let page = typed("uci\nisready\n", BoardStyle::Color);
        assert_eq!(page.matches(terminal::PROMPT).count(), 1, "{page}");
        assert!(page.contains("uciok\nreadyok\n"), "{page}");
    }

    /// Nobody reads the output for longer than an exit waits for jobs that may be dropped.
    #[test]
    fn quit_waits_for_the_commands_before_it() {
        struct GatedOutput {
            gate: mpsc::Receiver<()>,
            written: mpsc::Sender<Vec<u8>>,
        }
        impl Write for GatedOutput {
            fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
                // Waits until the sender is dropped.
                let _ = self.gate.recv();
                self.written.send(bytes.to_vec()).unwrap();
                Ok(bytes.len())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let (closed_gate, gate) = mpsc::channel();
        let (written, output) = mpsc::channel();
        let (ended, end) = mpsc::channel();
        std::thread::spawn(move || {
            serve(std::io::Cursor::new("eval\neval\nquit\n"), GatedOutput { gate, written });
            ended.send(()).unwrap();
        });
        assert!(end.recv_timeout(2 * engine_thread::SHUTDOWN_TIMEOUT).is_err(), "quit drops eval");
        drop(closed_gate);
        end.recv().unwrap();
        let text = String::from_utf8(output.try_iter().flatten().collect()).unwrap();
        assert_eq!(text.matches("evaluation, centipawns for White").count(), 2, "{text}");
    }

    #[test]
    fn the_first_line_decides_the_protocol() {
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
