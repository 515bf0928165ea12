//! Imports Cute Chess's `engines.json` as a registry.

use serde::Deserialize;
use serde_json::Value;
use toml::{Table, Value as Setting};

use super::file::FileError;
use super::registry::Registry;
use super::split_words::split_words;
use super::words::parse_keys;
use crate::input::without_bom;

/// An engine of a Cute Chess registry that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedEngine {
    pub name: String,
    pub reason: String,
}

/// One engine in Cute Chess's format. Keys unrelated to running it are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Configuration {
    name: String,
    command: String,
    #[serde(default)]
    working_directory: String,
    #[serde(default)]
    protocol: String,
    #[serde(default)]
    init_strings: Vec<String>,
    #[serde(default)]
    whitepov: bool,
    #[serde(default)]
    ponder: bool,
    #[serde(default)]
    stderr_file: String,
    #[serde(default)]
    restart: String,
    #[serde(default)]
    timeout_scale_factor: Option<f64>,
    #[serde(default)]
    validate_claims: Option<bool>,
    #[serde(default)]
    debug: bool,
    #[serde(default)]
    options: Vec<ConfiguredOption>,
}

#[derive(Deserialize)]
struct ConfiguredOption {
    name: String,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    default: Value,
}

impl Registry {
    /// Parses the `engines.json` of Cute Chess; `file` is the name used in errors. Options at their default value are
    /// not set. Engines that need unsupported features are listed separately.
    ///
    /// # Errors
    /// If it is not JSON, or not a list of engines with names and commands.
    pub fn parse_cutechess(text: &str, file: &str) -> Result<(Registry, Vec<SkippedEngine>), FileError> {
        let configurations: Vec<Configuration> =
            serde_json::from_str(without_bom(text)).map_err(|error| FileError {
                file: file.to_owned(),
                line: Some(error.line()),
                key: None,
                message: error.to_string(),
                hint: None,
            })?;
        let mut engines = Vec::new();
        let mut skipped = Vec::new();
        for configuration in configurations {
            let name = configuration.name.clone();
            match engine(configuration) {
                Ok(engine) => engines.push(engine),
                Err(reason) => skipped.push(SkippedEngine { name, reason }),
            }
        }
        Ok((Registry::of(engines), skipped))
    }
}

/// Converts a configuration to a layer of settings.
fn engine(configuration: Configuration) -> Result<Table, String> {
    let Configuration { name, command, protocol, init_strings, options, .. } = &configuration;
    let scale = configuration.timeout_scale_factor.filter(|&factor| factor != 1.0);
    // A command with spaces is a path if such a file exists; otherwise it has arguments.
    let words = if std::path::Path::new(command).exists() {
        vec![command.clone()]
    } else {
        split_words(command).map_err(|error| error.to_string())?
    };
    let (cmd, args) = words.split_first().ok_or("it has no command")?;
    let keys = [
        Some(format!("name={name}")),
        Some(format!("cmd={cmd}")),
        (!protocol.is_empty()).then(|| format!("proto={protocol}")),
        given("dir", &configuration.working_directory),
        given("stderr", &configuration.stderr_file),
        configuration.ponder.then(|| "ponder=on".to_owned()),
        configuration.whitepov.then(|| "whitepov=on".to_owned()),
        given("initstr", &init_strings.join("\n")),
        given("restart", &configuration.restart),
        scale.map(|factor| format!("tscale={factor}")),
        (configuration.validate_claims == Some(false)).then(|| "trust=on".to_owned()),
        configuration.debug.then(|| "debug=on".to_owned()),
    ];
    let options = options.iter().filter(|option| option.differs()).map(ConfiguredOption::word);
    let keys: Vec<String> = keys.into_iter().flatten().chain(options).collect();
    let mut layer = parse_keys(&keys).map_err(|error| error.to_string())?;
    layer.insert("args".to_owned(), Setting::from(args.to_vec()));
    Ok(layer)
}

fn given(key: &str, value: &str) -> Option<String> {
    (!value.is_empty()).then(|| format!("{key}={value}"))
}

impl ConfiguredOption {
    /// Whether its value differs from the engine's default.
    fn differs(&self) -> bool {
        !self.value.is_null() && self.value != self.default
    }

    fn word(&self) -> String {
        match &self.value {
            Value::String(text) => format!("option.{}={text}", self.name),
            other => format!("option.{}={other}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use smalt_driver::{Pondering, Restart};

    const FILE: &str = r#"[
        {"command": "/opt/sf", "name": "Stockfish", "protocol": "uci", "stderrFile": "", "ponder": true, "workingDirectory": "/tmp",
         "options": [
            {"name": "Hash", "type": "spin", "default": 16, "min": 1, "max": 1024, "value": 64},
            {"name": "Ponder", "type": "check", "default": false, "value": false},
            {"name": "Style", "type": "text", "default": "", "value": "solid"}]},
        {"command": "\"/opt/my engine\" --quiet", "name": "Mine", "protocol": "uci", "stderrFile": "mine.err", "whitepov": true, "variants": ["standard", "fischerandom"]},
        {"command": "old", "name": "Old", "protocol": "xboard", "initStrings": ["hard", "new"], "restart": "on", "timeoutScaleFactor": 2,
         "validateClaims": false, "debug": true},
        {"command": "", "name": "None", "protocol": "uci"}
    ]"#;

    #[test]
    fn engines_of_cute_chess_are_read() {
        let (registry, skipped) = Registry::parse_cutechess(FILE, "engines.json").unwrap();
        let marked = format!("\u{feff}{FILE}");
        assert!(Registry::parse_cutechess(&marked, "engines.json").is_ok());
        let stockfish = registry.settings("Stockfish").unwrap();
        assert_eq!(stockfish.dir, Some(PathBuf::from("/tmp")));
        assert_eq!((stockfish.ponder, &stockfish.stderr), (Pondering::On, &None));
        let options: Vec<_> =
            stockfish.options.iter().map(|(name, text)| (name.as_str(), text.0.as_str())).collect();
        assert_eq!(options, [("Hash", "64"), ("Style", "solid")]);
        let mine = registry.settings("Mine").unwrap();
        assert_eq!(
            (mine.cmd.as_deref(), mine.args.as_slice()),
            (Some("/opt/my engine"), &["--quiet".to_owned()][..])
        );
        assert_eq!(
            (mine.ponder, mine.whitepov, &mine.stderr),
            (Pondering::Off, true, &Some(PathBuf::from("mine.err")))
        );
        let old = registry.settings("Old").unwrap();
        assert_eq!((old.initial_lines().as_str(), old.tscale), ("hard\nnew", Some(2.0)));
        assert!(old.trust && old.debug && old.restart == Restart::On);
        assert_eq!(skipped[0].name, "None");
        assert_eq!(skipped[0].reason, "it has no command");
    }

    #[test]
    fn an_invalid_registry_is_refused_with_its_line() {
        let refusal = |text: &str| Registry::parse_cutechess(text, "e.json").err().unwrap().to_string();
        assert!(refusal("[\n{}]").starts_with("e.json, line 2: missing field `name`"));
        assert!(refusal("").starts_with("e.json, line 1: EOF"));
    }
}
