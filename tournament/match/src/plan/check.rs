//! Makes a plan from layers of settings: fills in defaults, finds engines in the registry, rejects
//! contradictions. The only way to a [`Plan`].

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;

use smalt_dataset::format::FormatError;
use smalt_protocol::TimeControl;
use smalt_stats::MAX_COUNT;
use smalt_stats::bisection::{Bisection, BisectionRules, SkipReason, SkippedCommit};
use smalt_stats::race::{Race, RaceRules};
use smalt_stats::sprt::{Model, SprtError};
use smalt_workbench::entrant::{NameError, Names, Registry, ResolveError, check_new_name};
use toml::{Table, Value};

use super::clock::{ClockError, MoveClock, TimeFlow};
use super::entrant::{EngineSettings, Entrant, Role};
use super::fleet::{FleetError, FleetSettings};
use super::openings::MAX_RANDOM_PLIES;
use super::pairing::Repeat;
use super::run::RunSize;
use super::settings::{Settings, merge_settings};
use super::sprt::SprtSettings;
use super::{Format, Plan};

/// Maximum number of games of a run.
pub(crate) const MOST_GAMES: u64 = 100_000_000;

/// Default maximum number of games of a sequential test.
const GAMES_OF_A_TEST: NonZeroU32 = NonZeroU32::new(1_000_000).expect("above zero");

/// Default number of pairs of a candidate in a round of a race or a bisection.
const ROUND_PAIRS: NonZeroU32 = NonZeroU32::new(64).expect("above zero");

/// Maximum number of candidates of a race.
const MOST_CANDIDATES: usize = 64;

/// Maximum number of commits of a bisection.
const MOST_COMMITS: usize = 1000;

/// Default number of tiebreak pairs of a knockout match.
const TIEBREAK_PAIRS: u32 = 4;

/// Why settings do not make a plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    #[error(
        "{}: format {format} needs {needed}; name more with --engine or --opponent, or as [[entrant]]",
        smalt_report::format::count(*entrants, "engine")
    )]
    TooFew { entrants: usize, format: Format, needed: &'static str },
    /// More than two entrants in a match or sequential test.
    #[error("{entrants} engines: a match, or a sequential test, has exactly two")]
    TooMany { entrants: usize },
    /// A gauntlet without opponents.
    #[error("no opponent: every engine of the gauntlet is a challenger")]
    NoOpponent,
    /// A race without its base or its candidates.
    #[error(
        "{} and {}: a race has 2 to {MOST_CANDIDATES} candidates (--candidate) and one base (--base)",
        smalt_report::format::count(*candidates, "candidate"),
        smalt_report::format::count(*bases, "base")
    )]
    RaceSides { candidates: usize, bases: usize },
    /// A bisection without its good commit or without others.
    #[error(
        "{commits} commits and {bases} good ones: a bisection has 1 to {MOST_COMMITS} commits as challengers, oldest first, and one good commit as opponent"
    )]
    BisectSides { commits: usize, bases: usize },
    /// An entrant without a command.
    #[error("engine {number} has no cmd: give a program, a name of the registry, or builtin")]
    NoCommand {
        /// Number of the entrant, from 1.
        number: usize,
    },
    /// Settings of an engine that contradict each other, or the run.
    #[error("engine {name:?}: {reason}")]
    Engine { name: String, reason: String },
    /// An invalid or duplicate name.
    #[error("[[entrant]] name: {0}")]
    Name(#[from] NameError),
    #[error("engine {name:?}: {error}")]
    Clock { name: String, error: ClockError },
    /// An hourglass with zero time.
    #[error("[clock] hourglass: engine {name:?} has no tc; an hourglass needs one for every engine")]
    Hourglass { name: String },
    /// Settings of a fleet that contradict each other.
    #[error("[fleet] {0}")]
    Fleet(#[from] FleetError),
    /// The file of training data has no format.
    #[error("[data] {0}")]
    Data(#[from] FormatError),
    #[error("[sprt]: {0}")]
    Sprt(#[from] SprtError),
    /// A setting that the format does not use.
    #[error("[run] {key}: {reason}")]
    Format { key: &'static str, reason: String },
    #[error(
        "{games} games are too many: a run has at most {MOST_GAMES}; lower games, rounds or the number of engines"
    )]
    TooManyGames { games: u64 },
    /// An odd number of games where pairs are needed.
    #[error(
        "[run] games is {games}, an odd number: a sequential test counts pairs of games with reversed colors"
    )]
    OddGames { games: u32 },
    /// A value that does not fit its key after merging.
    #[error("{0}")]
    Value(String),
}

