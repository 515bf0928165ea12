//! Output files written in one piece: reports, tables, plots, books, JSON.
//!
//! One rule holds for all of them: an existing file is replaced only if nothing is lost (it is empty or has the same
//! content) or if the user gives `--force`. New content is written completely or not at all. An [`Output`] holds the
//! rule over a long computation: a file that the user writes in the meantime is kept.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::exit::reason;
use crate::file_stamp::FileStamp;
use crate::input::{SQLITE, begins_with};
use crate::standard_output::is_standard_output;

/// A temporary file beside its target.
pub use tempfile::NamedTempFile as Draft;

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
    #[error("write {}: {}", path.display(), reason(source))]
    Io { path: PathBuf, source: io::Error },
    #[error("write {}: it is a store of games, which is never replaced; choose another name", .0.display())]
    Store(PathBuf),
    #[error("{}: it changed during the run and was not replaced; the new content is in {}", path.display(), beside.display())]
    Changed { path: PathBuf, beside: PathBuf },
}

/// Why output files do not go together.
#[derive(Debug, thiserror::Error)]
pub enum OverlapError {
    #[error("standard output (-) takes one output: name files for the others")]
    StandardOutput,
    #[error("{} is named for two outputs: name another file for one of them", .0.display())]
    Twice(PathBuf),
    #[error("{} is an input and would be overwritten: name another file", .0.display())]
    Input(PathBuf),
}

impl From<OutputError> for io::Error {
    fn from(error: OutputError) -> io::Error {
        match error {
            OutputError::Io { source, .. } => source,
            error => io::Error::other(error),
        }
    }
}

/// An output file of a long computation, with its state at the start.
#[derive(Clone, Debug)]
pub struct Output {
    path: PathBuf,
    before: Option<FileStamp>,
}

fn stamp(path: &Path) -> Option<FileStamp> {
    Some(FileStamp::of(&fs::metadata(path).ok()?))
}

impl Output {
    /// Checks before a long computation that the file can be written at its end; see [`check`].
    ///
    /// # Errors
    /// If the file has content that must be kept, or nothing can be written there.
    pub fn check(path: &Path, existing: Existing) -> Result<Output, OutputError> {
        check(path, existing)?;
        Ok(Output { path: path.to_owned(), before: stamp(path) })
    }

    /// The path as given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the whole file. A pipe or device just gets the content.
    ///
    /// # Errors
    /// If it cannot be written; [`OutputError::Changed`] if it changed in the meantime and the content was written
    /// beside it.
    pub fn write(&self, content: &[u8]) -> Result<(), OutputError> {
        let is_same = || fs::read(&self.path).is_ok_and(|old| old == content);
        if is_special(&self.path) || stamp(&self.path) != self.before && is_same() {
            return write(&self.path, content, Existing::Keep);
        }
        let mut draft = self.draft()?;
        draft.write_all(content).map_err(|source| self.failed(source))?;
        self.replace(draft)
    }

    /// Writes the whole file, as often as needed. A file that another program changed since the last write is kept, and this
    /// and later content goes into a new file beside it, whose path is returned and is [`Output::path`] from now on.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn rewrite(&mut self, content: &[u8]) -> Result<Option<PathBuf>, OutputError> {
        let moved = match self.write(content) {
            Ok(()) => None,
            Err(OutputError::Changed { beside, .. }) => Some(beside),
            Err(error) => return Err(error),
        };
        if let Some(beside) = &moved {
            self.path.clone_from(beside);
        }
        self.before = stamp(&self.path);
        Ok(moved)
    }

    /// A temporary file in the same folder, for [`Output::replace`].
    ///
    /// # Errors
    /// If the folder does not exist or cannot be written to.
    pub fn draft(&self) -> Result<Draft, OutputError> {
        draft(&resolved(&self.path)).map_err(|source| self.failed(source))
    }

    /// Moves a complete draft into place.
    ///
    /// # Errors
    /// As [`Output::write`].
    pub fn replace(&self, draft: Draft) -> Result<(), OutputError> {
        let target = resolved(&self.path);
        if is_store(&target) {
            return Err(self.keep_beside(draft));
        }
        let now = fs::metadata(&self.path).ok();
        if now.as_ref().is_some_and(|now| now.len() > 0 && Some(FileStamp::of(now)) != self.before) {
            return Err(self.keep_beside(draft));
        }
        put(draft, &target, now.is_some()).map_err(|(draft, source)| match source.kind() {
            io::ErrorKind::AlreadyExists => self.keep_beside(draft),
            _ => self.failed(source),
        })
    }

    /// Moves a draft to an unused name and says why.
    fn keep_beside(&self, draft: Draft) -> OutputError {
        match put_beside(&self.path, ".new", draft) {
            Ok(beside) => OutputError::Changed { path: self.path.clone(), beside },
            Err(error) => error,
        }
    }

    fn failed(&self, source: io::Error) -> OutputError {
        OutputError::Io { path: self.path.clone(), source }
    }
}

