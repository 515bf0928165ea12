//! Puts together the [`EngineCommand`] of an engine. Starts nothing.

use std::ffi::OsString;
use std::path::PathBuf;

use super::system::Reaper;
use super::{EngineCommand, StderrPolicy};

impl EngineCommand {
    /// A program without arguments in the current folder, not bound to processors.
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

    /// The system shell with this command line: `sh -c`, or `cmd /S /C` on Windows.
    pub fn shell(line: &str) -> Self {
        if cfg!(windows) {
            Self::new("cmd").arguments(["/S".to_owned(), "/C".to_owned(), format!("\"{line}\"")])
        } else {
            Self::new("sh").arguments(["-c", line])
        }
    }

    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    #[must_use]
    pub fn arguments<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets the working folder.
    #[must_use]
    pub fn directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// Adds a variable to its environment.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Sets where its standard error goes.
    #[must_use]
    pub fn stderr(mut self, policy: StderrPolicy) -> Self {
        self.stderr = policy;
        self
    }

    /// Adds lines to send before the first line of the protocol; line feeds separate them.
    #[must_use]
    pub fn initial_lines(mut self, lines: &str) -> Self {
        self.initial_lines = lines.lines().flat_map(|line| [line, "\n"]).collect();
        self
    }

    /// Sets the reaper that watches it.
    #[must_use]
    pub fn reaped_by(mut self, reaper: &Reaper) -> Self {
        self.reaper = Some(reaper.clone());
        self
    }

    /// Binds it to these processors.
    #[must_use]
    pub fn affinity(mut self, processors: impl IntoIterator<Item = usize>) -> Self {
        self.affinity = processors.into_iter().collect();
        self
    }
}