impl Plan {
    /// Makes a plan from merged layers; missing settings have their defaults. Engines of the registry may be
    /// named.
    ///
    /// # Errors
    /// If something is missing or contradicts itself.
    pub fn of_layers(mut layers: Table, registry: &Registry) -> Result<Plan, PlanError> {
        let table = |value| match value {
            Some(Value::Table(table)) => table,
            _ => Table::new(),
        };
        let each = table(layers.remove("each"));
        let entrants = match layers.remove("entrant") {
            Some(Value::Array(entrants)) => entrants.into_iter().map(|row| table(Some(row))).collect(),
            _ => Vec::new(),
        };
        let of_format = match layers.get("run").and_then(|run| run.get("format")).and_then(Value::as_str) {
            Some("race") => Some(test_of_a_race()),
            Some("bisect") => Some(test_of_a_bisection()),
            _ => None,
        };
        let has_candidates = of_format.is_some();
        let is_test = has_candidates || layers.contains_key("sprt");
        let mut merged = Settings::default().to_layer();
        if let Some(test) = of_format {
            let test = Value::try_from(test);
            merged.insert("sprt".to_owned(), test.map_err(|error| PlanError::Value(error.to_string()))?);
        }
        merge_settings(&mut merged, layers.clone());
        let mut settings: Settings = merged
            .try_into()
            .map_err(|error: toml::de::Error| PlanError::Value(error.message().to_owned()))?;
        let says_games = table(layers.remove("run")).contains_key("games");
        if is_test && !says_games && (has_candidates || !settings.run.format.goes_by_results()) {
            settings.run.games = GAMES_OF_A_TEST;
        }
        Plan::of_engines(settings, &entrants, &each, registry)
    }

    /// Makes a plan from settings and layers of its engines.
    ///
    /// # Errors
    /// If something is missing or contradicts itself.
    pub fn of_engines(
        mut settings: Settings,
        engines: &[Table],
        each: &Table,
        registry: &Registry,
    ) -> Result<Plan, PlanError> {
        let clock = settings.clock.layer().map_err(|error| PlanError::Value(error.to_string()))?;
        let mut names = Names::default();
        let resolved = (1..).zip(engines).map(|(number, engine)| {
            let resolved = registry.resolve(engine, each, &clock, &mut names);
            resolved.map_err(|error| resolve_error(number, error))
        });
        settings.entrants = resolved.collect::<Result<_, _>>()?;
        Plan::new(settings)
    }

    /// Checks the names of a new run: those of a stored one may have hidden characters.
    ///
    /// # Errors
    /// If a name has any.
    pub fn check_new_names(&self) -> Result<(), PlanError> {
        Ok(self.entrants.iter().try_for_each(|entrant| check_new_name(&entrant.name))?)
    }

