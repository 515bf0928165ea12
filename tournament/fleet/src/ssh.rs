//! Workers on other machines, started by the user's own `ssh` with the settings of `~/.ssh/config`. The worker is this program;
//! it and the engines are copied once into a cache there, named by their SHA-256. It reaches the NATS server through a reverse
//! tunnel of the same connection. When the connection is lost the worker ends, and another one is started over a new connection.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, Interrupt, PollOutcome, Process, Reaper, WaitFor, Written, poll_once};
use smalt_match::plan::{FleetSettings, SshHost};
use smalt_match::run::Event;
use toml::{Table, Value};

use crate::wire::trimmed;

/// How often a line is sent to a worker, so that it notices a lost connection.
pub const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// Time from the start of ssh to the start of the worker.
const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

/// Time for a worker to end after it was asked to.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Pauses before a lost connection is made again: the first, doubled up to the longest.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];

/// Settings of ssh that the tunnel needs whatever `~/.ssh/config` says: no question to the user, no connection shared with other
/// sessions (its tunnel would stay), and the message with the tunnel's port.
const SSH_OPTIONS: [&str; 8] = [
    "BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ExitOnForwardFailure=yes",
    "ControlMaster=no", "ControlPath=none", "RemoteCommand=none", "LogLevel=INFO",
];

/// Message of ssh with the port of a tunnel.
const PORT_MESSAGE: &str = "Allocated port ";

/// Exit code of a host that lacks a file.
const MISSING_CODE: i32 = 3;

/// First word of a line that names a file which a host lacks.
const MISSING: &str = "missing ";

/// Name of the copy of this program.
const PROGRAM_NAME: &str = "smalt-tournament";

/// Key of a copied engine with the node count of its commit; no registry of a user has it.
pub const COPY_BENCH: &str = "bench";

/// Name of the copy of an engine.
const ENGINE_NAME: &str = "engine";

/// Folder of the copies on a host, in its shell's words.
const COPIES: &str = "${XDG_CACHE_HOME:-$HOME/.cache}/smalt/workers";

/// First word of the line with the platform of a host; start-up files of its shell may print other lines.
const PLATFORM: &str = "platform ";

/// Line of a host that is ready to start the worker.
const READY: &str = "ready";

/// Workers of a run on ssh hosts; they end with this value.
#[derive(Debug)]
pub struct SshWorkers {
    stop: Interrupt,
    threads: Vec<JoinHandle<()>>,
}

/// What the hosts of a run have in common.
#[derive(Debug)]
pub struct SshSetup {
    /// With the address of the server, and the hosts.
    pub server: FleetSettings,
    /// User and password of the server.
    pub login: Option<(String, String)>,
    /// Name of the run on the server.
    pub run: String,
    /// The program that is copied to the hosts.
    pub own_program: PathBuf,
    /// Engines that are copied to the hosts; those of a host's own registry with the same names are used instead.
    pub engines: Vec<EngineCopy>,
    /// Process that ends ssh when this program is killed.
    pub reaper: Option<Reaper>,
}

/// An engine that is copied to the hosts.
#[derive(Debug)]
pub struct EngineCopy {
    /// Name of the entrant.
    pub name: String,
    pub program: PathBuf,
    pub args: Vec<String>,
    pub initstr: Option<String>,
    /// Node count of its `bench`, by the message of the commit that it was built from.
    pub bench: Option<u64>,
}

/// Why no worker was started.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// Failure of each host.
    #[error("start a worker over ssh: {}", .0.join("; "))]
    NoHost(Vec<String>),
    #[error("read {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("start threads: {0}")]
    System(#[from] std::io::Error),
}

