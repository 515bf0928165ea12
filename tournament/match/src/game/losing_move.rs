//! The move that lost a game, by the evaluations of both engines.

use smalt_chess::Position;
use smalt_protocol::Score;
use smalt_stats::Elo;

use super::GameRecord;

/// Minimum drop of the expected score for a move to have lost the game.
const MIN_DROP: f64 = 0.1;

impl GameRecord {
    /// Index of the ply that lost the game: the loser's move with the largest drop of its expected score of which it
    /// never regained half. The expected score at a move is the lower one by the last evaluations of both engines, so
    /// that the first to see the loss decides. `None` for draws and faults, without evaluations of both engines, and if
    /// no drop reaches a tenth of a point.
    pub fn losing_ply(&self) -> Option<usize> {
        let loser = self.loser().filter(|_| self.fault.is_none())?;
        let start = self.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_default();
        let first_own = usize::from(start.turn() != loser);
        let score = |ply: usize| self.plies.get(ply)?.search.as_ref()?.score;
        let level = |ply: usize| {
            let by_winner = 1.0 - expected_score(score(ply.checked_sub(1)?)?);
            // After the last ply only the winner's evaluation is left.
            let by_loser = if ply == self.plies.len() { 1.0 } else { expected_score(score(ply)?) };
            Some(by_winner.min(by_loser))
        };
        let levels: Vec<(usize, f64)> =
            (first_own..=self.plies.len()).step_by(2).filter_map(|ply| Some((ply, level(ply)?))).collect();
        let mut found = None;
        let (mut largest, mut regained) = (MIN_DROP, 0.0_f64);
        for (&(ply, before), &(_, after)) in levels.iter().zip(levels.iter().skip(1)).rev() {
            regained = regained.max(after);
            let drop = before - after;
            if drop >= largest && before - regained >= drop / 2.0 {
                (largest, found) = (drop, Some(ply));
            }
        }
        found
    }

    /// Drops the principal variations, except those of the losing move and of the reply to it.
    pub fn drop_variations(&mut self) {
        let losing = self.losing_ply();
        for (ply, record) in self.plies.iter_mut().enumerate() {
            let is_kept = losing.is_some_and(|losing| ply == losing || ply == losing + 1);
            if let Some(search) = record.search.as_mut().filter(|_| !is_kept) {
                search.pv = Box::default();
            }
        }
    }
}

/// Expected score in [0, 1] at an evaluation, from the same point of view; a centipawn counts like a point of Elo.
fn expected_score(score: Score) -> f64 {
    match score {
        Score::Centipawns(value) => Elo(value.into()).to_score(),
        Score::Mate(moves) => f64::from(u8::from(moves > 0)),
    }
}

#[cfg(test)]
mod tests {
    use smalt_chess::{Color, Outcome, UciMove};

    use super::*;
    use crate::game::{PlyRecord, SearchRecord, Termination};
    use crate::schedule::ScheduledGame;

    /// A game with these evaluations, each in the view of the engine that moved; `None` is a book move.
    fn game(scores: &[Option<i32>], outcome: Outcome) -> GameRecord {
        let mv = UciMove::parse("e2e4").unwrap();
        let ply = |score: &Option<i32>| PlyRecord {
            mv,
            search: score.map(|value| SearchRecord {
                score: Some(Score::Centipawns(value)),
                pv: [mv].into(),
                ..SearchRecord::default()
            }),
        };
        let scheduled = ScheduledGame { number: 0, pair: 0, round: 0, white: 0, black: 1, opening: 0 };
        GameRecord {
            plies: scores.iter().map(ply).collect(),
            termination: Termination::Checkmate,
            ..GameRecord::walkover(scheduled, None, outcome)
        }
    }

    fn check(scores: &[i32], expected: Option<usize>) {
        let scores: Vec<Option<i32>> = scores.iter().copied().map(Some).collect();
        assert_eq!(game(&scores, Outcome::Win(Color::Black)).losing_ply(), expected, "{scores:?}");
    }

    #[test]
    fn the_losing_move_has_the_largest_drop_that_was_not_regained() {
        // White, which evaluates first, loses; the winner sees it at once.
        check(&[20, -20, 10, 250, 0, 300, -280, 320], Some(2));
        // The loser sees it first.
        check(&[20, -20, 10, 0, -300, 20, -310, 250, -400, 420], Some(2));
        // The loser sees late what the winner saw at once.
        check(&[20, -20, 10, 250, 0, 260, -10, 270, -400, 420], Some(2));
        // The first drop was regained.
        check(&[20, -20, 10, 250, 0, 10, 10, 300, -290, 320], Some(6));
        // A quarter of a drop was regained (game 55 of the run that this rule comes from).
        check(&[107, 13, 111, 75, 115, 203, -90, 142, -1, 154, -5, 152, -11, 176, -39, 198], Some(4));
        // The loss is gradual.
        check(&[-10, 30, -50, 70, -90, 110, -130, 150, -170, 190, -210, 230, -250, 270], None);
        // The game was lost from the start.
        check(&[-500, 510, -520, 600, -700, 900], None);
    }

    #[test]
    fn without_a_loser_or_its_evaluations_there_is_no_losing_move() {
        let scores = [20, -20, 10, 250, 0, 300, -280, 320];
        let evaluated = scores.map(Some);
        assert_eq!(game(&evaluated, Outcome::Draw).losing_ply(), None);
        assert_eq!(game(&evaluated, Outcome::Win(Color::White)).losing_ply(), None);
        assert_eq!(game(&[None; 8], Outcome::Win(Color::Black)).losing_ply(), None);
        assert_eq!(game(&[], Outcome::Win(Color::Black)).losing_ply(), None);
        // Book moves come first.
        let with_book: Vec<_> = [None, None].into_iter().chain(evaluated).collect();
        assert_eq!(game(&with_book, Outcome::Win(Color::Black)).losing_ply(), Some(4));
        let black_first = GameRecord {
            fen: Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1".to_owned()),
            ..game(&evaluated, Outcome::Win(Color::White))
        };
        assert_eq!(black_first.losing_ply(), Some(2));
    }

    #[test]
    fn only_the_variations_around_the_losing_move_are_kept() {
        let variations = |record: &GameRecord| -> Vec<usize> {
            let has_pv = |ply: &PlyRecord| ply.search.as_ref().is_some_and(|search| !search.pv.is_empty());
            (0..record.plies.len()).filter(|&ply| has_pv(&record.plies[ply])).collect()
        };
        let scores = [20, -20, 10, 250, 0, 300, -280, 320].map(Some);
        let mut lost = game(&scores, Outcome::Win(Color::Black));
        assert_eq!(variations(&lost).len(), 8);
        lost.drop_variations();
        assert_eq!(variations(&lost), [2, 3]);
        let mut drawn = game(&scores, Outcome::Draw);
        drawn.drop_variations();
        assert!(variations(&drawn).is_empty());
    }
}
