//! Plays a plan. The coordinator owns the state of a run and handles [`Event`]s one at a time; slots play games, each
//! on a thread that owns its engines. Observers receive [`RunEvent`]s.

mod binaries;
mod calibration;
mod control;
mod coordinator;
mod done;
mod engine_check;
mod engine_command;
mod event;
mod local;
mod log;
mod observer;
mod processors;
mod queue;
mod slot;
mod slot_config;

pub use binaries::Binaries;
pub use calibration::measure_speed;
pub use control::{ControlCommand, ControlError, ControlListener};
pub use coordinator::{Coordinator, RunEnd, RunError, RunOutcome, SessionState, UnbuiltEntrant};
pub use engine_check::{UnfitEngine, check_engines, check_start};
pub use engine_command::{engine_command, engine_timeouts};
pub use event::{Disqualification, Event, RejectedOption, RunEvent, RunObserver, StopReason};
pub use local::LocalWorkers;
pub use processors::{AffinityError, Processors};
pub use queue::{OpenedGame, Queue, Work};
pub use slot_config::SlotConfig;
