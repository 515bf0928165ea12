//! PGN lexer: one token at a time, of limited length.

use std::io::Read;

use super::source::CharSource;
use crate::outcome::Outcome;

/// Maximum length of a comment or tag value, in bytes.
const TEXT_LIMIT: usize = 1 << 20;
/// Maximum length of a word, in bytes; real words are moves.
const WORD_LIMIT: usize = 64;

/// A token; the lexer has its text, if any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    /// A tag; the lexer has its name and value.
    Tag,
    BadTag,
    /// A move, or another word.
    Word,
    Number,
    /// A numeric annotation glyph.
    Nag(u8),
    /// A comment of either kind.
    Comment,
    /// A comment not closed before the next game.
    OpenComment,
    Open,
    Close,
    /// A result; `None` for `*`.
    Result(Option<Outcome>),
    /// A character that has no meaning in PGN.
    Unexpected(u8),
    /// The end of the file.
    End,
}

/// A stream of tokens.
#[derive(Debug)]
pub(super) struct Lexer<R> {
    pub(super) source: CharSource<R>,
    text: Vec<u8>,
    name: Vec<u8>,
    /// The line on which the current token starts.
    line: u64,
    /// Whether only spaces or tags precede the current token on its line.
    may_be_tag: bool,
    truncated: bool,
}

impl<R: Read> Lexer<R> {
    pub(super) fn new(input: R) -> Lexer<R> {
        Lexer {
            source: CharSource::new(input),
            text: Vec::new(),
            name: Vec::new(),
            line: 1,
            may_be_tag: true,
            truncated: false,
        }
    }

    /// The text of the token: word, comment or tag value.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// The name of the tag.
    pub(super) fn name(&self) -> &[u8] {
        &self.name
    }

    /// The line on which the token starts.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether the token's text was truncated.
    pub(super) fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// Skips the rest of the line and returns it, preceded by the token's text.
    pub(super) fn rest_of_line(&mut self) -> &[u8] {
        self.take_line();
        &self.text
    }

    pub(super) fn next(&mut self) -> Token {
        self.skip_space();
        self.line = self.source.line();
        self.truncated = false;
        self.text.clear();
        let Some(byte) = self.source.peek() else { return Token::End };
        let may_be_tag = std::mem::replace(&mut self.may_be_tag, false);
        match byte {
            b'0'..=b'9' => self.number(),
            b'[' if may_be_tag => self.tag(),
            b'{' => self.comment(),
            b';' => self.line_comment(),
            b'$' => self.nag(),
            b'!' | b'?' => self.suffix(),
            b'<' => self.reserved(),
            _ if is_word(byte) => self.word(),
            _ => {
                self.source.bump();
                match byte {
                    b'(' => Token::Open,
                    b')' => Token::Close,
                    b'*' => Token::Result(None),
                    _ => Token::Unexpected(byte),
                }
            }
        }
    }

