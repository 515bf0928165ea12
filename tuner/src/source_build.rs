//! Builds an engine from a copy of its source folder with one file replaced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use smalt_driver::EngineCommand;
use smalt_workbench::exit::reason;

use crate::games::{PlayError, run};

/// Folders that are not copied.
const NOT_COPIED: [&str; 3] = [".git", ".hg", ".svn"];

/// Number of last lines shown of a failed build.
const LAST_LINES: usize = 10;

/// Why a version could not be built.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error("failed to copy {path}: {}", reason(error))]
    Copy { path: String, error: io::Error },
    #[error("{folder} has the sources of --tree: the versions need another folder")]
    SameFolder { folder: String },
    #[error("{file} is not in {folder}: give the folder of the sources with --tree")]
    Outside { file: String, folder: String },
    #[error("failed to build the {version} version with `{command}`: {reason}")]
    Command {
        version: &'static str,
        command: String,
        /// Exit status and last lines.
        reason: String,
    },
}

/// Copies a folder, replaces one of its files, and runs the build command in the copy. The working folder, in which the
/// copy stands, is not copied: it may be inside the tree.
pub(crate) fn build(
    tree: &Path,
    work: &Path,
    copy: &Path,
    (file, text): (&Path, &str),
    command: &str,
    version: &'static str,
    stop: &AtomicBool,
) -> Result<(), BuildError> {
    let inside = place_in(tree, file)?;
    let failed = |path: &Path, error| BuildError::Copy { path: path.display().to_string(), error };
    let tree = tree.canonicalize().map_err(|error| failed(tree, error))?;
    let work = work.canonicalize().map_err(|error| failed(work, error))?;
    if work == tree {
        return Err(BuildError::SameFolder { folder: work.display().to_string() });
    }
    copy_folder(&tree, copy, &Roots { tree: &tree, work: &work, copy })?;
    let place = copy.join(inside);
    // Written last, so that it is newer than the build outputs.
    fs::write(&place, text).map_err(|error| failed(&place, error))?;
    let shell = EngineCommand::shell(command).directory(copy);
    run(&shell, &[0], stop, &mut |_| {}).map_err(|error| {
        let reason = match error {
            PlayError::Failed { exit, words } => {
                let lines: Vec<&str> = words.lines().collect();
                format!("the command {exit}: {}", lines[lines.len().saturating_sub(LAST_LINES)..].join("\n"))
            }
            PlayError::Start(error) => error.to_string(),
            error => error.to_string(),
        };
        BuildError::Command { version, command: command.to_owned(), reason }
    })
}

/// Path of a file within a folder.
fn place_in(tree: &Path, file: &Path) -> Result<PathBuf, BuildError> {
    let whole = |path: &Path| {
        let failed = |error| BuildError::Copy { path: path.display().to_string(), error };
        path.canonicalize().map_err(failed)
    };
    let (folder, place) = (whole(tree)?, whole(file)?);
    place.strip_prefix(&folder).map(Path::to_path_buf).map_err(|_| BuildError::Outside {
        file: file.display().to_string(),
        folder: tree.display().to_string(),
    })
}

/// Root of a source folder and the folder that is not copied, with links resolved, and root of the copy.
struct Roots<'a> {
    tree: &'a Path,
    work: &'a Path,
    copy: &'a Path,
}

impl Roots<'_> {
    /// Target of a copied link: the copy of a file within the tree, otherwise the same file by its absolute path.
    #[cfg(unix)]
    fn target(&self, link: &Path) -> io::Result<PathBuf> {
        let in_copy = |target: &Path| target.strip_prefix(self.tree).ok().map(|rest| self.copy.join(rest));
        if let Ok(target) = link.canonicalize() {
            return Ok(in_copy(&target).unwrap_or(target));
        }
        // The target does not exist yet, as for a file that the build will write.
        let target = fs::read_link(link)?;
        let whole = match (target.parent(), target.file_name()) {
            (Some(parent), Some(name)) if target.is_absolute() => {
                parent.canonicalize().map_or_else(|_| target.clone(), |parent| parent.join(name))
            }
            _ => target.clone(),
        };
        Ok(in_copy(&whole).unwrap_or(target))
    }

    #[cfg(unix)]
    fn copy_link(&self, link: &Path, place: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(self.target(link)?, place)
    }

    #[cfg(not(unix))]
    fn copy_link(&self, _: &Path, _: &Path) -> io::Result<()> {
        let (tree, copy) = (self.tree.display(), self.copy.display());
        let words = format!("a symbolic link, which cannot be copied from {tree} to {copy} on this system");
        Err(io::Error::new(io::ErrorKind::Unsupported, words))
    }
}

/// Copies a file with its modification time, by which build tools decide what is up to date.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    let file = if cfg!(windows) { fs::File::options().write(true).open(to) } else { fs::File::open(to) };
    // If the time cannot be set, more is rebuilt than necessary.
    let _ = file.and_then(|file| file.set_modified(modified));
    Ok(())
}

