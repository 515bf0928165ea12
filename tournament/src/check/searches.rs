//! Searches in both protocols: limits obeyed, moves legal, info lines valid.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use smalt_chess::{CastlingMode, Position, UciMove};
use smalt_driver::Protocol;
use smalt_driver::{
    ConversationError, Engine, Fault, GameOptions, Pondering, SearchControl, SearchEnd, SearchRequest,
    SearchResult, Speaker, TranscriptSink, WaitContext,
};
use smalt_protocol::uci::client::Start;
use smalt_protocol::xboard::{EngineMessage, moves};
use smalt_protocol::{Clock, Info, SearchLimits};

use super::{Notes, StepError, begin_game};

/// A busy position from move generator tests (Kiwipete).
pub(super) const BUSY: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const MATED: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";
/// Chess960 with castling to both sides at once.
const CASTLING: &str = "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1";

/// Final timeout of any search.
pub(super) const LONGEST: Duration = Duration::from_secs(10);

/// Timeout after which a short search is stopped.
pub(super) const PATIENT: Duration = Duration::from_secs(4);

/// Data of a search's info lines.
#[derive(Default)]
pub(super) struct SearchTrace {
    depths: Vec<u32>,
    has_score: bool,
    lines: u32,
    multipv: u32,
    pvs: Vec<Vec<UciMove>>,
    /// Principal variations as text, for xboard.
    texts: Vec<String>,
    last_nps: Option<(u64, u64, Duration)>,
}

impl SearchTrace {
    fn take(&mut self, info: &Info<'_>) {
        self.lines += 1;
        self.multipv = self.multipv.max(info.multipv.unwrap_or(1));
        if info.multipv.unwrap_or(1) > 1 {
            return;
        }
        self.has_score |= info.score.is_some();
        if !info.pv.is_empty() {
            self.pvs.push(info.pv.to_vec());
            self.depths.extend(info.depth);
        }
        if let (Some(nps), Some(nodes), Some(time)) = (info.nps, info.nodes, info.time) {
            self.last_nps = Some((nps, nodes, time));
        }
    }
}

pub(super) fn search(
    engine: &mut dyn Engine,
    fen: Option<&str>,
    limits: &SearchLimits,
    stop_after: Option<Duration>,
    seen: &mut SearchTrace,
) -> Result<SearchResult, ConversationError> {
    let start = fen.map_or(Start::Standard, Start::Fen);
    let request = SearchRequest { start, moves: &[], limits, deadline: LONGEST, stop_after };
    let mut observer = |info: &Info<'_>, _: Duration| {
        seen.take(info);
        SearchControl::Continue
    };
    let texts = Arc::new(Mutex::new(Vec::new()));
    if engine.protocol() == Protocol::Xboard {
        engine.set_transcript_sink(Some(Box::new(collect_texts(&texts))));
    }
    let searched = engine.search(&request, &mut WaitContext::none(), Some(&mut observer));
    engine.set_transcript_sink(None);
    seen.texts = std::mem::take(&mut *texts.lock().expect("nobody else holds it, and nothing in it panics"));
    searched
}

/// Stores the PVs of an xboard engine as text: the driver keeps only their legal moves.
fn collect_texts(texts: &Arc<Mutex<Vec<String>>>) -> impl TranscriptSink + use<> {
    let texts = Arc::clone(texts);
    move |_: Duration, speaker: Speaker, line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        if speaker == Speaker::Engine
            && let EngineMessage::Thinking(thinking) = EngineMessage::parse(&line)
            && let Ok(mut texts) = texts.lock()
        {
            texts.push(thinking.pv.to_owned());
        }
    }
}

fn position(fen: Option<&str>) -> Position {
    fen.and_then(|fen| Position::from_fen(fen).ok()).unwrap_or_else(Position::start)
}

