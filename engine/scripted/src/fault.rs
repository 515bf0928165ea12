//! The ways to misbehave, each with its name and its moment. What they do in detail is for the session to know.

use std::fmt;

/// A way to misbehave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
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

/// When a fault shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Moment {
    /// At the start, or all the time: nothing to choose.
    Fixed,
    /// At a `go`.
    Go,
}

/// A fault as the command line knows it.
struct Entry {
    fault: Fault,
    name: &'static str,
    moment: Moment,
    effect: &'static str,
}

const fn fixed(fault: Fault, name: &'static str, effect: &'static str) -> Entry {
    Entry { fault, name, moment: Moment::Fixed, effect }
}

const fn at_go(fault: Fault, name: &'static str, effect: &'static str) -> Entry {
    Entry { fault, name, moment: Moment::Go, effect }
}

const FAULTS: &[Entry] = &[
    fixed(Fault::ExitAtStart, "exit-at-start", "ends with status 1 before it reads a word"),
    fixed(Fault::SlowStart, "slow-start", "waits for --delay before it reads a word"),
    fixed(Fault::Grandchild, "grandchild", "starts a child of its own that holds the pipes and outlives it"),
    fixed(Fault::Crlf, "crlf", "ends its lines as Windows does"),
    fixed(Fault::NoUciok, "no-uciok", "never says uciok, or that its features are done"),
    fixed(Fault::NoReadyok, "no-readyok", "never says readyok or pong"),
    fixed(Fault::IgnoreStop, "ignore-stop", "does not hear stop, ponderhit and ?"),
    fixed(Fault::IgnoreQuit, "ignore-quit", "does not hear quit, nor that its input has ended"),
    fixed(Fault::SlowStop, "slow-stop", "hears stop only after --delay"),
    fixed(Fault::SlowQuit, "slow-quit", "leaves only --delay after quit"),
    fixed(Fault::Daemon, "daemon", "starts a grandchild in a session of its own that outlives it"),
    fixed(Fault::ExitAtQuit, "exit-at-quit", "ends with status 1 on quit"),
    fixed(Fault::CrashAtQuit, "crash-at-quit", "is ended by a signal on quit"),
    at_go(Fault::Exit, "exit", "ends with status 1 instead of answering"),
    at_go(Fault::Crash, "crash", "is ended by a signal instead of answering"),
    at_go(Fault::LoudCrash, "loud-crash", "is ended by a signal, and tells why on standard error"),
    at_go(Fault::ExitAfterBestmove, "exit-after-bestmove", "answers, and ends with status 1"),
    at_go(Fault::Hang, "hang", "neither reads nor writes any more"),
    at_go(Fault::NoBestmove, "no-bestmove", "never answers, stop or not, but answers isready and hears quit"),
    at_go(Fault::InfoForever, "info-forever", "sends an info line every millisecond and never answers"),
    at_go(Fault::IgnoreLimit, "ignore-limit", "thinks beyond any limit, and answers only to stop"),
    at_go(Fault::Late, "late", "answers after --delay, stop or not"),
    at_go(Fault::StrayBestmove, "stray-bestmove", "answers twice"),
    at_go(Fault::LateRepeat, "late-repeat", "answers, and gives the same answer again after --delay"),
    at_go(Fault::LongInfo, "long-info", "sends an info line of --flood megabytes, then answers"),
    at_go(Fault::IllegalMove, "illegal-move", "answers a well-formed move that is against the rules"),
    at_go(Fault::MalformedBestmove, "malformed-bestmove", "answers a word that is no move"),
    at_go(Fault::NullMove, "null-move", "answers the null move"),
    at_go(Fault::NoneMove, "none-move", "answers (none)"),
    at_go(Fault::MissingMove, "missing-move", "answers bestmove or move, and no word more"),
    at_go(Fault::TrailingGarbage, "trailing-garbage", "answers with rubbish behind the move"),
    at_go(Fault::NulBytes, "nul-bytes", "answers with zero bytes in and before the line"),
    at_go(Fault::InvalidUtf8, "invalid-utf8", "sends a line that is not UTF-8, then answers"),
    at_go(Fault::HalfLine, "half-line", "sends half of its answer, and never the rest"),
    at_go(Fault::HalfLineExit, "half-line-exit", "sends half of its answer, and ends with status 1"),
    at_go(Fault::EndlessLine, "endless-line", "sends a line that never ends"),
    at_go(Fault::FloodStdout, "flood-stdout", "sends --flood megabytes of info lines, then answers"),
    at_go(Fault::FloodStderr, "flood-stderr", "sends --flood megabytes to standard error, then answers"),
    at_go(Fault::FalseResult, "false-result", "says that it has won, where it has not (xboard)"),
    at_go(Fault::Resign, "resign", "gives up instead of answering (xboard)"),
    at_go(Fault::RefuseMove, "refuse-move", "calls the opponent's move illegal (xboard)"),
    at_go(Fault::CloseStdout, "close-stdout", "closes its output instead of answering, and reads on"),
];

/// A fault and the searches at which it shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlannedFault {
    pub(crate) fault: Fault,
    searches: Searches,
}

/// Searches by their number since the start, from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Searches {
    Every,
    Only(u32),
}

impl PlannedFault {
    /// Reads `NAME`, `NAME@N` or `NAME@all`. `None` for an unknown name, or a moment where none can be chosen.
    pub(crate) fn parse(text: &str) -> Option<PlannedFault> {
        let (name, moment) = text.split_once('@').map_or((text, None), |(name, at)| (name, Some(at)));
        let entry = FAULTS.iter().find(|entry| entry.name == name)?;
        let searches = match (moment, entry.moment) {
            (None, Moment::Fixed) | (Some("all"), Moment::Go) => Searches::Every,
            (None, Moment::Go) => Searches::Only(1),
            (Some(number), Moment::Go) => Searches::Only(number.parse().ok().filter(|&n| n > 0)?),
            (Some(_), Moment::Fixed) => return None,
        };
        Some(PlannedFault { fault: entry.fault, searches })
    }

    /// Whether the fault shows at a search.
    pub(crate) fn shows_at(self, search: u32) -> bool {
        self.is_of_go() && (self.searches == Searches::Every || self.searches == Searches::Only(search))
    }

    fn is_of_go(self) -> bool {
        FAULTS.iter().any(|entry| entry.fault == self.fault && entry.moment == Moment::Go)
    }
}

/// The list of faults, for the help.
pub(crate) struct List;

impl fmt::Display for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        FAULTS.iter().try_for_each(|entry| {
            let name = match entry.moment {
                Moment::Fixed => entry.name.to_owned(),
                Moment::Go => format!("{}[@N]", entry.name),
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
