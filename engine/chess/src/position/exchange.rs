//! Static exchange evaluation (SEE, `see_ge` in Stockfish): the value of a capture sequence on one square, always with
//! the least valuable attacker, until a capture no longer pays. Pins are ignored.

use super::Position;
use crate::attacks::{bishop_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::piece::{Color, Role};
use crate::square::Square;

/// Values of the roles in any unit, by [`Role::index`]; the king's is unused.
pub type ExchangeValues = [i32; 6];

impl Position {
    /// SEE: whether a legal move wins at least `threshold` for the side to move, in the unit of `values`, after the exchange
    /// on its destination. Castling wins 0.
    #[inline]
    pub fn exchange_reaches(&self, mv: Move, threshold: i32, values: &ExchangeValues) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        // Most moves are decided without computing the attackers.
        let won = gain(self, mv, values) - threshold;
        if won < 0 {
            return false;
        }
        // The shortfall if the moved piece is lost; if not positive, the threshold is reached in any case.
        let swap = values[standing_after(self, mv).index()] - won;
        if swap <= 0 {
            return true;
        }
        self.exchange_holds(mv, swap, values)
    }

    /// [`Position::exchange_reaches`] in the cases that need the exchange; `swap` > 0 is what is missing if the moved
    /// piece is lost for nothing.
    // Not inlined: most moves do not need it.
    #[inline(never)]
    fn exchange_holds(&self, mv: Move, mut swap: i32, values: &ExchangeValues) -> bool {
        let mut exchange = Exchange::start(self, mv);
        let mut side = !self.turn();
        let mut reached = true;
        while swap >= i32::from(reached) {
            let Some(role) = exchange.capture(side) else { break };
            side = !side;
            reached = !reached;
            if role == Role::King {
                // A king may not capture a defended piece.
                return reached ^ exchange.attackers(side).any();
            }
            swap = values[role.index()] - swap;
        }
        reached
    }

    /// What a legal move wins for the side to move, in the unit of `values`, after the exchange on its destination.
    /// Either side may stop capturing.
    pub fn exchange_value(&self, mv: Move, values: &ExchangeValues) -> i32 {
        if mv.is_castle() {
            return 0;
        }
        let mut exchange = Exchange::start(self, mv);
        let mut gains = vec![gain(self, mv, values)];
        let mut side = !self.turn();
        loop {
            let prey = exchange.standing;
            let Some(role) = exchange.capture(side) else { break };
            side = !side;
            if role == Role::King && exchange.attackers(side).any() {
                break;
            }
            gains.push(values[prey.index()]);
        }
        // Backward from the last capture: each side captures only if that wins material.
        let mut value = 0;
        while let Some(gain) = gains.pop() {
            value = if gains.is_empty() { gain - value } else { (gain - value).max(0) };
        }
        value
    }
}

/// The gain of the move itself: the captured piece and the promotion.
fn gain(position: &Position, mv: Move, values: &ExchangeValues) -> i32 {
    let taken = position.captured_role(mv).map_or(0, |role| values[role.index()]);
    let promoted = mv.promoted_to().map_or(0, |role| values[role.index()] - values[Role::Pawn.index()]);
    taken + promoted
}

/// The piece on the destination square after the move.
fn standing_after(position: &Position, mv: Move) -> Role {
    mv.promoted_to().unwrap_or(position.moved_role(mv))
}

/// The state of an exchange on one square.
struct Exchange<'a> {
    position: &'a Position,
    square: Square,
    occupied: Bitboard,
    attackers: Bitboard,
    /// The piece on the square.
    standing: Role,
}

impl<'a> Exchange<'a> {
    /// The exchange after the first move.
    #[inline(always)]
    fn start(position: &'a Position, mv: Move) -> Exchange<'a> {
        let square = mv.to();
        let mut occupied = (position.occupied() - mv.from().into()) | square.into();
        if mv.is_en_passant() {
            occupied.remove(Square::from_index(square.index() ^ 8));
        }
        let attackers = position.attackers(square, occupied);
        Exchange { position, square, occupied, attackers, standing: standing_after(position, mv) }
    }

    fn attackers(&self, side: Color) -> Bitboard {
        self.attackers & self.occupied & self.position.color(side)
    }

    /// Captures with the side's least valuable attacker and adds x-ray attackers behind it. `None` without an attacker.
    #[inline(always)]
    fn capture(&mut self, side: Color) -> Option<Role> {
        let own = self.attackers(side);
        let role = Role::ALL.into_iter().find(|&role| own.intersects(self.position.role(role)))?;
        self.occupied.remove((own & self.position.role(role)).lowest());
        let queens = self.position.role(Role::Queen);
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            let sliders = self.position.role(Role::Bishop) | queens;
            self.attackers |= bishop_attacks(self.square, self.occupied) & sliders;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            let sliders = self.position.role(Role::Rook) | queens;
            self.attackers |= rook_attacks(self.square, self.occupied) & sliders;
        }
        self.standing = role;
        Some(role)
    }
}
