//! A NATS server for a single run, on loopback with a random port and password; workers reach it through ssh tunnels.
//! Dropping it stops the server and deletes its data.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{LookupError, Process, Reaper, StartError, StderrPolicy};
use smalt_match::plan::FleetSettings;
use smalt_workbench::engine_files::random_hexadecimal;
use tempfile::TempDir;

const USER: &str = "smalt";

const PROGRAM: &str = "nats-server";

/// Debian's path, which is not in every user's `PATH`.
const DEBIAN_PROGRAM: &str = "/usr/sbin/nats-server";

const READY_TIMEOUT: Duration = Duration::from_secs(10);

/// Polling interval of a starting server.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct NatsServer {
    /// Declared first: killed before its folder is deleted.
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
    /// It exited or did not listen; the last lines of its log.
    #[error("start nats-server: {0}")]
    NotReady(String),
}

impl NatsServer {
    /// Starts a server and waits until it listens. It ends at the latest with the calling thread.
    ///
    /// # Errors
    /// If the program is not found, or does not listen.
    pub fn start(reaper: Option<&Reaper>) -> Result<NatsServer, NatsServerError> {
        // Readable by this user only.
        let folder = tempfile::tempdir()?;
        let password = random_hexadecimal(16)?;
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

    /// The run's settings with this server.
    pub fn settings(&self, of_run: &FleetSettings) -> FleetSettings {
        FleetSettings {
            nats: Some(self.url.clone()),
            user: Some(USER.to_owned()),
            password_file: Some(self.folder.path().join("password")),
            ..of_run.clone()
        }
    }
}

/// The address in the ports file, which the server writes once it listens.
fn url_in(folder: &TempDir) -> Option<String> {
    let files = fs::read_dir(folder.path()).ok()?.flatten().map(|file| file.path());
    let ports =
        files.into_iter().find(|file| file.extension().is_some_and(|extension| extension == "ports"))?;
    let ports: serde_json::Value = serde_json::from_str(&fs::read_to_string(ports).ok()?).ok()?;
    Some(ports["nats"][0].as_str()?.to_owned())
}
