//! Distributed runs over NATS JetStream: a [`smalt_match::run::Queue`] whose workers run on other machines.
//!
//! Work is complete only when its games are stored: a redelivered game may be played twice, but is never counted
//! twice. Modules in reading order:
//!
//! - [`wire`]: the messages between coordinator and workers;
//! - [`run_config`]: the configuration of a run as sent to workers;
//! - [`machine`]: a worker's machine: host name, processor, engines;
//! - `verify`: verifies a game reported by a worker;
//! - `fleet_state`: workers, leases of pairs and disqualified workers, without a server or clock;
//! - `rate_limit`: limits the lines about workers and runs;
//! - `files`: files that travel with a run;
//! - `jetstream`: coordinator and workers over a NATS server;
//! - `nats_server`: a NATS server for a single run;
//! - `ssh`: workers started by the user's `ssh`.

mod files;
mod fleet_state;
mod jetstream;
pub mod machine;
mod nats_server;
mod rate_limit;
pub mod run_config;
mod ssh;
mod verify;
pub mod wire;

pub use files::{SentFile, collect as collect_files, is_sendable};
pub use fleet_state::FleetState;
pub use jetstream::{
    ConnectError, FleetRun, JetStream, RUNS, Subjects, WorkerExit, WorkerSetup, login, run_worker,
};
pub use nats_server::{NatsServer, NatsServerError};
pub use ssh::{COPY_BENCH, EngineCopy, HEARTBEAT_INTERVAL, SshError, SshSetup, SshWorkers};
pub use verify::GameVerifier;
