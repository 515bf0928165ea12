//! The registry of engines: commands, options and ratings by name.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;
use toml::{Table, Value};

use super::file::{FileError, parse_file};
use smalt_data::ENGINES;

use super::{BUILTIN, EngineSettings};
use crate::input::{InputFile, MAX_TEXT, read_all};
use smalt_driver::nearest::nearest;

/// Named engines, each a layer of settings. The first entry of a name wins.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    engines: Vec<Table>,
}

/// Why a registry cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("read {}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    /// The file is malformed.
    #[error(transparent)]
    Malformed(#[from] FileError),
}

/// A registry as a file: named engines with their commands and options.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RegistryFile {
    /// Engines, each with at least `name` and `cmd`.
    #[serde(default, rename = "engine")]
    engines: Vec<EngineSettings>,
}

impl Registry {
    /// Parses a registry; `file` is the name used in errors.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, a value that does not fit its key, or an engine without name or command.
    pub fn parse(text: &str, file: &str) -> Result<Registry, FileError> {
        let RegistryFile { engines } = parse_file(text, file)?;
        let incomplete = engines
            .iter()
            .position(|engine| engine.name.is_none() || engine.cmd.is_none() && engine.repo.is_none());
        if let Some(index) = incomplete {
            let message = format!("engine {} needs name, and cmd or repo", index + 1);
            return Err(FileError { file: file.to_owned(), line: None, key: None, message, hint: None });
        }
        let mut table: Table = parse_file(text, file)?;
        let rows = match table.remove("engine") {
            Some(Value::Array(rows)) => rows,
            _ => Vec::new(),
        };
        let rows = rows.into_iter().filter_map(|row| match row {
            Value::Table(row) => Some(row),
            _ => None,
        });
        Ok(Registry { engines: rows.collect() })
    }

    /// A registry of these layers.
    pub(super) fn of(engines: Vec<Table>) -> Registry {
        Registry { engines }
    }

    /// This registry file, or `smalt/engines.toml` in the configuration folder, followed by the shipped registry. A
    /// file that ends in `.json` is parsed as Cute Chess's; `warn` is called for each of its engines that cannot be
    /// used.
    ///
    /// # Errors
    /// If the file cannot be read or is malformed.
    pub fn load(file: Option<&Path>, warn: &mut dyn FnMut(String)) -> Result<Registry, RegistryError> {
        Ok(Registry::load_own(file, warn)?.or(Registry::shipped()))
    }

    /// The file that [`Registry::load`] reads.
    pub fn path(file: Option<&Path>) -> Option<PathBuf> {
        let own =
            || Some(crate::config_folder()?.join("smalt").join("engines.toml")).filter(|path| path.exists());
        file.map(Path::to_owned).or_else(own)
    }

    /// As [`Registry::load`], without the shipped registry.
    ///
    /// # Errors
    /// As [`Registry::load`].
    pub fn load_own(file: Option<&Path>, warn: &mut dyn FnMut(String)) -> Result<Registry, RegistryError> {
        let Some(path) = Registry::path(file) else { return Ok(Registry::default()) };
        let name = path.display().to_string();
        let read = InputFile::open(&path).and_then(|file| read_all(file, MAX_TEXT));
        let bytes = read.map_err(|source| RegistryError::Read { path, source })?;
        let text = String::from_utf8_lossy(&bytes);
        if !name.ends_with(".json") {
            return Ok(Registry::parse(&text, &name)?);
        }
        let (registry, unusable) = Registry::parse_cutechess(&text, &name)?;
        for engine in unusable {
            warn(format!("{name}: {:?} cannot be used: {}", engine.name, engine.reason));
        }
        Ok(registry)
    }

    /// The registry shipped with the program.
    pub fn shipped() -> Registry {
        Self::parse(ENGINES.text, ENGINES.path).expect("the shipped registry is tested")
    }

    /// Appends another registry.
    #[must_use]
    pub fn or(mut self, other: Registry) -> Registry {
        self.engines.extend(other.engines);
        self
    }

    /// The layer of the engine with this name.
    pub fn find(&self, name: &str) -> Option<&Table> {
        self.engines.iter().find(|engine| name_of(engine) == Some(name))
    }

    /// The settings of the engine with this name.
    pub fn settings(&self, name: &str) -> Option<EngineSettings> {
        self.find(name)?.clone().try_into().ok()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.engines.iter().filter_map(name_of)
    }

    /// The names for completions: engines of the user's registry, Debian's engines, and `builtin`.
    pub fn names_to_complete() -> Vec<String> {
        let registry = Registry::load(None, &mut |_| {}).unwrap_or_default();
        registry.names().chain([BUILTIN]).map(str::to_owned).collect()
    }

    /// The nearest engine name, or `builtin`, to a command that is not found.
    pub fn nearest_name(&self, command: &str) -> Option<&str> {
        nearest(command, self.names().chain([BUILTIN]))
    }
}

fn name_of(engine: &Table) -> Option<&str> {
    engine.get("name")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_registry_is_one() {
        let registry = Registry::shipped();
        assert!(registry.settings("ethereal").is_some_and(|engine| engine.rating.is_some()));
        for name in registry.names() {
            assert_eq!(registry.names().filter(|other| *other == name).count(), 1, "{name}");
            assert!(registry.settings(name).is_some());
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error =
            Registry::parse("[[engine]]\nname = \"a\"\ncmd = \"a\"\nargz = []\n", "e.toml").unwrap_err();
        assert!(error.to_string().starts_with("e.toml, line 4: unknown field `argz`"), "{error}");
        assert_eq!(error.hint.as_deref(), Some("args"));
        let error = Registry::parse("[[engine]]\nname = \"a\"\n", "e.toml").unwrap_err();
        assert_eq!(error.to_string(), "e.toml: engine 1 needs name, and cmd or repo");
    }

    #[test]
    fn ratings_that_are_no_numbers_are_refused_with_their_line() {
        for line in ["rating = nan", "rating = inf", "rating = 1e308", "rating-error = -4"] {
            let text = format!("[[engine]]\nname = \"a\"\ncmd = \"a\"\n{line}\n");
            let error = Registry::parse(&text, "e.toml").unwrap_err();
            assert!(error.to_string().starts_with("e.toml, line 4, rating"), "{error}");
        }
    }

    #[test]
    fn defect_20_a_misspelled_builtin_suggests_builtin() {
        let registry = Registry::shipped();
        assert_eq!(registry.nearest_name("builtn"), Some("builtin"));
        assert_eq!(registry.nearest_name("stockfihs"), Some("stockfish"));
    }
}
