//! Changes that a page with a token may make: commands to its runs, and positions of lost games added to a test file.
//! The routes are in [`super::pages`].

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smalt_chess::Epd;
use smalt_report::sanitize::is_hidden;

/// Longest line that is added, in bytes.
const MAX_LINE: usize = 4096;

/// Sends commands to running runs.
pub trait RunControl: Send + Sync {
    /// Sends a command in the words of `ctl` to the run of a store; returns its answer. May take seconds.
    ///
    /// # Errors
    /// If no run receives it, or the run refuses, as a sentence.
    fn send(&self, store: &Path, words: &[String]) -> Result<String, String>;

    /// Serves a play page from a position of a run's game, with the access rules of this page; returns its address
    /// from the port on: `PORT/?token=TOKEN`. May take seconds.
    ///
    /// # Errors
    /// If the game, the engine or the page is refused, as a sentence.
    fn play_on(&self, store: &Path, from: &PlayOnForm) -> Result<String, String>;
}

/// A position of a run's game, and the engine that plays on from it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayOnForm {
    /// Number of the game, from 1.
    pub game: u32,
    /// Number of its plies that are played.
    pub ply: usize,
    /// Name of an engine of the run, or `builtin`.
    pub engine: String,
}

/// Changes allowed to a page with a token.
#[derive(Clone)]
pub struct PageCommands {
    pub control: Arc<dyn RunControl>,
    /// File for positions of all runs; `None`: a file beside each store.
    pub suite: Option<PathBuf>,
}

/// A command for a run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CommandForm {
    pub(super) words: Vec<String>,
}

/// A position to add to the test file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionForm {
    epd: String,
}

/// The allowed commands, as JSON for the page.
#[derive(Debug, Serialize)]
pub(super) struct CommandsJson {
    /// Name of the position file; null: one beside each store.
    suite: Option<String>,
}

impl PageCommands {
    pub(super) fn to_json(&self) -> CommandsJson {
        let name = self.suite.as_deref().and_then(Path::file_name);
        CommandsJson { suite: name.map(|name| name.to_string_lossy().into_owned()) }
    }

    /// Adds a position of a run to its file; returns a message.
    ///
    /// # Errors
    /// If it is not an EPD, the file has another format, or it cannot be written, as a sentence.
    pub(super) fn add_position(&self, store: &Path, form: &PositionForm) -> Result<String, String> {
        let path = self.suite.clone().unwrap_or_else(|| store.with_extension("lost.epd"));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match append_line(&path, form.epd.trim()) {
            Ok(true) => Ok(format!("Added to {name}")),
            Ok(false) => Ok(format!("{name} has it already")),
            Err(error) => Err(format!("failed to add to {name}: {error}")),
        }
    }
}

/// Appends a line to an EPD file, created if missing; returns whether the line was new.
fn append_line(path: &Path, line: &str) -> io::Result<bool> {
    let refuse = |words: String| Err(io::Error::new(io::ErrorKind::InvalidData, words));
    if line.len() > MAX_LINE || line.chars().any(|letter| letter != '\t' && is_hidden(letter)) {
        return refuse("expected one line of EPD without control characters".to_owned());
    }
    if let Err(error) = Epd::parse(line) {
        return refuse(error.to_string());
    }
    let mut file = File::options().read(true).append(true).create(true).open(path)?;
    if !file.metadata()?.is_file() {
        return refuse("it is not a regular file".to_owned());
    }
    // Two clicks at once add one line.
    file.lock()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    for (number, known) in (1..).zip(text.lines().map(str::trim)) {
        if known == line {
            return Ok(false);
        }
        let is_note = known.is_empty() || known.starts_with('#');
        if !is_note && let Err(error) = Epd::parse(known) {
            return refuse(format!("it is not an EPD file, line {number}: {error}"));
        }
    }
    let separator = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    file.write_all(format!("{separator}{line}\n").as_bytes())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - am e4; id \"run.db game 1\";";

    #[test]
    fn a_position_is_added_once_behind_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.epd");
        std::fs::write(&path, "# mine\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e3;").unwrap();
        assert!(append_line(&path, LINE).unwrap());
        assert!(!append_line(&path, LINE).unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, format!("# mine\n4k3/8/8/8/8/8/4P3/4K3 w - - bm e3;\n{LINE}\n"));
    }

    #[test]
    fn two_at_once_add_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("suite.epd");
        let adders: Vec<_> = (0..8)
            .map(|_| {
                let path = path.clone();
                std::thread::spawn(move || append_line(&path, LINE).unwrap())
            })
            .collect();
        let added = adders.into_iter().map(|adder| adder.join().unwrap());
        assert_eq!(added.filter(|is_new| *is_new).count(), 1);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{LINE}\n"));
    }

    #[test]
    fn a_file_of_something_else_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.txt");
        std::fs::write(&path, "do not lose this\n").unwrap();
        let refused = append_line(&path, LINE).unwrap_err();
        assert!(refused.to_string().contains("not an EPD file, line 1"), "{refused}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "do not lose this\n");
        let hidden =
            ['\0', '\u{1b}', '\u{202e}'].map(|letter| LINE.replace("run.db", &format!("run{letter}db")));
        assert!(Epd::parse(&hidden[1]).is_ok());
        for bad in ["no position", &format!("{LINE}\n{LINE}"), &hidden[0], &hidden[1], &hidden[2]] {
            assert!(append_line(&folder.path().join("new.epd"), bad).is_err());
        }
        assert!(!folder.path().join("new.epd").exists());
    }
}
