//! Ctrl-C and the other requests to end: the first asks the coordinator to stop, the second ends the program.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use smalt_driver::process::{StopRequest, StopSignals};
use smalt_match::run::{Event, StopReason};

use super::exit::Exit;

/// Whether the last request to end was SIGTERM.
static IS_TERMINATED: AtomicBool = AtomicBool::new(false);

/// The exit code; an interruption by SIGTERM has its own.
pub(super) fn code(exit: Exit) -> ExitCode {
    let is_terminated = exit == Exit::Interrupted && IS_TERMINATED.load(Ordering::Relaxed);
    if is_terminated { Exit::Terminated.into() } else { exit.into() }
}

/// How long the coordinator may take to end everything after the second request.
const LAST_CHANCE: Duration = Duration::from_millis(500);

/// Sends requests to end to the coordinator from now on.
pub(super) fn listen(events: Sender<Event>) -> std::io::Result<()> {
    // A file that grows beyond a limit shall be an error of its write, which stops the run resumable.
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Default::default())?;
    let mut signals = StopSignals::catch()?;
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for event in [Event::Stop(StopReason::User), Event::Kill] {
            IS_TERMINATED.store(signals.wait() == StopRequest::Terminate, Ordering::Relaxed);
            let _ = events.send(event);
        }
        thread::sleep(LAST_CHANCE);
        // Engines die with the threads that started them.
        std::process::exit(130);
    })?;
    Ok(())
}
