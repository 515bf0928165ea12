//! The Elo of an entrant in the results of a tournament, as `smalt-tournament standings --json` writes them.

use serde::Deserialize;

/// Why there is no Elo.
#[derive(Debug, thiserror::Error)]
pub enum GauntletError {
    /// It is no JSON of a tournament.
    #[error("{file}: {source}")]
    Json {
        /// The file, as it was named.
        file: String,
        /// What is wrong, with line and column.
        source: serde_json::Error,
    },
    /// Nobody of that name played.
    #[error("nobody called {name:?} played in {file}; those who did: {}", names.join(", "))]
    NoEntrant {
        /// The name.
        name: String,
        /// The file, as it was named.
        file: String,
        /// Who played.
        names: Vec<String>,
    },
}

#[derive(Deserialize)]
struct Results {
    entrants: Vec<Entrant>,
}

#[derive(Deserialize)]
struct Entrant {
    name: String,
    elo: Option<f64>,
    elo_error: Option<f64>,
    rating: Option<f64>,
    rating_error: Option<f64>,
}

/// The rating of an entrant and its error, or else its Elo against the field. `file` is the name that errors shall bear.
///
/// # Errors
/// If the text is something else, or nobody of that name played.
pub fn elo_of(name: &str, text: &str, file: &str) -> Result<(Option<f64>, Option<f64>), GauntletError> {
    let results: Results =
        serde_json::from_str(text).map_err(|source| GauntletError::Json { file: file.to_owned(), source })?;
    let Some(entrant) = results.entrants.iter().find(|entrant| entrant.name == name) else {
        let names = results.entrants.into_iter().map(|entrant| entrant.name).collect();
        return Err(GauntletError::NoEntrant { name: name.to_owned(), file: file.to_owned(), names });
    };
    Ok(match entrant.rating {
        Some(rating) => (Some(rating), entrant.rating_error),
        None => (entrant.elo, entrant.elo_error),
    })
}
