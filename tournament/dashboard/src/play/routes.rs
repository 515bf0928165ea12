//! Routes of the play page: the state of the session, its events, the PGN, and commands.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use smalt_report::sanitize::sanitize_lines;
use tokio::sync::Semaphore;

use super::command::PlayCommand;
use super::session::SessionHandle;
use crate::access::{AccessRules, Commands};
use crate::assets::PLAY_PAGE;
use crate::gate::{download, guard, plain};
use crate::{ClientLimits, stream};

/// Maximum size of a command in bytes: a PGN may have many games.
const COMMAND_LIMIT: usize = 4 << 20;

/// Size above which a command is large; few of these are read at a time.
const LARGE_COMMAND: u64 = 64 * 1024;
const LARGE_COMMANDS: usize = 4;

/// State shared by all routes.
#[derive(Clone)]
struct AppState {
    session: SessionHandle,
    followers: Arc<Semaphore>,
    large_commands: Arc<Semaphore>,
    /// Timeout of reading a command.
    reading: Duration,
}

pub(super) fn router(session: SessionHandle, access: AccessRules, limits: ClientLimits) -> Router {
    let followers = Arc::new(Semaphore::new(limits.followers));
    let routes = Router::new()
        .route("/api/play", get(game).post(command))
        .route("/api/play/events", get(events))
        .route("/api/play/pgn", get(pgn))
        .with_state(AppState {
            session,
            followers,
            large_commands: Arc::new(Semaphore::new(LARGE_COMMANDS)),
            reading: limits.reading,
        });
    guard(routes, &PLAY_PAGE, access.with_commands(Commands::Accepted))
}

async fn game(State(shared): State<AppState>) -> Response {
    let text = shared.session.state.borrow().game.1.to_string();
    ([(CONTENT_TYPE, "application/json")], Body::from(text)).into_response()
}

async fn pgn(State(shared): State<AppState>) -> Response {
    download("game.pgn", shared.session.state.borrow().pgn.to_string())
}

async fn events(State(shared): State<AppState>) -> Response {
    let Ok(place) = Arc::clone(&shared.followers).try_acquire_owned() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "Too many pages are open.");
    };
    let events = stream::follow(shared.session.state.clone(), place);
    ([(CONTENT_TYPE, "text/event-stream")], events).into_response()
}

/// Carries out a command; a refusal is a sentence.
async fn command(State(shared): State<AppState>, request: Request) -> Response {
    let too_long = || plain(StatusCode::PAYLOAD_TOO_LARGE, "The command is too long.");
    let size = request.body().size_hint();
    if size.lower() > COMMAND_LIMIT as u64 {
        return too_long();
    }
    let is_large = size.upper().is_none_or(|most| most > LARGE_COMMAND);
    let place = is_large.then(|| shared.large_commands.try_acquire());
    if matches!(place, Some(Err(_))) {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "Too many commands. Try again in a moment.");
    }
    let body = tokio::time::timeout(shared.reading, to_bytes(request.into_body(), COMMAND_LIMIT));
    let body = match body.await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return too_long(),
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "The command came too slowly."),
    };
    let command: PlayCommand = match serde_json::from_slice(&body) {
        Ok(command) => command,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    match shared.session.send(command).await {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(words) => (StatusCode::CONFLICT, sanitize_lines(&words)).into_response(),
    }
}
