//! Child process on Windows: started suspended, assigned to its job object and then resumed, so that all its
//! descendants are in the job.

use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, RawHandle};
use std::os::windows::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use windows_sys::Win32::Foundation::{STATUS_CONTROL_C_EXIT, WAIT_FAILED};
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_SUSPENDED, SetProcessAffinityMask, WaitForMultipleObjects,
};

use super::super::{Errors, ReadOutcome, Source, SourceSet, SpawnError, SystemChild, Watch, Written};
use super::affinity::mask_of_child;
use super::job::Job;
use super::pipes::{Events, Pipes, Which};
use super::processes::peak_memory_bytes;
use crate::process::exit::Exit;
use crate::process::{ENGINE_VARIABLE, EngineCommand, PASSWORD_VARIABLE};

/// Longest finite timeout of a wait, in milliseconds.
const LONGEST_WAIT: u128 = 1 << 30;

#[derive(Debug)]
pub(in crate::process) struct Child {
    child: std::process::Child,
    job: Arc<Job>,
    pipes: Arc<Pipes>,
    has_stdout: bool,
    has_stderr: bool,
}

impl SystemChild for Child {
    #[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
    fn spawn(command: &EngineCommand, program: &Path, errors: Errors) -> Result<Child, SpawnError> {
        let affinity = mask_of_child(&command.affinity).map_err(|()| SpawnError::Affinity)?;
        let has_stderr = matches!(errors, Errors::Piped);
        let mut start = Command::new(program);
        add_arguments(&mut start, command);
        start.env_remove(PASSWORD_VARIABLE).env(ENGINE_VARIABLE, "1");
        start.envs(command.environment.iter().map(|(name, value)| (name, value)));
        command.directory.iter().for_each(|directory| _ = start.current_dir(directory));
        start.stdin(Stdio::piped()).stdout(Stdio::piped());
        start.stderr(match errors {
            Errors::Piped => Stdio::piped(),
            Errors::To(file) => file.into(),
        });
        start.creation_flags(CREATE_SUSPENDED | CREATE_NEW_PROCESS_GROUP);
        let job = Arc::new(Job::new()?);
        let mut child = start.spawn()?;
        let admitted = bind(&child, affinity).and_then(|()| Ok(job.admit(&child)?));
        let pipes = admitted.and_then(|()| {
            let broken = io::ErrorKind::BrokenPipe;
            let (stdin, stdout) = (child.stdin.take().ok_or(broken)?, child.stdout.take().ok_or(broken)?);
            let process = child.as_handle().try_clone_to_owned()?;
            Ok(Pipes::start(stdin, stdout, child.stderr.take(), process, Arc::clone(&job))?)
        });
        match pipes {
            Ok(pipes) => Ok(Child { child, job, pipes, has_stdout: true, has_stderr }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn peak_memory_bytes(&self) -> Option<u64> {
        self.job.processes().into_iter().filter_map(peak_memory_bytes).max()
    }

    fn write(&mut self, bytes: &[u8]) -> Written {
        self.pipes.write(bytes)
    }

    fn close_stdin(&mut self) {
        self.pipes.close_input();
    }

    fn has_stdout(&self) -> bool {
        self.has_stdout
    }

    fn read_stdout(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        if !self.has_stdout {
            return ReadOutcome::Closed;
        }
        let outcome = self.pipes.read(Which::Output, buffer);
        self.has_stdout = outcome != ReadOutcome::Closed;
        outcome
    }

    fn close_stdout(&mut self) {
        self.has_stdout = false;
        self.pipes.abandon(Which::Output);
    }

    fn read_stderr(&mut self, buffer: &mut [u8]) -> ReadOutcome {
        if !self.has_stderr {
            return ReadOutcome::Closed;
        }
        let outcome = self.pipes.read(Which::Errors, buffer);
        self.has_stderr = outcome != ReadOutcome::Closed;
        outcome
    }

    /// Closes standard input: the only request to quit that every Windows program understands.
    fn terminate(&self) {}

    fn kill(&self) {
        self.job.kill(STATUS_CONTROL_C_EXIT.cast_unsigned());
    }

    fn reap(&mut self) -> Option<Exit> {
        self.job.kill(0);
        self.child.wait().ok().map(Exit::from_status)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
        self.pipes.close_input();
        self.pipes.abandon(Which::Output);
        self.pipes.abandon(Which::Errors);
    }
}

impl Child {
    fn watched(&self, sources: SourceSet, [output, errors]: [Source; 2]) -> Events {
        Events {
            output: self.has_stdout && sources.contains(output),
            errors: self.has_stderr && sources.contains(errors),
            end: false,
            room: false,
        }
    }
}

/// `cmd.exe` has other quoting rules than other programs: it gets a quoted argument unchanged.
fn add_arguments(start: &mut Command, command: &EngineCommand) {
    let is_interpreter = command.program.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("cmd"));
    for argument in &command.arguments {
        let is_quoted = argument.as_encoded_bytes().starts_with(b"\"");
        if is_interpreter && is_quoted {
            start.raw_arg(argument)
        } else {
            start.arg(argument)
        };
    }
}

fn bind(child: &std::process::Child, mask: Option<usize>) -> Result<(), SpawnError> {
    let Some(mask) = mask else { return Ok(()) };
    // SAFETY: The handle is open.
    #[expect(unsafe_code, reason = "the system's interface")]
    let is_bound = unsafe { SetProcessAffinityMask(child.as_raw_handle(), mask) } != 0;
    if is_bound { Ok(()) } else { Err(SpawnError::Affinity) }
}

/// Waits until a watched source is ready; none is at the deadline.
pub(in crate::process) fn poll(
    watch: &Watch<'_>,
    mut now: Instant,
    deadline: Instant,
) -> io::Result<SourceSet> {
    let Watch { engine, other, interrupt, sources } = *watch;
    let interrupt = interrupt.filter(|_| sources.contains(Source::Interrupt));
    let own = Events {
        end: sources.contains(Source::End),
        room: sources.contains(Source::Room),
        ..engine.watched(sources, [Source::Output, Source::Errors])
    };
    let others =
        other.map(|other| (other, other.watched(sources, [Source::OtherOutput, Source::OtherErrors])));
    loop {
        let (events, end_at) = engine.pipes.check(own, now);
        let other_events = others.map(|(other, watched)| other.pipes.check(watched, now).0);
        let ready = SourceSet::default()
            .with(Source::Output, events.output)
            .with(Source::End, events.end)
            .with(Source::Errors, events.errors)
            .with(Source::Room, events.room)
            .with(Source::OtherOutput, other_events.is_some_and(|events| events.output))
            .with(Source::OtherErrors, other_events.is_some_and(|events| events.errors))
            .with(Source::Interrupt, interrupt.is_some_and(|interrupt| interrupt.wait(Duration::ZERO)));
        if !ready.is_empty() || now >= deadline {
            return Ok(ready);
        }
        let until = end_at.map_or(deadline, |at| at.min(deadline));
        let handles = [
            Some(engine.pipes.happened().handle()),
            others.map(|(other, _)| other.pipes.happened().handle()),
            interrupt.map(|interrupt| interrupt.handle()),
        ];
        wait(
            &handles.into_iter().flatten().collect::<Vec<_>>(),
            until.saturating_duration_since(now).as_nanos(),
        )?;
        now = Instant::now();
    }
}

/// Waits until one of these events is set. The timeout is rounded up to milliseconds.
fn wait(handles: &[RawHandle], nanoseconds: u128) -> io::Result<()> {
    let milliseconds = nanoseconds.div_ceil(1_000_000).min(LONGEST_WAIT);
    let milliseconds = u32::try_from(milliseconds).unwrap_or(0);
    let count = u32::try_from(handles.len()).unwrap_or(0);
    // SAFETY: The handles are open, and their number is given.
    #[expect(unsafe_code, reason = "the system's interface")]
    let result = unsafe { WaitForMultipleObjects(count, handles.as_ptr(), 0, milliseconds) };
    if result == WAIT_FAILED { Err(io::Error::last_os_error()) } else { Ok(()) }
}
