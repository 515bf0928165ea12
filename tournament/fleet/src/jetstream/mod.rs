//! Distributed runs over NATS JetStream: pairs wait in a work queue on a server, workers fetch and play them
//! and send results to the coordinator, which stores them before it answers. The NATS client runs on its own
//! thread, fed by channels.
//!
//! The store is authoritative: pairs that the server loses are submitted again, and games that it delivers
//! twice are stored once. A worker acknowledges a pair when all its games are stored; until then it extends
//! the lease every third of it, and a silent worker loses the pair to another.

mod connection;
mod coordinator;
mod identity;
mod objects;
mod run_session;
mod run_worker;
mod stream;
mod worker;

use std::time::Duration;

pub use connection::{ConnectError, login};
pub use coordinator::{FleetRun, JetStream};
use identity::Identity;
use ring::digest::{SHA256, digest};
pub use run_worker::{WorkerExit, run as run_worker};
use smalt_workbench::engine_files::hexadecimal;
pub use worker::WorkerSetup;

/// Timeout of server requests: a server that forbids a request may simply be silent.
const SERVER_TIMEOUT: Duration = Duration::from_secs(5);

pub const RUNS: &str = "smalt.runs";

/// Subjects and names of one run on a server.
///
/// Permissions on a server (`*` in the place of a run is any run, and USER the name of the worker's user):
/// coordinators publish `smalt.runs`, `smalt.run.*.halt`, `smalt.run.*.work.*`, `$JS.API.>` and `_INBOX.>`, and subscribe
/// `smalt.runs` and `smalt.run.*.ask.>`; workers publish `smalt.run.*.ask.USER.*`, `$JS.API.CONSUMER.INFO.>`, `$JS.API.CONSUMER.MSG.NEXT.>`
/// and `$JS.ACK.>`, and subscribe `smalt.runs` and `smalt.run.*.halt`. Each subscribes `_INBOX.USER.>` of its user, so
/// that no worker can speak for another or read its answers. Files want `$O.>` of coordinators, and of workers
/// `$JS.API.STREAM.INFO.*`, `$JS.API.DIRECT.GET.*` and `$JS.API.DIRECT.GET.*.$O.>`. No worker may create a consumer: one
/// could deliver messages to the subjects of others.
#[derive(Clone, Debug)]
pub struct Subjects(String);

impl Subjects {
    /// The names of a run.
    pub fn of(run: &str) -> Subjects {
        Subjects(run.to_owned())
    }

    /// Stream of its pairs.
    pub fn stream(&self) -> String {
        format!("SMALT_{}", self.0)
    }

    /// Bucket of its files in the object store.
    fn bucket(&self) -> String {
        format!("SMALT_{}", self.0)
    }

    /// Consumer shared by its workers.
    pub fn consumer(&self) -> &'static str {
        "workers"
    }

    /// Request subject of a worker (`USER.PROCESS`).
    pub fn ask(&self, worker: impl std::fmt::Display) -> String {
        format!("smalt.run.{}.ask.{worker}", self.0)
    }

    /// Request subject of all workers.
    fn all_asks(&self) -> String {
        self.ask("*.*")
    }

    /// The worker of a request subject.
    fn worker_of(&self, subject: &str) -> Option<Identity> {
        Identity::parse(subject.strip_prefix(&self.ask(""))?)
    }

    /// Subject that ends the run.
    pub fn halt(&self) -> String {
        format!("smalt.run.{}.halt", self.0)
    }

    /// Subject of a pair.
    pub(crate) fn work(&self, pair: u32) -> String {
        format!("smalt.run.{}.work.{pair}", self.0)
    }

    fn all_work(&self) -> String {
        format!("smalt.run.{}.work.*", self.0)
    }

    /// The pair of a subject.
    pub(crate) fn pair_of(&self, subject: &str) -> Option<u32> {
        subject.strip_prefix(&format!("smalt.run.{}.work.", self.0))?.parse().ok()
    }
}

/// The name of the session that a secret ends: part of the secret's SHA-256. Announcements have the name, and only the
/// message that ends the run has the secret, so that only its coordinator ends it.
fn session_of(secret: &[u8]) -> String {
    hexadecimal(&digest(&SHA256, secret).as_ref()[..20])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_and_workers_are_read_from_their_subjects() {
        let names = Subjects::of("abc");
        assert_eq!(names.pair_of(&names.work(17)), Some(17));
        assert_eq!(Subjects::of("ab").pair_of(&names.work(17)), None);
        let worker = names.worker_of(&names.ask("me.1")).unwrap();
        assert_eq!(worker.to_string(), "me.1");
        assert_eq!(names.worker_of(&names.ask("me")), None);
    }
}
