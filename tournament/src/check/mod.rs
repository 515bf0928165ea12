//! Checks whether an engine is fit for games. Every step restarts the engine, tests one thing, and returns findings
//! with the transcript lines that show them.

mod bench;
mod option_lines;
mod pondering;
mod raw;
mod scores;
mod searches;
mod settings;

use std::time::{Duration, Instant};

use option_lines::OptionLines;
use schemars::JsonSchema;
use serde::Serialize;
use smalt_chess::CastlingMode;
use smalt_driver::Protocol;
use smalt_driver::{
    ConversationError, Engine, EngineCommand, EngineTimeouts, GameOptions, Pondering, SetOptionError,
    Speaker, TranscriptLine, TranscriptSink, WaitContext,
};

/// Transcript lines shown with a finding.
const LINES_SHOWN: usize = 8;

/// Of these, lines sent to the engine: position, go and stop.
const LINES_SENT: usize = 3;

/// A finding of one step.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Finding {
    /// Name of the step.
    pub step: &'static str,
    /// Result of the step.
    pub result: CheckResult,
    /// The finding in words.
    pub words: String,
    /// Transcript lines that show it; empty if the step passed.
    pub lines: Vec<String>,
}

/// Result of a step, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CheckResult {
    /// The step passed.
    Ok,
    /// Not applicable to the protocol or engine.
    Inapplicable,
    /// Skipped for lack of time.
    Skipped,
    /// Playable, but not correct.
    Warning,
    /// It loses games or cannot play because of this.
    Failure,
}

/// An engine under examination.
#[derive(Clone, Debug)]
pub(crate) struct EngineUnderTest {
    /// Name if the engine reports none.
    pub name: String,
    pub command: EngineCommand,
    pub protocol: Protocol,
    pub options: Vec<(String, String)>,
}

/// The report of all steps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct CheckReport {
    /// Reported name, otherwise the entrant's.
    pub engine: String,
    /// Protocol: `uci` or `xboard`.
    pub protocol: String,
    /// Whether the engine can play: no step failed.
    pub fit: bool,
    /// Whether all steps of the protocol ran; `false` if the engine took too long.
    pub complete: bool,
    /// All findings, in step order.
    pub findings: Vec<Finding>,
}

/// Timeouts, not much longer than in a game.
const TIMEOUTS: EngineTimeouts = EngineTimeouts {
    start: Duration::from_secs(10),
    ready: Duration::from_secs(10),
    new_game: Duration::from_secs(10),
    stop: Duration::from_secs(3),
    write: Duration::from_secs(3),
    quit: Duration::from_secs(2),
};

/// Why a step did not finish.
#[derive(Debug)]
enum StepError {
    Conversation(ConversationError),
    Option(SetOptionError),
}

impl From<ConversationError> for StepError {
    fn from(error: ConversationError) -> StepError {
        StepError::Conversation(error)
    }
}

impl From<SetOptionError> for StepError {
    fn from(error: SetOptionError) -> StepError {
        StepError::Option(error)
    }
}

/// A step: tests the engine and adds notes.
type Step = fn(&mut dyn Engine, &mut Notes) -> Result<(), StepError>;

/// Steps of both protocols.
const STEPS: [(&str, Step); 8] = [
    ("options", settings::options),
    ("limits", searches::limits),
    ("stop", searches::stop),
    ("scores", scores::scores),
    ("determinism", bench::determinism),
    ("Chess960", searches::chess960),
    ("ponder", pondering::ponder),
    ("quit", settings::quit),
];

/// UCI steps, with the reason why xboard has no equivalent.
const UCI_STEPS: [(&str, Step, &str); 3] = [
    (
        "isready while thinking",
        searches::ready_while_thinking,
        "xboard engines answer a ping after their move",
    ),
    (
        "finished positions",
        searches::finished_positions,
        "the xboard protocol does not define the answer in a finished game",
    ),
    ("MultiPV", searches::multi_pv, "the xboard protocol has no such command"),
];

/// No step starts after this time; with the last step's timeouts a check takes less than two minutes.
const MAX_CHECK_TIME: Duration = Duration::from_secs(60);

/// Findings so far; each is shown immediately.
struct Findings<'a> {
    all: Vec<Finding>,
    show: &'a mut dyn FnMut(&Finding),
}

