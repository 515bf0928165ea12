//! The messages between a run and its workers: texts with a version, limits of size, and no trust. What is read here has
//! the right form and nothing more; whether it is true is for [`super::verify`] and [`super::fleet_state`]. Knows no server.
//!
//! A message is the line `smalt 2` and a JSON value behind it. Nothing in it is ever run: commands, arguments and paths
//! are no part of any message.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use smalt_chess::{CastlingMode, Color, Game, Outcome, Position, UciMove};

mod limits;

use limits::{MAX_LINE, MAX_LINES, MAX_TEXT, MAX_TRANSCRIPT};
pub use limits::{MAX_SLOTS, check_machine};

use smalt_match::game::moves;
use smalt_match::game::{FaultReport, GameRecord, PlyRecord};
use smalt_match::opening::Opening;
use smalt_match::run::{OpenedGame, Work};
use smalt_match::schedule::ScheduledGame;
use smalt_report::sanitize::{is_hidden, sanitize};

/// The version of these messages; another one is refused. Since version 2 the subject of a question names the worker.
pub const VERSION: u32 = 2;

/// The longest message, in bytes: a little below the limit of a server that was not told another.
pub const MAX_MESSAGE_BYTES: usize = 1_000_000;

/// Why a message is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// Too long.
    #[error("read a message: it has {0} bytes, and {MAX_MESSAGE_BYTES} is the most")]
    TooLong(usize),
    /// Of another program, or of another version of this one.
    #[error(
        "read a message: it is not of version {VERSION}; use the same version of smalt-tournament everywhere"
    )]
    Version,
    /// Not of the right form.
    #[error("read a message: {0}")]
    Form(String),
}

/// A coordinator says that its run wants workers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Announcement {
    /// The run's name on the server.
    pub run: String,
    /// Which call of the coordinator it is; a resumed run has another.
    pub session: String,
    /// What the run is called.
    pub name: String,
}

/// What a worker asks of a coordinator. Who asks stands in the subject, which the server may bind to a user; a result is
/// known by the number of its game, so that it counts once however often it is sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum WorkerRequest {
    /// How is it played?
    Terms,
    /// May I play?
    Join(Box<WorkerInfo>),
    /// I have got this pair: what of it is to be played?
    Take {
        /// The pair's number.
        pair: u32,
    },
    /// This is how a game ended; answered when it is stored.
    Result {
        /// The pair's number.
        pair: u32,
        /// The game's number.
        game: u32,
        /// What happened.
        record: Box<RecordMessage>,
    },
    /// Something happened; nobody waits for an answer.
    #[serde(rename = "tell")]
    Notify(WorkerNotice),
}

/// Who a worker is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorkerInfo {
    /// What it is called in tables, as its host for instance.
    pub name: String,
    /// Its program and version.
    pub program: String,
    /// The model of its processor.
    pub cpu: String,
    /// How many it has.
    pub cores: u32,
    /// Games at the same time.
    pub slots: u32,
    /// Nodes a second of Smalt on one of its cores.
    pub speed: u64,
    /// One for each entrant, in the order of the plan.
    pub engines: Vec<EngineIdentity>,
}

/// Which engine a worker has for an entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineIdentity {
    /// What it calls itself, with its version.
    pub name: String,
    /// Its author.
    pub author: String,
    /// SHA-256 of its program's file, in hexadecimal digits.
    pub sha256: String,
}

/// See [`WorkerRequest::Notify`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum WorkerNotice {
    /// I am there.
    Alive,
    /// A game begins.
    Started {
        /// Its number.
        game: u32,
    },
    /// An engine did wrong outside of a game.
    Fault {
        /// Whose: an index of the plan's entrants.
        entrant: u32,
        /// See [`FaultReport::name`].
        name: String,
        /// See [`FaultReport::words`].
        words: String,
        /// See [`FaultReport::transcript`].
        transcript: Vec<String>,
    },
    /// An engine does something odd that costs nothing.
    Warning {
        /// Whose: an index of the plan's entrants.
        entrant: u32,
        /// What, after the engine's name.
        words: String,
    },
    /// An engine cannot be started any more, so that I leave.
    Unable {
        /// Whose: an index of the plan's entrants.
        entrant: u32,
        /// How often it was tried.
        times: u32,
        /// What went wrong at last.
        words: String,
    },
    /// I would play, but cannot.
    Unfit {
        /// What I am called.
        name: String,
        /// Why.
        words: String,
    },
    /// I leave; what I have not sent is for others.
    Leaving,
}

