//! Access rules of a server: GET and HEAD, POST from its own page if commands are accepted, only known host names,
//! and the token if one is set. Changes of a queue always need the token.
//!
//! A page of another site can make a browser send requests here, by address or by a host name that resolves to this
//! machine (DNS rebinding): such requests have a foreign `Host`, a foreign `Origin` or a cross-site header.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, Method, Request};

use super::token::Token;

/// Access rules of one server.
#[derive(Clone, Debug)]
pub(super) struct AccessRules {
    address: SocketAddr,
    token: Option<Token>,
    hosts: Vec<String>,
    commands: Commands,
}

/// Who may send commands (POST).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Commands {
    Refused,
    /// All readers.
    Accepted,
    /// Readers with the token; nobody if none is set.
    WithToken,
}

/// Decision on a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Allowed,
    /// An asset of the login page.
    PublicAsset,
    /// The token is in the query: set the cookie and redirect.
    SetCookie,
    /// Neither GET nor HEAD, nor POST with commands accepted.
    WrongMethod,
    /// `Host` is not a name of this server.
    WrongHost,
    CrossSite,
    /// Missing or wrong token.
    NoToken,
}

impl AccessRules {
    pub(super) fn new(address: SocketAddr, token: Option<Token>, hosts: Vec<String>) -> AccessRules {
        AccessRules { address, token, hosts, commands: Commands::Refused }
    }

    /// The same rules with commands: POST of JSON, from its own page or from a program other than a browser.
    pub(super) fn with_commands(self, commands: Commands) -> AccessRules {
        AccessRules { commands, ..self }
    }

    /// Accepted methods, for the header `Allow`.
    pub(super) fn methods(&self) -> &'static str {
        if self.commands == Commands::Refused { "GET, HEAD" } else { "GET, HEAD, POST" }
    }

    pub(super) fn check<B>(&self, request: &Request<B>) -> Access {
        let headers = request.headers();
        let is_command = *request.method() == Method::POST && self.commands != Commands::Refused;
        if !is_command && !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Access::WrongMethod;
        }
        let named =
            request.uri().authority().map_or(Some(()), |name| self.is_own_host(name.as_str()).then_some(()));
        let mut hosts = headers.get_all(HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        if named.is_none() || !host.is_some_and(|host| self.is_own_host(host)) || hosts.next().is_some() {
            return Access::WrongHost;
        }
        let says = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
        if says("sec-fetch-site", "cross-site") && !says("sec-fetch-mode", "navigate") {
            return Access::CrossSite;
        }
        if is_command && !self.is_same_origin(headers) {
            return Access::CrossSite;
        }
        if is_command && self.commands == Commands::WithToken && self.token.is_none() {
            return Access::NoToken;
        }
        match &self.token {
            None => Access::Allowed,
            Some(token) if self.has_token(token, headers) => Access::Allowed,
            Some(token) if token_in(request.uri().query()).is_some_and(|text| token.is(text)) => {
                Access::SetCookie
            }
            Some(_) if is_public(request.uri().path()) => Access::PublicAsset,
            Some(_) => Access::NoToken,
        }
    }

    /// Whether a command comes from the server's own page. Browsers send `Origin` with every POST, and ask before
    /// they send JSON to another site, which is refused; other programs may omit `Origin`.
    fn is_same_origin(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
        let is_json = text(CONTENT_TYPE.as_str()).is_some_and(|kind| kind.starts_with("application/json"));
        let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host));
        is_json
            && text(ORIGIN.as_str()).is_none_or(is_own)
            && text("sec-fetch-site").is_none_or(|site| site == "same-origin")
    }

    /// Whether a host with port belongs to this server. Addresses cannot be rebound; names can, so only known names
    /// are accepted.
    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = split_host(host);
        if port.unwrap_or("80").parse() != Ok(self.address.port()) {
            return false;
        }
        match name.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.address.ip().is_loopback(),
            Err(_) => {
                name.eq_ignore_ascii_case("localhost")
                    || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
            }
        }
    }

    fn has_token(&self, token: &Token, headers: &HeaderMap) -> bool {
        let bearer = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = bearer.and_then(|value| value.split_once(' '));
        let bearer = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("Bearer"));
        let bearer = bearer.map(|(_, text)| text.trim_start());
        let name = self.cookie_name();
        let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        let cookies = cookies.flat_map(|cookies| cookies.split(';'));
        // Pages of other servers on this host may set cookies of this name, too.
        let mut texts = bearer
            .into_iter()
            .chain(cookies.filter_map(|cookie| cookie.trim().strip_prefix(name.as_str())?.strip_prefix('=')));
        texts.any(|text| token.is(text))
    }

    /// Cookies ignore ports, so each server has a different cookie name.
    fn cookie_name(&self) -> String {
        format!("smalt-{}", self.address.port())
    }

    /// The cookie with the token, inaccessible to scripts and to other sites.
    pub(super) fn cookie(&self) -> Option<String> {
        let token = self.token.as_ref()?.as_text();
        Some(format!("{}={token}; HttpOnly; SameSite=Lax; Path=/; Max-Age=2592000", self.cookie_name()))
    }
}

