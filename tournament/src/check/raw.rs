//! What the driver's conversation would hide: answers that are more than answers; and what no well-meaning partner says:
//! unknown commands, `quit` in the midst of a search, the end of the input. Spoken line by line, past that conversation.

use std::time::{Duration, Instant};

use smalt_driver::Protocol;
use smalt_driver::process::{Exit, PollOutcome, Process, WaitFor, poll_once};

use super::{Finding, Findings, Judgement, Subject};

/// How long each answer, and each leaving, may take.
const SOON: Duration = Duration::from_secs(3);

/// How long the first words of an engine of xboard's protocol are awaited.
const FEATURES: Duration = Duration::from_secs(2);

/// After such a silence it has no more features to tell.
const TOLD: Duration = Duration::from_millis(200);

/// After so long it surely thinks.
const THINKING: Duration = Duration::from_millis(500);

/// An order to think of which only the form of the answer matters.
const QUICK: &str = "go movetime 50";

/// A process, and what was said.
struct Talk {
    process: Process,
    lines: Vec<String>,
    /// Whether a line was no text: zero bytes, or not UTF-8.
    is_unclean: bool,
}

impl Talk {
    fn say(&mut self, line: &str) {
        self.lines.push(format!("> {line}"));
        self.process.write(format!("{line}\n").as_bytes());
    }

    /// Waits for a line that begins so.
    fn hear(&mut self, wanted: &str) -> bool {
        self.hear_within(wanted, SOON)
    }

    fn hear_within(&mut self, wanted: &str, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            while let Some(line) = self.process.take_line() {
                let text = line.text().into_owned();
                self.is_unclean |= line.bytes.contains(&0) || str::from_utf8(line.bytes).is_err();
                let is_it = text.starts_with(wanted);
                self.lines.push(format!("< {text}"));
                if is_it {
                    return true;
                }
            }
            if self.process.is_silent() || Instant::now() >= deadline {
                return false;
            }
            if !matches!(
                poll_once(&mut self.process, None, None, WaitFor::Output, deadline),
                Ok(PollOutcome::Progress)
            ) {
                return false;
            }
        }
    }

    fn last_lines(&self) -> Vec<String> {
        self.lines[self.lines.len().saturating_sub(super::LINES_SHOWN)..].to_vec()
    }
}

/// Says something, and judges what comes of it.
type WorkerRequest = fn(&mut Talk, Protocol) -> (Judgement, String);

