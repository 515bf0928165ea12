//! Parses a TOML settings file; errors name file, line, key and the nearest valid key.

use serde::de::DeserializeOwned;

use smalt_driver::nearest::nearest_key;

/// Why a settings file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}{}: {message}{}", .line.map(|line| format!(", line {line}")).unwrap_or_default(),
    .key.as_ref().map(|key| format!(", {key}")).unwrap_or_default(),
    .hint.as_ref().map(|hint| format!(" (did you mean `{hint}`?)")).unwrap_or_default())]
pub struct FileError {
    /// File name as given by the user.
    pub file: String,
    /// Line number, from 1.
    pub line: Option<usize>,
    /// Key with the invalid value.
    pub key: Option<String>,
    pub message: String,
    /// The nearest valid key.
    pub hint: Option<String>,
}

/// Parses a settings file; `file` is the name used in errors.
///
/// # Errors
/// If it is not TOML, has an unknown key, or a value that does not fit its key.
pub fn parse_file<T: DeserializeOwned>(text: &str, file: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map(|span| span.start);
        let message = plain(error.message());
        FileError {
            file: file.to_owned(),
            line: start.map(|start| 1 + text[..start].matches('\n').count()),
            key: start.and_then(|start| key_before(&text[..start])),
            hint: nearest_key(&message),
            message,
        }
    })
}

/// The key before a value: the last word before `=`.
fn key_before(text: &str) -> Option<String> {
    let line = text.rsplit('\n').next()?;
    let (before, _) = line.rsplit_once('=')?;
    let key = before.trim_end().rsplit([' ', '\t', '{', ',']).next()?;
    (!key.is_empty()).then(|| key.trim_matches('"').to_owned())
}

/// Rewrites serde's messages about numbers for users.
pub(super) fn plain(message: &str) -> String {
    let message = message.strip_prefix("invalid value: ").unwrap_or(message);
    let Some((given, wanted)) = message.rsplit_once(", expected ") else { return message.to_owned() };
    let number = |text: &str| matches!(text, "u8" | "u16" | "u32" | "u64" | "usize");
    match wanted.strip_prefix("a nonzero ") {
        Some(kind) if number(kind) => format!("{given}, expected a whole number above zero"),
        None if number(wanted) => format!("{given}, expected a whole number, zero or above"),
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::EngineSettings;
    use super::*;

    #[test]
    fn errors_say_file_line_and_key() {
        let check = |text: &str, expected: &str| {
            let error = parse_file::<EngineSettings>(text, "e.toml").unwrap_err().to_string();
            assert_eq!(error, expected);
        };
        check("\nnodes = 0\n", "e.toml, line 2, nodes: integer `0`, expected a whole number above zero");
        check(
            "timemargin = -3",
            "e.toml, line 1, timemargin: integer `-3`, expected a whole number, zero or above",
        );
        check(
            "depth = nan",
            "e.toml, line 1, depth: invalid type: floating point `NaN`, expected a whole number above zero",
        );
        let error = parse_file::<EngineSettings>("argz = []", "e.toml").unwrap_err();
        assert!(error.to_string().starts_with("e.toml, line 1: unknown field `argz`"), "{error}");
        assert_eq!(error.hint.as_deref(), Some("args"));
    }
}