impl Findings<'_> {
    fn push(&mut self, finding: Finding) {
        (self.show)(&finding);
        self.all.push(finding);
    }
}

/// Checks an engine and shows each finding immediately. Takes some seconds, or about a minute for a silent engine.
pub(crate) fn check(subject: &EngineUnderTest, show: &mut dyn FnMut(&Finding)) -> CheckReport {
    let deadline = Instant::now() + MAX_CHECK_TIME;
    let mut findings = Findings { all: Vec::new(), show };
    let Some((engine, protocol)) = introduce(subject, &mut findings) else {
        return report(subject.name.clone(), subject.protocol, findings.all);
    };
    let is_uci = protocol == Protocol::Uci;
    let steps = STEPS.iter().map(|&(name, step)| (name, Ok(step)));
    let uci_steps =
        UCI_STEPS.iter().map(|&(name, step, reason)| (name, if is_uci { Ok(step) } else { Err(reason) }));
    for (name, step) in steps.chain(uci_steps) {
        match step {
            Err(reason) => findings.push(inapplicable(name, reason)),
            Ok(step) if Instant::now() < deadline => run(subject, name, step, &mut findings),
            Ok(_) => findings.push(not_examined(name)),
        }
    }
    raw::hostile(subject, protocol, deadline, &mut findings);
    let name = if engine.is_empty() { subject.name.clone() } else { engine };
    report(name, protocol, findings.all)
}

fn inapplicable(step: &'static str, words: &str) -> Finding {
    Finding { step, result: CheckResult::Inapplicable, words: words.to_owned(), lines: Vec::new() }
}

fn not_examined(step: &'static str) -> Finding {
    let words = format!("skipped, since the steps before it took {} s", MAX_CHECK_TIME.as_secs());
    Finding { step, result: CheckResult::Skipped, words, lines: Vec::new() }
}

fn report(engine: String, protocol: Protocol, findings: Vec<Finding>) -> CheckReport {
    let fit = findings.iter().all(|finding| finding.result != CheckResult::Failure);
    let complete = !findings.iter().any(|finding| finding.result == CheckResult::Skipped);
    CheckReport { engine, protocol: protocol.name().to_owned(), fit, complete, findings }
}

fn introduce(subject: &EngineUnderTest, findings: &mut Findings<'_>) -> Option<(String, Protocol)> {
    let mut notes = Notes::new("start");
    let option_lines = OptionLines::default();
    match start(subject, Some(option_lines.sink())) {
        Ok(engine) => {
            notes.take_transcript(&*engine);
            let (name, author) = (engine.name().to_owned(), engine.author().to_owned());
            if name.is_empty() {
                notes.warn("it reports no name");
            } else if author.is_empty() {
                notes.ok(format!("identifies itself as {name}"));
            } else {
                notes.ok(format!("identifies itself as {name}, by {author}"));
            }
            let protocol = engine.protocol();
            notes.close(findings);
            let mut notes = Notes::new("options");
            notes.take_transcript(&*engine);
            for (line, words) in option_lines.complaints() {
                notes.warn_of(&line, words);
            }
            notes.close(findings);
            Some((name, protocol))
        }
        Err(failed) => {
            findings.push(failed.finding("start"));
            None
        }
    }
}

/// Why the engine did not start, with its transcript.
struct NotStarted {
    words: String,
    seen: Vec<TranscriptLine>,
}

impl NotStarted {
    fn finding(&self, step: &'static str) -> Finding {
        let (words, lines) = (self.words.clone(), evidence(&self.seen, ""));
        Finding { step, result: CheckResult::Failure, words, lines }
    }
}

/// Starts the engine and sets its options.
fn start(
    subject: &EngineUnderTest,
    sink: Option<Box<dyn TranscriptSink>>,
) -> Result<Box<dyn Engine>, NotStarted> {
    let context = &mut WaitContext::none();
    let started = smalt_driver::start(&subject.command, subject.protocol, TIMEOUTS, sink, context);
    let mut engine = started
        .map_err(|failure| NotStarted { words: failure.error.to_string(), seen: failure.transcript })?;
    for (name, text) in &subject.options {
        engine
            .set_option(name, text, context)
            .map_err(|error| NotStarted { words: error.to_string(), seen: engine.transcript().lines() })?;
    }
    Ok(engine)
}

