//! Plays a plan. The coordinator owns the state of a run and handles [`Event`]s one after the other; slots
//! play games, each on a thread that owns its engines. Observers see [`RunEvent`]s and decide nothing.

pub mod binaries;
pub mod calibration;
pub mod coordinator;
mod done;
pub mod engine_check;
pub mod engine_command;
pub mod event;
mod local;
mod log;
mod observer;
mod processors;
mod queue;
pub mod slot;
mod slot_config;

pub use coordinator::{Coordinator, RunError, RunOutcome};
pub use event::{Disqualification, Event, RejectedOption, RunEvent, RunObserver, StopReason};
pub use local::LocalWorkers;
pub use processors::{AffinityError, Processors};
pub use queue::{OpenedGame, Queue, Work};