    /// Makes a plan from complete settings, as a store keeps them.
    ///
    /// # Errors
    /// If something is missing or contradicts itself.
    pub fn new(mut settings: Settings) -> Result<Plan, PlanError> {
        let format = settings.run.format;
        set_roles(&mut settings, format)?;
        let entrants = entrants(&settings.entrants)?;
        check_numbers(format, &entrants, settings.sprt.is_some())?;
        check_candidate_settings(&settings)?;
        let race = race(&mut settings, &entrants)?;
        let bisection = bisection(&mut settings, entrants.len())?;
        let sprt = settings.sprt.as_ref().filter(|_| !format.has_candidates());
        let sprt = sprt.map(|sprt| sprt.test()).transpose()?;
        check_tiebreak(&mut settings.run.tiebreak_pairs, format)?;
        let rounds = rounds(settings.run.rounds, format, entrants.len())?;
        settings.run.rounds =
            NonZeroU32::new(rounds).filter(|_| format != Format::Knockout && !format.has_candidates());
        settings.run.name.get_or_insert_with(|| title(format, &entrants));
        settings.fleet.check()?;
        check_data(&settings)?;
        if settings.prior.is_some_and(|prior| prior.is_excessive()) {
            return Err(PlanError::Value(format!("[prior]: a count is more than {MAX_COUNT}")));
        }
        check_engines(&entrants, settings.fleet.on())?;
        let plan = Plan { settings, entrants, sprt, race, bisection, rounds };
        let games = plan.games();
        let counts_pairs = plan.sprt.is_some() || format.has_candidates();
        if counts_pairs && games % 2 == 1 && plan.repeat() == Repeat::Pairs {
            return Err(PlanError::OddGames { games });
        }
        check_flow(&plan)?;
        check_sizes(&plan)?;
        check_size(&plan)?;
        Ok(plan)
    }
}

/// The error of an engine, by its number from 1.
pub(super) fn resolve_error(number: usize, error: ResolveError) -> PlanError {
    match error {
        ResolveError::NoCommand => PlanError::NoCommand { number },
        ResolveError::Name(error) => PlanError::Name(error),
        ResolveError::Value(words) => PlanError::Value(format!("engine {number}: {words}")),
    }
}

/// Sets the challengers: by role, else the first `seeds`, else the first entrant of a gauntlet or match.
fn set_roles(settings: &mut Settings, format: Format) -> Result<(), PlanError> {
    let seeds = check_seeds(settings, format)?;
    let somebody_challenges = settings.entrants.iter().any(|engine| engine.role == Some(Role::Challenger));
    let has_sides = matches!(format, Format::Gauntlet | Format::Match);
    let leads = seeds.unwrap_or(if has_sides && !somebody_challenges { 1 } else { 0 });
    for (index, engine) in settings.entrants.iter_mut().enumerate() {
        engine.role.get_or_insert(if index < leads { Role::Challenger } else { Role::Opponent });
    }
    Ok(())
}

/// Number of challengers if given by `seeds`; roles hold it from then on.
fn check_seeds(settings: &mut Settings, format: Format) -> Result<Option<usize>, PlanError> {
    let refuse = |reason: String| Err(PlanError::Format { key: "seeds", reason });
    let Some(seeds) = settings.run.seeds.take().map(NonZeroUsize::get) else { return Ok(None) };
    let count = settings.entrants.len();
    if format != Format::Gauntlet {
        return refuse(format!("a {format} has no challengers; it is for a gauntlet"));
    }
    if settings.entrants.iter().any(|engine| engine.role.is_some()) {
        return refuse(
            "challengers are set both by seeds and by role; leave out role, or name all engines by --engine"
                .to_owned(),
        );
    }
    if seeds >= count {
        let most = count.saturating_sub(1);
        return refuse(format!("{seeds} challengers of {count} engines; 1 to {most} can be"));
    }
    Ok(Some(seeds))
}

/// Entrants from their complete settings.
fn entrants(engines: &[EngineSettings]) -> Result<Vec<Entrant>, PlanError> {
    let mut names = Names::default();
    let mut entrants = Vec::new();
    for (number, engine) in (1..).zip(engines) {
        let program = engine.program().ok_or(PlanError::NoCommand { number })?;
        let name = names.take(engine.name.as_deref(), engine.cmd.as_deref().unwrap_or_default())?;
        let clock = MoveClock::of(engine).map_err(|error| PlanError::Clock { name: name.clone(), error })?;
        let role = engine.role.unwrap_or(Role::Opponent);
        entrants.push(Entrant { name, role, program, clock, engine: engine.clone() });
    }
    Ok(entrants)
}

