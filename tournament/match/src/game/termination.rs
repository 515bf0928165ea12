//! The ways a game can end, each with a stable name.

use std::fmt;
use std::str::FromStr;

use smalt_chess::{Color, Ending};

/// Why a game ended; the record's outcome has the winner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Termination {
    Checkmate,
    Stalemate,
    Repetition,
    /// Fifty moves by each side without a capture or a pawn move.
    FiftyMoves,
    /// Insufficient material, or a blocked position without a possible mate.
    InsufficientMaterial,
    /// Draw adjudicated by the engines' scores.
    DrawAdjudication,
    /// Win adjudicated by the engines' scores.
    WinAdjudication,
    MateAdjudication,
    /// Won by the tablebases.
    TablebaseWin,
    /// Drawn by the tablebases.
    TablebaseDraw,
    /// Maximum number of moves.
    MaximumMoves,
    /// Resignation, or an accepted claim of a loss.
    Resignation,
    /// Win claimed by a trusted engine.
    ClaimedWin,
    /// Draw claimed by a trusted engine.
    ClaimedDraw,
    TimeForfeit,
    /// The loser's process exited or closed its pipes.
    Disconnect,
    /// The loser answered neither `go` nor `stop`.
    Stall,
    IllegalMove,
    /// Null move or `(none)` in a position with legal moves.
    MissingMove,
    MalformedMove,
    /// A line longer than the limit.
    EndlessLine,
    /// False claim of a result.
    FalseClaim,
    /// Walkover in a knockout, a Swiss tournament or an open race: the loser could not be started.
    Walkover,
}

/// All terminations in table order, with stable name and PGN word.
const NAMES: [(Termination, &str, &str); 23] = [
    (Termination::Checkmate, "checkmate", "normal"),
    (Termination::Stalemate, "stalemate", "normal"),
    (Termination::Repetition, "repetition", "normal"),
    (Termination::FiftyMoves, "fifty moves", "normal"),
    (Termination::InsufficientMaterial, "insufficient material", "normal"),
    (Termination::DrawAdjudication, "draw adjudication", "adjudication"),
    (Termination::WinAdjudication, "win adjudication", "adjudication"),
    (Termination::MateAdjudication, "mate adjudication", "adjudication"),
    (Termination::TablebaseWin, "tablebase win", "adjudication"),
    (Termination::TablebaseDraw, "tablebase draw", "adjudication"),
    (Termination::MaximumMoves, "maximum moves", "adjudication"),
    (Termination::Resignation, "resignation", "normal"),
    (Termination::ClaimedWin, "claimed win", "normal"),
    (Termination::ClaimedDraw, "claimed draw", "normal"),
    (Termination::TimeForfeit, "time forfeit", "time forfeit"),
    (Termination::Disconnect, "disconnect", "abandoned"),
    (Termination::Stall, "stall", "stalled connection"),
    (Termination::IllegalMove, "illegal move", "illegal move"),
    (Termination::MissingMove, "missing move", "illegal move"),
    (Termination::MalformedMove, "malformed move", "illegal move"),
    (Termination::EndlessLine, "endless line", "rules infraction"),
    (Termination::FalseClaim, "false claim", "rules infraction"),
    (Termination::Walkover, "walkover", "abandoned"),
];

/// Category of a termination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminationKind {
    /// By the rules of chess or by adjudication.
    Play,
    Time,
    Crash,
    /// Illegal or unreadable move, or false claim.
    Move,
}

impl Termination {
    /// All terminations in table order.
    pub fn all() -> impl Iterator<Item = Termination> {
        NAMES.iter().map(|(termination, ..)| *termination)
    }

