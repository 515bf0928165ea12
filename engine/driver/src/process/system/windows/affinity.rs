//! Which processors a thread, and the engines that it starts, may run on: the first 64, a bit each.

use std::cell::Cell;
use std::io;

use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, SetThreadAffinityMask,
};

thread_local! {
    /// The processors that this thread was bound to: children do not inherit them.
    static BOUND: Cell<Option<usize>> = const { Cell::new(None) };
}

/// The processors that this thread may run on, as the system numbers them.
///
/// # Errors
/// When the system refuses.
pub fn own_processors() -> io::Result<Vec<usize>> {
    let mask = match BOUND.get() {
        Some(mask) => mask,
        None => own_process_mask()?,
    };
    Ok((0..usize::BITS as usize).filter(|processor| mask >> processor & 1 == 1).collect())
}

/// Binds this thread to these processors, and with it every engine that it starts from now on whose own command does
/// not say otherwise.
///
/// # Errors
/// When these processors do not exist, or are not ours to use.
pub fn bind_this_thread(processors: &[usize]) -> io::Result<()> {
    let mask = mask(processors).ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: The handle of the present thread is always valid.
    #[expect(unsafe_code, reason = "the system's interface")]
    let before = unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) };
    if before == 0 {
        return Err(io::Error::last_os_error());
    }
    BOUND.set(Some(mask));
    Ok(())
}

/// The mask for a child of this thread whose command names these processors; `Err` if they do not exist.
pub(super) fn mask_of_child(processors: &[usize]) -> Result<Option<usize>, ()> {
    if processors.is_empty() { Ok(BOUND.get()) } else { mask(processors).map(Some).ok_or(()) }
}

/// `None` if a number is out of range, or none is given.
fn mask(processors: &[usize]) -> Option<usize> {
    let bit = |&processor: &usize| 1_usize.checked_shl(u32::try_from(processor).ok()?);
    let mask = processors.iter().try_fold(0, |mask, processor| Some(mask | bit(processor)?))?;
    (mask != 0).then_some(mask)
}

fn own_process_mask() -> io::Result<usize> {
    let (mut process, mut system) = (0, 0);
    // SAFETY: Both masks are ours, and the handle of the present process is always valid.
    #[expect(unsafe_code, reason = "the system's interface")]
    let is_known =
        unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut process, &raw mut system) } != 0;
    if is_known { Ok(process) } else { Err(io::Error::last_os_error()) }
}
