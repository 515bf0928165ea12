//! Engines on a command line: a command, a registry name, or `key=value` words.

use toml::{Table, Value};

use super::split_words::{WordsError, quoted, split_words};
use super::word_reader::read;
use super::{BUILTIN, EngineSettings, Registry};
use smalt_driver::nearest::nearest;

impl Registry {
    /// Parses an engine: a registry name (of any number of words), a command with its arguments, or `key=value` words.
    /// Words after `builtin` and registry names are settings. Words after a command are its arguments, and none may
    /// look like a setting: `./mine tc=8+0.08` would silently play with another clock.
    ///
    /// # Errors
    /// If a word is not understood; none is ever ignored.
    pub fn parse_engine(&self, text: &str) -> Result<Table, WordsError> {
        let of_command = |command: &str| Table::from_iter([("cmd".to_owned(), Value::from(command))]);
        if self.find(text.trim()).is_some() {
            return Ok(of_command(text.trim()));
        }
        let words = split_words(text)?;
        let Some((first, rest)) = words.split_first() else { return Err(WordsError::Empty) };
        if has_key(first) {
            return parse_keys(&words);
        }
        let mut settings = of_command(first);
        if (first == BUILTIN || self.find(first).is_some()) && rest.iter().all(|word| has_key(word)) {
            settings.extend(parse_keys(rest)?);
        } else if let Some(word) = rest.iter().find(|word| is_setting(word)) {
            return Err(WordsError::SettingBehindCommand { word: word.clone(), command: first.clone() });
        } else if !rest.is_empty() {
            settings.insert("args".to_owned(), Value::from(rest.to_vec()));
        }
        Ok(settings)
    }
}

/// Parses `key=value` words as a layer of settings: only the given keys.
///
/// # Errors
/// As [`Registry::parse_engine`].
pub fn parse_keys(words: &[String]) -> Result<Table, WordsError> {
    let mut layer = Table::new();
    for word in words {
        if let Some((name, value)) = option_of(word) {
            let options = layer.entry("options").or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(options) = options {
                options.insert(name.to_owned(), Value::from(value));
            }
            continue;
        }
        let rewritten = match word.split_once('=') {
            Some(("st", value)) => format!("movetime={}", milliseconds(word, value)?),
            Some(("git", value)) => format!("repo={value}"),
            _ => word.clone(),
        };
        let settings: EngineSettings = read(std::slice::from_ref(&rewritten)).map_err(with_options)?;
        let mut table = Table::try_from(&settings)
            .map_err(|error| WordsError::Value { word: word.clone(), reason: error.to_string() })?;
        let key = rewritten.split_once('=').map_or("", |(key, _)| key);
        let value = table.remove(key).ok_or_else(|| WordsError::NoKey { word: word.clone() })?;
        layer.insert(key.to_owned(), value);
    }
    Ok(layer)
}

/// Formats a layer of settings as words for [`parse_keys`].
#[must_use]
pub fn to_words(layer: &Table) -> String {
    let mut words = Vec::new();
    for (key, value) in layer {
        match value {
            Value::Table(options) => words.extend(
                options.iter().map(|(name, value)| quoted(&format!("option.{name}={}", text_of(value)))),
            ),
            Value::Array(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| quoted(&text_of(part))).collect();
                words.push(quoted(&format!("{key}={}", parts.join(" "))));
            }
            value => words.push(quoted(&format!("{key}={}", text_of(value)))),
        }
    }
    words.join(" ")
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn option_of(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.strip_prefix("option.")?.split_once('=')?;
    (!name.is_empty()).then_some((name, value))
}

/// `options` is a table; on the command line it is `option.NAME=`.
fn with_options(error: WordsError) -> WordsError {
    match error {
        WordsError::UnknownKey { key, keys, hint } => {
            let is_option = key.split_once('.').is_some_and(|(key, _)| nearest(key, ["option"]).is_some());
            WordsError::UnknownKey { key, keys, hint: if is_option { Some("option.NAME") } else { hint } }
        }
        other => other,
    }
}

/// Whether a word begins with `key=`. A path may contain an equals sign, but after a slash or a point.
fn has_key(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| {
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'-';
        key.starts_with("option.") || (key.starts_with(char::is_alphabetic) && key.bytes().all(is_letter))
    })
}

/// Whether a word sets an engine setting.
fn is_setting(word: &str) -> bool {
    has_key(word) && !matches!(parse_keys(&[word.to_owned()]), Err(WordsError::UnknownKey { .. }))
}