impl SshWorkers {
    /// Starts the workers and waits until the first of them runs. Messages for users go to `show` until then, and later come
    /// as events.
    ///
    /// # Errors
    /// If none of the hosts can be reached.
    pub fn start(
        setup: SshSetup,
        events: &Sender<Event>,
        show: impl Fn(&str),
    ) -> Result<SshWorkers, SshError> {
        let mut files = vec![CopiedFile::of(setup.own_program, PROGRAM_NAME)?];
        let mut entries = Vec::new();
        for engine in setup.engines {
            let file = CopiedFile::of(engine.program, ENGINE_NAME)?;
            let initstr = engine.initstr.map(|lines| ("initstr", Value::from(lines)));
            let bench = engine.bench.and_then(|nodes| i64::try_from(nodes).ok());
            let bench = bench.map(|nodes| (COPY_BENCH, Value::from(nodes)));
            let entry =
                [("name", engine.name.into()), ("cmd", file.place().into()), ("args", engine.args.into())];
            let entry =
                entry.into_iter().chain(initstr).chain(bench).map(|(key, value)| (key.to_owned(), value));
            entries.push(Value::Table(entry.collect()));
            if !files.iter().any(|known| known.place() == file.place()) {
                files.push(file);
            }
        }
        let registry = Table::from_iter([("engine".to_owned(), Value::Array(entries))]);
        let launch = Arc::new(WorkerLaunch {
            address: setup.server.address(),
            login: setup.login,
            run: setup.run,
            accepts_files: setup.server.send_files,
            files,
            registry: serde_json::to_string(&registry).map_err(std::io::Error::other)?,
            reaper: setup.reaper,
        });
        let mut workers = SshWorkers { stop: Interrupt::new()?, threads: Vec::new() };
        // Without a buffer: a message that is not received here fails to be sent, and becomes an event.
        let (startup, messages) = sync_channel(0);
        for host in setup.server.ssh {
            let host_thread = HostThread {
                host,
                launch: Arc::clone(&launch),
                stop: workers.stop.clone(),
                events: events.clone(),
                startup: Some(startup.clone()),
                shown: String::new(),
            };
            let builder = thread::Builder::new().name("ssh".to_owned());
            workers.threads.push(builder.spawn(move || host_thread.run())?);
        }
        drop(startup);
        let mut failures = Vec::new();
        for message in messages {
            match message {
                Startup::Message(words) => show(&words),
                Startup::Started => return Ok(workers),
                Startup::Failed(words) => failures.push(words),
            }
        }
        Err(SshError::NoHost(failures))
    }
}

impl Drop for SshWorkers {
    fn drop(&mut self) {
        self.stop.raise();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[derive(Debug)]
struct WorkerLaunch {
    address: String,
    /// User and password of the server.
    login: Option<(String, String)>,
    run: String,
    /// Whether the workers take the files that the run sends.
    accepts_files: bool,
    /// This program and the engines.
    files: Vec<CopiedFile>,
    /// Registry of the copied engines as a line of JSON; paths begin in the folder of the copies.
    registry: String,
    reaper: Option<Reaper>,
}

/// A file that every host must have.
#[derive(Debug)]
struct CopiedFile {
    path: PathBuf,
    name: &'static str,
    sha256: String,
    bytes: u64,
}

impl CopiedFile {
    fn of(path: PathBuf, name: &'static str) -> Result<CopiedFile, SshError> {
        match digest(&path) {
            Ok((sha256, bytes)) => Ok(CopiedFile { path, name, sha256, bytes }),
            Err(source) => Err(SshError::File { path, source }),
        }
    }

    /// Its place in the folder of the copies.
    fn place(&self) -> String {
        format!("{}/{}", self.sha256, self.name)
    }
}

/// SHA-256 and length of a file.
fn digest(path: &Path) -> std::io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    Ok((smalt_workbench::engine_files::sha256(&mut file)?, file.metadata()?.len()))
}

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
enum ConnectionEnd {
    Stopped,
    /// The host lacks these files.
    Missing(Vec<String>),
    /// Lost or refused; the reason.
    Lost(String),
    /// The host cannot run this program.
    Unsuitable(String),
}

/// Messages of a host before the run begins.
#[derive(Debug)]
enum Startup {
    Message(String),
    Started,
    /// The first connection failed; the reason.
    Failed(String),
}

/// Runs in a thread for each host: starts its worker over ssh, and starts it again if the connection is lost.
struct HostThread {
    host: SshHost,
    launch: Arc<WorkerLaunch>,
    stop: Interrupt,
    events: Sender<Event>,
    /// Takes messages until the first connection has succeeded or failed.
    startup: Option<SyncSender<Startup>>,
    /// The last failure shown.
    shown: String,
}

impl HostThread {
    fn run(mut self) {
        let [mut pause, longest] = PAUSES;
        loop {
            let begun = Instant::now();
            let words = match self.connect_and_copy() {
                ConnectionEnd::Stopped => return,
                ConnectionEnd::Unsuitable(words) => {
                    self.report_failure(&words, "skipped");
                    return;
                }
                ConnectionEnd::Lost(words) => words,
                ConnectionEnd::Missing(_) => "the copies of the programs cannot be run there".to_owned(),
            };
            if begun.elapsed() > longest {
                pause = PAUSES[0];
            }
            self.report_failure(&words, "connecting again");
            if self.stop.wait(pause) {
                return;
            }
            pause = longest.min(2 * pause);
        }
    }

