//! A data set in memory: training and validation rows, with statistics.

/// Rows of a fit, split by game.
#[derive(Default)]
pub struct FitData<R> {
    pub train: R,
    /// Rows held out for validation.
    pub validation: R,
    /// Number of positions in which each weight occurs.
    pub coverage: Vec<u32>,
    /// Hash of positions and labels; identifies the data set.
    pub hash: u64,
    /// Number of positions skipped because a row has no room for them.
    pub unpacked: u64,
    /// Player names; player n is at index n - 1.
    pub players: Vec<String>,
}
