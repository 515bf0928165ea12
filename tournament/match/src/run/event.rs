//! What happens in a run: the closed list of what the coordinator hears, and of what it tells displays.

use std::fmt;

use smalt_driver::process::ProcessIdentity;

use crate::game::{EngineFault, GameRecord, MachineReport};
use crate::schedule::ScheduledGame;
use crate::standings::Standings;

/// What the coordinator hears.
#[derive(Debug)]
pub enum Event {
    /// An engine runs and has introduced itself.
    EngineStarted {
        /// An index of the plan's entrants.
        entrant: usize,
        /// Its process.
        process: ProcessIdentity,
        /// What it calls itself.
        name: String,
        /// Its author.
        author: String,
    },
    /// An engine's process has ended.
    EngineExited {
        /// The process.
        process: ProcessIdentity,
    },
    /// An engine did wrong outside of a game.
    EngineFault(EngineFault),
    /// An engine did wrong outside of a game, as another machine says: noted, but no reason to end anything.
    RemoteFault(EngineFault),
    /// An engine plays, but not quite as its entrant says.
    EngineWarning {
        /// An index of the plan's entrants.
        entrant: usize,
        /// What is not so, in words that fit after its name.
        words: String,
    },
    /// An engine could not be started, again and again: it is out.
    Disqualified {
        /// An index of the plan's entrants.
        entrant: usize,
        /// Why.
        disqualification: Disqualification,
    },
    /// A game begins.
    GameStarted(ScheduledGame),
    /// A game ended by itself.
    GameFinished(Box<GameRecord>),
    /// A game was not played to its end, or not at all.
    GameAbandoned(ScheduledGame),
    /// The system failed us in a game.
    SystemFailed {
        /// Why.
        words: String,
    },
    /// A machine plays for the run from now on.
    MachineJoined(Box<MachineReport>),
    /// A machine has played its first game: what it says of itself is stored.
    MachineVerified(Box<MachineReport>),
    /// Something that users should know.
    Notice {
        /// What.
        words: String,
    },
    /// A worker has done what it was given.
    WorkDone {
        /// Which one.
        worker: usize,
        /// The pair that it was.
        pair: u32,
    },
    /// A worker has left.
    WorkerEnded {
        /// Which one.
        worker: usize,
    },
    /// The run shall stop.
    Stop(StopReason),
    /// The run shall stop at once, whoever has not left yet.
    Kill,
}

/// Why a run stops before its end; the later in this list the stronger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopReason {
    /// The sequential test is decided.
    Decided,
    /// An engine did wrong, and the plan says that this stops the run.
    Fault(String),
    /// The user asked for it.
    User,
    /// The system or the store failed us.
    Failed(String),
}

/// Why an entrant plays no more. Its words fit after the entrant's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disqualification {
    /// It failed to start so many times running; once where a further try would have ended no better.
    Starts {
        /// How many times.
        times: usize,
        /// What went wrong the last time, in words that fit after its name.
        words: String,
    },
    /// It has had as many faults as the plan allows.
    Faults(u32),
}

impl fmt::Display for Disqualification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disqualification::Starts { times: 1, words } => write!(f, "could not be started (it {words})"),
            Disqualification::Starts { times, words } => {
                write!(f, "failed to start {times} times running (it {words})")
            }
            Disqualification::Faults(faults) => write!(f, "had {faults} faults, as many as the plan allows"),
        }
    }
}

/// What displays are told.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// The run begins, or goes on.
    Begun,
    /// A game begins.
    GameStarted(&'a ScheduledGame),
    /// A game ended, and is stored.
    GameFinished(&'a GameRecord),
    /// An engine did wrong outside of a game.
    EngineFault(&'a EngineFault),
    /// An engine plays, but not quite as its entrant says; each such thing is told once.
    EngineWarning {
        /// An index of the plan's entrants.
        entrant: usize,
        /// What is not so, in words that fit after its name.
        words: &'a str,
    },
    /// A machine plays for the run from now on.
    MachineJoined(&'a MachineReport),
    /// Something that users should know.
    Notice(&'a str),
    /// An engine is out.
    Disqualified {
        /// An index of the plan's entrants.
        entrant: usize,
        /// Why.
        disqualification: &'a Disqualification,
    },
    /// The run stops early; games being played are given up.
    Stopping(&'a StopReason),
    /// All is over.
    Ended,
}

/// A display.
pub trait RunObserver {
    /// Something happened; these are the standings after it.
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings);
}
