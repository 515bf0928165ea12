//! The live page over HTTP: addresses, headers, access, and events during a run.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;
use smalt_dashboard::{BoundAddress, ClientLimits, Dashboard, DashboardError, DashboardSettings, Token};

use crate::support::served::{self, HttpResponse, Served, await_event, connect, get, request};
use crate::support::{Place, duel, scripted, signal};

const HOSTILE: &str = "<img src=x onerror=alert(1)>";

/// A finished run: a hostile name, an illegal move, and quick games.
fn finished_run(place: &Place, store: &str) {
    let hostile = scripted("mild", "--info-lines 1 --score 31 --fault illegal-move@6");
    let hostile = hostile.replace("name=mild ", &format!("\"name={HOSTILE}\" "));
    let other = scripted("other", "--seed 4");
    place.check(
        &[
            "match", "--engine", &hostile, "--engine", &other, "--games", "4", "--maxmoves", "20", "--tc",
            "60+1", "--store", store,
        ],
        0,
    );
}

#[test]
fn the_page_and_its_files_come_with_strict_headers() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    for path in ["/", "/page.js", "/style.css", "/favicon.svg", "/api/runs", "/nothing"] {
        let answer = get(served.address, path);
        assert_eq!(answer.status, if path == "/nothing" { 404 } else { 200 }, "{path}");
        let policy = "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';";
        let headers = [
            policy,
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "cross-origin-resource-policy: same-origin",
        ];
        for header in headers {
            assert!(answer.head.contains(header), "{path}: {header}\n{}", answer.head);
        }
    }
    let page = get(served.address, "/");
    assert!(page.head.contains("content-type: text/html; charset=utf-8"));
    // No inline scripts or styles, which the policy forbids, and no external resources.
    assert!(!page.body.contains("<script>") && !page.body.contains("style=") && !page.body.contains("http"));
    let tag = page.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let again =
        request(served.address, &format!("GET / HTTP/1.1\nHost: {}\nIf-None-Match: {tag}", served.address));
    assert_eq!((again.status, again.body.as_str()), (304, ""));
}

#[test]
fn a_finished_run_can_be_looked_through() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    let get = |path: &str| get(served.address, path);
    let run = get("/api/runs/0").json();
    assert_eq!((run["state"].as_str(), run["store"].as_str()), (Some("finished"), Some("run.db")));
    assert_eq!(run["results"]["games_finished"], 4);
    assert_eq!(run["results"]["entrants"][0]["name"], HOSTILE);
    assert!(run["entrants"][0]["lowest_left"].as_f64().is_some_and(|left| left > 0.0), "{run}");
    assert_eq!(get("/api/runs").json()[0]["name"], run["name"]);

    let all = get("/api/runs/0/games").json();
    assert_eq!((all["total"].as_u64(), all["games"].as_array().unwrap().len()), (Some(4), 4));
    let last = &run["last_game"];
    // The last one to end, which need not have the highest number.
    let listed = all["games"].as_array().unwrap().iter().find(|game| game["number"] == last["number"]);
    assert_eq!(last["result"], listed.unwrap()["result"]);
    let entrants = run["results"]["entrants"].as_array().unwrap();
    let [leader, other] = [1, 2].map(|rank| entrants.iter().find(|entrant| entrant["rank"] == rank).unwrap());
    let lead = serde_json::json!({ "name": leader["name"], "ahead_of": other["name"], "los": leader["los"] });
    assert_eq!(run["results"]["leader"], lead);
    let faulty = get("/api/runs/0/games?ending=fault&engine=0&result=loss").json();
    let number = faulty["games"][0]["number"].as_u64().unwrap();
    assert_eq!(faulty["games"][0]["ending"], "illegal move");

    let game = get(&format!("/api/runs/0/games/{number}")).json();
    let lines = game["fault"]["transcript"].as_array().unwrap();
    assert!(lines.iter().any(|line| line.as_str().unwrap().contains("bestmove")), "{lines:?}");
    let plies = game["plies"].as_array().unwrap();
    let moved = plies.iter().find(|ply| ply["cp"].is_number()).expect("a side tells its score");
    assert!(
        moved["fen"].as_str().unwrap().ends_with(char::is_numeric)
            && !moved["san"].as_str().unwrap().is_empty()
    );
    assert!(moved["left_ms"].as_f64().is_some_and(|left| left > 59_000.0), "{moved}");

    let pgn = get(&format!("/api/runs/0/games/{number}/pgn"));
    assert!(pgn.head.contains(&format!("attachment; filename=\"game-{number}.pgn\"")));
    assert!(pgn.body.contains("[Termination \"illegal move\"]"), "{}", pgn.body);
    let faults = get("/api/runs/0/faults").json();
    let printed = faults["faults"].as_array().unwrap().len() as u64;
    assert_eq!((&faults["total"], Some(printed)), (&faulty["total"], faulty["total"].as_u64()));
    assert_eq!(get("/api/runs/0/games?engine=1&against=0").json()["total"], 4);
    // The last point of a curve equals the table.
    for entrant in 0..2 {
        let elo = get(&format!("/api/runs/0/curves?entrant={entrant}")).json()["elo"].clone();
        let printed = &run["results"]["entrants"][entrant];
        let last = serde_json::json!([4, printed["elo"], printed["elo_low"], printed["elo_high"]]);
        assert_eq!(elo.as_array().unwrap().last(), Some(&last));
        assert!(last[2].is_number() || last[3].is_number(), "it has an interval: {last}");
    }
}