/// Writes a new file beside the given one, whose name it extends by the suffix (and a number if that name is in use).
/// Returns its path.
///
/// # Errors
/// If nothing can be written in that folder.
pub fn write_beside(path: &Path, suffix: &str, content: &[u8]) -> Result<PathBuf, OutputError> {
    let failed = |source| OutputError::Io { path: path.to_owned(), source };
    let mut draft = draft(&resolved(path)).map_err(failed)?;
    draft.write_all(content).map_err(failed)?;
    put_beside(path, suffix, draft)
}

/// Moves a draft to the first unused name of this path with the suffix. Returns its path.
///
/// # Errors
/// If nothing can be written in that folder.
pub fn put_beside(path: &Path, suffix: &str, mut draft: Draft) -> Result<PathBuf, OutputError> {
    let target = resolved(path);
    let mut number = 1;
    loop {
        let mut name = target.clone().into_os_string();
        name.push(suffix);
        if number > 1 {
            name.push(format!("-{number}"));
        }
        match draft.persist_noclobber(&name) {
            Ok(_) => return Ok(name.into()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                (draft, number) = (error.file, number + 1);
            }
            Err(error) => return Err(OutputError::Io { path: name.into(), source: error.error }),
        }
    }
}

/// Moves a draft over an existing file, whose permissions it takes, or to a name that must be unused.
fn put(draft: Draft, target: &Path, is_replaced: bool) -> Result<(), (Draft, io::Error)> {
    let prepared = || -> io::Result<()> {
        if is_replaced {
            draft.as_file().set_permissions(fs::metadata(target)?.permissions())?;
        }
        draft.as_file().sync_all()
    };
    if let Err(error) = prepared() {
        return Err((draft, error));
    }
    let moved = if is_replaced { draft.persist(target) } else { draft.persist_noclobber(target) };
    moved.map(drop).map_err(|error| (error.file, error.error))
}

/// Checks before a long computation that the file can be written at its end. Changes nothing.
///
/// # Errors
/// If the file has content that must be kept, or nothing can be written there.
pub fn check(path: &Path, existing: Existing) -> Result<(), OutputError> {
    let failed = |source| OutputError::Io { path: path.to_owned(), source };
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(failed(io::ErrorKind::IsADirectory.into())),
        Ok(_) if is_special(path) => return Ok(()),
        Ok(_) if is_store(path) => return Err(OutputError::Store(path.to_owned())),
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
        let opened = File::options().append(true).open(path);
        return opened.and_then(|mut file| file.write_all(content)).map_err(failed);
    }
    let target = resolved(path);
    if is_store(&target) {
        return Err(OutputError::Store(path.to_owned()));
    }
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
    let is_replaced = old.is_some() || existing == Existing::Replace && target.exists();
    put(file, &target, is_replaced).map_err(|(_, error)| match error.kind() {
        io::ErrorKind::AlreadyExists => OutputError::Exists(path.to_owned()),
        _ => failed(error),
    })
}

/// Whether the path is a pipe or a device, which cannot be replaced, or an open file of this process (`/dev/stdout`).
pub fn is_special(path: &Path) -> bool {
    let is_open_file =
        || ["/dev/stdout", "/dev/stderr"].map(Path::new).contains(&path) || path.starts_with("/dev/fd");
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) || cfg!(unix) && is_open_file()
}

/// Whether the file is an SQLite database, as the stores of runs are.
fn is_store(path: &Path) -> bool {
    begins_with(path, SQLITE)
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

/// Whether two paths name one file, which need not exist; hard links do. Pipes and devices may be used several times.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    !is_special(one) && (resolved(one) == resolved(other) || is_hard_link(one, other))
}

/// Whether both files exist and are one.
#[cfg(unix)]
fn is_hard_link(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let [one, other] = [one, other].map(|path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino())));
    one.is_some() && one == other
}

/// Whether both files exist and are one.
#[cfg(windows)]
fn is_hard_link(one: &Path, other: &Path) -> bool {
    same_file::is_same_file(one, other).unwrap_or(false)
}

