//! Warnings about the output of a search, by fastchess's rules and wording: PV moves must be legal, with none after
//! the end of the game; a mate score must have a PV of its length that ends in mate; the last PV must begin with the
//! best move; and both sides cannot have a forced mate.

use std::fmt::{self, Display, Write};
use std::sync::Arc;

use smalt_chess::{Color, Position, UciMove};
use smalt_driver::process::text;
use smalt_protocol::uci::EngineMessage;
use smalt_protocol::{Bound, Info, Score};

use crate::plan::ScoreView;

/// A kind of warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchWarning {
    /// A PV has an illegal move.
    IllegalMove,
    /// A PV continues after a threefold repetition.
    AfterRepetition,
    /// A PV continues after fifty moves without a capture or a pawn move.
    AfterFiftyMoves,
    /// A PV continues after checkmate.
    AfterCheckmate,
    /// A PV continues after stalemate.
    AfterStalemate,
    /// A PV is shorter than its mate score.
    IncompleteMate,
    /// A PV is longer than its mate score.
    TooLongMate,
    /// A PV has the length of its mate score but does not end in mate.
    NoMate,
    /// The last PV does not begin with the best move.
    BestmoveMismatch,
    /// Both sides announced in consecutive moves that they mate, or that they are mated.
    MateSigns,
    /// No info line has a score.
    NoScore,
}

impl SearchWarning {
    /// Every kind, in the order of [`WarningCounts`].
    pub const ALL: [SearchWarning; 11] = [
        SearchWarning::IllegalMove,
        SearchWarning::AfterRepetition,
        SearchWarning::AfterFiftyMoves,
        SearchWarning::AfterCheckmate,
        SearchWarning::AfterStalemate,
        SearchWarning::IncompleteMate,
        SearchWarning::TooLongMate,
        SearchWarning::NoMate,
        SearchWarning::BestmoveMismatch,
        SearchWarning::MateSigns,
        SearchWarning::NoScore,
    ];

    /// A stable name, for JSON.
    pub fn name(self) -> &'static str {
        match self {
            SearchWarning::IllegalMove => "illegal-pv-move",
            SearchWarning::AfterRepetition => "pv-after-repetition",
            SearchWarning::AfterFiftyMoves => "pv-after-fifty-moves",
            SearchWarning::AfterCheckmate => "pv-after-checkmate",
            SearchWarning::AfterStalemate => "pv-after-stalemate",
            SearchWarning::IncompleteMate => "incomplete-mating-pv",
            SearchWarning::TooLongMate => "too-long-mating-pv",
            SearchWarning::NoMate => "mating-pv-without-mate",
            SearchWarning::BestmoveMismatch => "bestmove-not-in-pv",
            SearchWarning::MateSigns => "mate-sign-mismatch",
            SearchWarning::NoScore => "no-score",
        }
    }

    /// Letter of this kind in the stored moves.
    fn letter(self) -> u8 {
        b'a' + self as u8
    }
}

impl Display for SearchWarning {
    /// fastchess's wording.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SearchWarning::IllegalMove => "Illegal PV move",
            SearchWarning::AfterRepetition => "PV continues after threefold repetition",
            SearchWarning::AfterFiftyMoves => "PV continues after fifty-move rule",
            SearchWarning::AfterCheckmate => "PV continues after checkmate",
            SearchWarning::AfterStalemate => "PV continues after stalemate",
            SearchWarning::IncompleteMate => "Incomplete mating PV",
            SearchWarning::TooLongMate => "Too long mating PV",
            SearchWarning::NoMate => "Mating PV does not end with checkmate",
            SearchWarning::BestmoveMismatch => "Bestmove does not match beginning of last PV",
            SearchWarning::MateSigns => "Sign mismatch in mate scores",
            SearchWarning::NoScore => "No info line available to extract score",
        })
    }
}

/// The number of warnings of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WarningCounts([u32; SearchWarning::ALL.len()]);

impl WarningCounts {
    pub(crate) fn add(&mut self, kind: SearchWarning) {
        self.0[kind as usize] = self.0[kind as usize].saturating_add(1);
    }

