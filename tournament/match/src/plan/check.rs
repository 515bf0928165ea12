//! From what was typed to what is meant: names found in the registry, clocks and options inherited, conflicts
//! rejected. The only way to a [`Plan`]; and back to a file.

use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;

use smalt_protocol::TimeControl;
use smalt_stats::Sprt;
use smalt_stats::sprt::{Model, SprtError};
use smalt_workbench::entrant::{NameError, Names, Registry, ResolveError};

use super::clock::{ClockError, MoveClock, TimeFlow};
use super::encounter::{Colors, Lead, OpeningPolicy, Repeat, Swap};
use super::entrant::{Entrant, EntrantFile, Role, ScoreView};
use super::file::{
    AdjudicationFile, ClockFile, Format, OnFault, OpeningsFile, Order, PlanFile, RunFile, SprtFile,
};
use super::fleet::{FleetError, FleetPlan};
use super::machine::Affinity;
use super::rules::AdjudicationRules;
use super::value::{Switch, Text};
use super::writing::GameWriting;
use super::{EMBEDDED_OPENINGS, OpeningsPlan, Plan, Shuffle};

/// How many games a run may have.
const MOST_GAMES: u64 = 100_000_000;

/// How many further pairs a level encounter of a knockout has where nothing is said.
const TIEBREAK_PAIRS: u32 = 4;

/// Why what was typed is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Too few to play.
    #[error(
        "{}: a {format} needs {needed}; name more with --engine or --opponent, or as [[entrant]]",
        smalt_report::format::count(*entrants, "entrant")
    )]
    TooFew {
        /// How many there are.
        entrants: usize,
        /// What they should play.
        format: Format,
        /// How many it takes.
        needed: &'static str,
    },
    /// More than two in a match or under a sequential test.
    #[error("{entrants} entrants: a match, or a sequential test, has exactly two")]
    TooMany {
        /// How many there are.
        entrants: usize,
    },
    /// A gauntlet in which nobody is met.
    #[error("no opponent: every entrant of the gauntlet is a challenger")]
    NoOpponent,
    /// An entrant that cannot be started.
    #[error("entrant {number} has no cmd: give a program, a name of the registry, or builtin")]
    NoCommand {
        /// Its number, from 1.
        number: usize,
    },
    /// A name that is none, or another's.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A clock that is none.
    #[error("entrant {name:?}: {error}")]
    Clock {
        /// Whose.
        name: String,
        /// Why.
        error: ClockError,
    },
    /// A number that must be above zero.
    #[error("{key} must be above zero")]
    Zero {
        /// Where it was written.
        key: &'static str,
    },
    /// An hourglass without sand.
    #[error("[clock] hourglass: entrant {name:?} has no tc; an hourglass needs one for everybody")]
    Hourglass {
        /// Whose clock.
        name: String,
    },
    /// A time-out that is no time.
    #[error("[timeouts] {key}: must be above zero, and a day at most")]
    Timeout {
        /// Which one.
        key: &'static str,
    },
    /// A fleet that is none.
    #[error("[fleet] {0}")]
    Fleet(#[from] FleetError),
    /// A test that is none.
    #[error("[sprt]: {0}")]
    Sprt(#[from] SprtError),
    /// Something that even the defaults do not say.
    #[error("{key} is missing")]
    Missing {
        /// Where it should be.
        key: &'static str,
    },
    /// A setting that the format has no use for.
    #[error("[run] {key}: {reason}")]
    Format {
        /// What was set.
        key: &'static str,
        /// Why that makes no sense.
        reason: String,
    },
    /// More games than can be numbered.
    #[error(
        "{games} games are too many: a run has at most {MOST_GAMES}; lower games, rounds or the number of entrants"
    )]
    TooManyGames {
        /// How many were asked for.
        games: u64,
    },
    /// Pairs of games are needed.
    #[error(
        "[run] games is {games}, an odd number: a sequential test counts pairs of games with reversed colors"
    )]
    OddGames {
        /// The number.
        games: u32,
    },
}

