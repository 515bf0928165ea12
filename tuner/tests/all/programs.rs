//! The program on the games in the repository: every command, every exit code, and equal results at any number of
//! threads.

#![expect(clippy::disallowed_methods, reason = "the program itself is under test")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use smalt::evaluation::Parameters;
use smalt::evaluation::parameters::EVALUATION_TOML;

use crate::json::check_schema;

pub(crate) fn games() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/games/ethereal12-stockfish15.pgn.zst")
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_smalt-tuner")).args(arguments).output().unwrap()
}

/// Runs the program and checks its exit code; returns standard output and error.
#[track_caller]
pub(crate) fn check(arguments: &[&str], exit: i32) -> (String, String) {
    let output = run(arguments);
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{out}\n{error}");
    (out, error)
}

pub(crate) fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

pub(crate) fn json(text: &str) -> serde_json::Value {
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

    // The same fit with one and two threads, and with all positions in a temporary file.
    let (mut tables, mut errors) = (Vec::new(), Vec::new());
    for (threads, memory) in [("1", "4096"), ("2", "4096"), ("2", "0")] {
        let (positions, tuned) =
            (path(&folder, "1"), path(&folder, &format!("tuned{threads}-{memory}.toml")));
        let flags = [
            "texel", &positions, "--scratch", "--method", "lbfgs", "--epochs", "25", "--threads", threads,
            "--memory", memory, "--out", &tuned, "--json", "-",
        ];
        let (summary, _) = check(&flags, 0);
        let summary = json(&summary);
        let number = |key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("{key}: {summary}"));
        assert!(number("validation_error") < 0.95 * number("initial_validation_error"), "{summary}");
        assert!(number("final_error") < 0.9 * number("initial_error"), "{summary}");
        let (bytes, in_file) = (number("bytes_per_position"), number("file_bytes"));
        assert!(
            if memory == "0" { bytes < 10.0 && in_file > 1e6 } else { bytes <= 750.0 && in_file == 0.0 },
            "{bytes}, {in_file}"
        );
        assert!(number("peak_memory_bytes") > 0.0);
        errors.push(["final_error", "validation_error"].map(number));
        for key in [
            "positions", "train", "validation", "parameters", "k", "epochs", "seconds",
            "positions_per_second",
        ] {
            assert!(number(key) > 0.0, "{key}: {summary}");
        }
        let text = std::fs::read_to_string(&tuned).unwrap();
        assert!(text.contains("# Knight mobility: safe squares that it attacks, 0 to 8."));
        let numbers = Parameters::parse_toml(&text).unwrap();
        assert_ne!(&numbers, Parameters::embedded());
        tables.push(numbers);
    }
    assert!(tables.iter().all(|table| *table == tables[0]));
    assert!(errors.iter().all(|both| *both == errors[0]), "{errors:?}");
}

#[test]
fn selection_leaves_other_weights_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (positions, tuned) = (path(&folder, "positions"), path(&folder, "tuned.toml"));
    check(&["extract", &games().display().to_string(), "-o", &positions, "--per-game", "4", "--resolve"], 0);
    let flags = [
        "texel", &positions, "--only", "mobility.*", "--freeze", "*.queen",
        // A method name of earlier versions, now L-BFGS.
        "--method", "newton", "--out", &tuned,
    ];
    let (page, _) = check(&flags, 0);
    assert!(page.contains("76 parameters"), "{page}");
    let tuned = Parameters::parse_toml(&std::fs::read_to_string(&tuned).unwrap()).unwrap();
    let changes = smalt_tuner::differences(Parameters::embedded(), &tuned);
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
fn a_fit_on_too_few_positions_or_without_a_file_for_its_result_says_so_before_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let (positions, tuned) = (path(&folder, "positions.bin"), path(&folder, "tuned.toml"));
    check(&["extract", &games().display().to_string(), "-o", &positions, "--per-game", "1"], 0);
    let few = "training positions are too few for";
    let unwritten = "the tuned weights will not be written: give --output FILE or --write";
    let (out, error) = check(&["texel", &positions, "--epochs", "1", "--json", "-"], 0);
    assert!(error.contains(few) && error.contains(unwritten), "{error}");
    let printed = json(&out);
    assert!(printed["written"].is_null() && printed["warnings"].as_array().unwrap().len() == 2, "{printed}");
    let pawn =
        ["texel", &positions, "--epochs", "1", "--only", "material.pawn", "--out", &tuned, "--json", "-"];
    let (out, error) = check(&pawn, 0);
    assert!(!error.contains(few) && !error.contains(unwritten), "{error}");
    assert_eq!(json(&out)["written"], tuned.as_str());
}

