//! Events of a run: those sent to the coordinator, and those reported to observers.

use std::fmt;

use smalt_driver::process::ProcessIdentity;
use smalt_protocol::OptionDeclaration;

use super::control::ControlRequest;
use crate::game::{EngineFault, GameRecord, GameWarning, MachineReport};
use crate::schedule::ScheduledGame;
use crate::standings::{Standings, report};

/// An event sent to the coordinator.
#[derive(Debug)]
pub enum Event {
    /// An engine has started and identified itself.
    EngineStarted {
        /// An index of the plan's entrants.
        entrant: usize,
        process: ProcessIdentity,
        name: String,
        author: String,
        options: Vec<OptionDeclaration>,
    },
    /// An engine's process has ended.
    EngineExited {
        process: ProcessIdentity,
    },
    /// A fault outside of a game.
    EngineFault(EngineFault),
    /// A fault outside a game on a remote worker: stored only.
    RemoteFault(EngineFault),
    /// A warning: an engine plays with other settings than its entrant's.
    EngineWarning {
        /// An index of the plan's entrants.
        entrant: usize,
        /// Description that follows its name.
        words: String,
    },
    /// An engine plays without an option of its entrant, as the plan allows.
    OptionRejected {
        /// An index of the plan's entrants.
        entrant: usize,
        rejected: RejectedOption,
    },
    /// The output of a search is invalid or inconsistent.
    SearchWarning {
        /// Entrant, as an index into the plan's list.
        entrant: usize,
        game: ScheduledGame,
        warning: Box<GameWarning>,
    },
    /// An engine repeatedly failed to start: it is disqualified.
    Disqualified {
        /// An index of the plan's entrants.
        entrant: usize,
        disqualification: Disqualification,
    },
    GameStarted(ScheduledGame),
    /// A game was finished.
    GameFinished(Box<GameRecord>),
    /// A game was abandoned.
    GameAbandoned(ScheduledGame),
    /// A system failure during a game.
    SystemFailed {
        words: String,
    },
    /// A remote machine joined the run.
    MachineJoined(Box<MachineReport>),
    /// A remote machine finished its first game: its data is stored.
    MachineVerified(Box<MachineReport>),
    /// A message to users.
    Notice {
        words: String,
    },
    /// A worker has finished its work.
    WorkDone {
        /// Index of the worker.
        worker: usize,
        pair: u32,
    },
    /// A worker has ended.
    WorkerEnded {
        /// Index of the worker.
        worker: usize,
    },
    Control(ControlRequest),
    Stop(StopReason),
    /// Stop the run at once, without waiting for workers.
    Kill,
}

/// An option that an engine lacks, or whose value it rejects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedOption {
    pub name: String,
    /// The value, if the engine has the option.
    pub value: Option<String>,
    /// Reason, in words that fit after the engine's name.
    pub words: String,
}

/// Why a run stops early; later variants are stronger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopReason {
    /// The sequential test is decided.
    Decided,
    /// A fault that stops the run by the plan's policy.
    Fault(String),
    /// Stopped by the user.
    User,
    /// A failure of the system or the store.
    Failed(String),
}

/// Why an entrant is disqualified. The text follows the entrant's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disqualification {
    /// It repeatedly failed to start (once where a retry is pointless).
    Starts {
        times: usize,
        /// Reason of the last failure, which follows its name.
        words: String,
    },
    Faults(u32),
    /// The user withdrew it.
    Withdrawn,
}

impl fmt::Display for Disqualification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disqualification::Starts { times: 1, words } => write!(f, "could not be started (it {words})"),
            Disqualification::Starts { times, words } => {
                write!(f, "failed to start {times} times running (it {words})")
            }
            Disqualification::Withdrawn => f.write_str(report::WITHDRAWN),
            Disqualification::Faults(faults) => write!(f, "had {faults} faults, as many as the plan allows"),
        }
    }
}

/// An event reported to observers.
#[derive(Debug)]
pub enum RunEvent<'a> {
    /// The run starts or resumes.
    Begun,
    /// An engine has started.
    EngineStarted {
        /// An index of the plan's entrants.
        entrant: usize,
        options: &'a [OptionDeclaration],
    },
    GameStarted(&'a ScheduledGame),
    /// A game is finished and stored.
    GameFinished(&'a GameRecord),
    /// A fault outside of a game.
    EngineFault(&'a EngineFault),
    /// A warning, reported once: an engine plays with other settings than its entrant's.
    EngineWarning {
        /// An index of the plan's entrants.
        entrant: usize,
        /// Description that follows its name.
        words: &'a str,
    },
    /// An engine plays without an option of its entrant; reported once per option.
    OptionRejected {
        /// An index of the plan's entrants.
        entrant: usize,
        rejected: &'a RejectedOption,
    },
    /// The output of a search is invalid or inconsistent.
    SearchWarning {
        /// Whose engine: an index of the plan's entrants.
        entrant: usize,
        game: &'a ScheduledGame,
        warning: &'a GameWarning,
    },
    /// A remote machine joined the run.
    MachineJoined(&'a MachineReport),
    /// A message to users.
    Notice(&'a str),
    /// An entrant is disqualified.
    Disqualified {
        /// An index of the plan's entrants.
        entrant: usize,
        disqualification: &'a Disqualification,
    },
    /// The run stops early; games in progress are abandoned.
    Stopping(&'a StopReason),
    /// The run has ended.
    Ended,
}

pub trait RunObserver {
    /// Called after each event with the standings.
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings);
}
