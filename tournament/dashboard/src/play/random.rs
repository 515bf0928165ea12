//! Random choices for a new game.

/// A random number below a small `count`; 0 if the system has no random numbers.
pub(super) fn below(count: u16) -> u16 {
    let mut bytes = [0; 4];
    if getrandom::fill(&mut bytes).is_err() {
        return 0;
    }
    // The modulo bias is below one in four million.
    (u32::from_le_bytes(bytes) % u32::from(count)) as u16
}
