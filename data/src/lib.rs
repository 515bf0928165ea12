//! Files of this folder that the programs embed. README.md and the notes in the folders have their sources and licences.

/// An embedded file.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Path from the root of the project, with slashes.
    pub path: &'static str,
    pub text: &'static str,
}

macro_rules! file {
    ($path:literal) => {
        File { path: concat!("data/", $path), text: include_str!(concat!("../", $path)) }
    };
}

/// The default plan of `gauntlet`, and the manual of plan files.
pub const GAUNTLET: File = file!("gauntlet.toml");

/// Registry of Debian's engines, with settings that make them usable in matches.
pub const ENGINES: File = file!("engines.toml");

/// The openings `builtin`, in EPD.
pub const OPENINGS: File = file!("openings/balanced.epd");

/// Named openings: ECO code, name and moves, separated by tabs, one opening per line.
pub const ECO: File = file!("openings/eco.tsv");

/// Win at Chess, in EPD.
pub const WAC: File = file!("suites/wac.epd");

/// The 15 themes of the Strategic Test Suite in order, in EPD.
pub const STS: [File; 15] = [
    file!("suites/sts01.epd"),
    file!("suites/sts02.epd"),
    file!("suites/sts03.epd"),
    file!("suites/sts04.epd"),
    file!("suites/sts05.epd"),
    file!("suites/sts06.epd"),
    file!("suites/sts07.epd"),
    file!("suites/sts08.epd"),
    file!("suites/sts09.epd"),
    file!("suites/sts10.epd"),
    file!("suites/sts11.epd"),
    file!("suites/sts12.epd"),
    file!("suites/sts13.epd"),
    file!("suites/sts14.epd"),
    file!("suites/sts15.epd"),
];
