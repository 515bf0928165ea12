//! Events of a run as JSON lines: one line per event with its name and the time in seconds since 1970. After a write error
//! the run continues, and fails at its end.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::anyhow;
use schemars::JsonSchema;
use serde::Serialize;
use smalt_report::sanitize::escape_json;

use super::exit::{OrRefuse, Refusal};
use super::output::{is_standard_output, print_info};
use crate::export::seconds;
use smalt_match::game::{GameRecord, MachineReport};
use smalt_match::named_file::{is_in_place, is_special};
use smalt_match::run::{RunEvent, RunObserver, StopReason};
use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::{Standings, json};
use smalt_workbench::exit::reason;
use smalt_workbench::json::SCHEMA;

/// A line of the file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventLine {
    #[serde(flatten)]
    event: EventJson,
    /// Time in seconds since 1970.
    time: f64,
    /// Version of this form.
    schema: u32,
}

/// An event of a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum EventJson {
    /// The run was started or resumed.
    RunBegun {
        #[serde(flatten)]
        counts: GameCounts,
        /// Names of the engines, in the order of the plan.
        entrants: Vec<String>,
    },
    /// A game was started.
    GameStarted(GameJson),
    /// A game was finished and stored.
    GameFinished(Box<FinishedGame>),
    /// An engine failed outside of a game.
    EngineFault(FaultJson),
    /// Warning about an engine, without effect on its games.
    EngineWarning {
        /// Name of the engine.
        engine: String,
        /// Text of the warning.
        words: String,
    },
    /// Warning about the output of a search, without effect on the game.
    SearchWarning {
        /// Name of the engine.
        engine: String,
        /// Number of the game, from 1.
        game: u32,
        /// Ply of the search, from 1.
        ply: usize,
        /// Name of the warning, e.g. `illegal-pv-move`.
        name: &'static str,
        /// The move concerned.
        #[serde(rename = "move")]
        mv: Option<String>,
        /// Line of the engine.
        line: String,
    },
    /// A worker joined the run.
    MachineJoined {
        /// Name of the worker.
        name: String,
        /// Number of concurrent games.
        slots: u32,
        /// Number of processors.
        cores: u32,
        /// Model of the processor.
        cpu: String,
        /// Speed of the machine in nodes per second.
        nps: u64,
    },
    /// Information for the user.
    Notice {
        /// Text of the notice.
        words: String,
    },
    /// An engine was disqualified.
    EntrantOut {
        /// Name of the engine.
        engine: String,
        /// Reason, worded to follow its name.
        words: String,
    },
    /// The run is about to end.
    RunStopping {
        /// `decided`, `fault`, `asked` (by the user) or `failed`.
        reason: &'static str,
        /// Text of the fault or failure, else empty.
        words: String,
    },
    /// Results so far, every --rating-interval games and at the end.
    Standings(Box<json::ResultsJson>),
    /// The run has ended.
    RunEnded(GameCounts),
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct GameCounts {
    /// Number of games in the store.
    games_finished: u64,
    /// Number of games of the whole run.
    games_planned: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GameJson {
    /// Number of the game, from 1.
    game: u32,
    /// Number of its pair, from 1.
    pair: u32,
    /// Number of its round, from 1.
    round: u32,
    /// Name of the engine with White.
    white: String,
    /// Name of the engine with Black.
    black: String,
    /// Number of its opening, from 1.
    opening: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FinishedGame {
    #[serde(flatten)]
    game: GameJson,
    /// `1-0`, `0-1` or `1/2-1/2`.
    result: String,
    /// How the game ended, e.g. `checkmate` or `time forfeit`.
    termination: &'static str,
    /// Number of plies after the opening.
    plies: usize,
    /// Duration in seconds.
    seconds: f64,
    /// The engine failure that decided the game: `engine`, `name` and `words`.
    fault: Option<FaultJson>,
    #[serde(flatten)]
    counts: GameCounts,
}

#[derive(Debug, Serialize, JsonSchema)]
struct FaultJson {
    /// Name of the engine.
    engine: String,
    /// Name of the fault, e.g. `crashed` or `no-bestmove`.
    name: String,
    /// Description of the fault.
    words: String,
}

/// Opens a file for further lines; a last line that a kill has torn is ended first.
fn open_lines(path: &Path) -> io::Result<File> {
    let mut file = File::options().append(true).create(true).open(path)?;
    if file.metadata()?.is_file() && file.metadata()?.len() > 0 {
        let mut last = [0];
        let mut reader = File::open(path)?;
        reader.seek(SeekFrom::End(-1))?;
        reader.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
    }
    Ok(file)
}

/// Where events go.
enum EventSink {
    Output(io::Stdout),
    File(File),
}

impl Write for EventSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            EventSink::Output(output) => output.write(bytes),
            EventSink::File(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            EventSink::Output(output) => output.flush(),
            EventSink::File(file) => file.flush(),
        }
    }
}

/// Writer of the event file.
pub(super) struct EventWriter {
    sink: Option<EventSink>,
    /// Why events are missing from the file.
    failure: Option<io::Error>,
    path: PathBuf,
    names: Vec<String>,
    interval: u64,
}

impl EventWriter {
    /// Appends to a file, so that a resumed run continues it; `-` is standard output. Standings are written every
    /// `interval` games and at the end.
    pub(super) fn open(path: &Path, names: Vec<String>, interval: u64) -> io::Result<EventWriter> {
        let sink = if is_standard_output(path) {
            EventSink::Output(io::stdout())
        } else {
            EventSink::File(open_lines(path)?)
        };
        Ok(EventWriter { sink: Some(sink), failure: None, path: path.to_owned(), names, interval })
    }

