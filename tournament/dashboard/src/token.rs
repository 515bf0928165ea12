//! The access token of the live page.

use std::fmt;

use smalt_workbench::engine_files::random_hexadecimal;
use subtle::ConstantTimeEq;

/// Minimum length of a user's token.
const SHORTEST: usize = 16;

/// A token of characters that need no quoting in a URL or cookie.
#[derive(Clone)]
pub struct Token(String);

/// Why a token is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    #[error("a token has at least {SHORTEST} characters, and this one has {0}")]
    Short(usize),
    /// Characters not allowed in a cookie.
    #[error("a token consists of letters, digits, - and _")]
    Letters,
    /// The system has no random numbers.
    #[error("the system gives no random numbers")]
    NoRandom,
}

impl Token {
    /// A new token of 128 random bits.
    ///
    /// # Errors
    /// [`TokenError::NoRandom`].
    pub fn random() -> Result<Token, TokenError> {
        random_hexadecimal(16).map(Token).map_err(|_| TokenError::NoRandom)
    }

    /// Parses a user's token; surrounding white space is ignored.
    ///
    /// # Errors
    /// If it is too short, or has characters that need quoting.
    pub fn parse(text: &str) -> Result<Token, TokenError> {
        let text = text.trim();
        if !text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')) {
            return Err(TokenError::Letters);
        }
        if text.len() < SHORTEST {
            return Err(TokenError::Short(text.len()));
        }
        Ok(Token(text.to_owned()))
    }

    /// Compares in constant time; only the length may leak.
    pub(crate) fn is(&self, text: &str) -> bool {
        self.0.as_bytes().ct_eq(text.as_bytes()).into()
    }

    /// The token as text.
    pub fn as_text(&self) -> &str {
        &self.0
    }
}

/// Hides the secret in logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_tokens_differ_and_are_tokens() {
        let (first, second) = (Token::random().unwrap(), Token::random().unwrap());
        assert!(!first.is(second.as_text()) && first.is(first.as_text()));
        assert!(Token::parse(first.as_text()).unwrap().is(first.as_text()));
    }

    #[test]
    fn what_could_be_guessed_or_not_be_written_is_refused() {
        assert_eq!(Token::parse("short").unwrap_err(), TokenError::Short(5));
        assert_eq!(Token::parse("0123456789abcdef; Path").unwrap_err(), TokenError::Letters);
        assert!(Token::parse(" 0123456789abcdef\n").is_ok());
        assert!(!Token::parse("0123456789abcdef").unwrap().is("0123456789abcde"));
    }

    #[test]
    fn a_token_does_not_show_in_debug_texts() {
        let token = Token::parse("0123456789abcdef").unwrap();
        assert!(!format!("{token:?}").contains("0123"));
    }
}
