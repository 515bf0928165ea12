//! Routes of the live page, and of the queue where one is served.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Path, Query, Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use smalt_report::sanitize::sanitize_lines;
use tokio::sync::Semaphore;

use super::access::AccessRules;
use super::assets::PAGE;
use super::commands::{CommandForm, PageCommands, PlayOnForm, PositionForm};
use super::feed::{FeedError, FeedHandle, FeedRequest, RunRequest};
use super::game_list::GameFilter;
use super::gate::{download, guard, plain};
use super::page_json::to_page_json;
use super::queue_page::{JobForm, QueuePage};
use super::{ClientLimits, stream};

/// Maximum size of a job that the page adds, in bytes.
const FORM_LIMIT: usize = 64 * 1024;

/// State shared by all routes.
#[derive(Clone)]
struct AppState {
    feed: FeedHandle,
    followers: Arc<Semaphore>,
    /// Timeout of reading a body.
    reading: Duration,
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
    let state = AppState { feed, followers, reading: limits.reading };
    guard(routes.with_state(state), &PAGE, access)
}

/// The routes of a queue.
fn queue_router(queue: Arc<dyn QueuePage>) -> Router<AppState> {
    let (jobs, adding, pausing, resuming) =
        (Arc::clone(&queue), Arc::clone(&queue), Arc::clone(&queue), queue);
    let pause = async move |Path(job): Path<i64>| change(move || pausing.set_paused(job, true)).await;
    let resume = async move |Path(job): Path<i64>| change(move || resuming.set_paused(job, false)).await;
    let add = async move |TimedBody(body): TimedBody| match serde_json::from_slice::<JobForm>(&body) {
        Ok(form) => change(move || adding.add(&form)).await,
        Err(error) => (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    let list = async move || match tokio::task::spawn_blocking(move || jobs.jobs()).await {
        Ok(Ok(text)) => json(Ok(text)),
        Ok(Err(words)) => (StatusCode::INTERNAL_SERVER_ERROR, sanitize_lines(&words)).into_response(),
        Err(_) => panicked(),
    };
    Router::new()
        .route("/api/queue", get(list).post(add))
        .route("/api/queue/{job}/pause", post(pause))
        .route("/api/queue/{job}/resume", post(resume))
        .layer(DefaultBodyLimit::max(FORM_LIMIT))
}

/// The routes of commands to runs, and of positions that are kept.
fn command_router(commands: PageCommands) -> Router<AppState> {
    let (listed, sent) = (to_page_json(&commands.to_json()), commands.clone());
    let playing = Arc::clone(&commands.control);
    let control = async move |State(shared): State<AppState>,
                              Path(run): Path<usize>,
                              TimedBody(body): TimedBody| {
        carry_out(&shared, run, &body, move |store, form: &CommandForm| sent.control.send(store, &form.words))
            .await
    };
    let play =
        async move |State(shared): State<AppState>, Path(run): Path<usize>, TimedBody(body): TimedBody| {
            carry_out(&shared, run, &body, move |store, form: &PlayOnForm| playing.play_on(store, form)).await
        };
    let add = async move |State(shared): State<AppState>,
                          Path(run): Path<usize>,
                          TimedBody(body): TimedBody| {
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
        Ok(Ok(words)) => sanitize_lines(&words).into_response(),
        Ok(Err(words)) => (StatusCode::CONFLICT, sanitize_lines(&words)).into_response(),
        Err(_) => panicked(),
    }
}

/// Carries out a change of the queue on a separate thread: an engine may be cloned by git.
async fn change(work: impl FnOnce() -> Result<(), String> + Send + 'static) -> Response {
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(())) => StatusCode::NO_CONTENT.into_response(),
        Ok(Err(words)) => (StatusCode::BAD_REQUEST, sanitize_lines(&words)).into_response(),
        Err(_) => panicked(),
    }
}

fn panicked() -> Response {
    plain(StatusCode::INTERNAL_SERVER_ERROR, "An error in this program; please report it.")
}

/// The body of a request that arrives in time.
struct TimedBody(Bytes);

impl FromRequest<AppState> for TimedBody {
    type Rejection = Response;

    async fn from_request(request: Request, state: &AppState) -> Result<TimedBody, Response> {
        match tokio::time::timeout(state.reading, Bytes::from_request(request, state)).await {
            Ok(Ok(body)) => Ok(TimedBody(body)),
            Ok(Err(refused)) => Err(refused.into_response()),
            Err(_) => Err(plain(StatusCode::REQUEST_TIMEOUT, "The request came too slowly.")),
        }
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

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{SocketAddr, TcpStream};
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;
    use crate::{BoundAddress, Dashboard, DashboardSettings, Token};

    const TOKEN: &str = "0123456789abcdef";

    /// A queue in which adding a job ends with a message.
    struct SlowQueue {
        begun: Sender<()>,
        end: Mutex<Receiver<()>>,
    }

    impl QueuePage for SlowQueue {
        fn jobs(&self) -> Result<String, String> {
            Ok("{\"jobs\":[]}".to_owned())
        }

        fn add(&self, _: &JobForm) -> Result<(), String> {
            self.begun.send(()).unwrap();
            self.end.lock().unwrap().recv().map_err(|error| format!("\u{1b}[2J{error}"))
        }

        fn set_paused(&self, _: i64, _: bool) -> Result<(), String> {
            Ok(())
        }
    }

    fn serve(queue: SlowQueue, reading: Duration) -> Dashboard {
        let bound =
            BoundAddress::bind(SocketAddr::from(([127, 0, 0, 1], 0)), Some(Token::parse(TOKEN).unwrap()));
        let limits = ClientLimits { reading, ..ClientLimits::default() };
        let queue: Option<Arc<dyn QueuePage>> = Some(Arc::new(queue));
        let settings =
            DashboardSettings { stores: Vec::new(), hosts: Vec::new(), limits, queue, commands: None };
        Dashboard::start(bound.unwrap(), settings).unwrap()
    }

    /// Sends a request with these bytes of a body of 2 bytes.
    fn send(page: &Dashboard, method: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(page.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let head = format!(
            "{method} /api/queue HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            page.address(),
            if method == "POST" { 2 } else { 0 }
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }

    fn answer(mut stream: TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn a_slow_change_does_not_stop_the_page_and_its_error_is_plain_text() {
        let ((begun, is_begun), (end, ended)) = (channel(), channel::<()>());
        let page = serve(SlowQueue { begun, end: Mutex::new(ended) }, Duration::from_secs(60));
        let adding = send(&page, "POST", "{}");
        is_begun.recv().unwrap();
        assert!(answer(send(&page, "GET", "")).ends_with("{\"jobs\":[]}"));
        drop(end);
        let refusal = answer(adding);
        assert!(refusal.starts_with("HTTP/1.1 400") && refusal.contains("\\u{1b}[2J"), "{refusal}");
    }

    #[test]
    fn a_body_that_does_not_arrive_is_refused() {
        let (begun, _is_begun) = channel();
        let page = serve(SlowQueue { begun, end: Mutex::new(channel().1) }, Duration::from_millis(100));
        let refusal = answer(send(&page, "POST", "{"));
        assert!(refusal.starts_with("HTTP/1.1 408"), "{refusal}");
    }
}
