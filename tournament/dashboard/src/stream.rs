//! Server-sent events (WHATWG HTML, section 9.2): state changes for as long as the client listens. The last event,
//! `end`, announces the server's end. A slow client misses intermediate states, never the last one.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// Interval of keep-alive comments, by which both sides detect a lost connection.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A state that clients follow.
pub(super) trait Followed: Clone + Send + Sync + 'static {
    /// Events for a client that already has the state `known`.
    fn events(&self, known: Option<&Self>) -> String;
}

/// State of a client's event stream.
struct EventStream<S> {
    state: watch::Receiver<S>,
    has_ended: bool,
    known: Option<S>,
    _place: OwnedSemaphorePermit,
}

/// A response body that follows a state until the server ends.
pub(super) fn follow<S: Followed>(state: watch::Receiver<S>, place: OwnedSemaphorePermit) -> Body {
    let follower = EventStream { state, has_ended: false, known: None, _place: place };
    Body::from_stream(futures_util::stream::unfold(follower, |mut follower| async move {
        let events = follower.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(events)), follower))
    }))
}

impl<S: Followed> EventStream<S> {
    async fn next(&mut self) -> Option<String> {
        if self.known.is_none() {
            return Some(format!("retry: 2000\n\n{}", self.news()));
        }
        if self.has_ended {
            return None;
        }
        match tokio::time::timeout(HEARTBEAT, self.state.changed()).await {
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
        let state = self.state.borrow_and_update().clone();
        let events = state.events(self.known.as_ref());
        self.known = Some(state);
        events
    }
}

/// One event; the JSON has no line feeds.
pub(super) fn event(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}
