//! The commit of a git checkout, read from git's files without running git.

use std::fs;
use std::path::{Path, PathBuf};

/// The commit checked out in a folder or above it; `None` outside of a checkout.
pub fn current_commit(folder: &Path) -> Option<String> {
    let git = folder.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    let git = git_folder(&git)?;
    let head = fs::read_to_string(git.join("HEAD")).ok()?;
    match head.trim().strip_prefix("ref: ") {
        Some(name) => commit_of(&git, name),
        None => Some(head.trim().to_owned()),
    }
}

/// In a linked worktree `.git` is a file with the path of the git folder.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = fs::read_to_string(git).ok()?;
    let target = text.trim().strip_prefix("gitdir: ")?;
    Some(git.parent()?.join(target))
}

/// The commit of a branch, from its own file or packed-refs. A linked worktree shares the branches of its repository.
fn commit_of(git: &Path, name: &str) -> Option<String> {
    let shared = fs::read_to_string(git.join("commondir")).ok().map(|text| git.join(text.trim()));
    [Some(git.to_owned()), shared].into_iter().flatten().find_map(|folder| {
        let loose = fs::read_to_string(folder.join(name)).ok().map(|text| text.trim().to_owned());
        loose.or_else(|| {
            let packed = fs::read_to_string(folder.join("packed-refs")).ok()?;
            let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
            lines.find(|(_, packed)| *packed == name).map(|(commit, _)| commit.to_owned())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the commit found below the folder `top` among these files.
    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let below = folder.path().join("top/a/b");
        fs::create_dir_all(&below).unwrap();
        assert_eq!(current_commit(&below).as_deref(), expected, "{files:?}");
    }

    #[test]
    fn the_commit_is_found_wherever_git_keeps_it() {
        let head = ("top/.git/HEAD", "ref: refs/heads/main\n");
        check(&[("top/.git/HEAD", "abc123\n")], Some("abc123"));
        check(&[head, ("top/.git/refs/heads/main", "def\n")], Some("def"));
        let packed = "# pack\n111 refs/heads/x\n222 refs/heads/main\n";
        check(&[head, ("top/.git/packed-refs", packed)], Some("222"));
        check(&[head], None);
        let linked = [
            ("top/.git", "gitdir: ../main/.git/worktrees/top\n"),
            ("main/.git/worktrees/top/HEAD", "ref: refs/heads/top\n"),
            ("main/.git/worktrees/top/commondir", "../..\n"),
            ("main/.git/refs/heads/top", "abc4\n"),
        ];
        check(&linked, Some("abc4"));
        check(&[("top/x", "")], None);
    }
}
