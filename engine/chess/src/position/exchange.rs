//! Static exchange evaluation (SEE): the value of a sequence of captures on one square, each with the least valuable
//! attacker, stopped when it no longer pays. Pins are ignored.

use super::Position;
use crate::attacks::{bishop_attacks, rook_attacks};
use crate::bitboard::Bitboard;
use crate::moves::Move;
use crate::piece::{Color, Role};
use crate::square::Square;

/// Values of the roles in any unit, by [`Role::index`]. The king's is never used.
pub type ExchangeValues = [i32; 6];

impl Position {
    /// Whether a legal move wins at least `threshold`, for the side to move and in the unit of `values`, when both
    /// sides then exchange on its destination. Castling wins 0.
    #[inline]
    pub fn exchange_reaches(&self, mv: Move, threshold: i32, values: &ExchangeValues) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        // Most moves are decided without computing the attackers of the square.
        let won = gain(self, mv, values) - threshold;
        if won < 0 {
            return false;
        }
        // What the side to move loses of its goal should its piece be taken; not positive: it has won in any case.
        let swap = values[standing_after(self, mv).index()] - won;
        if swap <= 0 {
            return true;
        }
        self.exchange_holds(mv, swap, values)
    }

    /// [`Position::exchange_reaches`] where that is not plain; `swap`, above 0, is what is missing to the threshold if the piece
    /// that moves is then taken for nothing.
    // Not inlined: most moves do not come here.
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
                // A king may only take last: if the other side can take him back, it was no move.
                return reached ^ exchange.attackers(side).any();
            }
            swap = values[role.index()] - swap;
        }
        reached
    }

    /// What a legal move wins, for the side to move and in the unit of `values`, when both sides then exchange on
    /// its destination as it suits them.
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
        // From the last capture back: each side takes only if that wins something.
        let mut value = 0;
        while let Some(gain) = gains.pop() {
            value = if gains.is_empty() { gain - value } else { (gain - value).max(0) };
        }
        value
    }
}

/// What the move itself wins: what it takes, and what a pawn gains by promoting.
fn gain(position: &Position, mv: Move, values: &ExchangeValues) -> i32 {
    let taken = position.captured_role(mv).map_or(0, |role| values[role.index()]);
    let promoted = mv.promoted_to().map_or(0, |role| values[role.index()] - values[Role::Pawn.index()]);
    taken + promoted
}

/// The piece on the destination square after the move.
fn standing_after(position: &Position, mv: Move) -> Role {
    mv.promoted_to().unwrap_or(position.moved_role(mv))
}

/// The pieces around one square while they take each other there.
struct Exchange<'a> {
    position: &'a Position,
    square: Square,
    occupied: Bitboard,
    attackers: Bitboard,
    /// What stands on the square now.
    standing: Role,
}

impl<'a> Exchange<'a> {
    /// The exchange after its first move.
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

    /// Captures with the side's least valuable attacker and adds x-ray attackers behind it. `None` if none is left.
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