    /// Shows a failure, unless it is the last one again.
    fn report_failure(&mut self, words: &str, consequence: &str) {
        if let Some(startup) = self.startup.take() {
            let _ = startup.send(Startup::Failed(format!("{}: {words}", self.host.destination)));
        }
        if self.shown != words {
            self.show(&format!("{words}; {consequence}"));
            words.clone_into(&mut self.shown);
        }
    }

    fn show(&self, words: &str) {
        let words = format!("{}: {words}", self.host.destination);
        let startup = self.startup.as_ref();
        if startup.is_none_or(|startup| startup.send(Startup::Message(words.clone())).is_err()) {
            let _ = self.events.send(Event::Notice { words });
        }
    }

    /// Runs the worker, after the files that the host lacks were copied.
    fn connect_and_copy(&mut self) -> ConnectionEnd {
        let missing = match self.connect() {
            ConnectionEnd::Missing(missing) => missing,
            ended => return ended,
        };
        let launch = Arc::clone(&self.launch);
        for file in launch.files.iter().filter(|file| missing.contains(&file.place())) {
            self.show(&format!("copying {} ({:.1} MB)", file.path.display(), file.bytes as f64 / 1e6));
            if let Err(ended) = self.copy(file) {
                return ended;
            }
        }
        self.connect()
    }

    /// Starts the worker and watches it until the connection ends.
    fn connect(&mut self) -> ConnectionEnd {
        let tunnel = format!("127.0.0.1:0:{}", self.launch.address);
        let mut process = match self.ssh(&["-R", &tunnel], &self.start_script()) {
            Ok(process) => process,
            Err(words) => return ConnectionEnd::Lost(words),
        };
        let deadline = Instant::now() + STARTUP_TIMEOUT;
        let mut heartbeat: Option<Instant> = None;
        let (mut platform, mut is_ready, mut missing) = (None, false, Vec::new());
        loop {
            while let Some(line) = process.take_line() {
                let text = trimmed(&line.text());
                is_ready |= text == READY;
                missing.extend(text.strip_prefix(MISSING).map(str::to_owned));
                platform = text.strip_prefix(PLATFORM).map(str::to_owned).or(platform);
            }
            if let Some(other) = platform.as_ref().filter(|platform| **platform != own_platform()) {
                return ConnectionEnd::Unsuitable(format!(
                    "it runs {other}, and this program is for {}: start `smalt-tournament worker --nats URL` there",
                    own_platform()
                ));
            }
            if self.stop.is_raised() {
                process.close_stdin();
                process.await_exit(Instant::now() + STOP_TIMEOUT);
                return ConnectionEnd::Stopped;
            }
            if process.is_silent() {
                let exit = process.await_exit(Instant::now() + STOP_TIMEOUT);
                let is_missing = heartbeat.is_none() && exit == Some(Exit::Code(MISSING_CODE));
                return if is_missing {
                    ConnectionEnd::Missing(missing)
                } else {
                    ConnectionEnd::Lost(last_message(&process))
                };
            }
            let now = Instant::now();
            match (heartbeat, port_of(&process)) {
                (None, Some(port)) if is_ready => {
                    process.write(self.handshake(port).as_bytes());
                    heartbeat = Some(now + HEARTBEAT_INTERVAL);
                    self.report_start();
                }
                (None, _) if now >= deadline => {
                    return ConnectionEnd::Lost(format!("no answer within {} s", STARTUP_TIMEOUT.as_secs()));
                }
                (Some(due), _) if now >= due => {
                    process.write(b"\n");
                    heartbeat = Some(now + HEARTBEAT_INTERVAL);
                }
                _ => {}
            }
            let until = heartbeat.unwrap_or(deadline);
            if let Err(error) = poll_once(&mut process, None, Some(&self.stop), WaitFor::Output, until) {
                return ConnectionEnd::Lost(format!("failed to wait for ssh: {error}"));
            }
        }
    }

