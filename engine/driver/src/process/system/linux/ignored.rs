//! Signals ignored at program start, as `nohup` and shells without job control leave them: they stay ignored and get no
//! handler.

/// The signals that are not ignored, and may get a handler.
pub(in crate::process::system) fn unignored(signals: &[i32]) -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    signals.iter().copied().filter(|&signal| !is_ignored(&status, signal)).collect()
}

/// The lowest bit of the mask is signal 1.
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linux_mask_shows_ignored_signals() {
        let status = "Name:\tx\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001003\nSigCgt:\t0\n";
        let ignored: Vec<i32> = (1..=64).filter(|&signal| is_ignored(status, signal)).collect();
        assert_eq!(ignored, [1, 2, 13]);
        assert!(!is_ignored("", 1));
    }
}
