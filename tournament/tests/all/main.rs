//! Tests of the public API, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod check;
mod commands;
mod cutechess;
mod damaged_stores;
mod datagen;
mod fastchess;
mod fastchess_details;
mod fastchess_resume;
mod faults;
mod figures;
#[cfg(all(feature = "nats", unix))]
mod fleet;
#[cfg(all(feature = "nats", unix))]
mod fleet_borders;
#[cfg(all(feature = "nats", unix))]
mod fleet_files;
#[cfg(all(feature = "nats", unix))]
mod fleet_ssh;
mod formats;
#[cfg(unix)]
mod frameworks;
#[cfg(feature = "nats")]
mod fuzz_corpus;
mod games;
// These tests use shell scripts as engines.
#[cfg(unix)]
mod git_engines;
mod kept_files;
mod old_runs;
mod outputs;
mod page;
mod page_schema;
mod planned_resume;
mod play;
// Its daemon is stopped by a signal.
#[cfg(unix)]
mod queue;
mod race;
mod ratings;
mod real_engines;
mod reports;
mod runs;
mod scripts;
mod shared_files;
#[cfg(unix)]
mod shell_faults;
mod support;