/// Best move and principal variations must be legal.
pub(super) fn check_moves(
    fen: Option<&str>,
    searched: &SearchResult,
    seen: &SearchTrace,
    limit: Option<&str>,
    notes: &mut Notes,
) {
    let of = limit.map(|limit| format!("{limit}: ")).unwrap_or_default();
    let position = position(fen);
    match searched.best {
        None => notes.fail(format!("{of}reports no move in a position with legal moves")),
        Some(mv) if mv.to_move(&position).is_err() => notes.fail(format!("{of}plays {mv}, which is illegal")),
        Some(_) => {}
    }
    for pv in &seen.pvs {
        let mut current = position;
        for mv in pv {
            match mv.to_move(&current) {
                Ok(legal) => current = current.after(legal),
                Err(_) => {
                    let line: Vec<String> = pv.iter().map(ToString::to_string).collect();
                    let words = format!("{of}a principal variation has the illegal move {mv}");
                    notes.warn_of(&line.join(" "), words);
                    return;
                }
            }
        }
    }
    for text in &seen.texts {
        if let Some(word) = moves::first_illegal(text, &position) {
            notes.warn_of(text, format!("{of}a PV has the illegal move {word}"));
            return;
        }
    }
    // A stopped search may have changed its best move.
    if let (Some(best), Some(pv)) = (searched.best, seen.pvs.last())
        && pv.first() != Some(&best)
        && searched.ending == SearchEnd::Own
    {
        notes.warn(format!("{of}plays {best}, but its last principal variation begins with another move"));
    }
}

fn check_infos(seen: &SearchTrace, what: &str, notes: &mut Notes) {
    if seen.lines == 0 {
        return notes.warn(format!("{what}: reports nothing during a search: games cannot be adjudicated"));
    }
    if !seen.has_score {
        notes.warn(format!("{what}: reports no score"));
    }
    if seen.depths.windows(2).any(|two| two[1] < two[0]) {
        notes.warn(format!("{what}: the reported depth decreases during a search"));
    }
    if let Some((nps, nodes, time)) = seen.last_nps
        && time >= Duration::from_millis(50)
        && nps > 0
    {
        let ours = nodes as f64 / time.as_secs_f64();
        if nps as f64 > 5.0 * ours || (nps as f64) < ours / 5.0 {
            let words = format!(
                "{what}: reports {nps} nodes/s, but {nodes} nodes in {} ms are {ours:.0}",
                time.as_millis()
            );
            notes.warn_of(&format!("nps {nps}"), words);
        }
    }
}

