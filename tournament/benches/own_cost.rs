//! Overhead of the runner: processor time per ply, plies per second, and the time from one engine's written best move
//! to the other's received `go`. The real program plays, stores and writes games of 131 plies; this bench itself is
//! the engine, which answers at once with the next move of a fixed game.
//!
//! `cargo bench -p smalt-tournament --bench own_cost` runs all; `-- GAMES CONCURRENCY…` sets the sizes, `-- page
//! GAMES CLIENTS` compares the cost without a page, with a page of another process, and with its own, and `-- script`
//! prints the game for `smalt-scripted --moves`. SMALT_BENCH_PROGRAM names another build.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, fails by panicking, and starts what it measures"
)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use smalt_chess::{CastlingMode, DrawClaims, Game, UciMove};

/// Files of the engine's script and of its time stamps.
const SCRIPT: &str = "SMALT_BENCH_SCRIPT";
const STAMPS: &str = "SMALT_BENCH_STAMPS";
/// Another build of the program, for comparison.
const PROGRAM: &str = "SMALT_BENCH_PROGRAM";
const PLIES: usize = 131;

fn main() {
    if let Ok(script) = std::env::var(SCRIPT) {
        return be_engine(&fs::read_to_string(script).unwrap());
    }
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    if arguments.first().is_some_and(|word| word == "script") {
        println!("{}", script());
        return;
    }
    // Compare two builds only at equal load: other processes evict caches, and games are not bound to processors
    // then.
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    println!("load of the machine before: {}", load.split(' ').next().unwrap_or("?"));
    let is_about_pages = arguments.first().is_some_and(|word| word == "page");
    let mut numbers = arguments
        .iter()
        .skip(usize::from(is_about_pages))
        .map(|word| word.parse::<usize>().expect("a number"));
    let games = numbers.next().unwrap_or(2000);
    if is_about_pages {
        return compare_pages(games, numbers.next().unwrap_or(50));
    }
    let concurrencies: Vec<usize> = numbers.collect();
    let all = if concurrencies.is_empty() { vec![1, 2, 64] } else { concurrencies };
    for concurrency in all {
        measure(games, concurrency);
    }
}

/// Page and clients during the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageClients {
    Nobody,
    /// Clients of a server in another process.
    OfAnother(usize),
    /// Clients of the runner itself.
    OfTheRunner(usize),
}

/// Cost of a run.
#[derive(Clone, Copy, Debug)]
struct Cost {
    /// User and system time of the runner alone, in microseconds per ply.
    own: [f64; 2],
    plies_a_second: f64,
    /// Runner's delay between a move and the opponent's `go`: median and 99th percentile, in microseconds.
    latency: [f64; 2],
}

/// A game that ends by the rules after exactly 131 plies, found by random play with one seed after the other.
fn script() -> String {
    let game = (1..).find_map(random_game).expect("some random game has that length");
    let words: Vec<String> =
        game.moves().iter().map(|&mv| UciMove::from_move(mv, CastlingMode::Standard).to_string()).collect();
    words.join(" ")
}

fn random_game(seed: u64) -> Option<Game> {
    let mut state = seed;
    let mut game = Game::default();
    while game.ending(DrawClaims::Automatic).is_none() && game.moves().len() <= PLIES {
        // Knuth's multiplier for 64 bits; the upper half is random enough to choose moves.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let moves = game.position().legal_moves();
        let mv = moves[(state >> 33) as usize % moves.len()];
        game.play(mv).expect("it is one of the legal moves");
    }
    (game.moves().len() == PLIES).then_some(game)
}

