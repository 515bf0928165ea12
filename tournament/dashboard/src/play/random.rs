//! Random choices for a new game.

/// A random number below `count`, which is small; 0 if the system gives no random numbers.
pub(super) fn below(count: u16) -> u16 {
    let mut bytes = [0; 4];
    if getrandom::fill(&mut bytes).is_err() {
        return 0;
    }
    // The bias of the remainder is below one in four million.
    (u32::from_le_bytes(bytes) % u32::from(count)) as u16
}
