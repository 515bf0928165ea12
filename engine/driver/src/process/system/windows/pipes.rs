//! Pipes of a child process: one reader thread per output pipe and one writer thread, since Windows pipes can neither be
//! polled nor written without blocking. Each chunk has the time at which it was read.

use std::io::{self, Read, Write};
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use windows_sys::Win32::System::Threading::{INFINITE, WaitForSingleObject};

use super::super::{ReadOutcome, Written};
use super::event::WakeEvent;
use super::job::Job;

/// Buffer limit in bytes.
const CAPACITY: usize = 1 << 16;

/// Time to drain the pipes after the child has exited.
const LAST_READS: Duration = Duration::from_millis(500);

/// State shared by the pipe threads of a child and its owner.
#[derive(Debug)]
pub(super) struct Pipes {
    state: Mutex<State>,
    input_given: Condvar,
    output_drained: Condvar,
    errors_drained: Condvar,
    /// Set when a source may have become ready.
    happened: WakeEvent,
}

#[derive(Debug)]
struct State {
    input: Input,
    output: Stream,
    errors: Stream,
    /// Exit time of the child.
    ended_at: Option<Instant>,
}

#[derive(Debug, Default)]
struct Input {
    bytes: Vec<u8>,
    is_closed: bool,
    is_broken: bool,
}

