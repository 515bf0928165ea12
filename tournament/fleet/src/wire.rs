//! Worker protocol: the messages between coordinator and workers, versioned, limited in size, untrusted. Parsing checks
//! the form only; [`super::verify`] and [`super::fleet_state`] check the content.
//!
//! A message is the line `smalt VERSION` followed by JSON. It never holds commands, arguments or paths.

use std::time::Duration;

use ring::digest::{SHA256, digest};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use smalt_chess::{CastlingMode, Color, Game, Outcome, Position, UciMove};
use smalt_workbench::engine_files::hexadecimal;

mod limits;

pub(crate) use limits::check_files;
pub use limits::{MAX_FIGURE, MAX_SLOTS, check_machine};
use limits::{MAX_LINE, MAX_LINES, MAX_TEXT, MAX_TRANSCRIPT};

use smalt_match::game::{FaultReport, GameRecord, MachineReport, PlyRecord, moves};
use smalt_match::opening::Opening;
use smalt_match::run::{OpenedGame, Work};
use smalt_match::schedule::ScheduledGame;
use smalt_report::sanitize::{is_hidden, sanitize};

/// Version of the messages; others are refused. Since version 2 the subject of a request names the worker; since version 3 a
/// fault has its illegal move. A worker of version 3 may be older than [`WorkerRequest::Join`]; it is refused in words.
pub const VERSION: u32 = 3;

/// Longest message in bytes, a little below the default limit of a server.
pub(crate) const MAX_MESSAGE_BYTES: usize = 1_000_000;

/// Why a message is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    #[error("read a message: it has {0} bytes, and {MAX_MESSAGE_BYTES} is the most")]
    TooLong(usize),
    #[error(
        "read a message: it is not of version {VERSION}; use the same version of smalt-tournament everywhere"
    )]
    Version,
    #[error("read a message: {0}")]
    Form(String),
}

/// Announcement of a run by its coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// Name of the run on the server.
    pub run: String,
    /// Session of the coordinator; a resumed run has another.
    pub session: String,
    /// Title of the run.
    pub name: String,
}

/// A request of a worker to a coordinator. The subject names the worker, and the server may bind it to a
/// user; a result is identified by its game number, so that it counts once however often it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum WorkerRequest {
    /// Request the run's configuration.
    #[serde(rename = "terms")]
    Config,
    /// Joins, prepared for the configuration with this digest.
    #[serde(rename = "join-config")]
    Join { config: String, machine: Box<MachineReport> },
    /// The join of earlier programs, which does not name the configuration.
    #[serde(rename = "join")]
    OldJoin(Box<MachineReport>),
    /// Take a pair; the answer lists its games to be played.
    Take { pair: u32 },
    /// The result of a game; answered once it is stored.
    Result { pair: u32, game: u32, record: Box<RecordMessage> },
    /// A notice, without an answer.
    #[serde(rename = "tell")]
    Notify(WorkerNotice),
}

/// A notice of a worker, without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum WorkerNotice {
    Alive,
    Started {
        game: u32,
    },
    /// A fault outside of a game.
    Fault {
        /// Index of the entrant.
        entrant: u32,
        name: String,
        words: String,
        transcript: Vec<String>,
    },
    /// A warning about an engine.
    Warning {
        /// Index of the entrant.
        entrant: u32,
        /// Description that follows the engine's name.
        words: String,
    },
    /// An engine cannot be started; the worker leaves.
    Unable {
        /// Index of the entrant.
        entrant: u32,
        times: u32,
        /// Reason of the last failure.
        words: String,
    },
    /// The worker cannot play this run.
    Unfit {
        /// Name of the worker.
        name: String,
        words: String,
    },
    /// The worker leaves; its unsent games go to others.
    Leaving,
}

/// A response of the coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Response {
    #[serde(rename = "terms")]
    Config(Box<RunConfigMessage>),
    /// The worker has joined; the session is the coordinator's.
    Welcome {
        session: String,
    },
    Refused {
        words: String,
    },
    /// The worker was prepared for another configuration: request it again.
    Changed,
    /// Unknown worker: join first.
    Unknown,
    /// The games of the pair to be played.
    Games {
        games: Vec<u32>,
    },
    /// The game is in the store.
    Stored,
    /// The game is no longer needed.
    Unneeded,
    Later,
}

/// Configuration of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfigMessage {
    /// The plan as TOML, without commands, paths and outputs: see [`super::run_config`].
    pub plan: String,
    /// Largest number of pieces adjudicated by endgame tables, if any.
    pub tables: Option<u32>,
    /// Lease time in milliseconds.
    pub lease_ms: u64,
    /// Files for workers that accept them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileMessage>,
}

impl RunConfigMessage {
    /// SHA-256 in hexadecimal: what a worker was prepared for.
    pub fn digest(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        hexadecimal(digest(&SHA256, text.as_bytes()).as_ref())
    }
}

