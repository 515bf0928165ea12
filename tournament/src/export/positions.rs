//! Labelled positions of a run for tuners and trainers, in any format of [`smalt_dataset`]. The file depends only on
//! the games, in order of numbers: a killed and resumed run gives the same bytes.

use std::collections::HashSet;
use std::io;
use std::time::{Duration, SystemTime};

use smalt_chess::Position;
use smalt_dataset::choose::{Dropped, GamePosition, PositionReason};
use smalt_dataset::write::{SampleWriter, UnfitCounts, Written};
use smalt_match::game::GameRecord;
use smalt_match::pgn::comment_score;
use smalt_match::plan::{DataFile, Duplicates};
use smalt_stats::GameResult;
use smalt_workbench::output_file::{Existing, Output};

/// Writer of a training data file.
pub(crate) struct DataWriter {
    writer: SampleWriter,
    file: DataFile,
    /// Keys of the written positions.
    written: HashSet<u64>,
    /// Start and end of each game.
    times: Vec<(SystemTime, SystemTime)>,
    report: DataReport,
}

/// Numbers of games and positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataReport {
    /// Number of games with positions considered.
    pub games: u64,
    /// Wins of White, draws and wins of Black in these games.
    pub results: [u64; 3],
    /// Time during which at least one of these games was played.
    pub play_time: Duration,
    /// Number of games ended by an engine's fault.
    pub skipped_games: u64,
    /// Positions skipped, by reason.
    pub dropped: Dropped,
    /// Positions that the format cannot store.
    pub unfit: UnfitCounts,
    /// Contents of the file.
    pub written: Written,
}

impl DataWriter {
    /// Starts a file; it appears under its name with [`DataWriter::finish`].
    ///
    /// # Errors
    /// If the folder does not exist or cannot be written to.
    pub(crate) fn create(file: DataFile) -> io::Result<DataWriter> {
        let writer = SampleWriter::create(
            Output::check(&file.path, Existing::Replace)?,
            file.format,
            file.filter.seed,
        )?;
        Ok(DataWriter {
            writer,
            file,
            written: HashSet::new(),
            times: Vec::new(),
            report: DataReport::default(),
        })
    }

    /// Writes the selected positions of a game. Games ended by a fault are skipped, since their result says nothing
    /// about the positions.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub(crate) fn push(&mut self, record: &GameRecord) -> io::Result<()> {
        if record.termination.is_fault() {
            self.report.skipped_games += 1;
            return Ok(());
        }
        self.report.games += 1;
        self.report.results[match record.white_outcome() {
            GameResult::Win => 0,
            GameResult::Draw => 1,
            GameResult::Loss => 2,
        }] += 1;
        self.times.push((record.started, record.started + record.duration));
        let (positions, number) = (positions(record), record.game.number);
        let dropped = &mut self.report.dropped;
        let player = |entrant: usize| u8::try_from(entrant + 1).unwrap_or(0);
        for place in self.file.filter.choose(&positions, record.outcome, number, dropped) {
            let key = place.position.key();
            if self.file.duplicates == Duplicates::Drop && self.written.contains(&key) {
                dropped.count(PositionReason::Duplicate);
                continue;
            }
            let mut sample = place.sample(record.outcome, number);
            sample.players = [player(record.game.white), player(record.game.black)];
            let pushed = self.writer.push(&sample)?;
            // A position without a score that the format needs leaves its place to a later one with a score.
            if pushed.is_ok() && self.file.duplicates == Duplicates::Drop {
                self.written.insert(key);
            }
            self.report.unfit.count(pushed);
        }
        Ok(())
    }

    /// Completes the file and moves it into place.
    ///
    /// # Errors
    /// If the disk is full or fails; an old file is then unchanged.
    pub(crate) fn finish(self, players: &[String]) -> io::Result<DataReport> {
        let written = self.writer.finish(players)?;
        Ok(DataReport { written, play_time: covered(self.times), ..self.report })
    }
}

/// Total time covered by these intervals, without pauses of the run.
fn covered(mut times: Vec<(SystemTime, SystemTime)>) -> Duration {
    times.sort_unstable();
    let (mut covered, mut until) = (Duration::ZERO, SystemTime::UNIX_EPOCH);
    for (start, end) in times {
        covered += end.duration_since(start.max(until)).unwrap_or_default();
        until = until.max(end);
    }
    covered
}

/// The positions of a game, each with the move played.
fn positions(record: &GameRecord) -> Vec<GamePosition> {
    let start = record.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok());
    let mut position = start.unwrap_or_else(Position::start);
    let mut before = None;
    let mut positions = Vec::with_capacity(record.plies.len());
    for ply in &record.plies {
        let Ok(next) = ply.mv.to_move(&position) else { break };
        positions.push(GamePosition {
            position,
            before,
            next,
            score: ply.search.as_ref().and_then(|search| search.score).map(comment_score),
            is_book: ply.search.is_none(),
            ply: GamePosition::ply_of(&position),
        });
        before = Some(next);
        position.play(next);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_games_are_no_play_time() {
        let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let times =
            vec![(at(100), at(110)), (at(0), at(10)), (at(5), at(8)), (at(9), at(15)), (at(110), at(111))];
        assert_eq!(covered(times), Duration::from_secs(26));
    }
}