impl Plan {
    /// Makes a plan of what was typed. Nothing is taken from elsewhere but the engines of the registry: merge the
    /// defaults first ([`PlanFile::or`]).
    ///
    /// # Errors
    /// If something is missing or contradicts itself.
    pub fn check(file: &PlanFile, registry: &Registry) -> Result<Plan, PlanError> {
        let format = required(file.run.format, "[run] format")?;
        let entrants = check_entrants(file, format, registry)?;
        let games = positive(file.run.games, "[run] games")?;
        let sprt = file.sprt.as_ref().map(check_sprt).transpose()?;
        check_numbers(format, &entrants, sprt.is_some())?;
        let openings = check_openings(&file.openings)?;
        if sprt.is_some() && games % 2 == 1 && openings.repeat == Repeat::Pairs {
            return Err(PlanError::OddGames { games });
        }
        let rounds = check_rounds(file.run.rounds, format, entrants.len())?;
        check_size(format, &entrants, games, rounds)?;
        Ok(Plan {
            name: file.run.name.clone().unwrap_or_else(|| format!("Smalt {format}")),
            site: file.run.site.clone(),
            format,
            games,
            rounds,
            colors: check_colors(&file.run),
            shuffle: if file.run.shuffle == Some(true) { Shuffle::BySeed } else { Shuffle::Never },
            tiebreak_pairs: check_tiebreak(file.run.tiebreak_pairs, format)?,
            seed: required(file.run.seed, "[run] seed")?,
            concurrency: check_concurrency(&file.run)?,
            on_fault: file.run.on_fault.unwrap_or(OnFault::Recover),
            strike_after: file.run.strike_after.and_then(NonZeroU32::new),
            bad_options: file.run.bad_options.unwrap_or_default(),
            wait: Duration::from_millis(file.run.wait.unwrap_or(0)),
            openings,
            variant: file.run.variant.unwrap_or_default(),
            flow: check_flow(&file.clock, &entrants)?,
            measured: file.clock.measured.and_then(NonZeroU64::new),
            writing: GameWriting::new(
                file.output.pgn_comments.clone().unwrap_or_default(),
                file.output.pgn_times.unwrap_or_default(),
                file.output.pgn_form.unwrap_or_default(),
                file.output.pgn_notation.unwrap_or_default(),
            ),
            affinity: file.run.affinity.clone().map_or_else(Affinity::default, |text| text.0),
            timeouts: file.timeouts.check().map_err(|key| PlanError::Timeout { key })?,
            adjudication: check_adjudication(&file.adjudication),
            tablebases: on(&file.adjudication.tablebases),
            sprt,
            fleet: file.fleet.check()?,
            output: file.output.clone(),
            entrants,
        })
    }

    /// The plan as a file that gives the same plan again, with every setting and without the registry.
    pub fn to_file(&self) -> PlanFile {
        PlanFile {
            run: RunFile {
                name: Some(self.name.clone()),
                site: self.site.clone(),
                format: Some(self.format),
                games: Some(self.games),
                rounds: (self.format != Format::Knockout).then_some(self.rounds),
                seeds: None,
                noswap: Some(self.colors.swap == Swap::Never),
                same_lead: Some(self.colors.swap == Swap::InPairs),
                reverse: Some(self.colors.lead == Lead::Second),
                shuffle: Some(self.shuffle == Shuffle::BySeed),
                tiebreak_pairs: (self.format == Format::Knockout).then_some(self.tiebreak_pairs),
                seed: Some(self.seed),
                concurrency: self.concurrency.map(NonZeroUsize::get),
                on_fault: Some(self.on_fault),
                strike_after: Some(self.strike_after.map_or(0, NonZeroU32::get)),
                bad_options: Some(self.bad_options),
                wait: Some(u64::try_from(self.wait.as_millis()).unwrap_or(u64::MAX)),
                variant: Some(self.variant),
                affinity: Some(Text(self.affinity.clone())),
            },
            clock: ClockFile {
                hourglass: Some(self.flow == TimeFlow::Hourglass),
                measured: self.measured.map(NonZeroU64::get),
                ..ClockFile::default()
            },
            timeouts: self.timeouts.to_file(),
            openings: OpeningsFile {
                file: Some(self.openings.file.clone()),
                format: self.openings.format,
                book_depth: self.openings.book_depth,
                order: Some(self.openings.order),
                start: Some(self.openings.start),
                plies: self.openings.plies,
                repeat: Some(self.openings.repeat == Repeat::Pairs),
                policy: Some(self.openings.policy),
            },
            adjudication: AdjudicationFile {
                draw: Some(self.adjudication.draw.map_or(Switch::Off, Switch::On)),
                resign: Some(self.adjudication.resign.map_or(Switch::Off, Switch::On)),
                mate: Some(self.adjudication.mate.map_or(Switch::Off, Switch::On)),
                tablebases: Some(self.tablebases.clone().map_or(Switch::Off, Switch::On)),
                maxmoves: Some(self.adjudication.max_moves.unwrap_or(0)),
            },
            sprt: self.sprt.as_ref().map(|sprt| SprtFile {
                elo0: Some(sprt.elo0()),
                elo1: Some(sprt.elo1()),
                alpha: Some(sprt.alpha()),
                beta: Some(sprt.beta()),
                model: Some(Text(sprt.model())),
            }),
            fleet: self.fleet.as_ref().map(FleetPlan::to_file).unwrap_or_default(),
            output: self.output.clone(),
            each: None,
            entrants: self.entrants.iter().map(Entrant::to_file).collect(),
        }
    }
}

