//! Parsing of suites: irregularities of the published ones and of files found elsewhere.

use std::path::Path;

use smalt_chess::San;
use smalt_suites::{EMBEDDED, Problem, Suite};

use crate::support::{Bench, scripted};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

fn goal(problem: &Problem) -> String {
    let position = &problem.epd.position;
    let san = |mv| San::from_move(mv, position).to_string();
    let mut parts: Vec<String> = problem.goal.best.iter().map(|&mv| san(mv)).collect();
    parts.extend(problem.goal.avoid.iter().map(|&mv| format!("not {}", san(mv))));
    parts.extend(problem.goal.mate_in.map(|moves| format!("#{moves}")));
    parts.extend(problem.goal.points.iter().map(|&(mv, points)| format!("{}={points}", san(mv))));
    parts.join(" ")
}

/// Checks the goal of these operations after the start position and its notes, or the error.
fn check(operations: &str, expected: &str, notes: &[&str]) {
    let suite = Suite::parse(format!("{START} {operations}").as_bytes(), "test", "test.epd");
    let found = match suite.problems.first() {
        Some(problem) => goal(problem),
        None => suite.refused[0].to_string(),
    };
    assert_eq!(found, expected, "{operations}");
    let found: Vec<String> = suite.notes().map(|(_, note)| note.to_string()).collect();
    assert_eq!(found, notes, "{operations}");
}

fn embedded(id: &str) -> Problem {
    let suite = Suite::embedded(if id.starts_with("WAC") { "wac" } else { "sts" }).unwrap();
    suite.problems.into_iter().find(|problem| problem.id == id).unwrap()
}

fn check_embedded(id: &str, expected: &str, note: &str) {
    let problem = embedded(id);
    assert_eq!(goal(&problem), expected, "{id}");
    let notes: Vec<String> = problem.notes.iter().map(ToString::to_string).collect();
    assert!(notes.iter().any(|found| found.contains(note)), "{id}: {notes:?}");
}

#[test]
fn the_program_has_wac_and_the_fifteen_themes_of_sts() {
    let check = |name: &str, positions: usize, themes: usize, points: u64| {
        let suite = Suite::embedded(name).unwrap();
        assert_eq!(
            (suite.problems.len(), suite.themes.len(), suite.max_points()),
            (positions, themes, points)
        );
        assert_eq!(suite.refused, [], "{name}");
    };
    check("wac", 300, 1, 300);
    check("STS", 1500, 15, 15_000);
    for number in 1..=15 {
        check(&format!("sts{number:02}"), 100, 1, 1_000);
    }
    assert_eq!(EMBEDDED.len(), 17);
    assert!(Suite::embedded("sts16").is_none());
}

#[test]
fn embedded_ids_are_unique_and_numbered() {
    for name in ["wac", "sts"] {
        let suite = Suite::embedded(name).unwrap();
        for (index, problem) in suite.problems.iter().enumerate() {
            let number = format!(".{:03}", 1 + index % if name == "sts" { 100 } else { 300 });
            assert!(problem.id.ends_with(&number), "{} at {index}", problem.id);
        }
        assert!(!suite.notes().any(|(_, note)| note.to_string().contains("same id")));
    }
}

#[test]
fn of_a_move_listed_twice_the_first_counts() {
    let note = "listed twice";
    check_embedded("STS01.086", "h5 h5=10 O-O=3 Qb6=1 Rc8=1", note);
    check_embedded("STS02.049", "Rb1 Rb1=10 Qf4=5 Re2=2", note);
    check_embedded("STS03.092", "Nf5 Nf5=10 Bc2=3 Kg2=4 Qe2=3", note);
    check_embedded("STS07.038", "Bd5 Bd5=10 Bxe6=7 Ng3=7 f3=7", note);
    check_embedded("STS08.091", "f5 f5=10 Bxe7=6 g4=5 Rfb1=4", note);
    check_embedded("STS09.005", "c4 c4=10 Bc6=5 Qa7=4 Qa8=5 Qc8=5", "b8a8 is listed twice, as 5 each time");
    check_embedded("STS10.054", "Qxe8 Qxe8=10 Bb2=5 h3=5 Nf4=5", note);
    check_embedded("STS11.099", "Kc1 Kc1=10 Kb1=3", note);
}

