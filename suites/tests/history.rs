//! The history of builds, through the whole program.

mod support;

use insta::assert_snapshot;
use support::Bench;

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

/// Moves of one kind in all of WAC, as results.
fn graded(bench: &Bench) {
    let lines = (1..=300).map(|number| format!("WAC.{number:03} (none)\n"));
    bench.file("moves.txt", lines.collect::<String>().replace("WAC.001 (none)", "WAC.001 Qg6"));
    assert_eq!(bench.run(["grade", "wac", "--moves", "moves.txt", "--json", "wac.json"]).code, Some(0));
}

fn add(bench: &Bench, feature: &str, flags: &[&str]) -> (Option<i32>, String) {
    let given = ["history", "add", feature, "--results", "wac.json", "-e", "other", "--date", "2026-11-21"];
    let ran = bench.run(given.iter().chain(flags));
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
    let ran = bench.run(["history", "show", "--markdown", "-"]);
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
    check(FIRST, &["--gauntlet", "standings.json", "--entrant", "nobody"], "nobody called \"nobody\" played");
    check(FIRST, &["--gauntlet", "moves.txt"], "moves.txt: ");
}
