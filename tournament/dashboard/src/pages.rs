//! What each address gives. Every answer forbids browsers whatever the page does not need.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, LOCATION, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use tokio::sync::Semaphore;

use super::admission::{Admission, Admitted};
use super::assets::{ASSETS, Asset, DOOR, PAGE};
use super::connections::Connection;
use super::feed::{FeedLine, NoAnswer, Question, Subject};
use super::listing::Wanted;
use super::{Limits, stream};

/// Scripts and styles of ours alone, nothing inline, no frames, no other hosts; and no text may become HTML.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

/// What stands in every answer.
const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// What all addresses share.
#[derive(Clone)]
struct Shared {
    feed: FeedLine,
    admission: Arc<Admission>,
    followers: Arc<Semaphore>,
}

/// All addresses.
pub(super) fn router(feed: FeedLine, admission: Admission, limits: Limits) -> Router {
    let followers = Arc::new(Semaphore::new(limits.followers));
    let shared = Shared { feed, admission: Arc::new(admission), followers };
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
    router
        .fallback(async || plain(StatusCode::NOT_FOUND, "There is no such page."))
        .layer(middleware::from_fn_with_state(shared.clone(), admit))
        .with_state(shared)
}

/// Turns away who may not look, and adds what stands in every answer.
async fn admit(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    let mut response = match shared.admission.judge(&request) {
        Admitted::Yes => {
            make_known(&request);
            next.run(request).await
        }
        Admitted::Public => next.run(request).await,
        Admitted::Welcome => {
            make_known(&request);
            welcome(&shared.admission)
        }
        Admitted::NotReading => {
            let words = "This page can only be read.";
            (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], words).into_response()
        }
        Admitted::WrongHost => plain(
            StatusCode::MISDIRECTED_REQUEST,
            "This server is not known by that name. Call it by its address, or let `smalt-tournament serve --host NAME` show the run.",
        ),
        Admitted::Foreign => plain(StatusCode::FORBIDDEN, "Other sites get nothing from here."),
        Admitted::Unknown => {
            let headers = [
                (CONTENT_TYPE, "text/html; charset=utf-8"),
                (WWW_AUTHENTICATE, "Bearer"),
                (CONNECTION, "close"),
            ];
            (StatusCode::UNAUTHORIZED, headers, DOOR).into_response()
        }
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Its connection gives way after those that have not shown the token.
fn make_known(request: &Request) {
    if let Some(connection) = request.extensions().get::<Arc<Connection>>() {
        connection.make_known();
    }
}

/// The browser keeps the token as a cookie, and the address forgets it.
fn welcome(admission: &Admission) -> Response {
    let cookie = admission.cookie().and_then(|cookie| HeaderValue::try_from(cookie).ok());
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

async fn runs(State(shared): State<Shared>) -> Response {
    json(shared.feed.ask(Question::Runs).await)
}

async fn run(State(shared): State<Shared>, Path(run): Path<usize>) -> Response {
    json(shared.feed.ask(Question::Of(run, Subject::Overview)).await)
}

async fn faults(State(shared): State<Shared>, Path(run): Path<usize>) -> Response {
    json(shared.feed.ask(Question::Of(run, Subject::Faults)).await)
}

/// Whose curve is wanted: an index of the run's entrants.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Whose {
    entrant: usize,
}

async fn curves(
    State(shared): State<Shared>,
    Path(run): Path<usize>,
    Query(whose): Query<Whose>,
) -> Response {
    json(shared.feed.ask(Question::Of(run, Subject::Curves(whose.entrant))).await)
}

async fn games(
    State(shared): State<Shared>,
    Path(run): Path<usize>,
    Query(wanted): Query<Wanted>,
) -> Response {
    json(shared.feed.ask(Question::Of(run, Subject::Games(wanted))).await)
}

/// Games are counted from 1 in addresses.
async fn game(State(shared): State<Shared>, Path((run, number)): Path<(usize, u32)>) -> Response {
    let Some(number) = number.checked_sub(1) else { return json(Err(NoAnswer::Unknown)) };
    json(shared.feed.ask(Question::Of(run, Subject::Game(number))).await)
}

async fn pgn(State(shared): State<Shared>, Path((run, number)): Path<(usize, u32)>) -> Response {
    let Some(index) = number.checked_sub(1) else { return json(Err(NoAnswer::Unknown)) };
    match shared.feed.ask(Question::Of(run, Subject::Pgn(index))).await {
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

async fn events(State(shared): State<Shared>, Path(run): Path<usize>) -> Response {
    let Ok(place) = Arc::clone(&shared.followers).try_acquire_owned() else {
        return json(Err(NoAnswer::Busy));
    };
    let Some(screen) = shared.feed.follow(run) else { return json(Err(NoAnswer::Unknown)) };
    ([(CONTENT_TYPE, "text/event-stream")], stream::follow(screen, place)).into_response()
}

fn json(answer: Result<String, NoAnswer>) -> Response {
    match answer {
        Ok(text) => ([(CONTENT_TYPE, "application/json")], Body::from(text)).into_response(),
        Err(NoAnswer::Unknown) => plain(StatusCode::NOT_FOUND, "There is no such run or game."),
        Err(NoAnswer::Busy) => {
            let words = "Too many ask at once. Try again in a moment.";
            (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")], words).into_response()
        }
    }
}

fn plain(status: StatusCode, words: &'static str) -> Response {
    (status, words).into_response()
}
