//! The built-in suites: the files of `data/suites`.

use smalt_data::{File, STS, WAC};

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

/// A file with its theme.
#[derive(Clone, Copy, Debug)]
struct SuiteFile {
    theme: &'static str,
    file: &'static File,
}

static WAC_FILES: [SuiteFile; 1] = [SuiteFile { theme: "Win at Chess", file: &WAC }];

static STS_FILES: [SuiteFile; 15] = [
    sts(1, "Undermining"),
    sts(2, "Open files and diagonals"),
    sts(3, "Knight outposts"),
    sts(4, "Square vacancy"),
    sts(5, "Bishop against knight"),
    sts(6, "Recapturing"),
    sts(7, "Offer of simplification"),
    sts(8, "Advance of the f, g and h pawns"),
    sts(9, "Advance of the a, b and c pawns"),
    sts(10, "Simplification"),
    sts(11, "Activity of the king"),
    sts(12, "Center control"),
    sts(13, "Pawn play in the center"),
    sts(14, "Queens and rooks to the seventh rank"),
    sts(15, "Avoiding pointless exchanges"),
];

const fn sts(number: usize, theme: &'static str) -> SuiteFile {
    SuiteFile { theme, file: &STS[number - 1] }
}

static WAC_REMARKS: [&str; 2] = [
    "some editions name one winning move where this one names several (bm): here each of them solves",
    "some editions leave WAC.230 out, and have 299 positions: here it is",
];

const POINTS: &str = "points of each move, 10 for the best";

const fn theme(name: &'static str, index: usize) -> EmbeddedSuite {
    let (_, files) = STS_FILES.split_at(index);
    let (files, _) = files.split_at(1);
    EmbeddedSuite { name, title: STS_FILES[index].theme, scoring: POINTS, remarks: &[], files }
}

pub static EMBEDDED: [EmbeddedSuite; 17] = [
    EmbeddedSuite {
        name: "wac",
        title: "Win at Chess",
        scoring: "solved or not",
        remarks: &WAC_REMARKS,
        files: &WAC_FILES,
    },
    EmbeddedSuite {
        name: "sts",
        title: "Strategic Test Suite",
        scoring: POINTS,
        remarks: &[],
        files: &STS_FILES,
    },
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
        for SuiteFile { theme, file } in embedded.files {
            suite.read(file.text, file.path, Some(theme));
        }
        suite.remarks = embedded.remarks;
        suite.note_repetitions();
        Some(suite)
    }
}
