//! The Elo of an entrant in a tournament, from the JSON of `smalt-tournament standings`, or from a store through
//! `smalt-tournament`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Deserialize;
use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, StartError};
use smalt_report::Interval;
use smalt_workbench::input::SQLITE;
use smalt_workbench::program::{beside, run_to_end};

/// The program that reads stores.
const READER: &str = "smalt-tournament";

/// Timeout; a store of a million games is read in seconds.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Why there is no Elo.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GauntletError {
    /// The program that reads stores cannot be run.
    #[error(
        "{store} is the store of a run, and {READER}, which reads it, could not be run: failed to {source}; build it (cargo build --release), or give the results that `{READER} standings --json` writes"
    )]
    NoReader { store: String, source: StartError },
    #[error("{READER} could not read {store}: it {end}{}", if words.is_empty() { String::new() } else { format!(": {words}") })]
    Unread { store: String, end: String, words: String },
    #[error("{file}: {source}")]
    Json {
        file: String,
        /// JSON error, with line and column.
        source: serde_json::Error,
    },
    #[error("{file} has no engine {name:?}; it has: {}", names.join(", "))]
    NoEntrant { name: String, file: String, names: Vec<String> },
}

#[derive(Deserialize)]
struct GauntletJson {
    entrants: Vec<GauntletEntrantJson>,
}

#[derive(Deserialize)]
struct GauntletEntrantJson {
    name: String,
    elo: Option<f64>,
    elo_error: Option<f64>,
    elo_low: Option<f64>,
    elo_high: Option<f64>,
    rating: Option<f64>,
    rating_error: Option<f64>,
}

impl GauntletJson {
    /// Elo of an entrant and its error. Ratings with anchors are used unchanged. Ratings of a single run have a mean
    /// of 0 over all rated entrants, including this one, so the difference to the mean of the others is larger by the
    /// entrant's share in the mean. With two entrants the match Elo is the same, and its error takes pairs into
    /// account.
    fn strength_of(&self, entrant: &GauntletEntrantJson) -> Interval {
        let ratings: Vec<f64> = self.entrants.iter().filter_map(|entrant| entrant.rating).collect();
        let rated = ratings.len() as f64;
        let is_centered = ratings.iter().sum::<f64>().abs() < 0.5 * rated;
        match entrant.rating {
            Some(rating) if !is_centered => {
                Interval { value: Some(rating), error: entrant.rating_error, ..Interval::default() }
            }
            Some(rating) if self.entrants.len() > 2 && ratings.len() > 1 => {
                let share = rated / (rated - 1.0);
                let error = entrant.rating_error.map(|error| error * share);
                Interval { value: Some(rating * share), error, ..Interval::default() }
            }
            _ => Interval {
                value: entrant.elo,
                error: entrant.elo_error,
                low: entrant.elo_low,
                high: entrant.elo_high,
            },
        }
    }
}

/// Results as JSON: the file's text, or the output of `smalt-tournament` for a store.
pub(crate) fn results_of(bytes: &[u8], path: &Path) -> Result<String, GauntletError> {
    if !bytes.starts_with(SQLITE) {
        return Ok(String::from_utf8_lossy(bytes).into_owned());
    }
    json_of("standings", &[path.display().to_string()])
}

/// JSON output of a `smalt-tournament` command on files.
pub(super) fn json_of(command: &str, files: &[String]) -> Result<String, GauntletError> {
    let store = files.join(", ");
    let arguments = [command].into_iter().chain(files.iter().map(String::as_str)).chain(["--json", "-"]);
    let command = EngineCommand::new(beside(READER)).arguments(arguments);
    let ran = run_to_end(&command, Instant::now() + TIMEOUT)
        .map_err(|source| GauntletError::NoReader { store: store.clone(), source })?;
    match ran.exit {
        Some(Exit::Code(0)) => Ok(ran.output),
        exit => {
            let end = exit.map_or_else(|| "did not end".to_owned(), |exit| exit.to_string());
            Err(GauntletError::Unread { store, end, words: ran.errors.replace('\n', " ") })
        }
    }
}

/// Elo of an entrant above the mean of its opponents, with its interval. `file` is the name in errors.
pub(crate) fn elo_of(name: &str, text: &str, file: &str) -> Result<Interval, GauntletError> {
    let results: GauntletJson =
        serde_json::from_str(text).map_err(|source| GauntletError::Json { file: file.to_owned(), source })?;
    let Some(entrant) = results.entrants.iter().find(|entrant| entrant.name == name) else {
        let names = results.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        return Err(GauntletError::NoEntrant { name: name.to_owned(), file: file.to_owned(), names });
    };
    Ok(results.strength_of(entrant))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of 0 includes the entrant's own rating: a match of +398 Elo once made a row of +203.
    #[test]
    fn the_mean_of_the_opponents_does_not_hold_the_entrant() {
        let results = |entrants: &str| format!("{{\"entrants\": [{entrants}]}}");
        let row = |name: &str, elo: f64, rating: &str| {
            format!(
                "{{\"name\": \"{name}\", \"elo\": {elo}, \"elo_error\": 40.0, \"elo_low\": 330.0, \"elo_high\": 470.0, \"rating\": {rating}, \"rating_error\": 30.0}}"
            )
        };
        let elo = |name, text: &str| {
            let Interval { value, error, low, high } = elo_of(name, text, "f").unwrap();
            assert_eq!(
                (low, high),
                if error == Some(40.0) { (Some(330.0), Some(470.0)) } else { (None, None) }
            );
            (value, error)
        };
        let two = results(&[row("new", 398.0, "199.0"), row("old", -398.0, "-199.0")].join(","));
        assert_eq!(elo("new", &two), (Some(398.0), Some(40.0)));
        // +60 against opponents at -10 and -50 is 90 above their mean of -30.
        let three = [row("new", 85.0, "60.0"), row("a", -50.0, "-10.0"), row("b", -120.0, "-50.0")].join(",");
        assert_eq!(elo("new", &results(&three)), (Some(90.0), Some(45.0)));
        let anchored = [row("new", 85.0, "2560.0"), row("a", -50.0, "2490.0"), row("b", -120.0, "2450.0")];
        assert_eq!(elo("new", &results(&anchored.join(","))), (Some(2560.0), Some(30.0)));
        let perfect = [row("new", 700.0, "null"), row("a", -50.0, "0.0"), row("b", 50.0, "0.0")].join(",");
        assert_eq!(elo("new", &results(&perfect)), (Some(700.0), Some(40.0)));
    }
}