/// A file in the run's bucket of the object store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileMessage {
    pub purpose: FilePurpose,
    /// SHA-256 in hexadecimal: its name in the bucket.
    pub sha256: String,
    pub bytes: u64,
}

/// What a file is for. Entrants are indices of the plan's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum FilePurpose {
    /// Program of an entrant, for a processor and system like `x86_64-linux`.
    Program {
        entrant: u32,
        platform: String,
        /// Node count of its `bench`, by the message of the commit that it was built from.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bench: Option<u64>,
    },
    /// Value of an entrant's option.
    Option { entrant: u32, option: String },
    /// Opening book of an entrant.
    Book { entrant: u32 },
    /// An endgame table, e.g. `KQvK.rtbw`.
    Table { name: String },
}

impl FilePurpose {
    /// Description for users.
    pub(crate) fn words(&self) -> String {
        match self {
            FilePurpose::Program { entrant, .. } => format!("the program of engine {}", entrant + 1),
            FilePurpose::Option { entrant, option } => format!("the {option} of engine {}", entrant + 1),
            FilePurpose::Book { entrant } => format!("the book of engine {}", entrant + 1),
            FilePurpose::Table { name } => format!("the endgame table {name}"),
        }
    }
}

/// Whether this is the file name of a Syzygy table: the pieces of both sides, and an extension.
pub(crate) fn is_table_name(name: &str) -> bool {
    let pieces = name.strip_suffix(".rtbw").or_else(|| name.strip_suffix(".rtbz"));
    pieces.is_some_and(|pieces| pieces.len() <= 8 && pieces.chars().all(|letter| "KQRBNPv".contains(letter)))
}

/// A pair in the work queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkMessage {
    pair: u32,
    games: Vec<GameMessage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameMessage {
    number: u32,
    round: u32,
    white: u32,
    black: u32,
    opening: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fen: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
}

/// The result of a game, as a worker reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordMessage {
    /// Moves with search data, in the store's text form.
    moves: String,
    outcome: String,
    termination: String,
    duration_us: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<FaultMessage>,
    peak_memory: [Option<u64>; 2],
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultMessage {
    white: bool,
    name: String,
    words: String,
    transcript: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    illegal_move: Option<String>,
    /// How late the move of a loss on time was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    overrun_us: Option<u64>,
}

/// The part of a [`GameRecord`] that a worker reports; the rest is known.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    pub plies: Vec<PlyRecord>,
    pub outcome: Outcome,
    pub termination: smalt_match::game::Termination,
    pub duration: Duration,
    pub fault: Option<FaultReport>,
    pub peak_memory: [Option<u64>; 2],
}

pub trait Message: Serialize + DeserializeOwned {
    /// Checks the limits of its parts.
    ///
    /// # Errors
    /// Names the first part beyond its limit.
    fn check(&self) -> Result<(), String>;
}

/// Encodes a message.
///
/// # Errors
/// If it would be longer than [`MAX_MESSAGE_BYTES`].
pub fn encode<M: Message>(message: &M) -> Result<Vec<u8>, WireError> {
    let mut bytes = format!("smalt {VERSION}\n").into_bytes();
    serde_json::to_writer(&mut bytes, message).map_err(|error| WireError::Form(error.to_string()))?;
    if bytes.len() > MAX_MESSAGE_BYTES { Err(WireError::TooLong(bytes.len())) } else { Ok(bytes) }
}

/// Decodes a message.
///
/// # Errors
/// If it is too long, of another version, or has another form.
pub fn decode<M: Message>(bytes: &[u8]) -> Result<M, WireError> {
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(WireError::TooLong(bytes.len()));
    }
    let body = bytes.strip_prefix(format!("smalt {VERSION}\n").as_bytes()).ok_or(WireError::Version)?;
    let message: M = serde_json::from_slice(body).map_err(|error| WireError::Form(error.to_string()))?;
    message.check().map_err(WireError::Form)?;
    Ok(message)
}

impl From<&Work> for WorkMessage {
    fn from(work: &Work) -> WorkMessage {
        WorkMessage { pair: work.pair, games: work.games.iter().map(GameMessage::from).collect() }
    }
}

impl From<&OpenedGame> for GameMessage {
    fn from(OpenedGame { game, opening }: &OpenedGame) -> GameMessage {
        let mode = CastlingMode::of(&opening.position);
        GameMessage {
            number: game.number,
            round: game.round,
            white: game.white as u32,
            black: game.black as u32,
            opening: game.opening as u32,
            fen: opening.fen.clone(),
            moves: opening.moves.iter().map(|&mv| UciMove::from_move(mv, mode).to_string()).collect(),
        }
    }
}

impl WorkMessage {
    pub fn pair(&self) -> u32 {
        self.pair
    }

