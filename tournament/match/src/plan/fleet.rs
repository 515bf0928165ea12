//! Section `[fleet]`: NATS server, authentication, ssh hosts and lease time of a distributed run. `smalt-fleet`
//! connects.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::value::{SecondsSetting, defaults};

/// Keyword of a local run.
const OFF: &str = "off";

/// Section `[fleet]`: the NATS server where workers meet, and how a run is played there.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Other machines")]
pub struct FleetSettings {
    /// NATS server where workers meet: nats://HOST:4222, tls://HOST:4222, or off
    #[arg(long, value_name = "URL")]
    pub nats: Option<String>,
    /// Hosts that play, over ssh, e.g. fast,me@slow/2: HOST or USER@HOST, and /N for N concurrent games [default: its cores less one]
    #[arg(long, value_name = "HOSTS", value_delimiter = ',')]
    #[schemars(with = "Vec<String>")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ssh: Vec<SshHost>,
    /// User of the server; the password is in SMALT_NATS_PASSWORD, or in a file
    #[arg(long = "nats-user", value_name = "NAME", hide_short_help = true)]
    pub user: Option<String>,
    /// File whose first line is the password
    #[arg(long = "nats-password-file", value_name = "FILE", hide_short_help = true)]
    pub password_file: Option<PathBuf>,
    /// File of credentials (.creds), instead of a user
    #[arg(long = "nats-creds", value_name = "FILE", hide_short_help = true)]
    pub creds: Option<PathBuf>,
    /// File whose first line is the seed of an nkey, instead of a user
    #[arg(long = "nats-nkey", value_name = "FILE", hide_short_help = true)]
    pub nkey: Option<PathBuf>,
    /// Certificates (PEM) of your own authority
    #[arg(long = "nats-ca", value_name = "FILE", hide_short_help = true)]
    pub ca: Option<PathBuf>,
    /// Client certificate (PEM), if the server asks for one
    #[arg(long = "nats-cert", value_name = "FILE", requires = "key", hide_short_help = true)]
    pub cert: Option<PathBuf>,
    /// Key of the client certificate (PEM)
    #[arg(long = "nats-key", value_name = "FILE", requires = "cert", hide_short_help = true)]
    pub key: Option<PathBuf>,
    /// Time after which the games of a silent worker are given to another, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", hide_short_help = true)]
    pub lease: SecondsSetting,
    /// Allow changed binaries of an engine, in a resume or between workers
    #[arg(long, hide_short_help = true)]
    pub allow_mixed: bool,
    /// Send engines, their books, the files of their options and the tablebases of --tb to workers that accept them (worker --accept-files)
    #[arg(long, hide_short_help = true)]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub send_files: bool,
    /// Name of the run on the server
    #[arg(id = "fleet_run", long = "run", value_name = "RUN", hide = true)]
    pub run: Option<String>,
}

impl Default for FleetSettings {
    fn default() -> FleetSettings {
        defaults()
    }
}

/// A host of `--ssh`: `HOST` or `USER@HOST`, where HOST may be an alias of `~/.ssh/config`; `/N` limits its concurrent games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshHost {
    /// Destination as passed to `ssh`.
    pub destination: String,
    pub concurrency: Option<NonZeroUsize>,
}

impl SshHost {
    /// Name of its worker in tables: the host without the user.
    pub fn name(&self) -> String {
        let host = self.destination.rsplit('@').next().unwrap_or_default();
        let is_plain = |letter: char| letter.is_alphanumeric() || "._-".contains(letter);
        host.chars().map(|letter| if is_plain(letter) { letter } else { '-' }).collect()
    }
}

impl FromStr for SshHost {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<SshHost, FleetError> {
        let refuse = || FleetError::Host(text.to_owned());
        let (destination, concurrency) = match text.split_once('/') {
            Some((destination, count)) => (destination, Some(count.parse().map_err(|_| refuse())?)),
            None => (text, None),
        };
        let is_plain = |letter: char| letter.is_alphanumeric() || "@._-:[]%".contains(letter);
        // ssh would parse a leading hyphen as an option.
        let is_host = !destination.is_empty() && !destination.starts_with('-') && destination.len() <= 200;
        if !is_host || destination.ends_with('@') || !destination.chars().all(is_plain) {
            return Err(refuse());
        }
        Ok(SshHost { destination: destination.to_owned(), concurrency })
    }
}

impl fmt::Display for SshHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.destination)?;
        self.concurrency.map_or(Ok(()), |count| write!(f, "/{count}"))
    }
}

