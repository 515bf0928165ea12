//! The registry that Cute Chess keeps, `engines.json`, read as one of ours. Reads a text; looks for no file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;

use smalt_driver::Pondering;

use super::registry::{OptionText, Registry, RegistryEngine, RegistryError};
use super::words::{parse_keys, split_words};

/// An engine of a foreign registry that cannot be run as it stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutEngine {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// One engine as Cute Chess writes it. Keys that tell nothing of how an engine is run are not read.
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
    /// Reads the `engines.json` of Cute Chess; `file` is the name that errors shall bear. Options whose values are the
    /// defaults are left to the engine. Engines that need what we cannot give them are told apart.
    ///
    /// # Errors
    /// If it is no JSON, or no list of engines with names and commands.
    pub fn parse_cutechess(text: &str, file: &str) -> Result<(Registry, Vec<LeftOutEngine>), RegistryError> {
        let configurations: Vec<Configuration> =
            serde_json::from_str(text).map_err(|error| RegistryError {
                file: file.to_owned(),
                line: Some(error.line()),
                message: error.to_string(),
                hint: None,
            })?;
        let mut engines = Vec::new();
        let mut left_out = Vec::new();
        for configuration in configurations {
            let name = configuration.name.clone();
            match engine(configuration) {
                Ok(engine) => engines.push(engine),
                Err(reason) => left_out.push(LeftOutEngine { name, reason }),
            }
        }
        Ok((Registry::of(engines), left_out))
    }
}

fn engine(configuration: Configuration) -> Result<RegistryEngine, String> {
    let Configuration {
        name,
        command,
        working_directory,
        protocol,
        init_strings,
        whitepov,
        ponder,
        stderr_file,
        options,
    } = configuration;
    if !init_strings.is_empty() {
        return Err("it wants lines of its own at its start (initStrings)".to_owned());
    }
    // A path with spaces is a path if there is such a file, else a command with arguments.
    let words = if std::path::Path::new(&command).exists() {
        vec![command.clone()]
    } else {
        split_words(&command).map_err(|error| error.to_string())?
    };
    let (cmd, args) = words.split_first().ok_or("it has no command")?;
    let keys = if protocol.is_empty() { Vec::new() } else { vec![format!("proto={protocol}")] };
    let proto = parse_keys(&keys).map_err(|error| error.to_string())?.proto;
    Ok(RegistryEngine {
        name,
        cmd: PathBuf::from(cmd),
        args: args.to_vec(),
        dir: (!working_directory.is_empty()).then(|| PathBuf::from(working_directory)),
        proto,
        ponder: ponder.then_some(Pondering::On),
        stderr: (!stderr_file.is_empty()).then(|| PathBuf::from(stderr_file)),
        whitepov: whitepov.then_some(true),
        options: chosen(options),
        package: None,
        rating: None,
        source: None,
        note: None,
    })
}

fn chosen(options: Vec<ConfiguredOption>) -> BTreeMap<String, OptionText> {
    let differs = |option: &ConfiguredOption| !option.value.is_null() && option.value != option.default;
    let text = |value: Value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    options.into_iter().filter(differs).map(|option| (option.name, OptionText(text(option.value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"[
        {"command": "/opt/sf", "name": "Stockfish", "protocol": "uci", "stderrFile": "", "ponder": true, "workingDirectory": "/tmp",
         "options": [
            {"name": "Hash", "type": "spin", "default": 16, "min": 1, "max": 1024, "value": 64},
            {"name": "Ponder", "type": "check", "default": false, "value": false},
            {"name": "Style", "type": "text", "default": "", "value": "solid"}]},
        {"command": "\"/opt/my engine\" --quiet", "name": "Mine", "protocol": "uci", "stderrFile": "mine.err", "whitepov": true, "variants": ["standard", "fischerandom"]},
        {"command": "old", "name": "Old", "protocol": "uci", "initStrings": ["hard"]}
    ]"#;

    #[test]
    fn engines_of_cute_chess_are_read() {
        let (registry, left_out) = Registry::parse_cutechess(FILE, "engines.json").unwrap();
        let stockfish = registry.find("Stockfish").unwrap();
        assert_eq!(stockfish.dir, Some(PathBuf::from("/tmp")));
        assert_eq!((stockfish.ponder, &stockfish.stderr), (Some(Pondering::On), &None));
        let options: Vec<_> =
            stockfish.options.iter().map(|(name, text)| (name.as_str(), text.0.as_str())).collect();
        assert_eq!(options, [("Hash", "64"), ("Style", "solid")]);
        let mine = registry.find("Mine").unwrap();
        assert_eq!(
            (mine.cmd.to_str(), mine.args.as_slice()),
            (Some("/opt/my engine"), &["--quiet".to_owned()][..])
        );
        assert_eq!(
            (mine.ponder, mine.whitepov, &mine.stderr),
            (None, Some(true), &Some(PathBuf::from("mine.err")))
        );
        assert_eq!(left_out[0].name, "Old");
        assert!(left_out[0].reason.contains("initStrings"));
    }

    #[test]
    fn what_is_no_registry_is_refused_with_its_line() {
        let refusal = |text: &str| Registry::parse_cutechess(text, "e.json").err().unwrap().to_string();
        assert!(refusal("[\n{}]").starts_with("e.json, line 2: missing field `name`"));
        assert!(refusal("").starts_with("e.json, line 1: EOF"));
    }
}
