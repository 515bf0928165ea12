//! Attack maps, mobility areas and king zones of a position, computed once for all terms.

use smalt_chess::attacks::{bishop_attacks, king_attacks, knight_attacks, pawn_attack_set, rook_attacks};
use smalt_chess::{Bitboard, Color, File, Position, Rank, Role, Square};

use super::taper::FULL_PHASE;

/// The files c to f.
pub(super) const CENTER_FILES: Bitboard = Bitboard(0x3c3c_3c3c_3c3c_3c3c);

/// The files a to d.
pub(super) const QUEEN_SIDE: Bitboard = Bitboard(0x0f0f_0f0f_0f0f_0f0f);

/// Phase weight by role, pawn to king.
const PHASE: [usize; 6] = [0, 1, 1, 2, 4, 0];

/// Game phase: 0 (endgame, no pieces) to [`FULL_PHASE`] (middlegame, all pieces).
#[inline]
pub(super) fn phase(position: &Position) -> i32 {
    let pieces = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let sum: usize = pieces.iter().map(|&role| PHASE[role.index()] * position.role(role).count()).sum();
    (sum as i32).min(FULL_PHASE)
}

/// Attack maps and zones of one side.
#[derive(Clone, Copy, Default)]
pub(super) struct Side {
    pub(super) attacked: Bitboard,
    /// Squares attacked at least twice.
    pub(super) attacked_twice: Bitboard,
    /// Squares attacked by role, pawn to king.
    pub(super) attacked_by: [Bitboard; 6],
    pub(super) safe: Bitboard,
    /// The king's square and all squares next to it.
    pub(super) king_area: Bitboard,
    /// The king area and the three squares ahead of it.
    pub(super) king_zone: Bitboard,
    /// Number of attackers of the enemy king zone by role, knight to queen.
    pub(super) zone_attackers: [usize; 4],
    /// Attacks of those pieces on squares adjacent to the enemy king, by role.
    pub(super) area_attacks: [usize; 4],
    /// Squares from which a bishop and a rook would attack the king.
    pub(super) king_lines: [Bitboard; 2],
    /// Enemy sliders that a single piece of either side keeps from the king.
    pub(super) snipers: Bitboard,
}

impl Side {
    /// Adds the attacks of a piece.
    #[inline(always)]
    pub(super) fn attack(&mut self, role: Role, squares: Bitboard) {
        self.attacked_twice |= self.attacked & squares;
        self.attacked |= squares;
        self.attacked_by[role.index()] |= squares;
    }

    /// Finds the squares from which sliders would attack the king, and the enemy sliders one piece further.
    #[inline]
    fn find_snipers(&mut self, position: &Position, color: Color, king: Square) {
        let occupied = position.occupied();
        let [diagonals, lines] = [bishop_attacks(king, occupied), rook_attacks(king, occupied)];
        self.king_lines = [diagonals, lines];
        let queens = position.pieces(!color, Role::Queen);
        self.snipers = x_ray_attacks(king, occupied, diagonals, bishop_attacks)
            & (position.pieces(!color, Role::Bishop) | queens)
            | x_ray_attacks(king, occupied, lines, rook_attacks)
                & (position.pieces(!color, Role::Rook) | queens);
    }
}

/// A position with the attack maps of both sides. Piece attacks are added while the pieces are evaluated.
pub(super) struct EvalInfo<'a> {
    pub(super) position: &'a Position,
    pub(super) occupied: Bitboard,
    pub(super) sides: [Side; 2],
}

