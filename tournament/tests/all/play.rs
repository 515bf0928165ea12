//! The play page as its scripts meet it: commands, the state that comes back, and what is refused.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};

use serde_json::{Value, json};

use crate::page::await_line;
use crate::support::served::{
    HttpResponse, Served, await_event, connect, follow, get, post, request, request_with_body,
};
use crate::support::{Place, duel, scripted, scripted_program, signal};

/// A page with a scripted engine that answers at once.
fn page(place: &Place, script: &str, arguments: &[&str]) -> Served {
    let engine = scripted("robot", script);
    Served::of_command(place, &[&["play", "--engine", &engine, "--serve", "0"], arguments].concat())
}

fn events(served: &Served) -> BufReader<TcpStream> {
    follow(served.address, "/api/play/events")
}

fn send(served: &Served, command: &Value) -> HttpResponse {
    post(served.address, "/api/play", command)
}

fn order(served: &Served, command: &Value) {
    let answer = send(served, command);
    assert_eq!(answer.status, 204, "{command}: {}", answer.body);
}

fn make_move(served: &Served, mv: &str) {
    order(served, &json!({"do": "move", "move": mv}));
}

fn sans(game: &Value) -> String {
    let plies = game["plies"].as_array().unwrap();
    plies.iter().map(|ply| ply["san"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
}

fn plies(game: &Value) -> usize {
    game["plies"].as_array().unwrap().len()
}

#[test]
fn a_game_is_played_to_mate_and_reviewed() {
    let place = Place::new();
    let moves = "f2f3,e7e5,g2g4,d8h4";
    let served = page(&place, &format!("--moves {moves} --info-lines 1 --score 40"), &["--side", "white"]);
    let mut events = events(&served);
    let begun = await_event(&mut events, "game", |_| true);
    assert_eq!((begun["state"].as_str(), begun["names"][0].as_str()), (Some("move"), Some("You")));
    let legal = begun["board"]["legal"].as_array().unwrap();
    assert!(
        legal.len() == 20
            && legal.contains(&json!({"uci": "g1f3", "san": "Nf3", "from": "g1", "to": ["f3"]}))
    );
    make_move(&served, "f2f3");
    let answered = await_event(&mut events, "game", |game| plies(game) == 2);
    assert_eq!((answered["plies"][1]["cp"].as_i64(), answered["state"].as_str()), (Some(-40), Some("move")));
    make_move(&served, "g2g4");
    // The end of the game and of its review may come as one event.
    let over = await_event(&mut events, "game", |game| game["result"].is_string() && game["to_review"] == 0);
    assert_eq!((sans(&over).as_str(), over["result"].as_str()), ("f3 e5 g4 Qh4#", Some("0-1")));
    assert_eq!((over["sentence"].as_str(), over["state"].as_str()), (Some("Black mates"), Some("over")));
    let scored = over["plies"].as_array().unwrap();
    assert!(scored.iter().all(|ply| ply["cp"].is_i64() || ply["mate"].is_i64()), "{scored:?}");
    let pgn = get(served.address, "/api/play/pgn");
    assert!(pgn.head.contains("attachment; filename=\"game.pgn\""), "{}", pgn.head);
    for words in
        ["[White \"Human\"]", "[Black \"robot\"]", "[Result \"0-1\"]", "+0.40/", "Black mates", "Qh4#"]
    {
        assert!(pgn.body.contains(words), "{words}: {}", pgn.body);
    }
    assert_eq!(send(&served, &json!({"do": "move", "move": "a2a3"})).status, 409);
}

#[test]
fn a_game_goes_on_where_a_page_left_it() {
    let place = Place::new();
    let served = page(&place, "--seed 1", &["--side", "white", "--tc", "100+1"]);
    let mut first = events(&served);
    make_move(&served, "e2e4");
    let seen = await_event(&mut first, "game", |game| plies(game) == 2);
    drop(first);
    let mut second = events(&served);
    assert_eq!(await_event(&mut second, "game", |_| true), seen);
    let clocks = await_event(&mut second, "clocks", |_| true);
    assert_eq!(clocks["running"], "white");
    // The clock starts with the first move, which gives its increment.
    assert!(clocks["white_ms"].as_u64().is_some_and(|left| (90_000..=101_000).contains(&left)), "{clocks}");
    assert_eq!(get(served.address, "/api/play").json(), seen);
}

#[test]
fn moves_are_taken_back_and_what_is_illegal_is_refused() {
    let place = Place::new();
    let served = page(&place, "--seed 2", &["--side", "white"]);
    let mut events = events(&served);
    let refused = send(&served, &json!({"do": "take-back"}));
    assert_eq!((refused.status, refused.body.as_str()), (409, "There is no move to take back."));
    assert_eq!(send(&served, &json!({"do": "move", "move": "e2e5"})).status, 409);
    assert_eq!(send(&served, &json!({"do": "move", "move": "<b>"})).status, 409);
    assert_eq!(send(&served, &json!({"do": "dance"})).status, 400);
    make_move(&served, "e2e4");
    await_event(&mut events, "game", |game| plies(game) == 2);
    order(&served, &json!({"do": "take-back"}));
    let back = await_event(&mut events, "game", |game| plies(game) == 0);
    assert_eq!(back["state"], "move");
}

#[test]
fn a_thinking_engine_is_interrupted_by_commands() {
    let place = Place::new();
    let served = page(&place, "--think 600000", &["--side", "black", "--movetime", "600000"]);
    let mut events = events(&served);
    await_event(&mut events, "game", |game| game["state"] == "thinking");
    // A draw offer leaves the search alone, a new game ends it.
    order(&served, &json!({"do": "draw"}));
    let declined = await_event(&mut events, "game", |game| game["notice"].is_string());
    assert_eq!((declined["state"].as_str(), declined["number"].as_u64()), (Some("thinking"), Some(1)));
    order(&served, &json!({"do": "new", "color": "white", "start": "standard", "limits": "movetime=600000"}));
    await_event(&mut events, "game", |game| game["number"] == 2 && game["state"] == "move");
    make_move(&served, "d2d4");
    await_event(&mut events, "game", |game| game["state"] == "thinking");
    order(&served, &json!({"do": "take-back"}));
    await_event(&mut events, "game", |game| game["state"] == "move" && plies(game) == 0);
    make_move(&served, "c2c4");
    order(&served, &json!({"do": "resign"}));
    let over = await_event(&mut events, "game", |game| game["result"].is_string());
    assert_eq!((over["result"].as_str(), over["sentence"].as_str()), (Some("0-1"), Some("White resigns")));
}

#[test]
fn chess960_castles_by_king_takes_rook() {
    let place = Place::new();
    // King f1, rook g1: castling is the first move.
    let served = page(
        &place,
        "--seed 3",
        &["--side", "white", "--fen", "bbqnrkrn/pppppppp/8/8/8/8/PPPPPPPP/BBQNRKRN w GEge - 0 1"],
    );
    let mut events = events(&served);
    let begun = await_event(&mut events, "game", |_| true);
    assert_eq!(begun["chess960"], true);
    let castling = json!({"uci": "f1g1", "san": "O-O", "from": "f1", "to": ["g1"]});
    assert!(begun["board"]["legal"].as_array().unwrap().contains(&castling));
    make_move(&served, "f1g1");
    let moved = await_event(&mut events, "game", |game| plies(game) == 2);
    assert!(sans(&moved).starts_with("O-O "), "{moved}");
    order(
        &served,
        &json!({"do": "new", "color": "white", "start": {"chess960": 0}, "limits": "movetime=100"}),
    );
    let other = await_event(&mut events, "game", |game| game["number"] == 2);
    assert_eq!((other["chess960_start"].as_u64(), other["chess960"].as_bool()), (Some(0), Some(true)));
}

#[test]
fn a_game_of_a_run_and_of_a_pgn_is_played_on() {
    let place = Place::new();
    let (first, second) = (scripted("first", "--seed 1"), scripted("second", "--seed 2"));
    let plan = ["match", "--engine", &first, "--engine", &second, "--games", "2", "--maxmoves", "10"];
    place.check(&[&plan[..], &["--tc", "60+1", "--store", "run.db", "--pgn", "run.pgn"]].concat(), 0);
    let whole = Served::start(&place, &["run.db", "--listen", "0"]);
    let stored = get(whole.address, "/api/runs/0/games/2").json();
    let wanted: Vec<_> =
        stored["plies"].as_array().unwrap()[..7].iter().map(|ply| ply["san"].clone()).collect();
    for start in [&["run.db"][..], &["--pgn", "run.pgn"]] {
        let arguments =
            [&["play", "--listen", "0", "--game", "2", "--ply", "7", "--engine", &first], start].concat();
        let served = Served::of_command(&place, &arguments);
        let game = get(served.address, "/api/play").json();
        let found: Vec<_> = game["plies"].as_array().unwrap().iter().map(|ply| ply["san"].clone()).collect();
        assert_eq!(found, wanted);
        assert_eq!(
            (game["state"].as_str(), game["human"].as_str()),
            (Some("move"), game["board"]["turn"].as_str())
        );
    }
    a_page_with_a_token_serves_play_pages(&place, &wanted);
    // An engine of the run is called by its name there.
    let served =
        Served::of_command(&place, &["play", "run.db", "--game", "1", "--listen", "0", "--engine", "second"]);
    assert_eq!(get(served.address, "/api/play").json()["engine"]["name"], "second");
}

/// The position after the first plies of game 2 is played on from the live page.
fn a_page_with_a_token_serves_play_pages(place: &Place, plies: &[Value]) {
    place.write("token", TOKEN);
    let served = Served::start(place, &["run.db", "--listen", "0", "--token-file", "token"]);
    assert_eq!(play_on(served.address, "builtin", [2, plies.len()], "").status, 401);
    let refused = play_on(served.address, "cmd=/bin/sh", [2, plies.len()], LOGIN);
    assert!(refused.status == 409 && refused.body.contains("this run has no engine"), "{}", refused.body);
    assert_eq!(play_on(served.address, "builtin", [3, plies.len()], LOGIN).status, 409, "there is no game 3");
    let refused = play_on(served.address, "first", [2, plies.len()], LOGIN);
    assert!(
        refused.status == 409 && refused.body.contains("no program that a store names"),
        "{}",
        refused.body
    );
    let game = played_on(served.address, "builtin", [2, plies.len()]);
    let found: Vec<_> = game["plies"].as_array().unwrap().iter().map(|ply| ply["san"].clone()).collect();
    assert_eq!(found, plies);
    assert_ne!(game["engine"]["name"], "first");
}

const TOKEN: &str = "0123456789abcdef";
const LOGIN: &str = "\nAuthorization: Bearer 0123456789abcdef";

fn play_on(address: SocketAddr, engine: &str, [game, ply]: [usize; 2], more: &str) -> HttpResponse {
    let body = json!({"game": game, "ply": ply, "engine": engine}).to_string();
    let head = format!(
        "POST /api/runs/0/play HTTP/1.1\nHost: {address}\nContent-Type: application/json\nContent-Length: {}{more}",
        body.len()
    );
    request_with_body(address, &head, &body)
}

/// The game of the page that plays on.
fn played_on(live: SocketAddr, engine: &str, place: [usize; 2]) -> Value {
    let begun = play_on(live, engine, place, LOGIN);
    let port = begun.body.strip_suffix(&format!("/?token={TOKEN}")).and_then(|port| port.parse().ok());
    let address = SocketAddr::new(live.ip(), port.unwrap_or_else(|| panic!("{}", begun.body)));
    let path = format!("GET /api/play HTTP/1.1\nHost: {address}");
    assert_eq!(request(address, &path).status, 401);
    request(address, &(path + LOGIN)).json()
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn the_page_of_a_run_plays_on_against_its_engines() {
    let place = Place::new();
    place.write("token", TOKEN);
    let (first, second) = (scripted("first", ""), scripted("second", ""));
    let flags = "--depth 1 --games 2 --maxmoves 4 --store run.db --serve 0 --serve-after --token-file token";
    let mut run = place.start(&duel(&first, &second, flags));
    let mut printed = BufReader::new(run.stderr.take().unwrap());
    let line = await_line(&mut printed, "The page: ");
    let address =
        line.trim().trim_start_matches("The page: http://").split('/').next().unwrap().parse().unwrap();
    await_line(&mut printed, "The page is served until Ctrl-C");
    assert_eq!(played_on(address, "first", [2, 1])["engine"]["name"], "first");
    signal(run.id(), "-INT");
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_given_name_is_shown_in_place_of_the_reported_one() {
    let place = Place::new();
    let robot = format!("\"cmd={}\" \"args=--name robot\"", scripted_program());
    for (engine, name) in [(&robot, "robot"), (&format!("{robot} name=weak"), "weak")] {
        let served = Served::of_command(&place, &["play", "--listen", "0", "--engine", engine]);
        assert_eq!(get(served.address, "/api/play").json()["engine"]["name"], name);
    }
}

#[test]
fn the_built_in_engine_plays_at_a_level_gives_hints_and_analyzes_lines() {
    let place = Place::new();
    let arguments = ["play", "--level", "1200", "--movetime", "50", "--side", "white", "--listen", "0"];
    let served = Served::of_command(&place, &arguments);
    let mut events = events(&served);
    let begun = await_event(&mut events, "game", |_| true);
    assert_eq!((begun["level"].as_i64(), begun["engine"]["lines"].as_u64()), (Some(1200), Some(10)));
    order(&served, &json!({"do": "hint"}));
    let hinted = await_event(&mut events, "game", |game| game["hint"].is_object());
    assert!(begun["board"]["legal"].as_array().unwrap().iter().any(|mv| mv["san"] == hinted["hint"]["san"]));
    make_move(&served, "e2e4");
    await_event(&mut events, "game", |game| plies(game) == 2 && game["hint"].is_null());
    order(&served, &json!({"do": "analyze", "ply": 1, "moves": ["e7e5", "f2f4"], "lines": 3}));
    let analyzed = await_event(&mut events, "game", |game| game["state"] == "analysis");
    let tried: Vec<_> = analyzed["analysis"]["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mv| mv["san"].as_str().unwrap())
        .collect();
    assert_eq!((tried, plies(&analyzed)), (vec!["e5", "f4"], 2));
    let thought = await_event(&mut events, "thinking", |thought| {
        thought["purpose"] == "analysis" && thought["lines"].as_array().is_some_and(|lines| lines.len() == 3)
    });
    let first = |line: usize| thought["lines"][line]["line"][0].clone();
    assert!(first(0) != first(1) && first(1) != first(2), "{thought}");
    order(&served, &json!({"do": "play"}));
    let back = await_event(&mut events, "game", |game| game["state"] == "move");
    assert_eq!(plies(&back), 2);
    order(&served, &json!({"do": "analyze", "ply": 1, "moves": ["e7e5", "f2f4"], "lines": 1}));
    order(
        &served,
        &json!({"do": "new", "color": "white", "start": "here", "limits": "movetime=50", "level": 800}),
    );
    let other = await_event(&mut events, "game", |game| plies(game) == 4);
    assert!(sans(&other).starts_with("e4 e5 f4 "), "{other}");
    let refused = send(
        &served,
        &json!({"do": "new", "color": "white", "start": "standard", "limits": "movetime=50", "level": 1}),
    );
    assert_eq!((refused.status, refused.body.contains("800 to 3630")), (409, true), "{}", refused.body);
}

#[test]
fn an_engine_of_the_xboard_protocol_plays_and_analyzes() {
    let place = Place::new();
    let served =
        page(&place, "--speak xboard --info-lines 2 --think 20", &["--side", "white", "--depth", "3"]);
    let mut events = events(&served);
    make_move(&served, "e2e4");
    await_event(&mut events, "game", |game| plies(game) == 2);
    order(&served, &json!({"do": "analyze", "ply": 2, "lines": 1}));
    await_event(&mut events, "thinking", |thought| {
        thought["purpose"] == "analysis" && thought["lines"][0].is_object()
    });
    order(&served, &json!({"do": "play"}));
    make_move(&served, "a2a3");
    await_event(&mut events, "game", |game| plies(game) == 4);
}

#[test]
fn an_engine_that_fails_can_be_started_again() {
    let place = Place::new();
    let served = page(&place, "--fault crash@2", &["--side", "white"]);
    let mut events = events(&served);
    make_move(&served, "e2e4");
    await_event(&mut events, "game", |game| plies(game) == 2);
    make_move(&served, "a2a3");
    let failed = await_event(&mut events, "game", |game| game["problem"].is_string());
    assert_eq!(plies(&failed), 3);
    order(&served, &json!({"do": "restart"}));
    await_event(&mut events, "game", |game| plies(game) == 4 && game["problem"].is_null());
}

#[test]
fn a_side_without_time_has_lost() {
    let place = Place::new();
    let served = page(&place, "--seed 5", &["--side", "white", "--tc", "0.3"]);
    let mut events = events(&served);
    make_move(&served, "e2e4");
    let over = await_event(&mut events, "game", |game| game["result"].is_string());
    assert_eq!(
        (over["result"].as_str(), over["sentence"].as_str()),
        (Some("0-1"), Some("White loses on time"))
    );
    let clocks = await_event(&mut events, "clocks", |clocks| clocks["running"].is_null());
    assert_eq!(clocks["white_ms"], 0, "{clocks}");
}

/// Neither clock counts the time during which the server does not run.
#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_suspended_server_costs_no_time() {
    let place = Place::new();
    let served = page(&place, "--think 300 --info-lines 3", &["--side", "white", "--tc", "1.5"]);
    let mut events = events(&served);
    let suspend = || {
        signal(served.child.id(), "-STOP");
        // Longer than both clocks and the grace of the engine.
        std::thread::sleep(std::time::Duration::from_secs(3));
        signal(served.child.id(), "-CONT");
    };
    make_move(&served, "e2e4");
    await_event(&mut events, "game", |game| game["state"] == "thinking");
    suspend();
    let answered = await_event(&mut events, "game", |game| plies(game) == 2 || game["result"].is_string());
    assert!(answered["result"].is_null(), "{answered}");
    suspend();
    make_move(&served, "a2a3");
    let game = await_event(&mut events, "game", |game| plies(game) == 4 || game["result"].is_string());
    assert!(game["result"].is_null(), "{game}");
}

#[test]
fn commands_come_from_the_own_page_with_the_token() {
    let place = Place::new();
    let served = page(&place, "", &["--side", "white", "--token-file", "token"]);
    let (address, token) = (served.address, place.read("token"));
    let body = json!({"do": "move", "move": "e2e4"}).to_string();
    let try_post = |headers: &str| -> u16 {
        let mut stream = connect(address);
        let length = body.len();
        let head = format!(
            "POST /api/play HTTP/1.1\nHost: {address}\nContent-Length: {length}\nConnection: close\n{headers}"
        );
        stream.write_all(format!("{}\r\n\r\n{body}", head.replace('\n', "\r\n")).as_bytes()).unwrap();
        HttpResponse::read(&mut stream).status
    };
    let bearer = format!("Authorization: Bearer {}", token.trim());
    let json = "Content-Type: application/json";
    assert_eq!(try_post(json), 401);
    assert_eq!(try_post(&bearer), 403);
    assert_eq!(try_post(&format!("{json}\n{bearer}\nOrigin: http://evil.example")), 403);
    assert_eq!(try_post(&format!("{json}\n{bearer}\nSec-Fetch-Site: cross-site")), 403);
    assert_eq!(get(address, "/api/play").status, 401);
    assert_eq!(try_post(&format!("{json}\n{bearer}\nOrigin: http://{address}")), 204);
    let check = |text: &str, status: u16| assert_eq!(request(address, text).status, status, "{text}");
    check(&format!("PUT /api/play HTTP/1.1\nHost: {address}\n{bearer}"), 405);
    check(&format!("GET / HTTP/1.1\nHost: evil.example\n{bearer}"), 421);
    check(&format!("GET / HTTP/1.1\nHost: {address}\n{bearer}"), 200);
}

#[test]
fn a_long_command_is_refused() {
    let place = Place::new();
    let served = page(&place, "", &["--side", "white"]);
    let address: SocketAddr = served.address;
    let head = format!(
        "POST /api/play HTTP/1.1\nHost: {address}\nContent-Type: application/json\nContent-Length: 5000000"
    );
    // The length alone is enough.
    assert_eq!(request(address, &head).status, 413);
}

#[test]
fn what_cannot_be_played_is_refused_before_anything_is_served() {
    let place = Place::new();
    let check = |arguments: &[&str], words: &str| {
        let (_, printed) = place.check(&[&["play", "--listen", "0"], arguments].concat(), 2);
        assert!(printed.contains(words), "{words}: {printed}");
    };
    check(&["--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], "the FEN: ");
    check(&["--chess960=960"], "0 to 959");
    check(&["--level", "5000"], "800 to 3630");
    check(&["--game", "1"], "RUN.db or --pgn");
    check(&["--tc", "inf"], "ends no search");
    check(&["--engine", "no-such-engine"], "no-such-engine");
    let robot = scripted("robot", "");
    check(&["--engine", &robot, "--level", "1500"], "UCI_Elo");
}
