//! The engine of the page: started on demand, set to a level or to full strength, and used for moves, hints and
//! analysis.

use std::time::Duration;

use smalt_chess::{CastlingMode, Position, UciMove};
use smalt_driver::process::Interrupt;
use smalt_driver::{
    ConversationError, Engine, EngineCommand, EngineTimeouts, Fault, GameOptions, Protocol, SearchObserver,
    SearchRequest, SearchResult, SetOptionError, WaitContext,
};
use smalt_match::plan::ScoreView;
use smalt_protocol::uci::client::Start;
use smalt_protocol::{OptionKind, SearchLimits, option};

use super::command::NewGameError;
use super::game::PlayedGame;

const LIMIT_STRENGTH: &str = "UCI_LimitStrength";
const ELO: &str = "UCI_Elo";
const MULTI_PV: &str = "MultiPV";

/// Maximum number of lines of an analysis.
pub(super) const MOST_LINES: usize = 10;

/// Search time of a hint.
const HINT_TIME: Duration = Duration::from_secs(1);

/// Search time per position of a review.
const REVIEW_TIME: Duration = Duration::from_millis(150);

/// Maximum search time of an analysis.
const ANALYSIS_TIME: Duration = Duration::from_secs(3600);

/// Extra wait after which a search is late.
const LATE_GRACE: Duration = Duration::from_secs(1);

/// Command and settings of the engine.
#[derive(Clone, Debug)]
pub struct EngineSetup {
    pub name: String,
    /// Whether `name` was given to it; otherwise the name that the engine reports comes first.
    pub is_named: bool,
    pub command: EngineCommand,
    pub protocol: Protocol,
    pub options: Vec<(String, String)>,
    pub timeouts: EngineTimeouts,
    /// Point of view of its scores.
    pub scores: ScoreView,
}

impl EngineSetup {
    /// The level set by its options.
    pub(super) fn level(&self) -> Option<i64> {
        let value = |wanted: &str| {
            let option = self.options.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            option.map(|(_, value)| value.as_str())
        };
        value(LIMIT_STRENGTH).filter(|value| *value == "true").and_then(|_| value(ELO)?.parse().ok())
    }
}

/// Purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Purpose {
    /// The engine's move, at its level.
    Move,
    Hint,
    Analysis {
        lines: u32,
    },
    /// A score for the graph of a finished game.
    Review,
}

