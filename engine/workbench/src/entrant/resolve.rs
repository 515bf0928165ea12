//! Resolves an engine: merges its own settings, `--each`, the registry and the run's clock.

use std::path::PathBuf;

use toml::Table;

use smalt_driver::Protocol;

use super::{EngineSettings, NameError, Names, Registry, merge_engine};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Program {
    /// Smalt itself: the running executable, started as an engine.
    Builtin,
    /// A path, or a name to look up in `PATH`.
    Command(PathBuf),
}

/// Why an engine cannot be resolved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("it has no cmd: give a program, a name of the registry, or builtin")]
    NoCommand,
    /// The name is invalid or taken.
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("{0}")]
    Value(String),
}

impl Registry {
    /// Merges the layers of an engine and assigns its name. The lowest layer is `clock`, the default for engines
    /// without a limit in the registry, `each` or their own settings.
    ///
    /// # Errors
    /// If it has no command, or its name is invalid or taken.
    pub fn resolve(
        &self,
        own: &Table,
        each: &Table,
        clock: &Table,
        names: &mut Names,
    ) -> Result<EngineSettings, ResolveError> {
        let settings = |layers: &[&Table]| -> Result<EngineSettings, ResolveError> {
            let mut merged = Table::new();
            layers.iter().for_each(|layer| merge_engine(&mut merged, (*layer).clone()));
            merged.try_into().map_err(|error| ResolveError::Value(error.to_string()))
        };
        let typed = settings(&[each, own])?;
        let command = typed.cmd.clone().ok_or(ResolveError::NoCommand)?;
        let mut known = self.find(&command).cloned().unwrap_or_default();
        let speaks = |engine: &Table| engine.get("proto").cloned().map(toml::Value::try_into::<Protocol>);
        let known_protocol = speaks(&known).and_then(Result::ok).unwrap_or_default();
        // Options in the registry are for the protocol in the registry.
        if (own.contains_key("proto") || each.contains_key("proto")) && typed.proto != known_protocol {
            known.remove("options");
        }
        // The registry's command, package, rating and notes are not settings of the run.
        let program = known.remove("cmd");
        ["name", "package", "note"].iter().for_each(|key| drop(known.remove(*key)));
        let mut found = settings(&[clock, &known, each, own])?;
        found.name = Some(names.take(typed.name.as_deref(), &command)?);
        if let Some(program) = program.as_ref().and_then(toml::Value::as_str) {
            found.cmd = Some(program.to_owned());
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(own: &str, each: &str) -> Result<EngineSettings, ResolveError> {
        let registry = Registry::shipped();
        let parse = |text: &str| match text {
            "" => Table::new(),
            text => registry.parse_engine(text).unwrap(),
        };
        registry.resolve(&parse(own), &parse(each), &Table::new(), &mut Names::default())
    }

    #[test]
    fn own_settings_precede_each_and_registry() {
        let check = |own: &str, each: &str, expected: &[(&str, &str)]| {
            let found = resolved(own, each).unwrap();
            let options: Vec<(&str, &str)> =
                found.options.iter().map(|(name, text)| (name.as_str(), text.0.as_str())).collect();
            assert_eq!(options, expected, "{own} | {each}");
        };
        check("toga2", "", &[("Hash", "16"), ("OwnBook", "false")]);
        check("toga2", "option.hash=8 option.ownbook=true", &[("hash", "8"), ("ownbook", "true")]);
        check("cmd=toga2 option.HASH=4", "option.hash=8", &[("HASH", "4"), ("OwnBook", "false")]);
        // Options of one protocol do not apply to the other.
        check("cmd=toga2 proto=xboard", "", &[]);
    }

    #[test]
    fn an_engine_needs_a_command() {
        assert_eq!(resolved("name=a", "option.Hash=1"), Err(ResolveError::NoCommand));
        let found = resolved("name=a", "cmd=builtin").unwrap();
        assert_eq!((found.name.as_deref(), found.program()), (Some("a"), Some(Program::Builtin)));
    }
}
