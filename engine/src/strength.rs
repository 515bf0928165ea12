//! Limited strength (`UCI_Elo`): a node limit, and a choice among the best lines with a random error. The error depends on the
//! position and the seed, so games are reproducible.

use smalt_chess::Position;
use smalt_chess::splitmix::splitmix;

use crate::search::PvLine;
use crate::search::score::is_mate;

/// A level of limited strength and its measured rating.
struct StrengthLevel {
    /// Elo on the CCRL Blitz scale.
    elo: u32,
    nodes: f64,
    error: f64,
}

/// The levels for [`Handicap::of`]: up to the first 2615 with a choice among lines, from the second on without.
///
/// An earlier version was rated at these nodes and errors: its levels up to 2430 in one pool by maximum likelihood, from games
/// between neighboring levels and against Stockfish 15.1's skill levels 0 to 10, Fairy-Max, Phalanx, GNU Chess,
/// Glaurung, Toga II and Ethereal, and of these against each other; all of those came out within 35 Elo of their ratings.
/// Stockfish's authors rated the skill levels against versions of Stash on the CCRL Blitz list
/// (official-stockfish/Stockfish, pull request 4341); the lowest are weaker with less time, so only games at 8+0.08
/// counted for levels 0 to 3. The error was 105 Elo at the bottom and 50 at 2165. Levels above were interpolated from
/// results at 12,000 to 248,300 nodes, with errors of 80 to 190 Elo, and an eighth of their nodes was taken off for the better
/// search parameters of f3d2a81.
///
/// The present version scored 81 ± 36 Elo more than f3d2a81 with the same handicap at 1000 (300 games), 111 ± 39 at 1400
/// (300), 130 ± 38 at 1800 (300), 200 ± 42 at 2200 (300), 185 ± 32 at 2430 (400), 205 ± 41 at 2600 (300), 221 ± 51 at
/// 3030 (160) and 236 ± 56 at 3230 (120), and so much was added to each level; to the last ones less, since the last is
/// full strength at 8+0.08, measured against Stockfish 11 (docs/strength.md). The first level is an extrapolation.
const LEVELS: [StrengthLevel; 14] = [
    StrengthLevel { elo: 795, nodes: 40.0, error: 180.0 },
    StrengthLevel { elo: 875, nodes: 40.0, error: 160.0 },
    StrengthLevel { elo: 1000, nodes: 61.0, error: 146.0 },
    StrengthLevel { elo: 1155, nodes: 373.0, error: 71.6 },
    StrengthLevel { elo: 1545, nodes: 1_317.0, error: 32.6 },
    StrengthLevel { elo: 1930, nodes: 2_867.0, error: 16.7 },
    StrengthLevel { elo: 2355, nodes: 7_235.0, error: 5.4 },
    StrengthLevel { elo: 2615, nodes: 14_735.0, error: 1.4 },
    StrengthLevel { elo: 2615, nodes: 8_000.0, error: 0.0 },
    StrengthLevel { elo: 3040, nodes: 22_000.0, error: 0.0 },
    StrengthLevel { elo: 3245, nodes: 43_000.0, error: 0.0 },
    StrengthLevel { elo: 3430, nodes: 87_000.0, error: 0.0 },
    StrengthLevel { elo: 3550, nodes: 175_000.0, error: 0.0 },
    StrengthLevel { elo: 3630, nodes: 500_000.0, error: 0.0 },
];

/// The range of limited strength, in Elo on the CCRL Blitz scale; the upper end means no limit.
pub(crate) const ELO_RANGE: std::ops::RangeInclusive<u32> = 800..=LEVELS[LEVELS.len() - 1].elo;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strength {
    #[default]
    Full,
    /// About this Elo, within [`ELO_RANGE`].
    Limited(u32),
}

/// Handicap of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Handicap {
    pub(crate) nodes: u64,
    /// Standard deviation of the evaluation error, in centipawns.
    pub(crate) error: f64,
}

/// Number of lines to choose from.
const LINES: usize = 4;

impl Handicap {
    /// Handicap for an Elo, interpolated between levels; `None` from the last level on.
    pub(crate) fn of(elo: u32) -> Option<Handicap> {
        let elo = elo.max(*ELO_RANGE.start());
        let above = LEVELS.iter().position(|level| level.elo > elo)?;
        let (lower, upper) = (&LEVELS[above - 1], &LEVELS[above]);
        let share = f64::from(elo - lower.elo) / f64::from(upper.elo - lower.elo);
        let between = |from: f64, to: f64| from + (to - from) * share;
        let nodes = between(lower.nodes.ln(), upper.nodes.ln()).exp();
        Some(Handicap { nodes: nodes.round() as u64, error: between(lower.error, upper.error) })
    }

