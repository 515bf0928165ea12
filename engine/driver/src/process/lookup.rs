//! Finds the file of a program, or explains why it cannot be executed. Reads the file system; starts nothing.

use std::fs;
use std::path::{Path, PathBuf, is_separator};

use super::EngineCommand;
use super::lookup_error::LookupError;
use super::system::{FALLBACK_FOLDERS, bare_name, candidates, check_format, is_executable};
use crate::nearest::{nearest, nearest_within};

impl EngineCommand {
    /// The absolute path of the program that would be started, to check a plan before it is played.
    ///
    /// # Errors
    /// If there is no such program, or it cannot be executed.
    pub fn locate(&self) -> Result<PathBuf, LookupError> {
        find_program(self)
    }
}

/// The absolute path of the program of this command.
pub(super) fn find_program(command: &EngineCommand) -> Result<PathBuf, LookupError> {
    if let Some(directory) = &command.directory
        && !directory.is_dir()
    {
        return Err(LookupError::NoDirectory { directory: directory.clone() });
    }
    let looked_in = folders_to_search(command);
    let mut refused = None;
    for folder in &looked_in {
        for path in candidates(&folder.join(&command.program)) {
            match check_executable(&path) {
                Ok(Some(path)) => return Ok(path),
                Ok(None) => {}
                Err(error) => refused = refused.or(Some(error)),
            }
        }
    }
    Err(refused.unwrap_or_else(|| {
        let hint = program_here(&command.program).or_else(|| nearest_program(&command.program, &looked_in));
        LookupError::NotFound { program: command.program.clone(), looked_in, hint }
    }))
}

/// The path of a program in the current folder, which is not searched for bare names.
fn program_here(program: &Path) -> Option<String> {
    let path = Path::new(".").join(program);
    matches!(check_executable(&path), Ok(Some(_))).then(|| path.display().to_string())
}

/// The program in these folders with the nearest name. The distance must be smaller than elsewhere, since there are
/// thousands of short program names.
fn nearest_program(program: &Path, folders: &[PathBuf]) -> Option<String> {
    let name = program.to_str().filter(|name| !name.contains(is_separator))?;
    let entries = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let near = entries.filter(|entry| {
        let other = entry.file_name();
        let other = other.to_str().map(bare_name);
        other.and_then(|other| nearest_within(name, 1 + name.len() / 8, [other])).is_some()
            && matches!(check_executable(&entry.path()), Ok(Some(_)))
    });
    let names = near.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.map(|name| bare_name(&name).to_owned()).collect();
    names.sort();
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

fn folders_to_search(command: &EngineCommand) -> Vec<PathBuf> {
    let program = &command.program;
    if program.is_absolute() {
        return program.parent().map(Path::to_path_buf).into_iter().collect();
    }
    let directory = command.directory.clone().into_iter();
    if program.to_string_lossy().contains(is_separator) {
        return directory.chain([PathBuf::from(".")]).collect();
    }
    let replaced = command.environment.iter().rev().find(|(name, _)| name == "PATH");
    let path =
        replaced.map(|(_, value)| value.clone()).or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let in_path: Vec<_> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in in_path.into_iter().chain(directory).chain(FALLBACK_FOLDERS.iter().map(PathBuf::from)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The absolute path of an executable file; `None` if there is no such file.
fn check_executable(path: &Path) -> Result<Option<PathBuf>, LookupError> {
    let Ok(metadata) = fs::metadata(path) else { return Ok(None) };
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    if metadata.is_dir() {
        return Err(LookupError::IsFolder { path });
    }
    // Reading a FIFO would wait for a writer.
    if !metadata.is_file() {
        return Err(LookupError::NotAFile { path });
    }
    if !is_executable(&metadata) {
        return Err(LookupError::NotExecutable { path });
    }
    check_format(&path)?;
    Ok(Some(path))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::process::system::knows_more_formats;

    fn write(path: &Path, text: &[u8], mode: u32) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn programs_are_found_by_path_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        write(&here.join("engine"), b"#!/bin/sh\n", 0o755);
        let found = |program: &str| find_program(&EngineCommand::new(program).directory(here));
        assert_eq!(found("engine").unwrap(), here.join("engine"));
        assert_eq!(found("./engine").unwrap(), here.join("./engine"));
        assert_eq!(found(here.join("engine").to_str().unwrap()).unwrap(), here.join("engine"));
        assert!(found("sh").unwrap().ends_with("sh"));
        let own_path = EngineCommand::new("engine").variable("PATH", here);
        assert_eq!(find_program(&own_path).unwrap(), here.join("engine"));
    }

    #[test]
    fn a_misspelt_program_is_answered_with_the_nearest_one() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        write(&here.join("rockfish"), b"#!/bin/sh\n", 0o755);
        write(&here.join("rockfisj"), b"no program", 0o644);
        let twice = std::env::join_paths([here, here]).unwrap();
        let refusal = |program: &str| {
            let command = EngineCommand::new(program).variable("PATH", &twice).directory(here);
            find_program(&command).unwrap_err().to_string()
        };
        let message = refusal("rockfis");
        assert!(message.ends_with("; did you mean `rockfish`?"), "{message}");
        assert_eq!(message.matches(here.to_str().unwrap()).count(), 1, "{message}");
        assert!(!refusal("no-such-engine").contains("did you mean"));
        assert!(!refusal("./rockfis").contains("did you mean"));
    }

    #[test]
    fn refusals_have_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        write(&here.join("plain"), b"#!/bin/sh\n", 0o644);
        write(&here.join("foreign"), b"MZ\x90\0\x03", 0o755);
        write(&here.join("orphan"), b"#! /no/such/python -u\n", 0o755);
        write(&here.join("windows"), b"#!/bin/sh\r\nexit\r\n", 0o755);
        let check = |program: &str, expected: &str| {
            let error = find_program(&EngineCommand::new(program).directory(here)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("no-such-engine", "looked in");
        check("./no-such-engine", "looked in");
        check("./plain", "not executable");
        check("/usr", "it is a folder");
        check("/dev/null", "not a regular file");
        check("./windows", "its first line ends with CRLF");
        check("./orphan", "interpreter `/no/such/python` does not exist");
        if !knows_more_formats() {
            check("./foreign", "neither a program for this machine");
        }
        let nowhere = EngineCommand::new("sh").directory(here.join("gone"));
        assert!(find_program(&nowhere).unwrap_err().to_string().contains("no such folder"));
    }
}
