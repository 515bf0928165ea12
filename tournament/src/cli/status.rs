//! How far a run is, how fast it goes, and what engines did wrong. Changes nothing; the run may go on meanwhile.

use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use smalt_report::format;

use super::arguments::StatusFlags;
use super::exit::{Exit, Refusal};
use super::output::{is_standard_output, print, write_json};
use super::play::refuse_store;
use super::view::{count, printable};
use crate::calendar::Moment;
use crate::standings::{Standings, report};
use crate::store::{Fault, Session, Store};

/// How many faults are told unless all are asked for.
const FAULTS_TOLD: usize = 20;

/// What a run is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// A runner has the store.
    Running,
    /// The sequential test is decided.
    Decided,
    /// Every game was played.
    Finished,
    /// There are games to be played, and nobody plays them.
    Stopped,
}

impl State {
    /// Of the run in this store, with these games.
    pub(super) fn of(path: &Path, standings: &Standings) -> State {
        if Store::is_in_use(path) {
            State::Running
        } else if standings.test().is_some_and(|test| test.verdict != smalt_stats::Verdict::Continue) {
            State::Decided
        } else if standings.games_finished() >= u64::from(standings.games_planned()) {
            State::Finished
        } else {
            State::Stopped
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(match self {
            State::Running => "running",
            State::Decided => "decided",
            State::Finished => "finished",
            State::Stopped => "stopped",
        })
    }
}

/// How fast the latest session was, or is.
#[derive(Clone, Copy, Debug)]
struct Speed {
    games_per_hour: f64,
    left: Duration,
}

impl Speed {
    fn of(session: &Session, state: State, standings: &Standings) -> Option<Speed> {
        let seconds = session.length(SystemTime::now(), state == State::Running).as_secs_f64();
        if session.games == 0 || seconds <= 0.0 {
            return None;
        }
        let missing = u64::from(standings.games_planned()).saturating_sub(standings.games_finished());
        let each = seconds / f64::from(session.games);
        let left = Duration::try_from_secs_f64(missing as f64 * each).unwrap_or(Duration::MAX);
        Some(Speed { games_per_hour: 3600.0 / each, left })
    }
}

/// The same for scripts.
#[derive(Serialize)]
struct StatusJson<'a> {
    state: State,
    pid: Option<u32>,
    games_finished: u64,
    games_planned: u32,
    games_per_hour: Option<f64>,
    seconds_left: Option<f64>,
    faults: Vec<FaultJson<'a>>,
}

#[derive(Serialize)]
struct FaultJson<'a> {
    game: Option<u32>,
    engine: &'a str,
    name: &'a str,
    words: &'a str,
}

/// Tells how far a run is.
pub(super) fn status(flags: &StatusFlags) -> Result<Exit, Refusal> {
    let path = &flags.store;
    let store = Store::read(path).map_err(refuse_store)?;
    let standings = count(&store)?;
    let state = State::of(path, &standings);
    let session = store.latest_session().map_err(refuse_store)?;
    let speed = session.and_then(|session| Speed::of(&session, state, &standings));
    let mut faults = Vec::new();
    store.for_each_fault(|fault| faults.push(fault)).map_err(refuse_store)?;
    if let Some(file) = &flags.json {
        let pid = session.filter(|_| state == State::Running).map(|session| session.pid);
        write_json(file, &to_json(state, pid, speed, &standings, &faults))?;
        if is_standard_output(file) {
            return Ok(Exit::Done);
        }
    }
    let mut text = format!(
        "{} of {} games, {}\n",
        standings.games_finished(),
        standings.games_planned(),
        state_in_words(state, session.as_ref(), path)
    );
    text.push_str(&speed_in_words(speed, state));
    for (entrant, own_name) in store.engines().map_err(refuse_store)? {
        text.push_str(&format!("  {}: {own_name}\n", name(&standings, entrant)));
    }
    text.push_str(&report::endings(&standings));
    text.push_str(&faults_in_words(&faults, &standings, flags));
    print(&printable(&text))?;
    Ok(Exit::Done)
}

fn name(standings: &Standings, entrant: usize) -> &str {
    standings.entrants().get(entrant).map_or("?", |tally| tally.name.as_str())
}

fn to_json<'a>(
    state: State,
    pid: Option<u32>,
    speed: Option<Speed>,
    standings: &'a Standings,
    faults: &'a [Fault],
) -> StatusJson<'a> {
    let fault = |Fault { game, fault }: &'a Fault| FaultJson {
        game: game.map(|number| number + 1),
        engine: name(standings, fault.entrant),
        name: &fault.name,
        words: &fault.words,
    };
    StatusJson {
        state,
        pid,
        games_finished: standings.games_finished(),
        games_planned: standings.games_planned(),
        games_per_hour: speed.map(|speed| speed.games_per_hour),
        seconds_left: speed.map(|speed| speed.left.as_secs_f64()),
        faults: faults.iter().map(fault).collect(),
    }
}

fn state_in_words(state: State, session: Option<&Session>, path: &Path) -> String {
    match (state, session) {
        (State::Running, Some(session)) => format!(
            "{state} (process {}, {} at once, since {})",
            session.pid,
            session.slots,
            Moment::of(session.started).pgn_time()
        ),
        (State::Stopped, _) => {
            format!("{state}; go on with: smalt-tournament resume {}", path.display())
        }
        (state, _) => state.to_string(),
    }
}

fn speed_in_words(speed: Option<Speed>, state: State) -> String {
    let Some(speed) = speed else { return String::new() };
    let rate = format::grouped(speed.games_per_hour.round() as i64);
    match state {
        State::Running => format!("{rate} games an hour, {} left\n", format::duration(speed.left)),
        State::Stopped => {
            format!("{rate} games an hour before; that is {} for the rest\n", format::duration(speed.left))
        }
        State::Decided | State::Finished => format!("{rate} games an hour\n"),
    }
}

fn faults_in_words(faults: &[Fault], standings: &Standings, flags: &StatusFlags) -> String {
    let told = if flags.faults || flags.transcripts { faults.len() } else { faults.len().min(FAULTS_TOLD) };
    let mut text = String::new();
    for Fault { game, fault } in &faults[..told] {
        let place = game.map_or_else(|| "Between games".to_owned(), |number| format!("Game {}", number + 1));
        text.push_str(&format!("{place}: {} {}\n", name(standings, fault.entrant), fault.words));
        if flags.transcripts {
            fault.transcript.iter().for_each(|line| text.push_str(&format!("    {line}\n")));
        }
    }
    if told < faults.len() {
        text.push_str(&format!("and {} more: --faults\n", faults.len() - told));
    }
    text
}
