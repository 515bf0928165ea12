//! What to start: a program, its surroundings, and what becomes of its standard error. Plain data; starts nothing.

use std::ffi::OsString;
use std::path::PathBuf;

use super::system::Reaper;

/// What becomes of what an engine writes to standard error.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum StderrPolicy {
    /// Thrown away by the system; costs nothing.
    Discard,
    /// Read always, so that the engine never blocks on it; the last lines are kept for fault reports.
    #[default]
    KeepLast,
    /// Appended to this file, which is made if missing.
    File(PathBuf),
}

/// The variable that marks an engine, and what it starts, in their environment.
pub(super) const ENGINE_VARIABLE: &str = "SMALT_ENGINE";

/// The variable of our environment that holds the password of a server of workers. It is removed from the environment of
/// every child process.
pub const PASSWORD_VARIABLE: &str = "SMALT_NATS_PASSWORD";

/// How to start an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EngineCommand {
    /// A path, or a name to look up: `PATH`, then `directory`, then `/usr/games`. A path with a slash that is not
    /// absolute is tried from `directory` first, then from the current folder.
    pub program: PathBuf,
    /// Its arguments, passed as they are; no shell reads them.
    pub arguments: Vec<OsString>,
    /// The working folder [default: the current one].
    pub directory: Option<PathBuf>,
    /// Variables added to (or replacing those of) our own environment.
    pub environment: Vec<(OsString, OsString)>,
    /// What becomes of its standard error.
    pub stderr: StderrPolicy,
    /// Lines sent to it before the first of its protocol, each with its line feed.
    pub initial_lines: String,
    /// The processors that it may run on, as the system numbers them; those of the
    /// thread that starts it if empty.
    pub affinity: Vec<usize>,
    /// The process that ends what is left of it when this program is killed.
    pub reaper: Option<Reaper>,
}

impl EngineCommand {
    /// A program without arguments, in the current folder, that may run on every processor.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            directory: None,
            environment: Vec::new(),
            stderr: StderrPolicy::default(),
            initial_lines: String::new(),
            affinity: Vec::new(),
            reaper: None,
        }
    }

    /// The shell of the system with a line that it shall run: `sh -c`, or `cmd /S /C` on Windows.
    pub fn shell(line: &str) -> Self {
        if cfg!(windows) {
            Self::new("cmd").arguments(["/S".to_owned(), "/C".to_owned(), format!("\"{line}\"")])
        } else {
            Self::new("sh").arguments(["-c", line])
        }
    }

    /// With one more argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With these arguments after those it has.
    #[must_use]
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// In this working folder.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// With this variable in its environment.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// With this treatment of its standard error.
    #[must_use]
    pub fn stderr(mut self, policy: StderrPolicy) -> Self {
        self.stderr = policy;
        self
    }

    /// With these lines before the first of its protocol; line feeds separate them.
    #[must_use]
    pub fn initial_lines(mut self, lines: &str) -> Self {
        self.initial_lines = lines.lines().flat_map(|line| [line, "\n"]).collect();
        self
    }

    /// Watched by this reaper.
    #[must_use]
    pub fn reaped_by(mut self, reaper: &Reaper) -> Self {
        self.reaper = Some(reaper.clone());
        self
    }

    /// Bound to these processors.
    #[must_use]
    pub fn affinity(mut self, processors: impl IntoIterator<Item = usize>) -> Self {
        self.affinity = processors.into_iter().collect();
        self
    }
}
