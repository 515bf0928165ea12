//! Interfaces for scripts: exit codes, a command that starts or resumes, schemas, completions and manual pages.

use smalt_testing::json::schema_mismatches;

use crate::support::served::Served;
use crate::support::{Place, duel, finish, restarted, scripted, scripted_program, signal};

#[test]
fn one_command_starts_a_plan_and_resumes_it() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2"));
    let words = "--games 4 --depth 1 --maxmoves 6 --concurrency 1";
    let flags = duel(&first, &second, words);
    let (plan, _) = place.check(&[&["plan", "--format"], flags.as_slice()].concat(), 0);
    place.write("plan.toml", &plan);
    let run = ["run", "plan.toml", "--store", "run.db", "--resume"];
    place.check(&run, 0);
    let games = place.read("run.pgn");
    let (_, err) = place.check(&run, 0);
    assert!(err.contains("run.db"), "{err}");
    assert_eq!(place.read("run.pgn"), games, "the finished run was resumed, and no game played again");
    let (_, err) = place.check(&["run", "plan.toml", "--resume"], 2);
    assert!(err.contains("--resume needs the name of the store"), "{err}");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "needs GNU date"]
fn the_unit_of_systemd_plays_every_night_and_resumes_within_one() {
    let unit = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/integration/smalt-nightly.service");
    let unit = std::fs::read_to_string(unit).unwrap();
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart=:")).unwrap();
    let place = Place::new();
    // The quotation marks of systemd are those of a shell here.
    let folder = place.path("").display().to_string();
    let command =
        command.replace("%S/smalt-nightly", &folder).replace("%E/smalt", &folder).replace("%%", "%");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_smalt-tournament"), place.path("smalt-tournament"))
        .unwrap();
    place.script("date", "#!/bin/sh\nexec /bin/date \"$1\" \"$NOW $2\" \"$3\"\n");
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2"));
    let flags = duel(&first, &second, "--games 2 --depth 1 --maxmoves 4 --concurrency 1");
    let (plan, _) = place.check(&[&["plan", "--format"], flags.as_slice()].concat(), 0);
    place.write("nightly.toml", &plan);
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let play = |now: &str| {
        let mut shell = smalt_testing::process::command("sh");
        shell.args(["-c", &command]).env("PATH", &path).env("NOW", now).env("XDG_CONFIG_HOME", &folder);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    play("2026-11-26 22:00");
    let games = place.read("nightly-20261126.pgn");
    play("2026-11-27 02:00");
    assert_eq!(place.read("nightly-20261126.pgn"), games);
    assert!(!place.path("nightly-20261127.db").exists());
    play("2026-11-27 22:00");
    assert_eq!(place.results("nightly-20261127.db")["games_finished"], 2);
    assert_ne!(place.read("nightly-20261127.pgn").replace("20261127", ""), games.replace("20261126", ""));
}

#[test]
fn exit_on_verdict_sets_the_exit_code() {
    let (good, bad) = (scripted("good", ""), restarted(&scripted("bad", "--fault illegal-move@all")));
    let check = |first: &str, second: &str, games: &str, code: i32| {
        let place = Place::new();
        let words = format!(
            "--depth 1 --maxmoves 4 --concurrency 1 --elo0 0 --elo1 50 --store run.db --games {games}"
        );
        let flags = duel(first, second, &words);
        place.check(&flags, 0);
        std::fs::remove_file(place.path("run.db")).unwrap();
        std::fs::remove_file(place.path("run.pgn")).unwrap();
        place.check(&[flags.as_slice(), &["--exit-on-verdict"]].concat(), code);
    };
    check(&good, &bad, "400", 0);
    check(&bad, &good, "400", 10);
    check(&good, &bad, "2", 11);
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_terminated_run_has_the_exit_code_of_its_signal() {
    let place = Place::new();
    let (first, second) = (scripted("first", "--think 5"), scripted("second", "--think 5"));
    let child = place.start(&duel(&first, &second, "--games 400 --depth 1 --concurrency 1 --store run.db"));
    place.await_games("run.db", 1);
    signal(child.id(), "-TERM");
    finish(child, 143);
    place.await_nobody();
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn servers_are_stopped_by_a_signal_and_end_with_0() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2"));
    place.check(&duel(&first, &second, "--games 2 --depth 1 --maxmoves 4 --store run.db"), 0);
    for arguments in [["serve", "run.db", "--listen", "0"], ["play", "--engine", &first, "--serve=0"]] {
        let mut served = Served::of_command(&place, &arguments);
        signal(served.child.id(), "-TERM");
        assert_eq!(served.child.wait().unwrap().code(), Some(0), "{arguments:?}");
    }
    let (help, _) = place.check(&["--help"], 0);
    assert!(help.contains("serve, play and queue run end with 0 at Ctrl-C and SIGTERM"), "{help}");
}

#[test]
fn json_and_events_have_a_version_and_a_schema() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2"));
    let words = "--games 2 --depth 1 --maxmoves 4 --store run.db --json run.json --events events.jsonl";
    place.check(&duel(&first, &second, words), 0);
    let parse = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let schema = |name: &str| parse(&place.check(&["schema", name], 0).0);
    place.check(&["queue", "--queue", "queue.db", "add", "--", "resume", "run.db"], 0);
    for (name, words) in [
        ("results", "standings run.db --json -"),
        ("status", "status run.db --json -"),
        ("ratings", "ratings run.db --json -"),
        ("elo", "elo --wdl 3,2,1 --elo0 0 --elo1 5 --json -"),
        ("games", "export run.db --format jsonl --game 1"),
        ("engines", "engines --json -"),
        ("check", &format!("check {} --json -", scripted_program())),
        ("queue", "queue --queue queue.db list --json -"),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let (out, _) = place.check(&words, 0);
        let document = parse(&out);
        assert_eq!(document["schema"], 1, "{name}");
        assert_eq!(schema_mismatches(&schema(name), &document), [""; 0], "{name}: {document}");
    }
    assert_eq!(parse(&place.read("run.json"))["schema"], 1);
    let events = schema("events");
    let names: Vec<&serde_json::Value> =
        events["oneOf"].as_array().unwrap().iter().map(|one| &one["properties"]["event"]["const"]).collect();
    for line in place.read("events.jsonl").lines() {
        let event = parse(line);
        assert_eq!(event["schema"], 1, "{line}");
        assert!(names.contains(&&event["event"]), "{line}");
    }
    for name in ["plan", "registry"] {
        assert_eq!(schema(name)["type"], "object", "{name}");
    }
    let (tables, _) = place.check(&["schema", "store"], 0);
    for words in ["CREATE TABLE game (", "checksum INTEGER", "CREATE TEMP VIEW standings AS"] {
        assert!(tables.contains(words), "{tables}");
    }
    let (views, _) = place.check(&["schema", "views"], 0);
    assert!(tables.ends_with(&views) && views.starts_with("CREATE TEMP VIEW names AS"), "{views}");
}

/// The candidates for the last of these words of a command line.
fn candidates(place: &Place, words: &[&str]) -> String {
    let mut command = place.command(&[&["--", "smalt-tournament"], words].concat());
    command.env("SMALT_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn completions_offer_engines_of_the_registry_files_and_words() {
    let place = Place::new();
    let (script, _) = place.check(&["completions", "bash"], 0);
    assert!(script.contains("SMALT_COMPLETE"), "{script}");
    place.write("stable", "");
    let engines = candidates(&place, &["sprt", "--engine", "st"]);
    assert!(engines.contains("stockfish") && engines.contains("stable"), "{engines}");
    assert_eq!(candidates(&place, &["check", "builti"]), "builtin");
    assert_eq!(candidates(&place, &["match", "--variant", ""]), "standard\nchess960\nfischerandom");
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    place.check(&["man", "--output", "man"], 0);
    assert!(place.read("man/smalt-tournament-sprt.1").contains("Elo difference of hypothesis H0"));
}