#[test]
fn a_move_that_cannot_be_played_is_left_out() {
    check_embedded("STS04.054", "Qd4 Qd4=10 Ra3=1 Rg5=1 Rga8=2", "d5d4 after c0 can't be played: skipped");
}

#[test]
fn long_forms_are_moves_like_others() {
    check_embedded("STS02.028", "Bf8 Bf8=10 Bf6=8 Qd6=7", "long form (Bg7f8)");
}

#[test]
fn of_two_moves_worth_ten_only_that_in_bm_solves() {
    check_embedded("STS12.026", "Ne5 Ne5=10 a5=7 Bd4=10 Qb8=6 Rc7=6", "Bd4 earns the most points too");
    check_embedded("STS12.051", "Ne4 Ne4=10 Be5=7 Kh1=6 Nb5=10 Rb7=7", "Nb5 earns the most points too");
    let problem = embedded("STS12.026");
    let play = |san: &str| {
        let mv = San::parse(san).unwrap().to_move(&problem.epd.position).unwrap();
        let grade = problem.goal.grade(Some(mv), None);
        (grade.points, grade.solved)
    };
    assert_eq!(
        [play("Ne5"), play("Bd4"), play("a5"), play("Kh8")],
        [(10, true), (10, false), (7, false), (0, false)]
    );
}

#[test]
fn positions_that_occur_in_two_themes_keep_their_own_points() {
    check_embedded("STS09.005", "c4 c4=10 Bc6=5 Qa7=4 Qa8=5 Qc8=5", "the same position as STS01.005");
    assert_eq!(embedded("STS01.005").epd.position, embedded("STS09.005").epd.position);
    assert_ne!(embedded("STS01.005").goal, embedded("STS09.005").goal);
    let suite = Suite::embedded("sts").unwrap();
    let twice = suite.notes().filter(|(_, note)| note.to_string().starts_with("the same position"));
    assert_eq!(
        twice.map(|(problem, _)| problem.id.as_str()).collect::<Vec<_>>(),
        ["STS09.005", "STS12.008", "STS12.077"]
    );
}

#[test]
fn wac_has_alternatives_and_a_move_to_avoid() {
    assert_eq!(goal(&embedded("WAC.022")), "Ba2 Nxf7");
    assert_eq!(goal(&embedded("WAC.274")), "Rb6 not Rd6");
    assert_eq!(goal(&embedded("WAC.230")), "Rb4");
}

#[test]
fn every_kind_of_goal_is_read() {
    check("bm e4 d2d4;", "e4 d4", &[]);
    check("am f3;", "not f3", &[]);
    check("dm 4;", "#4", &[]);
    check("dm 4; bm Nf3!", "Nf3 #4", &[]);
    check("c0 \"e4=10, d4 = 9,Nf3=+=2\";", "e4 e4=10 d4=9", &["Nf3=+ after c0 can't be played: skipped"]);
    check("bm e4; c0 \"a comment\"; c1 \"e4=3\";", "e4", &[]);
    check("bm e4; c7 \"e4 d4\"; c8 \"10 7\"; c9 \"e2e4 g1f3\";", "e4 e4=10 Nf3=7", &[]);
    check("bm e4; c7 \"e4 d4\"; c8 \"10 7\";", "e4 e4=10 d4=7", &[]);
    check("bm e4; c8 \"10\"; c9 \"1-0 draw\";", "e4", &[]);
    check("bm e4; foo bar 3; c9 \"1-0\";", "e4", &[]);
    check("c0 \"e4=5, d4=5, c4=1\";", "e4 d4 e4=5 d4=5 c4=1", &[]);
    check("bm e4 Ke2;", "e4", &["Ke2 after bm can't be played: skipped"]);
    check("c0 \"e4=10 d4=9 Nf3=2\";", "e4 e4=10 d4=9 Nf3=2", &[]);
    check("c0 \"e4=10; d4 = 9\";", "e4 e4=10 d4=9", &[]);
    check("bm e4; c0 \"time=10, eval = 4\";", "e4", &[]);
    check("bm e4; c0 \"e4=10, later\";", "e4 e4=10", &["\"later\" is not move=points: skipped"]);
}