/// Checks that outputs would not overwrite each other or an input. `-` and `/dev/stdout` are standard output, or input.
///
/// # Errors
/// If two outputs are one file, or standard output, or if an output is an input.
pub fn check_apart<'a>(
    outputs: &[&Path],
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OverlapError> {
    let (standard, files): (Vec<&Path>, Vec<&Path>) =
        outputs.iter().copied().partition(|path| is_standard_output(path));
    if standard.len() > 1 {
        return Err(OverlapError::StandardOutput);
    }
    for (index, file) in files.iter().enumerate() {
        if files[..index].iter().any(|other| is_same_file(other, file)) {
            return Err(OverlapError::Twice(file.to_path_buf()));
        }
    }
    for input in inputs.into_iter().filter(|input| !is_standard_output(input)) {
        if let Some(file) = files.iter().find(|file| is_same_file(file, input)) {
            return Err(OverlapError::Input(file.to_path_buf()));
        }
    }
    Ok(())
}

/// A temporary file beside the target, which replaces it when complete and is deleted otherwise.
fn draft(target: &Path) -> io::Result<Draft> {
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

    #[test]
    fn a_file_that_changed_during_the_run_is_kept_and_the_new_one_is_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).ok();
        let begin = |existing| Output::check(&path, existing).unwrap();
        begin(Existing::Keep).write(b"one").unwrap();
        assert_eq!(read("report.json").as_deref(), Some("one"));
        assert!(matches!(Output::check(&path, Existing::Keep), Err(OutputError::Exists(_))));
        begin(Existing::Replace).write(b"two").unwrap();
        assert_eq!(read("report.json").as_deref(), Some("two"));

        let output = begin(Existing::Replace);
        fs::write(&path, "my own").unwrap();
        for name in ["report.json.new", "report.json.new-2"] {
            let error = output.write(b"three").unwrap_err();
            let OutputError::Changed { beside, .. } = &error else { panic!("{error}") };
            assert!(beside.ends_with(name) && error.to_string().contains(name), "{error}");
            assert_eq!([read("report.json"), read(name)], [Some("my own".into()), Some("three".into())]);
        }
        output.write(b"my own").unwrap();

        // It appears, or disappears.
        fs::remove_file(&path).unwrap();
        output.write(b"four").unwrap();
        fs::remove_file(&path).unwrap();
        let output = begin(Existing::Keep);
        fs::write(&path, "mine").unwrap();
        assert!(matches!(output.write(b"five"), Err(OutputError::Changed { .. })));
        assert_eq!(read("report.json").as_deref(), Some("mine"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4, "no draft is left");
    }

    #[test]
    fn a_file_that_is_written_often_stays_once_others_change_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.json");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        let mut output = Output::check(&path, Existing::Keep).unwrap();
        for text in ["one", "two", "two"] {
            assert_eq!(output.rewrite(text.as_bytes()).unwrap(), None);
            assert_eq!(read("out.json"), text);
        }
        fs::write(&path, "my own").unwrap();
        assert_eq!(output.rewrite(b"three").unwrap().as_deref(), Some(output.path()));
        assert!(output.path().ends_with("out.json.new"));
        assert_eq!(output.rewrite(b"four").unwrap(), None);
        assert_eq!([read("out.json"), read("out.json.new")], ["my own", "four"]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_hard_link_is_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, copy, absent] =
            ["file", "link", "copy", "absent"].map(|name| folder.path().join(name));
        fs::write(&file, "text").unwrap();
        fs::write(&copy, "text").unwrap();
        fs::hard_link(&file, &link).unwrap();
        assert!(is_same_file(&file, &link) && is_same_file(&link, &file));
        assert!(!is_same_file(&file, &copy) && !is_same_file(&absent, &file));
        assert!(matches!(check_apart(&[&file, &link], []), Err(OverlapError::Twice(_))));
        assert!(matches!(check_apart(&[&link], [&*file]), Err(OverlapError::Input(_))));
    }

    #[test]
    fn a_store_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let output = Output::check(&path, Existing::Keep).unwrap();
        fs::write(&path, b"SQLite format 3\0 and pages").unwrap();
        for existing in [Existing::Keep, Existing::Replace] {
            assert!(matches!(check(&path, existing), Err(OutputError::Store(_))));
            assert!(matches!(write(&path, b"text", existing), Err(OutputError::Store(_))));
        }
        assert!(matches!(output.write(b"text"), Err(OutputError::Changed { .. })));
        assert!(fs::read(&path).unwrap().starts_with(b"SQLite"));
    }

    #[cfg(unix)]
    #[test]
    fn a_device_just_gets_the_content() {
        check(Path::new("/dev/null"), Existing::Keep).unwrap();
        write(Path::new("/dev/null"), b"text", Existing::Keep).unwrap();
        assert!(is_special(Path::new("/dev/null")));
    }
}
