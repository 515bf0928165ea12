//! The programs whose command lines are understood.

/// The emulated program. They share most flags, but differ in some defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum Dialect {
    /// Two games per round, two rounds, penta reports, SPRT bounds in normalized Elo.
    Fastchess,
    /// One game per round, one round, an opening per game, SPRT bounds in Elo.
    Cutechess,
    /// As cutechess-cli, with other flags and output lines.
    CChessCli,
}
