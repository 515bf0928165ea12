//! Interrupted or killed runs that are resumed.

use std::process::Stdio;

use smalt_suites::{Record, from_json, to_json};
use smalt_testing::process::{copy_program, wait_until, write_program};

use crate::support::{ANSWERED, Bench, SUITE, scripted, scripted_program, shown};

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4 --info-lines 3");
    let (_, whole) = bench.score(SUITE, &engine, &["--nodes", "10"]);
    // Simulates an interruption after two questions; the first has a different move, which must be kept.
    let mut half = whole.clone();
    half[0].results[0].san = Some("Nf3".to_owned());
    for result in &mut half[0].results[2..] {
        (result.fault, result.san, result.points) = (Some("not-asked".to_owned()), None, 0);
    }
    let resume = |edit: &dyn Fn(&mut Record), flags: &[&str]| {
        let mut half = half.clone();
        edit(&mut half[0]);
        bench.file("half.json", to_json(&half));
        let flags: Vec<&str> = ["--resume", "half.json"].into_iter().chain(flags.iter().copied()).collect();
        bench.score(SUITE, &engine, &flags)
    };
    let (ran, records) = resume(&|_| {}, &["--nodes", "10"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    assert_eq!(shown(&records[0].results), ["s.1 Nf3 1", "s.2 e4 4", "s.3 e4 0", "s.4 e4 7"]);
    assert!(ran.errors.contains("4 positions (2 answered before)"), "{}", ran.errors);
    assert_eq!((records[0].points, records[0].unanswered), (whole[0].points, 0));
    for flags in [&["--nodes", "11"][..], &["--nodes", "10", "--keep-hash"]] {
        let (ran, records) = resume(&|_| {}, flags);
        assert_eq!((ran.code, shown(&records[0].results)), (Some(0), ANSWERED.map(str::to_owned).into()));
        assert!(
            ran.errors.contains("half.json holds nothing of this run: all positions are run"),
            "{}",
            ran.errors
        );
    }
    let printed = |edit: &dyn Fn(&mut Record), flags: &[&str], expected: &str| {
        let (ran, _) = resume(edit, flags);
        let expected = format!("half.json: nothing is taken from {expected}");
        assert!(ran.errors.contains(&expected), "{expected}\n{}", ran.errors);
    };
    let same = |_: &mut Record| {};
    printed(
        &same,
        &["--nodes", "11"],
        "suite of scripted: it was run with nodes 10, and this is with nodes 11",
    );
    printed(&same, &["--nodes", "10", "--keep-hash"], "suite of scripted: it was run with other settings");
    printed(
        &|record| record.suite = "other".to_owned(),
        &["--nodes", "10"],
        "other of scripted: this run has no suite of that name (but suite)",
    );
    printed(
        &|record| record.engine = "old".to_owned(),
        &["--nodes", "10"],
        "suite of old: this run has no engine of that name (but scripted)",
    );
    let (ran, _) = resume(&|record| record.engine_id = Some("Other 1".to_owned()), &["--nodes", "10"]);
    assert_eq!(ran.code, Some(2), "{}", ran.errors);
    assert!(ran.errors.contains("scripted is \"Smalt Scripted\" now and was \"Other 1\""), "{}", ran.errors);
    let rebuilt = |record: &mut Record| record.engine_program = Some("0".repeat(16));
    let (ran, _) = resume(&rebuilt, &["--nodes", "10"]);
    assert_eq!(ran.code, Some(2), "{}", ran.errors);
    assert!(ran.errors.contains("the program of scripted has changed since"), "{}", ran.errors);
    let (ran, _) = resume(&rebuilt, &["--nodes", "10", "--allow-mixed"]);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
}

#[test]
fn only_new_names_must_be_without_hidden_characters() {
    let bench = Bench::new();
    let (_, mut whole) = bench.score(SUITE, &scripted("--moves e2e4"), &["--nodes", "10"]);
    let name = "a\u{200b}";
    let engine = scripted("--moves e2e4").replace("name=scripted", &format!("name={name}"));
    let (ran, _) = bench.score(SUITE, &engine, &["--nodes", "10"]);
    assert_eq!(ran.code, Some(2), "{}", ran.errors);
    assert!(ran.errors.contains("hidden characters") && !ran.errors.contains(name), "{}", ran.errors);
    whole[0].engine = name.to_owned();
    bench.file("old.json", to_json(&whole));
    let (ran, records) = bench.score(SUITE, &engine, &["--nodes", "10", "--resume", "old.json"]);
    assert_eq!((ran.code, records[0].engine.as_str()), (Some(0), name), "{}", ran.errors);
}

/// Starts a run, kills it once `out.json` satisfies `is_enough`, and returns its records.
fn kill_when(bench: &Bench, arguments: &[&str], is_enough: impl Fn(&[Record]) -> bool) -> Vec<Record> {
    let mut child =
        bench.command().args(arguments).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let mut records = Vec::new();
    wait_until("enough results", || {
        let Ok(text) = std::fs::read_to_string(bench.path("out.json")) else { return false };
        records = from_json(&text, "out.json").unwrap();
        is_enough(&records)
    });
    child.kill().unwrap();
    child.wait().unwrap();
    records
}

/// Scores an engine on two suites, one position at a time, with results in `out.json`.
fn two_suites<'a>(suites: [&'a str; 2], engine: &'a str) -> Vec<&'a str> {
    let flags = ["-c", "1", "--nodes", "10", "--json", "out.json", "--engine", engine];
    ["score"].into_iter().chain(suites).chain(flags).collect()
}

