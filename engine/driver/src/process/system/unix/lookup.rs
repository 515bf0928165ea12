//! Whether a file can be executed: mode bits and first bytes.

use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::process::lookup_error::LookupError;

/// Where Debian installs engines; not in the `PATH` of root and of services.
pub(in crate::process) const FALLBACK_FOLDERS: &[&str] = &["/usr/games", "/usr/local/games"];

/// The files that a path may refer to.
pub(in crate::process) fn candidates(path: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::once(path.to_path_buf())
}

/// The name of a program as users write it.
pub(in crate::process) fn bare_name(file: &str) -> &str {
    file
}

pub(in crate::process) fn is_executable(metadata: &Metadata) -> bool {
    metadata.permissions().mode() & 0o111 != 0
}

/// Checks the first bytes. If the system supports other formats (wine, qemu), the check is left to it.
pub(in crate::process) fn check_format(path: &Path) -> Result<(), LookupError> {
    let mut head = Vec::new();
    let Ok(file) = fs::File::open(path) else { return Ok(()) };
    if file.take(256).read_to_end(&mut head).is_err() {
        return Ok(());
    }
    if let Some(rest) = head.strip_prefix(b"#!") {
        let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_start();
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        let interpreter = PathBuf::from(std::ffi::OsStr::from_bytes(word));
        if interpreter.exists() {
            return Ok(());
        }
        return Err(LookupError::NoInterpreter { path: path.to_path_buf(), interpreter });
    }
    if is_native(&head) || knows_more_formats() {
        return Ok(());
    }
    Err(LookupError::ForeignFormat { path: path.to_path_buf() })
}

/// A Mach-O file, for one architecture or several.
#[cfg(target_os = "macos")]
fn is_native(head: &[u8]) -> bool {
    [[0xcf, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe]].iter().any(|magic| head.starts_with(magic))
}

/// An ELF file for our processor architecture (e_machine, byte 18 of the header; elf(5)).
#[cfg(not(target_os = "macos"))]
fn is_native(head: &[u8]) -> bool {
    if !head.starts_with(b"\x7fELF") || head.len() < 20 {
        return false;
    }
    let machine = if head[5] == 2 {
        u16::from_be_bytes([head[18], head[19]])
    } else {
        u16::from_le_bytes([head[18], head[19]])
    };
    match std::env::consts::ARCH {
        "x86_64" | "x86" => matches!(machine, 3 | 62),
        "aarch64" | "arm" => matches!(machine, 40 | 183),
        _ => true,
    }
}

pub(in crate::process) fn knows_more_formats() -> bool {
    fs::read_dir("/proc/sys/fs/binfmt_misc").is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name() != "register" && entry.file_name() != "status")
    })
}