fn required<T>(value: Option<T>, key: &'static str) -> Result<T, PlanError> {
    value.ok_or(PlanError::Missing { key })
}

fn positive(value: Option<u32>, key: &'static str) -> Result<u32, PlanError> {
    match required(value, key)? {
        0 => Err(PlanError::Zero { key }),
        value => Ok(value),
    }
}

fn check_concurrency(run: &RunFile) -> Result<Option<NonZeroUsize>, PlanError> {
    let key = "[run] concurrency";
    run.concurrency.map(|value| NonZeroUsize::new(value).ok_or(PlanError::Zero { key })).transpose()
}

fn check_flow(clock: &ClockFile, entrants: &[Entrant]) -> Result<TimeFlow, PlanError> {
    if clock.hourglass != Some(true) {
        return Ok(TimeFlow::Usual);
    }
    let without = entrants.iter().find(|entrant| entrant.clock.control == TimeControl::UNLIMITED);
    match without {
        Some(entrant) => Err(PlanError::Hourglass { name: entrant.name.clone() }),
        None => Ok(TimeFlow::Hourglass),
    }
}

fn check_openings(file: &OpeningsFile) -> Result<OpeningsPlan, PlanError> {
    let start = file.start.unwrap_or(1);
    if start == 0 {
        return Err(PlanError::Zero { key: "[openings] start" });
    }
    Ok(OpeningsPlan {
        file: file.file.clone().unwrap_or_else(|| PathBuf::from(EMBEDDED_OPENINGS)),
        format: file.format,
        order: file.order.unwrap_or(Order::Random),
        start,
        plies: file.plies,
        book_depth: file.book_depth,
        repeat: if file.repeat == Some(false) { Repeat::Never } else { Repeat::Pairs },
        policy: file.policy.unwrap_or(OpeningPolicy::Round),
    })
}

fn check_colors(run: &RunFile) -> Colors {
    Colors {
        swap: match (run.noswap, run.same_lead) {
            (Some(true), _) => Swap::Never,
            (_, Some(true)) => Swap::InPairs,
            _ => Swap::EachGame,
        },
        lead: if run.reverse == Some(true) { Lead::Second } else { Lead::First },
    }
}

/// A Swiss tournament has as many rounds as a knockout would where nothing is said, which is enough for one to have won
/// all, and no more than there are opponents.
fn check_rounds(rounds: Option<u32>, format: Format, entrants: usize) -> Result<u32, PlanError> {
    let refuse = |reason: String| Err(PlanError::Format { key: "rounds", reason });
    match (format, rounds) {
        (_, Some(0)) => Err(PlanError::Zero { key: "[run] rounds" }),
        (Format::Knockout, Some(_)) => {
            refuse("a knockout has as many rounds as it takes; leave it out".to_owned())
        }
        (Format::Swiss, None) => Ok(entrants.next_power_of_two().ilog2().max(1)),
        (Format::Swiss, Some(rounds)) => {
            let most = entrants.next_multiple_of(2) - 1;
            if rounds as usize <= most {
                return Ok(rounds);
            }
            refuse(format!(
                "{entrants} entrants meet everybody in {most} rounds of a Swiss tournament; take as many, or play a \
                 round-robin"
            ))
        }
        (_, rounds) => Ok(rounds.unwrap_or(1)),
    }
}

fn check_tiebreak(pairs: Option<u32>, format: Format) -> Result<u32, PlanError> {
    match pairs {
        Some(_) if format != Format::Knockout => Err(PlanError::Format {
            key: "tiebreak-pairs",
            reason: format!("a {format} has no level encounters to decide; it is for a knockout"),
        }),
        pairs => Ok(pairs.unwrap_or(TIEBREAK_PAIRS)),
    }
}

/// Refuses what could not be numbered.
fn check_size(format: Format, entrants: &[Entrant], games: u32, rounds: u32) -> Result<(), PlanError> {
    let count = entrants.len() as u64;
    let challengers = entrants.iter().filter(|entrant| entrant.role == Role::Challenger).count() as u64;
    let encounters = match format {
        Format::Gauntlet => challengers * (count - challengers),
        Format::RoundRobin | Format::Match | Format::Pyramid => count * (count - 1) / 2,
        Format::Knockout => count - 1,
        Format::Swiss => count / 2,
    };
    let games = encounters.saturating_mul(u64::from(games)).saturating_mul(u64::from(rounds));
    if games > MOST_GAMES { Err(PlanError::TooManyGames { games }) } else { Ok(()) }
}

fn on<T: Clone>(switch: &Option<Switch<T>>) -> Option<T> {
    match switch {
        Some(Switch::On(rule)) => Some(rule.clone()),
        _ => None,
    }
}

