//! Server-sent events (WHATWG HTML, section 9.2): changes of a run for as long as the client listens.
//!
//! Events: `run`, the run; `boards`, changed boards and their number; `end`, when the server ends. A slow
//! client misses intermediate states, never the last one.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::board::BoardText;
use super::feed::Snapshot;

/// Interval of keep-alive comments, so that gaps are noticed on both sides.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// State of a client's event stream.
struct EventStream {
    snapshot: watch::Receiver<Snapshot>,
    has_begun: bool,
    has_ended: bool,
    run: u64,
    boards: Vec<BoardText>,
    _place: OwnedSemaphorePermit,
}

/// A response body that follows a run until the server ends.
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

    /// Events for changes since the last call.
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

/// One event; our JSON has no line feeds.
fn event(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
