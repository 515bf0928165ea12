//! Complete runs: the same bytes at any concurrency, and no game lost or doubled after any interruption.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::served::{Served, get};
use crate::support::{Place, duel, finish, restarted, scripted, signal, texts, timeless, wait_until};

/// Arguments of a gauntlet with this number of games in each of two pairings, of deterministic engines.
fn gauntlet<'a>(games: &'a str, concurrency: &'a str, entrants: &'a [String; 3]) -> Vec<&'a str> {
    vec![
        "gauntlet", "--engine", &entrants[0], "--opponent", &entrants[1], "--opponent", &entrants[2],
        "--depth", "1", "--games", games, "--concurrency", concurrency, "--seed", "7", "--maxmoves", "60",
        "--store", "run.db",
    ]
}

fn quick() -> [String; 3] {
    [
        scripted("hero", "--info-lines 2 --score 12"),
        scripted("first", "--seed 1"),
        scripted("second", "--seed 2"),
    ]
}

/// Slow engines, so that a run can be stopped in the middle.
fn slow() -> [String; 3] {
    [scripted("hero", "--think 1"), scripted("first", "--seed 1"), scripted("second", "--seed 2")]
}

fn rounds_and_players(pgn: &str) -> Vec<(String, String, String)> {
    let tag = |name: &str| {
        let prefix = format!("[{name} \"");
        pgn.lines()
            .filter_map(|line| line.strip_prefix(&prefix))
            .map(|rest| rest.replace("\"]", ""))
            .collect::<Vec<_>>()
    };
    let [rounds, white, black] = ["Round", "White", "Black"].map(tag);
    rounds.into_iter().zip(white).zip(black).map(|((round, white), black)| (round, white, black)).collect()
}

