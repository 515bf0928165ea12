//! Ctrl-C and other signals: the first stops the run, the second ends the program.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use smalt_match::run::{Event, StopReason};

/// Time for the coordinator to end everything after the second signal.
const LAST_CHANCE: Duration = Duration::from_millis(500);

/// Sends stop requests to the coordinator from now on.
pub(super) fn listen(events: Sender<Event>) -> std::io::Result<()> {
    let kills = events.clone();
    let stop = move || drop(events.send(Event::Stop(StopReason::User)));
    let kill = move || {
        let _ = kills.send(Event::Kill);
        thread::sleep(LAST_CHANCE);
    };
    smalt_workbench::signals::handle(stop, kill)
}
