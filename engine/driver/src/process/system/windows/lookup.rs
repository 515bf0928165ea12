//! Lookup of executables: files with an extension of `PATHEXT`, which may be omitted in the command.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::process::lookup_error::LookupError;

/// A name without a folder is also looked for in the current folder, as the system itself does.
pub(in crate::process) const FALLBACK_FOLDERS: &[&str] = &["."];

/// Executable extensions.
const EXTENSIONS: [&str; 3] = ["exe", "cmd", "bat"];

/// Candidate files of a path: itself if it has an executable extension, else with each extension appended.
pub(in crate::process) fn candidates(path: &Path) -> impl Iterator<Item = PathBuf> {
    let own = path.to_str().is_some_and(|path| bare_name(path) != path);
    let path = path.to_path_buf();
    let with = move |extension: &str| {
        let mut longer = OsString::from(path.as_os_str());
        if !extension.is_empty() {
            longer.push(".");
            longer.push(extension);
        }
        PathBuf::from(longer)
    };
    let extensions: &[&str] = if own { &[""] } else { &["exe", "cmd", "bat", ""] };
    extensions.iter().map(move |extension| with(extension))
}

/// Name of a program without an executable extension.
pub(in crate::process) fn bare_name(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((name, own)) if EXTENSIONS.iter().any(|known| own.eq_ignore_ascii_case(known)) => name,
        _ => file,
    }
}

/// Windows has no execute permission.
pub(in crate::process) fn is_executable(_: &Metadata) -> bool {
    true
}

/// A program begins with `MZ`; batch files are text.
pub(in crate::process) fn check_format(path: &Path) -> Result<(), LookupError> {
    let is_script = ["cmd", "bat"]
        .iter()
        .any(|known| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(known)));
    let mut head = [0; 2];
    let is_read = fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok();
    if is_script || !is_read || &head == b"MZ" {
        Ok(())
    } else {
        Err(LookupError::ForeignFormat { path: path.to_path_buf() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::EngineCommand;

    #[test]
    fn an_extension_need_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        fs::write(here.join("engine.exe"), b"MZ\x90").unwrap();
        fs::write(here.join("engine-1.2.exe"), b"MZ\x90").unwrap();
        fs::write(here.join("notes.exe"), b"no program").unwrap();
        let locate = |program: &str| EngineCommand::new(program).directory(here).locate();
        for program in ["engine", "engine.exe", "ENGINE.EXE", r".\engine", "./engine", "engine-1.2"] {
            assert!(locate(program).is_ok(), "{program}: {:?}", locate(program));
        }
        assert!(matches!(locate("notes"), Err(LookupError::ForeignFormat { .. })));
        let refusal = locate("engines").unwrap_err().to_string();
        assert!(refusal.contains(", .); did you mean `engine`?"), "the current folder comes last: {refusal}");
    }
}