/// Least and greatest factor of an engine's timeouts, as in Cute Chess.
const TIMEOUT_SCALES: RangeInclusive<f64> = 0.2..=120.0;

fn check_engines(entrants: &[Entrant], fleet: Option<&FleetSettings>) -> Result<(), PlanError> {
    for Entrant { name, engine, .. } in entrants {
        let refuse = |reason: String| Err(PlanError::Engine { name: name.clone(), reason });
        if let Some(scale) = engine.tscale.filter(|scale| !TIMEOUT_SCALES.contains(scale)) {
            return refuse(format!("tscale={scale}: the factor of timeouts is 0.2 to 120"));
        }
        if let Some(depth) = engine.bookdepth.filter(|_| engine.book.is_none()) {
            return refuse(format!("bookdepth={depth} needs book="));
        }
        if fleet.is_some() && engine.trust {
            return refuse("claims of workers are not trusted; leave out trust".to_owned());
        }
        if engine.book.is_some() && fleet.is_some_and(|fleet| !fleet.send_files) {
            return refuse("workers have no book of an engine unless --send-files sends it".to_owned());
        }
    }
    Ok(())
}

fn check_numbers(format: Format, entrants: &[Entrant], has_sprt: bool) -> Result<(), PlanError> {
    let count = entrants.len();
    if count < 2 {
        return Err(PlanError::TooFew { entrants: count, format, needed: "at least two" });
    }
    if format.has_candidates() {
        let candidates = entrants.iter().filter(|entrant| entrant.role == Role::Challenger).count();
        let bases = count - candidates;
        return match format {
            Format::Bisect if bases != 1 || candidates > MOST_COMMITS => {
                Err(PlanError::BisectSides { commits: candidates, bases })
            }
            Format::Race if bases != 1 || !(2..=MOST_CANDIDATES).contains(&candidates) => {
                Err(PlanError::RaceSides { candidates, bases })
            }
            _ => Ok(()),
        };
    }
    if count > 2 && (has_sprt || format == Format::Match) {
        return Err(PlanError::TooMany { entrants: count });
    }
    if format == Format::Gauntlet && entrants.iter().all(|entrant| entrant.role == Role::Challenger) {
        return Err(PlanError::NoOpponent);
    }
    Ok(())
}

/// Default test of the candidates of a race: near bounds, since most candidates are no better than the base.
fn test_of_a_race() -> SprtSettings {
    let RaceRules { elo1, beta, .. } = RaceRules::default();
    SprtSettings { elo1, beta, ..SprtSettings::default() }
}

/// Default test of a bisection.
fn test_of_a_bisection() -> SprtSettings {
    SprtSettings { elo0: -8.0, elo1: 0.0, ..SprtSettings::default() }
}

/// Checks that only races and bisections have the settings of theirs, and that they play pairs.
fn check_candidate_settings(settings: &Settings) -> Result<(), PlanError> {
    let run = &settings.run;
    let is_race = run.format == Format::Race;
    let given = [
        ("winners", "race", !is_race && run.winners.is_some()),
        ("round-pairs", "race or bisection", !run.format.has_candidates() && run.round_pairs.is_some()),
        ("estimate-pairs", "race", !is_race && run.estimate_pairs.is_some()),
        ("skipped", "bisection", run.format != Format::Bisect && !run.skipped.is_empty()),
    ];
    if let Some((key, owner, _)) = given.into_iter().find(|(.., is_wrong)| *is_wrong) {
        return Err(PlanError::Format {
            key,
            reason: format!("a {} is not a {owner}; leave it out", run.format),
        });
    }
    if run.format.has_candidates() && settings.openings.games_of_one() != 2 {
        let reason = format!(
            "a {} counts pairs of games with reversed colors; leave out --no-repeat and --games-per-opening",
            run.format
        );
        return Err(PlanError::Format { key: "format", reason });
    }
    Ok(())
}

