//! `ctl`: controls a run in progress from another terminal.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;

use clap::{Args, Subcommand};

use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::refuse_slots;
use super::output::inform;
use super::play::{read_run, refuse_store};
use super::view::place_of;
use smalt_match::run::{ControlCommand, ControlListener, Event};
use smalt_match::store::Store;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament ctl run.db pause
  smalt-tournament ctl run.db continue
  smalt-tournament ctl run.db concurrency 2
  smalt-tournament ctl run.db withdraw old-version

The run must be in progress on this machine; it takes a command within a second. It is written to RUN.db-ctl, so that anyone who may \
write there controls the run. To change a run that is not in progress, give flags to `resume`.";

/// Which run, and what it is to do.
#[derive(Args, Clone, Debug)]
pub(super) struct CtlFlags {
    /// Store of the run
    #[arg(value_name = "RUN.db")]
    store: PathBuf,
    /// What the run is to do.
    #[command(subcommand)]
    action: Action,
}

#[derive(Clone, Debug, Subcommand)]
enum Action {
    /// Start no more games; those in progress are finished
    Pause,
    /// Go on after a pause
    Continue,
    /// Play at most this number of games at the same time, up to the number with which the run was started
    Concurrency {
        /// Number of games
        games: NonZeroUsize,
    },
    /// Withdraw an engine: its games are skipped for this session
    Withdraw {
        /// Name of the engine in the run
        engine: String,
    },
}

/// Listens for the commands of this file, until the value that comes back is dropped.
pub(super) fn listen(store: &Path, events: &Sender<Event>) -> Option<ControlListener> {
    ControlListener::start(store, events.clone())
        .map_err(|error| inform(&format!("Warning: failed to listen to `ctl`: {error}")))
        .ok()
}

/// Sends a command to a run.
pub(super) fn ctl(flags: &CtlFlags) -> Result<Exit, Refusal> {
    let store = Store::read(&flags.store).map_err(refuse_store)?;
    let plan = read_run(&store)?.plan;
    let command = match &flags.action {
        Action::Pause => ControlCommand::Pause,
        Action::Continue => ControlCommand::Continue,
        Action::Concurrency { games } => {
            refuse_slots(true, plan.fleet().is_some())?;
            ControlCommand::Concurrency(games.get())
        }
        Action::Withdraw { engine } => {
            let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
            ControlCommand::Withdraw(place_of(engine, &names).or_usage()?)
        }
    };
    drop(store);
    command.send(&flags.store).or_failed()?;
    inform(&format!("{}: the run has taken it", flags.store.display()));
    Ok(Exit::Done)
}
