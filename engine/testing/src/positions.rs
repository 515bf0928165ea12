//! Test positions: random games and rare cases of the rules, the same in every run.

use smalt_chess::Position;

use crate::Random;

/// Visits the positions of a random game until mate, stalemate or this number of plies.
pub fn play_out(start: Position, plies: usize, random: &mut Random, mut visit: impl FnMut(&Position)) {
    let mut position = start;
    for _ in 0..plies {
        visit(&position);
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        position.play(moves[random.below(moves.len())]);
    }
}

/// Positions of random games from the start position, not yet drawn by the fifty-move rule.
pub fn random_positions(seed: u64, games: usize, plies: usize) -> Vec<Position> {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for _ in 0..games {
        play_out(Position::start(), plies, &mut random, |position| {
            if position.halfmove_clock() < 100 {
                positions.push(*position);
            }
        });
    }
    positions
}

/// Positions that random play rarely reaches: few pieces, passed pawns on the seventh rank, many queens.
pub const RARE: [&str; 12] = [
    "8/8/4k3/8/8/3QK3/8/8 w - - 0 1",
    "6k1/8/5BK1/4N3/8/8/8/8 w - - 0 1",
    "8/3k4/8/8/3K4/2N1N3/8/8 w - - 0 1",
    "8/5k2/4b3/3pP3/2P2K2/4B3/8/8 b - - 0 1",
    "r5k1/5ppp/4b3/8/8/2B5/5PPP/R5K1 w - - 0 1",
    "8/8/3k4/2r5/8/3BK3/8/8 b - - 0 1",
    "8/1P4k1/8/8/8/8/1R6/6K1 w - - 0 1",
    "8/8/1KP5/8/8/5k2/1p6/8 b - - 0 1",
    "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
    "6k1/5ppp/8/8/7q/8/5PPP/3R2K1 b - - 99 80",
    "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/8/8/7k/K7 b - - 0 1",
    "rnbqkbnr/pppp1ppp/8/8/3Pp3/5N2/PPP1PPPP/RNBQKB1R w KQkq - 0 1",
];

/// Positions where rules interact: en passant out of pins and checks, castling past attacks and with pinned rooks,
/// double checks, promotions with check, more queens than promotions allow.
pub const ADVERSARIAL: &[&str] = &[
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1",
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",
    "8/8/8/8/R2pPk2/8/8/4K3 b - e3 0 1",
    "4k3/8/8/2b5/3pP3/8/8/4K1R1 b - e3 0 1",
    "4k3/8/8/8/2pPK3/8/8/8 b - d3 0 1",
    "8/5k2/8/2Pp4/2B5/1K6/8/8 w - d6 0 1",
    "8/8/1k6/8/2pP4/8/5BK1/8 b - d3 0 1",
    "8/8/4k3/8/3pP3/8/8/4K2B b - e3 0 1",
    "8/8/3k4/2pP4/8/8/8/K7 w - c6 0 2",
    "4k3/8/8/K1pP3r/8/8/8/8 w - c6 0 2",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/3b4/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/4q3/8/8/8/R3K2R w KQkq - 0 1",
    "1r2k2r/8/8/8/8/8/8/R3K2R w KQk - 0 1",
    "4k3/8/8/8/8/8/6p1/R3K2R w KQ - 0 1",
    "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 0 1",
    "4k3/8/8/8/8/8/8/qRK5 w B - 0 1",
    "4k3/8/8/8/8/8/8/rRK4R w HB - 0 1",
    "2r1k3/8/8/8/8/8/8/1RK2R2 w FB - 0 1",
    "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w EAea - 0 1",
    "5rkr/8/8/8/8/8/8/5RKR w HFhf - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "4k3/4r3/8/8/8/4n3/8/4K3 w - - 0 1",
    "4k3/8/8/8/4r3/3n4/8/4K3 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "1QQQQQQQ/Q6Q/Q6Q/Q2Q3Q/Q6Q/Q6Q/PP5Q/kBQQQQQK w - - 0 1",
    "k7/8/8/8/8/8/8/K6q w - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
];