/// What a coordinator answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub enum Response {
    /// How it is played.
    Terms(Box<RunConfigMessage>),
    /// You may play.
    Welcome,
    /// You may not, or no longer.
    Refused {
        /// Why.
        words: String,
    },
    /// Introduce yourself first: this is another session.
    Unknown,
    /// Of the pair, these games are to be played.
    Games {
        /// Their numbers.
        games: Vec<u32>,
    },
    /// The game is in the store.
    Stored,
    /// Nobody wants the game any more.
    Unneeded,
    /// Ask again in a moment.
    Later,
}

/// How a run is played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfigMessage {
    /// The plan as a file, without commands, paths and outputs: see [`super::run_config`].
    pub plan: String,
    /// The most pieces at which endgame tables end games, if they do.
    pub tables: Option<u32>,
    /// After how many milliseconds of silence a worker's games are given to another.
    pub lease_ms: u64,
}

/// A pair in the queue.
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

/// What happened in a game, as a worker tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordMessage {
    /// The moves and what engines told of them, in the text of the store.
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
}

/// What of a record a worker can tell: which game it is and where it began is known.
#[derive(Clone, Debug, PartialEq)]
pub struct GameReport {
    /// See [`GameRecord::plies`].
    pub plies: Vec<PlyRecord>,
    /// See [`GameRecord::outcome`].
    pub outcome: Outcome,
    /// See [`GameRecord::termination`].
    pub termination: smalt_match::game::Termination,
    /// See [`GameRecord::duration`].
    pub duration: Duration,
    /// See [`GameRecord::fault`].
    pub fault: Option<FaultReport>,
    /// See [`GameRecord::peak_memory`].
    pub peak_memory: [Option<u64>; 2],
}

/// A message with the form of its kind.
pub trait Message: Serialize + DeserializeOwned {
    /// Whether all is within its limits.
    ///
    /// # Errors
    /// What is not, in words.
    fn check(&self) -> Result<(), String>;
}

/// The bytes of a message.
///
/// # Errors
/// If they would be too many.
pub fn encode<M: Message>(message: &M) -> Result<Vec<u8>, WireError> {
    let mut bytes = format!("smalt {VERSION}\n").into_bytes();
    serde_json::to_writer(&mut bytes, message).map_err(|error| WireError::Form(error.to_string()))?;
    if bytes.len() > MAX_MESSAGE_BYTES { Err(WireError::TooLong(bytes.len())) } else { Ok(bytes) }
}

/// Reads what [`encode`] wrote.
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
    /// The pair's number.
    pub fn pair(&self) -> u32 {
        self.pair
    }

    /// What it means, in a run with this number of entrants.
    ///
    /// # Errors
    /// If an opening is not legal, or an entrant none.
    pub fn to_work(&self, entrants: usize) -> Result<Work, WireError> {
        let games: Option<Vec<_>> = self.games.iter().map(|game| game.to_game(self.pair, entrants)).collect();
        let refuse = || WireError::Form(format!("pair {} makes no sense", self.pair));
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
    // As it was written, and not as we would write it: engines are told this text.
    let fen = fen.map(str::to_owned);
    game.position().ending().is_none().then(|| Opening { moves: game.moves().to_vec(), fen, ..start })
}

impl From<&GameRecord> for RecordMessage {
    fn from(record: &GameRecord) -> RecordMessage {
        RecordMessage {
            moves: moves::to_text(&record.plies),
            outcome: record.outcome.to_string(),
            termination: record.termination.name().to_owned(),
            duration_us: u64::try_from(record.duration.as_micros()).unwrap_or(u64::MAX),
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
        }
    }
}

/// An explanation as a message takes it: on one line, and not too long.
pub fn trimmed(words: &str) -> String {
    words.chars().take(MAX_TEXT).map(|c| if is_hidden(c) { ' ' } else { c }).collect()
}

/// The last lines as a message takes them.
pub fn trimmed_transcript(lines: &[String]) -> Vec<String> {
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
    /// The same without principal variations, for those that are too long with them.
    #[must_use]
    pub fn without_variations(mut self) -> RecordMessage {
        if let Some(mut plies) = moves::parse(&self.moves) {
            plies
                .iter_mut()
                .filter_map(|ply| ply.search.as_mut())
                .for_each(|search| search.pv = Box::default());
            self.moves = moves::to_text(&plies);
        }
        self
    }

    /// What it claims.
    ///
    /// # Errors
    /// If its texts make no sense.
    pub fn to_report(&self) -> Result<GameReport, WireError> {
        let refuse = |what: &str| WireError::Form(format!("the {what} of a game makes no sense"));
        let fault = self.fault.as_ref().map(|fault| FaultReport {
            color: if fault.white { Color::White } else { Color::Black },
            name: fault.name.clone(),
            words: fault.words.clone(),
            transcript: fault.transcript.clone(),
        });
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
