//! Runs continued in fastchess and cutechess-cli mode: from stores, and from `config.json`.

use crate::fastchess::{duel, engine, fishtest, line, run, words};
use crate::support::Place;
#[cfg(unix)]
use crate::support::scripted_program;

#[test]
fn a_stopped_run_goes_on_by_the_name_of_its_store() {
    let place = Place::new();
    let crash = [engine("A", ""), engine("B", "--fault crash@3")];
    let flags = "-rounds 3 -each depth=1 -maxmoves 10 -config outname=state -pgnout games.pgn";
    place.write("games.pgn", "[Event \"older\"]\n\n*\n\n");
    run(&place, "fastchess", &line(&crash, flags), 1);
    let words: Vec<String> = "-config file=state -pgnout games.pgn".split(' ').map(str::to_owned).collect();
    for _ in 0..8 {
        let arguments: Vec<&str> =
            ["fastchess"].into_iter().chain(words.iter().map(String::as_str)).collect();
        if place.run(&arguments).status.success() {
            break;
        }
    }
    let pgn = std::fs::read_to_string(place.path("games.pgn")).unwrap();
    assert!(pgn.starts_with("[Event \"older\"]"), "{pgn}");
    assert_eq!(pgn.matches("[Event ").count(), 7);
}

/// A configuration saved by fastchess 1.8.2 after two rounds, with three rounds left.
pub(crate) fn fastchess_config(place: &Place) -> serde_json::Value {
    place.write("book.epd", include_str!("../data/first_moves.epd"));
    let mut config: serde_json::Value =
        serde_json::from_str(include_str!("../data/fastchess_config.json")).unwrap();
    for entry in config["engines"].as_array_mut().unwrap() {
        let name = entry["name"].as_str().unwrap().to_owned();
        let words = engine(&name, "--info-lines 1");
        let word = |number: usize, key: &str| words[number].strip_prefix(key).unwrap().to_owned();
        entry["cmd"] = word(1, "cmd=").into();
        entry["args"] = word(3, "args=").into();
        entry["options"] = serde_json::json!([]);
    }
    config
}

