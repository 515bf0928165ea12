//! The command line: help, plans, statistics, and errors that tell what to do.

use crate::support::{Place, duel, scripted, scripted_program};

#[test]
#[cfg_attr(windows, ignore = "the snapshot has the name of the program without .exe")]
fn help_teaches() {
    let place = Place::new();
    insta::assert_snapshot!("help", place.check(&["--help"], 0).0);
    insta::assert_snapshot!("help_gauntlet", place.check(&["gauntlet", "-h"], 0).0);
    insta::assert_snapshot!("help_gauntlet_long", place.check(&["gauntlet", "--help"], 0).0);
}

#[test]
fn more_random_plies_than_any_game_has_are_refused() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    for plies in ["401", "4294967295"] {
        let (_, err) = place.check(&duel(&a, &b, &format!("--depth 1 --random-plies {plies}")), 2);
        assert!(err.contains(&format!("[openings] random-plies {plies}: expected 400 at most")), "{err}");
        let (_, err) = place.check(&["openings", "--engine", &a, "--count", "1", "--plies", plies], 2);
        assert!(err.contains(&format!("--plies {plies}: expected 400 at most")), "{err}");
    }
    place.check(&duel(&a, &b, "--depth 1 --games 2 --maxmoves 3 --random-plies 400"), 0);
}

#[test]
fn the_list_of_engines_says_where_each_is_or_that_it_is_missing() {
    let place = Place::new();
    let program = scripted_program();
    let engine = |name: &str, program: &str| format!("[[engine]]\nname = '{name}'\ncmd = '{program}'\n");
    place.write("my.toml", &(engine("My Engine 1.0", &program) + &engine("gone", "./gone")));
    let (text, _) = place.check(&["engines", "--engines", "my.toml"], 0);
    let row =
        |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{text}"));
    assert!(row("My Engine 1.0").ends_with(&program), "{text}");
    assert!(row("gone").contains("missing: ") && row("gone").contains("./gone"), "{text}");
    let (json, _) = place.check(&["engines", "--engines", "my.toml", "--json", "-"], 0);
    let list: serde_json::Value = serde_json::from_str(&json).unwrap();
    let listed =
        |name: &str| list["engines"].as_array().unwrap().iter().find(|engine| engine["name"] == name);
    let (found, gone) = (listed("My Engine 1.0").unwrap(), listed("gone").unwrap());
    assert_eq!((&found["path"], &found["missing"]), (&program.into(), &serde_json::Value::Null));
    assert!(
        gone["path"].is_null() && gone["missing"].as_str().is_some_and(|why| why.contains("./gone")),
        "{gone}"
    );
}

#[test]
fn a_run_announces_its_openings_seed_and_adjudication() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    place.write("book.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n");
    let rest = "--depth 1 --games 2 --maxmoves 3 --seed 7";
    let (_, err) =
        place.check(&duel(&a, &b, &format!("{rest} --openings book.epd --draw off --resign off")), 0);
    assert!(err.contains("book.epd, shuffled; seed 7\n"), "{err}");
    assert!(err.contains("Adjudication: draw after 3 moves\n"), "{err}");
    let rules = ["--resign", "movecount=3 score=500"];
    let (_, err) = place.check(&[&duel(&a, &b, rest)[..], &rules].concat(), 0);
    assert!(err.contains("Openings: the built-in book, shuffled; seed 7\n"), "{err}");
    assert!(err.contains("; resign: 3 moves at -500 cp or worse, both sides; draw after 3 moves\n"), "{err}");
}

#[test]
fn flags_and_the_plan_that_they_print_mean_the_same() {
    let place = Place::new();
    let entrant = scripted("mine", "--seed 3");
    let flags = [
        "plan",
        "--engine",
        &entrant,
        "--opponent",
        "cmd=other option.Hash=64 tc=3+0.1",
        "--opponent",
        "toga2",
        "--each",
        "\"option.Move Overhead=20\"",
        "--movetime",
        "50",
        "--games",
        "6",
        "--seed",
        "9",
        "--draw",
        "off",
        "--resign",
        "movecount=3 score=500 sides=one",
        "--store",
        "x.db",
    ];
    let (printed, _) = place.check(&flags, 0);
    place.write("plan.toml", &printed);
    // A printed plan is complete: printing it again through `run`'s parser changes nothing.
    let (again, _) = place.check(&["plan", "--from", "plan.toml"], 0);
    assert_eq!(printed, again);
    let neutral = printed.replace(env!("CARGO_MANIFEST_DIR"), "");
    assert!(neutral.contains("OwnBook = \"false\""), "{neutral}");
    assert!(neutral.contains("tc = \"3+0.1\""), "{neutral}");
}

