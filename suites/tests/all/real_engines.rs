//! Suites scored by the built-in engine and by real engines.

use smalt_suites::{Record, from_json};

use crate::support::{Bench, shown};

fn score(arguments: &[&str]) -> Vec<Record> {
    let bench = Bench::new();
    let ran = bench.run(["score", "--json", "-"].iter().chain(arguments));
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    from_json(&ran.output, "-").unwrap()
}

#[test]
fn the_built_in_engine_gives_the_same_points_twice_and_at_any_concurrency() {
    let run = |concurrency| {
        let mut records = score(&["sts05", "--nodes", "2000", "--concurrency", concurrency]);
        for result in &mut records[0].results {
            (result.time_ms, result.solved_after_ms) = (None, None);
        }
        records.remove(0)
    };
    let alone = run("1");
    assert!(alone.points > 300 && alone.faults == 0, "{} points", alone.points);
    assert_eq!(alone, run("1"));
    assert_eq!(alone, run("2"));
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn an_engine_that_knows_no_limit_of_nodes_is_stopped() {
    let bench = Bench::new();
    bench.file("one.epd", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4;");
    let ran = bench.run(["score", "one.epd", "--engine", "toga2", "--nodes", "1000", "--json", "-"]);
    let records = from_json(&ran.output, "-").unwrap();
    assert_eq!((records[0].faults, records[0].late), (0, 1), "{}", ran.errors);
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn an_engine_that_knows_whole_seconds_gets_a_move_now_request() {
    let mate = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - id mate; bm Qxf7;\n";
    let bench = Bench::new();
    let engines = ["--movetime", "200", "--engine", "phalanx"];
    let (ran, records) = bench.score(&mate.repeat(3), "sjeng", &engines);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    for record in &records {
        assert_eq!((record.solved, record.faults), (3, 0), "{}: {:?}", record.engine, record.results);
        assert!(
            ran.errors.contains(&format!("{} got `?` (move now) after 200 ms", record.engine)),
            "{}",
            ran.errors
        );
    }
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn chess960_costs_an_engine_without_it_those_positions_alone() {
    let bench = Bench::new();
    let suite = "1rk4r/8/8/8/8/8/8/1RK4R w HBhb - id odd; am b1a1;\n\
                 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id usual; am a4;\n";
    let (ran, records) = bench.score(suite, "toga2", &["--depth", "4", "--engine", "stockfish"]);
    // One position was skipped.
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    assert_eq!(shown(&records[0].results[..1]), ["odd no-chess960 0"]);
    assert!(records[0].results[1].solved && records[1].faults == 0, "{}", ran.errors);
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn engines_answer_all_of_wac_without_a_fault() {
    let engines = ["stockfish", "ethereal", "toga2", "glaurung"];
    let engines: Vec<&str> = engines.iter().flat_map(|engine| ["--engine", engine]).collect();
    for record in score(&[&["wac", "--depth", "7"], engines.as_slice()].concat()) {
        assert_eq!(record.faults, 0, "{}", record.engine);
        assert_eq!(record.late, 0, "{}", record.engine);
        assert!(record.solved > 30, "{}: {}", record.engine, record.solved);
        let times = record.results.iter().filter(|result| result.solved);
        assert!(times.clone().all(|result| result.solved_after_ms <= result.time_ms), "{}", record.engine);
    }
}

#[test]
#[ignore = "needs the chess engines of Debian"]
fn an_engine_that_speaks_another_protocol_gets_advice() {
    // One engine is silent, the other exits at once.
    let engines = [
        ("cmd=/usr/games/sjeng", 2, "needs proto=xboard; proto=auto finds out"),
        ("cmd=/usr/games/hoichess", 1, "does it speak xboard (proto=xboard, proto=auto)?"),
    ];
    for (engine, code, words) in engines {
        let ran = Bench::new().run(["score", "wac", "--engine", engine]);
        assert_eq!(ran.code, Some(code), "{}", ran.errors);
        assert!(ran.errors.contains(words), "{}", ran.errors);
    }
}
