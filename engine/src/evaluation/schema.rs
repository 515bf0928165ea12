//! The terms of the evaluation, listed once: for the build script that checks and embeds `params/evaluation.toml`, for
//! the engine, and for the tuner. Names, lengths and meanings only; independent of chess.
//!
//! The build script includes this file as a module, so it may use only the standard library.

/// Number of weights of a term and their layout in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    One,
    /// A list of this many weights.
    List(usize),
    /// 64 weights in eight rows as White sees the board: a8 to h8 first, a1 to h1 last. Mirrored vertically for Black's
    /// pieces.
    Board,
}

impl Shape {
    /// The number of weights.
    pub const fn length(self) -> usize {
        match self {
            Shape::One => 1,
            Shape::List(length) => length,
            Shape::Board => 64,
        }
    }
}

/// Where the formula uses a term's weights; see the `taper` module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Centipawns in a pair [middlegame, endgame], summed for the owner of the feature.
    Linear,
    /// Danger units in a pair [middlegame, endgame], summed for the king in danger, then mapped by a curve.
    Danger,
    /// A single number: endgame centipawns, summed for the side that is ahead there.
    Complexity,
    /// A single number: endgame scale in 64ths.
    Scale,
}

impl Part {
    /// Whether its weights are single numbers, not pairs.
    pub const fn is_single(self) -> bool {
        matches!(self, Part::Complexity | Part::Scale)
    }
}

/// Constraint that a tuner keeps; the engine accepts any numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constraint {
    Free,
    /// A board with mirrored files: a equals h, b equals g, and so on.
    Mirrored,
    /// A non-decreasing list.
    Rising,
}

/// Schema entry of one term.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub term: Term,
    /// The term's table in the file.
    pub group: &'static str,
    /// The term's key in that table.
    pub name: &'static str,
    /// Chess meaning of the term and, if there are several weights, of their index.
    pub comment: &'static str,
    pub shape: Shape,
    pub part: Part,
    /// Constraint of the tuner.
    pub constraint: Constraint,
}

macro_rules! constraint {
    () => {
        Constraint::Free
    };
    ($constraint:ident) => {
        Constraint::$constraint
    };
}