#[test]
fn what_is_not_there_is_not_found_and_nothing_else_is_opened() {
    let place = Place::new();
    finished_run(&place, "run.db");
    place.write("secret.js", "secret");
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    for path in [
        "/secret.js", "/../secret.js", "/%2e%2e/secret.js", "/assets/../../secret.js", "//etc/passwd",
        "/api/runs/1", "/api/runs/0/games/0", "/api/runs/0/games/99", "/api/runs/0/curves?entrant=7",
        "/api/runs/0/games/1/pgn/..",
    ] {
        assert_eq!(get(served.address, path).status, 404, "{path}");
    }
    for path in
        ["/api/runs/x", "/api/runs/-1/games", "/api/runs/0/games?engine=x", "/api/runs/0/games/99999999999"]
    {
        assert_eq!(get(served.address, path).status, 400, "{path}");
    }
}

#[test]
fn only_reads_under_a_known_host_name_are_answered() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let served = Served::start(&place, &["run.db", "--listen", "0", "--host", "chess.lan"]);
    let port = served.address.port();
    let check = |text: &str, status: u16| assert_eq!(request(served.address, text).status, status, "{text}");
    check(&format!("GET /api/runs HTTP/1.1\nHost: localhost:{port}"), 200);
    check(&format!("GET /api/runs HTTP/1.1\nHost: chess.lan:{port}"), 200);
    check(&format!("HEAD / HTTP/1.1\nHost: localhost:{port}"), 200);
    check(&format!("GET /api/runs HTTP/1.1\nHost: evil.example:{port}"), 421);
    check("GET /api/runs HTTP/1.1\nHost: localhost", 421);
    check("GET /api/runs HTTP/1.1", 421);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"] {
        check(&format!("{method} /api/runs HTTP/1.1\nHost: localhost:{port}\nContent-Length: 0"), 405);
    }
    check(&format!("GET /api/runs HTTP/1.1\nHost: localhost:{port}\nSec-Fetch-Site: cross-site"), 403);
    let long = "x".repeat(20_000);
    check(&format!("GET /{long} HTTP/1.1\nHost: localhost:{port}"), 431);
}