impl Purpose {
    pub(super) fn name(self) -> &'static str {
        match self {
            Purpose::Move => "move",
            Purpose::Hint => "hint",
            Purpose::Analysis { .. } => "analysis",
            Purpose::Review => "review",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Search {
    pub(super) purpose: Purpose,
    /// Number of the game.
    pub(super) game: u32,
    pub(super) moves: Vec<UciMove>,
}

/// How a wait for a search ended.
pub(super) enum SearchOutcome {
    Finished(Box<SearchResult>),
    /// The interrupt was raised; the engine is still searching.
    Interrupted,
    /// It exceeded its time.
    Late,
    Failed(String),
}

/// Capabilities of the engine.
#[derive(Clone, Debug)]
pub(super) struct EngineFacts {
    pub(super) name: String,
    pub(super) elo: Option<(i64, i64)>,
    /// Maximum number of analysis lines.
    pub(super) lines: u32,
    pub(super) chess960: bool,
}

/// The engine, running or not.
pub(super) struct Opponent {
    setup: EngineSetup,
    /// Interrupts every wait when the page ends.
    quit: Interrupt,
    engine: Option<Box<dyn Engine>>,
    /// Total stalls of this program when the last search began.
    stalled_before: Duration,
    facts: EngineFacts,
    /// Level and number of lines last set.
    level: Option<i64>,
    lines: u32,
    /// Limits for which it was checked.
    fitted: Option<SearchLimits>,
    /// Game of its last `ucinewgame`.
    game: Option<u32>,
    /// Whether it searched at full strength since then, which leaves strong moves in its hash table.
    knows_more: bool,
}

impl Opponent {
    pub(super) fn new(setup: EngineSetup, quit: Interrupt) -> Opponent {
        let facts = EngineFacts { name: setup.name.clone(), elo: None, lines: 1, chess960: true };
        Opponent {
            level: setup.level(),
            setup,
            quit,
            engine: None,
            stalled_before: Duration::ZERO,
            facts,
            lines: 1,
            fitted: None,
            game: None,
            knows_more: false,
        }
    }

    pub(super) fn facts(&self) -> &EngineFacts {
        &self.facts
    }

    pub(super) fn scores(&self) -> ScoreView {
        self.setup.scores
    }

    /// # Errors
    /// If the engine cannot be limited to this level.
    pub(super) fn check_level(&self, level: Option<i64>) -> Result<(), NewGameError> {
        match (level, self.facts.elo) {
            (None, _) => Ok(()),
            (Some(_), None) => Err(NewGameError::NoLevel),
            (Some(wanted), Some((low, high))) if (low..=high).contains(&wanted) => Ok(()),
            (Some(wanted), Some((low, high))) => Err(NewGameError::Level { low, high, wanted }),
        }
    }

    /// Starts the engine, if not running, for a game with limits of this kind.
    ///
    /// # Errors
    /// The reason.
    pub(super) fn start(&mut self, limits: &SearchLimits) -> Result<(), String> {
        // Only xboard engines are checked, before their first game.
        let is_fitted = |engine: &dyn Engine| {
            engine.protocol() != Protocol::Xboard || self.fitted.as_ref() == Some(limits)
        };
        if self.engine.as_deref().is_some_and(is_fitted) {
            return Ok(());
        }
        self.quit();
        let context = &mut WaitContext::interruptible(&self.quit);
        let setup = &self.setup;
        let started = smalt_driver::start(&setup.command, setup.protocol, setup.timeouts, None, context);
        let mut engine = started.map_err(|failure| failure.to_string())?;
        for (name, value) in &setup.options {
            engine.set_option(name, value, context).map_err(|error| option_words(&error))?;
        }
        engine.fit_limits(limits, None, context).map_err(|error| error.to_string())?;
        self.facts = facts(&*engine, setup);
        (self.level, self.lines) = (setup.level(), 1);
        (self.fitted, self.game) = (Some(limits.clone()), None);
        self.engine = Some(engine);
        Ok(())
    }

    /// Starts a search.
    ///
    /// # Errors
    /// The reason; the engine may have failed.
    pub(super) fn begin(&mut self, search: &Search, game: &PlayedGame) -> Result<(), String> {
        self.start(&game.clock.kind_of_limits())?;
        let is_move = search.purpose == Purpose::Move;
        let lines = match search.purpose {
            Purpose::Analysis { lines } => lines.clamp(1, self.facts.lines),
            _ => 1,
        };
        self.set_up(if is_move { game.level } else { None }, lines)?;
        let engine = self.engine.as_deref_mut().ok_or("the engine is not running")?;
        let context = &mut WaitContext::interruptible(&self.quit);
        let is_limited = is_move && game.level.is_some();
        if self.game != Some(search.game) || (is_limited && self.knows_more) {
            let options = GameOptions { variant: game.mode, ..GameOptions::default() };
            engine.new_game(options, context).map_err(|error| error.to_string())?;
            (self.game, self.knows_more) = (Some(search.game), false);
        }
        self.knows_more |= !is_move;
        let (limits, deadline) = limits(search.purpose, game, engine.protocol());
        let start = *game.game().start();
        let fen = start.to_fen();
        let request = SearchRequest {
            start: if is_standard(&start, game.mode) { Start::Standard } else { Start::Fen(&fen) },
            moves: &search.moves,
            limits: &limits,
            deadline,
            stop_after: None,
        };
        let begun = engine.begin(&request, context).map_err(|error| error.to_string());
        self.stalled_before = engine.process().stalled();
        begun
    }

    /// Sets level and number of lines if they changed.
    fn set_up(&mut self, level: Option<i64>, lines: u32) -> Result<(), String> {
        let mut options: Vec<(&str, String)> = Vec::new();
        if level != self.level && self.facts.elo.is_some() {
            options.push((LIMIT_STRENGTH, level.is_some().to_string()));
            options.extend(level.map(|level| (ELO, level.to_string())));
        }
        if lines != self.lines {
            options.push((MULTI_PV, lines.to_string()));
        }
        if options.is_empty() {
            return Ok(());
        }
        let engine = self.engine.as_deref_mut().ok_or("the engine is not running")?;
        let context = &mut WaitContext::interruptible(&self.quit);
        engine.abandon(context).map_err(|error| error.to_string())?;
        for (name, value) in options {
            engine.set_option(name, &value, context).map_err(|error| option_words(&error))?;
        }
        (self.level, self.lines) = (level, lines);
        Ok(())
    }

    /// Waits for the started search.
    pub(super) fn finish(
        &mut self,
        interrupt: &Interrupt,
        observer: &mut SearchObserver<'_>,
    ) -> SearchOutcome {
        let Some(engine) = self.engine.as_deref_mut() else {
            return SearchOutcome::Failed("the engine is not running".to_owned());
        };
        match engine.finish(&mut WaitContext::interruptible(interrupt), Some(observer)) {
            Ok(result) => SearchOutcome::Finished(Box::new(result)),
            Err(ConversationError::Interrupted) => SearchOutcome::Interrupted,
            Err(ConversationError::Fault(Fault::NoBestmove { .. })) => SearchOutcome::Late,
            Err(error) => SearchOutcome::Failed(error.to_string()),
        }
    }

    /// Time during which this program did not run (stopped, suspended) since the search began: the engine's clock does not
    /// count it.
    pub(super) fn stalled(&self) -> Duration {
        let stalled = self.engine.as_deref().map_or(Duration::ZERO, |engine| engine.process().stalled());
        stalled.saturating_sub(self.stalled_before)
    }

    /// Stops the search, if one is running.
    ///
    /// # Errors
    /// The reason; the engine has failed.
    pub(super) fn abandon(&mut self) -> Result<(), String> {
        let Some(engine) = self.engine.as_deref_mut() else { return Ok(()) };
        let stopped = engine.abandon(&mut WaitContext::interruptible(&self.quit));
        stopped.map(drop).map_err(|error| error.to_string())
    }

    pub(super) fn quit(&mut self) {
        if let Some(mut engine) = self.engine.take() {
            engine.quit();
        }
    }
}

fn option_words(error: &SetOptionError) -> String {
    format!("failed to {error}")
}

/// Whether the start position is sent as `startpos`.
fn is_standard(start: &Position, mode: CastlingMode) -> bool {
    mode == CastlingMode::Standard && *start == Position::start()
}

fn facts(engine: &dyn Engine, setup: &EngineSetup) -> EngineFacts {
    let options = engine.options();
    let range = |name: &str| match option::find(options, name)?.kind {
        OptionKind::Spin { min, max, .. } => Some((min, max)),
        _ => None,
    };
    let is_xboard = engine.protocol() == Protocol::Xboard;
    let has_own_name = setup.is_named || engine.name().is_empty();
    EngineFacts {
        name: if has_own_name { setup.name.clone() } else { engine.name().to_owned() },
        elo: range(ELO).filter(|_| option::find(options, LIMIT_STRENGTH).is_some()),
        lines: range(MULTI_PV).map_or(1, |(_, most)| most.clamp(1, MOST_LINES as i64) as u32),
        chess960: is_xboard || option::find(options, "UCI_Chess960").is_some(),
    }
}

/// Limits of a search, and the time after which it is late. xboard has whole seconds, and no analysis within a normal
/// search.
fn limits(purpose: Purpose, game: &PlayedGame, protocol: Protocol) -> (SearchLimits, Duration) {
    let is_xboard = protocol == Protocol::Xboard;
    let timed = |time: Duration| {
        let limits = SearchLimits { move_time: Some(time), ..SearchLimits::default() };
        (limits, time + game.clock.longest_move)
    };
    match purpose {
        Purpose::Move => {
            let clock = game.running_clock(game.engine());
            let late = clock.time_limit().map(|limit| limit + game.clock.margin + LATE_GRACE);
            (game.limits(), late.unwrap_or(game.clock.longest_move))
        }
        Purpose::Hint => timed(HINT_TIME),
        Purpose::Review => timed(if is_xboard { HINT_TIME } else { REVIEW_TIME }),
        Purpose::Analysis { .. } if is_xboard => timed(ANALYSIS_TIME),
        Purpose::Analysis { .. } => {
            let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
            (limits, 24 * ANALYSIS_TIME)
        }
    }
}
