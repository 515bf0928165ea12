//! Play against the engine at a terminal: moves in SAN or UCI notation, undo, hint, strength. UCI and console commands
//! work too.

use std::env;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use smalt_chess::{CastlingMode, Color, DrawClaims, Ending, Game, Move, Position, San, UciMove};
use smalt_protocol::SearchLimits;

use super::diagram::{BoardStyle, Details};
use super::settings::{ELO, LIMIT_STRENGTH, Settings};
use crate::engine::Engine;
use crate::search::{Progress, PvLine, SearchControl};
use crate::strength::{ELO_RANGE, Strength};

/// Printed before the first prompt.
pub(super) const BANNER: &str = concat!(
    "Smalt ",
    env!("CARGO_PKG_VERSION"),
    ", a chess engine. Type a move (e4, Nf3, e2e4) to play, help for the commands, quit to leave."
);

/// Prompt before each typed line.
pub(super) const PROMPT: &str = "smalt> ";

fn help() -> String {
    let (weakest, strongest) = (ELO_RANGE.start(), ELO_RANGE.end());
    format!(
        "\
e4, Nf3, O-O, e2e4                play a move; the engine answers
go                                let the engine move
undo                              take back your last move and its answer
hint                              a good move, at full strength
moves [MOVE…]                     the legal moves; or play these moves
new                               a new game
level [ELO|full]                  the engine's strength, from {weakest} to {strongest} Elo; or show it
time [SECONDS]                    the engine's time for each move; or show it
board [color|unicode|ascii]       how the board is shown; or the present style
"
    )
}

/// The engine's initial time per move.
const MOVE_TIME: Duration = Duration::from_secs(1);

/// Range of the time per move, in seconds.
const SECONDS: RangeInclusive<f64> = 0.01..=3600.0;

#[derive(Clone, PartialEq, Debug)]
enum TerminalCommand {
    Move(San),
    Go,
    Undo,
    Hint,
    PlayMoves(Vec<String>),
    New,
    ShowLevel,
    Level(Option<u32>),
    ShowTime,
    Time(Duration),
    ShowStyle,
    Board(BoardStyle),
    Misused(String),
}

impl TerminalCommand {
    /// Parses a line; `None` if it is not a terminal command.
    fn parse(line: &str) -> Option<TerminalCommand> {
        let misused = |usage: &str| TerminalCommand::Misused(format!("expected {usage}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match words[..] {
            ["go"] => TerminalCommand::Go,
            ["undo"] => TerminalCommand::Undo,
            ["hint"] => TerminalCommand::Hint,
            ["new"] => TerminalCommand::New,
            ["moves", ref moves @ ..] if !moves.is_empty() => {
                TerminalCommand::PlayMoves(moves.iter().map(|&mv| mv.to_owned()).collect())
            }
            ["level"] => TerminalCommand::ShowLevel,
            ["level", "full"] => TerminalCommand::Level(None),
            ["level", elo] => match elo.parse() {
                Ok(elo) if ELO_RANGE.contains(&elo) => TerminalCommand::Level(Some(elo)),
                _ => {
                    misused(&format!("level ELO, from {} to {}, or full", ELO_RANGE.start(), ELO_RANGE.end()))
                }
            },
            ["time"] => TerminalCommand::ShowTime,
            ["time", seconds] => match seconds.parse() {
                Ok(seconds) if SECONDS.contains(&seconds) => {
                    TerminalCommand::Time(Duration::from_secs_f64(seconds))
                }
                _ => misused("time SECONDS, as in time 2.5"),
            },
            ["board"] => TerminalCommand::ShowStyle,
            ["board", style] => BoardStyle::parse(style)
                .map_or_else(|| misused("board color|unicode|ascii"), TerminalCommand::Board),
            ["level" | "time" | "board", ..] => misused("one word after it: see help"),
            [mv] => TerminalCommand::Move(San::parse(mv).ok()?),
            _ => return None,
        })
    }
}