#[test]
fn what_cannot_be_read_within_a_line_is_reported() {
    check("bm e4; bm d4;", "e4", &["a second bm (d4): skipped, the first counts"]);
    check("bm e4; dm 3; dm 5;", "e4 #3", &["a second dm (5): skipped, the first counts"]);
    check("bm e4; dm 0;", "e4", &["dm 0 is not a number of moves from 1: skipped"]);
    check("bm e4; dm -3;", "e4", &["dm -3 is not a number of moves from 1: skipped"]);
    check("bm e4; dm mate;", "e4", &["dm mate is not a number of moves from 1: skipped"]);
    check(
        "bm e4 d4; am d4 f3;",
        "e4 not d4 not f3",
        &["d4 stands after bm and after am: it is one to avoid, as bm it is skipped"],
    );
    check("bm e4; c0 \"Ke2=10\";", "e4", &["Ke2 after c0 can't be played: skipped"]);
    check(
        "bm e4; c8 \"10\"; c9 \"e2e4 g1f3\";",
        "e4",
        &["c9 and c8 are of different lengths, 2 and 1: skipped"],
    );
    check(
        "bm e4; c7 \"e4 d4\"; c8 \"10 7\"; c9 \"e2e4\";",
        "e4 e4=10 d4=7",
        &["c9 and c8 are of different lengths, 1 and 2: skipped"],
    );
    check(
        "bm e4; c8 \"10 x\"; c9 \"e2e4 g1f3\";",
        "e4",
        &["\"x\" in c8 is not a number of points: all of them are skipped"],
    );
}

#[test]
fn a_line_that_asks_nothing_is_refused_with_its_place() {
    check(
        "id \"x\";",
        "test.epd, line 1: nothing to solve: it has no bm, am or dm, and no points in c0 or c8",
        &[],
    );
    check(
        "bm Ke2;",
        "test.epd, line 1: none of its moves after bm can be played: \"Ke2\" can't be played",
        &[],
    );
    check(
        "dm -3;",
        "test.epd, line 1: nothing to solve: it has no bm, am or dm, and no points in c0 or c8; \
         dm -3 is not a number of moves from 1: skipped",
        &[],
    );
    check(
        "bm e4; am e4 d4;",
        "test.epd, line 1: nothing can solve it: e4 stands both after bm and after am",
        &[],
    );
    check("bm e4; id \"x", "test.epd, line 1: the text of id has no closing quote", &[]);
}

#[test]
fn a_mate_after_bm_asks_for_that_mate() {
    check("bm #3;", "#3", &[]);
    check("bm #-3;", "#-3", &[]);
    check("bm e4 #3;", "e4 #3", &[]);
    check("bm #3; dm 2;", "#2", &[]);
    check("bm #0;", "test.epd, line 1: none of its moves after bm can be played: \"#0\" is not a move", &[]);
    // A line of matetrack.epd, and one of matetrackpv.epd.
    check_line("8/1p6/8/3Q4/8/8/8/1k1K4 w - - bm #2;", "line 1: #2");
    check_line("8/1p6/8/3Q4/8/8/8/1k1K4 w - - bm #2; PV: d5a2 b1a2 ;", "line 1: #2");
}

