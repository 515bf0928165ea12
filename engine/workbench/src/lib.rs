//! Code shared by the programs (`smalt-tournament`, `smalt-suites`, `smalt-tuner`). Modules in reading order:
//!
//! - [`calendar`]: dates as text;
//! - [`fnv`]: checksums against accidental changes;
//! - [`file_stamp`]: whether a file has changed;
//! - [`file_lock`]: locks of files between programs;
//! - [`sqlite_journal`]: journals that lost their database;
//! - [`concurrency`]: concurrency within the limits of the system;
//! - [`exit`]: exit codes, and errors that carry one;
//! - [`signals`]: Ctrl-C and other termination signals;
//! - [`input`]: input files and pipes;
//! - [`decompress`]: plain, gzip and zstd files as one stream of bytes;
//! - [`standard_output`]: results on standard output;
//! - [`output_file`]: output files, and when an existing one may be replaced;
//! - [`json`]: the version of JSON output, and JSON Schemas;
//! - [`flags`]: command-line flags that several programs have;
//! - [`program`]: runs programs to completion;
//! - [`checkout`]: the commit of a git checkout;
//! - [`entrant`]: an engine as users write it, on a command line or in a registry of engines;
//! - [`engine_files`]: the program of an engine and the scripts and networks that it loads;
//! - [`source`]: engines built from commits of a git repository.

pub mod calendar;
pub mod checkout;
pub mod concurrency;
pub mod decompress;
pub mod engine_files;
pub mod entrant;
pub mod exit;
pub mod file_lock;
pub mod file_stamp;
pub mod flags;
pub mod fnv;
pub mod input;
pub mod json;
pub mod output_file;
pub mod program;
pub mod signals;
pub mod source;
pub mod sqlite_journal;
pub mod standard_output;

use std::path::PathBuf;

/// The user's configuration folder: `XDG_CONFIG_HOME`, else `%APPDATA%` on Windows, `~/Library/Application Support` on
/// macOS, and `~/.config` elsewhere.
pub fn config_folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", "APPDATA", "Library/Application Support", ".config")
}

/// The configuration folder of Cute Chess: as [`config_folder`], and `~/.config` on macOS as well.
pub fn cutechess_config_folder() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", "APPDATA", ".config", ".config")
}

fn user_folder(xdg: &str, windows: &str, macos: &str, linux: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable(xdg).or_else(|| {
        if cfg!(windows) {
            return variable(windows);
        }
        Some(variable("HOME")?.join(if cfg!(target_os = "macos") { macos } else { linux }))
    })
}

/// The user's cache folder: `XDG_CACHE_HOME`, else `%LOCALAPPDATA%` on Windows, `~/Library/Caches` on macOS, and
/// `~/.cache` elsewhere.
pub fn cache_folder() -> Option<PathBuf> {
    user_folder("XDG_CACHE_HOME", "LOCALAPPDATA", "Library/Caches", ".cache")
}
