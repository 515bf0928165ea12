//! Workers on other machines, started by the user's own `ssh` with the settings of `~/.ssh/config`. The worker is this program,
//! copied once into a cache there, and reaches the NATS server through a reverse tunnel of the same connection. When the
//! connection is lost the worker ends, and another one is started over a new connection.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, Interrupt, PollOutcome, Process, Reaper, WaitFor, Written, poll_once};
use smalt_match::plan::{FleetSettings, SshHost};
use smalt_match::run::Event;

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
    "BatchMode=yes",
    "ConnectTimeout=10",
    "ServerAliveInterval=5",
    "ExitOnForwardFailure=yes",
    "ControlMaster=no",
    "ControlPath=none",
    "RemoteCommand=none",
    "LogLevel=INFO",
];

/// Message of ssh with the port of a tunnel.
const PORT_MESSAGE: &str = "Allocated port ";

/// Exit code of a host without a copy of this program.
const MISSING_CODE: i32 = 3;

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
    /// Process that ends ssh when this program is killed.
    pub reaper: Option<Reaper>,
}

/// Why no worker was started.
#[derive(Debug, thiserror::Error)]
pub enum SshError {
    /// Failure of each host.
    #[error("start a worker over ssh: {}", .0.join("; "))]
    NoHost(Vec<String>),
    #[error("read {}: {source}", path.display())]
    Program { path: PathBuf, source: std::io::Error },
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
        let failed = |source| SshError::Program { path: setup.own_program.clone(), source };
        let mut program = File::open(&setup.own_program).map_err(failed)?;
        let launch = Arc::new(WorkerLaunch {
            address: address(setup.server.url()),
            login: setup.login,
            sha256: smalt_match::run::sha256(&mut program).map_err(failed)?,
            bytes: program.metadata().map_err(failed)?.len(),
            run: setup.run,
            program: setup.own_program,
            reaper: setup.reaper,
        });
        let mut workers = SshWorkers { stop: Interrupt::new()?, threads: Vec::new() };
        let (startup, messages) = channel();
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

/// The server's address for a tunnel.
fn address(url: &str) -> String {
    let host = url.split_once("//").map_or(url, |(_, host)| host);
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    if has_port { host.to_owned() } else { format!("{host}:4222") }
}

#[derive(Debug)]
struct WorkerLaunch {
    address: String,
    /// User and password of the server.
    login: Option<(String, String)>,
    run: String,
    program: PathBuf,
    sha256: String,
    bytes: u64,
    reaper: Option<Reaper>,
}

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
enum ConnectionEnd {
    Stopped,
    /// The host has no copy of the program.
    Missing,
    /// Lost or refused; the reason.
    Lost(String),
    /// The host cannot run this program.
    Unsuitable(String),
}

/// Messages of a host before the run begins.
#[derive(Debug)]
enum Startup {
    /// For users.
    Message(String),
    Started,
    /// The first connection failed; the reason.
    Failed(String),
}

/// The thread of a host.
struct HostThread {
    host: SshHost,
    launch: Arc<WorkerLaunch>,
    stop: Interrupt,
    events: Sender<Event>,
    /// Takes messages until the first connection has succeeded or failed.
    startup: Option<Sender<Startup>>,
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
                    self.report_failure(&words, "left out");
                    return;
                }
                ConnectionEnd::Lost(words) => words,
                ConnectionEnd::Missing => "the copy of this program cannot be run there".to_owned(),
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

