//! Syzygy tablebases: WDL probes and DTZ ranking of root moves. The only module that uses the tablebase library.

use std::fmt;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError, Setup, Square,
};
use shakmaty_syzygy::{Syzygy, Tablebase};
use smalt_chess::{Color, Move, Position, Role};

/// Plies of the fifty-move rule.
const FIFTY_MOVES: i32 = 100;

/// Rank of a safe win; more than twice any DTZ.
const FAR: i32 = 1 << 18;

/// WDL value for the side to move, assuming a halfmove clock of zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WdlScore {
    Loss,
    /// Loss, but a draw under the fifty-move rule.
    BlessedLoss,
    Draw,
    /// Win, but a draw under the fifty-move rule.
    CursedWin,
    Win,
}

/// A root move with its tablebase rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    pub mv: Move,
    /// Higher is better; equal ranks leave the choice to the search.
    pub rank: i32,
    /// WDL after the move, for the side that made it, considering the halfmove clock.
    pub wdl: WdlScore,
}

/// Tablebase ranking of the root moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// In the order of the given moves.
    pub moves: Vec<RankedMove>,
    /// Whether the ranks come from DTZ, which ensures progress in a win; WDL only preserves the win.
    pub has_distances: bool,
}

/// The tablebases in use.
pub struct SyzygyTables {
    tables: Tablebase<Chess>,
    results: usize,
    distances: usize,
    /// Folders and files that could not be used.
    faults: Vec<Fault>,
}

#[derive(Debug)]
struct Fault {
    path: PathBuf,
    reason: io::Error,
}

/// No tablebase files were found.
#[derive(Debug, thiserror::Error)]
#[error("no Syzygy tablebases in {path:?}{}", Faults(.faults))]
pub struct NoTablesError {
    path: String,
    faults: Vec<Fault>,
}

impl SyzygyTables {
    /// Finds the tablebase files in a list of folders (separated as in the system's `PATH`). Files are opened on first use.
    ///
    /// # Errors
    /// If no file is found.
    pub fn open(path: &str) -> Result<SyzygyTables, NoTablesError> {
        let (tables, faults) = (Tablebase::new(), Vec::new());
        let mut found = SyzygyTables { tables, results: 0, distances: 0, faults };
        for folder in std::env::split_paths(path) {
            if let Err(reason) = found.add_folder(&folder) {
                found.faults.push(Fault { path: folder, reason });
            }
        }
        match found.results {
            0 => Err(NoTablesError { path: path.to_owned(), faults: found.faults }),
            _ => Ok(found),
        }
    }

    fn add_folder(&mut self, folder: &Path) -> io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is = |extension: &str| path.extension().is_some_and(|found| found == extension);
            let count = match () {
                () if is(Chess::TBW.ext) => &mut self.results,
                () if is(Chess::TBZ.ext) => &mut self.distances,
                () => continue,
            };
            match self.tables.add_file(&path) {
                Ok(()) => *count += 1,
                Err(reason) => self.faults.push(Fault { path, reason }),
            }
        }
        Ok(())
    }

    /// Largest number of pieces of the tables, kings included.
    pub fn pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    /// WDL probe. `None` if the position is not in the tables or has castling rights.
    pub fn probe(&self, position: &Position) -> Option<WdlScore> {
        Some(from_syzygy(self.tables.probe_wdl_after_zeroing(&convert(position)?).ok()?))
    }

    /// Ranks legal moves by DTZ, or else by WDL; `history` has the repetition keys of the game. `None` if a position
    /// after a move is not in the tables.
    pub(crate) fn rank(&self, position: &Position, history: &[u64], moves: &[Move]) -> Option<Ranking> {
        if position.occupied().count() > self.pieces() || position.castling_rooks().any() {
            return None;
        }
        let line = GameLine::new(position, history);
        let by = |rank: &dyn Fn(Move) -> Option<RankedMove>| moves.iter().map(|&mv| rank(mv)).collect();
        let by_distance: Option<Vec<RankedMove>> = by(&|mv| self.rank_by_distance(&line, mv));
        match by_distance {
            Some(moves) => Some(Ranking { moves, has_distances: true }),
            None => Some(Ranking { moves: by(&|mv| self.rank_by_result(&line, mv))?, has_distances: false }),
        }
    }

    /// DTZ ranking by Stockfish's scheme: wins within the fifty-move rule rank equal, so that the search chooses among
    /// them. After a repetition or near the limit, the shortest DTZ ranks first; the reverse for losses.
    fn rank_by_distance(&self, line: &GameLine<'_>, mv: Move) -> Option<RankedMove> {
        let distance = self.distance_after(line, mv)?;
        let clock = i32::from(line.position.halfmove_clock());
        let rank = match distance {
            // DTZ may be rounded down by one.
            1.. if distance + clock < FIFTY_MOVES && !line.has_repeated => FAR,
            1.. => FAR / 2 - (distance + clock),
            0 => 0,
            _ if 2 * -distance + clock < FIFTY_MOVES => -FAR,
            _ => clock - distance - FAR / 2,
        };
        let wdl = match rank {
            1.. if rank >= FAR / 2 - FIFTY_MOVES => WdlScore::Win,
            1.. => WdlScore::CursedWin,
            0 => WdlScore::Draw,
            _ if rank <= FIFTY_MOVES - FAR / 2 => WdlScore::Loss,
            _ => WdlScore::BlessedLoss,
        };
        Some(RankedMove { mv, rank, wdl })
    }

    /// DTZ before a move: plies to the zeroing move or mate; negative for a loss, 0 for a draw, more than
    /// [`FIFTY_MOVES`] for a cursed win.
    fn distance_after(&self, line: &GameLine<'_>, mv: Move) -> Option<i32> {
        let after = line.position.after(mv);
        if !after.has_legal_move() {
            return Some(i32::from(after.is_check()));
        }
        if line.is_draw(&after) {
            return Some(0);
        }
        if after.halfmove_clock() == 0 {
            return Some(match self.probe(&after)? {
                WdlScore::Loss => 1,
                WdlScore::BlessedLoss => FIFTY_MOVES + 1,
                WdlScore::Draw => 0,
                WdlScore::CursedWin => -FIFTY_MOVES - 1,
                WdlScore::Win => -1,
            });
        }
        let distance = -self.tables.probe_dtz(&convert(&after)?).ok()?.ignore_rounding().0;
        Some(distance + distance.signum())
    }

    fn rank_by_result(&self, line: &GameLine<'_>, mv: Move) -> Option<RankedMove> {
        let after = line.position.after(mv);
        let wdl = match after.has_legal_move() {
            false if after.is_check() => WdlScore::Win,
            true if !line.is_draw(&after) => self.probe(&after)?.of_opponent(),
            _ => WdlScore::Draw,
        };
        Some(RankedMove { mv, rank: wdl as i32 - WdlScore::Draw as i32, wdl })
    }
}

