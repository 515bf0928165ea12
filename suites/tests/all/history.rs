//! The history of builds, through the program.

use insta::assert_snapshot;
use smalt_chess::{CastlingMode, UciMove};
use smalt_suites::{History, from_json};

use crate::support::{Bench, scripted};

const FIRST: &str = "\
# Kept by hand since the beginning.

[[build]]
date = \"2026-11-01\"
commit = \"0123456789abcdef\"
feature = \"Alpha-beta\"
wac = 120
sts = 6000
elo = 2000.0
elo-error = 30.0
";

const STANDINGS: &str = r#"{"run": "r", "entrants": [
    {"name": "smalt", "games": 10, "elo": 12.5, "elo_error": 9.0, "rating": 2130.0, "rating_error": 40.0},
    {"name": "other", "games": 10, "elo": -12.5, "elo_error": 9.0, "rating": null, "rating_error": null}]}"#;

/// Writes results with moves of one kind for all of WAC.
fn graded(bench: &Bench) {
    let lines = (1..=300).map(|number| format!("WAC.{number:03} (none)\n"));
    bench.file("moves.txt", lines.collect::<String>().replace("WAC.001 (none)", "WAC.001 Qg6"));
    assert_eq!(bench.run(["grade", "wac", "--moves", "moves.txt", "--json", "wac.json"]).code, Some(0));
}

fn add(bench: &Bench, feature: &str, flags: &[&str]) -> (Option<i32>, String) {
    let given = ["history", "add", feature, "--results", "wac.json", "--no-bench"];
    let day = if flags.contains(&"--date") { &[][..] } else { &["--date", "2026-11-21"] };
    let ran = bench.run(given.iter().chain(day).chain(flags));
    (ran.code, ran.output + &ran.errors)
}

#[test]
fn a_row_is_added_and_the_table_shows_the_gain() {
    let bench = Bench::new();
    graded(&bench);
    bench.file("history.toml", FIRST);
    bench.file("standings.json", STANDINGS);
    let flags = ["--gauntlet", "standings.json", "--category", "search", "--commit", "fedcba9876543210"];
    assert_snapshot!(add(&bench, "Null move", &flags).1);
    let text = bench.read("history.toml");
    assert!(text.starts_with(FIRST), "{text}");
    assert_snapshot!("the_row_as_it_is_written", &text[FIRST.len()..]);
    let ran = bench.run(["history", "--plot", "history.svg"]);
    assert!(bench.read("history.svg").contains("WAC and STS"));
    assert_snapshot!("the_table_as_markdown", ran.output);
}

#[test]
fn a_history_begins_with_its_first_row() {
    let bench = Bench::new();
    graded(&bench);
    let (code, text) = add(&bench, "Alpha-beta", &["--elo", "-20", "--elo-error", "5"]);
    assert_eq!(code, Some(0), "{text}");
    let written = bench.read("history.toml");
    assert!(written.starts_with("[[build]]\n") && written.contains("wac = 1\n"), "{written}");
}

#[test]
fn wrong_input_is_refused_and_changes_nothing() {
    let bench = Bench::new();
    graded(&bench);
    bench.file("standings.json", STANDINGS);
    let check = |history: &str, flags: &[&str], expected: &str| {
        bench.file("history.toml", history);
        let (code, text) = add(&bench, "x", flags);
        assert_eq!((code, bench.read("history.toml").as_str()), (Some(2), history), "{text}");
        assert!(text.contains(expected), "{text}");
    };
    check(
        "[[build]]\ndate = \"x\"\nfeature = \"y\"\nwax = 3\n",
        &[],
        "history.toml, line 4: unknown field `wax`",
    );
    check(FIRST, &["--gauntlet", "standings.json", "--entrant", "nobody"], "has no engine \"nobody\"");
    check(FIRST, &["--gauntlet", "moves.txt"], "moves.txt: ");
    for day in ["2026-02-30", "yesterday", "21.11.2026"] {
        check(FIRST, &["--date", day], &format!("--date {day}: there is no such day; expected a date like"));
    }
}

