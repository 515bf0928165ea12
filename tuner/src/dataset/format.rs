//! The formats of labelled positions, by name and by file extension.

use std::path::Path;

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
    /// All formats, with the endings of their files; the first is the one that is documented.
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

    /// The format that the ending of a name says; an ending of compression (.gz, .zst) is looked behind.
    pub fn of_path(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        if matches!(ending.as_str(), "gz" | "zst") {
            return Format::of_path(Path::new(path.file_stem()?));
        }
        let found = Format::ENDINGS.iter().find(|(_, endings)| endings.contains(&ending.as_str()));
        found.map(|&(format, _)| format)
    }

    /// Reads a name: that of [`Format::keyword`].
    pub fn parse(keyword: &str) -> Option<Format> {
        Format::ENDINGS.iter().map(|&(format, _)| format).find(|format| format.keyword() == keyword)
    }

    /// The words of all formats on the command line.
    pub fn keywords() -> [&'static str; 9] {
        Format::ENDINGS.map(|(format, _)| format.keyword())
    }

    /// Its word on the command line.
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

    /// The endings of all formats, for messages.
    pub fn endings() -> String {
        Format::ENDINGS.map(|(_, endings)| format!(".{}", endings[0])).join(", ")
    }

    /// Its name, for people.
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
}
