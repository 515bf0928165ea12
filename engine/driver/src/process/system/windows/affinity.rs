//! CPU affinity of a thread and the engines that it starts: a mask of the first 64 processors.

use std::cell::Cell;
use std::io;

use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, SetThreadAffinityMask,
};

thread_local! {
    /// Affinity mask of this thread; children do not inherit it.
    static BOUND: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Numbers of the processors that this thread may run on.
///
/// # Errors
/// If the system call fails.
pub fn own_processors() -> io::Result<Vec<usize>> {
    let mask = match BOUND.get() {
        Some(mask) => mask,
        None => own_process_mask()?,
    };
    Ok((0..usize::BITS as usize).filter(|processor| mask >> processor & 1 == 1).collect())
}

/// Binds this thread to these processors, and every engine that it starts afterwards, unless the engine's command sets
/// its affinity.
///
/// # Errors
/// If a processor does not exist or this program may not use it.
pub fn bind_this_thread(processors: &[usize]) -> io::Result<()> {
    let mask = mask(processors).ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: The handle of the current thread is always valid.
    #[expect(unsafe_code, reason = "the system's interface")]
    let before = unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) };
    if before == 0 {
        return Err(io::Error::last_os_error());
    }
    BOUND.set(Some(mask));
    Ok(())
}

/// Affinity mask of a child of this thread whose command names these processors; `Err` if one does not exist.
pub(super) fn mask_of_child(processors: &[usize]) -> Result<Option<usize>, ()> {
    if processors.is_empty() { Ok(BOUND.get()) } else { mask(processors).map(Some).ok_or(()) }
}

/// `None` for an empty list or a number out of range.
fn mask(processors: &[usize]) -> Option<usize> {
    let bit = |&processor: &usize| 1_usize.checked_shl(u32::try_from(processor).ok()?);
    let mask = processors.iter().try_fold(0, |mask, processor| Some(mask | bit(processor)?))?;
    (mask != 0).then_some(mask)
}

fn own_process_mask() -> io::Result<usize> {
    let (mut process, mut system) = (0, 0);
    // SAFETY: Both masks are locals, and the handle of the current process is always valid.
    #[expect(unsafe_code, reason = "the system's interface")]
    let is_known =
        unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut system) } != 0;
    if is_known { Ok(process) } else { Err(io::Error::last_os_error()) }
}