/// Converts decimal seconds to whole milliseconds.
fn milliseconds(word: &str, text: &str) -> Result<u64, WordsError> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds < 1e9);
    let refuse = || WordsError::Value { word: word.to_owned(), reason: "expected seconds".to_owned() };
    seconds.map(|seconds| (seconds * 1000.0).round() as u64).ok_or_else(refuse)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use smalt_protocol::TimeControl;

    use super::*;

    fn parse(text: &str) -> Result<Table, WordsError> {
        Registry::shipped().parse_engine(text)
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text).unwrap(), expected.parse::<Table>().unwrap(), "{text}");
    }

    #[track_caller]
    fn refuse(text: &str, expected: &str) {
        let error = parse(text).unwrap_err().to_string();
        let (start, end) = expected.split_once('…').unwrap_or((expected, ""));
        assert!(error.starts_with(start) && error.ends_with(end), "{error}");
    }

    #[test]
    fn an_engine_is_a_command_or_words() {
        check("./sf --bench 'a b'", "cmd = './sf'\nargs = ['--bench', 'a b']");
        check("java -Dlevel=3 --depth=5 net=a", "cmd = 'java'\nargs = ['-Dlevel=3', '--depth=5', 'net=a']");
        check(
            "cmd=./sf \"option.Move Overhead=10\" tc=10+0.1 restart=on whitepov=on longest-move=7",
            "cmd = './sf'\ntc = '10+0.1'\nrestart = 'on'\nwhitepov = true\nlongest-move = 7\n\
             options = { 'Move Overhead' = '10' }",
        );
        check(
            "cmd=a st=0.5 proto=cecp args='-x \"a b\"'",
            "cmd = 'a'\nmovetime = 500\nproto = 'xboard'\nargs = ['-x', 'a b']",
        );
    }

    #[test]
    fn defect_20_settings_stand_behind_builtin_and_names_of_the_registry() {
        check("builtin ponder=on nodes=5", "cmd = 'builtin'\nponder = 'on'\nnodes = 5");
        check("toga2 tc=8+0.08 option.Hash=32", "cmd = 'toga2'\ntc = '8+0.08'\noptions = { Hash = '32' }");
        refuse("builtin pondr=on", "unknown key \"pondr\"…(did you mean ponder?)");
    }

    #[test]
    fn defect_30_a_name_of_the_registry_may_have_spaces() {
        let text = "[[engine]]\nname = \"My Engine 1.0\"\ncmd = \"mine\"";
        let registry = Registry::parse(text, "e.toml").unwrap();
        let layer = registry.parse_engine(" My Engine 1.0 ").unwrap();
        assert_eq!(layer["cmd"].as_str(), Some("My Engine 1.0"));
    }

    #[test]
    fn invalid_words_are_refused() {
        refuse("", "an engine needs a command, a name, or key=value words");
        for word in ["tc=8+0.08", "option.Hash=32", "name=a", "nodes=many"] {
            refuse(
                &format!("./toga2 --fast {word}"),
                &format!(
                    "{word:?} would go to ./toga2 as an argument; write cmd= before the command to set it, and args= \
                     before what the program is to get"
                ),
            );
        }
        refuse(
            "cmd=a option.Move Overhead=10",
            "\"option.Move\" is not key=value; a value with spaces needs quotation marks, as in 'name=\"My engine\"'",
        );
        refuse("cmd=a optons.Hash=3", "unknown key \"optons.Hash\"…(did you mean option.NAME?)");
        refuse(
            "cmd=a timemargn=3",
            "unknown key \"timemargn\": the keys are name, …(did you mean timemargin?)",
        );
        refuse("cmd=a nodes=many", "bad value in \"nodes=many\": expected a whole number");
        refuse("cmd=a nodes=0", "bad value in \"nodes=0\": expected a whole number above zero");
        refuse("cmd=a nodes=-3", "bad value in \"nodes=-3\": expected a whole number");
        refuse("cmd=a proto=ics", "bad value in \"proto=ics\": expected uci, cecp, winboard, xboard or auto");
        refuse("cmd=a tc=inf+", "bad value in \"tc=inf+\": …");
    }

    #[test]
    fn an_endless_clock_is_a_clock() {
        let layer = parse("cmd=a tc=inf").unwrap();
        assert_eq!(layer["tc"].as_str(), Some(TimeControl::UNLIMITED.to_string().as_str()));
    }

    proptest! {
        #[test]
        fn printed_words_are_read_back(
            name in ".{0,12}", args in prop::collection::vec(".{0,8}", 0..3), nodes in prop::option::of(1i64..),
            options in prop::collection::btree_map("[A-Za-z][A-Za-z _-]{0,8}", ".{0,8}", 0..3),
        ) {
            let mut layer = Table::new();
            layer.insert("name".to_owned(), Value::from(name));
            layer.insert("args".to_owned(), Value::from(args));
            layer.extend(nodes.map(|nodes| ("nodes".to_owned(), Value::from(nodes))));
            if !options.is_empty() {
                let options = options.into_iter().map(|(name, value)| (name, Value::from(value)));
                layer.insert("options".to_owned(), Value::Table(options.collect()));
            }
            let words = split_words(&to_words(&layer)).unwrap();
            prop_assert_eq!(parse_keys(&words).unwrap(), layer);
        }
    }
}
