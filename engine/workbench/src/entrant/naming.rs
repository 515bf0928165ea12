//! Names of entrants: defaults, and uniqueness.

use std::collections::BTreeSet;
use std::path::Path;

use smalt_report::sanitize::{is_hidden, sanitize};

use super::BUILTIN;

/// Why a name cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("two engines are called {name:?}: give one of them another with name=")]
    Taken { name: String },
    #[error("{name:?} is not a valid name: it must be visible, on one line and without hidden characters")]
    Bad { name: String },
}

/// Checks the name of a new entrant, which has no hidden characters. That of a stored run may have them.
///
/// # Errors
/// If the name has hidden characters.
pub fn check_new_name(name: &str) -> Result<(), NameError> {
    if name.chars().any(is_hidden) { Err(NameError::Bad { name: name.to_owned() }) } else { Ok(()) }
}

/// The names of a run.
#[derive(Clone, Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Assigns the name of the next entrant: the chosen one, or the default for its command ([`default_name`]), with a
    /// number added if that is taken.
    ///
    /// # Errors
    /// If the name is taken or invalid.
    pub fn take(&mut self, chosen: Option<&str>, command: &str) -> Result<String, NameError> {
        let name = chosen.map_or_else(|| self.free(default_name(command)), str::to_owned);
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return Err(NameError::Bad { name });
        }
        if !self.taken.insert(name.clone()) {
            return Err(NameError::Taken { name });
        }
        Ok(name)
    }

    fn free(&self, name: String) -> String {
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut candidates = std::iter::once(name.clone()).chain(numbered);
        candidates.find(|candidate| !self.taken.contains(candidate)).expect("there is always another number")
    }
}

/// Default name: the program's file name without folder and extension; `smalt` for the built-in engine.
#[must_use]
pub fn default_name(command: &str) -> String {
    if command == BUILTIN {
        return "smalt".to_owned();
    }
    let stem = Path::new(command).file_stem();
    stem.map_or_else(|| command.to_owned(), |stem| sanitize(&stem.to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = Names::default();
        let mut take = |chosen, command| names.take(chosen, command).map_err(|error| error.to_string());
        assert_eq!(take(None, "./bin/mine.sh").as_deref(), Ok("mine"));
        assert_eq!(take(None, "mine").as_deref(), Ok("mine-2"));
        assert_eq!(take(None, BUILTIN).as_deref(), Ok("smalt"));
        assert_eq!(take(Some("Mine"), "mine").as_deref(), Ok("Mine"));
        let taken = "two engines are called \"Mine\": give one of them another with name=";
        assert_eq!(take(Some("Mine"), "other"), Err(taken.to_owned()));
        let bad = "\" \" is not a valid name: it must be visible, on one line and without hidden characters";
        assert_eq!(take(Some(" "), "other"), Err(bad.to_owned()));
        assert!(take(Some("a\nb"), "other").is_err());
        assert_eq!(take(None, "./b\u{202e}in").as_deref(), Ok("b\\u{202e}in"));
    }

    #[test]
    fn a_new_name_hides_nothing_and_a_stored_one_is_taken_as_it_is() {
        for name in ["a\u{202e}b", "a\u{200b}", "a\u{1b}[2J"] {
            let error = check_new_name(name).unwrap_err().to_string();
            assert!(error.contains("hidden characters") && !error.contains(name), "{error}");
        }
        assert!(Names::default().take(Some("a\u{202e}b"), "other").is_ok());
    }
}
