//! A worker: one engine process that solves problems in turn, and is restarted after a fault.

use std::sync::Arc;
use std::time::{Duration, Instant};

use smalt_chess::{CastlingMode, Move, UciMove};
use smalt_driver::process::{Interrupt, Reaper, reap_orphans};
use smalt_driver::{
    ConversationError, Engine, EngineCommand, EngineTimeouts, Fault, GameOptions, LimitMethod, ResultClaim,
    SearchEnd, SearchRequest, SearchResult, SetOptionError, WaitContext,
};
use smalt_driver::{Protocol, Restart};
use smalt_protocol::Info;
use smalt_protocol::uci::client::Start;
use smalt_workbench::engine_files::EngineFiles;
use smalt_workbench::entrant::EngineSettings;

use super::settled::SearchFollower;
use super::{AnswerFailure, EngineAnswer, LateMove, Length, Settled};
use crate::plan::{Limit, Memory, Plan, SuiteEntrant};
use crate::suite::Problem;

/// Failed starts after which an engine is disqualified.
const STARTS: u32 = 3;

/// Time between two start attempts: a program being rebuilt is missing for some seconds.
const START_INTERVAL: Duration = Duration::from_secs(1);

/// A stall of this process disturbs a search if it takes a tenth of its time, within these bounds, as in games; half of the
/// time always does.
const DISTURBANCES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];

/// Maximum number of disturbed searches of a process that are repeated.
const MOST_REPETITIONS: u32 = 20;

/// Why an engine cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CheckError {
    #[error("engine {name:?} {fault}")]
    Faulty { name: String, fault: Fault },
    #[error("engine {name:?}: failed to {error}")]
    Option { name: String, error: SetOptionError },
}

/// An engine started before the run and kept for its first problem.
#[derive(Default)]
pub(crate) struct Checked {
    /// Reported name and author.
    pub introduction: EngineInfo,
    /// The engine; `None` if it failed in a way that the run will report.
    pub engine: Option<Box<dyn Engine>>,
    /// Its files; `None` if unreadable.
    pub files: Option<Arc<EngineFiles>>,
}

/// What identifies an engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EngineInfo {
    /// Name with version; empty if not reported.
    pub name: String,
    /// Protocol; `None` if it failed before.
    pub protocol: Option<Protocol>,
    /// SHA-256 of its files, in hexadecimal; `None` if unreadable.
    pub program: Option<String>,
}

/// Starts an engine once and sets its options, so that a wrong command, protocol or option is reported before the
/// run. Other faults are left to the run. The calling thread must live as long as the engine.
pub(crate) fn check(
    entrant: &SuiteEntrant,
    reaper: Option<&Reaper>,
    interrupt: &Interrupt,
) -> Result<Checked, CheckError> {
    let name = || entrant.name.clone();
    match start(entrant, reaper, &mut None, interrupt) {
        Ok(engine) => {
            let program = command(entrant).ok().and_then(|command| command.locate().ok());
            let files = program.and_then(|program| {
                let EngineSettings { args, dir, .. } = &entrant.engine;
                let options = entrant.engine.option_texts();
                let paths = EngineFiles::paths_of(&program, args, &options, dir.as_deref());
                EngineFiles::read(paths).map(Arc::new).ok()
            });
            let introduction = EngineInfo {
                name: engine.name().to_owned(),
                protocol: Some(engine.protocol()),
                program: files.as_ref().map(|files| files.digest()),
            };
            Ok(Checked { introduction, engine: Some(engine), files })
        }
        Err(SetOptionError::Conversation(ConversationError::Fault(
            fault @ (Fault::WouldNotStart(_)
            | Fault::NoUciok { .. }
            | Fault::NoLine { .. }
            | Fault::NoNodeLimit),
        ))) => Err(CheckError::Faulty { name: name(), fault }),
        Err(SetOptionError::Conversation(_)) => Ok(Checked::default()),
        Err(error) => Err(CheckError::Option { name: name(), error }),
    }
}

/// Why a worker stops.
#[derive(Debug)]
pub(super) enum Stopped {
    Interrupted,
    /// The engine failed to start several times, its program changed, or the system failed.
    GivenUp(String),
}