    /// Number of lines to search: one without evaluation error.
    pub(crate) fn lines(&self) -> usize {
        if self.error > 0.0 { LINES } else { 1 }
    }

    /// Index of the line to play, below [`Handicap::lines`]. Mates are never missed.
    pub(crate) fn choose(&self, lines: &[PvLine], position: &Position, seed: u64) -> usize {
        let with_error = |(index, line): (usize, &PvLine)| {
            let error =
                if is_mate(line.score) { 0.0 } else { self.error * noise(position, seed, index as u64) };
            (index, f64::from(line.score) + error)
        };
        lines
            .iter()
            .take(self.lines())
            .enumerate()
            .map(with_error)
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(0, |(index, _)| index)
    }
}

/// Approximately normal random number: a sum of twelve uniform ones.
fn noise(position: &Position, seed: u64, index: u64) -> f64 {
    let count = u64::from(position.fullmove_number());
    let mut state = position.key() ^ seed.rotate_left(32) ^ count << 48 ^ index << 56;
    let even = std::iter::repeat_with(|| {
        state = splitmix(state);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    });
    even.take(12).sum::<f64>() - 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::mate_in;
    use smalt_protocol::Bound;

    fn line(score: i32, position: &Position) -> PvLine {
        PvLine { score, bound: Bound::Exact, moves: vec![position.legal_moves()[0]], selective_depth: 1 }
    }

    #[test]
    fn more_elo_means_more_nodes_and_less_error() {
        let handicaps: Vec<Handicap> = ELO_RANGE.step_by(10).filter_map(Handicap::of).collect();
        for pair in handicaps.windows(2) {
            assert!(pair[0].error >= pair[1].error && pair[0].lines() >= pair[1].lines());
            assert!(pair[0].nodes <= pair[1].nodes || pair[0].lines() > pair[1].lines());
            assert!(pair[0] != pair[1]);
        }
    }

    #[test]
    fn one_line_replaces_four_at_2615() {
        let [below, above] = [2614, 2615].map(|elo| Handicap::of(elo).unwrap());
        assert_eq!((below.lines(), above.lines()), (4, 1));
        assert_eq!((above.nodes, above.error), (8_000, 0.0));
        assert!((14_000..14_735).contains(&below.nodes) && (1.4..1.5).contains(&below.error));
    }

    #[test]
    fn a_level_has_its_measured_handicap_and_the_last_one_has_none() {
        for levels in LEVELS[1..].windows(2).filter(|levels| levels[0].elo < levels[1].elo) {
            let handicap = Handicap::of(levels[0].elo).unwrap();
            assert!(
                (handicap.nodes as f64 - levels[0].nodes).abs() <= 1.0 && handicap.error == levels[0].error
            );
        }
        assert_eq!(Handicap::of(*ELO_RANGE.end()), None);
        assert_eq!(Handicap::of(0), Handicap::of(*ELO_RANGE.start()));
    }

    #[test]
    fn errors_depend_on_the_seed_and_have_the_given_spread() {
        let position = Position::start();
        let sample: Vec<f64> = (0..2000).map(|seed| noise(&position, seed, 0)).collect();
        let mean = sample.iter().sum::<f64>() / 2000.0;
        let variance = sample.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 2000.0;
        assert!(mean.abs() < 0.1 && (variance - 1.0).abs() < 0.15, "{mean} {variance}");
        assert_eq!(noise(&position, 7, 1), noise(&position, 7, 1));
    }

    #[test]
    fn a_weak_player_errs_but_sees_mates() {
        let position = Position::start();
        let handicap = Handicap::of(800).unwrap();
        let lines = [line(50, &position), line(20, &position), line(-30, &position)];
        let choices: Vec<usize> = (0..100).map(|seed| handicap.choose(&lines, &position, seed)).collect();
        assert!((0..3).all(|index| choices.contains(&index)));
        let lines = [line(mate_in(3), &position), line(900, &position)];
        assert!((0..100).all(|seed| handicap.choose(&lines, &position, seed) == 0));
        let faultless = Handicap { error: 0.0, ..handicap };
        assert_eq!(faultless.choose(&[line(5, &position), line(4, &position)], &position, 1), 0);
        let shown = [-900, -900, -900, -900, 900].map(|score| line(score, &position));
        assert!((0..100).all(|seed| handicap.choose(&shown, &position, seed) < 4));
    }
}