#[test]
fn files_in_the_wild_are_read() {
    let lines = [
        "# a comment",
        "",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 bm e2e4; id Groß 1",
        "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 bm 0-0 exd6 e.p.; id \"Groß 2\";",
        "8/8/8/8/8/8/8/K7 w - - bm Ka2;",
        "6k1/5ppp/8/8/8/8/8/4R1K1 w - dm 1",
        "6k1/5ppp/8/8/8/8/8/4R1K1 w - - bm Re8 +; id \"Groß 2\"",
    ];
    let text = lines.join("\r\n");
    let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for bytes in [text.into_bytes(), latin, utf16] {
        let suite = Suite::parse(&bytes, "wild", "wild.epd");
        let found: Vec<_> =
            suite.problems.iter().map(|problem| (problem.id.as_str(), goal(problem))).collect();
        let expected = [("Groß 1", "e4"), ("Groß 2", "O-O exd6"), ("line 6", "#1"), ("Groß 2", "Re8#")];
        assert_eq!(found, expected.map(|(id, goal)| (id, goal.to_owned())));
        let refused: Vec<String> = suite.refused.iter().map(ToString::to_string).collect();
        assert_eq!(refused, ["wild.epd, line 5: black has no king"]);
        assert_eq!(suite.notes().filter(|(_, note)| note.to_string().contains("same id")).count(), 1);
    }
}

/// Checks id and goal of one line.
fn check_line(line: &str, expected: &str) {
    let suite = Suite::parse(line.as_bytes(), "wild", "wild.epd");
    let found: Vec<String> =
        suite.problems.iter().map(|problem| format!("{}: {}", problem.id, goal(problem))).collect();
    assert_eq!(found, [expected], "{line}: {:?}", suite.refused);
}

#[test]
fn each_oddity_of_a_line_is_taken() {
    // Counters after the four fields; a missing en passant field, with and without counters.
    check_line(&format!("{START} 0 1 bm e4; id \"a\";"), "a: e4");
    check_line("6k1/5ppp/8/8/8/8/8/4R1K1 w - bm Re8; id \"a\";", "a: Re8#");
    check_line("6k1/5ppp/8/8/8/8/8/4R1K1 w - 3 40 bm Re8; id \"a\";", "a: Re8#");
    // Unquoted names, missing semicolons.
    check_line(&format!("{START} bm e4; id a b 1"), "a b 1: e4");
    check_line("6k1/5ppp/8/8/8/8/8/4R1K1 w - - id a; dm 26", "a: #26");
    check_line("6k1/5ppp/8/8/8/8/8/4R1K1 w - - dm 26", "line 1: #26");
    // Moves: check marks present, missing or separate; annotations; long form; coordinates; zeros; en passant.
    for bm in ["Re8", "Re8+", "Re8#", "Re8!", "Re8+!!", "Re8 +", "Re8 #", "Re1-e8", "Re1e8", "e1e8"] {
        check_line(&format!("6k1/5ppp/8/8/8/8/8/4R1K1 w - - id a; bm {bm};"), "a: Re8#");
    }
    for bm in ["exd6", "exd6 e.p.", "exd6e.p.", "exd6ep", "e5d6", "e5xd6", "ed6", "exd6+"] {
        check_line(&format!("4k3/8/8/3pP3/8/8/8/4K3 w - d6 id a; bm {bm};"), "a: exd6");
    }
    for bm in ["O-O", "0-0", "o-o", "e1g1", "e1h1", "O-O+", "0-0!"] {
        check_line(&format!("4k3/8/8/8/8/8/8/4K2R w K - id a; bm {bm};"), "a: O-O");
    }
    for bm in ["b8=Q", "b8Q", "b8=Q+", "b7b8q", "b8(Q)", "b8/Q", "b7-b8=Q"] {
        check_line(&format!("7k/1P6/8/8/8/8/8/K7 w - - id a; bm {bm};"), "a: b8=Q+");
    }
    check_line(&format!("{START} bm e4, d4; id \"a\";"), "a: e4 d4");
    check_line(&format!("{START}\tbm  e4 ;  id  \"a\" ;"), "a: e4");
}

