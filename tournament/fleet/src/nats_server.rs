//! A NATS server of the run's own, on loopback with a random port and password, for workers that reach it through the tunnels
//! of ssh. It ends with its value; what it stored is deleted.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{LookupError, Process, Reaper, StartError, StderrPolicy};
use smalt_match::plan::FleetSettings;
use tempfile::TempDir;

const USER: &str = "smalt";

const PROGRAM: &str = "nats-server";

/// Where Debian installs it, which is not in the `PATH` of every user.
const DEBIAN_PROGRAM: &str = "/usr/sbin/nats-server";

const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// How often a starting server is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A running server.
#[derive(Debug)]
pub struct NatsServer {
    /// Killed before its folder is deleted.
    _process: Process,
    folder: TempDir,
    url: String,
}

/// Why no server was started.
#[derive(Debug, thiserror::Error)]
pub enum NatsServerError {
    #[error(
        "find `nats-server`: runs on ssh hosts need it on this machine: install it (apt install nats-server, brew install \
         nats-server, or https://nats.io/download), or name a server that runs: --nats URL"
    )]
    Missing,
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("write its configuration: {0}")]
    Write(#[from] std::io::Error),
    /// It ended or did not listen; the end of its log.
    #[error("start nats-server: {0}")]
    NotReady(String),
}

impl NatsServer {
    /// Starts a server and waits until it listens. It ends with the calling thread at the latest.
    ///
    /// # Errors
    /// If there is no such program, or it does not listen.
    pub fn start(reaper: Option<&Reaper>) -> Result<NatsServer, NatsServerError> {
        // Only this user can read it.
        let folder = tempfile::tempdir()?;
        let mut random = [0; 16];
        getrandom::fill(&mut random).map_err(std::io::Error::other)?;
        let password: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(folder.path().join("password"), &password)?;
        let (config, log) = (folder.path().join("nats.conf"), folder.path().join("nats.log"));
        let place = folder.path().display();
        fs::write(
            &config,
            format!(
                "host: '127.0.0.1'\nport: -1\nports_file_dir: '{place}'\njetstream {{ store_dir: '{place}' }}\n\
                 authorization {{ user: '{USER}', password: '{password}' }}\n"
            ),
        )?;
        let mut command = EngineCommand::new(PROGRAM).argument("-c").argument(config);
        command = command.stderr(StderrPolicy::File(log.clone()));
        command.reaper = reaper.cloned();
        if command.locate().is_err() {
            command.program = PathBuf::from(DEBIAN_PROGRAM);
        }
        let mut process = Process::spawn(&command).map_err(|error| match error {
            StartError::Lookup(LookupError::NotFound { .. }) => NatsServerError::Missing,
            error => error.into(),
        })?;
        process.close_stdin();
        let deadline = Instant::now() + READY_TIMEOUT;
        loop {
            if let Some(url) = url_in(&folder) {
                return Ok(NatsServer { _process: process, folder, url });
            }
            if process.await_exit(Instant::now() + POLL_INTERVAL).is_some() || Instant::now() >= deadline {
                let log = fs::read_to_string(log).unwrap_or_default();
                let last = log.lines().last().unwrap_or("it does not listen");
                return Err(NatsServerError::NotReady(last.to_owned()));
            }
        }
    }

    /// The settings of a run on this server.
    pub fn settings(&self, of_run: &FleetSettings) -> FleetSettings {
        FleetSettings {
            nats: Some(self.url.clone()),
            user: Some(USER.to_owned()),
            password_file: Some(self.folder.path().join("password")),
            ..of_run.clone()
        }
    }
}

/// The address in the file of ports that a server writes when it listens.
fn url_in(folder: &TempDir) -> Option<String> {
    let files = fs::read_dir(folder.path()).ok()?.flatten().map(|file| file.path());
    let ports =
        files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "ports"))?;
    let ports: serde_json::Value = serde_json::from_str(&fs::read_to_string(ports).ok()?).ok()?;
    Some(ports["nats"][0].as_str()?.to_owned())
}