/// Whether a line starts a search that `stop` can end.
pub(super) fn is_search(line: &str) -> bool {
    matches!(
        TerminalCommand::parse(line),
        Some(TerminalCommand::Move(_) | TerminalCommand::Go | TerminalCommand::Hint)
    )
}

/// The game of a terminal session.
pub(super) struct Terminal {
    game: Game,
    /// Number of plies played by each command, latest last.
    steps: Vec<usize>,
    move_time: Duration,
    style: BoardStyle,
}

impl Terminal {
    pub(super) fn new(style: BoardStyle) -> Terminal {
        Terminal { game: Game::new(Position::start()), steps: Vec::new(), move_time: MOVE_TIME, style }
    }

    /// Continues from another position: that of a UCI `position` command, with its moves.
    pub(super) fn set_game(&mut self, start: Position, moves: impl IntoIterator<Item = UciMove>) {
        self.game = Game::new(start);
        self.steps.clear();
        for mv in moves {
            let played = mv.to_move(self.game.position()).is_ok_and(|mv| self.game.play(mv).is_ok());
            if !played {
                break;
            }
            self.steps.push(1);
        }
    }

    /// Executes a line if it is a terminal command.
    pub(super) fn run(
        &mut self,
        line: &str,
        engine: &mut Engine,
        settings: &mut Settings,
        control: &SearchControl,
        send: &mut dyn FnMut(&dyn fmt::Display),
    ) -> bool {
        match TerminalCommand::parse(line) {
            None => match line {
                "help" => send(&help().trim_end()),
                "d" | "display" => {
                    self.show(send);
                    send(&Details(self.game.position()));
                    return true;
                }
                _ => return false,
            },
            Some(TerminalCommand::Move(san)) => self.play(san, engine, control, send),
            Some(TerminalCommand::Go) => {
                let plies = usize::from(self.answer(engine, control, send));
                self.steps.push(plies);
                self.show(send);
            }
            Some(TerminalCommand::Undo) => self.undo(engine, send),
            Some(TerminalCommand::Hint) => {
                let (choice, line) = self.search_hint(engine, settings.strength(), control);
                match choice {
                    Some(mv) => send(&format_args!("hint: {}", self.describe(mv, line.as_ref()))),
                    None => self.report_end(send),
                }
            }
            Some(TerminalCommand::PlayMoves(moves)) => self.play_all(&moves, engine, send),
            Some(TerminalCommand::New) => {
                engine.new_game();
                self.set_game(Position::start(), []);
                self.show(send);
            }
            Some(TerminalCommand::ShowLevel) => show_level(settings, send),
            Some(TerminalCommand::Level(elo)) => set_level(elo, engine, settings, send),
            Some(TerminalCommand::ShowTime) => self.show_time(send),
            Some(TerminalCommand::Time(time)) => {
                self.move_time = time;
                self.show_time(send);
            }
            Some(TerminalCommand::ShowStyle) => send(&format_args!("board {}", self.style.name())),
            Some(TerminalCommand::Board(style)) => {
                self.style = style;
                self.show(send);
            }
            Some(TerminalCommand::Misused(usage)) => send(&usage),
        }
        // After our lines, `help` continues with those of the console.
        line != "help"
    }

    fn play(
        &mut self,
        san: San,
        engine: &mut Engine,
        control: &SearchControl,
        send: &mut dyn FnMut(&dyn fmt::Display),
    ) {
        if self.ending().is_some() {
            return self.report_end(send);
        }
        let played = match san.to_move(self.game.position()) {
            Ok(mv) => self.game.play(mv).is_ok(),
            Err(error) => return send(&format_args!("{san}: {error}")),
        };
        if played {
            self.set_position_of(engine);
            let answers = self.answer(engine, control, send);
            self.steps.push(1 + usize::from(answers));
        }
        self.show(send);
    }

