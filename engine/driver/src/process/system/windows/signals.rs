//! Ctrl-C and the other events of a console that ask a program to end.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use super::super::StopRequest;

/// The system ends the program when the handler of a closed console returns, or five seconds later.
const CLOSING: Duration = Duration::from_secs(5);

static LISTENERS: Mutex<Vec<Sender<()>>> = Mutex::new(Vec::new());

/// The requests to end that this program gets: Ctrl-C, Ctrl-Break, a closed console, the end of the session.
#[derive(Debug)]
pub struct StopSignals(Receiver<()>);

impl StopSignals {
    /// Catches them from now on.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn catch() -> io::Result<StopSignals> {
        let (sender, receiver) = channel();
        LISTENERS.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        // SAFETY: The handler lives as long as the program. Adding it twice makes it run twice, which asks for the second
        // stop at once, so it is removed first.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_set = unsafe {
            SetConsoleCtrlHandler(Some(handle), 0);
            SetConsoleCtrlHandler(Some(handle), 1)
        };
        if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(StopSignals(receiver)) }
    }

    /// Waits for the next one.
    pub fn wait(&mut self) -> StopRequest {
        let _ = self.0.recv();
        StopRequest::Interrupt
    }
}

/// Runs on a thread of the system.
extern "system" fn handle(event: u32) -> BOOL {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|listener| listener.send(()).is_ok());
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        thread::sleep(CLOSING);
    }
    1
}
