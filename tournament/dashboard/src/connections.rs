//! Limit of open connections. At the limit the longest idle connection is closed, those without a token first. A
//! connection has a grace period for its first request, so that bursts are answered.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::ClientLimits;

/// The connections of a server.
#[derive(Debug)]
pub(super) struct ConnectionLimit {
    room: Arc<Semaphore>,
    open: Mutex<OpenConnections>,
    needs_token: bool,
    grace: Duration,
}

/// Connections that are not closing, by number.
#[derive(Debug, Default)]
struct OpenConnections {
    connections: BTreeMap<u64, ConnectionState>,
    next: u64,
}

#[derive(Debug)]
struct ConnectionState {
    /// Whether it has sent the token, or none is needed.
    is_authenticated: bool,
    /// Idle since; `None` while a request is answered.
    idle_since: Option<Instant>,
    close: Arc<Notify>,
}

/// A connection; closed on drop.
#[derive(Debug)]
pub(super) struct Connection {
    limit: Arc<ConnectionLimit>,
    number: u64,
    close: Arc<Notify>,
    _room: OwnedSemaphorePermit,
}

/// A request being answered; finished on drop.
#[derive(Debug)]
pub(super) struct Answering(Arc<Connection>);

impl ConnectionLimit {
    pub(super) fn new(limits: ClientLimits, needs_token: bool) -> Arc<ConnectionLimit> {
        let room = Arc::new(Semaphore::new(limits.connections));
        Arc::new(ConnectionLimit { room, open: Mutex::default(), needs_token, grace: limits.grace })
    }

    /// Waits for a free connection slot.
    pub(super) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(room) = Arc::clone(&self.room).try_acquire_owned() {
                return Some(room);
            }
            let pause = self.with_open(|open| open.close_idle(Instant::now(), self.grace));
            let acquire = Arc::clone(&self.room).acquire_owned();
            if let Ok(room) = tokio::time::timeout(pause, acquire).await {
                return room.ok();
            }
        }
    }

    pub(super) fn open(self: &Arc<Self>, room: OwnedSemaphorePermit) -> Connection {
        let close = Arc::new(Notify::new());
        let state = ConnectionState {
            is_authenticated: !self.needs_token,
            idle_since: Some(Instant::now()),
            close: Arc::clone(&close),
        };
        let number = self.with_open(|open| {
            open.next += 1;
            open.connections.insert(open.next, state);
            open.next
        });
        Connection { limit: Arc::clone(self), number, close, _room: room }
    }

    fn with_open<T>(&self, work: impl FnOnce(&mut OpenConnections) -> T) -> T {
        // A panic leaves no partial update.
        work(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl OpenConnections {
    /// Closes the longest idle connection if its grace period is over; returns the time to wait.
    fn close_idle(&mut self, now: Instant, grace: Duration) -> Duration {
        let idle = self.connections.iter().filter_map(|(&number, state)| {
            let idle = now.saturating_duration_since(state.idle_since?);
            Some((number, state.is_authenticated, idle))
        });
        let (ripe, young): (Vec<_>, Vec<_>) = idle.partition(|&(_, _, idle)| idle >= grace);
        let first = ripe
            .into_iter()
            .min_by_key(|&(_, is_authenticated, idle)| (is_authenticated, std::cmp::Reverse(idle)));
        if let Some(state) = first.and_then(|(number, _, _)| self.connections.remove(&number)) {
            state.close.notify_one();
        }
        young
            .into_iter()
            .map(|(_, _, idle)| grace - idle)
            .min()
            .unwrap_or(grace)
            .max(Duration::from_millis(1))
    }
}

impl Connection {
    /// Marks it as authenticated.
    pub(super) fn mark_authenticated(&self) {
        self.with_state(|state| state.is_authenticated = true);
    }

    /// Marks it as busy until the request is answered.
    pub(super) fn answer(self: &Arc<Self>) -> Answering {
        self.with_state(|state| state.idle_since = None);
        Answering(Arc::clone(self))
    }

    /// Waits until it must close.
    pub(super) async fn closed(&self) {
        self.close.notified().await;
    }

    fn with_state(&self, work: impl FnOnce(&mut ConnectionState)) {
        self.limit.with_open(|open| open.connections.get_mut(&self.number).map(work));
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.limit.with_open(|open| open.connections.remove(&self.number));
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.with_state(|state| state.idle_since = Some(Instant::now()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_secs(2);

    /// Connections by idle time in seconds (`None`: in use) and authentication.
    fn open(states: &[(Option<u64>, bool)], now: Instant) -> OpenConnections {
        let state = |&(idle, is_authenticated): &(Option<u64>, bool)| ConnectionState {
            is_authenticated,
            idle_since: idle.map(|seconds| now - Duration::from_secs(seconds)),
            close: Arc::default(),
        };
        let connections: BTreeMap<_, _> = (0..).zip(states.iter().map(state)).collect();
        OpenConnections { next: states.len() as u64, connections }
    }

    /// Checks which of them is closed, and the wait until the next.
    fn check(states: &[(Option<u64>, bool)], closed: Option<u64>, pause: u64) {
        let now = Instant::now() + Duration::from_secs(1000);
        let mut open = open(states, now);
        let found = open.close_idle(now, GRACE);
        let gone = (0..states.len() as u64).find(|number| !open.connections.contains_key(number));
        assert_eq!((gone, found), (closed, Duration::from_secs(pause)), "{states:?}");
    }

    #[test]
    fn the_longest_idle_connection_is_closed_and_a_busy_one_never() {
        check(&[(Some(3), true), (Some(9), true), (None, true)], Some(1), 2);
        check(&[(None, true), (None, false)], None, 2);
    }

    #[test]
    fn connections_without_a_token_are_closed_first() {
        check(&[(Some(9), true), (Some(3), false), (Some(4), false)], Some(2), 2);
    }

    #[test]
    fn no_connection_is_closed_within_its_grace_period() {
        check(&[(Some(1), false), (Some(0), false)], None, 1);
    }
}
