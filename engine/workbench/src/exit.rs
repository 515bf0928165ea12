//! Exit codes shared by all workbench programs, and errors that carry one. Each program's `--help` lists its own.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// How a program ends, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: success.
    Done,
    /// 10: the SPRT accepted H0 (only where the exit code reports the test).
    H0Accepted,
    /// 11: the SPRT is undecided (only where the exit code reports the test).
    Undecided,
    /// 3: finished, but an engine or input was skipped.
    Skipped,
    /// 2: wrong usage, plan or input file.
    Usage,
    /// 1: it failed while running.
    Failed,
    /// 130: stopped by Ctrl-C.
    Interrupted,
    /// 143: stopped by SIGTERM.
    Terminated,
}

impl Exit {
    /// The exit status of the process.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Skipped => 3,
            Exit::H0Accepted => 10,
            Exit::Undecided => 11,
            Exit::Interrupted => 130,
            Exit::Terminated => 143,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

/// An error with its exit code. For `main` functions, not libraries: hence anyhow.
#[derive(Debug)]
pub struct Refusal {
    pub exit: Exit,
    pub error: anyhow::Error,
}

impl fmt::Display for Refusal {
    /// The error and its causes, without repetitions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for cause in self.error.chain() {
            let cause = cause.downcast_ref::<io::Error>().map_or_else(|| cause.to_string(), reason);
            if text.is_empty() {
                text = cause;
            } else if !text.contains(&cause) {
                text.push_str(": ");
                text.push_str(&cause);
            }
        }
        f.write_str(&text)
    }
}

/// The text of an error of the system, the same for a full disk or file on all systems. Errors of writing have it in their own text.
pub fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::FileTooLarge => "the limit of the size of files is reached (ulimit -f)".to_owned(),
        _ => error.to_string(),
    }
}

/// Attaches an exit code to an error.
pub trait OrRefuse<T> {
    /// Marks an error in the user's input ([`Exit::Usage`]).
    ///
    /// # Errors
    /// The same error with the code.
    fn or_usage(self) -> Result<T, Refusal>;

    /// Marks a failure at run time ([`Exit::Failed`]).
    ///
    /// # Errors
    /// The same error with the code.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_has_the_same_words_everywhere() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let wrapped = io::Error::new(io::ErrorKind::StorageFull, "28 at path x.part");
        for error in
            [anyhow::Error::new(full()).context("write x"), anyhow::anyhow!(wrapped).context("write x")]
        {
            let refusal = Err::<(), _>(error).or_failed().unwrap_err();
            assert_eq!(refusal.to_string(), "write x: the disk is full");
        }
        let named = crate::output_file::OutputError::Io { path: "x".into(), source: full() };
        assert_eq!(Err::<(), _>(named).or_failed().unwrap_err().to_string(), "write x: the disk is full");
    }

    #[test]
    fn reasons_are_shown_once() {
        let error =
            anyhow::anyhow!("no such key").context("line 3: no such key").context("failed to read x.toml");
        let refused: Result<(), Refusal> = Err(error).or_usage();
        let refusal = refused.unwrap_err();
        assert_eq!(refusal.to_string(), "failed to read x.toml: line 3: no such key");
        assert_eq!(refusal.exit, Exit::Usage);
    }
}