impl<'a> EvalInfo<'a> {
    #[inline]
    pub(super) fn new(position: &'a Position) -> EvalInfo<'a> {
        let mut info = EvalInfo { position, occupied: position.occupied(), sides: [Side::default(); 2] };
        for color in Color::ALL {
            let side = &mut info.sides[color.index()];
            let pawns = position.pieces(color, Role::Pawn);
            let king = position.king(color);
            let forward = pawns.forward(color);
            side.attack(Role::King, king_attacks(king));
            side.attacked_twice =
                side.attacked & pawn_attack_set(color, pawns) | forward.east() & forward.west();
            side.attacked |= pawn_attack_set(color, pawns);
            side.attacked_by[Role::Pawn.index()] = pawn_attack_set(color, pawns);
            side.king_area = king_attacks(king) | Bitboard::from_square(king);
            side.king_zone = side.king_area | side.king_area.forward(color);
            side.find_snipers(position, color, king);
        }
        for color in Color::ALL {
            let enemy_pawn_attacks = info.side(!color).attacked_by[Role::Pawn.index()];
            let pawns = position.pieces(color, Role::Pawn);
            let home =
                Bitboard::from_rank(color.rank(Rank::Second)) | Bitboard::from_rank(color.rank(Rank::Third));
            let stuck = pawns & (home | info.occupied.forward(!color));
            info.sides[color.index()].safe =
                !(enemy_pawn_attacks | stuck | position.pieces(color, Role::King));
        }
        info
    }

    #[inline(always)]
    pub(super) fn side(&self, color: Color) -> &Side {
        &self.sides[color.index()]
    }

    /// The squares to which knights, bishops, rooks and queens of the side can move to give check.
    #[inline]
    pub(super) fn checks(&self, color: Color) -> [Bitboard; 4] {
        let (own, [diagonals, lines]) = (self.side(color), self.side(!color).king_lines);
        let knights = knight_attacks(self.position.king(!color));
        let squares = [knights, diagonals, lines, diagonals | lines];
        let [_, attacks @ .., _] = own.attacked_by;
        std::array::from_fn(|index| squares[index] & attacks[index] & !self.position.color(color))
    }

    /// Squares next to the king, without own pieces, that the enemy does not attack. All attacks must be known.
    #[inline]
    pub(super) fn king_moves(&self, color: Color) -> Bitboard {
        let (own, enemy) = (self.side(color), self.side(!color));
        own.attacked_by[Role::King.index()] & !self.position.color(color) & !enemy.attacked
    }
}

/// Piece-square table index: rows start with the owner's eighth rank.
#[inline(always)]
pub(super) fn board_index(square: Square, color: Color) -> usize {
    match color {
        Color::White => square.index() ^ 56,
        Color::Black => square.index(),
    }
}

/// Relative rank, 0 to 7.
#[inline(always)]
pub(super) fn relative_rank(square: Square, color: Color) -> usize {
    match color {
        Color::White => square.index() >> 3,
        Color::Black => 7 - (square.index() >> 3),
    }
}

/// Distance of a file from the edge, 0 to 3.
#[inline]
pub(super) fn edge_distance(file: File) -> usize {
    file.index().min(7 - file.index())
}

/// Front span: all squares ahead of the given ones on their files, as seen by the side.
#[inline(always)]
pub(super) fn ahead(squares: Bitboard, color: Color) -> Bitboard {
    let mut filled = squares.forward(color).0;
    match color {
        Color::White => {
            filled |= filled << 8;
            filled |= filled << 16;
            filled |= filled << 32;
        }
        Color::Black => {
            filled |= filled >> 8;
            filled |= filled >> 16;
            filled |= filled >> 32;
        }
    }
    Bitboard(filled)
}

/// X-ray attacks of a slider through the nearest blockers, without its direct attacks (`near`).
#[inline(always)]
pub(super) fn x_ray_attacks(
    square: Square,
    occupied: Bitboard,
    near: Bitboard,
    attacks: impl Fn(Square, Bitboard) -> Bitboard,
) -> Bitboard {
    attacks(square, occupied & !near) & !near
}

/// King flank: the four files of the wing on which a king stands, three at the edge.
#[inline(always)]
pub(super) fn king_flank(king: Square) -> Bitboard {
    const FILE_D: u64 = 0x0808_0808_0808_0808;
    const FILE_E: u64 = 0x1010_1010_1010_1010;
    Bitboard(match king.file() {
        File::A => QUEEN_SIDE.0 & !FILE_D,
        File::B | File::C => QUEEN_SIDE.0,
        File::D | File::E => CENTER_FILES.0,
        File::F | File::G => !QUEEN_SIDE.0,
        File::H => !QUEEN_SIDE.0 & !FILE_E,
    })
}
