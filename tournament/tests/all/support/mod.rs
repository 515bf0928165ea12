//! What end-to-end tests share: a folder of their own, the program, and engines that follow a script.

#[cfg(feature = "nats")]
pub(crate) mod fleet;
pub(crate) mod made;
pub(crate) mod served;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The longest that a test waits for anything.
pub(crate) const LONG: Duration = Duration::from_secs(60);

/// A folder with the results of one run.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The program in this folder, with these arguments, and with no configuration of the user's.
    #[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        reset_signals();
        let mut command = Command::new(env!("CARGO_BIN_EXE_smalt-tournament"));
        command.args(arguments).current_dir(self.folder.path());
        command.env("XDG_CONFIG_HOME", self.folder.path()).env("NO_COLOR", "1").env_remove("COLUMNS");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        outcome(self.start(arguments))
    }

    /// Runs it, expects this exit code, and gives standard output and standard error.
    pub(crate) fn check(&self, arguments: &[&str], code: i32) -> (String, String) {
        let output = self.run(arguments);
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
        (out, err)
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// The results of a store.
    pub(crate) fn results(&self, store: &str) -> serde_json::Value {
        let (out, _) = self.check(&["standings", store, "--json", "-"], 0);
        serde_json::from_str(&out).unwrap()
    }

    /// Waits until so many games are stored.
    pub(crate) fn await_games(&self, store: &str, games: u64) {
        let deadline = Instant::now() + LONG;
        loop {
            let output = self.run(&["standings", store, "--json", "-"]);
            let results: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
            if results.is_some_and(|results| results["games_finished"].as_u64().unwrap() >= games) {
                return;
            }
            assert!(Instant::now() < deadline, "no {games} games: {:?}", texts(&output));
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Processes whose command line or working folder names this folder, other than the test itself.
    pub(crate) fn processes(&self) -> Vec<String> {
        let needle = self.folder.path().to_str().unwrap().to_owned();
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        entries
            .filter_map(|entry| {
                let folder = std::fs::read_link(entry.path().join("cwd")).ok()?;
                let line = std::fs::read(entry.path().join("cmdline")).ok()?;
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                (folder.to_str()?.starts_with(&needle) && !line.is_empty()).then_some(line)
            })
            .collect()
    }

    /// Waits until no process of this folder is left.
    pub(crate) fn await_nobody(&self) {
        let deadline = Instant::now() + LONG;
        while !self.processes().is_empty() {
            assert!(Instant::now() < deadline, "left: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// What a program has said when it ends, which it must.
fn outcome(child: Child) -> Output {
    let id = child.id();
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || drop(sender.send(child.wait_with_output().unwrap())));
    receiver.recv_timeout(5 * LONG).unwrap_or_else(|_| {
        signal(id, "-KILL");
        panic!("it does not end: {:?}", receiver.recv_timeout(LONG).map(|output| texts(&output)))
    })
}

/// The same of one that ends with this exit code.
pub(crate) fn finish(child: Child, code: i32) -> Output {
    let output = outcome(child);
    assert_eq!(output.status.code(), Some(code), "{:?}", texts(&output));
    output
}

/// Lets programs that are started from here begin with the default actions of signals. A test run in the background inherits
/// them as ignored, and programs keep ignored what was ignored; a handler is reset when a program is executed.
fn reset_signals() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
            let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, always).unwrap();
        }
    });
}

/// Sends a signal to a process as a terminal does.
#[expect(clippy::disallowed_methods, reason = "the system's kill sends what a terminal would")]
pub(crate) fn signal(process: u32, name: &str) {
    assert!(Command::new("kill").args([name, &process.to_string()]).status().unwrap().success());
}

pub(crate) fn texts(output: &Output) -> (String, String) {
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// An entrant that plays legal moves at once, with these arguments of the scripted engine besides.
pub(crate) fn scripted(name: &str, arguments: &str) -> String {
    format!("\"cmd={}\" name={name} \"args=--name {name} {arguments}\"", scripted_program())
}

/// The entrant, started anew for every game: an illegal move of an earlier game is then no reason to wait for another one.
pub(crate) fn restarted(entrant: &str) -> String {
    format!("{entrant} restart=on")
}

/// The path of the scripted engine.
pub(crate) fn scripted_program() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_smalt-tournament")).with_file_name("examples");
    folder.join("scripted_engine").display().to_string()
}

/// A match of two, with these words besides.
pub(crate) fn duel<'a>(first: &'a str, second: &'a str, words: &'a str) -> Vec<&'a str> {
    ["match", "--engine", first, "--engine", second].into_iter().chain(words.split(' ')).collect()
}

/// A PGN without all that depends on time.
pub(crate) fn timeless(pgn: &str) -> String {
    let tags = ["[Date", "[GameDuration", "[GameStartTime", "[GameEndTime"];
    let lines = pgn.lines().filter(|line| !tags.iter().any(|tag| line.starts_with(tag)));
    let words = lines.flat_map(|line| line.split(' ').chain(["\n"]));
    let mut text = String::new();
    for word in words {
        let is_time = |word: &str| {
            let bare = word.trim_matches(|letter| matches!(letter, '{' | '}' | ','));
            bare.strip_suffix('s').is_some_and(|number| number.parse::<f64>().is_ok())
        };
        // Lines break elsewhere when a time is longer, so all white space counts the same.
        if word != "\n" && !is_time(word) {
            text.push_str(word);
            text.push(' ');
        }
    }
    text
}
