//! Programs under test: starts them with default signal actions, waits for them with a time limit, and reads their
//! messages while they run.

use std::env::consts::EXE_SUFFIX;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::mpsc::{Receiver, channel};
#[cfg(unix)]
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

#[cfg(unix)]
use signal_hook::consts::{SIGHUP, SIGINT};

#[cfg(windows)]
pub use crate::processes::is_running;
pub use crate::processes::processes_in;

/// Maximum wait for an event in a test; only a failure takes this long.
pub const LONG: Duration = Duration::from_secs(60);

/// Polls until the condition is true, for events that cannot be awaited: a file, another process.
#[track_caller]
pub fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Resets signals to their default action for the programs started from here. A test run in the background inherits
/// ignored signals, and a program keeps ignoring them; handlers are reset by exec.
#[cfg(unix)]
pub fn reset_signals() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for signal in [SIGINT, SIGHUP] {
            let always = Arc::new(std::sync::atomic::AtomicBool::new(true));
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, always).unwrap();
        }
    });
}

/// Windows has no such signals.
#[cfg(windows)]
pub fn reset_signals() {}

/// Command for the program under test.
#[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    reset_signals();
    Command::new(program)
}

/// Writes an executable script, where the system supports them.
pub fn write_script(path: impl AsRef<Path>, text: &str) {
    write_program(path, text.as_bytes());
}

/// Copies a program.
pub fn copy_program(from: impl AsRef<Path>, to: impl AsRef<Path>) {
    write_program(to, &std::fs::read(from).unwrap());
}

/// Writes a program. Another process has it open, since the children of other tests inherit what is open here for an instant,
/// and a program that is open for writing cannot be started.
#[cfg(unix)]
pub fn write_program(path: impl AsRef<Path>, bytes: &[u8]) {
    use std::io::Write as _;
    let mut copying = command("sh");
    copying
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path.as_ref())
        .stdin(std::process::Stdio::piped());
    let mut copying = copying.spawn().unwrap();
    copying.stdin.take().unwrap().write_all(bytes).unwrap();
    assert!(copying.wait().unwrap().success());
}

/// Writes a program.
#[cfg(windows)]
pub fn write_program(path: impl AsRef<Path>, bytes: &[u8]) {
    std::fs::write(path, bytes).unwrap();
}

/// Sends a signal, named as for `kill`: `-INT`.
#[cfg(unix)]
pub fn signal(process: u32, name: &str) {
    assert!(command("kill").args([name, &process.to_string()]).status().unwrap().success());
}

/// Kills a process; Windows has no other signal for a program without a console.
#[cfg(windows)]
pub fn signal(process: u32, name: &str) {
    assert_eq!(name, "-KILL", "the test cannot hold on Windows");
    let process = process.to_string();
    assert!(command("taskkill").args(["/F", "/PID", &process]).status().unwrap().success());
}

/// Waits until the program exits; returns its output.
pub fn wait_for_output(child: Child) -> Output {
    let id = child.id();
    let (sender, receiver) = channel();
    std::thread::spawn(move || drop(sender.send(child.wait_with_output().unwrap())));
    receiver.recv_timeout(5 * LONG).unwrap_or_else(|_| {
        signal(id, "-KILL");
        panic!("it does not end: {:?}", receiver.recv_timeout(LONG).map(|output| texts(&output)))
    })
}

/// Waits until the program exits with this code; returns its output.
#[track_caller]
pub fn finish(child: Child, code: i32) -> Output {
    let output = wait_for_output(child);
    assert_eq!(output.status.code(), Some(code), "{:?}", texts(&output));
    output
}

/// Standard output and standard error.
pub fn texts(output: &Output) -> (String, String) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// A running program whose messages are read while it runs.
pub struct WatchedProgram {
    child: Child,
    lines: Receiver<String>,
    messages: String,
}

impl WatchedProgram {
    /// The program's standard error must be piped.
    pub fn new(mut child: Child) -> WatchedProgram {
        let stderr = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stderr.split(b'\n').map_while(Result::ok) {
                if sender.send(format!("{}\n", String::from_utf8_lossy(&line))).is_err() {
                    break;
                }
            }
        });
        WatchedProgram { child, lines, messages: String::new() }
    }

    /// Waits for a message that contains this text.
    #[track_caller]
    pub fn wait_for(&mut self, words: &str) {
        loop {
            let Ok(line) = self.lines.recv_timeout(LONG) else {
                panic!("no message contains {words:?}:\n{}", self.messages);
            };
            self.messages += &line;
            if line.contains(words) {
                return;
            }
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the program runs.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Waits until the program exits with this code; returns all its messages.
    #[track_caller]
    pub fn finish(mut self, code: i32) -> String {
        let output = finish(self.child, code);
        self.messages.extend(self.lines.iter());
        self.messages + &texts(&output).1
    }
}

/// The path of an example program of the crate under test, built by `cargo test`.
pub fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().with_file_name("examples").join(format!("{name}{EXE_SUFFIX}"));
    assert!(program.exists(), "{name} is not built: build the examples of the crate");
    program
}

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use super::*;

    #[test]
    fn messages_are_awaited_while_the_program_runs_and_are_all_kept() {
        let mut shell = command("sh");
        shell.args(["-c", "echo one >&2; echo two words >&2; read line; echo three >&2; exit 3"]);
        let mut child = shell.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take();
        let mut watched = WatchedProgram::new(child);
        watched.wait_for("two");
        assert!(watched.is_running());
        drop(input);
        assert_eq!(watched.finish(3), "one\ntwo words\nthree\n");
    }
}
