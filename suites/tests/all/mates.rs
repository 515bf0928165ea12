//! Announced mates: proofs, wrong announcements, tablebases.

use crate::support::Bench;

#[test]
fn announced_mates_are_checked() {
    let bench = Bench::new();
    let suite = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - bm #1; id \"m.1\";\n\
                 7k/8/R7/1R6/8/8/8/K7 w - - bm #2; id \"m.2\";\n\
                 4k3/8/8/8/8/8/8/R3K3 w - - bm Ra7; id \"m.3\";\n";
    let (ran, records) = bench.score(suite, "builtin", &["--depth", "6"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let mates: Vec<_> = records[0].results.iter().map(|result| result.mate.as_ref()).collect();
    for (mate, moves) in [(mates[0], 1), (mates[1], 2)] {
        let mate = mate.unwrap();
        assert_eq!((mate.moves, mate.proof.as_str(), mate.wrong), (moves, "proved", false), "{mate:?}");
        assert_eq!(mate.line_error, None);
    }
    assert_eq!(mates[2], None);
    let ran = bench.run(["score", "suite.epd", "--depth", "6", "--quiet"]);
    let line = "Mates announced: 2; 2 with a whole line to the mate, 2 proved to be forced, 0 wrong";
    assert!(ran.output.contains(line), "{}", ran.output);
}

/// The mate exists, but the announced line does not mate.
#[test]
#[cfg(unix)]
fn a_wrong_announcement_of_a_mate_earns_nothing() {
    let bench = Bench::new();
    let script = |line: &str| {
        format!(
            "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
             go) echo 'info depth 3 score mate 1 pv {line}'; echo bestmove {line};; esac; done\n"
        )
    };
    let suite = "7k/8/5K2/6Q1/8/8/8/8 w - - bm #1; id \"one\";\n";
    for (line, points) in [("g5f5", 0), ("g5g7", 1)] {
        bench.file("engine.sh", script(line));
        let engine = format!("cmd=sh args={} name=claims", bench.path("engine.sh").display());
        let (ran, records) = bench.score(suite, &engine, &["--nodes", "1"]);
        let result = &records[0].results[0];
        let mate = result.mate.as_ref().unwrap_or_else(|| panic!("{}", ran.errors));
        assert_eq!((mate.wrong, result.solved, result.points), (points == 0, points == 1, points), "{line}");
        assert_eq!(result.solved_after_ms.is_some(), points == 1, "{line}");
    }
}

#[test]
#[cfg(unix)]
#[ignore = "needs the files of ../shared/data"]
fn tablebases_refute_an_announced_mate() {
    let bench = Bench::new();
    let lines = "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
        go) echo 'info depth 9 score mate 30 pv a3b3'; echo bestmove a3b3;; esac; done\n";
    bench.file("engine.sh", lines);
    let engine = format!("cmd=sh args={} name=wrong", bench.path("engine.sh").display());
    let suite = "k7/8/8/8/P7/K7/8/8 w - - bm Kb3; id \"drawn\";\n";
    let tables = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/syzygy");
    for (flags, proof) in
        [(&["--nodes", "1"][..], "unknown"), (&["--nodes", "1", "--syzygy", tables], "refuted")]
    {
        let (ran, records) = bench.score(suite, &engine, flags);
        let mate = records.first().and_then(|record| record.results.first()?.mate.as_ref());
        let mate = mate.unwrap_or_else(|| panic!("{}", ran.errors));
        assert_eq!((mate.moves, mate.proof.as_str(), mate.wrong), (30, proof, proof == "refuted"));
    }
    let ran = bench.run(["score", "suite.epd", "--tb", "nowhere"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.errors.contains("no Syzygy tablebases in \"nowhere\""), "{}", ran.errors);
}
