//! An entrant in one argument of the command line: a command, a name, or fastchess's `key=value` words.

use super::{EntrantText, Protocol, Restart};
use smalt_driver::Pondering;
use smalt_driver::nearest::nearest;

/// The keys, but for `option.NAME`.
const KEYS: [&str; 16] = [
    "cmd",
    "name",
    "args",
    "dir",
    "proto",
    "tc",
    "st",
    "movetime",
    "nodes",
    "depth",
    "timemargin",
    "restart",
    "ponder",
    "stderr",
    "scale",
    "whitepov",
];

/// Why an argument is no entrant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    /// Nothing was written.
    #[error("an entrant needs a command, a name, or key=value words")]
    Empty,
    /// A quotation mark without its partner.
    #[error("the quotation mark {mark} in {text:?} is never closed")]
    OpenQuote {
        /// Which mark.
        mark: char,
        /// The whole text.
        text: String,
    },
    /// A word without a key among words that have one.
    #[error(
        "{word:?} is not key=value; a value with spaces needs quotation marks, as in 'name=\"My engine\"'"
    )]
    NoKey {
        /// The word.
        word: String,
    },
    /// A setting behind a command, where it would go to the program as an argument.
    #[error(
        "{word:?} would go to {command} as an argument; write cmd= before the command to set it, and args= before \
         what the program is to get"
    )]
    SettingBehindCommand {
        /// The setting.
        word: String,
        /// The command, or name.
        command: String,
    },
    /// A key that there is not.
    #[error("unknown key {key:?}: the keys are {}, option.NAME{}", KEYS.join(", "), .hint.map(|hint| format!(" (did you mean {hint}?)")).unwrap_or_default())]
    UnknownKey {
        /// The key.
        key: String,
        /// The nearest right one.
        hint: Option<&'static str>,
    },
    /// A value that its key does not take.
    #[error("bad value in {word:?}: {reason}")]
    Value {
        /// The word.
        word: String,
        /// What should stand there.
        reason: String,
    },
}

/// Reads an entrant. Anything whose first word is not `key=…` is a command with its arguments (or a name), none of
/// which may look like a setting of the entrant: `toga2 tc=8+0.08` would otherwise play by another clock unnoticed.
///
/// # Errors
/// If a word is not understood; no word is ever ignored.
pub fn parse_entrant(text: &str) -> Result<EntrantText, WordsError> {
    let words = split_words(text)?;
    let Some(first) = words.first() else { return Err(WordsError::Empty) };
    if !has_key(first) {
        let args = words[1..].to_vec();
        if let Some(word) = args.iter().find(|word| is_setting(word)) {
            return Err(WordsError::SettingBehindCommand { word: word.clone(), command: first.clone() });
        }
        let args = (!args.is_empty()).then_some(args);
        return Ok(EntrantText { cmd: Some(first.clone()), args, ..EntrantText::default() });
    }
    parse_keys(&words)
}

/// Reads only `key=value` words, as for what holds for each entrant.
///
/// # Errors
/// As [`parse_entrant`].
pub fn parse_keys(words: &[String]) -> Result<EntrantText, WordsError> {
    let mut file = EntrantText::default();
    for word in words {
        take_word(&mut file, word)?;
    }
    Ok(file)
}

/// Whether a word begins like `key=`. A path may hold an equals sign, but then a slash or a point before it.
fn has_key(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| {
        key.starts_with("option.") || (!key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic()))
    })
}

/// Whether a word sets something that an entrant has.
fn is_setting(word: &str) -> bool {
    word.split_once('=').is_some_and(|(key, _)| KEYS.contains(&key) || key.starts_with("option."))
}

