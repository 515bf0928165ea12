//! Memory use of a process, from proc(5).

use std::fs;

/// Peak memory of a process in bytes, without its children; `None` after its exit.
pub fn peak_memory_bytes(pid: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_used_once_stays_counted() {
        let block = vec![1_u8; 8 << 20];
        assert!(block.iter().all(|&byte| byte == 1));
        drop(block);
        assert!(peak_memory_bytes(std::process::id()).unwrap() > 8 << 20);
        assert_eq!(peak_memory_bytes(u32::MAX), None);
    }
}
