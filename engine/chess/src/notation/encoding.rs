//! Decodes game and position files of unknown encoding: UTF-8 with or without byte order mark, UTF-16 of either byte
//! order, or Latin-1 if the text is not valid UTF-8.

use std::borrow::Cow;

/// Encoding of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encoding {
    /// UTF-8, or Latin-1 if that is invalid.
    Bytes,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
}

impl Encoding {
    /// Number of bytes that determine the encoding.
    pub(crate) const LOOK_AHEAD: usize = 4;

    /// The encoding of a file with these first bytes, and the length of its byte order mark. Without a mark, a zero
    /// byte next to an ASCII letter means UTF-16.
    pub(crate) fn of(start: &[u8]) -> (Encoding, usize) {
        match *start {
            [0xef, 0xbb, 0xbf, ..] => (Encoding::Bytes, 3),
            [0xff, 0xfe, ..] => (Encoding::Utf16Le, 2),
            [0xfe, 0xff, ..] => (Encoding::Utf16Be, 2),
            [1..=0x7f, 0, 1..=0x7f, 0, ..] => (Encoding::Utf16Le, 0),
            [0, 1..=0x7f, 0, 1..=0x7f, ..] => (Encoding::Utf16Be, 0),
            _ => (Encoding::Bytes, 0),
        }
    }

    /// The UTF-16 code unit of two bytes.
    pub(crate) fn unit(self, bytes: [u8; 2]) -> u16 {
        match self {
            Encoding::Utf16Be => u16::from_be_bytes(bytes),
            _ => u16::from_le_bytes(bytes),
        }
    }
}

/// Decodes a whole file of unknown encoding, without its byte order mark. Never fails: text that is not UTF-8 is read
/// as Latin-1, and invalid UTF-16 is replaced by U+FFFD.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    let (encoding, mark) = Encoding::of(bytes);
    let bytes = &bytes[mark..];
    match encoding {
        Encoding::Bytes => decode_bytes(bytes),
        _ => {
            let units = bytes.chunks_exact(2).map(|pair| encoding.unit([pair[0], pair[1]]));
            let text = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
            Cow::Owned(text.collect())
        }
    }
}

/// Decodes UTF-8, or else Latin-1.
pub(crate) fn decode_bytes(bytes: &[u8]) -> Cow<'_, str> {
    match str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "id \"Größe\"; bm Nf3";
        let utf16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
        let latin1: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        assert_eq!(decode(text.as_bytes()), text);
        assert_eq!(decode(&latin1), text);
        assert_eq!(decode(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), text);
        assert_eq!(decode(&[b"\xff\xfe".to_vec(), utf16(u16::to_le_bytes)].concat()), text);
        assert_eq!(decode(&[b"\xfe\xff".to_vec(), utf16(u16::to_be_bytes)].concat()), text);
        assert_eq!(decode(&utf16(u16::to_le_bytes)), text);
        assert_eq!(decode(b"\xff\xfe\x00\xd8"), "\u{fffd}");
    }
}
