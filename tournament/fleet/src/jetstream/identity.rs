//! Identity of a process on a server: the authenticated user and a random process name. Both are part of the
//! subject of each request and of the inbox for responses, so that permissions can bind them to the user.

use std::path::Path;

use nkeys::KeyPair;

use super::connection::{ConnectError, first_line, read};
use smalt_match::plan::FleetSettings;
use smalt_workbench::engine_files::random_hexadecimal;

/// User name of anonymous clients.
const ANYONE: &str = "anyone";

/// Prefix of the seed of a user nkey.
const SEED_PREFIX: &str = "SU";

/// Two tokens of a subject: user and process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    user: String,
    process: String,
}

impl Identity {
    /// The identity of this process: user name, or public key of its nkey or credentials.
    pub(super) fn of(server: &FleetSettings) -> Result<Identity, ConnectError> {
        let user = match (&server.user, &server.nkey, &server.creds) {
            (Some(user), _, _) => token(user),
            (_, Some(path), _) => public_key(
                path,
                &first_line(path)?,
                "its first line is not the seed of an nkey, which begins with SU",
            )?,
            (_, _, Some(path)) => {
                let text = read(path)?;
                let seed = text.lines().map(str::trim).find(|line| line.starts_with(SEED_PREFIX));
                public_key(path, seed.unwrap_or_default(), "it has no line with the seed of an nkey")?
            }
            _ => ANYONE.to_owned(),
        };
        Ok(Identity { user, process: random_hexadecimal(16)? })
    }

    /// Parses `USER.PROCESS`.
    pub(super) fn parse(text: &str) -> Option<Identity> {
        let (user, process) = text.split_once('.')?;
        let is_token = |token: &str| !token.is_empty() && !token.contains('.');
        (is_token(user) && is_token(process))
            .then(|| Identity { user: user.to_owned(), process: process.to_owned() })
    }

    /// Prefix of its response subjects; it is secret, and permissions can forbid guessing.
    pub(super) fn inbox(&self) -> String {
        format!("_INBOX.{self}")
    }

    /// Whether this is one of its inboxes.
    pub(super) fn owns(&self, inbox: &str) -> bool {
        inbox.strip_prefix(&self.inbox()).is_some_and(|rest| rest.starts_with('.'))
    }
}

impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.user, self.process)
    }
}

/// A user name as one token: letters and digits stay, other bytes become `=` and two hexadecimal digits.
fn token(user: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("={byte:02x}"),
    };
    user.bytes().map(encode).collect()
}

/// The public key of a seed in a file; `missing` describes a missing seed.
fn public_key(path: &Path, seed: &str, missing: &str) -> Result<String, ConnectError> {
    let failed = |_| {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidData, missing);
        ConnectError::File { path: path.to_owned(), source }
    };
    KeyPair::from_seed(seed).map(|pair| pair.public_key()).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(user: &str) -> Identity {
        Identity::of(&FleetSettings { user: Some(user.to_owned()), ..FleetSettings::default() }).unwrap()
    }

    #[test]
    fn the_user_stands_in_the_name_and_two_processes_differ() {
        let (first, second) = (of("bench-1"), of("bench-1"));
        assert!(first.to_string().starts_with("bench-1.") && first != second);
        assert_eq!(Identity::parse(&first.to_string()), Some(first.clone()));
        assert!(first.owns(&format!("{}.abc.1", first.inbox())) && !first.owns(&second.inbox()));
        assert!(!first.owns(&format!("{}0.abc", first.inbox())));
        assert_eq!(token("a.b>*"), "a=2eb=3e=2a");
        assert!(Identity::of(&FleetSettings::default()).unwrap().to_string().starts_with("anyone."));
        assert!(["a", ".a", "a.", "a.b.c", ""].iter().all(|text| Identity::parse(text).is_none()));
    }

    #[test]
    fn an_nkey_is_known_by_its_public_key() {
        let pair = KeyPair::new_user();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), pair.seed().unwrap()).unwrap();
        let server = FleetSettings { nkey: Some(file.path().to_owned()), ..FleetSettings::default() };
        let identity = Identity::of(&server).unwrap();
        assert!(identity.to_string().starts_with(&format!("{}.", pair.public_key())));
    }

    #[test]
    fn a_file_without_a_seed_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "SUnone\n").unwrap();
        let path = Some(file.path().to_owned());
        let nkey = FleetSettings { nkey: path.clone(), ..FleetSettings::default() };
        let creds = FleetSettings { creds: path, ..FleetSettings::default() };
        for server in [nkey, creds] {
            let error = Identity::of(&server).unwrap_err().to_string();
            assert!(
                error.contains(&file.path().display().to_string()) && error.contains("seed of an nkey"),
                "{error}"
            );
        }
    }
}
