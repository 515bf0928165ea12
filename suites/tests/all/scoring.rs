//! Whole runs with the scripted engine: answers, faults, order, files, exit codes.

use std::io::{BufRead, BufReader};

use smalt_suites::{Record, from_json};

use crate::support::{ANSWERED, Bench, SUITE, scripted, scripted_program, shown};

/// Scores the suite above with the scripted engine and one worker.
fn check_with(arguments: &str, flags: &[&str], expected: &[&str], code: i32) {
    let bench = Bench::new();
    let engine = scripted(&format!("--moves e2e4 --info-lines 3 {arguments}"));
    let flags: Vec<&str> = flags.iter().copied().chain(["--concurrency", "1"]).collect();
    let (ran, records) = bench.score(SUITE, &engine, &flags);
    assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.errors);
    assert_eq!(shown(&records[0].results), expected, "{arguments}: {}", ran.errors);
}

fn check(arguments: &str, expected: &[&str], code: i32) {
    check_with(arguments, &["--nodes", "10"], expected, code);
}

#[test]
fn answers_are_graded_by_their_goals() {
    check("", &ANSWERED, 0);
    check_with("", &["--movetime", "50"], &ANSWERED, 0);
    check_with("", &["--depth", "3", "--keep-hash"], &ANSWERED, 0);
}