/// The bisection that settings describe, if they describe one; its own settings are complete then. The hypotheses are those
/// of a sequential test, one of which is 0 Elo.
fn bisection(settings: &mut Settings, entrants: usize) -> Result<Option<Bisection>, PlanError> {
    let run = &mut settings.run;
    if run.format != Format::Bisect {
        return Ok(None);
    }
    let round_pairs = *run.round_pairs.get_or_insert(ROUND_PAIRS);
    let test = settings.sprt.get_or_insert_with(test_of_a_bisection);
    let refuse = |reason: &str| PlanError::Value(format!("[sprt]: {reason}"));
    let elo = match (test.elo0, test.elo1) {
        (elo, 0.0) | (0.0, elo) => elo,
        _ => return Err(refuse("the commits of a bisection have lost or gained: elo0 or elo1 is 0")),
    };
    if test.model == Model::BayesElo {
        return Err(refuse("a bisection counts pairs: its model is normalized or logistic"));
    }
    let rules = BisectionRules {
        elo,
        confidence: 1.0 - test.alpha,
        model: test.model,
        round_pairs: round_pairs.get().into(),
        most_pairs: u64::from(run.games.get() / 2),
    };
    let base = settings.entrants.iter().position(|engine| engine.role == Some(Role::Opponent)).unwrap_or(0);
    let skipped = run.skipped.iter().map(|skipped| {
        if skipped.entrant == base || skipped.entrant >= entrants {
            let reason = format!("entrant {} is not a commit of the bisection", skipped.entrant);
            return Err(PlanError::Format { key: "skipped", reason });
        }
        let commit = skipped.entrant - usize::from(skipped.entrant > base);
        let reason = if skipped.same { SkipReason::SameProgram } else { SkipReason::Unplayable };
        Ok(SkippedCommit { commit, rounds: skipped.rounds, reason })
    });
    let skipped = skipped.collect::<Result<Vec<_>, PlanError>>()?;
    Ok(Some(Bisection::new(rules, entrants - 1)?.without(skipped)))
}

/// The race that settings describe, if they describe one; its own settings are complete then.
fn race(settings: &mut Settings, entrants: &[Entrant]) -> Result<Option<Race>, PlanError> {
    let run = &mut settings.run;
    if run.format != Format::Race {
        return Ok(None);
    }
    let defaults = RaceRules::default();
    let winners = *run.winners.get_or_insert(NonZeroUsize::MIN);
    let round_pairs = *run.round_pairs.get_or_insert(ROUND_PAIRS);
    let estimate_pairs = *run.estimate_pairs.get_or_insert(defaults.estimate_pairs as u32);
    let test = settings.sprt.get_or_insert_with(test_of_a_race);
    let rules = RaceRules {
        elo0: test.elo0,
        elo1: test.elo1,
        alpha: test.alpha,
        beta: test.beta,
        model: test.model,
        winners: winners.get(),
        round_pairs: round_pairs.get().into(),
        most_pairs: u64::from(run.games.get() / 2),
        estimate_pairs: estimate_pairs.into(),
    };
    Ok(Some(Race::new(rules, entrants.len() - 1)?))
}

fn check_flow(plan: &Plan) -> Result<(), PlanError> {
    let without = plan.entrants.iter().find(|entrant| entrant.clock.control == TimeControl::UNLIMITED);
    match without {
        Some(entrant) if plan.flow() == TimeFlow::Hourglass => {
            Err(PlanError::Hourglass { name: entrant.name.clone() })
        }
        _ => Ok(()),
    }
}

/// Checks the variation of openings and the file of training data.
fn check_data(settings: &Settings) -> Result<(), PlanError> {
    let share = settings.openings.chess960_share;
    if !(0.0..=1.0).contains(&share) {
        let words = format!("[openings] chess960-share {share}: expected a share from 0 to 1");
        return Err(PlanError::Value(words));
    }
    let plies = settings.openings.random_plies;
    if plies > MAX_RANDOM_PLIES {
        let words = format!("[openings] random-plies {plies}: expected {MAX_RANDOM_PLIES} at most");
        return Err(PlanError::Value(words));
    }
    settings.data.output(settings.run.seed)?;
    Ok(())
}

