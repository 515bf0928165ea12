//! Limits of message parts: lengths, counts, characters.

use super::{
    Announcement, FileMessage, FilePurpose, Message, RecordMessage, Response, WorkMessage, WorkerNotice,
    WorkerRequest, is_table_name,
};
use smalt_match::game::MachineReport;
use smalt_match::plan::is_run_name;
use smalt_report::sanitize::is_hidden;

/// Maximum length of a name, in characters.
const MAX_NAME: usize = 200;
pub(super) const MAX_TEXT: usize = 4_000;
/// Maximum number of lines of a transcript, and bytes per line.
pub(super) const MAX_LINES: usize = 200;
pub(super) const MAX_LINE: usize = 5_000;
/// Maximum bytes of a transcript.
pub(super) const MAX_TRANSCRIPT: usize = 64_000;
/// Maximum number of concurrent games and cores of a machine.
pub const MAX_SLOTS: usize = 1_024;
const MAX_CORES: u32 = 65_536;
/// Maximum speed of a machine in nodes per second, bytes of memory, and microseconds of an overrun.
pub const MAX_FIGURE: u64 = 1_000_000_000_000_000;
/// Maximum number of games of a pair, entrants of a run, and plies of an opening.
const MAX_GAMES: usize = 2;
const MAX_ENTRANTS: usize = 10_000;
const MAX_OPENING_PLIES: usize = 1_000;
/// Maximum number of files of a run, and their bytes together.
const MAX_FILES: usize = 5_000;
const MAX_FILE_BYTES: u64 = 1 << 34;

fn check_text(what: &str, text: &str, longest: usize) -> Result<(), String> {
    if text.chars().count() > longest {
        return Err(format!("{what} is longer than {longest} letters"));
    }
    if text.chars().any(is_hidden) {
        Err(format!("{what} has control characters or invisible ones"))
    } else {
        Ok(())
    }
}

/// Checks the name of a worker.
///
/// # Errors
/// If it is empty, too long, or has other characters than letters, digits, spaces and `.`, `_`, `-`.
pub fn check_machine(name: &str) -> Result<(), String> {
    check_name("name", name)?;
    let fits = |letter: char| letter.is_alphanumeric() || " ._-".contains(letter);
    if name.chars().all(fits) {
        Ok(())
    } else {
        Err("name has other characters than letters, digits, spaces, dots, - and _".to_owned())
    }
}

fn check_name(what: &str, text: &str) -> Result<(), String> {
    if text.trim().is_empty() { Err(format!("{what} is empty")) } else { check_text(what, text, MAX_NAME) }
}

fn check_token(what: &str, text: &str) -> Result<(), String> {
    if is_run_name(text) { Ok(()) } else { Err(format!("{what} is not a name")) }
}

fn check_count(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(format!("{count} {what}, and {most} are the most")) } else { Ok(()) }
}

fn check_figures(what: &str, figures: &[Option<u64>]) -> Result<(), String> {
    match figures.iter().flatten().find(|&&figure| figure > MAX_FIGURE) {
        Some(figure) => Err(format!("{what} is {figure}, and {MAX_FIGURE} is the most")),
        None => Ok(()),
    }
}

pub(super) fn check_transcript(lines: &[String]) -> Result<(), String> {
    check_count("lines of a transcript", lines.len(), MAX_LINES)?;
    check_count("bytes of a line", lines.iter().map(String::len).max().unwrap_or(0), MAX_LINE)?;
    check_count("bytes of a transcript", lines.iter().map(String::len).sum(), MAX_TRANSCRIPT)?;
    let is_plain = |line: &String| line.chars().all(|letter| letter == '\t' || !is_hidden(letter));
    if lines.iter().all(is_plain) { Ok(()) } else { Err("a transcript has control characters".to_owned()) }
}

impl Message for Announcement {
    fn check(&self) -> Result<(), String> {
        check_token("run", &self.run)?;
        check_token("session", &self.session)?;
        check_text("name", &self.name, MAX_NAME)
    }
}

impl Message for WorkerRequest {
    fn check(&self) -> Result<(), String> {
        match self {
            WorkerRequest::Config | WorkerRequest::Take { .. } | WorkerRequest::OldJoin(_) => Ok(()),
            WorkerRequest::Join { config, machine } => {
                check_digest("config", config)?;
                check_machine_report(machine)
            }
            WorkerRequest::Result { record, .. } => record.check(),
            WorkerRequest::Notify(report) => report.check(),
        }
    }
}