impl Serialize for SshHost {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SshHost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SshHost, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Why fleet settings are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// A secret in the address, visible to other users in the process list.
    #[error(
        "nats: the address must bear no user and no password, which others could read; give the user by --nats-user \
         and its password by --nats-password-file or in the environment as SMALT_NATS_PASSWORD"
    )]
    Secret,
    #[error("nats {0:?}: expected nats://HOST:PORT, tls://HOST:PORT, or off")]
    Address(String),
    #[error("lease must be at least a second, and a day at most")]
    Lease,
    /// A name that is invalid in a NATS subject.
    #[error("run {0:?}: expected letters and digits, 40 at most")]
    Run(String),
    #[error("give only one of a user, credentials and an nkey")]
    TwoWays,
    #[error("ssh host {0:?}: expected HOST or USER@HOST, or HOST/N for a concurrency of N")]
    Host(String),
    /// A login method that workers behind a tunnel do not have.
    #[error(
        "ssh: its workers reach the server through the tunnel of ssh, and log in with a user and a password at most: give a \
         nats:// address without creds, nkey, ca and cert, or start the workers yourself"
    )]
    Tunnel,
    #[error("these settings are for runs over a NATS server: give nats, too")]
    NoServer,
    #[error("password-file is the password of a user: give the user, too")]
    NoUser,
    #[error("cert and key go together")]
    HalfCertificate,
}

impl FleetSettings {
    /// The settings of a distributed run; `None` for a local one.
    pub fn on(&self) -> Option<&FleetSettings> {
        let is_on = if self.nats.is_some() { self.url() != OFF } else { !self.ssh.is_empty() };
        is_on.then_some(self)
    }

    pub fn url(&self) -> &str {
        self.nats.as_deref().unwrap_or(OFF)
    }

    /// Host and port of the server.
    pub fn address(&self) -> String {
        const PORT: &str = "4222";
        let host = self.url().split_once("//").map_or(self.url(), |(_, host)| host).to_ascii_lowercase();
        let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        if has_port { host } else { format!("{host}:{PORT}") }
    }