    /// Adds the counts of another search.
    pub(crate) fn add_all(&mut self, other: &WarningCounts) {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count = count.saturating_add(more);
        }
    }

    /// Kinds with a count above zero, and their counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (SearchWarning, u32)> {
        let counts = self.0;
        SearchWarning::ALL
            .into_iter()
            .map(move |kind| (kind, counts[kind as usize]))
            .filter(|(_, count)| *count > 0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&count| count == 0)
    }

    /// Parses the output of [`Display`].
    pub(super) fn parse(text: &str) -> Option<WarningCounts> {
        let mut warnings = WarningCounts::default();
        let mut rest = text;
        while let Some((&letter, after)) = rest.as_bytes().split_first() {
            let kind = SearchWarning::ALL.into_iter().find(|kind| kind.letter() == letter)?;
            let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            warnings.0[kind as usize] = rest.get(1..=digits)?.parse().ok()?;
            rest = &rest[1 + digits..];
        }
        Some(warnings)
    }
}

impl Display for WarningCounts {
    /// A letter and a number for each kind: `a2i1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, count) in self.iter() {
            f.write_char(char::from(kind.letter()))?;
            write!(f, "{count}")?;
        }
        Ok(())
    }
}

/// A warning about a line of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: SearchWarning,
    /// The first wrong move, as written by the engine; `None` if the whole line is wrong.
    pub mv: Option<String>,
    pub line: String,
}

/// Findings of one kind in a search that are shown; further ones are counted.
const SHOWN_OF_KIND: u32 = 10;

/// Maximum length of the lines of a search that are checked. More would cost the opponent time: its clock runs during the
/// check.
const CHECKED_BYTES: usize = 1 << 16;

/// The findings in the lines of a search.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub counts: WarningCounts,
    /// The first ones of each kind.
    pub first: Vec<Finding>,
}

impl Findings {
    pub(super) fn add(&mut self, kind: SearchWarning, mv: Option<String>, line: &str) {
        self.counts.add(kind);
        if self.counts.0[kind as usize] <= SHOWN_OF_KIND {
            self.first.push(Finding { kind, mv, line: line.to_owned() });
        }
    }
}

/// The last lines that are checked.
pub(super) fn last_lines(lines: &[u8]) -> &[u8] {
    let Some(start) = lines.len().checked_sub(CHECKED_BYTES) else { return lines };
    let feed = lines[start..].iter().position(|&byte| byte == b'\n');
    &lines[feed.map_or(lines.len(), |feed| start + feed + 1)..]
}

/// A warning about a search of a game, with the data to reproduce it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameWarning {
    pub finding: Finding,
    /// Start position of the game; `None` for the standard one.
    pub fen: Option<String>,
    /// The moves up to the search.
    pub moves: Arc<[UciMove]>,
    /// For [`SearchWarning::MateSigns`]: the side that moved before, its mate score and line, and this mate score.
    pub mate_signs: Option<MateSigns>,
}

/// Two mate scores that contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MateSigns {
    /// The side that moved first.
    pub first: Color,
    /// The mate scores, in moves, each from its side's view.
    pub mates: [i32; 2],
    /// Line of the first one.
    pub line: String,
}

/// A position with the history for repetitions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root<'a> {
    pub position: &'a Position,
    /// The [repetition keys](Position::repetition_key) of the game up to it.
    pub keys: &'a [u64],
    /// Point of view of the engine's scores.
    pub scores: ScoreView,
}

/// Checks the last lines of a search from this position, and its best move. `has_score`: whether an earlier line has a
/// score.
pub(super) fn check_search(
    root: Root<'_>,
    lines: &[u8],
    best: Option<UciMove>,
    checks_mates: bool,
    mut has_score: bool,
) -> Findings {
    let mut findings = Findings::default();
    let mut last = None;
    let mut keys = Vec::new();
    let mut has_info = false;
    let text = text(lines);
    for line in text.lines() {
        let EngineMessage::Info(info) = EngineMessage::parse(line) else { continue };
        has_info |= info.string.is_none();
        let Some(score) = info.score else { continue };
        has_score = true;
        if let Some((kind, mv)) = check_line(root, &info, checks_mates, &mut keys) {
            findings.add(kind, mv, line);
        }
        if info.multipv.is_none_or(|number| number == 1) {
            last = (score.bound == Bound::Exact).then_some((line, info.pv));
        }
    }
    if has_info && !has_score {
        findings.add(SearchWarning::NoScore, None, "");
    }
    if let (Some((line, pv)), Some(best)) = (last, best)
        && pv.iter().next().is_some_and(|first| !are_same(root.position, first, best))
    {
        findings.add(SearchWarning::BestmoveMismatch, Some(best.to_string()), line);
    }
    findings
}

