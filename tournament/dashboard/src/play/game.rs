//! A game between a human and an engine: moves, clocks, take-backs and the result. Pure: time used is passed in.

use std::time::{Duration, SystemTime};

use smalt_chess::{CastlingMode, Color, DrawClaims, Ending, Game, Move, Outcome, Position, UciMove};
use smalt_driver::SearchResult;
use smalt_match::game::{ClockFlag, RunningClock, Termination};
use smalt_match::plan::MoveClock;
use smalt_protocol::{Clock, Score, SearchLimits};

use super::command::StartLine;

/// Plies of the engine before which it declines draws.
const PLIES_BEFORE_DRAW: usize = 10;

/// A game, in progress or over.
#[derive(Clone, Debug)]
pub(super) struct PlayedGame {
    /// Counts the games of a session.
    pub(super) number: u32,
    game: Game,
    plies: Vec<PlayedPly>,
    pub(super) human: Color,
    /// Clock and limits of the engine.
    pub(super) clock: MoveClock,
    /// The human has the same time control and no other limit.
    human_clock: MoveClock,
    pub(super) level: Option<i64>,
    pub(super) mode: CastlingMode,
    pub(super) chess960: Option<u16>,
    pub(super) end: Option<GameEnd>,
    pub(super) started: SystemTime,
}

/// A ply of the game.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayedPly {
    /// Time used; none for moves before the game.
    pub(super) elapsed: Option<Duration>,
    /// Time left after the move.
    pub(super) left: Option<Duration>,
    /// The engine's score with its move, from the point of view of the side that moved.
    pub(super) score: Option<Score>,
    pub(super) depth: Option<u32>,
    /// The score of the review at full strength, from the same point of view.
    pub(super) review: Option<Score>,
    /// The move that the review prefers in the position before this one.
    pub(super) better: Option<UciMove>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GameEnd {
    pub(super) outcome: Outcome,
    pub(super) sentence: String,
    /// PGN's Termination tag.
    pub(super) termination: &'static str,
}

impl GameEnd {
    fn of(outcome: Outcome, termination: Termination) -> GameEnd {
        let winner = match outcome {
            Outcome::Win(winner) => winner,
            Outcome::Draw => Color::White,
        };
        GameEnd { outcome, sentence: termination.sentence(winner), termination: termination.pgn_word() }
    }
}

impl PlayedGame {
    pub(super) fn new(
        number: u32,
        start: StartLine,
        human: Color,
        clock: MoveClock,
        level: Option<i64>,
    ) -> PlayedGame {
        let plies = vec![PlayedPly::default(); start.game.moves().len()];
        let human_clock =
            MoveClock { move_time: None, nodes: None, depth: None, margin: Duration::ZERO, ..clock.clone() };
        let mut game = PlayedGame {
            number,
            game: start.game,
            plies,
            human,
            clock,
            human_clock,
            level,
            mode: start.mode,
            chess960: start.number,
            end: None,
            started: SystemTime::now(),
        };
        game.end_by_rules();
        game
    }

    pub(super) fn game(&self) -> &Game {
        &self.game
    }

    pub(super) fn plies(&self) -> &[PlayedPly] {
        &self.plies
    }

    pub(super) fn position(&self) -> &Position {
        self.game.position()
    }

    pub(super) fn moves(&self) -> Vec<UciMove> {
        self.game.moves().iter().map(|&mv| UciMove::from_move(mv, self.mode)).collect()
    }

    pub(super) fn engine(&self) -> Color {
        self.human.opposite()
    }

    pub(super) fn is_engines_turn(&self) -> bool {
        self.end.is_none() && self.position().turn() == self.engine()
    }

    pub(super) fn is_humans_turn(&self) -> bool {
        self.end.is_none() && self.position().turn() == self.human
    }

    /// Whether a move was played: the clocks start with the first one.
    pub(super) fn has_begun(&self) -> bool {
        self.plies.last().is_some_and(|ply| ply.elapsed.is_some())
    }

