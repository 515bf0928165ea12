//! One run for the page: read from its store as games are committed, and counted. The store is closed after each
//! read, so that it never blocks the runner.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde::Serialize;
use smalt_chess::{Outcome, Position};
use smalt_workbench::calendar::unix_ms;
use smalt_workbench::entrant::Registry;
use smalt_workbench::sqlite_journal::journal_path;

use super::clock_use::{ClockUse, ClockUseJson};
use super::game::{GamePage, LastGameJson};
use super::game_list::{GameFilter, GameRow, list};
use super::page_json::to_page_json;
use smalt_match::game::{GameRecord, TablebaseAdjudicator};
use smalt_match::opening::Openings;
use smalt_match::pgn::PgnWriter;
use smalt_match::plan::{Plan, Settings};
use smalt_match::progress::{Pace, RunState, is_paused};
use smalt_match::setup::Prepared;
use smalt_match::standings::{EloPoint, Standings, json};
use smalt_match::store::{Store, StoreError, StoreUse, StoredFault, StoredRun, StoredSession};

/// Games per read, so that requests are answered in between.
const GAMES_PER_READ: u32 = 1000;

/// Interval of sending the speed if nothing else changes.
const PACE_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of faults sent.
const MAX_FAULTS: u32 = 100;

/// Maximum number of curve points sent.
const MAX_CURVE_POINTS: usize = 400;

#[derive(Debug)]
pub(super) struct RunView {
    path: PathBuf,
    occupancy: StoreUse,
    counted: Option<Counted>,
    stamp: Option<FileTimes>,
    /// First start of the run.
    created: Option<SystemTime>,
    session: Option<StoredSession>,
    last_game: Option<LastGameJson>,
    state: RunState,
    reported: Option<Instant>,
    edition: u64,
    problem: Option<String>,
    /// Whether reading panicked; it is then not read again.
    is_broken: bool,
}

/// Content of the store so far.
#[derive(Debug)]
struct Counted {
    plan_text: String,
    plan: Plan,
    standings: Standings,
    games: BTreeMap<u32, GameRow>,
    /// End and number of the game that ended last.
    last: Option<(SystemTime, u32)>,
    clocks: Vec<ClockUse>,
    /// All games below this number are known.
    low: u32,
    /// Whether unread games remain.
    is_behind: bool,
    /// Loaded on first use: a book may be large.
    openings: OnceCell<Arc<Openings>>,
    /// Endgame tables of the plan, opened on first use; `None` if they cannot be opened.
    tables: OnceCell<Option<TablebaseAdjudicator>>,
}

/// Length and modification time of a store's files.
type FileTimes = [Option<(u64, SystemTime)>; 2];

/// An entry of the list of runs, as JSON.
#[derive(Serialize)]
struct RunJson<'a> {
    id: usize,
    store: String,
    name: &'a str,
    state: RunState,
    is_paused: bool,
    is_reading: bool,
    problem: Option<&'a str>,
    edition: u64,
    slots: Option<u32>,
    /// Whether it is a distributed run, whose boards are not available here.
    is_elsewhere: bool,
    /// First start of the run.
    started_ms: Option<u64>,
    /// Start of the latest session.
    session_started_ms: Option<u64>,
    games_per_hour: Option<f64>,
    seconds_left: Option<f64>,
    results: Option<json::ResultsJson>,
    last_game: Option<&'a LastGameJson>,
    entrants: Vec<EntrantJson<'a>>,
}

#[derive(Serialize)]
struct EntrantJson<'a> {
    name: &'a str,
    clock: String,
    #[serde(flatten)]
    clock_use: ClockUseJson,
}

/// Summary of a run as JSON.
#[derive(Serialize)]
struct RunSummaryJson<'a> {
    id: usize,
    store: String,
    name: &'a str,
    state: RunState,
    is_paused: bool,
    problem: Option<&'a str>,
    session_started_ms: Option<u64>,
    seconds_left: Option<f64>,
    results: Option<json::ResultsJson>,
}

/// Games, Elo, and the ends of its 95% interval.
type EloPointJson = (u64, Option<f64>, Option<f64>, Option<f64>);

/// Elo and LLR curves as JSON.
#[derive(Serialize)]
struct CurvesJson {
    elo: Vec<EloPointJson>,
    llr: Vec<(u64, f64)>,
}

/// The latest faults and their total number.
#[derive(Serialize)]
struct FaultsJson {
    total: u32,
    faults: Vec<FaultLine>,
}

