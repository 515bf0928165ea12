//! Labelled positions of a run for tuners and trainers, in any format of [`smalt_dataset`]. The file follows from the games
//! alone, taken in the order of their numbers: a run that was killed and resumed gives the same bytes.

use std::collections::HashSet;
use std::io;

use smalt_chess::Position;
use smalt_dataset::choose::{Dropped, GamePosition, PositionReason};
use smalt_dataset::write::{SampleWriter, UnfitCounts, Written};
use smalt_match::game::GameRecord;
use smalt_match::pgn::comment_score;
use smalt_match::plan::{DataFile, Duplicates};

/// Writes the positions of games.
pub(crate) struct DataWriter {
    writer: SampleWriter,
    file: DataFile,
    /// Keys of the positions that were written.
    written: HashSet<u64>,
    report: DataReport,
}

/// What became of games and positions.
#[derive(Clone, Debug, Default)]
pub(crate) struct DataReport {
    /// Games of which positions were looked at.
    pub games: u64,
    /// Games that ended by a fault of an engine.
    pub skipped_games: u64,
    /// Positions left out, by reason.
    pub dropped: Dropped,
    /// Positions that the format has no place for.
    pub unfit: UnfitCounts,
    /// What the file holds.
    pub written: Written,
}

impl DataWriter {
    /// Begins a file; nothing is seen at its place before [`DataWriter::finish`].
    ///
    /// # Errors
    /// If the folder does not exist or can't be written to.
    pub(crate) fn create(file: DataFile) -> io::Result<DataWriter> {
        let writer = SampleWriter::create(&file.path, file.format, file.filter.seed)?;
        Ok(DataWriter { writer, file, written: HashSet::new(), report: DataReport::default() })
    }

    /// Writes the wanted positions of a game. The result of a game that ended by a fault says nothing about them.
    ///
    /// # Errors
    /// If the disk is full or fails.
    pub(crate) fn push(&mut self, record: &GameRecord) -> io::Result<()> {
        if record.termination.is_fault() {
            self.report.skipped_games += 1;
            return Ok(());
        }
        self.report.games += 1;
        let (positions, number) = (positions(record), record.game.number);
        let dropped = &mut self.report.dropped;
        let player = |entrant: usize| u8::try_from(entrant + 1).unwrap_or(0);
        for place in self.file.filter.choose(&positions, record.outcome, number, dropped) {
            if self.file.duplicates == Duplicates::Drop && !self.written.insert(place.position.key()) {
                dropped.count(PositionReason::Duplicate);
                continue;
            }
            let mut sample = place.sample(record.outcome, number);
            sample.players = [player(record.game.white), player(record.game.black)];
            self.report.unfit.count(self.writer.push(&sample)?);
        }
        Ok(())
    }

    /// Completes the file and puts it in its place.
    ///
    /// # Errors
    /// If the disk is full or fails; the old file, if there was one, is then still there.
    pub(crate) fn finish(self, players: &[String]) -> io::Result<DataReport> {
        let written = self.writer.finish(players)?;
        Ok(DataReport { written, ..self.report })
    }
}

/// The positions of a game, each with the move that was played in it.
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
