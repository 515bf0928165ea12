//! What the driver costs: its own processor time a ply, and the time from one engine's best move written to the
//! other's `go` received; the same processor time with 64 games at once; then its memory and speed under a flood of
//! information. The engines are this program itself, which answers at once.
//!
//! `cargo bench -p smalt-driver --bench handover` runs all; `-- together` only the many games.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench prints, and fails by panicking")]

use std::fs;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use smalt_driver::process::{Interrupt, StderrPolicy, bind_this_thread, own_processors};
use smalt_driver::{Engine, EngineCommand, EngineTimeouts, SearchRequest, UciEngine, WaitContext};
use smalt_protocol::SearchLimits;
use smalt_protocol::uci::client::Start;

const ROLE: &str = "SMALT_HANDOVER_ROLE";
const GAMES: usize = 400;
const PLIES: usize = 131;
const INFO: &str =
    "info depth 1 seldepth 2 multipv 1 score cp 20 nodes 20 nps 20000 time 1 pv g1f3 g8f6 b1c3";
const TOGETHER: usize = 64;
const FLOOD_BYTES: usize = 100_000_000;

fn main() {
    match std::env::var(ROLE) {
        Ok(path) => be_engine(&path),
        Err(_) if std::env::args().any(|word| word == "together") => {
            bind_this_thread(&own_processors().unwrap()[..1]).unwrap();
            measure_together();
        }
        Err(_) => {
            measure_handover();
            let first = own_processors().unwrap()[0];
            bind_this_thread(&[first]).unwrap();
            println!("\nall bound to one processor:");
            measure_handover();
            measure_together();
            println!();
            measure_flood();
        }
    }
}

/// Answers at once; writes the time of each `go` read and of each best move sent.
fn be_engine(stamps: &str) {
    let mut output = std::io::stdout().lock();
    let mut times: Vec<(u64, u64)> = Vec::with_capacity(GAMES * PLIES);
    let (mut goes, mut own_moves) = (0, ["g8f6", "f6g8"]);
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let read_at = now();
        let answer = match line.split(' ').next().unwrap_or_default() {
            "uci" => "uciok\n".to_owned(),
            "isready" => "readyok\n".to_owned(),
            "go" if line.contains("infinite") => flood(),
            "go" => {
                goes += 1;
                format!("{INFO}\nbestmove {}\n", own_moves[(goes - 1) % 2])
            }
            // The two change colors from game to game.
            "position" if line.len() <= "position startpos moves g1f3".len() => {
                let is_white = line == "position startpos";
                (goes, own_moves) = (0, if is_white { ["g1f3", "f3g1"] } else { ["g8f6", "f6g8"] });
                continue;
            }
            "quit" => break,
            _ => continue,
        };
        if line.starts_with("go") {
            times.push((read_at, now()));
        }
        output.write_all(answer.as_bytes()).unwrap();
        output.flush().unwrap();
    }
    let text: Vec<_> = times.iter().map(|(read, written)| format!("{read} {written}\n")).collect();
    fs::write(stamps, text.concat()).unwrap();
}

fn flood() -> String {
    let mut text = format!("{INFO}\n").repeat(FLOOD_BYTES / (INFO.len() + 1));
    text.push_str("bestmove g1f3\n");
    text
}

/// Nanoseconds on the monotonic clock, which all processes share.
fn now() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    u64::try_from(time.tv_sec).unwrap() * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap()
}

/// Processor time used by this thread.
fn own_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}

fn start(stamps: &std::path::Path) -> UciEngine {
    let command = EngineCommand::new(std::env::current_exe().unwrap())
        .variable(ROLE, stamps)
        .stderr(StderrPolicy::KeepLast);
    let mut engine = UciEngine::start(&command, EngineTimeouts::default()).unwrap();
    engine.introduce(&mut WaitContext::none()).unwrap();
    engine
}

