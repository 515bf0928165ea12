//! Stores of runs that were not played, with given results.

use std::time::{Duration, UNIX_EPOCH};

use smalt_chess::{Color, Outcome, UciMove};
use smalt_match::game::{GameRecord, PlyRecord, SearchRecord, Termination};
use smalt_match::plan::{Plan, Settings};
use smalt_match::schedule::{Schedule, ScheduledGame};
use smalt_match::setup::Prepared;
use smalt_match::store::{Store, StoredRun};
use smalt_protocol::Score;

use super::Place;

/// A hostile engine name.
pub(crate) const HOSTILE: &str = "=<img src=x onerror=alert(1)>|&\"*";

/// A game of four moves: two book moves, two searched ones.
pub(crate) fn record(game: ScheduledGame, outcome: Outcome) -> GameRecord {
    let ply = |mv: &str, score: Option<i32>, left: u64| PlyRecord {
        mv: UciMove::parse(mv).unwrap(),
        search: score.map(|score| SearchRecord {
            score: Some(Score::Centipawns(score)),
            depth: Some(9),
            nodes: Some(50_000),
            elapsed: Duration::from_millis(25),
            latency: Some(Duration::from_micros(40)),
            left: Some(Duration::from_millis(left)),
            ..SearchRecord::default()
        }),
    };
    GameRecord {
        game,
        fen: None,
        plies: vec![
            ply("e2e4", None, 0),
            ply("e7e5", None, 0),
            ply("g1f3", Some(35), 9_975),
            ply("b8c6", Some(-20), 9_950),
        ],
        outcome,
        termination: if outcome == Outcome::Draw { Termination::Repetition } else { Termination::Checkmate },
        started: UNIX_EPOCH + Duration::from_secs(1_000 + u64::from(game.number)),
        duration: Duration::from_millis(1_500),
        fault: None,
        peak_memory: [Some(5_000_000), None],
        machine: None,
    }
}

/// Result of a game: wins, draws and losses of the first entrant in turn.
pub(crate) fn mixed(game: ScheduledGame) -> Outcome {
    match game.pair % 4 {
        0 => Outcome::Draw,
        1 if game.white == 0 => Outcome::Win(Color::White),
        1 => Outcome::Win(Color::Black),
        2 => Outcome::Win(Color::White),
        _ if game.white == 0 => Outcome::Win(Color::White),
        _ => Outcome::Draw,
    }
}

/// A store of a run with this plan and these games.
pub(crate) fn store(
    place: &Place,
    name: &str,
    flags: &[&str],
    games: u32,
    outcome: impl Fn(ScheduledGame) -> Outcome,
) {
    let (plan, _) = place.check(&[&["plan", "--seed", "1"], flags].concat(), 0);
    store_of_plan(place, name, plan, games, outcome);
}

/// A store of a run with this plan as text, and these games.
pub(crate) fn store_of_plan(
    place: &Place,
    name: &str,
    plan: String,
    games: u32,
    outcome: impl Fn(ScheduledGame) -> Outcome,
) {
    let checked = Plan::new(Settings::parse(&plan, "plan").unwrap()).unwrap();
    let mut schedule: Schedule = Prepared::without_openings(checked).schedule;
    let created = UNIX_EPOCH + Duration::from_secs(900);
    let run = StoredRun { created, plan, openings: "unknown".to_owned() };
    let mut store = Store::create(&place.path(name), &run).unwrap();
    for number in 0..games {
        let Some(game) = schedule.game(number) else { break };
        let record = record(game, outcome(game));
        schedule.record(number, record.white_outcome().half_points() as u32);
        store.save(&record).unwrap();
    }
    store.save_engine(0, HOSTILE, "somebody").unwrap();
    store.close();
}

pub(crate) fn sprt<'a>(first: &'a str, games: &'a str) -> Vec<&'a str> {
    let test = ["--elo0", "0", "--elo1", "50", "--model", "normalized"];
    let engines = ["--engine", first, "--engine", "cmd=b name=old", "--tc", "10+0.1"];
    [&engines[..], &["--games", games], &test].concat()
}

pub(crate) const ROUND_ROBIN: [&str; 12] = [
    "--format", "round-robin", "--engine", "cmd=a name=a", "--engine", "cmd=b name=b", "--engine",
    "cmd=c name=c", "--nodes", "1000", "--games", "8",
];
