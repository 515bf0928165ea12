//! An entrant with all that it inherits: its own words first, then what holds for each, then the registry. Clocks are
//! no business of this file: programs inherit them in ways of their own.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{BUILTIN, EntrantText, NameError, Names, Protocol, Registry, Restart};
use smalt_driver::Pondering;

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// Smalt itself: the running executable again, as an engine.
    Builtin,
    /// A program by its path, or by its name in the search path.
    Command(PathBuf),
}

/// An engine with all that makes it answer as it does, but its clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedEntrant {
    /// Its name in this run; no other has it.
    pub name: String,
    /// What is run.
    pub program: Program,
    /// The program's arguments.
    pub arguments: Vec<String>,
    /// Its working folder; the current one if none.
    pub directory: Option<PathBuf>,
    /// What it speaks.
    pub protocol: Protocol,
    /// Whether it is started anew for each game or position.
    pub restart: Restart,
    /// Whether it thinks on its opponent's time.
    pub pondering: Pondering,
    /// The file to which its standard error is appended.
    pub stderr: Option<PathBuf>,
    /// Whether the scores that it tells are from White's view, whoever is to move.
    pub whitepov: bool,
    /// Its options and their values, as texts; no name comes twice, however it is written.
    pub options: BTreeMap<String, String>,
}

/// Why there is no entrant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// Nobody says what is run.
    #[error("it has no cmd: give a program, a name of the registry, or builtin")]
    NoCommand,
    /// A name that is none, or another's.
    #[error(transparent)]
    Name(#[from] NameError),
}

impl Registry {
    /// Fills in what an entrant inherits, and takes its name.
    ///
    /// # Errors
    /// If it has no command, or no name of its own.
    pub fn resolve(
        &self,
        typed: &EntrantText,
        each: &EntrantText,
        names: &mut Names,
    ) -> Result<ResolvedEntrant, ResolveError> {
        let command = typed.cmd.as_ref().or(each.cmd.as_ref()).ok_or(ResolveError::NoCommand)?;
        let known = self.find(command);
        let program = match known {
            Some(engine) => Program::Command(engine.cmd.clone()),
            None if command == BUILTIN => Program::Builtin,
            None => Program::Command(PathBuf::from(command)),
        };
        let known_protocol = known.and_then(|engine| engine.proto);
        let protocol = typed.proto.or(each.proto).or(known_protocol).unwrap_or_default();
        // The registry's options have the names of its own protocol.
        let fits = protocol == known_protocol.unwrap_or_default();
        let registered = known
            .filter(|_| fits)
            .into_iter()
            .flat_map(|engine| &engine.options)
            .map(|(option, text)| (option, &text.0));
        let mut options: BTreeMap<String, String> = BTreeMap::new();
        for (option, text) in registered.chain(&each.options).chain(&typed.options) {
            options.retain(|other, _| !other.eq_ignore_ascii_case(option));
            options.insert(option.clone(), text.clone());
        }
        let arguments = typed.args.as_ref().or(each.args.as_ref()).or(known.map(|engine| &engine.args));
        let known_folder = known.and_then(|engine| engine.dir.as_ref());
        let known_stderr = known.and_then(|engine| engine.stderr.as_ref());
        let known_pondering = known.and_then(|engine| engine.ponder);
        let known_view = known.and_then(|engine| engine.whitepov);
        Ok(ResolvedEntrant {
            name: names.take(typed.name.as_deref(), command)?,
            program,
            arguments: arguments.cloned().unwrap_or_default(),
            directory: typed.dir.as_ref().or(each.dir.as_ref()).or(known_folder).cloned(),
            protocol,
            restart: typed.restart.or(each.restart).unwrap_or(Restart::Off),
            pondering: typed.ponder.or(each.ponder).or(known_pondering).unwrap_or_default(),
            stderr: typed.stderr.as_ref().or(each.stderr.as_ref()).or(known_stderr).cloned(),
            whitepov: typed.whitepov.or(each.whitepov).or(known_view).unwrap_or(false),
            options,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_entrant;
    use super::*;

    fn resolved(typed: &str, each: &str) -> Result<ResolvedEntrant, ResolveError> {
        let each = if each.is_empty() { EntrantText::default() } else { parse_entrant(each).unwrap() };
        Registry::shipped().resolve(&parse_entrant(typed).unwrap(), &each, &mut Names::default())
    }

    #[test]
    fn own_words_come_before_those_for_each_and_the_registry() {
        let check = |typed: &str, each: &str, expected: &[(&str, &str)]| {
            let found = resolved(typed, each).unwrap();
            let options: Vec<(&str, &str)> =
                found.options.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            assert_eq!(options, expected, "{typed} | {each}");
        };
        check("toga2", "", &[("Hash", "16"), ("OwnBook", "false")]);
        check("toga2", "option.hash=8 option.ownbook=true", &[("hash", "8"), ("ownbook", "true")]);
        check("cmd=toga2 option.HASH=4", "option.hash=8", &[("HASH", "4"), ("OwnBook", "false")]);
        // Options of one protocol mean nothing in another.
        check("cmd=toga2 proto=xboard", "", &[]);
    }

    #[test]
    fn an_entrant_without_a_command_is_none() {
        assert_eq!(resolved("name=a", "option.Hash=1"), Err(ResolveError::NoCommand));
        let found = resolved("name=a", "cmd=builtin").unwrap();
        assert_eq!((found.name.as_str(), found.program), ("a", Program::Builtin));
    }
}