#[test]
fn a_token_opens_the_page_once_and_stays_in_the_browser() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let arguments = ["run.db", "--listen", "0", "--token-file", "token"];
    let served = Served::start(&place, &arguments);
    let (address, token) = (served.address, place.read("token"));
    let token = token.trim();
    assert!(served.url.contains(&format!("?token={token}")), "{}", served.url);
    let door = get(address, "/");
    assert!(door.status == 401 && door.body.contains("asks for a token"), "{}", door.body);
    assert_eq!(get(address, "/api/runs").status, 401);
    assert_eq!(get(address, "/api/runs/0/events").status, 401);
    assert_eq!(get(address, &format!("/?token={}", token.replace(char::is_numeric, "0"))).status, 401);
    let welcome = get(address, &format!("/?token={token}"));
    assert!(welcome.status == 303 && welcome.head.contains("location: /\r\n"), "{}", welcome.head);
    let cookie = welcome.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    assert!(cookie.contains("httponly") && cookie.contains("samesite="), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let with = |header: &str| request(address, &format!("GET /api/runs HTTP/1.1\nHost: {address}\n{header}"));
    assert_eq!(with(&format!("Cookie: {cookie}")).status, 200);
    assert_eq!(with(&format!("Authorization: Bearer {token}")).status, 200);
    assert_eq!(with("Authorization: Bearer wrong-but-long-enough").status, 401);
    // The file is kept, so that browsers keep their token.
    drop(served);
    let again = Served::start(&place, &arguments);
    let request = format!("GET /api/runs HTTP/1.1\nHost: {}\nAuthorization: Bearer {token}", again.address);
    assert_eq!(self::request(again.address, &request).status, 200);
}

fn follow(address: SocketAddr) -> BufReader<TcpStream> {
    served::follow(address, "/api/runs/0/events")
}

fn slow_match(place: &Place, games: &str, more: &[&str]) -> Child {
    let engines =
        [scripted("first", "--think 4 --info-lines 1 --score 15"), scripted("second", "--think 4 --seed 3")];
    let arguments = [
        &["match", "--engine", &engines[0], "--engine", &engines[1], "--games", games, "--maxmoves", "30"][..],
        &["--tc", "60+1", "--concurrency", "2", "--store", "run.db"],
        more,
    ];
    place.start(&arguments.concat())
}

#[test]
fn a_run_is_followed_while_it_is_played_and_servers_come_and_go() {
    let place = Place::new();
    let mut run = slow_match(&place, "400", &[]);
    place.await_games("run.db", 1);
    let mut finished = 0;
    for _ in 0..2 {
        let served = Served::start(&place, &["run.db", "--listen", "0"]);
        let mut events = follow(served.address);
        let seen = |run: &Value| run["results"]["games_finished"].as_u64().unwrap_or(0);
        let first = await_event(&mut events, "run", |run| seen(run) > finished);
        assert_eq!(first["state"], "running");
        finished = seen(&first);
        let boards = await_event(&mut events, "boards", |news| news["count"] == 2);
        let ply = |news: &Value| (news["boards"][0]["number"].as_u64(), news["boards"][0]["ply"].as_u64());
        let moved = await_event(&mut events, "boards", |news| ply(news) != ply(&boards));
        let board = &moved["boards"][0];
        assert!(board["sides"][0]["left_ms"].as_u64().is_some_and(|left| left > 50_000), "{board}");
        assert!(board["fen"].as_str().unwrap().contains('/'));
        finished = seen(&await_event(&mut events, "run", |run| seen(run) > finished));
    }
    assert!(run.try_wait().unwrap().is_none(), "the run continues");
    run.kill().unwrap();
    run.wait().unwrap();
    place.await_nobody();
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    assert_eq!(get(served.address, "/api/runs/0").json()["state"], "stopped");
}

