//! Is this engine fit to play? Every step starts the engine anew, asks for one thing, and tells what it found in words,
//! with the last lines of the conversation where something is wrong. Prints nothing; what is done with an unfit engine is
//! the reader's business.

mod bench;
mod pondering;
mod raw;
mod scores;
mod searches;
mod settings;

use std::time::{Duration, Instant};

use serde::Serialize;
use smalt_chess::CastlingMode;
use smalt_driver::Protocol;
use smalt_driver::{
    ConversationError, Engine, EngineCommand, EngineTimeouts, GameOptions, Pondering, SetOptionError,
    Speaker, TranscriptLine, WaitContext,
};

/// How many lines of a conversation are shown with a finding.
const LINES_SHOWN: usize = 8;

/// How many of them are what it was told: a position, an order to think, and one to stop.
const LINES_TOLD: usize = 3;

/// What was found in one respect.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Which step it was.
    pub step: &'static str,
    /// How bad it is.
    pub result: CheckResult,
    /// What was found.
    pub words: String,
    /// The lines that show it; none where all is well.
    pub lines: Vec<String>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckResult {
    /// As it should be.
    Ok,
    /// The protocol, or the engine, does not have it.
    Inapplicable,
    /// There was no time left for it.
    Skipped,
    /// It can play, but something is not as it should be.
    Warning,
    /// It loses games by this, or cannot play.
    Failure,
}

/// An engine under examination.
#[derive(Clone, Debug)]
pub struct EngineUnderTest {
    /// What it is called where it does not say so itself.
    pub name: String,
    /// Its process.
    pub command: EngineCommand,
    /// What it speaks.
    pub protocol: Protocol,
    /// Options that are set before anything else.
    pub options: Vec<(String, String)>,
}

/// All that was found.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// What it calls itself; its entrant's name if it did not start, or has none.
    pub engine: String,
    /// `uci` or `xboard`.
    pub protocol: String,
    /// Whether nothing failed.
    pub fit: bool,
    /// Whether all was examined that the protocol has; false where the engine took too long.
    pub complete: bool,
    /// Every finding, in the order of the steps.
    pub findings: Vec<Finding>,
}

/// Answers are waited for not much longer than in a game.
const TIMEOUTS: EngineTimeouts = EngineTimeouts {
    start: Duration::from_secs(10),
    ready: Duration::from_secs(10),
    stop: Duration::from_secs(3),
    write: Duration::from_secs(3),
    quit: Duration::from_secs(2),
};

/// Why a step came to no end.
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

/// One step: asks the engine, and notes what it finds.
type Step = fn(&mut dyn Engine, &mut Notes) -> Result<(), StepError>;

/// The steps that both protocols have.
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

/// Those that only UCI has, and why xboard has them not.
const UCI_STEPS: [(&str, Step, &str); 3] = [
    (
        "isready while thinking",
        searches::ready_while_thinking,
        "engines of xboard's protocol answer a ping when they have moved",
    ),
    (
        "finished positions",
        searches::finished_positions,
        "xboard's protocol does not say what is answered where the game is over",
    ),
    ("MultiPV", searches::multi_pv, "xboard's protocol knows no such thing"),
];

/// No step is begun after so long; with the last step's own waits, no examination takes two minutes.
const MAX_CHECK_TIME: Duration = Duration::from_secs(60);

/// What was found so far; each finding is shown as it comes.
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

/// Examines an engine, and shows each finding as soon as it is made. Takes some seconds, of an engine that answers nothing
/// a minute or so; no process of it is left.
pub fn check(subject: &EngineUnderTest, show: &mut dyn FnMut(&Finding)) -> CheckReport {
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
    let words = format!("not examined, since all before it took {} s", MAX_CHECK_TIME.as_secs());
    Finding { step, result: CheckResult::Skipped, words, lines: Vec::new() }
}

fn report(engine: String, protocol: Protocol, findings: Vec<Finding>) -> CheckReport {
    let fit = findings.iter().all(|finding| finding.result != CheckResult::Failure);
    let complete = !findings.iter().any(|finding| finding.result == CheckResult::Skipped);
    CheckReport { engine, protocol: protocol.name().to_owned(), fit, complete, findings }
}