/// Standard error of the program, which fails in this folder because it may not write there. Root may write
/// everywhere, and starts it without that capability.
#[cfg(unix)]
fn fail_without_leave_to_write(place: &Place, arguments: &[&str]) -> String {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let folder = place.path("");
    let is_root = std::fs::metadata(&folder).unwrap().uid() == 0;
    let before = if is_root { "exec setpriv --bounding-set=-dac_override \"$@\"" } else { "true" };
    std::fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    let err = check_in_shell(place, before, arguments, 2);
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).unwrap();
    err
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_an_error_before_the_first_game() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let arguments = duel(&a, &b, "--depth 1 --games 2 --maxmoves 3 --store run.db");
    let err = fail_without_leave_to_write(&place, &arguments);
    assert!(err.starts_with("smalt-tournament: open ") && err.contains("run.db: Permission denied"), "{err}");
    place.write("file", "");
    let arguments = duel(&a, &b, "--depth 1 --games 2 --maxmoves 3 --store file/run.db");
    let (_, err) = place.check(&arguments, 2);
    assert!(err.contains("/file/run.") && err.contains("Not a directory"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_store_without_leave_to_write_is_not_resumed() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", "--fault illegal-move@2"));
    let arguments = duel(&a, &b, "--depth 1 --games 6 --maxmoves 3 --on-fault stop --store run.db");
    place.check(&arguments, 1);
    std::fs::set_permissions(place.path("run.db"), std::os::unix::fs::PermissionsExt::from_mode(0o444))
        .unwrap();
    let before = std::fs::read(place.path("run.db")).unwrap();
    let err = fail_without_leave_to_write(&place, &["resume", "run.db"]);
    assert!(err.contains("run.db"), "{err}");
    assert_eq!(std::fs::read(place.path("run.db")).unwrap(), before);
}

#[test]
fn the_same_plan_gives_the_same_games_at_any_concurrency() {
    let entrants = quick();
    let games = ["1", "2", "5"].map(|concurrency| {
        let place = Place::new();
        place.check(&gauntlet("8", concurrency, &entrants), 0);
        assert_eq!(timeless(&place.read("run.pgn")), timeless(&place.check(&["export", "run.db"], 0).0));
        timeless(&place.read("run.pgn"))
    });
    assert_eq!(rounds_and_players(&games[0].replace("] [", "]\n[")).len(), 16);
    assert_eq!(games[0], games[1]);
    assert_eq!(games[0], games[2]);
}

#[test]
fn a_killed_run_loses_no_stored_game_and_doubles_none() {
    let entrants = slow();
    let undisturbed = Place::new();
    undisturbed.check(&gauntlet("10", "2", &entrants), 0);
    let place = Place::new();
    let mut child = place.start(&gauntlet("10", "2", &entrants));
    for games in [2, 7, 12] {
        place.await_games("run.db", games);
        child.kill().unwrap();
        child.wait().unwrap();
        place.await_nobody();
        let kept = place.results("run.db")["games_finished"].as_u64().unwrap();
        assert!(kept >= games);
        child = place.start(&["resume", "run.db", "--concurrency", "2"]);
    }
    finish(child, 0);
    assert_eq!(timeless(&place.read("run.pgn")), timeless(&undisturbed.read("run.pgn")));
    assert_eq!(place.results("run.db")["pairings"], undisturbed.results("run.db")["pairings"]);
    place.await_nobody();
}

#[test]
fn resuming_a_finished_run_plays_nothing() {
    let place = Place::new();
    place.check(&gauntlet("2", "1", &quick()), 0);
    let before = place.read("run.pgn");
    place.check(&["resume", "run.db"], 0);
    assert_eq!(place.read("run.pgn"), before);
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn an_interrupt_stops_cleanly_and_says_how_to_go_on() {
    let entrants = slow();
    let place = Place::new();
    let child = place.start(&gauntlet("400", "2", &entrants));
    place.await_games("run.db", 3);
    signal(child.id(), "-INT");
    let (out, err) = texts(&finish(child, 130));
    assert!(err.contains("smalt-tournament resume"), "{err}");
    assert!(out.contains("hero"), "the tables so far are shown");
    assert_eq!(place.processes(), Vec::<String>::new());
    let stored = place.results("run.db")["games_finished"].as_u64().unwrap();
    assert_eq!(rounds_and_players(&place.read("run.pgn")).len() as u64, stored);
}

/// Runs the program in a shell after a shell command.
#[expect(clippy::disallowed_methods, reason = "a shell sets the limit that the program shall meet")]
fn check_in_shell(place: &Place, before: &str, arguments: &[&str], code: i32) -> String {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("{before}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_smalt-tournament")]);
    let output = shell.args(arguments).current_dir(place.path(".")).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(code), "{out}\n{err}");
    err
}

#[test]
#[cfg_attr(windows, ignore = "a shell sets the limit of the test")]
fn a_run_that_can_write_no_more_stops_resumable() {
    let entrants = quick();
    let undisturbed = Place::new();
    undisturbed.check(&gauntlet("20", "2", &entrants), 0);
    let place = Place::new();
    // File size limit in blocks of 512 bytes.
    let err = check_in_shell(&place, "ulimit -f 200", &gauntlet("20", "2", &entrants), 1);
    assert!(err.contains("resume with: smalt-tournament resume"), "{err}");
    place.await_nobody();
    place.check(&["resume", "run.db"], 0);
    assert_eq!(timeless(&place.read("run.pgn")), timeless(&undisturbed.read("run.pgn")));
}

