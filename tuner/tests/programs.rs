//! The program as users run it, on the games that come with it: every command, every exit code, and the same result at
//! any number of threads.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "the program itself is under test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use smalt::evaluation::Parameters;

fn games() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/games/ethereal12-stockfish15.pgn.zst")
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smalt-tuner")).args(arguments).output().unwrap()
}

/// Runs the program and checks its exit code; gives standard output and error.
#[track_caller]
fn check(arguments: &[&str], exit: i32) -> (String, String) {
    let output = run(arguments);
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{out}\n{error}");
    (out, error)
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn the_sample_of_games_tunes_from_scratch_alike_at_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let games = games().display().to_string();
    let mut files = Vec::new();
    for threads in ["1", "2"] {
        let positions = path(&folder, threads);
        let flags =
            ["extract", &games, "-o", &positions, "--per-game", "6", "--threads", threads, "--json", "-"];
        let (report, _) = check(&flags, 0);
        let report = json(&report);
        assert_eq!(report["games"], 3720);
        assert!(report["positions"].as_u64().unwrap() > 10_000, "{report}");
        files.push(std::fs::read(&positions).unwrap());
    }
    assert!(files[0] == files[1]);

    let mut tables = Vec::new();
    for threads in ["1", "2"] {
        let (positions, tuned) = (path(&folder, "1"), path(&folder, &format!("tuned{threads}.toml")));
        let flags = [
            "texel",
            &positions,
            "--scratch",
            "--method",
            "lbfgs",
            "--epochs",
            "25",
            "--threads",
            threads,
            "--out",
            &tuned,
            "--json",
            "-",
        ];
        let (summary, _) = check(&flags, 0);
        let summary = json(&summary);
        let number = |key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("{key}: {summary}"));
        assert!(number("validation_error") < 0.95 * number("initial_validation_error"), "{summary}");
        assert!(number("final_error") < 0.9 * number("initial_error"), "{summary}");
        assert!(number("bytes_per_position") <= 110.0 && number("peak_memory_bytes") > 0.0);
        for key in [
            "positions",
            "train",
            "validation",
            "parameters",
            "k",
            "epochs",
            "seconds",
            "positions_per_second",
        ] {
            assert!(number(key) > 0.0, "{key}: {summary}");
        }
        let text = std::fs::read_to_string(&tuned).unwrap();
        assert!(text.contains("# A knight, by the number of safe squares that it reaches, 0 to 8."));
        let numbers = Parameters::parse_toml(&text).unwrap();
        assert_ne!(&numbers, Parameters::embedded());
        tables.push(numbers);
    }
    assert_eq!(tables[0], tables[1]);
}

#[test]
fn newton_and_selection_leave_other_weights_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (positions, tuned) = (path(&folder, "positions"), path(&folder, "tuned.toml"));
    check(&["extract", &games().display().to_string(), "-o", &positions, "--per-game", "4", "--resolve"], 0);
    let flags = [
        "texel",
        &positions,
        "--only",
        "mobility.*",
        "--freeze",
        "*.queen",
        "--method",
        "newton",
        "--out",
        &tuned,
    ];
    let (page, _) = check(&flags, 0);
    assert!(page.contains("76 parameters"), "{page}");
    let tuned = Parameters::parse_toml(&std::fs::read_to_string(&tuned).unwrap()).unwrap();
    let changes = smalt_tuner::weights::difference::differences(Parameters::embedded(), &tuned);
    for group in changes {
        let is_free = |name: &str| name.starts_with("mobility.") && !name.contains("queen");
        assert!(group.changes.iter().all(|change| is_free(&change.name)), "{group:?}");
        assert_eq!(group.changes.is_empty(), group.group != "mobility");
    }
}

