//! The same questions twice: an engine on one thread with a limit of nodes should answer them alike.

use std::time::Duration;

use smalt_chess::UciMove;
use smalt_driver::{Ending, Engine, Meanwhile, SearchRequest};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Score, SearchLimits};

use super::{Notes, StepError, begin_game};

const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// A search that takes no notice of its limit is stopped then.
const STOP: Duration = Duration::from_secs(2);

/// No search takes longer, stopped or not.
const LONGEST: Duration = Duration::from_secs(10);

/// What an engine says of one position.
type Answer = (Option<UciMove>, Option<Score>, Option<u64>);

/// Moves, scores and nodes are the same after another `ucinewgame`.
pub(super) fn determinism(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let (Some(first), Some(second)) = (answers(engine)?, answers(engine)?) else {
        notes.look(engine);
        notes
            .warn("takes no notice of a number of nodes: whether it answers the same again was not examined");
        return Ok(());
    };
    match first.iter().zip(&second).position(|(first, second)| first != second) {
        None => notes.ok("answers the same at the same number of nodes after another new game"),
        Some(position) => {
            notes.look(engine);
            notes.warn(format!(
                "answers otherwise at the same number of nodes after another new game, so that games cannot be \
                 repeated exactly: in {} first {}, then {}",
                POSITIONS[position],
                words(&first[position]),
                words(&second[position])
            ));
        }
    }
    Ok(())
}

/// One after the other; none if it does not keep the limit.
fn answers(engine: &mut dyn Engine) -> Result<Option<Vec<Answer>>, StepError> {
    let limits = SearchLimits { nodes: Some(20_000), ..SearchLimits::default() };
    begin_game(engine)?;
    let mut answers = Vec::new();
    for fen in POSITIONS {
        let request = SearchRequest {
            start: Start::Fen(fen),
            moves: &[],
            limits: &limits,
            deadline: LONGEST,
            stop_after: Some(STOP),
        };
        let searched = engine.search(&request, &mut Meanwhile::nothing(), None)?;
        if searched.ending != Ending::Own {
            return Ok(None);
        }
        let score = searched.report.score.map(|reported| reported.score);
        answers.push((searched.best, score, searched.report.nodes));
    }
    Ok(Some(answers))
}

fn words(answer: &Answer) -> String {
    let (best, score, nodes) = answer;
    let best = best.map_or_else(|| "no move".to_owned(), |mv| mv.to_string());
    let score = match score {
        Some(Score::Centipawns(score)) => format!(", {score} centipawns"),
        Some(Score::Mate(moves)) => format!(", mate in {moves}"),
        None => String::new(),
    };
    let nodes = nodes.map(|nodes| format!(", {nodes} nodes")).unwrap_or_default();
    format!("{best}{score}{nodes}")
}