    /// Skips spaces, dots after numbers, and lines that start with `%`.
    #[inline]
    fn skip_space(&mut self) {
        loop {
            self.source.skip(|byte| matches!(byte, b' ' | b'.' | b'\t' | 0x0b | 0x0c | 0));
            match self.source.peek() {
                Some(b'\n' | b'\r') => {
                    self.may_be_tag = true;
                    self.source.bump();
                }
                Some(b'%') if self.source.is_line_start() => self.skip_line(),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        let mut nothing = Vec::new();
        self.source.take_until(is_line_end, &mut nothing, 0);
    }

    /// Appends the rest of the line to the text.
    fn take_line(&mut self) {
        self.source.take_until(is_line_end, &mut self.text, TEXT_LIMIT);
        self.truncated |= self.text.len() == TEXT_LIMIT;
    }

    fn word(&mut self) -> Token {
        self.take_word();
        match self.text.as_slice() {
            b"\xc2\xbd-\xc2\xbd" | b"\xbd-\xbd" => Token::Result(Some(Outcome::Draw)),
            _ => Token::Word,
        }
    }

    #[inline]
    fn take_word(&mut self) {
        while self.source.take_until(|byte| !is_word(byte), &mut self.text, WORD_LIMIT)
            && self.source.peek() == Some(b'.')
            && is_en_passant_mark(&self.text)
        {
            self.text.push(b'.');
            self.source.bump();
        }
    }

    /// A number, or a result or castling that starts with a digit.
    fn number(&mut self) -> Token {
        while let Some(digit @ b'0'..=b'9') = self.source.peek() {
            if self.text.len() < WORD_LIMIT {
                self.text.push(digit);
            }
            self.source.bump();
        }
        if !matches!(self.source.peek(), Some(b'-' | b'/')) {
            return Token::Number;
        }
        self.take_word();
        let text = str::from_utf8(&self.text).unwrap_or_default();
        Outcome::parse(text).map_or(Token::Word, |outcome| Token::Result(Some(outcome)))
    }

    fn nag(&mut self) -> Token {
        self.source.bump();
        let mut value = None;
        while let Some(digit @ b'0'..=b'9') = self.source.peek() {
            value = Some(value.unwrap_or(0_u32).saturating_mul(10).saturating_add(u32::from(digit - b'0')));
            self.source.bump();
        }
        value.and_then(|value| u8::try_from(value).ok()).map_or(Token::Unexpected(b'$'), Token::Nag)
    }

    fn suffix(&mut self) -> Token {
        while let Some(mark @ (b'!' | b'?')) = self.source.peek() {
            if self.text.len() < WORD_LIMIT {
                self.text.push(mark);
            }
            self.source.bump();
        }
        Token::Nag(match self.text.as_slice() {
            b"!" => 1,
            b"?" => 2,
            b"!?" => 5,
            b"?!" => 6,
            [b'!', ..] => 3,
            _ => 4,
        })
    }

    fn comment(&mut self) -> Token {
        self.source.bump();
        loop {
            let at_end =
                !self.source.take_until(|byte| matches!(byte, b'}' | b'\n'), &mut self.text, TEXT_LIMIT);
            self.truncated |= self.text.len() == TEXT_LIMIT;
            if at_end {
                return Token::OpenComment;
            }
            let closes = self.source.peek() == Some(b'}');
            self.source.bump();
            if closes {
                return Token::Comment;
            }
            self.text.push(b'\n');
            if self.source.starts_with(b"[Event \"") {
                self.may_be_tag = true;
                return Token::OpenComment;
            }
        }
    }

    fn line_comment(&mut self) -> Token {
        self.source.bump();
        self.take_line();
        Token::Comment
    }

    /// Skips text in angle brackets, which the standard reserves.
    fn reserved(&mut self) -> Token {
        let mut nothing = Vec::new();
        self.source.take_until(|byte| byte == b'>' || is_line_end(byte), &mut nothing, 0);
        if self.source.peek() == Some(b'>') {
            self.source.bump();
        }
        Token::Unexpected(b'<')
    }

    /// A tag. Escapes are resolved. An unescaped quote inside the value belongs to it, unless the bracket or the line
    /// end follows.
    fn tag(&mut self) -> Token {
        self.source.bump();
        self.name.clear();
        let is_name_end = |byte: u8| matches!(byte, b'"' | b']' | b'\n' | b'\r');
        self.source.take_until(is_name_end, &mut self.name, WORD_LIMIT * 4);
        self.name = self.name.trim_ascii().to_vec();
        let named = !self.name.is_empty() && self.name.iter().all(|&byte| is_tag_name(byte));
        if !named || self.source.peek() != Some(b'"') {
            self.text.push(b'[');
            self.text.extend_from_slice(&self.name);
            self.take_line();
            return Token::BadTag;
        }
        self.source.bump();
        self.may_be_tag = true;
        if self.tag_value() {
            return Token::Tag;
        }
        let beginning = [b"[", self.name.as_slice(), b" \""].concat();
        self.text.splice(..0, beginning);
        Token::BadTag
    }

    /// Reads from the opening quote to the end of the tag. False if the line ends without a closing quote.
    fn tag_value(&mut self) -> bool {
        loop {
            let is_end = |byte: u8| matches!(byte, b'"' | b'\\') || is_line_end(byte);
            let found = self.source.take_until(is_end, &mut self.text, TEXT_LIMIT);
            self.truncated |= self.text.len() == TEXT_LIMIT;
            let Some(byte) = self.source.peek().filter(|&byte| found && !is_line_end(byte)) else {
                return false;
            };
            self.source.bump();
            if byte == b'"' {
                if self.closes_tag() {
                    return true;
                }
                self.text.push(b'"');
                continue;
            }
            match self.source.peek() {
                Some(escaped @ (b'"' | b'\\')) => {
                    self.text.push(escaped);
                    self.source.bump();
                }
                _ => self.text.push(b'\\'),
            }
        }
    }

    /// Whether a quote ends the value: only spaces precede the bracket or the line end. Spaces that belong to the value
    /// are left unread.
    fn closes_tag(&mut self) -> bool {
        for end in [b"]".as_slice(), b" ]", b"  ]"] {
            if self.source.starts_with(end) {
                while self.source.peek() != Some(b']') {
                    self.source.bump();
                }
                self.source.bump();
                return true;
            }
        }
        self.source.peek().is_none_or(is_line_end)
    }
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Word bytes: letters, digits, symbols of moves and evaluations, and everything beyond ASCII.
static IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let other = matches!(byte as u8, b'+' | b'#' | b'=' | b':' | b'-' | b'_' | b'/' | b'@' | b'~');
        table[byte] = other || byte >= 0x80 || (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

#[inline]
fn is_word(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}

fn is_tag_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-')
}

/// Whether a dot is followed by the rest of `e.p.`.
fn is_en_passant_mark(text: &[u8]) -> bool {
    matches!(text, [.., b'e'] | [.., b'e', b'.', b'p']) && !matches!(text, [b'O', ..])
}
