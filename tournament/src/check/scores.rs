//! Scores must be from the point of view of the side to move: adjudication depends on it.

use smalt_driver::{Engine, ResultClaim, SearchResult};
use smalt_protocol::{Score, SearchLimits};

use super::searches::{PATIENT, SearchTrace, search};
use super::{Notes, StepError, begin_game};

/// Black has a queen more, and it is Black's move, or White's.
const BLACK_IS_WINNING: [(&str, &str); 2] = [
    ("black", "4k3/pppq1ppp/8/8/8/8/PPP2PPP/4K3 b - - 0 1"),
    ("white", "4k3/pppq1ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 1"),
];

/// A clear advantage in centipawns: less than a queen on any scale.
const CLEAR: i32 = 200;

/// Who is better by the engine's score.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    Ahead,
    Behind,
    Even,
}

/// The score must be high with an extra queen and low without.
pub(super) fn scores(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let limits = SearchLimits { depth: Some(4), ..SearchLimits::default() };
    let mut views = Vec::new();
    for (_, fen) in BLACK_IS_WINNING {
        begin_game(engine)?;
        let searched = search(engine, Some(fen), &limits, Some(PATIENT), &mut SearchTrace::default())?;
        let Some(view) = view(&searched) else {
            notes.look(engine);
            notes.warn("tells no score with a queen more or less, so that no game can be adjudicated");
            return Ok(());
        };
        views.push(view);
    }
    notes.look(engine);
    match views.as_slice() {
        [View::Ahead, View::Behind] => notes.ok("scores a queen more and a queen less as the side to move has it"),
        [View::Behind, View::Behind] => notes.warn(
            "reports scores from White's point of view with either side to move: adjudication would be wrong; set whitepov=on for it",
        ),
        _ => notes.warn(format!(
            "its scores do not tell who is better: with {} to move and a queen more {}, with {} to move and a queen less {}",
            BLACK_IS_WINNING[0].0, words(views[0]), BLACK_IS_WINNING[1].0, words(views[1]),
        )),
    }
    Ok(())
}

/// Who gives up is behind.
fn view(searched: &SearchResult) -> Option<View> {
    if searched.claim == Some(ResultClaim::Resigns) {
        return Some(View::Behind);
    }
    Some(match searched.report.score?.score {
        Score::Centipawns(score) if score > CLEAR => View::Ahead,
        Score::Centipawns(score) if score < -CLEAR => View::Behind,
        Score::Centipawns(_) => View::Even,
        Score::Mate(moves) if moves > 0 => View::Ahead,
        Score::Mate(_) => View::Behind,
    })
}

fn words(view: View) -> &'static str {
    match view {
        View::Ahead => "it is ahead",
        View::Behind => "it is behind",
        View::Even => "it is level",
    }
}