fn be_engine(script: &str) {
    let moves: Vec<&str> = script.split(' ').collect();
    let stamps = std::env::var(STAMPS).ok();
    let mut times: Vec<(u64, u64)> = Vec::new();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut line, mut answer) = (String::new(), String::new());
    let mut ply = 0;
    while input.read_line(&mut line).is_ok_and(|count| count > 0) {
        let read_at = now();
        answer.clear();
        match line.split([' ', '\n']).next().unwrap_or_default() {
            "position" => ply = line.bytes().filter(|byte| *byte == b' ').count().saturating_sub(2),
            "go" => {
                let mv = moves.get(ply).unwrap_or(&"0000");
                answer.push_str("info depth 1 seldepth 2 score cp 20 nodes 20 nps 20000 time 1 pv ");
                answer.push_str(mv);
                answer.push_str("\nbestmove ");
                answer.push_str(mv);
                answer.push('\n');
                if stamps.is_some() {
                    times.push((read_at, now()));
                }
            }
            "isready" => answer.push_str("readyok\n"),
            "uci" => answer.push_str("uciok\n"),
            "quit" => break,
            _ => {}
        }
        if !answer.is_empty() {
            output.write_all(answer.as_bytes()).unwrap();
            output.flush().unwrap();
        }
        line.clear();
    }
    if let Some(folder) = stamps {
        let text: String = times.iter().map(|(read, written)| format!("{read} {written}\n")).collect();
        fs::write(Path::new(&folder).join(std::process::id().to_string()), text).unwrap();
    }
}

/// Nanoseconds of the clock shared by all processes.
fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

fn measure(games: usize, concurrency: usize) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("stamps")).unwrap();
    let Cost { own, plies_a_second, .. } = play(folder.path(), games, concurrency, PageClients::Nobody);
    println!(
        "concurrency {concurrency}: {games} games, own {:.2} µs a ply ({:.2} user, {:.2} system), {plies_a_second:.0} plies/s",
        own[0] + own[1],
        own[0],
        own[1],
    );
    if concurrency == 1 {
        report_handovers(&folder.path().join("stamps"));
    }
}

/// A figure of a cost.
type Measure = fn(&Cost) -> f64;

/// Number of runs of each variant; the median counts.
const TURNS: usize = 5;

fn compare_pages(games: usize, clients: usize) {
    let ways = [PageClients::Nobody, PageClients::OfAnother(clients), PageClients::OfTheRunner(clients)];
    let mut costs: [Vec<Cost>; 3] = Default::default();
    for _ in 0..TURNS {
        for (costs, way) in costs.iter_mut().zip(ways) {
            costs.push(play(tempfile::tempdir().unwrap().path(), games, 1, way));
        }
    }
    let middle = |way: usize, number: Measure| {
        let mut numbers: Vec<f64> = costs[way].iter().map(number).collect();
        numbers.sort_unstable_by(f64::total_cmp);
        (numbers[TURNS / 2], numbers[0], numbers[TURNS - 1])
    };
    let measures: [(&str, Measure); 3] = [
        ("own time, µs a ply", |cost| cost.own[0] + cost.own[1]),
        ("latency, µs", |cost| cost.latency[0]),
        ("latency, 99 %, µs", |cost| cost.latency[1]),
    ];
    let seconds = (games * PLIES) as f64 / middle(0, |cost| cost.plies_a_second).0;
    println!(
        "{TURNS} turns of {games} games ({seconds:.1} s each): the middle one, and from the least to the most"
    );
    for (index, way) in ways.iter().enumerate() {
        println!("{way:?}");
        for (name, number) in measures {
            let ((found, least, most), base) = (middle(index, number), middle(0, number).0);
            println!("  {name:20} {found:7.2} ({least:.2} to {most:.2}), ratio {:.3}", found / base);
        }
    }
}

