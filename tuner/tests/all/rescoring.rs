//! `rescore` through the whole program, with an engine that counts.

use std::fs;

use smalt_testing::positions::random_positions;

use crate::json::check_schema;
use crate::programs::{check, json, path, run};

/// Scores a position by its number since `ucinewgame`, reports a mate for the hundredth and nothing for the two hundredth. Once
/// it has searched 3,000 positions, it kills the program that started it where a file `kill` lies beside it, and after 1,000 exits where
/// there is a file `crash`; with a file `always` it exits at every search.
const ENGINE: &str = r#"#!/bin/sh
place=$(dirname "$0"); number=0; all=0
while read -r line; do case "$line" in
  uci) echo uciok;; isready) echo readyok;; ucinewgame) number=0;; quit) exit;;
  go*)
    number=$((number + 1)); all=$((all + 1)); score="cp $number"
    [ $number = 100 ] && score="mate -3"
    [ -e "$place/kill" ] && [ $all = 3000 ] && { rm "$place/kill"; kill -KILL $PPID; }
    [ $all = 1000 ] && [ -e "$place/crash" ] && { rm "$place/crash"; exit 1; }
    [ -e "$place/always" ] && exit 1
    [ $number = 200 ] || echo "info depth 1 score $score nodes 1"
    echo bestmove 0000;;
esac; done
"#;

/// The engine, in this folder.
pub(crate) fn counting_engine(folder: &tempfile::TempDir) -> String {
    let engine = path(folder, "engine");
    smalt_testing::process::write_script(&engine, ENGINE);
    engine
}

/// A file of positions; their own score is 50, without one for every tenth.
fn positions(folder: &tempfile::TempDir) -> String {
    let file = path(folder, "positions.csv");
    let mut text = String::from("fen,score,result,game,ply,move\n");
    let all = random_positions(7, 60, 100);
    let searched = all.iter().filter(|position| !position.legal_moves().is_empty()).take(5_000);
    for (index, position) in searched.enumerate() {
        let score = if index % 10 == 9 { String::new() } else { "50".to_owned() };
        text.push_str(&format!(
            "{},{score},{},{},1,\n",
            position.to_fen(),
            (index % 3) as f64 / 2.0,
            index / 20
        ));
    }
    fs::write(&file, text).unwrap();
    file
}

/// FEN and score of each line.
fn scores(file: &str) -> Vec<(String, Option<i32>)> {
    let text = fs::read_to_string(file).unwrap();
    let fields = |line: &str| -> Option<(String, Option<i32>)> {
        let mut fields = line.split(',');
        Some((fields.next()?.to_owned(), fields.next()?.parse().ok()))
    };
    text.lines().skip(1).filter_map(fields).collect()
}