#[test]
fn a_score_is_drawn_by_theme_and_over_time() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4 --info-lines 3");
    let other = engine.replace("name=scripted", "name=other");
    let (ran, _) = bench.score(SUITE, &engine, &["--engine", &other, "--nodes", "10", "--plot", "score.svg"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let svg = bench.read("score.svg");
    let parts = [
        "points by theme", "Total", "12 of 19", "scripted", "other", "solved over time",
        "time to solution (ms",
    ];
    for part in parts {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn suites_of_one_theme_share_their_charts() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4 --info-lines 3");
    let ran =
        bench.run(["score", "sts01", "sts02", "-e", &engine, "--nodes", "10", "--plot", "score.svg", "-q"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    let svg = bench.read("score.svg");
    for part in ["sts01, sts02: points by suite", "sts01, sts02: solved over time", " of 2000"] {
        assert_eq!(svg.matches(part).count(), 1, "{part}: {svg}");
    }
    assert!(!svg.contains("by theme"), "{svg}");
}

#[test]
fn a_fault_costs_its_position_and_the_engine_is_started_again() {
    // The fault occurs at the second problem after each start.
    let every_other = |fault: &str| {
        [ANSWERED[0].to_owned(), format!("s.2 {fault} 0"), ANSWERED[2].to_owned(), format!("s.4 {fault} 0")]
    };
    for (argument, name) in [
        ("exit", "exited"),
        ("crash", "crashed"),
        ("illegal-move", "illegal-move"),
        ("malformed-bestmove", "malformed-bestmove"),
        ("none-move", "no-move"),
        ("null-move", "no-move"),
        ("half-line-exit", "exited"),
        ("endless-line", "line-too-long"),
        ("close-stdout", "stdout-closed"),
    ] {
        let expected = every_other(name);
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        check(&format!("--fault {argument}@2"), &expected, 3);
    }
}

#[test]
fn faults_of_an_engine_show_in_the_exit_code() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4 --fault illegal-move@2");
    let (ran, records) = bench.score(SUITE, &engine, &["--nodes", "10", "-c", "1"]);
    assert_eq!((ran.code, records[0].faults), (Some(3), 2), "{}", ran.errors);
}

#[test]
fn engines_that_speak_xboard_are_asked_the_same() {
    for (speak, protocol) in [("xboard", "xboard"), ("xboard", "auto"), ("xboard1", "xboard")] {
        for limit in [["--movetime", "50"], ["--depth", "3"], ["--nodes", "10"]] {
            let bench = Bench::new();
            let engine = scripted(&format!("--speak {speak} --moves e2e4 --info-lines 3"));
            let (ran, records) = bench.score(SUITE, &format!("{engine} proto={protocol}"), &limit);
            assert_eq!(shown(&records[0].results), ANSWERED, "{speak} {protocol} {limit:?}: {}", ran.errors);
            assert_eq!((ran.code, records[0].protocol.as_deref()), (Some(0), Some("xboard")));
            assert_eq!(records[0].late, 0, "{speak} {limit:?}");
        }
    }
    let faulty = scripted("--speak xboard --moves e2e4 --info-lines 3 --fault crash@2");
    let (ran, records) =
        Bench::new().score(SUITE, &format!("{faulty} proto=xboard"), &["--depth", "3", "-c", "1"]);
    assert_eq!(
        shown(&records[0].results),
        ["s.1 e4 1", "s.2 crashed 0", "s.3 e4 0", "s.4 crashed 0"],
        "{}",
        ran.errors
    );
}

#[test]
fn an_engine_that_does_nothing_but_fail_is_given_up_after_five_positions() {
    let bench = Bench::new();
    let suite: String =
        (1..=9).map(|id| format!("8/8/8/4k3/8/8/8/R3K3 w - - bm Ra5+; id \"s.{id}\";\n")).collect();
    let (ran, records) = bench.score(&suite, &scripted("--fault exit@all"), &["--nodes", "10", "-c", "1"]);
    let words =
        "scripted is disqualified: it failed at 5 consecutive positions: the last time it exited with code 1";
    assert!(ran.errors.contains(words), "{}", ran.errors);
    assert_eq!((ran.code, records[0].faults, records[0].unanswered), (Some(3), 5, 4), "{}", ran.errors);
}

#[test]
fn what_an_engine_writes_moves_no_cursor() {
    let (ran, _) = Bench::new().score(SUITE, &scripted("--moves \u{1b}[2J"), &["--nodes", "10"]);
    let shown = ran.output + &ran.errors;
    assert!(shown.contains("\\u{1b}[2J") && !shown.contains('\u{1b}'), "{shown:?}");
}

#[test]
fn what_a_suite_contains_moves_no_cursor() {
    let bench = Bench::new();
    let id = "x\u{1b}[2J\u{202e}.1";
    bench.file("foreign.epd", format!("8/8/8/4k3/8/8/8/R3K3 w - - bm Ra5+; id \"{id}\";\n"));
    for arguments in [&["show", "foreign.epd"][..], &["show", "foreign.epd", id]] {
        let ran = bench.run(arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.errors);
        assert!(!ran.output.contains(['\u{1b}', '\u{202e}']), "{:?}", ran.output);
        assert!(ran.output.contains("[2J"), "{:?}", ran.output);
    }
}

#[test]
fn an_engine_that_cannot_be_held_to_nodes_is_refused_at_once() {
    let engine = scripted("--speak xboard --fault ignore-stop --think 1500");
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let engine = format!("{engine} proto=xboard");
    let ran = bench.run(["score", "suite.epd", "--engine", &engine, "--nodes", "10"]);
    assert_eq!(ran.code, Some(2), "{}", ran.errors);
    assert!(ran.errors.contains("engine \"scripted\" cannot be held to a number of nodes"), "{}", ran.errors);
}

#[test]
fn a_hang_costs_its_position() {
    let expected = ["s.1 e4 1", "s.2 e4 4", "s.3 no-bestmove 0", "s.4 e4 7"];
    check_with("--fault hang@3", &["--nodes", "10", "--longest-move", "1"], &expected, 3);
}

#[test]
fn an_engine_that_hears_no_stop_costs_its_position() {
    let expected = ["s.1 e4 1", "s.2 e4 4", "s.3 stop-ignored 0", "s.4 e4 7"];
    check_with("--fault info-forever@3", &["--nodes", "10"], &expected, 3);
}

#[test]
fn an_engine_stays_from_suite_to_suite() {
    // The fault occurs at the second problem after each start: with a kept engine, that of the second suite.
    let ask = |flags: &[&str]| {
        let bench = Bench::new();
        let line = SUITE.lines().next().unwrap();
        ["first.epd", "second.epd"].iter().for_each(|name| bench.file(name, line));
        let engine = scripted("--moves e2e4 --fault exit@2");
        let given = ["score", "first.epd", "second.epd", "-e", &engine, "--nodes", "10", "--json", "-"];
        let ran = bench.run(given.iter().chain(flags));
        let records = from_json(&ran.output, "-").unwrap();
        records.iter().flat_map(|record| shown(&record.results)).collect::<Vec<_>>()
    };
    assert_eq!(ask(&[]), ["s.1 e4 1", "s.1 exited 0"]);
    // With kept hash, each suite has its own engine process, so that its results are independent of other suites.
    assert_eq!(ask(&["--keep-hash"]), ["s.1 e4 1", "s.1 e4 1"]);
}

#[test]
fn an_engine_that_leaves_between_questions_loses_none() {
    check("--fault exit-after-bestmove@all", &ANSWERED, 0);
    check("--fault stray-bestmove@all", &ANSWERED, 0);
}

/// `id move points`, and `late move points` of each late result.
fn with_late(record: &Record) -> Vec<String> {
    let late = record.results.iter().map(|result| match &result.late {
        Some(late) => format!(", late {} {}", late.san, late.points),
        None => String::new(),
    });
    shown(&record.results).into_iter().zip(late).map(|(shown, late)| shown + &late).collect()
}

#[test]
fn of_a_late_answer_the_move_counts_that_the_engine_had_in_time() {
    for speak in ["--speak uci", "--speak xboard"] {
        let bench = Bench::new();
        let engine = scripted(&format!("{speak} --moves e2e4 --first d2d4 --fault late@all --delay 600"));
        let flags = ["--movetime", "50", "--grace", "150", "-c", "4"];
        let (ran, records) = bench.score(SUITE, &format!("{engine} proto=auto"), &flags);
        assert_eq!(ran.code, Some(0), "{}", ran.errors);
        let record = &records[0];
        let late = ["e4 1", "e4 4", "e4 0", "e4 7"].map(|late| format!(", late {late}"));
        let counted = ["s.1 d4 0", "s.2 d4 10", "s.3 d4 1", "s.4 d4 0"];
        let expected: Vec<String> =
            counted.iter().zip(&late).map(|(move_, late)| format!("{move_}{late}")).collect();
        assert_eq!(with_late(record), expected, "{speak}: {}", ran.errors);
        assert_eq!((record.late, record.solved, record.points, record.faults), (4, 2, 11, 0));
        assert_eq!((record.solved_with_late, record.points_with_late), (2, 12));
        assert_eq!(record.settings.grace_ms, Some(150));
        assert!(
            ran.errors.contains("Late: 4 answers came more than 150 ms after their time (--grace)")
                && ran.errors.contains("As played it would be 2 solved, 12 points"),
            "{}",
            ran.errors
        );
    }
}

#[test]
fn a_late_answer_of_an_engine_that_reported_no_move_before_counts_nothing() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4 --info-lines 2 --fault late@2 --delay 600");
    let flags = ["--movetime", "50", "--grace", "150", "-c", "1"];
    let (ran, records) = bench.score(SUITE, &engine, &flags);
    let expected = ["s.1 e4 1", "s.2 late 0, late e4 4", "s.3 e4 0", "s.4 e4 7"];
    assert_eq!(with_late(&records[0]), expected, "{}", ran.errors);
    assert!(
        ran.errors.contains(
            "s.2: scripted reported no principal variation within its limit (and then played e2e4)"
        ),
        "{}",
        ran.errors
    );
}

#[test]
fn an_answer_within_the_grace_is_in_time() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4 --info-lines 2 --fault late@all --delay 100");
    let (ran, records) = bench.score(SUITE, &engine, &["--movetime", "10", "--grace", "60000"]);
    assert_eq!((with_late(&records[0]), records[0].late), (ANSWERED.map(str::to_owned).into(), 0));
    assert!(!ran.errors.contains("Late:"), "{}", ran.errors);
}

#[test]
fn an_engine_that_thinks_on_after_its_limit_is_stopped() {
    let bench = Bench::new();
    let line = SUITE.lines().next().unwrap();
    let thinker = scripted("--moves e2e4 --first e2e4 --think 600000");
    // It obeys stop, and so is hardly late; the exact time depends on the machine.
    let (ran, records) = bench.score(line, &thinker, &["--movetime", "10"]);
    assert_eq!((ran.code, records[0].solved), (Some(0), 1), "{}", ran.errors);
    let engine = scripted("--moves e2e4 --first e2e4 --info-lines 9 --fault late@all --delay 100");
    let (ran, records) = bench.score(line, &engine, &["--depth", "3"]);
    assert_eq!((ran.code, records[0].solved, records[0].late), (Some(0), 1, 1), "{}", ran.errors);
    // The limit plus its tolerance in plies.
    assert_eq!(records[0].results[0].depth, Some(5));
    assert!(ran.errors.contains("Late: 1 answer came after their limit;"), "{}", ran.errors);
}

#[test]
fn an_engine_that_never_starts_is_reported() {
    let bench = Bench::new();
    let (ran, records) = bench.score(SUITE, &scripted("--fault exit-at-start"), &["--nodes", "10"]);
    assert_eq!(ran.code, Some(1), "{}", ran.errors);
    assert_eq!((records[0].unanswered, records[0].faults), (4, 0));
    assert!(
        ran.errors.contains("scripted is disqualified: it failed to start three times in a row"),
        "{}",
        ran.errors
    );
    assert!(ran.errors.contains("does it speak xboard (proto=xboard, proto=auto)?"), "{}", ran.errors);
    assert!(ran.errors.ends_with("smalt-suites: no engine gave an answer\n"), "{}", ran.errors);
}

#[test]
fn one_engine_out_leaves_the_others_and_shows_in_the_exit_code() {
    let bench = Bench::new();
    let other = scripted("--moves e2e4").replace("name=scripted", "name=other");
    let flags = ["--nodes", "10", "--engine", &other];
    let (ran, records) = bench.score(SUITE, &scripted("--fault exit-at-start"), &flags);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    assert_eq!(shown(&records[1].results), ANSWERED);
}

#[test]
fn wrong_input_is_refused_before_anything_runs() {
    let bench = Bench::new();
    let check = |suite: &str, engine: &str, expected: &str| {
        bench.file("suite.epd", SUITE);
        bench.file("empty.epd", "# nothing\n");
        let ran = bench.run(["score", suite, "--engine", engine]);
        assert_eq!((ran.code, ran.output.as_str()), (Some(2), ""), "{}", ran.errors);
        assert!(ran.errors.contains(expected), "{}", ran.errors);
    };
    let engine = scripted("");
    check("st", &engine, "there is no suite and no file \"st\" (did you mean sts?)");
    check("empty.epd", &engine, "empty.epd has no usable position");
    check("wac", "cmd=./nowhere", "engine \"nowhere\" would not start: failed to find `./nowhere`");
    check("wac", &format!("{engine} option.Hash=3"), "engine \"scripted\": failed to set option \"Hash\"");
    check("wac", &format!("{engine} tc=1+1"), "engine \"scripted\": tc is for games");
    check("wac", &format!("{engine} proto=usi"), "expected uci, cecp, winboard, xboard or auto");
    check("wac", &format!("{engine} nods=3"), "unknown key \"nods\"");
}

#[test]
fn lines_that_cannot_be_read_are_left_out() {
    let bench = Bench::new();
    let suite = format!("nonsense\n{SUITE}");
    let (ran, records) = bench.score(&suite, &scripted("--moves e2e4"), &["--nodes", "10"]);
    assert_eq!((ran.code, records[0].positions), (Some(3), 4));
    assert!(ran.errors.contains("skipped: suite.epd, line 1: "), "{}", ran.errors);
}

#[test]
fn what_cannot_be_read_within_a_line_is_reported_with_its_place() {
    let bench = Bench::new();
    let suite = SUITE.replacen("bm e4;", "bm e4; bm d4; dm 0;", 1);
    let (ran, records) = bench.score(&suite, &scripted("--moves e2e4"), &["--nodes", "10"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    assert_eq!(shown(&records[0].results), ANSWERED);
    for words in
        ["a second bm (d4): skipped, the first counts", "dm 0 is not a number of moves from 1: skipped"]
    {
        assert!(ran.errors.contains(&format!("suite.epd, line 1, s.1: {words}\n")), "{}", ran.errors);
    }
}

#[test]
fn results_are_the_same_at_any_concurrency() {
    let run = |concurrency: &str| {
        let bench = Bench::new();
        let engine = scripted("--info-lines 2 --seed 7");
        let flags =
            ["score", "wac", "sts03", "--engine", &engine, "--nodes", "10", "--json", "-", "--concurrency"];
        let ran = bench.run(flags.into_iter().chain([concurrency]));
        let mut records = from_json(&ran.output, "-").unwrap();
        for result in records.iter_mut().flat_map(|record| &mut record.results) {
            (result.time_ms, result.solved_after_ms) = (None, None);
        }
        records
    };
    let alone = run("1");
    assert_eq!((alone.len(), alone[1].positions), (2, 100));
    assert_eq!(alone, run("2"));
    assert_eq!(alone, run("5"));
}

#[test]
fn a_search_that_holds_a_solution_is_ended_early() {
    let bench = Bench::new();
    let line = SUITE.lines().next().unwrap();
    let engine = scripted("--moves e2e4 --info-lines 9 --fault late@all --delay 100");
    let (ran, records) = bench.score(line, &engine, &["--nodes", "10", "--early-stop", "3"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let result = &records[0].results[0];
    assert_eq!((result.stopped_early, result.solved, result.solved_after_depth), (true, true, Some(1)));
}

#[test]
fn the_time_to_solution_comes_from_the_lines_of_the_search() {
    let bench = Bench::new();
    let (_, records) = bench.score(SUITE, &scripted("--moves e2e4 --info-lines 4"), &["--nodes", "10"]);
    let printed: Vec<_> = records[0]
        .results
        .iter()
        .map(|one| (one.solved_after_depth, one.solved_after_ms.is_some(), one.depth))
        .collect();
    let (solved, missed) = ((Some(1), true, Some(4)), (None, false, Some(4)));
    assert_eq!(printed, [solved, missed, missed, solved]);
}

#[test]
#[cfg_attr(windows, ignore = "a shell copies what the engine receives")]
fn initial_lines_debug_mode_and_the_file_of_standard_error_are_those_of_the_engine() {
    let bench = Bench::new();
    let program = scripted_program();
    bench.file("heard.sh", format!("echo started >&2\ntee -a heard.txt | '{}'\n", program.display()));
    let engine = "cmd=sh args=heard.sh name=a 'initstr=hello\\nthere' debug=on stderr=noise.txt";
    let (ran, _) = bench.score(SUITE, engine, &["--nodes", "10", "--concurrency", "1"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let heard = bench.read("heard.txt");
    assert!(heard.starts_with("hello\nthere\nuci\ndebug on\n"), "{heard}");
    assert_eq!(bench.read("noise.txt"), "started\n");
}

#[test]
fn no_output_and_no_standard_error_goes_into_an_input_or_a_store() {
    let bench = Bench::new();
    bench.file("run.db", "SQLite format 3\0 and pages");
    bench.file("net.nnue", "weights");
    bench.file("suite.epd", SUITE);
    let refuse = |words: &str, more: &[&str], expected: &str| {
        let engine = format!("{} option.EvalFile=net.nnue {words}", scripted("--moves e2e4"));
        let score = ["score", "suite.epd", "--engine", &engine, "--nodes", "10"];
        let ran = bench.run(score.iter().chain(more));
        assert!(ran.code == Some(2) && ran.errors.contains(expected), "{words} {more:?}: {}", ran.errors);
    };
    refuse("", &["--json", "net.nnue", "--force"], "net.nnue is an input and would be overwritten");
    refuse("stderr=suite.epd", &[], "suite.epd is an input and would be overwritten");
    refuse("stderr=./net.nnue", &[], "is an input and would be overwritten");
    refuse("stderr=out.json", &["--json", "out.json"], "out.json is named for two outputs");
    refuse("stderr=run.db", &[], "run.db: it is a store of games");
    assert_eq!([bench.read("suite.epd").as_str(), &bench.read("net.nnue")], [SUITE, "weights"]);
}

#[test]
fn missed_positions_are_written_as_a_suite() {
    let bench = Bench::new();
    let (ran, _) =
        bench.score(SUITE, &scripted("--moves e2e4"), &["--nodes", "10", "--failed", "failed.epd"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let lines: Vec<&str> = SUITE.lines().collect();
    assert_eq!(bench.read("failed.epd"), format!("{}\n{}\n", lines[1], lines[2]));
}

#[test]
#[cfg_attr(windows, ignore = "a shell sets the limit of the test")]
fn fewer_engines_search_where_the_system_allows_fewer_open_files() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let engine = scripted("--moves e2e4");
    let shell = ["-c", "ulimit -n 140; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_smalt-suites")];
    let score = ["score", "suite.epd", "--engine", &engine, "--nodes", "10", "--concurrency", "9"];
    let ran = bench.run_as(std::path::Path::new("sh"), shell.iter().chain(&score));
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let warning = "Warning: concurrency 2 instead of 9: the limit of open files (ulimit -n) allows no more";
    assert!(ran.errors.contains(warning), "{}", ran.errors);
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn an_interrupted_run_writes_what_it_has() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let mut child = bench
        .command()
        .args([
            "score",
            "suite.epd",
            "--engine",
            &scripted("--fault hang"),
            "--nodes",
            "10",
            "--json",
            "out.json",
        ])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("suite: scripted, 4 positions, nodes 10, "), "{line}");
    smalt_testing::process::signal(child.id(), "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let records = from_json(&bench.read("out.json"), "out.json").unwrap();
    assert_eq!(shown(&records[0].results), [1, 2, 3, 4].map(|number| format!("s.{number} not-asked 0")));
    assert_eq!(records[0].ended_by.as_deref(), Some("interrupted"));
}

#[test]
fn a_later_format_is_refused() {
    let bench = Bench::new();
    let (ran, _) = bench.score(SUITE, &scripted("--moves e2e4"), &["--nodes", "10"]);
    for key in ["format", "schema"] {
        let later = ran.output.replace(&format!("\"{key}\": 1"), &format!("\"{key}\": 99"));
        bench.file("later.json", later);
        let ran = bench.run(["compare", "later.json", "later.json"]);
        assert_eq!(ran.code, Some(2));
        let words = "later.json has format 99, this program reads up to 1";
        assert!(ran.errors.contains(words), "{}", ran.errors);
    }
}

#[test]
fn the_built_in_engine_plays_chess960() {
    let bench = Bench::new();
    let suite = "1rk4r/pppp4/8/8/8/8/PPPP4/1RK4R w HBhb - id castle; bm O-O; c0 \"O-O=3\";\n\
                 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - id usual; am a4;\n";
    let (ran, records) = bench.score(suite, "builtin", &["--nodes", "2000"]);
    assert_eq!((ran.code, records[0].faults), (Some(0), 0), "{}", ran.errors);
}

#[test]
fn unknown_operations_are_kept_in_the_export() {
    let bench = Bench::new();
    let line = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm d4; id \"x\"; foo bar \"b c\" 3; \
                pv d4 d5; ce 31; acd 20; Ae \"Crafty\"; c3 \"note\"; hmvc 3; fmvn 9;";
    let flags = ["--nodes", "10", "--failed", "failed.epd"];
    bench.score(line, &scripted("--moves e2e4"), &flags);
    assert_eq!(bench.read("failed.epd"), format!("{line}\n"));
}

/// The scorer is stopped in the middle of the first search, whose answer is wrong. Stopped before it waits for the answer, it
/// has not started the clock, and nothing is to be repeated.
#[test]
#[cfg_attr(windows, ignore = "its engine is a shell script")]
fn a_search_in_which_the_scorer_was_suspended_is_repeated() {
    let bench = Bench::new();
    let script = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
                  go*) echo >> asked; [ -e once ] || { : > once; sleep 0.2; kill -STOP $PPID; sleep 0.5; kill -CONT $PPID; \
                  echo bestmove a2a3; continue; }; echo bestmove e2e4;; esac; done\n";
    smalt_testing::process::write_script(bench.path("engine.sh"), script);
    let line = SUITE.lines().next().unwrap();
    let (ran, records) = bench.score(line, "cmd=./engine.sh", &["--movetime", "1000"]);
    assert_eq!(shown(&records[0].results), ["s.1 e4 1"], "{}", ran.errors);
    assert_eq!(bench.read("asked").lines().count(), 2, "{}", ran.errors);
}

/// The scorer is stopped in the middle of each search.
#[test]
#[cfg_attr(windows, ignore = "its engine is a shell script")]
fn crashes_count_though_the_scorer_was_suspended() {
    let bench = Bench::new();
    let script = "#!/bin/sh\nwhile read -r line; do case $line in uci) echo uciok;; isready) echo readyok;; quit) exit;; \
                  go*) echo >> asked; kill -STOP $PPID; sleep 0.5; kill -CONT $PPID; exit 9;; esac; done\n";
    smalt_testing::process::write_script(bench.path("engine.sh"), script);
    let line = SUITE.lines().next().unwrap();
    let (ran, records) = bench.score(line, "cmd=./engine.sh", &["--movetime", "100"]);
    assert!(shown(&records[0].results)[0].contains("exited"), "{} {:?}", ran.errors, records[0].results);
    assert_eq!(bench.read("asked").lines().count(), 1, "{}", ran.errors);
}

#[test]
#[cfg_attr(windows, ignore = "its engine is a shell script")]
#[expect(clippy::disallowed_methods, reason = "git makes the repository")]
fn an_engine_is_built_from_a_commit() {
    let bench = Bench::new();
    bench.file("engine.sh", format!("#!/bin/sh\nexec '{}' --moves e2e4\n", scripted_program().display()));
    let git = "git init -q mine && mv engine.sh mine && cd mine && git add . && \
               git -c user.name=A -c user.email=a@b.c -c commit.gpgsign=false commit -q -m 'First version'";
    let made = std::process::Command::new("sh").args(["-c", git]).current_dir(bench.path("")).status();
    assert!(made.unwrap().success());
    let engine = "repo=mine ref=HEAD 'build=chmod +x engine.sh && cp engine.sh {exe}'";
    let (ran, records) = bench.score(SUITE, engine, &["--nodes", "10"]);
    assert!(
        ran.errors.contains("Building ") && records[0].engine.ends_with(" First version"),
        "{}",
        ran.errors
    );
    assert_eq!(shown(&records[0].results)[0], "s.1 e4 1");
}

/// Two puzzles in which White finds a mate, and one with two moves.
const PUZZLES: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
easy,6k1/p4ppp/8/8/8/8/5PPP/1R4K1 b - - 0 1,a7a6 b1b8,800,75,90,100,backRankMate mateIn1,,
same,6k1/p4ppp/8/8/8/8/5PPP/2R3K1 b - - 0 1,a7a6 c1c8,1000,75,90,100,mateIn1,,
long,6k1/5ppp/8/8/8/8/r4PPP/1R2R1K1 b - - 0 1,a2a8 b1a1 h7h6 a1a8,2400,80,90,100,endgame short,,
";

#[test]
fn puzzles_are_graded_by_theme_and_give_a_rating() {
    let bench = Bench::new();
    bench.file("puzzles.csv", PUZZLES);
    bench.file("moves.txt", "easy Rb8#\nsame Rc8\nlong Ra1\nlong/2 Kf1\n");
    let ran = bench.run(["grade", "puzzles.csv", "--moves", "moves.txt", "--json", "-"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let record = &from_json(&ran.output, "-").unwrap()[0];
    let themes: Vec<_> =
        record.themes.iter().map(|theme| (theme.name.as_str(), theme.solved, theme.positions)).collect();
    assert_eq!(themes, [("backRankMate", 1, 1), ("mateIn1", 2, 2), ("endgame", 1, 2), ("short", 1, 2)]);
    // Between the solved puzzles and the missed one.
    let rating = record.rating.unwrap();
    assert!((1000.0..2400.0).contains(&rating) && record.rating_error.unwrap() > 100.0, "{rating}");
    let ran = bench.run(["grade", "puzzles.csv", "--moves", "moves.txt"]);
    assert!(ran.output.contains("Puzzle rating: about "), "{}", ran.output);
    assert!(ran.output.contains("2 of 3 puzzles solved"), "{}", ran.output);
    bench.file("moves.txt", "easy Rb8#\nsame Rc8\nlong Ra1\nlong/2 Rxa8\n");
    let ran = bench.run(["grade", "puzzles.csv", "--moves", "moves.txt"]);
    assert!(
        ran.output.contains("Puzzle rating: none, since all or none were solved (maximum likelihood"),
        "{}",
        ran.output
    );
}