#[test]
fn the_page_of_a_run_ends_with_it() {
    let place = Place::new();
    let mut run = slow_match(&place, "30", &["--serve", "0"]);
    let mut printed = BufReader::new(run.stderr.take().unwrap());
    let line = await_line(&mut printed, "The page: ");
    let address = line.trim().trim_start_matches("The page: http://").trim_end_matches('/').parse().unwrap();
    let mut events = follow(address);
    let mut silent = follow(address);
    await_event(&mut events, "boards", |news| news["count"].as_u64() > Some(0));
    let last = await_event(&mut events, "run", |run| run["state"] == "finished");
    assert_eq!(last["results"]["games_finished"], 30);
    // The last state is still available.
    assert_eq!(get(address, "/api/runs/0/curves").status, 200);
    // A client that reads to the end receives it, and none blocks the program.
    let mut rest = String::new();
    events.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: end\n"), "{rest}");
    assert!(run.wait().unwrap().success());
    let mut last_words = String::new();
    printed.read_to_string(&mut last_words).unwrap();
    assert!(last_words.contains("show it again with: smalt-tournament serve "), "{last_words}");
    silent.read_to_string(&mut rest).unwrap();
    let left: Vec<_> =
        ["run.db-wal", "run.db-shm", "run.db-live"].iter().filter(|name| place.path(name).exists()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Reads lines until one with this prefix.
pub(crate) fn await_line(printed: &mut impl BufRead, begin: &str) -> String {
    let mut line = String::new();
    while !line.starts_with(begin) {
        line.clear();
        assert!(printed.read_line(&mut line).unwrap() > 0, "no line began with {begin:?}");
    }
    line
}

#[test]
fn a_resumed_run_is_shown_with_its_begin_and_its_resume() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let times = || {
        let served = Served::start(&place, &["run.db", "--listen", "0"]);
        let run = get(served.address, "/api/runs/0").json();
        ["started_ms", "session_started_ms"].map(|time| run[time].as_u64().unwrap())
    };
    let [begun, first] = times();
    place.check(&["resume", "run.db", "--games", "6"], 0);
    let [again, resumed] = times();
    assert!(begun == again && begun <= first && first < resumed, "{begun} {first} {again} {resumed}");
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_page_that_is_asked_to_stays_when_the_run_is_over() {
    let place = Place::new();
    let mut run = slow_match(&place, "4", &["--serve", "0", "--serve-after", "--json", "run.json"]);
    let mut printed = BufReader::new(run.stderr.take().unwrap());
    let line = await_line(&mut printed, "The page: ");
    let address = line.trim().trim_start_matches("The page: http://").trim_end_matches('/').parse().unwrap();
    await_line(&mut printed, "The page is served until Ctrl-C");
    assert_eq!(serde_json::from_str::<Value>(&place.read("run.json")).unwrap()["games_finished"], 4);
    assert_eq!(get(address, "/api/runs/0").json()["state"], "finished");
    for game in 1..=4 {
        assert!(
            !get(address, &format!("/api/runs/0/games/{game}")).json()["plies"]
                .as_array()
                .unwrap()
                .is_empty()
        );
    }
    signal(run.id(), "-INT");
    assert!(run.wait().unwrap().success(), "how the run ended decides");
}

#[test]
fn several_runs_stand_in_one_list() {
    let place = Place::new();
    finished_run(&place, "one.db");
    finished_run(&place, "two.db");
    let served = Served::start(&place, &["one.db", "two.db", "--listen", "0"]);
    let runs = get(served.address, "/api/runs").json();
    let stores: Vec<_> = runs.as_array().unwrap().iter().map(|run| run["store"].as_str().unwrap()).collect();
    assert_eq!(stores, ["one.db", "two.db"]);
    assert_eq!(get(served.address, "/api/runs/1").json()["store"], "two.db");
    let (_, err) = place.check(&["serve", "one.db", "three.db"], 2);
    assert!(err.contains("three.db"), "{err}");
}

/// A server of the store `run.db`.
fn serve(place: &Place, token: Option<Token>, limits: ClientLimits) -> Dashboard {
    let address = BoundAddress::bind("127.0.0.1:0".parse().unwrap(), token).unwrap();
    Dashboard::start(
        address,
        DashboardSettings {
            stores: vec![place.path("run.db")],
            hosts: Vec::new(),
            limits,
            queue: None,
            commands: None,
        },
    )
    .unwrap()
}

#[test]
fn followers_are_counted_and_the_slow_are_dropped() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let limits = ClientLimits {
        connections: 6,
        followers: 2,
        reading: Duration::from_millis(300),
        writing: Duration::from_millis(300),
        ..ClientLimits::default()
    };
    let page = serve(&place, None, limits);
    let address = page.address();
    let mut followers: Vec<_> = (0..2).map(|_| follow(address)).collect();
    followers.iter_mut().for_each(|events| drop(await_event(events, "run", |run| run["id"] == 0)));
    let refused = get(address, "/api/runs/0/events");
    assert!(refused.status == 503 && refused.head.contains("retry-after"), "{}", refused.head);
    // A client that stops within a request is disconnected soon.
    let mut slow: Vec<_> = (0..4).map(|_| connect(address)).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap());
    assert_eq!(get(address, "/api/runs").status, 200);
    let mut rest = Vec::new();
    slow.iter_mut().for_each(|stream| drop(stream.read_to_end(&mut rest)));
    // A client that does not read is disconnected too.
    let mut deaf = connect(address);
    let asked = format!("GET /style.css HTTP/1.1\r\nHost: {address}\r\n\r\n").repeat(1000);
    let error =
        (0..10_000).find_map(|_| deaf.write_all(asked.as_bytes()).err()).expect("nobody takes that much");
    assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
    assert_eq!(get(address, "/api/runs").status, 200);
}

