//! Randomly damaged stores: every reader reports the damage, or shows the original data. No reader panics.
//!
//! SMALT_MUTATIONS sets the number of damaged files.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use rusqlite::Connection;
use smalt_chess::{Color, DrawClaims, Game, Outcome, UciMove};
use smalt_dashboard::{BoundAddress, ClientLimits, Dashboard, DashboardSettings};
use smalt_match::game::{EngineFault, FaultReport, GameRecord, PlyRecord, SearchRecord, Termination};
use smalt_match::pgn::PgnWriter;
use smalt_match::plan::{self, Plan};
use smalt_match::schedule::ScheduledGame;
use smalt_match::setup::Prepared;
use smalt_match::standings::{Standings, json, report};
use smalt_match::store::{Store, StoreError, StoredRun};
use smalt_testing::Random;
use smalt_workbench::entrant::Registry;

use crate::support::Place;

const PLAN: &str = "
    run.format = \"match\"
    clock.tc = \"10+0.1\"
    [[entrant]]
    name = \"first\"
    cmd = \"first\"
    [[entrant]]
    name = \"second\"
    cmd = \"second\"
    ";

fn game(number: u32, random: &mut Random) -> GameRecord {
    let mut game = Game::default();
    let mut plies = Vec::new();
    while plies.len() < 30 && game.ending(DrawClaims::Automatic).is_none() {
        let moves = game.position().legal_moves();
        let mv = moves[random.below(moves.len())];
        let search = SearchRecord {
            depth: Some(9),
            nodes: Some(12_345),
            elapsed: Duration::from_millis(90),
            left: Some(Duration::from_secs(9)),
            ..SearchRecord::default()
        };
        let mode = smalt_chess::CastlingMode::of(game.position());
        plies.push(PlyRecord { mv: UciMove::from_move(mv, mode), search: Some(search) });
        game.play(mv).unwrap();
    }
    let loser = game.position().turn();
    let fault = number.is_multiple_of(3).then(|| FaultReport {
        color: loser,
        name: "crashed".to_owned(),
        words: "was ended by SIGSEGV".to_owned(),
        transcript: vec!["> go".to_owned()],
        illegal_move: None,
        overrun: None,
    });
    let white = (number % 2) as usize;
    GameRecord {
        game: ScheduledGame { number, pair: number / 2, round: 0, white, black: 1 - white, opening: 0 },
        fen: None,
        plies,
        outcome: Outcome::Win(if loser == Color::White { Color::Black } else { Color::White }),
        termination: if fault.is_some() { Termination::Disconnect } else { Termination::Resignation },
        started: UNIX_EPOCH + Duration::from_secs(1_700_000_000 + u64::from(number)),
        duration: Duration::from_secs(3),
        fault,
        peak_memory: [Some(1 << 20), None],
        machine: None,
    }
}

/// A store of a few games, closed.
fn write_store(path: &Path) {
    let run = StoredRun {
        created: UNIX_EPOCH + Duration::from_secs(1_700_000_000),
        plan: plan::Settings::parse(PLAN, "plan").unwrap().to_toml(),
        openings: "none".to_owned(),
    };
    let mut store = Store::create(path, &run).unwrap();
    let mut random = Random(1);
    store.begin_session(1).unwrap();
    store.save_engine(0, "First 1.0", "Somebody").unwrap();
    for number in 0..16 {
        store.save(&game(number, &mut random)).unwrap();
    }
    let fault = EngineFault {
        entrant: 1,
        name: "stalled".to_owned(),
        words: "did not start".to_owned(),
        transcript: Vec::new(),
    };
    store.save_fault(&fault).unwrap();
    store.save_disqualification(1, "failed to start").unwrap();
    store.end_session().unwrap();
    store.close();
}

