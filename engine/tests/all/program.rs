//! The engine program: output, exit codes, and the same bench in every process.

use std::path::PathBuf;
use std::process::{Output, Stdio};

fn smalt(arguments: &[&str]) -> Output {
    #[expect(clippy::disallowed_methods, reason = "the program under test is a process")]
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_smalt"));
    command.args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn check(arguments: &[&str], code: i32, expected_end: &str) -> String {
    let output = smalt(arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}{complaints}");
    let printed = if code == 0 || complaints.is_empty() { &text } else { &complaints };
    assert!(printed.trim_end().ends_with(expected_end), "{arguments:?}: {printed}");
    text
}

fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_bench_is_the_same_in_every_process() {
    let nodes = || {
        let text = check(&["bench", "--depth", "6"], 0, " nps");
        let last = text.lines().last().unwrap().to_owned();
        let words: Vec<&str> = last.split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
        words[0].parse::<u64>().unwrap()
    };
    assert_eq!(nodes(), nodes());
}

#[test]
fn perft_counts() {
    let text = check(&["perft", "4"], 0, "");
    assert!(text.starts_with("nodes 197281\n") && text.lines().last().unwrap().starts_with("nps "));
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let text = check(&["perft", "3", "--fen", fen, "--divide", "--no-bulk", "--threads", "2"], 0, "");
    assert!(text.contains("e1g1: 2059\n") && text.contains("nodes 97862\n"), "{text}");
    assert_eq!(text.lines().count(), 48 + 3);
}

#[test]
fn suites_pass_fail_or_are_incomplete() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let suite = |name: &str, text: String| file(name, &text).display().to_string();
    let right = suite("right.epd", format!("{start} ;D1 20 ;D2 400 ;D9 2439530234167\n"));
    check(&["perft", "--suite", &right, "--max-nodes", "1000"], 0, "2 passed, 0 failed");
    let wrong = suite("wrong.epd", format!("{start} ;D1 20 ;D2 401\n"));
    check(&["perft", "--suite", &wrong], 1, "1 passed, 1 failed");
    let broken = suite("broken.epd", format!("8/8 w - - 0 1 ;D1 20\n{start} ;D1 20\n"));
    check(&["perft", "--suite", &broken], 3, "1 passed, 0 failed");
    check(&["perft", "--suite", "/no/such/suite"], 2, "(os error 2)");
    // Where memory is promised without limit, the table would fill it.
    if std::fs::read_to_string("/proc/sys/vm/overcommit_memory").is_ok_and(|mode| mode.trim() != "1") {
        check(&["perft", "3", "--hash", "1048576"], 1, "no memory for a perft table of 1048576 MB");
    }
}

#[test]
fn wrong_usage_exits_with_code_2() {
    check(&["play"], 2, "try '--help'.");
    check(&["bench", "--depth", "x"], 2, "try '--help'.");
    check(&["eval", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], 2, "try '--help'.");
    check(&["eval", "--params", "/no/such/file"], 2, "(os error 2)");
}

#[test]
fn the_evaluation_is_explained() {
    check(&["eval"], 0, "");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/params/evaluation.toml");
    assert_eq!(check(&["eval"], 0, ""), check(&["eval", "--params", own], 0, ""));
    let ending = check(&["eval", "--fen", "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1"], 0, "");
    assert!(ending.contains(": won for White, +"), "{ending}");
    assert!(!check(&["eval"], 0, "").contains("known ending"));
}

#[test]
fn help_and_version_are_there() {
    assert!(check(&["--help"], 0, "").contains("Exit codes:"));
    assert_eq!(check(&["--version"], 0, ""), format!("smalt {}\n", smalt_about::VERSION));
}

#[test]
fn openings_are_made_as_openbench_asks_for_them() {
    let text = check(&["genfens 4 seed 9 book None", "quit"], 0, "");
    assert_eq!(text.lines().filter(|line| line.starts_with("info string genfens ")).count(), 4);
    assert_eq!(check(&["genfens", "4", "seed", "9", "book", "None"], 0, ""), text);
    let book = file("openings.epd", "4k3/8/8/8/8/8/4P3/4K3 w - -\n4k3/4p3/8/8/8/8/8/4K3 b - - 0 1\n");
    let book = book.display().to_string();
    let text = check(&["genfens", "2", "seed", "1", "book", &book], 0, "");
    assert!(
        text.lines().all(|line| line.to_lowercase().contains('p')) && text.lines().count() == 2,
        "{text}"
    );
    check(&["genfens 4 seed"], 2, "try '--help'.");
    check(&["genfens 4 seed 1 book /no/such/file"], 2, "(os error 2)");
}

#[test]
fn without_arguments_it_serves_until_the_input_ends() {
    assert_eq!(smalt(&[]).status.code(), Some(0));
}
