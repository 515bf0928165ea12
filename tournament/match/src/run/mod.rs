//! A run: a plan being played. The coordinator owns its state and hears of everything as [`Event`]s, one after the
//! other; slots play games, each a thread that owns its engines. Displays are told, and decide nothing.

pub mod binaries;
pub mod calibration;
pub mod coordinator;
mod done;
pub mod engine_check;
pub mod event;
mod local;
mod log;
mod observer;
mod processors;
mod queue;
pub mod slot;

pub use coordinator::{Coordinator, RunError, RunOutcome};
pub use event::{Disqualification, Event, RunEvent, RunObserver, StopReason};
pub use local::LocalWorkers;
pub use processors::{AffinityError, Processors};
pub use queue::{OpenedGame, Queue, Work};
