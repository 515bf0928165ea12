//! Output files of a run, exports from a store, and settings refused before a run starts.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use crate::support::{Place, duel, finish, restarted, scripted, scripted_program, texts};

/// Four games with one illegal move of `bad`, with further arguments.
fn play(place: &Place, more: &[&str]) -> (String, String) {
    let (good, bad) = (scripted("good", "--info-lines 1"), scripted("bad", "--fault illegal-move@9"));
    let arguments = duel(&good, &bad, "--depth 1 --games 4 --maxmoves 6 --store run.db");
    place.check(&[&arguments[..], more].concat(), 0)
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn events_are_one_json_line_each() {
    let place = Place::new();
    play(&place, &["--events", "events.jsonl", "--rating-interval", "2"]);
    let events = lines(&place.read("events.jsonl"));
    let count = |name: &str| events.iter().filter(|event| event["event"] == name).count();
    assert_eq!(events.first().unwrap()["event"], "run-begun");
    assert_eq!(events.last().unwrap()["event"], "run-ended");
    assert_eq!((count("game-started"), count("game-finished"), count("standings")), (4, 4, 3));
    let fault = events.iter().find(|event| event["fault"].is_object()).unwrap();
    assert_eq!((&fault["termination"], &fault["fault"]["engine"]), (&"illegal move".into(), &"bad".into()));
    assert!(fault["plies"].as_u64().unwrap() > 0 && fault["time"].as_f64().unwrap() > 1e9);
}

/// A kill in the middle of a write leaves half of a line.
#[test]
fn events_go_on_behind_a_torn_line() {
    let place = Place::new();
    place.write("events.jsonl", "{\"event\":\"game-sta");
    play(&place, &["--events", "events.jsonl"]);
    let text = place.read("events.jsonl");
    let (torn, rest) = text.split_once('\n').unwrap();
    assert_eq!(torn, "{\"event\":\"game-sta");
    assert_eq!(lines(rest).first().unwrap()["event"], "run-begun");
}

#[test]
fn no_output_goes_over_a_store_or_over_another() {
    let place = Place::new();
    play(&place, &[]);
    let whole = std::fs::read(place.path("run.db")).unwrap();
    std::fs::copy(place.path("run.db"), place.path("renamed")).unwrap();
    let refused = |arguments: &[&str]| {
        let (_, err) = place.check(arguments, 2);
        assert!(err.contains("is a store, which is never overwritten"), "{arguments:?}: {err}");
    };
    for store in ["run.db", "renamed"] {
        refused(&["export", "run.db", "-o", store]);
        refused(&["openings", "--count", "1", "--nodes", "1", "-o", store]);
        let (first, second) = (scripted("first", ""), scripted("second", ""));
        let run = duel(&first, &second, "--depth 1 --games 2 --store other.db");
        for more in
            [&["--pgn", store, "--append"][..], &["--epd", store], &["--events", store], &["--json", store]]
        {
            refused(&[&run[..], more].concat());
        }
        for more in [format!("-pgnout {store}"), format!("-epdout {store}"), format!("-log file={store}")] {
            let program = scripted_program();
            let engines = format!("fastchess -engine cmd={program} name=a -engine cmd={program} name=b");
            let words = format!("{engines} -each depth=1 -rounds 1 {more}");
            refused(&words.split(' ').collect::<Vec<_>>());
        }
        assert_eq!(std::fs::read(place.path(store)).unwrap(), whole);
    }
    let (first, second) = (scripted("first", ""), scripted("second", ""));
    let run = duel(&first, &second, "--depth 1 --games 2 --pgn games.txt --epd ./games.txt --store other.db");
    let (_, err) = place.check(&run, 2);
    assert!(err.contains("--pgn and --epd are the same file"), "{err}");
    assert!(!place.path("other.db").exists());
}

#[test]
fn existing_files_are_replaced_by_force_only() {
    let place = Place::new();
    play(&place, &[]);
    let openings = ["openings", "--count", "1", "--nodes", "100", "--plies", "2", "-o", "mine.svg"];
    let commands = [
        &["report", "run.db", "--format", "html", "-o", "mine.svg"][..],
        &["plot", "run.db", "-o", "mine.svg"],
        &["export", "run.db", "-o", "mine.svg"],
        &openings,
    ];
    for command in commands {
        place.write("mine.svg", "of the user\n");
        let (_, err) = place.check(command, 2);
        assert!(err.contains("write mine.svg: it exists already") && err.contains("--force"), "{err}");
        assert_eq!(place.read("mine.svg"), "of the user\n");
        place.check(&[command, &["--force"]].concat(), 0);
        let written = place.read("mine.svg");
        assert!(!written.contains("of the user"), "{command:?}");
        // Existing files may be overwritten.
        if command[0] != "openings" {
            place.check(command, 0);
            assert_eq!(place.read("mine.svg"), written);
        }
    }
}

#[cfg(unix)]
#[test]
fn an_export_is_written_through_a_link_and_leaves_no_temporary_file() {
    let place = Place::new();
    play(&place, &[]);
    place.write("theirs.pgn", "of the user\n");
    std::os::unix::fs::symlink("theirs.pgn", place.path("link.pgn")).unwrap();
    place.check(&["export", "run.db", "-o", "link.pgn"], 2);
    assert_eq!(place.read("theirs.pgn"), "of the user\n");
    place.check(&["export", "run.db", "-o", "link.pgn", "--force"], 0);
    assert!(place.path("link.pgn").is_symlink());
    assert_eq!(place.read("theirs.pgn"), place.read("run.pgn"));
    place.check(&["export", "run.db", "-o", "new.pgn", "--game", "1-2"], 0);
    assert_eq!(place.read("new.pgn").matches("[Event ").count(), 2);
    let names = std::fs::read_dir(place.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|name| name.ends_with(".part")), "{names:?}");
}

