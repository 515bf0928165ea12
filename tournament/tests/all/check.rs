//! `check`: correct engines pass, and each fault is reported with the lines that show it.

use crate::support::{Place, scripted};

fn report(place: &Place, arguments: &str, code: i32) -> serde_json::Value {
    let engine = scripted("it", arguments);
    let (out, _) = place.check(&["check", &engine, "--json", "-"], code);
    serde_json::from_str(&out).unwrap()
}

/// The results of the findings of one step.
fn results<'a>(report: &'a serde_json::Value, step: &str) -> Vec<&'a str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["step"] == step)
        .map(|finding| finding["result"].as_str().unwrap())
        .collect()
}

#[test]
fn an_engine_that_keeps_the_protocol_is_fit() {
    let place = Place::new();
    let found = report(&place, "--info-lines 1", 0);
    assert_eq!(found["fit"], true, "{found:#}");
    for step in
        ["start", "limits", "quit", "isready while thinking", "unknown commands", "quit while thinking"]
    {
        assert!(!results(&found, step).contains(&"failure"), "{step}: {found:#}");
    }
    place.await_nobody();
}

#[test]
fn faults_make_an_engine_unfit_and_are_shown_with_their_lines() {
    let place = Place::new();
    let illegal = report(&place, "--info-lines 1 --fault illegal-move@1", 1);
    assert!(results(&illegal, "limits").contains(&"failure"), "{illegal:#}");
    let finding = illegal["findings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|finding| finding["result"] == "failure")
        .unwrap();
    assert!(finding["words"].as_str().unwrap().contains("illegal"), "{finding:#}");
    assert!(!finding["lines"].as_array().unwrap().is_empty());
    let crash = report(&place, "--fault crash@1", 1);
    assert!(results(&crash, "limits").contains(&"failure"), "{crash:#}");
    place.await_nobody();
}

/// Every finding has its own transcript lines.
#[test]
fn each_finding_is_shown_by_the_lines_that_belong_to_it() {
    let place = Place::new();
    let found = report(
        &place,
        "--option 'Hash type spin default 9 min 1 max 4' --option 'Rook type combo default a var b'",
        0,
    );
    let findings: Vec<&serde_json::Value> = found["findings"].as_array().unwrap().iter().collect();
    let of = |word: &str| {
        let finding = findings.iter().find(|finding| finding["words"].as_str().unwrap().contains(word));
        finding.unwrap()["lines"].to_string()
    };
    let (hash, rook) = (of("option \"Hash\""), of("option \"Rook\""));
    assert!(hash.contains("default 9") && !hash.contains("combo"), "{hash}");
    assert!(rook.contains("combo default a") && !rook.contains("default 9"), "{rook}");
    let depth = of("depth 4: reports nothing");
    assert!(depth.contains("> go depth 4") && !depth.contains("go nodes"), "{depth}");
    let nodes = of("nodes 20000: reports nothing");
    assert!(nodes.contains("> go nodes 20000") && !nodes.contains("go depth"), "{nodes}");
}

#[test]
fn a_violated_limit_is_not_reported_as_kept() {
    let place = Place::new();
    let found = report(&place, "--think 1500", 1);
    let words: Vec<&str> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["words"].as_str().unwrap())
        .collect();
    assert!(words.iter().any(|words| words.starts_with("movetime 200: takes")), "{words:#?}");
    assert!(
        !words.contains(&"keeps movetime 200") && !words.contains(&"keeps a clock of 0.3 s"),
        "{words:#?}"
    );
}

