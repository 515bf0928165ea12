//! Splits a text into words, with quotation marks, and joins words into a text.

/// Why words are not valid settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WordsError {
    #[error("an engine needs a command, a name, or key=value words")]
    Empty,
    #[error("the quotation mark {mark} in {text:?} is never closed")]
    OpenQuote { mark: char, text: String },
    /// A word without a key among words with keys.
    #[error(
        "{word:?} is not key=value; a value with spaces needs quotation marks, as in 'name=\"My engine\"'"
    )]
    NoKey { word: String },
    /// A setting after a command, where it would be passed to the program as an argument.
    #[error(
        "{word:?} would go to {command} as an argument; write cmd= before the command to set it, and args= before \
         what the program is to get"
    )]
    SettingBehindCommand { word: String, command: String },
    #[error("unknown key {key:?}: the keys are {}{}", keys.join(", "),
        .hint.map(|hint| format!(" (did you mean {hint}?)")).unwrap_or_default())]
    UnknownKey { key: String, keys: &'static [&'static str], hint: Option<&'static str> },
    #[error("{key} is missing")]
    Missing { key: &'static str },
    #[error("bad value in {word:?}: {reason}")]
    Value { word: String, reason: String },
}

/// Splits at spaces outside quotation marks (' or "); a backslash escapes the next character.
///
/// # Errors
/// If a quotation mark is not closed.
pub fn split_words(text: &str) -> Result<Vec<String>, WordsError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(mark), _) if letter == mark => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            (None | Some('"'), '\\') if is_escape(letters.peek().copied(), cfg!(windows)) => {
                word.get_or_insert_default().extend(letters.next());
            }
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(mark) = quote {
        return Err(WordsError::OpenQuote { mark, text: text.to_owned() });
    }
    words.extend(word);
    Ok(words)
}

/// Whether a backslash before this character is an escape. On Windows only one before a quotation mark is; others
/// separate folders.
fn is_escape(next: Option<char>, is_windows: bool) -> bool {
    !is_windows || matches!(next, Some('"' | '\''))
}

/// Joins words into a text for [`split_words`]; words are quoted only if necessary.
#[must_use]
pub fn join_words(words: &[String]) -> String {
    let is_plain = |word: &str| {
        let is_special = |letter: char| {
            letter.is_whitespace() || matches!(letter, '"' | '\'') || letter == '\\' && !cfg!(windows)
        };
        !word.is_empty() && !word.contains(is_special)
    };
    let quoted = words.iter().map(|word| if is_plain(word) { word.clone() } else { quoted(word) });
    quoted.collect::<Vec<_>>().join(" ")
}

/// A backslash between apostrophes is literal on every system.
pub(super) fn quoted(word: &str) -> String {
    if word.contains('\\') {
        format!("'{}'", word.replace('\'', r#"'"'"'"#))
    } else {
        format!("\"{}\"", word.replace('"', "\\\""))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_words_that_need_quotation_marks_have_them() {
        let words = ["--seed", "1", "a b", "", "it's"].map(str::to_owned);
        assert_eq!(join_words(&words), "--seed 1 \"a b\" \"\" \"it's\"");
    }

    proptest! {
        #[test]
        fn joined_words_are_split_again(words in prop::collection::vec("[a-c \"'\\\\=]{0,5}", 0..5)) {
            prop_assert_eq!(split_words(&join_words(&words)).unwrap(), words);
        }
    }

    #[test]
    fn backslashes_of_windows_separate_folders() {
        assert!(is_escape(Some('s'), false) && !is_escape(Some('s'), true) && is_escape(Some('"'), true));
    }

    #[test]
    fn words_part_at_spaces_outside_of_quotation_marks() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(split_words(text).unwrap(), expected, "{text}");
        check("  a  b ", &["a", "b"]);
        check("name=\"My engine\" 'a b'", &["name=My engine", "a b"]);
        check("\"c\\\"d\" ''", &["c\"d", ""]);
        check("a\\ b", if cfg!(windows) { &["a\\", "b"] } else { &["a b"] });
        assert!(matches!(split_words("'a"), Err(WordsError::OpenQuote { mark: '\'', .. })));
    }
}