    fn play_all(&mut self, moves: &[String], engine: &mut Engine, send: &mut dyn FnMut(&dyn fmt::Display)) {
        for text in moves {
            let position = self.game.position();
            let mv = San::parse(text).ok().and_then(|san| san.to_move(position).ok());
            if mv.is_none_or(|mv| self.game.play(mv).is_err()) {
                send(&format_args!("{text} can't be played here"));
                break;
            }
            self.steps.push(1);
        }
        self.set_position_of(engine);
        self.show(send);
    }

    fn undo(&mut self, engine: &mut Engine, send: &mut dyn FnMut(&dyn fmt::Display)) {
        let Some(plies) = self.steps.pop() else { return send(&"there is no move to take back") };
        for _ in 0..plies {
            self.game.undo();
        }
        self.set_position_of(engine);
        self.show(send);
    }

    /// Lets the engine move, unless the game is over. Returns whether it moved.
    fn answer(
        &mut self,
        engine: &mut Engine,
        control: &SearchControl,
        send: &mut dyn FnMut(&dyn fmt::Display),
    ) -> bool {
        if self.ending().is_some() {
            return false;
        }
        let (choice, line) = self.search(engine, control);
        let Some(mv) = choice else { return false };
        send(&format_args!("Smalt plays {}", self.describe(mv, line.as_ref())));
        let played = self.game.play(mv).is_ok();
        self.set_position_of(engine);
        played
    }

    fn search(&self, engine: &mut Engine, control: &SearchControl) -> (Option<Move>, Option<(PvLine, i32)>) {
        if self.ending().is_some() {
            return (None, None);
        }
        let limits = SearchLimits { move_time: Some(self.move_time), ..SearchLimits::default() };
        let mut last = None;
        let choice = engine.go(&limits, control, &mut |progress: &Progress| {
            last = progress.lines.first().map(|line| (line.clone(), progress.depth));
        });
        (choice.best, last)
    }

    /// A search at full strength. The hash table is then cleared, so that a limited engine does not play by it.
    fn search_hint(
        &self,
        engine: &mut Engine,
        strength: Strength,
        control: &SearchControl,
    ) -> (Option<Move>, Option<(PvLine, i32)>) {
        engine.set_strength(Strength::Full);
        let found = self.search(engine, control);
        engine.set_strength(strength);
        if strength != Strength::Full {
            engine.clear_hash();
        }
        found
    }

    /// A move with the engine's score and line, from its point of view.
    fn describe(&self, mv: Move, line: Option<&(PvLine, i32)>) -> String {
        let san = San::from_move(mv, self.game.position());
        match line {
            Some((line, depth)) => format!("{san} ({}, depth {depth})", shown(line)),
            None => format!("{san} (book)"),
        }
    }

    /// Sets the engine's position to that of the game.
    fn set_position_of(&self, engine: &mut Engine) {
        let moves =
            self.game.plies().map(|(position, mv)| UciMove::from_move(mv, CastlingMode::of(&position)));
        engine.set_position(*self.game.start(), moves).expect("the moves of a game are legal");
    }

    fn ending(&self) -> Option<Ending> {
        self.game.ending(DrawClaims::Automatic)
    }

    fn report_end(&self, send: &mut dyn FnMut(&dyn fmt::Display)) {
        if let Some(ending) = self.ending() {
            send(&format_args!("{} ({ending})", ending.outcome()));
        }
    }

    fn show_time(&self, send: &mut dyn FnMut(&dyn fmt::Display)) {
        send(&format_args!("{} s for each move", self.move_time.as_secs_f64()));
    }

    /// Shows the board, and the side to move or how the game ended.
    fn show(&self, send: &mut dyn FnMut(&dyn fmt::Display)) {
        send(&self.style.board(self.game.position()));
        match self.ending() {
            Some(_) => self.report_end(send),
            None if self.game.position().turn() == Color::White => send(&"White to move"),
            None => send(&"Black to move"),
        }
    }
}

