//! Is this engine fit to play? Every step starts the engine anew, asks for one thing, and tells what it found in words,
//! with the last lines of the conversation where something is wrong. Prints nothing; what is done with an unfit engine is
//! the reader's business.

mod bench;
mod raw;
mod searches;
mod settings;

use std::time::Duration;

use serde::Serialize;
use smalt_chess::CastlingMode;
use smalt_driver::entrant::Protocol;
use smalt_driver::{
    ConversationError, Engine, EngineCommand, GameTerms, Meanwhile, Patience, Pondering, SetOptionError,
};

/// How many lines of a conversation are shown with a finding.
const LINES_SHOWN: usize = 8;

/// What was found in one respect.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// Which step it was.
    pub step: &'static str,
    /// How bad it is.
    pub result: Judgement,
    /// What was found.
    pub words: String,
    /// The lines that show it; none where all is well.
    pub lines: Vec<String>,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// As it should be.
    Ok,
    /// It can play, but something is not as it should be.
    Warning,
    /// It loses games by this, or cannot play.
    Failure,
}

/// An engine under examination.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its process.
    pub command: EngineCommand,
    /// What it speaks.
    pub protocol: Protocol,
    /// Options that are set before anything else.
    pub options: Vec<(String, String)>,
}

/// All that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What it calls itself; empty if it did not start.
    pub engine: String,
    /// `uci` or `xboard`.
    pub protocol: String,
    /// Whether nothing failed.
    pub fit: bool,
    /// Every finding, in the order of the steps.
    pub findings: Vec<Finding>,
}

/// Answers are waited for not much longer than in a game.
const PATIENCE: Patience = Patience {
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
const STEPS: [(&str, Step); 4] = [
    ("options", settings::options),
    ("limits", searches::limits),
    ("stop", searches::stop),
    ("quit", settings::quit),
];

/// Those that only UCI has.
const UCI_STEPS: [(&str, Step); 6] = [
    ("determinism", bench::determinism),
    ("isready while thinking", searches::ready_while_thinking),
    ("finished positions", searches::finished_positions),
    ("MultiPV", searches::multi_pv),
    ("Chess960", searches::chess960),
    ("ponder", searches::ponder),
];

/// Examines an engine. Takes some seconds; no process of it is left.
pub fn check(subject: &Subject) -> Report {
    let mut findings = Vec::new();
    let Some((engine, protocol)) = introduce(subject, &mut findings) else {
        return report(String::new(), subject.protocol, findings);
    };
    for (name, step) in STEPS {
        run(subject, name, step, &mut findings);
    }
    if protocol == Protocol::Uci {
        for (name, step) in UCI_STEPS {
            run(subject, name, step, &mut findings);
        }
        raw::hostile(subject, &mut findings);
    }
    report(engine, protocol, findings)
}

fn report(engine: String, protocol: Protocol, findings: Vec<Finding>) -> Report {
    let fit = findings.iter().all(|finding| finding.result != Judgement::Failure);
    Report { engine, protocol: format!("{protocol:?}").to_lowercase(), fit, findings }
}

fn introduce(subject: &Subject, findings: &mut Vec<Finding>) -> Option<(String, Protocol)> {
    let mut notes = Notes::new("start");
    match start(subject) {
        Ok(engine) => {
            let (name, author) = (engine.name().to_owned(), engine.author().to_owned());
            if name.is_empty() {
                notes.warn("it does not tell its name");
            } else if author.is_empty() {
                notes.ok(format!("introduces itself as {name}"));
            } else {
                notes.ok(format!("introduces itself as {name}, by {author}"));
            }
            let protocol = engine.protocol();
            notes.close(Some(&*engine), findings);
            Some((name, protocol))
        }
        Err((words, lines)) => {
            notes.fail(words);
            notes.lines = lines;
            notes.close(None, findings);
            None
        }
    }
}

/// Starts the engine with its options set; or says why not, with the lines that show it.
fn start(subject: &Subject) -> Result<Box<dyn Engine>, (String, Vec<String>)> {
    let meanwhile = &mut Meanwhile::nothing();
    let started = smalt_driver::start(&subject.command, subject.protocol, PATIENCE, None, meanwhile);
    let mut engine = started.map_err(|failure| {
        let lines = failure.transcript.iter().map(ToString::to_string).collect();
        (failure.error.to_string(), last_of(lines))
    })?;
    for (name, text) in &subject.options {
        engine
            .set_option(name, text, meanwhile)
            .map_err(|error| (error.to_string(), last_lines(&*engine)))?;
    }
    Ok(engine)
}

fn run(subject: &Subject, name: &'static str, step: Step, findings: &mut Vec<Finding>) {
    let mut notes = Notes::new(name);
    match start(subject) {
        Ok(mut engine) => {
            match step(&mut *engine, &mut notes) {
                Ok(()) => {}
                Err(StepError::Conversation(error)) => notes.fail(error.to_string()),
                Err(StepError::Option(error)) => notes.fail(format!("failed to {error}")),
            }
            notes.close(Some(&*engine), findings);
        }
        Err((words, lines)) => {
            notes.fail(words);
            notes.lines = lines;
            notes.close(None, findings);
        }
    }
}

/// The last lines of a conversation.
fn last_lines(engine: &dyn Engine) -> Vec<String> {
    last_of(engine.transcript().lines().iter().map(ToString::to_string).collect())
}

fn last_of(lines: Vec<String>) -> Vec<String> {
    lines[lines.len().saturating_sub(LINES_SHOWN)..].to_vec()
}

/// What one step finds.
struct Notes {
    step: &'static str,
    found: Vec<(Judgement, String)>,
    lines: Vec<String>,
}

impl Notes {
    fn new(step: &'static str) -> Notes {
        Notes { step, found: Vec::new(), lines: Vec::new() }
    }

    fn ok(&mut self, words: impl Into<String>) {
        self.found.push((Judgement::Ok, words.into()));
    }

    fn warn(&mut self, words: impl Into<String>) {
        self.found.push((Judgement::Warning, words.into()));
    }

    fn fail(&mut self, words: impl Into<String>) {
        self.found.push((Judgement::Failure, words.into()));
    }

    /// Keeps these lines, if none are kept yet: they show what is found next.
    fn show(&mut self, engine: &dyn Engine) {
        if self.lines.is_empty() {
            self.lines = last_lines(engine);
        }
    }

    fn close(mut self, engine: Option<&dyn Engine>, findings: &mut Vec<Finding>) {
        let is_bad = self.found.iter().any(|(result, _)| *result != Judgement::Ok);
        if let Some(engine) = engine.filter(|_| is_bad) {
            self.show(engine);
        }
        for (result, words) in self.found {
            let lines = if result == Judgement::Ok { Vec::new() } else { self.lines.clone() };
            findings.push(Finding { step: self.step, result, words, lines });
        }
    }
}

/// A game of standard chess.
fn begin_game(engine: &mut dyn Engine) -> Result<(), ConversationError> {
    let terms = GameTerms { variant: CastlingMode::Standard, pondering: Pondering::Off };
    engine.new_game(terms, &mut Meanwhile::nothing())
}
