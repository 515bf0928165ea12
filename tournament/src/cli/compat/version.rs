//! The answers to `-version`, in the forms that OpenBench's client and fishtest's worker parse.

use super::Dialect;

/// The version of fastchess that this program follows, with the date and the commit of its source. OpenBench compares the
/// version with the least that its server accepts; fishtest compares the commit with the one that it would build.
const FASTCHESS: &str = "fastchess alpha 1.8.2 20260606-58072f23";

/// The version of cutechess-cli that this program follows.
const CUTECHESS: &str = "cutechess-cli 1.5.0";

/// The version of c-chess-cli that this program follows: the date of its source.
const C_CHESS_CLI: &str = "c-chess-cli 2023-07-16";

/// The lines of `-version`: those programs' line first, then ours.
pub(super) fn text(dialect: Dialect) -> String {
    let line = match dialect {
        Dialect::Fastchess => FASTCHESS,
        Dialect::Cutechess => CUTECHESS,
        Dialect::CChessCli => C_CHESS_CLI,
    };
    format!("{line}\nsmalt-tournament {}, in the place of that program\n", env!("CARGO_PKG_VERSION"))
}
