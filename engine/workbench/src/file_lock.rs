//! Advisory file locks between programs: a program that does not lock may read and write. The system releases a lock
//! when its process exits.

use std::fs::{File, TryLockError};
use std::time::Duration;
use std::{io, thread};

/// Attempts of [`lock_soon`], and the pause between them.
const TRIES: u32 = 10;
const PAUSE: Duration = Duration::from_millis(20);

/// Takes an exclusive lock.
///
/// # Errors
/// If the file is locked, or its file system has no locks.
pub fn try_lock(file: &File) -> Result<(), TryLockError> {
    system::try_lock(file)
}

/// Takes an exclusive lock that others may hold for a moment: a program that only looks whether it is free, or a process that
/// was just started, which holds a copy of every open file until its program begins.
///
/// # Errors
/// If the file stays locked, or its file system has no locks.
pub fn lock_soon(file: &File) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match try_lock(file) {
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            result => return result,
        }
    }
    try_lock(file)
}

/// Takes a shared lock.
///
/// # Errors
/// As [`try_lock`].
pub fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    system::try_lock_shared(file)
}

/// Takes an exclusive lock; waits until it is free.
///
/// # Errors
/// If the file system has no locks.
pub fn lock(file: &File) -> io::Result<()> {
    system::lock(file)
}

/// Releases the lock.
///
/// # Errors
/// If the system call fails.
pub fn unlock(file: &File) -> io::Result<()> {
    system::unlock(file)
}

#[cfg(unix)]
mod system {
    use std::fs::{File, TryLockError};
    use std::io;

    pub(super) fn try_lock(file: &File) -> Result<(), TryLockError> {
        file.try_lock()
    }

    pub(super) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
        file.try_lock_shared()
    }

    pub(super) fn lock(file: &File) -> io::Result<()> {
        file.lock()
    }

    pub(super) fn unlock(file: &File) -> io::Result<()> {
        file.unlock()
    }
}

/// On Windows a locked range cannot be accessed through other handles. Therefore a single byte far beyond the end of
/// the file is locked, as in SQLite.
#[cfg(windows)]
mod system {
    use std::fs::{File, TryLockError};
    use std::io;
    use std::os::windows::io::AsRawHandle;

    use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
    use windows_sys::Win32::Storage::FileSystem::{
        LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
    };
    use windows_sys::Win32::System::IO::OVERLAPPED;

    /// The upper half of the position of that byte.
    const POSITION: u32 = 0x7FFF_FFFF;

    pub(super) fn try_lock(file: &File) -> Result<(), TryLockError> {
        call(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY)
    }

    pub(super) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
        call(file, LOCKFILE_FAIL_IMMEDIATELY)
    }

    pub(super) fn lock(file: &File) -> io::Result<()> {
        call(file, LOCKFILE_EXCLUSIVE_LOCK).map_err(io::Error::from)
    }

    pub(super) fn unlock(file: &File) -> io::Result<()> {
        let mut place = place();
        // SAFETY: the handle is open, and the struct lives during the call.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_done = unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut place) } != 0;
        if is_done { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn call(file: &File, flags: u32) -> Result<(), TryLockError> {
        let mut place = place();
        // SAFETY: as in `unlock`; the handle is not overlapped, so the call has completed when it returns.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_done = unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut place) } != 0;
        if is_done {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error().map(i32::cast_unsigned) {
            Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Err(TryLockError::WouldBlock),
            _ => Err(TryLockError::Error(error)),
        }
    }

    fn place() -> OVERLAPPED {
        let mut place = OVERLAPPED::default();
        place.Anonymous.Anonymous.OffsetHigh = POSITION;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_file_can_be_read_and_written_by_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let one = File::create(&path).unwrap();
        let other = File::options().read(true).write(true).open(&path).unwrap();
        try_lock(&one).unwrap();
        assert!(matches!(try_lock_shared(&other), Err(TryLockError::WouldBlock)));
        std::fs::write(&path, "text").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        unlock(&one).unwrap();
        try_lock_shared(&other).unwrap();
        assert!(matches!(try_lock(&one), Err(TryLockError::WouldBlock)));
        try_lock_shared(&one).unwrap();
        std::fs::write(&path, "more").unwrap();
    }
}