/// Whether a path is an asset of the login page.
fn is_public(path: &str) -> bool {
    matches!(path, "/style.css" | "/favicon.svg")
}

/// Splits `name:port`; IPv6 addresses are in brackets.
fn split_host(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    }
}

fn token_in(query: Option<&str>) -> Option<&str> {
    query?.split('&').find_map(|pair| pair.strip_prefix("token="))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn rules(address: &str, token: Option<&str>) -> AccessRules {
        let token = token.map(|token| Token::parse(token).unwrap());
        AccessRules::new(address.parse().unwrap(), token, vec!["chess.lan".to_owned()])
    }

    fn check(rules: &AccessRules, uri: &str, headers: &[(&str, &str)]) -> Access {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        rules.check(&request.body(()).unwrap())
    }

    #[test]
    fn only_known_host_names_are_accepted() {
        let check = |address: &str, host: &str, expected: bool| {
            let admitted = check(&rules(address, Some(TOKEN)), "/style.css", &[("host", host)]);
            assert_eq!(admitted == Access::PublicAsset, expected, "{address} {host}");
        };
        let own = "127.0.0.1:8080";
        for host in ["127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080", "chess.lan:8080"] {
            check(own, host, true);
        }
        for host in ["evil.example:8080", "127.0.0.1", "127.0.0.1:80", "192.168.1.5:8080", "", "localhost:x"]
        {
            check(own, host, false);
        }
        check("0.0.0.0:8080", "192.168.1.5:8080", true);
        check("0.0.0.0:8080", "evil.example:8080", false);
        check("127.0.0.1:80", "localhost", true);
    }

    #[test]
    fn a_request_has_one_host_and_means_it() {
        let rules = rules("127.0.0.1:8080", None);
        let twice = [("host", "localhost:8080"), ("host", "evil.example")];
        assert_eq!(check(&rules, "/", &twice), Access::WrongHost);
        assert_eq!(check(&rules, "/", &[]), Access::WrongHost);
        let elsewhere = check(&rules, "http://evil.example:8080/", &twice[..1]);
        assert_eq!(elsewhere, Access::WrongHost);
    }

    #[test]
    fn the_token_opens_by_address_cookie_or_header() {
        let rules = rules("127.0.0.1:8080", Some(TOKEN));
        let host = ("host", "localhost:8080");
        let check = |uri: &str, header: Option<(&str, &str)>, expected| {
            let headers: Vec<_> = [Some(host), header].into_iter().flatten().collect();
            assert_eq!(check(&rules, uri, &headers), expected, "{uri} {header:?}");
        };
        check("/", None, Access::NoToken);
        check("/api/runs?token=0123456789abcdee", None, Access::NoToken);
        check("/?token=0123456789abcdef", None, Access::SetCookie);
        check("/", Some(("authorization", "Bearer 0123456789abcdef")), Access::Allowed);
        check("/", Some(("authorization", "bearer  0123456789abcdef")), Access::Allowed);
        check("/", Some(("authorization", "Basic 0123456789abcdef")), Access::NoToken);
        check("/", Some(("authorization", "Bearer 0123456789abcdee")), Access::NoToken);
        check("/", Some(("cookie", "smalt-8080=old;smalt-8080=0123456789abcdef")), Access::Allowed);
        check("/", Some(("cookie", "a=b; smalt-8080=0123456789abcdef")), Access::Allowed);
        check("/", Some(("cookie", "smalt-8081=0123456789abcdef")), Access::NoToken);
        check("/style.css", None, Access::PublicAsset);
    }

    #[test]
    fn other_sites_get_nothing_but_a_click() {
        let rules = rules("127.0.0.1:8080", None);
        let host = ("host", "localhost:8080");
        let foreign = ("sec-fetch-site", "cross-site");
        assert_eq!(
            check(&rules, "/api/runs", &[host, foreign, ("sec-fetch-mode", "cors")]),
            Access::CrossSite
        );
        assert_eq!(check(&rules, "/", &[host, foreign, ("sec-fetch-mode", "navigate")]), Access::Allowed);
    }

    fn post(rules: &AccessRules, headers: &[(&str, &str)]) -> Access {
        let request = Request::builder().method("POST").uri("/api/play").header("host", "localhost:8080");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        rules.check(&request.body(()).unwrap())
    }

    #[test]
    fn a_page_that_only_shows_accepts_no_commands() {
        let rules = rules("127.0.0.1:8080", None);
        assert_eq!(post(&rules, &[("content-type", "application/json")]), Access::WrongMethod);
    }

    #[test]
    fn commands_come_from_the_own_page_alone() {
        let open = rules("127.0.0.1:8080", None).with_commands(Commands::Accepted);
        let json = ("content-type", "application/json");
        let check =
            |headers: &[(&str, &str)], expected| assert_eq!(post(&open, headers), expected, "{headers:?}");
        check(&[json], Access::Allowed);
        check(
            &[json, ("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")],
            Access::Allowed,
        );
        check(&[], Access::CrossSite);
        check(&[("content-type", "text/plain")], Access::CrossSite);
        check(&[json, ("origin", "http://evil.example:8080")], Access::CrossSite);
        check(&[json, ("origin", "null")], Access::CrossSite);
        check(&[json, ("origin", "http://localhost:8081")], Access::CrossSite);
        check(&[json, ("sec-fetch-site", "same-site")], Access::CrossSite);
        let closed = rules("127.0.0.1:8080", Some(TOKEN)).with_commands(Commands::Accepted);
        assert_eq!(post(&closed, &[json]), Access::NoToken);
        let request = Request::builder().method("PUT").header("host", "localhost:8080").body(()).unwrap();
        assert_eq!(open.check(&request), Access::WrongMethod);
    }

    #[test]
    fn a_queue_is_changed_by_our_page_or_by_a_program_with_the_token() {
        let queue = |token| rules("127.0.0.1:8080", token).with_commands(Commands::WithToken);
        let check = |rules: AccessRules, headers: &[(&str, &str)]| {
            let mut request =
                Request::builder().method("POST").uri("/api/queue").header("host", "localhost:8080");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            rules.check(&request.body(()).unwrap())
        };
        let json = ("content-type", "application/json");
        let bearer = ("authorization", "Bearer 0123456789abcdef");
        let cookie = ("cookie", "smalt-8080=0123456789abcdef");
        assert_eq!(check(queue(Some(TOKEN)), &[json, bearer]), Access::Allowed);
        assert_eq!(
            check(queue(Some(TOKEN)), &[json, cookie, ("sec-fetch-site", "same-origin")]),
            Access::Allowed
        );
        assert_eq!(
            check(queue(Some(TOKEN)), &[json, cookie, ("sec-fetch-site", "same-site")]),
            Access::CrossSite
        );
        assert_eq!(check(queue(Some(TOKEN)), &[cookie, ("content-type", "text/plain")]), Access::CrossSite);
        assert_eq!(check(queue(Some(TOKEN)), &[json]), Access::NoToken);
        assert_eq!(check(queue(None), &[json, bearer]), Access::NoToken);
        assert_eq!(check(rules("127.0.0.1:8080", Some(TOKEN)), &[json, bearer]), Access::WrongMethod);
    }
}
