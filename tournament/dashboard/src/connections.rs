//! Limit of open connections. At the limit those that are idle for longer than a grace time are closed, so that silent
//! clients do not keep others out, and bursts are answered.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::ClientLimits;

/// The connections of a server.
#[derive(Debug)]
pub(super) struct ConnectionLimit {
    slots: Arc<Semaphore>,
    /// Notified while a client waits for a slot.
    crowded: Notify,
    grace: Duration,
}

/// A connection.
#[derive(Debug)]
pub(super) struct Connection {
    limit: Arc<ConnectionLimit>,
    /// `None` while a request is answered.
    idle_since: Mutex<Option<Instant>>,
    _slot: OwnedSemaphorePermit,
}

/// A request being answered; finished on drop.
#[derive(Debug)]
pub(super) struct Answering(Arc<Connection>);

impl ConnectionLimit {
    pub(super) fn new(limits: ClientLimits) -> Arc<ConnectionLimit> {
        let slots = Arc::new(Semaphore::new(limits.connections));
        Arc::new(ConnectionLimit { slots, crowded: Notify::new(), grace: limits.grace })
    }

    /// Waits for a free slot.
    pub(super) async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        let mut slot = Arc::clone(&self.slots).try_acquire_owned().ok();
        while slot.is_none() {
            self.crowded.notify_waiters();
            let acquire = Arc::clone(&self.slots).acquire_owned();
            slot = timeout(self.grace, acquire).await.ok().and_then(Result::ok);
        }
        slot
    }
}

impl Connection {
    pub(super) fn new(limit: &Arc<ConnectionLimit>, slot: OwnedSemaphorePermit) -> Arc<Connection> {
        let idle_since = Mutex::new(Some(Instant::now()));
        Arc::new(Connection { limit: Arc::clone(limit), idle_since, _slot: slot })
    }

    /// Marks it as busy until the request is answered.
    pub(super) fn answer(self: &Arc<Self>) -> Answering {
        self.set_idle_since(None);
        Answering(Arc::clone(self))
    }

    /// Waits until it must close.
    pub(super) async fn closed(&self) {
        loop {
            self.limit.crowded.notified().await;
            let idle_since = *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner);
            if idle_since.is_some_and(|since| since.elapsed() >= self.limit.grace) {
                return;
            }
        }
    }

    fn set_idle_since(&self, since: Option<Instant>) {
        *self.idle_since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.set_idle_since(Some(Instant::now()));
    }
}