#[test]
fn a_match_that_fastchess_began_goes_on_with_its_results_and_openings() {
    let place = Place::new();
    let config = fastchess_config(&place);
    // Editors of Windows write a byte order mark.
    place.write("config.json", &format!("\u{feff}{config}"));
    let resumed = ["-config".to_owned(), "file=config.json".to_owned()];
    let (out, _) = run(&place, "fastchess", &resumed, 0);
    assert!(
        out.starts_with(
            "Loading config file: config.json\nIndexing opening suite...\nStarted game 5 of 10 (A vs B)\n"
        ),
        "{out}"
    );
    let (games, pairs) = fishtest(&out).pop().unwrap();
    assert_eq!((games[0], pairs.iter().sum::<u32>()), (10, 5), "{out}");
    let saved: serde_json::Value = serde_json::from_str(&place.read("config.json")).unwrap();
    let stats = &saved["stats"]["A vs B"];
    let sum = |keys: &[&str]| keys.iter().map(|key| stats[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(sum(&["wins", "draws", "losses"]), 10, "{saved}");
    assert_eq!(sum(&["penta_WW", "penta_WD", "penta_WL", "penta_DD", "penta_LD", "penta_LL"]), 5);
    // fastchess refuses a configuration with a missing key.
    for (key, value) in config.as_object().unwrap() {
        assert!(saved.get(key).is_some(), "{key}");
        for inner in value.as_object().into_iter().flatten().filter(|_| key != "stats") {
            assert!(saved[key].get(inner.0).is_some(), "{key}.{}", inner.0);
        }
    }
    assert_eq!(
        (&saved["rounds"], &saved["games"], &saved["seed"]),
        (&config["rounds"], &config["games"], &config["seed"])
    );
    assert_eq!(saved["opening"]["start"], config["opening"]["start"]);
    // No games are left, and results can be dropped.
    let (out, _) = run(&place, "fastchess", &resumed, 0);
    assert_eq!(out, "Finished match\n");
    let again = [&resumed[..], &["stats=false".to_owned()]].concat();
    let (out, _) = run(&place, "fastchess", &again, 0);
    assert!(out.contains("\nStarted game 1 of 10 (A vs B)\n"), "{out}");
}

#[test]
fn a_run_that_was_stopped_goes_on_by_its_configuration_without_a_game_lost() {
    let place = Place::new();
    let crash = [engine("A", "--info-lines 1"), engine("B", "--info-lines 1 --fault crash@3")];
    run(&place, "fastchess", &line(&crash, "-rounds 3 -each depth=1 -maxmoves 10"), 1);
    let resumed = ["-config".to_owned(), "file=config.json".to_owned(), "-recover".to_owned()];
    let (out, _) = run(&place, "fastchess", &resumed, 0);
    let (games, pairs) = fishtest(&out).pop().unwrap();
    assert_eq!((games[0], pairs.iter().sum::<u32>()), (6, 3), "{out}");
}

#[test]
fn a_file_that_is_no_configuration_is_not_written_over() {
    let place = Place::new();
    place.write("config.json", "{\"mine\": 1}");
    let flags = "-rounds 1 -each depth=1 -maxmoves 2";
    let (_, err) = run(&place, "fastchess", &line(&duel(), flags), 0);
    assert!(err.contains("config.json holds something else than a configuration"), "{err}");
    assert_eq!(place.read("config.json"), "{\"mine\": 1}");
    run(&place, "fastchess", &line(&duel(), &format!("{flags} -config outname=config.json")), 2);
}

/// A run of three rounds stopped by a crash, with a resumable store.
pub(crate) fn stopped_run(more: &str) -> Place {
    let place = Place::new();
    let crash = [engine("A", "--info-lines 1"), engine("B", "--info-lines 1 --fault crash@3")];
    let flags = format!("-rounds 3 -each depth=1 -maxmoves 10 -srand 7 {more}");
    let (out, _) = run(&place, "fastchess", &line(&crash, &flags), 1);
    assert!(out.contains("Tournament was interrupted. To resume the tournament, run: "), "{out}");
    assert!(out.contains("fastchess -config file="), "{out}");
    place
}

fn stores(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path("")).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names.filter(|name| name.ends_with(".db")).collect()
}

#[test]
fn a_run_that_goes_on_from_its_store_refuses_what_cannot_be_changed() {
    let place = stopped_run("-pgnout g.pgn -concurrency 2");
    for change in ["-rounds 5", "-pgnout other.pgn", "-check-mate-pvs", "-each depth=2"] {
        let resumed = words(&format!("-config file=config.json {change}"));
        let (_, err) = run(&place, "fastchess", &resumed, 2);
        let (flag, _) = change.split_once(' ').unwrap_or((change, ""));
        assert!(err.contains(&format!("{flag} cannot be changed: the run resumes from its store")), "{err}");
        assert!(err.contains("-config file=config.json stats=false begins anew"), "{err}");
    }
    let same = "-config file=config.json -rounds 3 -pgnout g.pgn -recover -concurrency 1 -ratinginterval 1";
    let (out, _) = run(&place, "fastchess", &words(same), 0);
    assert_eq!(fishtest(&out).pop().unwrap().0[0], 6, "{out}");
    let saved: serde_json::Value = serde_json::from_str(&place.read("config.json")).unwrap();
    assert_eq!(saved["concurrency"], 1, "{saved}");
}

#[test]
fn a_run_that_went_on_keeps_its_store_only_where_that_was_asked_for() {
    let resumed = |file: &str| words(&format!("-config file={file} -recover"));
    let place = stopped_run("");
    assert_eq!(stores(&place).len(), 1);
    run(&place, "fastchess", &resumed("config.json"), 0);
    assert_eq!(stores(&place), [""; 0]);
    let longer = words("-config file=config.json -rounds 4");
    let (out, _) = run(&place, "fastchess", &longer, 0);
    assert!(out.contains("Started game 7 of 8 "), "{out}");
    for (outname, config, store) in
        [("state.json", "state.json", "state.db"), ("kept.db", "config.json", "kept.db")]
    {
        let place = stopped_run(&format!("-config outname={outname}"));
        run(&place, "fastchess", &resumed(config), 0);
        assert_eq!(stores(&place), [store]);
    }
}

#[test]
fn a_run_whose_store_is_missing_goes_on_from_its_results_with_a_warning() {
    let place = stopped_run("");
    for store in stores(&place) {
        std::fs::remove_file(place.path(&store)).unwrap();
    }
    let (_, err) = run(&place, "fastchess", &words("-config file=config.json -recover"), 0);
    assert!(err.contains("is missing: the run resumes from the results in config.json"), "{err}");
}

#[test]
fn cutechess_goes_on_with_the_rounds_that_are_left_and_the_same_openings() {
    let place = Place::new();
    let mut config = fastchess_config(&place);
    config["pgn"]["file"] = "g.pgn".into();
    place.write("config.json", &config.to_string());
    let (out, _) = run(&place, "cutechess", &words("-config file=config.json"), 0);
    assert!(out.contains("Started game 5 of 10 (A vs B)\n"), "{out}");
    assert_eq!(out.matches("Finished game").count(), 6, "{out}");
    let pgn = place.read("g.pgn");
    let openings: Vec<&str> = pgn.lines().filter(|line| line.starts_with("[FEN ")).collect();
    assert!(openings.chunks(2).all(|pair| pair[0] == pair[1]), "{pgn}");
}

#[test]
fn an_empty_file_is_replaced_by_the_configuration() {
    let place = Place::new();
    place.write("config.json", "");
    run(&place, "fastchess", &line(&duel(), "-rounds 1 -each depth=1 -maxmoves 2"), 0);
    assert!(place.read("config.json").contains("\"engines\""));
}

#[test]
fn a_run_that_goes_on_from_a_store_refuses_what_would_be_ignored() {
    let place = stopped_run("-config outname=run.db -pgnout g.pgn");
    for change in ["-rounds 5", "-pgnout other.pgn", "-event other", "-each depth=2"] {
        let (_, err) = run(&place, "fastchess", &words(&format!("-config file=run.db {change}")), 2);
        let (flag, _) = change.split_once(' ').unwrap();
        assert!(
            err.contains(&format!("{flag} cannot be changed: the run resumes from its store run.db")),
            "{err}"
        );
    }
    let same =
        "-config file=run.db -pgnout g.pgn -recover -concurrency 1 -ratinginterval 1 -report penta=false";
    let (out, _) = run(&place, "fastchess", &words(same), 0);
    assert!(out.contains("Started game 6 of 6 ") && !out.contains("Ptnml"), "{out}");
}

#[cfg(unix)]
#[test]
fn a_configuration_that_is_edited_during_the_run_is_kept() {
    let place = Place::new();
    let edit = "for file in config.json config.json.new; do [ ! -s $file ] || echo mine > $file; done";
    place.script("editor", &format!("#!/bin/sh\n{edit}\nexec '{}' \"$@\"\n", scripted_program()));
    let mut editor = engine("A", "");
    editor[1] = format!("cmd={}", place.path("editor").display());
    let flags = "-rounds 4 -each depth=1 restart=on -maxmoves 2 -autosaveinterval 1";
    let (_, err) = run(&place, "fastchess", &line(&[editor, engine("B", "")], flags), 0);
    for file in ["config.json", "config.json.new"] {
        assert_eq!(err.matches(&format!("{file} changed during the run and is kept")).count(), 1, "{err}");
        assert_eq!(place.read(file), "mine\n");
    }
    assert_eq!(played(&place, "config.json.new.new"), 8);
}

#[cfg(unix)]
#[test]
fn a_run_whose_configuration_was_edited_is_resumed_from_the_one_beside_it() {
    let place = Place::new();
    let edit = "[ -e edited ] || [ ! -s config.json ] || { echo >> config.json; touch edited; }";
    let crash =
        "[ -e crashed ] || [ ! -e config.json.new ] || { set -- \"$@\" --fault crash; touch crashed; }";
    let script = format!("#!/bin/sh\n{edit}\n{crash}\nexec '{}' \"$@\"\n", scripted_program());
    place.script("editor", &script);
    let mut editor = engine("A", "");
    editor[1] = format!("cmd={}", place.path("editor").display());
    let flags = "-rounds 6 -each depth=1 restart=on -maxmoves 2 -autosaveinterval 1";
    let (out, _) = run(&place, "fastchess", &line(&[editor, engine("B", "")], flags), 1);
    let edited = place.read("config.json");
    let (_, resumed) = out.split_once(" -config file=").unwrap();
    let beside = resumed.lines().next().unwrap();
    assert!(beside.ends_with("config.json.new"), "{out}");
    let (_, err) = run(&place, "fastchess", &["-config".to_owned(), format!("file={beside}")], 0);
    assert!(!err.contains("is kept"), "{err}");
    assert_eq!(place.read("config.json"), edited);
    assert_eq!(played(&place, "config.json.new"), 12);
}

/// Number of games with a result in a configuration.
fn played(place: &Place, file: &str) -> u64 {
    let saved: serde_json::Value = serde_json::from_str(&place.read(file)).unwrap();
    let results = &saved["stats"]["A vs B"];
    ["wins", "draws", "losses"].iter().map(|key| results[key].as_u64().unwrap()).sum()
}

#[test]
fn an_unfinished_match_of_fastchess_is_not_written_over() {
    let place = Place::new();
    let before = fastchess_config(&place).to_string();
    place.write("config.json", &before);
    let flags = "-rounds 1 -each depth=1 -maxmoves 2";
    let (_, err) = run(&place, "fastchess", &line(&duel(), flags), 0);
    assert!(err.contains("config.json holds an unfinished match ("), "{err}");
    assert_eq!(place.read("config.json"), before);
    run(&place, "fastchess", &line(&duel(), &format!("{flags} -config outname=config.json")), 0);
    let saved = place.read("config.json");
    assert_ne!(saved, before);
    // A configuration with its name is another file.
    for name in ["config.json", "/dev/zero"] {
        place.write("config.json", &before);
        let mut other = fastchess_config(&place);
        other["config_name"] = name.into();
        place.write("other.json", &other.to_string());
        let (_, err) = run(&place, "fastchess", &words("-config file=other.json"), 0);
        assert!(err.contains(&format!("{name} holds ")), "{err}");
        assert_eq!(place.read("config.json"), before);
    }
    place.write("config.json", &saved);
    // A finished one is replaced, as in fastchess.
    run(&place, "fastchess", &line(&duel(), "-rounds 1 -each depth=2 -maxmoves 2"), 0);
    assert_ne!(place.read("config.json"), saved);
}
