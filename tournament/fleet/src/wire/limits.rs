//! How long and how many the parts of a message may be, and which letters they may have.

use super::{Announcement, Answer, Introduction, Message, Question, RecordMessage, Report, WorkMessage};
use smalt_match::plan::is_run_name;
use smalt_report::sanitize::is_hidden;

/// The longest name or word of a message, in letters.
const LONGEST_NAME: usize = 200;
/// The longest explanation.
pub(super) const LONGEST_WORDS: usize = 4_000;
/// The most lines of a transcript, and the longest of them in bytes.
pub(super) const MOST_LINES: usize = 200;
pub(super) const LONGEST_LINE: usize = 5_000;
/// All of its lines together.
pub(super) const LONGEST_TRANSCRIPT: usize = 64_000;
/// The most games at once, and cores, of a machine.
pub const MOST_SLOTS: usize = 1_024;
const MOST_CORES: u32 = 65_536;
/// The most games of a pair, entrants of a run, and plies of an opening.
const MOST_GAMES: usize = 2;
const MOST_ENTRANTS: usize = 10_000;
const MOST_OPENING_PLIES: usize = 1_000;

fn check_text(what: &str, text: &str, longest: usize) -> Result<(), String> {
    if text.chars().count() > longest {
        return Err(format!("{what} is longer than {longest} letters"));
    }
    if text.chars().any(is_hidden) {
        Err(format!("{what} has control characters, or others that are not seen"))
    } else {
        Ok(())
    }
}

/// Checks what a worker calls itself: a name that can stand in any table.
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
    if text.trim().is_empty() {
        Err(format!("{what} is empty"))
    } else {
        check_text(what, text, LONGEST_NAME)
    }
}

fn check_token(what: &str, text: &str) -> Result<(), String> {
    if is_run_name(text) { Ok(()) } else { Err(format!("{what} is no name")) }
}

fn check_count(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count > most { Err(format!("{count} {what}, and {most} are the most")) } else { Ok(()) }
}

pub(super) fn check_transcript(lines: &[String]) -> Result<(), String> {
    check_count("lines of a transcript", lines.len(), MOST_LINES)?;
    check_count("bytes of a line", lines.iter().map(String::len).max().unwrap_or(0), LONGEST_LINE)?;
    check_count("bytes of a transcript", lines.iter().map(String::len).sum(), LONGEST_TRANSCRIPT)?;
    let is_plain = |line: &String| line.chars().all(|letter| letter == '\t' || !is_hidden(letter));
    if lines.iter().all(is_plain) { Ok(()) } else { Err("a transcript has control characters".to_owned()) }
}

impl Message for Announcement {
    fn check(&self) -> Result<(), String> {
        check_token("run", &self.run)?;
        check_token("session", &self.session)?;
        check_text("name", &self.name, LONGEST_NAME)
    }
}

impl Message for Question {
    fn check(&self) -> Result<(), String> {
        match self {
            Question::Terms | Question::Take { .. } => Ok(()),
            Question::Join(introduction) => introduction.check(),
            Question::Result { record, .. } => record.check(),
            Question::Tell(report) => report.check(),
        }
    }
}

impl Introduction {
    fn check(&self) -> Result<(), String> {
        check_machine(&self.name)?;
        check_text("program", &self.program, LONGEST_NAME)?;
        check_text("cpu", &self.cpu, LONGEST_NAME)?;
        check_count("entrants", self.engines.len(), MOST_ENTRANTS)?;
        if self.speed == 0 || self.slots == 0 || self.slots as usize > MOST_SLOTS || self.cores > MOST_CORES {
            return Err("speed, slots or cores make no sense".to_owned());
        }
        self.engines.iter().try_for_each(|engine| {
            check_text("name of an engine", &engine.name, LONGEST_NAME)?;
            check_text("author", &engine.author, LONGEST_NAME)?;
            let is_digest = engine.sha256.len() == 64 && engine.sha256.bytes().all(|b| b.is_ascii_hexdigit());
            if is_digest { Ok(()) } else { Err("sha256 is none".to_owned()) }
        })
    }
}

impl Report {
    fn check(&self) -> Result<(), String> {
        match self {
            Report::Alive | Report::Started { .. } | Report::Leaving => Ok(()),
            Report::Fault { name, words, transcript, .. } => {
                check_name("name of a fault", name)?;
                check_text("words", words, LONGEST_WORDS)?;
                check_transcript(transcript)
            }
            Report::Unfit { name, words } => {
                check_machine(name)?;
                check_text("words", words, LONGEST_WORDS)
            }
            Report::Warning { words, .. } | Report::Unable { words, .. } => {
                check_text("words", words, LONGEST_WORDS)
            }
        }
    }
}

impl RecordMessage {
    fn check(&self) -> Result<(), String> {
        let Some(fault) = &self.fault else { return Ok(()) };
        check_name("name of a fault", &fault.name)?;
        check_text("words", &fault.words, LONGEST_WORDS)?;
        check_transcript(&fault.transcript)
    }
}

impl Message for Answer {
    fn check(&self) -> Result<(), String> {
        match self {
            Answer::Terms(terms) if !(100..=86_400_000).contains(&terms.lease_ms) => {
                Err("the lease makes no sense".to_owned())
            }
            Answer::Refused { words } => check_text("words", words, LONGEST_WORDS),
            Answer::Games { games } => check_count("games", games.len(), MOST_GAMES),
            _ => Ok(()),
        }
    }
}

impl Message for WorkMessage {
    fn check(&self) -> Result<(), String> {
        check_count("games", self.games.len(), MOST_GAMES)?;
        self.games.iter().try_for_each(|game| {
            check_count("plies of an opening", game.moves.len(), MOST_OPENING_PLIES)?;
            if game.white == game.black { Err("an engine meets itself".to_owned()) } else { Ok(()) }
        })
    }
}