#[test]
#[cfg_attr(windows, ignore = "Wine 8 replaces no file that is read at that moment")]
fn a_killed_run_goes_on_where_its_file_was_written() {
    let bench = Bench::new();
    bench.file("first.epd", SUITE);
    bench.file("second.epd", SUITE.repeat(10));
    let slow = scripted("--moves e2e4 --think 300");
    let suites = ["first.epd", "second.epd"];
    let records = kill_when(&bench, &two_suites(suites, &slow), |records| {
        records.get(1).is_some_and(|second| second.positions - second.unanswered >= 4)
    });
    assert_eq!((records[0].unanswered, records[1].ended_by.as_deref()), (0, Some("interrupted")));
    let held = records[1].positions - records[1].unanswered;
    // A fast engine, so that new answers differ by their time.
    let quick = scripted("--moves e2e4");
    let resumed = [two_suites(suites, &quick).as_slice(), &["--resume", "out.json"]].concat();
    let ran = bench.run(&resumed);
    assert_eq!(ran.code, Some(0), "{}", ran.errors);
    let whole = from_json(&bench.read("out.json"), "out.json").unwrap();
    assert_eq!(
        whole.iter().map(|record| (record.positions, record.unanswered)).collect::<Vec<_>>(),
        [(4, 0), (40, 0)]
    );
    // On a loaded machine the clock may start a little after the engine.
    let kept = |record: &Record| {
        record.results.iter().filter(|result| result.time_ms.is_some_and(|ms| ms >= 200)).count()
    };
    assert_eq!(kept(&whole[0]), 4);
    assert!(kept(&whole[1]) >= held);
}

#[test]
#[cfg_attr(windows, ignore = "Windows does not replace a program that runs")]
fn an_engine_that_is_rebuilt_while_a_suite_runs_stops_it() {
    let bench = Bench::new();
    bench.file("first.epd", SUITE.repeat(10));
    copy_program(scripted_program(), bench.path("engine"));
    let engine = "cmd=./engine restart=on 'args=--moves e2e4 --think 300'";
    let flags = ["score", "first.epd", "-c", "1", "--nodes", "10", "--json", "out.json", "--engine", engine];
    let child = bench.command().args(flags).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    wait_until("an answer", || bench.path("out.json").exists());
    let rebuilt = [std::fs::read(scripted_program()).unwrap(), vec![0]].concat();
    write_program(bench.path("built"), &rebuilt);
    std::fs::rename(bench.path("built"), bench.path("engine")).unwrap();
    let ended = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(3), "{errors}");
    assert!(errors.contains("changed since the run began") && errors.contains("--allow-mixed"), "{errors}");
    let records = from_json(&bench.read("out.json"), "out.json").unwrap();
    assert!((1..40).contains(&(records[0].positions - records[0].unanswered)));
}

#[test]
fn a_run_goes_on_with_a_file_that_is_not_there_yet() {
    let bench = Bench::new();
    let (ran, records) =
        bench.score(SUITE, &scripted("--moves e2e4"), &["--nodes", "10", "--resume", "none.json"]);
    assert_eq!((ran.code, shown(&records[0].results)), (Some(0), ANSWERED.map(str::to_owned).into()));
    assert!(ran.errors.contains("none.json does not exist yet: all positions are run"), "{}", ran.errors);
}

#[test]
#[cfg_attr(windows, ignore = "Wine 8 replaces no file that is read at that moment")]
fn what_was_answered_ahead_is_kept_through_a_second_interruption() {
    let bench = Bench::new();
    bench.file("first.epd", SUITE);
    let engine = scripted("--moves e2e4");
    let (_, whole) = bench.score(SUITE, &engine, &["--nodes", "10"]);
    bench.file("out.json", to_json(&whole));
    // The first suite is slow; the second is already answered.
    let slow = scripted("--moves e2e4 --think 1000");
    let resumed =
        [two_suites(["first.epd", "suite.epd"], &slow).as_slice(), &["--resume", "out.json"]].concat();
    let records = kill_when(&bench, &resumed, |records| records[0].suite == "first");
    let suites: Vec<&str> = records.iter().map(|record| record.suite.as_str()).collect();
    assert_eq!((suites, records[1].unanswered), (vec!["first", "suite"], 0));
}

