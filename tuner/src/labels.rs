//! Labels of positions: result, score, players and data source of each row, and the split into training and validation.

use smalt_chess::splitmix::splitmix;
use smalt_dataset::Sample;

/// Rows per block, the unit of work of a pass.
pub(crate) const BLOCK: usize = 1024;

/// Score of rows without one.
const NO_SCORE: i16 = i16::MIN;

/// Maximum number of players in rows.
const MOST_PLAYERS: usize = u8::MAX as usize;

/// The label of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Label {
    /// Result, 0 to 1, White's point of view.
    pub result: f32,
    /// Score in centipawns, White's point of view.
    pub score: Option<i16>,
    /// White and Black, from 1; 0 is an unknown player.
    pub players: [u8; 2],
    /// Index of the data source.
    pub source: u8,
}

/// Optional labels. Each takes memory, so only those in use are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    pub scores: Keep,
    pub players: Keep,
}

/// Whether an optional label is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    #[default]
    No,
    /// Kept if the data have it.
    Yes,
}

/// Point of view of a data source's results and scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum PointOfView {
    #[default]
    White,
    /// The side to move's view.
    SideToMove,
}

/// Options of a data source in a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SourceOptions {
    /// Weight of each position in the mean squared error.
    pub weight: f32,
    /// Share of the result in the target, 0 to 1; `None` for the share of the fit.
    pub result_share: Option<f64>,
    /// Share of the games held out for validation, 0 to 1; `None` for the share of the fit.
    pub validation: Option<f64>,
    /// Point of view of its results and scores.
    pub view: PointOfView,
}

impl Default for SourceOptions {
    fn default() -> SourceOptions {
        SourceOptions { weight: 1.0, result_share: None, validation: None, view: PointOfView::White }
    }
}

/// Labels of many rows, in row order.
#[derive(Clone, Default)]
pub struct Labels {
    kept: Kept,
    results: Vec<f32>,
    /// Empty without scores; [`NO_SCORE`] for rows without one.
    scores: Vec<i16>,
    /// Empty if all are unknown.
    players: Vec<[u8; 2]>,
    /// Empty with a single source.
    sources: Vec<u8>,
    options: Vec<SourceOptions>,
}

impl Labels {
    pub(crate) fn new(kept: Kept) -> Labels {
        Labels { kept, ..Labels::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.results.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    /// Results, 0 to 1, White's point of view.
    pub fn results(&self) -> &[f32] {
        &self.results
    }

    /// True if any row has a score.
    pub(crate) fn has_scores(&self) -> bool {
        !self.scores.is_empty()
    }

    /// Score of a row in centipawns, White's point of view.
    pub(crate) fn score(&self, row: usize) -> Option<i16> {
        self.scores.get(row).copied().filter(|&score| score != NO_SCORE)
    }

    /// White and Black of each row; empty if all are unknown.
    pub(crate) fn players(&self) -> &[[u8; 2]] {
        &self.players
    }

    /// Options of the data source of a row.
    pub(crate) fn options(&self, row: usize) -> SourceOptions {
        let source = self.sources.get(row).copied().unwrap_or(0);
        self.options.get(usize::from(source)).copied().unwrap_or_default()
    }

    /// Options of all data sources.
    pub(crate) fn all_options(&self) -> &[SourceOptions] {
        &self.options
    }

    /// Whether any source has its own share of the result.
    pub(crate) fn has_result_shares(&self) -> bool {
        self.options.iter().any(|options| options.result_share.is_some())
    }

    /// Weight of each row; empty if all are 1.
    pub(crate) fn weights(&self) -> Vec<f32> {
        if self.options.iter().all(|options| options.weight == 1.0) {
            return Vec::new();
        }
        (0..self.len()).map(|row| self.options(row).weight).collect()
    }

    pub(crate) fn memory(&self) -> usize {
        4 * self.results.len() + 2 * (self.scores.len() + self.players.len()) + self.sources.len()
    }

    /// Adds the label of the next row.
    pub(crate) fn push(&mut self, label: Label) {
        let row = self.results.len();
        self.results.push(label.result);
        let score = label.score.filter(|_| self.kept.scores == Keep::Yes);
        push_rare(&mut self.scores, row, NO_SCORE, score);
        let players = Some(label.players).filter(|players| *players != [0; 2]);
        push_rare(&mut self.players, row, [0; 2], players.filter(|_| self.kept.players == Keep::Yes));
        push_rare(&mut self.sources, row, 0, Some(label.source).filter(|source| *source != 0));
    }

    /// Sets the options of all sources and frees unused memory.
    pub(crate) fn finish(&mut self, options: &[SourceOptions]) {
        self.options = options.to_vec();
        self.results.shrink_to_fit();
        self.scores.shrink_to_fit();
        self.players.shrink_to_fit();
        self.sources.shrink_to_fit();
    }
}

/// Adds a row's value to a list that stays empty until the first value.
fn push_rare<T: Copy>(list: &mut Vec<T>, row: usize, none: T, value: Option<T>) {
    if value.is_some() && list.is_empty() {
        list.resize(row, none);
    }
    if value.is_some() || list.len() == row && row > 0 && !list.is_empty() {
        list.push(value.unwrap_or(none));
    }
}

/// Split into training and validation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Share of the games held out for validation, 0 to 1.
    pub validation: f64,
    pub seed: u64,
}

impl Split {
    /// An amount of memory divided between training and validation.
    pub(crate) fn shares(&self, memory: u64) -> [u64; 2] {
        let validation = (memory as f64 * self.validation) as u64;
        [memory.saturating_sub(validation), validation]
    }

