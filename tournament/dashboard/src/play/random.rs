//! Random choices for a new game.

use smalt_workbench::engine_files::random_hexadecimal;

/// A random number below a small `count`; 0 if the system has no random numbers.
pub(super) fn below(count: u16) -> u16 {
    let random = random_hexadecimal(4).ok().and_then(|digits| u32::from_str_radix(&digits, 16).ok());
    // The modulo bias is below one in four million.
    (random.unwrap_or(0) % u32::from(count)) as u16
}