/// Whether two moves are equal; castling has two notations.
fn are_same(position: &Position, first: UciMove, best: UciMove) -> bool {
    first == best || first.to_move(position).is_ok_and(|mv| best.to_move(position) == Ok(mv))
}

/// Checks one info line: the kind of its fault, and the move that shows it. `keys` is memory for the keys of its
/// positions.
fn check_line(
    root: Root<'_>,
    info: &Info<'_>,
    checks_mates: bool,
    keys: &mut Vec<u64>,
) -> Option<(SearchWarning, Option<String>)> {
    keys.clear();
    let mut line = PvLine { root, position: *root.position, keys };
    let mut plies: u64 = 0;
    let mut moves = info.pv.iter();
    for mv in moves.by_ref() {
        let legal = mv.to_move(&line.position);
        if plies > 0
            && let Some(kind) = line.end(legal.is_ok())
        {
            return Some((kind, Some(mv.to_string())));
        }
        let Ok(legal) = legal else {
            return Some((SearchWarning::IllegalMove, Some(mv.to_string())));
        };
        line.position.play(legal);
        plies += 1;
    }
    if let Some(word) = moves.stopped_at() {
        return Some((SearchWarning::IllegalMove, Some(word.to_owned())));
    }
    let score = info.score.filter(|score| checks_mates && plies > 0 && score.bound == Bound::Exact)?;
    let score = root.scores.of_mover(root.position.turn(), score);
    mate_warning(score.score, plies, &line.position).map(|kind| (kind, None))
}

fn mate_warning(score: Score, plies: u64, end: &Position) -> Option<SearchWarning> {
    let Score::Mate(moves) = score else { return None };
    let length = u64::from(moves.unsigned_abs()) * 2 - u64::from(moves > 0);
    match plies {
        _ if plies < length => Some(SearchWarning::IncompleteMate),
        _ if plies > length => Some(SearchWarning::TooLongMate),
        _ if end.is_check() && !end.has_legal_move() => None,
        _ => Some(SearchWarning::NoMate),
    }
}

/// A PV on a board.
struct PvLine<'a> {
    root: Root<'a>,
    position: Position,
    /// Repetition keys of its positions that another move follows.
    keys: &'a mut Vec<u64>,
}

