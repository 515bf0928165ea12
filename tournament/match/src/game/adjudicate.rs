//! Adjudication by the engines' scores: resign, draw, mate and maximum length. Pure: scores go in, a result
//! comes out.

use smalt_chess::{Color, Outcome};
use smalt_protocol::Score;

use super::termination::Termination;
use crate::plan::{AdjudicationRules, Sides};

#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: AdjudicationRules,
    plies: u32,
    /// Consecutive plies with a draw score since the last capture or pawn move, that move included.
    even: u32,
    /// Consecutive moves of each color with a losing score, and with a winning score.
    lost: [u32; 2],
    won: [u32; 2],
    /// Consecutive moves of each color that announce a mate given, and a mate suffered.
    mates: [u32; 2],
    mated: [u32; 2],
}

impl Adjudicator {
    /// An adjudicator at the first move of a game.
    pub fn new(rules: AdjudicationRules) -> Adjudicator {
        Adjudicator { rules, plies: 0, even: 0, lost: [0; 2], won: [0; 2], mates: [0; 2], mated: [0; 2] }
    }

    /// Adds a move with its score from the mover's point of view, and returns the result if the game is
    /// adjudicated. A move without a score (a book move, or an engine that reports none) resets all counts;
    /// an irreversible move (capture or pawn move) restarts the draw count, as in fastchess and cutechess.
    pub fn update(
        &mut self,
        mover: Color,
        score: Option<Score>,
        is_irreversible: bool,
    ) -> Option<(Outcome, Termination)> {
        self.plies += 1;
        if is_irreversible {
            self.even = 0;
        }
        self.count(mover, score);
        self.mate().or_else(|| self.resignation()).or_else(|| self.draw())
    }

    fn count(&mut self, mover: Color, score: Option<Score>) {
        fn step(row: &mut u32, goes_on: bool) {
            *row = if goes_on { *row + 1 } else { 0 };
        }
        let centipawns = score.map(to_centipawns);
        let margin = self.rules.draw.map_or(-1, |rule| i64::from(rule.score));
        step(&mut self.even, centipawns.is_some_and(|value| value.abs() <= margin));
        let hopeless = self.rules.resign.map_or(i64::MAX, |rule| i64::from(rule.score));
        step(&mut self.lost[mover.index()], centipawns.is_some_and(|value| value <= -hopeless));
        step(&mut self.won[mover.index()], centipawns.is_some_and(|value| value >= hopeless));
        step(&mut self.mates[mover.index()], matches!(score, Some(Score::Mate(1..))));
        step(&mut self.mated[mover.index()], matches!(score, Some(Score::Mate(..=0))));
    }

    fn mate(&self) -> Option<(Outcome, Termination)> {
        let rule = self.rules.mate?;
        let winner = Color::ALL.into_iter().find(|color| {
            self.mates[color.index()] >= rule.movecount
                && (rule.sides == Sides::One || self.mated[color.opposite().index()] >= rule.movecount)
        })?;
        Some((Outcome::Win(winner), Termination::MateAdjudication))
    }

    fn resignation(&self) -> Option<(Outcome, Termination)> {
        let rule = self.rules.resign.filter(|rule| self.plies / 2 >= rule.movenumber)?;
        let loser = Color::ALL.into_iter().find(|color| {
            self.lost[color.index()] >= rule.movecount
                && (rule.sides == Sides::One || self.won[color.opposite().index()] >= rule.movecount)
        })?;
        Some((Outcome::Win(loser.opposite()), Termination::WinAdjudication))
    }

    fn draw(&self) -> Option<(Outcome, Termination)> {
        let moves = self.plies / 2;
        if let Some(rule) = self.rules.draw
            && moves >= rule.movenumber
            && self.even >= rule.movecount.saturating_mul(2)
        {
            return Some((Outcome::Draw, Termination::DrawAdjudication));
        }
        let limit = self.rules.max_moves?;
        (moves >= limit).then_some((Outcome::Draw, Termination::MaximumMoves))
    }
}

