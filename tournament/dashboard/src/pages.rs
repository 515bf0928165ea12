//! Routes of the live page, and of the queue where one is served.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::access::AccessRules;
use super::assets::PAGE;
use super::commands::{CommandForm, PageCommands, PlayOnForm, PositionForm};
use super::feed::{FeedError, FeedHandle, FeedRequest, RunRequest};
use super::game_list::GameFilter;
use super::gate::{download, guard, plain};
use super::queue_page::{JobForm, QueuePage};
use super::{ClientLimits, stream};

/// Maximum size of a job that the page adds, in bytes.
const FORM_LIMIT: usize = 64 * 1024;

/// State shared by all routes.
#[derive(Clone)]
struct AppState {
    feed: FeedHandle,
    followers: Arc<Semaphore>,
}

pub(super) fn router(
    feed: FeedHandle,
    access: AccessRules,
    limits: ClientLimits,
    queue: Option<Arc<dyn QueuePage>>,
    commands: Option<PageCommands>,
) -> Router {
    let followers = Arc::new(Semaphore::new(limits.followers));
    let routes = Router::new()
        .route("/api/runs", get(runs))
        .route("/api/runs/{run}", get(run))
        .route("/api/runs/{run}/events", get(events))
        .route("/api/runs/{run}/faults", get(faults))
        .route("/api/runs/{run}/curves", get(curves))
        .route("/api/runs/{run}/games", get(games))
        .route("/api/runs/{run}/games/{number}", get(game))
        .route("/api/runs/{run}/games/{number}/pgn", get(pgn));
    let routes = match queue {
        Some(queue) => routes.merge(queue_router(queue)),
        // The page asks every server whether it has one.
        None => routes.route("/api/queue", get(async || json(Ok("null".to_owned())))),
    };
    let routes = match commands {
        Some(commands) => routes.merge(command_router(commands)),
        // The page asks every server what it may change.
        None => routes.route("/api/commands", get(async || json(Ok("null".to_owned())))),
    };
    guard(routes.with_state(AppState { feed, followers }), &PAGE, access)
}

/// The routes of a queue.
fn queue_router(queue: Arc<dyn QueuePage>) -> Router<AppState> {
    let (jobs, adding, pausing, resuming) =
        (Arc::clone(&queue), Arc::clone(&queue), Arc::clone(&queue), queue);
    let pause = async move |Path(job): Path<i64>| changed(pausing.set_paused(job, true));
    let resume = async move |Path(job): Path<i64>| changed(resuming.set_paused(job, false));
    let add = async move |body: Bytes| {
        let form = serde_json::from_slice::<JobForm>(&body).map_err(|error| error.to_string());
        changed(form.and_then(|form| adding.add(&form)))
    };
    let list = async move || match jobs.jobs() {
        Ok(text) => json(Ok(text)),
        Err(words) => (StatusCode::INTERNAL_SERVER_ERROR, words).into_response(),
    };
    Router::new()
        .route("/api/queue", get(list).post(add))
        .route("/api/queue/{job}/pause", post(pause))
        .route("/api/queue/{job}/resume", post(resume))
        .layer(DefaultBodyLimit::max(FORM_LIMIT))
}

/// The routes of commands to runs, and of positions that are kept.
fn command_router(commands: PageCommands) -> Router<AppState> {
    let (listed, sent) = (serde_json::to_string(&commands.to_json()), commands.clone());
    let playing = Arc::clone(&commands.control);
    let listed = listed.expect("a name is JSON");
    let control = async move |State(shared): State<AppState>, Path(run): Path<usize>, body: Bytes| {
        carry_out(&shared, run, &body, move |store, form: &CommandForm| sent.control.send(store, &form.words))
            .await
    };
    let play = async move |State(shared): State<AppState>, Path(run): Path<usize>, body: Bytes| {
        carry_out(&shared, run, &body, move |store, form: &PlayOnForm| playing.play_on(store, form)).await
    };
    let add = async move |State(shared): State<AppState>, Path(run): Path<usize>, body: Bytes| {
        carry_out(&shared, run, &body, move |store, form: &PositionForm| commands.add_position(store, form))
            .await
    };
    Router::new()
        .route("/api/commands", get(async move || json(Ok(listed))))
        .route("/api/runs/{run}/commands", post(control))
        .route("/api/runs/{run}/positions", post(add))
        .route("/api/runs/{run}/play", post(play))
        .layer(DefaultBodyLimit::max(FORM_LIMIT))
}