/// Output of all readers about the games of a store: table, JSON, PGN. `None` if they refuse it.
fn shown(path: &Path) -> Option<String> {
    let refused = |error: StoreError| {
        let is_plain = matches!(
            error,
            StoreError::Damaged { .. }
                | StoreError::Foreign(_)
                | StoreError::Newer { .. }
                | StoreError::Open { .. }
        );
        assert!(is_plain, "{error}");
    };
    let store = Store::read(path).map_err(refused).ok()?;
    let run = store.run().map_err(refused).ok()?;
    let plan =
        Plan::of_layers(plan::Settings::parse_layer(&run.plan, "plan").ok()?, &Registry::default()).ok()?;
    let prepared = Prepared::without_openings(plan);
    let mut standings = Standings::new(&prepared);
    let writer = PgnWriter::new(&prepared.plan, Arc::default());
    let mut text = String::new();
    store
        .for_each_game(|record| {
            standings.add(&record);
            text += &writer.write(&record);
        })
        .map_err(refused)
        .ok()?;
    text += &report::full(&standings);
    text += &serde_json::to_string(&json::ResultsJson::of(&standings)).unwrap();
    // Events outside games have no checksum: they are read, and may differ.
    standings.add_between_games(&store).map_err(refused).ok()?;
    store.for_each_fault(|_| {}).map_err(refused).ok()?;
    store.last_faults(5).map_err(refused).ok()?;
    store.latest_session().map_err(refused).ok()?;
    store.engines().map_err(refused).ok()?;
    store.machines().map_err(refused).ok()?;
    report::full(&standings);
    Some(text)
}

/// Changes some bytes of a file.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    const PAGE: usize = 4096;
    if bytes.len() < PAGE {
        return;
    }
    let place = random.below(bytes.len());
    match random.below(8) {
        0..4 => bytes[place] ^= 1 << random.below(8),
        4 => bytes[place] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
        5 => {
            let end = (place + 1 + random.below(64)).min(bytes.len());
            bytes[place..end].fill([0, 0xa5, 0xff][random.below(3)]);
        }
        6 => {
            let (from, to) =
                (random.below(bytes.len() / PAGE) * PAGE, random.below(bytes.len() / PAGE) * PAGE);
            bytes.copy_within(from..from + PAGE, to);
        }
        _ => bytes.truncate(place),
    }
}

fn mutations() -> u64 {
    std::env::var("SMALT_MUTATIONS").map_or(600, |count| count.parse().unwrap())
}

#[test]
fn a_damaged_store_is_refused_or_shows_the_same_games() {
    let place = Place::new();
    let path = place.path("run.db");
    write_store(&path);
    let whole = std::fs::read(&path).unwrap();
    let expected = shown(&path).expect("the store is whole");
    let (mut refused, mut other) = (0, Vec::new());
    for seed in 0..mutations() {
        let (mut bytes, mut random) = (whole.clone(), Random(seed));
        mutate(&mut bytes, &mut random);
        std::fs::write(&path, &bytes).unwrap();
        match shown(&path) {
            None => refused += 1,
            Some(text) if text == expected => {}
            Some(_) => other.push(seed),
        }
    }
    assert!(other.is_empty(), "seeds that show other games: {other:?}");
    assert!(refused > 0);
}

#[test]
fn no_number_in_a_store_makes_a_reader_panic() {
    let place = Place::new();
    let (path, whole) = (place.path("run.db"), place.path("whole.db"));
    write_store(&whole);
    let columns = [
        ("game", "number pair round white black opening started_ms duration_us white_memory_bytes speed_nps"),
        ("fault", "game entrant"),
        ("session", "id pid started_ms slots ended_ms"),
        ("engine", "entrant"),
        ("strike", "entrant"),
        ("run", "created_ms"),
    ];
    for (table, names) in columns {
        for column in names.split(' ') {
            for value in
                [-1, 1, 2, 255, i64::from(i32::MAX), i64::from(u32::MAX), 1 << 32, i64::MAX, i64::MIN]
            {
                std::fs::copy(&whole, &path).unwrap();
                let database = Connection::open(&path).unwrap();
                // Without the checksum, as in older formats.
                database
                    .execute_batch("UPDATE game SET checksum = NULL; UPDATE run SET checksum = NULL")
                    .unwrap();
                let change = format!(
                    "UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT max(rowid) FROM {table})"
                );
                let _ = database.execute_batch(&change);
                drop(database);
                shown(&path);
            }
        }
    }
}

/// Status and body of a response.
fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(crate::support::LONG)).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

