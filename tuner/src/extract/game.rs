//! Filters games: result, contradictions, time forfeits, illegal moves and crashes.

use smalt_chess::notation::pgn::ProblemKind;
use smalt_chess::{MoveComment, PgnGame};

use super::report::GameReason;

/// Lower-case words of a `Termination` tag or last comment that indicate a forfeit or a crash.
const FAULTS: [(&str, GameReason); 11] = [
    ("time forfeit", GameReason::TimeLoss),
    ("loses on time", GameReason::TimeLoss),
    ("forfeits on time", GameReason::TimeLoss),
    ("illegal move", GameReason::IllegalMove),
    ("rules infraction", GameReason::IllegalMove),
    ("abandoned", GameReason::Crash),
    ("disconnect", GameReason::Crash),
    ("stall", GameReason::Crash),
    ("crash", GameReason::Crash),
    ("emergency", GameReason::Crash),
    ("unterminated", GameReason::NoResult),
];

/// Why a game is unusable, with the line in the file and a description; `None` if it is usable.
pub(super) fn refusal(game: &PgnGame) -> Option<(GameReason, u64, String)> {
    let fault = |text: &str| {
        let text = text.to_lowercase();
        FAULTS.iter().find(|(words, _)| text.contains(words)).map(|&(_, reason)| reason)
    };
    let at_start = |reason, words: &str| Some((reason, game.line(), words.to_owned()));
    let termination = game.tags().get("Termination").unwrap_or_default();
    let last = game.main_line().last();
    let comment = last.map(|last| last.comments().collect::<Vec<_>>().join(" ")).unwrap_or_default();
    for text in [termination, end_of(&comment)] {
        if let Some(reason) = fault(text) {
            return at_start(reason, text);
        }
    }
    for problem in game.problems() {
        let reason = match problem.kind {
            ProblemKind::Results { .. } => GameReason::Contradiction,
            ref kind if kind.spares_moves() => continue,
            _ => GameReason::Unreadable,
        };
        return Some((reason, problem.line, problem.kind.to_string()));
    }
    if game.outcome().is_none() {
        return at_start(GameReason::NoResult, "the game has no result");
    }
    None
}

/// The termination in the runner's last comment, after score, depth and time.
fn end_of(comment: &str) -> &str {
    match MoveComment::parse(comment) {
        Ok(MoveComment::Search(search)) => &comment[comment.len() - search.rest.len()..],
        _ => comment,
    }
}
