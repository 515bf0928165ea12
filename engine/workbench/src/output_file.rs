//! Output files written in one piece: reports, tables, plots, books, JSON.
//!
//! One rule holds for all of them: an existing file is replaced only if nothing is lost (it is empty or has the same
//! content) or if the user gives `--force`. New content is written completely or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Whether an existing file with different content may be replaced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Existing {
    /// Writing fails.
    Keep,
    /// The user gave `--force`, or the program wrote the file itself.
    Replace,
}

impl Existing {
    /// The policy for this value of `--force`.
    pub fn with_force(force: bool) -> Existing {
        if force { Existing::Replace } else { Existing::Keep }
    }
}

/// Why an output file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    #[error("write {}: it exists already; give --force to replace it, or choose another name", .0.display())]
    Exists(PathBuf),
    #[error("write {}: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
}

/// Checks before a long computation that the file can be written at its end. Changes nothing.
///
/// # Errors
/// If the file has content that must be kept, or nothing can be written there.
pub fn check(path: &Path, existing: Existing) -> Result<(), OutputError> {
    let failed = |source| OutputError::Io { path: path.to_owned(), source };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(found) if !found.is_file() => return Ok(()),
        Ok(found) if found.len() > 0 && existing == Existing::Keep => {
            return Err(OutputError::Exists(path.to_owned()));
        }
        _ => {}
    }
    draft(&resolved(path)).map(drop).map_err(failed)
}

/// Writes a whole file. A pipe or device just gets the content.
///
/// # Errors
/// If the file has content that must be kept, or cannot be written.
pub fn write(path: &Path, content: &[u8], existing: Existing) -> Result<(), OutputError> {
    let failed = |source| OutputError::Io { path: path.to_owned(), source };
    if is_special(path) {
        let opened = File::options().write(true).open(path);
        return opened.and_then(|mut file| file.write_all(content)).map_err(failed);
    }
    let target = resolved(path);
    let old = fs::metadata(&target).ok();
    if existing == Existing::Keep && old.as_ref().is_some_and(|old| old.len() > 0) {
        return match fs::read(&target) {
            Ok(old) if old == content => Ok(()),
            Ok(_) => Err(OutputError::Exists(path.to_owned())),
            Err(error) => Err(failed(error)),
        };
    }
    let mut file = draft(&target).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    match old {
        Some(old) => {
            file.as_file().set_permissions(old.permissions()).map_err(failed)?;
            file.persist(&target).map(drop)
        }
        None if existing == Existing::Replace => file.persist(&target).map(drop),
        None => file.persist_noclobber(&target).map(drop),
    }
    .map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => OutputError::Exists(path.to_owned()),
        _ => failed(error.error),
    })
}

/// Whether the path is a pipe or a device, which cannot be replaced.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Canonical path of a file or link that may not exist yet; the path unchanged if its folder does not exist.
pub fn resolved(path: &Path) -> PathBuf {
    let target = || Some(path.parent()?.join(fs::read_link(path).ok()?));
    let of_new = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().unwrap_or_else(|_| {
        let path = target().unwrap_or_else(|| path.to_owned());
        of_new(&path).unwrap_or(path)
    })
}

/// A temporary file beside the target, which replaces it when complete and is deleted otherwise.
fn draft(target: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder)?;
    let mut prefix = target.file_name().unwrap_or_default().to_owned();
    prefix.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".part");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The umask removes permissions.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    // Drops the temporary file's name from the error: users don't know it.
    builder.tempfile_in(folder).map_err(|error| error.kind().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_another_content_is_replaced_by_force_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html");
        check(&path, Existing::Keep).unwrap();
        write(&path, b"one", Existing::Keep).unwrap();
        write(&path, b"one", Existing::Keep).unwrap();
        assert!(matches!(check(&path, Existing::Keep), Err(OutputError::Exists(_))));
        assert!(matches!(write(&path, b"two", Existing::Keep), Err(OutputError::Exists(_))));
        assert_eq!(fs::read(&path).unwrap(), b"one");
        check(&path, Existing::Replace).unwrap();
        write(&path, b"two", Existing::Replace).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn an_empty_file_is_filled_and_a_folder_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        fs::write(&path, "").unwrap();
        check(&path, Existing::Keep).unwrap();
        write(&path, b"text", Existing::Keep).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text");
        assert!(matches!(check(folder.path(), Existing::Replace), Err(OutputError::Io { .. })));
        assert!(matches!(write(folder.path(), b"text", Existing::Replace), Err(OutputError::Io { .. })));
        assert!(check(&folder.path().join("none/file"), Existing::Keep).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_keeps_pointing_to_the_file_that_is_written() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new", Existing::Replace).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        let (absent, link) = (folder.path().join("absent"), folder.path().join("dangling"));
        std::os::unix::fs::symlink("absent", &link).unwrap();
        check(&link, Existing::Keep).unwrap();
        write(&link, b"new", Existing::Keep).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(&absent).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_just_gets_the_content() {
        check(Path::new("/dev/null"), Existing::Keep).unwrap();
        write(Path::new("/dev/null"), b"text", Existing::Keep).unwrap();
        assert!(is_special(Path::new("/dev/null")));
    }
}