#[test]
fn a_gauntlet_without_engines_is_the_default_plan() {
    let (printed, _) = Place::new().check(&["plan", "--games", "2"], 0);
    let names: Vec<&str> = printed.lines().filter(|line| line.starts_with("name = ")).collect();
    assert_eq!(names.len(), 5, "the run and four engines: {printed}");
    assert!(printed.contains("\ngames = 2\n"), "{printed}");
}

#[test]
fn the_first_screen_of_help_has_at_most_forty_options() {
    let place = Place::new();
    let (short, _) = place.check(&["gauntlet", "-h"], 0);
    let options = |text: &str| text.lines().filter(|line| line.trim_start().starts_with("--")).count();
    assert!(options(&short) <= 40, "{}: {short}", options(&short));
    let (long, _) = place.check(&["gauntlet", "--help"], 0);
    assert!(options(&long) > 60 && long.contains("Advanced: timeouts:"), "{long}");
}

#[test]
fn the_shipped_plan_is_printed_with_its_comments() {
    let (printed, _) = Place::new().check(&["plan", "--shipped"], 0);
    assert!(printed.starts_with("#:schema ./plan.schema.json\n# The default plan"));
}

#[test]
fn a_printed_plan_names_its_schema_and_how_to_write_it() {
    let place = Place::new();
    let (printed, _) = place.check(&["plan"], 0);
    let mut lines = printed.lines();
    assert_eq!(lines.next(), Some("#:schema ./plan.schema.json"));
    assert!(lines.next().unwrap().ends_with("smalt-tournament schema plan > plan.schema.json"), "{printed}");
    place.write("plan.toml", &printed);
    place.check(&["plan", "--from", "plan.toml"], 0);
}

#[test]
#[cfg_attr(windows, ignore = "Windows has other words for a missing file")]
fn wrong_plans_are_refused_with_file_line_and_nearest_name() {
    let place = Place::new();
    let check = |text: &str, expected: &str| {
        place.write("plan.toml", text);
        let (_, err) = place.check(&["run", "plan.toml"], 2);
        // … stands for a list that may grow.
        let (start, end) = expected.split_once('…').unwrap_or((expected, ""));
        let said = err.trim_end().strip_prefix("smalt-tournament: ").unwrap_or_default();
        assert!(said.starts_with(start) && said.ends_with(end), "{said}");
        assert!(expected.contains('…') || said == expected, "{said}");
    };
    check(
        "[run]\nformat = \"match\"\ngamse = 3\n",
        "plan.toml, line 3: unknown field `gamse`, … (did you mean `games`?)",
    );
    check(
        "[run]\nformat = \"match\"\n[[entrant]]\ncmd = \"a\"\n",
        "plan.toml: 1 engine: format match needs at least two; name more with --engine or --opponent, or as [[entrant]]",
    );
    check(
        "[[entrant]]\ncmd = \"a\"\nname = \"x\"\n[[entrant]]\ncmd = \"b\"\nname = \"x\"\n",
        "plan.toml: [[entrant]] name: two engines are called \"x\": give one of them another with name=",
    );
    check(
        "[clock]\ntc = \"1+0\"\nmovetime = 3\n[[entrant]]\ncmd = \"a\"\n[[entrant]]\ncmd = \"b\"\n",
        "plan.toml: engine \"a\": tc and movetime exclude each other",
    );
    check(
        "[[entrant]]\nname = \"a\"\n",
        "plan.toml: engine 1 has no cmd: give a program, a name of the registry, or builtin",
    );
    check(
        "[openings]\nfile = \"none.epd\"\n[[entrant]]\ncmd = \"a\"\n[[entrant]]\ncmd = \"b\"\n",
        &format!(
            "read openings from {}: No such file or directory (os error 2)",
            place.path("none.epd").display()
        ),
    );
}

#[test]
fn a_misspelled_engine_is_an_error_before_the_run() {
    let place = Place::new();
    let (_, err) = place.check(&["gauntlet", "--opponent", "./stokfish", "--store", "run.db"], 2);
    assert!(err.starts_with("smalt-tournament: engine \"stokfish\": failed to find `./stokfish`"), "{err}");
    assert!(!place.path("run.db").exists() && !place.path("run.pgn").exists());
}