fn take_word(file: &mut EntrantText, word: &str) -> Result<(), WordsError> {
    let Some((key, value)) = word.split_once('=') else {
        return Err(WordsError::NoKey { word: word.to_owned() });
    };
    let refuse = |reason: String| WordsError::Value { word: word.to_owned(), reason };
    let number = || value.parse::<u64>().map_err(|_| refuse("expected a whole number".to_owned()));
    match key {
        "cmd" => file.cmd = Some(value.to_owned()),
        "name" => file.name = Some(value.to_owned()),
        "args" => file.args = Some(split_words(value)?),
        "dir" => file.dir = Some(value.into()),
        "proto" => {
            let protocol = Protocol::parse(value);
            file.proto =
                Some(protocol.ok_or_else(|| refuse("the protocol is uci, xboard or auto".to_owned()))?);
        }
        "tc" => file.tc = Some(value.parse().map_err(|error| refuse(format!("{error}")))?),
        "st" => {
            file.movetime = Some(milliseconds(value).ok_or_else(|| refuse("expected seconds".to_owned()))?)
        }
        "movetime" => file.movetime = Some(number()?),
        "nodes" => file.nodes = Some(number()?),
        "depth" => {
            let depth = value.parse().map_err(|_| refuse("expected a whole number".to_owned()))?;
            file.depth = Some(depth);
        }
        "timemargin" => file.timemargin = Some(number()?),
        "restart" => {
            file.restart = Some(match value {
                "on" => Restart::On,
                "off" | "auto" => Restart::Off,
                _ => return Err(refuse("restart is on or off".to_owned())),
            });
        }
        "stderr" => file.stderr = Some(value.into()),
        "scale" => file.scale = Some(number()?),
        "ponder" | "whitepov" => {
            let is_on = match value {
                "on" | "true" => true,
                "off" | "false" => false,
                _ => return Err(refuse(format!("{key} is on or off"))),
            };
            if key == "ponder" {
                file.ponder = Some(if is_on { Pondering::On } else { Pondering::Off });
            } else {
                file.whitepov = Some(is_on);
            }
        }
        _ => match key.strip_prefix("option.") {
            Some(name) if !name.is_empty() => {
                file.options.insert(name.to_owned(), value.to_owned());
            }
            _ => return Err(WordsError::UnknownKey { key: key.to_owned(), hint: nearest_word(key) }),
        },
    }
    Ok(())
}

/// The nearest key; of an option only what stands before its name is compared.
fn nearest_word(key: &str) -> Option<&'static str> {
    match key.split_once('.') {
        Some((before, _)) => nearest(before, ["option"]).map(|_| "option.NAME"),
        None => nearest(key, KEYS),
    }
}

/// Seconds with a fraction, as whole milliseconds.
fn milliseconds(text: &str) -> Option<u64> {
    let seconds: f64 = text.parse().ok()?;
    let valid = seconds.is_finite() && seconds > 0.0 && seconds < 1e9;
    valid.then(|| (seconds * 1000.0).round() as u64)
}

/// Splits at spaces outside of quotation marks (' or "); a backslash takes the next letter as it is.
///
/// # Errors
/// If a quotation mark is never closed.
pub fn split_words(text: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(mark) = quote {
        return Err(WordsError::OpenQuote { mark, text: text.to_owned() });
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_part_at_spaces_outside_of_quotation_marks() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(split_words(text).unwrap(), expected, "{text}");
        check("  a  b ", &["a", "b"]);
        check("name=\"My engine\" 'a b'", &["name=My engine", "a b"]);
        check("a\\ b \"c\\\"d\" ''", &["a b", "c\"d", ""]);
        assert!(matches!(split_words("'a"), Err(WordsError::OpenQuote { mark: '\'', .. })));
    }

    #[test]
    fn an_entrant_is_a_command_or_words() {
        let command = parse_entrant("./sf --bench 'a b'").unwrap();
        assert_eq!(command.cmd.as_deref(), Some("./sf"));
        assert_eq!(command.args, Some(vec!["--bench".to_owned(), "a b".to_owned()]));
        let command = parse_entrant("java -Dlevel=3 --depth=5 book=a").unwrap();
        assert_eq!(command.args.unwrap(), ["-Dlevel=3", "--depth=5", "book=a"]);
        let words =
            parse_entrant("cmd=./sf \"option.Move Overhead=10\" tc=10+0.1 st=0.5 restart=on").unwrap();
        assert_eq!(words.options["Move Overhead"], "10");
        assert_eq!((words.movetime, words.restart), (Some(500), Some(Restart::On)));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse_entrant(text).unwrap_err().to_string(), expected, "{text}");
        };
        check("", "an entrant needs a command, a name, or key=value words");
        for word in ["tc=8+0.08", "option.Hash=32", "name=a"] {
            check(
                &format!("toga2 --fast {word}"),
                &format!(
                    "{word:?} would go to toga2 as an argument; write cmd= before the command to set it, and args= before \
                     what the program is to get"
                ),
            );
        }
        check(
            "cmd=a option.Move Overhead=10",
            "\"option.Move\" is not key=value; a value with spaces needs quotation marks, as in 'name=\"My engine\"'",
        );
        check(
            "cmd=a timemargn=3",
            "unknown key \"timemargn\": the keys are cmd, name, args, dir, proto, tc, st, movetime, nodes, depth, timemargin, \
             restart, ponder, stderr, scale, whitepov, option.NAME (did you mean timemargin?)",
        );
        check("cmd=a nodes=many", "bad value in \"nodes=many\": expected a whole number");
        check("cmd=a proto=ics", "bad value in \"proto=ics\": the protocol is uci, xboard or auto");
    }
}