macro_rules! terms {
    ($($(#[doc = $comment:literal])+ $term:ident = $group:literal $name:literal $shape:expr, $part:ident $(, $constraint:ident)?;)+) => {
        /// A term of the evaluation: one key of the parameter file.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Term {
            $($(#[doc = $comment])+ $term,)+
        }

        /// All terms in the order of their weights, grouped by table.
        pub static SCHEMA: [Entry; [$(Term::$term),+].len()] = [
            $(Entry {
                term: Term::$term,
                group: $group,
                name: $name,
                comment: concat!($($comment),+).trim_ascii(),
                shape: $shape,
                part: Part::$part,
                constraint: constraint!($($constraint)?),
            },)+
        ];
    };
}

use Shape::{Board, List, One};

terms! {
    /// A pawn.
    MaterialPawn = "material" "pawn" One, Linear;
    /// A knight.
    MaterialKnight = "material" "knight" One, Linear;
    /// A bishop.
    MaterialBishop = "material" "bishop" One, Linear;
    /// A rook.
    MaterialRook = "material" "rook" One, Linear;
    /// A queen.
    MaterialQueen = "material" "queen" One, Linear;

    /// A pawn on its square.
    SquarePawn = "squares" "pawn" Board, Linear;
    /// A knight on its square.
    SquareKnight = "squares" "knight" Board, Linear, Mirrored;
    /// A bishop on its square.
    SquareBishop = "squares" "bishop" Board, Linear, Mirrored;
    /// A rook on its square.
    SquareRook = "squares" "rook" Board, Linear, Mirrored;
    /// A queen on its square.
    SquareQueen = "squares" "queen" Board, Linear, Mirrored;
    /// The king on its square.
    SquareKing = "squares" "king" Board, Linear;
    /// A pawn by the own king's wing: files are counted as if that king stood on files e to h.
    SquarePawnOwnKing = "squares" "pawn_by_own_king" Board, Linear;
    /// A pawn by the enemy king's wing: files are counted as if that king stood on files e to h.
    SquarePawnEnemyKing = "squares" "pawn_by_enemy_king" Board, Linear;

    /// A knight, by the number of safe squares that it reaches, 0 to 8.
    MobilityKnight = "mobility" "knight" List(9), Linear, Rising;
    /// A bishop, by the number of safe squares that it reaches through queens, 0 to 13.
    MobilityBishop = "mobility" "bishop" List(14), Linear, Rising;
    /// A rook, by the number of safe squares that it reaches through rooks and queens, 0 to 14.
    MobilityRook = "mobility" "rook" List(15), Linear, Rising;
    /// A queen, by the number of safe squares that it reaches, 0 to 27.
    MobilityQueen = "mobility" "queen" List(28), Linear, Rising;

    /// Two bishops or more.
    BishopPair = "pieces" "bishop_pair" One, Linear;
    /// A bishop, for each own pawn on squares of its color.
    BishopOwnPawns = "pieces" "bishop_own_pawns" One, Linear;
    /// A knight on ranks 4 to 6 that no enemy pawn can drive away: without and with a pawn's support.
    KnightOutpost = "pieces" "knight_outpost" List(2), Linear;
    /// A bishop on ranks 4 to 6 that no enemy pawn can drive away: without and with a pawn's support.
    BishopOutpost = "pieces" "bishop_outpost" List(2), Linear;
    /// A knight or bishop directly behind a pawn of either side.
    MinorBehindPawn = "pieces" "minor_behind_pawn" One, Linear;
    /// A rook on a file without own pawns: an enemy pawn there, none there.
    RookFile = "pieces" "rook_half_open_and_open_file" List(2), Linear;
    /// For each own pawn: a knight, a rook.
    PiecesWithPawns = "pieces" "knight_and_rook_by_own_pawns" List(2), Linear;
    /// For each king's move between a knight or a bishop and its own king.
    MinorKingDistance = "pieces" "knight_and_bishop_king_distance" List(2), Linear;
    /// A knight that can go next to an outpost with a pawn's support; at most one counted.
    KnightNearOutpost = "pieces" "knight_near_outpost" One, Linear;
    /// A bishop, for each own pawn on squares of its color, times the blocked own pawns on the files c to f.
    BishopBlockedCenter = "pieces" "bishop_own_pawns_blocked_center" One, Linear;
    /// A bishop, for each enemy pawn on its lines of an empty board.
    BishopLinedPawns = "pieces" "bishop_enemy_pawns_on_lines" One, Linear;
    /// A bishop that sees two squares of the center through everything but pawns.
    BishopLongDiagonal = "pieces" "bishop_long_diagonal" One, Linear;
    /// A rook on the file of a queen, of either side.
    RookQueenFile = "pieces" "rook_on_queen_file" One, Linear;
    /// A rook on its seventh rank, with the enemy king on the eighth or enemy pawns on the seventh.
    RookSeventh = "pieces" "rook_on_seventh" One, Linear;
    /// A rook with at most three moves on the own king's side of it: the king may still castle, it may not.
    RookTrapped = "pieces" "rook_trapped_by_king" List(2), Linear;
    /// A queen that an enemy bishop or rook would attack if one piece went away.
    QueenOnLine = "pieces" "queen_behind_one_piece" One, Linear;

    /// A pawn without own pawns on the files beside it.
    PawnIsolated = "pawns" "isolated" One, Linear;
    /// A pawn behind another on its file.
    PawnDoubled = "pawns" "doubled" One, Linear;
    /// A pawn that its neighbors have passed and that cannot advance safely.
    PawnBackward = "pawns" "backward" One, Linear;
    /// An isolated or backward pawn without an enemy pawn ahead on its file.
    PawnWeakOpen = "pawns" "weak_on_open_file" One, Linear;
    /// A pawn defended by a pawn, by its own rank 2 to 7.
    PawnSupported = "pawns" "supported" List(6), Linear;
    /// A pawn with a pawn directly beside it, by its own rank 2 to 7.
    PawnPhalanx = "pawns" "phalanx" List(6), Linear;
    /// A pawn without a pawn's support that two enemy pawns attack.
    PawnTwiceAttacked = "pawns" "attacked_twice" One, Linear;
    /// A pawn stopped by an enemy pawn before it: on rank 5, on rank 6.
    PawnBlockedFar = "pawns" "blocked_on_fifth_and_sixth" List(2), Linear;
    /// A pawn with no pawn ahead on its file, and at least as many own pawns to help it as enemy pawns to stop it on the
    /// files beside, by its own rank 2 to 7; not yet passed.
    PawnCandidate = "pawns" "candidate" List(6), Linear;

    /// A passed pawn, by its own rank 2 to 7.
    PassedRank = "passed" "rank" List(6), Linear;
    /// A passed pawn with the square before it empty, by rank 2 to 7.
    PassedFree = "passed" "free" List(6), Linear;
    /// A passed pawn whose whole way is neither attacked nor held by the enemy, by rank 2 to 7.
    PassedSafePath = "passed" "safe_path" List(6), Linear;
    /// For each king's move between the own king and the square before a passed pawn, by rank 2 to 7.
    PassedOwnKing = "passed" "own_king_distance" List(6), Linear;
    /// For each king's move between the enemy king and the square before a passed pawn, by rank 2 to 7.
    PassedEnemyKing = "passed" "enemy_king_distance" List(6), Linear;
    /// A passed pawn with an own rook behind it on its file.
    PassedRookBehind = "passed" "rook_behind" One, Linear;
    /// A passed pawn that a pawn defends, by rank 2 to 7.
    PassedProtected = "passed" "protected" List(6), Linear;
    /// A passed pawn whose next square the enemy does not attack, by rank 2 to 7.
    PassedSafeStop = "passed" "safe_stop" List(6), Linear;
    /// A passed pawn whose next square is defended, by rank 2 to 7.
    PassedDefendedStop = "passed" "defended_stop" List(6), Linear;
    /// A passed pawn that the enemy, who has no pieces, cannot catch: his king is outside of its square.
    PassedUnstoppable = "passed" "unstoppable" One, Linear;

    /// The nearest own pawn before the king on the king's file: none, else by ranks ahead, 1 beside to 7.
    ShelterKingFile = "king" "shelter_king_file" List(8), Linear;
    /// The same on each file beside it.
    ShelterSideFile = "king" "shelter_side_file" List(8), Linear;
    /// The nearest enemy pawn before the king on each of the three files, not blocked by an own pawn: none, else
    /// by ranks ahead, 1 beside to 7.
    StormFree = "king" "storm_free" List(8), Linear;
    /// The same, directly before an own pawn that blocks it.
    StormBlocked = "king" "storm_blocked" List(8), Linear;
    /// For each king's move to the nearest pawn of either side.
    KingPawnDistance = "king" "pawn_distance" One, Linear;
    /// No pawn of either side on the king's wing: the files a to d, c to f or e to h, three for a king at the edge.
    KingPawnlessWing = "king" "pawnless_wing" One, Linear;

    /// Every king, in any position: how much danger it takes before the curve rises.
    DangerBase = "danger" "base" One, Danger;
    /// Each enemy piece that attacks a square around the king: knight, bishop, rook, queen.
    DangerAttacker = "danger" "attacker" List(4), Danger;
    /// Each attack of such a piece on a square next to the king.
    DangerRingAttack = "danger" "ring_attack" One, Danger;
    /// Each square around the king that the enemy attacks and at most the king or queen defends.
    DangerWeakSquare = "danger" "weak_square" One, Danger;
    /// A square from which the enemy can check safely, at most one counted: knight, bishop, rook, queen.
    DangerSafeCheck = "danger" "safe_check" List(4), Danger;
    /// The enemy has no queen.
    DangerNoQueen = "danger" "no_queen" One, Danger;
    /// Each of the three files by the king without an own pawn.
    DangerOpenFile = "danger" "open_file" One, Danger;
    /// Each own knight or bishop within two squares of the king.
    DangerDefender = "danger" "minor_defender" One, Danger;
    /// More than one square for such a safe check: knight, bishop, rook, queen.
    DangerSafeChecks = "danger" "safe_checks" List(4), Danger;
    /// Each square from which the enemy can check only at the risk of being taken, at most fifteen.
    DangerUnsafeCheck = "danger" "unsafe_check" One, Danger;
    /// Each square of the king's wing, on the own five ranks, that the enemy attacks.
    DangerWingAttack = "danger" "wing_attack" One, Danger;
    /// Each such square that the enemy attacks twice.
    DangerWingAttackTwice = "danger" "wing_attack_twice" One, Danger;
    /// Each such square that the own side attacks.
    DangerWingDefense = "danger" "wing_defense" One, Danger;
    /// Each enemy bishop, rook or queen that a single piece of either side keeps from attacking the king.
    DangerBlocker = "danger" "blocker" One, Danger;

    /// A pawn attacks a knight, bishop, rook or queen.
    ThreatByPawn = "threats" "by_pawn" List(4), Linear;
    /// A pawn could attack a piece after a safe advance; each piece.
    ThreatByPawnPush = "threats" "by_pawn_push" One, Linear;
    /// A knight or bishop attacks a weak pawn, knight or bishop, or any rook or queen.
    ThreatByMinor = "threats" "by_minor" List(5), Linear;
    /// A rook attacks a weak pawn, knight, bishop or rook, or any queen.
    ThreatByRook = "threats" "by_rook" List(5), Linear;
    /// The king attacks a weak pawn or piece; each.
    ThreatByKing = "threats" "by_king" One, Linear;
    /// A piece is attacked and not defended; each.
    ThreatHanging = "threats" "hanging" One, Linear;
    /// A pawn that is defended or not attacked attacks a piece; each piece.
    ThreatBySafePawn = "threats" "by_safe_pawn" One, Linear;
    /// A square that both sides attack and the enemy does not hold by a pawn or twice; each.
    ThreatRestricted = "threats" "restricted" One, Linear;
    /// A piece that only the queen defends is attacked; each.
    ThreatQueenDefended = "threats" "defended_by_queen" One, Linear;
    /// A knight, or a bishop or rook that is backed up, can attack the queen next from a safe square; each square.
    ThreatOnQueen = "threats" "next_on_queen" List(2), Linear;

    /// A safe square of the files c to f on the ranks 2 to 4, and once more behind an own pawn, times the square of all
    /// own pieces and pawns and the blocked pawns of both sides beyond three, divided by 128.
    Space = "space" "area" One, Linear;

    /// The enemy has only the king: steps that it stands from the center, 0 to 6.
    LoneKingEdge = "endgame" "lone_king_edge" One, Linear;
    /// The enemy has only the king: king's moves that the kings are nearer to each other than 7.
    LoneKingNear = "endgame" "lone_king_near" One, Linear;
    /// The side to move.
    Tempo = "endgame" "tempo" One, Linear;

    /// Every position.
    ComplexityConstant = "complexity" "constant" One, Complexity;
    /// Each pawn of both sides.
    ComplexityPawns = "complexity" "pawns" One, Complexity;
    /// Pawns of either side on the files a to d as well as e to h.
    ComplexityBothWings = "complexity" "both_wings" One, Complexity;
    /// No pieces but kings and pawns.
    ComplexityPawnEnding = "complexity" "pawn_ending" One, Complexity;
    /// Each passed pawn of both sides.
    ComplexityPassed = "complexity" "passed" One, Complexity;
    /// Each file that the kings stand apart, and for each rank one less.
    ComplexityOutflanking = "complexity" "outflanking" One, Complexity;
    /// Each king on the other half of the board.
    ComplexityInfiltration = "complexity" "infiltration" One, Complexity;

    /// Bishops of opposite colors and no other pieces.
    ScaleOppositeBishops = "scale" "opposite_bishops" One, Scale;
    /// Bishops of opposite colors and equal other pieces.
    ScaleOppositeBishopsPieces = "scale" "opposite_bishops_with_pieces" One, Scale;
    /// The stronger side has no pawns and is ahead by at most a minor piece: alone, with more on the board.
    ScaleNoPawns = "scale" "no_pawns" List(2), Scale;
}

const fn starts() -> [usize; SCHEMA.len() + 1] {
    let mut starts = [0; SCHEMA.len() + 1];
    let mut index = 0;
    while index < SCHEMA.len() {
        starts[index + 1] = starts[index] + SCHEMA[index].shape.length();
        index += 1;
    }
    starts
}

const STARTS: [usize; SCHEMA.len() + 1] = starts();

/// Total number of weights.
pub const WEIGHTS: usize = STARTS[SCHEMA.len()];

impl Term {
    /// Schema entry of this term.
    pub const fn entry(self) -> &'static Entry {
        &SCHEMA[self as usize]
    }

    /// Index of the term's first weight; the others follow.
    pub const fn start(self) -> usize {
        STARTS[self as usize]
    }
}
