//! The closed list of ways in which a game ends, each with its own name.

use std::fmt;
use std::str::FromStr;

use smalt_chess::{Color, Ending};

/// Why a game is over. Who won is told by the record's outcome.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Termination {
    /// Mate.
    Checkmate,
    /// No legal move, and no check.
    Stalemate,
    /// A position for the third time.
    Repetition,
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves,
    /// Nobody has the pieces to give mate, or they are locked for ever.
    InsufficientMaterial,
    /// Both engines saw a draw for long enough.
    DrawAdjudication,
    /// The loser's case was hopeless for long enough.
    WinAdjudication,
    /// Both engines announced a mate.
    MateAdjudication,
    /// The endgame tables know that one side wins.
    TablebaseWin,
    /// The endgame tables know that it is a draw.
    TablebaseDraw,
    /// The game was too long.
    MaximumMoves,
    /// The loser gave up.
    Resignation,
    /// The loser's time ran out.
    TimeForfeit,
    /// The loser's process ended, or closed its pipes.
    Disconnect,
    /// The loser neither moved nor stopped.
    Stall,
    /// The loser's move was against the rules.
    IllegalMove,
    /// The loser said that it has no move, where it had one.
    MissingMove,
    /// The loser's move was no move's text.
    MalformedMove,
    /// The loser's line had no end.
    EndlessLine,
    /// The loser claimed a result that the rules do not give it.
    FalseClaim,
    /// The loser could not be started any more, in a tournament that goes on by results: nobody moved.
    Walkover,
}

/// All of them in the order of tables, with their names and PGN's words for them.
const NAMES: [(Termination, &str, &str); 21] = [
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

/// What part of the game is to blame for its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TerminationKind {
    /// Chess, or those who watch it.
    Play,
    /// An engine's clock.
    Time,
    /// An engine's process broke down.
    Crash,
    /// An engine's move.
    Move,
}

impl Termination {
    /// All of them, in the order of tables.
    pub fn all() -> impl Iterator<Item = Termination> {
        NAMES.iter().map(|(termination, ..)| *termination)
    }

    /// A stable name for stores, tables and JSON.
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// The value of PGN's Termination tag: those of its standard (section 9.8.1), and for faults cutechess's, which scripts
    /// (OpenBench's) look for.
    pub fn pgn_word(self) -> &'static str {
        self.entry().2
    }

    fn entry(self) -> &'static (Termination, &'static str, &'static str) {
        NAMES.iter().find(|(termination, ..)| *termination == self).expect("the list is closed, and tested")
    }

    /// What part of the game is to blame.
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

    /// Whether an engine failed otherwise than at chess.
    pub fn is_fault(self) -> bool {
        self.kind() != TerminationKind::Play
    }

    /// The end in words that scripts look for (OpenBench: `disconnect`, `stalls`, `illegal`). In a draw it does not
    /// matter who is said to have won.
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

/// A name that is none of the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown ending of a game {0:?}")]
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
    fn what_is_no_illegal_move_is_a_rules_infraction_in_pgn() {
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
