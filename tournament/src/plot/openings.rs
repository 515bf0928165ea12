//! Names of openings, and results by opening.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use smalt_chess::notation::san::San;
use smalt_chess::{Game, Position};
use smalt_stats::{GameResult, Wdl};

use smalt_match::game::GameRecord;
use smalt_match::opening::Openings;

/// Number of plies that distinguish openings without a name.
pub(super) const PLIES: usize = 4;

/// Results by entrant and opening.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpeningTally(BTreeMap<(usize, String), Wdl>);

impl OpeningTally {
    /// Adds a game for both players, White first.
    pub(crate) fn add(&mut self, [white, black]: [usize; 2], opening: &str, of_white: GameResult) {
        for (entrant, outcome) in [(white, of_white), (black, of_white.mirrored())] {
            self.0.entry((entrant, opening.to_owned())).or_default().record(outcome);
        }
    }

    /// Results of an entrant by opening name.
    pub(crate) fn of(&self, entrant: usize) -> Vec<(String, Wdl)> {
        let own = self.0.iter().filter(|((other, _), _)| *other == entrant);
        own.map(|((_, opening), &results)| (opening.clone(), results)).collect()
    }
}

/// Opening names: ECO code and name if known, otherwise the first moves from the start position, otherwise a number
/// in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct OpeningNames {
    positions: HashMap<String, usize>,
}

impl OpeningNames {
    /// Name of a game's opening. `openings` are those of the run, if readable.
    pub(crate) fn of_record(&mut self, record: &GameRecord, openings: &Openings) -> String {
        let opening = (!openings.is_empty()).then(|| openings.get(record.game.opening));
        let (eco, name) = opening.map_or((None, None), |opening| (opening.eco, opening.name));
        let moves = if record.fen.is_none() { first_moves(record) } else { Vec::new() };
        self.name(eco.as_deref(), name.as_deref(), record.fen.as_deref(), &moves)
    }

    /// Name from the available data; moves in SAN from the start position.
    pub(super) fn name(
        &mut self,
        eco: Option<&str>,
        name: Option<&str>,
        fen: Option<&str>,
        moves: &[String],
    ) -> String {
        if eco.is_some() || name.is_some() {
            return [eco, name].into_iter().flatten().collect::<Vec<_>>().join(" ");
        }
        if let Some(fen) = fen {
            let next = self.positions.len() + 1;
            return format!("opening {}", self.positions.entry(fen.to_owned()).or_insert(next));
        }
        let numbered = moves.chunks(2).zip(1..).map(|(both, number)| format!("{number}. {}", both.join(" ")));
        let text = numbered.collect::<Vec<_>>().join(" ");
        if text.is_empty() { "start position".to_owned() } else { text }
    }
}

/// Natural order: `opening 2` before `opening 10`.
pub(super) fn in_order(first: &str, second: &str) -> Ordering {
    // Text and its trailing number.
    let parts = |name: &str| -> Vec<(String, u64)> {
        let letters: Vec<char> = name.chars().collect();
        let part = |part: &[char]| {
            let words: String = part.iter().filter(|letter| !letter.is_ascii_digit()).collect();
            let digits: String = part.iter().filter(|letter| letter.is_ascii_digit()).collect();
            (words, digits.parse().unwrap_or(0))
        };
        letters.chunk_by(|a, b| b.is_ascii_digit() || !a.is_ascii_digit()).map(part).collect()
    };
    parts(first).cmp(&parts(second)).then_with(|| first.cmp(second))
}

/// The first moves of the book, in SAN.
fn first_moves(record: &GameRecord) -> Vec<String> {
    let mut game = Game::new(Position::start());
    let mut moves = Vec::new();
    for ply in record.plies.iter().take(record.book_plies().min(PLIES)) {
        let Ok(mv) = ply.mv.to_move(game.position()) else { break };
        moves.push(San::from_move(mv, game.position()).to_string());
        if game.play(mv).is_err() {
            break;
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_ordered_as_people_count() {
        let mut names =
            ["opening 10", "1. e4 e5 2. Nf3", "opening 2", "C20", "B02 x", "1. d4", "1. d4 d5", "opening 9"];
        names.sort_by(|a, b| in_order(a, b));
        let wanted =
            ["1. d4", "1. d4 d5", "1. e4 e5 2. Nf3", "B02 x", "C20", "opening 2", "opening 9", "opening 10"];
        assert_eq!(names, wanted);
    }
}