/// Centipawns; a mate exceeds every score in pawns.
fn to_centipawns(score: Score) -> i64 {
    match score {
        Score::Centipawns(value) => i64::from(value),
        Score::Mate(moves) if moves > 0 => i64::from(i32::MAX),
        Score::Mate(_) => -i64::from(i32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{DrawRule, MateRule, ResignRule};
    use smalt_protocol::Score::{Centipawns, Mate};

    const RULES: AdjudicationRules = AdjudicationRules {
        draw: Some(DrawRule { movenumber: 3, movecount: 2, score: 10 }),
        resign: Some(ResignRule { movenumber: 0, movecount: 2, score: 500, sides: Sides::Both }),
        mate: None,
        max_moves: Some(10),
    };

    /// Checks the ply (from 1) at which alternating scores of White and Black end the game, and how.
    fn check(
        rules: AdjudicationRules,
        scores: &[Option<Score>],
        expected: Option<(usize, Outcome, Termination)>,
    ) {
        check_with_captures(rules, scores, &[], expected);
    }

    /// The same, with captures at these plies (from 1).
    fn check_with_captures(
        rules: AdjudicationRules,
        scores: &[Option<Score>],
        captures: &[usize],
        expected: Option<(usize, Outcome, Termination)>,
    ) {
        let mut adjudicator = Adjudicator::new(rules);
        let mut mover = Color::Black;
        let ended = scores.iter().enumerate().find_map(|(ply, &score)| {
            mover = mover.opposite();
            let adjudicated = adjudicator.update(mover, score, captures.contains(&(ply + 1)));
            adjudicated.map(|(outcome, termination)| (ply + 1, outcome, termination))
        });
        assert_eq!(ended, expected);
    }

    fn centipawns(values: &[i32]) -> Vec<Option<Score>> {
        values.iter().map(|&value| Some(Centipawns(value))).collect()
    }

    #[test]
    fn a_draw_takes_enough_moves_and_quiet_scores_of_both() {
        let draw = |ply| Some((ply, Outcome::Draw, Termination::DrawAdjudication));
        check(RULES, &centipawns(&[0, 0, 5, -5, 10, -10]), draw(6));
        check(RULES, &centipawns(&[0, 0, 50, 0, 0, 0, 0]), draw(7));
        check(RULES, &centipawns(&[0, 11, 0, 11, 0, 11, 0, 11]), None);
    }

    #[test]
    fn a_capture_begins_the_row_of_a_draw_anew_and_no_other() {
        let draw = |ply| Some((ply, Outcome::Draw, Termination::DrawAdjudication));
        check_with_captures(RULES, &centipawns(&[0; 12]), &[5], draw(8));
        check_with_captures(RULES, &centipawns(&[0; 12]), &[5, 7], draw(10));
        let white_wins = Some((4, Outcome::Win(Color::White), Termination::WinAdjudication));
        check_with_captures(RULES, &centipawns(&[600, -600, 600, -600]), &[3], white_wins);
    }

    #[test]
    fn a_hopeless_side_loses_if_the_other_agrees() {
        let white_wins = |ply| Some((ply, Outcome::Win(Color::White), Termination::WinAdjudication));
        check(RULES, &centipawns(&[600, -600, 600, -600]), white_wins(4));
        check(RULES, &centipawns(&[600, -600, 400, -600, 600, -600, 600]), white_wins(7));
        check(RULES, &centipawns(&[20, -600, 20, -600, 20, -600]), None);
        check(RULES, &[Some(Mate(3)), Some(Mate(-3)), Some(Mate(2)), Some(Mate(-2))], white_wins(4));
    }

    #[test]
    fn one_side_is_enough_where_the_rule_says_so() {
        let rule = ResignRule { movenumber: 0, movecount: 2, score: 500, sides: Sides::One };
        let rules = AdjudicationRules { resign: Some(rule), ..RULES };
        let expected = Some((3, Outcome::Win(Color::Black), Termination::WinAdjudication));
        check(rules, &centipawns(&[-500, 20, -500]), expected);
        let late = AdjudicationRules { resign: Some(ResignRule { movenumber: 3, ..rule }), ..RULES };
        let expected = Some((6, Outcome::Win(Color::Black), Termination::WinAdjudication));
        check(late, &centipawns(&[-500, 20, -500, 20, -500, 20, -500]), expected);
    }

    #[test]
    fn announced_mates_are_trusted_only_by_a_rule_and_where_the_other_agrees() {
        let mates = [Some(Mate(3)), Some(Mate(-3)), Some(Mate(2)), Some(Mate(-2))];
        let white_wins = |ply| Some((ply, Outcome::Win(Color::White), Termination::MateAdjudication));
        let rules = |movecount, sides| AdjudicationRules {
            mate: Some(MateRule { movecount, sides }),
            ..AdjudicationRules::default()
        };
        check(AdjudicationRules::default(), &mates, None);
        check(rules(1, Sides::Both), &mates, white_wins(2));
        check(rules(2, Sides::Both), &mates, white_wins(4));
        check(rules(2, Sides::One), &mates, white_wins(3));
        check(rules(1, Sides::Both), &[Some(Mate(3)), Some(Centipawns(-3000)), Some(Mate(2))], None);
    }

    #[test]
    fn a_silent_engine_is_never_adjudicated_before_the_last_move() {
        check(RULES, &[None; 20], Some((20, Outcome::Draw, Termination::MaximumMoves)));
    }

    #[test]
    fn without_rules_games_go_on() {
        check(AdjudicationRules::default(), &centipawns(&[0; 400]), None);
        check(AdjudicationRules::default(), &centipawns(&[9999, -9999].repeat(100)), None);
    }
}