#[test]
fn idle_connections_give_way_to_new_requests() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let limits = ClientLimits {
        connections: 4,
        grace: Duration::from_millis(20),
        reading: Duration::from_secs(600),
        ..ClientLimits::default()
    };
    let page = serve(&place, None, limits);
    let address = page.address();
    let mut follower = follow(address);
    await_event(&mut follower, "run", |run| run["id"] == 0);
    let mut idle: Vec<_> = (0..12).map(|_| connect(address)).collect();
    assert_eq!(get(address, "/api/runs").status, 200);
    assert_eq!(idle[0].read(&mut [0]).unwrap(), 0, "the longest idle is closed");
    drop(page);
    let mut rest = String::new();
    follower.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: end\n"), "who follows a run is not idle: {rest}");
}

#[test]
fn a_client_without_the_token_cannot_take_all_connections() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let limits = ClientLimits {
        connections: 8,
        grace: Duration::from_millis(20),
        reading: Duration::from_secs(600),
        ..ClientLimits::default()
    };
    let token = Token::random().unwrap();
    let page = serve(&place, Some(token.clone()), limits);
    let address = page.address();
    let knowing = format!("Authorization: Bearer {}\r\n", token.as_text());
    // A follower keeps its connection and counts as authenticated.
    let mut follower = connect(address);
    write!(follower, "GET /api/runs/0/events HTTP/1.1\r\nHost: {address}\r\n{knowing}\r\n").unwrap();
    let mut follower = BufReader::new(follower);
    await_event(&mut follower, "run", |run| run["id"] == 0);
    // More silent connections than the limit: each replaces an earlier one.
    let mut silent: Vec<_> = (0..20).map(|_| connect(address)).collect();
    let answer = request(address, &format!("GET /api/runs HTTP/1.1\nHost: {address}\n{}", knowing.trim()));
    assert_eq!(answer.status, 200);
    for stream in silent.iter_mut().take(13) {
        let end = stream.read_to_end(&mut Vec::new());
        assert!(!end.is_err_and(|error| error.kind() == ErrorKind::WouldBlock), "it gave way to another");
    }
    // A client without the token does not delay others.
    let door = request(address, &format!("GET / HTTP/1.1\nHost: {address}"));
    assert!(door.status == 401 && door.head.contains("connection: close"), "{}", door.head);
    drop(page);
    let mut rest = String::new();
    follower.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: end\n"), "{rest}");
}

#[test]
fn many_clients_of_one_address_at_once_are_all_answered() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let token = Token::random().unwrap();
    let page = serve(&place, Some(token.clone()), ClientLimits::default());
    let address = page.address();
    // All are connected before the first request.
    let mut clients: Vec<_> = (0..64).map(|_| connect(address)).collect();
    let request = format!(
        "GET /api/runs HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
        token.as_text()
    );
    clients.iter_mut().for_each(|client| client.write_all(request.as_bytes()).unwrap());
    let answered = clients.iter_mut().filter_map(|client| {
        let answer = HttpResponse::read(client);
        (answer.status == 200).then_some(answer)
    });
    assert_eq!(answered.count(), 64);
}

#[test]
fn an_address_that_others_reach_wants_a_token() {
    let open = "0.0.0.0:0".parse().unwrap();
    assert!(matches!(BoundAddress::bind(open, None), Err(DashboardError::Open(_))));
    assert!(BoundAddress::bind(open, Some(Token::random().unwrap())).is_ok());
}

