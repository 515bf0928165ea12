//! How a process ended, and how to say it.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    /// It left by itself with this code; 0 means success.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Exit {
    pub(crate) fn from_status(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => unreachable!("a reaped child has exited or was ended by a signal"),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => match signal_name(signal) {
                Some(name) => write!(f, "was ended by {name}"),
                None => write!(f, "was ended by signal {signal}"),
            },
        }
    }
}

/// The names of the signals that engines die of, with what they mean (signal(7)).
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL (an instruction that this processor lacks)",
        5 => "SIGTRAP",
        6 => "SIGABRT (a failed assertion)",
        7 => "SIGBUS",
        8 => "SIGFPE (division by zero)",
        9 => "SIGKILL (out of memory, or killed)",
        11 => "SIGSEGV (bad memory access)",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        31 => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_said_in_words() {
        assert_eq!(Exit::Code(3).to_string(), "exited with code 3");
        assert_eq!(Exit::Signal(11).to_string(), "was ended by SIGSEGV (bad memory access)");
        assert_eq!(Exit::Signal(64).to_string(), "was ended by signal 64");
    }
}
