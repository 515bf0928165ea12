//! Sessions as scripts.

use smalt_protocol::xboard::EngineMessage;

use crate::pipes::Conversation;

/// Runs a session line by line: text after `>` is sent, text after `<` must be the next line received, where `*`
/// matches anything. Thinking lines are skipped.
pub(crate) fn check(conversation: &str) {
    hold(conversation).end();
}

pub(crate) fn hold(conversation: &str) -> Conversation {
    let mut engine = Conversation::begin();
    continue_with(&mut engine, conversation);
    engine
}

pub(crate) fn continue_with(engine: &mut Conversation, conversation: &str) {
    for step in conversation.lines().map(str::trim).filter(|step| !step.is_empty()) {
        match step.split_at(1) {
            (">", line) => engine.send(line.trim()),
            ("<", expected) => {
                let received = next(engine);
                assert!(
                    fits(expected.trim(), &received),
                    "{received:?} instead of {expected:?} in {conversation}"
                );
            }
            _ => panic!("{step}"),
        }
    }
}

/// The next line that is not thinking output.
pub(crate) fn next(engine: &Conversation) -> String {
    loop {
        let line = engine.read_line();
        if !matches!(EngineMessage::parse(&line), EngineMessage::Thinking(_)) {
            return line;
        }
    }
}

fn fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            line.len() >= start.len() + end.len() && line.starts_with(start) && line.ends_with(end)
        }
        None => pattern == line,
    }
}