/// A fault, in or outside a game.
#[derive(Serialize)]
struct FaultLine {
    game: Option<u32>,
    engine: usize,
    name: String,
    words: String,
    transcript: Vec<String>,
}

impl RunView {
    pub(super) fn new(path: &Path) -> RunView {
        RunView {
            path: path.to_owned(),
            occupancy: StoreUse::of(path),
            counted: None,
            stamp: None,
            created: None,
            session: None,
            last_game: None,
            state: RunState::Stopped,
            reported: None,
            edition: 0,
            problem: None,
            is_broken: false,
        }
    }

    /// Stops reading the run after a panic, so that the others are still shown.
    pub(super) fn give_up(&mut self) {
        self.is_broken = true;
        self.counted = None;
        self.state = RunState::Stopped;
        self.problem =
            Some("failed to show this run: an error in this program; restart it and report this".to_owned());
        self.note_change();
    }

    /// Reads new data of the store; returns whether the page changes.
    pub(super) fn update(&mut self) -> bool {
        if self.is_broken {
            return false;
        }
        let stamp = stamp_of(&self.path);
        if self.stamp != Some(stamp) || self.is_behind() {
            // Taken before reading: the next read sees later changes.
            self.stamp = Some(stamp);
            let problem = self.read().err().map(|error| format!("failed to {error}"));
            if problem.is_some() {
                // The next read retries.
                self.stamp = None;
                if let Some(counted) = &mut self.counted {
                    counted.is_behind = false;
                }
            }
            if problem.is_none() || problem != self.problem {
                self.reported = None;
            }
            self.problem = problem;
        }
        let Some(counted) = &self.counted else { return self.reported.is_none() && self.note_change() };
        let state = RunState::of(self.is_in_use(), &counted.standings);
        if state != self.state {
            self.state = state;
            self.reported = None;
        }
        let is_stale =
            self.reported.is_none_or(|at| state == RunState::Running && at.elapsed() >= PACE_INTERVAL);
        if is_stale { self.note_change() } else { false }
    }

    fn note_change(&mut self) -> bool {
        self.reported = Some(Instant::now());
        self.edition += 1;
        true
    }

    /// Whether unread games remain.
    pub(super) fn is_behind(&self) -> bool {
        self.counted.as_ref().is_some_and(|counted| counted.is_behind)
    }

    pub(super) fn edition(&self) -> u64 {
        self.edition
    }

    pub(super) fn is_running(&self) -> bool {
        self.state == RunState::Running
    }

    /// Whether a runner uses the store. In this process one does while its session has no end; for other processes
    /// the lock decides.
    fn is_in_use(&self) -> bool {
        let session = self.session.filter(|session| session.ended.is_none());
        session.is_some_and(|session| session.pid == std::process::id() || self.occupancy.is_in_use())
    }

    fn read(&mut self) -> Result<(), ReadError> {
        let store = Store::read(&self.path)?;
        let StoredRun { created, plan: text, .. } = store.run()?;
        self.created = Some(created);
        if self.counted.as_ref().is_none_or(|counted| counted.plan_text != text) {
            store.check_structure()?;
            self.counted = Some(Counted::new(text, &self.path)?);
        }
        self.session = store.latest_session()?;
        let Some(counted) = &mut self.counted else { return Ok(()) };
        let before = counted.last;
        counted.read(&store)?;
        if let Some((_, number)) = counted.last.filter(|last| Some(*last) != before) {
            store.for_each_game_of(number..=number, |record| {
                self.last_game = Some(LastGameJson::of(&record));
            })?;
        }
        Ok(())
    }

    fn started_ms(&self) -> Option<u64> {
        self.created.map(unix_ms)
    }

    fn session_started_ms(&self) -> Option<u64> {
        self.session.map(|session| unix_ms(session.started))
    }

    fn is_paused(&self) -> bool {
        self.session.is_some_and(|session| is_paused(&session, self.state))
    }

    fn pace(&self) -> Option<Pace> {
        Pace::of(self.session.as_ref()?, self.state, &self.counted.as_ref()?.standings)
    }

    fn store_name(&self) -> String {
        self.path.file_name().unwrap_or(OsStr::new("?")).to_string_lossy().into_owned()
    }

    fn name(&self) -> &str {
        self.counted.as_ref().map_or("", |counted| counted.plan.name())
    }

    fn results(&self) -> Option<json::ResultsJson> {
        self.counted.as_ref().map(|counted| json::ResultsJson::of(&counted.standings))
    }

