//! Engines built from copies of a source folder that differ in one file: what plays when tuned numbers stand in the source.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use smalt_driver::EngineCommand;

use crate::games::{PlayError, run};

/// Folders that no copy needs.
const LEFT_OUT: [&str; 3] = [".git", ".hg", ".svn"];

/// Why a version could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The folder can't be copied.
    #[error("failed to copy {path}: {error}")]
    Copy {
        /// The file.
        path: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file that differs is outside of the folder.
    #[error("{file} is not in {folder}: give the folder of the sources with --tree")]
    Outside {
        /// The file.
        file: String,
        /// The folder.
        folder: String,
    },
    /// The command failed.
    #[error("failed to build the {version} version with `{command}`: {error}")]
    Command {
        /// Which version.
        version: &'static str,
        /// The command.
        command: String,
        /// How it failed.
        error: PlayError,
    },
}

/// Copies a folder, puts a text into one of its files, and runs the build command there.
///
/// # Errors
/// If the folder can't be copied, or the command fails.
pub fn build(
    tree: &Path,
    copy: &Path,
    (file, text): (&Path, &str),
    command: &str,
    version: &'static str,
    stop: &AtomicBool,
) -> Result<(), BuildError> {
    let inside = place_in(tree, file)?;
    copy_folder(tree, copy)?;
    let failed = |path: &Path, error| BuildError::Copy { path: path.display().to_string(), error };
    let place = copy.join(inside);
    // Written last, so that it is newer than what was built from the old one.
    fs::write(&place, text).map_err(|error| failed(&place, error))?;
    let (shell, flag) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let shell = EngineCommand::new(shell).arguments([flag, command]).directory(copy);
    run(&shell, &[0], stop, &mut |_| {}).map_err(|error| match error {
        PlayError::Failed { exit, words } => {
            let lines: Vec<&str> = words.lines().collect();
            let words = lines[lines.len().saturating_sub(10)..].join("\n");
            let error = PlayError::Failed { exit, words };
            BuildError::Command { version, command: command.to_owned(), error }
        }
        error => BuildError::Command { version, command: command.to_owned(), error },
    })
}

/// The path of a file within a folder.
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

fn copy_folder(from: &Path, to: &Path) -> Result<(), BuildError> {
    let failed = |error| BuildError::Copy { path: from.display().to_string(), error };
    fs::create_dir_all(to).map_err(failed)?;
    for entry in fs::read_dir(from).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let (name, path) = (entry.file_name(), entry.path());
        let place = to.join(&name);
        let kind = entry.file_type().map_err(failed)?;
        let failed = |error| BuildError::Copy { path: path.display().to_string(), error };
        if LEFT_OUT.iter().any(|left_out| name == *left_out) {
            continue;
        } else if kind.is_dir() {
            copy_folder(&path, &place)?;
        } else if kind.is_symlink() {
            #[cfg(unix)]
            std::os::unix::fs::symlink(fs::read_link(&path).map_err(failed)?, &place).map_err(failed)?;
        } else if kind.is_file() {
            fs::copy(&path, &place).map_err(failed)?;
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
            build(&tree, &folder.path().join(copy), (file, "new"), command, "tuned", &stop)
        };
        let file = tree.join("src/eval.h");
        build("good", &file, "cat src/eval.h > built").unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join(path)).ok();
        assert_eq!(read("good/built").as_deref(), Some("new"));
        assert_eq!((read("tree/src/eval.h").as_deref(), read("tree/built")), (Some("old"), None));
        assert!(!folder.path().join("good/.git").exists());

        let error = build("bad", &file, "echo wrong >&2; exit 3").unwrap_err().to_string();
        assert!(error.contains("tuned version with `echo wrong") && error.contains("wrong"), "{error}");
        let outside = folder.path().join("other.h");
        fs::write(&outside, "").unwrap();
        assert!(matches!(build("outside", &outside, "true"), Err(BuildError::Outside { .. })));
    }
}
