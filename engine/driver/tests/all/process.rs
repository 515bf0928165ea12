//! A process and its pipes, with small shell scripts as engines: what is read, what is bounded, and that no process is
//! left.

use std::os::unix::process::CommandExt as _;
use std::time::{Duration, Instant};

use smalt_driver::process::{
    EngineCommand, Exit, Interrupt, LineEnd, PollOutcome, Process, ProcessIdentity, StartError, StderrPolicy,
    Swept, WaitFor, Written, poll_once,
};

use smalt_testing::process::wait_until;

use crate::support::{LONG, assert_group_ends, example, group_lives};

fn shell(script: &str) -> EngineCommand {
    EngineCommand::shell(script)
}

fn spawn(script: &str) -> Process {
    Process::spawn(&shell(script)).unwrap()
}

/// Waits for one line; `None` at the end of the output.
fn next_line(process: &mut Process) -> Option<(String, LineEnd)> {
    let deadline = Instant::now() + LONG;
    while !process.has_line() {
        if process.is_silent() {
            return None;
        }
        assert_eq!(poll_once(process, None, None, WaitFor::Output, deadline).unwrap(), PollOutcome::Progress);
    }
    process.take_line().map(|line| (line.text().into_owned(), line.end))
}

fn all_lines(process: &mut Process) -> Vec<String> {
    std::iter::from_fn(|| next_line(process)).map(|(line, _)| line).collect()
}

/// Runs the script until it is silent, drops it, and asserts that no process is left.
fn check(script: &str, expected_lines: &[&str], expected_exit: Exit) {
    let mut process = spawn(script);
    assert_eq!(all_lines(&mut process), expected_lines);
    assert_eq!(process.await_exit(Instant::now() + LONG), Some(expected_exit));
    let group = process.pid();
    drop(process);
    assert_group_ends(group);
}

#[test]
fn lines_of_all_kinds_are_read() {
    check("printf 'one\\r\\ntwo\\n\\nhalf'", &["one", "two", "", "half"], Exit::Code(0));
    check("printf 'a\\0b\\n\\377\\n'", &["a b", "\u{fffd}"], Exit::Code(0));
}

#[test]
fn exits_are_distinguished() {
    check("exit 3", &[], Exit::Code(3));
    check("echo last words; kill -SEGV $$", &["last words"], Exit::Signal(11));
}

#[test]
fn a_child_that_holds_the_pipe_does_not_hide_the_exit_and_is_killed() {
    check("sleep 1000 & echo gone; exit 4", &["gone"], Exit::Code(4));
}

#[test]
fn dropping_kills_the_whole_group() {
    let mut process = spawn("sh -c 'sleep 1000' & sleep 1000 & echo ready; sleep 1000");
    assert_eq!(next_line(&mut process).unwrap().0, "ready");
    let group = process.pid();
    assert!(group_lives(group));
    drop(process);
    assert_group_ends(group);
}

/// Without a terminal nothing stops a script that sets the modes of `/dev/tty`: it gets no SIGTTOU.
#[test]
fn an_engine_leads_its_own_group_without_a_terminal() {
    let mut process = spawn("cut -d' ' -f5,7 /proc/$$/stat; (: < /dev/tty) 2>/dev/null || echo no terminal");
    let group = process.pid().to_string();
    assert_eq!(all_lines(&mut process), [format!("{group} 0").as_str(), "no terminal"]);
}

#[test]
fn killing_returns_the_exit() {
    let mut process = spawn("trap '' TERM; echo ready; sleep 1000");
    assert_eq!(next_line(&mut process).unwrap().0, "ready");
    process.terminate();
    assert_eq!(process.exit(), None);
    assert_eq!(process.kill(), Some(Exit::Signal(9)));
    assert_eq!(process.exit(), Some(Exit::Signal(9)));
}

#[test]
fn the_last_lines_before_a_crash_are_kept() {
    let mut process =
        spawn("i=0; while [ $i -lt 1500 ]; do echo line $i of a trace >&2; i=$((i+1)); done; exit 1");
    assert_eq!(process.await_exit(Instant::now() + LONG), Some(Exit::Code(1)));
    assert_eq!(process.stderr_lines().last(), Some(&b"line 1499 of a trace"[..]));
}

