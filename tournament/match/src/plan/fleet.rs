//! Where the workers of a run meet that is played on other machines: the address of a NATS server, how to be let in, and
//! how long a silent worker is waited for. Values only; who connects is [`crate::fleet`].

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The word that means no server, so that a run is played here.
const OFF: &str = "off";

/// How long a worker may be silent where nothing is said.
const LEASE: Duration = Duration::from_secs(30);

/// What a user may write about it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct FleetFile {
    /// The server: `nats://host:4222` or `tls://host:4222`; `off` plays on this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nats: Option<String>,
    /// The user; its password is in a file, or in the environment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The file whose first line is the password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_file: Option<PathBuf>,
    /// A file of credentials, as NATS writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creds: Option<PathBuf>,
    /// A file whose first line is the seed of an nkey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nkey: Option<PathBuf>,
    /// The certificates of an authority of one's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The certificate that the server wants to see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert: Option<PathBuf>,
    /// The key of that certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// After how many seconds of silence a worker's games are given to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<f64>,
    /// Whether workers may have different binaries of one entrant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_mixed: Option<bool>,
    /// The name of the run on the server, as it was chosen when the run began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// A server and how to be let in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerAddress {
    /// Its address, without any secret.
    pub url: String,
    /// See [`FleetFile::user`].
    pub user: Option<String>,
    /// See [`FleetFile::password_file`].
    pub password_file: Option<PathBuf>,
    /// See [`FleetFile::creds`].
    pub creds: Option<PathBuf>,
    /// See [`FleetFile::nkey`].
    pub nkey: Option<PathBuf>,
    /// See [`FleetFile::ca`].
    pub ca: Option<PathBuf>,
    /// See [`FleetFile::cert`].
    pub cert: Option<PathBuf>,
    /// See [`FleetFile::key`].
    pub key: Option<PathBuf>,
}

/// How a run is played on other machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetPlan {
    /// Where.
    pub server: ServerAddress,
    /// After how long a silent worker's games are given to another.
    pub lease: Duration,
    /// Whether workers may have different binaries.
    pub binaries: Binaries,
    /// The run's name on the server; none before it has begun.
    pub run: Option<String>,
}

/// Whether workers may have different binaries of one entrant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Binaries {
    /// They must have the same.
    #[default]
    Same,
    /// They may.
    Mixed,
}

/// Why it cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// Everybody who may list processes reads a command line.
    #[error(
        "nats: the address must bear no user and no password, which others could read; give the user by --nats-user \
         and its password by --nats-password-file or in the environment as SMALT_NATS_PASSWORD"
    )]
    Secret,
    /// Another kind of address.
    #[error("nats {0:?}: expected nats://HOST:PORT, tls://HOST:PORT, or off")]
    Address(String),
    /// A time that is none.
    #[error("lease must be at least a second, and a day at most")]
    Lease,
    /// A name that cannot be part of a subject.
    #[error("run {0:?}: expected letters and digits, 40 at most")]
    Run(String),
    /// Two ways to be let in.
    #[error("of a user, credentials and an nkey only one can be given")]
    TwoWays,
    /// Something about a server, and no server.
    #[error("{0} says how runs are played over a NATS server, and there is none: give nats, too")]
    NoServer(&'static str),
    /// A password of nobody.
    #[error("password-file is the password of a user: give the user, too")]
    Nobody,
    /// Half of a pair.
    #[error("cert and key go together")]
    HalfCertificate,
}

impl FleetFile {
    pub(super) fn says_nothing(&self) -> bool {
        *self == FleetFile::default()
    }

    /// What is not said here is taken from another.
    #[must_use]
    pub fn or(self, other: FleetFile) -> FleetFile {
        FleetFile {
            nats: self.nats.or(other.nats),
            user: self.user.or(other.user),
            password_file: self.password_file.or(other.password_file),
            creds: self.creds.or(other.creds),
            nkey: self.nkey.or(other.nkey),
            ca: self.ca.or(other.ca),
            cert: self.cert.or(other.cert),
            key: self.key.or(other.key),
            lease: self.lease.or(other.lease),
            allow_mixed: self.allow_mixed.or(other.allow_mixed),
            run: self.run.or(other.run),
        }
    }