/// All of it; each with a process of its own.
pub(super) fn hostile(subject: &Subject, protocol: Protocol, deadline: Instant, findings: &mut Findings<'_>) {
    let steps: [(&'static str, WorkerRequest); 4] = [
        ("answers", answers),
        ("unknown commands", unknown_commands),
        ("quit while thinking", quit_while_thinking),
        ("end of input", end_of_input),
    ];
    for (step, ask) in steps {
        if Instant::now() >= deadline {
            findings.push(super::not_examined(step));
            continue;
        }
        let Ok(process) = Process::spawn(&subject.command) else { continue };
        let mut talk = Talk { process, lines: Vec::new(), is_unclean: false };
        let (result, words) = if greet(&mut talk, protocol) {
            ask(&mut talk, protocol)
        } else {
            (Judgement::Failure, "does not answer `uci`".to_owned())
        };
        talk.process.kill();
        let is_fine = matches!(result, Judgement::Ok | Judgement::Inapplicable);
        let lines = if is_fine { Vec::new() } else { talk.last_lines() };
        findings.push(Finding { step, result, words, lines });
    }
}

/// Introductions; whether they were made. Engines of xboard's first version say nothing, and need not.
fn greet(talk: &mut Talk, protocol: Protocol) -> bool {
    if protocol == Protocol::Uci {
        talk.say("uci");
        return talk.hear("uciok") && is_ready(talk);
    }
    talk.say("xboard");
    talk.say("protover 2");
    let deadline = Instant::now() + FEATURES;
    for (silence, lines) in smalt_driver::xboard_wake_up_lines() {
        if talk.hear_within("feature", silence) || talk.process.is_silent() || Instant::now() >= deadline {
            break;
        }
        let shown = format!("> {}", lines.trim_ascii().escape_ascii());
        if talk.lines.last() != Some(&shown) {
            talk.lines.push(shown);
        }
        talk.process.write(lines);
    }
    while talk.hear_within("feature", TOLD) {}
    talk.say("new");
    true
}

fn is_ready(talk: &mut Talk) -> bool {
    talk.say("isready");
    talk.hear("readyok")
}

/// A runner may read what is not as it should be in its own way: a second best move as the answer to the next question.
fn answers(talk: &mut Talk, protocol: Protocol) -> (Judgement, String) {
    if protocol != Protocol::Uci {
        return (
            Judgement::Inapplicable,
            "moves of xboard's protocol answer no question of their own".to_owned(),
        );
    }
    let complaint = |words: &str| (Judgement::Warning, words.to_owned());
    for position in ["position startpos", "position startpos moves e2e4", "position startpos moves e2e4 e7e5"]
    {
        let before = talk.lines.len();
        talk.say(position);
        talk.say(QUICK);
        let answered = talk.hear("bestmove") && is_ready(talk);
        if talk.is_unclean {
            return complaint("writes lines that are no text: zero bytes, or what is not UTF-8");
        }
        let best: Vec<&str> =
            talk.lines[before..].iter().filter_map(|line| line.strip_prefix("< bestmove ")).collect();
        let words: Vec<&str> = best.iter().take(1).flat_map(|words| words.split_whitespace()).collect();
        let is_plain = matches!(words[..], [_] | [_, "ponder", _]);
        match (answered, best.len()) {
            (true, 1) if is_plain => {}
            (true, 1) => return complaint("writes more behind its best move than `ponder` and a move"),
            (true, 2..) => return complaint("gives a second best move where one was asked for"),
            _ => return complaint("gives no best move within 3 s when asked for one in 50 ms"),
        }
    }
    (Judgement::Ok, "answers each question once, in plain words".to_owned())
}

fn unknown_commands(talk: &mut Talk, protocol: Protocol) -> (Judgement, String) {
    for line in ["xyzzy", "", "setoption name No Such Option value 1", "joho isready", "go_away 12"] {
        talk.say(line);
    }
    let (question, answer) = match protocol {
        Protocol::Uci => ("isready", "readyok"),
        _ if !talk.lines.iter().any(|line| line.contains("ping=1")) => {
            return (Judgement::Inapplicable, "answers no `ping` by which it could be told".to_owned());
        }
        _ => ("ping 77", "pong 77"),
    };
    talk.say(question);
    if talk.hear(answer) {
        (Judgement::Ok, "ignores unknown commands".to_owned())
    } else {
        // A partner of xboard's protocol says only what features allow, so that this is not met in games.
        let result = if protocol == Protocol::Uci { Judgement::Failure } else { Judgement::Warning };
        (result, format!("does not answer `{question}` after unknown commands"))
    }
}

fn quit_while_thinking(talk: &mut Talk, protocol: Protocol) -> (Judgement, String) {
    if protocol == Protocol::Uci {
        talk.say("position startpos");
        talk.say("go infinite");
        talk.hear("info");
    } else {
        for line in ["st 60", "post", "go"] {
            talk.say(line);
        }
        std::thread::sleep(THINKING);
    }
    talk.say("quit");
    let (result, words) = left(talk, "told to quit while it thinks");
    // Engines of xboard's protocol need not listen while they think; a runner kills them then.
    (if protocol == Protocol::Uci { result } else { result.min(Judgement::Warning) }, words)
}

fn end_of_input(talk: &mut Talk, _: Protocol) -> (Judgement, String) {
    talk.process.close_stdin();
    let (result, words) = left(talk, "its input ends");
    // A runner kills it then; nothing is lost but the time.
    (result.min(Judgement::Warning), words)
}

fn left(talk: &mut Talk, when: &str) -> (Judgement, String) {
    match talk.process.await_exit(Instant::now() + SOON) {
        Some(Exit::Code(0)) => (Judgement::Ok, format!("leaves when {when}")),
        Some(exit) => (Judgement::Warning, format!("leaves when {when}, but {exit}")),
        None => (Judgement::Failure, format!("does not leave within {} s when {when}", SOON.as_secs())),
    }
}