#[test]
fn a_standard_error_flood_does_not_move_the_deadline() {
    let mut process = spawn("while :; do echo noise >&2; done");
    let begun = Instant::now();
    let deadline = begun + Duration::from_millis(100);
    while poll_once(&mut process, None, None, WaitFor::Output, deadline).unwrap() == PollOutcome::Progress {
        if Instant::now() > begun + LONG {
            panic!("the deadline never came");
        }
        if Instant::now() > deadline {
            break;
        }
    }
    assert!(process.stderr_lines().count() <= 50);
    assert!(process.stderr_lines().all(|line| line == b"noise"));
}

#[test]
fn an_interrupt_from_another_thread_ends_the_wait() {
    let mut process = spawn("sleep 1000");
    let interrupt = Interrupt::new().unwrap();
    let raiser = interrupt.clone();
    let thread = std::thread::spawn(move || raiser.raise());
    let result = poll_once(&mut process, None, Some(&interrupt), WaitFor::Output, Instant::now() + LONG);
    assert_eq!(result.unwrap(), PollOutcome::Interrupted);
    thread.join().unwrap();
}

#[test]
fn a_flood_of_lines_hides_neither_an_exit_nor_an_interrupt() {
    let mut process = spawn("yes & exit 5");
    let deadline = Instant::now() + LONG;
    while process.exit().is_none() {
        assert_eq!(
            poll_once(&mut process, None, None, WaitFor::Output, deadline).unwrap(),
            PollOutcome::Progress
        );
        while process.take_line().is_some() {}
        assert!(Instant::now() < deadline, "its end was never seen");
    }
    assert_eq!(process.exit(), Some(Exit::Code(5)));

    let mut process = spawn("yes");
    assert_eq!(next_line(&mut process).unwrap().0, "y");
    let interrupt = Interrupt::new().unwrap();
    interrupt.raise();
    while poll_once(&mut process, None, Some(&interrupt), WaitFor::Output, deadline).unwrap()
        == PollOutcome::Progress
    {
        while process.take_line().is_some() {}
        assert!(Instant::now() < deadline, "the interrupt was never heard");
    }
}

#[test]
fn a_full_pipe_is_reported_and_never_waited_for() {
    let mut process = spawn("sleep 1000");
    let megabyte = vec![b'\n'; 1 << 20];
    let Written::Bytes(first) = process.write(&megabyte) else { panic!("the pipe is broken") };
    assert!(first < megabyte.len());
    assert_eq!(process.write(&megabyte), Written::Bytes(0));
    let late = poll_once(&mut process, None, None, WaitFor::Room, Instant::now() + Duration::from_millis(20));
    assert_eq!(late.unwrap(), PollOutcome::TimedOut);
}

#[test]
fn writing_to_an_exited_process_is_harmless() {
    let mut process = spawn("exit 0");
    assert_eq!(process.await_exit(Instant::now() + LONG), Some(Exit::Code(0)));
    assert_eq!(process.write(b"isready\n"), Written::Broken);
}

#[test]
fn the_other_engine_is_read_meanwhile() {
    let mut quiet = spawn("read line; echo heard");
    let mut chatty = spawn("yes | head -c 1000000; echo done >&2");
    let deadline = Instant::now() + LONG;
    let mut bytes = 0;
    while !chatty.is_silent() {
        poll_once(&mut quiet, Some(&mut chatty), None, WaitFor::Output, deadline).unwrap();
        while let Some(line) = chatty.take_line() {
            bytes += line.bytes.len() + 1;
        }
    }
    assert_eq!(bytes, 1_000_000);
    quiet.write(b"x\n");
    assert_eq!(next_line(&mut quiet).unwrap().0, "heard");
}

#[test]
fn folder_environment_and_error_file_are_set() {
    let folder = tempfile::tempdir().unwrap();
    let errors = folder.path().join("errors.log");
    let command = shell("pwd; echo $SMALT_TEST; echo oops >&2")
        .directory(folder.path())
        .variable("SMALT_TEST", "another")
        .variable("SMALT_TEST", "value")
        .stderr(StderrPolicy::File(errors.clone()));
    let mut process = Process::spawn(&command).unwrap();
    let here = folder.path().canonicalize().unwrap();
    assert_eq!(all_lines(&mut process), [here.to_str().unwrap(), "value"]);
    process.await_exit(Instant::now() + LONG);
    assert_eq!(std::fs::read_to_string(errors).unwrap(), "oops\n");
}

