//! Faults by name and trigger. The session implements them.

use std::fmt;

/// A kind of misbehavior.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ScriptedFault {
    ExitAtStart,
    SlowStart,
    Grandchild,
    Crlf,
    NoUciok,
    NoReadyok,
    IgnoreStop,
    IgnoreQuit,
    SlowStop,
    SlowQuit,
    Daemon,
    ExitAtQuit,
    CrashAtQuit,
    Exit,
    Crash,
    LoudCrash,
    ExitAfterBestmove,
    Hang,
    NoBestmove,
    InfoForever,
    IgnoreLimit,
    Late,
    StrayBestmove,
    LateRepeat,
    LongInfo,
    IllegalMove,
    MalformedBestmove,
    NullMove,
    NoneMove,
    MissingMove,
    TrailingGarbage,
    NulBytes,
    InvalidUtf8,
    HalfLine,
    HalfLineExit,
    EndlessLine,
    FloodStdout,
    FloodStderr,
    CloseStdout,
    FalseResult,
    Resign,
    RefuseMove,
}

/// When a fault occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FaultTrigger {
    /// At the start, or all the time; it has no trigger.
    Fixed,
    Go,
}

/// A fault with its command-line name.
struct FaultEntry {
    fault: ScriptedFault,
    name: &'static str,
    moment: FaultTrigger,
    effect: &'static str,
}

const fn fixed(fault: ScriptedFault, name: &'static str, effect: &'static str) -> FaultEntry {
    FaultEntry { fault, name, moment: FaultTrigger::Fixed, effect }
}

const fn at_go(fault: ScriptedFault, name: &'static str, effect: &'static str) -> FaultEntry {
    FaultEntry { fault, name, moment: FaultTrigger::Go, effect }
}

const FAULTS: &[FaultEntry] = &[
    fixed(ScriptedFault::ExitAtStart, "exit-at-start", "ends with status 1 before it reads a word"),
    fixed(ScriptedFault::SlowStart, "slow-start", "waits for --delay before it reads a word"),
    fixed(ScriptedFault::Grandchild, "grandchild", "starts a child that holds the pipes and outlives it"),
    fixed(ScriptedFault::Crlf, "crlf", "ends its lines as Windows does"),
    fixed(ScriptedFault::NoUciok, "no-uciok", "never says uciok, or that its features are done"),
    fixed(ScriptedFault::NoReadyok, "no-readyok", "never says readyok or pong"),
    fixed(ScriptedFault::IgnoreStop, "ignore-stop", "ignores stop, ponderhit and ?"),
    fixed(ScriptedFault::IgnoreQuit, "ignore-quit", "ignores quit and the end of its input"),
    fixed(ScriptedFault::SlowStop, "slow-stop", "handles stop only after --delay"),
    fixed(ScriptedFault::SlowQuit, "slow-quit", "leaves only --delay after quit"),
    fixed(ScriptedFault::Daemon, "daemon", "starts a grandchild in another session that outlives it"),
    fixed(ScriptedFault::ExitAtQuit, "exit-at-quit", "ends with status 1 on quit"),
    fixed(ScriptedFault::CrashAtQuit, "crash-at-quit", "is ended by a signal on quit"),
    at_go(ScriptedFault::Exit, "exit", "ends with status 1 instead of answering"),
    at_go(ScriptedFault::Crash, "crash", "is ended by a signal instead of answering"),
    at_go(
        ScriptedFault::LoudCrash,
        "loud-crash",
        "is ended by a signal, with a panic message on standard error",
    ),
    at_go(ScriptedFault::ExitAfterBestmove, "exit-after-bestmove", "answers, and ends with status 1"),
    at_go(ScriptedFault::Hang, "hang", "neither reads nor writes any more"),
    at_go(ScriptedFault::NoBestmove, "no-bestmove", "never answers a search, but handles isready and quit"),
    at_go(
        ScriptedFault::InfoForever,
        "info-forever",
        "sends an info line every millisecond and never answers",
    ),
    at_go(ScriptedFault::IgnoreLimit, "ignore-limit", "thinks beyond any limit, and answers only to stop"),
    at_go(ScriptedFault::Late, "late", "answers after --delay, stop or not"),
    at_go(ScriptedFault::StrayBestmove, "stray-bestmove", "answers twice"),
    at_go(ScriptedFault::LateRepeat, "late-repeat", "answers, and gives the same answer again after --delay"),
    at_go(ScriptedFault::LongInfo, "long-info", "sends an info line of --flood megabytes, then answers"),
    at_go(ScriptedFault::IllegalMove, "illegal-move", "answers a well-formed move that is against the rules"),
    at_go(ScriptedFault::MalformedBestmove, "malformed-bestmove", "answers a word that is not a move"),
    at_go(ScriptedFault::NullMove, "null-move", "answers the null move"),
    at_go(ScriptedFault::NoneMove, "none-move", "answers (none)"),
    at_go(ScriptedFault::MissingMove, "missing-move", "answers bestmove or move, and no word more"),
    at_go(ScriptedFault::TrailingGarbage, "trailing-garbage", "answers with rubbish behind the move"),
    at_go(ScriptedFault::NulBytes, "nul-bytes", "answers with zero bytes in and before the line"),
    at_go(ScriptedFault::InvalidUtf8, "invalid-utf8", "sends a line that is not UTF-8, then answers"),
    at_go(ScriptedFault::HalfLine, "half-line", "sends half of its answer, and never the rest"),
    at_go(ScriptedFault::HalfLineExit, "half-line-exit", "sends half of its answer, and ends with status 1"),
    at_go(ScriptedFault::EndlessLine, "endless-line", "sends a line that never ends"),
    at_go(ScriptedFault::FloodStdout, "flood-stdout", "sends --flood megabytes of info lines, then answers"),
    at_go(
        ScriptedFault::FloodStderr,
        "flood-stderr",
        "sends --flood megabytes to standard error, then answers",
    ),
    at_go(ScriptedFault::FalseResult, "false-result", "claims a win falsely (xboard)"),
    at_go(ScriptedFault::Resign, "resign", "resigns instead of answering (xboard)"),
    at_go(ScriptedFault::RefuseMove, "refuse-move", "calls the opponent's move illegal (xboard)"),
    at_go(ScriptedFault::CloseStdout, "close-stdout", "closes its output instead of answering, and reads on"),
];

