//! The tests of the crate through its public interface, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

// Their engines are shell scripts, or Debian packages.
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod pondering;
#[cfg(unix)]
mod process;
#[cfg(unix)]
mod real_engines;
#[cfg(unix)]
mod real_xboard;
mod scripted;
mod scripted_xboard;
mod support;
#[cfg(windows)]
mod windows;