    /// The work of this message, in a run with this number of entrants.
    ///
    /// # Errors
    /// If an opening is illegal, or an entrant does not exist.
    pub fn to_work(&self, entrants: usize) -> Result<Work, WireError> {
        let games: Option<Vec<_>> = self.games.iter().map(|game| game.to_game(self.pair, entrants)).collect();
        let refuse = || WireError::Form(format!("pair {} is invalid", self.pair));
        Ok(Work { pair: self.pair, games: games.ok_or_else(refuse)? })
    }
}

impl GameMessage {
    fn to_game(&self, pair: u32, entrants: usize) -> Option<OpenedGame> {
        let [white, black] = [self.white as usize, self.black as usize];
        if white >= entrants || black >= entrants {
            return None;
        }
        let GameMessage { number, round, opening, .. } = *self;
        let game = ScheduledGame { number, pair, round, white, black, opening: opening as usize };
        Some(OpenedGame { game, opening: read_opening(self.fen.as_deref(), &self.moves)? })
    }
}

fn read_opening(fen: Option<&str>, words: &[String]) -> Option<Opening> {
    let start = match fen {
        Some(fen) => Opening::from_position(Position::from_fen(fen).ok()?),
        None => Opening::standard(),
    };
    let mut game = Game::new(start.position);
    for word in words {
        game.play(UciMove::parse(word).ok()?.to_move(game.position()).ok()?).ok()?;
    }
    // The FEN as it was written: engines receive this text.
    let fen = fen.map(str::to_owned);
    game.position().ending().is_none().then(|| Opening { moves: game.moves().to_vec(), fen, ..start })
}

impl From<&GameRecord> for RecordMessage {
    fn from(record: &GameRecord) -> RecordMessage {
        RecordMessage {
            moves: moves::to_text(&record.plies),
            outcome: record.outcome.to_string(),
            termination: record.termination.name().to_owned(),
            duration_us: microseconds(record.duration),
            fault: record.fault.as_ref().map(FaultMessage::from),
            peak_memory: record.peak_memory,
        }
    }
}

impl From<&FaultReport> for FaultMessage {
    fn from(fault: &FaultReport) -> FaultMessage {
        FaultMessage {
            white: fault.color == Color::White,
            name: fault.name.clone(),
            words: trimmed(&fault.words),
            transcript: trimmed_transcript(&fault.transcript),
            illegal_move: fault.illegal_move.map(|mv| mv.to_string()),
            overrun_us: fault.overrun.map(microseconds),
        }
    }
}

fn microseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

impl FaultMessage {
    /// The fault; `None` if its move is invalid.
    fn to_report(&self) -> Option<FaultReport> {
        Some(FaultReport {
            color: if self.white { Color::White } else { Color::Black },
            name: self.name.clone(),
            words: self.words.clone(),
            transcript: self.transcript.clone(),
            illegal_move: self.illegal_move.as_deref().map(UciMove::parse).transpose().ok()?,
            overrun: self.overrun_us.map(Duration::from_micros),
        })
    }
}

/// A text on one line and within the limit.
pub(crate) fn trimmed(words: &str) -> String {
    words.chars().take(MAX_TEXT).map(|c| if is_hidden(c) { ' ' } else { c }).collect()
}

/// The last lines of a transcript within the limits.
pub(crate) fn trimmed_transcript(lines: &[String]) -> Vec<String> {
    let skipped = lines.len().saturating_sub(MAX_LINES);
    let mut room = MAX_TRANSCRIPT;
    let mut kept = Vec::new();
    for line in lines.iter().skip(skipped).rev() {
        let mut line = sanitize(line);
        line.truncate(line.floor_char_boundary(MAX_LINE));
        let Some(rest) = room.checked_sub(line.len()) else { break };
        room = rest;
        kept.push(line);
    }
    kept.reverse();
    kept
}

impl RecordMessage {
    /// The record without principal variations, for messages that are too long with them.
    #[must_use]
    pub(crate) fn without_variations(mut self) -> RecordMessage {
        if let Some(mut plies) = moves::parse(&self.moves) {
            plies
                .iter_mut()
                .filter_map(|ply| ply.search.as_mut())
                .for_each(|search| search.pv = Box::default());
            self.moves = moves::to_text(&plies);
        }
        self
    }

    /// Parses the report.
    ///
    /// # Errors
    /// If a part is invalid.
    pub fn to_report(&self) -> Result<GameReport, WireError> {
        let refuse = |what: &str| WireError::Form(format!("the {what} of a game is invalid"));
        let fault = match &self.fault {
            Some(fault) => Some(fault.to_report().ok_or_else(|| refuse("illegal move"))?),
            None => None,
        };
        Ok(GameReport {
            plies: moves::parse(&self.moves).ok_or_else(|| refuse("list of moves"))?,
            outcome: Outcome::parse(&self.outcome).ok_or_else(|| refuse("result"))?,
            termination: self.termination.parse().map_err(|_| refuse("ending"))?,
            duration: Duration::from_micros(self.duration_us),
            fault,
            peak_memory: self.peak_memory,
        })
    }
}

#[cfg(test)]
pub(super) mod tests;