#[test]
fn every_printed_address_works() {
    let place = Place::new();
    finished_run(&place, "run.db");
    let mut child = place
        .command(&["serve", "run.db", "--listen", "0.0.0.0:0", "--host", "localhost"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut urls = Vec::new();
    while urls.last().is_none_or(|url: &String| !url.starts_with("http://127.0.0.1:")) {
        urls.push(lines.next().expect("the last is this machine's own"));
    }
    assert!(urls.iter().any(|url| url.starts_with("http://localhost:")), "{urls:?}");
    for url in urls {
        let (host, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap_or_else(|error| panic!("{url}: {error}"));
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        assert_eq!(HttpResponse::read(&mut stream).status, 303, "{url}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_port_that_is_taken_is_refused_before_the_run_begins() {
    let place = Place::new();
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = other.local_addr().unwrap().port().to_string();
    let (first, second) = (scripted("first", ""), scripted("second", ""));
    let arguments = [
        "match", "--engine", &first, "--engine", &second, "--depth", "1", "--store", "run.db", "--serve",
        &port,
    ];
    let (_, err) = place.check(&arguments, 2);
    assert!(err.contains("the page: failed to listen") && err.contains("another port with --serve"), "{err}");
    assert!(!place.path("run.db").exists() && !place.path("run.pgn").exists());
}

#[test]
fn runs_are_controlled_from_the_own_page_with_a_token_alone() {
    let place = Place::new();
    let (good, slow) = (scripted("good", ""), scripted("slow", "--think 1"));
    let mut run = place.start(&duel(
        &good,
        &slow,
        "--depth 1 --games 400 --maxmoves 20 --concurrency 1 --store run.db",
    ));
    place.await_games("run.db", 1);
    let post = |address: SocketAddr, path: &str, more: &str, body: &str| {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\nHost: {address}\nContent-Type: application/json\nContent-Length: {length}{more}"
        );
        crate::support::served::request_with_body(address, &head, body)
    };
    let open = Served::start(&place, &["run.db", "--listen", "0"]);
    let path = "/api/runs/0/commands";
    let pause = "{\"words\": [\"pause\"]}";
    assert_eq!(post(open.address, path, "", pause).status, 405, "a page without a token changes nothing");
    assert_eq!(get(open.address, "/api/commands").body, "null");
    drop(open);
    place.write("token", "0123456789abcdef");
    let served = Served::start(&place, &["run.db", "--listen", "0", "--token-file", "token"]);
    let token = "\nAuthorization: Bearer 0123456789abcdef";
    let send = |words: &str| post(served.address, path, token, &format!("{{\"words\": {words}}}"));
    assert_eq!(post(served.address, path, "", pause).status, 401);
    let foreign = format!("{token}\nOrigin: http://evil.example");
    assert_eq!(post(served.address, path, &foreign, pause).status, 403);
    let refused = send("[\"add\", \"cmd=/bin/sh\"]");
    assert!(refused.status == 409 && refused.body.contains("registry only"), "{}", refused.body);
    let paused = send("[\"pause\"]");
    assert!(paused.status == 200 && paused.body.starts_with("Paused"), "{}", paused.body);
    let extended = send("[\"extend\", \"2\"]");
    assert!(extended.status == 200 && extended.body.contains("2 further games"), "{}", extended.body);
    assert_eq!(place.results("run.db")["games_planned"], 402);
    assert_eq!(post(served.address, "/api/runs/7/commands", token, pause).status, 404);
    let epd = "{\"epd\": \"4k3/8/8/8/8/8/4P3/4K3 w - - am e4;\"}";
    assert_eq!(post(served.address, "/api/runs/0/positions", token, epd).body, "Added to run.lost.epd");
    assert_eq!(place.read("run.lost.epd"), "4k3/8/8/8/8/8/4P3/4K3 w - - am e4;\n");
    assert_eq!(post(served.address, "/api/runs/0/positions", "", epd).status, 401);
    run.kill().unwrap();
    let _ = run.wait_with_output();
}