/// Whether an engine is ready for a problem.
enum Ready {
    Yes(Box<dyn Engine>),
    /// It cannot play this variant.
    NotForThis(Fault),
    Interrupted,
    Failed(String),
}

impl From<ConversationError> for Ready {
    fn from(error: ConversationError) -> Ready {
        match error {
            ConversationError::Interrupted => Ready::Interrupted,
            error => Ready::Failed(error.to_string()),
        }
    }
}

pub(super) struct SuiteWorker<'a> {
    plan: &'a Plan,
    entrant: &'a SuiteEntrant,
    interrupt: &'a Interrupt,
    engine: Option<Box<dyn Engine>>,
    /// Its files, if the run stops when they change.
    files: Option<Arc<EngineFiles>>,
    /// Castling notation of the last problem.
    variant: CastlingMode,
    /// Limit method, once detected.
    limit_method: Option<LimitMethod>,
    /// Remaining number of disturbed searches to repeat.
    repetitions: u32,
}

impl<'a> SuiteWorker<'a> {
    /// A worker, with its engine if already running.
    pub(super) fn new(
        plan: &'a Plan,
        entrant: &'a SuiteEntrant,
        interrupt: &'a Interrupt,
        engine: Option<Box<dyn Engine>>,
        files: Option<Arc<EngineFiles>>,
    ) -> SuiteWorker<'a> {
        let variant = CastlingMode::Standard;
        SuiteWorker {
            plan,
            entrant,
            interrupt,
            engine,
            files,
            variant,
            limit_method: None,
            repetitions: MOST_REPETITIONS,
        }
    }

    /// Searches a problem. A fault of the engine is an answer too.
    pub(super) fn ask(&mut self, problem: &Problem) -> Result<EngineAnswer, Stopped> {
        let mut engine = match self.ready_engine(CastlingMode::of(&problem.epd.position))? {
            Ok(engine) => engine,
            Err(fault) => return Ok(failed(fault.into(), Duration::ZERO)),
        };
        let mut follower = SearchFollower::new(problem, self.entrant.limit, self.plan);
        let begun = Instant::now();
        let stalled = engine.process().stalled();
        let searched = self.search(&mut *engine, problem, &mut follower);
        let stall = engine.process().stalled().saturating_sub(stalled);
        let answer = match searched {
            // Faults count: the deadlines of the driver exclude stalls.
            Ok(searched) if self.repetitions > 0 && self.is_disturbed(&searched, stall) => {
                self.repetitions -= 1;
                return self.ask(problem);
            }
            Ok(searched) => self.to_answer(problem, &searched, &follower),
            Err(ConversationError::Fault(fault)) => failed(fault.into(), begun.elapsed()),
            Err(ConversationError::Interrupted) => return Err(Stopped::Interrupted),
            Err(error @ ConversationError::System { .. }) => return Err(Stopped::GivenUp(error.to_string())),
        };
        let kept_limit = matches!(answer.outcome, Ok(_) | Err(AnswerFailure::Late(_)));
        let is_kept = kept_limit && self.entrant.engine.restart == Restart::Off && engine.is_reusable();
        self.engine = is_kept.then_some(engine);
        reap_orphans();
        Ok(answer)
    }

    /// Whether a timed answer is invalid because this process stalled during its search.
    fn is_disturbed(&self, searched: &SearchResult, stall: Duration) -> bool {
        match self.entrant.limit {
            Limit::MoveTime(time) => searched.best.is_some() && is_disturbance(stall, time),
            Limit::Nodes(_) | Limit::Depth(_) => false,
        }
    }

    pub(super) fn quit(self) {
        if let Some(mut engine) = self.engine {
            engine.quit();
        }
    }

    /// An engine ready for a problem: the running one, unless it fails to get ready, or a new one. A fault if it
    /// cannot play this variant.
    fn ready_engine(&mut self, variant: CastlingMode) -> Result<Result<Box<dyn Engine>, Fault>, Stopped> {
        let is_same = std::mem::replace(&mut self.variant, variant) == variant;
        let is_kept = self.plan.memory == Memory::Kept && is_same;
        let mut last_words = String::new();
        if let Some(engine) = self.engine.take() {
            match if is_kept { Ready::Yes(engine) } else { self.new_game(engine) } {
                Ready::Yes(engine) => return Ok(Ok(engine)),
                Ready::NotForThis(fault) => return Ok(Err(fault)),
                Ready::Interrupted => return Err(Stopped::Interrupted),
                Ready::Failed(_) => {}
            }
        }
        if let Some(path) = self.files.as_ref().and_then(|files| files.changed()) {
            return Err(Stopped::GivenUp(format!(
                "changed since the run began: {} has other content now; put the old file back, or permit it by \
                 --allow-mixed",
                path.display()
            )));
        }
        let reaper = self.plan.reaper.as_ref();
        let begun = Instant::now();
        for attempt in 0..STARTS {
            let next = begun + START_INTERVAL * attempt;
            if self.interrupt.wait(next.saturating_duration_since(Instant::now())) {
                return Err(Stopped::Interrupted);
            }
            let ready = match start(self.entrant, reaper, &mut self.limit_method, self.interrupt) {
                Ok(engine) => self.new_game(engine),
                Err(SetOptionError::Conversation(error)) => error.into(),
                Err(error) => Ready::Failed(error.to_string()),
            };
            match ready {
                Ready::Yes(engine) => return Ok(Ok(engine)),
                Ready::NotForThis(fault) => return Ok(Err(fault)),
                Ready::Interrupted => return Err(Stopped::Interrupted),
                Ready::Failed(words) => last_words = words,
            }
        }
        Err(Stopped::GivenUp(format!("failed to start three times in a row: {last_words}")))
    }

    /// Starts a new game. An engine that cannot play this variant is kept for the next position.
    fn new_game(&mut self, mut engine: Box<dyn Engine>) -> Ready {
        let terms = GameOptions { variant: self.variant, ..GameOptions::default() };
        match engine.new_game(terms, &mut WaitContext::interruptible(self.interrupt)) {
            Ok(()) => Ready::Yes(engine),
            Err(ConversationError::Fault(fault @ Fault::NoChess960 { .. })) => {
                self.engine = Some(engine);
                Ready::NotForThis(fault)
            }
            Err(error) => error.into(),
        }
    }

    fn search(
        &self,
        engine: &mut dyn Engine,
        problem: &Problem,
        follower: &mut SearchFollower<'_>,
    ) -> Result<SearchResult, ConversationError> {
        let fen = problem.epd.position.to_fen();
        let limits = self.entrant.limit.to_search_limits();
        let (stop_after, deadline) = match self.entrant.limit {
            Limit::MoveTime(time) => {
                let end = time + self.plan.grace;
                (Some(end), end + EngineTimeouts::default().stop)
            }
            Limit::Nodes(_) | Limit::Depth(_) => (None, self.plan.longest_move),
        };
        let request =
            SearchRequest { start: Start::Fen(&fen), moves: &[], limits: &limits, deadline, stop_after };
        let mut observe = |info: &Info<'_>, time| follower.on_info(info, time);
        engine.search(&request, &mut WaitContext::interruptible(self.interrupt), Some(&mut observe))
    }

    fn to_answer(
        &self,
        problem: &Problem,
        searched: &SearchResult,
        follower: &SearchFollower<'_>,
    ) -> EngineAnswer {
        let played = match searched.best {
            None if searched.claim == Some(ResultClaim::Resigns) => Err(AnswerFailure::Resigned),
            None => Err(AnswerFailure::NoMove),
            Some(said) => said.to_move(&problem.epd.position).map_err(|_| AnswerFailure::IllegalMove(said)),
        };
        match played {
            Ok(mv) if self.is_late(searched) => late(problem, searched, mv, follower),
            played => in_time(problem, searched, played, follower),
        }
    }

    fn is_late(&self, searched: &SearchResult) -> bool {
        let (report, time) = (&searched.report, searched.elapsed);
        self.entrant.limit.is_passed(self.plan.grace, time, report.nodes, report.depth)
    }
}

