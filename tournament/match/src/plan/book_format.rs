//! The formats of opening books.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How openings are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BookFormat {
    /// A position a line: EPD with any operations, or FEN.
    Epd,
    /// Games, whose first moves are played.
    Pgn,
    /// A book of weighted moves, in which openings are walks.
    Polyglot,
}

impl BookFormat {
    /// Format by file extension, ignoring `.gz` and `.zst`.
    pub fn of(path: &Path) -> Option<BookFormat> {
        let extension = |path: &Path| Some(path.extension()?.to_str()?.to_ascii_lowercase());
        let found = extension(path)?;
        let found = match found.as_str() {
            "gz" | "zst" => extension(Path::new(path.file_stem()?))?,
            _ => found,
        };
        match found.as_str() {
            "epd" | "fen" | "txt" => Some(BookFormat::Epd),
            "pgn" => Some(BookFormat::Pgn),
            "bin" => Some(BookFormat::Polyglot),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_give_the_format_of_plain_and_compressed_books() {
        let check = |name: &str, expected| assert_eq!(BookFormat::of(Path::new(name)), expected, "{name}");
        check("UHO.epd", Some(BookFormat::Epd));
        check("a/8moves.PGN.gz", Some(BookFormat::Pgn));
        check("UHO_4060_v3.epd.zst", Some(BookFormat::Epd));
        check("book.bin", Some(BookFormat::Polyglot));
        for name in ["book", "book.gz", "book.zip", "book.epd.xz", ".epd"] {
            check(name, None);
        }
    }
}