/// A page for these stores.
fn serve(stores: Vec<PathBuf>) -> Dashboard {
    let address = BoundAddress::bind("127.0.0.1:0".parse().unwrap(), None).unwrap();
    Dashboard::start(
        address,
        DashboardSettings {
            stores,
            hosts: Vec::new(),
            limits: ClientLimits::default(),
            queue: None,
            commands: None,
        },
    )
    .unwrap()
}

#[test]
fn a_stored_plan_beyond_its_bounds_is_refused_and_stops_no_other_run() {
    let place = Place::new();
    let [healthy, wrong] = ["healthy.db", "wrong.db"].map(|name| place.path(name));
    write_store(&healthy);
    std::fs::copy(&healthy, &wrong).unwrap();
    let plan = "replace(plan, 'random-plies = 0', 'random-plies = 4294967295')";
    let database = Connection::open(&wrong).unwrap();
    database.execute_batch(&format!("UPDATE run SET plan = {plan}, checksum = NULL")).unwrap();
    drop(database);
    let words = "[openings] random-plies 4294967295: expected 400 at most";
    for command in ["standings", "export", "report", "resume"] {
        let (_, err) = place.check(&[command, "wrong.db"], 2);
        assert!(err.contains(words), "{command}: {err}");
    }
    let page = serve(vec![wrong, healthy]);
    let run = |number: usize| -> serde_json::Value {
        serde_json::from_str(&get(page.address(), &format!("/api/runs/{number}")).1).unwrap()
    };
    assert!(run(0)["problem"].as_str().unwrap().contains(words), "{}", run(0)["problem"]);
    assert_eq!(
        (&run(1)["problem"], &run(1)["results"]["games_finished"]),
        (&serde_json::Value::Null, &16.into())
    );
}

#[test]
fn damaged_runs_do_not_take_the_page_of_a_healthy_one_down() {
    let place = Place::new();
    let healthy = place.path("healthy.db");
    write_store(&healthy);
    let whole = std::fs::read(&healthy).unwrap();
    let mut stores = vec![healthy];
    let wrong = place.path("wrong.db");
    std::fs::write(&wrong, &whole).unwrap();
    Connection::open(&wrong).unwrap().execute_batch("UPDATE game SET white = 7, checksum = NULL").unwrap();
    stores.push(wrong);
    for seed in 0..30 {
        let (mut bytes, mut random) = (whole.clone(), Random(seed));
        (0..3).for_each(|_| mutate(&mut bytes, &mut random));
        let path = place.path(&format!("damaged{seed}.db"));
        std::fs::write(&path, bytes).unwrap();
        stores.push(path);
    }
    let count = stores.len();
    let page = serve(stores);
    let address = page.address();
    for run in 0..count {
        for part in ["", "/games", "/games/1", "/games/1/pgn", "/faults", "/curves?entrant=1"] {
            let (status, body) = get(address, &format!("/api/runs/{run}{part}"));
            assert!(matches!(status, 200 | 404), "{run}{part}: {status} {body}");
        }
    }
    let run = |number: usize| -> serde_json::Value {
        serde_json::from_str(&get(address, &format!("/api/runs/{number}")).1).unwrap()
    };
    assert_eq!(
        (&run(0)["problem"], &run(0)["results"]["games_finished"]),
        (&serde_json::Value::Null, &16.into())
    );
    let problem = run(1)["problem"].as_str().unwrap().to_owned();
    assert!(problem.contains("the file is damaged: game 1: an entrant is out of range"), "{problem}");
    assert_eq!(get(address, "/api/runs").0, 200);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_a_store_names_is_not_killed_unless_a_run_started_it() {
    use crate::support::{duel, scripted};
    use std::os::unix::process::CommandExt as _;
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    place.check(&duel(&a, &b, "--depth 1 --games 2 --maxmoves 3 --store run.db"), 0);
    let mut stranger = smalt_testing::process::command("sleep");
    let mut stranger = stranger.arg("1000").process_group(0).spawn().unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", stranger.id())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    let row = format!("INSERT INTO process VALUES ({}, {}, {})", stranger.id(), fields[19], fields[3]);
    Connection::open(place.path("run.db")).unwrap().execute_batch(&row).unwrap();
    place.check(&["resume", "run.db", "--games", "4"], 0);
    assert_eq!(place.results("run.db")["games_finished"], 4);
    assert!(stranger.try_wait().unwrap().is_none(), "it was killed");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}
