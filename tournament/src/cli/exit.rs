//! The exit codes of the program, one table.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// All that was asked was done and stored.
    Done,
    /// It failed while running.
    Failed,
    /// Wrong usage, plan or input file.
    Usage,
    /// Finished, but games were left out.
    LeftOut,
    /// Interrupted, and resumable.
    Interrupted,
}

/// The table, for `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0    all that was asked was done and stored
  1    failed while running (what was stored stays, and can be resumed)
  2    wrong usage, plan or input file
  3    finished, but games were left out since an engine could not be started
  130  interrupted; go on with: smalt-tournament resume RUN.db";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::LeftOut => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// An error and the code that it means.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) exit: Exit,
    pub(super) error: anyhow::Error,
}

/// Gives errors their code.
pub(super) trait OrRefuse<T> {
    /// The user's input is wrong.
    fn or_usage(self) -> Result<T, Refusal>;

    /// Something failed on the way.
    fn or_failed(self) -> Result<T, Refusal>;
}

impl<T, E: Into<anyhow::Error>> OrRefuse<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Refusal> {
        self.map_err(|error| Refusal { exit: Exit::Usage, error: error.into() })
    }

    fn or_failed(self) -> Result<T, Refusal> {
        self.map_err(|error| Refusal { exit: Exit::Failed, error: error.into() })
    }
}
