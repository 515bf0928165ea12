//! The goal of a problem: moves to find, moves to avoid, points, a mate to announce.

use smalt_chess::{Epd, EpdMoveError, Move, San};

use super::note::Note;
use super::points::read_points;

/// The goal; at least one of its four parts is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// Solutions: `bm`, otherwise the moves with the most points. Any move if empty.
    pub best: Vec<Move>,
    /// Moves that never solve it: `am`.
    pub avoid: Vec<Move>,
    /// Mate in moves that must also be announced (`dm 3`, or `bm #3`); negative if the side to move is mated (`bm
    /// #-3`).
    pub mate_in: Option<i32>,
    /// Points of moves (`c0`, or `c8` with `c9` or `c7`), without duplicates, in list order.
    pub points: Vec<(Move, u32)>,
}

/// Why a line has no goal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GoalError {
    #[error("nothing to solve: it has no bm, am or dm, and no points in c0 or c8{}", words_of(.skipped))]
    Nothing { skipped: Vec<Note> },
    #[error("nothing can solve it: {} both after bm and after am", join_moves(.moves))]
    Contradiction { moves: Vec<String> },
    #[error("none of its moves after {opcode} can be played: {source}")]
    NoMove {
        /// `bm` or `am`.
        opcode: &'static str,
        source: EpdMoveError,
    },
}

fn words_of(skipped: &[Note]) -> String {
    skipped.iter().map(|note| format!("; {note}")).collect()
}

fn join_moves(moves: &[String]) -> String {
    let verb = if moves.len() == 1 { "stands" } else { "stand" };
    format!("{} {verb}", moves.join(", "))
}

/// Operations of goal and name. A duplicate is an error: the standard allows each once.
const READ_ONCE: [&str; 8] = ["bm", "am", "dm", "id", "c0", "c7", "c8", "c9"];

impl Goal {
    /// Parses the goal of a line and adds notes on irregularities.
    pub(super) fn read(epd: &Epd, notes: &mut Vec<Note>) -> Result<Goal, GoalError> {
        note_second_operations(epd, notes);
        let points = read_points(epd, notes);
        let mut best = read_moves(epd, "bm", notes)?;
        let avoid = read_moves(epd, "am", notes)?;
        let mate_in = read_mate(epd, notes);
        let most = points.iter().map(|&(_, points)| points).max();
        let top = points.iter().filter(|&&(_, points)| Some(points) == most).map(|&(mv, _)| mv);
        if best.is_empty() {
            best.extend(top);
        } else {
            for mv in top.filter(|mv| !best.contains(mv)) {
                notes.push(Note::BestOutsideOfBm { san: San::from_move(mv, &epd.position).to_string() });
            }
        }
        settle_contradictions(epd, &mut best, &avoid, notes)?;
        if best.is_empty() && avoid.is_empty() && mate_in.is_none() {
            let skipped = notes.iter().filter(|note| note.is_skipped()).cloned().collect();
            return Err(GoalError::Nothing { skipped });
        }
        Ok(Goal { best, avoid, mate_in, points })
    }

    /// Maximum points of an answer: those of the best move, or one for a solution.
    pub(crate) fn max_points(&self) -> u32 {
        self.points.iter().map(|&(_, points)| points).max().unwrap_or(1)
    }
}

fn note_second_operations(epd: &Epd, notes: &mut Vec<Note>) {
    for opcode in READ_ONCE {
        let again = epd.operations.iter().filter(|operation| operation.opcode == opcode).skip(1);
        notes.extend(again.map(|operation| Note::SecondOperation { opcode, text: operation.text() }));
    }
}

/// The mate of `dm`, or of `bm` if it contains one, as in `bm #3`.
fn read_mate(epd: &Epd, notes: &mut Vec<Note>) -> Option<i32> {
    let bm = epd.text("bm").unwrap_or_default();
    let mate_of_bm = bm.split_whitespace().find_map(mate_of);
    let Some(text) = epd.text("dm") else { return mate_of_bm };
    let mate_in = epd.mate_in().and_then(|moves| i32::try_from(moves).ok()).filter(|&moves| moves > 0);
    if mate_in.is_none() {
        notes.push(Note::NoMate { text });
    }
    mate_in.or(mate_of_bm)
}

/// The mate of a word like `#3` or `#-3`.
fn mate_of(word: &str) -> Option<i32> {
    word.strip_prefix('#')?.parse().ok().filter(|&moves| moves != 0)
}

/// Removes the moves to avoid from the solutions.
fn settle_contradictions(
    epd: &Epd,
    best: &mut Vec<Move>,
    avoid: &[Move],
    notes: &mut Vec<Note>,
) -> Result<(), GoalError> {
    let twice: Vec<Move> = best.iter().copied().filter(|mv| avoid.contains(mv)).collect();
    let sans = twice.iter().map(|&mv| San::from_move(mv, &epd.position).to_string());
    if !twice.is_empty() && twice.len() == best.len() {
        return Err(GoalError::Contradiction { moves: sans.collect() });
    }
    notes.extend(sans.map(|san| Note::Contradiction { san }));
    best.retain(|mv| !avoid.contains(mv));
    Ok(())
}

fn read_moves(epd: &Epd, opcode: &'static str, notes: &mut Vec<Note>) -> Result<Vec<Move>, GoalError> {
    let mut moves = Vec::new();
    let mut unplayable = None;
    for read in epd.moves(opcode) {
        match read {
            Ok(mv) if moves.contains(&mv) => {}
            Ok(mv) => moves.push(mv),
            Err(error) if opcode == "bm" && mate_of(text_of(&error)).is_some() => {}
            Err(error) => {
                notes.push(Note::Unplayable { opcode, text: text_of(&error).to_owned() });
                unplayable.get_or_insert(error);
            }
        }
    }
    match unplayable {
        Some(source) if moves.is_empty() => Err(GoalError::NoMove { opcode, source }),
        _ => Ok(moves),
    }
}

/// The text that is not a move.
fn text_of(error: &EpdMoveError) -> &str {
    match error {
        EpdMoveError::Parse { text, .. } | EpdMoveError::Play { text, .. } => text,
    }
}