/// Whether a stall of this process disturbs a search of this time.
fn is_disturbance(stall: Duration, time: Duration) -> bool {
    let [least, greatest] = DISTURBANCES;
    !stall.is_zero() && stall >= (time / 10).clamp(least, greatest).min(time / 2)
}

/// The answer of a search within its limit, or of one without a move.
fn in_time(
    problem: &Problem,
    searched: &SearchResult,
    outcome: Result<Move, AnswerFailure>,
    follower: &SearchFollower<'_>,
) -> EngineAnswer {
    let report = &searched.report;
    let at_the_end = Settled { time: searched.elapsed, depth: report.depth, nodes: report.nodes };
    let is_ended = searched.ending == SearchEnd::Stopped && follower.is_enough();
    let mut answer = EngineAnswer {
        outcome,
        time: searched.elapsed,
        depth: report.depth,
        nodes: report.nodes,
        score: report.score,
        settled: None,
        mate: follower.mate(),
        length: if is_ended { Length::StoppedEarly } else { Length::Full },
    };
    let is_solution = |&mv: &Move| problem.goal.is_solved_by(mv, answer.announced());
    if answer.outcome.as_ref().is_ok_and(is_solution) {
        answer.settled = Some(follower.settled().unwrap_or(at_the_end));
    }
    answer
}