#[test]
fn defect_20_a_misspelled_builtin_suggests_builtin() {
    let place = Place::new();
    let (_, err) = place.check(&["gauntlet", "--engine", "builtn", "--store", "run.db"], 2);
    assert!(err.contains("failed to find `builtn`") && err.contains("did you mean `builtin`?"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_program_in_the_current_folder_is_suggested_with_its_path() {
    let place = Place::new();
    place.script("Engine1", "#!/bin/sh\n");
    let (_, err) = place.check(&["gauntlet", "--engine", "Engine1", "--store", "run.db"], 2);
    assert!(err.contains("failed to find `Engine1`") && err.contains("did you mean `./Engine1`?"), "{err}");
}

#[test]
fn settings_that_a_resumed_run_keeps_are_refused() {
    let place = Place::new();
    let (_, err) = place.check(&["resume", "run.db", "--tc", "1+1"], 2);
    assert!(err.contains("--tc cannot be changed"), "{err}");
}

#[test]
fn the_schema_of_plan_files_is_printed() {
    let (out, _) = Place::new().check(&["plan", "--schema"], 0);
    let schema: serde_json::Value = serde_json::from_str(&out).unwrap_or_default();
    assert_eq!(schema["title"], "Settings");
}

#[test]
fn a_missing_file_and_a_foreign_one_are_refused() {
    let place = Place::new();
    place.write("x.db", "not a store");
    for command in ["status", "standings", "ratings", "export", "resume"] {
        place.check(&[command, "x.db"], 2);
        place.check(&[command, "none.db"], 2);
    }
}

#[test]
fn statistics_are_those_that_fastchess_publishes() {
    let place = Place::new();
    let check = |arguments: &[&str], expected: &str| {
        let (out, _) = place.check(&[&["elo"], arguments].concat(), 0);
        assert!(out.starts_with(expected), "{out}");
    };
    check(
        &["--wdl", "76,123,89"],
        "Elo: -15.69 ± 30.46, nElo: -20.76 ± 40.13\nLOS: 15.53 %, Score: 47.74 %, DrawRatio: 42.71 %, PairsRatio: -\n",
    );
    check(
        &["--penta", "34,54,63,64,75"],
        "Elo: 55.58 ± 27.65, nElo: 57.94 ± 28.28\nLOS: 100.00 %, Score: 57.93 %, DrawRatio: 21.72 %, PairsRatio: 1.58\n",
    );
    let (out, _) = place.check(
        &[
            "elo", "--penta", "223,9863,21279,10037,246", "--elo0", "0.5", "--elo1", "2.5", "--model",
            "logistic",
        ],
        0,
    );
    assert!(out.contains("LLR: -3.074 "), "{out}");
}

#[test]
fn statistics_have_their_fixed_names_in_json() {
    let place = Place::new();
    let (out, _) = place.check(&["elo", "--wdl", "136,111,96", "--json", "-"], 0);
    let results: serde_json::Value = serde_json::from_str(&out).unwrap();
    for name in ["elo", "elo_error", "nelo", "nelo_error", "los", "llr", "score", "draw_ratio", "pairs_ratio"]
    {
        assert!(results.get(name).is_some(), "{name}");
    }
    assert!((results["elo"].as_f64().unwrap() - 40.70).abs() < 0.005);
}

#[test]
#[cfg_attr(windows, ignore = "mingw's mathematical functions differ in the last digit")]
fn tables_and_json_of_a_run_have_their_form() {
    let place = Place::new();
    // Each engine loses a game by an illegal move, at a search counted from the start of its process.
    let good = scripted("good", "--info-lines 1 --fault illegal-move@5 --fault illegal-move@10");
    let bad = scripted("bad", "--fault illegal-move@2");
    let arguments = [
        "gauntlet",
        "--engine",
        &good,
        "--opponent",
        &bad,
        "--opponent",
        &scripted("other", "--seed 4"),
        "--depth",
        "1",
        "--games",
        "4",
        "--maxmoves",
        "8",
        "--store",
        "run.db",
    ];
    place.check(&arguments, 0);
    let mut results = place.results("run.db");
    for entrant in results["entrants"].as_array_mut().unwrap() {
        for timed in [
            "nps", "seconds_per_move", "latency_median_us", "latency_p99_us", "latency_p999_us",
            "handover_median_us", "handover_p99_us", "handover_p999_us", "peak_memory_bytes",
        ] {
            entrant[timed] = "timed".into();
        }
    }
    insta::assert_snapshot!("results_json", serde_json::to_string_pretty(&results).unwrap());
    let (tables, _) = place.check(&["standings", "run.db"], 0);
    let untimed = tables.split("engine ").next().unwrap();
    insta::assert_snapshot!("standings", untimed);
    insta::assert_snapshot!("ratings", place.check(&["ratings", "run.db", "--anchor", "good=2500"], 0).0);
    insta::assert_snapshot!(
        "standings_markdown",
        place.check(&["standings", "run.db", "--format", "markdown"], 0).0
    );
    let (_, err) = place.check(&["ratings", "run.db", "--anchor", "goof=2500"], 2);
    assert!(err.contains("did you mean \"good\"?"), "{err}");
}

#[test]
fn status_shows_faults_with_transcripts() {
    let place = Place::new();
    let (good, bad) = (scripted("good", ""), scripted("bad", "--fault malformed-bestmove@2"));
    let arguments = duel(&good, &bad, "--depth 1 --games 1 --store run.db");
    place.check(&arguments, 0);
    let (out, _) = place.check(&["status", "run.db"], 0);
    assert!(out.starts_with("1 of 1 games, finished\n"), "{out}");
    assert!(out.contains(" games/h\n  good: good\n  bad: bad\n"), "{out}");
    assert!(out.ends_with("Game 1: bad gave an invalid best move: `bestmove Zz9-h`\n"), "{out}");
    let (out, _) = place.check(&["status", "run.db", "--transcripts"], 0);
    assert!(out.contains(" > go depth 1\n") && out.contains(" < bestmove Zz9-h\n"), "{out}");
}

#[test]
fn a_book_is_the_same_at_any_number_of_judges() {
    let place = Place::new();
    let book = |concurrency: &str| {
        let arguments = [
            "openings", "--count", "12", "--nodes", "200", "--window", "80", "--seed", "5", "--concurrency",
            concurrency,
        ];
        place.check(&arguments, 0).0
    };
    let first = book("1");
    assert_eq!(first.lines().count(), 12);
    assert!(first.lines().all(|line| line.contains(" ce ")));
    assert_eq!(first, book("3"));
    place.await_nobody();
}

#[test]
fn any_flag_of_a_test_asks_for_one_and_missing_hypotheses_are_named() {
    let place = Place::new();
    let refusal = |flags: &[&str]| place.check(&[&["elo", "--wdl", "76,123,89"], flags].concat(), 2).1;
    assert!(refusal(&["--alpha", "0.1"]).contains("--elo0 and --elo1 are missing"));
    assert!(refusal(&["--model", "logistic", "--elo1", "5"]).contains("--elo0 is missing"));
    assert!(refusal(&["--elo0", "0"]).contains("--elo1 is missing"));
    let (_, err) = place.check(&["elo"], 2);
    assert!(err.contains("--wdl W,D,L") && err.contains("--penta"), "{err}");
}

#[test]
fn misspelled_keys_of_entrants_and_plans_bring_the_nearest_right_one() {
    let place = Place::new();
    let refusal = |text: &str| {
        place.write("p.toml", text);
        place.check(&["run", "p.toml"], 2).1
    };
    assert!(refusal("[run]\ngmes = 2\n").contains("p.toml, line 2: unknown field `gmes`"));
    assert!(refusal("[run]\ngmes = 2\n").contains("(did you mean `games`?)"));
    assert!(refusal("[[entrant]]\ncmd = \"a\"\noptons = {}\n").contains("(did you mean `options`?)"));
    assert!(refusal("[[entrnt]]\ncmd = \"a\"\n").contains("(did you mean `entrant`?)"));
    let (_, err) = place.check(&["match", "--engine", "cmd=a optons.Hash=3", "--engine", "b"], 2);
    assert!(err.contains("did you mean option.NAME?"), "{err}");
}

#[test]
fn games_that_are_not_there_are_not_exported_as_nothing() {
    let place = Place::new();
    let (a, b) = (scripted("a", ""), scripted("b", ""));
    let arguments = duel(&a, &b, "--depth 1 --games 2 --maxmoves 4 --store run.db");
    place.check(&arguments, 0);
    let (_, err) = place.check(&["export", "run.db", "--game", "99", "-o", "out.pgn"], 2);
    assert!(err.contains("--game 99: no such game is stored; the last is 2"), "{err}");
    assert!(!place.path("out.pgn").exists());
    let (_, err) = place.check(&["export", "run.db", "--pair", "7-9"], 2);
    assert!(err.contains("--pair 7-9: no such pair"), "{err}");
}
