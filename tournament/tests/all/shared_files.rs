//! Game files with other writers, and names of links, pipes and devices: a run never truncates, replaces or
//! overwrites a user's data.

use std::process::Stdio;

use crate::support::{Place, duel, finish, scripted, texts};

const QUICK: &str = "--depth 1 --games 4 --maxmoves 3";

/// A quick match with further arguments.
fn play(place: &Place, more: &[&str], code: i32) -> String {
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    place.check(&[&duel(&a, &b, QUICK)[..], more].concat(), code).1
}

fn games(place: &Place, name: &str) -> usize {
    place.read(name).matches("[Event ").count()
}

const MINE: &str = "[Event \"mine\"]\n[White \"me\"]\n[Black \"you\"]\n\n1. e4 e5 1/2-1/2\n\n";

#[test]
fn resuming_a_finished_run_keeps_what_was_appended_to_its_files_since() {
    let place = Place::new();
    let files = ["--pgn", "all.pgn", "--epd", "all.epd"];
    play(&place, &[&files[..], &["--store", "first.db"]].concat(), 0);
    place.write("all.pgn", &(place.read("all.pgn") + MINE));
    play(&place, &[&files[..], &["--store", "second.db", "--append"]].concat(), 0);
    let (pgn, epd) = (place.read("all.pgn"), place.read("all.epd"));
    assert_eq!((games(&place, "all.pgn"), epd.lines().count()), (9, 8));
    for store in ["first.db", "second.db"] {
        place.check(&["resume", store], 0);
        assert_eq!((place.read("all.pgn"), place.read("all.epd")), (pgn.clone(), epd.clone()), "{store}");
    }
    place.check(&["resume", "first.db", "--games", "6"], 0);
    assert!(place.read("all.pgn").starts_with(&pgn) && place.read("all.epd").starts_with(&epd));
    assert_eq!((games(&place, "all.pgn"), place.read("all.epd").lines().count()), (11, 10));
}

#[test]
fn two_runs_that_append_to_one_file_at_once_keep_all_games() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let line = duel(&a, &b, "--depth 1 --games 40 --maxmoves 3 --pgn all.pgn --epd all.epd --append");
    let stores = ["first.db", "second.db"];
    let runs = stores.map(|store| place.start(&[&line[..], &["--store", store]].concat()));
    runs.into_iter().for_each(|run| drop(finish(run, 0)));
    assert_eq!((games(&place, "all.pgn"), place.read("all.epd").lines().count()), (80, 80));
    for store in stores {
        let (exported, _) = place.check(&["export", store], 0);
        let whole = place.read("all.pgn");
        let missing =
            exported.split_inclusive("\n\n[Event").filter(|game| !whole.contains(game.trim())).count();
        assert_eq!(missing, 0, "{store}");
    }
}

#[test]
fn the_file_of_another_run_with_the_name_of_ours_stays_as_it_is() {
    let place = Place::new();
    play(&place, &["--pgn", "g.pgn", "--epd", "g.epd", "--store", "first.db"], 0);
    let ours = place.read("g.pgn");
    for name in ["g.pgn", "g.epd"] {
        std::fs::rename(place.path(name), place.path("moved")).unwrap();
    }
    let (b, c) = (scripted("b", ""), scripted("c", ""));
    place.check(&[&duel(&b, &c, QUICK)[..], &["--pgn", "g.pgn", "--store", "second.db"]].concat(), 0);
    place.write("g.epd", "8/8/8/8/8/8/8/K1k5 w - - id \"mine\";\n");
    let theirs = [place.read("g.pgn"), place.read("g.epd")];
    let (_, err) = place.check(&["resume", "first.db"], 0);
    assert!(err.contains("holds games of other runs and stays as it is"), "{err}");
    assert_eq!([place.read("g.pgn"), place.read("g.epd")], theirs);
    assert_eq!(place.read("g-2.pgn"), ours);
    assert_eq!(place.read("g-2.epd").lines().count(), 4);
    place.check(&["resume", "first.db"], 0);
    assert!(!place.path("g-3.pgn").exists(), "the plan names the new file from then on");
}

