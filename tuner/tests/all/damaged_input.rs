//! Damaged files and faulty engines: exit codes, and messages that name them.

use std::fs;

use crate::programs::{check, path};

const LINE: &str = "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1 c9 \"1-0\";\n";

#[test]
fn a_file_without_a_whole_record_is_named_and_the_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let [positions, output] = ["a.bullet", "b.csv"].map(|name| path(&folder, name));
    fs::write(&positions, [0; 20]).unwrap();
    let (_, error) = check(&["convert", &positions, "-o", &output], 2);
    assert!(error.contains("a.bullet:1: skipped: the file is cut off"), "{error}");
    assert!(error.contains("a.bullet: no positions could be read"), "{error}");
}

#[test]
fn whole_records_of_a_file_that_is_cut_off_are_converted() {
    let folder = tempfile::tempdir().unwrap();
    let [text, positions, output] = ["a.epd", "a.bullet", "b.csv"].map(|name| path(&folder, name));
    fs::write(&text, LINE.repeat(3)).unwrap();
    check(&["convert", &text, "-o", &positions], 3);
    fs::write(&text, LINE.replace("\n", " ce 7;\n").repeat(3)).unwrap();
    check(&["convert", &text, "-o", &positions, "--force"], 0);
    let bytes = fs::read(&positions).unwrap();
    fs::write(&positions, &bytes[..bytes.len() - 3]).unwrap();
    let (out, error) = check(&["convert", &positions, "-o", &output], 3);
    assert!(out.starts_with("2 positions of 2") && error.contains("a.bullet:3: skipped"), "{out}{error}");
}

#[test]
fn positions_that_are_all_held_out_are_said_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let positions = path(&folder, "a.epd");
    fs::write(&positions, LINE.repeat(50)).unwrap();
    let (_, error) = check(&["texel", &positions, "--validation", "1"], 2);
    assert!(error.contains("all 50 positions are held out") && error.contains("--validation 0"), "{error}");
}

#[test]
fn settings_of_a_fit_out_of_range_are_refused() {
    for ([flag, value], range) in [(["--k", "1e100"], "0.001 to 1000"), (["--threads", "1025"], "1 to 1024")]
    {
        let (_, error) = check(&["texel", "a.epd", flag, value], 2);
        assert!(
            error.contains(&format!("{flag} 1")) && error.contains(&format!("expected {range}")),
            "{error}"
        );
    }
}

#[cfg(unix)]
mod traces {
    use super::*;

    const HEADER: &str = "trace version 1\ntrace parameter a 100\ntrace ready\n";

    /// An engine that runs this script.
    fn engine(folder: &tempfile::TempDir, script: &str) -> String {
        let program = path(folder, "mine");
        smalt_testing::process::write_script(&program, &format!("#!/bin/sh\n{script}\n"));
        program
    }

    #[test]
    fn an_engine_that_ends_before_its_header_is_said_to_have_ended() {
        let folder = tempfile::tempdir().unwrap();
        let [positions, output] = ["a.epd", "b.trace"].map(|name| path(&folder, name));
        fs::write(&positions, LINE).unwrap();
        let engine = engine(&folder, "read line; echo goodbye");
        let (_, error) = check(&["trace", &positions, "--engine", &engine, "-o", &output], 2);
        let words = format!("--engine {engine}: the engine ended before `trace ready`");
        assert!(error.contains(&words) && error.contains("goodbye"), "{error}");
    }

    #[test]
    fn an_error_in_a_trace_names_the_engine() {
        let folder = tempfile::tempdir().unwrap();
        let [positions, output] = ["a.epd", "b.trace"].map(|name| path(&folder, name));
        fs::write(&positions, LINE).unwrap();
        let engine = engine(&folder, &format!("read line; printf '{HEADER}'; read line; echo trace score"));
        let trace = ["trace", &positions, "--engine", &engine, "-o", &output, "--concurrency", "1"];
        let (_, error) = check(&trace, 1);
        assert!(error.contains(&format!("--engine {engine}: 4k3")), "{error}");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the program itself is under test")]
    fn a_file_of_traces_that_can_not_be_written_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let [positions, output] = ["a.epd", "b.trace"].map(|name| path(&folder, name));
        let lines = (0..3000).map(|number| LINE.replace("0 1", &format!("0 {}", number + 1)));
        fs::write(&positions, lines.collect::<String>()).unwrap();
        let skipping = format!("read line; printf '{HEADER}'; while read line; do echo trace skip; done");
        let engine = engine(&folder, &skipping);
        let limited = std::process::Command::new("sh")
            .args(["-c", "ulimit -f 8; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_smalt-tuner")])
            .args(["trace", &positions, "--engine", &engine, "-o", &output, "--concurrency", "1"])
            .output()
            .unwrap();
        let error = String::from_utf8(limited.stderr).unwrap();
        assert_eq!(limited.status.code(), Some(1), "{error}");
        assert!(
            error.contains("failed to write ") && error.contains("b.trace: the limit of the size"),
            "{error}"
        );
    }

    #[test]
    fn a_file_of_traces_may_begin_with_a_byte_order_mark() {
        let folder = tempfile::tempdir().unwrap();
        let traces = path(&folder, "a.trace");
        let line = LINE.trim_end();
        fs::write(&traces, format!("\u{feff}{HEADER}{line}\ntrace score 200 0:2\n")).unwrap();
        let fit = ["texel", &traces, "--validation", "0", "--epochs", "1", "--json", "-"];
        let (out, error) = check(&fit, 0);
        assert_eq!(crate::programs::json(&out)["parameters"], 1, "{out}{error}");
    }
}
