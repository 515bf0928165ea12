//! The files that make up an engine: its program, and the scripts and networks that its arguments and options
//! name. Results of one run must not mix two versions of them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ring::digest::{Context, SHA256};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::entrant::{EngineSettings, is_input_option};
use crate::file_stamp::FileStamp;

/// Extensions of files that interpreters, wine and engines load when an argument names them.
const LOADED: [&str; 15] =
    ["bat", "dll", "exe", "jar", "js", "lua", "mjs", "nnue", "pb", "php", "pl", "py", "rb", "sh", "ts"];

/// The files of an engine with their digests.
#[derive(Debug)]
pub struct EngineFiles {
    /// The program, then the other files.
    files: Vec<HashedFile>,
}

#[derive(Debug)]
struct HashedFile {
    path: PathBuf,
    sha256: String,
    /// Stamp of the file when its digest was last compared.
    seen: Mutex<FileStamp>,
}

impl EngineFiles {
    /// The program, and the files that the arguments and the options name for reading; relative names are those of the
    /// working folder.
    pub fn paths_of(
        program: &Path,
        arguments: &[String],
        options: &BTreeMap<String, String>,
        directory: Option<&Path>,
    ) -> Vec<PathBuf> {
        let loaded = arguments.iter().map(|argument| value_of(argument).to_owned());
        let loaded = loaded.filter(|value| is_loaded(value));
        let read = options.iter().filter(|(name, _)| is_input_option(name) && !is_book_option(name));
        let read = read.map(|(_, value)| value.clone());
        let place =
            |name: String| directory.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
        let named = loaded.chain(read).map(place).filter(|path| path.is_file());
        std::iter::once(program.to_owned()).chain(named).collect()
    }

    /// Reads and hashes these files, the program first.
    ///
    /// # Errors
    /// If a file cannot be read; the text begins with its path.
    pub fn read(paths: Vec<PathBuf>) -> io::Result<EngineFiles> {
        Ok(EngineFiles { files: paths.into_iter().map(HashedFile::read).collect::<io::Result<_>>()? })
    }

    /// SHA-256 of the program, in hexadecimal.
    pub fn program_digest(&self) -> &str {
        &self.files[0].sha256
    }

    /// SHA-256 in hexadecimal: of the program if it is the only file, else of the digests of all files.
    pub fn digest(&self) -> String {
        match &self.files[..] {
            [program] => program.sha256.clone(),
            files => {
                let digests: String = files.iter().map(|file| &*file.sha256).collect();
                hexadecimal(ring::digest::digest(&SHA256, digests.as_bytes()).as_ref())
            }
        }
    }

    /// The program, then the other files.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.iter().map(|file| &file.path)
    }

    /// A file with other content than at the start. Files that cannot be read count as unchanged.
    pub fn changed(&self) -> Option<&Path> {
        self.files.iter().find(|file| file.has_changed()).map(|file| &*file.path)
    }
}

impl HashedFile {
    fn read(path: PathBuf) -> io::Result<HashedFile> {
        let read = || {
            let mut file = File::open(&path)?;
            let seen = FileStamp::of(&file.metadata()?);
            Ok((sha256(&mut file)?, Mutex::new(seen)))
        };
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let (sha256, seen) = read().map_err(failed)?;
        Ok(HashedFile { path, sha256, seen })
    }

    fn has_changed(&self) -> bool {
        let Ok(now) = fs::metadata(&self.path).map(|found| FileStamp::of(&found)) else { return false };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if now == *seen {
            return false;
        }
        match File::open(&self.path).and_then(|mut file| sha256(&mut file)) {
            Ok(sha256) if sha256 != self.sha256 => true,
            Ok(_) => {
                *seen = now;
                false
            }
            Err(_) => false,
        }
    }
}

/// All files that an engine reads as far as its settings name them: its program, its books, and those among its arguments and
/// options.
pub fn input_files(engine: &EngineSettings, program: Option<PathBuf>) -> Vec<PathBuf> {
    let value = |argument: &String| value_of(argument).to_owned();
    let options = engine.option_texts().into_iter().filter(|(name, _)| is_input_option(name));
    let values = engine.args.iter().map(value).chain(options.map(|(_, value)| value));
    let place =
        |name: String| engine.dir.as_ref().map_or_else(|| PathBuf::from(&name), |dir| dir.join(&name));
    let named = values.map(place).filter(|path| path.is_file());
    program.into_iter().chain(engine.book.clone()).chain(named).collect()
}

/// The file that an argument may name: `--weights=net.nnue` names one, too.
fn value_of(argument: &str) -> &str {
    argument.rsplit_once('=').map_or(argument, |(_, value)| value)
}

/// Some engines write what they learn into their book.
fn is_book_option(name: &str) -> bool {
    name.to_ascii_lowercase().contains("book")
}

fn is_loaded(name: &str) -> bool {
    let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| LOADED.iter().any(|loaded| extension.eq_ignore_ascii_case(loaded)))
}

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// If it cannot be read.
pub fn sha256(file: &mut File) -> io::Result<String> {
    let mut context = Context::new(&SHA256);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => context.update(&buffer[..count]),
        }
    }
    Ok(hexadecimal(context.finish().as_ref()))
}

/// Random bytes for names and tokens that nobody can guess, as hexadecimal digits.
///
/// # Errors
/// If the system gives no random numbers.
pub fn random_hexadecimal(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    let filled = SystemRandom::new().fill(&mut random);
    filled.map_err(|_| io::Error::other("the system gives no random numbers"))?;
    Ok(hexadecimal(&random))
}

/// Bytes as lower case hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From FIPS 180-2, appendix B.1.
    #[test]
    fn the_digest_of_a_file_is_that_of_its_bytes() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "abc").unwrap();
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&mut File::open(file.path()).unwrap()).unwrap(), expected);
        let alone = EngineFiles::read(vec![file.path().to_owned()]).unwrap();
        assert_eq!([alone.program_digest(), &alone.digest()], [expected; 2]);
    }

    #[test]
    fn a_changed_script_or_network_is_noticed_and_a_log_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["python3", "engine.py", "a.nnue", "b.net", "log.txt"];
        let paths = names.map(|name| folder.path().join(name));
        for path in &paths {
            fs::write(path, "first").unwrap();
        }
        let arguments = ["-u", "engine.py", "--net=a.nnue", "--log", "log.txt"].map(str::to_owned);
        let options =
            [("EvalFile", "b.net"), ("BookFile", "log.txt"), ("Debug Log File", "log.txt"), ("Hash", "16")];
        let options = options.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let read = || {
            EngineFiles::read(EngineFiles::paths_of(&paths[0], &arguments, &options, Some(folder.path())))
                .unwrap()
        };
        let files = read();
        assert!(files.paths().eq(&paths[..4]), "{files:?}");
        for (index, path) in paths.iter().enumerate() {
            fs::write(path, "second").unwrap();
            let is_loaded = index < 4;
            assert_eq!(files.changed(), is_loaded.then_some(&**path), "{}", path.display());
            assert_eq!(read().digest() != files.digest(), is_loaded, "{}", path.display());
            fs::write(path, "first").unwrap();
            assert_eq!(files.changed(), None, "{}", path.display());
        }
    }
}