#[test]
fn labelled_text_is_tuned_and_bad_lines_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "labels.epd");
    let mut text = String::from("# a comment\n\nno position at all\n4k3/8/8/8/8/8/8/4K3 w - -\n");
    for (fen, result) in
        [("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "1-0"), ("4k3/pp6/8/8/8/8/8/4K3 w - - 0 1", "0-1")]
    {
        for king in 0..100 {
            text.push_str(&format!("{fen} c9 \"{}\";\n", if king % 10 == 0 { "1/2-1/2" } else { result }));
        }
    }
    std::fs::write(&file, text).unwrap();
    let (out, error) =
        check(&["texel", &file, "--only", "material.pawn", "--validation", "0", "--json", "-"], 3);
    assert_eq!(json(&out)["positions"], 200);
    assert!(error.contains("labels.epd:3: ") && error.contains("labels.epd:4: "), "{error}");
    let (page, _) = check(&["check", &file, "--outliers", &path(&folder, "worst.epd"), "--count", "5"], 3);
    assert!(page.starts_with("200 positions") && page.contains("mobility.queen[0]"), "{page}");
    let worst = std::fs::read_to_string(path(&folder, "worst.epd")).unwrap();
    assert_eq!(worst.lines().count(), 5);
    assert!(worst.contains("c9 \"0.5\""), "{worst}");
}

#[test]
fn bad_games_are_skipped_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "bad.pgn");
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8";
    let game = |tag: &str, moves: &str, result: &str| {
        format!("[Event \"x\"]\n[Result \"{result}\"]\n{tag}\n\n{moves} {result}\n\n")
    };
    let text = game("", moves, "1/2-1/2")
        + &game("[Termination \"time forfeit\"]", moves, "1-0")
        + &game("", "1. e4 e5 2. Ke3", "0-1")
        + &game("", moves, "*")
        + &game("[Termination \"abandoned\"]", moves, "1-0");
    std::fs::write(&file, text).unwrap();
    let out = path(&folder, "positions");
    let (report, error) = check(&["extract", &file, "-o", &out, "--json", "-"], 3);
    let report = json(&report);
    assert_eq!((report["games"].as_u64(), report["used_games"].as_u64()), (Some(5), Some(1)));
    for reason in ["unreadable", "no_result", "time_loss", "crash"] {
        assert_eq!(report["skipped_games"][reason], 1, "{reason}");
    }
    assert!(error.contains("bad.pgn:17: "), "{error}");
    assert!(report["positions"].as_u64().unwrap() > 0);
}

#[test]
fn wrong_input_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, newer, bad) = (path(&folder, "empty"), path(&folder, "newer"), path(&folder, "bad.toml"));
    std::fs::write(&empty, "").unwrap();
    std::fs::write(&bad, "format = 1\n").unwrap();
    let mut header = b"SMALTPOS\x09\0\0\0".to_vec();
    header.resize(64, 0);
    std::fs::write(&newer, &header).unwrap();
    let refused = |arguments: &[&str], words: &str| {
        let (_, error) = check(arguments, 2);
        assert!(error.contains(words), "{arguments:?}: {error}");
    };
    refused(&["texel", &empty], "no positions");
    refused(&["texel", "/nowhere/at/all"], "/nowhere/at/all");
    refused(&["texel", &newer], "version 9");
    refused(&["texel", &empty, "--params", &bad], "missing material.pawn");
    refused(&["texel", &empty, "--lambda", "2"], "--lambda 2");
    refused(&["extract", "/nowhere.pgn", "-o", &path(&folder, "x")], "/nowhere.pgn");
    refused(&["diff", &bad, &bad], "missing material.pawn");
    refused(&["extract"], "Usage");
    header[8] = 1;
    header[12] = 40;
    header[16] = 1;
    std::fs::write(&newer, &header).unwrap();
    refused(&["texel", &newer], "damaged");
}

#[test]
fn help_says_what_there_is() {
    let mut all = String::new();
    for arguments in [
        &["--help"][..],
        &["extract", "--help"],
        &["texel", "--help"],
        &["diff", "--help"],
        &["check", "--help"],
    ] {
        all.push_str(&check(arguments, 0).0);
        all.push_str("\n----\n");
    }
    insta::assert_snapshot!(all);
}
