//! Engine options and their values.

use std::fmt;

use crate::number;
use crate::words::{Words, trim};

/// An engine option.
///
/// Both protocols end a name at a keyword, so a name can't contain `value`, nor `type` before a type; and a choice
/// can't contain `var` or `default`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionDeclaration {
    /// Name; lookups ignore case and the amount of inner space.
    pub name: String,
    /// Type, default and range.
    pub kind: OptionKind,
}

/// Type, default and range of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// On or off (`check`).
    Check { default: bool },
    /// An integer (`spin`).
    Spin {
        /// Default; some engines declare one outside the range.
        default: i64,
        min: i64,
        max: i64,
    },
    /// One of several choices (`combo`).
    Combo { default: String, choices: Vec<String> },
    /// An action without a value (`button`).
    Button,
    /// A single line of text (`string`).
    Text {
        /// Default; may be empty.
        default: String,
    },
}

/// A valid value of an option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionValue {
    /// On or off (`check`).
    Check(bool),
    /// A number within the option's range.
    Spin(i64),
    /// A choice, spelled as the option declares it.
    Combo(String),
    /// The button is pressed.
    Button,
    /// Any text; may be empty.
    Text(String),
}

/// Why a text is not a valid value of an option.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionValueError {
    #[error("{text:?} is neither true nor false, for option {name:?}")]
    NotACheck { name: String, text: String },
    #[error("{text:?} is not a whole number, for option {name:?}")]
    NotANumber { name: String, text: String },
    #[error("{text} is outside of {min} to {max}, for option {name:?}")]
    OutOfRange { name: String, text: String, min: i64, max: i64 },
    #[error("{text:?} is none of {}, for option {name:?}", .choices.join(", "))]
    NotAChoice { name: String, text: String, choices: Vec<String> },
}

impl OptionDeclaration {
    /// Whether the option has this name, ignoring case and the amount of space.
    pub fn has_name(&self, name: &str) -> bool {
        same_words(&self.name, name)
    }

    /// Parses a value of the option. `<empty>` is the empty text; a check also accepts `on`, `off`, `yes`, `no`, `1`
    /// and `0`; choices ignore case; a button accepts anything.
    ///
    /// # Errors
    /// If the text does not match the type or is out of range.
    pub fn parse_value(&self, text: &str) -> Result<OptionValue, OptionValueError> {
        let text = trim(text);
        let (name, refused) = (self.name.clone(), text.to_owned());
        match &self.kind {
            OptionKind::Check { .. } => parse_check(text)
                .map(OptionValue::Check)
                .ok_or(OptionValueError::NotACheck { name, text: refused }),
            OptionKind::Spin { min, max, .. } => match number::signed(text) {
                None => Err(OptionValueError::NotANumber { name, text: refused }),
                Some(value) if value < *min || value > *max => {
                    Err(OptionValueError::OutOfRange { name, text: refused, min: *min, max: *max })
                }
                Some(value) => Ok(OptionValue::Spin(value)),
            },
            OptionKind::Combo { choices, .. } => {
                match choices.iter().find(|choice| same_words(choice, unwrap_empty(text))) {
                    Some(choice) => Ok(OptionValue::Combo(choice.clone())),
                    None => {
                        let choices = choices.clone();
                        Err(OptionValueError::NotAChoice { name, text: refused, choices })
                    }
                }
            }
            OptionKind::Button => Ok(OptionValue::Button),
            OptionKind::Text { .. } => Ok(OptionValue::Text(unwrap_empty(text).to_owned())),
        }
    }

    /// Default; a button has none.
    pub fn default_value(&self) -> Option<OptionValue> {
        Some(match &self.kind {
            OptionKind::Check { default } => OptionValue::Check(*default),
            OptionKind::Spin { default, .. } => OptionValue::Spin(*default),
            OptionKind::Combo { default, .. } => OptionValue::Combo(default.clone()),
            OptionKind::Button => return None,
            OptionKind::Text { default } => OptionValue::Text(default.clone()),
        })
    }
}

impl fmt::Display for OptionValue {
    /// In the form that the option parses; empty for a button.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Check(value) => value.fmt(f),
            OptionValue::Spin(value) => value.fmt(f),
            OptionValue::Combo(text) | OptionValue::Text(text) => f.write_str(wrap_empty(text)),
            OptionValue::Button => Ok(()),
        }
    }
}

/// The option of this name, ignoring case and the amount of space.
pub fn find<'a>(options: &'a [OptionDeclaration], name: &str) -> Option<&'a OptionDeclaration> {
    options.iter().find(|option| option.has_name(name))
}

/// The same text for all names that [`OptionDeclaration::has_name`] takes for one, and another for every other name.
pub fn name_key(name: &str) -> String {
    let words: Vec<String> = Words::new(name).map(str::to_ascii_lowercase).collect();
    words.join(" ")
}

const EMPTY: &str = "<empty>";

/// The text; empty for `<empty>`.
pub(crate) fn unwrap_empty(text: &str) -> &str {
    if text == EMPTY { "" } else { text }
}

/// The text; `<empty>` for an empty one.
pub(crate) fn wrap_empty(text: &str) -> &str {
    if text.is_empty() { EMPTY } else { text }
}

fn same_words(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (Words::new(a), Words::new(b));
    loop {
        match (a.next(), b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a.eq_ignore_ascii_case(b) => {}
            _ => return false,
        }
    }
}

fn parse_check(text: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 4]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_one_of(["true", "on", "yes", "1"]) {
        Some(true)
    } else if is_one_of(["false", "off", "no", "0"]) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: OptionKind, text: &str, expected: Result<OptionValue, &str>) {
        let option = OptionDeclaration { name: "Some Name".to_owned(), kind };
        let found = option.parse_value(text).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
        if let Ok(value) = found {
            assert_eq!(option.parse_value(&value.to_string()), Ok(value));
        }
    }

    #[test]
    fn values_fit_their_options() {
        let spin = OptionKind::Spin { default: 16, min: -2, max: 1024 };
        check(spin.clone(), " 1024 ", Ok(OptionValue::Spin(1024)));
        check(spin.clone(), "1025", Err(r#"1025 is outside of -2 to 1024, for option "Some Name""#));
        check(spin.clone(), "-3", Err(r#"-3 is outside of -2 to 1024, for option "Some Name""#));
        check(spin, "many", Err(r#""many" is not a whole number, for option "Some Name""#));
        let on = OptionKind::Check { default: true };
        check(on.clone(), "True", Ok(OptionValue::Check(true)));
        check(on.clone(), "off", Ok(OptionValue::Check(false)));
        check(on, "maybe", Err(r#""maybe" is neither true nor false, for option "Some Name""#));
        let combo = OptionKind::Combo {
            default: "Always".to_owned(),
            choices: vec!["Always".to_owned(), "Fail High".to_owned()],
        };
        check(combo.clone(), "fail  high", Ok(OptionValue::Combo("Fail High".to_owned())));
        check(combo, "Never", Err(r#""Never" is none of Always, Fail High, for option "Some Name""#));
        check(OptionKind::Button, "", Ok(OptionValue::Button));
        let text = OptionKind::Text { default: String::new() };
        check(text.clone(), "<empty>", Ok(OptionValue::Text(String::new())));
        check(text, "/a  path", Ok(OptionValue::Text("/a  path".to_owned())));
    }

    #[test]
    fn options_are_found_in_any_case() {
        let options = [OptionDeclaration { name: "Clear Hash".to_owned(), kind: OptionKind::Button }];
        assert_eq!(find(&options, "clear  HASH"), Some(&options[0]));
        assert_eq!(find(&options, "clear"), None);
    }
}