    /// What is said about a server, if anything is.
    fn first_said(&self) -> Option<&'static str> {
        let said = [
            ("user", self.user.is_some()),
            ("password-file", self.password_file.is_some()),
            ("creds", self.creds.is_some()),
            ("nkey", self.nkey.is_some()),
            ("ca", self.ca.is_some()),
            ("cert", self.cert.is_some()),
            ("lease", self.lease.is_some()),
            ("allow-mixed", self.allow_mixed.is_some()),
        ];
        said.into_iter().find_map(|(key, is_said)| is_said.then_some(key))
    }

    /// Checks all; none if the run is played here.
    ///
    /// # Errors
    /// If something is no address, no time, or a secret in the wrong place.
    pub fn check(&self) -> Result<Option<FleetPlan>, FleetError> {
        let Some(url) = self.nats.as_ref() else {
            return self.first_said().map_or(Ok(None), |key| Err(FleetError::NoServer(key)));
        };
        if url == OFF {
            return Ok(None);
        }
        let lease = self.lease.map_or(Ok(LEASE), |seconds| {
            let fits = (1.0..=86_400.0).contains(&seconds);
            if fits { Ok(Duration::from_secs_f64(seconds)) } else { Err(FleetError::Lease) }
        })?;
        if let Some(run) = self.run.as_ref().filter(|run| !is_run_name(run)) {
            return Err(FleetError::Run(run.clone()));
        }
        let server = ServerAddress {
            url: check_url(url)?,
            user: self.user.clone(),
            password_file: self.password_file.clone(),
            creds: self.creds.clone(),
            nkey: self.nkey.clone(),
            ca: self.ca.clone(),
            cert: self.cert.clone(),
            key: self.key.clone(),
        };
        let ways = [server.user.is_some(), server.creds.is_some(), server.nkey.is_some()];
        if ways.into_iter().filter(|way| *way).count() > 1 {
            return Err(FleetError::TwoWays);
        }
        if server.password_file.is_some() && server.user.is_none() {
            return Err(FleetError::Nobody);
        }
        if server.cert.is_some() != server.key.is_some() {
            return Err(FleetError::HalfCertificate);
        }
        let binaries = if self.allow_mixed == Some(true) { Binaries::Mixed } else { Binaries::Same };
        Ok(Some(FleetPlan { server, lease, binaries, run: self.run.clone() }))
    }
}

/// Whether it may be part of a subject and of a stream's name.
pub fn is_run_name(text: &str) -> bool {
    (1..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn check_url(url: &str) -> Result<String, FleetError> {
    let refuse = || FleetError::Address(url.to_owned());
    let host = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
    // What stands before an @ may be a secret, and so may not come back in an error.
    if url.contains('@') {
        return Err(FleetError::Secret);
    }
    let host = match host {
        Some(host) => host,
        None if url.contains("//") => return Err(refuse()),
        None => url,
    };
    let fits = !host.is_empty() && !host.contains([' ', '/', ',']) && !host.chars().any(char::is_control);
    if fits { Ok(url.to_owned()) } else { Err(refuse()) }
}

impl FleetPlan {
    /// The same as a file says it.
    pub fn to_file(&self) -> FleetFile {
        let FleetPlan { server, lease, binaries, run } = self.clone();
        FleetFile {
            nats: Some(server.url),
            user: server.user,
            password_file: server.password_file,
            creds: server.creds,
            nkey: server.nkey,
            ca: server.ca,
            cert: server.cert,
            key: server.key,
            lease: Some(lease.as_secs_f64()),
            allow_mixed: Some(binaries == Binaries::Mixed),
            run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> FleetFile {
        FleetFile { nats: Some(url.to_owned()), ..FleetFile::default() }
    }

    #[test]
    fn a_secret_in_an_address_is_refused_and_not_repeated() {
        let error = of("nats://me:hush@host:4222").check().unwrap_err();
        assert_eq!(error, FleetError::Secret);
        assert!(!error.to_string().contains("hush"));
        assert_eq!(of("hush@host").check(), Err(FleetError::Secret));
    }

    #[test]
    fn addresses_are_read_and_off_is_none() {
        for url in ["nats://host:4222", "tls://host", "host:4222", "nats://[::1]:4222"] {
            let plan = of(url).check().unwrap().unwrap();
            assert_eq!((plan.server.url.as_str(), plan.lease), (url, LEASE));
            assert_eq!(plan.to_file().check(), Ok(Some(plan)));
        }
        assert_eq!(of("off").check(), Ok(None));
        assert_eq!(FleetFile::default().check(), Ok(None));
        for url in ["http://host", "nats://", "nats://a b"] {
            assert_eq!(of(url).check(), Err(FleetError::Address(url.to_owned())));
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let two = FleetFile { user: Some("me".into()), creds: Some("c".into()), ..of("host") };
        assert_eq!(two.check(), Err(FleetError::TwoWays));
        let nobody = FleetFile { password_file: Some("p".into()), ..of("host") };
        assert_eq!(nobody.check(), Err(FleetError::Nobody));
        let nowhere = FleetFile { lease: Some(5.0), ..FleetFile::default() };
        assert_eq!(nowhere.check(), Err(FleetError::NoServer("lease")));
        assert_eq!(FleetFile { nats: Some(OFF.into()), ..nowhere }.check(), Ok(None));
        let half = FleetFile { cert: Some("c".into()), ..of("host") };
        assert_eq!(half.check(), Err(FleetError::HalfCertificate));
        assert_eq!(FleetFile { lease: Some(0.1), ..of("host") }.check(), Err(FleetError::Lease));
        let run = FleetFile { run: Some("a.b".into()), ..of("host") };
        assert_eq!(run.check(), Err(FleetError::Run("a.b".to_owned())));
    }
}