fn measure_handover() {
    let folder = tempfile::tempdir().unwrap();
    let paths = [folder.path().join("first"), folder.path().join("second")];
    let mut engines = [start(&paths[0]), start(&paths[1])];
    let (begun, processor) = (Instant::now(), own_time());
    let elapsed = play(&mut engines, GAMES, &Interrupt::new().unwrap());
    let plies = u32::try_from(elapsed.len()).unwrap();
    let (wall, processor) = (begun.elapsed(), own_time() - processor);
    println!("own processor time a ply: {:?}", processor / plies);
    println!("plies a second: {:.0}", f64::from(plies) / wall.as_secs_f64());
    report("go written to best move read", elapsed);
    engines.iter_mut().for_each(|engine| _ = engine.quit());
    report("best move written to the other's go received", handovers(&paths));
}

/// Concurrent games, one thread each, as in a tournament.
fn measure_together() {
    let interrupt = Interrupt::new().unwrap();
    let slot = |_| {
        let interrupt = interrupt.clone();
        std::thread::spawn(move || {
            let nowhere = std::path::Path::new("/dev/null");
            let mut engines = [start(nowhere), start(nowhere)];
            let before = own_time();
            let plies = play(&mut engines, GAMES / 8, &interrupt).len();
            let used = own_time() - before;
            engines.iter_mut().for_each(|engine| _ = engine.quit());
            used / u32::try_from(plies).unwrap()
        })
    };
    let slots: Vec<_> = (0..TOGETHER).map(slot).collect();
    let sum: Duration = slots.into_iter().map(|slot| slot.join().unwrap()).sum();
    println!(
        "own processor time a ply, {TOGETHER} games at once: {:?}",
        sum / u32::try_from(TOGETHER).unwrap()
    );
}

/// Plays `games` games and returns the time of each search.
fn play([first, second]: &mut [UciEngine; 2], games: usize, interrupt: &Interrupt) -> Vec<Duration> {
    let limits = SearchLimits { depth: Some(1), ..SearchLimits::default() };
    let (mut first, mut second) = (first, second);
    let mut elapsed = Vec::new();
    for _ in 0..games {
        let mut moves = Vec::with_capacity(PLIES);
        for _ in 0..PLIES {
            let request = SearchRequest {
                start: Start::Standard,
                moves: &moves,
                limits: &limits,
                deadline: Duration::from_secs(10),
                stop_after: None,
            };
            let context = &mut WaitContext::interruptible(interrupt).with_other(second);
            let searched = first.search(&request, context, None).unwrap();
            elapsed.push(searched.elapsed);
            moves.push(searched.best.unwrap());
            std::mem::swap(&mut first, &mut second);
        }
    }
    elapsed
}

/// The time from each engine's best move to the other engine's `go`.
fn handovers(paths: &[std::path::PathBuf; 2]) -> Vec<Duration> {
    let mut stamps: Vec<(u64, u64)> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(path).unwrap();
        stamps.extend(text.lines().map(|line| {
            let (read, written) = line.split_once(' ').unwrap();
            (read.parse::<u64>().unwrap(), written.parse::<u64>().unwrap())
        }));
    }
    stamps.sort_unstable();
    stamps.windows(2).map(|pair| Duration::from_nanos(pair[1].0.saturating_sub(pair[0].1))).collect()
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what}: p50 {:?}, p90 {:?}, p99 {:?}, p99.9 {:?}", at(0.5), at(0.9), at(0.99), at(0.999));
}

fn measure_flood() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = start(&folder.path().join("flood"));
    let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
    let request = SearchRequest {
        start: Start::Standard,
        moves: &[],
        limits: &limits,
        deadline: Duration::from_secs(60),
        stop_after: None,
    };
    let (before, processor) = (resident_kilobytes(), own_time());
    let searched = engine.search(&request, &mut WaitContext::none(), None).unwrap();
    println!(
        "flood of {} MB: {} lines in {:?}, {:?} of our processor time, memory grew by {} KB",
        FLOOD_BYTES / 1_000_000,
        searched.info_lines,
        searched.elapsed,
        own_time() - processor,
        resident_kilobytes().saturating_sub(before)
    );
}

fn resident_kilobytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