    /// Runs the worker, after the program was copied if need be.
    fn connect_and_copy(&mut self) -> ConnectionEnd {
        match self.connect() {
            ConnectionEnd::Missing => {}
            ended => return ended,
        }
        self.show(&format!("copying this program ({:.1} MB)", self.launch.bytes as f64 / 1e6));
        match self.copy() {
            Ok(()) => self.connect(),
            Err(ended) => ended,
        }
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
        let (mut platform, mut is_ready) = (None, false);
        loop {
            while let Some(line) = process.take_line() {
                let text = trimmed(&line.text());
                is_ready |= text == READY;
                platform.get_or_insert(text);
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
                    ConnectionEnd::Missing
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

    /// Lines that the start script reads: the port of the tunnel, and user and password of the server.
    fn handshake(&self, port: u16) -> String {
        let (user, password) =
            self.launch.login.as_ref().map_or(("", ""), |(user, password)| (user, password));
        format!("{port}\n{user}\n{password}\n")
    }

    /// Copies the program.
    fn copy(&self) -> Result<(), ConnectionEnd> {
        let program =
            fs::read(&self.launch.program).map_err(|error| ConnectionEnd::Lost(error.to_string()))?;
        let mut process = self.ssh(&[], &self.copy_script()).map_err(ConnectionEnd::Lost)?;
        let mut rest = &program[..];
        while !rest.is_empty() && !process.is_silent() {
            let soon = Instant::now() + HEARTBEAT_INTERVAL;
            match process.write(rest) {
                Written::Broken => break,
                Written::Bytes(0) => {
                    let waited = poll_once(&mut process, None, Some(&self.stop), WaitFor::Room, soon);
                    match waited.map_err(|error| ConnectionEnd::Lost(error.to_string()))? {
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
                Some(_) => {
                    return Err(ConnectionEnd::Lost(format!(
                        "failed to copy this program: {}",
                        last_message(&process)
                    )));
                }
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

    /// Folder of the copy on the host, in its shell's words.
    fn folder(&self) -> String {
        format!("${{XDG_CACHE_HOME:-$HOME/.cache}}/smalt/workers/{}", self.launch.sha256)
    }

    /// Prints the platform, and starts the worker once it has read the handshake. The worker ends with its standard input.
    fn start_script(&self) -> String {
        let concurrency =
            self.host.concurrency.map(|count| format!(" --concurrency {count}")).unwrap_or_default();
        format!(
            "uname -sm; file=\"{}/smalt-tournament\"; test -x \"$file\" || exit {MISSING_CODE}; touch \"$file\"; echo {READY}; \
             read -r port && IFS= read -r user && IFS= read -r SMALT_NATS_PASSWORD || exit 1; export SMALT_NATS_PASSWORD; \
             exec \"$file\" worker --attached --nats \"nats://127.0.0.1:$port\" --run {} --name {}{concurrency} \
             ${{user:+--nats-user \"$user\"}}",
            self.folder(),
            self.launch.run,
            self.host.name(),
        )
    }

    /// Reads the program from standard input; one that was cut off is not kept, and copies unused for a month are deleted.
    fn copy_script(&self) -> String {
        format!(
            "folder=\"{}\"; new=\"$folder/new.$$\"; mkdir -p \"$folder\" || exit 1; \
             find \"$folder/..\" -name smalt-tournament -mtime +30 -exec rm -f {{}} +; \
             cat > \"$new\" && test $(wc -c < \"$new\") -eq {} && chmod 755 \"$new\" && mv \"$new\" \"$folder/smalt-tournament\" && \
             exit 0; rm -f \"$new\"; echo \"the copy is incomplete\" >&2; exit 1",
            self.folder(),
            self.launch.bytes,
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
    fn a_tunnel_leads_to_the_address_of_the_server() {
        for (url, expected) in [
            ("nats://host:4333", "host:4333"),
            ("nats://host", "host:4222"),
            ("host", "host:4222"),
            ("nats://[::1]", "[::1]:4222"),
            ("nats://[::1]:14222", "[::1]:14222"),
        ] {
            assert_eq!(address(url), expected);
        }
    }

    #[test]
    fn scripts_have_no_single_quote() {
        let launch = WorkerLaunch {
            address: "127.0.0.1:4222".to_owned(),
            login: Some(("us'er".to_owned(), "pass'word".to_owned())),
            run: "0123".to_owned(),
            program: PathBuf::from("/opt/it's/smalt-tournament"),
            sha256: "ab".repeat(32),
            bytes: 17,
            reaper: None,
        };
        let (events, _) = channel();
        let thread = HostThread {
            host: "me@fast/3".parse().unwrap(),
            launch: Arc::new(launch),
            stop: Interrupt::new().unwrap(),
            events,
            startup: None,
            shown: String::new(),
        };
        for script in [thread.start_script(), thread.copy_script()] {
            assert!(!script.contains('\'') && !script.contains('\n'), "{script}");
        }
        assert!(thread.start_script().contains("--run 0123 --name fast --concurrency 3 "));
        assert_eq!(thread.handshake(4000), "4000\nus'er\npass'word\n");
    }
}
