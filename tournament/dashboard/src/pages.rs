//! Routes of the server. Security headers of every response forbid browsers whatever the page does not need.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, LOCATION, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::access::{Access, AccessRules};
use super::assets::{ASSETS, Asset, LOGIN_PAGE, PAGE};
use super::connections::Connection;
use super::feed::{FeedError, FeedHandle, FeedRequest, RunRequest};
use super::game_list::GameFilter;
use super::queue_page::{JobForm, QueuePage};
use super::{ClientLimits, stream};

/// Content security policy: own scripts and styles only, nothing inline, no frames, no other hosts; and no
/// text may become HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// Headers of every response.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// Maximum size of a job that the page adds, in bytes.
const FORM_LIMIT: usize = 64 * 1024;

/// State shared by all routes.
#[derive(Clone)]
struct AppState {
    feed: FeedHandle,
    access: Arc<AccessRules>,
    followers: Arc<Semaphore>,
}

pub(super) fn router(
    feed: FeedHandle,
    access: AccessRules,
    limits: ClientLimits,
    queue: Option<Arc<dyn QueuePage>>,
) -> Router {
    let followers = Arc::new(Semaphore::new(limits.followers));
    let shared = AppState { feed, access: Arc::new(access), followers };
    let mut router = Router::new()
        .route(PAGE.path, get(async |headers: HeaderMap| asset(&PAGE, &headers)))
        .route("/api/runs", get(runs))
        .route("/api/runs/{run}", get(run))
        .route("/api/runs/{run}/events", get(events))
        .route("/api/runs/{run}/faults", get(faults))
        .route("/api/runs/{run}/curves", get(curves))
        .route("/api/runs/{run}/games", get(games))
        .route("/api/runs/{run}/games/{number}", get(game))
        .route("/api/runs/{run}/games/{number}/pgn", get(pgn));
    for file in ASSETS {
        router = router.route(file.path, get(async |headers: HeaderMap| asset(file, &headers)));
    }
    router = match queue {
        Some(queue) => router.merge(queue_router(queue)),
        // The page asks every server whether it has one.
        None => router.route("/api/queue", get(async || json(Ok("null".to_owned())))),
    };
    router
        .fallback(async || plain(StatusCode::NOT_FOUND, "Page not found."))
        .layer(middleware::from_fn_with_state(shared.clone(), check_access))
        .with_state(shared)
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

/// The answer to a change.
fn changed(result: Result<(), String>) -> Response {
    match result {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(words) => (StatusCode::BAD_REQUEST, words).into_response(),
    }
}

/// Checks access and adds the common headers.
async fn check_access(State(shared): State<AppState>, request: Request, next: Next) -> Response {
    let mut response = match shared.access.check(&request) {
        Access::Allowed => {
            mark_authenticated(&request);
            next.run(request).await
        }
        Access::PublicAsset => next.run(request).await,
        Access::SetCookie => {
            mark_authenticated(&request);
            set_cookie(&shared.access)
        }
        Access::WrongMethod => {
            let words = "Only GET and HEAD are allowed.";
            (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], words).into_response()
        }
        Access::WrongHost => plain(
            StatusCode::MISDIRECTED_REQUEST,
            "Unknown host name. Use the address of this server, or start it with `smalt-tournament serve --host NAME`.",
        ),
        Access::CrossSite => plain(StatusCode::FORBIDDEN, "Requests from other sites are refused."),
        Access::NoToken => {
            let headers = [
                (CONTENT_TYPE, "text/html; charset=utf-8"),
                (WWW_AUTHENTICATE, "Bearer"),
                (CONNECTION, "close"),
            ];
            (StatusCode::UNAUTHORIZED, headers, LOGIN_PAGE).into_response()
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Marks its connection as authenticated.
fn mark_authenticated(request: &Request) {
    if let Some(connection) = request.extensions().get::<Arc<Connection>>() {
        connection.mark_authenticated();
    }
}

/// Stores the token as a cookie and redirects to the address without it.
fn set_cookie(access: &AccessRules) -> Response {
    let cookie = access.cookie().and_then(|cookie| HeaderValue::try_from(cookie).ok());
    let mut response = (StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn asset(asset: &Asset, headers: &HeaderMap) -> Response {
    let tag = asset.tag();
    let is_known = headers.get(IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let status = if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let text = if is_known { "" } else { asset.text };
    let headers =
        [(CONTENT_TYPE, asset.kind.to_owned()), (ETAG, tag), (CACHE_CONTROL, "no-cache".to_owned())];
    (status, headers, text).into_response()
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
        Ok(text) => {
            let name = format!("attachment; filename=\"game-{number}.pgn\"");
            let headers = [
                (CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8".to_owned()),
                (CONTENT_DISPOSITION, name),
            ];
            (headers, text).into_response()
        }
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

fn plain(status: StatusCode, words: &'static str) -> Response {
    (status, words).into_response()
}
