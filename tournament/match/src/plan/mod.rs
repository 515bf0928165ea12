//! The plan of a run: who plays whom, how often, on which clocks, from which openings, and when it ends.
//!
//! A plan is complete and checked: it comes from a [`PlanFile`] (what a user typed, in a file or as flags) by one
//! function, [`Plan::check`], is stored in the run's store, and printed as a file again. Everything below takes the
//! plan and nothing else. It does not know the openings themselves, nor the machine that it will run on.

mod book_format;
mod check;
mod clock;
mod encounter;
mod entrant;
mod file;
mod fleet;
mod machine;
mod rules;
mod tablebases;
mod value;
mod writing;

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use smalt_driver::Pondering;
use smalt_stats::Sprt;

pub use book_format::BookFormat;
pub use check::PlanError;
pub use clock::{MoveClock, TimeFlow};
pub use encounter::{Colors, Lead, OpeningPolicy, Repeat, Swap};
pub use entrant::{Entrant, EntrantFile, Program, Role, ScoreView, declares_more_threads};
pub use file::{
    AdjudicationFile, BadOptions, ClockFile, Format, OnFault, OpeningsFile, Order, OutputFile, PlanFile,
    PlanFileError, RunFile, SprtFile,
};
pub use fleet::{Binaries, FleetError, FleetFile, FleetPlan, ServerAddress, is_run_name};
pub use machine::{Affinity, Timeouts, TimeoutsFile};
pub use rules::{AdjudicationRules, DrawRule, MateRule, ResignRule, RuleError, Sides};
pub use tablebases::{FiftyMoves, TablebaseResults, TablebaseRule};
pub use value::{Switch, Text, parse_word};
pub use writing::{Figure, GameWriting, Notation, PgnForm, PvRecord, Times, Variant};

/// The name of the openings that are part of the program.
pub const EMBEDDED_OPENINGS: &str = "builtin";

/// The name of the 960 start positions of Chess960.
pub const CHESS960_OPENINGS: &str = "chess960";

/// The name of the opening that is none: every game begins where chess begins.
pub const START_POSITION: &str = "startpos";

/// The shipped plan, which is also the manual: `data/gauntlet.toml`.
pub const DEFAULT_PLAN: &str = include_str!("../../../../data/gauntlet.toml");

/// A complete, checked description of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The event's name, as it stands in the PGN.
    pub name: String,
    /// The place, as it stands in the PGN; unknown if none.
    pub site: Option<String>,
    /// Who meets whom.
    pub format: Format,
    /// Games of each encounter; an odd last one has no partner of reversed colors.
    pub games: u32,
    /// How often everything is gone through, or the rounds of a Swiss tournament; 1 for a knockout, which has as many as
    /// it takes.
    pub rounds: u32,
    /// Who has White.
    pub colors: Colors,
    /// Whether encounters (or seeds) are shuffled by the seed.
    pub shuffle: Shuffle,
    /// How many further pairs a level encounter of a knockout has at most; then the better seed goes on.
    pub tiebreak_pairs: u32,
    /// What all chance follows from.
    pub seed: u64,
    /// Games at the same time; cores less one if none.
    pub concurrency: Option<NonZeroUsize>,
    /// What happens after a fault of an engine.
    pub on_fault: OnFault,
    /// After how many faults of one start of the runner an entrant plays no more; never if none.
    pub strike_after: Option<NonZeroU32>,
    /// What happens where an engine has no such option as its entrant's.
    pub bad_options: BadOptions,
    /// From the end of a game to the start of the next one in its place.
    pub wait: Duration,
    /// Which chess is played.
    pub variant: Variant,
    /// Where the time goes that a side uses.
    pub flow: TimeFlow,
    /// Nodes a second of Smalt on this machine, for clocks that are scaled to it; none before it is measured.
    pub measured: Option<NonZeroU64>,
    /// How games are written.
    pub writing: GameWriting,
    /// Whether games are bound to processors.
    pub affinity: Affinity,
    /// How long engines may take for what is not a move.
    pub timeouts: Timeouts,
    /// Where games begin.
    pub openings: OpeningsPlan,
    /// When games are ended early.
    pub adjudication: AdjudicationRules,
    /// The endgame tables that end them, too.
    pub tablebases: Option<TablebaseRule>,
    /// When the run is ended early.
    pub sprt: Option<Sprt>,
    /// How it is played on other machines; on this one if none.
    pub fleet: Option<FleetPlan>,
    /// Where results go; names by date where none are given.
    pub output: OutputFile,
    /// The engines with all that makes them play as they do. At least two, each with a name of its own.
    pub entrants: Vec<Entrant>,
}

impl Plan {
    /// Whether any clock is for a machine of a certain speed.
    pub fn is_scaled(&self) -> bool {
        self.entrants.iter().any(|entrant| entrant.clock.reference.is_some())
    }

    /// Whose view a sequential test takes: the challenger's, and where nobody is one, that of the first entrant.
    pub fn tested(&self) -> usize {
        self.entrants.iter().position(|entrant| entrant.role == Role::Challenger).unwrap_or(0)
    }

    /// How many threads of one game may work at the same time: those of the engine that has most, and of both engines
    /// where somebody ponders.
    pub fn threads_of_a_game(&self) -> usize {
        let most = self.entrants.iter().map(Entrant::threads).max().unwrap_or(1);
        let somebody_ponders = self.entrants.iter().any(|entrant| entrant.pondering == Pondering::On);
        if somebody_ponders { 2 * most } else { most }
    }
}

/// Which openings are used, and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpeningsPlan {
    /// The file, or the name of openings that are part of the program: [`EMBEDDED_OPENINGS`], [`CHESS960_OPENINGS`].
    pub file: PathBuf,
    /// How the file is written; its name tells if none.
    pub format: Option<BookFormat>,
    /// How they follow one another.
    pub order: Order,
    /// The first one, counted from 1.
    pub start: usize,
    /// How many plies of a PGN game are taken; all if none.
    pub plies: Option<u32>,
    /// How many moves of each side are taken from a Polyglot book; as many as it has if none.
    pub book_depth: Option<u32>,
    /// Which games share an opening.
    pub repeat: Repeat,
    /// Which encounters share openings.
    pub policy: OpeningPolicy,
}

/// Whether the order of encounters is that of the entrants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// It is.
    Never,
    /// The seed of the plan shuffles it.
    BySeed,
}