impl PvLine<'_> {
    /// Whether the game is over in this position, and how. With a legal next move it is neither mate nor stalemate.
    fn end(&mut self, is_next_legal: bool) -> Option<SearchWarning> {
        self.keys.push(self.position.repetition_key());
        if !is_next_legal && !self.position.has_legal_move() {
            let is_mate = self.position.is_check();
            return Some(if is_mate { SearchWarning::AfterCheckmate } else { SearchWarning::AfterStalemate });
        }
        let clock = usize::from(self.position.halfmove_clock());
        if clock >= 100 {
            return Some(SearchWarning::AfterFiftyMoves);
        }
        (clock >= 8 && self.occurrences(clock) >= 3).then_some(SearchWarning::AfterRepetition)
    }

    /// Number of occurrences of the position, this one included.
    fn occurrences(&self, reversible: usize) -> usize {
        let key = self.position.repetition_key();
        let earlier = self.keys.iter().rev().chain(self.root.keys.iter().rev());
        earlier.take(reversible + 1).step_by(2).filter(|&&other| other == key).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smalt_chess::{DrawClaims, Game};

    fn game(fen: &str, moves: &str) -> Game {
        let mut game = Game::new(Position::from_fen(fen).unwrap());
        for word in moves.split_whitespace() {
            let mv = UciMove::parse(word).unwrap().to_move(game.position()).unwrap();
            game.play(mv).unwrap();
        }
        assert_eq!(game.ending(DrawClaims::Automatic), None);
        game
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    /// Kinds and moves of all warnings for these lines.
    fn found(game: &Game, lines: &str, best: Option<&str>) -> Vec<(SearchWarning, Option<String>)> {
        found_in_view(ScoreView::Mover, game, lines, best)
    }

    fn found_in_view(
        scores: ScoreView,
        game: &Game,
        lines: &str,
        best: Option<&str>,
    ) -> Vec<(SearchWarning, Option<String>)> {
        let root = Root { position: game.position(), keys: game.keys(), scores };
        let best = best.map(|text| UciMove::parse(text).unwrap());
        let findings = check_search(root, lines.as_bytes(), best, true, false);
        findings.first.into_iter().map(|finding| (finding.kind, finding.mv)).collect()
    }

    fn check(game: &Game, line: &str, kind: SearchWarning, mv: Option<&str>) {
        assert_eq!(found(game, line, None), [(kind, mv.map(str::to_owned))], "{line}");
    }

    #[test]
    fn legal_lines_have_no_warning() {
        let start = game(START, "");
        let lines = [
            "info depth 1 score cp 1 pv e2e4 e7e5 g1f3",
            "info depth 1 score cp 3",
            "info score mate 3 lowerbound pv e2e4",
            "info currmove e2e5\ninfo score cp 1",
            "info string pv e2e5",
            "",
        ];
        for line in lines {
            assert_eq!(found(&start, line, None), [], "{line}");
        }
    }

    #[test]
    fn illegal_moves_are_named_as_they_were_written() {
        let start = game(START, "");
        check(&start, "info score cp 3 pv e2e4 e7e4", SearchWarning::IllegalMove, Some("e7e4"));
        check(&start, "info score cp 3 pv e2e5", SearchWarning::IllegalMove, Some("e2e5"));
        check(&start, "info score cp 3 pv e2e4 Nf6", SearchWarning::IllegalMove, Some("Nf6"));
        check(&start, "info score cp 3 pv 0000", SearchWarning::IllegalMove, Some("0000"));
        check(&start, "info multipv 2 score cp 3 pv e2e5", SearchWarning::IllegalMove, Some("e2e5"));
    }

    #[test]
    fn no_move_follows_the_end_of_the_game() {
        let start = game(START, "");
        check(
            &start,
            "info score cp 1 pv f2f3 e7e5 g2g4 d8h4 a2a3",
            SearchWarning::AfterCheckmate,
            Some("a2a3"),
        );
        let shuffled = game(START, "g1f3 g8f6 f3g1 f6g8");
        let line = "info score cp 0 pv g1f3 g8f6 f3g1 f6g8 e2e4";
        check(&shuffled, line, SearchWarning::AfterRepetition, Some("e2e4"));
        assert_eq!(found(&start, line, None), [], "the second occurrence ends nothing");
        let stalemate = game("7k/5K2/8/8/8/8/8/6Q1 w - - 0 1", "");
        check(&stalemate, "info score cp 0 pv g1g6 h8h7", SearchWarning::AfterStalemate, Some("h8h7"));
        let late = game("6k1/8/8/8/8/8/8/K6R w - - 98 90", "");
        check(&late, "info score cp 0 pv h1h2 g8f8 h2h3", SearchWarning::AfterFiftyMoves, Some("h2h3"));
    }

    #[test]
    fn mate_scores_have_lines_of_their_length_that_end_in_mate() {
        let mating = game("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "");
        assert_eq!(found(&mating, "info score mate 1 pv e1e8", None), []);
        check(&mating, "info score mate 2 pv e1e8", SearchWarning::IncompleteMate, None);
        check(&mating, "info score mate 1 pv e1e2 h7h6", SearchWarning::TooLongMate, None);
        check(&mating, "info score mate 1 pv e1e7", SearchWarning::NoMate, None);
        let mated = game("6k1/5ppp/8/8/8/8/8/K6R w - - 0 1", "h1e1");
        check(&mated, "info score mate -1 pv h7h5 e1e8", SearchWarning::NoMate, None);
        assert_eq!(found(&mated, "info score mate -1 pv g8h8 e1e8", None), []);
    }

    #[test]
    fn mate_scores_of_whites_view_are_turned_for_black() {
        let white = game("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1", "");
        let black = game("k3r3/8/8/8/8/8/5PPP/6K1 b - - 0 1", "");
        let check = |game: &Game, line: &str, expected: &[(SearchWarning, Option<String>)]| {
            assert_eq!(found_in_view(ScoreView::White, game, line, None), expected, "{line}");
        };
        check(&white, "info score mate 1 pv e1e8", &[]);
        check(&black, "info score mate -1 pv e8e1", &[]);
        check(&black, "info score mate 1 pv e8e1", &[(SearchWarning::IncompleteMate, None)]);
        assert_eq!(found(&black, "info score mate 1 pv e8e1", None), []);
    }

    #[test]
    fn the_best_move_begins_the_last_line_of_the_first_variation() {
        let start = game(START, "");
        let mismatch = (SearchWarning::BestmoveMismatch, Some("d2d4".to_owned()));
        let line = "info score cp 1 pv e2e4 e7e5";
        assert_eq!(found(&start, line, Some("e2e4")), []);
        assert_eq!(found(&start, line, Some("d2d4")), [mismatch]);
        assert_eq!(found(&start, "info score cp 1 upperbound pv e2e4", Some("d2d4")), []);
        assert_eq!(found(&start, "info score cp 1", Some("d2d4")), []);
        let second = format!("{line}\ninfo multipv 2 score cp 0 pv d2d4\n");
        assert_eq!(found(&start, &second, Some("e2e4")), []);
        let castling = game("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "");
        assert_eq!(found(&castling, "info score cp 9 pv e1h1", Some("e1g1")), []);
    }

    #[test]
    fn lines_without_any_score_are_noticed() {
        let start = game(START, "");
        check(&start, "info depth 3 nodes 7 pv e2e4\ninfo depth 4\n", SearchWarning::NoScore, None);
    }

    #[test]
    fn all_findings_are_counted_and_the_first_of_each_kind_are_shown() {
        let start = game(START, "");
        let lines = "info score cp 3 pv e2e5\n".repeat(500) + "info score mate 2 pv e2e4\n";
        let root = Root { position: start.position(), keys: start.keys(), scores: ScoreView::Mover };
        let findings = check_search(root, lines.as_bytes(), None, true, false);
        assert_eq!(findings.counts.to_string(), "a500f1");
        let kinds: Vec<_> = findings.first.iter().map(|finding| finding.kind).collect();
        assert_eq!(kinds[..SHOWN_OF_KIND as usize], [SearchWarning::IllegalMove; SHOWN_OF_KIND as usize]);
        assert_eq!(kinds[SHOWN_OF_KIND as usize..], [SearchWarning::IncompleteMate]);
    }

    #[test]
    fn of_many_lines_only_the_last_are_checked() {
        let (bad, good) = ("info score cp 3 pv e2e5\n", "info score cp 3 pv e2e4\n");
        let good = good.repeat(CHECKED_BYTES / good.len());
        assert_eq!(last_lines(good.as_bytes()), good.as_bytes());
        let both = bad.to_owned() + &good;
        assert_eq!(last_lines(both.as_bytes()), good.as_bytes());
        assert_eq!(last_lines("x".repeat(2 * CHECKED_BYTES).as_bytes()), b"");
    }

    #[test]
    fn counts_read_as_they_were_written() {
        let mut warnings = WarningCounts::default();
        assert_eq!(WarningCounts::parse(&warnings.to_string()), Some(warnings));
        for kind in [SearchWarning::IllegalMove, SearchWarning::BestmoveMismatch, SearchWarning::IllegalMove]
        {
            warnings.add(kind);
        }
        assert_eq!(warnings.to_string(), "a2i1");
        assert_eq!(WarningCounts::parse("a2i1"), Some(warnings));
        for text in ["a", "z1", "2"] {
            assert_eq!(WarningCounts::parse(text), None, "{text}");
        }
    }
}