#[test]
fn files_of_any_encoding_are_the_same_suite() {
    let text = format!("{START} bm e4; id \"Größe\";\r\n{START} bm d4; id \"b\"");
    let utf16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let (little, big) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
    let files = [
        text.clone().into_bytes(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        text.replace("\r\n", "\n").into_bytes(),
        text.replace("\r\n", "\r").into_bytes(),
        format!("{text}\r\n\r\n").into_bytes(),
        text.chars().map(|letter| letter as u8).collect(),
        [b"\xff\xfe".to_vec(), little.clone()].concat(),
        [b"\xfe\xff".to_vec(), big.clone()].concat(),
        little,
        big,
    ];
    for bytes in files {
        let suite = Suite::parse(&bytes, "wild", "wild.epd");
        let found: Vec<_> =
            suite.problems.iter().map(|problem| (problem.id.as_str(), goal(problem))).collect();
        assert_eq!(found, [("Größe", "e4".to_owned()), ("b", "d4".to_owned())], "{bytes:?}");
    }
}

#[test]
fn themes_are_what_names_have_in_common() {
    let suite = |ids: &[&str]| {
        let line = |id: &&str| format!("{START} bm e4; id \"{id}\";\n");
        Suite::parse(ids.iter().map(line).collect::<String>().as_bytes(), "mine", "mine.epd").themes
    };
    assert_eq!(suite(&["A.1", "A.2", "B-01", "B-02"]), ["A", "B"]);
    assert_eq!(suite(&["STS(v1.0) Undermine.001", "STS(v1.0) Undermine.002"]), ["STS(v1.0) Undermine"]);
    assert_eq!(suite(&["Lasker", "Steinitz", "Tal"]), ["mine"]);
    assert_eq!(suite(&["1", "2"]), ["mine"]);
}

#[test]
fn files_are_no_suites_of_the_program_and_have_names_of_their_own() {
    let bench = Bench::new();
    let line = format!("{START} bm e4 Qh9; id one;\n");
    for name in ["a/x.epd", "b/x.epd", "wac.epd"] {
        std::fs::create_dir_all(bench.path(name).parent().unwrap()).unwrap();
        bench.file(name, &line);
    }
    let engine = scripted("--moves e2e4");
    let score =
        |suites: &[&str]| bench.run([&["score", "--nodes", "10", "--engine", &engine], suites].concat());
    let ran = score(&["a/x.epd", "b/x.epd"]);
    assert_eq!(ran.code, Some(2), "{}", ran.errors);
    assert!(ran.errors.contains("\"a/x.epd\" and \"b/x.epd\" are both called x"), "{}", ran.errors);
    let ran = score(&["wac.epd"]);
    assert_eq!(ran.code, Some(3), "the invalid move is reported: {}", ran.errors);
    assert!(
        ran.errors.contains("Qh9") && ran.output.contains("wac (wac.epd): scripted"),
        "{}{}",
        ran.output,
        ran.errors
    );
}

#[test]
#[ignore = "needs the files of ../shared/data"]
fn the_files_of_the_program_say_what_the_shared_data_say() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let names = (1..=15).map(|number| format!("sts{number:02}")).chain(["wac".to_owned()]);
    for name in names {
        let bytes = std::fs::read(shared.join(format!("suites/{name}.epd"))).unwrap();
        let facts = Suite::parse(&bytes, &name, &name);
        let own = Suite::embedded(&name).unwrap();
        let shown = |suite: &Suite| -> Vec<String> {
            let line =
                |problem: &Problem| format!("{} {:?} {}", problem.id, problem.epd.position, goal(problem));
            suite.problems.iter().map(line).collect()
        };
        assert_eq!((facts.refused.len(), shown(&facts)), (0, shown(&own)), "{name}");
    }
}