/// Default name of a run: the players, or their number.
fn title(format: Format, entrants: &[Entrant]) -> String {
    let challengers = entrants.iter().filter(|entrant| entrant.role == Role::Challenger);
    let challengers: Vec<&str> = challengers.map(|entrant| entrant.name.as_str()).collect();
    match (entrants, challengers.as_slice()) {
        ([first, second], _) => format!("{} vs {}", first.name, second.name),
        (_, [challenger]) if format == Format::Gauntlet => {
            format!("{challenger} vs {} opponents", entrants.len() - 1)
        }
        _ => {
            let format = format.to_string();
            format!("{}{} of {}", format[..1].to_uppercase(), &format[1..], entrants.len())
        }
    }
}

/// Default rounds of a Swiss tournament: enough for a single undefeated winner, and no more than there are
/// opponents.
fn rounds(rounds: Option<NonZeroU32>, format: Format, entrants: usize) -> Result<u32, PlanError> {
    let refuse = |reason: String| Err(PlanError::Format { key: "rounds", reason });
    match (format, rounds.map(NonZeroU32::get)) {
        (Format::Knockout, Some(_)) => {
            refuse("the rounds of a knockout follow from the number of engines; leave it out".to_owned())
        }
        (Format::Race | Format::Bisect, Some(_)) => {
            refuse(format!("the rounds of a {format} follow from its results; leave it out"))
        }
        (Format::Swiss, None) => Ok(entrants.next_power_of_two().ilog2().max(1)),
        (Format::Swiss, Some(rounds)) => {
            let most = entrants.next_multiple_of(2) - 1;
            if rounds as usize <= most {
                return Ok(rounds);
            }
            refuse(format!(
                "{entrants} engines have {most} opponents each in a Swiss tournament: lower rounds, or play a \
                 round-robin"
            ))
        }
        (_, rounds) => Ok(rounds.unwrap_or(1)),
    }
}

fn check_tiebreak(pairs: &mut Option<u32>, format: Format) -> Result<(), PlanError> {
    if format == Format::Knockout {
        pairs.get_or_insert(TIEBREAK_PAIRS);
    } else if pairs.is_some() {
        return Err(PlanError::Format {
            key: "tiebreak-pairs",
            reason: format!("a {format} has no level pairings to decide; it is for a knockout"),
        });
    }
    Ok(())
}

/// Checks the number of games.
fn check_size(plan: &Plan) -> Result<(), PlanError> {
    let count = plan.entrants.len() as u64;
    let is_challenger = |entrant: &&Entrant| entrant.role == Role::Challenger;
    let challengers = plan.entrants.iter().filter(is_challenger).count() as u64;
    let pairings = match plan.format() {
        Format::Gauntlet => challengers * (count - challengers),
        Format::RoundRobin | Format::Match | Format::Pyramid => count * (count - 1) / 2,
        Format::Knockout | Format::Race => count - 1,
        Format::Bisect => 1,
        Format::Swiss => count / 2,
    };
    let games = pairings.saturating_mul(plan.games().into()).saturating_mul(plan.rounds.into());
    if games > MOST_GAMES { Err(PlanError::TooManyGames { games }) } else { Ok(()) }
}

/// Checks the earlier sizes in a stored plan.
fn check_sizes(plan: &Plan) -> Result<(), PlanError> {
    let sizes: Vec<RunSize> = plan.sizes().collect();
    let grows = |two: &[RunSize]| match two {
        [before, now] if before.engines == now.engines => before.games < now.games,
        [before, now] => before.engines + 1 == now.engines && before.games == now.games,
        _ => true,
    };
    let is_sound = sizes[0].engines >= 2 && sizes[0].games >= 1 && sizes.windows(2).all(grows);
    let can_grow = matches!(plan.format(), Format::Gauntlet | Format::RoundRobin | Format::Match);
    if is_sound && (can_grow || sizes.len() == 1) {
        return Ok(());
    }
    Err(PlanError::Format {
        key: "grown",
        reason: "a run grows by games or by one engine at a time".to_owned(),
    })
}
