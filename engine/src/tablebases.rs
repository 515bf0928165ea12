//! Syzygy endgame tables: how a position with few pieces ends when both sides play perfectly. The only place that
//! knows the library that reads them; knows neither scores nor the search.

use std::fmt;
use std::io;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, FromSetup, PositionError, Setup, Square,
};
use shakmaty_syzygy::{Syzygy, Tablebase, Wdl};
use smalt_chess::{Color, Move, Position, Role};

/// Plies since the last capture or pawn move at which a game is drawn.
const FIFTY_MOVES: i32 = 100;

/// Beyond every distance that tables tell, twice over.
const FAR: i32 = 1 << 18;

/// How a position ends with perfect play, for the side to move, if the clock of the fifty-move rule were at zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outlook {
    /// It loses.
    Loss,
    /// It loses unless fifty moves count.
    BlessedLoss,
    /// Nobody wins.
    Draw,
    /// It wins unless fifty moves count.
    CursedWin,
    /// It wins.
    Win,
}

/// What tables say of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankedMove {
    /// The move.
    pub mv: Move,
    /// Moves with a greater rank are to be preferred; among equals the tables have no opinion.
    pub rank: i32,
    /// How the game ends after it, for the side that makes it; the clock of the fifty-move rule is minded.
    pub outlook: Outlook,
}

/// What tables say of all moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranking {
    /// In the order of the question.
    pub moves: Vec<RankedMove>,
    /// Whether the ranks come from distances, so that a win makes progress; without, they only keep it.
    pub has_distances: bool,
}

/// Opened tables.
pub struct Tablebases {
    tables: Tablebase<Chess>,
    results: usize,
    distances: usize,
    /// What could not be used: folders, files.
    faults: Vec<Fault>,
}

#[derive(Debug)]
struct Fault {
    path: PathBuf,
    reason: io::Error,
}

/// There are no tables.
#[derive(Debug, thiserror::Error)]
#[error("no Syzygy tables in {path:?}{}", Faults(.faults))]
pub struct NoTablesError {
    path: String,
    faults: Vec<Fault>,
}

