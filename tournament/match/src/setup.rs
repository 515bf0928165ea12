//! Prepares a run from a plan: reads the openings, makes the schedule.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use smalt_chess::Position;

use crate::game::{TablebaseAdjudicator, TablebaseError};
use crate::named_file::is_special;
use crate::opening::Variation;
use crate::opening::{Book, BookError, EngineBook, OpeningOrigin, OpeningSource, Openings};
use crate::plan::{
    BookFormat, CHESS960_OPENINGS, EMBEDDED_OPENINGS, Entrant, Format, Order, Plan, Role, RunSize,
    START_POSITION, Variant,
};
use crate::schedule::{
    GauntletSide, OpeningOrder, PairingRules, PairingScheme, Schedule, Selection, Sequence,
};

/// A plan with its openings and schedule.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub plan: Plan,
    /// Openings in order of use: see [`crate::schedule::ScheduledGame::opening`].
    pub openings: Arc<Openings>,
    /// Number of openings in the source; `None` if it is endless, varied randomly, or not read.
    pub openings_known: Option<u32>,
    pub schedule: Schedule,
}

/// Why a run cannot be prepared.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// Unknown format of the opening file.
    #[error("[openings] file = {:?}: unknown format; the name must end in .epd, .fen, .txt, .pgn or .bin, which .gz or .zst may follow, or give format = \"epd\", \"pgn\" or \"polyglot\" (--book-format)", .0)]
    Kind(PathBuf),
    /// A pipe can be read only once.
    #[error("read openings from {}: it is a pipe or a device, and openings are read several times, also by `resume`; give a file (books in .gz and .zst are read as they are)", .0.display())]
    Pipe(PathBuf),
    /// The file cannot be read, or has no usable opening.
    #[error("read openings from {}: {source}", path.display())]
    Book { path: PathBuf, source: BookError },
    /// An engine's own book cannot be read, or is not a Polyglot book.
    #[error("read the book of an engine, {}: {source}", path.display())]
    EngineBook { path: PathBuf, source: BookError },
    /// The tablebases cannot be used.
    #[error(transparent)]
    Tables(#[from] TablebaseError),
    /// The first opening lies beyond the end of the book.
    #[error("[openings] start = {start}: the book has {}", smalt_report::format::count(*openings as usize, "opening"))]
    Start {
        /// Number of the first opening.
        start: usize,
        /// Number of openings of the book.
        openings: u32,
    },
    /// A Polyglot book has no order.
    #[error("read openings from {} in sequence: a Polyglot book is a random walk; leave order at \"random\"", .0.display())]
    Sequence(PathBuf),
    /// A book depth for a source that is not a Polyglot book.
    #[error("read openings from {} to a depth of {moves} moves: book-depth is for Polyglot books; plies is for PGN", path.display())]
    Depth { path: PathBuf, moves: u32 },
}

impl Prepared {
    /// Reads the openings and makes the schedule.
    ///
    /// # Errors
    /// If the openings cannot be read.
    pub fn new(plan: Plan) -> Result<(Prepared, Book), SetupError> {
        let schedule = schedule(&plan);
        let book = survey(&plan)?;
        let first = plan.settings.openings.start.get();
        let start = u32::try_from(first - 1).ok().filter(|&start| start < book.count());
        let start = start.ok_or(SetupError::Start { start: first, openings: book.count() })?;
        let order = match plan.settings.openings.order {
            _ if book.is_endless() => OpeningOrder::sequential(book.count(), start),
            Order::Sequential => OpeningOrder::sequential(book.count(), start),
            Order::Random if let Some(srand) = plan.settings.openings.srand => {
                OpeningOrder::of_fastchess(book.count(), srand, start)
            }
            Order::Random => OpeningOrder::random(book.count(), plan.settings.run.seed, start),
        };
        let used = schedule.openings().min(book.count());
        let openings = book.select((0..used).map(|used| order.place(used)), plan.settings.run.seed);
        let openings = openings
            .map_err(|source| SetupError::Book { path: plan.settings.openings.file.clone(), source })?;
        let settings = &plan.settings.openings;
        let variation = Variation {
            seed: plan.settings.run.seed,
            plies: settings.random_plies,
            chess960_share: settings.chess960_share,
        };
        let is_endless = book.is_endless() || settings.are_varied();
        let openings_known = (!is_endless).then_some(book.count());
        let openings = Arc::new(openings.varied(variation));
        Ok((Prepared { plan, openings, openings_known, schedule }, book))
    }

    /// A prepared run without openings, for commands that only read a store.
    pub fn without_openings(plan: Plan) -> Prepared {
        let schedule = schedule(&plan);
        Prepared { plan, openings: Arc::default(), openings_known: None, schedule }
    }
}

