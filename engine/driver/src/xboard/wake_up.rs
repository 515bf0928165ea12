//! Lines that wake an engine which sends nothing at the start: GNU Chess 6 can block over its first lines until others
//! come. One of its threads waits for the lock of standard input, which another holds while it reads a line; each
//! further line is a small chance to get it. When it does, it drops what the other thread had read ahead, which may be
//! the command.

use std::time::Duration;

/// Time without a line before wake-up lines are sent.
const WAKE_UP_AFTER: Duration = Duration::from_millis(50);

/// Many chances in one write. Of starts with `--xboard`, four at once on two idle cores, all 100 sent their features
/// within 0.9 s with 64 empty lines. With single lines for a second and the command each second after that, 7 of 40
/// were silent for 10 s.
const EMPTY_LINES: [u8; 64] = [b'\n'; 64];

/// Every fifth time `protover` is sent again instead.
const ASK_AGAIN_EVERY: u32 = 5;

/// After this number the pauses are longer: all lines must fit into the buffer of GNU Chess, which may still be
/// blocked.
const QUICK_WAKE_UPS: u32 = 20;
const SLOW_WAKE_UP_AFTER: Duration = Duration::from_millis(250);

/// Pauses, each with the lines to send if no feature arrived during it.
pub fn xboard_wake_up_lines() -> impl Iterator<Item = (Duration, &'static [u8])> {
    (1_u32..).map(|number| {
        let silence = if number <= QUICK_WAKE_UPS { WAKE_UP_AFTER } else { SLOW_WAKE_UP_AFTER };
        let lines =
            if number.is_multiple_of(ASK_AGAIN_EVERY) { b"protover 2\n".as_slice() } else { &EMPTY_LINES };
        (silence, lines)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xboard::FEATURE_TIMEOUT;

    #[test]
    fn all_wake_up_lines_of_a_start_fit_into_the_buffer_of_gnu_chess_and_ask_again() {
        let mut passed = Duration::ZERO;
        let sent: Vec<&[u8]> = xboard_wake_up_lines()
            .take_while(|(silence, _)| {
                passed += *silence;
                passed <= FEATURE_TIMEOUT
            })
            .map(|(_, lines)| lines)
            .collect();
        // What GNU Chess 6.2 can buffer, including its terminator.
        assert!(sent.iter().map(|lines| lines.len()).sum::<usize>() < 4096);
        let questions = sent.iter().filter(|lines| lines.starts_with(b"protover")).count();
        assert_eq!((sent.len(), questions), (36, 7));
    }
}
