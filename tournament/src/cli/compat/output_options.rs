//! What the output of a run in the form of another program shows, and where it goes.

use std::path::PathBuf;

use super::dialect::Dialect;
use super::log::LogFile;
use super::result_format::ResultFormat;
use super::sample::SampleOptions;
use crate::cli::run_files::NamedOutput;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Fastchess,
    Cutechess,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::cli) struct OutputOptions {
    pub(super) dialect: Dialect,
    pub(super) style: Style,
    /// Games, or pairs, between two reports; 0: at the end only.
    pub(super) rating_interval: u64,
    /// Games between two scores (cutechess style); 0: none.
    pub(super) score_interval: u64,
    /// Games between two lists of outcomes (cutechess); 0: at the end only.
    pub(super) outcome_interval: u64,
    pub(super) by_pairs: bool,
    /// The columns of cutechess's ranking.
    pub(super) result_format: ResultFormat,
    pub(super) book: Option<String>,
    pub(super) latency: bool,
    /// Whether a warning is one line (`-testEnv`).
    pub(super) test_environment: bool,
    pub(super) checksum: bool,
    /// The PGN file, if games are written.
    pub(super) pgn: Option<PathBuf>,
    /// Whether the store is kept after the last game.
    pub(in crate::cli) keeps_store: bool,
    /// The configuration file, and the games between two writes (0: at the end only).
    pub(super) config: Option<PathBuf>,
    pub(super) autosave_interval: u64,
    /// Files truncated before the run (`append=false`).
    pub(super) emptied: Vec<PathBuf>,
    pub(super) log: Option<LogFile>,
    /// Positions to write (c-chess-cli).
    pub(super) sample: Option<SampleOptions>,
    /// Lines before the first game, and those that follow the line about the openings.
    pub(super) notes: String,
    pub(super) late_notes: String,
}

impl OutputOptions {
    /// The output files other than those of games.
    pub(in crate::cli) fn files(&self) -> Vec<NamedOutput<'_>> {
        // The name of a compressed log has the time, and is new.
        let log = self.log.as_ref().filter(|log| !log.compresses).map(|log| log.path.as_path());
        let sample = self.sample.as_ref().map(|sample| sample.file.as_path());
        let named = [("-config outname", self.config.as_deref()), ("-log", log), ("-sample", sample)];
        named.into_iter().filter_map(|(flag, path)| Some((flag, path?))).collect()
    }

    pub(in crate::cli) fn has_pgn(&self) -> bool {
        self.pgn.is_some()
    }

    /// Files truncated before the run, with absolute paths as in the plan.
    pub(in crate::cli) fn emptied(&self) -> Vec<PathBuf> {
        self.emptied.iter().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone())).collect()
    }
}
