//! Which files can be run: those with an extension of `PATHEXT`, which need not be written.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::process::lookup::LookupError;

pub(in crate::process) const FALLBACK_FOLDERS: &[&str] = &[];

/// The extensions that the start of a process knows.
const EXTENSIONS: [&str; 3] = ["exe", "cmd", "bat"];

/// The files that a path may mean: itself if it has such an extension, else with each.
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

/// The name of a program without such an extension.
pub(in crate::process) fn bare_name(file: &str) -> &str {
    match file.rsplit_once('.') {
        Some((name, own)) if EXTENSIONS.iter().any(|known| own.eq_ignore_ascii_case(known)) => name,
        _ => file,
    }
}

/// The system has no such right.
pub(in crate::process) fn is_executable(_: &Metadata) -> bool {
    true
}

/// A program begins with `MZ`; scripts of the command interpreter are text.
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
        assert!(locate("engines").unwrap_err().to_string().contains("did you mean `engine`?"));
    }
}
