//! The built-in suites: the files of `data/suites`.

use super::Suite;

#[derive(Clone, Copy, Debug)]
pub struct EmbeddedSuite {
    /// Name on the command line.
    pub name: &'static str,
    pub title: &'static str,
    /// How answers are scored.
    pub scoring: &'static str,
    /// Notes on the suite as a whole.
    remarks: &'static [&'static str],
    files: &'static [SuiteFile],
}

/// A file with its theme and text.
#[derive(Clone, Copy, Debug)]
struct SuiteFile {
    name: &'static str,
    theme: &'static str,
    text: &'static str,
}

macro_rules! file {
    ($name:literal, $theme:literal) => {
        SuiteFile {
            name: concat!("data/suites/", $name, ".epd"),
            theme: $theme,
            text: include_str!(concat!("../../../data/suites/", $name, ".epd")),
        }
    };
}

static WAC: [SuiteFile; 1] = [file!("wac", "Win at Chess")];

static STS: [SuiteFile; 15] = [
    file!("sts01", "Undermining"),
    file!("sts02", "Open files and diagonals"),
    file!("sts03", "Knight outposts"),
    file!("sts04", "Square vacancy"),
    file!("sts05", "Bishop against knight"),
    file!("sts06", "Recapturing"),
    file!("sts07", "Offer of simplification"),
    file!("sts08", "Advance of the f, g and h pawns"),
    file!("sts09", "Advance of the a, b and c pawns"),
    file!("sts10", "Simplification"),
    file!("sts11", "Activity of the king"),
    file!("sts12", "Center control"),
    file!("sts13", "Pawn play in the center"),
    file!("sts14", "Queens and rooks to the seventh rank"),
    file!("sts15", "Avoiding pointless exchanges"),
];

static WAC_REMARKS: [&str; 2] = [
    "some editions name one winning move where this one names several (bm): here each of them solves",
    "some editions leave WAC.230 out, and have 299 positions: here it is",
];

const POINTS: &str = "points of each move, 10 for the best";

const fn theme(name: &'static str, index: usize) -> EmbeddedSuite {
    let (_, files) = STS.split_at(index);
    let (files, _) = files.split_at(1);
    EmbeddedSuite { name, title: STS[index].theme, scoring: POINTS, remarks: &[], files }
}

pub static EMBEDDED: [EmbeddedSuite; 17] = [
    EmbeddedSuite {
        name: "wac",
        title: "Win at Chess",
        scoring: "solved or not",
        remarks: &WAC_REMARKS,
        files: &WAC,
    },
    EmbeddedSuite { name: "sts", title: "Strategic Test Suite", scoring: POINTS, remarks: &[], files: &STS },
    theme("sts01", 0),
    theme("sts02", 1),
    theme("sts03", 2),
    theme("sts04", 3),
    theme("sts05", 4),
    theme("sts06", 5),
    theme("sts07", 6),
    theme("sts08", 7),
    theme("sts09", 8),
    theme("sts10", 9),
    theme("sts11", 10),
    theme("sts12", 11),
    theme("sts13", 12),
    theme("sts14", 13),
    theme("sts15", 14),
];

impl EmbeddedSuite {
    /// The suite with this name, case-insensitive.
    pub(crate) fn find(name: &str) -> Option<&'static EmbeddedSuite> {
        EMBEDDED.iter().find(|suite| suite.name.eq_ignore_ascii_case(name))
    }
}

impl Suite {
    /// Parses the built-in suite with this name, case-insensitive.
    pub fn embedded(name: &str) -> Option<Suite> {
        let embedded = EmbeddedSuite::find(name)?;
        let mut suite = Suite::empty(embedded.name, embedded.title);
        for file in embedded.files {
            suite.read(file.text, file.name, Some(file.theme));
        }
        suite.remarks = embedded.remarks;
        suite.note_repetitions();
        Some(suite)
    }
}
