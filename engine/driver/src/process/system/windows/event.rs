//! Manual-reset event: once set, every wait for it returns until it is reset.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::ptr;
use std::time::Duration;

use windows_sys::Win32::Foundation::WAIT_OBJECT_0;
use windows_sys::Win32::System::Threading::{CreateEventW, ResetEvent, SetEvent, WaitForSingleObject};

#[derive(Debug)]
pub(in crate::process) struct WakeEvent(OwnedHandle);

impl WakeEvent {
    pub(in crate::process) fn new() -> io::Result<WakeEvent> {
        // SAFETY: The event has no name and no attributes; we own the handle if it is not null.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            let handle = CreateEventW(ptr::null(), 1, 0, ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            Ok(WakeEvent(OwnedHandle::from_raw_handle(handle)))
        }
    }

    pub(in crate::process) fn set(&self) {
        // SAFETY: The handle is open.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            SetEvent(self.0.as_raw_handle());
        }
    }

    pub(super) fn reset(&self) {
        // SAFETY: The handle is open.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            ResetEvent(self.0.as_raw_handle());
        }
    }

    /// Waits until it is set or the timeout expires; returns whether it is set.
    pub(in crate::process) fn wait(&self, time: Duration) -> bool {
        let ms = u32::try_from(time.as_millis()).unwrap_or(u32::MAX);
        // SAFETY: The handle is open.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            WaitForSingleObject(self.0.as_raw_handle(), ms) == WAIT_OBJECT_0
        }
    }

    pub(super) fn handle(&self) -> RawHandle {
        self.0.as_raw_handle()
    }
}
