//! Runs on other machines: a real NATS server, real coordinators and workers, with every kind of failure.

use smalt_testing::process::WatchedProgram;

use crate::support::fleet::{
    Network, Proxy, Server, await_file, dismiss, matched, over, worker, wrap_engines, write_engines,
};
use crate::support::{Place, finish, signal, texts, timeless, wait_until};

/// The games of the same run on one machine, without time-dependent data.
fn played_here(think: &str, games: &str) -> String {
    let place = Place::new();
    write_engines(&place, think);
    place.check(&matched(games, &["--concurrency", "1"]), 0);
    timeless(&place.read("run.pgn"))
}

/// Checks the end of a run: the same games as on one machine, each once, and no process left.
fn check_end(place: &Place, think: &str, games: &str) {
    assert_eq!(timeless(&place.read("run.pgn")), played_here(think, games));
    assert_eq!(place.results("run.db")["games_finished"], games.parse::<u64>().unwrap());
    place.await_nobody();
}

#[test]
#[ignore = "needs nats-server"]
fn two_workers_give_the_files_of_one_machine() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let workers = ["a", "b"].map(|name| worker(&place, &server.url(), name));
    let (out, err) = place.check(&over(&server.url(), "20"), 0);
    assert!(out.contains("first") && err.contains("a joins: concurrency 1"), "{out}\n{err}");
    let (status, _) = place.check(&["status", "run.db"], 0);
    assert!(status.contains("20 of 20"), "{status}");
    dismiss(workers);
    drop(server);
    check_end(&place, "0", "20");
}

#[test]
#[ignore = "needs nats-server"]
fn a_killed_worker_loses_no_game() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "1");
    let mut first = worker(&place, &server.url(), "a");
    let run = place.start(&over(&server.url(), "12"));
    place.await_games("run.db", 3);
    first.kill().unwrap();
    first.wait().unwrap();
    let second = worker(&place, &server.url(), "b");
    finish(run, 0);
    dismiss([second]);
    drop(server);
    check_end(&place, "1", "12");
}

#[test]
#[ignore = "needs nats-server"]
fn a_lost_network_loses_no_game_and_counts_none_twice() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "3");
    let proxy = Proxy::start(server.port);
    let far = worker(&place, &proxy.url(), "far");
    let mut run = WatchedProgram::new(place.start(&over(&server.url(), "60")));
    place.await_games("run.db", 3);
    let near = worker(&place, &server.url(), "near");
    for (network, games) in [(Network::Silent, 8), (Network::Cut, 24)] {
        place.await_games("run.db", games);
        proxy.turn(network);
        // Others have its pair meanwhile, and it returns with its own results.
        run.wait_for("far has not answered for long");
        proxy.turn(Network::Up);
        run.wait_for("far is back");
    }
    run.finish(0);
    dismiss([far, near]);
    drop(server);
    check_end(&place, "3", "60");
}

#[test]
#[ignore = "needs nats-server"]
fn a_run_without_workers_says_how_to_start_one() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let mut run = WatchedProgram::new(place.start(&over(&server.url(), "4")));
    let missing = format!("smalt-tournament worker --nats {}", server.url());
    run.wait_for("Waiting for workers");
    let (status, _) = place.check(&["status", "run.db"], 0);
    assert!(status.contains(&format!("No worker has played yet; start one: {missing}")), "{status}");
    let worker = worker(&place, &server.url(), "a");
    let err = run.finish(0);
    assert_eq!(err.matches(&format!("Waiting for workers: {missing}")).count(), 1, "{err}");
    signal(worker.id(), "-INT");
    let (_, err) = texts(&finish(worker, 130));
    assert!(err.contains("The run is over, or was interrupted"), "{err}");
}

#[test]
#[ignore = "needs nats-server"]
fn a_frozen_worker_counts_no_game_twice() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "2");
    let frozen = worker(&place, &server.url(), "a");
    let run = place.start(&over(&server.url(), "16"));
    place.await_games("run.db", 2);
    signal(frozen.id(), "-STOP");
    let other = worker(&place, &server.url(), "b");
    place.await_games("run.db", 8);
    signal(frozen.id(), "-CONT");
    finish(run, 0);
    dismiss([frozen, other]);
    drop(server);
    check_end(&place, "2", "16");
}

#[test]
#[ignore = "needs nats-server"]
fn a_killed_coordinator_goes_on_with_the_same_workers() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "1");
    let workers = ["a", "b"].map(|name| worker(&place, &server.url(), name));
    let mut run = place.start(&over(&server.url(), "20"));
    for games in [4, 10] {
        place.await_games("run.db", games);
        run.kill().unwrap();
        run.wait().unwrap();
        run = place.start(&["resume", "run.db"]);
    }
    finish(run, 0);
    dismiss(workers);
    drop(server);
    check_end(&place, "1", "20");
}