#[test]
fn a_table_is_shown_every_so_many_games() {
    let place = Place::new();
    let (_, err) = play(&place, &["--rating-interval", "2"]);
    assert_eq!(err.matches("#  engine").count(), 2, "{err}");
    assert!(err.contains("2 of 4 games, ") && err.contains(" games/h, "), "{err}");
    let place = Place::new();
    let (out, err) = play(&place, &["--quiet", "--rating-interval", "1"]);
    assert!(!err.contains("#  engine") && !err.contains("Finished"), "{err}");
    assert!(out.contains("illegal-move") && out.contains("answered"), "the table of faults: {out}");
}

#[test]
fn every_form_is_made_of_the_store() {
    let place = Place::new();
    play(&place, &["--epd", "final.epd"]);
    let export =
        |what: &str, more: &[&str]| place.check(&[&["export", "run.db", "--what", what], more].concat(), 0).0;
    assert_eq!(export("pgn", &[]), place.read("run.pgn"));
    assert_eq!(export("epd", &[]), place.read("final.epd"));
    assert_eq!(place.read("final.epd").lines().count(), 4);
    assert!(place.read("final.epd").contains("id \"game 1: good - bad\"; c0 \""));
    let csv = export("csv", &[]);
    let widths: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!((widths.len(), widths[0]), (5, 16));
    let games: Vec<Value> = serde_json::from_str(&export("json", &[])).unwrap();
    assert_eq!(games, lines(&export("jsonl", &[])));
    assert_eq!(games.len(), 4);
    assert_eq!(games[0]["white"], "good");
    assert!(games[0]["moves"].as_array().unwrap().iter().any(|ply| ply["cp"].is_number()));
    place.check(&["export", "run.db", "-o", "games.csv"], 0);
    assert_eq!(place.read("games.csv"), csv);
}

#[test]
fn an_export_can_be_filtered() {
    let place = Place::new();
    play(&place, &[]);
    let check = |more: &[&str], expected: usize| {
        let (out, _) = place.check(&[&["export", "run.db", "--what", "jsonl"], more].concat(), 0);
        assert_eq!(out.lines().count(), expected, "{more:?}");
    };
    check(&["--game", "2-3"], 2);
    check(&["--pair", "2"], 2);
    check(&["--engine", "bad"], 4);
    check(&["--termination", "illegal move"], 1);
    check(&["--termination", "illegal move", "--termination", "maximum moves"], 4);
    check(&["--result", "1/2-1/2"], 3);
    let refuse = |more: &[&str], expected: &str| {
        let (_, err) = place.check(&[&["export", "run.db"], more].concat(), 2);
        assert!(err.contains(expected), "{err}");
    };
    refuse(&["--engine", "bat"], "no engine of the run is called \"bat\" (did you mean \"bad\"?)");
    refuse(
        &["--termination", "time"],
        "unknown termination \"time\" (did you mean \"time forfeit\"?); there are checkmate",
    );
    refuse(&["--termination", "boredom"], "unknown termination \"boredom\"; there are checkmate");
    refuse(&["--result", "2-0"], "expected 1-0, 0-1 or 1/2-1/2");
}

#[test]
fn the_last_lines_before_a_fault_are_kept_and_shown() {
    let place = Place::new();
    let (out, _) = play(&place, &[]);
    assert!(out.contains("smalt-tournament export"), "{out}");
    let (transcript, _) = place.check(&["export", "run.db", "--what", "transcript"], 0);
    assert!(transcript.contains("bad answered") && transcript.contains(" > go depth 1\n"), "{transcript}");
    assert!(transcript.lines().count() <= 53, "fifty lines are kept");
}