/// The answer of a late search, from its state at the limit.
fn late(problem: &Problem, searched: &SearchResult, mv: Move, follower: &SearchFollower<'_>) -> EngineAnswer {
    let latest = follower.latest();
    let position = &problem.epd.position;
    let held = latest.mv.and_then(|mv| mv.to_move(position).ok());
    EngineAnswer {
        outcome: held.ok_or_else(|| AnswerFailure::Late(UciMove::from_move(mv, CastlingMode::of(position)))),
        time: searched.elapsed,
        depth: latest.depth,
        nodes: latest.nodes,
        score: latest.score,
        settled: follower.settled(),
        mate: follower.mate(),
        length: Length::Late(LateMove { mv, score: searched.report.score }),
    }
}

fn failed(failure: AnswerFailure, time: Duration) -> EngineAnswer {
    EngineAnswer {
        outcome: Err(failure),
        time,
        depth: None,
        nodes: None,
        score: None,
        settled: None,
        mate: None,
        length: Length::Full,
    }
}

/// Starts an engine, performs the handshake, sets its options, and detects its limit method if unknown.
fn start(
    entrant: &SuiteEntrant,
    reaper: Option<&Reaper>,
    known: &mut Option<LimitMethod>,
    interrupt: &Interrupt,
) -> Result<Box<dyn Engine>, SetOptionError> {
    let mut command = command(entrant)?;
    command.reaper = reaper.cloned();
    let context = &mut WaitContext::interruptible(interrupt);
    let started =
        smalt_driver::start(&command, entrant.engine.proto, EngineTimeouts::default(), None, context);
    let mut engine = started.map_err(ConversationError::from)?;
    if entrant.engine.debug {
        engine.set_debug(context)?;
    }
    for (name, text) in &entrant.engine.options {
        engine.set_option(name, &text.0, context)?;
    }
    let was_known = known.is_some();
    let method = engine.fit_limits(&entrant.limit.to_search_limits(), *known, context)?;
    *known = Some(method);
    if !was_known && method != LimitMethod::Protocol && !engine.is_reusable() {
        engine.quit();
        return start(entrant, reaper, known, interrupt);
    }
    Ok(engine)
}

fn command(entrant: &SuiteEntrant) -> Result<EngineCommand, ConversationError> {
    let own_program = std::env::current_exe();
    let own_program = own_program.map_err(|error| ConversationError::System { reason: error.to_string() })?;
    Ok(entrant.engine.command_of(&entrant.program, &own_program))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stalls_disturb_a_search_as_they_disturb_a_game() {
        let least = |time: u64| {
            (0..2_000)
                .find(|&stall| is_disturbance(Duration::from_millis(stall), Duration::from_millis(time)))
        };
        assert_eq!([100, 1_000, 5_000, 60_000].map(least), [Some(50), Some(200), Some(500), Some(1_000)]);
        assert!(!is_disturbance(Duration::ZERO, Duration::ZERO));
    }
}
