//! A data set in memory: rows for training and validation, with their statistics.

/// Rows of a fit, split by game.
#[derive(Default)]
pub struct FitData<R> {
    /// Rows that the weights are fitted to.
    pub train: R,
    /// Rows held out for validation.
    pub validation: R,
    /// Number of positions in which each weight occurs.
    pub coverage: Vec<u32>,
    /// Hash of positions and labels, which identifies the data set.
    pub hash: u64,
    /// Positions left out, because a row has no room for them.
    pub unpacked: u64,
    /// Names of the players, by number less one.
    pub players: Vec<String>,
}
