//! JSON for pages. Hidden characters in its texts, which may come from engines, workers and files of others, are shown
//! as numbers, since a page shows the texts as they are.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter, Serializer};
use smalt_report::sanitize::sanitize;
use smalt_workbench::json::Versioned;

/// The JSON of an object for a page, with the version of its form.
pub fn to_page_json(object: &impl Serialize) -> String {
    write(&Versioned::of(object))
}

fn write(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    let written = value.serialize(&mut Serializer::with_formatter(&mut bytes, SanitizedTexts));
    let text = written.ok().and_then(|()| String::from_utf8(bytes).ok());
    text.unwrap_or_else(|| "null".to_owned())
}

/// Writes hidden characters as `\u{1b}`; line feeds and tabs stay.
struct SanitizedTexts;

impl Formatter for SanitizedTexts {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        // A fragment has no backslash: those of its sanitized form are to be escaped.
        writer.write_all(sanitize(fragment).replace('\\', "\\\\").as_bytes())
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        let shown = match escape {
            CharEscape::Quote => "\\\"".to_owned(),
            CharEscape::ReverseSolidus => "\\\\".to_owned(),
            CharEscape::Solidus => "/".to_owned(),
            CharEscape::LineFeed => "\\n".to_owned(),
            CharEscape::Tab => "\\t".to_owned(),
            CharEscape::Backspace => "\\\\u{8}".to_owned(),
            CharEscape::FormFeed => "\\\\u{c}".to_owned(),
            CharEscape::CarriageReturn => "\\\\u{d}".to_owned(),
            CharEscape::AsciiControl(byte) => format!("\\\\u{{{byte:x}}}"),
        };
        writer.write_all(shown.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_shown_as_numbers_and_others_stay() {
        let text = "\u{1b}[2J \"a\\b\"\r\u{8}\u{c}\u{7f}\u{202e}é\u{9b}\t\n♞";
        let json = write(&[("k\u{202e}", text)]);
        let read: Vec<(String, String)> = serde_json::from_str(&json).unwrap();
        let shown = "\\u{1b}[2J \"a\\b\"\\u{d}\\u{8}\\u{c}\\u{7f}\\u{202e}é\\u{9b}\t\n♞";
        assert_eq!(read, [("k\\u{202e}".to_owned(), shown.to_owned())]);
        let plain = serde_json::json!({ "a": [1, null, "x"], "b": { "c": 0.5 } });
        assert_eq!(write(&plain), serde_json::to_string(&plain).unwrap());
        assert!(to_page_json(&plain).starts_with("{\"schema\":1,\"a\":[1,null,\"x\"]"));
    }
}