/// A fault and the searches in which it occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlannedFault {
    pub(crate) fault: ScriptedFault,
    searches: Searches,
}

/// Search number since the start, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Searches {
    Every,
    Only(u32),
}

impl PlannedFault {
    /// Parses `NAME`, `NAME@N` or `NAME@all`. `None` for an unknown name, or a search number for a fault without one.
    pub(crate) fn parse(text: &str) -> Option<PlannedFault> {
        let (name, moment) = text.split_once('@').map_or((text, None), |(name, at)| (name, Some(at)));
        let entry = FAULTS.iter().find(|entry| entry.name == name)?;
        let searches = match (moment, entry.moment) {
            (None, FaultTrigger::Fixed) | (Some("all"), FaultTrigger::Go) => Searches::Every,
            (None, FaultTrigger::Go) => Searches::Only(1),
            (Some(number), FaultTrigger::Go) => Searches::Only(number.parse().ok().filter(|&n| n > 0)?),
            (Some(_), FaultTrigger::Fixed) => return None,
        };
        Some(PlannedFault { fault: entry.fault, searches })
    }

    /// Whether the fault occurs in this search.
    pub(crate) fn shows_at(self, search: u32) -> bool {
        self.is_of_go() && (self.searches == Searches::Every || self.searches == Searches::Only(search))
    }

    fn is_of_go(self) -> bool {
        FAULTS.iter().any(|entry| entry.fault == self.fault && entry.moment == FaultTrigger::Go)
    }
}

/// The list of faults, for the help.
pub(crate) struct List;

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FAULTS.iter().try_for_each(|entry| {
            let name = match entry.moment {
                FaultTrigger::Fixed => entry.name.to_owned(),
                FaultTrigger::Go => format!("{}[@N]", entry.name),
            };
            writeln!(f, "  {name:<25}{}", entry.effect)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, search: u32, shows: Option<bool>) {
        assert_eq!(PlannedFault::parse(text).map(|fault| fault.shows_at(search)), shows, "{text}");
    }

    #[test]
    fn a_fault_shows_at_its_search() {
        check("exit", 1, Some(true));
        check("exit", 2, Some(false));
        check("exit@2", 2, Some(true));
        check("exit@all", 7, Some(true));
        check("crlf", 1, Some(false));
    }

    #[test]
    fn other_texts_are_no_faults() {
        for text in ["", "exits", "exit@", "exit@0", "exit@-1", "crlf@2", "crlf@all"] {
            check(text, 1, None);
        }
    }

    #[test]
    fn every_fault_has_one_name() {
        for entry in FAULTS {
            assert_eq!(FAULTS.iter().filter(|other| other.name == entry.name).count(), 1);
            assert_eq!(FAULTS.iter().filter(|other| other.fault == entry.fault).count(), 1);
        }
    }
}