#[test]
#[ignore = "needs nats-server"]
fn a_fleet_run_that_takes_the_name_of_a_killed_one_counts_only_its_own_games() {
    let [killed, other] = [Place::new(), Place::new()];
    let server = Server::start(&killed, &[]);
    for place in [&killed, &other] {
        write_engines(place, "1");
    }
    let mut worker = WatchedProgram::new(worker(&killed, &server.url(), "a"));
    let url = server.url();
    let named = ["--nats", &url, "--lease", "1", "--run", "shared"];
    let mut run = killed.start(&matched("40", &named));
    killed.await_games("run.db", 3);
    run.kill().unwrap();
    run.wait().unwrap();
    let another_seed = |more: &[&str]| -> Vec<String> {
        let arguments =
            matched("6", more).into_iter().map(|word| if word == "7" { "8" } else { word }.to_owned());
        arguments.collect()
    };
    let words = another_seed(&named);
    finish(other.start(&words.iter().map(String::as_str).collect::<Vec<_>>()), 0);
    worker.wait_for("The run was started with another plan; preparing it again");
    signal(worker.id(), "-INT");
    worker.finish(130);
    let here = Place::new();
    write_engines(&here, "1");
    let words = another_seed(&["--concurrency", "1"]);
    here.check(&words.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    assert_eq!(timeless(&other.read("run.pgn")), timeless(&here.read("run.pgn")));
}

#[test]
#[ignore = "needs nats-server"]
fn the_name_of_a_fleet_run_that_is_played_is_refused() {
    let [first, second] = [Place::new(), Place::new()];
    let server = Server::start(&first, &[]);
    for place in [&first, &second] {
        write_engines(place, "0");
    }
    let url = server.url();
    let named = ["--nats", &url, "--lease", "1", "--run", "shared"];
    let mut run = WatchedProgram::new(first.start(&matched("4", &named)));
    run.wait_for("Waiting for workers");
    let (_, err) = second.check(&matched("6", &named), 1);
    assert!(err.contains("another coordinator announces run shared"), "{err}");
    let worker = worker(&first, &url, "a");
    run.finish(0);
    dismiss([worker]);
    assert_eq!(first.results("run.db")["games_finished"], 4);
}

#[test]
#[ignore = "needs nats-server"]
fn a_fleet_worker_with_results_of_a_killed_run_plays_for_another_run() {
    let [killed, other] = [Place::new(), Place::new()];
    let server = Server::start(&killed, &[]);
    for place in [&killed, &other] {
        write_engines(place, "1");
    }
    let mut worker = WatchedProgram::new(worker(&killed, &server.url(), "a"));
    let mut run = killed.start(&over(&server.url(), "40"));
    killed.await_games("run.db", 3);
    run.kill().unwrap();
    run.wait().unwrap();
    finish(other.start(&over(&server.url(), "4")), 0);
    worker.wait_for("pairs of games are played again when it is resumed");
    finish(killed.start(&["resume", "run.db"]), 0);
    signal(worker.id(), "-INT");
    worker.finish(130);
    drop(server);
    check_end(&killed, "1", "40");
    check_end(&other, "1", "4");
}

/// Checks that a run of two workers is unaffected by a failure of the server after four games.
#[track_caller]
fn check_survives(befalls: impl FnOnce(&Place, &mut Server)) {
    let place = Place::new();
    let mut server = Server::start(&place, &[]);
    write_engines(&place, "1");
    let workers = ["a", "b"].map(|name| worker(&place, &server.url(), name));
    let run = place.start(&over(&server.url(), "24"));
    place.await_games("run.db", 4);
    befalls(&place, &mut server);
    finish(run, 0);
    dismiss(workers);
    drop(server);
    check_end(&place, "1", "24");
}

#[test]
#[ignore = "needs nats-server"]
fn a_killed_server_comes_back_with_what_it_had_and_without() {
    check_survives(|place, server| {
        server.kill();
        server.come_back();
        place.await_games("run.db", 12);
        server.kill();
        std::fs::remove_dir_all(place.path("js")).unwrap();
        server.come_back();
    });
}

#[test]
#[ignore = "needs nats-server"]
fn a_server_that_comes_back_with_half_of_a_run_gets_the_other() {
    check_survives(|place, server| {
        server.kill();
        for stream in std::fs::read_dir(place.path("js/jetstream/$G/streams")).unwrap() {
            // Simulates a file torn by a kill: the server then forgets which worker fetched which pair.
            std::fs::write(stream.unwrap().path().join("obs/workers/meta.inf"), "").unwrap();
        }
        server.come_back();
    });
}

#[test]
#[ignore = "needs nats-server"]
fn workers_come_and_go_and_hand_back_what_they_play() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "1");
    let run = place.start(&over(&server.url(), "16"));
    let first = worker(&place, &server.url(), "a");
    place.await_games("run.db", 3);
    dismiss([first]);
    let rest = ["b", "c"].map(|name| worker(&place, &server.url(), name));
    finish(run, 0);
    dismiss(rest);
    drop(server);
    check_end(&place, "1", "16");
}