#[test]
fn a_file_of_positions_merged_over_games_is_read_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let positions = path(&folder, "positions.bin");
    check(&["extract", &games().display().to_string(), "-o", &positions, "--per-game", "1"], 0);
    let warning = "of its positions over games";
    let fit = ["texel", &positions, "--epochs", "1", "--only", "material.pawn"];
    assert!(!check(&fit, 0).1.contains(warning));
    let mut bytes = std::fs::read(&positions).unwrap();
    // Version 2, with a first record merged from two games.
    bytes[8] = 2;
    bytes[64 + 30] = 2;
    std::fs::write(&positions, bytes).unwrap();
    let (_, error) = check(&fit, 0);
    assert!(error.contains("an earlier version merged 1 of its positions over games"), "{error}");
}

#[test]
fn the_ending_of_the_output_or_the_flag_decides_its_format() {
    let folder = tempfile::tempdir().unwrap();
    let games = games().display().to_string();
    let extract = |name: &str, flags: &[&str], code: i32| {
        let output = path(&folder, name);
        let all = [&["extract", &games, "-o", &output, "--per-game", "1"], flags].concat();
        let printed = check(&all, code);
        (printed, std::fs::read(&output).unwrap_or_default())
    };
    let ((page, _), epd) = extract("x.epd", &[], 0);
    assert!(page.contains("x.epd: EPD with c9"), "{page}");
    let epd = String::from_utf8(epd).unwrap();
    assert!(epd.lines().count() > 3000 && epd.lines().all(|line| line.contains(" c9 \"")), "{epd}");
    let ((page, _), binary) = extract("positions", &[], 0);
    assert!(
        page.contains("positions: positions of smalt-tuner") && binary.starts_with(b"SMALTPOS"),
        "{page}"
    );
    let (_, text) = extract("x.dat", &["--format", "fen"], 0);
    assert!(String::from_utf8(text).unwrap().lines().all(|line| line.split(" | ").count() == 3));
    let ((_, error), nothing) = extract("x.dat2", &[], 2);
    assert!(error.contains("no format has the extension .dat2") && nothing.is_empty(), "{error}");
    assert!(extract("x.epd.gz", &[], 2).0.1.contains("written uncompressed"));
    assert!(extract("y.epd", &["--format", "png"], 2).0.1.contains("expected one of smalt, fen, epd"));
}

/// Standard output as a file, where the system has one.
fn standard_output() -> &'static str {
    if cfg!(windows) { "-" } else { "/dev/stdout" }
}

#[test]
fn positions_are_converted_from_format_to_format() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["a.bin", "b.viri"].map(|name| path(&folder, name));
    let games = games().display().to_string();
    for output in [&first, &second] {
        check(&["extract", &games, "-o", output, "--per-game", "1"], 0);
    }
    let both = path(&folder, "both.csv");
    let (out, error) = check(&["convert", &first, &second, "-o", &both, "--json", "-"], 0);
    let printed = json(&out);
    assert_eq!(printed["read"], printed["positions"], "{error}");
    check_schema("convert", &printed);
    let csv = std::fs::read_to_string(&both).unwrap();
    assert_eq!(csv.lines().count() as u64, printed["positions"].as_u64().unwrap() + 1);
    let (out, error) = check(&["convert", &first, "-o", &path(&folder, "c.binpack"), "--json", "-"], 0);
    assert_eq!(json(&out)["guessed_moves"], json(&out)["positions"]);
    assert!(error.contains("had no move"), "{error}");
    let d = path(&folder, "d.csv");
    let (out, error) = check(&["convert", &first, "-o", &d, "--json", standard_output()], 0);
    assert!(json(&out)["positions"].is_u64(), "{error}");
    let unscored = path(&folder, "unscored.epd");
    std::fs::write(&unscored, "4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"1-0\";\n").unwrap();
    let (out, error) = check(&["convert", &unscored, "-o", &path(&folder, "d.plain"), "--json", "-"], 3);
    assert_eq!((json(&out)["read"].as_u64(), json(&out)["positions"].as_u64()), (Some(1), Some(0)));
    assert!(error.contains("skipped: 1 positions without a score, which the format needs"), "{error}");
    let precious = path(&folder, "precious.plain");
    std::fs::write(&precious, "precious").unwrap();
    let (_, error) = check(&["convert", &unscored, "-o", &precious, "--force"], 2);
    assert!(error.contains("no position fits the format") && error.contains("without a score"), "{error}");
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    let (page, _) = check(&["texel", &second, "--epochs", "1", "--only", "material.pawn"], 0);
    assert!(page.contains("2 parameters"), "{page}");
}