    /// Whether a game's positions are held out.
    pub fn holds_out(&self, game: u32) -> bool {
        let share = splitmix(self.seed ^ splitmix(u64::from(game))) >> 11;
        (share as f64) < self.validation * (1_u64 << 53) as f64
    }
}

/// Global numbers for the games and players of several data sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    options: Vec<SourceOptions>,
    players: Vec<String>,
    /// Global number of each player of the current source.
    numbers: Vec<u8>,
    first_game: u32,
    last_game: u32,
}

impl Sources {
    /// Starts the next data source. Players beyond 255 stay unknown.
    pub(crate) fn begin(&mut self, players: &[String], options: SourceOptions) {
        if !self.options.is_empty() {
            self.first_game = self.last_game.saturating_add(1);
        }
        self.options.push(options);
        self.numbers.clear();
        for name in players {
            let known = self.players.iter().position(|known| known == name);
            let index = known.unwrap_or(self.players.len());
            if known.is_none() && index < MOST_PLAYERS {
                self.players.push(name.clone());
            }
            self.numbers.push(u8::try_from(index + 1).unwrap_or(0));
        }
    }

    /// Global number of a game of the current source.
    pub(crate) fn game(&self, game: u32) -> u32 {
        self.first_game.saturating_add(game)
    }

    /// Whether a game of the current source, by its global number, is held out.
    pub(crate) fn holds_out(&self, split: Split, game: u32) -> bool {
        let share = self.options.last().and_then(|options| options.validation);
        Split { validation: share.unwrap_or(split.validation), ..split }.holds_out(game)
    }

    /// Records a game by its global number.
    pub(crate) fn note(&mut self, game: u32) {
        self.last_game = self.last_game.max(game);
    }

    /// Label of a sample of the current source.
    pub(crate) fn label(&self, sample: &Sample) -> Label {
        let options = self.options.last().copied().unwrap_or_default();
        let is_flipped =
            options.view == PointOfView::SideToMove && sample.position.turn() == smalt_chess::Color::Black;
        let number = |player: u8| {
            usize::from(player).checked_sub(1).and_then(|index| self.numbers.get(index).copied())
        };
        Label {
            result: if is_flipped { 1.0 - sample.result } else { sample.result },
            score: sample.score.map(|score| if is_flipped { -score } else { score }),
            players: sample.players.map(|player| number(player).unwrap_or(0)),
            source: u8::try_from(self.options.len().saturating_sub(1)).unwrap_or(u8::MAX),
        }
    }

    /// Options of all sources.
    pub(crate) fn options(&self) -> &[SourceOptions] {
        &self.options
    }

    /// Player names; player n is at index n - 1.
    pub(crate) fn into_players(self) -> Vec<String> {
        self.players
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::Position;

    #[test]
    fn games_and_players_of_several_sources_have_common_numbers() {
        let mut sources = Sources::default();
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        sources.begin(&names(&["A", "B"]), SourceOptions::default());
        assert_eq!(sources.game(7), 7);
        sources.note(7);
        let options = SourceOptions { view: PointOfView::SideToMove, ..SourceOptions::default() };
        sources.begin(&names(&["C", "A"]), options);
        assert_eq!(sources.game(0), 8);
        let position = Position::from_fen("4k3/8/8/8/8/8/8/4K2Q b - - 0 1").unwrap();
        let sample = Sample { players: [2, 1], ..Sample::new(position, 0.25, Some(-40)) };
        let label = sources.label(&sample);
        assert_eq!(label, Label { result: 0.75, score: Some(40), players: [1, 3], source: 1 });
        assert_eq!(sources.into_players(), names(&["A", "B", "C"]));
    }

    #[test]
    fn a_source_may_have_its_own_share_of_held_out_games() {
        let split = Split { validation: 0.5, seed: 1 };
        let mut sources = Sources::default();
        let held_out = |sources: &Sources| (0..1000).filter(|game| sources.holds_out(split, *game)).count();
        for (share, expected) in [(None, 400..600), (Some(0.0), 0..1), (Some(0.1), 50..150)] {
            sources.begin(&[], SourceOptions { validation: share, ..SourceOptions::default() });
            assert!(expected.contains(&held_out(&sources)), "{share:?}");
        }
    }

    #[test]
    fn weights_are_those_of_the_sources() {
        let mut labels = Labels::new(Kept::default());
        let label = |source| Label { result: 0.5, score: None, players: [0; 2], source };
        [0, 0, 1, 0].into_iter().for_each(|source| labels.push(label(source)));
        let weight = |weight| SourceOptions { weight, ..SourceOptions::default() };
        labels.finish(&[weight(1.0), weight(1.0)]);
        assert!(labels.weights().is_empty());
        labels.finish(&[weight(1.0), weight(3.0)]);
        assert_eq!(labels.weights(), [1.0, 1.0, 3.0, 1.0]);
    }
}
