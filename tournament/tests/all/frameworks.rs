//! OpenBench and fishtest with this program in place of fastchess: command lines from their own functions
//! (`.ci/framework_arguments.py`), and their parsers of the output.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

use regex::Regex;
use serde_json::Value;

use crate::support::{Place, scripted_program, texts};

fn frameworks() -> Value {
    serde_json::from_str(include_str!("../data/frameworks.json")).unwrap()
}

/// Command lines of a framework, by name.
fn command_lines(framework: &str) -> Vec<(String, Vec<String>)> {
    let all = frameworks();
    let lines = all["command_lines"].as_array().unwrap().iter().filter(|line| line["framework"] == framework);
    let words = |line: &Value| -> Vec<String> {
        line["arguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    lines.map(|line| (line["name"].as_str().unwrap().to_owned(), words(line))).collect()
}

/// Writes an engine program of this name; `filter` changes its output.
fn write_engine(place: &Place, path: &str, seed: u32, filter: Option<&str>) {
    let options = [
        "Threads type spin default 1 min 1 max 8",
        "Hash type spin default 16 min 1 max 1024",
        "Lmr type spin default 1 min -99 max 99",
        "Margin type spin default 1 min -99 max 99",
        "nodestime type spin default 0 min 0 max 10000",
        "EvalFile type string default <empty>",
    ];
    let options: String = options.iter().map(|option| format!(" --option '{option}'")).collect();
    let program = scripted_program();
    let engine = format!("'{program}' --name scripted --seed {seed} --info-lines 1{options}");
    let text = match filter {
        None => format!("#!/bin/sh\nexec {engine}\n"),
        Some(filter) => format!("#!/bin/sh\n{engine} | sed -u '{filter}'\n"),
    };
    let path = place.path(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = std::fs::File::create(&path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
}

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
                    rnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n\
                    rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1\n\
                    rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1\n\
                    rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n";

/// Runs this program under another name; returns standard output and standard error.
#[expect(clippy::disallowed_methods, reason = "the program under test is started here")]
fn run(place: &Place, name: &str, arguments: &[String], code: i32) -> (String, String) {
    let program = place.path(name);
    if !program.exists() {
        symlink(env!("CARGO_BIN_EXE_smalt-tournament"), &program).unwrap();
    }
    let output = Command::new(&program)
        .args(arguments)
        .current_dir(place.path(""))
        .env("XDG_CONFIG_HOME", place.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
    (out, err)
}

/// Results as counted by OpenBench's client: from the words of `Finished game` lines, in pairs of an odd number and
/// the next.
fn openbench_pairs(output: &str) -> [u32; 5] {
    let mut waiting: HashMap<u32, String> = HashMap::new();
    let mut pairs = [0; 5];
    // The client stops at the first empty line.
    for line in output.lines().map(str::trim).take_while(|line| !line.is_empty()) {
        assert!(line.is_ascii(), "the client decodes ASCII: {line}");
        if !line.contains("Finished game") {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let number: u32 = words[2].parse().unwrap();
        waiting.insert(number, words[6].to_owned());
        let first = if number % 2 == 1 { number } else { number - 1 };
        if let (Some(one), Some(other)) = (waiting.get(&first), waiting.get(&(first + 1))) {
            let points = |result: &str| match result {
                "0-1" => 0,
                "1/2-1/2" => 1,
                "1-0" => 2,
                other => panic!("{other}"),
            };
            pairs[points(one) + 2 - points(other)] += 1;
        }
    }
    pairs
}

#[test]
fn command_lines_of_openbench_run_and_its_client_reads_the_results() {
    let place = Place::new();
    for folder in ["Books", "PGNs", "Engines"] {
        std::fs::create_dir(place.path(folder)).unwrap();
    }
    for book in ["UHO_Lichess.epd", "DFRC_openings.epd", "openbench.genfens.epd"] {
        place.write(&format!("Books/{book}"), BOOK);
    }
    let comment = "s/^bestmove/info string pgncomment 17\\nbestmove/";
    write_engine(&place, "Engines/scripted-dev", 1, Some(comment));
    write_engine(&place, "Engines/scripted-base", 2, None);
    let pgn = "PGNs/42.7.1700000000.0.pgn";
    for (name, arguments) in command_lines("OpenBench") {
        let (out, _) = run(&place, "fastchess-ob", &arguments, 0);
        let games = if name == "data generation without reverses" { 4 } else { 8 };
        assert_eq!(openbench_pairs(&out).iter().sum::<u32>(), games / 2, "{name}: {out}");
        assert!(!out.contains("Warning"), "{name}: {out}");
        let written = place.read(pgn);
        assert_eq!(written.matches("[Event ").count() as u32, games, "{name}");
        assert!(written.contains(", n=") && written.contains(", sd="), "{name}: {written}");
        // As its `extract_pgncomment` searches for it; long lines of a game may be wrapped.
        let written = written.replace('\n', " ");
        assert!(written.contains("line=\"info string pgncomment 17\""), "{name}: {written}");
        std::fs::remove_file(place.path(pgn)).unwrap();
    }
    place.await_nobody();
}

/// The regular expressions of fishtest's worker.
struct Fishtest {
    results: Regex,
    pairs: Regex,
    errors: Vec<Regex>,
    warnings: Vec<Regex>,
}

impl Fishtest {
    fn new() -> Fishtest {
        let all = frameworks();
        let patterns = &all["fishtest_patterns"];
        let pattern = |text: &Value| Regex::new(text.as_str().unwrap()).unwrap();
        let list = |name: &str| patterns[name].as_array().unwrap().iter().map(pattern).collect();
        Fishtest {
            results: pattern(&patterns["results"]),
            pairs: pattern(&patterns["pairs"]),
            errors: list("errors"),
            warnings: list("warnings"),
        }
    }

    /// The first line at which the worker would abort the task.
    fn error<'a>(&self, output: &'a str) -> Option<&'a str> {
        output.lines().find(|line| self.errors.iter().any(|pattern| pattern.is_match(line)))
    }

    /// Parses a complete output like the worker; returns the games counted in its last report.
    fn games(&self, output: &str) -> u64 {
        let (mut games, mut pairs, mut last) = (None, None, 0);
        for line in output.lines() {
            if let Some(found) = self.results.captures(line) {
                let numbers: Vec<u64> = (1..=4).map(|place| found[place].parse().unwrap()).collect();
                assert_eq!(numbers[0], numbers[1..].iter().sum::<u64>(), "{line}");
                games = Some(numbers[0]);
            }
            if let Some(found) = self.pairs.captures(line) {
                pairs = Some((1..=5).map(|place| found[place].parse::<u64>().unwrap()).sum::<u64>());
            }
            if let (Some(found), Some(whole)) = (games, pairs) {
                assert_eq!(found, 2 * whole, "{output}");
                (games, pairs, last) = (None, None, found);
            }
            if line.contains("Finished match") {
                return last;
            }
        }
        panic!("no line of the end: {output}")
    }
}

fn fishtest_place(filter: Option<&str>) -> Place {
    let place = Place::new();
    write_engine(&place, "stockfish_aaaaaaaaaa", 1, filter);
    write_engine(&place, "stockfish_bbbbbbbbbb", 2, None);
    for book in ["UHO_Lichess_4852_v1.epd", "DFRC_v1.epd"] {
        place.write(book, BOOK);
    }
    place.write("8moves_v3.pgn", "[Event \"?\"]\n\n1. e4 e5 2. Nf3 *\n\n[Event \"?\"]\n\n1. d4 d5 *\n");
    place
}

#[test]
fn command_lines_of_fishtest_run_and_its_worker_reads_the_reports() {
    let place = fishtest_place(None);
    let fishtest = Fishtest::new();
    let pgn = "results-64e74776a170cb1f26fa3930-3.pgn";
    for (name, arguments) in command_lines("fishtest") {
        let (out, err) = run(&place, "fastchess", &arguments, 0);
        // The worker reads both outputs.
        let both = format!("{err}{out}");
        assert_eq!(fishtest.error(&both), None, "{name}");
        assert!(
            !both.lines().any(|line| fishtest.warnings.iter().any(|warning| warning.is_match(line))),
            "{name}"
        );
        assert_eq!(fishtest.games(&both), 8, "{name}: {both}");
        assert!(
            !["disconnect", "stall", "on time", "timeout"].iter().any(|word| both.contains(word)),
            "{name}: {both}"
        );
        let sum = out.lines().rfind(|line| line.contains("has CRC32:"));
        if name == "spsa" {
            assert_eq!(sum, None);
            continue;
        }
        let mut crc = flate2::Crc::new();
        crc.update(&std::fs::read(place.path(pgn)).unwrap());
        let sum = sum.unwrap().split_whitespace().last().unwrap();
        assert_eq!(sum, format!("{:#x}", crc.sum()), "{name}");
        assert_eq!(place.read(pgn).matches("[Event \"Batch 3: Prufung vs master\"]").count(), 8, "{name}");
    }
    place.await_nobody();
}

#[test]
fn fishtest_s_worker_sees_what_an_engine_does_wrong() {
    let fishtest = Fishtest::new();
    let (_, arguments) = command_lines("fishtest").into_iter().find(|(name, _)| name == "sprt").unwrap();
    let check = |filter: &str, expected: &str| {
        let place = fishtest_place(Some(filter));
        let (out, _) = run(&place, "fastchess", &arguments, 0);
        let error = fishtest.error(&out).unwrap_or_else(|| panic!("{out}"));
        assert!(error.starts_with(&format!("Warning; {expected}")), "{error}");
        assert!(error.contains("New-aaaaaaaaaa"), "{error}");
    };
    check("s/^bestmove/info depth 1 score cp 1 pv a1a8\\nbestmove/", "Illegal PV move - move a1a8 from");
    let mating = "s/^bestmove \\(.*\\)/info depth 1 score mate 9 pv \\1\\nbestmove \\1/";
    check(mating, "Incomplete mating PV - from");
    check("s/^option name Hash.*//", "New-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa doesn't have option Hash");
    check("s/ score cp [-0-9]*//", "No info line available to extract score from engine");
}

#[test]
fn both_frameworks_read_the_version() {
    let place = Place::new();
    let all = frameworks();
    let patterns = &all["fishtest_patterns"];
    // OpenBench uses the first number of this form.
    let number = Regex::new(r"\d+\.\d+(\.\d+)?").unwrap();
    let pattern = Regex::new(patterns["version"].as_str().unwrap()).unwrap();
    for argument in ["--version", "-version", "-v"] {
        let (out, _) = run(&place, "fastchess-ob", &[argument.to_owned()], 0);
        let version = number.find(&out).unwrap().as_str();
        let parts: Vec<u32> = version.split('.').map(|part| part.parse().unwrap()).collect();
        assert!(parts >= vec![1, 8, 2], "{version}");
        let sha = out.lines().find_map(|line| pattern.captures(line)).unwrap()[1].to_owned();
        assert!(sha.len() >= 7 && patterns["sha"].as_str().unwrap().starts_with(&sha), "{sha}");
        assert!(out.contains("smalt-tournament"), "{out}");
    }
    let (out, _) = run(&place, "cutechess-cli", &["--version".to_owned()], 0);
    assert!(out.starts_with("cutechess-cli 1."), "{out}");
}