    fn report_start(&mut self) {
        self.shown.clear();
        self.show("connected");
        if let Some(startup) = self.startup.take() {
            let _ = startup.send(Startup::Started);
        }
    }

    /// Lines that the start script reads: the port of the tunnel, and user and password of the server. The worker reads the
    /// last one, the registry of the copied engines.
    fn handshake(&self, port: u16) -> String {
        let (user, password) =
            self.launch.login.as_ref().map_or(("", ""), |(user, password)| (user, password));
        format!("{port}\n{user}\n{password}\n{}\n", self.launch.registry)
    }

    fn copy(&self, file: &CopiedFile) -> Result<(), ConnectionEnd> {
        let lost =
            |words: String| ConnectionEnd::Lost(format!("failed to copy {}: {words}", file.path.display()));
        let program = fs::read(&file.path).map_err(|error| lost(error.to_string()))?;
        if digest(&file.path).ok() != Some((file.sha256.clone(), program.len() as u64)) {
            return Err(lost("it has changed since the start of the run".to_owned()));
        }
        let mut process = self.ssh(&[], &self.copy_script(file)).map_err(lost)?;
        let mut rest = &program[..];
        while !rest.is_empty() && !process.is_silent() {
            let soon = Instant::now() + HEARTBEAT_INTERVAL;
            match process.write(rest) {
                Written::Broken => break,
                Written::Bytes(0) => {
                    let waited = poll_once(&mut process, None, Some(&self.stop), WaitFor::Room, soon);
                    match waited.map_err(|error| lost(error.to_string()))? {
                        PollOutcome::Interrupted => return Err(ConnectionEnd::Stopped),
                        PollOutcome::Progress | PollOutcome::TimedOut => {
                            while process.take_line().is_some() {}
                        }
                    }
                }
                Written::Bytes(count) => rest = &rest[count..],
            }
        }
        process.close_stdin();
        loop {
            match process.await_exit(Instant::now() + Duration::from_millis(200)) {
                Some(Exit::Code(0)) => return Ok(()),
                Some(_) => return Err(lost(last_message(&process))),
                None if self.stop.is_raised() => return Err(ConnectionEnd::Stopped),
                None => {}
            }
        }
    }

    /// Starts ssh with a script for the shell of the host. The script has no single quote.
    fn ssh(&self, arguments: &[&str], script: &str) -> Result<Process, String> {
        let options = SSH_OPTIONS.iter().flat_map(|option| ["-o", option]);
        let mut command = EngineCommand::new("ssh").arguments(["-T", "-a", "-x"]).arguments(options);
        command = command.arguments(arguments.iter().copied());
        command = command.arguments(["--", &self.host.destination, &format!("sh -c '{script}'")]);
        command.reaper.clone_from(&self.launch.reaper);
        Process::spawn(&command).map_err(|error| format!("failed to {error}"))
    }