#[test]
fn a_new_run_does_not_empty_a_file_of_positions() {
    let place = Place::new();
    place.write("mine.epd", "mine\n");
    let err = play(&place, &["--epd", "mine.epd", "--store", "run.db"], 2);
    assert!(err.contains("mine.epd: it exists already"), "{err}");
    assert_eq!(place.read("mine.epd"), "mine\n");
    assert!(!place.path("run.db").exists() && !place.path("run.pgn").exists());
}

#[test]
fn a_resumed_run_touches_no_file_beside_its_own() {
    let place = Place::new();
    play(&place, &["--store", "run.db"], 0);
    for name in ["run.pgn.new", "run.db.new", "run.pgn.part"] {
        place.write(name, "mine");
    }
    place.check(&["resume", "run.db", "--games", "6"], 0);
    for name in ["run.pgn.new", "run.db.new", "run.pgn.part"] {
        assert_eq!(place.read(name), "mine");
    }
    assert_eq!(games(&place, "run.pgn"), 6);
}

#[test]
fn games_appended_to_a_torn_file_begin_a_line() {
    let place = Place::new();
    for (number, tail) in ["1-0", "1. e4 {torn 0.1", "1-0\n", ""].into_iter().enumerate() {
        let name = format!("{number}.pgn");
        let content = format!("[Event \"mine\"]\n\n1. e4 {tail}");
        place.write(&name, &content);
        play(&place, &["--pgn", &name, "--append", "--store", &format!("{number}.db")], 0);
        let text = place.read(&name);
        assert!(text.starts_with(&content), "{text}");
        assert_eq!(text.matches("\n\n[Event ").count(), 4, "{text}");
        let (out, _) = texts(&place.run(&["ratings", &name, "--json", "-"]));
        assert!(out.contains("\"games\": 4"), "all that were appended can be read: {out}");
    }
}