/// Chunk that was read from a pipe and not yet taken by the owner.
#[derive(Debug)]
struct Stream {
    bytes: Vec<u8>,
    taken: usize,
    read_at: Instant,
    has_ended: bool,
    is_abandoned: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Events {
    pub(super) output: bool,
    pub(super) errors: bool,
    pub(super) end: bool,
    pub(super) room: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Which {
    Output,
    Errors,
}

impl Pipes {
    /// Starts the pipe threads and the thread that waits for the exit of the process and then kills its job.
    pub(super) fn start(
        stdin: ChildStdin,
        stdout: ChildStdout,
        stderr: Option<ChildStderr>,
        process: OwnedHandle,
        job: Arc<Job>,
    ) -> io::Result<Arc<Pipes>> {
        let state = State {
            input: Input::default(),
            output: Stream::new(false),
            errors: Stream::new(stderr.is_none()),
            ended_at: None,
        };
        let pipes = Arc::new(Pipes {
            state: Mutex::new(state),
            input_given: Condvar::new(),
            output_drained: Condvar::new(),
            errors_drained: Condvar::new(),
            happened: WakeEvent::new()?,
        });
        let run = |name: &str, work: Box<dyn FnOnce(&Pipes) + Send>| {
            let pipes = Arc::clone(&pipes);
            thread::Builder::new().name(name.to_owned()).spawn(move || work(&pipes)).map(drop)
        };
        run("stdin", Box::new(move |pipes| pipes.write_all(stdin)))?;
        run("stdout", Box::new(move |pipes| pipes.read_all(stdout, Which::Output)))?;
        if let Some(stderr) = stderr {
            run("stderr", Box::new(move |pipes| pipes.read_all(stderr, Which::Errors)))?;
        }
        run("exit", Box::new(move |pipes| pipes.await_end(&process, &job)))?;
        Ok(pipes)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Event that is set when a source may have become ready.
    pub(super) fn happened(&self) -> &WakeEvent {
        &self.happened
    }

    /// Ready sources among the watched ones; resets the event if there are none. Also the time at which the exit of the
    /// child counts as ready.
    pub(super) fn check(&self, watched: Events, now: Instant) -> (Events, Option<Instant>) {
        let state = self.lock();
        let all_read = state.output.has_ended && state.errors.has_ended;
        let end_at =
            state.ended_at.filter(|_| watched.end).map(|at| if all_read { at } else { at + LAST_READS });
        let ready = Events {
            output: watched.output && (state.output.has_bytes() || state.output.has_ended),
            errors: watched.errors && (state.errors.has_bytes() || state.errors.has_ended),
            end: end_at.is_some_and(|at| at <= now),
            room: watched.room && (state.input.bytes.len() < CAPACITY || state.input.is_broken),
        };
        if !(ready.output || ready.errors || ready.end || ready.room) {
            self.happened.reset();
        }
        (ready, end_at)
    }

    /// Queues bytes for the writer thread, as many as fit.
    pub(super) fn write(&self, bytes: &[u8]) -> Written {
        let mut state = self.lock();
        let is_gone = state.ended_at.is_some();
        let input = &mut state.input;
        if is_gone || input.is_closed || input.is_broken {
            return Written::Broken;
        }
        let count = bytes.len().min(CAPACITY.saturating_sub(input.bytes.len()));
        input.bytes.extend_from_slice(&bytes[..count]);
        drop(state);
        self.input_given.notify_one();
        Written::Bytes(count)
    }

    /// Closes standard input after the queued bytes.
    pub(super) fn close_input(&self) {
        self.lock().input.is_closed = true;
        self.input_given.notify_one();
    }

    /// Takes the bytes read so far.
    pub(super) fn read(&self, which: Which, buffer: &mut [u8]) -> ReadOutcome {
        let mut state = self.lock();
        let stream = state.stream(which);
        if !stream.has_bytes() {
            return if stream.has_ended { ReadOutcome::Closed } else { ReadOutcome::Empty };
        }
        let rest = &stream.bytes[stream.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        stream.taken += count;
        let (read_at, is_empty) = (stream.read_at, !stream.has_bytes());
        drop(state);
        if is_empty {
            self.drained(which).notify_one();
        }
        ReadOutcome::Bytes(count, read_at)
    }

    /// Stops reading this pipe.
    pub(super) fn abandon(&self, which: Which) {
        self.lock().stream(which).is_abandoned = true;
        self.drained(which).notify_one();
    }

    fn drained(&self, which: Which) -> &Condvar {
        match which {
            Which::Output => &self.output_drained,
            Which::Errors => &self.errors_drained,
        }
    }

    /// Reads a pipe to its end. At most one chunk is held here and one in the shared state.
    fn read_all(&self, mut pipe: impl Read, which: Which) {
        let mut buffer = vec![0; CAPACITY];
        loop {
            let count = pipe.read(&mut buffer).unwrap_or(0);
            let read_at = Instant::now();
            let mut state = self.lock();
            if count == 0 {
                state.stream(which).has_ended = true;
                self.happened.set();
                return;
            }
            while state.stream(which).has_bytes() && !state.stream(which).is_abandoned {
                state = self.drained(which).wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let stream = state.stream(which);
            if !stream.is_abandoned {
                stream.bytes.clear();
                stream.bytes.extend_from_slice(&buffer[..count]);
                (stream.taken, stream.read_at) = (0, read_at);
                self.happened.set();
            }
        }
    }

    /// Writes the queued bytes until the input is closed or the pipe is broken.
    fn write_all(&self, mut pipe: impl Write) {
        let mut state = self.lock();
        loop {
            while state.input.bytes.is_empty() {
                if state.input.is_closed || state.ended_at.is_some() {
                    return;
                }
                state = self.input_given.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let bytes = std::mem::take(&mut state.input.bytes);
            drop(state);
            let written = pipe.write_all(&bytes).and_then(|()| pipe.flush());
            state = self.lock();
            self.happened.set();
            if written.is_err() {
                state.input.is_broken = true;
                return;
            }
        }
    }

    /// Kills the job when the child exits, so that no descendant keeps its pipes open.
    fn await_end(&self, process: &OwnedHandle, job: &Job) {
        // SAFETY: The handle is open.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            WaitForSingleObject(process.as_raw_handle(), INFINITE);
        }
        job.kill(0);
        self.lock().ended_at = Some(Instant::now());
        self.happened.set();
        self.input_given.notify_one();
    }
}

impl State {
    fn stream(&mut self, which: Which) -> &mut Stream {
        match which {
            Which::Output => &mut self.output,
            Which::Errors => &mut self.errors,
        }
    }
}

impl Stream {
    fn new(has_ended: bool) -> Stream {
        Stream { bytes: Vec::new(), taken: 0, read_at: Instant::now(), has_ended, is_abandoned: false }
    }

    fn has_bytes(&self) -> bool {
        self.taken < self.bytes.len()
    }
}