#[test]
fn a_log_holds_every_line_of_both_engines_a_file_a_game() {
    let place = Place::new();
    play(&place, &["--log", "talk"]);
    let pgn = place.read("run.pgn");
    for number in 1..=4 {
        let log = place.read(&format!("talk/game-00000{number}.log"));
        let said = |needle: &str| log.lines().filter(|line| line.contains(needle)).count();
        assert!(said("good > ucinewgame") == 1 && said("bad > ucinewgame") == 1, "{log}");
        assert_eq!(said("> go depth 1"), said("< bestmove"), "{log}");
    }
    assert!(place.read("talk/game-000001.log").contains("good < uciok"));
    assert_eq!(pgn.matches("[White ").count(), 4);
}

#[test]
fn outputs_that_cannot_be_written_are_refused_before_anything_is_made() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", ""));
    let check = |more: &[&str], expected: &str| {
        let begin = duel(&good, &bad, "--depth 1 --games 2");
        let (_, err) = place.check(&[&begin[..], more].concat(), 2);
        assert!(err.replace('\\', "/").contains(expected), "{err}");
    };
    check(&["--store", "run.db", "--pgn", "none/run.pgn"], "none/run.pgn");
    check(&["--store", "run.db", "--json", "none/run.json"], "none/run.json");
    check(&["--store", "run.db", "--events", "none/events"], "none/events");
    check(&["--store", "none/run.db", "--pgn", "run.pgn"], "none/run.db");
    place.write("old.pgn", "old");
    check(
        &["--store", "run.db", "--pgn", "old.pgn"],
        "old.pgn: it exists already; choose another --pgn, or append to it with --append",
    );
    assert_eq!(place.read("old.pgn"), "old");
    let mut names: Vec<_> =
        std::fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["old.pgn"]);
}

#[test]
fn append_adds_games_to_an_existing_file() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", ""));
    let line = duel(&good, &bad, "--depth 1 --games 2 --maxmoves 3 --append --pgn all.pgn --epd all.epd");
    for store in ["first.db", "second.db"] {
        place.check(&[&line[..], &["--store", store]].concat(), 0);
    }
    place.check(&["resume", "second.db", "--games", "4"], 0);
    assert_eq!(place.read("all.pgn").matches("[Event ").count(), 6);
    assert_eq!(place.read("all.epd").lines().count(), 6);
}

#[test]
fn runs_of_one_second_have_names_of_their_own() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", ""));
    let arguments = duel(&good, &bad, "--depth 1 --games 2 --maxmoves 3");
    let runs: Vec<_> = (0..4).map(|_| place.start(&arguments)).collect();
    for run in runs {
        finish(run, 0);
    }
    let names = std::fs::read_dir(place.path(".")).unwrap().map(|entry| entry.unwrap().path());
    let mut ends: Vec<_> = names.map(|path| path.extension().unwrap().to_str().unwrap().to_owned()).collect();
    ends.sort();
    assert_eq!(ends, ["db", "db", "db", "db", "pgn", "pgn", "pgn", "pgn"]);
}

#[test]
fn a_run_can_be_made_longer_and_not_shorter() {
    let place = Place::new();
    play(&place, &[]);
    place.check(&["resume", "run.db", "--games", "8"], 0);
    let results = place.results("run.db");
    assert_eq!((&results["games_planned"], &results["games_finished"]), (&8.into(), &8.into()));
    assert_eq!(place.read("run.pgn").matches("[White ").count(), 8);
    let (_, err) = place.check(&["resume", "run.db", "--games", "2"], 2);
    assert!(err.contains("can only be extended"), "{err}");
    let (_, err) = place.check(&["resume", "run.db", "--games", "9"], 2);
    assert!(err.contains("only even numbers"), "{err}");
}

#[test]
fn a_run_made_longer_is_the_run_that_was_planned_so() {
    let entrants = ["hero", "first", "second"].map(|name| scripted(name, &format!("--seed {}", name.len())));
    let gauntlet = |place: &Place, games: &str| {
        let [hero, first, second] = &entrants;
        let arguments = [
            "gauntlet", "--engine", hero, "--opponent", first, "--opponent", second, "--depth", "1",
            "--games", games, "--maxmoves", "20", "--store", "run.db",
        ];
        place.check(&arguments, 0);
    };
    let (planned, longer) = (Place::new(), Place::new());
    gauntlet(&planned, "8");
    gauntlet(&longer, "4");
    longer.check(&["resume", "run.db", "--games", "8"], 0);
    assert_eq!(
        crate::support::timeless(&longer.read("run.pgn")),
        crate::support::timeless(&planned.read("run.pgn"))
    );
}

