//! The git commit of the working directory, for the origin in parameter files. Reads git's files without a process.

use std::fs;
use std::path::{Path, PathBuf};

/// The commit of the working folder's repository; `None` outside of one.
pub(super) fn commit() -> Option<String> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().find_map(commit_of)
}

fn commit_of(folder: &Path) -> Option<String> {
    let git = git_folder(&folder.join(".git"))?;
    let head = read(&git.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref: ") else { return Some(head) };
    // A linked worktree has its own HEAD; the branches are in the main repository.
    let common = read(&git.join("commondir")).map_or_else(|| git.clone(), |common| git.join(common));
    read(&common.join(name)).or_else(|| packed(&common.join("packed-refs"), name))
}

/// `.git` is a folder, or a file with the path of the folder.
fn git_folder(path: &Path) -> Option<PathBuf> {
    if path.is_dir() {
        return Some(path.to_owned());
    }
    let place = read(path)?.strip_prefix("gitdir: ")?.to_owned();
    Some(path.with_file_name(place))
}

fn packed(path: &Path, name: &str) -> Option<String> {
    let lines = read(path)?;
    let named = lines.lines().filter_map(|line| line.split_once(' ')).find(|(_, other)| *other == name);
    named.map(|(commit, _)| commit.to_owned())
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        assert_eq!(commit_of(&folder.path().join("top")).as_deref(), expected, "{files:?}");
    }

    #[test]
    fn the_commit_is_found_however_git_keeps_it() {
        let head = ("top/.git/HEAD", "ref: refs/heads/main\n");
        check(&[head, ("top/.git/refs/heads/main", "abc1\n")], Some("abc1"));
        check(&[head, ("top/.git/packed-refs", "# pack-refs\nabc2 refs/heads/main\n")], Some("abc2"));
        check(&[("top/.git/HEAD", "abc3\n")], Some("abc3"));
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