#[test]
fn bad_games_are_skipped_with_file_and_line_and_a_long_comment_is_no_harm() {
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
        + &game("[Termination \"abandoned\"]", moves, "1-0")
        + &game("", moves, "1-0").replace(" 1-0\n", " 0-1\n")
        + &game("", &moves.replace("e5", &format!("{{{}}} e5", "long ".repeat(1 << 19))), "1/2-1/2");
    std::fs::write(&file, text).unwrap();
    let out = path(&folder, "positions");
    let (report, error) = check(&["extract", &file, "-o", &out, "--json", "-"], 3);
    let report = json(&report);
    check_schema("extract", &report);
    assert_eq!((report["games"].as_u64(), report["used_games"].as_u64()), (Some(7), Some(2)));
    for reason in ["unreadable", "no_result", "time_loss", "crash", "contradiction"] {
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
    for flag in ["--parameters", "--params"] {
        refused(&["texel", &empty, flag, &bad], "missing material.pawn");
    }
    refused(&["texel", &empty, "--lambda", "2"], "--lambda 2");
    refused(&["texel", &empty, "--batch", "0"], "--batch 0");
    let missing = path(&folder, "missing/file");
    for flag in ["--out", "--json", "--checkpoint"] {
        refused(&["texel", "/nowhere/at/all", flag, &missing], "missing/file: No such file");
    }
    refused(&["check", "/nowhere/at/all", "--outliers", &missing], "missing/file: No such file");
    refused(&["texel", "/nowhere/at/all", "--out", &path(&folder, "")], "is a directory");
    let mine = path(&folder, "mine");
    std::fs::write(&mine, "of the user").unwrap();
    for flag in ["--out", "--json", "--checkpoint"] {
        refused(&["texel", "/nowhere/at/all", flag, &mine], "mine: it exists already; give --force");
        refused(&["texel", "/nowhere/at/all", flag, &mine, "--force"], "/nowhere/at/all");
    }
    for command in ["extract", "convert"] {
        refused(&[command, "/nowhere/at/all", "-o", &mine], "mine: it exists already; give --force");
        refused(&[command, "/nowhere/at/all", "-o", "-"], "write -: expected a regular file");
    }
    refused(&["check", "/nowhere/at/all", "--outliers", &mine], "mine: it exists already; give --force");
    refused(&["plot", "/nowhere/at.all", "-o", &mine], "mine: it exists already; give --force");
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "of the user");
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
fn games_without_a_position_replace_no_positions() {
    let folder = tempfile::tempdir().unwrap();
    let [text, kept, new] = ["games.epd", "kept.bin", "new.bin"].map(|name| path(&folder, name));
    std::fs::write(&text, "4k3/8/8/8/8/8/4P3/4K3 w - - c9 \"1-0\";\n").unwrap();
    std::fs::write(&kept, "positions").unwrap();
    for (output, flags) in [(&kept, &["--force"][..]), (&new, &[])] {
        let (_, error) = check(&[&["extract", &text, "-o", output], flags].concat(), 2);
        assert!(error.contains("games have no position for it") && error.contains("games read"), "{error}");
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "positions");
    assert!(!Path::new(&new).exists() && std::fs::read_dir(folder.path()).unwrap().count() == 2);
}

#[cfg(unix)]
#[test]
fn names_of_files_move_no_cursor() {
    let folder = tempfile::tempdir().unwrap();
    let [positions, output] = ["p.fen", "\u{1b}[31m\u{9b}\u{202e}.plain"].map(|name| path(&folder, name));
    std::fs::write(&positions, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 10 | 1.0\n").unwrap();
    let (page, _) = check(&["convert", &positions, "-o", &output], 0);
    assert!(page.contains(".plain") && !page.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{page:?}");
}

#[test]
fn outputs_are_neither_inputs_nor_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let [positions, twice, other] = ["p.fen", "twice", "other"].map(|name| path(&folder, name));
    std::fs::write(&positions, "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 | 10 | 1.0\n").unwrap();
    let before = std::fs::read(&positions).unwrap();
    for (arguments, words) in [
        (vec!["texel", &positions, "--checkpoint", &positions], "p.fen is an input"),
        (vec!["texel", &positions, "--checkpoint", &twice, "-o", &twice], "twice is named for two outputs"),
        (vec!["texel", &positions, "--resume", &other, "-o", &other], "other is an input"),
        (vec!["extract", &positions, "-o", &positions], "p.fen is an input"),
        (vec!["convert", &positions, "-o", &twice, "--json", &twice], "twice is named for two outputs"),
        (vec!["check", &positions, "--outliers", &positions], "p.fen is an input"),
        (vec!["trace", &positions, "-o", &other, "--engine", "x", "--json", &other], "other is an input"),
    ] {
        let (_, error) = check(&[&arguments[..], &["--force"]].concat(), 2);
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read(&positions).unwrap(), before);
}

#[test]
fn help_says_what_there_is() {
    let mut all = String::new();
    for arguments in [
        &["--help"][..],
        &["extract", "--help"],
        &["convert", "--help"],
        &["texel", "--help"],
        &["trace", "--help"],
        &["diff", "--help"],
        &["check", "--help"],
        &["plot", "--help"],
        &["prove", "--help"],
        &["spsa", "--help"],
        &["night", "--help"],
    ] {
        all.push_str(&check(arguments, 0).0);
        all.push_str("\n----\n");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_fit_is_reported_as_json_and_as_a_picture() {
    let folder = tempfile::tempdir().unwrap();
    let (positions, run, picture) =
        (path(&folder, "positions"), path(&folder, "run.json"), path(&folder, "loss.svg"));
    let games = games().display().to_string();
    check(&["extract", &games, "-o", &positions, "--per-game", "2"], 0);
    let (page, _) = check(
        &["texel", &positions, "--epochs", "5", "--adjust-for-players", "--lambda", "0.5", "--json", &run],
        0,
    );
    assert!(page.starts_with("mean squared error") && page.contains("5 epochs"), "{page}");
    let printed = json(&std::fs::read_to_string(&run).unwrap());
    assert_eq!(printed["history"].as_array().unwrap().len(), 5);
    check_schema("texel", &printed);
    assert!(printed["players"].as_array().unwrap().len() >= 2, "{printed}");
    let tuned = path(&folder, "tuned.toml");
    check(&["texel", &positions, "--epochs", "2", "--out", &tuned], 0);
    for (kind, words) in [
        ("boards", ["pawn mg, old", "king eg, new", "centipawns"]),
        ("moved", ["Largest changes", "after minus before", "→"]),
    ] {
        let (svg, _) = check(&["plot", &tuned, "--kind", kind], 0);
        assert!(svg.starts_with("<svg") && words.iter().all(|word| svg.contains(word)), "{kind}");
        assert_eq!(check(&["plot", "../engine/params/evaluation.toml", &tuned, "--kind", kind], 0).0, svg);
    }
    check(&["plot", &run, "--kind", "moved"], 2);
    check(&["plot", &tuned, "--kind", "loss"], 2);
    assert!(check(&["plot", &tuned, &tuned, "--kind", "moved"], 2).1.contains("no weight changed"));
    check(&["plot", &run, "-o", &picture], 0);
    let svg = std::fs::read_to_string(&picture).unwrap();
    for words in ["<svg", "mean squared error", "training", "validation"] {
        assert!(svg.contains(words), "{words}");
    }
    assert_eq!(check(&["plot", &run], 0).0, svg);
    let (_, error) = check(&["plot", &positions], 2);
    assert!(error.contains("positions"), "{error}");
}

#[test]
fn a_fit_goes_on_from_its_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let positions = path(&folder, "positions");
    check(&["extract", &games().display().to_string(), "-o", &positions, "--per-game", "2"], 0);
    let (kept, whole, resumed) =
        (path(&folder, "fit.toml"), path(&folder, "whole.toml"), path(&folder, "resumed.toml"));
    check(&["texel", &positions, "--epochs", "9", "--out", &whole], 0);
    check(&["texel", &positions, "--epochs", "4", "--checkpoint", &kept], 0);
    check(&["texel", &positions, "--epochs", "9", "--resume", &kept, "--out", &resumed], 0);
    let table = |path: &str| Parameters::parse_toml(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(table(&resumed), table(&whole));
    let text = std::fs::read_to_string(&whole).unwrap();
    let commit = text.lines().find_map(|line| line.strip_prefix("commit = ")).unwrap();
    assert!(commit.len() > 2, "{commit}");
    for (flags, words) in [
        (&["--method", "adam"][..], "--method is lbfgs in it, and now adam"),
        (&["--lambda", "0.5"], "--lambda is 1 in it, and now 0.5"),
        (&["--l2", "3"], "--l2 is 10 in it, and now 3"),
        (&["--validation", "0.3"], "--validation is "),
        (&["--seed", "2"], "--seed is 1 in it, and now 2"),
        (&["--k", "1.5"], "--k is "),
        (&["--scratch"], "--params is "),
        (&["--only", "mobility.*"], "--only is not given in it, and now mobility.*"),
        (&["--freeze", "mobility.*"], "--freeze is not given in it, and now mobility.*"),
        (&["--bound", "material.pawn=80..120"], "--bound is not given in it, and now material.pawn=80..120"),
        (&["--unconstrained"], "--unconstrained is not given in it, and now given"),
        (&["--adjust-for-players"], "--adjust-for-players is not given in it, and now given"),
    ] {
        let all = ["texel", &positions, "--resume", &kept].iter().chain(flags).copied().collect::<Vec<_>>();
        let (_, error) = check(&all, 2);
        assert!(error.contains("fit.toml: it belongs to another fit: ") && error.contains(words), "{error}");
    }
    for (option, words) in [
        (",weight=2", "options of the data sources is not given in it, and now weight=2,view=white"),
        (",lambda=0.5", "and now weight=1,lambda=0.5,view=white"),
    ] {
        let (_, error) = check(&["texel", &format!("{positions}{option}"), "--resume", &kept], 2);
        assert!(error.contains("fit.toml: it belongs to another fit: ") && error.contains(words), "{error}");
    }
    let older = std::fs::read_to_string(&kept).unwrap().replace("format = 2", "format = 1");
    std::fs::write(&kept, older).unwrap();
    let (_, error) = check(&["texel", &positions, "--resume", &kept], 2);
    assert!(error.contains("fit.toml: format 1 lacks the settings of the fit"), "{error}");
}

/// A stand-in for the tournament program that only prints a verdict.
#[cfg(unix)]
pub(crate) fn referee(folder: &tempfile::TempDir, verdict: &str, exit: u8) -> String {
    referee_that(folder, verdict, exit, "")
}

/// The same, and runs this command meanwhile.
#[cfg(unix)]
fn referee_that(folder: &tempfile::TempDir, verdict: &str, exit: u8, meanwhile: &str) -> String {
    let script = format!(
        "#!/bin/sh\necho \"$@\" > '{}'\nwhile [ $# -gt 0 ]; do [ \"$1\" = --json ] && out=$2; shift; done\n\
         echo playing\necho went wrong >&2\n{meanwhile}\ncat > \"$out\" <<END\n\
         {{\"entrants\": [{{\"name\": \"tuned\", \"wins\": 3, \"draws\": 2, \"losses\": 1, \"elo\": 9.5, \"elo_error\": 4.0}}],\n\
         \"sprt\": {{\"llr\": 2.95, \"lower\": -2.94, \"upper\": 2.94, \"verdict\": \"{verdict}\", \
         \"sprt_elo\": 30, \"sprt_elo_low\": 5, \"sprt_elo_high\": 52}}}}\nEND\nexit {exit}\n",
        path(folder, "arguments"),
    );
    let program = path(folder, &format!("referee-{verdict}-{exit}"));
    smalt_testing::process::write_script(&program, &script);
    program
}

#[test]
#[cfg(unix)]
fn a_table_is_kept_only_when_games_prove_it() {
    let folder = tempfile::tempdir().unwrap();
    let (tuned, base) = (path(&folder, "my tuned.toml"), path(&folder, "base.toml"));
    let shipped = EVALUATION_TOML;
    let better = shipped.replacen("no_queen = [", "no_queen = [1, 2] # [", 1);
    std::fs::write(&tuned, &better).unwrap();
    for (verdict, exit, code, is_kept, words) in [
        ("H0", 0, 3, false, "rejected"),
        ("continue", 3, 3, false, "undecided"),
        ("H1", 1, 1, false, "went wrong"),
        ("H1", 0, 0, true, "accepted, and written"),
    ] {
        std::fs::write(&base, shipped).unwrap();
        let program = referee(&folder, verdict, exit);
        let flags = ["prove", &tuned, "--base", &base, "--write", "--tournament", &program, "--nodes", "777"];
        let (out, error) = check(&flags, code);
        assert!(out.contains(words) || error.contains(words), "{verdict}: {out}{error}");
        assert!(error.contains("playing"), "{error}");
        assert_eq!(out.contains("Elo +30.0 (+5, +52), LLR 2.95"), exit != 1, "{out}");
        let kept = std::fs::read_to_string(&base).unwrap();
        assert_eq!(kept == better, is_kept, "{verdict}");
        let arguments = std::fs::read_to_string(path(&folder, "arguments")).unwrap();
        assert!(arguments.starts_with("sprt ") && arguments.contains("--nodes 777"), "{arguments}");
        assert!(arguments.contains("/tuned.toml") && arguments.contains("name=base"), "{arguments}");
        assert_eq!(out.contains("rejected"), verdict == "H0", "{out}");
    }
    let (_, error) = check(&["prove", &tuned, "--base", &tuned], 2);
    assert!(error.contains("the same numbers"), "{error}");
    std::fs::write(&base, shipped).unwrap();
    let (_, error) =
        check(&["prove", &tuned, "--base", &path(&folder, "base.toml"), "--tournament", "/no/such"], 2);
    assert!(error.contains("/no/such"), "{error}");
}

#[test]
#[cfg(unix)]
fn the_table_that_was_played_is_written_whatever_became_of_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let (tuned, base) = (path(&folder, "tuned.toml"), path(&folder, "base.toml"));
    let shipped = EVALUATION_TOML;
    let better = shipped.replacen("no_queen = [", "no_queen = [1, 2] # [", 1);
    let prove = |meanwhile: &str, code: i32| {
        std::fs::write(&tuned, &better).unwrap();
        std::fs::write(&base, shipped).unwrap();
        let program = referee_that(&folder, "H1", 0, meanwhile);
        let (_, error) =
            check(&["prove", &tuned, "--base", &base, "--write", "--tournament", &program], code);
        (error, std::fs::read_to_string(&base).unwrap())
    };
    let (_, kept) = prove(&format!("echo '# another' >> '{tuned}'"), 0);
    assert!(kept == better);
    // The base is the user's file: edits made meanwhile are kept.
    let (error, kept) = prove(&format!("echo '# mine' >> '{base}'"), 1);
    assert!(error.contains("it changed during the test"), "{error}");
    assert_eq!(kept, format!("{shipped}# mine\n"));
}

/// Nothing can be saved while input is read.
#[test]
#[cfg(unix)]
fn one_signal_ends_a_program_that_waits_for_a_pipe() {
    let folder = tempfile::tempdir().unwrap();
    let [pipe, output] = ["pipe", "output"].map(|name| path(&folder, name));
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for (command, signal, exit) in
        [("extract", "-TERM", 143), ("texel", "-INT", 130), ("convert", "-TERM", 143)]
    {
        let mut program = Command::new(env!("CARGO_BIN_EXE_smalt-tuner"));
        program.args([command, &pipe, "--output", &output]);
        let child = program.stderr(std::process::Stdio::piped()).spawn().unwrap();
        // The pipe opens when the program opens it, which catches signals by then.
        let writer = std::fs::File::options().write(true).open(&pipe).unwrap();
        smalt_testing::process::signal(child.id(), signal);
        let ended = smalt_testing::process::wait_for_output(child);
        let error = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(exit), "{command}: {error}");
        assert!(error.ends_with("pipe: interrupted\n"), "{command}: {error}");
        drop(writer);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{command}");
    }
}