fn check_machine_report(machine: &MachineReport) -> Result<(), String> {
    check_machine(&machine.name)?;
    check_text("program", &machine.program, MAX_NAME)?;
    check_text("cpu", &machine.cpu, MAX_NAME)?;
    check_count("entrants", machine.engines.len(), MAX_ENTRANTS)?;
    if !(1..=MAX_FIGURE).contains(&machine.speed)
        || machine.slots == 0
        || machine.slots as usize > MAX_SLOTS
        || machine.cores > MAX_CORES
    {
        return Err("speed, slots or cores are invalid".to_owned());
    }
    machine.engines.iter().try_for_each(|engine| {
        check_text("name of an engine", &engine.name, MAX_NAME)?;
        check_text("author", &engine.author, MAX_NAME)?;
        check_digest("sha256", &engine.sha256)
    })
}

fn check_digest(what: &str, text: &str) -> Result<(), String> {
    let is_digest = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_digest { Ok(()) } else { Err(format!("{what} is no SHA-256")) }
}

impl WorkerNotice {
    fn check(&self) -> Result<(), String> {
        match self {
            WorkerNotice::Alive | WorkerNotice::Started { .. } | WorkerNotice::Leaving => Ok(()),
            WorkerNotice::Fault { name, words, transcript, .. } => {
                check_name("name of a fault", name)?;
                check_text("words", words, MAX_TEXT)?;
                check_transcript(transcript)
            }
            WorkerNotice::Unfit { name, words } => {
                check_machine(name)?;
                check_text("words", words, MAX_TEXT)
            }
            WorkerNotice::Warning { words, .. } | WorkerNotice::Unable { words, .. } => {
                check_text("words", words, MAX_TEXT)
            }
        }
    }
}

impl RecordMessage {
    fn check(&self) -> Result<(), String> {
        check_figures("the memory of an engine", &self.peak_memory)?;
        let Some(fault) = &self.fault else { return Ok(()) };
        check_figures("the overrun of a fault", &[fault.overrun_us])?;
        check_name("name of a fault", &fault.name)?;
        check_text("words", &fault.words, MAX_TEXT)?;
        check_transcript(&fault.transcript)
    }
}

impl Message for Response {
    fn check(&self) -> Result<(), String> {
        match self {
            Response::Config(config) if !(100..=86_400_000).contains(&config.lease_ms) => {
                Err("the lease is invalid".to_owned())
            }
            Response::Config(config) => {
                check_files(config.files.iter().map(|file| file.bytes))?;
                config.files.iter().try_for_each(check_file)
            }
            Response::Refused { words } => check_text("words", words, MAX_TEXT),
            Response::Welcome { session } => check_token("session", session),
            Response::Games { games } => check_count("games", games.len(), MAX_GAMES),
            _ => Ok(()),
        }
    }
}

/// Checks the sizes of the files of a run.
///
/// # Errors
/// If they are too many or too large.
pub(crate) fn check_files(bytes: impl ExactSizeIterator<Item = u64>) -> Result<(), String> {
    check_count("files", bytes.len(), MAX_FILES)?;
    let bytes = bytes.fold(0, u64::saturating_add);
    if bytes > MAX_FILE_BYTES {
        return Err(format!("the files have {bytes} bytes, and {MAX_FILE_BYTES} are the most"));
    }
    Ok(())
}

fn check_file(file: &FileMessage) -> Result<(), String> {
    let is_digest =
        |text: &str| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_digest(&file.sha256) {
        return Err("a file has no SHA-256".to_owned());
    }
    match &file.purpose {
        FilePurpose::Program { platform, .. } => check_text("platform", platform, MAX_NAME),
        FilePurpose::Option { option, .. } => check_text("option", option, MAX_NAME),
        FilePurpose::Table { name } if !is_table_name(name) => {
            Err("an endgame table has another name".to_owned())
        }
        FilePurpose::Book { .. } | FilePurpose::Table { .. } => Ok(()),
    }
}

impl Message for WorkMessage {
    fn check(&self) -> Result<(), String> {
        check_count("games", self.games.len(), MAX_GAMES)?;
        self.games.iter().try_for_each(|game| {
            check_count("plies of an opening", game.moves.len(), MAX_OPENING_PLIES)?;
            if game.white == game.black { Err("an engine plays itself".to_owned()) } else { Ok(()) }
        })
    }
}
