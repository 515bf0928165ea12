//! Ratings of all builds on one scale: runs `smalt-tournament ratings` and matches its players to the builds of a
//! history.

use std::path::PathBuf;

use serde::Deserialize;
use smalt_report::Interval;

use super::gauntlet::{GauntletError, json_of};
use super::{Build, History};

/// Minimum number of hexadecimal digits for a player's name to count as a commit.
const SHORTEST_COMMIT: usize = 7;

/// A player of the rating list.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct PlayerRating {
    name: String,
    /// Missing if no finite rating exists: all games won or lost, or no connection to the others.
    rating: Option<f64>,
    /// Half-width of the 95% interval.
    rating_error: Option<f64>,
}

#[derive(Deserialize)]
struct RatingsJson {
    players: Vec<PlayerRating>,
}

/// The rating list of all games in stores and PGN files.
pub(crate) fn ratings_of(files: &[PathBuf]) -> Result<Vec<PlayerRating>, GauntletError> {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let text = json_of("ratings", &files)?;
    let list: RatingsJson = serde_json::from_str(&text)
        .map_err(|source| GauntletError::Json { file: files.join(", "), source })?;
    Ok(list.players)
}

impl History {
    /// Replaces the Elo of every build by its rating. A player matches a build by entrant name, or if the player's
    /// name begins with the build's commit (as for engines built from git). Returns the features of builds missing
    /// from the list, which have no Elo now.
    pub(crate) fn apply_ratings(&mut self, ratings: &[PlayerRating]) -> Vec<String> {
        let mut missing = Vec::new();
        for build in &mut self.builds {
            let player = ratings.iter().find(|player| build.is_player(&player.name));
            let (value, error) = player.map_or((None, None), |player| (player.rating, player.rating_error));
            build.set_elo(Interval { value, error, ..Interval::default() });
            if build.elo.is_none() {
                missing.push(build.feature.clone());
            }
        }
        missing
    }
}

impl Build {
    fn is_player(&self, name: &str) -> bool {
        let first = name.split_whitespace().next().unwrap_or_default();
        let is_commit = first.len() >= SHORTEST_COMMIT
            && self.commit.as_deref().is_some_and(|commit| commit.starts_with(first));
        is_commit || self.entrant.as_deref() == Some(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_are_found_by_name_and_by_commit() {
        let build = |feature: &str, commit: Option<&str>, entrant: Option<&str>| Build {
            feature: feature.to_owned(),
            commit: commit.map(str::to_owned),
            entrant: entrant.map(str::to_owned),
            elo: Some(1.0),
            elo_error: Some(2.0),
            ..Build::default()
        };
        let player = |name: &str, rating: Option<f64>| PlayerRating {
            name: name.to_owned(),
            rating,
            rating_error: rating.map(|_| 5.0),
        };
        let mut history = History {
            builds: vec![
                build("by name", None, Some("v1")),
                build("by commit", Some("0123456789abcdef"), None),
                build("unrated", Some("fedcba9876543210"), None),
                build("absent", Some("aaaaaaaaaaaaaaaa"), Some("v2")),
            ],
        };
        let ratings = [
            player("v1", Some(-10.0)),
            player("01234567 Late move reductions", Some(15.0)),
            player("fedcba98 Null move", None),
            player("aaaaaa", Some(99.0)),
        ];
        assert_eq!(history.apply_ratings(&ratings), ["unrated", "absent"]);
        let elo: Vec<_> = history.builds.iter().map(|build| build.elo.zip(build.elo_error)).collect();
        assert_eq!(elo, [Some((-10.0, 5.0)), Some((15.0, 5.0)), None, None]);
    }
}
