//! Ctrl-C and the other console events that request a program to exit.

use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT, SetConsoleCtrlHandler};
use windows_sys::core::BOOL;

use super::super::StopRequest;

/// Windows kills the program when the handler of a closed console returns, or after five seconds.
const CLOSING: Duration = Duration::from_secs(5);

static LISTENERS: Mutex<Vec<Sender<()>>> = Mutex::new(Vec::new());

/// Requests to exit: Ctrl-C, Ctrl-Break, closed console, end of session.
#[derive(Debug)]
pub struct StopSignals(Receiver<()>);

impl StopSignals {
    /// Installs the console handler.
    ///
    /// # Errors
    /// If the handler cannot be installed.
    pub fn catch() -> io::Result<StopSignals> {
        let (sender, receiver) = channel();
        LISTENERS.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        // SAFETY: The handler lives as long as the program. A handler added twice runs twice per event, which would count
        // as two stop requests, so it is removed first.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_set = unsafe {
            SetConsoleCtrlHandler(Some(handle), 0);
            SetConsoleCtrlHandler(Some(handle), 1)
        };
        if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(StopSignals(receiver)) }
    }

    /// Waits for the next request.
    pub fn wait(&mut self) -> StopRequest {
        let _ = self.0.recv();
        StopRequest::Interrupt
    }
}

/// Runs on a thread created by Windows.
extern "system" fn handle(event: u32) -> BOOL {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|listener| listener.send(()).is_ok());
    if !matches!(event, CTRL_C_EVENT | CTRL_BREAK_EVENT) {
        thread::sleep(CLOSING);
    }
    1
}
