//! Helpers of the end-to-end tests: a temporary folder, the program, and scripted engines.

#[cfg(all(feature = "nats", unix))]
pub(crate) mod fleet;
pub(crate) mod made;
pub(crate) mod served;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use smalt_testing::process;
pub(crate) use smalt_testing::process::{LONG, finish, signal, texts, wait_until};
use tempfile::TempDir;

/// A temporary folder for one test.
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

    /// Writes an executable script.
    pub(crate) fn script(&self, name: &str, text: &str) {
        process::write_script(self.path(name), text);
    }

    /// The program in this folder, with these arguments, isolated from the user's configuration.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = process::command(env!("CARGO_BIN_EXE_smalt-tournament"));
        command.args(arguments).current_dir(self.folder.path());
        command.env("XDG_CONFIG_HOME", self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        command.env("NO_COLOR", "1").env_remove("COLUMNS");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        process::wait_for_output(self.start(arguments))
    }

    /// Runs it, checks the exit code, and returns standard output and standard error.
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

    /// Waits until this number of games is stored.
    pub(crate) fn await_games(&self, store: &str, games: u64) {
        wait_until(&format!("{games} games in {store}"), || {
            let output = self.run(&["standings", store, "--json", "-"]);
            let results: Option<serde_json::Value> = serde_json::from_slice(&output.stdout).ok();
            results.is_some_and(|results| results["games_finished"].as_u64().unwrap() >= games)
        });
    }

    /// Command lines of all processes running in this folder.
    pub(crate) fn processes(&self) -> Vec<String> {
        process::processes_in(self.folder.path())
    }

    /// Waits until no process runs in this folder.
    pub(crate) fn await_nobody(&self) {
        wait_until("the end of all processes", || self.processes().is_empty());
    }
}

/// An entrant that plays legal moves at once, with further arguments of the scripted engine.
pub(crate) fn scripted(name: &str, arguments: &str) -> String {
    format!("\"cmd={}\" name={name} \"args=--name {name} {arguments}\"", scripted_program())
}

/// The entrant, restarted for every game, so that an illegal move in one game does not affect the next.
pub(crate) fn restarted(entrant: &str) -> String {
    format!("{entrant} restart=on")
}

/// The path of the scripted engine.
pub(crate) fn scripted_program() -> String {
    let folder = Path::new(env!("CARGO_BIN_EXE_smalt-tournament")).with_file_name("examples");
    folder.join(format!("scripted_engine{}", std::env::consts::EXE_SUFFIX)).display().to_string()
}

/// A match of two, with further words.
pub(crate) fn duel<'a>(first: &'a str, second: &'a str, words: &'a str) -> Vec<&'a str> {
    ["match", "--engine", first, "--engine", second].into_iter().chain(words.split(' ')).collect()
}

/// A PGN without time-dependent data.
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
        // Lines are wrapped differently when a time is longer, so all white space is equal.
        if word != "\n" && !is_time(word) {
            text.push_str(word);
            text.push(' ');
        }
    }
    text
}
