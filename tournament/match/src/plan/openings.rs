//! Section `[openings]`: opening book and its order.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use clap::{ArgAction, Args};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_workbench::entrant::text;

use super::book_format::BookFormat;
use super::pairing::OpeningPolicy;
use super::value::{defaults, positive, word};

/// Name of the built-in openings.
pub const EMBEDDED_OPENINGS: &str = "builtin";

/// Name of the 960 start positions of Chess960.
pub(crate) const CHESS960_OPENINGS: &str = "chess960";

/// Name of the start position alone.
pub const START_POSITION: &str = "startpos";

/// Maximum number of random plies after an opening: nearly every random game ends before.
pub const MAX_RANDOM_PLIES: u32 = 400;

/// Section `[openings]`: opening book and its order.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Openings")]
pub struct OpeningsSettings {
    /// Openings: an .epd, .pgn or Polyglot .bin file, plain, .gz or .zst; `builtin`, `chess960` (its 960 start
    /// positions), or `startpos` (no opening)
    #[arg(id = "openings_file", long = "openings", value_name = "FILE", default_value = "builtin")]
    pub file: PathBuf,
    /// Order of openings: random (by the seed) or sequential
    #[arg(long, value_name = "ORDER", value_parser = word::<Order>(), default_value = "random")]
    pub order: Order,
    /// Seed of fastchess's random order: the same openings as there for the same -srand, in place of the order of --seed
    #[arg(long, value_name = "SEED", hide_short_help = true)]
    #[serde(with = "text::option", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub srand: Option<u64>,
    /// Number of the first opening, from 1
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>, default_value = "1", hide_short_help = true)]
    pub start: NonZeroUsize,
    /// Number of plies of a PGN opening, e.g. 16 [default: all]
    #[arg(long, value_name = "PLIES")]
    pub plies: Option<u32>,
    /// Format of the file: epd, pgn or polyglot [default: by its name]
    #[arg(id = "openings_format", long = "book-format", value_name = "FORMAT", value_parser = word::<BookFormat>(), hide_short_help = true)]
    pub format: Option<BookFormat>,
    /// Number of moves of each side from a Polyglot book [default: all]
    #[arg(long, value_name = "MOVES", hide_short_help = true)]
    pub book_depth: Option<u32>,
    /// Number of random plies after each opening, others for each game [default: 0; of datagen: 8]
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, hide_short_help = true)]
    pub random_plies: u32,
    /// Share of games that begin from a random start position of Chess960, in place of an opening, e.g. 0.1
    #[arg(long, value_name = "SHARE", default_value = "0", hide_short_help = true)]
    pub chess960_share: f64,
    /// Pairs: two games with reversed colors share an opening
    #[arg(long = "no-repeat", help = "Play every opening once, without reversed colors", action = ArgAction::SetFalse, hide_short_help = true)]
    pub repeat: bool,
    /// Number of games that share an opening, one after the other [default: 2]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>, conflicts_with = "repeat", hide_short_help = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games_per_opening: Option<NonZeroU32>,
    /// Sharing of openings: round (by all pairings of a round), pair (each pair of games has its own), pairing (its games
    /// share one) or cycle (each pair has the next of as many as there are rounds, as in fastchess)
    #[arg(long = "opening-policy", value_name = "POLICY", value_parser = word::<OpeningPolicy>(), default_value = "round", hide_short_help = true)]
    pub policy: OpeningPolicy,
}

impl Default for OpeningsSettings {
    fn default() -> OpeningsSettings {
        defaults()
    }
}

impl OpeningsSettings {
    /// Number of games that share an opening.
    pub fn games_of_one(&self) -> u32 {
        let usual = if self.repeat { 2 } else { 1 };
        self.games_per_opening.map_or(usual, NonZeroU32::get)
    }

    /// Whether `file` names built-in openings.
    pub fn is_embedded(&self) -> bool {
        let file = self.file.to_str();
        [EMBEDDED_OPENINGS, CHESS960_OPENINGS, START_POSITION].iter().any(|name| file == Some(name))
    }

    /// Whether openings vary randomly at each use.
    pub(crate) fn are_varied(&self) -> bool {
        self.random_plies > 0 || self.chess960_share > 0.0
    }
}

/// Order in which openings are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// Shuffled by the seed.
    Random,
    /// As in the file.
    Sequential,
}
