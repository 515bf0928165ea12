//! A portable build beside its build for newer processors, here a copy. Exists in tests of portable builds alone:
//! `RUSTFLAGS= cargo test -p smalt --test all faster_build`, or `.ci/windows`.

use std::env::consts::EXE_SUFFIX;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, Stdio};

use smalt_about::mark_of_faster_build;
use smalt_testing::process::{
    command, copy_program, example, finish, processes_in, signal, wait_until, write_program,
};

const PORTABLE: &str = env!("CARGO_BIN_EXE_smalt");

/// A portable build in a new folder, with a copy that has this mark behind its end as the faster build.
struct Place(PathBuf);

impl Place {
    fn new(name: &str, mark: &str) -> Place {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).unwrap();
        copy_program(PORTABLE, folder.join(format!("smalt{EXE_SUFFIX}")));
        let bytes = [std::fs::read(PORTABLE).unwrap(), mark.as_bytes().to_vec()].concat();
        write_program(folder.join(format!("smalt-x86-64-v3{EXE_SUFFIX}")), &bytes);
        Place(folder)
    }

    fn start(&self, program: &str, arguments: &[&str]) -> Child {
        let mut command = command(self.0.join(format!("{program}{EXE_SUFFIX}")));
        command.args(arguments).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// Starts the engine and waits for its answer to `uci`.
    fn serve(&self, program: &str) -> Child {
        let mut engine = self.start(program, &[]);
        engine.stdin.as_mut().unwrap().write_all(b"uci\n").unwrap();
        let mut lines = BufReader::new(engine.stdout.as_mut().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "uciok"));
        engine
    }

    fn runs_faster_build(&self) -> bool {
        processes_in(&self.0).iter().any(|line| line.contains("smalt-x86-64-v3"))
    }
}

/// The processor of a test has the instructions, as those of 2013 and later.
#[test]
fn it_serves_through_the_pipes_of_the_portable_build() {
    let place = Place::new("faster_build_serves", &mark_of_faster_build());
    let mut engine = place.serve("smalt");
    assert!(place.runs_faster_build());
    engine.stdin.take().unwrap().write_all(b"go infinite\nquit\n").unwrap();
    let output = finish(engine, 0);
    assert!(output.stdout.starts_with(b"info ") && output.stderr.is_empty());
}

#[test]
fn it_serves_for_the_engine_builtin_of_another_program() {
    let place = Place::new("faster_build_builtin", &mark_of_faster_build());
    copy_program(example("builtin"), place.0.join(format!("runner{EXE_SUFFIX}")));
    let mut engine = place.serve("runner");
    assert!(place.runs_faster_build());
    engine.stdin.take().unwrap().write_all(b"quit\n").unwrap();
    finish(engine, 0);
}

#[test]
fn it_gets_the_arguments_and_gives_the_exit_code() {
    let place = Place::new("faster_build_exits", &mark_of_faster_build());
    let suite = place.0.join("it's a suite");
    std::fs::write(&suite, "4k3/8/8/8/8/8/8/4K3 w - - 0 1 ;D1 6\n").unwrap();
    let output = finish(place.start("smalt", &["perft", "--suite", suite.to_str().unwrap()]), 1);
    assert!(String::from_utf8(output.stdout).unwrap().ends_with("0 passed, 1 failed\n"));
}

#[test]
fn it_ends_when_the_portable_build_is_killed() {
    let place = Place::new("faster_build_killed", &mark_of_faster_build());
    let mut engine = place.serve("smalt");
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"go infinite\n").unwrap();
    signal(engine.id(), "-KILL");
    engine.wait().unwrap();
    wait_until("the faster build ends", || processes_in(&place.0).is_empty());
    // The end of its input would end it, too.
    drop(input);
}

#[test]
fn a_build_of_another_version_does_not_run() {
    let mark = mark_of_faster_build().replace("smalt ", "smalt 1");
    let place = Place::new("faster_build_other", &mark);
    let mut engine = place.serve("smalt");
    assert!(!place.runs_faster_build());
    engine.stdin.take().unwrap().write_all(b"quit\n").unwrap();
    finish(engine, 0);
}
