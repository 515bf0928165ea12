//! The plan of a run. [`Settings`] is everything that a user can set, in a file or by flags; the [`Plan`]
//! adds derived facts. The store keeps the settings, and `plan` prints them.

mod adjudication;
mod book_format;
mod check;
mod clock;
mod data;
mod entrant;
mod fleet;
mod growth;
mod machine;
mod openings;
mod output;
mod pairing;
mod prior;
mod run;
mod settings;
mod sprt;
mod value;

use smalt_driver::Pondering;
use smalt_stats::Sprt;
use smalt_stats::bisection::Bisection;
use smalt_stats::race::Race;

pub use adjudication::{
    AdjudicationRules, AdjudicationSettings, DrawRule, FiftyMoves, MateRule, ResignRule, Sides,
    TablebaseResults, TablebaseRule,
};
pub use book_format::BookFormat;
pub(crate) use check::MOST_GAMES;
pub use check::PlanError;
pub use clock::{ClockError, ClockSettings, MoveClock, TimeFlow};
pub use data::{DataFile, DataSettings, Duplicates, PositionKind, SECOND_PLAYER};
pub(crate) use entrant::declares_more_threads;
pub use entrant::{EngineSettings, Entrant, Program, Role, ScoreView};
pub use fleet::{FleetError, FleetSettings, SshHost, is_run_name};
pub use growth::GrowthError;
pub use machine::{Affinity, Timeouts};
pub(crate) use openings::CHESS960_OPENINGS;
pub use openings::{EMBEDDED_OPENINGS, MAX_RANDOM_PLIES, OpeningsSettings, Order, START_POSITION};
pub use output::{
    Figure, GameWriting, LinePattern, Notation, OutputSettings, PgnForm, PgnStyle, PvRecord, Times,
    parse_address,
};
pub use pairing::{Colors, Lead, OpeningPolicy, Repeat, Swap};
pub use prior::PriorResults;
pub use run::{BadOptions, Format, OnFault, RunSettings, RunSize, SkippedEntrant, Variant};
pub use settings::{Flags, Settings, merge_settings, settings_of_flags};
pub use sprt::SprtSettings;
pub use value::{OnOff, SecondsSetting, parse_word, positive, word};

/// A complete, checked plan: settings and values derived from them.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Complete settings; change them only through [`Plan::new`].
    pub settings: Settings,
    /// The entrants: at least two, with unique names.
    pub entrants: Vec<Entrant>,
    /// Sequential test that ends the run.
    pub sprt: Option<Sprt>,
    /// The race before its first game, for format `race`.
    pub race: Option<Race>,
    /// The bisection before its first game, for format `bisect`.
    pub bisection: Option<Bisection>,
    /// Number of rounds; 1 for a knockout, where it follows from the entrants.
    pub rounds: u32,
}

impl Plan {
    /// The name of the event.
    pub fn name(&self) -> &str {
        self.settings.run.name.as_deref().unwrap_or_default()
    }

    pub fn format(&self) -> Format {
        self.settings.run.format
    }

    /// Number of games per pairing; an odd last one has no partner with reversed colors.
    pub fn games(&self) -> u32 {
        self.settings.run.games.get()
    }

    /// Fleet settings; `None` for a local run.
    pub fn fleet(&self) -> Option<&FleetSettings> {
        self.settings.fleet.on()
    }

    /// Endgame table rule, if any.
    pub fn tablebases(&self) -> Option<&TablebaseRule> {
        self.settings.adjudication.tablebases.on()
    }

    /// Normal clock or hourglass.
    pub fn flow(&self) -> TimeFlow {
        if self.settings.clock.hourglass { TimeFlow::Hourglass } else { TimeFlow::Usual }
    }

    pub(crate) fn repeat(&self) -> Repeat {
        Repeat::of(self.settings.openings.games_of_one())
    }

    /// Colors in the games of a pairing.
    pub(crate) fn colors(&self) -> Colors {
        let run = &self.settings.run;
        Colors {
            swap: match (run.noswap, run.same_lead) {
                (true, _) => Swap::Never,
                (_, true) => Swap::InPairs,
                _ => Swap::EachGame,
            },
            lead: if run.reverse { Lead::Second } else { Lead::First },
        }
    }

    /// Whether any time control is scaled to the speed of the machine.
    pub fn is_scaled(&self) -> bool {
        self.entrants.iter().any(|entrant| entrant.clock.reference.is_some())
    }

    /// The entrant whose gain a sequential test measures: the challenger, otherwise the first.
    pub fn tested(&self) -> usize {
        self.entrants.iter().position(|entrant| entrant.role == Role::Challenger).unwrap_or(0)
    }

    /// Number of busy threads of one game: those of the larger engine, or of both if one ponders.
    pub fn threads_of_a_game(&self) -> usize {
        let most = self.entrants.iter().map(Entrant::threads).max().unwrap_or(1);
        let somebody_ponders = self.entrants.iter().any(|entrant| entrant.engine.ponder == Pondering::On);
        if somebody_ponders { 2 * most } else { most }
    }
}