/// Does what a form wants of a run, on a separate thread since it may take seconds.
async fn carry_out<Form: DeserializeOwned + Send + 'static>(
    shared: &AppState,
    run: usize,
    body: &[u8],
    work: impl FnOnce(&std::path::Path, &Form) -> Result<String, String> + Send + 'static,
) -> Response {
    let Some(store) = shared.feed.store(run) else { return json(Err(FeedError::Unknown)) };
    let form: Form = match serde_json::from_slice(body) {
        Ok(form) => form,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    match tokio::task::spawn_blocking(move || work(&store, &form)).await {
        Ok(Ok(words)) => words.into_response(),
        Ok(Err(words)) => (StatusCode::CONFLICT, words).into_response(),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "An error in this program; please report it."),
    }
}

/// The answer to a change.
fn changed(result: Result<(), String>) -> Response {
    match result {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(words) => (StatusCode::BAD_REQUEST, words).into_response(),
    }
}

async fn runs(State(shared): State<AppState>) -> Response {
    json(shared.feed.ask(FeedRequest::Runs).await)
}

async fn run(State(shared): State<AppState>, Path(run): Path<usize>) -> Response {
    json(shared.feed.ask(FeedRequest::Of(run, RunRequest::Overview)).await)
}

async fn faults(State(shared): State<AppState>, Path(run): Path<usize>) -> Response {
    json(shared.feed.ask(FeedRequest::Of(run, RunRequest::Faults)).await)
}

/// Index of the entrant whose curve is requested.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct CurveQuery {
    entrant: usize,
}

async fn curves(
    State(shared): State<AppState>,
    Path(run): Path<usize>,
    Query(whose): Query<CurveQuery>,
) -> Response {
    json(shared.feed.ask(FeedRequest::Of(run, RunRequest::Curves(whose.entrant))).await)
}

async fn games(
    State(shared): State<AppState>,
    Path(run): Path<usize>,
    Query(wanted): Query<GameFilter>,
) -> Response {
    json(shared.feed.ask(FeedRequest::Of(run, RunRequest::Games(wanted))).await)
}

/// Games are numbered from 1 in paths.
async fn game(State(shared): State<AppState>, Path((run, number)): Path<(usize, u32)>) -> Response {
    let Some(number) = number.checked_sub(1) else { return json(Err(FeedError::Unknown)) };
    json(shared.feed.ask(FeedRequest::Of(run, RunRequest::Game(number))).await)
}

async fn pgn(State(shared): State<AppState>, Path((run, number)): Path<(usize, u32)>) -> Response {
    let Some(index) = number.checked_sub(1) else { return json(Err(FeedError::Unknown)) };
    match shared.feed.ask(FeedRequest::Of(run, RunRequest::Pgn(index))).await {
        Ok(text) => download(&format!("game-{number}.pgn"), text),
        Err(error) => json(Err(error)),
    }
}

async fn events(State(shared): State<AppState>, Path(run): Path<usize>) -> Response {
    let Ok(place) = Arc::clone(&shared.followers).try_acquire_owned() else {
        return json(Err(FeedError::Busy));
    };
    let Some(snapshot) = shared.feed.follow(run) else { return json(Err(FeedError::Unknown)) };
    ([(CONTENT_TYPE, "text/event-stream")], stream::follow(snapshot, place)).into_response()
}

fn json(answer: Result<String, FeedError>) -> Response {
    match answer {
        Ok(text) => ([(CONTENT_TYPE, "application/json")], Body::from(text)).into_response(),
        Err(FeedError::Unknown) => plain(StatusCode::NOT_FOUND, "Unknown run or game."),
        Err(FeedError::Busy) => {
            let words = "Too many requests. Try again in a moment.";
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")], words).into_response()
        }
    }
}
