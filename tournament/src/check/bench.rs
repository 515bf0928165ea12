//! The same questions twice: an engine on one thread with a limit of nodes should answer them alike.

use std::time::Duration;

use smalt_driver::{Ending, Engine, Meanwhile, SearchRequest};
use smalt_protocol::SearchLimits;
use smalt_protocol::uci::client::Start;

use super::{Notes, StepError, begin_game};

const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// A search that takes no notice of its limit is stopped then.
const STOP: Duration = Duration::from_secs(3);

/// Moves, scores and nodes are the same after another `ucinewgame`.
pub(super) fn determinism(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let limits = SearchLimits { nodes: Some(20_000), ..SearchLimits::default() };
    let mut is_obeyed = true;
    let mut answers = || {
        begin_game(engine)?;
        POSITIONS
            .iter()
            .map(|fen| {
                let deadline = Duration::from_secs(20);
                let request = SearchRequest {
                    start: Start::Fen(fen),
                    moves: &[],
                    limits: &limits,
                    deadline,
                    stop_after: Some(STOP),
                };
                let searched = engine.search(&request, &mut Meanwhile::nothing(), None)?;
                is_obeyed &= searched.ending == Ending::Own;
                Ok((searched.best, searched.report.score, searched.report.nodes))
            })
            .collect::<Result<Vec<_>, StepError>>()
    };
    let (first, second) = (answers()?, answers()?);
    if !is_obeyed {
        // The step of the limits tells it.
        return Ok(());
    }
    if first == second {
        notes.ok("answers the same at the same number of nodes after another new game");
    } else {
        notes.warn("answers otherwise at the same number of nodes after another new game: games cannot be repeated exactly");
    }
    Ok(())
}
