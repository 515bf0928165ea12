//! Positions for laws and comparisons: random games, and positions where rules collide. The same in every run.

use smalt_chess::Position;

/// A small generator of numbers that looks random enough (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.number() % bound as u64) as usize
    }
}

/// Visits the positions of a game of random moves that ends by mate, stalemate or after so many plies.
pub(crate) fn play_out(start: Position, plies: usize, random: &mut Random, mut visit: impl FnMut(&Position)) {
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

/// Positions where rules collide: en passant out of pins and checks, castling past attacks and with pinned rooks,
/// double checks, promotions with check, more queens than pawns could ever become.
pub(crate) const ADVERSARIAL: &[&str] = &[
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