    /// Stable name for stores, tables and JSON.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// Value of PGN's Termination tag: the standard's (section 9.8.1), and for faults cutechess's, which scripts
    /// (OpenBench's) look for.
    pub fn pgn_word(self) -> &'static str {
        self.entry().2
    }

    fn entry(self) -> &'static (Termination, &'static str, &'static str) {
        NAMES.iter().find(|(termination, ..)| *termination == self).expect("the list is closed, and tested")
    }

    pub fn kind(self) -> TerminationKind {
        match self {
            Termination::TimeForfeit => TerminationKind::Time,
            Termination::Disconnect | Termination::Stall | Termination::Walkover => TerminationKind::Crash,
            Termination::IllegalMove
            | Termination::MissingMove
            | Termination::MalformedMove
            | Termination::EndlessLine
            | Termination::FalseClaim => TerminationKind::Move,
            _ => TerminationKind::Play,
        }
    }

    /// Whether it is an engine's fault.
    pub fn is_fault(self) -> bool {
        self.kind() != TerminationKind::Play
    }

    /// The ending in the words that scripts look for (OpenBench: `disconnect`, `stalls`, `illegal`). `winner` is
    /// ignored for a draw.
    pub fn sentence(self, winner: Color) -> String {
        let [winner, loser] = match winner {
            Color::White => ["White", "Black"],
            Color::Black => ["Black", "White"],
        };
        match self {
            Termination::Checkmate => format!("{winner} mates"),
            Termination::Stalemate => "Draw by stalemate".to_owned(),
            Termination::Repetition => "Draw by 3-fold repetition".to_owned(),
            Termination::FiftyMoves => "Draw by fifty moves rule".to_owned(),
            Termination::InsufficientMaterial => "Draw by insufficient mating material".to_owned(),
            Termination::DrawAdjudication => "Draw by adjudication".to_owned(),
            Termination::WinAdjudication => format!("{winner} wins by adjudication"),
            Termination::MateAdjudication => format!("{winner} wins by adjudication: mate announced"),
            Termination::TablebaseWin => format!("{winner} wins by adjudication: SyzygyTB"),
            Termination::TablebaseDraw => "Draw by adjudication: SyzygyTB".to_owned(),
            Termination::Resignation => format!("{loser} resigns"),
            Termination::ClaimedWin => format!("{winner} wins by the claim of an engine"),
            Termination::ClaimedDraw => "Draw by the claim of an engine".to_owned(),
            Termination::MaximumMoves => "Draw by adjudication: maximum number of moves".to_owned(),
            Termination::TimeForfeit => format!("{loser} loses on time"),
            Termination::Disconnect => format!("{loser} disconnects"),
            Termination::Stall => format!("{loser}'s connection stalls"),
            Termination::IllegalMove => format!("{loser} makes an illegal move"),
            Termination::MissingMove => format!("{loser} makes an illegal move: none"),
            Termination::MalformedMove => format!("{loser} makes an illegal move: unreadable"),
            Termination::EndlessLine => format!("{loser} makes an illegal move: a line without end"),
            Termination::FalseClaim => format!("{loser} makes a false claim of the result"),
            Termination::Walkover => format!("{loser} does not appear"),
        }
    }
}

impl From<Ending> for Termination {
    fn from(ending: Ending) -> Termination {
        match ending {
            Ending::Checkmate { .. } => Termination::Checkmate,
            Ending::Stalemate => Termination::Stalemate,
            Ending::InsufficientMaterial | Ending::DeadPosition => Termination::InsufficientMaterial,
            Ending::FivefoldRepetition | Ending::ThreefoldRepetition => Termination::Repetition,
            Ending::SeventyFiveMoves | Ending::FiftyMoves => Termination::FiftyMoves,
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Unknown name of a termination.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown termination {0:?}")]
pub struct ParseTerminationError(String);

impl FromStr for Termination {
    type Err = ParseTerminationError;

    fn from_str(text: &str) -> Result<Termination, ParseTerminationError> {
        let found = NAMES.iter().find(|(_, name, _)| *name == text);
        found.map(|(termination, ..)| *termination).ok_or_else(|| ParseTerminationError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_reads_as_what_it_names() {
        for termination in Termination::all() {
            assert_eq!(termination.name().parse(), Ok(termination));
        }
    }

    #[test]
    fn faults_other_than_illegal_moves_are_rules_infractions_in_pgn() {
        let check = |termination: Termination, word: &str| assert_eq!(termination.pgn_word(), word);
        check(Termination::EndlessLine, "rules infraction");
        check(Termination::FalseClaim, "rules infraction");
        check(Termination::IllegalMove, "illegal move");
    }

    #[test]
    fn scripts_find_their_words() {
        let check = |termination: Termination, word: &str| {
            assert!(termination.sentence(Color::White).contains(word), "{termination}");
        };
        check(Termination::Disconnect, "disconnect");
        check(Termination::Stall, "stalls");
        check(Termination::IllegalMove, "illegal");
        check(Termination::MissingMove, "illegal");
        check(Termination::EndlessLine, "illegal");
        check(Termination::TimeForfeit, "Black loses on time");
        check(Termination::Repetition, "Draw by 3-fold repetition");
    }
}
