//! Adjudication by Syzygy tablebases. Tables are checked when opened, so that a damaged file is refused before
//! the run.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};
use shakmaty_syzygy::{AmbiguousWdl, Syzygy, Tablebase, Wdl};
use smalt_chess::{Color, Outcome, Position};

use super::termination::Termination;
use crate::plan::{FiftyMoves, TablebaseResults, TablebaseRule};

/// Opened tables with the adjudication rule.
pub struct TablebaseAdjudicator {
    tables: Tablebase<Chess>,
    pieces: usize,
    adjudicate: TablebaseResults,
    fifty: FiftyMoves,
}

/// Why the tables cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TablebaseError {
    #[error("read tablebases from {}: {source}; change [adjudication] tablebases", path.display())]
    Folder { path: PathBuf, source: io::Error },
    /// No tables in the folder.
    #[error("find tablebases in {}: it has no .rtbw file; change [adjudication] tablebases", .0.display())]
    None(PathBuf),
    #[error("read the tablebase {}: {reason}; repair or remove it", path.display())]
    Broken { path: PathBuf, reason: String },
}

impl TablebaseAdjudicator {
    /// Opens all tables in the rule's folders.
    ///
    /// # Errors
    /// If a folder has none, or a table is broken.
    pub fn open(rule: &TablebaseRule) -> Result<TablebaseAdjudicator, TablebaseError> {
        let mut tables = Tablebase::new();
        for folder in rule.path.iter().flat_map(std::env::split_paths) {
            let failed = |source| TablebaseError::Folder { path: folder.clone(), source };
            let mut found = 0;
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                if path.extension().is_some_and(|extension| extension == Chess::TBW.ext) {
                    check_table(&path)?;
                    found += 1;
                }
            }
            if found == 0 {
                return Err(TablebaseError::None(folder));
            }
            tables.add_directory(&folder).map_err(failed)?;
        }
        let most = tables.max_pieces();
        let pieces = if rule.pieces == 0 { most } else { most.min(rule.pieces as usize) };
        Ok(TablebaseAdjudicator { tables, pieces, adjudicate: rule.adjudicate, fifty: rule.fifty })
    }

    /// Maximum number of pieces probed, kings included.
    pub fn pieces(&self) -> u32 {
        self.pieces as u32
    }

    /// The result of the position, if the tables contain it and the rule adjudicates it.
    pub fn adjudicate(&self, position: &Position) -> Option<(Outcome, Termination)> {
        self.call(self.outcome(position)?)
    }

    /// The result with best play, if the tables contain the position; they have none with castling rights.
    pub fn outcome(&self, position: &Position) -> Option<Outcome> {
        if position.occupied().count() > self.pieces || position.castling_rooks().any() {
            return None;
        }
        let fen: Fen = position.to_fen().parse().ok()?;
        let known: Chess = fen.into_position(CastlingMode::Standard).ok()?;
        let value = self.probe(&known)?;
        let turn = position.turn();
        let cursed = |winner| match self.fifty {
            FiftyMoves::Respected => Outcome::Draw,
            FiftyMoves::Ignored => Outcome::Win(winner),
        };
        Some(match value {
            Wdl::Win => Outcome::Win(turn),
            Wdl::Loss => Outcome::Win(!turn),
            Wdl::CursedWin => cursed(turn),
            Wdl::BlessedLoss => cursed(!turn),
            Wdl::Draw => Outcome::Draw,
        })
    }

    /// WDL tables assume a zeroed fifty-move counter. With a running counter, where the fifty-move rule
    /// applies, DTZ tables must show that a win comes in time; without them only a draw is certain.
    fn probe(&self, position: &Chess) -> Option<Wdl> {
        let fresh = self.tables.probe_wdl_after_zeroing(position).ok()?;
        if position.halfmoves() == 0 || self.fifty == FiftyMoves::Ignored || fresh == Wdl::Draw {
            return Some(fresh);
        }
        match self.tables.probe_wdl(position).ok()? {
            AmbiguousWdl::Win => Some(Wdl::Win),
            AmbiguousWdl::Loss => Some(Wdl::Loss),
            AmbiguousWdl::CursedWin => Some(Wdl::CursedWin),
            AmbiguousWdl::BlessedLoss => Some(Wdl::BlessedLoss),
            AmbiguousWdl::Draw => Some(Wdl::Draw),
            AmbiguousWdl::MaybeWin | AmbiguousWdl::MaybeLoss => None,
        }
    }

    fn call(&self, outcome: Outcome) -> Option<(Outcome, Termination)> {
        match (outcome, self.adjudicate) {
            (Outcome::Win(Color::White | Color::Black), TablebaseResults::Draws) => None,
            (Outcome::Draw, TablebaseResults::Wins) => None,
            (Outcome::Win(_), _) => Some((outcome, Termination::TablebaseWin)),
            (Outcome::Draw, _) => Some((outcome, Termination::TablebaseDraw)),
        }
    }
}