#[test]
fn engines_of_xboard_are_examined_as_far_as_their_protocol_goes() {
    let place = Place::new();
    let found = report(&place, "--speak xboard --info-lines 1", 0);
    assert_eq!((&found["protocol"], &found["fit"]), (&"xboard".into(), &true.into()), "{found:#}");
    for step in ["determinism", "Chess960", "ponder", "quit", "quit while thinking", "end of input"] {
        assert_eq!(results(&found, step), ["ok"], "{step}: {found:#}");
    }
    for step in ["MultiPV", "isready while thinking"] {
        assert_eq!(results(&found, step), ["inapplicable"], "{step}: {found:#}");
    }
    // Such an engine ignores its clock too, and would lose on time.
    let deep = report(&place, "--speak xboard --fault ignore-limit@all", 1);
    let words: Vec<&str> = deep["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["words"].as_str().unwrap())
        .collect();
    let printed = "ignores limits of nodes and depth: determinism was not checked";
    assert!(words.contains(&printed) && !words.contains(&"keeps depth 4"), "{words:#?}");
    place.await_nobody();
}

#[test]
fn output_that_other_runners_misread_is_a_warning() {
    let place = Place::new();
    let check = |fault: &str, expected: &str| {
        let found = report(&place, &format!("--info-lines 1 --fault {fault}@all"), 0);
        assert_eq!(results(&found, "answers"), ["warning"], "{fault}: {found:#}");
        let findings = found["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["step"] == "answers").unwrap();
        assert!(finding["words"].as_str().unwrap().contains(expected), "{finding:#}");
        assert!(finding["lines"].to_string().contains("bestmove"), "{finding:#}");
    };
    check("stray-bestmove", "a second bestmove");
    check("trailing-garbage", "more after its best move");
    check("nul-bytes", "zero bytes");
    check("invalid-utf8", "invalid UTF-8");
    assert_eq!(results(&report(&place, "--info-lines 1", 0), "answers"), ["ok"]);
}

#[test]
fn scores_in_whites_view_are_detected() {
    let place = Place::new();
    let check = |score: &str, expected: &str| {
        let found = report(&place, &format!("--info-lines 1 --score {score}"), 0);
        let findings = found["findings"].as_array().unwrap();
        let finding = findings.iter().find(|finding| finding["step"] == "scores").unwrap();
        assert!(finding["words"].as_str().unwrap().contains(expected), "{finding:#}");
    };
    check("-500", "from White's point of view with either side to move");
    check("12", "its scores are inconsistent");
}

#[test]
fn a_failed_start_names_the_entrant() {
    let place = Place::new();
    let (out, _) = place.check(&["check", &scripted("lazy", "--fault exit-at-start")], 1);
    assert!(out.ends_with("lazy (auto): not fit to play, 1 failure, 0 warnings\n"), "{out}");
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn real_engines_of_both_protocols_pass_as_expected() {
    let place = Place::new();
    // On a busy machine only tests of time may fail.
    let judge = |engine: &str| -> serde_json::Value {
        let output = place.run(&["check", engine, "--json", "-"]);
        let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for finding in found["findings"].as_array().unwrap() {
            let words = finding["words"].as_str().unwrap();
            assert!(finding["result"] != "failure" || words.contains("would lose on time"), "{finding:#}");
        }
        found
    };
    let stockfish = judge("stockfish");
    assert_eq!(stockfish["protocol"], "uci", "{stockfish:#}");
    for step in ["determinism", "MultiPV", "Chess960", "ponder", "isready while thinking"] {
        assert_eq!(results(&stockfish, step), ["ok"], "{step}: {stockfish:#}");
    }
    // It ignores node limits, which is no fault in a game.
    let toga = judge("toga2");
    assert!(results(&toga, "limits").contains(&"warning"), "{toga:#}");
    assert_eq!(results(&toga, "finished positions"), ["warning", "warning"], "{toga:#}");
    let sjeng = judge("sjeng");
    assert_eq!(sjeng["protocol"], "xboard", "{sjeng:#}");
    assert_eq!(results(&sjeng, "quit"), ["ok"], "{sjeng:#}");
    assert_eq!(results(&sjeng, "MultiPV"), ["inapplicable"], "{sjeng:#}");
    place.await_nobody();
}

#[test]
fn a_missing_engine_is_wrong_usage() {
    let (_, err) = Place::new().check(&["check", "./nobody"], 2);
    assert!(err.contains("failed to find `./nobody`"), "{err}");
}
