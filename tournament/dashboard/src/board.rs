//! Boards of games in progress as JSON for the page. Moves are replayed as they arrive; the text is rebuilt only
//! after a change.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;
use smalt_chess::{Color, Game, Outcome, Position, San, UciMove};
use smalt_match::opening::classify;
use smalt_protocol::Score;
use smalt_workbench::calendar::unix_ms;

use super::game::{ScoreJson, arrows, line_in_san, squares};
use super::page_json::to_page_json;
use crate::live::{LiveGame, LiveSearchInfo, LiveSide};

/// Number of latest moves sent.
const MAX_MOVES: usize = 8;

/// JSON of a board; every change of state makes a new text.
pub(super) type BoardText = Arc<str>;

/// All boards of a run.
#[derive(Debug, Default)]
pub(super) struct Boards {
    boards: Vec<BoardView>,
}

#[derive(Debug, Default)]
struct BoardView {
    shown: LiveGame,
    game: Game,
    sans: Vec<String>,
    last: [String; 2],
    /// ECO code and name.
    opening: Option<(&'static str, &'static str)>,
    verdict: Option<String>,
    result: Option<String>,
    text: Option<BoardText>,
}

#[derive(Serialize)]
struct BoardJson<'a> {
    slot: usize,
    number: u32,
    white: usize,
    black: usize,
    fen: String,
    ply: usize,
    turn: &'static str,
    from: &'a str,
    to: &'a str,
    moves: &'a [String],
    /// Index of the first ply of `moves`.
    first_ply: usize,
    /// Thinking time of the side to move so far, in milliseconds.
    thinks_ms: u64,
    result: Option<&'a str>,
    /// ECO code and name of the opening: by the book of the run, else by the position.
    opening: Option<Cow<'a, str>>,
    /// Result with best play by the run's tablebases.
    tables: Option<&'a str>,
    sides: [SideJson; 2],
}

#[derive(Serialize)]
struct SideJson {
    left_ms: Option<u64>,
    took_ms: u64,
    #[serde(flatten)]
    score: ScoreJson,
    depth: Option<u32>,
    nodes: Option<u64>,
    nps: Option<u64>,
    /// Principal variation, and the ply at its start.
    line: Vec<String>,
    line_ply: usize,
    /// Squares of its first moves.
    arrows: Vec<[String; 2]>,
}

impl Boards {
    /// Updates the boards; `result` returns the result of a finished game, `outcome` that of a position by endgame
    /// tables.
    pub(super) fn update(
        &mut self,
        games: Vec<LiveGame>,
        result: impl Fn(u32) -> Option<String>,
        outcome: impl Fn(&Position) -> Option<Outcome>,
    ) {
        self.boards.truncate(games.len());
        self.boards.resize_with(games.len(), BoardView::default);
        for (board, game) in self.boards.iter_mut().zip(games) {
            let result = result(game.number);
            if board.text.is_none() || board.shown != game || board.result != result {
                board.take(game, result, &outcome);
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.boards.clear();
    }

    /// JSON of all boards.
    pub(super) fn texts(&self) -> Vec<BoardText> {
        self.boards.iter().filter_map(|board| board.text.clone()).collect()
    }
}

impl BoardView {
    fn take(
        &mut self,
        shown: LiveGame,
        result: Option<String>,
        outcome: impl Fn(&Position) -> Option<Outcome>,
    ) {
        let goes_on = self.text.is_some()
            && self.shown.number == shown.number
            && shown.moves.starts_with(&self.shown.moves);
        if !goes_on {
            let start = shown.fen.as_deref().and_then(|fen| Position::from_fen(fen).ok());
            self.game = Game::new(start.unwrap_or_default());
            self.sans.clear();
            self.last = Default::default();
            self.opening = classify([self.game.position()]);
        }
        for word in shown.moves.split_ascii_whitespace().skip(self.sans.len()) {
            if self.play(word).is_none() {
                break;
            }
        }
        self.verdict = outcome(self.game.position()).map(|outcome| outcome.to_string());
        (self.shown, self.result) = (shown, result);
        self.text = Some(Arc::from(to_page_json(&self.json())));
    }

    fn play(&mut self, word: &str) -> Option<()> {
        let uci: UciMove = word.parse().ok()?;
        let mv = uci.to_move(self.game.position()).ok()?;
        self.sans.push(San::from_move(mv, self.game.position()).to_string());
        self.last = squares(uci);
        self.game.play(mv).ok()?;
        self.opening = classify([self.game.position()]).or(self.opening);
        Some(())
    }

    fn opening_name(&self) -> Option<Cow<'_, str>> {
        let by_book = self.shown.opening.as_deref().map(Cow::Borrowed);
        by_book.or_else(|| self.opening.map(|(eco, name)| Cow::Owned(format!("{eco} {name}"))))
    }

    fn json(&self) -> BoardJson<'_> {
        let first_ply = self.sans.len().saturating_sub(MAX_MOVES);
        let [white, black] = &self.shown.sides;
        BoardJson {
            slot: self.shown.slot,
            number: self.shown.number + 1,
            white: self.shown.white,
            black: self.shown.black,
            fen: self.game.position().to_fen(),
            ply: self.sans.len(),
            turn: if self.game.position().turn() == Color::White { "white" } else { "black" },
            from: &self.last[0],
            to: &self.last[1],
            moves: &self.sans[first_ply..],
            first_ply,
            thinks_ms: unix_ms(SystemTime::now()).saturating_sub(self.shown.since_ms),
            result: self.result.as_deref(),
            opening: self.opening_name(),
            tables: self.verdict.as_deref(),
            sides: [self.side(white, Color::White), self.side(black, Color::Black)],
        }
    }

