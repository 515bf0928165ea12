//! Section `[data]`: labelled positions of the games, for tuners and trainers.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_dataset::choose::Filter;
use smalt_dataset::format::{Format, FormatError};
use smalt_workbench::entrant::text;

use super::value::{defaults, positive, word};

/// What self-play adds to the name of its engine for the second player.
pub const SECOND_PLAYER: &str = "-2";

/// Section `[data]`: labelled positions of the games, for tuners and trainers.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Training data")]
pub struct DataSettings {
    /// File of labelled positions of all games, written when the run ends or stops; its extension is the format: .bin, .txt,
    /// .epd, .book, .csv, .plain, .bullet, .viri or .binpack
    #[arg(id = "data_file", long = "data", value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Format of the file: smalt, fen, epd, book, csv, plain, bullet, viri or binpack [default: by its extension]
    #[arg(id = "data_format", long = "data-format", value_name = "FORMAT", hide_short_help = true)]
    #[serde(with = "text::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub format: Option<Format>,
    /// Positions that are written: quiet (not in check, no mate announced, no capture or promotion before or after) or all
    /// [default: all in viri and binpack, which store whole games; else quiet]
    #[arg(long, value_name = "KIND", value_parser = word::<PositionKind>(), hide_short_help = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<PositionKind>,
    /// Maximum score of either side in centipawns; positions beyond it are skipped [default: any]
    #[arg(long, value_name = "CP", hide_short_help = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_score: Option<u32>,
    /// Maximum number of positions of a game, spread over it [default: all]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>, hide_short_help = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_game: Option<NonZeroUsize>,
    /// Number of plies at the end of decided games that are skipped
    #[arg(long, value_name = "PLIES", default_value = "0", hide_short_help = true)]
    pub last_plies: usize,
    /// Positions that were written already, in this or an earlier game: keep or drop [default: keep in viri and binpack; else drop]
    #[arg(long, value_name = "POLICY", value_parser = word::<Duplicates>(), hide_short_help = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplicates: Option<Duplicates>,
}

impl Default for DataSettings {
    fn default() -> DataSettings {
        defaults()
    }
}

/// Positions that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PositionKind {
    /// Not in check, without a mate announced, and without a capture or promotion before or after.
    Quiet,
    /// All positions after the opening.
    All,
}

/// Whether positions that were written already, in this or an earlier game, are written again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Duplicates {
    Keep,
    Drop,
}

/// A file of training data: format, filter and duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataFile {
    pub path: PathBuf,
    pub format: Format,
    pub filter: Filter,
    pub duplicates: Duplicates,
}

impl DataSettings {
    /// The file to be written, if any; the seed decides among the positions of a game.
    ///
    /// # Errors
    /// If the file has no format.
    pub fn output(&self, seed: u64) -> Result<Option<DataFile>, FormatError> {
        let Some(path) = &self.file else { return Ok(None) };
        let format = Format::of_output(path, self.format)?;
        let has_games = matches!(format, Format::Viri | Format::Binpack);
        let usual = if has_games {
            (PositionKind::All, Duplicates::Keep)
        } else {
            (PositionKind::Quiet, Duplicates::Drop)
        };
        let is_quiet = self.positions.unwrap_or(usual.0) == PositionKind::Quiet;
        let filter = Filter {
            opening_plies: 0,
            last_plies: self.last_plies,
            per_game: self.per_game.map_or(usize::MAX, NonZeroUsize::get),
            max_score: self.max_score,
            drop_checks: is_quiet,
            drop_noisy: is_quiet,
            seed,
        };
        let duplicates = self.duplicates.unwrap_or(usual.1);
        Ok(Some(DataFile { path: path.clone(), format, filter, duplicates }))
    }
}