/// A limit and its name.
type Case = (&'static str, SearchLimits);

fn with_clock(remaining: u64, increment: u64) -> SearchLimits {
    let clock = Some(Clock {
        remaining: Duration::from_millis(remaining),
        increment: Duration::from_millis(increment),
    });
    SearchLimits { white: clock, black: clock, ..SearchLimits::default() }
}

fn with_time(ms: u64) -> SearchLimits {
    SearchLimits { move_time: Some(Duration::from_millis(ms)), ..SearchLimits::default() }
}

/// xboard has whole seconds per move, and depth is optional.
fn cases(protocol: Protocol) -> [Case; 4] {
    let depth = ("depth 4", SearchLimits { depth: Some(4), ..SearchLimits::default() });
    let nodes = ("nodes 20000", SearchLimits { nodes: Some(20_000), ..SearchLimits::default() });
    match protocol {
        Protocol::Xboard => {
            [("a second a move", with_time(1000)), ("a clock of 3 s", with_clock(3000, 100)), depth, nodes]
        }
        _ => [depth, nodes, ("movetime 200", with_time(200)), ("a clock of 0.3 s", with_clock(300, 10))],
    }
}

/// Depth, nodes, movetime and a short clock must be obeyed.
pub(super) fn limits(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    for (what, limits) in cases(engine.protocol()) {
        begin_game(engine)?;
        let mut is_kept = true;
        for fen in [None, Some(BUSY)] {
            let mut seen = SearchTrace::default();
            let own = limits.move_time.or(limits.white.map(|clock| clock.remaining));
            let is_xboard = engine.protocol() == Protocol::Xboard;
            let searched = match search(engine, fen, &limits, own.is_none().then_some(PATIENT), &mut seen) {
                Err(ConversationError::Fault(Fault::StopIgnored { .. })) if is_xboard && own.is_none() => {
                    // It can still play with a clock; here it was killed.
                    notes.take_transcript(engine);
                    notes.warn(format!("{what}: ignores `?`, so that the limit cannot be enforced"));
                    return Ok(());
                }
                searched => searched?,
            };
            notes.take_transcript(engine);
            // xboard has no node limit: the engine gets `?` when it reports as many nodes.
            let gets_stop = is_xboard && limits.nodes.is_some();
            if searched.ending != SearchEnd::Own && !(gets_stop && searched.elapsed < PATIENT) {
                notes.warn(match gets_stop {
                    true => format!("{what}: reports no nodes, so that the limit cannot be enforced"),
                    false => {
                        format!("{what}: ignores the limit and searches until `stop`")
                    }
                });
                is_kept = false;
                break;
            }
            check_moves(fen, &searched, &seen, Some(what), notes);
            check_infos(&seen, what, notes);
            let before = notes.complaints();
            check_limit(&searched, &limits, gets_stop, what, notes);
            is_kept &= notes.complaints() == before;
        }
        if is_kept {
            notes.ok(format!("keeps {what}"));
        }
    }
    Ok(())
}

fn check_limit(
    searched: &SearchResult,
    limits: &SearchLimits,
    gets_stop: bool,
    what: &str,
    notes: &mut Notes,
) {
    let elapsed = searched.elapsed;
    let room = if gets_stop { 1 } else { 4 };
    if let (Some(limit), Some(nodes)) = (limits.nodes, searched.report.nodes)
        && nodes > limit + limit / room
    {
        notes.warn(format!("{what}: searches {nodes} nodes"));
    }
    if let (Some(limit), Some(depth)) = (limits.depth, searched.report.depth)
        && depth > limit
    {
        notes.warn(format!("{what}: searches to depth {depth}"));
    }
    let allowed = limits.move_time.or(limits.white.map(|clock| clock.remaining));
    if let Some(allowed) = allowed {
        let margin = if limits.move_time.is_some() { Duration::from_millis(100) } else { Duration::ZERO };
        if elapsed > allowed + margin + Duration::from_millis(400) {
            notes.fail(format!("{what}: takes {} ms, and would lose on time", elapsed.as_millis()));
        } else if elapsed > allowed + margin {
            notes.warn(format!("{what}: takes {} ms", elapsed.as_millis()));
        }
    }
}

/// An endless search ends on stop, and not before.
pub(super) fn stop(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    begin_game(engine)?;
    let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
    let asked = Duration::from_millis(300);
    let mut seen = SearchTrace::default();
    let is_xboard = engine.protocol() == Protocol::Xboard;
    let searched = match search(engine, Some(BUSY), &limits, Some(asked), &mut seen) {
        Err(ConversationError::Fault(fault @ Fault::StopIgnored { .. })) if is_xboard => {
            // It can still play with a clock.
            notes.take_transcript(engine);
            notes.warn(fault.to_string());
            return Ok(());
        }
        searched => searched?,
    };
    notes.take_transcript(engine);
    check_moves(Some(BUSY), &searched, &seen, None, notes);
    let late = searched.elapsed.saturating_sub(asked);
    match searched.ending {
        SearchEnd::Own => notes.warn(format!(
            "an endless search ended by itself after {} ms, before `stop`",
            searched.elapsed.as_millis()
        )),
        SearchEnd::Stopped if late > Duration::from_millis(500) => {
            notes.warn(format!("moves only {} ms after `stop`", late.as_millis()));
        }
        SearchEnd::Stopped | SearchEnd::Overrun => {
            notes.ok(format!("moves {} ms after `stop`", late.as_millis()));
        }
    }
    Ok(())
}

/// `isready` must be answered during a search.
pub(super) fn ready_while_thinking(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    begin_game(engine)?;
    let limits = SearchLimits { infinite: true, ..SearchLimits::default() };
    let request = SearchRequest {
        start: Start::Fen(BUSY),
        moves: &[],
        limits: &limits,
        deadline: LONGEST,
        stop_after: None,
    };
    let context = &mut WaitContext::none();
    engine.begin(&request, context)?;
    let took = match engine.ping(context) {
        Err(ConversationError::Fault(Fault::NoReadyok { .. })) => {
            // Runners do not send this in a game, but the protocol requires an answer.
            notes.take_transcript(engine);
            notes.warn("does not answer `isready` during a search");
            return Ok(());
        }
        took => took?,
    };
    engine.abandon(context)?;
    notes.take_transcript(engine);
    if took > Duration::from_secs(1) {
        notes.warn(format!("answers `isready` during a search only after {} ms", took.as_millis()));
    } else {
        notes.ok("answers `isready` during a search");
    }
    Ok(())
}

/// Finished positions must be answered without a move.
pub(super) fn finished_positions(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let limits = SearchLimits { depth: Some(3), ..SearchLimits::default() };
    for (what, fen) in [("a mated position", MATED), ("a stalemate", STALEMATED)] {
        begin_game(engine)?;
        let searched = search(engine, Some(fen), &limits, None, &mut SearchTrace::default());
        notes.take_transcript(engine);
        match searched {
            Ok(SearchResult { best: None, .. }) => notes.ok(format!("reports no move in {what}")),
            Ok(SearchResult { best: Some(mv), .. }) => {
                notes.warn(format!("plays {mv} in {what}, which has no legal move"))
            }
            Err(ConversationError::Fault(
                fault @ (Fault::NoMove { .. } | Fault::MalformedBestmove { .. }),
            )) => {
                notes.warn(format!("in {what}, which has no legal move, it {fault}"));
            }
            Err(ConversationError::Fault(fault)) => {
                // Runners do not send this in a game.
                notes.warn(format!("in {what}, which has no legal move, it {fault}"));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// As many lines as requested, if it has the option.
pub(super) fn multi_pv(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    if smalt_protocol::option::find(engine.options(), "MultiPV").is_none() {
        notes.inapplicable("declares no option MultiPV");
        return Ok(());
    }
    engine.set_option("MultiPV", "3", &mut WaitContext::none())?;
    begin_game(engine)?;
    let mut seen = SearchTrace::default();
    let limits = SearchLimits { depth: Some(4), ..SearchLimits::default() };
    let searched = search(engine, None, &limits, None, &mut seen)?;
    notes.take_transcript(engine);
    check_moves(None, &searched, &seen, None, notes);
    if seen.multipv == 3 && notes.complaints() > 0 {
        // Three lines with illegal moves, which are already noted.
        return Ok(());
    }
    if seen.multipv == 3 {
        notes.ok("shows three lines with MultiPV 3");
    } else {
        notes.warn(format!("shows {} lines with MultiPV 3", seen.multipv));
    }
    Ok(())
}

/// Chess960 must work if declared.
pub(super) fn chess960(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let terms = GameOptions { variant: CastlingMode::Chess960, pondering: Pondering::Off };
    match engine.new_game(terms, &mut WaitContext::none()) {
        Err(ConversationError::Fault(Fault::NoChess960 { lack })) => {
            notes.inapplicable(format!("does not play Chess960: {lack}"));
            return Ok(());
        }
        begun => begun?,
    }
    let limits = SearchLimits { depth: Some(6), ..SearchLimits::default() };
    let mut seen = SearchTrace::default();
    let searched = search(engine, Some(CASTLING), &limits, Some(PATIENT), &mut seen)?;
    notes.take_transcript(engine);
    check_moves(Some(CASTLING), &searched, &seen, None, notes);
    if notes.complaints() == 0 {
        notes.ok("plays Chess960");
    }
    Ok(())
}
