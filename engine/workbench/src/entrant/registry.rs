//! Engines that are known by name: their commands, options and ratings. Reads a text; looks for no file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Protocol;
use smalt_driver::Pondering;
use smalt_driver::nearest::nearest_key;

/// Debian's engines, with settings that make them fit for matches.
const SHIPPED: &str = include_str!("../../../../data/engines.toml");

/// Why a text is no registry.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}{}", .line.map(|line| format!(", line {line}")).unwrap_or_default(),
    .hint.as_ref().map(|hint| format!(" (did you mean `{hint}`?)")).unwrap_or_default())]
pub struct RegistryError {
    /// The file, as the user named it.
    pub file: String,
    /// Where in it, from 1.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// The nearest right name.
    pub hint: Option<String>,
}

/// Named engines. The first of a name counts.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    engines: Vec<RegistryEngine>,
}

/// One engine that is known by name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RegistryEngine {
    /// How it is called in plans.
    pub name: String,
    /// Its program.
    pub cmd: PathBuf,
    /// Its arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Its working folder.
    #[serde(default)]
    pub dir: Option<PathBuf>,
    /// What it speaks.
    #[serde(default)]
    pub proto: Option<Protocol>,
    /// Whether it thinks on its opponent's time.
    #[serde(default)]
    pub ponder: Option<Pondering>,
    /// The file to which its standard error is appended.
    #[serde(default)]
    pub stderr: Option<PathBuf>,
    /// Whether the scores that it tells are from White's view, whoever is to move.
    #[serde(default)]
    pub whitepov: Option<bool>,
    /// Its options.
    #[serde(default)]
    pub options: BTreeMap<String, OptionText>,
    /// How it is installed, for people.
    #[serde(default)]
    pub package: Option<String>,
    /// Its rating on the list that `source` names.
    #[serde(default)]
    pub rating: Option<f64>,
    /// Where the rating is from.
    #[serde(default)]
    pub source: Option<String>,
    /// What else to know.
    #[serde(default)]
    pub note: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "engine")]
    engines: Vec<RegistryEngine>,
}

impl Registry {
    /// Reads a registry; `file` is the name that errors shall bear.
    ///
    /// # Errors
    /// If it is not TOML, has an unknown key, or a value that does not fit its key.
    pub fn parse(text: &str, file: &str) -> Result<Registry, RegistryError> {
        let parsed: Result<File, toml::de::Error> = toml::from_str(text);
        parsed.map(|parsed| Registry { engines: parsed.engines }).map_err(|error| {
            let message = error.message().to_owned();
            RegistryError {
                file: file.to_owned(),
                line: error.span().map(|span| 1 + text[..span.start].matches('\n').count()),
                hint: nearest_key(&message),
                message,
            }
        })
    }

    /// A registry of these.
    pub(super) fn of(engines: Vec<RegistryEngine>) -> Registry {
        Registry { engines }
    }

    /// Where a user keeps a registry: `smalt/engines.toml` in the configuration folder. It need not be there.
    pub fn user_file() -> Option<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")))?;
        Some(folder.join("smalt").join("engines.toml"))
    }

    /// The engines that the program knows by itself.
    pub fn shipped() -> Registry {
        Self::parse(SHIPPED, "data/engines.toml").expect("the shipped registry is tested")
    }

    /// This one, and what it lacks from another.
    #[must_use]
    pub fn or(mut self, other: Registry) -> Registry {
        self.engines.extend(other.engines);
        self
    }

    /// The engine of this name.
    pub fn find(&self, name: &str) -> Option<&RegistryEngine> {
        self.engines.iter().find(|engine| engine.name == name)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.engines.iter().map(|engine| engine.name.as_str())
    }
}

/// The value of an engine's option, which may be written as a text, a number, or true and false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionText(pub String);

impl<'de> Deserialize<'de> for OptionText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) => Ok(OptionText(text)),
            toml::Value::Integer(number) => Ok(OptionText(number.to_string())),
            toml::Value::Boolean(truth) => Ok(OptionText(truth.to_string())),
            toml::Value::Float(number) => Ok(OptionText(number.to_string())),
            _ => Err(serde::de::Error::custom("an option's value is a text, a number, true or false")),
        }
    }
}

impl Serialize for OptionText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_registry_is_one() {
        let registry = Registry::shipped();
        assert!(registry.find("stockfish").is_some_and(|engine| engine.rating.is_some()));
        for name in registry.names() {
            assert_eq!(registry.names().filter(|other| *other == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error =
            Registry::parse("[[engine]]\nname = \"a\"\ncmd = \"a\"\nargz = []\n", "e.toml").unwrap_err();
        assert!(error.to_string().starts_with("e.toml, line 4: unknown field `argz`"), "{error}");
        assert_eq!(error.hint.as_deref(), Some("args"));
    }
}