/// Runs the program in the bench's folder, with this script as `smalt-tournament` beside it.
fn run_beside_reader(bench: &Bench, script: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let program = bench.path("smalt-suites");
    smalt_testing::process::copy_program(env!("CARGO_BIN_EXE_smalt-suites"), &program);
    smalt_testing::process::write_script(bench.path("smalt-tournament"), &format!("#!/bin/sh\n{script}\n"));
    let ran = bench.run_as(&program, arguments);
    (ran.code, ran.output + &ran.errors)
}

#[test]
#[cfg_attr(windows, ignore = "its runner is a shell script")]
fn the_elo_comes_from_the_store_of_a_gauntlet() {
    let bench = Bench::new();
    graded(&bench);
    bench.file("standings.json", STANDINGS);
    bench.file("run.db", "SQLite format 3\0 and so on");
    let arguments = ["history", "add", "x", "--results", "wac.json", "--no-bench", "--gauntlet", "run.db"];
    let script = "[ \"$*\" = \"standings run.db --json -\" ] && cat standings.json";
    let (code, text) = run_beside_reader(&bench, script, &arguments);
    assert_eq!(code, Some(0), "{text}");
    let written = bench.read("history.toml");
    assert!(written.contains("elo = 2130.0\nelo-error = 40.0\n"), "{written}");
    let (code, text) = run_beside_reader(&bench, "echo it is torn >&2; exit 2", &arguments);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("smalt-tournament could not read run.db: it exited with code 2: it is torn"),
        "{text}"
    );
}