fn run(subject: &EngineUnderTest, name: &'static str, step: Step, findings: &mut Findings<'_>) {
    let mut engine = match start(subject, None) {
        Ok(engine) => engine,
        Err(failed) => return findings.push(failed.finding(name)),
    };
    let mut notes = Notes::new(name);
    if let Err(error) = step(&mut *engine, &mut notes) {
        notes.take_transcript(&*engine);
        match error {
            StepError::Conversation(error) => notes.fail(error.to_string()),
            StepError::Option(error) => notes.fail(format!("failed to {error}")),
        }
    }
    notes.close(findings);
}

/// Notes of one step.
struct Notes {
    step: &'static str,
    found: Vec<NoteEntry>,
    /// Transcript when last read.
    seen: Vec<TranscriptLine>,
}

/// A note with its transcript lines, once read.
struct NoteEntry {
    result: CheckResult,
    words: String,
    lines: Vec<String>,
}

impl Notes {
    fn new(step: &'static str) -> Notes {
        Notes { step, found: Vec::new(), seen: Vec::new() }
    }

    /// Reads the current transcript for the following notes.
    fn take_transcript(&mut self, engine: &dyn Engine) {
        self.seen = engine.transcript().lines();
    }

    fn ok(&mut self, words: impl Into<String>) {
        self.found.push(NoteEntry { result: CheckResult::Ok, words: words.into(), lines: Vec::new() });
    }

    fn inapplicable(&mut self, words: impl Into<String>) {
        self.found.push(NoteEntry {
            result: CheckResult::Inapplicable,
            words: words.into(),
            lines: Vec::new(),
        });
    }

    fn warn(&mut self, words: impl Into<String>) {
        let lines = evidence(&self.seen, "");
        self.found.push(NoteEntry { result: CheckResult::Warning, words: words.into(), lines });
    }

    /// A warning shown by the last lines with this text.
    fn warn_of(&mut self, text: &str, words: impl Into<String>) {
        let lines = evidence(&self.seen, text);
        self.found.push(NoteEntry { result: CheckResult::Warning, words: words.into(), lines });
    }

    /// A warning shown by these transcripts.
    fn warn_by(&mut self, conversations: &[&[TranscriptLine]], words: impl Into<String>) {
        let lines = conversations.iter().flat_map(|lines| evidence(lines, "")).collect();
        self.found.push(NoteEntry { result: CheckResult::Warning, words: words.into(), lines });
    }

    fn fail(&mut self, words: impl Into<String>) {
        let lines = evidence(&self.seen, "");
        self.found.push(NoteEntry { result: CheckResult::Failure, words: words.into(), lines });
    }

    /// Number of notes other than passes.
    fn complaints(&self) -> usize {
        self.found.iter().filter(|found| found.result != CheckResult::Ok).count()
    }

    /// Repeated notes are reported once.
    fn close(self, findings: &mut Findings<'_>) {
        let Notes { step, found, .. } = self;
        let begun = findings.all.len();
        for NoteEntry { result, words, lines } in found {
            let is_repeat = |other: &Finding| other.result == result && other.words == words;
            if !findings.all[begun..].iter().any(is_repeat) {
                findings.push(Finding { step, result, words, lines });
            }
        }
    }
}

/// Transcript lines of a finding: the last ones sent to the engine, and the last ones received with this text.
fn evidence(seen: &[TranscriptLine], text: &str) -> Vec<String> {
    let last_of = |speaker: Speaker, text: &str, most: usize| -> Vec<usize> {
        let lines = (0..seen.len()).rev();
        lines
            .filter(|&line| seen[line].speaker == speaker && seen[line].text.contains(text))
            .take(most)
            .collect()
    };
    let sent = last_of(Speaker::Driver, "", LINES_SENT);
    let received = last_of(Speaker::Engine, text, LINES_SHOWN - LINES_SENT);
    // A missing text was too long to be stored.
    let received =
        if received.is_empty() { last_of(Speaker::Engine, "", LINES_SHOWN - LINES_SENT) } else { received };
    let mut lines = [sent, received].concat();
    lines.sort_unstable();
    lines.into_iter().map(|line| seen[line].to_string()).collect()
}

/// A game of standard chess.
fn begin_game(engine: &mut dyn Engine) -> Result<(), ConversationError> {
    let terms = GameOptions { variant: CastlingMode::Standard, pondering: Pondering::Off };
    engine.new_game(terms, &mut WaitContext::none())
}
