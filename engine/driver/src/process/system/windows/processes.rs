//! Start time and peak memory of a process.

use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION,
};

/// Start time of a process in units of 100 ns since 1601; the session is always 0.
pub(in crate::process) fn identify(pid: u32) -> Option<(u64, u32)> {
    let process = open(pid)?;
    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let (mut created, mut exited, mut kernel, mut user) = (zero, zero, zero, zero);
    // SAFETY: The handle is open, and the four times are locals.
    #[expect(unsafe_code, reason = "the system's interface")]
    let is_known = unsafe {
        GetProcessTimes(
            process.as_raw_handle(),
            &raw mut created,
            &raw mut exited,
            &raw mut kernel,
            &raw mut user,
        )
    } != 0;
    is_known.then_some((u64::from(created.dwHighDateTime) << 32 | u64::from(created.dwLowDateTime), 0))
}

/// Peak memory of a process in bytes; `None` after its exit.
pub fn peak_memory_bytes(pid: u32) -> Option<u64> {
    let process = open(pid)?;
    // SAFETY: The handle is open; the structure may be all zeros, and its size is passed.
    #[expect(unsafe_code, reason = "the system's interface")]
    let peak = unsafe {
        let mut counters: PROCESS_MEMORY_COUNTERS = std::mem::zeroed();
        let size = u32::try_from(size_of_val(&counters)).unwrap_or(0);
        let is_known = K32GetProcessMemoryInfo(process.as_raw_handle(), &raw mut counters, size) != 0;
        is_known.then_some(counters.PeakWorkingSetSize)
    };
    peak.and_then(|bytes| u64::try_from(bytes).ok())
}

fn open(pid: u32) -> Option<OwnedHandle> {
    // SAFETY: We own the handle if it is not null.
    #[expect(unsafe_code, reason = "the system's interface")]
    unsafe {
        let handle = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
        (!handle.is_null()).then(|| OwnedHandle::from_raw_handle(handle))
    }
}