    /// Prints the platform and the files that are missing, and starts the worker once it has read the handshake. The worker ends
    /// with its standard input.
    fn start_script(&self) -> String {
        let concurrency =
            self.host.concurrency.map(|count| format!(" --concurrency {count}")).unwrap_or_default();
        let files = if self.launch.accepts_files { " --accept-files" } else { "" };
        let places: Vec<String> = self.launch.files.iter().map(CopiedFile::place).collect();
        format!(
            "echo {PLATFORM}$(uname -sm); folder=\"{COPIES}\"; code=0; for file in {}; do \
             test -x \"$folder/$file\" && touch \"$folder/$file\" || {{ echo {MISSING}$file; code={MISSING_CODE}; }}; done; \
             test $code -eq 0 || exit $code; echo {READY}; \
             read -r port && IFS= read -r user && IFS= read -r SMALT_NATS_PASSWORD || exit 1; export SMALT_NATS_PASSWORD; \
             exec \"$folder/{}\" worker --attached --nats \"nats://127.0.0.1:$port\" --run {} --name={}{concurrency}{files} \
             ${{user:+--nats-user \"$user\"}}",
            places.join(" "),
            places[0],
            self.launch.run,
            self.host.name(),
        )
    }

    /// Reads a file from standard input; one that was cut off is not kept, and files unused for a month are deleted.
    fn copy_script(&self, file: &CopiedFile) -> String {
        format!(
            "copies=\"{COPIES}\"; folder=\"$copies/{}\"; new=\"$folder/new.$$\"; mkdir -p \"$folder\" || exit 1; \
             find \"$copies\" -type f -mtime +30 -exec rm -f {{}} +; \
             cat > \"$new\" && test $(wc -c < \"$new\") -eq {} && chmod 755 \"$new\" && mv \"$new\" \"$folder/{}\" && exit 0; \
             rm -f \"$new\"; echo \"the copy is incomplete\" >&2; exit 1",
            file.sha256, file.bytes, file.name,
        )
    }
}

/// This platform, as `uname -sm` prints it.
fn own_platform() -> String {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", architecture) => format!("Linux {architecture}"),
        ("macos", "aarch64") => "Darwin arm64".to_owned(),
        ("macos", architecture) => format!("Darwin {architecture}"),
        (system, architecture) => format!("{system} {architecture}"),
    }
}

/// The port of the tunnel, once ssh has printed it.
fn port_of(process: &Process) -> Option<u16> {
    process.stderr_lines().find_map(|line| {
        let line = String::from_utf8_lossy(line);
        line.strip_prefix(PORT_MESSAGE)?.split(' ').next()?.parse().ok()
    })
}

/// The last message of ssh or of the host.
fn last_message(process: &Process) -> String {
    let lines = process.stderr_lines().map(|line| trimmed(String::from_utf8_lossy(line).trim()));
    let message = lines.filter(|line| !line.is_empty() && !line.starts_with(PORT_MESSAGE)).last();
    message.unwrap_or_else(|| "the connection ended".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_have_no_single_quote() {
        let launch = WorkerLaunch {
            address: "127.0.0.1:4222".to_owned(),
            login: Some(("us'er".to_owned(), "pass'word".to_owned())),
            run: "0123".to_owned(),
            accepts_files: true,
            files: vec![CopiedFile {
                path: PathBuf::from("/opt/it's/smalt-tournament"),
                name: PROGRAM_NAME,
                sha256: "ab".repeat(32),
                bytes: 17,
            }],
            registry: "{}".to_owned(),
            reaper: None,
        };
        let (events, _) = std::sync::mpsc::channel();
        let thread = HostThread {
            host: "me@fast/3".parse().unwrap(),
            launch: Arc::new(launch),
            stop: Interrupt::new().unwrap(),
            events,
            startup: None,
            shown: String::new(),
        };
        for script in [thread.start_script(), thread.copy_script(&thread.launch.files[0])] {
            assert!(!script.contains('\'') && !script.contains('\n'), "{script}");
        }
        assert!(thread.start_script().contains("--run 0123 --name=fast --concurrency 3 --accept-files "));
        assert_eq!(thread.handshake(4000), "4000\nus'er\npass'word\n{}\n");
    }
}
