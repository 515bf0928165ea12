//! Exit status of a process, and its description.

use std::fmt;
#[cfg(unix)]
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    /// It exited with this code; 0 means success.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl Exit {
    #[cfg(unix)]
    pub(crate) fn from_status(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => unreachable!("a reaped child has exited or was ended by a signal"),
        }
    }

    /// Windows reports an exception as the exit code of the process.
    #[cfg(windows)]
    pub(crate) fn from_status(status: ExitStatus) -> Self {
        let code = status.code().unwrap_or(0);
        if code.cast_unsigned() >= FIRST_EXCEPTION { Self::Signal(code) } else { Self::Code(code) }
    }
}

/// Exit codes from here on are Windows exceptions (NTSTATUS, severity error).
const FIRST_EXCEPTION: u32 = 0xC000_0000;

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => match (signal_name(signal), signal.cast_unsigned()) {
                (Some(name), _) => write!(f, "was ended by {name}"),
                (None, exception @ FIRST_EXCEPTION..) => write!(f, "was ended by exception {exception:#X}"),
                (None, _) => write!(f, "was ended by signal {signal}"),
            },
        }
    }
}

/// Names of the signals (signal(7)) and Windows exceptions that commonly end engines, with their meaning.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        -0x3FFF_FFFB => "exception 0xC0000005 (bad memory access)",
        -0x3FFF_FFE3 => "exception 0xC000001D (an instruction that this processor lacks)",
        -0x3FFF_FF6C => "exception 0xC0000094 (division by zero)",
        -0x3FFF_FF03 => "exception 0xC00000FD (stack overflow)",
        -0x3FFF_FECB => "exception 0xC0000135 (a DLL is missing)",
        -0x3FFF_FEC6 => "a request to end (Ctrl-C, or killed)",
        -0x3FFF_FBF7 => "exception 0xC0000409 (aborted)",
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
    fn endings_have_messages() {
        assert_eq!(Exit::Code(3).to_string(), "exited with code 3");
        assert_eq!(Exit::Signal(11).to_string(), "was ended by SIGSEGV (bad memory access)");
        assert_eq!(Exit::Signal(64).to_string(), "was ended by signal 64");
        for (code, words) in [
            (0xC000_0005_u32, "0xC0000005 (bad"),
            (0xC000_001D, "0xC000001D (an"),
            (0xC000_0094, "0xC0000094 (div"),
        ] {
            assert!(Exit::Signal(code.cast_signed()).to_string().contains(words), "{code:X}");
        }
        for (code, words) in [
            (0xC000_00FD_u32, "0xC00000FD (st"),
            (0xC000_0135, "(a DLL"),
            (0xC000_013A, "request"),
            (0xC000_0409, "0xC0000409 (ab"),
        ] {
            assert!(Exit::Signal(code.cast_signed()).to_string().contains(words), "{code:X}");
        }
        assert_eq!(
            Exit::Signal(0xC000_0006_u32.cast_signed()).to_string(),
            "was ended by exception 0xC0000006"
        );
    }
}
