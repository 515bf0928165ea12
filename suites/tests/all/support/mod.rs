//! Helpers for tests of the program: runs it and makes its files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use smalt_suites::{Record, ResultRecord, from_json};
use tempfile::TempDir;

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_smalt-suites");

/// Four start positions, in which the scripted engine plays e4.
pub(crate) const SUITE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id s.1; bm e4;
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id s.2; bm d4; c0 \"d4=10, e4=4\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id s.3; am e4;
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id s.4; bm e4; c0 \"e4=7\";
";

/// Results of [`shown`] for complete answers.
pub(crate) const ANSWERED: [&str; 4] = ["s.1 e4 1", "s.2 e4 4", "s.3 e4 0", "s.4 e4 7"];

/// A folder in which the program runs.
pub(crate) struct Bench {
    folder: TempDir,
}

/// Result of a run of the program.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench { folder: TempDir::new().unwrap() }
    }

    pub(crate) fn file(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Runs the program with these arguments.
    pub(crate) fn run<A: AsRef<std::ffi::OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Ran {
        self.run_as(Path::new(PROGRAM), arguments)
    }

    /// Runs a copy of the program with these arguments.
    pub(crate) fn run_as<A: AsRef<std::ffi::OsStr>>(
        &self,
        program: &Path,
        arguments: impl IntoIterator<Item = A>,
    ) -> Ran {
        let output = self.command_of(program).args(arguments).output();
        let Output { status, stdout, stderr } = output.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: status.code(), output: text(stdout), errors: text(stderr) }
    }

    /// Command lines of all processes running in this folder.
    pub(crate) fn processes(&self) -> Vec<String> {
        smalt_testing::process::processes_in(self.folder.path())
    }

    /// The program in this folder, isolated from the user's configuration.
    pub(crate) fn command(&self) -> Command {
        self.command_of(Path::new(PROGRAM))
    }

    fn command_of(&self, program: &Path) -> Command {
        let mut command = smalt_testing::process::command(program);
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("XDG_CONFIG_HOME", self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        command.env("COLUMNS", "100");
        command
    }

    /// Runs `score` on a suite with this text and returns the JSON results.
    pub(crate) fn score(&self, suite: &str, engine: &str, flags: &[&str]) -> (Ran, Vec<Record>) {
        self.file("suite.epd", suite);
        let ran = self.run(["score", "suite.epd", "--engine", engine, "--json", "-"].iter().chain(flags));
        let records = if ran.output.is_empty() { Vec::new() } else { from_json(&ran.output, "-").unwrap() };
        (ran, records)
    }
}

/// Entrant words of the scripted engine with these arguments.
pub(crate) fn scripted(arguments: &str) -> String {
    format!("cmd={} name=scripted 'args={arguments}'", scripted_program().display())
}

/// Path of the scripted engine.
pub(crate) fn scripted_program() -> PathBuf {
    smalt_testing::process::example("scripted_solver")
}

/// `id move points` of each result, or the fault instead of the move.
pub(crate) fn shown(results: &[ResultRecord]) -> Vec<String> {
    let line = |result: &ResultRecord| {
        let answer = result.san.as_deref().or(result.fault.as_deref()).unwrap_or("-");
        format!("{} {answer} {}", result.id, result.points)
    };
    results.iter().map(line).collect()
}
