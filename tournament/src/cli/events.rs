//! The events of a run as JSON lines, for scripts that look on: a line an event, each with its name, and the time in
//! seconds since 1970. A view like all others: what it cannot write it says once, and the run goes on.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value, json};

use super::output::{is_standard_output, tell};
use crate::export::seconds;
use smalt_match::game::GameRecord;
use smalt_match::run::{RunEvent, RunObserver, StopReason};
use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::{Standings, json};

/// Writes events.
pub(super) struct EventWriter {
    sink: Option<Box<dyn Write>>,
    path: String,
    names: Vec<String>,
    interval: u64,
}

impl EventWriter {
    /// Appends to a file, so that a resumed run goes on where the stopped one was; `-` is standard output. Standings are
    /// told every so many games, and at the end.
    pub(super) fn open(path: &Path, names: Vec<String>, interval: u64) -> io::Result<EventWriter> {
        let sink: Box<dyn Write> = if is_standard_output(path) {
            Box::new(io::stdout())
        } else {
            Box::new(File::options().append(true).create(true).open(path)?)
        };
        Ok(EventWriter { sink: Some(sink), path: path.display().to_string(), names, interval })
    }

    fn write(&mut self, event: &str, fields: Value) {
        let Some(sink) = &mut self.sink else { return };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut line = Map::new();
        line.insert("event".to_owned(), event.into());
        line.insert("time".to_owned(), ((since.as_secs_f64() * 1e3).round() / 1e3).into());
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        let written = writeln!(sink, "{}", Value::Object(line)).and_then(|()| sink.flush());
        if let Err(error) = written {
            if error.kind() != io::ErrorKind::BrokenPipe {
                tell(&format!(
                    "Warning: failed to write {}: {error}; events are no longer written",
                    self.path
                ));
            }
            self.sink = None;
        }
    }

    fn name(&self, entrant: usize) -> &str {
        self.names.get(entrant).map_or("?", String::as_str)
    }

    fn game(&self, game: &ScheduledGame) -> Value {
        json!({
            "game": game.number + 1,
            "pair": game.pair + 1,
            "round": game.round + 1,
            "white": self.name(game.white),
            "black": self.name(game.black),
            "opening": game.opening + 1,
        })
    }

    fn finished(&self, record: &GameRecord, standings: &Standings) -> Value {
        let mut fields = self.game(&record.game);
        let fault = record.fault.as_ref().map(|fault| {
            let engine = self.name(record.entrant(fault.color));
            json!({ "engine": engine, "name": fault.name, "words": fault.words })
        });
        let result = json!({
            "result": record.outcome.to_string(),
            "termination": record.termination.name(),
            "plies": record.plies.len(),
            "seconds": seconds(record.duration),
            "fault": fault,
            "games_finished": standings.games_finished(),
            "games_planned": standings.games_planned(),
        });
        if let (Value::Object(all), Value::Object(more)) = (&mut fields, result) {
            all.extend(more);
        }
        fields
    }

    fn write_standings(&mut self, standings: &Standings) {
        let results = serde_json::to_value(json::ResultsJson::of(standings)).unwrap_or_default();
        self.write("standings", results);
    }
}

impl RunObserver for EventWriter {
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings) {
        let counts = json!({
            "games_finished": standings.games_finished(),
            "games_planned": standings.games_planned(),
        });
        match event {
            RunEvent::Begun => {
                let mut fields = counts;
                fields["entrants"] = self.names.clone().into();
                self.write("run-begun", fields);
            }
            RunEvent::GameStarted(game) => self.write("game-started", self.game(game)),
            RunEvent::GameFinished(record) => {
                self.write("game-finished", self.finished(record, standings));
                if self.interval > 0 && standings.games_finished().is_multiple_of(self.interval) {
                    self.write_standings(standings);
                }
            }
            RunEvent::EngineFault(fault) => {
                let engine = self.name(fault.entrant).to_owned();
                self.write(
                    "engine-fault",
                    json!({ "engine": engine, "name": fault.name, "words": fault.words }),
                );
            }
            RunEvent::EngineWarning { entrant, words } => {
                let engine = self.name(*entrant).to_owned();
                self.write("engine-warning", json!({ "engine": engine, "words": words }));
            }
            RunEvent::MachineJoined(machine) => self.write(
                "machine-joined",
                json!({ "name": machine.name, "slots": machine.slots, "cores": machine.cores, "cpu": machine.cpu, "nps": machine.speed }),
            ),
            RunEvent::Notice(words) => self.write("notice", json!({ "words": words })),
            RunEvent::Disqualified { entrant, disqualification } => {
                let engine = self.name(*entrant).to_owned();
                self.write("entrant-out", json!({ "engine": engine, "words": disqualification.to_string() }));
            }
            RunEvent::Stopping(reason) => {
                let (reason, words) = match reason {
                    StopReason::Decided => ("decided", ""),
                    StopReason::Fault(words) => ("fault", words.as_str()),
                    StopReason::User => ("asked", ""),
                    StopReason::Failed(words) => ("failed", words.as_str()),
                };
                self.write("run-stopping", json!({ "reason": reason, "words": words }));
            }
            RunEvent::Ended => {
                self.write_standings(standings);
                self.write("run-ended", counts);
            }
        }
    }
}
