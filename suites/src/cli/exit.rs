//! The exit codes of the program, one table.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All that was asked was done.
    Done,
    /// Finished, but something was left out.
    LeftOut,
    /// Wrong usage or input file.
    Usage,
    /// It failed while running.
    Failed,
    /// The user ended it.
    Interrupted,
}

/// The table, for `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0    all that was asked was done (whatever the engines missed)
  1    failed while running
  2    wrong usage or input file
  3    finished, but something was left out: lines that could not be read, positions without an answer since an
       engine could not be started any more
  130  interrupted; what was done until then was written";

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
