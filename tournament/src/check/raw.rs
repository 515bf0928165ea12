//! Checks below the driver, with raw lines: surplus answers, unknown commands, `quit` during a search, end of input.

use std::time::{Duration, Instant};

use smalt_driver::Protocol;
use smalt_driver::process::{Exit, PollOutcome, Process, WaitFor, poll_once};

use super::{CheckResult, EngineUnderTest, Finding, Findings};

/// Timeout of each answer and exit.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(3);

/// Timeout of xboard features.
const FEATURES_TIMEOUT: Duration = Duration::from_secs(2);

/// Silence after which xboard features are complete.
const FEATURES_SILENCE: Duration = Duration::from_millis(200);

/// Time after which a search is certainly running.
const THINK_TIME: Duration = Duration::from_millis(500);

/// A short search: only the form of the answer matters.
const QUICK: &str = "go movetime 50";

/// A process with its lines.
struct RawSession {
    process: Process,
    lines: Vec<String>,
    /// Whether a line had zero bytes or invalid UTF-8.
    is_unclean: bool,
}

impl RawSession {
    fn send(&mut self, line: &str) {
        self.lines.push(format!("> {line}"));
        self.process.write(format!("{line}\n").as_bytes());
    }

    /// Waits for a line with this prefix.
    fn wait_for(&mut self, wanted: &str) -> bool {
        self.wait_for_within(wanted, ANSWER_TIMEOUT)
    }

    fn wait_for_within(&mut self, wanted: &str, time: Duration) -> bool {
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

/// Sends something and checks the reaction.
type Probe = fn(&mut RawSession, Protocol) -> (CheckResult, String);

/// Runs all probes, each with its own process.
pub(super) fn hostile(
    subject: &EngineUnderTest,
    protocol: Protocol,
    deadline: Instant,
    findings: &mut Findings<'_>,
) {
    let steps: [(&'static str, Probe); 4] = [
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
        let mut talk = RawSession { process, lines: Vec::new(), is_unclean: false };
        let (result, words) = if greet(&mut talk, protocol) {
            ask(&mut talk, protocol)
        } else {
            (CheckResult::Failure, "does not answer `uci`".to_owned())
        };
        talk.process.kill();
        let is_fine = matches!(result, CheckResult::Ok | CheckResult::Inapplicable);
        let lines = if is_fine { Vec::new() } else { talk.last_lines() };
        findings.push(Finding { step, result, words, lines });
    }
}

/// Handshake; xboard version 1 engines send nothing.
fn greet(talk: &mut RawSession, protocol: Protocol) -> bool {
    if protocol == Protocol::Uci {
        talk.send("uci");
        return talk.wait_for("uciok") && is_ready(talk);
    }
    talk.send("xboard");
    talk.send("protover 2");
    let deadline = Instant::now() + FEATURES_TIMEOUT;
    for (silence, lines) in smalt_driver::xboard_wake_up_lines() {
        if talk.wait_for_within("feature", silence) || talk.process.is_silent() || Instant::now() >= deadline
        {
            break;
        }
        let shown = format!("> {}", lines.trim_ascii().escape_ascii());
        if talk.lines.last() != Some(&shown) {
            talk.lines.push(shown);
        }
        talk.process.write(lines);
    }
    while talk.wait_for_within("feature", FEATURES_SILENCE) {}
    talk.send("new");
    true
}

fn is_ready(talk: &mut RawSession) -> bool {
    talk.send("isready");
    talk.wait_for("readyok")
}

/// Surplus answers are dangerous: a second bestmove looks like the answer to the next search.
fn answers(talk: &mut RawSession, protocol: Protocol) -> (CheckResult, String) {
    if protocol != Protocol::Uci {
        return (CheckResult::Inapplicable, "xboard moves answer no separate question".to_owned());
    }
    let complaint = |words: &str| (CheckResult::Warning, words.to_owned());
    for position in ["position startpos", "position startpos moves e2e4", "position startpos moves e2e4 e7e5"]
    {
        let before = talk.lines.len();
        talk.send(position);
        talk.send(QUICK);
        let answered = talk.wait_for("bestmove") && is_ready(talk);
        if talk.is_unclean {
            return complaint("writes lines with zero bytes or invalid UTF-8");
        }
        let best: Vec<&str> =
            talk.lines[before..].iter().filter_map(|line| line.strip_prefix("< bestmove ")).collect();
        let words: Vec<&str> = best.iter().take(1).flat_map(|words| words.split_whitespace()).collect();
        let is_plain = matches!(words[..], [_] | [_, "ponder", _]);
        match (answered, best.len()) {
            (true, 1) if is_plain => {}
            (true, 1) => return complaint("writes more after its best move than `ponder` and a move"),
            (true, 2..) => return complaint("writes a second bestmove for one go"),
            _ => return complaint("writes no bestmove within 3 s of `go movetime 50`"),
        }
    }
    (CheckResult::Ok, "answers each command once, in valid text".to_owned())
}

fn unknown_commands(talk: &mut RawSession, protocol: Protocol) -> (CheckResult, String) {
    for line in ["xyzzy", "", "setoption name No Such Option value 1", "joho isready", "go_away 12"] {
        talk.send(line);
    }
    let (question, answer) = match protocol {
        Protocol::Uci => ("isready", "readyok"),
        _ if !talk.lines.iter().any(|line| line.contains("ping=1")) => {
            return (
                CheckResult::Inapplicable,
                "does not answer `ping`, so that this cannot be checked".to_owned(),
            );
        }
        _ => ("ping 77", "pong 77"),
    };
    talk.send(question);
    if talk.wait_for(answer) {
        (CheckResult::Ok, "ignores unknown commands".to_owned())
    } else {
        // An xboard client sends only commands allowed by features, so this does not occur in games.
        let result = if protocol == Protocol::Uci { CheckResult::Failure } else { CheckResult::Warning };
        (result, format!("does not answer `{question}` after an unknown command"))
    }
}

fn quit_while_thinking(talk: &mut RawSession, protocol: Protocol) -> (CheckResult, String) {
    if protocol == Protocol::Uci {
        talk.send("position startpos");
        talk.send("go infinite");
        talk.wait_for("info");
    } else {
        for line in ["st 60", "post", "go"] {
            talk.send(line);
        }
        std::thread::sleep(THINK_TIME);
    }
    talk.send("quit");
    let (result, words) = check_exit(talk, "it gets quit during a search");
    // xboard engines may ignore input while thinking; a runner then kills them.
    (if protocol == Protocol::Uci { result } else { result.min(CheckResult::Warning) }, words)
}

fn end_of_input(talk: &mut RawSession, _: Protocol) -> (CheckResult, String) {
    talk.process.close_stdin();
    let (result, words) = check_exit(talk, "its input ends");
    // A runner then kills it, which only costs time.
    (result.min(CheckResult::Warning), words)
}

fn check_exit(talk: &mut RawSession, when: &str) -> (CheckResult, String) {
    match talk.process.await_exit(Instant::now() + ANSWER_TIMEOUT) {
        Some(Exit::Code(0)) => (CheckResult::Ok, format!("exits when {when}")),
        Some(exit) => (CheckResult::Warning, format!("exits when {when}, but {exit}")),
        None => {
            (CheckResult::Failure, format!("does not exit within {} s when {when}", ANSWER_TIMEOUT.as_secs()))
        }
    }
}
