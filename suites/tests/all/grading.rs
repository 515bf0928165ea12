//! Scoring of move lists, through the program.

use smalt_chess::{CastlingMode, San, UciMove};
use smalt_suites::{Suite, from_json};

use crate::support::{Bench, shown};

const SUITE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"start 1\"; c0 \"e4=10, Nf3=6\";
r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 bm O-O; id \"start 10\";
6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8; dm 1; id mate;
";

/// Grades a list for the suite above; checks the `id move points` lines and the exit code.
fn check(moves: &str, expected: &[&str], code: i32) {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    bench.file("moves.txt", moves);
    let ran = bench.run(["grade", "suite.epd", "--moves", "moves.txt", "--json", "-"]);
    let records = from_json(&ran.output, "-").unwrap();
    assert_eq!(shown(&records[0].results), expected, "{moves}: {}", ran.errors);
    assert_eq!(ran.code, Some(code), "{moves}: {}", ran.errors);
}

#[test]
fn moves_are_matched_as_moves() {
    let solved = ["start 1 e4 10", "start 10 O-O 1", "mate Re8# 1"];
    check("start 1 e4\nstart 10 O-O\nmate Re8# #1\n", &solved, 0);
    check("start 1 e2e4\nstart 10 e1g1\nmate e1e8 #1", &solved, 0);
    check("\"start 1\" e2-e4!\n\r\n# x\nstart 10: 0-0+\r\nmate Re1-e8 #1", &solved, 0);
    check("start 10 e1h1\nmate Re8 #1\nstart 1 Pe4\n", &solved, 0);
    check("\u{feff}start 1 e4\nstart 10 O-O\nmate Re8# #1\n", &solved, 0);
}

#[test]
fn a_mate_that_is_not_announced_earns_nothing() {
    check("start 1 Nf3\nstart 10 Kd1\nmate Re8#\n", &["start 1 Nf3 6", "start 10 Kd1 0", "mate Re8# 0"], 0);
}

#[test]
fn a_mate_asked_for_by_bm_is_graded_by_the_announced_mate() {
    let bench = Bench::new();
    let position = "8/1p6/8/3Q4/8/8/8/1k1K4 w - -";
    bench.file("suite.epd", (1..=5).map(|id| format!("{position} bm #3; id {id};\n")).collect::<String>());
    bench.file("moves.txt", "1 Qa2+ #3\n2 Qa2+ #2\n3 Qa2+ #4\n4 Qa2+ #-3\n5 Qa2+\n");
    let ran = bench.run(["grade", "suite.epd", "--moves", "moves.txt", "--json", "-"]);
    let records = from_json(&ran.output, "-").unwrap();
    let solved: Vec<bool> = records[0].results.iter().map(|result| result.solved).collect();
    assert_eq!(solved, [true, true, false, false, false], "{}", ran.errors);
}

#[test]
fn points_of_a_suite_may_exceed_32_bits() {
    let bench = Bench::new();
    let line = |id| {
        format!(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id {id}; c0 \"e4=4294967295\";\n"
        )
    };
    bench.file("suite.epd", line(1) + &line(2));
    bench.file("moves.txt", "1 e4\n2 e4\n");
    let ran = bench.run(["grade", "suite.epd", "--moves", "moves.txt", "--json", "-"]);
    let records = from_json(&ran.output, "-").unwrap();
    let record = &records[0];
    assert_eq!((record.points, record.max_points, record.percent), (8_589_934_590, 8_589_934_590, 100.0));
    assert!(bench.run(["show", "suite.epd"]).output.contains("8,589,934,590"));
}

#[test]
fn a_move_against_the_rules_is_an_answer_that_earns_nothing() {
    check(
        "start 1 e2e5\nstart 10 (none)\nmate 0000\n",
        &["start 1 illegal-move 0", "start 10 illegal-move 0", "mate illegal-move 0"],
        0,
    );
}

#[test]
fn what_is_left_out_shows_in_the_exit_code() {
    let rest = ["start 10 O-O 1", "mate Re8# 1"];
    let with = |first| [first, rest[0], rest[1]];
    check("start 10 O-O\nmate Re8 #1\n", &with("start 1 not-asked 0"), 3);
    check("start 1 zz9\nstart 10 O-O\nmate Re8 #1\n", &with("start 1 unreadable-move 0"), 3);
    check("start 1 e4\nstart 1 d4\nstart 10 O-O\nmate Re8 #1\n", &with("start 1 e4 10"), 3);
    check("start 1 e4\nstart 2 d4\nstart 10 O-O\nmate Re8 #1\n", &with("start 1 e4 10"), 3);
}

#[test]
fn a_refused_line_says_where_and_why() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    bench.file("moves.txt", "start 1 zz9\nend 1 e4\nmate\nstart 10 O-O\nstart 10 O-O\n");
    let ran = bench.run(["grade", "suite.epd", "--moves", "moves.txt"]);
    assert_eq!(
        ran.errors,
        "skipped: moves.txt, line 1: \"zz9\" is not a move; in start 1 it earns nothing\n\
         skipped: moves.txt, line 2: no position of the suite has the id at the start of \"end 1 e4\"; a line is `id move`\n\
         skipped: moves.txt, line 3: no move after the id mate\n\
         skipped: moves.txt, line 5: a second move for start 10; the first counts\n"
    );
}

/// Plays moves of one kind everywhere, in one notation; returns points and solved positions.
fn play_all(write: impl Fn(&smalt_suites::Problem) -> String) -> (u64, usize) {
    let bench = Bench::new();
    let suite = Suite::embedded("sts").unwrap();
    let lines = suite.problems.iter().map(|problem| format!("{} {}\n", problem.id, write(problem)));
    bench.file("moves.txt", lines.collect::<String>());
    let ran = bench.run(["grade", "sts", "--moves", "moves.txt", "--json", "-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let records = from_json(&ran.output, "-").unwrap();
    (records[0].points, records[0].solved)
}

#[test]
fn the_best_moves_of_sts_earn_all_points_in_every_notation() {
    let best = |problem: &smalt_suites::Problem| problem.goal.best[0];
    assert_eq!(
        play_all(|problem| San::from_move(best(problem), &problem.epd.position).to_string()),
        (15_000, 1500)
    );
    assert_eq!(
        play_all(|problem| UciMove::from_move(best(problem), CastlingMode::Standard).to_string()),
        (15_000, 1500)
    );
}

#[test]
fn the_last_moves_of_the_lists_earn_what_the_published_points_say() {
    let last = |problem: &smalt_suites::Problem| problem.goal.points.last().unwrap().0;
    let sum: u32 =
        Suite::embedded("sts").unwrap().problems.iter().map(|one| one.goal.points.last().unwrap().1).sum();
    let (points, solved) =
        play_all(|problem| San::from_move(last(problem), &problem.epd.position).to_string());
    assert_eq!(points, u64::from(sum));
    assert!(solved < 300);
}
