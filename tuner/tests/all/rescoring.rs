//! `rescore` through the whole program, with an engine that counts.

use std::fs;

use smalt_testing::positions::random_positions;

use crate::json::check_schema;
use crate::programs::{check, json, path, run};

/// Scores a position by its number since `ucinewgame`, and reports a mate for the hundredth. Where a file `kill` lies beside it, it
/// kills the program that started it once it has searched 3,000 positions.
const ENGINE: &str = r#"#!/bin/sh
place=$(dirname "$0"); number=0; all=0
while read -r line; do case "$line" in
  uci) echo uciok;; isready) echo readyok;; ucinewgame) number=0;; quit) exit;;
  go*)
    number=$((number + 1)); all=$((all + 1)); score="cp $number"
    [ $number = 100 ] && score="mate -3"
    [ -e "$place/kill" ] && [ $all = 3000 ] && { rm "$place/kill"; kill -KILL $PPID; }
    echo "info depth 1 score $score nodes 1"; echo bestmove 0000;;
esac; done
"#;

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
fn scores(file: &str) -> Vec<(String, i32)> {
    let text = fs::read_to_string(file).unwrap();
    let fields = |line: &str| -> Option<(String, i32)> {
        let mut fields = line.split(',');
        Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
    };
    text.lines().skip(1).filter_map(fields).collect()
}

#[test]
fn scores_are_blended_and_the_same_after_a_kill_and_with_any_concurrency() {
    let folder = tempfile::tempdir().unwrap();
    let (file, engine) = (positions(&folder), path(&folder, "engine"));
    smalt_testing::process::write_script(&engine, ENGINE);
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
        let (report, _) = check(&words, 0);
        let report = json(&report);
        check_schema("rescore", &report);
        report
    };
    let report = of(&flags("whole.csv", "2"));
    let whole = scores(&path(&folder, "whole.csv"));
    assert_eq!((report["positions"].as_u64(), report["known"].as_u64()), (Some(5_000), Some(0)));
    assert!(report["own_error"].as_f64() > Some(0.0) && report["error"].as_f64() > Some(0.0));
    for (index, (fen, score)) in whole.iter().enumerate() {
        // All positions are standard chess, so a batch has one hash table.
        let engine = match index % 256 + 1 {
            100 => -1500.0,
            number => number as f64,
        };
        let engine = if fen.contains(" b ") { -engine } else { engine };
        let own = if index % 10 == 9 { 2.0 * engine } else { 0.75 * 50.0 + 0.25 * 2.0 * engine };
        assert_eq!(*score, own.round() as i32, "{index}: {fen}");
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
}
