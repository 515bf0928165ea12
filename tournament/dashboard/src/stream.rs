//! Server-sent events (WHATWG HTML, section 9.2): a run as it changes, for as long as the client listens.
//!
//! Events: `run`, the run as a whole; `boards`, those boards that changed, and how many there are; `end`, where the server
//! ends: what came before is the last state. A client that reads
//! slowly misses states in between, never the last one.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::board::BoardText;
use super::feed::Snapshot;

/// A sign of life where nothing happens, so that gaps are noticed on both sides.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// What a client got so far.
struct EventStream {
    snapshot: watch::Receiver<Snapshot>,
    has_begun: bool,
    has_ended: bool,
    run: u64,
    boards: Vec<BoardText>,
    _place: OwnedSemaphorePermit,
}

/// The body of a response that follows a screen until it is gone.
pub(super) fn follow(snapshot: watch::Receiver<Snapshot>, place: OwnedSemaphorePermit) -> Body {
    let (has_begun, has_ended) = (false, false);
    let follower = EventStream { snapshot, has_begun, has_ended, run: 0, boards: Vec::new(), _place: place };
    Body::from_stream(futures_util::stream::unfold(follower, |mut follower| async move {
        let events = follower.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(events)), follower))
    }))
}

impl EventStream {
    async fn next(&mut self) -> Option<String> {
        if !self.has_begun {
            self.has_begun = true;
            return Some(format!("retry: 2000\n\n{}", self.news()));
        }
        if self.has_ended {
            return None;
        }
        match tokio::time::timeout(HEARTBEAT, self.snapshot.changed()).await {
            Ok(Ok(())) => Some(self.news()),
            Ok(Err(_)) => {
                self.has_ended = true;
                Some(event("end", "null"))
            }
            Err(_) => Some(":\n\n".to_owned()),
        }
    }

    /// What is new since the last events.
    fn news(&mut self) -> String {
        let snapshot = self.snapshot.borrow_and_update().clone();
        let mut events = String::new();
        if snapshot.run.0 != self.run {
            self.run = snapshot.run.0;
            events.push_str(&event("run", &snapshot.run.1));
        }
        let is_new = |board: &&BoardText| !self.boards.iter().any(|known| Arc::ptr_eq(known, board));
        let new: Vec<&str> = snapshot.boards.iter().filter(is_new).map(|board| &**board).collect();
        if !new.is_empty() || snapshot.boards.len() != self.boards.len() {
            let count = snapshot.boards.len();
            events
                .push_str(&event("boards", &format!("{{\"count\":{count},\"boards\":[{}]}}", new.join(","))));
        }
        self.boards = snapshot.boards;
        events
    }
}

/// One event; JSON that we write has no line feeds.
fn event(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
