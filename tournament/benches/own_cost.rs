//! What the runner costs beside its engines: its own processor time a ply (children not counted), plies a second, and
//! the time from one engine's best move written to the other's `go` received. The real program plays whole games of 131
//! plies, stores them and writes their PGN; the engines are this bench itself, which answers at once with one line of
//! information and the next move of one and the same game.
//!
//! `cargo bench -p smalt-tournament --bench own_cost` runs all; `-- GAMES CONCURRENCY…` other sizes. `-- script` prints
//! the game for `smalt-scripted --moves`, to measure other runners with. SMALT_BENCH_PROGRAM names another build.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench prints, fails by panicking, and starts what it measures"
)]

use std::fs;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use smalt_chess::{CastlingMode, DrawClaims, Game, UciMove};

/// Where the engine's script lies, and where it writes down its stamps.
const SCRIPT: &str = "SMALT_BENCH_SCRIPT";
const STAMPS: &str = "SMALT_BENCH_STAMPS";
/// Another build of the program to measure, for a comparison.
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
    let mut numbers = arguments.iter().map(|word| word.parse::<usize>().expect("a number"));
    let games = numbers.next().unwrap_or(2000);
    let concurrencies: Vec<usize> = numbers.collect();
    let all = if concurrencies.is_empty() { vec![1, 2, 64] } else { concurrencies };
    for concurrency in all {
        measure(games, concurrency);
    }
}

/// A game that ends by the rules after exactly 131 plies, found by playing at random with one seed after the other.
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

/// Nanoseconds of the clock that all processes share.
fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

fn measure(games: usize, concurrency: usize) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("script"), script()).unwrap();
    fs::write(path("start.epd"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n").unwrap();
    fs::create_dir(path("stamps")).unwrap();
    let engine = std::env::current_exe().unwrap();
    let entrant = |name: &str| format!("\"cmd={}\" name={name}", engine.display());
    let begun = Instant::now();
    let program = std::env::var_os(PROGRAM).unwrap_or_else(|| env!("CARGO_BIN_EXE_smalt-tournament").into());
    let mut command = Command::new(program);
    command
        .args(["match", "--engine", &entrant("first"), "--engine", &entrant("second"), "--depth", "1"])
        .args(["--draw", "off", "--resign", "off", "--maxmoves", "0", "--openings", "start.epd"])
        .args(["--games", &games.to_string(), "--concurrency", &concurrency.to_string()])
        .args(["--store", "run.db"])
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .env(SCRIPT, path("script"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    if concurrency == 1 {
        command.env(STAMPS, path("stamps"));
    }
    let mut runner = command.spawn().unwrap();
    let own = await_and_time(runner.id());
    let seconds = begun.elapsed().as_secs_f64();
    assert!(runner.wait().unwrap().success());
    let played = fs::read_to_string(path("run.pgn")).unwrap().matches("[PlyCount \"131\"]").count();
    assert_eq!(played, games);
    let plies = (games * PLIES) as f64;
    println!(
        "concurrency {concurrency}: {games} games, own {:.2} µs a ply ({:.2} user, {:.2} system), {:.0} plies/s",
        (own[0] + own[1]) * 1e6 / plies,
        own[0] * 1e6 / plies,
        own[1] * 1e6 / plies,
        plies / seconds
    );
    if concurrency == 1 {
        report_handovers(&path("stamps"));
    }
}

/// Waits for the end of a process that stays to be reaped; gives its own user and system time, in seconds.
fn await_and_time(pid: u32) -> [f64; 2] {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let id = Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
    waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT).unwrap();
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    // Fields 14 and 15 of proc(5), in hundredths of a second on every Linux.
    [fields[11], fields[12]].map(|ticks| ticks.parse::<f64>().unwrap() / 100.0)
}

/// All engines' stamps in one order; consecutive ones are a hand-over.
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
