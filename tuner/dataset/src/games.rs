//! Separates games in formats without game numbers: positions of one game must not be split between training and
//! validation.

use super::choose::GamePosition;
use super::record::Sample;

/// Number of lines or records that count as one game if positions have no move number: positions of a game are
/// usually adjacent.
pub(crate) const LINES_PER_GAME: u64 = 64;

/// Numbers the games of a file read in order.
#[derive(Default)]
pub struct GameCounter {
    game: u32,
    /// Ply and White's result of the last position.
    last: Option<(u16, f32)>,
    /// Block of lines of the last position, if it had no move number.
    block: Option<u64>,
}

impl GameCounter {
    /// Game of a position with a known ply: a new one starts when the ply does not increase or the result changes.
    pub(crate) fn game_of(&mut self, ply: u16, result: f32) -> u32 {
        if self.last.is_some_and(|(last_ply, last_result)| ply <= last_ply || result != last_result) {
            self.game += 1;
        }
        (self.last, self.block) = (Some((ply, result)), None);
        self.game
    }

    /// Sets game and ply of the position in this line from its move number. Positions of the first move (all
    /// positions, in files without move numbers) are grouped in blocks of [`LINES_PER_GAME`] lines.
    pub fn assign(&mut self, line: u64, sample: &mut Sample) {
        let ply = GamePosition::ply_of(&sample.position).min(u16::MAX.into()) as u16;
        sample.ply = ply;
        if sample.position.fullmove_number() > 1 {
            sample.game = self.game_of(ply, sample.result);
            return;
        }
        let block = Some(line / LINES_PER_GAME);
        if self.last.is_some() && self.block != block {
            self.game += 1;
        }
        (self.last, self.block) = (Some((ply, sample.result)), block);
        sample.game = self.game;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::Position;

    /// Games of positions with these move numbers (0: White's first move without a number) and results.
    fn games(lines: &[(u16, f32)]) -> Vec<u32> {
        let mut counter = GameCounter::default();
        let game = |(line, &(number, result)): (u64, &(u16, f32))| {
            let fen = format!("4k3/8/8/8/8/8/4P3/4K3 w - - 0 {}", number.max(1));
            let mut sample = Sample::new(Position::from_fen(&fen).unwrap(), result, None);
            counter.assign(line, &mut sample);
            sample.game
        };
        (0..).zip(lines).map(game).collect()
    }

    #[test]
    fn a_game_ends_where_the_move_number_falls_or_the_result_changes() {
        let lines =
            [(9, 1.0), (12, 1.0), (40, 1.0), (8, 1.0), (9, 1.0), (10, 0.0), (1, 0.5), (2, 0.5), (2, 0.5)];
        assert_eq!(games(&lines), [0, 0, 0, 1, 1, 2, 3, 3, 4]);
    }

    #[test]
    fn lines_without_move_numbers_are_taken_in_blocks() {
        let lines: Vec<_> = (0..130).map(|line| (0, f32::from(line % 3 == 0))).collect();
        let games = games(&lines);
        assert!((0..130).all(|line| games[line] == line as u32 / 64));
    }
}