impl Tablebases {
    /// Finds all tables of some folders, given as the system's `PATH` is. Files are opened when they are first asked.
    ///
    /// # Errors
    /// If there is none.
    pub fn open(path: &str) -> Result<Tablebases, NoTablesError> {
        let (tables, faults) = (Tablebase::new(), Vec::new());
        let mut found = Tablebases { tables, results: 0, distances: 0, faults };
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

    /// The most pieces of a position that they may know, kings included.
    pub fn pieces(&self) -> usize {
        self.tables.max_pieces()
    }

    /// How a position ends. `None` if they do not know it, or somebody may castle.
    pub fn probe(&self, position: &Position) -> Option<Outlook> {
        Some(outlook(self.tables.probe_wdl_after_zeroing(&convert(position)?).ok()?))
    }

    /// What the tables say of some legal moves; `history` holds the repetition keys of the positions before. `None` if
    /// they do not know where all of them lead.
    pub fn rank(&self, position: &Position, history: &[u64], moves: &[Move]) -> Option<Ranking> {
        if position.occupied().count() > self.pieces() || position.castling_rooks().any() {
            return None;
        }
        let line = Line::new(position, history);
        let by = |rank: &dyn Fn(Move) -> Option<RankedMove>| moves.iter().map(|&mv| rank(mv)).collect();
        let by_distance: Option<Vec<RankedMove>> = by(&|mv| self.rank_by_distance(&line, mv));
        match by_distance {
            Some(moves) => Some(Ranking { moves, has_distances: true }),
            None => Some(Ranking { moves: by(&|mv| self.rank_by_result(&line, mv))?, has_distances: false }),
        }
    }

    /// A win that comes in time for the fifty-move rule is as good as another, so that the search may choose among them; but once
    /// a position has been repeated, or time is short, the way to the next capture or pawn move has to be the
    /// shortest. In lost positions it is the other way round. The scheme is Stockfish's.
    fn rank_by_distance(&self, line: &Line<'_>, mv: Move) -> Option<RankedMove> {
        let distance = self.distance_after(line, mv)?;
        let clock = i32::from(line.position.halfmove_clock());
        let rank = match distance {
            // Distances may be one too small.
            1.. if distance + clock < FIFTY_MOVES && !line.has_repeated => FAR,
            1.. => FAR / 2 - (distance + clock),
            0 => 0,
            _ if 2 * -distance + clock < FIFTY_MOVES => -FAR,
            _ => clock - distance - FAR / 2,
        };
        let outlook = match rank {
            1.. if rank >= FAR / 2 - FIFTY_MOVES => Outlook::Win,
            1.. => Outlook::CursedWin,
            0 => Outlook::Draw,
            _ if rank <= FIFTY_MOVES - FAR / 2 => Outlook::Loss,
            _ => Outlook::BlessedLoss,
        };
        Some(RankedMove { mv, rank, outlook })
    }

    /// Plies from before a move to the capture, pawn move or mate that decides; negative if the other side wins then,
    /// 0 for a draw. More than [`FIFTY_MOVES`] where fifty moves without one come first.
    fn distance_after(&self, line: &Line<'_>, mv: Move) -> Option<i32> {
        let after = line.position.after(mv);
        if !after.has_legal_move() {
            return Some(i32::from(after.is_check()));
        }
        if line.is_draw(&after) {
            return Some(0);
        }
        if after.halfmove_clock() == 0 {
            return Some(match self.probe(&after)? {
                Outlook::Loss => 1,
                Outlook::BlessedLoss => FIFTY_MOVES + 1,
                Outlook::Draw => 0,
                Outlook::CursedWin => -FIFTY_MOVES - 1,
                Outlook::Win => -1,
            });
        }
        let distance = -self.tables.probe_dtz(&convert(&after)?).ok()?.ignore_rounding().0;
        Some(distance + distance.signum())
    }

    fn rank_by_result(&self, line: &Line<'_>, mv: Move) -> Option<RankedMove> {
        let after = line.position.after(mv);
        let outlook = match after.has_legal_move() {
            false if after.is_check() => Outlook::Win,
            true if !line.is_draw(&after) => self.probe(&after)?.of_opponent(),
            _ => Outlook::Draw,
        };
        Some(RankedMove { mv, rank: outlook as i32 - Outlook::Draw as i32, outlook })
    }
}

impl Outlook {
    /// The same position as the other side sees it.
    #[must_use]
    pub fn of_opponent(self) -> Outlook {
        match self {
            Outlook::Loss => Outlook::Win,
            Outlook::BlessedLoss => Outlook::CursedWin,
            Outlook::Draw => Outlook::Draw,
            Outlook::CursedWin => Outlook::BlessedLoss,
            Outlook::Win => Outlook::Loss,
        }
    }
}

/// A position and what led there.
struct Line<'a> {
    position: &'a Position,
    /// Keys since the last move that can't be taken back, the position's own at the end.
    keys: Vec<u64>,
    has_repeated: bool,
}

impl<'a> Line<'a> {
    fn new(position: &'a Position, history: &[u64]) -> Line<'a> {
        let since = history.len().saturating_sub(usize::from(position.halfmove_clock()));
        let mut keys = history[since..].to_vec();
        keys.push(position.repetition_key());
        let has_repeated = keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key));
        Line { position, keys, has_repeated }
    }

    /// Whether the game may be claimed as a draw in a position one move on.
    fn is_draw(&self, after: &Position) -> bool {
        let key = after.repetition_key();
        let seen = self.keys.iter().filter(|&&seen| seen == key).count();
        i32::from(after.halfmove_clock()) >= FIFTY_MOVES || after.halfmove_clock() > 0 && seen >= 2
    }
}

fn outlook(wdl: Wdl) -> Outlook {
    match wdl {
        Wdl::Loss => Outlook::Loss,
        Wdl::BlessedLoss => Outlook::BlessedLoss,
        Wdl::Draw => Outlook::Draw,
        Wdl::CursedWin => Outlook::CursedWin,
        Wdl::Win => Outlook::Win,
    }
}

/// The position in the library's own form; `None` where somebody may castle, of which tables know nothing.
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

impl fmt::Display for Tablebases {
    /// What was found, in words.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tablebases { results, distances, faults, .. } = self;
        let pieces = self.pieces();
        write!(
            f,
            "Syzygy tables of up to {pieces} pieces: {results} of results, {distances} of distances{}",
            Faults(faults)
        )
    }
}

impl fmt::Debug for Tablebases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebases").field("pieces", &self.pieces()).finish_non_exhaustive()
    }
}

/// Faults behind what was found: the first, and how many more.
struct Faults<'a>(&'a [Fault]);

impl fmt::Display for Faults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else { return Ok(()) };
        write!(f, "; {}: {}", first.path.display(), first.reason)?;
        if others.is_empty() { Ok(()) } else { write!(f, ", and {} more", others.len()) }
    }
}
