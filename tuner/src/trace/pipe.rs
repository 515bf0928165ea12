//! Traces over a pipe: queries an engine for its parameters and for the trace of each position.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Process, StartError, WaitFor, Written, poll_once};

use super::header::{Header, HeaderError, HeaderProgress};
use super::position::Reply;

/// Positions sent ahead of the answers, so that the engine never waits.
const AHEAD: usize = 256;

/// Polling interval of the stop flag.
const INTERVAL: Duration = Duration::from_millis(200);

/// Timeout of each answer and of the header.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Number of engine lines quoted in an error.
const REPEATED: usize = 5;

/// Why an engine gives no traces.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PipeError {
    #[error("failed to start the engine: {0}")]
    Start(#[from] StartError),
    #[error("failed to read from the engine: {0}")]
    Io(#[from] io::Error),
    #[error("in the answer to `trace`, {0}")]
    Header(#[from] HeaderError),
    #[error("no `trace ready` in answer to `trace` within {} s: see docs/trace-protocol.md{}", TIMEOUT.as_secs(), join_lines(.0))]
    NoHeader(Vec<String>),
    #[error("the engine ended before `trace ready`: see docs/trace-protocol.md{}", join_lines(.0))]
    NoEngine(Vec<String>),
    #[error("{what} at {fen}{}", join_lines(.lines))]
    Lost { what: &'static str, fen: String, lines: Vec<String> },
    #[error("{fen}: {reason}")]
    Trace { fen: String, reason: String },
    #[error("two processes of the engine declare different parameters")]
    Different,
    #[error("interrupted")]
    Interrupted,
}

fn join_lines(lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("; its last lines: {}", lines.join(" / ")) }
}

pub(super) struct TraceEngine {
    process: Process,
    header: Header,
    outgoing: Vec<u8>,
    last_lines: Vec<String>,
    /// Timeout of each answer.
    timeout: Duration,
}

impl TraceEngine {
    /// Starts an engine, sends its initial lines and UCI options, and requests its header. The process lives as long as the calling
    /// thread.
    pub(crate) fn start(
        command: &EngineCommand,
        options: &BTreeMap<String, String>,
        stop: &AtomicBool,
    ) -> Result<TraceEngine, PipeError> {
        let process = Process::spawn(command)?;
        let (outgoing, last_lines) = (Vec::new(), Vec::new());
        let (header, timeout) = (Header::default(), TIMEOUT);
        let mut engine = TraceEngine { process, header, outgoing, last_lines, timeout };
        command.initial_lines.lines().for_each(|line| engine.send(line));
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.send("trace");
        let mut header = Header::default();
        let deadline = Instant::now() + TIMEOUT;
        loop {
            match engine.next_line(deadline, stop)? {
                Some(line) => {
                    if header.push(&line)? == HeaderProgress::Ready {
                        engine.header = header;
                        return Ok(engine);
                    }
                    if Instant::now() >= deadline {
                        return Err(PipeError::NoHeader(engine.last_words()));
                    }
                }
                None if engine.process.is_silent() => return Err(PipeError::NoEngine(engine.last_words())),
                None => return Err(PipeError::NoHeader(engine.last_words())),
            }
        }
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// Replies to some positions, in order.
    pub(crate) fn traces(&mut self, fens: &[String], stop: &AtomicBool) -> Result<Vec<Reply>, PipeError> {
        let mut replies = Vec::with_capacity(fens.len());
        let mut sent = 0;
        let mut deadline = Instant::now() + self.timeout;
        while replies.len() < fens.len() {
            if sent - replies.len() <= AHEAD / 2 {
                let end = fens.len().min(replies.len() + AHEAD);
                fens[sent..end].iter().for_each(|fen| self.send(&format!("trace fen {fen}")));
                sent = end;
            }
            let fen = &fens[replies.len()];
            let line = self.next_line(deadline, stop)?;
            let reply = line.as_ref().and_then(|line| Reply::parse(line, &self.header));
            if let Some(reply) = reply {
                replies.push(reply.map_err(|reason| PipeError::Trace { fen: fen.clone(), reason })?);
                deadline = Instant::now() + self.timeout;
            } else if line.is_none() || Instant::now() >= deadline {
                let has_ended = line.is_none() && self.process.is_silent();
                let what = if has_ended { "the engine ended" } else { "the engine does not answer" };
                return Err(PipeError::Lost { what, fen: fen.clone(), lines: self.last_words() });
            }
        }
        Ok(replies)
    }

    fn send(&mut self, line: &str) {
        self.outgoing.extend(line.as_bytes());
        self.outgoing.push(b'\n');
    }

    /// The next line, while queued lines are sent; `None` at the deadline or when the engine exits.
    fn next_line(&mut self, deadline: Instant, stop: &AtomicBool) -> Result<Option<String>, PipeError> {
        loop {
            if !self.outgoing.is_empty() {
                match self.process.write(&self.outgoing) {
                    Written::Bytes(count) => drop(self.outgoing.drain(..count)),
                    // The engine's last lines tell the reason.
                    Written::Broken => self.outgoing.clear(),
                }
            }
            if stop.load(Ordering::Relaxed) {
                return Err(PipeError::Interrupted);
            }
            if let Some(line) = self.process.take_line() {
                let line = line.text().into_owned();
                if !line.starts_with("trace ") {
                    self.last_lines.push(line.clone());
                    let excess = self.last_lines.len().saturating_sub(REPEATED);
                    self.last_lines.drain(..excess);
                }
                return Ok(Some(line));
            }
            let now = Instant::now();
            if self.process.is_silent() || now >= deadline {
                return Ok(None);
            }
            let waiting = if self.outgoing.is_empty() { WaitFor::Output } else { WaitFor::Room };
            poll_once(&mut self.process, None, None, waiting, deadline.min(now + INTERVAL))?;
        }
    }

    /// The last lines other than traces, and the last of standard error.
    fn last_words(&self) -> Vec<String> {
        let errors = self.process.stderr_lines().map(|line| String::from_utf8_lossy(line).into_owned());
        let all: Vec<String> = self.last_lines.iter().cloned().chain(errors).collect();
        all[all.len().saturating_sub(REPEATED)..].to_vec()
    }
}

/// Several processes of one engine that share the positions.
pub(crate) struct EnginePool {
    engines: Vec<TraceEngine>,
}

impl EnginePool {
    pub(crate) fn start(
        command: &EngineCommand,
        options: &BTreeMap<String, String>,
        processes: usize,
        stop: &AtomicBool,
    ) -> Result<EnginePool, PipeError> {
        let start = |_| TraceEngine::start(command, options, stop);
        let engines = (0..processes.max(1)).map(start).collect::<Result<Vec<_>, _>>()?;
        if engines.iter().any(|engine| engine.header != engines[0].header) {
            return Err(PipeError::Different);
        }
        Ok(EnginePool { engines })
    }

    /// The header of the engine.
    pub(crate) fn header(&self) -> &Header {
        self.engines[0].header()
    }

    pub(crate) fn len(&self) -> usize {
        self.engines.len()
    }

    /// Replies to some positions, in order.
    pub(crate) fn traces(&mut self, fens: &[String], stop: &AtomicBool) -> Result<Vec<Reply>, PipeError> {
        let share = fens.len().div_ceil(self.engines.len()).max(1);
        let replies = std::thread::scope(|scope| {
            let start = |(engine, fens)| scope.spawn(move || TraceEngine::traces(engine, fens, stop));
            let threads: Vec<_> = self.engines.iter_mut().zip(fens.chunks(share)).map(start).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().map(join).collect::<Result<Vec<Vec<Reply>>, PipeError>>()
        })?;
        Ok(replies.into_iter().flatten().collect())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_only_prints_other_lines_does_not_answer() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("engine");
        // Its flood ends some time, so that this test does, too.
        let script = "#!/bin/sh\nread line\necho trace parameter a 1\necho trace ready\nread line\n\
                      i=0; while [ $i -lt 300000 ]; do echo info string; i=$((i + 1)); done\n";
        smalt_testing::process::write_script(&program, script);
        let (command, stop) = (EngineCommand::new(&program), AtomicBool::new(false));
        let mut engine = TraceEngine::start(&command, &BTreeMap::new(), &stop).unwrap();
        engine.timeout = Duration::from_millis(50);
        let fens = ["4k3/8/8/8/8/8/8/4K3 w - - 0 1".to_owned()];
        let error = engine.traces(&fens, &stop).unwrap_err().to_string();
        assert!(error.starts_with("the engine does not answer at 4k3"), "{error}");
    }
}
