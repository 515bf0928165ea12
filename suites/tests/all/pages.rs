//! Help, lists, tables and comparisons, as printed.

use insta::assert_snapshot;
use smalt_suites::{MoveList, Record, ResultRecord, Suite, to_json};

use crate::support::{Bench, scripted};

const SUITE: &str = "\
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id open.1; bm e4; c0 \"e4=10, d4=8\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id open.2; bm d4; c0 \"d4=10, e4=4, e4=5\";
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id avoid.1; am e4;
rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id avoid.2; am f3; dm 9;
";

const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Checks the exit code and returns the output.
fn page(bench: &Bench, arguments: &[&str]) -> String {
    let ran = bench.run(arguments);
    let code = ran.code.map(|code| format!("exit {code}\n")).unwrap_or_default();
    format!("{}{}{code}", ran.output, ran.errors)
}

/// Removes times, which differ from run to run.
fn without_times(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("Time to solution"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
#[cfg_attr(windows, ignore = "the snapshot has the name of the program without .exe")]
fn the_help_shows_commands_and_exit_codes() {
    assert_snapshot!(page(&Bench::new(), &["--help"]));
}

#[test]
#[cfg_attr(windows, ignore = "the snapshot has the name of the program without .exe")]
fn the_help_of_each_command_has_examples() {
    let bench = Bench::new();
    let pages =
        ["score", "grade", "show", "compare", "history"].map(|command| page(&bench, &[command, "--help"]));
    assert_snapshot!(pages.join("────\n"));
}

#[test]
fn an_output_file_has_the_form_of_its_ending() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let engine = scripted("--moves e2e4");
    let score = |flags: &[&str]| {
        let arguments = ["score", "suite.epd", "--engine", &engine, "--nodes", "10"];
        bench.run(arguments.iter().chain(flags))
    };
    let ran = score(&["-o", "out.json", "--output", "out.CSV", "-o", "out.md", "-o", "out.epd"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    assert!(bench.read("out.json").starts_with('{') || bench.read("out.json").starts_with('['));
    assert!(bench.read("out.CSV").starts_with("suite,") && bench.read("out.md").contains("| "));
    assert!(bench.read("out.epd").contains("id \"open.2\"") || bench.read("out.epd").contains("id open.2"));
    for (flags, words) in [
        (
            &["-o", "out.txt"][..],
            "--output out.txt: expected a name with the ending .json or .csv or .md or .epd or .svg",
        ),
        (&["-o", "b.json", "--json", "a.json"], "--output b.json: a.json has this form, too"),
    ] {
        let ran = score(flags);
        assert_eq!(ran.code, Some(2), "{}", ran.errors);
        assert!(ran.errors.contains(words), "{}", ran.errors);
    }
}

#[test]
fn the_list_names_all_suites() {
    assert_snapshot!(page(&Bench::new(), &["list"]));
}

#[test]
fn a_suite_is_shown_with_its_oddities() {
    assert_snapshot!(page(&Bench::new(), &["show", "sts"]));
    assert_snapshot!("the_oddities_of_wac", page(&Bench::new(), &["show", "wac"]));
}

#[test]
fn positions_are_shown_with_their_goals() {
    assert_snapshot!(page(&Bench::new(), &["show", "sts", "STS12.026", "STS09.005"]));
}

#[test]
#[cfg_attr(windows, ignore = "the snapshot has a crash in the words of Unix")]
fn a_run_shows_themes_failures_and_ranks() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let first = scripted("--moves e2e4 --info-lines 3 --score 31 --fault crash@3");
    let second = scripted("--moves d2d4").replace("name=scripted", "name=other");
    let text = page(
        &bench,
        &[
            "score", "suite.epd", "-e", &first, "-e", &second, "--nodes", "10", "-c", "1", "--failures",
            "--markdown", "page.md",
        ],
    );
    assert_snapshot!(without_times(&text));
    assert_snapshot!("the_same_as_markdown", without_times(&bench.read("page.md")));
}

#[test]
fn a_comparison_tells_progress_from_noise() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    bench.file("a.txt", "open.1 e4\nopen.2 e4\navoid.1 e4\navoid.2 e4 #3\n");
    bench.file("b.txt", "open.1 Nf3\nopen.2 d4\navoid.1 d4\navoid.2 e4 #3\n");
    for list in ["a", "b"] {
        bench.run([
            "grade",
            "suite.epd",
            "--moves",
            &format!("{list}.txt"),
            "--json",
            &format!("{list}.json"),
        ]);
    }
    assert_snapshot!(page(&bench, &["compare", "a.json", "b.json", "--csv", "changes.csv"]));
    assert_eq!(
        bench.read("changes.csv").lines().map(|row| row.replace(START_FEN, "FEN")).collect::<Vec<_>>(),
        [
            "suite,first_engine,second_engine,change,id,fen,first,second,right",
            "suite,a,b,solved,open.2,FEN,e4,d4,d4",
            "suite,a,b,solved,avoid.1,FEN,e4,d4,not e4",
            "suite,a,b,lost,open.1,FEN,e4,Nf3,e4",
        ]
    );
}

/// Runs of two engines on suites; for each suite: name, points per position, and how many of its 40 positions each
/// engine solves.
fn runs(suites: &[(&str, u32, [usize; 2])]) -> [Vec<Record>; 2] {
    let start = Suite::parse(SUITE.as_bytes(), "suite", "suite.epd");
    let template = Record::from_moves(&start, "x", &MoveList::parse("", "-", &start)).results[0].clone();
    [0, 1].map(|engine| {
        let run = |&(suite, worth, solved): &(&str, u32, [usize; 2])| {
            let result = |index: usize| {
                let solved = index < solved[engine];
                let points = if solved { worth } else { 0 };
                let id = format!("{suite}.{index}");
                ResultRecord { id, points, max_points: worth, solved, fault: None, ..template.clone() }
            };
            let whole = Record::from_moves(&start, "x", &MoveList::parse("", "-", &start));
            Record { suite: suite.to_owned(), results: (0..40).map(result).collect(), ..whole }
        };
        suites.iter().map(run).collect()
    })
}

fn comparison(suites: &[(&str, u32, [usize; 2])]) -> String {
    let bench = Bench::new();
    let [first, second] = runs(suites);
    bench.file("a.json", to_json(&first));
    bench.file("b.json", to_json(&second));
    page(&bench, &["compare", "a.json", "b.json"])
}

#[test]
fn a_comparison_has_one_verdict_from_one_test() {
    // Five gained and none lost: the interval of points is above zero, McNemar's p is 0.0625.
    let text = comparison(&[("one", 1, [10, 15])]);
    assert!(text.contains("p = 0.0625") && text.contains("Verdict: no significant difference"), "{text}");
    assert_eq!(text.matches("Verdict").count(), 1, "{text}");
    let text = comparison(&[("one", 1, [10, 20])]);
    assert!(text.contains("Verdict: better"), "{text}");
    let text = comparison(&[("ten", 10, [20, 10])]);
    assert!(text.contains("Verdict: worse"), "{text}");
}

#[test]
fn suites_are_compared_in_total_too() {
    let text = comparison(&[("sts01", 10, [10, 13]), ("sts02", 10, [10, 13])]);
    let total = text.split("total: ").nth(1).unwrap();
    assert!(total.contains("Solved: 6 gained, 0 lost") && total.contains("Points: +60"), "{text}");
}

#[test]
fn a_suite_that_only_one_file_has_is_reported_once() {
    let bench = Bench::new();
    let (_, runs) = bench.score(SUITE, &scripted("--moves e2e4"), &["--nodes", "10"]);
    let of = |suite: &str| Record { suite: suite.to_owned(), ..runs[0].clone() };
    bench.file("a.json", to_json(&["suite", "x", "y", "x", "y"].map(of)));
    bench.file("b.json", to_json(&runs));
    let ran = bench.run(["compare", "a.json", "b.json"]);
    let left_out = ["x", "y"].map(|suite| format!("skipped: {suite}, which only one of the files has\n"));
    assert_eq!((ran.code, ran.errors), (Some(3), left_out.concat()));
}

#[test]
fn rows_for_other_programs_are_csv() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    bench.file("a.txt", "open.1 e4\nopen.2 e4\navoid.1 e5\navoid.2 e4 #3\n");
    assert_snapshot!(page(&bench, &["grade", "suite.epd", "--moves", "a.txt", "--csv", "-", "-q"]));
}