impl WdlScore {
    /// The value for the other side.
    #[must_use]
    pub(crate) fn of_opponent(self) -> WdlScore {
        match self {
            WdlScore::Loss => WdlScore::Win,
            WdlScore::BlessedLoss => WdlScore::CursedWin,
            WdlScore::Draw => WdlScore::Draw,
            WdlScore::CursedWin => WdlScore::BlessedLoss,
            WdlScore::Win => WdlScore::Loss,
        }
    }
}

/// A position with its game history.
struct GameLine<'a> {
    position: &'a Position,
    /// Repetition keys since the last irreversible move, the position's own last.
    keys: Vec<u64>,
    has_repeated: bool,
}

impl<'a> GameLine<'a> {
    fn new(position: &'a Position, history: &[u64]) -> GameLine<'a> {
        let since = history.len().saturating_sub(usize::from(position.halfmove_clock()));
        let mut keys = history[since..].to_vec();
        keys.push(position.repetition_key());
        let has_repeated = keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key));
        GameLine { position, keys, has_repeated }
    }

    /// Whether the position after one more move is a draw by repetition or the fifty-move rule.
    fn is_draw(&self, after: &Position) -> bool {
        let key = after.repetition_key();
        let seen = self.keys.iter().filter(|&&seen| seen == key).count();
        i32::from(after.halfmove_clock()) >= FIFTY_MOVES || after.halfmove_clock() > 0 && seen >= 2
    }
}

fn from_syzygy(wdl: shakmaty_syzygy::Wdl) -> WdlScore {
    use shakmaty_syzygy::Wdl as Syzygy;
    match wdl {
        Syzygy::Loss => WdlScore::Loss,
        Syzygy::BlessedLoss => WdlScore::BlessedLoss,
        Syzygy::Draw => WdlScore::Draw,
        Syzygy::CursedWin => WdlScore::CursedWin,
        Syzygy::Win => WdlScore::Win,
    }
}

/// Converts to the library's position; `None` with castling rights, which tablebases do not cover.
fn convert(position: &Position) -> Option<Chess> {
    if position.castling_rooks().any() {
        return None;
    }
    let role = |role| Bitboard(position.role(role).0);
    let color = |color| Bitboard(position.color(color).0);
    let by_role = ByRole {
        pawn: role(Role::Pawn),
        knight: role(Role::Knight),
        bishop: role(Role::Bishop),
        rook: role(Role::Rook),
        queen: role(Role::Queen),
        king: role(Role::King),
    };
    let by_color = ByColor { black: color(Color::Black), white: color(Color::White) };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: match position.turn() {
            Color::White => shakmaty::Color::White,
            Color::Black => shakmaty::Color::Black,
        },
        ep_square: position.en_passant().map(|square| Square::new(square.index() as u32)),
        halfmoves: u32::from(position.halfmove_clock()),
        fullmoves: NonZeroU32::MIN,
        ..Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_too_much_material)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

impl fmt::Display for SyzygyTables {
    /// Number of pieces and files, and the first fault.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SyzygyTables { results, distances, faults, .. } = self;
        let pieces = self.pieces();
        write!(
            f,
            "Syzygy tablebases of up to {pieces} pieces: {results} WDL files, {distances} DTZ files{}",
            Faults(faults)
        )
    }
}

impl fmt::Debug for SyzygyTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SyzygyTables").field("pieces", &self.pieces()).finish_non_exhaustive()
    }
}

/// Displays the first fault and the number of others.
struct Faults<'a>(&'a [Fault]);

impl fmt::Display for Faults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else { return Ok(()) };
        write!(f, "; {}: {}", first.path.display(), first.reason)?;
        if others.is_empty() { Ok(()) } else { write!(f, ", and {} more", others.len()) }
    }
}
