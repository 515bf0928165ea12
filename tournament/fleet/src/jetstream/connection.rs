//! The connection to a NATS server with authentication and TLS. Secrets come only from files and the
//! environment. A lost connection is restored without a limit of time.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event};
use smalt_driver::process::PASSWORD_VARIABLE;
use tokio::sync::mpsc::UnboundedSender;

use super::SERVER_TIMEOUT;
use crate::wire::trimmed;
use smalt_match::plan::FleetSettings;
use smalt_workbench::input::read_text;

/// Timeout of the first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Ping interval of a silent connection.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// Why the connection failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Unreadable file with a secret or certificate.
    #[error("read {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    /// A user without a password.
    #[error(
        "log in to {url} as {user}: no password; give --nats-password-file, or {PASSWORD_VARIABLE} in the environment"
    )]
    NoPassword { url: String, user: String },
    /// Server unreachable or access refused.
    #[error("connect to {url}: {words}{}", advice(.words))]
    Refused { url: String, words: String },
    /// JetStream missing or forbidden.
    #[error("use JetStream of {url}: {words}; start it with: nats-server -js, and permit our subjects")]
    NoJetStream { url: String, words: String },
    /// Another coordinator has a run of this name.
    #[error(
        "start the run on {url}: another coordinator announces run {run} there; end that one, or give this one another name (run in [fleet])"
    )]
    Taken { url: String, run: String },
    /// A failure of the system.
    #[error("begin: {0}")]
    System(#[from] std::io::Error),
}

fn advice(words: &str) -> &'static str {
    if words.contains("InvalidContentType") {
        "; it has no TLS: use nats:// without certificates, or configure TLS there"
    } else if words.contains("authorization") {
        "; see the flags --nats-user, --nats-creds and --nats-nkey"
    } else if words.contains("nonce") {
        "; is the first line of the file of --nats-nkey a seed?"
    } else if words.contains("certificate") || words.contains("TLS") || words.contains("tls") {
        "; see the flag --nats-ca"
    } else {
        ""
    }
}

/// A change of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConnectionChange {
    Up,
    Down,
    /// Permission denied; the server's message.
    Forbidden(String),
}

/// Connects under a client name, with this prefix of response subjects; loss and return of the connection are reported.
pub(super) async fn connect(
    server: &FleetSettings,
    inbox: String,
    name: &str,
    lines: UnboundedSender<ConnectionChange>,
) -> Result<Client, ConnectError> {
    let (was_lost, last_error) = (AtomicBool::new(false), Mutex::new(None));
    let options = ConnectOptions::new()
        .name(name)
        .custom_inbox_prefix(inbox)
        .connection_timeout(SERVER_TIMEOUT)
        .request_timeout(Some(SERVER_TIMEOUT))
        .ping_interval(PING_INTERVAL)
        .max_reconnects(None)
        .reconnect_delay_callback(|attempts| Duration::from_millis((100 * attempts.min(20)) as u64))
        .event_callback(move |event| {
            let line = match event {
                Event::Connected => was_lost.swap(false, Ordering::Relaxed).then_some(ConnectionChange::Up),
                Event::Disconnected => {
                    (!was_lost.swap(true, Ordering::Relaxed)).then_some(ConnectionChange::Down)
                }
                Event::ServerError(error) => {
                    let words = trimmed(&error.to_string());
                    let mut last = last_error.lock().unwrap_or_else(PoisonError::into_inner);
                    let is_new = last.replace(words.clone()).as_ref() != Some(&words);
                    is_new.then_some(ConnectionChange::Forbidden(words))
                }
                _ => None,
            };
            if let Some(line) = line {
                let _ = lines.send(line);
            }
            std::future::ready(())
        });
    let options = with_secrets(options, server)?;
    let refused = |words: String| ConnectError::Refused { url: server.url().to_owned(), words };
    match tokio::time::timeout(CONNECT_TIMEOUT, options.connect(server.url())).await {
        Ok(Ok(client)) => Ok(client),
        Ok(Err(error)) => Err(refused(chain(&error))),
        Err(_) => Err(refused("no answer".to_owned())),
    }
}

fn with_secrets(mut options: ConnectOptions, server: &FleetSettings) -> Result<ConnectOptions, ConnectError> {
    if let Some((user, password)) = login(server)? {
        options = options.user_and_password(user, password);
    }
    if let Some(path) = &server.creds {
        let text = read(path)?;
        let failed = |source| ConnectError::File { path: path.clone(), source };
        options = options.credentials(&text).map_err(failed)?;
    }
    if let Some(path) = &server.nkey {
        options = options.nkey(first_line(path)?);
    }
    if let Some(path) = &server.ca {
        read(path)?;
        options = options.add_root_certificates(path.clone()).require_tls(true);
    }
    if let (Some(cert), Some(key)) = (&server.cert, &server.key) {
        read(cert)?;
        read(key)?;
        options = options.add_client_certificate(cert.clone(), key.clone()).require_tls(true);
    }
    Ok(options)
}

/// User and password of a server; `None` for one without users.
///
/// # Errors
/// If the user has no password, or its file cannot be read.
pub fn login(server: &FleetSettings) -> Result<Option<(String, String)>, ConnectError> {
    let Some(user) = server.user.clone() else { return Ok(None) };
    let password = match &server.password_file {
        Some(path) => Some(first_line(path)?),
        None => std::env::var(PASSWORD_VARIABLE).ok(),
    };
    match password {
        Some(password) => Ok(Some((user, password))),
        None => Err(ConnectError::NoPassword { url: server.url().to_owned(), user }),
    }
}

pub(super) fn read(path: &Path) -> Result<String, ConnectError> {
    read_text(path).map_err(|source| ConnectError::File { path: path.to_owned(), source })
}

pub(super) fn first_line(path: &Path) -> Result<String, ConnectError> {
    Ok(read(path)?.lines().next().unwrap_or_default().trim().to_owned())
}

/// An error with its chain of causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        // Some errors repeat their cause after a prefix.
        let words = error.to_string();
        let words = words.strip_prefix("nats: ").unwrap_or(&words).to_owned();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Layer(&'static str, #[source] Option<Box<Layer>>);

    #[test]
    fn words_are_said_once_and_advise() {
        let error =
            Layer("authorization violation", Some(Box::new(Layer("nats: authorization violation", None))));
        assert_eq!(chain(&error), "authorization violation");
        let error = Layer(
            "TLS error",
            Some(Box::new(Layer("received corrupt message of type InvalidContentType", None))),
        );
        assert!(advice(&chain(&error)).contains("it has no TLS"));
        assert!(advice("failed signing nonce").contains("--nats-nkey"));
    }
}