#[test]
fn games_are_not_appended_to_a_compressed_file() {
    let place = Place::new();
    let packed = [0x1f, 0x8b, 8, 0];
    std::fs::write(place.path("old.pgn.gz"), packed).unwrap();
    std::fs::write(place.path("named-otherwise.pgn"), packed).unwrap();
    for name in ["old.pgn.gz", "named-otherwise.pgn"] {
        let err = play(&place, &["--pgn", name, "--append", "--store", "run.db"], 2);
        assert!(err.contains("this is a compressed file"), "{err}");
        assert_eq!(std::fs::read(place.path(name)).unwrap(), packed);
    }
    assert!(!place.path("run.db").exists());
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not let an open file be removed")]
fn a_file_of_games_that_is_removed_or_replaced_during_the_run_is_written_again() {
    let place = Place::new();
    let (a, b) = (scripted("a", "--think 20"), scripted("b", "--think 20"));
    let line = duel(&a, &b, "--depth 1 --games 12 --maxmoves 8 --epd run.epd --store run.db");
    let run = place.start(&line);
    place.await_games("run.db", 2);
    std::fs::remove_file(place.path("run.pgn")).unwrap();
    std::fs::rename(place.path("run.epd"), place.path("moved.epd")).unwrap();
    place.write("run.epd", "mine\n");
    let (_, err) = texts(&finish(run, 0));
    assert!(err.contains("run.pgn was removed, renamed or replaced during the run"), "{err}");
    assert!(err.contains("run-2.epd"), "{err}");
    let written = games(&place, "run.pgn");
    // A resume goes on with the new file, not with a third one.
    place.check(&["resume", "run.db"], 0);
    assert!(!place.path("run-3.epd").exists());
    assert_eq!(games(&place, "run.pgn"), written);
    assert_eq!(games(&place, "run.pgn"), 12);
    assert_eq!((place.read("run.epd").as_str(), place.read("run-2.epd").lines().count()), ("mine\n", 12));
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not let an open file be removed")]
fn a_store_that_is_removed_during_the_run_stops_it_and_is_written_again() {
    let place = Place::new();
    let (a, b) = (scripted("a", "--think 20"), scripted("b", "--think 20"));
    let line = duel(&a, &b, "--depth 1 --games 400 --maxmoves 8 --store run.db");
    let run = place.start(&line);
    place.await_games("run.db", 2);
    for name in ["run.db", "run.db-wal", "run.db-shm"] {
        std::fs::remove_file(place.path(name)).unwrap();
    }
    let (_, err) = texts(&finish(run, 1));
    assert!(err.contains("its games were written again to "), "{err}");
    assert!(place.results("run.db")["games_finished"].as_u64().unwrap() >= 3);
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not let an open file be renamed")]
fn a_store_that_is_renamed_or_replaced_during_the_run_keeps_its_games_and_those_of_the_other() {
    let place = Place::new();
    let (a, b) = (scripted("a", "--think 20"), scripted("b", "--think 20"));
    play(&place, &["--store", "other.db"], 0);
    let other = place.results("other.db");
    for is_replaced in [false, true] {
        let line = duel(&a, &b, "--depth 1 --games 400 --maxmoves 8 --store run.db");
        let run = place.start(&line);
        place.await_games("run.db", 2);
        if is_replaced {
            std::fs::copy(place.path("other.db"), place.path("copy.db")).unwrap();
            std::fs::rename(place.path("copy.db"), place.path("run.db")).unwrap();
        } else {
            std::fs::rename(place.path("run.db"), place.path("moved.db")).unwrap();
        }
        let (_, err) = texts(&finish(run, 1));
        let rescued = if is_replaced { "run-2.db" } else { "run.db" };
        assert!(err.contains("its games were written again to ") && err.contains(rescued), "{err}");
        assert!(place.results(rescued)["games_finished"].as_u64().unwrap() >= 3);
        if is_replaced {
            assert_eq!(place.results("run.db"), other);
        } else {
            assert!(place.results("moved.db")["games_finished"].as_u64().unwrap() >= 2);
        }
        for name in ["run.db", "run.db-wal", "run.db-shm", "run-2.db", "run.pgn"] {
            let _ = std::fs::remove_file(place.path(name));
        }
    }
}

#[test]
fn a_new_run_leaves_the_journal_of_a_renamed_store_alone() {
    let place = Place::new();
    for journal in ["run.db-wal", "run.db-journal", "run.db-shm"] {
        place.write(journal, "games");
        let err = play(&place, &["--store", "run.db"], 2);
        assert!(err.contains(&format!("{journal} exists without its database")), "{err}");
        assert_eq!(place.read(journal), "games");
        assert!(!place.path("run.db").exists() && !place.path("run.pgn").exists());
        std::fs::remove_file(place.path(journal)).unwrap();
    }
    play(&place, &["--store", "run.db"], 0);
}

#[test]
fn a_file_of_the_user_beside_a_store_costs_a_run_its_control_and_its_boards_only() {
    let place = Place::new();
    for name in ["run.db-ctl", "run.db-live"] {
        place.write(name, "notes");
    }
    let err = play(&place, &["--store", "run.db"], 0);
    assert!(err.contains("run.db-ctl") && err.contains("run.db-live"), "{err}");
    assert_eq!(["run.db-ctl", "run.db-live"].map(|name| place.read(name)), ["notes", "notes"]);
    place.check(&["ctl", "run.db", "pause"], 1);
    assert_eq!(place.read("run.db-ctl"), "notes");
}

#[test]
fn results_are_not_written_over_something_else() {
    let place = Place::new();
    place.write("mine.json", MINE);
    let err = play(&place, &["--store", "none.db", "--json", "mine.json"], 2);
    assert!(err.contains("mine.json: it exists already and is not a file of such results"), "{err}");
    assert!(!place.path("none.db").exists());
    play(&place, &["--store", "run.db", "--json", "run.json"], 0);
    for name in ["mine.pgn", "mine.csv"] {
        place.write(name, MINE);
        let (_, err) = place.check(&["export", "run.db", "-o", name], 2);
        assert!(err.contains("holds what the export does not"), "{err}");
        assert_eq!(place.read(name), MINE);
        place.check(&["export", "run.db", "-o", &format!("new-{name}")], 0);
    }
    place.check(&["export", "run.db", "-o", "new.json"], 0);
    place.check(&["resume", "run.db", "--games", "6"], 0);
    for name in ["new-mine.pgn", "new-mine.csv", "new.json"] {
        place.check(&["export", "run.db", "-o", name], 0);
        assert_eq!(place.read(name).matches("maximum").count(), 6, "{name}");
    }
    place.check(&["standings", "run.db", "--json", "run.json"], 0);
    let left = std::fs::read_dir(place.path("")).unwrap().flatten();
    let parts = left.filter(|entry| entry.path().extension().is_some_and(|end| end == "part")).count();
    assert_eq!(parts, 0);
}

#[test]
fn logs_of_another_run_in_the_same_folder_stay() {
    let place = Place::new();
    play(&place, &["--store", "first.db", "--log", "talk"], 0);
    let first = place.read("talk/game-000001.log");
    play(&place, &["--store", "second.db", "--log", "talk"], 0);
    assert_eq!(place.read("talk/game-000001.log"), first);
    assert_eq!(std::fs::read_dir(place.path("talk")).unwrap().count(), 8);
}

/// Output of this run as read by a shell pipeline.
#[expect(clippy::disallowed_methods, reason = "a shell joins the program with a reader")]
fn through_a_pipe(place: &Place, arguments: &[&str]) -> String {
    let quoted: Vec<String> = arguments.iter().map(|word| format!("'{word}'")).collect();
    let program = env!("CARGO_BIN_EXE_smalt-tournament");
    let line = format!("'{program}' {} | cat", quoted.join(" "));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(place.path("")).env("XDG_CONFIG_HOME", place.path(""));
    let shell = shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    texts(&finish(shell, 0)).0
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no /dev/stdin and /dev/stdout")]
fn outputs_may_be_pipes() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    for (flag, store, needle) in [
        ("--pgn", "pgn.db", "[Event \""),
        ("--epd", "epd.db", "c9 \""),
        ("--json", "json.db", "\"games_finished\": 4"),
        ("--events", "events.db", "\"run-ended\""),
    ] {
        let line = duel(&a, &b, QUICK);
        let out = through_a_pipe(&place, &[&line[..], &[flag, "/dev/stdout", "--store", store]].concat());
        assert!(out.contains(needle), "{flag}: {out}");
    }
    let out = through_a_pipe(&place, &["export", "pgn.db", "-o", "/dev/stdout"]);
    assert_eq!(out.matches("[Event ").count(), 4, "{out}");
}

#[test]
fn games_go_to_no_file_called_dash() {
    let place = Place::new();
    for flag in ["--pgn", "--epd"] {
        assert!(
            play(&place, &[flag, "-"], 2).contains(&format!("{flag} -: games do not go to standard output"))
        );
    }
    assert!(!place.path("-").exists());
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no /dev/stdin and /dev/stdout")]
fn openings_and_stores_that_are_pipes_are_refused_in_words() {
    let place = Place::new();
    let mut command = place.command(&["status", "/dev/stdin"]);
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let pipe = child.stdin.take();
    let (_, err) = texts(&finish(child, 2));
    assert!(err.contains("/dev/stdin: it is not the store of a run"), "{err}");
    drop(pipe);
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let line = duel(&a, &b, "--depth 1 --games 2 --store run.db --openings /dev/stdin --book-format epd");
    let mut child = place.command(&line).stdin(Stdio::piped()).spawn().unwrap();
    let pipe = child.stdin.take();
    let (_, err) = texts(&finish(child, 2));
    assert!(
        err.contains("/dev/stdin: it is a pipe or a device, and openings are read several times"),
        "{err}"
    );
    drop(pipe);
}