    /// The run with its standings, as JSON.
    pub(super) fn overview(&self, id: usize) -> String {
        let pace = self.pace();
        let counted = self.counted.as_ref();
        let entrants = counted.map(|counted| {
            let both = counted.plan.entrants.iter().zip(&counted.clocks);
            let entrants = both.map(|(entrant, clocks)| EntrantJson {
                name: &entrant.name,
                clock: entrant.clock.to_string(),
                clock_use: clocks.to_json(),
            });
            entrants.collect()
        });
        to_page_json(&RunJson {
            id,
            store: self.store_name(),
            name: self.name(),
            state: self.state,
            is_paused: self.is_paused(),
            is_reading: self.is_behind(),
            problem: self.problem.as_deref(),
            edition: self.edition,
            slots: self.session.map(|session| session.slots),
            is_elsewhere: counted.is_some_and(|counted| counted.plan.fleet().is_some()),
            started_ms: self.started_ms(),
            session_started_ms: self.session_started_ms(),
            games_per_hour: pace.map(|pace| pace.games_per_hour),
            seconds_left: pace.and_then(|pace| pace.left).map(|left| left.as_secs_f64()),
            results: self.results(),
            last_game: self.last_game.as_ref(),
            entrants: entrants.unwrap_or_default(),
        })
    }

    /// The summary of the run, as JSON.
    pub(super) fn line(&self, id: usize) -> String {
        to_page_json(&RunSummaryJson {
            id,
            store: self.store_name(),
            name: self.name(),
            state: self.state,
            is_paused: self.is_paused(),
            problem: self.problem.as_deref(),
            session_started_ms: self.session_started_ms(),
            seconds_left: self.pace().and_then(|pace| pace.left).map(|left| left.as_secs_f64()),
            results: self.results(),
        })
    }

    pub(super) fn list(&self, filter: &GameFilter) -> Option<String> {
        self.counted.as_ref().map(|counted| to_page_json(&list(&counted.games, filter)))
    }

    /// Result of a game (numbered from 0), if finished.
    pub(super) fn result_of(&self, number: u32) -> Option<String> {
        self.counted.as_ref()?.games.get(&number).map(GameRow::result)
    }

    /// Result of a position by the run's tablebases, if available.
    pub(super) fn outcome(&self, position: &Position) -> Option<Outcome> {
        let counted = self.counted.as_ref()?;
        let open = || TablebaseAdjudicator::open(counted.plan.tablebases()?).ok();
        counted.tables.get_or_init(open).as_ref()?.outcome(position)
    }

    /// One finished game as JSON.
    pub(super) fn game(&self, number: u32) -> Option<String> {
        let (counted, record) = self.record(number)?;
        Some(to_page_json(&GamePage::of(&record, counted.openings(&self.path))))
    }

    /// One finished game as PGN.
    pub(super) fn pgn(&self, number: u32) -> Option<String> {
        let (counted, record) = self.record(number)?;
        let openings = Arc::clone(counted.openings(&self.path));
        Some(PgnWriter::new(&counted.plan, openings).write(&record))
    }

    /// The latest faults, newest first, with transcripts.
    pub(super) fn faults(&self) -> Option<String> {
        let (total, faults) = Store::read(&self.path).and_then(|store| store.last_faults(MAX_FAULTS)).ok()?;
        let line = |StoredFault { game, fault }: StoredFault| FaultLine {
            game: game.map(|number| number + 1),
            engine: fault.entrant,
            name: fault.name,
            words: fault.words,
            transcript: fault.transcript,
        };
        Some(to_page_json(&FaultsJson { total, faults: faults.into_iter().map(line).collect() }))
    }

    /// Curves of an entrant: Elo as `[games, elo, low, high]` with the 95 % interval (null where unbounded),
    /// and LLR as `[games, llr]`.
    pub(super) fn curves(&self, entrant: usize) -> Option<String> {
        let standings = &self.counted.as_ref()?.standings;
        standings.entrants().get(entrant)?;
        let elo = standings.elo_curve(entrant);
        let elo_point = |point: &EloPoint| {
            (point.games, point.elo.map(|elo| elo.value), point.interval.low, point.interval.high)
        };
        Some(to_page_json(&CurvesJson {
            elo: thinned(&elo).map(elo_point).collect(),
            llr: thinned(standings.llr_curve()).map(|point| (point.games, point.llr)).collect(),
        }))
    }

