//! Whether a file can be executed: mode bits, first bytes and interpreter.

use std::fs::{self, Metadata};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, PermissionsExt};
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

/// Checks the first bytes, and that the interpreter of a script or the dynamic linker of a program exists. If the system
/// supports other formats (wine, qemu), their check is left to it.
pub(in crate::process) fn check_format(path: &Path) -> Result<(), LookupError> {
    let mut head = Vec::new();
    let Ok(file) = fs::File::open(path) else { return Ok(()) };
    if (&file).take(256).read_to_end(&mut head).is_err() {
        return Ok(());
    }
    if let Some(rest) = head.strip_prefix(b"#!") {
        let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_start();
        let word = line.split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
        let interpreter = PathBuf::from(std::ffi::OsStr::from_bytes(word));
        if interpreter.exists() {
            return Ok(());
        }
        let path = path.to_path_buf();
        let is_crlf = word.ends_with(b"\r");
        return Err(if is_crlf {
            LookupError::CrLf { path }
        } else {
            LookupError::NoInterpreter { path, interpreter }
        });
    }
    if is_native(&head) {
        return match dynamic_linker(&file, &head) {
            Some(interpreter) if interpreter.is_absolute() && !interpreter.exists() => {
                Err(LookupError::NoInterpreter { path: path.to_path_buf(), interpreter })
            }
            _ => Ok(()),
        };
    }
    if knows_more_formats() {
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

/// The dynamic linker of a little-endian ELF file (program header PT_INTERP; elf(5)); none if it is static.
fn dynamic_linker(file: &fs::File, head: &[u8]) -> Option<PathBuf> {
    const PT_INTERP: u64 = 3;
    const PATH_MAX: u64 = 4096;
    if !head.starts_with(b"\x7fELF") || head.get(5) != Some(&1) {
        return None;
    }
    // Offsets and widths of fields.
    let (e_phoff, e_phentsize, e_phnum, p_offset, p_filesz) = match head[4] {
        2 => ((32, 8), (54, 2), (56, 2), (8, 8), (32, 8)),
        _ => ((28, 4), (42, 2), (44, 2), (4, 4), (16, 4)),
    };
    let (table, size) = (number(head, e_phoff)?, number(head, e_phentsize)?);
    let read = |offset: u64, length: u64| {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        file.read_exact_at(&mut bytes, offset).ok().map(|()| bytes)
    };
    let mut segments =
        (0..number(head, e_phnum)?).map_while(|index| read(table.checked_add(index * size)?, size));
    let interpreter = segments.find(|segment| number(segment, (0, 4)) == Some(PT_INTERP))?;
    let path = read(number(&interpreter, p_offset)?, number(&interpreter, p_filesz)?.min(PATH_MAX))?;
    let path = path.split(|&byte| byte == 0).next()?;
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(path)))
}

/// A little-endian number at an offset, of a width in bytes.
fn number(bytes: &[u8], (offset, width): (usize, usize)) -> Option<u64> {
    let bytes = bytes.get(offset..offset + width)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

pub(in crate::process) fn knows_more_formats() -> bool {
    fs::read_dir("/proc/sys/fs/binfmt_misc").is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name() != "register" && entry.file_name() != "status")
    })
}

#[cfg(all(test, not(target_os = "macos")))]
mod tests {
    use super::*;

    /// A file with one program header, which names a dynamic linker; `wide` for 64 bits.
    fn elf(wide: bool, interpreter: &str) -> Vec<u8> {
        let machine: u8 = match (std::env::consts::ARCH, wide) {
            ("x86_64" | "x86", true) => 62,
            ("x86_64" | "x86", false) => 3,
            (_, true) => 183,
            (_, false) => 40,
        };
        let (header, segment) = if wide { (64, 56) } else { (52, 32) };
        let mut file = vec![0; header + segment];
        file[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', if wide { 2 } else { 1 }, 1]);
        file[18] = machine;
        let (e_phoff, e_phentsize, p_offset, p_filesz) = if wide { (32, 54, 8, 32) } else { (28, 42, 4, 16) };
        file[e_phoff] = header as u8;
        file[e_phentsize] = segment as u8;
        file[e_phentsize + 2] = 1;
        file[header] = 3;
        file[header + p_offset] = (header + segment) as u8;
        file[header + p_filesz] = interpreter.len() as u8 + 1;
        file.extend(interpreter.as_bytes());
        file.push(0);
        file
    }

    #[test]
    fn the_dynamic_linker_of_a_program_must_exist() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        for wide in [true, false] {
            fs::write(&path, elf(wide, "/lib/ld-nowhere.so.1")).unwrap();
            let interpreter = PathBuf::from("/lib/ld-nowhere.so.1");
            assert_eq!(
                check_format(&path),
                Err(LookupError::NoInterpreter { path: path.clone(), interpreter })
            );
            fs::write(&path, elf(wide, "/bin/sh")).unwrap();
            assert_eq!(check_format(&path), Ok(()));
            // Cut off within the program header.
            fs::write(&path, &elf(wide, "/lib/ld-nowhere.so.1")[..60]).unwrap();
            assert_eq!(check_format(&path), Ok(()));
        }
    }
}
