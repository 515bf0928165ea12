//! Warnings and endings in the words of either program.

use smalt_chess::Color;
use smalt_match::game::{
    Finding, GameRecord, GameWarning, MateSigns, SearchWarning, Termination, TerminationKind,
};
use smalt_match::schedule::ScheduledGame;
use smalt_report::sanitize::sanitize;

use super::{CompatOutput, Dialect, Level, c_chess_cli};

impl CompatOutput {
    /// Prints a warning in fastchess's format; cutechess-cli has none.
    pub(super) fn print_warning(&mut self, text: &str) {
        let line = format!("Warning; {text}\n");
        match self.shown.dialect {
            Dialect::Fastchess => {
                self.print_output(&line);
                self.note(Level::Warn, &line);
            }
            Dialect::Cutechess | Dialect::CChessCli => self.warn(Level::Warn, line.trim_end()),
        }
    }

    /// A warning about the output of a search, with the line, the position and the moves that show it.
    pub(super) fn search_warning(&mut self, entrant: usize, game: &ScheduledGame, warning: &GameWarning) {
        let Finding { kind, mv, line } = &warning.finding;
        let name = &self.names[entrant];
        let (head, lines) = match (&warning.mate_signs, mv) {
            _ if *kind == SearchWarning::NoScore => {
                let text = format!("{kind} from engine {name}");
                return self.print_warning(&text);
            }
            (Some(MateSigns { first, mates: [first_mate, mate], line: first_line }), _) => {
                let other = if game.white == entrant { game.black } else { game.white };
                let (first, second) = (color_name(*first), color_name(first.opposite()));
                let other = &self.names[other];
                let head =
                    format!("{kind} {first_mate} and {mate} from {other} ({first}) and {name} ({second})");
                (head, format!("Infos; {first_line} ; {line}"))
            }
            (None, Some(mv)) => (format!("{kind} - move {mv} from {name}"), format!("Info; {line}")),
            (None, None) => (format!("{kind} - from {name}"), format!("Info; {line}")),
        };
        let position = warning.fen.as_ref().map_or_else(|| "startpos".to_owned(), |fen| format!("fen {fen}"));
        let moves: Vec<String> = warning.moves.iter().map(ToString::to_string).collect();
        let parts = [head, lines, format!("Position; {position}"), format!("Moves; {}", moves.join(" "))];
        let separator = if self.shown.test_environment { " :: " } else { "\n" };
        let text = parts.map(|part| sanitize(&part)).join(separator);
        self.print_warning(&text);
    }

    /// The ending in the words of either program.
    pub(super) fn reason(&self, record: &GameRecord) -> String {
        match (self.shown.dialect, record.termination) {
            (Dialect::Fastchess, _) => record.fastchess_sentence(),
            (Dialect::Cutechess, Termination::MaximumMoves) => {
                "Draw by adjudication: maximal game length".to_owned()
            }
            (Dialect::Cutechess, Termination::FalseClaim) => {
                let winner = record.loser().map_or("", |loser| color_name(loser.opposite()));
                format!("{winner} wins by adjudication: Invalid result claim")
            }
            (Dialect::Cutechess, _) => record.sentence(),
            (Dialect::CChessCli, termination) => c_chess_cli::reason(termination).to_owned(),
        }
    }

    /// fastchess's line about the crash or stall that stops the run, before the result of the game.
    pub(super) fn announce_stop(&mut self, record: &GameRecord, game: u64) {
        if self.stops_on_crash && record.termination.kind() == TerminationKind::Crash {
            self.stops_on_crash = false;
            self.print(&format!(
                "Game {game} stalled / disconnected and no recover option set for engine, stopping tournament.\n"
            ));
        }
    }

    /// fastchess's line about a game lost by an engine's invalid output.
    pub(super) fn fault_warning(&mut self, record: &GameRecord) {
        let Some(loser) = record.loser() else { return };
        let name = self.names[record.entrant(loser)].clone();
        let illegal = |mv: &str| format!("Illegal move {mv} played by {name}");
        let unreadable = |mv: &str| {
            format!(
                "Move does not match uci move format, lowercase and 4/5 chars. Move {mv} played by {name}"
            )
        };
        let texts = match record.termination {
            Termination::IllegalMove => {
                let mv = record.fault.as_ref().and_then(|fault| fault.illegal_move);
                vec![illegal(&mv.map_or_else(|| "<none>".to_owned(), |mv| mv.to_string()))]
            }
            Termination::MissingMove => vec![unreadable("(none)"), illegal("(none)")],
            Termination::MalformedMove | Termination::EndlessLine => vec![illegal("<none>")],
            Termination::Stall => vec![format!("Engine {name} is not responsive")],
            _ => return,
        };
        texts.iter().for_each(|text| self.print_warning(text));
    }
}

fn color_name(color: Color) -> &'static str {
    match color {
        Color::White => "White",
        Color::Black => "Black",
    }
}