    fn side(&self, side: &LiveSide, color: Color) -> SideJson {
        let LiveSearchInfo { cp, mate, depth, nodes, nps, ply, line } = &side.thought;
        let (line, arrows) = self.line(*ply, line);
        let score = cp.map(Score::Centipawns).or(mate.map(Score::Mate));
        SideJson {
            left_ms: side.left_ms,
            took_ms: side.took_ms,
            score: ScoreJson::of(score, color),
            depth: *depth,
            nodes: *nodes,
            nps: *nps,
            line,
            line_ply: *ply,
            arrows,
        }
    }

    /// A variation that starts after this number of plies.
    fn line(&self, ply: usize, words: &str) -> (Vec<String>, Vec<[String; 2]>) {
        let moves: Vec<UciMove> =
            words.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        let here = (ply == self.sans.len()).then_some(*self.game.position());
        let before = here.or_else(|| self.game.plies().nth(ply).map(|(position, _)| position));
        before.map_or_else(Default::default, |position| {
            (line_in_san(&moves, position), arrows(&moves, position))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn live(number: u32, moves: &str) -> LiveGame {
        let mut game = LiveGame { number, moves: moves.to_owned(), ..LiveGame::default() };
        game.sides[0].thought = LiveSearchInfo {
            cp: Some(20),
            ply: 0,
            line: "e2e4 e7e5 g1f3".to_owned(),
            ..LiveSearchInfo::default()
        };
        game
    }

    fn seen(boards: &Boards) -> serde_json::Value {
        serde_json::from_str(&boards.texts()[0]).unwrap()
    }

    #[test]
    fn a_board_follows_its_game() {
        let mut boards = Boards::default();
        boards.update(vec![live(6, "e2e4")], |_| None, |_| None);
        let board = seen(&boards);
        assert_eq!((board["number"].as_u64(), board["turn"].as_str()), (Some(7), Some("black")));
        assert_eq!(board["sides"][0]["line"], serde_json::json!(["e4", "e5", "Nf3"]));
        boards.update(vec![live(6, "e2e4 e7e5 g1f3")], |_| None, |_| None);
        let board = seen(&boards);
        assert_eq!(board["moves"], serde_json::json!(["e4", "e5", "Nf3"]));
        assert_eq!((board["from"].as_str(), board["to"].as_str()), (Some("g1"), Some("f3")));
        assert_eq!(board["fen"], "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    }

    #[test]
    fn unchanged_boards_are_not_sent_again() {
        let mut boards = Boards::default();
        boards.update(vec![live(0, "e2e4")], |_| None, |_| None);
        let text = boards.texts().remove(0);
        boards.update(vec![live(0, "e2e4")], |_| None, |_| None);
        assert!(Arc::ptr_eq(&boards.texts()[0], &text));
        boards.update(vec![live(0, "e2e4")], |_| Some("1-0".to_owned()), |_| None);
        assert_eq!(seen(&boards)["result"], "1-0");
    }

    #[test]
    fn a_board_names_its_opening_and_the_result_by_the_tables() {
        let mut boards = Boards::default();
        boards.update(vec![live(0, "e2e4 c7c5")], |_| None, |_| None);
        let board = seen(&boards);
        assert_eq!(board["opening"], "B20 Sicilian Defense");
        assert!(board["tables"].is_null());
        boards.update(vec![live(0, "e2e4 c7c5 h2h3")], |_| None, |_| Some(Outcome::Draw));
        assert_eq!(seen(&boards)["opening"], "B20 Sicilian Defense", "the last that is known");
        assert_eq!(seen(&boards)["tables"], "1/2-1/2");
        boards.update(
            vec![LiveGame { fen: Some("8/8/4k3/8/8/4K3/4P3/8 w - - 0 1".to_owned()), ..live(1, "") }],
            |_| None,
            |_| None,
        );
        assert!(seen(&boards)["opening"].is_null());
        let named = LiveGame { opening: Some("Line 7".to_owned()), ..live(2, "e2e4 c7c5") };
        boards.update(vec![named], |_| None, |_| None);
        assert_eq!(seen(&boards)["opening"], "Line 7", "the book's own name");
    }

    #[test]
    fn hostile_moves_and_lines_do_no_harm() {
        let mut boards = Boards::default();
        let mut game = live(0, "e2e4 <script> e7e5");
        game.sides[0].thought.ply = usize::MAX;
        boards.update(vec![game], |_| None, |_| None);
        let board = seen(&boards);
        assert_eq!(board["moves"], serde_json::json!(["e4"]));
        assert_eq!(board["sides"][0]["line"], serde_json::json!([]));
    }
}