    /// What a distributed run plays on: its server as `nats://HOST:PORT`, and its hosts as `ssh://HOST`. Empty for a local run.
    pub fn machines(&self) -> Vec<String> {
        let Some(fleet) = self.on() else { return Vec::new() };
        let server = fleet.nats.as_ref().map(|_| format!("nats://{}", fleet.address()));
        server.into_iter().chain(fleet.ssh.iter().map(|host| format!("ssh://{}", host.name()))).collect()
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// If an address or time is invalid, or a secret is in the wrong place.
    pub fn check(&self) -> Result<(), FleetError> {
        match &self.nats {
            Some(url) if url == OFF => return Ok(()),
            Some(url) => check_url(url)?,
            None => self.check_without_server()?,
        }
        if self.lease.duration() < Duration::from_secs(1) {
            return Err(FleetError::Lease);
        }
        if let Some(run) = self.run.as_ref().filter(|run| !is_run_name(run)) {
            return Err(FleetError::Run(run.clone()));
        }
        let ways = [self.user.is_some(), self.creds.is_some(), self.nkey.is_some()];
        if ways.into_iter().filter(|way| *way).count() > 1 {
            return Err(FleetError::TwoWays);
        }
        if self.password_file.is_some() && self.user.is_none() {
            return Err(FleetError::NoUser);
        }
        if self.cert.is_some() != self.key.is_some() {
            return Err(FleetError::HalfCertificate);
        }
        let has_files = [&self.creds, &self.nkey, &self.ca, &self.cert].into_iter().any(Option::is_some);
        if !self.ssh.is_empty() && (has_files || self.url().starts_with("tls://")) {
            return Err(FleetError::Tunnel);
        }
        Ok(())
    }

    /// Rejects logins without a server; hosts over ssh get their own server.
    fn check_without_server(&self) -> Result<(), FleetError> {
        let mut usual = FleetSettings { run: self.run.clone(), ..FleetSettings::default() };
        if !self.ssh.is_empty() {
            usual.ssh.clone_from(&self.ssh);
            (usual.lease, usual.allow_mixed) = (self.lease, self.allow_mixed);
        }
        if *self == usual { Ok(()) } else { Err(FleetError::NoServer) }
    }
}

/// Whether a run name may be part of a NATS subject and stream name.
pub fn is_run_name(text: &str) -> bool {
    (1..=40).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn check_url(url: &str) -> Result<(), FleetError> {
    let refuse = || FleetError::Address(url.to_owned());
    let host = url.strip_prefix("nats://").or_else(|| url.strip_prefix("tls://"));
    // The part before an @ may be a secret and must not appear in an error message.
    if url.contains('@') {
        return Err(FleetError::Secret);
    }
    let host = match host {
        Some(host) => host,
        None if url.contains("//") => return Err(refuse()),
        None => url,
    };
    let fits = !host.is_empty() && !host.contains([' ', '/', ',']) && !host.chars().any(char::is_control);
    if fits { Ok(()) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> FleetSettings {
        FleetSettings { nats: Some(url.to_owned()), ..FleetSettings::default() }
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
            assert_eq!(of(url).check(), Ok(()));
            assert_eq!(of(url).on(), Some(&of(url)));
        }
        assert_eq!((of("off").check(), of("off").on()), (Ok(()), None));
        assert_eq!(FleetSettings::default().check(), Ok(()));
        for url in ["http://host", "nats://", "nats://a b"] {
            assert_eq!(of(url).check(), Err(FleetError::Address(url.to_owned())));
        }
    }

    #[test]
    fn runs_on_one_server_or_host_play_on_the_same_machines() {
        for url in ["nats://Host:4222", "tls://host", "host", "host:4222"] {
            assert_eq!(of(url).machines(), ["nats://host:4222"], "{url}");
        }
        assert_eq!(of("[::1]").machines(), ["nats://[::1]:4222"]);
        assert_eq!(of("nats://[::1]:14222").machines(), ["nats://[::1]:14222"]);
        assert_eq!(of("off").machines(), [""; 0]);
        let ssh = ["me@fast/8", "slow"].map(|host| host.parse().unwrap()).into();
        let hosts = FleetSettings { ssh, ..FleetSettings::default() };
        assert_eq!(hosts.machines(), ["ssh://fast", "ssh://slow"]);
        let server = FleetSettings { nats: Some("host:1".to_owned()), ..hosts };
        assert_eq!(server.machines(), ["nats://host:1", "ssh://fast", "ssh://slow"]);
    }

    #[test]
    fn contradictions_are_refused() {
        let two = FleetSettings { user: Some("me".into()), creds: Some("c".into()), ..of("host") };
        assert_eq!(two.check(), Err(FleetError::TwoWays));
        let nobody = FleetSettings { password_file: Some("p".into()), ..of("host") };
        assert_eq!(nobody.check(), Err(FleetError::NoUser));
        let nowhere = FleetSettings { lease: "5".parse().unwrap(), ..FleetSettings::default() };
        assert_eq!(nowhere.check(), Err(FleetError::NoServer));
        assert_eq!(FleetSettings { nats: Some(OFF.into()), ..nowhere }.check(), Ok(()));
        let half = FleetSettings { cert: Some("c".into()), ..of("host") };
        assert_eq!(half.check(), Err(FleetError::HalfCertificate));
        let short = FleetSettings { lease: "0.1".parse().unwrap(), ..of("host") };
        assert_eq!(short.check(), Err(FleetError::Lease));
        let run = FleetSettings { run: Some("a.b".into()), ..of("host") };
        assert_eq!(run.check(), Err(FleetError::Run("a.b".to_owned())));
    }

    #[test]
    fn hosts_are_read_as_ssh_writes_them() {
        let host = |text: &str| text.parse::<SshHost>();
        let slow = host("me@slow.example.org/2").unwrap();
        assert_eq!((slow.destination.as_str(), slow.concurrency.unwrap().get()), ("me@slow.example.org", 2));
        assert_eq!(
            (slow.to_string(), slow.name()),
            ("me@slow.example.org/2".into(), "slow.example.org".into())
        );
        assert_eq!(host("fe80::1%eth0").unwrap().name(), "fe80--1-eth0");
        for text in ["", "-oProxyCommand=x", "a b", "a/0", "a/", "a/b", "me@", "a'b", "a;b", "$HOME"] {
            assert_eq!(host(text), Err(FleetError::Host(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn hosts_need_no_server_and_reach_a_given_one_through_their_tunnel() {
        let hosts = FleetSettings { ssh: vec!["a".parse().unwrap()], ..FleetSettings::default() };
        assert_eq!((hosts.check(), hosts.on()), (Ok(()), Some(&hosts)));
        let leased = FleetSettings { lease: "5".parse().unwrap(), allow_mixed: true, ..hosts.clone() };
        assert_eq!(leased.check(), Ok(()));
        let short = FleetSettings { lease: "0.1".parse().unwrap(), ..hosts.clone() };
        assert_eq!(short.check(), Err(FleetError::Lease));
        let user = FleetSettings { user: Some("me".into()), ..hosts.clone() };
        assert_eq!(user.check(), Err(FleetError::NoServer));
        let given = |url: &str| FleetSettings { nats: Some(url.to_owned()), ..hosts.clone() };
        assert_eq!(FleetSettings { user: Some("me".into()), ..given("host") }.check(), Ok(()));
        assert_eq!(given("tls://host").check(), Err(FleetError::Tunnel));
        assert_eq!(
            FleetSettings { nkey: Some("n".into()), ..given("host") }.check(),
            Err(FleetError::Tunnel)
        );
        assert_eq!((given(OFF).check(), given(OFF).on()), (Ok(()), None));
    }
}