#[test]
fn a_file_that_holds_other_results_is_not_written_over() {
    let bench = Bench::new();
    let engine = scripted("--moves e2e4");
    let (_, whole) = bench.score(SUITE, &engine, &["--nodes", "10"]);
    bench.file("out.json", to_json(&whole));
    // By any name of the file.
    let named = bench.path("out.json");
    for resume in ["out.json", "./out.json", named.to_str().unwrap()] {
        let flags = ["--nodes", "11", "--json", "out.json", "--resume", resume];
        let ran = bench.run(["score", "suite.epd", "--engine", &engine].iter().chain(&flags));
        assert_eq!(ran.code, Some(2), "{}", ran.errors);
        assert!(
            ran.errors.contains("it holds results of scripted on suite, which this run would overwrite"),
            "{}",
            ran.errors
        );
    }
    assert_eq!(bench.read("out.json"), to_json(&whole));
}

#[test]
fn existing_outputs_are_kept_unless_force_is_given() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let engine = scripted("--moves e2e4");
    let flags = ["--json", "--csv", "--markdown", "--failed", "--plot"];
    for flag in flags {
        bench.file("mine", "of the user");
        let score = ["score", "suite.epd", "--engine", &engine, "--nodes", "10", "--quiet", flag, "mine"];
        let ran = bench.run(score);
        assert_eq!(ran.code, Some(2), "{}", ran.errors);
        assert!(ran.errors.contains("write mine: it exists already; give --force"), "{}", ran.errors);
        assert_eq!(bench.read("mine"), "of the user");
        let ran = bench.run(score.iter().chain(&["--force"]));
        assert_eq!(ran.code, Some(0), "{}", ran.errors);
        assert_ne!(bench.read("mine"), "of the user");
    }
}

#[cfg(unix)]
#[test]
fn a_file_of_results_that_changes_during_the_run_is_kept() {
    let bench = Bench::new();
    bench.file("first.epd", SUITE);
    bench.file("second.epd", SUITE);
    // The engine writes the file when it starts, after the check of all outputs.
    let script =
        format!("echo mine > out.json; exec '{}' --moves e2e4", crate::support::scripted_program().display());
    bench.file("engine.sh", format!("{script}\n"));
    let engine = "cmd=sh name=scripted 'args=engine.sh'";
    let flags = ["-c", "1", "--nodes", "10", "--json", "out.json", "--engine", engine];
    let ran = bench.run(["score", "first.epd", "second.epd"].iter().chain(&flags));
    assert_eq!(ran.code, Some(1), "{}", ran.errors);
    for words in
        ["out.json changed during the run and is kept", "it changed during the run and was not replaced"]
    {
        assert!(ran.errors.contains(words), "{words}: {}", ran.errors);
    }
    assert_eq!(bench.read("out.json"), "mine\n");
    assert_eq!(from_json(&bench.read("out.json.new"), "out.json.new").unwrap().len(), 2);
    assert!(!bench.path("out.json.new-2").exists(), "both suites are in one file");
}

#[test]
fn helpers_of_engines_end_with_a_run_that_is_killed() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE.repeat(10));
    let engine = scripted("--moves e2e4 --think 20 --fault daemon");
    let flags = ["-c", "1", "--nodes", "10", "--engine", &engine];
    let mut child = bench.command().args(["score", "suite.epd"].iter().chain(&flags)).spawn().unwrap();
    wait_until("a helper", || bench.processes().iter().any(|line| line.contains("--linger")));
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the end of all processes", || bench.processes().is_empty());
}

#[test]
fn what_was_not_asked_is_no_loss_in_a_comparison() {
    let bench = Bench::new();
    let (_, whole) = bench.score(SUITE, &scripted("--moves e2e4"), &["--nodes", "10"]);
    let mut half = whole.clone();
    for result in &mut half[0].results[1..] {
        (result.fault, result.san, result.points, result.solved) =
            (Some("not-asked".to_owned()), None, 0, false);
    }
    bench.file("whole.json", to_json(&whole));
    bench.file("half.json", to_json(&half));
    let ran = bench.run(["compare", "whole.json", "half.json"]);
    assert_eq!(ran.code, Some(3), "{}", ran.errors);
    assert!(ran.output.contains("Solved: 0 gained, 0 lost"), "{}", ran.output);
    assert!(
        ran.output.contains("Skipped: 6 positions that only one of the runs has answered"),
        "{}",
        ran.output
    );
}

#[test]
#[cfg_attr(windows, ignore = "Windows has other words for a missing folder")]
fn a_file_that_cannot_be_written_is_reported_before_any_engine_is_started() {
    let bench = Bench::new();
    bench.file("suite.epd", SUITE);
    let check = |flags: &[&str], expected: &str| {
        let ran = bench.run(["score", "suite.epd", "--engine", "cmd=./nowhere"].iter().chain(flags));
        assert_eq!(ran.code, Some(2), "{}", ran.errors);
        assert!(ran.errors.contains(expected) && !ran.errors.contains("nowhere"), "{}", ran.errors);
    };
    check(&["--csv", "no/such/folder.csv"], "write no/such/folder.csv: No such file");
    check(&["--json", "-", "--csv", "-"], "standard output (-) takes one output");
    check(&["--json", "out", "--csv", "./out"], "./out is named for two outputs");
    check(&["--failed", "./suite.epd"], "./suite.epd is an input and would be overwritten");
    assert_eq!(bench.read("suite.epd"), SUITE);
}
