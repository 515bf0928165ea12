//! Lichess puzzles: the CSV files of database.lichess.org (`PuzzleId,FEN,Moves,Rating,RatingDeviation,…,Themes,…`).
//!
//! The first move of a puzzle is the opponent's and leads to the position; then the sides alternate. Each move of the
//! solver is a problem, and a puzzle is solved if all its problems are. As on Lichess, any mate in one is accepted.

use smalt_chess::{Color, Ending, Epd, FenError, Move, Position, San, UciMove};

use super::goal::Goal;
use super::{Problem, Suite};

/// A puzzle of one or more problems.
#[derive(Clone, Debug, PartialEq)]
pub struct Puzzle {
    /// Its `PuzzleId`.
    pub name: String,
    /// Lichess's themes: `mateIn2`, `fork`, …
    pub themes: Vec<String>,
    /// Glicko-2 rating, in Elo.
    pub rating: f64,
    /// Deviation of the rating, in Elo.
    pub deviation: f64,
}

/// Why a line is not a puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleError {
    #[error("a puzzle has an id, a FEN, moves, a rating, its deviation, and themes in column 8")]
    Columns,
    #[error(transparent)]
    Fen(FenError),
    #[error("the rating {0:?} is not a number")]
    Rating(String),
    #[error("{0} is not a legal move there")]
    Move(String),
    #[error("the solver has no move")]
    NoMove,
}

/// Columns of the file.
const ID: usize = 0;
const FEN: usize = 1;
const MOVES: usize = 2;
const RATING: usize = 3;
const DEVIATION: usize = 4;
const THEMES: usize = 7;

/// First cell of the header line.
const HEADING: &str = "PuzzleId,";

/// Whether the first line belongs to a puzzle file, with or without a header.
pub(super) fn is_puzzle_file(text: &str) -> bool {
    let first = text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default();
    let cells: Vec<&str> = first.split(',').collect();
    first.starts_with(HEADING) || cells.len() > THEMES && Position::from_fen(cells[FEN]).is_ok()
}

impl Suite {
    /// Appends the problems of all puzzles of a CSV file.
    pub(super) fn read_puzzles(&mut self, text: &str, file: &str) {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start_matches('\u{feff}').trim();
            if line.is_empty() || line.starts_with(HEADING) {
                continue;
            }
            match read_puzzle(line) {
                Ok((puzzle, turns)) => self.add_puzzle(number, &puzzle, turns),
                Err(reason) => self.refuse(file, number, reason.into()),
            }
        }
    }

    fn add_puzzle(&mut self, line: usize, puzzle: &Puzzle, turns: Vec<(Position, Vec<Move>)>) {
        let themes: Vec<usize> = puzzle.themes.iter().map(|theme| self.theme(theme)).collect();
        let theme = themes.first().copied().unwrap_or_else(|| self.theme("no theme"));
        for (number, (position, best)) in (1..).zip(turns) {
            let id = if number == 1 { puzzle.name.clone() } else { format!("{}/{number}", puzzle.name) };
            let mut epd = Epd::new(position);
            epd.push_words("bm", best.iter().map(|&mv| San::from_move(mv, &position)));
            epd.push_text("id", &id);
            let goal = Goal { best, avoid: Vec::new(), mate_in: None, points: Vec::new() };
            let puzzle = Some(puzzle.clone());
            self.problems.push(Problem { id, line, theme, epd, goal, notes: Vec::new(), puzzle });
        }
    }
}

/// A puzzle, and for each turn of the solver the position with its solutions.
type Turns = Vec<(Position, Vec<Move>)>;

fn read_puzzle(line: &str) -> Result<(Puzzle, Turns), PuzzleError> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let columns = || PuzzleError::Columns;
    let &themes = cells.get(THEMES).ok_or_else(columns)?;
    let number = |cell: &str| cell.parse::<f64>().ok().filter(|number| number.is_finite());
    let rating = |cell: &str| number(cell).ok_or_else(|| PuzzleError::Rating(cell.to_owned()));
    let puzzle = Puzzle {
        name: cells[ID].to_owned(),
        themes: themes.split_whitespace().map(str::to_owned).collect(),
        rating: rating(cells[RATING])?,
        deviation: rating(cells[DEVIATION])?,
    };
    Ok((puzzle, read_turns(cells[FEN], cells[MOVES])?))
}