/// Rust ignores SIGPIPE, and our process may handle and block other signals.
#[test]
fn signals_are_as_a_program_expects_them() {
    let mut process = spawn("exec cat /proc/self/status");
    let lines = all_lines(&mut process);
    let signals = |name: &str| {
        let digits = lines.iter().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(digits.trim(), 16).unwrap()
    };
    let broken_pipe = 1 << (13 - 1);
    assert_eq!((signals("SigBlk:"), signals("SigCgt:"), signals("SigIgn:") & broken_pipe), (0, 0, 0));
}

#[test]
fn refusals_of_the_system_are_reported() {
    let refused = Process::spawn(&shell(&"x".repeat(1 << 20))).unwrap_err().to_string();
    assert!(refused.ends_with("Argument list too long (os error 7)"), "{refused}");
}

#[test]
fn affinity_binds_and_a_missing_processor_is_refused() {
    let mut process =
        Process::spawn(&shell("grep Cpus_allowed_list /proc/self/status").affinity([0])).unwrap();
    assert_eq!(all_lines(&mut process), ["Cpus_allowed_list:\t0"]);
    let refused = Process::spawn(&shell("true").affinity([1000])).unwrap_err();
    assert_eq!(refused, StartError::Affinity { processors: vec![1000] });
}

#[test]
fn the_child_dies_with_the_thread_that_spawned_it() {
    let process = std::thread::spawn(|| spawn("exec sleep 1000")).join().unwrap();
    assert_group_ends(process.pid());
}

#[test]
fn a_sweep_kills_only_processes_of_the_killed_run() {
    let process = spawn("sleep 1000 & sleep 1000");
    let identity = process.identity();
    let stranger = smalt_driver::process::ProcessIdentity { started: identity.started + 1, ..identity };
    assert_eq!(stranger.sweep(), Swept::Gone);
    assert!(matches!(identity.sweep(), Swept::Killed(1..)));
    assert_group_ends(identity.pid);
    assert_eq!(identity.sweep(), Swept::Gone);
}

/// The identity of a running process, as a store has it.
fn identity_of(pid: u32) -> ProcessIdentity {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_ascii_whitespace().collect();
    ProcessIdentity { pid, started: fields[19].parse().unwrap(), session: fields[3].parse().unwrap() }
}

#[test]
fn a_stored_identity_names_no_process_that_a_killed_run_did_not_start() {
    let mut stranger = smalt_testing::process::command("sleep");
    let mut stranger = stranger.arg("1000").process_group(0).spawn().unwrap();
    assert_eq!(identity_of(stranger.id()).sweep_stored(), Swept::Gone);
    assert!(group_lives(stranger.id()));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
    let engine = spawn("sleep 1000 & sleep 1000");
    assert_eq!(engine.identity().sweep_stored(), Swept::Gone, "its run is alive");
    assert!(group_lives(engine.pid()));
    // No reaper: the shell ends with its program, and its child stays.
    let script = "sleep 1000 & echo uciok; wait";
    let command = EngineCommand::new(example("owner")).arguments(["sh", "-c", script]);
    let mut owner = Process::spawn(&command).unwrap();
    let (line, _) = next_line(&mut owner).unwrap();
    let left = identity_of(line.split(' ').next().unwrap().parse().unwrap());
    assert_eq!(left.sweep_stored(), Swept::Gone, "its run is alive");
    assert_eq!(owner.kill(), Some(Exit::Signal(9)));
    wait_until("the kill of its child", || left.sweep_stored() != Swept::Gone);
    assert_group_ends(left.pid);
}

#[test]
fn an_engine_dies_with_a_program_that_is_killed() {
    let command = EngineCommand::new(example("owner")).argument(example("scripted"));
    let mut owner = Process::spawn(&command).unwrap();
    let (line, _) = next_line(&mut owner).unwrap();
    let (engine, introduced) = line.split_once(' ').unwrap();
    let engine: u32 = engine.parse().unwrap();
    assert_eq!(introduced, "true");
    assert!(group_lives(engine));
    assert_eq!(owner.kill(), Some(Exit::Signal(9)));
    assert_group_ends(engine);
}

#[test]
fn a_reaper_kills_the_children_of_an_engine_after_its_program() {
    // The death signal kills the shell; the reaper kills its child, which no signal reaches.
    let command = EngineCommand::new(example("reaped")).argument("sleep 600 & echo ready; wait");
    let mut owner = Process::spawn(&command).unwrap();
    let (line, _) = next_line(&mut owner).unwrap();
    let engine: u32 = line.strip_prefix("ready ").unwrap().parse().unwrap();
    assert!(group_lives(engine));
    assert_eq!(owner.kill(), Some(Exit::Signal(9)));
    assert_group_ends(engine);
}
