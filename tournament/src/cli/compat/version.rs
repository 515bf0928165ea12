//! Output of `-version`, as parsed by OpenBench's client and fishtest's worker.

use super::Dialect;

/// The emulated fastchess version, with date and commit of its source. OpenBench compares the version with its
/// server's minimum; fishtest compares the commit with the one it would build.
const FASTCHESS: &str = "fastchess alpha 1.8.2 20260606-58072f23";

/// The emulated cutechess-cli version.
const CUTECHESS: &str = "cutechess-cli 1.5.0";

/// The emulated c-chess-cli version: the date of its source.
const C_CHESS_CLI: &str = "c-chess-cli 2023-07-16";

/// The lines of `-version`: the emulated program's line, then Smalt's.
pub(in crate::cli) fn text(dialect: Dialect) -> String {
    let line = match dialect {
        Dialect::Fastchess => FASTCHESS,
        Dialect::Cutechess => CUTECHESS,
        Dialect::CChessCli => C_CHESS_CLI,
    };
    format!("{line}\nsmalt-tournament {}, in the place of that program\n", env!("CARGO_PKG_VERSION"))
}
