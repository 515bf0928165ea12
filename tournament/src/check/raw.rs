//! What no well-meaning partner says: unknown commands, `quit` in the midst of a search, the end of the input. Spoken
//! line by line, past the driver's conversation.

use std::time::{Duration, Instant};

use smalt_driver::process::{Exit, Process, Pumped, Waiting, pump};

use super::{Finding, Judgement, Subject};

/// How long each answer, and each leaving, may take.
const SOON: Duration = Duration::from_secs(3);

/// A process, and what was said.
struct Talk {
    process: Process,
    lines: Vec<String>,
}

impl Talk {
    fn say(&mut self, line: &str) {
        self.lines.push(format!("> {line}"));
        self.process.write(format!("{line}\n").as_bytes());
    }

    /// Waits for a line that begins so.
    fn hear(&mut self, wanted: &str) -> bool {
        let deadline = Instant::now() + SOON;
        loop {
            while let Some(line) = self.process.take_line() {
                let text = line.text().into_owned();
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
                pump(&mut self.process, None, None, Waiting::ForOutput, deadline),
                Ok(Pumped::Progress)
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
type Question = fn(&mut Talk) -> (Judgement, String);

/// All of it; each with a process of its own.
pub(super) fn hostile(subject: &Subject, deadline: Instant, findings: &mut Vec<Finding>) {
    let steps: [(&'static str, Question); 3] = [
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
        let mut talk = Talk { process, lines: Vec::new() };
        talk.say("uci");
        let (result, words) = if talk.hear("uciok") {
            ask(&mut talk)
        } else {
            (Judgement::Failure, "does not answer `uci`".to_owned())
        };
        talk.process.kill();
        let lines = if result == Judgement::Ok { Vec::new() } else { talk.last_lines() };
        findings.push(Finding { step, result, words, lines });
    }
}

fn unknown_commands(talk: &mut Talk) -> (Judgement, String) {
    for line in ["xyzzy", "", "setoption name No Such Option value 1", "joho isready", "go_away 12"] {
        talk.say(line);
    }
    talk.say("isready");
    if talk.hear("readyok") {
        (Judgement::Ok, "takes no notice of unknown commands".to_owned())
    } else {
        (Judgement::Failure, "does not answer `isready` after unknown commands".to_owned())
    }
}

fn quit_while_thinking(talk: &mut Talk) -> (Judgement, String) {
    talk.say("isready");
    talk.hear("readyok");
    talk.say("position startpos");
    talk.say("go infinite");
    talk.hear("info");
    talk.say("quit");
    left(talk, "told to quit while it thinks")
}

fn end_of_input(talk: &mut Talk) -> (Judgement, String) {
    talk.say("isready");
    talk.hear("readyok");
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