fn check_adjudication(file: &AdjudicationFile) -> AdjudicationRules {
    AdjudicationRules {
        draw: on(&file.draw),
        resign: on(&file.resign),
        mate: on(&file.mate),
        max_moves: file.maxmoves.filter(|&moves| moves > 0),
    }
}

/// The usual errors of both kinds are 5 %, and the usual question is whether a patch gains up to five Elo.
fn check_sprt(file: &SprtFile) -> Result<Sprt, SprtError> {
    let model = file.model.as_ref().map_or(Model::Normalized, |text| text.0);
    let (elo0, elo1) = (file.elo0.unwrap_or(0.0), file.elo1.unwrap_or(5.0));
    Sprt::new(elo0, elo1, file.alpha.unwrap_or(0.05), file.beta.unwrap_or(0.05), model)
}

fn check_numbers(format: Format, entrants: &[Entrant], has_sprt: bool) -> Result<(), PlanError> {
    let count = entrants.len();
    if count < 2 {
        return Err(PlanError::TooFew { entrants: count, format, needed: "at least two" });
    }
    if count > 2 && (has_sprt || format == Format::Match) {
        return Err(PlanError::TooMany { entrants: count });
    }
    if format == Format::Gauntlet && entrants.iter().all(|entrant| entrant.role == Role::Challenger) {
        return Err(PlanError::NoOpponent);
    }
    Ok(())
}

fn check_entrants(file: &PlanFile, format: Format, registry: &Registry) -> Result<Vec<Entrant>, PlanError> {
    let each = file.each.clone().unwrap_or_default();
    let somebody_challenges = file.entrants.iter().any(|entrant| entrant.role == Some(Role::Challenger));
    let seeds = check_seeds(file, format)?;
    let mut names = Names::default();
    let mut entrants = Vec::new();
    for (index, typed) in file.entrants.iter().enumerate() {
        let number = index + 1;
        let mut entrant = resolve(typed, &each, file, registry, &mut names, number)?;
        let leads = match seeds {
            Some(seeds) => index < seeds,
            None => {
                let has_sides = matches!(format, Format::Gauntlet | Format::Match);
                has_sides && !somebody_challenges && index == 0
            }
        };
        entrant.role = typed.role.unwrap_or(if leads { Role::Challenger } else { Role::Opponent });
        entrants.push(entrant);
    }
    Ok(entrants)
}

/// How many of the first entrants are challengers, if that is how it was said.
fn check_seeds(file: &PlanFile, format: Format) -> Result<Option<usize>, PlanError> {
    let refuse = |reason: String| Err(PlanError::Format { key: "seeds", reason });
    let Some(seeds) = file.run.seeds else { return Ok(None) };
    if format != Format::Gauntlet {
        return refuse(format!("a {format} has no challengers; it is for a gauntlet"));
    }
    if file.entrants.iter().any(|entrant| entrant.role.is_some()) {
        return refuse(
            "who challenges is said twice; leave out role, or name all entrants by --engine".to_owned(),
        );
    }
    if seeds == 0 || seeds >= file.entrants.len() {
        let most = file.entrants.len().saturating_sub(1);
        return refuse(format!(
            "{seeds} challengers of {} entrants; 1 to {most} can be",
            file.entrants.len()
        ));
    }
    Ok(Some(seeds))
}

/// An entrant with all that it inherits; its role is decided elsewhere.
fn resolve(
    typed: &EntrantFile,
    each: &EntrantFile,
    file: &PlanFile,
    registry: &Registry,
    names: &mut Names,
    number: usize,
) -> Result<Entrant, PlanError> {
    let found = registry.resolve(&typed.engine(), &each.engine(), names).map_err(|error| match error {
        ResolveError::NoCommand => PlanError::NoCommand { number },
        ResolveError::Name(error) => PlanError::Name(error),
    })?;
    let clock = MoveClock::check(&inherit_clock(&[typed.clock(), each.clock(), file.clock.clone()]))
        .map_err(|error| PlanError::Clock { name: found.name.clone(), error })?;
    Ok(Entrant {
        name: found.name,
        role: Role::Opponent,
        program: found.program,
        arguments: found.arguments,
        directory: found.directory,
        protocol: found.protocol,
        restart: found.restart,
        pondering: found.pondering,
        stderr: found.stderr,
        scores: if found.whitepov { ScoreView::White } else { ScoreView::Mover },
        clock,
        options: found.options,
    })
}

/// The limits of the first that has any; margin, longest move and scale of the first that says so.
fn inherit_clock(layers: &[ClockFile]) -> ClockFile {
    let limits = layers.iter().find(|layer| layer.has_limit()).cloned().unwrap_or_default();
    ClockFile {
        timemargin: layers.iter().find_map(|layer| layer.timemargin),
        longest_move: layers.iter().find_map(|layer| layer.longest_move),
        scale: layers.iter().find_map(|layer| layer.scale),
        ..limits
    }
}
