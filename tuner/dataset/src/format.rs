//! The formats of labelled positions, by name and by file extension.

use std::fmt::{self, Display};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Why a file's format is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// An unknown format name.
    #[error("expected one of {}", Format::keywords().join(", "))]
    Keyword,
    /// An unknown file extension.
    #[error("{}: no format has the extension .{}: there are {}, or name the format", .0.display(), ending(.0), Format::endings())]
    Ending(PathBuf),
    /// Compressed output is not supported.
    #[error("{}: files are written uncompressed", .0.display())]
    Compressed(PathBuf),
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().into_owned()
}

/// A format of labelled positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Our own binary: everything that is known, game by game (.bin)
    Smalt,
    /// Text: FEN | score | result (.txt)
    Fen,
    /// EPD with the result in c9 (.epd)
    Epd,
    /// Text: FEN [1.0] (.book)
    Book,
    /// A table with the columns fen, score, result, game, ply, move (.csv)
    Csv,
    /// Text of Stockfish's training tools (.plain)
    Plain,
    /// bulletformat: 32 bytes a position (.bullet)
    Bullet,
    /// viriformat: games, four bytes a move (.viri)
    Viri,
    /// Stockfish's compressed training data (.binpack)
    Binpack,
}

impl Format {
    /// All formats with their file extensions, the documented one first.
    const ENDINGS: [(Format, &[&str]); 9] = [
        (Format::Smalt, &["bin", "smaltpos"]),
        (Format::Fen, &["txt", "fen"]),
        (Format::Epd, &["epd"]),
        (Format::Book, &["book"]),
        (Format::Csv, &["csv"]),
        (Format::Plain, &["plain"]),
        (Format::Bullet, &["bullet", "bulletformat"]),
        (Format::Viri, &["viri", "viriformat", "vf"]),
        (Format::Binpack, &["binpack"]),
    ];

    /// The format by file extension; .gz and .zst are ignored.
    pub(crate) fn of_path(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        if matches!(ending.as_str(), "gz" | "zst") {
            return Format::of_path(Path::new(path.file_stem()?));
        }
        let found = Format::ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
        found.map(|&(format, _)| format)
    }

    /// Format of an output file: the requested one, otherwise that of the extension, otherwise Smalt's own without an
    /// extension.
    ///
    /// # Errors
    /// If the extension is unknown or that of compression.
    pub fn of_output(path: &Path, asked: Option<Format>) -> Result<Format, FormatError> {
        if path.extension().is_some_and(|ending| ending == "gz" || ending == "zst") {
            return Err(FormatError::Compressed(path.to_owned()));
        }
        let by_name = || if path.extension().is_none() { Some(Format::Smalt) } else { Format::of_path(path) };
        asked.or_else(by_name).ok_or_else(|| FormatError::Ending(path.to_owned()))
    }

    /// Keywords of all formats on the command line.
    pub fn keywords() -> [&'static str; 9] {
        Format::ENDINGS.map(|(format, _)| format.keyword())
    }

    /// Keyword on the command line.
    pub fn keyword(self) -> &'static str {
        match self {
            Format::Smalt => "smalt",
            Format::Fen => "fen",
            Format::Epd => "epd",
            Format::Book => "book",
            Format::Csv => "csv",
            Format::Plain => "plain",
            Format::Bullet => "bullet",
            Format::Viri => "viri",
            Format::Binpack => "binpack",
        }
    }

    /// Extensions of all formats, for messages.
    pub(crate) fn endings() -> String {
        Format::ENDINGS.map(|(_, endings)| format!(".{}", endings[0])).join(", ")
    }

    pub fn name(self) -> &'static str {
        match self {
            Format::Smalt => "positions of smalt-tuner",
            Format::Fen => "FEN | score | result",
            Format::Epd => "EPD with c9",
            Format::Book => "FEN [result]",
            Format::Csv => "CSV",
            Format::Plain => "Stockfish's .plain",
            Format::Bullet => "bulletformat",
            Format::Viri => "viriformat",
            Format::Binpack => "Stockfish's binpack",
        }
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.keyword())
    }
}

impl FromStr for Format {
    type Err = FormatError;

    fn from_str(keyword: &str) -> Result<Format, FormatError> {
        let found = Format::ENDINGS.iter().find(|(format, _)| format.keyword() == keyword);
        found.map(|&(format, _)| format).ok_or(FormatError::Keyword)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_says_the_format() {
        let check = |name: &str, format| assert_eq!(Format::of_path(Path::new(name)), format, "{name}");
        check("a.bin", Some(Format::Smalt));
        check("data/x.EPD", Some(Format::Epd));
        check("x.plain.zst", Some(Format::Plain));
        check("x.binpack", Some(Format::Binpack));
        for name in ["positions", "x.png", "epd", ".epd", "x.gz"] {
            check(name, None);
        }
    }

    #[test]
    fn a_file_is_written_in_the_format_that_was_asked_for_or_named() {
        let check = |name: &str, asked, expected: Result<Format, &str>| {
            let found = Format::of_output(Path::new(name), asked).map_err(|error| error.to_string());
            match (found, expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{name}"),
                (Err(found), Err(expected)) => assert!(found.contains(expected), "{name}: {found}"),
                (found, _) => panic!("{name}: {found:?}"),
            }
        };
        check("a.bullet", None, Ok(Format::Bullet));
        check("a.bullet", Some(Format::Viri), Ok(Format::Viri));
        check("a", None, Ok(Format::Smalt));
        check("a.data", None, Err("no format has the extension .data: there are .bin, .txt"));
        check("a.plain.zst", None, Err("uncompressed"));
        assert_eq!("binpack".parse(), Ok(Format::Binpack));
        assert!("bin".parse::<Format>().is_err());
    }
}