    fn write(&mut self, event: EventJson) {
        let Some(sink) = &mut self.sink else { return };
        if let EventSink::File(file) = sink
            && !is_special(&self.path)
            && !is_in_place(file, &self.path)
        {
            let path = self.path.display();
            print_info(&format!(
                "Warning: {path} was removed or renamed during the run; further events go to a new file"
            ));
            // If that fails, they go on into the old one.
            if let Ok(opened) = open_lines(&self.path) {
                *file = opened;
            }
        }
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let time = (since.as_secs_f64() * 1e3).round() / 1e3;
        let line = serde_json::to_string(&EventLine { event, time, schema: SCHEMA });
        let line = line.map(|line| escape_json(&line)).map_err(io::Error::other);
        let written = line.and_then(|line| writeln!(sink, "{line}")).and_then(|()| sink.flush());
        if let Err(error) = written {
            if error.kind() != io::ErrorKind::BrokenPipe {
                print_info(&format!(
                    "Warning: failed to write {}: {}; events are no longer written",
                    self.path.display(),
                    reason(&error)
                ));
                self.failure = Some(error);
            }
            self.sink = None;
        }
    }

    /// Fails if events are missing from the file. The reader of a pipe may leave early.
    pub(super) fn finish(self) -> Result<(), Refusal> {
        let Some(error) = self.failure else { return Ok(()) };
        Err(anyhow!("write {}: {}; events are missing there", self.path.display(), reason(&error)))
            .or_failed()
    }

    fn name(&self, entrant: usize) -> String {
        self.names.get(entrant).cloned().unwrap_or_else(|| "?".to_owned())
    }

    fn game(&self, game: &ScheduledGame) -> GameJson {
        GameJson {
            game: game.number + 1,
            pair: game.pair + 1,
            round: game.round + 1,
            white: self.name(game.white),
            black: self.name(game.black),
            opening: game.opening + 1,
        }
    }

    fn finished(&self, record: &GameRecord, standings: &Standings) -> FinishedGame {
        let fault = record.fault.as_ref().map(|fault| FaultJson {
            engine: self.name(record.entrant(fault.color)),
            name: fault.name.to_string(),
            words: fault.words.clone(),
        });
        FinishedGame {
            game: self.game(&record.game),
            result: record.outcome.to_string(),
            termination: record.termination.name(),
            plies: record.plies.len(),
            seconds: seconds(record.duration),
            fault,
            counts: GameCounts::of(standings),
        }
    }

    fn write_standings(&mut self, standings: &Standings) {
        self.write(EventJson::Standings(Box::new(json::ResultsJson::of(standings))));
    }
}

impl GameCounts {
    fn of(standings: &Standings) -> GameCounts {
        GameCounts { games_finished: standings.games_finished(), games_planned: standings.games_planned() }
    }
}

impl RunObserver for EventWriter {
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings) {
        match event {
            RunEvent::Begun => {
                let (counts, entrants) = (GameCounts::of(standings), self.names.clone());
                self.write(EventJson::RunBegun { counts, entrants });
            }
            RunEvent::EngineStarted { .. } => {}
            RunEvent::GameStarted(game) => self.write(EventJson::GameStarted(self.game(game))),
            RunEvent::GameFinished(record) => {
                self.write(EventJson::GameFinished(Box::new(self.finished(record, standings))));
                if self.interval > 0 && standings.games_finished().is_multiple_of(self.interval) {
                    self.write_standings(standings);
                }
            }
            RunEvent::EngineFault(fault) => self.write(EventJson::EngineFault(FaultJson {
                engine: self.name(fault.entrant),
                name: fault.name.clone(),
                words: fault.words.clone(),
            })),
            RunEvent::EngineWarning { entrant, words } => {
                self.write(EventJson::EngineWarning {
                    engine: self.name(*entrant),
                    words: words.to_string(),
                });
            }
            RunEvent::OptionRejected { entrant, rejected } => {
                let (engine, words) = (self.name(*entrant), rejected.words.clone());
                self.write(EventJson::EngineWarning { engine, words });
            }
            RunEvent::SearchWarning { entrant, game, warning } => self.write(EventJson::SearchWarning {
                engine: self.name(*entrant),
                game: game.number + 1,
                ply: warning.moves.len() + 1,
                name: warning.finding.kind.name(),
                mv: warning.finding.mv.clone(),
                line: warning.finding.line.clone(),
            }),
            RunEvent::MachineJoined(machine) => {
                let MachineReport { name, cpu, cores, slots, speed, .. } = (*machine).clone();
                self.write(EventJson::MachineJoined { name, slots, cores, cpu, nps: speed });
            }
            RunEvent::Notice(words) => self.write(EventJson::Notice { words: words.to_string() }),
            RunEvent::Disqualified { entrant, disqualification } => {
                let (engine, words) = (self.name(*entrant), disqualification.to_string());
                self.write(EventJson::EntrantOut { engine, words });
            }
            RunEvent::Stopping(reason) => {
                let (reason, words) = match reason {
                    StopReason::Decided => ("decided", ""),
                    StopReason::Fault(words) => ("fault", words.as_str()),
                    StopReason::User => ("asked", ""),
                    StopReason::Failed(words) => ("failed", words.as_str()),
                };
                self.write(EventJson::RunStopping { reason, words: words.to_owned() });
            }
            RunEvent::Ended => {
                self.write_standings(standings);
                self.write(EventJson::RunEnded(GameCounts::of(standings)));
            }
        }
    }
}
