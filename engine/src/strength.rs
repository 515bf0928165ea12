//! Weaker play on request: fewer nodes, and a choice among the best lines that is off by a random error. The error
//! comes from the position and a seed, so the same game plays out the same way, and another opening gives another.

use smalt_chess::Position;

use crate::search::Line;
use crate::search::score::is_mate;

/// The range in which strength can be limited, in Elo. The scale is a plan, not yet a measurement.
pub const ELO_RANGE: std::ops::RangeInclusive<u32> = 800..=3000;

/// How strongly the engine plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strength {
    /// As well as it can.
    #[default]
    Full,
    /// About like a player of this Elo, within [`ELO_RANGE`].
    Limited(u32),
}

/// What a limit of strength means for one move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Handicap {
    /// Nodes for the move.
    pub(crate) nodes: u64,
    /// Standard deviation of the error of judgement, in centipawns.
    pub(crate) error: f64,
}

/// Lines among which a weakened engine chooses.
pub(crate) const LINES: usize = 4;

impl Handicap {
    /// What it takes to play like that Elo: from 40 nodes to about 250,000, steeper at first, and errors of judgement
    /// that vanish toward 2,500. Chosen so that 300 Elo more win clearly in games against each other.
    pub(crate) fn of(elo: u32) -> Handicap {
        let elo = f64::from(elo.clamp(*ELO_RANGE.start(), *ELO_RANGE.end()));
        let share = (elo - 800.0) / 2200.0;
        let nodes = 40.0 * (12.6 * share.powf(0.8)).exp2();
        let lack = ((2500.0 - elo) / 1700.0).max(0.0);
        Handicap { nodes: nodes as u64, error: 160.0 * lack.powi(3) }
    }

    /// Which of the lines is played, as an index. Mates are always seen.
    pub(crate) fn choose(&self, lines: &[Line], position: &Position, seed: u64) -> usize {
        let judged = |(index, line): (usize, &Line)| {
            let error =
                if is_mate(line.score) { 0.0 } else { self.error * noise(position, seed, index as u64) };
            (index, f64::from(line.score) + error)
        };
        lines.iter().enumerate().map(judged).max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(index, _)| index)
    }
}

/// A number around 0 with a standard deviation of about 1: the sum of twelve even ones.
fn noise(position: &Position, seed: u64, index: u64) -> f64 {
    let count = u64::from(position.fullmove_number());
    let mut state = position.key() ^ seed.rotate_left(32) ^ count << 48 ^ index << 56;
    let even = std::iter::repeat_with(|| {
        state = scramble(state);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    });
    even.take(12).sum::<f64>() - 6.0
}

/// The next number of Sebastiano Vigna's SplitMix64, whose state is its own output here.
pub(crate) fn scramble(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::mate_in;

    fn line(score: i32, position: &Position) -> Line {
        Line { score, moves: vec![position.legal_moves()[0]], selective_depth: 1 }
    }

    #[test]
    fn more_elo_means_more_nodes_and_less_error() {
        let handicaps: Vec<Handicap> = ELO_RANGE.step_by(100).map(Handicap::of).collect();
        assert!(handicaps.windows(2).all(|pair| pair[0].nodes < pair[1].nodes));
        assert!(handicaps.windows(2).all(|pair| pair[0].error >= pair[1].error));
        assert_eq!(handicaps.last().map(|handicap| handicap.error), Some(0.0));
    }

    #[test]
    fn errors_are_the_same_for_the_same_seed_and_spread_as_told() {
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
        let handicap = Handicap::of(800);
        let lines = [line(50, &position), line(20, &position), line(-30, &position)];
        let choices: Vec<usize> = (0..100).map(|seed| handicap.choose(&lines, &position, seed)).collect();
        assert!((0..3).all(|index| choices.contains(&index)));
        let lines = [line(mate_in(3), &position), line(900, &position)];
        assert!((0..100).all(|seed| handicap.choose(&lines, &position, seed) == 0));
        assert_eq!(Handicap::of(3000).choose(&[line(5, &position), line(4, &position)], &position, 1), 0);
    }
}
