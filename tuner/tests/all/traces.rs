//! Other engines' evaluations, fitted over a pipe and from files: the example engine in C is tuned from zeros, and
//! its source is rewritten and rebuilt.

#![expect(clippy::disallowed_methods, reason = "the programs themselves are under test")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use smalt_tuner::{Comments, Header, rewrite_source};

use crate::json::check_schema;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/games/ethereal12-stockfish15.pgn.zst");

/// Runs the tuner and checks its exit code; returns standard output and error.
#[track_caller]
fn check(arguments: &[&str], exit: i32) -> (String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_smalt-tuner")).args(arguments).output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(exit), "{arguments:?}\n{out}\n{error}");
    (out, error)
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A folder with an engine, its source and positions.
struct Workplace {
    folder: tempfile::TempDir,
}

impl Workplace {
    fn new() -> Workplace {
        Workplace { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes a source file and builds it.
    fn build(&self, name: &str, source: &str) -> String {
        let file = self.path(&format!("{name}.c"));
        fs::write(&file, source).unwrap();
        let built = Command::new("cc").arg("-O1").arg("-o").arg(self.path(name)).arg(&file).status().unwrap();
        assert!(built.success());
        self.name(name)
    }

    /// Positions of the games in the repository, with a limit per game.
    fn extract(&self, per_game: &str) -> String {
        let positions = self.name("positions.bin");
        check(&["extract", GAMES, "-o", &positions, "--per-game", per_game], 0);
        positions
    }
}

fn example(name: &str) -> String {
    fs::read_to_string(Path::new(EXAMPLES).join(name)).unwrap()
}

/// Output of an engine for these input lines.
fn answers(command: &mut Command, lines: &str) -> String {
    let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = engine.stdin.take().unwrap();
    let lines = lines.to_owned();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()).unwrap());
    let output = engine.wait_with_output().unwrap();
    writer.join().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn header_of(engine: &str) -> Header {
    Header::parse(&answers(&mut Command::new(engine), "trace\nquit\n")).unwrap()
}

/// The example engine with all tuned numbers zero.
fn zeroed(place: &Workplace) -> String {
    let header = header_of(&place.build("original", &example("tunable.c")));
    let zeros = vec![0.0; header.start.len()];
    rewrite_source(&example("tunable.c"), Comments::Slashes, &header.schema, &zeros, "to zero").unwrap().text
}

#[test]
fn the_example_engine_has_a_move_after_a_single_node() {
    let place = Workplace::new();
    let mut engine = Command::new(place.build("mine", &example("tunable.c")));
    let answers = answers(&mut engine, "position startpos\ngo nodes 1\ngo nodes 5\nquit\n");
    let moves: Vec<&str> = answers.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert!(moves.len() == 2 && !moves.contains(&"0000"), "{answers}");
}

#[test]
fn an_engine_is_tuned_from_zeros_and_its_source_rewritten() {
    let place = Workplace::new();
    let positions = place.extract("6");
    let engine = place.build("mine", &zeroed(&place));
    assert!(header_of(&engine).start.iter().all(|number| *number == 0.0));
    let source = place.name("mine.c");
    let write = format!("--write={source}");
    let (out, error) =
        check(&["texel", &positions, "--engine", &engine, "--concurrency", "2", &write, "--json", "-"], 0);
    assert!(!error.contains("not written"), "{error}");
    let summary = json(&out);
    let number = |summary: &serde_json::Value, key: &str| summary[key].as_f64().unwrap();
    // A constant prediction has the error of the mean; the fit must explain a good part of the results.
    assert!(number(&summary, "final_error") < 0.8 * number(&summary, "initial_error"), "{summary}");
    assert!(number(&summary, "validation_error") < 0.85 * number(&summary, "initial_validation_error"));
    assert!(number(&summary, "bytes_per_position") <= 120.0, "{summary}");
    assert_eq!(summary["danger_lifted"], true, "{summary}");

    let text = place.read("mine.c");
    assert!(text.contains("// smalt:begin psqt.knight (tuned "), "{text}");
    let built = place.build("mine", &text);
    // Verification shows that the new source computes the fitted values: the second fit starts where the first ended.
    let (out, _) = check(&["texel", &positions, "--engine", &built, "--epochs", "1", "--json", "-"], 0);
    let again = json(&out);
    let k = [&summary, &again].map(|summary| number(summary, "k"));
    assert!(number(&again, "initial_error") <= number(&summary, "final_error") + 1e-6, "{k:?}");
    let header = header_of(&built);
    let mean = |term: &str| {
        let of_term = |index: &usize| header.schema.weights[*index].term == term;
        let numbers: Vec<f64> = (0..header.schema.weights.len())
            .filter(of_term)
            .map(|index| header.start[2 * index])
            .filter(|number| *number != 0.0)
            .collect();
        numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
    };
    let worth = |piece: &str| mean(&format!("material.{piece}")) + mean(&format!("psqt.{piece}"));
    let values = ["pawn", "knight", "rook", "queen"].map(worth);
    assert!(values.is_sorted() && values[0] > 20.0, "{values:?}");
}

#[test]
fn a_trace_that_does_not_give_the_score_is_refused_before_the_fit() {
    let place = Workplace::new();
    let positions = place.extract("1");
    // The coefficient of a knight is doubled.
    let broken = example("tunable.c").replace(
        "linear[MATERIAL + type] += sign;",
        "linear[MATERIAL + type] += type == KNIGHT ? 2 * sign : sign;",
    );
    let engine = place.build("broken", &broken);
    let output = place.name("tuned.toml");
    let (out, error) =
        check(&["texel", &positions, "--engine", &engine, "--concurrency", "1", "-o", &output], 1);
    assert!(out.is_empty() && !Path::new(&output).exists());
    assert!(error.contains("the score differs in ") && error.contains("nothing was fitted"), "{error}");
    let named = error.lines().filter(|line| line.contains("by the engine")).collect::<Vec<_>>();
    assert_eq!(named.len(), 10, "{error}");
    assert!(named.iter().all(|line| line.contains("material ") && line.contains("/")), "{error}");
    let allowed =
        ["texel", &positions, "--engine", &engine, "--tolerance", "5000", "--epochs", "1", "-o", &output];
    check(&allowed, 0);

    // Wrong traces are not stored; tolerated ones are replaced by --force.
    let kept = place.name("mine.trace");
    let trace = |engine: &str, flags: &[&str], exit: i32| {
        let all = ["trace", &positions, "--engine", engine, "--concurrency", "1", "-o", &kept, "--json", "-"];
        check(&[&all[..], flags].concat(), exit)
    };
    trace(&engine, &[], 1);
    let good = place.build("good", &example("tunable.c"));
    assert_eq!(json(&trace(&good, &[], 0).0)["known"], 0);
    let right = fs::read(&kept).unwrap();
    let wrong = json(&trace(&engine, &["--tolerance", "5000", "--force"], 0).0);
    assert_eq!(wrong["known"], 0);
    assert!(fs::read(&kept).unwrap() != right);
    trace(&good, &["--force"], 0);
    assert!(fs::read(&kept).unwrap() == right);
    trace(&engine, &["--force"], 1);
    assert!(fs::read(&kept).unwrap() == right, "wrong traces replace no file");
}

#[test]
fn traces_are_kept_and_an_interrupted_file_is_continued() {
    let place = Workplace::new();
    let positions = place.extract("2");
    let engine = place.build("mine", &example("tunable.c"));
    let kept = place.name("mine.trace");
    let trace = ["trace", &positions, "--engine", &engine, "--concurrency", "2", "-o", &kept, "--json", "-"];
    let first = json(&check(&trace, 0).0);
    let count = first["positions"].as_u64().unwrap();
    assert!(count > 3000 && first["known"] == 0, "{first}");
    check_schema("trace", &first);
    let bytes = fs::read(&kept).unwrap();
    fs::write(&kept, &bytes[..bytes.len() / 2]).unwrap();
    let second = json(&check(&trace, 0).0);
    assert!(second["known"].as_u64().unwrap() > count / 4, "{second}");
    assert_eq!(second["positions"], count);
    assert!(fs::read(&kept).unwrap() == bytes, "the continued file is the whole one");

    let other = place.name("other.epd");
    fs::write(&other, "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1 c9 \"1-0\";\n").unwrap();
    let (_, error) = check(&["trace", &other, "--engine", &engine, "-o", &kept], 2);
    assert!(error.contains("mine.trace: it has traces of other positions"), "{error}");

    // A refused file is unchanged, its incomplete end included.
    let torn = &bytes[..bytes.len() - 3];
    fs::write(&kept, torn).unwrap();
    check(&["trace", &other, "--engine", &engine, "-o", &kept], 2);
    assert!(fs::read(&kept).unwrap() == torn);
    fs::write(&kept, &bytes).unwrap();
    let (_, error) = check(&["trace", &kept, "--engine", &engine, "-o", &kept, "--force"], 2);
    assert!(error.contains("positions and traces are the same file"), "{error}");
    assert!(fs::read(&kept).unwrap() == bytes);

    // The same parameters in another evaluation: the old traces are not trusted.
    let source =
        example("tunable.c").replace("(PHASES - phase)) / PHASES;", "(PHASES - phase)) / PHASES + 7;");
    let changed = place.build("changed", &source);
    let trace = ["trace", &positions, "--engine", &changed, "--concurrency", "2", "-o", &kept];
    let (_, error) = check(&trace, 2);
    assert!(error.contains("mine.trace: it has traces of an engine with another evaluation"), "{error}");
    assert!(fs::read(&kept).unwrap() == bytes);

    // Fits from the file and over the pipe are equal.
    let fit = |data: &[&str]| {
        let (out, _) = check(&[&["texel"], data, &["--epochs", "5", "--json", "-"]].concat(), 0);
        let summary = json(&out);
        [&summary["positions"], &summary["final_error"], &summary["validation_error"]].map(Clone::clone)
    };
    assert_eq!(fit(&[&kept]), fit(&[&positions, "--engine", &engine]));
    let (_, error) = check(&["texel", &other, &kept, "--epochs", "1"], 2);
    assert!(error.contains("other.epd: no traces, while others are"), "{error}");
}

#[test]
fn a_source_that_is_edited_during_the_fit_keeps_the_edit() {
    let place = Workplace::new();
    let engine = place.build("mine", &example("tunable.c"));
    let positions = place.extract("1");
    let source = place.name("mine.c");
    let write = format!("--write={source}");
    // The engine edits the source when started, after the tuner read it.
    let fit = |edit: &str, exit: i32| {
        fs::write(&source, example("tunable.c")).unwrap();
        let editing = format!("sh -c \"{edit}; exec {engine}\"");
        let flags =
            ["texel", &positions, "--engine", &editing, "--concurrency", "1", "--epochs", "1", &write];
        (check(&flags, exit).1, place.read("mine.c"))
    };
    let (_, text) = fit(&format!("echo '// mine' >> {source}"), 0);
    assert!(text.contains("(tuned ") && text.ends_with("// mine\n"), "{text}");
    let (error, text) = fit(&format!("echo mine > {source}"), 1);
    assert!(error.contains("mine.c: it changed during the run") && text == "mine\n", "{error}");
    assert!(place.read("mine.c.tuned").contains("(tuned "));

    // Both files are listed, and the start of a fit without --engine.
    let (kept, copy) = (place.name("mine.trace"), place.name("copy.c"));
    check(&["trace", &positions, "--engine", &engine, "-o", &kept], 0);
    [&source, &copy].iter().for_each(|file| fs::write(file, example("tunable.c")).unwrap());
    let copies = format!("--write={copy}");
    let summary = json(&check(&["texel", &kept, "--epochs", "1", &write, &copies, "--json", "-"], 0).0);
    assert_eq!(summary["written"], source.as_str());
    assert_eq!(summary["written_files"], serde_json::json!([source, copy]));
    let tuned = place.name("tuned.toml");
    check(&["texel", &kept, "--epochs", "1", "-o", &tuned], 0);
    assert!(place.read("tuned.toml").contains("start = \"the numbers of the engine\""));
    let (_, error) = check(&["texel", &kept, "--write=/proc/version"], 2);
    assert!(error.contains("/proc/version"), "{error}");
}

#[test]
fn text_that_an_engine_dumps_is_the_same_as_its_pipe() {
    let place = Workplace::new();
    let engine = place.build("mine", &example("tunable.c"));
    let positions = place.extract("1");
    let text = place.name("positions.epd");
    check(&["convert", &positions, "-o", &text], 0);
    let fen = |line: &String| line.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
    let mut lines: Vec<String> = place.read("positions.epd").lines().map(str::to_owned).collect();
    // Positions of several games are adjacent, and are merged when sent over a pipe.
    lines.dedup_by_key(|line| fen(line));
    fs::write(place.path("positions.epd"), lines.join("\n")).unwrap();
    let asked: String = lines.iter().map(|line| format!("trace fen {} 0 1\n", fen(line))).collect();
    let said = answers(&mut Command::new(&engine), &format!("trace\n{asked}quit\n"));
    let (header, traces) = said.split_once("trace ready\n").unwrap();
    let both: String =
        lines.iter().zip(traces.lines()).map(|(line, trace)| format!("{line}\n{trace}\n")).collect();
    let dump = place.name("dump.txt");
    fs::write(&dump, format!("{header}trace ready\n{both}")).unwrap();
    let fit = |data: &[&str]| {
        let flags = ["--validation", "0", "--epochs", "3", "--json", "-"];
        let summary = json(&check(&[&["texel"], data, &flags].concat(), 0).0);
        [&summary["positions"], &summary["final_error"]].map(Clone::clone)
    };
    assert_eq!(fit(&[&dump]), fit(&[&text, "--engine", &engine]));
}

#[test]
fn an_engine_without_traces_or_that_ends_is_named_with_its_last_words() {
    let place = Workplace::new();
    let text = place.name("x.epd");
    fs::write(&text, "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1 c9 \"1-0\";\n").unwrap();
    let refused = |script: &str, exit: i32, words: &str| {
        let engine = format!("sh -c \"{script}\"");
        let (_, error) = check(&["texel", &text, "--engine", &engine, "--concurrency", "1"], exit);
        assert!(error.contains(words), "{words}: {error}");
    };
    refused("echo Unknown command", 2, "the engine ended before `trace ready`");
    refused("echo Unknown command", 2, "its last lines: Unknown command");
    refused("echo trace parameter x", 1, "expected one value");
    let header = "echo trace parameter a 1 1; echo trace ready; read x; read y";
    refused(header, 1, "the engine ended at 4k3/8/8/8/8/8/PP6/4K3 w - - 0 1");
    refused(&format!("{header}; echo trace score 1 7:1; read z"), 1, "7:1: no parameter has this index");
    let (_, error) = check(&["texel", &text, "--engine", "builtin"], 2);
    assert!(error.contains("--engine builtin"), "{error}");
}

#[test]
fn another_engine_is_checked_and_its_numbers_written_in_any_language() {
    let place = Workplace::new();
    let engine = place.build("mine", &example("tunable.c"));
    let positions = place.extract("1");
    let outliers = place.name("worst.epd");
    let (page, _) =
        check(&["check", &positions, "--engine", &engine, "--outliers", &outliers, "--count", "7"], 0);
    for words in ["positions; error", "never occur (16): psqt.pawn[0]"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    // Each piece has a value and a table; material and table add up.
    let determined = page.lines().find(|line| line.starts_with("determined by all others together")).unwrap();
    for words in ["material.pawn (2)", "material.knight (2)", "psqt.pawn", "psqt.knight"] {
        assert!(determined.contains(words), "{words}: {page}");
    }
    assert_eq!(place.read("worst.epd").lines().count(), 7);

    let (python, toml) = (place.name("tuned.py"), place.name("tuned.toml"));
    check(&["texel", &positions, "--engine", &engine, "--scratch", "--epochs", "2", "-o", &python], 0);
    assert!(place.read("tuned.py").contains("PSQT_KNIGHT = [\n"), "{}", place.read("tuned.py"));
    let flags = ["texel", &positions, "--engine", &engine, "--only", "material", "--freeze", "*.queen"];
    check(&[&flags[..], &["--bound", "material.pawn=90..95", "-o", &toml]].concat(), 0);
    let table: toml::Table = place.read("tuned.toml").parse().unwrap();
    let values = |name: &str| {
        let pair = table["weights"][name].as_array().unwrap();
        pair.iter().map(|number| number.as_integer().unwrap()).collect::<Vec<_>>()
    };
    let start = header_of(&engine).start;
    assert_eq!(values("material.queen"), [start[8] as i64, start[9] as i64]);
    assert!(values("material.pawn").iter().all(|number| (90..=95).contains(number)));
    let resumed = ["texel", &positions, "--engine", &engine, "--params", &toml, "--epochs", "1"];
    check(&resumed, 0);
    let (_, error) = check(&["texel", &positions, "--engine", &engine, "--write"], 2);
    assert!(error.contains("--write=src/eval.h"), "{error}");
}

#[test]
fn parameters_that_others_determine_are_named() {
    let place = Workplace::new();
    let header = "trace version 1\ntrace parameter a 10\ntrace parameter b 20\ntrace parameter c 30\n\
                  trace parameter free 5\ntrace ready\n";
    let mut text = String::from(header);
    // The coefficient of a is the sum of those of b and c.
    for index in 0..500_i32 {
        let [b, c, free] = [index * 7 % 11 - 5, index * 5 % 13 - 6, index * 3 % 7 - 3];
        let score = 10 * (b + c) + 20 * b + 30 * c + 5 * free;
        let result = [0.0, 0.5, 1.0][(index * 31 % 17 % 3) as usize];
        text.push_str(&format!("4k3/8/8/8/8/8/4P3/4K3 w - - {} {} [{result}]\n", index % 50, 2 + index));
        text.push_str(&format!("trace score {score} 0:{} 1:{b} 2:{c} 3:{free}\n", b + c));
    }
    let traces = place.name("sum.trace");
    fs::write(&traces, text).unwrap();
    let summary = json(&check(&["check", &traces, "--json", "-"], 0).0);
    assert_eq!(summary["dominated"], serde_json::json!(["a", "b", "c"]), "{summary}");
    check_schema("check", &summary);
    let (page, _) = check(&["check", &traces], 0);
    assert!(page.contains("same evaluations (3): a (1), b (1), c (1)\n"), "{page}");
}

#[test]
fn tables_of_another_engine_are_drawn_as_boards() {
    let place = Workplace::new();
    let engine = place.build("mine", &example("tunable.c"));
    let positions = place.extract("1");
    let [kept, tuned, json] = ["mine.trace", "tuned.toml", "tuned.json"].map(|name| place.name(name));
    check(&["trace", &positions, "--engine", &engine, "-o", &kept], 0);
    for output in [&tuned, &json] {
        check(&["texel", &kept, "--epochs", "2", "-o", output], 0);
    }
    for (kind, words) in [
        ("boards", ["pawn mg, old", "king eg, new", "centipawns"]),
        ("moved", ["Largest changes", "psqt.", "→"]),
    ] {
        let plot = |files: &[&str]| check(&[&["plot", "--kind", kind], files].concat(), 0).0;
        let svg = plot(&[&kept, &tuned]);
        assert!(svg.starts_with("<svg") && words.iter().all(|word| svg.contains(word)), "{kind}");
        assert_eq!(plot(&[&kept, &json]), svg);
        assert_eq!(plot(&["--engine", &engine, &tuned]), svg);
    }
    let refused = |flags: &[&str], words: &str| {
        let (_, error) = check(&[&["plot"], flags].concat(), 2);
        assert!(error.contains(words), "{words}: {error}");
    };
    refused(&[&kept], "give the file of tuned parameters after it");
    refused(&["--engine", &engine, &tuned, &tuned, "--kind", "moved"], "no weight changed");
    refused(&["--engine", &engine, &tuned, "--kind", "loss"], "what `texel --json FILE` wrote");
    refused(&[&tuned], "tuned.toml");
}

#[test]
fn traces_are_fitted_with_every_setting_of_smalts_own_evaluation() {
    let place = Workplace::new();
    let engine = place.build("mine", &example("tunable.c"));
    let positions = place.extract("2");
    let kept = place.name("mine.trace");
    check(&["trace", &positions, "--engine", &engine, "-o", &kept], 0);
    let fit_to = |epochs: &str, data: &str, flags: &[&str]| {
        json(&check(&[&["texel", data, "--scratch", "--epochs", epochs, "--json", "-"], flags].concat(), 0).0)
    };
    let fit = |data: &str, flags: &[&str]| fit_to("6", data, flags);
    let number = |summary: &serde_json::Value, key: &str| summary[key].as_f64().unwrap();
    let plain = fit(&kept, &["--k", "1.25"]);
    assert_eq!(number(&plain, "k"), 1.25);
    let adam = fit(&kept, &["--k", "1.25", "--method", "adam", "--rate", "2"]);
    assert_eq!(adam["initial_error"], plain["initial_error"]);
    for fit in [&plain, &adam] {
        assert!(number(fit, "final_error") < 0.95 * number(fit, "initial_error"), "{fit}");
    }
    assert_ne!(adam["final_error"], plain["final_error"]);
    assert_ne!(number(&fit(&kept, &[]), "k"), 1.25, "K is fitted");

    // Half of each target is the score of the games' search.
    let mixed = fit(&kept, &["--k", "1.25", "--lambda", "0.5"]);
    assert!(number(&mixed, "initial_error") < number(&plain, "initial_error"), "{mixed}");
    let adjusted = fit(&kept, &["--adjust-for-players"]);
    assert!(adjusted["players"].as_array().unwrap().len() >= 2, "{adjusted}");

    // The same games are held out as in a fit of Smalt's evaluation.
    let share = ["--validation", "0.3"];
    let [traced, own] = [&kept, &positions].map(|data| fit(data, &share));
    assert_eq!([&traced["train"], &traced["validation"]], [&own["train"], &own["validation"]]);

    let [checkpoint, whole, resumed] =
        ["fit.toml", "whole.toml", "resumed.toml"].map(|name| place.name(name));
    fit_to("3", &kept, &["--checkpoint", &checkpoint]);
    fit(&kept, &["-o", &whole]);
    fit(&kept, &["--resume", &checkpoint, "-o", &resumed]);
    let weights = |name: &str| place.read(name).split_once("[weights]").unwrap().1.to_owned();
    assert_eq!(weights("resumed.toml"), weights("whole.toml"));
    let flags = ["texel", &kept, "--scratch", "--resume", &checkpoint, "--method", "adam"];
    let (_, error) = check(&flags, 2);
    assert!(error.contains("--method is lbfgs in it, and now adam"), "{error}");
}

#[test]
fn sources_have_weights_and_points_of_view() {
    let place = Workplace::new();
    let fens = [
        ("4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", 1.0),
        ("4k3/pp6/8/8/8/8/8/4K3 b - - 0 1", 0.0),
        ("4k3/p7/8/8/8/8/PP6/4K3 b - - 0 1", 0.5),
        ("4k3/p7/8/8/8/8/PP6/R3K3 w - - 0 1", 1.0),
    ];
    let write = |name: &str, view: &dyn Fn(&str, f64) -> f64| {
        let lines = |_| fens.map(|(fen, result)| format!("{fen} [{}]\n", view(fen, result))).concat();
        fs::write(place.path(name), (0..30).map(lines).collect::<String>()).unwrap();
        place.name(name)
    };
    let white = write("white.book", &|_, result| result);
    let mover = write("mover.book", &|fen, result| if fen.contains(" b ") { 1.0 - result } else { result });
    let draws = write("draws.book", &|_, _| 0.5);
    let fit = |data: &[&str]| {
        let flags =
            ["--only", "material.*", "--k", "1", "--validation", "0", "--epochs", "20", "--json", "-"];
        let summary = json(&check(&[&["texel"], data, &flags].concat(), 0).0);
        ["initial_error", "final_error"].map(|key| summary[key].as_f64().unwrap())
    };
    let close = |a: [f64; 2], b: [f64; 2]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    let plain = fit(&[&white]);
    assert!(close(fit(&[&format!("{mover},view=mover")]), plain));
    assert!(!close(fit(&[&mover]), plain));
    let twice = fit(&[&white, &draws, &draws]);
    assert!(close(fit(&[&white, &format!("{draws},weight=2")]), twice));
    assert!(!close(fit(&[&white, &draws]), twice));
    let (_, error) = check(&["texel", &format!("{white},weight=0")], 2);
    assert!(error.contains("expected a weight above 0"), "{error}");
}

#[test]
fn versions_are_built_in_copies_and_the_source_is_kept_only_when_games_prove_it() {
    let place = Workplace::new();
    let engine = |number: u32| {
        format!(
            "#!/bin/sh\n# smalt:begin x\nx={number}\n# smalt:end x\nwhile read -r line; do case \"$line\" in\n\
             uci) echo uciok;;\nisready) echo readyok;;\nquit) exit;;\nesac; done\n"
        )
    };
    fs::create_dir(place.path("tree")).unwrap();
    let (tuned, base) = (place.name("tuned.sh"), place.name("tree/mine.sh"));
    fs::write(&tuned, engine(2)).unwrap();
    let referee = |verdict: &str| {
        let program = place.path(&format!("referee-{verdict}"));
        let script = format!(
            "#!/bin/sh\necho \"$@\" > '{}'\nwhile [ $# -gt 0 ]; do [ \"$1\" = --json ] && out=$2; shift; done\n\
             cat > \"$out\" <<END\n{{\"entrants\": [{{\"name\": \"tuned\", \"wins\": 3, \"draws\": 2, \"losses\": 1}}],\n\
             \"sprt\": {{\"llr\": 2.95, \"lower\": -2.94, \"upper\": 2.94, \"verdict\": \"{verdict}\"}}}}\nEND\n",
            place.name("arguments"),
        );
        smalt_testing::process::write_script(&program, &script);
        program.display().to_string()
    };
    let tree = place.name("tree");
    let prove = |build: &str, verdict: &str, exit: i32| {
        fs::write(&base, engine(1)).unwrap();
        let referee = referee(verdict);
        let flags = ["prove", &tuned, "--base", &base, "--tree", &tree, "--build", build, "--write"];
        let said = check(&[&flags[..], &["--engine", "./mine", "--tournament", &referee]].concat(), exit);
        (said, place.read("tree/mine.sh"))
    };
    let build = "cp mine.sh mine && chmod +x mine";
    assert_eq!(prove(build, "H0", 3).1, engine(1));
    let ((out, _), kept) = prove(build, "H1", 0);
    assert!(out.contains("accepted, and written"), "{out}");
    assert_eq!(kept, engine(2));
    assert!(!place.path("tree/mine").exists());
    let arguments = place.read("arguments");
    assert!(arguments.contains("/tuned/mine") && arguments.contains("/base/mine"), "{arguments}");
    let ((_, error), kept) = prove("echo no compiler >&2; false", "H1", 2);
    assert!(error.contains("failed to build the tuned version") && error.contains("no compiler"), "{error}");
    assert_eq!(kept, engine(1));
    let ((_, error), _) = prove("cp /bin/sh mine", "H1", 2);
    assert!(error.contains("both versions are the same program"), "{error}");
    let without_engine = ["prove", &tuned, "--base", &base, "--tree", &tree, "--build", build];
    for engine in [&[][..], &["--engine", "cmd=builtin"]] {
        let (_, error) = check(&[&without_engine, engine].concat(), 2);
        assert!(error.contains("--build: give the program that it makes with --engine"), "{error}");
    }
}

#[test]
#[ignore = "needs Python 3"]
fn real_python_gives_the_traces_and_the_fit_of_the_example_in_c() {
    let place = Workplace::new();
    let positions = place.extract("1");
    let engine = place.build("mine", &example("tunable.c"));
    let script = place.name("mine.py");
    fs::write(&script, example("tunable.py")).unwrap();
    let python = format!("python3 {script}");
    let traces = |name: &str, engine: &str| {
        let file = place.name(name);
        check(&["trace", &positions, "--engine", engine, "-o", &file], 0);
        fs::read(file).unwrap()
    };
    assert!(traces("c.trace", &engine) == traces("python.trace", &python), "the same traces, byte by byte");
    let (write_c, write_python) = (format!("--write={}", place.name("mine.c")), format!("--write={script}"));
    check(&["texel", &positions, "--engine", &engine, "--epochs", "30", &write_c], 0);
    check(&["texel", &positions, "--engine", &python, "--epochs", "30", &write_python], 0);
    let tuned = header_of(&place.build("mine", &place.read("mine.c")));
    let said = answers(Command::new("python3").arg(&script), "trace\nquit\n");
    assert_eq!(Header::parse(&said).unwrap(), tuned);

    // It plays: it finds a mate and has no move after it, captures en passant and knows castling.
    let play = |position: &str, words: &str| {
        let lines = format!("uci\nposition {position}\ngo depth 2\nquit\n");
        let said = answers(Command::new("python3").arg(&script), &lines);
        assert!(said.contains(words), "{position}: {said}");
    };
    play("fen 8/8/8/8/8/k7/7r/K7 b - - 0 1", "bestmove h2h1");
    play("fen 8/8/8/8/8/k7/7r/K7 b - - 0 1 moves h2h1", "bestmove 0000");
    play("fen k7/8/8/8/2p5/8/1P6/K7 w - - 0 1 moves b2b4", "bestmove c4b3");
    play("fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1 e8e7 f1f7", "bestmove e7f7");
}
