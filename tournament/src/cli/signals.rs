//! Requests to end for the coordinator of a run: the first asks it to stop, the second ends the program.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use smalt_match::run::{Event, StopReason};

/// How long the coordinator may take to end everything after the second request.
const LAST_CHANCE: Duration = Duration::from_millis(500);

/// Sends requests to end to the coordinator from now on.
pub(super) fn listen(events: Sender<Event>) -> std::io::Result<()> {
    // A file that grows beyond a limit shall be an error of its write, which stops the run resumable.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default())?;
    let kills = events.clone();
    let stop = move || drop(events.send(Event::Stop(StopReason::User)));
    let kill = move || {
        let _ = kills.send(Event::Kill);
        thread::sleep(LAST_CHANCE);
    };
    smalt_workbench::signals::handle(stop, kill)
}