#[test]
fn status_for_scripts() {
    let place = Place::new();
    play(&place, &[]);
    let (out, _) = place.check(&["status", "run.db", "--json", "-"], 0);
    let status: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&status["state"], &status["pid"]), (&"finished".into(), &Value::Null));
    assert_eq!((&status["games_finished"], &status["seconds_left"]), (&4.into(), &0.0.into()));
    assert!(status["games_per_hour"].as_f64().unwrap() > 0.0);
    assert_eq!(status["faults"].as_array().unwrap().len(), 1);
}

#[test]
fn an_engine_with_too_many_faults_is_disqualified_until_resume() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), restarted(&scripted("bad", "--fault illegal-move@all")));
    let arguments = duel(&good, &bad, "--depth 1 --games 10 --concurrency 1 --strike-after 3 --store run.db");
    let (_, err) = place.check(&arguments, 3);
    assert!(err.contains("bad is disqualified: it had 3 faults, as many as the plan allows"), "{err}");
    assert!(err.contains("6 games were skipped"), "the pair that was begun is played: {err}");
    assert_eq!(place.results("run.db")["games_finished"], 4);
    place.check(&["resume", "run.db", "--disqualify-after", "0"], 0);
    assert_eq!(place.results("run.db")["games_finished"], 10);
    place.await_nobody();
}

#[test]
fn a_sequential_test_goes_with_any_format_of_two() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), restarted(&scripted("bad", "--fault illegal-move@all")));
    for format in ["gauntlet", "round-robin", "match"] {
        let store = format!("{format}.db");
        place.write(
            "plan.toml",
            &format!("[run]\nformat = \"{format}\"\ngames = 1000\n[sprt]\nelo0 = 0.0\nelo1 = 50.0\n[output]\nstore = \"{store}\"\n"),
        );
        let arguments = ["run", "plan.toml", "--engine", &good, "--opponent", &bad, "--depth", "1"];
        let (out, _) = place.check(&arguments, 0);
        assert!(out.contains("H1 is accepted: a gain after "), "{out}");
        let (status, _) = place.check(&["status", &store], 0);
        assert!(status.contains("of 1000 games, decided"), "{status}");
    }
}

/// Receives one request; returns its head and body.
fn take_request(listener: &TcpListener) -> (String, serde_json::Value) {
    let (mut stream, _) = listener.accept().unwrap();
    let mut lines = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(lines.read_line(&mut head).unwrap() > 0, "{head}");
    }
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap()];
    lines.read_exact(&mut body).unwrap();
    stream.write_all(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n").unwrap();
    (head, serde_json::from_slice(&body).unwrap())
}

#[test]
fn the_end_of_a_run_is_posted_to_the_webhook_and_a_failure_is_a_warning() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", ""));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook?run=1", listener.local_addr().unwrap());
    let words = format!("--depth 1 --games 2 --maxmoves 3 --store run.db --webhook {url}");
    let run = place.start(&duel(&good, &bad, &words));
    let (head, body) = take_request(&listener);
    finish(run, 0);
    assert!(head.starts_with("POST /hook?run=1 HTTP/1.1\r\n"), "{head}");
    assert!(head.to_ascii_lowercase().contains("content-type: application/json"), "{head}");
    assert_eq!((&body["outcome"], &body["schema"]), (&"complete".into(), &1.into()));
    assert_eq!(body["results"]["games_finished"], 2);
    drop(listener);
    let (_, err) = place.check(&["resume", "run.db"], 0);
    assert!(err.contains("Warning: failed to post the results to the webhook"), "{err}");
    let (_, err) = place.check(&duel(&good, &bad, "--games 2 --webhook ftp://a/b"), 2);
    assert!(err.contains("expected an address like https://"), "{err}");
}

#[test]
fn a_webhook_with_tls_refuses_a_server_that_speaks_none() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", ""));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let words = format!("--depth 1 --games 2 --maxmoves 3 --store run.db --webhook {url}");
    let run = place.start(&duel(&good, &bad, &words));
    let (mut stream, _) = listener.accept().unwrap();
    let mut hello = [0; 3];
    stream.read_exact(&mut hello).unwrap();
    // A handshake record of TLS (RFC 8446, 5.1).
    assert_eq!((hello[0], hello[1]), (22, 3));
    stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
    drop(stream);
    let (_, err) = texts(&finish(run, 0));
    assert!(err.contains("failed to post the results to the webhook"), "{err}");
}
