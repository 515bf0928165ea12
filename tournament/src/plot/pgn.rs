//! Figures from any program's PGN. Moves are parsed only as far as needed for opening names, and completely for one
//! requested game.

use std::collections::HashMap;
use std::io::{self, Read};

use smalt_chess::notation::pgn::{Flow, PgnError, PgnReader, Variations, Visitor};
use smalt_chess::notation::san::San;
use smalt_chess::{Outcome, PgnGame};
use smalt_stats::{GameResult, Pentanomial, Sprt, Wdl};

use super::figures::{EntrantFigures, Figures, Test, rated, viewed_of_counts};
use super::openings::{OpeningNames, OpeningTally, PLIES};
use crate::ratings::Games;
use smalt_match::schedule::Pairing;
use smalt_match::standings::{Unit, Units, elo_curve, llr_curve};

/// Results of a PGN file.
#[derive(Debug, Default)]
pub(crate) struct PgnFigures {
    games: Games,
    openings: OpeningTally,
    names: OpeningNames,
    units: Units,
    /// White's result in the first game of each incomplete pair.
    halves: HashMap<PairKey, GameResult>,
    singles: Units,
    counts: Vec<u64>,
    game: PendingGame,
}

/// Key of a pair: everything both games share except colors.
type PairKey = (String, String, [usize; 2]);

/// The game being read.
#[derive(Debug, Default)]
struct PendingGame {
    white: String,
    black: String,
    result: String,
    round: String,
    fen: String,
    eco: String,
    opening: String,
    moves: Vec<String>,
}

impl PgnFigures {
    /// Reads all games; unfinished games and games without player names are skipped.
    ///
    /// # Errors
    /// If the stream fails.
    pub(crate) fn read(source: impl Read) -> io::Result<PgnFigures> {
        let mut reader = PgnReader::new(source);
        let mut figures = PgnFigures::default();
        while reader.visit_game(&mut figures)? {}
        Ok(figures)
    }

    pub(crate) fn names(&self) -> &[String] {
        self.games.names()
    }

    /// Number of counted games.
    pub(crate) fn count(&self) -> u64 {
        self.games.count()
    }

    /// Figures for these players, by default those with most games. `test` may be a test, from the first player's
    /// view.
    pub(crate) fn figures(&self, viewed: &[usize], test: Option<Sprt>) -> Figures {
        let chosen = if viewed.is_empty() { viewed_of_counts(&self.counts) } else { viewed.to_vec() };
        // Without pairs, games count singly; with pairs, unpaired games are ignored.
        let units = if self.units.is_empty() { &self.singles } else { &self.units };
        let side = |&player: &usize| {
            let units = units.of(player);
            let (mut games, mut pairs) = (Wdl::default(), Pentanomial::default());
            units.iter().for_each(|unit| unit.count(&mut games, &mut pairs));
            EntrantFigures {
                name: self.names()[player].clone(),
                curve: elo_curve(units),
                pairs,
                openings: self.openings.of(player),
            }
        };
        let test = test.zip(chosen.first()).map(|(sprt, &first)| Test {
            name: self.names()[first].clone(),
            sprt,
            curve: llr_curve(sprt, units.of(first)),
        });
        Figures {
            entrants: self.names().len(),
            sides: chosen.iter().map(side).collect(),
            test,
            ratings: rated(&self.games),
        }
    }

    fn count_game(&mut self, behind_moves: Option<Outcome>) {
        let tags = std::mem::take(&mut self.game);
        let known = |name: &str| !name.is_empty() && name != "?";
        let outcome = match tags.result.as_str() {
            "" => behind_moves,
            text => Outcome::parse(text)
                .filter(|&tag| behind_moves.is_none_or(|behind_moves| behind_moves == tag)),
        };
        let Some(outcome) = outcome.filter(|_| known(&tags.white) && known(&tags.black)) else { return };
        if tags.white == tags.black {
            return;
        }
        let white_outcome = match outcome {
            Outcome::Win(smalt_chess::Color::White) => GameResult::Win,
            Outcome::Win(smalt_chess::Color::Black) => GameResult::Loss,
            Outcome::Draw => GameResult::Draw,
        };
        let [white, black] = [&tags.white, &tags.black].map(|name| self.games.player(name));
        let mut results = Wdl::default();
        results.record(white_outcome);
        self.games.add(white, black, results);
        self.counts.resize(self.games.names().len(), 0);
        [white, black].into_iter().for_each(|player| self.counts[player] += 1);
        let text = |text: &String| Some(text.clone()).filter(|text| known(text));
        let (eco, name, fen) = (text(&tags.eco), text(&tags.opening), text(&tags.fen));
        let opening = self.names.name(eco.as_deref(), name.as_deref(), fen.as_deref(), &tags.moves);
        self.openings.add([white, black], &opening, white_outcome);
        self.pair(tags, [white, black], white_outcome);
    }

    /// Two games of one round from one position with reversed colors form a pair.
    fn pair(&mut self, tags: PendingGame, [white, black]: [usize; 2], outcome: GameResult) {
        let number = |units: &Units| u32::try_from(units.len()).unwrap_or(u32::MAX);
        let pairing = Pairing { first: white, second: black };
        self.singles.add(number(&self.singles), pairing, Unit::Game(outcome));
        let round = tags.round.split('.').next().unwrap_or_default().to_owned();
        if matches!(round.as_str(), "" | "?" | "-") {
            return;
        }
        match self.halves.remove(&(round.clone(), tags.fen.clone(), [black, white])) {
            Some(other) => {
                let pair = Unit::Pair(other.mirrored(), outcome);
                self.units.add(number(&self.units), pairing, pair);
            }
            None => {
                self.halves.insert((round, tags.fen, [white, black]), outcome);
            }
        }
    }
}

impl Visitor for PgnFigures {
    fn begin_game(&mut self, _line: u64) {
        self.game = PendingGame::default();
    }

    fn tag(&mut self, name: &str, value: &str) {
        let slot = match name {
            "White" => &mut self.game.white,
            "Black" => &mut self.game.black,
            "Result" => &mut self.game.result,
            "Round" => &mut self.game.round,
            "FEN" => &mut self.game.fen,
            "ECO" => &mut self.game.eco,
            "Opening" => &mut self.game.opening,
            _ => return,
        };
        value.trim().clone_into(slot);
    }

    fn san(&mut self, san: San, _line: u64) -> Flow {
        self.game.moves.push(san.to_string());
        if self.game.moves.len() < PLIES { Flow::Read } else { Flow::Skip }
    }

    fn end_game(&mut self, outcome: Option<Outcome>) {
        self.count_game(outcome);
    }
}

struct SkipGame;

impl Visitor for SkipGame {
    fn begin_moves(&mut self) -> Flow {
        Flow::Skip
    }
}

/// The game with this number, from 1; `None` if there are fewer.
///
/// # Errors
/// If the stream fails, or the game cannot be used.
pub(crate) fn game_of(source: impl Read, number: u32) -> Result<Option<PgnGame>, PgnError> {
    let mut reader = PgnReader::new(source);
    for _ in 1..number {
        if !reader.visit_game(&mut SkipGame)? {
            return Ok(None);
        }
    }
    reader.read_game(Variations::Skip)
}