/// Plays in a folder, with time stamps of the engines if requested.
fn play(folder: &Path, games: usize, concurrency: usize, page: PageClients) -> Cost {
    let path = |name: &str| folder.join(name);
    fs::write(path("script"), script()).unwrap();
    fs::write(path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    let engine = std::env::current_exe().unwrap();
    let entrant = |name: &str| format!("\"cmd={}\" name={name}", engine.display());
    let begun = Instant::now();
    let mut command = program(folder);
    command
        .args(["match", "--engine", &entrant("first"), "--engine", &entrant("second"), "--depth", "1"])
        .args(["--draw", "off", "--resign", "off", "--maxmoves", "0", "--openings", "start.epd"])
        .args(["--games", &games.to_string(), "--concurrency", &concurrency.to_string()])
        .args(["--store", "run.db", "--json", "run.json"])
        .env(SCRIPT, path("script"));
    if concurrency == 1 && path("stamps").exists() {
        command.env(STAMPS, path("stamps"));
    }
    if let PageClients::OfTheRunner(_) = page {
        command.args(["--serve", "0"]).stderr(Stdio::piped());
    }
    let mut runner = command.spawn().unwrap();
    let (server, clients) = onlookers(&mut runner, folder, page);
    let own = await_and_time(runner.id());
    let seconds = begun.elapsed().as_secs_f64();
    assert!(runner.wait().unwrap().success());
    if let Some(mut server) = server {
        server.kill().unwrap();
        server.wait().unwrap();
    }
    for client in clients {
        assert!(client.join().unwrap() > 1000, "who gets nothing costs nothing");
    }
    let played = fs::read_to_string(path("run.pgn")).unwrap().matches("[PlyCount \"131\"]").count();
    assert_eq!(played, games);
    let plies = (games * PLIES) as f64;
    let results: serde_json::Value = serde_json::from_slice(&fs::read(path("run.json")).unwrap()).unwrap();
    let latency = |name: &str| results["entrants"][0][name].as_f64().unwrap();
    Cost {
        own: own.map(|seconds| seconds * 1e6 / plies),
        plies_a_second: plies / seconds,
        latency: [latency("latency_median_us"), latency("latency_p99_us")],
    }
}

fn program(folder: &Path) -> Command {
    let program = std::env::var_os(PROGRAM).unwrap_or_else(|| env!("CARGO_BIN_EXE_smalt-tournament").into());
    let mut command = Command::new(program);
    command.current_dir(folder).env("XDG_CONFIG_HOME", folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Connects the clients; returns the server, if it is another process, and the clients' threads, which end with it
/// and return the number of bytes received.
fn onlookers(runner: &mut Child, folder: &Path, page: PageClients) -> (Option<Child>, Vec<JoinHandle<u64>>) {
    let (clients, url, server) = match page {
        PageClients::Nobody => return (None, Vec::new()),
        PageClients::OfTheRunner(clients) => (clients, url(runner.stderr.take().unwrap()), None),
        PageClients::OfAnother(clients) => {
            let store = folder.join("run.db");
            while !store.exists() {
                thread::sleep(Duration::from_millis(5));
            }
            let mut server = program(folder);
            server.args(["serve", "run.db", "--listen", "0"]).stdout(Stdio::piped());
            let mut server = server.spawn().unwrap();
            (clients, url(server.stdout.take().unwrap()), Some(server))
        }
    };
    let host = url.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let client = |_| {
        let mut stream = TcpStream::connect(&host).unwrap();
        write!(stream, "GET /api/runs/0/events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        thread::spawn(move || read_to_the_end(stream))
    };
    (server, (0..clients).map(client).collect())
}

/// Number of bytes until the connection ends or breaks.
fn read_to_the_end(mut stream: TcpStream) -> u64 {
    let mut buffer = vec![0; 1 << 16];
    let mut count = 0;
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        count += read as u64;
    }
    count
}

/// The address printed by a program; the rest of its output is discarded.
fn url(output: impl Read + Send + 'static) -> String {
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let url = lines.find_map(|line| {
        line.split_ascii_whitespace().find(|word| word.starts_with("http")).map(str::to_owned)
    });
    thread::spawn(move || lines.for_each(drop));
    url.expect("it tells where the page is")
}

/// Waits for the end of a process without reaping it; returns its user and system time, in seconds.
fn await_and_time(pid: u32) -> [f64; 2] {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let id = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    // Fields 14 and 15 of proc(5), in hundredths of a second on every Linux.
    [fields[11], fields[12]].map(|ticks| ticks.parse::<f64>().unwrap() / 100.0)
}

/// Reports the delays between consecutive time stamps of all engines.
fn report_handovers(folder: &Path) {
    let mut stamps: Vec<(u64, u64)> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        stamps.extend(text.lines().map(|line| {
            let (read, written) = line.split_once(' ').unwrap();
            (read.parse::<u64>().unwrap(), written.parse::<u64>().unwrap())
        }));
    }
    stamps.sort_unstable();
    let mut times: Vec<f64> =
        stamps.windows(2).map(|pair| pair[1].0.saturating_sub(pair[0].1) as f64 / 1000.0).collect();
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "  best move to the other's go: p50 {:.1} µs, p99 {:.1} µs, p99.9 {:.1} µs",
        at(0.5),
        at(0.99),
        at(0.999)
    );
}
