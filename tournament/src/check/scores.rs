//! Scores must be from the side to move's view: adjudication depends on it.

use smalt_driver::{Engine, ResultClaim, SearchResult};
use smalt_protocol::{Score, SearchLimits};

use super::searches::{PATIENT, SearchTrace, search};
use super::{Notes, StepError, begin_game};

/// Black is a queen up, with Black or White to move.
const BLACK_IS_WINNING: [(&str, &str); 2] = [
    ("black", "4k3/pppq1ppp/8/8/8/8/PPP2PPP/4K3 b - - 0 1"),
    ("white", "4k3/pppq1ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 1"),
];

/// A clear advantage in centipawns: less than a queen on any scale.
const CLEAR: i32 = 200;

/// Point of view of an engine's scores.
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
            notes.take_transcript(engine);
            notes.warn("reports no score when a queen up or down: games cannot be adjudicated");
            return Ok(());
        };
        views.push(view);
    }
    notes.take_transcript(engine);
    match views.as_slice() {
        [View::Ahead, View::Behind] => notes.ok("reports scores from the point of view of the side to move"),
        [View::Behind, View::Behind] => notes.warn(
            "reports scores from White's point of view with either side to move: adjudication would be wrong; set whitepov=on for it",
        ),
        _ => notes.warn(format!(
            "its scores are inconsistent: with {} to move and a queen up {}, with {} to move and a queen down {}",
            BLACK_IS_WINNING[0].0, words(views[0]), BLACK_IS_WINNING[1].0, words(views[1]),
        )),
    }
    Ok(())
}

/// A side that resigns is behind.
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