impl fmt::Debug for TablebaseAdjudicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TablebaseAdjudicator").field("pieces", &self.pieces).finish_non_exhaustive()
    }
}

/// A Syzygy table has a four-byte magic and a length of 16 modulo 64 (R. de Man's format).
fn check_table(path: &Path) -> Result<(), TablebaseError> {
    let broken = |reason: String| TablebaseError::Broken { path: path.to_owned(), reason };
    let mut magic = [0; 4];
    let length = File::open(path)
        .and_then(|mut file| {
            file.read_exact(&mut magic)?;
            file.metadata()
        })
        .map_err(|error| broken(error.to_string()))?
        .len();
    if magic != Chess::TBW.magic {
        return Err(broken("it has no Syzygy magic number".to_owned()));
    }
    if length % 64 != 16 {
        return Err(broken(format!("it has {length} bytes and is truncated")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: &Path) -> TablebaseRule {
        TablebaseRule {
            path: Some(path.to_owned()),
            pieces: 0,
            adjudicate: TablebaseResults::Both,
            fifty: FiftyMoves::Respected,
        }
    }

    #[test]
    fn what_holds_no_tables_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let check = |path: &Path, expected: &str| {
            let error = TablebaseAdjudicator::open(&rule(path)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&folder.path().join("none"), if cfg!(windows) { "(os error 3)" } else { "No such file" });
        check(folder.path(), "it has no .rtbw file");
        std::fs::write(folder.path().join("KQvK.rtbw"), [0; 80]).unwrap();
        check(folder.path(), "KQvK.rtbw: it has no Syzygy magic number");
        std::fs::write(folder.path().join("KQvK.rtbw"), [0x71, 0xe8, 0x23, 0x5d, 0]).unwrap();
        check(folder.path(), "it has 5 bytes and is truncated");
        std::fs::write(folder.path().join("KQvK.rtbw"), [0x71]).unwrap();
        check(folder.path(), "KQvK.rtbw: failed to fill whole buffer");
    }

    /// All tables of three and four pieces.
    fn shared() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/syzygy")
    }

    fn check(rule: &TablebaseRule, fen: &str, expected: Option<(Outcome, Termination)>) {
        let tables = TablebaseAdjudicator::open(rule).unwrap();
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(tables.adjudicate(&position), expected, "{fen}");
    }

    #[test]
    #[ignore = "needs the files of ../shared/data"]
    fn wins_and_draws_are_called() {
        let path = shared();
        let rule = rule(&path);
        let won = |color| Some((Outcome::Win(color), Termination::TablebaseWin));
        let draw = Some((Outcome::Draw, Termination::TablebaseDraw));
        check(&rule, "8/8/8/8/8/4k3/8/3QK3 w - - 0 1", won(Color::White));
        check(&rule, "8/8/8/8/8/4k3/8/3QK3 b - - 0 1", won(Color::White));
        check(&rule, "8/8/8/8/8/4k3/8/3QK3 w - - 20 30", won(Color::White));
        check(&rule, "4k3/8/8/8/8/8/4q3/1K2R3 b - - 0 1", won(Color::Black));
        check(&rule, "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", draw);
        check(&rule, "4k2r/8/8/8/8/8/8/4K3 w k - 0 1", None);
        check(&rule, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", None);
    }

    #[test]
    #[ignore = "needs the files of ../shared/data"]
    fn a_win_that_comes_too_late_is_a_draw_unless_fifty_moves_are_ignored() {
        let path = shared();
        let ignoring = TablebaseRule { fifty: FiftyMoves::Ignored, ..rule(&path) };
        let fen = "8/8/8/8/8/4k3/8/3QK3 w - - 97 120";
        check(&ignoring, fen, Some((Outcome::Win(Color::White), Termination::TablebaseWin)));
        check(&rule(&path), fen, Some((Outcome::Draw, Termination::TablebaseDraw)));
    }

    #[test]
    #[ignore = "needs the files of ../shared/data"]
    fn only_what_the_rule_names_is_called() {
        let path = shared();
        let win = "8/8/8/8/8/4k3/8/3QK3 w - - 0 1";
        let draw = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1";
        let wins = TablebaseRule { adjudicate: TablebaseResults::Wins, ..rule(&path) };
        check(&wins, draw, None);
        let draws = TablebaseRule { adjudicate: TablebaseResults::Draws, ..rule(&path) };
        check(&draws, win, None);
        let few = TablebaseRule { pieces: 3, ..rule(&path) };
        check(&few, "4k3/8/8/8/8/8/4q3/1K2R3 b - - 0 1", None);
    }
}