    /// The clock of a side after the moves made so far.
    pub(super) fn running_clock(&self, color: Color) -> RunningClock<'_> {
        let mut clock = RunningClock::new(if color == self.human { &self.human_clock } else { &self.clock });
        for ((position, _), ply) in self.game.plies().zip(&self.plies) {
            if let Some(elapsed) = ply.elapsed.filter(|_| position.turn() == color) {
                clock.spend(elapsed);
            }
        }
        clock
    }

    /// Time left of a side; none without a clock.
    pub(super) fn left(&self, color: Color) -> Option<Duration> {
        self.running_clock(color).time_left().map(|clock| clock.remaining)
    }

    /// The limits of the engine's next search.
    pub(super) fn limits(&self) -> SearchLimits {
        let clock = self.running_clock(self.engine());
        let side = |color: Color| -> Option<Clock> { self.running_clock(color).time_left() };
        SearchLimits {
            white: side(Color::White),
            black: side(Color::Black),
            moves_to_go: clock.moves_to_go(),
            depth: self.clock.depth,
            nodes: self.clock.nodes,
            move_time: self.clock.move_time,
            ..SearchLimits::default()
        }
    }

    /// Plays a move that took this long. A side that oversteps its time has lost; the move is not played then.
    pub(super) fn play(&mut self, mv: Move, elapsed: Duration, search: Option<&SearchResult>) {
        let mover = self.position().turn();
        let mut clock = self.running_clock(mover);
        if matches!(clock.spend(elapsed), ClockFlag::Fallen(_)) {
            return self.lose_on_time(mover);
        }
        let left = clock.time_left().map(|clock| clock.remaining);
        self.game.play(mv).expect("the caller found the move among the legal ones");
        let report = search.map(|search| &search.report);
        self.plies.push(PlayedPly {
            elapsed: Some(elapsed),
            left,
            score: report.and_then(|report| report.score).map(|reported| reported.score),
            depth: report.and_then(|report| report.depth),
            ..PlayedPly::default()
        });
        self.end_by_rules();
    }

    /// Takes back the human's last move and all later ones; false if there is none.
    pub(super) fn take_back(&mut self) -> bool {
        let movers: Vec<Color> = self.game.plies().map(|(position, _)| position.turn()).collect();
        let Some(last) = movers.iter().rposition(|&mover| mover == self.human) else { return false };
        while self.plies.len() > last {
            self.plies.pop();
            self.game.undo();
        }
        // Its better move depends on the position after it, which changed.
        if let Some(last) = self.plies.last_mut() {
            last.review = None;
        }
        self.end = None;
        true
    }

    pub(super) fn resign(&mut self, loser: Color) {
        self.end = Some(GameEnd::of(Outcome::Win(loser.opposite()), Termination::Resignation));
    }

    /// A flag has fallen: a loss, or a draw against a bare king (FIDE Laws of Chess, article 6.9).
    pub(super) fn lose_on_time(&mut self, loser: Color) {
        if !self.position().color(loser.opposite()).more_than_one() {
            let sentence = "Draw: time is up, but a bare king cannot win".to_owned();
            let termination = Termination::TimeForfeit.pgn_word();
            self.end = Some(GameEnd { outcome: Outcome::Draw, sentence, termination });
            return;
        }
        self.end = Some(GameEnd::of(Outcome::Win(loser.opposite()), Termination::TimeForfeit));
    }

    pub(super) fn agree_on_draw(&mut self) {
        let sentence = "Draw by agreement".to_owned();
        self.end = Some(GameEnd { outcome: Outcome::Draw, sentence, termination: "normal" });
    }

    /// Whether the engine accepts a draw: not before it has made ten moves, and not where its last score is above
    /// zero.
    pub(super) fn accepts_draw(&self) -> bool {
        let mut own = self.plies.iter().filter(|ply| ply.depth.is_some() || ply.score.is_some());
        own.clone().count() >= PLIES_BEFORE_DRAW
            && own.next_back().and_then(|ply| ply.score).is_some_and(|score| match score {
                Score::Centipawns(value) => value <= 0,
                Score::Mate(moves) => moves <= 0,
            })
    }

    /// The first ply that the review has not seen.
    pub(super) fn next_unreviewed(&self) -> Option<usize> {
        self.end.as_ref()?;
        self.plies.iter().position(|ply| ply.review.is_none())
    }

    /// Stores the review of the position after this ply: the score of the side to move there, and its best move.
    pub(super) fn review(&mut self, ply: usize, score: Option<Score>, best: Option<UciMove>) {
        if let Some(ply) = self.plies.get_mut(ply) {
            ply.review = Some(score.unwrap_or(Score::Centipawns(0)).negated());
        }
        if let Some(next) = self.plies.get_mut(ply + 1) {
            next.better = best;
        }
    }

    /// Draws are claimed as soon as they can be.
    fn end_by_rules(&mut self) {
        let Some(ending) = self.game.ending(DrawClaims::Automatic) else { return };
        self.end = Some(GameEnd::of(ending.outcome(), ending.into()));
        if let Some(last) = self.plies.last_mut() {
            // The game is over there.
            let is_mate = matches!(ending, Ending::Checkmate { .. });
            last.review = Some(if is_mate { Score::Mate(1) } else { Score::Centipawns(0) });
        }
    }
}

