//! Result claims by the rules, and answers to draw offers.

use smalt_chess::{Color, Ending, Game, Outcome, Position};
use smalt_protocol::xboard::EngineMessage;

/// The result to claim if the game is over. In dead positions that interfaces do not detect (more than two pieces
/// besides the kings, locked pawns) the engine plays on, as section 9 of the protocol requires.
pub(super) fn claim(game: &Game) -> Option<EngineMessage<'static>> {
    let position = game.position();
    let (outcome, comment) = match position.ending() {
        Some(Ending::Checkmate { winner: Color::White }) => (Outcome::Win(Color::White), "White mates"),
        Some(Ending::Checkmate { winner: Color::Black }) => (Outcome::Win(Color::Black), "Black mates"),
        Some(Ending::Stalemate) => (Outcome::Draw, "Stalemate"),
        Some(Ending::InsufficientMaterial) if position.occupied().count() <= 4 => {
            (Outcome::Draw, "Draw by insufficient material")
        }
        _ if game.repetitions() >= 3 => (Outcome::Draw, "Draw by repetition"),
        _ if position.halfmove_clock() >= FIFTY_MOVES => (Outcome::Draw, "Draw by fifty-move rule"),
        _ => return None,
    };
    Some(EngineMessage::Result { outcome, comment })
}

/// In plies.
const FIFTY_MOVES: u16 = 100;

/// Score in centipawns at or below which a draw is always accepted.
const GIFT: i32 = -100;
/// Moves after which a draw is accepted in an even position.
const LONG: u16 = 40;
/// Halfmove clock from which a draw is accepted in an even position.
const QUIET: u16 = 20;

/// Whether to accept a draw, by the score in centipawns from the engine's point of view: always when clearly worse;
/// when not better, in a long or quiet game.
pub(super) fn accepts_draw(score: i32, position: &Position) -> bool {
    let is_spent = position.fullmove_number() >= LONG || position.halfmove_clock() >= QUIET;
    score <= GIFT || score <= 0 && is_spent
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::UciMove;

    fn check(fen: &str, moves: &str, expected: &str) {
        let mut game = Game::new(fen.parse().unwrap());
        for mv in moves.split_whitespace() {
            let mv = mv.parse::<UciMove>().unwrap().to_move(game.position()).unwrap();
            game.play(mv).unwrap();
        }
        let found = claim(&game).map_or_else(String::new, |message| message.to_string());
        assert_eq!(found, expected, "{fen} {moves}");
    }

    #[test]
    fn only_endings_by_rule_are_claimed() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(START, "f2f3 e7e5 g2g4 d8h4", "0-1 {Black mates}");
        check(START, "e2e4 e7e5 f1c4 b8c6 d1h5 g8f6 h5f7", "1-0 {White mates}");
        check("7k/8/6K1/8/8/8/5Q2/8 w - - 0 1", "f2f7", "1/2-1/2 {Stalemate}");
        check("7k/8/6K1/8/8/8/8/8 w - - 0 1", "", "1/2-1/2 {Draw by insufficient material}");
        let shuffle = "g1f3 g8f6 f3g1 f6g8 ";
        check(START, &shuffle.repeat(2), "1/2-1/2 {Draw by repetition}");
        check(START, shuffle, "");
        check("7k/8/6K1/8/8/8/8/R7 w - - 99 80", "a1b1", "1/2-1/2 {Draw by fifty-move rule}");
        // Dead, but interfaces do not detect it.
        check("4kb1b/8/8/2B5/8/B7/8/2B1K3 w - - 0 1", "", "");
    }

    #[test]
    fn a_draw_is_taken_when_worse_or_when_nothing_happens() {
        let position = |fen: &str| fen.parse::<Position>().unwrap();
        let early = Position::start();
        let late = position("8/8/4k3/4p3/4P3/4K3/8/8 w - - 0 60");
        assert!(accepts_draw(-150, &early) && !accepts_draw(-20, &early));
        assert!(accepts_draw(0, &late) && !accepts_draw(15, &late));
    }
}