/// Reads, checks and counts the openings of a plan.
fn survey(plan: &Plan) -> Result<Book, SetupError> {
    let path = &plan.settings.openings.file;
    if is_special(path) {
        return Err(SetupError::Pipe(path.clone()));
    }
    let mut source = source_of(path, plan.settings.openings.format)?;
    if plan.settings.run.variant == Variant::Chess960 && source.origin == OpeningOrigin::Builtin {
        source.origin = OpeningOrigin::Chess960;
    }
    let is_polyglot = matches!(source.origin, OpeningOrigin::File(_, BookFormat::Polyglot));
    if is_polyglot && plan.settings.openings.order == Order::Sequential {
        return Err(SetupError::Sequence(path.clone()));
    }
    if let Some(moves) = plan.settings.openings.book_depth.filter(|_| !is_polyglot) {
        return Err(SetupError::Depth { path: path.clone(), moves });
    }
    let depth = plan.settings.openings.book_depth.map(|moves| moves.saturating_mul(2));
    let plies = [plan.settings.openings.plies, depth].into_iter().flatten().min();
    let tables = plan.tablebases().map(TablebaseAdjudicator::open).transpose()?;
    let decided = |position: &Position| {
        let (outcome, _) = tables.as_ref()?.adjudicate(position)?;
        Some(format!("the tablebases adjudicate it as {outcome} before the first move"))
    };
    let book = Book::scan_playable(OpeningSource { plies, ..source }, decided);
    book.map_err(|source| SetupError::Book { path: path.clone(), source })
}

/// The entrants' own books, by entrant; a file used by several is read once.
///
/// # Errors
/// If a book cannot be read, or is not a Polyglot book.
pub fn engine_books(plan: &Plan) -> Result<Vec<Option<EngineBook>>, SetupError> {
    let mut books: Vec<Option<EngineBook>> = Vec::new();
    for (number, entrant) in plan.entrants.iter().enumerate() {
        let engine = &entrant.engine;
        let same =
            |other: &Entrant| other.engine.book == engine.book && other.engine.bookdepth == engine.bookdepth;
        let known = plan.entrants[..number].iter().position(same);
        books.push(match (&engine.book, known) {
            (_, Some(known)) => books[known].clone(),
            (None, None) => None,
            (Some(path), None) => {
                let book = EngineBook::open(path, engine.bookdepth, plan.settings.run.seed);
                Some(book.map_err(|source| SetupError::EngineBook { path: path.clone(), source })?)
            }
        });
    }
    Ok(books)
}

/// The opening source of a path.
///
/// # Errors
/// If neither the name nor `format` determines the format.
pub fn source_of(path: &Path, format: Option<BookFormat>) -> Result<OpeningSource, SetupError> {
    Ok(OpeningSource::new(match path.to_str() {
        Some(EMBEDDED_OPENINGS) => OpeningOrigin::Builtin,
        Some(CHESS960_OPENINGS) => OpeningOrigin::Chess960,
        Some(START_POSITION) => OpeningOrigin::Start,
        _ => {
            let format = format.or_else(|| BookFormat::of(path));
            OpeningOrigin::File(path.to_owned(), format.ok_or_else(|| SetupError::Kind(path.to_owned()))?)
        }
    }))
}

/// The schedule of a plan before its first game.
pub fn schedule(plan: &Plan) -> Schedule {
    let first = plan.sizes().next().expect("a run has a size");
    let entrants = first.engines;
    let sides = |count: usize| -> Vec<GauntletSide> {
        plan.entrants[..count].iter().map(|entrant| side(entrant.role)).collect()
    };
    let meeting = match plan.format() {
        Format::Gauntlet => PairingScheme::Gauntlet(sides(entrants)),
        Format::RoundRobin | Format::Match => PairingScheme::RoundRobin(entrants),
        Format::Pyramid => PairingScheme::Pyramid(entrants),
        Format::Knockout => {
            let tiebreak_pairs = plan.settings.run.tiebreak_pairs.unwrap_or(0);
            PairingScheme::Knockout { entrants, tiebreak_pairs }
        }
        Format::Swiss => PairingScheme::Swiss { entrants },
        Format::Race | Format::Bisect => candidates(plan),
    };
    let rules = PairingRules {
        games: first.games,
        games_per_opening: plan.settings.openings.games_of_one(),
        colors: plan.colors(),
        policy: plan.settings.openings.policy,
    };
    let run = &plan.settings.run;
    let sequence = if run.shuffle { Sequence::Shuffled(run.seed) } else { Sequence::AsListed };
    let schedule = Schedule::new(meeting, rules, plan.rounds, sequence);
    let grow = |(schedule, before): (Schedule, RunSize), now: RunSize| {
        let grown = if now.engines == before.engines {
            schedule.extended(now.games - before.games)
        } else {
            let sides = (plan.format() == Format::Gauntlet).then(|| sides(now.engines));
            schedule.joined(before.engines, sides.as_deref(), sequence)
        };
        (grown, now)
    };
    plan.sizes().skip(1).fold((schedule, first), grow).0
}

/// Candidates and base of a race or a bisection.
fn candidates(plan: &Plan) -> PairingScheme {
    let base = plan.entrants.iter().position(|entrant| entrant.role == Role::Opponent).unwrap_or(0);
    let candidates: Vec<usize> = (0..plan.entrants.len()).filter(|&entrant| entrant != base).collect();
    let race = plan.race.clone().map(Selection::Race);
    let selection = race.or_else(|| plan.bisection.clone().map(Selection::Bisection));
    let selection = selection.expect("the plan of a race or a bisection has one");
    PairingScheme::Candidates { selection, candidates, base }
}

fn side(role: Role) -> GauntletSide {
    match role {
        Role::Challenger => GauntletSide::Challenger,
        Role::Opponent => GauntletSide::Opponent,
    }
}