#[cfg(test)]
mod tests {
    use smalt_chess::San;
    use smalt_workbench::entrant::from_words;

    use super::*;

    fn game(fen: &str, human: Color, limits: &str) -> PlayedGame {
        let clock = MoveClock::of(&from_words(limits).unwrap()).unwrap();
        PlayedGame::new(1, StartLine::new(Position::from_fen(fen).unwrap()), human, clock, None)
    }

    fn play(game: &mut PlayedGame, sans: &str, ms: u64) {
        for san in sans.split(' ') {
            let mv = San::parse(san).unwrap().to_move(game.position()).unwrap();
            game.play(mv, Duration::from_millis(ms), None);
        }
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

    #[test]
    fn a_mate_ends_the_game() {
        let mut game = game(START, Color::Black, "movetime=100");
        play(&mut game, "f3 e5 g4 Qh4", 10);
        let end = game.end.clone().unwrap();
        assert_eq!((end.outcome, end.sentence.as_str()), (Outcome::Win(Color::Black), "Black mates"));
        assert_eq!((game.plies[3].review, game.next_unreviewed()), (Some(Score::Mate(1)), Some(0)));
    }

    #[test]
    fn time_comes_back_with_the_moves_that_are_taken_back() {
        let mut game = game(START, Color::White, "tc=10+1");
        play(&mut game, "e4 e5 Nf3", 3000);
        let left = |game: &PlayedGame| Color::ALL.map(|color| game.left(color).unwrap().as_secs());
        assert_eq!(left(&game), [6, 8]);
        assert!(game.take_back());
        assert_eq!((left(&game), game.moves().len()), ([8, 8], 2));
        assert!(game.is_humans_turn() && game.take_back());
        assert_eq!((left(&game), game.moves().len()), ([10, 10], 0));
        assert!(!game.take_back());
    }

    #[test]
    fn a_flag_against_a_bare_king_is_a_draw() {
        let outcome = |fen: &str| {
            let mut game = game(fen, Color::White, "tc=1");
            game.lose_on_time(Color::White);
            game.end.unwrap().outcome
        };
        assert_eq!(outcome("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), Outcome::Draw);
        assert_eq!(outcome("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"), Outcome::Win(Color::Black));
    }

    #[test]
    fn the_side_that_oversteps_its_time_loses() {
        let mut game = game(START, Color::White, "tc=2+1");
        play(&mut game, "e4 e5", 1500);
        play(&mut game, "Nf3", 1600);
        assert_eq!(game.end.as_ref().unwrap().sentence, "White loses on time");
        assert_eq!(game.moves().len(), 2);
        assert!(game.take_back() && game.end.is_none());
    }

    #[test]
    fn an_engine_that_is_not_better_accepts_a_draw_after_ten_moves() {
        let shuffle = "Nf3 Nf6 Ng1 Ng8 Nc3 Nc6 Nb1 Nb8 a3 a6 Ra2 Ra7 Ra1 Ra8 b3 b6 Bb2 Bb7 Bc1 Bc8";
        let mut game = game(START, Color::White, "movetime=100");
        play(&mut game, shuffle, 10);
        assert!(!game.accepts_draw(), "it has said nothing");
        for score in [1, 0] {
            game.plies
                .iter_mut()
                .skip(1)
                .step_by(2)
                .for_each(|ply| ply.score = Some(Score::Centipawns(score)));
            assert_eq!(game.accepts_draw(), score == 0);
        }
        game.plies.iter_mut().take(2).for_each(|ply| ply.score = None);
        assert!(!game.accepts_draw(), "nine moves are too few");
    }

    #[test]
    fn a_position_that_is_over_starts_no_game() {
        let game = game("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Color::White, "depth=1");
        assert_eq!(game.end.as_ref().unwrap().sentence, "Draw by stalemate");
        assert!(!game.is_engines_turn() && !game.is_humans_turn());
    }
}