#[test]
#[ignore = "needs nats-server"]
fn an_interrupted_run_is_resumed_and_its_workers_wait() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "1");
    let worker = worker(&place, &server.url(), "a");
    let run = place.start(&over(&server.url(), "10"));
    place.await_games("run.db", 3);
    signal(run.id(), "-INT");
    let output = finish(run, 130);
    assert!(
        texts(&output).1.contains("smalt-tournament resume run.db") || texts(&output).1.contains("resume")
    );
    place.check(&["resume", "run.db"], 0);
    dismiss([worker]);
    drop(server);
    check_end(&place, "1", "10");
}

#[test]
#[ignore = "needs nats-server"]
fn clocks_are_scaled_to_each_machine_and_the_pgn_has_both() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    // `worker` has a measured speed of a million: a quarter of the reference, so it gets four times the time.
    let worker = worker(&place, &server.url(), "a");
    let clock = ["--tc", "10+1", "--scale-clock", "4000000", "--nats", &server.url(), "--maxmoves", "5"];
    let engines = ["match", "--engine", "first", "--engine", "second", "--engines", "engines.toml"];
    place.check(&[&engines[..], &clock, &["--games", "2", "--store", "run.db"]].concat(), 0);
    dismiss([worker]);
    for pgn in [place.read("run.pgn"), place.check(&["export", "run.db"], 0).0] {
        assert!(pgn.contains("[TimeControl \"40+4\"]"), "{pgn}");
        assert!(pgn.contains("[WhiteAgreedTimeControl \"10+1\"]"), "{pgn}");
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_keeps_the_transcripts_of_what_it_plays() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let (_, err) = place.check(&[&over(&server.url(), "2")[..], &["--log", "log"]].concat(), 2);
    assert!(err.contains("give it to workers"), "{err}");
    let arguments = ["worker", "--nats", &server.url(), "--engines", "engines.toml", "--speed", "1000000"];
    let worker = place.start(&[&arguments[..], &["--log", "log"]].concat());
    place.check(&over(&server.url(), "2"), 0);
    dismiss([worker]);
    let folders: Vec<_> =
        std::fs::read_dir(place.path("log")).unwrap().map(|one| one.unwrap().path()).collect();
    assert_eq!(folders.len(), 1, "a folder a run");
    for game in ["game-000001.log", "game-000002.log"] {
        let text = std::fs::read_to_string(folders[0].join(game)).unwrap();
        assert!(text.contains("bestmove"), "{text}");
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_decided_test_ends_the_run_and_its_workers_wait() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    let engines = place.read("engines.toml");
    // The second engine plays an illegal move as early as possible in every game.
    place.write(
        "engines.toml",
        &engines.replace("\"--seed\", \"2\"", "\"--seed\", \"2\", \"--fault\", \"illegal-move@all\""),
    );
    let worker = worker(&place, &server.url(), "a");
    let run = [
        "sprt",
        "--engine",
        "first",
        "--engine",
        "second",
        "--engines",
        "engines.toml",
        "--depth",
        "1",
        "--games",
        "2000",
        "--elo0",
        "0",
        "--elo1",
        "50",
        "--store",
        "run.db",
        "--nats",
        &server.url(),
        "--lease",
        "1",
    ];
    let (_, err) = place.check(&run, 0);
    assert!(err.contains("The test is decided"), "{err}");
    let results = place.results("run.db");
    assert_eq!(results["sprt"]["verdict"], "H1");
    assert!(results["games_finished"].as_u64().unwrap() < 1000);
    dismiss([worker]);
    place.await_nobody();
}

#[test]
#[ignore = "needs nats-server"]
fn a_signal_ends_a_worker_that_leaves_a_run_which_is_over() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    // Slow to quit, so that the worker is still leaving when the signal comes.
    wrap_engines(&place, "$ENGINE \"$@\"\ntouch quitting-$$\nsleep 30");
    let worker = worker(&place, &server.url(), "a");
    finish(place.start(&over(&server.url(), "2")), 0);
    // Both engines quit after their identification, and are started again for the games.
    wait_until("an engine that quits after its games", || {
        let files = std::fs::read_dir(place.path("")).unwrap().flatten();
        files.filter(|file| file.file_name().to_string_lossy().starts_with("quitting-")).count() > 2
    });
    signal(worker.id(), "-TERM");
    finish(worker, 143);
    drop(server);
    place.await_nobody();
}

#[test]
#[ignore = "needs nats-server"]
fn a_signal_ends_a_worker_that_still_starts_the_engines_of_a_run() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    write_engines(&place, "0");
    wrap_engines(&place, "touch starting\nsleep 600");
    let worker = worker(&place, &server.url(), "a");
    let run = place.start(&[&over(&server.url(), "2")[..], &["--timeouts", "start=600"]].concat());
    await_file(&place, "starting");
    signal(worker.id(), "-INT");
    finish(worker, 130);
    signal(run.id(), "-INT");
    finish(run, 130);
    drop(server);
    place.await_nobody();
}