fn copy_folder(from: &Path, to: &Path, roots: &Roots) -> Result<(), BuildError> {
    let failed = |error| BuildError::Copy { path: from.display().to_string(), error };
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, path) = (entry.file_name(), entry.path());
        let place = to.join(&name);
        let kind = entry.file_type().map_err(failed)?;
        let failed = |error| BuildError::Copy { path: path.display().to_string(), error };
        if path == roots.work || NOT_COPIED.iter().any(|folder| name == *folder) {
            continue;
        } else if kind.is_dir() {
            copy_folder(&path, &place, roots)?;
        } else if kind.is_symlink() {
            roots.copy_link(&path, &place).map_err(failed)?;
        } else if kind.is_file() {
            copy_file(&path, &place).map_err(failed)?;
        }
    }
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_built_with_the_other_text_and_the_tree_stays() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::create_dir_all(tree.join(".git")).unwrap();
        fs::write(tree.join(".git/HEAD"), "").unwrap();
        fs::write(tree.join("src/eval.h"), "old").unwrap();
        let stop = AtomicBool::new(false);
        let build = |copy: &str, file: &Path, command| {
            let work = folder.path().join("work");
            fs::create_dir_all(&work).unwrap();
            build(&tree, &work, &work.join(copy), (file, "new"), command, "tuned", &stop)
        };
        let file = tree.join("src/eval.h");
        build("good", &file, "cat src/eval.h > built").unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join(path)).ok();
        assert_eq!(read("work/good/built").as_deref(), Some("new"));
        assert_eq!((read("tree/src/eval.h").as_deref(), read("tree/built")), (Some("old"), None));
        assert!(!folder.path().join("work/good/.git").exists());

        let error = build("bad", &file, "echo wrong >&2; exit 3").unwrap_err().to_string();
        assert!(error.contains("`echo wrong >&2; exit 3`: the command exited with code 3: wrong"), "{error}");
        let outside = folder.path().join("other.h");
        fs::write(&outside, "").unwrap();
        assert!(matches!(build("outside", &outside, "true"), Err(BuildError::Outside { .. })));
    }

    #[test]
    fn a_working_folder_inside_the_tree_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path();
        let work = tree.join("night");
        let file = tree.join("eval.h");
        fs::write(&file, "old").unwrap();
        let stop = AtomicBool::new(false);
        let build = |work: &Path, copy: &str| {
            build(tree, work, &work.join(copy), (&file, "new"), "true", "tuned", &stop)
        };
        for copy in ["first/build", "second/build"] {
            fs::create_dir_all(work.join(copy)).unwrap();
            build(&work, copy).unwrap();
            assert_eq!(fs::read_to_string(work.join(copy).join("eval.h")).unwrap(), "new");
            assert!(!work.join(copy).join("night").exists());
        }
        assert!(matches!(build(tree, "third"), Err(BuildError::SameFolder { .. })));
    }

    #[test]
    fn links_into_the_tree_point_into_the_copy_and_times_stay() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let tree = top.join("tree");
        fs::create_dir_all(tree.join("src")).unwrap();
        fs::create_dir_all(tree.join("out")).unwrap();
        fs::write(tree.join("src/eval.h"), "old").unwrap();
        fs::write(tree.join("unchanged"), "").unwrap();
        fs::write(top.join("net"), "net").unwrap();
        let long_ago = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        fs::File::open(tree.join("unchanged")).unwrap().set_modified(long_ago).unwrap();
        symlink(tree.join("src/eval.h"), tree.join("absolute.h")).unwrap();
        symlink("src/eval.h", tree.join("relative.h")).unwrap();
        symlink("../net", tree.join("net")).unwrap();
        symlink(tree.join("out/later"), tree.join("later")).unwrap();
        symlink("nothing", tree.join("dangling")).unwrap();
        // The tree may be given through a link.
        symlink(&tree, top.join("named")).unwrap();
        let named = top.join("named");
        let work = top.join("work");
        fs::create_dir(&work).unwrap();
        let copy = work.join("copy");
        let command = "cat absolute.h relative.h net > built; echo built > later";
        let stop = AtomicBool::new(false);
        build(&named, &work, &copy, (&named.join("src/eval.h"), "new"), command, "tuned", &stop).unwrap();
        assert_eq!(fs::read_to_string(copy.join("built")).unwrap(), "newnewnet");
        assert!(copy.join("out/later").is_file() && !tree.join("out/later").exists());
        assert_eq!(fs::read_link(copy.join("dangling")).unwrap(), Path::new("nothing"));
        assert_eq!(fs::metadata(copy.join("unchanged")).unwrap().modified().unwrap(), long_ago);
        assert!(fs::metadata(copy.join("src/eval.h")).unwrap().modified().unwrap() > long_ago);
    }
}
