//! Adds commit and date to the version of builds between releases. Debug builds have the plain version, so that a
//! commit alone recompiles nothing. The environment variable SMALT_COMMIT replaces them where there is no git; empty,
//! it makes a release.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=SMALT_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let suffix = if is_release { suffix(&version) } else { String::new() };
    println!("cargo::rustc-env=SMALT_VERSION={version}{suffix}");
}

/// Commit and date in brackets; empty at the release tag.
fn suffix(version: &str) -> String {
    if let Ok(commit) = env::var("SMALT_COMMIT") {
        return if commit.is_empty() { commit } else { format!(" ({commit})") };
    }
    // Asked at run time: checkouts that share a target folder share this program.
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let git = |arguments: &[&str]| {
        #[expect(clippy::disallowed_methods, reason = "a build script has no driver")]
        let output = std::process::Command::new("git").arg("-C").arg(&root).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
        (output.status.success() && !text.is_empty()).then_some(text)
    };
    // A source tarball may be inside another repository.
    let top = git(&["rev-parse", "--show-toplevel"]).and_then(|top| Path::new(&top).canonicalize().ok());
    if top.is_none() || top != root.canonicalize().ok() {
        return " (no git)".to_owned();
    }
    for file in ["HEAD", "logs/HEAD", "refs/tags", "packed-refs"] {
        let path = git(&["rev-parse", "--path-format=absolute", "--git-path", file]);
        // A nonexistent path would make every build stale.
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let tag = format!("v{version}");
    if git(&["describe", "--tags", "--exact-match", "--match", &tag]).is_some() {
        return String::new();
    }
    let commit = git(&["describe", "--always", "--dirty", "--abbrev=9", "--exclude=*"]).unwrap_or_default();
    let date = git(&["log", "-1", "--format=%cs"]).unwrap_or_default();
    format!(" ({commit} {date})")
}
