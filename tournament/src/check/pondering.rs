//! Pondering in both protocols: it starts when allowed, sends no move before the opponent's, and then moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use smalt_chess::{CastlingMode, Position, UciMove};
use smalt_driver::Protocol;
use smalt_driver::{
    ConversationError, Engine, GameOptions, Pondering, SearchRequest, SearchResult, Speaker, TranscriptSink,
    WaitContext,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::xboard::EngineMessage;
use smalt_protocol::{Clock, SearchLimits};

use super::searches::{BUSY, LONGEST, SearchTrace, check_moves};
use super::{Notes, StepError};

/// Time of pondering before the opponent moves.
const PONDERED: Duration = Duration::from_millis(200);

/// The engine must ponder without moving, and move after the hit.
pub(super) fn ponder(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let is_uci = engine.protocol() == Protocol::Uci;
    if is_uci && smalt_protocol::option::find(engine.options(), "Ponder").is_none() {
        notes.inapplicable("declares no option Ponder");
        return Ok(());
    }
    let terms = GameOptions { variant: CastlingMode::Standard, pondering: Pondering::On };
    engine.new_game(terms, &mut WaitContext::none())?;
    if is_uci { uci_ponder(engine, notes) } else { xboard_ponder(engine, notes) }
}

fn limits() -> SearchLimits {
    let clock = Some(Clock { remaining: Duration::from_secs(2), increment: Duration::ZERO });
    SearchLimits { white: clock, black: clock, ..SearchLimits::default() }
}

/// UCI: `go ponder`, and then `ponderhit`.
fn uci_ponder(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let context = &mut WaitContext::none();
    let before = SearchLimits { ponder: true, ..limits() };
    let request = SearchRequest {
        start: Start::Fen(BUSY),
        moves: &[],
        limits: &before,
        deadline: LONGEST,
        stop_after: None,
    };
    engine.begin(&request, context)?;
    std::thread::sleep(PONDERED);
    engine.ponder_hit(&SearchRequest { limits: &limits(), ..request }, context)?;
    let searched = engine.finish(context, None)?;
    notes.take_transcript(engine);
    check_moves(Some(BUSY), &searched, &SearchTrace::default(), None, notes);
    if notes.complaints() == 0 {
        notes.ok("moves after `ponderhit`");
    }
    Ok(())
}

/// xboard: after `hard` the engine ponders after each of its moves, until the opponent's.
fn xboard_ponder(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let first = play(engine, &[])?;
    let unasked = Arc::new(AtomicU32::new(0));
    engine.set_transcript_sink(Some(Box::new(count_moves(&unasked))));
    std::thread::sleep(PONDERED);
    let reply = first.best.and_then(|best| Some((best, reply(best, first.ponder)?)));
    let Some((best, reply)) = reply else {
        notes.take_transcript(engine);
        check_moves(None, &first, &SearchTrace::default(), None, notes);
        return Ok(());
    };
    let second = play(engine, &[best, reply])?;
    engine.set_transcript_sink(None);
    notes.take_transcript(engine);
    let fen = position_after(&[best, reply]).map(|position| position.to_fen());
    check_moves(fen.as_deref(), &second, &SearchTrace::default(), None, notes);
    if unasked.load(Ordering::Relaxed) > 1 {
        notes.fail("moves while it ponders, before its opponent has moved");
    }
    if notes.complaints() == 0 {
        notes.ok("ponders (`hard`), and moves only after its opponent");
    }
    Ok(())
}

/// Counts the moves that an engine sends.
fn count_moves(count: &Arc<AtomicU32>) -> impl TranscriptSink + use<> {
    let count = Arc::clone(count);
    move |_: Duration, speaker: Speaker, line: &[u8]| {
        let is_move = matches!(EngineMessage::parse(&String::from_utf8_lossy(line)), EngineMessage::Move(_));
        if speaker == Speaker::Engine && is_move {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn play(engine: &mut dyn Engine, moves: &[UciMove]) -> Result<SearchResult, ConversationError> {
    let limits = limits();
    let request =
        SearchRequest { start: Start::Standard, moves, limits: &limits, deadline: LONGEST, stop_after: None };
    engine.search(&request, &mut WaitContext::none(), None)
}

/// The expected reply, or any legal one; `None` if the move was illegal.
fn reply(best: UciMove, expected: Option<UciMove>) -> Option<UciMove> {
    let position = position_after(&[best])?;
    let any = position.legal_moves().first().map(|&mv| UciMove::from_move(mv, CastlingMode::Standard));
    expected.filter(|answer| answer.to_move(&position).is_ok()).or(any)
}

/// The position after these moves from the start position; `None` if one is illegal.
fn position_after(moves: &[UciMove]) -> Option<Position> {
    moves.iter().try_fold(Position::start(), |position, mv| Some(position.after(mv.to_move(&position).ok()?)))
}