#[test]
fn scores_are_blended_and_the_same_after_a_kill_and_with_any_concurrency() {
    let folder = tempfile::tempdir().unwrap();
    let (file, engine) = (positions(&folder), counting_engine(&folder));
    let flags = |output: &'static str, concurrency: &'static str| -> Vec<String> {
        let output = path(&folder, output);
        let flags = [
            "rescore", &file, "--engine", &engine, "--share", "0.25", "--scale", "2", "--concurrency",
            concurrency, "--json", "-", "-o", &output,
        ];
        flags.map(str::to_owned).to_vec()
    };
    let of = |words: &[String]| -> serde_json::Value {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        // Some positions keep their score.
        let (report, _) = check(&words, 3);
        let report = json(&report);
        check_schema("rescore", &report);
        report
    };
    let report = of(&flags("whole.csv", "2"));
    let whole = scores(&path(&folder, "whole.csv"));
    let number = |key: &str| report[key].as_u64().unwrap();
    assert_eq!(["positions", "known", "unscored"].map(number), [5_000, 0, 5_000 / 256]);
    assert!(report["own_error"].as_f64() > Some(0.0) && report["blended_error"].as_f64() > Some(0.0));
    for (index, (fen, score)) in whole.iter().enumerate() {
        // All positions are standard chess, so a batch has one hash table.
        let engine = match index % 256 + 1 {
            100 => -1500.0,
            number => number as f64,
        };
        let engine = if fen.contains(" b ") { -engine } else { engine };
        let expected = match (index % 256 + 1, index % 10) {
            (200, 9) => None,
            (200, _) => Some(50.0),
            (_, 9) => Some(2.0 * engine),
            _ => Some(0.75 * 50.0 + 0.25 * 2.0 * engine),
        };
        assert_eq!(*score, expected.map(|score: f64| score.round() as i32), "{index}: {fen}");
    }

    fs::write(path(&folder, "kill"), "").unwrap();
    let killed = flags("killed.csv", "1");
    let words: Vec<&str> = killed.iter().map(String::as_str).collect();
    assert_eq!(run(&words).status.code(), None);
    assert!(!folder.path().join("killed.csv").exists());
    let report = of(&killed);
    let known = report["known"].as_u64().unwrap();
    assert!(known > 0 && known < 5_000, "{report}");
    assert_eq!(scores(&path(&folder, "killed.csv")), whole);
    assert!(!folder.path().join("killed.csv.part").exists());

    fs::write(path(&folder, "crash"), "").unwrap();
    let crashed = flags("crashed.csv", "2");
    let words: Vec<&str> = crashed.iter().map(String::as_str).collect();
    let (_, error) = check(&words, 3);
    assert_eq!(error.matches("starting the engine again").count(), 1, "{error}");
    assert_eq!(scores(&path(&folder, "crashed.csv")), whole);
    fs::write(path(&folder, "always"), "").unwrap();
    let (_, error) = check(&[&words[..], &["--force"]].concat(), 1);
    assert_eq!(error.matches("starting the engine again").count(), 1, "{error}");
    assert!(error.contains("0 positions scored so far; the same command continues"), "{error}");
}

#[test]
fn the_scale_is_fitted_and_what_cannot_be_scored_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, engine) = (path(&folder, "positions.csv"), path(&folder, "engine"));
    let mut text = String::from("fen,score,result,game,ply,move\n");
    // A lead of 100 wins three of four games; the engine says 200.
    for index in 0..400 {
        let (result, side) = if index % 4 == 0 { (0, "b") } else { (1, "w") };
        text.push_str(&format!(
            "4k3/7p/8/8/8/8/PP6/4K3 {side} - - 0 {},100,{result},{index},1,\n",
            index + 1
        ));
    }
    fs::write(&file, text).unwrap();
    let script = "#!/bin/sh\nwhile read -r line; do case \"$line\" in\nuci) echo uciok;; isready) echo readyok;;\n\
                  *' w '*) score=200;; *' b '*) score=-200;;\n\
                  go*) echo info depth 1 score cp $score; echo bestmove 0000;; quit) exit;;\nesac; done\n";
    smalt_testing::process::write_script(&engine, script);
    let output = path(&folder, "out.bin");
    let flags = ["rescore", &file, "--engine", &engine, "-o", &output, "--json", "-"];
    let report = json(&check(&flags, 0).0);
    assert!((report["scale"].as_f64().unwrap() - 0.5).abs() < 1e-3, "{report}");
    let error = |key: &str| report[key].as_f64().unwrap();
    assert!((error("own_error") - 0.1875).abs() < 1e-9 && (error("blended_error") - 0.1875).abs() < 1e-9);
    // Its own file, whose scores are read again.
    let again = path(&folder, "again.csv");
    check(&["rescore", &output, "--engine", &engine, "-o", &again, "--share", "1", "--scale", "1"], 0);
    assert!(scores(&again).iter().all(|(_, score)| *score == Some(200)));

    for (words, message) in [
        (&["-o", "x.book"][..], "this format has no scores"),
        (&["-o", "x.bin", "--share", "2"], "--share 2"),
        (&["-o", "x.bin", "--scale", "0"], "--scale 0"),
        (&["-o", &output], "already"),
    ] {
        let (_, error) = check(&[&flags[..4], words].concat(), 2);
        assert!(error.contains(message), "{message}: {error}");
    }
    let (_, error) = check(&["rescore", &file, "--engine", "./nowhere", "-o", "x.bin"], 2);
    assert!(error.contains("nowhere") && !std::path::Path::new("x.bin.part").exists(), "{error}");
}
