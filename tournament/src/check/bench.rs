//! Determinism check: with one thread and a node or depth limit, two searches should give the same result.

use std::time::Duration;

use smalt_chess::UciMove;
use smalt_driver::Protocol;
use smalt_driver::{Engine, SearchEnd, SearchRequest, TranscriptLine, WaitContext};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Score, SearchLimits};

use super::{Notes, StepError, begin_game};

const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
];

/// Node limit: enough for several iterations.
const NODES: u64 = 20_000;

/// Depth limit: low enough for slow engines.
const DEPTH: u32 = 5;

/// Timeout after which a search that ignores its limit is stopped.
const STOP: Duration = Duration::from_secs(2);

/// Final timeout of a search.
const LONGEST: Duration = Duration::from_secs(10);

/// The answer to one position.
#[derive(PartialEq, Eq)]
struct BenchAnswer {
    best: Option<UciMove>,
    score: Option<Score>,
    nodes: Option<u64>,
}

/// An answer with its transcript.
struct BenchRun {
    answer: BenchAnswer,
    lines: Vec<TranscriptLine>,
}

/// Moves, scores and nodes must be equal after another new game: with a node limit if the engine obeys it, otherwise
/// with a depth.
pub(super) fn determinism(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let nodes = SearchLimits { nodes: Some(NODES), ..SearchLimits::default() };
    let depth = SearchLimits { depth: Some(DEPTH), ..SearchLimits::default() };
    // xboard has no node limit, and some UCI engines ignore it.
    let by_nodes = if engine.protocol() == Protocol::Uci { twice(engine, &nodes)? } else { None };
    let (both, limit) = match by_nodes {
        Some(both) => (Some(both), format!("{NODES} nodes")),
        None => (twice(engine, &depth)?, format!("{DEPTH} plies")),
    };
    let Some([first, second]) = both else {
        notes.take_transcript(engine);
        notes.warn("ignores limits of nodes and depth: determinism was not checked");
        return Ok(());
    };
    let mut pairs = POSITIONS.iter().zip(first.iter().zip(&second));
    match pairs.find(|(_, (first, second))| first.answer != second.answer) {
        None => notes.ok(format!("is deterministic at {limit}: same moves, scores and nodes after a new game")),
        Some((fen, (first, second))) => notes.warn_by(
            &[&first.lines, &second.lines],
            format!(
                "is not deterministic at {limit}: games cannot be repeated exactly after a new game: in {fen} \
                 first {}, then {}",
                words(&first.answer),
                words(&second.answer)
            ),
        ),
    }
    Ok(())
}

/// Searches all positions twice; `None` if the engine ignores the limit.
fn twice(engine: &mut dyn Engine, limits: &SearchLimits) -> Result<Option<[Vec<BenchRun>; 2]>, StepError> {
    let Some(first) = answers(engine, limits)? else { return Ok(None) };
    Ok(answers(engine, limits)?.map(|second| [first, second]))
}

/// Searches all positions once; `None` if the engine ignores the limit.
fn answers(engine: &mut dyn Engine, limits: &SearchLimits) -> Result<Option<Vec<BenchRun>>, StepError> {
    begin_game(engine)?;
    let mut answers = Vec::new();
    for fen in POSITIONS {
        let request = SearchRequest {
            start: Start::Fen(fen),
            moves: &[],
            limits,
            deadline: LONGEST,
            stop_after: Some(STOP),
        };
        let searched = engine.search(&request, &mut WaitContext::none(), None)?;
        if searched.ending != SearchEnd::Own {
            return Ok(None);
        }
        let score = searched.report.score.map(|reported| reported.score);
        let answer = BenchAnswer { best: searched.best, score, nodes: searched.report.nodes };
        answers.push(BenchRun { answer, lines: engine.transcript().lines() });
    }
    Ok(Some(answers))
}

fn words(answer: &BenchAnswer) -> String {
    let BenchAnswer { best, score, nodes } = answer;
    let best = best.map_or_else(|| "no move".to_owned(), |mv| mv.to_string());
    let score = match score {
        Some(Score::Centipawns(score)) => format!(", {score} centipawns"),
        Some(Score::Mate(moves)) => format!(", mate in {moves}"),
        None => String::new(),
    };
    let nodes = nodes.map(|nodes| format!(", {nodes} nodes")).unwrap_or_default();
    format!("{best}{score}{nodes}")
}
