//! Splits a line into words.

use std::fmt::{self, Write};

use memchr::memchr2;

/// The words of a line, separated by spaces, tabs and other control characters.
///
/// A carriage return or line feed ends the line; the rest is ignored.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    line: &'a str,
    at: usize,
}

fn is_space(byte: u8) -> bool {
    byte <= b' '
}

/// The text without leading and trailing space.
pub(crate) fn trim(text: &str) -> &str {
    // The borders are beside ASCII, so on borders of characters; bytes are compared faster than characters.
    let bytes = text.as_bytes();
    let start = bytes.iter().position(|&byte| !is_space(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

/// The text before the first closing brace, without the opening brace, which may be missing.
pub(crate) fn without_braces(text: &str) -> &str {
    let inside = text.strip_prefix('{').unwrap_or(text);
    trim(inside.split('}').next().unwrap_or(inside))
}

impl<'a> Words<'a> {
    pub(crate) fn new(text: &'a str) -> Words<'a> {
        let text = trim(text);
        let end = memchr2(b'\n', b'\r', text.as_bytes());
        Words { line: end.map_or(text, |end| trim(&text[..end])), at: 0 }
    }

    /// The words of a text that is one line without leading and trailing space.
    pub(crate) fn of_line(line: &'a str) -> Words<'a> {
        Words { line, at: 0 }
    }

    /// The whole line without leading and trailing space.
    pub(crate) fn line(&self) -> &'a str {
        self.line
    }

    /// The unread part, inner spaces included.
    pub(crate) fn rest(&self) -> &'a str {
        trim(&self.line[self.at..])
    }

    /// Consumes the next word if `read` accepts it.
    #[inline]
    pub(crate) fn accept<T>(&mut self, read: impl FnOnce(&'a str) -> Option<T>) -> Option<T> {
        let before = self.at;
        let value = read(self.next()?);
        if value.is_none() {
            self.at = before;
        }
        value
    }

    /// The text before the first word that `stops` accepts; that word is not consumed.
    pub(crate) fn until(&mut self, stops: impl Fn(&str) -> bool) -> &'a str {
        self.take_run(|word, _after| stops(word))
    }

    /// Like [`Words::until`]; `stops` also gets the following word.
    pub(crate) fn until_followed(&mut self, stops: impl Fn(&str, Option<&str>) -> bool) -> &'a str {
        self.take_run(|word, after| stops(word, after.clone().next()))
    }

    fn take_run(&mut self, stops: impl Fn(&str, &Words<'a>) -> bool) -> &'a str {
        let start = self.at;
        loop {
            let before = self.at;
            match self.next() {
                Some(word) if !stops(word, self) => {}
                None => return trim(&self.line[start..]),
                Some(_) => {
                    self.at = before;
                    return trim(&self.line[start..before]);
                }
            }
        }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.line.as_bytes();
        let mut start = self.at;
        while start < bytes.len() && is_space(bytes[start]) {
            start += 1;
        }
        let mut end = start;
        while end < bytes.len() && !is_space(bytes[end]) {
            end += 1;
        }
        self.at = end;
        // Words are delimited by ASCII, so both indices are character boundaries.
        (start < end).then(|| &self.line[start..end])
    }
}

/// Formats a text of an engine without line breaks.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut pieces = self.0.split(['\n', '\r']);
        f.write_str(pieces.next().unwrap_or_default())?;
        pieces.try_for_each(|piece| {
            f.write_char(' ')?;
            f.write_str(piece)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_white_space_parts_words() {
        let words: Vec<_> = Words::new(" \ta\0 b\t\tc d\r\nnext").collect();
        assert_eq!(words, ["a", "b", "c", "d"]);
        assert_eq!(Words::new(" \r\n").next(), None);
    }

    #[test]
    fn a_run_of_words_keeps_its_inner_space() {
        let mut words = Words::new("Clear   Hash value 1");
        assert_eq!(words.until(|word| word == "value"), "Clear   Hash");
        assert_eq!((words.next(), words.rest()), (Some("value"), "1"));
    }

    #[test]
    fn foreign_text_stays_on_its_line() {
        assert_eq!(OneLine("a\nquit\r\n").to_string(), "a quit  ");
    }
}
