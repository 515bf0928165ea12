//! Section `[run]`: format, number of games, and reaction to faults.

use std::fmt::{self, Display};
use std::num::{NonZeroU32, NonZeroUsize};

use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_chess::CastlingMode;
use smalt_workbench::entrant::text;

use super::machine::Affinity;
use super::value::{defaults, positive, word};

/// Section `[run]`: format, number of games, and reaction to faults.
#[derive(Args, Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[command(next_help_heading = "Run")]
pub struct RunSettings {
    /// Name of the event, e.g. "Nightly" [default: the players]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub name: Option<String>,
    /// Site of the event, for the PGN
    #[arg(long, value_name = "PLACE", hide_short_help = true)]
    pub site: Option<String>,
    /// Format: gauntlet, round-robin, match, knockout, pyramid, swiss, race or bisect
    #[arg(skip = Format::Gauntlet)]
    pub format: Format,
    /// Number of games of each pairing; two games with reversed colors share an opening (a sequential test has as many
    /// as it takes)
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>, default_value = "8")]
    pub games: NonZeroU32,
    /// Number of rounds: how often the full set of pairings is repeated, or the rounds of a Swiss tournament [default: 1]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>)]
    pub rounds: Option<NonZeroU32>,
    /// Number of challengers of a gauntlet: the first N engines
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>, hide_short_help = true)]
    pub seeds: Option<NonZeroUsize>,
    /// Same colors in all games of a pairing
    #[arg(long, hide_short_help = true)]
    pub noswap: bool,
    /// Same engine with White first in every pair, instead of changing from pair to pair
    #[arg(long, hide_short_help = true)]
    pub same_lead: bool,
    /// White for the second engine in the first game
    #[arg(long, hide_short_help = true)]
    pub reverse: bool,
    /// Random order of the pairings, or random seeding of a knockout or Swiss tournament
    #[arg(long, hide_short_help = true)]
    pub shuffle: bool,
    /// Maximum number of tiebreak pairs of a level knockout pairing [default: 4]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub tiebreak_pairs: Option<u32>,
    /// Number of candidates whose acceptance ends a race [default: 1]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>, hide_short_help = true)]
    pub winners: Option<NonZeroUsize>,
    /// Number of pairs of games of a candidate in a round of a race or a bisection [default: 64]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroU32>, hide_short_help = true)]
    pub round_pairs: Option<NonZeroU32>,
    /// Number of pairs after its verdict that estimate the gain of a candidate accepted in a race [default: 1000]
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub estimate_pairs: Option<u32>,
    /// Random seed
    #[arg(long, value_name = "SEED", default_value = "1", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: u64,
    /// Number of concurrent games [default: cores less one]
    #[arg(long, value_name = "N", value_parser = positive::<NonZeroUsize>)]
    pub concurrency: Option<NonZeroUsize>,
    /// Reaction to a fault of an engine, which loses the game: recover (restart it), stop, or stop-on-crash
    #[arg(long, value_name = "POLICY", value_parser = word::<OnFault>(), default_value = "recover", hide_short_help = true)]
    pub on_fault: OnFault,
    /// Number of faults after which an engine is disqualified; 0: never
    #[arg(long, alias = "strike-after", value_name = "N", default_value = "0", hide_short_help = true)]
    #[serde(alias = "strike-after")]
    pub disqualify_after: u32,
    /// Reaction to an option that an engine lacks, or to a bad value of one: fault (it does not play), or warn
    #[arg(long, value_name = "POLICY", value_parser = word::<BadOptions>(), default_value = "fault", hide_short_help = true)]
    pub bad_options: BadOptions,
    /// Stop the run at the first warning about an engine
    #[arg(long, hide_short_help = true)]
    pub strict: bool,
    /// Check that the PVs of mate scores have their length and end in mate
    #[arg(long, hide_short_help = true)]
    pub check_mate_pvs: bool,
    /// Pause between two games of a slot, in milliseconds
    #[arg(long, value_name = "MS", default_value = "0", hide_short_help = true)]
    pub wait: u64,
    /// Variant: standard or chess960
    #[arg(long, value_name = "VARIANT", value_parser = word::<Variant>(), default_value = "standard")]
    pub variant: Variant,
    /// CPU affinity of games: auto (if possible), on, off, or processors like 0,2,4-7
    #[arg(long, value_name = "AFFINITY", default_value = "auto", hide_short_help = true)]
    #[serde(with = "text")]
    #[schemars(with = "String")]
    pub affinity: Affinity,
    /// Sizes of the run before it grew while it was played (`ctl add`, `ctl extend`, `resume --games`), oldest first
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grown: Vec<RunSize>,
    /// Commits of a bisection that play no games, as they were found
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedEntrant>,
}

/// Size of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSize {
    pub engines: usize,
    /// Number of games of each pairing.
    pub games: u32,
}

/// An entrant of a bisection that plays no games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SkippedEntrant {
    /// Number of the entrant, from 0.
    pub entrant: usize,
    /// Number of complete rounds when this was found.
    pub rounds: u32,
    /// Whether its program is that of the commit before; else it has none that plays.
    pub same: bool,
}

impl Default for RunSettings {
    fn default() -> RunSettings {
        defaults()
    }
}

/// Format of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The challengers meet all others.
    Gauntlet,
    /// Every entrant meets every other.
    RoundRobin,
    /// Two entrants meet.
    Match,
    /// The winner of a pairing advances.
    Knockout,
    /// Each entrant meets all entrants named before it.
    Pyramid,
    /// Entrants with about equal points meet.
    Swiss,
    /// Candidates meet one base until they are decided.
    Race,
    /// Commits of a range meet the good one before it, until the one that changed the strength is known.
    Bisect,
}

impl Format {
    /// Whether challengers meet one base until they are decided.
    pub(crate) fn has_candidates(self) -> bool {
        matches!(self, Format::Race | Format::Bisect)
    }

    /// Whether later pairings depend on results.
    pub(crate) fn goes_by_results(self) -> bool {
        matches!(self, Format::Knockout | Format::Swiss | Format::Race | Format::Bisect)
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// Reaction to a fault of an engine; the game is lost in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFault {
    /// The engine is restarted, and the run continues.
    Recover,
    /// The run stops, and can be resumed.
    Stop,
    /// The run stops if an engine's process broke down or did not answer; after other faults it continues.
    StopOnCrash,
}

/// Reaction to an option that an engine lacks, or to a bad value of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BadOptions {
    /// A fault: the engine does not play.
    Fault,
    /// It plays without the option, and there is a warning.
    Warn,
}

/// Variant of chess of all games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Standard chess; openings whose castling is that of Chess960 are played as that.
    #[default]
    Standard,
    /// Chess960, also called Fischer Random.
    #[serde(alias = "fischerandom")]
    Chess960,
}

impl Variant {
    /// How castling is written in a game that begins in a position of this mode.
    pub fn mode(self, position: CastlingMode) -> CastlingMode {
        match self {
            Variant::Standard => position,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }
}
