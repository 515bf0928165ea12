//! Sanitizes text of other programs for a terminal: engines and workers may send control characters that move the
//! cursor or change the direction of a line. All programs use these functions for such text.

/// Whether a character is invisible but changes the text around it: control and format characters (Unicode categories
/// Cc, Cf, Zl and Zp).
pub fn is_hidden(letter: char) -> bool {
    if letter.is_ascii() {
        return letter.is_ascii_control();
    }
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
            | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
}

/// One line, with hidden characters escaped (`\u{1b}`); tabs stay.
pub fn sanitize(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_hidden(letter) && letter != '\t' {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    shown
}

/// JSON with hidden characters of its texts escaped: it is printed on terminals, too.
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        // Line feeds and spaces stand between the texts.
        if letter.is_ascii() || !is_hidden(letter) {
            escaped.push(letter);
        } else {
            escaped.extend(letter.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    escaped
}

/// Like [`sanitize`], for text of several lines: line feeds are kept.
pub fn sanitize_lines(text: &str) -> String {
    text.split('\n').map(sanitize).collect::<Vec<_>>().join("\n")
}

/// Maximum number of characters of a message.
const LONGEST_MESSAGE: usize = 2_000;

/// Like [`sanitize`], for a message, which may quote a line of any length: cut at the maximum.
pub fn sanitize_message(text: &str) -> String {
    let mut message = sanitize_lines(text);
    if let Some((end, _)) = message.char_indices().nth(LONGEST_MESSAGE) {
        message.truncate(end);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_quotes_a_long_line_is_cut() {
        assert_eq!(sanitize_message("a\u{1b}[2J"), sanitize("a\u{1b}[2J"));
        assert_eq!(sanitize_message(&"é".repeat(1_000_000)).chars().count(), LONGEST_MESSAGE + 1);
    }

    #[test]
    fn what_moves_a_cursor_or_turns_a_line_is_shown_as_a_number() {
        assert_eq!(sanitize("\u{1b}[2Jbo\to\u{202e}é\r"), "\\u{1b}[2Jbo\to\\u{202e}é\\u{d}");
        assert_eq!(sanitize("a\nb"), "a\\u{a}b");
        assert_eq!(sanitize_lines("a\u{7}\nb\n"), "a\\u{7}\nb\n");
        assert_eq!(escape_json("{\n\"é\u{9b}\u{202e}\u{e0001}\"}"), "{\n\"é\\u009b\\u202e\\udb40\\udc01\"}");
    }
}
