//! What Windows promises for engines: the whole process tree ends with its owner, and lines are stamped when they are read.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use smalt_driver::process::{
    EngineCommand, Exit, Interrupt, LineEnd, PollOutcome, Process, WaitFor, Written, poll_once,
};

use smalt_testing::process::command;

use crate::support::{LONG, assert_group_ends, example};

fn cmd(line: &str) -> Process {
    Process::spawn(&EngineCommand::shell(line)).unwrap()
}

fn next_line(process: &mut Process) -> Option<(String, LineEnd)> {
    let deadline = Instant::now() + LONG;
    while !process.has_line() && !process.is_silent() {
        assert_eq!(poll_once(process, None, None, WaitFor::Output, deadline).unwrap(), PollOutcome::Progress);
    }
    process.take_line().map(|line| (line.text().into_owned(), line.end))
}

#[test]
fn lines_and_exit_codes_are_read() {
    let mut process = cmd("echo one& echo two& exit 3");
    assert_eq!(next_line(&mut process).unwrap(), ("one".to_owned(), LineEnd::LineFeed));
    assert_eq!(next_line(&mut process).unwrap().0.trim_end(), "two");
    assert_eq!(next_line(&mut process), None);
    assert_eq!(process.await_exit(Instant::now() + LONG), Some(Exit::Code(3)));
    assert_eq!(process.write(b"isready\n"), Written::Broken);
}

#[test]
fn the_interpreter_gets_quotation_marks_as_they_are_written() {
    let mut process = cmd("echo \"a  b\" c");
    assert_eq!(next_line(&mut process).unwrap().0.trim_end(), "\"a  b\" c");
}

/// An engine that starts another program in its place has that one's memory.
#[test]
fn the_largest_process_of_an_engine_is_its_memory() {
    const VARIABLE: &str = "SMALT_TEST_MEMORY";
    const BYTES: usize = 64 << 20;
    if std::env::var_os(VARIABLE).is_some() {
        let block = vec![1_u8; BYTES];
        assert!(std::hint::black_box(&block).iter().all(|&byte| byte == 1));
        println!("used");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        return;
    }
    let tests = std::env::current_exe().unwrap();
    let name = "windows::the_largest_process_of_an_engine_is_its_memory";
    let line = format!("\"{}\" --exact --nocapture {name}", tests.display());
    let mut process = Process::spawn(&EngineCommand::shell(&line).variable(VARIABLE, "1")).unwrap();
    while !next_line(&mut process).unwrap().0.contains("used") {}
    assert!(process.peak_memory_bytes().unwrap() > BYTES as u64);
}

/// Starts this program outside of all jobs, kills it after its first line, and returns that line.
fn first_line_of_killed(program: &mut Command) -> String {
    let mut owner = program.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap()).read_line(&mut line).unwrap();
    owner.kill().unwrap();
    owner.wait().unwrap();
    line.trim_end().to_owned()
}

#[test]
fn an_engine_ends_with_a_program_that_is_killed() {
    let line = first_line_of_killed(command(example("owner")).arg(example("scripted")));
    let (engine, introduced) = line.split_once(' ').unwrap();
    assert_eq!(introduced, "true");
    assert_group_ends(engine.parse().unwrap());
}

/// Like an engine that is not in its job yet.
#[test]
fn a_process_without_a_job_ends_with_a_program_that_is_killed() {
    let line =
        first_line_of_killed(command(example("adopter")).arg(example("owner")).arg(example("scripted")));
    let [child, engine] = [0, 1].map(|index| line.split(' ').nth(index).unwrap().parse().unwrap());
    assert_group_ends(child);
    assert_group_ends(engine);
}

#[test]
fn a_deadline_and_an_interrupt_end_a_wait() {
    let mut process = Process::spawn(&EngineCommand::new(example("scripted"))).unwrap();
    let soon = Instant::now() + Duration::from_millis(30);
    assert_eq!(poll_once(&mut process, None, None, WaitFor::Output, soon).unwrap(), PollOutcome::TimedOut);
    let interrupt = Interrupt::new().unwrap();
    let raiser = interrupt.clone();
    let thread = std::thread::spawn(move || raiser.raise());
    let deadline = Instant::now() + LONG;
    let outcome = poll_once(&mut process, None, Some(&interrupt), WaitFor::Output, deadline);
    assert_eq!(outcome.unwrap(), PollOutcome::Interrupted);
    thread.join().unwrap();
}

#[test]
fn a_full_pipe_is_reported_and_never_waited_for() {
    // It reads no input.
    let mut process =
        Process::spawn(&EngineCommand::new(example("scripted")).arguments(["--linger", "600"])).unwrap();
    let megabyte = vec![b'\n'; 1 << 20];
    let deadline = Instant::now() + LONG;
    while process.write(&megabyte) != Written::Bytes(0) {
        assert!(Instant::now() < deadline, "the pipe is never full");
    }
    let soon = Instant::now() + Duration::from_millis(50);
    let outcome = poll_once(&mut process, None, None, WaitFor::Room, soon).unwrap();
    assert!(outcome == PollOutcome::TimedOut || process.write(&megabyte) != Written::Broken);
}
