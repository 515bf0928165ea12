//! A fleet over NATS JetStream: pairs wait in a work queue on a server, workers fetch them, play them and send results to
//! the coordinator, which stores them and only then answers. The library runs on a thread of its own, fed by channels.
//!
//! The store is the truth, and the queue a wish: whatever the server forgets is put in again, whatever it delivers twice
//! is stored once. A worker acknowledges a pair when all its games are answered to be stored; until then it tells the
//! server every third of the lease that it works, and one that stops telling loses the pair to another.
//!
//! Subjects, for rules of permission on a server (`*` is the run): coordinators publish `smalt.runs`, `smalt.run.*.halt`
//! and `smalt.run.*.work.*`, hear `smalt.run.*.ask`, and manage the stream `SMALT_*`; workers hear `smalt.runs` and
//! `smalt.run.*.halt`, and publish `smalt.run.*.ask`, `$JS.API.CONSUMER.INFO.>`, `$JS.API.CONSUMER.MSG.NEXT.>` and
//! `$JS.ACK.>`. Both hear `_INBOX.>`.

mod connection;
mod coordinator;
mod playing;
mod queue;
mod worker;

use std::time::Duration;

pub use connection::ConnectError;
pub use coordinator::{Broadcast, JetStream};
pub use worker::{Departure, WorkerSetup, run as run_worker};

/// The longest that anything is waited for which the server should do at once: one that forbids it may simply be silent.
const PATIENCE: Duration = Duration::from_secs(5);

/// Where coordinators announce their runs.
pub const RUNS: &str = "smalt.runs";

/// The names of what belongs to one run on a server.
#[derive(Clone, Debug)]
pub struct Names(String);

impl Names {
    /// Of the run of this name.
    pub fn of(run: &str) -> Names {
        Names(run.to_owned())
    }

    /// The stream in which its pairs wait.
    pub fn stream(&self) -> String {
        format!("SMALT_{}", self.0)
    }

    /// The consumer by which all its workers fetch.
    pub fn consumer(&self) -> &'static str {
        "workers"
    }

    /// Where workers ask.
    pub fn ask(&self) -> String {
        format!("smalt.run.{}.ask", self.0)
    }

    /// Where workers are told that it is over.
    pub fn halt(&self) -> String {
        format!("smalt.run.{}.halt", self.0)
    }

    /// Where a pair is put.
    pub fn work(&self, pair: u32) -> String {
        format!("smalt.run.{}.work.{pair}", self.0)
    }

    /// All pairs.
    pub fn all_work(&self) -> String {
        format!("smalt.run.{}.work.*", self.0)
    }

    /// The pair of a subject.
    pub fn pair_of(&self, subject: &str) -> Option<u32> {
        subject.strip_prefix(&format!("smalt.run.{}.work.", self.0))?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_read_from_their_subjects() {
        let names = Names::of("abc");
        assert_eq!(names.pair_of(&names.work(17)), Some(17));
        assert_eq!(Names::of("ab").pair_of(&names.work(17)), None);
    }
}