fn introduce(subject: &EngineUnderTest, findings: &mut Findings<'_>) -> Option<(String, Protocol)> {
    let mut notes = Notes::new("start");
    match start(subject) {
        Ok(engine) => {
            notes.look(&*engine);
            let (name, author) = (engine.name().to_owned(), engine.author().to_owned());
            if name.is_empty() {
                notes.warn("it does not tell its name");
            } else if author.is_empty() {
                notes.ok(format!("introduces itself as {name}"));
            } else {
                notes.ok(format!("introduces itself as {name}, by {author}"));
            }
            let protocol = engine.protocol();
            notes.close(findings);
            Some((name, protocol))
        }
        Err(failed) => {
            findings.push(failed.finding("start"));
            None
        }
    }
}

/// Why there is no engine, with the lines that show it.
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

/// Starts the engine with its options set; or says why not.
fn start(subject: &EngineUnderTest) -> Result<Box<dyn Engine>, NotStarted> {
    let context = &mut WaitContext::none();
    let started = smalt_driver::start(&subject.command, subject.protocol, TIMEOUTS, None, context);
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
    let mut engine = match start(subject) {
        Ok(engine) => engine,
        Err(failed) => return findings.push(failed.finding(name)),
    };
    let mut notes = Notes::new(name);
    if let Err(error) = step(&mut *engine, &mut notes) {
        notes.look(&*engine);
        match error {
            StepError::Conversation(error) => notes.fail(error.to_string()),
            StepError::Option(error) => notes.fail(format!("failed to {error}")),
        }
    }
    notes.close(findings);
}

/// What one step finds.
struct Notes {
    step: &'static str,
    found: Vec<NoteEntry>,
    /// The conversation as it was when it was last looked at.
    seen: Vec<TranscriptLine>,
}

/// One finding, with the lines that show it; none yet where nobody has looked at the conversation.
struct NoteEntry {
    result: CheckResult,
    words: String,
    lines: Vec<String>,
}

impl Notes {
    fn new(step: &'static str) -> Notes {
        Notes { step, found: Vec::new(), seen: Vec::new() }
    }

    /// What is found from here on is shown by the conversation as it is now.
    fn look(&mut self, engine: &dyn Engine) {
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

    /// A warning that the last lines with this text show.
    fn warn_of(&mut self, text: &str, words: impl Into<String>) {
        let lines = evidence(&self.seen, text);
        self.found.push(NoteEntry { result: CheckResult::Warning, words: words.into(), lines });
    }

    /// A warning that these conversations show, one after the other.
    fn warn_by(&mut self, conversations: &[&[TranscriptLine]], words: impl Into<String>) {
        let lines = conversations.iter().flat_map(|lines| evidence(lines, "")).collect();
        self.found.push(NoteEntry { result: CheckResult::Warning, words: words.into(), lines });
    }

    fn fail(&mut self, words: impl Into<String>) {
        let lines = evidence(&self.seen, "");
        self.found.push(NoteEntry { result: CheckResult::Failure, words: words.into(), lines });
    }

    /// How many findings are not as they should be.
    fn complaints(&self) -> usize {
        self.found.iter().filter(|found| found.result != CheckResult::Ok).count()
    }

    /// What was found several times is reported once.
    fn close(self, findings: &mut Findings<'_>) {
        let Notes { step, found, .. } = self;
        let begun = findings.all.len();
        for NoteEntry { result, words, lines } in found {
            let is_told = |other: &Finding| other.result == result && other.words == words;
            if !findings.all[begun..].iter().any(is_told) {
                findings.push(Finding { step, result, words, lines });
            }
        }
    }
}

/// The lines that show a finding: what the engine was told last, and the last of what it said with this text in it.
fn evidence(seen: &[TranscriptLine], text: &str) -> Vec<String> {
    let last_of = |speaker: Speaker, text: &str, most: usize| -> Vec<usize> {
        let lines = (0..seen.len()).rev();
        lines
            .filter(|&line| seen[line].speaker == speaker && seen[line].text.contains(text))
            .take(most)
            .collect()
    };
    let told = last_of(Speaker::Driver, "", LINES_TOLD);
    let said = last_of(Speaker::Engine, text, LINES_SHOWN - LINES_TOLD);
    // A text that is nowhere was too long to be kept.
    let said = if said.is_empty() { last_of(Speaker::Engine, "", LINES_SHOWN - LINES_TOLD) } else { said };
    let mut lines = [told, said].concat();
    lines.sort_unstable();
    lines.into_iter().map(|line| seen[line].to_string()).collect()
}

/// A game of standard chess.
fn begin_game(engine: &mut dyn Engine) -> Result<(), ConversationError> {
    let terms = GameOptions { variant: CastlingMode::Standard, pondering: Pondering::Off };
    engine.new_game(terms, &mut WaitContext::none())
}
