//! Why a program cannot be found or executed.

use std::path::PathBuf;

/// Why no program can be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LookupError {
    #[error("find `{}` (looked in {}){}", program.display(), folders(looked_in), question(hint.as_deref()))]
    NotFound {
        /// As given by the user.
        program: PathBuf,
        looked_in: Vec<PathBuf>,
        /// The program of that name in the current folder, or else the nearest program name there, if one is near.
        hint: Option<String>,
    },
    #[error("run `{}`: it is not executable (chmod +x it)", path.display())]
    NotExecutable { path: PathBuf },
    #[error("run `{}`: it is a folder", path.display())]
    IsFolder { path: PathBuf },
    #[error("run `{}`: it is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    #[error("run `{}`: its first line ends with CRLF, as on Windows (dos2unix it)", path.display())]
    CrLf { path: PathBuf },
    #[error("run `{}`: it is neither a program for this machine nor a script that begins with #!", path.display())]
    ForeignFormat { path: PathBuf },
    #[error("run `{}`: its interpreter `{}` does not exist", path.display(), interpreter.display())]
    NoInterpreter {
        path: PathBuf,
        /// The path after `#!`, or the dynamic linker of a program.
        interpreter: PathBuf,
    },
    #[error("enter the working folder `{}`: there is no such folder", directory.display())]
    NoDirectory {
        /// As given by the user.
        directory: PathBuf,
    },
}

fn folders(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn question(hint: Option<&str>) -> String {
    hint.map(|hint| format!("; did you mean `{hint}`?")).unwrap_or_default()
}