#[test]
#[cfg_attr(windows, ignore = "its runner is a shell script")]
fn builds_that_never_met_are_rated_on_one_scale() {
    let bench = Bench::new();
    bench.file(
        "history.toml",
        format!("{FIRST}\n[[build]]\ndate = \"2026-11-02\"\nfeature = \"Null move\"\nentrant = \"v2\"\n"),
    );
    let list = r#"{"players": [{"name": "v2", "rating": 60.0, "rating_error": 9.0},
        {"name": "01234567 Alpha-beta", "rating": -40.0, "rating_error": 12.0}]}"#;
    bench.file("ratings.json", list);
    let script = "[ \"$*\" = \"ratings a.db b.pgn --json -\" ] && cat ratings.json";
    let (code, text) = run_beside_reader(&bench, script, &["history", "--ratings", "a.db", "b.pgn"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(
        text.contains("| Alpha-beta | - | 2026-11-01 | 012345678 | 120 | 6,000 | -40 ± 12 | - |"),
        "{text}"
    );
    assert!(text.contains("| 60 ± 9 | +100 ± 15 |"), "{text}");
    assert!(bench.read("history.toml").contains("elo = 2000.0"), "the file stays as it is");
    let (_, text) = run_beside_reader(&bench, "echo '{\"players\": []}'", &["history", "--ratings", "a.db"]);
    assert!(text.contains("not rated in these games: Alpha-beta, Null move"), "{text}");
}

#[test]
fn one_command_scores_an_engine_and_adds_its_row() {
    let bench = Bench::new();
    let engine = scripted("--info-lines 2 --seed 7");
    let ran = bench.run([
        "history", "add", "First search", "-e", &engine, "--nodes", "10", "--commit", "abc", "--date",
        "2026-11-21", "--category", "search", "--elo", "1500", "--json", "scores.json", "-q", "-c", "2",
    ]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let history = History::parse(&bench.read("history.toml"), "history.toml").unwrap();
    let [build] = history.builds.as_slice() else { panic!("{history:?}") };
    let scores = from_json(&bench.read("scores.json"), "scores.json").unwrap();
    assert_eq!((build.wac, build.sts), (Some(scores[0].solved as u32), u32::try_from(scores[1].points).ok()));
    assert_eq!(
        (build.limit.as_deref(), build.version.as_deref()),
        (Some("nodes 10"), Some("Smalt Scripted"))
    );
    let printed = ran.output.clone() + &ran.errors;
    assert!(
        printed.contains("STS rating: none: its line holds for UCI engines with 50 to 200 ms"),
        "{printed}"
    );
    assert!(build.bench_nodes > Some(0) && build.bench_nps > Some(0), "{build:?}");
    assert!(ran.output.contains("| Feature | Category | Date | Commit | WAC | STS | Elo | Improvement |"));
}

#[test]
fn a_row_never_has_the_results_of_one_engine_and_the_bench_of_another() {
    let bench = Bench::new();
    graded(&bench);
    let row = ["history", "add", "x", "--file", "h.toml", "--date", "2026-01-01", "--results", "wac.json"];
    let ran = bench.run(row);
    assert_eq!(ran.code, Some(2), "{}", ran.errors);
    let words =
        "the results are those of moves, and the bench would be that of smalt: give --engine, or --no-bench";
    assert!(ran.errors.contains(words), "{}", ran.errors);
    assert!(!bench.path("h.toml").exists());
    assert_eq!(bench.run(row.iter().chain(&["--no-bench"])).code, Some(0));
    assert!(!bench.read("h.toml").contains("version"), "{}", bench.read("h.toml"));
}

#[test]
fn a_row_takes_whole_results_of_one_engine_alone() {
    let bench = Bench::new();
    let best: String = smalt_suites::Suite::embedded("wac")
        .unwrap()
        .problems
        .iter()
        .map(|problem| {
            format!("{} {}\n", problem.id, UciMove::from_move(problem.goal.best[0], CastlingMode::Standard))
        })
        .collect();
    bench.file("all.txt", &best);
    bench.file("half.txt", best.lines().take(100).map(|line| format!("{line}\n")).collect::<String>());
    for (list, name) in [("all.txt", "strong"), ("half.txt", "weak")] {
        let ran =
            bench.run(["grade", "wac", "--moves", list, "--name", name, "--json", &format!("{name}.json")]);
        assert!(ran.code.is_some_and(|code| code != 2), "{}", ran.errors);
    }
    let add = |more: &[&str], code: i32, words: &str| {
        let all = [&["history", "add", "x", "--file", "h.toml", "--no-bench", "--date", "2026-01-01"], more]
            .concat();
        let ran = bench.run(all);
        assert_eq!(ran.code, Some(code), "{}", ran.errors);
        assert!(ran.errors.contains(words), "{}", ran.errors);
    };
    add(
        &["--results", "strong.json", "--results", "weak.json"],
        2,
        "no result of smalt on wac or sts; there are those of strong, weak",
    );
    add(&["--results", "strong.json", "--engine", "cmd=x name=other"], 2, "no result of other");
    add(&["--results", "weak.json"], 2, "the run of weak on wac has no answer to 200 positions");
    add(&["--results", "strong.json", "--results", "strong.json"], 2, "several runs of strong on wac");
    assert!(!bench.path("h.toml").exists());
    add(&["--results", "strong.json", "--results", "weak.json", "--engine", "cmd=x name=strong"], 0, "");
    assert!(bench.read("h.toml").contains("wac = 300"), "{}", bench.read("h.toml"));
}

#[test]
fn any_suite_has_a_column() {
    let bench = Bench::new();
    bench.file("mine.epd", "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"m.1\";\n4k3/8/8/8/8/8/8/R5K1 w - - bm Ra7; id \"m.2\";\n");
    bench.file("moves.txt", "m.1 Ra8\nm.2 Ra6\n");
    assert_eq!(bench.run(["grade", "mine.epd", "--moves", "moves.txt", "--json", "mine.json"]).code, Some(0));
    bench.file("history.toml", FIRST);
    let flags = ["history", "add", "Rooks", "--suites", "mine.epd", "--results", "mine.json", "--no-bench"];
    let ran = bench.run(flags.iter().chain(&["--date", "2026-11-21", "--commit", "fedcba9876543210"]));
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let rows: Vec<&str> = ran.output.lines().filter(|line| line.starts_with('|')).take(4).collect();
    assert!(rows[0].contains("| mine % |"), "{rows:?}");
    assert!(rows[3].contains("| 50.0 |") || rows[3].contains("| 50.0% |"), "{rows:?}");
    let history = History::parse(&bench.read("history.toml"), "history.toml").unwrap();
    let score = history.builds[1].suites["mine"];
    assert_eq!((score.solved, score.positions, score.points, score.max_points), (1, 2, 1, 2));
    assert_eq!(bench.run(["history", "--plot", "history.svg"]).code, Some(0));
    assert!(bench.read("history.svg").contains("mine"));
}