/// Score in pawns, or moves to mate.
fn shown(line: &PvLine) -> String {
    match line.reported().score {
        smalt_protocol::Score::Centipawns(score) => format!("{:+.2}", f64::from(score) / 100.0),
        smalt_protocol::Score::Mate(moves) if moves > 0 => format!("mates in {moves}"),
        smalt_protocol::Score::Mate(moves) => format!("is mated in {}", moves.unsigned_abs()),
    }
}

fn set_level(
    elo: Option<u32>,
    engine: &mut Engine,
    settings: &mut Settings,
    send: &mut dyn FnMut(&dyn fmt::Display),
) {
    let options = match elo {
        Some(elo) => vec![(LIMIT_STRENGTH, "true".to_owned()), (ELO, elo.to_string())],
        None => vec![(LIMIT_STRENGTH, "false".to_owned())],
    };
    for (name, value) in options {
        if let Err(error) = settings.set(engine, name, &value) {
            return send(&error);
        }
    }
    show_level(settings, send);
}

fn show_level(settings: &Settings, send: &mut dyn FnMut(&dyn fmt::Display)) {
    match settings.strength() {
        Strength::Limited(elo) => send(&format_args!("level {elo} Elo")),
        Strength::Full => send(&"level full"),
    }
}

/// Board style by environment: no colors if NO_COLOR is set, ASCII if the terminal or the locale supports nothing else.
pub(super) fn board_style() -> BoardStyle {
    let value = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(value);
    style_for(value("TERM").as_deref(), locale.as_deref(), value("NO_COLOR").is_some())
}

fn style_for(terminal: Option<&str>, locale: Option<&str>, has_no_color: bool) -> BoardStyle {
    let is_unicode = locale.is_some_and(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    });
    match terminal {
        None | Some("dumb") => BoardStyle::Ascii,
        _ if !is_unicode => BoardStyle::Ascii,
        _ if has_no_color => BoardStyle::Unicode,
        _ => BoardStyle::Color,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_and_commands_are_distinguished() {
        for line in ["e4", "Nf3", "O-O", "0-0", "0-0-0", "e2e4", "exd8=Q+"] {
            assert!(
                matches!(TerminalCommand::parse(line), Some(TerminalCommand::Move(_))) && is_search(line),
                "{line}"
            );
        }
        let check = |line, expected| assert_eq!(TerminalCommand::parse(line), expected, "{line}");
        check("undo", Some(TerminalCommand::Undo));
        check("level", Some(TerminalCommand::ShowLevel));
        check("time", Some(TerminalCommand::ShowTime));
        check("board", Some(TerminalCommand::ShowStyle));
        check("level 1500", Some(TerminalCommand::Level(Some(1500))));
        check("time 0.5", Some(TerminalCommand::Time(Duration::from_millis(500))));
        check("moves e2e4 e5", Some(TerminalCommand::PlayMoves(vec!["e2e4".to_owned(), "e5".to_owned()])));
        for line in ["moves", "go depth 3", "uci", "position startpos", "perft 3", "", "castle now"] {
            check(line, None);
        }
        for line in ["level 9999", "level high", "level 9 9", "time -1", "board blue"] {
            assert!(matches!(TerminalCommand::parse(line), Some(TerminalCommand::Misused(_))), "{line}");
        }
    }

    #[test]
    fn colors_and_unicode_are_shown_only_where_they_are_wanted() {
        let utf8 = Some("de_DE.UTF-8");
        assert_eq!(style_for(Some("xterm"), utf8, false), BoardStyle::Color);
        assert_eq!(style_for(Some("xterm"), utf8, true), BoardStyle::Unicode);
        assert_eq!(style_for(Some("xterm"), Some("C"), false), BoardStyle::Ascii);
        assert_eq!(style_for(Some("xterm"), None, false), BoardStyle::Ascii);
        assert_eq!(style_for(Some("dumb"), utf8, false), BoardStyle::Ascii);
        assert_eq!(style_for(None, utf8, false), BoardStyle::Ascii);
    }
}
