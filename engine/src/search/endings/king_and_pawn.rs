//! KPK bitbase: for each square of the pawn and of the lone king, the set of squares from which the stronger side's
//! king wins. Computed on first use by retrograde analysis from promotions, one set of squares at a time.

use std::sync::LazyLock;

use smalt_chess::attacks::{king_attacks, pawn_attacks};
use smalt_chess::{Bitboard, Color, Position, Rank, Role, Square};

/// Whether the side with the pawn wins. The position must contain only one pawn and two kings.
pub(super) fn is_won(position: &Position) -> bool {
    let Some(pawn) = position.role(Role::Pawn).first() else { return false };
    let strong = if position.color(Color::White).contains(pawn) { Color::White } else { Color::Black };
    let seen = |square: Square| if strong == Color::White { square } else { square.flip_rank() };
    let [pawn, king, lone] = [pawn, position.king(strong), position.king(!strong)].map(seen);
    let sets = if position.turn() == strong { &WINS.to_move } else { &WINS.waiting };
    sets[pawn.index()][lone.index()].contains(king)
}

/// By the squares of the white pawn and the black king: the winning squares of the white king.
type Sets = [[Bitboard; 64]; 64];

struct Wins {
    /// With White to move.
    to_move: Box<Sets>,
    /// With Black to move.
    waiting: Box<Sets>,
}

static WINS: LazyLock<Wins> = LazyLock::new(|| {
    let empty = || Box::new([[Bitboard::EMPTY; 64]; 64]);
    let mut wins = Wins { to_move: empty(), waiting: empty() };
    let pawns = || Square::all().rev().filter(|pawn| !matches!(pawn.rank(), Rank::First | Rank::Eighth));
    loop {
        let mut has_changed = false;
        for pawn in pawns() {
            for lone in Square::all().filter(|&lone| lone != pawn) {
                let waiting = lost_for_black(&wins, pawn, lone);
                has_changed |= waiting != wins.waiting[pawn.index()][lone.index()];
                wins.waiting[pawn.index()][lone.index()] = waiting;
            }
            for lone in Square::all().filter(|&lone| lone != pawn) {
                let to_move = won_by_white(&wins, pawn, lone);
                has_changed |= to_move != wins.to_move[pawn.index()][lone.index()];
                wins.to_move[pawn.index()][lone.index()] = to_move;
            }
        }
        if !has_changed {
            return wins;
        }
    }
});

/// The legal squares of the white king.
fn places(pawn: Square, lone: Square) -> Bitboard {
    !(king_attacks(lone) | lone.into() | pawn.into())
}

/// Squares of the white king that win with Black to move: each Black move loses, and it is not stalemate.
fn lost_for_black(wins: &Wins, pawn: Square, lone: Square) -> Bitboard {
    let guarded = pawn_attacks(Color::White, pawn);
    let mut lost = Bitboard::FULL;
    let mut can_move = Bitboard::EMPTY;
    for to in king_attacks(lone) - guarded {
        let forbidden = king_attacks(to);
        can_move |= !forbidden;
        // Capturing the pawn draws.
        lost &= if to == pawn { forbidden } else { forbidden | wins.to_move[pawn.index()][to.index()] };
    }
    if guarded.contains(lone) {
        can_move = Bitboard::FULL;
    }
    lost & can_move & places(pawn, lone)
}

/// Squares of the white king that win with White to move.
fn won_by_white(wins: &Wins, pawn: Square, lone: Square) -> Bitboard {
    if pawn_attacks(Color::White, pawn).contains(lone) {
        return Bitboard::EMPTY;
    }
    let goals = wins.waiting[pawn.index()][lone.index()];
    let by_king = goals.into_iter().fold(Bitboard::EMPTY, |from, goal| from | king_attacks(goal));
    (by_king | won_by_pawn(wins, pawn, lone)) & places(pawn, lone)
}

/// Squares of the white king from which a pawn move wins.
fn won_by_pawn(wins: &Wins, pawn: Square, lone: Square) -> Bitboard {
    let stop = Square::from_index(pawn.index() + 8);
    if stop == lone {
        return Bitboard::EMPTY;
    }
    let free = !Bitboard::from(stop);
    if stop.rank() == Rank::Eighth {
        // A queen, or a rook if a queen would stalemate, wins unless the king captures it at once.
        let guarded = if king_attacks(lone).contains(stop) { king_attacks(stop) } else { Bitboard::FULL };
        return guarded & free;
    }
    let mut won = wins.waiting[stop.index()][lone.index()];
    let second_stop = Square::from_index(stop.index() + 8);
    if pawn.rank() == Rank::Second && second_stop != lone {
        won |= wins.waiting[second_stop.index()][lone.index()];
    }
    won & free
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(turn: Color, king: Square, lone: Square, pawn: Square) -> Option<Position> {
        let mut board = [' '; 64];
        (board[king.index()], board[lone.index()], board[pawn.index()]) = ('K', 'k', 'P');
        let row = |rank: usize| board[rank * 8..rank * 8 + 8].iter().collect::<String>().replace(' ', "1");
        let rows: Vec<String> = (0..8).rev().map(row).collect();
        let turn = if turn == Color::White { 'w' } else { 'b' };
        Position::from_fen(&format!("{} {turn} - - 0 1", rows.join("/"))).ok()
    }

    fn all(turn: Color) -> impl Iterator<Item = Position> {
        let squares = || Square::all();
        squares().flat_map(move |pawn| {
            squares().flat_map(move |king| {
                let apart = move |&lone: &Square| king != pawn && lone != pawn && lone != king;
                squares().filter(apart).filter_map(move |lone| position(turn, king, lone, pawn))
            })
        })
    }

    /// Whether the side with the pawn wins after one of its moves, using the table for the next position.
    fn wins_after(next: &Position) -> bool {
        let queens = next.role(Role::Queen) | next.role(Role::Rook);
        if queens.any() {
            // It is not stalemate, and the queen cannot be captured.
            let takes = next.legal_moves().iter().any(|mv| mv.is_capture());
            return !takes && (next.has_legal_move() || next.is_check());
        }
        next.role(Role::Pawn).any() && is_won(next)
    }

    #[test]
    fn every_verdict_follows_from_those_after_the_moves() {
        for position in all(Color::White) {
            let expected = position.legal_moves().iter().any(|&mv| wins_after(&position.after(mv)));
            assert_eq!(is_won(&position), expected, "{position:?}");
        }
        for position in all(Color::Black) {
            let moves = position.legal_moves();
            let escapes = moves.iter().any(|&mv| !wins_after(&position.after(mv)));
            let expected = !escapes && (position.is_check() || !moves.is_empty());
            assert_eq!(is_won(&position), expected, "{position:?}");
        }
    }

    #[test]
    fn known_positions_have_their_results() {
        for (fen, won) in [
            // Opposition.
            ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true),
            ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true),
            ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", false),
            ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", true),
            // The rule of the square.
            ("8/8/8/8/P4k2/8/8/7K w - - 0 1", true),
            ("8/8/8/8/P4k2/8/8/7K b - - 0 1", false),
            // A rook pawn.
            ("k7/8/K7/P7/8/8/8/8 w - - 0 1", false),
            ("8/1K1k4/8/P7/8/8/8/8 w - - 0 1", true),
            // Stalemate, and how to avoid it.
            ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", false),
            ("4k3/4P3/8/4K3/8/8/8/8 w - - 0 1", true),
        ] {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(is_won(&position), won, "{fen}");
            assert_eq!(is_won(&position.mirrored()), won, "mirror of {fen}");
        }
    }
}