#[test]
#[cfg_attr(windows, ignore = "a shell sets the limit of the test")]
fn a_limit_of_the_size_of_files_is_an_error_like_a_full_disk_and_leaves_no_draft() {
    let place = Place::new();
    place.check(&gauntlet("20", "2", &quick()), 0);
    for command in [
        &["export", "run.db", "-o", "new.csv"][..],
        &["report", "run.db", "--format", "html", "-o", "new.csv"],
    ] {
        let err = check_in_shell(&place, "ulimit -f 1", command, 1);
        assert!(
            err.contains("write new.csv: the limit of the size of files is reached (ulimit -f)"),
            "{err}"
        );
    }
    let mut names: Vec<_> =
        std::fs::read_dir(place.path(".")).unwrap().map(|file| file.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["run.db", "run.pgn"]);
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no device that is full")]
fn events_that_cannot_be_written_fail_the_run_at_its_end() {
    let place = Place::new();
    let entrants = quick();
    let mut arguments = gauntlet("2", "1", &entrants);
    arguments.extend(["--events", "/dev/full", "--quiet"]);
    let (out, err) = place.check(&arguments, 1);
    assert!(out.contains("hero"), "the table is shown: {out}");
    assert!(
        err.ends_with("smalt-tournament: write /dev/full: the disk is full; events are missing there\n"),
        "{err}"
    );
    assert_eq!(place.results("run.db")["games_finished"], place.results("run.db")["games_planned"]);
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no device that is full")]
fn games_that_cannot_be_written_stop_the_run_and_leave_devices_alone() {
    let place = Place::new();
    let entrants = quick();
    let mut arguments = gauntlet("2", "1", &entrants);
    arguments.extend(["--pgn", "/dev/full"]);
    let (_, err) = place.check(&arguments, 1);
    assert!(err.contains("write /dev/full: the disk is full; resume with"), "{err}");
    let (_, err) = place.check(&["resume", "run.db"], 1);
    assert!(err.contains("write /dev/full: the disk is full"), "{err}");
    assert!(!std::fs::metadata("/dev/full").unwrap().is_file());
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_second_interrupt_ends_a_run_whose_engines_are_deaf() {
    let entrants = [
        scripted("hero", "--fault hang@3 --fault ignore-quit"),
        scripted("first", "--fault ignore-quit"),
        scripted("second", ""),
    ];
    let place = Place::new();
    let child = place.start(&gauntlet("400", "2", &entrants));
    wait_until("four engines", || place.processes().len() >= 4);
    signal(child.id(), "-INT");
    signal(child.id(), "-INT");
    finish(child, 130);
    place.await_nobody();
    // Engines killed by the test have no faults.
    let (printed, _) = place.check(&["standings", "run.db"], 0);
    assert!(!printed.contains("failed starts") && !printed.contains("disconnect"), "{printed}");
}

#[test]
fn helpers_in_sessions_of_their_own_end_with_a_runner_that_is_killed() {
    let place = Place::new();
    let entrants = ["hero", "first", "second"].map(|name| scripted(name, "--fault daemon --think 20"));
    let mut child = place.start(&gauntlet("400", "1", &entrants));
    place.await_games("run.db", 1);
    assert!(place.processes().iter().any(|line| line.contains("--linger")), "{:?}", place.processes());
    child.kill().unwrap();
    child.wait().unwrap();
    place.await_nobody();
}

/// Stops a runner for this time once its first game has this number of moves.
fn stop_after(place: &Place, runner: &std::process::Child, moves: usize, time: Duration) {
    wait_until("moves", || {
        let log = std::fs::read_to_string(place.path("logs/game-000001.log"));
        log.is_ok_and(|log| log.matches("bestmove").count() >= moves)
    });
    signal(runner.id(), "-STOP");
    std::thread::sleep(time);
    signal(runner.id(), "-CONT");
}

/// An engine's clock runs while the runner is stopped, which must not cost the game.
#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_game_in_which_the_runner_was_stopped_is_played_again() {
    let place = Place::new();
    let [first, second] = ["first", "second"].map(|name| scripted(name, "--think 250"));
    let rest = "--tc 1.5+0.5 --games 1 --maxmoves 8 --resign off --draw off --log logs --store run.db";
    let child = place.start(&duel(&first, &second, rest));
    // Longer than the time left on an engine's clock.
    stop_after(&place, &child, 1, Duration::from_millis(2500));
    let (_, err) = texts(&finish(child, 0));
    assert!(err.contains("Warning: game 1 is played again: the runner was suspended for"), "{err}");
    let results = place.results("run.db");
    assert_eq!(results["terminations"], serde_json::json!({ "maximum moves": 1 }), "{err}");
}

/// Each stop is too short to matter alone.
#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_game_in_which_the_runner_was_stopped_often_is_played_again() {
    let place = Place::new();
    let [first, second] = ["first", "second"].map(|name| scripted(name, "--think 200"));
    let rest = "--tc 3+0.2 --games 1 --maxmoves 12 --resign off --draw off --log logs --store run.db";
    let child = place.start(&duel(&first, &second, rest));
    for moves in 1..=4 {
        stop_after(&place, &child, moves, Duration::from_millis(450));
    }
    let (_, err) = texts(&finish(child, 0));
    assert!(err.contains("Warning: game 1 is played again: the runner was suspended for"), "{err}");
    let results = place.results("run.db");
    assert_eq!(results["terminations"], serde_json::json!({ "maximum moves": 1 }), "{err}");
}

#[test]
#[cfg_attr(windows, ignore = "a shell sets the limit of the test")]
fn fewer_games_are_played_at_once_where_the_system_allows_fewer_open_files() {
    let entrants = quick();
    let place = Place::new();
    let err = check_in_shell(&place, "ulimit -n 180", &gauntlet("8", "40", &entrants), 0);
    assert!(err.contains("Warning: concurrency 4 instead of "), "{err}");
    let place = Place::new();
    let err = check_in_shell(&place, "ulimit -n 130", &gauntlet("8", "40", &entrants), 2);
    assert!(err.contains("the limit of open files (ulimit -n) is too low for a single game"), "{err}");
    let book = ["openings", "--count", "3", "--nodes", "20", "--window", "900", "--concurrency", "9"];
    let err = check_in_shell(&place, "ulimit -n 140", &book, 0);
    assert!(err.contains("Warning: concurrency 2 instead of 9: the limit of open files"), "{err}");
}

#[test]
fn a_second_runner_is_refused_and_a_reader_is_not() {
    let entrants = slow();
    let place = Place::new();
    let mut child = place.start(&gauntlet("400", "1", &entrants));
    place.await_games("run.db", 1);
    let (_, err) = place.check(&["resume", "run.db"], 2);
    assert!(err.contains("another run is writing to it"), "{err}");
    let (_, err) = place.check(&gauntlet("400", "1", &entrants), 2);
    assert!(err.contains("it exists already"), "{err}");
    let (out, _) = place.check(&["status", "run.db"], 0);
    assert!(out.contains("of 800 games, running"), "{out}");
    child.kill().unwrap();
    child.wait().unwrap();
    place.await_nobody();
    let (out, _) = place.check(&["status", "run.db"], 0);
    assert!(out.contains("stopped; resume with"), "{out}");
}

#[test]
fn a_changed_book_is_refused_on_resume() {
    let place = Place::new();
    place.write("book.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n");
    let entrants = quick();
    let mut arguments = gauntlet("2", "1", &entrants);
    arguments.extend(["--openings", "book.epd"]);
    place.check(&arguments, 0);
    place.write("book.epd", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n");
    let (_, err) = place.check(&["resume", "run.db"], 2);
    assert!(err.contains("the openings of this run have changed"), "{err}");
}

#[test]
fn a_decided_test_ends_the_match() {
    let place = Place::new();
    // As many games as the test needs. The second engine plays an illegal move as early as possible in every game.
    let (good, bad) = (scripted("good", ""), restarted(&scripted("bad", "--fault illegal-move@all")));
    let arguments = [
        "sprt", "--engine", &good, "--engine", &bad, "--depth", "1", "--elo0", "0", "--elo1", "50",
        "--store", "run.db", "--json", "out.json",
    ];
    let (out, _) = place.check(&arguments, 0);
    assert!(out.contains("H1 is accepted"), "{out}");
    let results: serde_json::Value = serde_json::from_str(&place.read("out.json")).unwrap();
    assert_eq!(results["sprt"]["verdict"], "H1");
    assert!(results["games_finished"].as_u64().unwrap() < 1000);
}

#[test]
fn games_of_an_opening_file_in_pgn_begin_with_book_moves() {
    let place = Place::new();
    place.write("book.pgn", "[Event \"?\"]\n\n1. e4 c5 2. Nf3 d6 *\n");
    let entrants = quick();
    let mut arguments = gauntlet("2", "1", &entrants);
    arguments.extend(["--openings", "book.pgn", "--plies", "3"]);
    place.check(&arguments, 0);
    let pgn = place.read("run.pgn");
    assert!(pgn.contains("1. e4 {book} 1... c5 {book} 2. Nf3 {book} 2... "), "{pgn}");
    assert!(!pgn.contains("[FEN"));
    assert_eq!(results_of(&place), 4);
}

fn results_of(place: &Place) -> u64 {
    place.results("run.db")["games_finished"].as_u64().unwrap()
}

#[test]
fn the_built_in_engine_plays() {
    let place = Place::new();
    let arguments = [
        "match",
        "--engine",
        "builtin",
        "--engine",
        "cmd=builtin name=weak option.UCI_LimitStrength=true option.UCI_Elo=1000",
        "--nodes",
        "500",
        "--games",
        "2",
        "--store",
        "run.db",
    ];
    place.check(&arguments, 0);
    let results = place.results("run.db");
    assert_eq!(results["entrants"][0]["name"], "smalt");
    for fault in ["time_losses", "crashes", "illegal_moves"] {
        assert_eq!(results["entrants"][0][fault], 0);
    }
    place.await_nobody();
}

/// Replaces an engine's program by an equivalent one with other bytes.
pub(crate) fn rebuild(place: &Place, name: &str) {
    let mut bytes = std::fs::read(place.path(name)).unwrap();
    bytes.push(0);
    smalt_testing::process::write_program(place.path("built"), &bytes);
    std::fs::rename(place.path("built"), place.path(name)).unwrap();
}

#[test]
fn an_engine_rebuilt_between_two_sessions_is_refused_unless_mixing_is_allowed() {
    let place = Place::new();
    smalt_testing::process::copy_program(crate::support::scripted_program(), place.path("engine"));
    let (a, b) = ("cmd=./engine name=a", scripted("b", ""));
    place.check(&duel(a, &b, "--depth 1 --games 2 --maxmoves 3 --store run.db"), 0);
    place.check(&["resume", "run.db", "--games", "4"], 0);
    rebuild(&place, "engine");
    let (_, err) = place.check(&["resume", "run.db", "--games", "6"], 2);
    assert!(err.contains("the program of a has changed since the run began"), "{err}");
    assert_eq!(place.results("run.db")["games_finished"], 4);
    place.check(&["resume", "run.db", "--games", "6", "--allow-mixed"], 0);
    place.check(&["resume", "run.db", "--games", "8"], 0);
    assert_eq!(place.results("run.db")["games_finished"], 8);
}

#[test]
fn a_network_that_changed_between_two_sessions_is_refused() {
    let place = Place::new();
    let parameters = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/params/evaluation.toml");
    std::fs::copy(parameters, place.path("net.toml")).unwrap();
    let (a, b) = ("cmd=builtin name=a option.EvalFile=net.toml", scripted("b", ""));
    place.check(&duel(a, &b, "--depth 1 --games 2 --maxmoves 3 --store run.db"), 0);
    place.check(&["resume", "run.db", "--games", "4"], 0);
    std::fs::write(place.path("net.toml"), std::fs::read_to_string(parameters).unwrap() + "\n# tuned\n")
        .unwrap();
    let (_, err) = place.check(&["resume", "run.db", "--games", "6"], 2);
    assert!(err.contains("net.toml has other content now"), "{err}");
    place.check(&["resume", "run.db", "--games", "6", "--allow-mixed"], 0);
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not let a running program be replaced")]
fn an_engine_rebuilt_during_the_run_stops_it() {
    let place = Place::new();
    smalt_testing::process::copy_program(crate::support::scripted_program(), place.path("engine"));
    let (a, b) = ("cmd=./engine name=a restart=on", scripted("b", ""));
    let run = place.start(&duel(a, &b, "--depth 1 --games 100000 --maxmoves 3 --store run.db"));
    place.await_games("run.db", 2);
    rebuild(&place, "engine");
    let (_, err) = texts(&finish(run, 1));
    assert!(err.contains("the program of a has changed since the run began"), "{err}");
    assert!(err.contains("resume"), "{err}");
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
#[expect(clippy::disallowed_methods, reason = "a shell ignores the signals, as nohup does")]
fn a_signal_that_was_ignored_at_the_start_stays_ignored() {
    let place = Place::new();
    let (a, b) = (scripted("a", "--think 5"), scripted("b", "--think 5"));
    let program = env!("CARGO_BIN_EXE_smalt-tournament");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "trap '' HUP INT; exec \"$0\" \"$@\"", program]);
    shell.args(duel(&a, &b, "--depth 1 --games 8 --maxmoves 8 --store run.db"));
    shell.current_dir(place.path("")).env("XDG_CONFIG_HOME", place.path(""));
    let piped = std::process::Stdio::piped;
    let run = shell.stdin(std::process::Stdio::null()).stdout(piped()).stderr(piped()).spawn().unwrap();
    place.await_games("run.db", 1);
    for name in ["-HUP", "-INT"] {
        crate::support::signal(run.id(), name);
    }
    finish(run, 0);
    assert_eq!(place.results("run.db")["games_finished"], 8);
}

/// Numbers of started and finished games in the event file.
fn started_and_finished(place: &Place) -> [usize; 2] {
    let events = std::fs::read_to_string(place.path("events.jsonl")).unwrap_or_default();
    ["game-started", "game-finished"].map(|name| events.matches(name).count())
}

#[test]
fn a_run_is_paused_continued_and_rid_of_an_engine_by_ctl() {
    let place = Place::new();
    let entrants = slow();
    let mut run =
        place.start(&[&gauntlet("400", "2", &entrants)[..], &["--events", "events.jsonl"]].concat());
    place.await_games("run.db", 1);
    place.check(&["ctl", "run.db", "pause"], 0);
    // No further game starts, and games in progress finish.
    wait_until("the end of the games in progress", || {
        let [started, finished] = started_and_finished(&place);
        started == finished
    });
    let paused = started_and_finished(&place);
    place.results("run.db");
    assert_eq!(started_and_finished(&place), paused);
    assert!(run.try_wait().unwrap().is_none(), "it waits");
    let (status, _) = place.check(&["status", "run.db"], 0);
    assert!(status.contains("paused (process ") && status.contains("concurrency 2"), "{status}");
    assert!(!status.contains(" left"), "no end time during a pause: {status}");
    place.check(&["ctl", "run.db", "concurrency", "1"], 0);
    let served = Served::start(&place, &["run.db", "--listen", "0"]);
    let shown = get(served.address, "/api/runs/0").json();
    let facts = ["state", "is_paused", "slots", "seconds_left"].map(|name| shown[name].clone());
    assert_eq!(facts, [json!("running"), json!(true), json!(1), Value::Null]);
    place.check(&["ctl", "run.db", "continue"], 0);
    let (status, _) = place.check(&["status", "run.db", "--json", "-"], 0);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!((&status["is_paused"], &status["concurrency"]), (&json!(false), &json!(1)));
    wait_until("more games", || started_and_finished(&place)[1] > paused[1]);
    let [started, finished] = started_and_finished(&place);
    assert!(started - finished <= 1, "one game at a time: {started} {finished}");
    let (_, refused) = place.check(&["ctl", "run.db", "withdraw", "secnd"], 2);
    assert!(refused.contains("did you mean \"second\"?"), "{refused}");
    place.check(&["ctl", "run.db", "withdraw", "first"], 0);
    place.check(&["ctl", "run.db", "withdraw", "second"], 0);
    finish(run, 3);
    let results = place.results("run.db");
    assert!(results["games_finished"].as_u64().unwrap() < 800, "{results}");
    let (status, _) = place.check(&["status", "run.db"], 0);
    let is_withdrawn = status.contains("first was withdrawn\n") && !status.contains("disqualified");
    assert!(is_withdrawn, "{status}");
    let (_, refused) = place.check(&["ctl", "run.db", "pause"], 1);
    assert!(refused.contains("no run of this store is in progress"), "{refused}");
    assert!(!place.path("run.db-ctl").exists());
}

#[test]
fn a_run_grows_by_games_and_by_an_engine_while_it_is_played() {
    let place = Place::new();
    let [hero, first, second] = slow();
    let words = "--depth 1 --games 40 --concurrency 2 --maxmoves 20 --store run.db --pgn run.pgn --events events.jsonl";
    let mut run = place.start(&duel(&hero, &first, words));
    place.await_games("run.db", 1);
    let (_, answer) = place.check(&["ctl", "run.db", "pause"], 0);
    assert!(answer.contains("Paused"), "{answer}");
    let (_, answer) = place.check(&["ctl", "run.db", "add", &second], 0);
    assert!(answer.contains("second joins the run"), "{answer}");
    let (_, answer) = place.check(&["ctl", "run.db", "extend", "4"], 0);
    assert!(answer.contains("4 further games of each pairing"), "{answer}");
    let planned = |games: u64| place.results("run.db")["games_planned"].as_u64() == Some(games);
    assert!(planned(3 * 44), "the plan of the store is the larger one");
    let (_, refused) = place.check(&["ctl", "run.db", "add", &second], 2);
    assert!(refused.contains("second"), "{refused}");
    let (_, refused) = place.check(&["ctl", "run.db", "add", "cmd=/nowhere name=third"], 2);
    assert!(refused.contains("/nowhere"), "{refused}");
    let (_, refused) = place.check(&["ctl", "run.db", "concurrency", "x"], 2);
    assert!(refused.contains("'x' for '<GAMES>': expected a whole number above zero"), "{refused}");
    let (_, refused) = place.check(&["ctl", "run.db", "extend", "3"], 2);
    assert!(refused.contains("only even numbers"), "{refused}");
    // The larger run is paused like the smaller one, and can be killed and resumed.
    let sessions =
        || std::fs::read_to_string(place.path("events.jsonl")).unwrap().matches("run-begun").count();
    wait_until("the next session", || sessions() > 1);
    run.kill().unwrap();
    let _ = run.wait_with_output();
    let known = sessions();
    let resumed = place.start(&["resume", "run.db"]);
    wait_until("the resumed session", || sessions() > known);
    place.check(&["ctl", "run.db", "extend", "2"], 0);
    finish(resumed, 0);
    let results = place.results("run.db");
    assert_eq!(results["games_finished"], 3 * 46, "{results}");
    let pgn = std::fs::read_to_string(place.path("run.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 3 * 46);
    let events = std::fs::read_to_string(place.path("events.jsonl")).unwrap();
    assert_eq!(events.matches("run-ended").count(), 1, "a run that grows has not ended");
    for name in ["hero", "first", "second"] {
        let games = ["White", "Black"].map(|side| pgn.matches(&format!("[{side} \"{name}\"]")).count());
        assert_eq!(games, [46, 46], "{name}");
    }
}

#[test]
fn a_sequential_test_refuses_to_grow_and_says_why() {
    let place = Place::new();
    let [hero, first, second] = slow();
    let mut arguments = duel(&hero, &first, "--depth 1 --maxmoves 20 --concurrency 1 --store run.db");
    arguments[0] = "sprt";
    let mut run = place.start(&arguments);
    place.await_games("run.db", 1);
    for words in [&["extend", "2"][..], &["add", &second]] {
        let (_, refused) = place.check(&[&["ctl", "run.db"], words].concat(), 2);
        assert!(refused.contains("as many games as it takes"), "{refused}");
    }
    run.kill().unwrap();
    let _ = run.wait_with_output();
}