fn read_turns(fen: &str, moves: &str) -> Result<Turns, PuzzleError> {
    let mut position = Position::from_fen(fen).map_err(PuzzleError::Fen)?;
    let solver = !position.turn();
    let mut turns = Vec::new();
    for text in moves.split_whitespace() {
        let mv = UciMove::parse(text).ok().and_then(|mv| mv.to_move(&position).ok());
        let mv = mv.ok_or_else(|| PuzzleError::Move(text.to_owned()))?;
        if position.turn() == solver {
            turns.push((position, accepted(&position, mv, solver)));
        }
        position.play(mv);
    }
    if turns.is_empty() { Err(PuzzleError::NoMove) } else { Ok(turns) }
}

/// The move, or all mating moves if it mates.
fn accepted(position: &Position, mv: Move, solver: Color) -> Vec<Move> {
    let mates = |mv: Move| position.after(mv).ending() == Some(Ending::Checkmate { winner: solver });
    if mates(mv) {
        position.legal_moves().iter().copied().filter(|&mv| mates(mv)).collect()
    } else {
        vec![mv]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUZZLES: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
two,6k1/5ppp/8/8/8/8/r4PPP/1R2R1K1 b - - 0 1,a2a8 b1a1 h7h6 a1a8,1500,80,90,100,endgame short,https://lichess.org/x,
mate,6k1/5ppp/8/8/8/7p/5PPP/1R2R1K1 b - - 0 1,h7h6 b1b8,600.5,75,90,100,mateIn1,https://lichess.org/y,
bad,6k1/5ppp/8/8/8/8/r4PPP/1R2R1K1 b - - 0 1,a2a8 b1b9,1500,80,90,100,endgame,,
short,6k1/5ppp/8/8/8/8/r4PPP/1R2R1K1 b - - 0 1,a2a8,1500,80,90,100,endgame,,
fen,8/8 b - - 0 1,a2a8 b1b8,1500,80,90,100,endgame,,
cells,8/8
";

    #[test]
    fn each_move_of_the_solver_is_a_problem() {
        let suite = Suite::parse(PUZZLES.as_bytes(), "puzzles", "puzzles.csv");
        let problems: Vec<String> = suite.problems.iter().map(|problem| problem.epd.to_string()).collect();
        assert_eq!(
            problems,
            [
                "r5k1/5ppp/8/8/8/8/5PPP/1R2R1K1 w - - bm Ra1; id \"two\"; hmvc 1; fmvn 2;",
                "r5k1/5pp1/7p/8/8/8/5PPP/R3R1K1 w - - bm Rxa8+; id \"two/2\"; fmvn 3;",
                "6k1/5pp1/7p/8/8/7p/5PPP/1R2R1K1 w - - bm Rb8+; id \"mate\"; fmvn 2;",
            ]
        );
        assert_eq!(suite.themes, ["endgame", "short", "mateIn1"]);
        let puzzle = suite.problems[2].puzzle.as_ref().unwrap();
        assert_eq!((puzzle.rating, puzzle.deviation), (600.5, 75.0));
        let refused: Vec<String> = suite.refused.iter().map(ToString::to_string).collect();
        assert_eq!(refused.len(), 4, "{refused:?}");
        assert_eq!(refused[0], "puzzles.csv, line 4: b1b9 is not a legal move there");
        assert_eq!(refused[1], "puzzles.csv, line 5: the solver has no move");
    }

    #[test]
    fn any_mate_in_one_is_right() {
        let line = "m,6k1/p4ppp/8/8/8/8/5PPP/1R2R1K1 b - - 0 1,a7a6 b1b8,600,75,90,100,mateIn1,,";
        let suite = Suite::parse(line.as_bytes(), "puzzles", "puzzles.csv");
        assert_eq!(suite.problems[0].epd.text("bm").as_deref(), Some("Rb8# Re8#"));
    }
}
