//! The terms of the evaluation, listed once: for the build script that checks and embeds `params/evaluation.toml`, for
//! the engine, and for the tuner. Names, lengths, meanings and precision only; independent of chess.
//!
//! The build script includes this file as a module, so it may use only the standard library.

/// The engine counts in tenths of a centipawn, of a unit of danger or of a 64th, as weights have one decimal.
pub const TENTHS: i32 = 10;

/// Converts tenths to a number with one decimal.
pub fn from_tenths(tenths: i32) -> f64 {
    f64::from(tenths) / f64::from(TENTHS)
}

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
    pub shape: Shape,
    pub part: Part,
    /// Constraint of the tuner.
    pub constraint: Constraint,
}

/// Maximum absolute value of a weight of a square in the file: the engine sums 17 of them in 16 bits, in tenths.
pub const SQUARE_LIMIT: i32 = 190;

impl Entry {
    /// Maximum absolute value of its weights in the file.
    pub fn limit(&self) -> i32 {
        if self.group == "squares" { SQUARE_LIMIT } else { 30_000 }
    }
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
    ($($(#[$doc:meta])+ $term:ident = $group:literal $name:literal $shape:expr, $part:ident $(, $constraint:ident)?;)+) => {
        /// A term of the evaluation: one key of the parameter file.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Term {
            $($(#[$doc])+ $term,)+
        }

        /// All terms in the order of their weights, grouped by table.
        pub static SCHEMA: [Entry; [$(Term::$term),+].len()] = [
            $(Entry {
                term: Term::$term,
                group: $group,
                name: $name,
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
    /// Imbalance, own material: the products of the numbers of two roles, at most two pieces of each: pawns by pawns, knights by
    /// pawns, knights by knights, bishops by pawns, and so on to queens by queens. The bishop pair is one of them.
    ImbalanceOwn = "material" "own_pairs" List(15), Linear;
    /// Imbalance against the enemy's material: such products with an enemy role before it in the order pawn, knight, bishop,
    /// rook, queen: knights by pawns, bishops by pawns, bishops by knights, and so on.
    ImbalanceEnemy = "material" "enemy_pairs" List(10), Linear;

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
    /// A pawn by its square and the own king's, mirrored so that the king is on the files a to d. By the square of the king (a1
    /// to d1, a2 to d2, and so on), then by that of the pawn (a2 to h2, a3 to h3, and so on), as the pawn's owner sees them.
    SquarePawnOwnKing = "squares" "pawn_by_own_king" List(1536), Linear;
    /// The same with the enemy king.
    SquarePawnEnemyKing = "squares" "pawn_by_enemy_king" List(1536), Linear;
    /// A knight by its square and that of each own pawn, mirrored so that the pawn is on the files a to d. By the square of the
    /// pawn (a2 to d2, a3 to d3, and so on), then by that of the knight (a1 to h1, a2 to h2, and so on), as the knight's owner sees them.
    SquareKnightOwnPawn = "squares" "knight_by_own_pawn" List(1536), Linear;
    /// The same for a knight and each enemy pawn.
    SquareKnightEnemyPawn = "squares" "knight_by_enemy_pawn" List(1536), Linear;
    /// The same for a bishop and each own pawn.
    SquareBishopOwnPawn = "squares" "bishop_by_own_pawn" List(1536), Linear;
    /// The same for a bishop and each enemy pawn.
    SquareBishopEnemyPawn = "squares" "bishop_by_enemy_pawn" List(1536), Linear;
    /// The same for a rook and each own pawn.
    SquareRookOwnPawn = "squares" "rook_by_own_pawn" List(1536), Linear;
    /// The same for a rook and each enemy pawn.
    SquareRookEnemyPawn = "squares" "rook_by_enemy_pawn" List(1536), Linear;
    /// The same for a queen and each own pawn.
    SquareQueenOwnPawn = "squares" "queen_by_own_pawn" List(1536), Linear;
    /// The same for a queen and each enemy pawn.
    SquareQueenEnemyPawn = "squares" "queen_by_enemy_pawn" List(1536), Linear;
    /// A knight by its square and the own king's, mirrored so that the king is on the files a to d. By the square of the king (a1
    /// to d1, a2 to d2, and so on, with the ranks 5 and 6 as one, and 7 and 8 as one), then by that of the knight (a1 to h1, a2
    /// to h2, and so on), each as its owner sees it.
    SquareKnightOwnKing = "squares" "knight_by_own_king" List(1536), Linear;
    /// The same for a knight and the enemy king.
    SquareKnightEnemyKing = "squares" "knight_by_enemy_king" List(1536), Linear;
    /// The same for a bishop and the own king.
    SquareBishopOwnKing = "squares" "bishop_by_own_king" List(1536), Linear;
    /// The same for a bishop and the enemy king.
    SquareBishopEnemyKing = "squares" "bishop_by_enemy_king" List(1536), Linear;
    /// The same for a rook and the own king.
    SquareRookOwnKing = "squares" "rook_by_own_king" List(1536), Linear;
    /// The same for a rook and the enemy king.
    SquareRookEnemyKing = "squares" "rook_by_enemy_king" List(1536), Linear;
    /// The same for a queen and the own king.
    SquareQueenOwnKing = "squares" "queen_by_own_king" List(1536), Linear;
    /// The same for a queen and the enemy king.
    SquareQueenEnemyKing = "squares" "queen_by_enemy_king" List(1536), Linear;

    /// Knight mobility: safe squares that it attacks, 0 to 8.
    MobilityKnight = "mobility" "knight" List(9), Linear, Rising;
    /// Bishop mobility: safe squares that it attacks, through queens, 0 to 13.
    MobilityBishop = "mobility" "bishop" List(14), Linear, Rising;
    /// Rook mobility: safe squares that it attacks, through rooks and queens, 0 to 14.
    MobilityRook = "mobility" "rook" List(15), Linear, Rising;
    /// Queen mobility: safe squares that it attacks, 0 to 27.
    MobilityQueen = "mobility" "queen" List(28), Linear, Rising;

    /// Bad bishop: a bishop, for each own pawn on squares of its color.
    BishopOwnPawns = "pieces" "bishop_own_pawns" One, Linear;
    /// Knight outpost: a knight on ranks 4 to 6 that no enemy pawn can attack: without and with a pawn's support.
    KnightOutpost = "pieces" "knight_outpost" List(2), Linear;
    /// Bishop outpost: a bishop on ranks 4 to 6 that no enemy pawn can attack: without and with a pawn's support.
    BishopOutpost = "pieces" "bishop_outpost" List(2), Linear;
    /// Minor piece behind a pawn: a knight or bishop directly behind a pawn of either side.
    MinorBehindPawn = "pieces" "minor_behind_pawn" One, Linear;
    /// Rook on a semi-open file, on an open file.
    RookFile = "pieces" "rook_half_open_and_open_file" List(2), Linear;
    /// King protector: king distance of each knight or bishop to the own king.
    MinorKingDistance = "pieces" "knight_and_bishop_king_distance" List(2), Linear;
    /// Reachable outpost: a knight that attacks an outpost with a pawn's support; at most one counted.
    KnightNearOutpost = "pieces" "knight_near_outpost" One, Linear;
    /// Bad bishop: own pawns on squares of its color, times the blocked own pawns on the files c to f.
    BishopBlockedCenter = "pieces" "bishop_own_pawns_blocked_center" One, Linear;
    /// Bishop x-ray: each enemy pawn on its diagonals, through all pieces.
    BishopLinedPawns = "pieces" "bishop_enemy_pawns_on_lines" One, Linear;
    /// Long diagonal bishop: it attacks two center squares through everything but pawns.
    BishopLongDiagonal = "pieces" "bishop_long_diagonal" One, Linear;
    /// Rook on the queen's file, of either side.
    RookQueenFile = "pieces" "rook_on_queen_file" One, Linear;
    /// Rook on the seventh rank, with the enemy king on the eighth or enemy pawns on the seventh.
    RookSeventh = "pieces" "rook_on_seventh" One, Linear;
    /// Trapped rook: at most three moves, on the own king's side of it: with castling rights, without.
    RookTrapped = "pieces" "rook_trapped_by_king" List(2), Linear;
    /// Weak queen: an enemy bishop or rook attacks it through one piece (x-ray).
    QueenOnLine = "pieces" "queen_behind_one_piece" One, Linear;
    /// Pinned to the king: a pawn, knight, bishop, rook or queen, each by an enemy bishop, rook or queen.
    Pinned = "pieces" "pinned" List(15), Linear;
    /// Pinned to the queen by an enemy bishop or rook: a pawn, knight, bishop, rook or queen.
    PinnedToQueen = "pieces" "pinned_to_queen" List(5), Linear;
    /// Discovered check: a pawn, knight, bishop, rook, queen or king alone between an own slider and the enemy king.
    Discoverer = "pieces" "discoverer" List(6), Linear;

    /// Isolated pawn: without own pawns on the adjacent files.
    PawnIsolated = "pawns" "isolated" One, Linear;
    /// Doubled pawn: behind another own pawn on its file.
    PawnDoubled = "pawns" "doubled" One, Linear;
    /// Backward pawn: behind the pawns of the adjacent files, and unable to advance safely.
    PawnBackward = "pawns" "backward" One, Linear;
    /// Weak unopposed pawn: isolated or backward, without an enemy pawn ahead on its file.
    PawnWeakOpen = "pawns" "weak_on_open_file" One, Linear;
    /// Supported pawn: defended by a pawn, by its own rank 2 to 7.
    PawnSupported = "pawns" "supported" List(6), Linear;
    /// Phalanx: a pawn with an own pawn directly beside it, by its own rank 2 to 7.
    PawnPhalanx = "pawns" "phalanx" List(6), Linear;
    /// Unopposed connected pawn: supported or in a phalanx, without an enemy pawn ahead on its file, by its own rank 2 to 7.
    PawnConnectedUnopposed = "pawns" "connected_unopposed" List(6), Linear;
    /// Pawn supported by two pawns.
    PawnSupportedTwice = "pawns" "supported_twice" One, Linear;
    /// Weak lever: an unsupported pawn that two enemy pawns attack.
    PawnTwiceAttacked = "pawns" "attacked_twice" One, Linear;
    /// Blocked pawn: an enemy pawn directly ahead: on rank 5, on rank 6.
    PawnBlockedFar = "pawns" "blocked_on_fifth_and_sixth" List(2), Linear;
    /// Candidate passed pawn: no pawn ahead on its file, and at least as many own pawns to help it as enemy pawns to
    /// stop it on the adjacent files, by its own rank 2 to 7; not yet passed.
    PawnCandidate = "pawns" "candidate" List(6), Linear;
    /// Each pair of own pawns, mirrored so that the first is on the files a to d: the less advanced one, on one rank the
    /// one nearer to the edge. By the square of the first (a2 to d2, a3 to d3, and so on), then by that of the second from
    /// the same rank on (a to h of each); 96 of the numbers belong to no pair.
    PawnOwnPair = "pawns" "own_pairs" List(672), Linear;
    /// Each pair of an own and an enemy pawn in the same order, with the ranks that their owners see, for the owner of the
    /// first; equally advanced pawns on the same or on mirrored files count nothing.
    PawnEnemyPair = "pawns" "enemy_pairs" List(672), Linear;

    /// A passed pawn, by its own rank 2 to 7.
    PassedRank = "passed" "rank" List(6), Linear;
    /// Unblocked passed pawn: the square ahead is empty, by rank 2 to 7.
    PassedFree = "passed" "free" List(6), Linear;
    /// Free passed pawn: the path to promotion is neither attacked nor occupied by the enemy, by rank 2 to 7.
    PassedSafePath = "passed" "safe_path" List(6), Linear;
    /// Own king distance to the square ahead of a passed pawn, by rank 2 to 7.
    PassedOwnKing = "passed" "own_king_distance" List(6), Linear;
    /// Enemy king distance to the square ahead of a passed pawn, by rank 2 to 7.
    PassedEnemyKing = "passed" "enemy_king_distance" List(6), Linear;
    /// Rook behind a passed pawn: an own rook on its file.
    PassedRookBehind = "passed" "rook_behind" One, Linear;
    /// Protected passed pawn: defended by a pawn, by rank 2 to 7.
    PassedProtected = "passed" "protected" List(6), Linear;
    /// Connected passed pawn: another own one is on an adjacent file, at most one rank away, by rank 2 to 7.
    PassedConnected = "passed" "connected" List(6), Linear;
    /// Passed pawn with a safe square ahead, by rank 2 to 7.
    PassedSafeStop = "passed" "safe_stop" List(6), Linear;
    /// Passed pawn with a defended square ahead, by rank 2 to 7.
    PassedDefendedStop = "passed" "defended_stop" List(6), Linear;
    /// Enemy rook or queen behind a passed pawn, on its file.
    PassedEnemyBehind = "passed" "enemy_behind" One, Linear;
    /// Passed pawn with an empty path to promotion, by rank 2 to 7.
    PassedClearPath = "passed" "clear_path" List(6), Linear;
    /// Passed pawn with a path to promotion that is defended on every square, by rank 2 to 7.
    PassedDefendedPath = "passed" "defended_path" List(6), Linear;
    /// Passed pawn whose square ahead the enemy attacks twice and the own side does not, by rank 2 to 7.
    PassedStopLost = "passed" "stop_lost" List(6), Linear;
    /// Own king distance to the square ahead, 0 to 7, times the ranks beyond the second.
    PassedOwnKingTable = "passed" "own_king_by_distance" List(8), Linear;
    /// Enemy king distance to the square ahead, 0 to 7, times the ranks beyond the second.
    PassedEnemyKingTable = "passed" "enemy_king_by_distance" List(8), Linear;
    /// A passed pawn by the distance of its file from the edge, 0 to 3.
    PassedFile = "passed" "file" List(4), Linear;
    /// Unstoppable passed pawn: the enemy has no pieces, and its king is outside of the pawn's square.
    PassedUnstoppable = "passed" "unstoppable" One, Linear;
    /// Passed pawn of the side to move that can advance to a square that the enemy does not attack, by rank 2 to 7.
    PassedPushToMove = "passed" "push_to_move" List(6), Linear;

    /// Pawn shelter: the nearest own pawn ahead on the king's file: none, else by ranks ahead, 1 beside to 7.
    ShelterKingFile = "king" "shelter_king_file" List(8), Linear;
    /// The same on each file beside it.
    ShelterSideFile = "king" "shelter_side_file" List(8), Linear;
    /// Pawn storm: the nearest enemy pawn ahead on each of the three files, not blocked by an own pawn: none, else
    /// by ranks ahead, 1 beside to 7.
    StormFree = "king" "storm_free" List(8), Linear;
    /// Blocked storm: the same, directly ahead of an own pawn.
    StormBlocked = "king" "storm_blocked" List(8), Linear;
    /// Pawn shelter on each of the three files by the distance of the file from the edge, 0 to 3: eight weights for each, none, else by
    /// ranks ahead, 1 beside to 7.
    ShelterByFile = "king" "shelter_by_file" List(32), Linear;
    /// Pawn storm, not blocked by an own pawn, in the same way.
    StormByFile = "king" "storm_by_file" List(32), Linear;
    /// King distance to the nearest pawn of either side.
    KingPawnDistance = "king" "pawn_distance" One, Linear;
    /// Pawnless flank: no pawn of either side on the king's flank, the files a to d, c to f or e to h; three files for a
    /// king at the edge.
    KingPawnlessWing = "king" "pawnless_wing" One, Linear;
    /// King mobility: squares next to the king, without own pieces, that the enemy does not attack.
    KingMoves = "king" "safe_moves" List(9), Linear;

    /// Constant of the danger: below zero, it takes more danger before the curve rises.
    DangerBase = "danger" "base" One, Danger;
    /// King attackers: each enemy piece that attacks the king ring: knight, bishop, rook, queen.
    DangerAttacker = "danger" "attacker" List(4), Danger;
    /// King attacks: each attack of such a piece on a square next to the king: knight, bishop, rook, queen.
    DangerRingAttack = "danger" "ring_attack" List(4), Danger;
    /// Weak king ring: each of its squares that the enemy attacks and at most the king or queen defends.
    DangerWeakSquare = "danger" "weak_square" One, Danger;
    /// Safe check: a square from which the enemy can check safely, at most one: knight, bishop, rook, queen.
    DangerSafeCheck = "danger" "safe_check" List(4), Danger;
    /// The enemy has no queen.
    DangerNoQueen = "danger" "no_queen" One, Danger;
    /// Each open or semi-open file of the three by the king.
    DangerOpenFile = "danger" "open_file" One, Danger;
    /// Each own knight or bishop within two squares of the king.
    DangerDefender = "danger" "minor_defender" One, Danger;
    /// Safe checks from more than one square: knight, bishop, rook, queen.
    DangerSafeChecks = "danger" "safe_checks" List(4), Danger;
    /// Unsafe check: each square from which the enemy can check but be captured, at most fifteen.
    DangerUnsafeCheck = "danger" "unsafe_check" One, Danger;
    /// King flank attack: each square of the king's flank, on the own five ranks, that the enemy attacks.
    DangerWingAttack = "danger" "wing_attack" One, Danger;
    /// Each such square that the enemy attacks twice.
    DangerWingAttackTwice = "danger" "wing_attack_twice" One, Danger;
    /// King flank defense: each such square that the own side attacks.
    DangerWingDefense = "danger" "wing_defense" One, Danger;
    /// King blockers: each enemy bishop, rook or queen blocked from the king by a single piece of either side.
    DangerBlocker = "danger" "blocker" One, Danger;
    /// Each square next to the king that an enemy pawn attacks.
    DangerPawnAttack = "danger" "pawn_attack" One, Danger;
    /// Each square of the king's flank, as above, that the own side attacks twice.
    DangerWingDefenseTwice = "danger" "wing_defense_twice" One, Danger;
    /// Pawn shelter on the king's file: none, else by ranks ahead, 1 beside to 7.
    DangerShelterKing = "danger" "shelter_king_file" List(8), Danger;
    /// The same on each file beside it.
    DangerShelterSide = "danger" "shelter_side_file" List(8), Danger;
    /// Pawn storm on each of the three files, not blocked by an own pawn: none, else by ranks ahead, 1 beside to 7.
    DangerStormFree = "danger" "storm_free" List(8), Danger;
    /// King mobility: squares next to the king, without own pieces, that the enemy does not attack.
    DangerMoves = "danger" "safe_moves" List(9), Danger;
    /// Each enemy knight, bishop, rook, queen.
    DangerMaterial = "danger" "material" List(4), Danger;
    /// Enemy to move.
    DangerEnemyToMove = "danger" "enemy_to_move" One, Danger;
    /// Contact check: each square next to the king from which the enemy's queen or a rook can check, with support, and
    /// which only the king defends: queen, rook.
    DangerContactCheck = "danger" "contact_check" List(2), Danger;
    /// Each square next to the king that the enemy attacks twice.
    DangerRingTwice = "danger" "ring_attacked_twice" One, Danger;

    /// Threat by pawn: it attacks a knight, bishop, rook or queen.
    ThreatByPawn = "threats" "by_pawn" List(4), Linear;
    /// Threat by pawn push: each knight, bishop, rook or queen that a pawn could attack after a safe advance.
    ThreatByPawnPush = "threats" "by_pawn_push" List(4), Linear;
    /// Threat by minor: a knight or bishop attacks a weak pawn, knight or bishop, or any rook or queen.
    ThreatByMinor = "threats" "by_minor" List(5), Linear;
    /// Threat by rook: it attacks a weak pawn, knight, bishop or rook, or any queen.
    ThreatByRook = "threats" "by_rook" List(5), Linear;
    /// Threat by minor: a knight or bishop attacks a knight or bishop that is not weak.
    ThreatByMinorDefended = "threats" "by_minor_on_defended" List(2), Linear;
    /// Threat by rook: it attacks a pawn, knight or bishop that is not weak.
    ThreatByRookDefended = "threats" "by_rook_on_defended" List(3), Linear;
    /// Each weak piece that is defended once and attacked twice.
    ThreatOverloaded = "threats" "attacked_twice" One, Linear;
    /// Threat by king: each weak pawn or piece that it attacks.
    ThreatByKing = "threats" "by_king" One, Linear;
    /// Hanging: each pawn, knight, bishop, rook or queen that is attacked and not defended.
    ThreatHanging = "threats" "hanging" List(5), Linear;
    /// Threat by safe pawn: each knight, bishop, rook or queen that a defended or unattacked pawn attacks.
    ThreatBySafePawn = "threats" "by_safe_pawn" List(4), Linear;
    /// Restricted piece: each square that both sides attack, the enemy neither by a pawn nor twice.
    ThreatRestricted = "threats" "restricted" One, Linear;
    /// Weak queen protection: each attacked piece that only the queen defends.
    ThreatQueenDefended = "threats" "defended_by_queen" One, Linear;
    /// Knight or slider on queen: each safe square from which a knight, or a supported bishop or rook, can attack it.
    ThreatOnQueen = "threats" "next_on_queen" List(2), Linear;
    /// Loose piece: each own pawn, knight, bishop, rook or queen that nothing defends; bishops defend through queens, rooks through rooks
    /// and queens.
    Loose = "threats" "loose" List(5), Linear;
    /// Each own knight, bishop, rook or queen that a pawn defends.
    DefendedByPawn = "threats" "defended_by_pawn" List(4), Linear;
    /// Knight fork: each safe square, of two at most, from which a knight attacks two of king, queen, rook and undefended
    /// bishop.
    KnightFork = "threats" "knight_fork" One, Linear;
    /// The same, for the side to move.
    KnightForkToMove = "threats" "knight_fork_to_move" One, Linear;
    /// The side to move can check from a square that the enemy does not attack: knight, bishop, rook, queen.
    CheckToMove = "threats" "check_to_move" List(4), Linear;
    /// Threat by pawn push, for the side to move: it attacks a knight, bishop, rook or queen.
    PawnPushToMove = "threats" "by_pawn_push_to_move" List(4), Linear;

    /// Space: a safe square of the files c to f on the ranks 2 to 4, twice behind an own pawn, times the square of all
    /// own pieces and pawns and the blocked pawns of both sides beyond three, divided by 128.
    Space = "space" "area" One, Linear;

    /// Lone king: its distance from the center in steps, 0 to 6.
    LoneKingEdge = "endgame" "lone_king_edge" One, Linear;
    /// Lone king: 7 less the distance of the kings.
    LoneKingNear = "endgame" "lone_king_near" One, Linear;
    /// Tempo: the side to move.
    Tempo = "endgame" "tempo" One, Linear;

    /// Constant of the complexity.
    ComplexityConstant = "complexity" "constant" One, Complexity;
    /// Each pawn of both sides.
    ComplexityPawns = "complexity" "pawns" One, Complexity;
    /// Pawns on both flanks.
    ComplexityBothWings = "complexity" "both_wings" One, Complexity;
    /// Pawn endgame.
    ComplexityPawnEnding = "complexity" "pawn_ending" One, Complexity;
    /// Each passed pawn of both sides.
    ComplexityPassed = "complexity" "passed" One, Complexity;
    /// Outflanking: file distance of the kings, less their rank distance.
    ComplexityOutflanking = "complexity" "outflanking" One, Complexity;
    /// Infiltration: each king on the opponent's half of the board.
    ComplexityInfiltration = "complexity" "infiltration" One, Complexity;

    /// Opposite-colored bishops and no other pieces.
    ScaleOppositeBishops = "scale" "opposite_bishops" One, Scale;
    /// Opposite-colored bishops and equal other pieces.
    ScaleOppositeBishopsPieces = "scale" "opposite_bishops_with_pieces" One, Scale;
    /// The stronger side has no pawns and is ahead by at most a minor piece: alone, with more on the board.
    ScaleNoPawns = "scale" "no_pawns" List(2), Scale;
    /// The stronger side has a single pawn.
    ScaleOnePawn = "scale" "one_pawn" One, Scale;
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

/// Schema entry of the term of a weight.
///
/// # Panics
/// If there is no such weight.
pub fn entry_of(weight: usize) -> &'static Entry {
    assert!(weight < WEIGHTS, "there is no weight {weight}");
    &SCHEMA[STARTS.partition_point(|&start| start <= weight) - 1]
}

impl Term {
    /// Schema entry of this term.
    pub const fn entry(self) -> &'static Entry {
        &SCHEMA[self as usize]
    }

    /// Index of the term's first weight; the others follow.
    pub const fn start(self) -> usize {
        STARTS[self as usize]
    }

    /// The term's only or first weight.
    #[inline]
    pub const fn first(self) -> Weight {
        Weight(self.start() as u16)
    }

    /// The term's weight with this index.
    ///
    /// # Panics
    /// In debug builds, if the index is out of range.
    #[inline]
    pub fn at(self, index: usize) -> Weight {
        debug_assert!(index < self.entry().shape.length(), "{self:?} has no weight {index}");
        Weight((self.start() + index) as u16)
    }
}

/// A weight, as its index among all weights, 0 to [`WEIGHTS`] − 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Weight(u16);

impl Weight {
    /// The index among all weights.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
