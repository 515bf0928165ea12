//! Common parts of all pages: files, access check, and security headers that forbid everything a page does not need.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, LOCATION, REFERRER_POLICY, SET_COOKIE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::access::{Access, AccessRules};
use super::assets::{ASSETS, Asset, LOGIN_PAGE};

/// Content security policy: only own scripts and styles, nothing inline, no frames, no other hosts, and no HTML from
/// text.
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

/// Adds a page, the files of all pages and the access check to the routes of a server.
pub(super) fn guard(routes: Router, page: &'static Asset, access: AccessRules) -> Router {
    let mut router = routes;
    for file in ASSETS.iter().chain([page]) {
        router = router.route(file.path, get(async |headers: HeaderMap| asset(file, &headers)));
    }
    router
        .fallback(async || plain(StatusCode::NOT_FOUND, "Page not found."))
        .layer(middleware::from_fn_with_state(Arc::new(access), check_access))
}

/// Checks access and adds the common headers.
async fn check_access(State(access): State<Arc<AccessRules>>, request: Request, next: Next) -> Response {
    let mut response = match access.check(&request) {
        Access::Allowed | Access::PublicAsset => next.run(request).await,
        Access::SetCookie => set_cookie(&access),
        Access::WrongMethod => {
            let words = "This method is not allowed here.";
            (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, access.methods())], words).into_response()
        }
        Access::WrongHost => plain(
            StatusCode::MISDIRECTED_REQUEST,
            "Unknown host name. Use the address of this server, or give the name by --host NAME.",
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

pub(super) fn plain(status: StatusCode, words: &'static str) -> Response {
    (status, words).into_response()
}

/// A PGN as a download.
pub(super) fn download(name: &str, text: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, text).into_response()
}