    fn record(&self, number: u32) -> Option<(&Counted, GameRecord)> {
        let counted = self.counted.as_ref().filter(|counted| counted.games.contains_key(&number))?;
        let mut found = None;
        let store = Store::read(&self.path).ok()?;
        store.for_each_game_of(number..=number, |record| found = Some(record)).ok()?;
        Some((counted, found?))
    }
}

/// Why a store cannot be read.
#[derive(Debug, thiserror::Error)]
enum ReadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("read the plan of the run: {0}")]
    Plan(String),
}

impl Counted {
    fn new(plan_text: String, path: &Path) -> Result<Counted, ReadError> {
        let words = |error: &dyn std::error::Error| ReadError::Plan(error.to_string());
        let name = path.display().to_string();
        let settings = Settings::parse_layer(&plan_text, &name).map_err(|error| words(&error))?;
        let plan = Plan::of_layers(settings, &Registry::default()).map_err(|error| words(&error))?;
        let prepared = Prepared::without_openings(plan);
        Ok(Counted {
            plan_text,
            standings: Standings::new(&prepared),
            games: BTreeMap::new(),
            last: None,
            clocks: vec![ClockUse::default(); prepared.plan.entrants.len()],
            plan: prepared.plan,
            low: 0,
            is_behind: true,
            openings: OnceCell::new(),
            tables: OnceCell::new(),
        })
    }

    /// Reads a limited number of new games.
    fn read(&mut self, store: &Store) -> Result<(), StoreError> {
        let numbers = store.numbers_from(self.low)?;
        let mut unknown = numbers.into_iter().filter(|number| !self.games.contains_key(number)).peekable();
        let mut room = GAMES_PER_READ;
        let mut ranges: Vec<RangeInclusive<u32>> = Vec::new();
        while let Some(number) = unknown.next_if(|_| room > 0) {
            room -= 1;
            match ranges.last_mut() {
                Some(range) if range.end() + 1 == number => *range = *range.start()..=number,
                _ => ranges.push(number..=number),
            }
        }
        self.is_behind = unknown.peek().is_some();
        drop(unknown);
        for range in ranges {
            store.for_each_game_of(range, |record| {
                self.standings.add(&record);
                ClockUse::count(&mut self.clocks, &record);
                let row = GameRow::of(&record);
                self.last = self.last.max(Some((row.ended(), record.game.number)));
                self.games.insert(record.game.number, row);
            })?;
        }
        while self.games.contains_key(&self.low) {
            self.low += 1;
        }
        self.standings.add_between_games(store)
    }

    /// The openings with names; empty if the book cannot be read or has changed.
    fn openings(&self, path: &Path) -> &Arc<Openings> {
        self.openings.get_or_init(|| {
            let begun = Store::read(path).and_then(|store| store.run()).map(|run| run.openings);
            match (Prepared::new(self.plan.clone()), begun) {
                (Ok((prepared, book)), Ok(begun)) if book.fingerprint() == begun => prepared.openings,
                _ => Arc::default(),
            }
        })
    }
}

/// Thins a curve to a screen's resolution; keeps the last point.
fn thinned<T>(points: &[T]) -> impl Iterator<Item = &T> {
    let step = points.len().div_ceil(MAX_CURVE_POINTS).max(1);
    let skipped = points.len().saturating_sub(1) % step;
    points.iter().skip(skipped).step_by(step)
}

fn stamp_of(path: &Path) -> FileTimes {
    [path, &journal_path(path, "-wal")].map(|path| {
        let found = std::fs::metadata(path).ok()?;
        Some((found.len(), found.modified().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use smalt_match::game::EngineFault;

    use super::*;

    #[test]
    fn what_an_engine_says_is_plain_text_on_the_page() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let plan = "[run]\nformat = \"match\"\n[[entrant]]\nname = \"a\"\ncmd = \"a\"\n[[entrant]]\ncmd = \"builtin\"\n";
        let run = StoredRun { created: UNIX_EPOCH, plan: plan.to_owned(), openings: String::new() };
        let evil = || "\u{1b}[2J\u{202e}".to_owned();
        let fault =
            EngineFault { entrant: 0, name: "crashed".to_owned(), words: evil(), transcript: vec![evil()] };
        Store::create(&path, &run).unwrap().save_fault(&fault).unwrap();
        let mut view = RunView::new(&path);
        view.update();
        let faults: serde_json::Value = serde_json::from_str(&view.faults().unwrap()).unwrap();
        let shown = "\\u{1b}[2J\\u{202e}";
        assert_eq!(faults["faults"][0]["words"], shown);
        assert_eq!(faults["faults"][0]["transcript"][0], shown);
    }
}
