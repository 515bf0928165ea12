//! A PGN game with moves, comments and variations.
//!
//! Moves, comments and variations are one flat sequence, as in the file, with marks at the start and end of variations.
//! Nesting costs nothing and needs no recursion.

use super::problem::PgnProblem;
use super::tags::Tags;
use crate::game::{Game, IllegalMoveError};
use crate::moves::Move;
use crate::notation::fen::FenStyle;
use crate::notation::uci_move::CastlingMode;
use crate::outcome::Outcome;
use crate::position::Position;

/// A game: tags, start position, moves with annotations, result. `Display` writes PGN export format.
#[derive(Clone, Debug)]
pub struct PgnGame {
    pub(super) tags: Tags,
    start: Position,
    movetext: Vec<Element>,
    outcome: Option<Outcome>,
    /// The main line and the open variations, innermost last.
    open: Vec<LinePosition>,
    pub(super) line: u64,
    pub(super) problems: Vec<PgnProblem>,
}

/// An element of the movetext.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Element {
    /// A legal move.
    Move(Move),
    /// `--`: the side to move passes, which annotators use to show a threat.
    Pass,
    /// A numeric annotation glyph, `$1`.
    Nag(u8),
    /// A comment; its words are separated by single spaces.
    Comment(String),
    /// `(`: an alternative to the move before.
    BeginVariation,
    /// End of a variation: `)`.
    EndVariation,
}

/// The current end of a line.
#[derive(Clone, Copy, Debug)]
struct LinePosition {
    /// The position before the last move; `None` before the first.
    before: Option<Position>,
    now: Position,
}

/// Why a variation cannot begin or end here.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum VariationError {
    /// There is no move to replace.
    #[error("a variation needs a move before it")]
    NoMove,
    /// No variation is open.
    #[error("no variation is open")]
    NotOpen,
}

impl PgnGame {
    /// A game without moves. A start position other than the standard one is added to the tags.
    pub fn new(start: Position) -> PgnGame {
        let mut tags = Tags::new();
        if start != Position::start() {
            if CastlingMode::of(&start) == CastlingMode::Chess960 {
                tags.set("Variant", "Chess960");
            }
            tags.set("SetUp", "1");
            tags.set("FEN", &start.to_setup().to_fen(FenStyle::XFen));
        }
        PgnGame::with_tags(tags, start)
    }

    /// A game whose tags already contain the start position.
    pub(super) fn with_tags(tags: Tags, start: Position) -> PgnGame {
        let open = vec![LinePosition { before: None, now: start }];
        PgnGame {
            tags,
            start,
            movetext: Vec::with_capacity(128),
            outcome: None,
            open,
            line: 0,
            problems: Vec::new(),
        }
    }

    /// The tags; see [`PgnGame::set_outcome`] for the result.
    pub fn tags(&self) -> &Tags {
        &self.tags
    }

    /// Sets a tag. `Result` follows the outcome and cannot be set here; the start position does not change.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        if name != "Result" {
            self.tags.set(name, value);
        }
    }

    /// The position before the first move.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// The position after the last move of the innermost open line.
    pub fn position(&self) -> &Position {
        &self.innermost().now
    }

    /// All elements between tags and result.
    pub fn movetext(&self) -> &[Element] {
        &self.movetext
    }

    /// The result; `None` if the game is unfinished or the result unknown (`*`).
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// Sets the result, including its tag.
    pub fn set_outcome(&mut self, outcome: Option<Outcome>) {
        self.outcome = outcome;
        self.tags.set("Result", &outcome.map_or("*".into(), |outcome| outcome.to_string()));
    }

    /// The line of the file on which the game starts, from 1; 0 if it is not from a file.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Problems found while reading, in file order; at most a hundred.
    pub fn problems(&self) -> &[PgnProblem] {
        &self.problems
    }

    fn innermost(&self) -> &LinePosition {
        self.open.last().expect("the main line is always open")
    }

    fn innermost_mut(&mut self) -> &mut LinePosition {
        self.open.last_mut().expect("the main line is always open")
    }

    /// Appends a move.
    ///
    /// # Errors
    /// If it is illegal; the game is unchanged.
    pub fn push_move(&mut self, mv: Move) -> Result<(), IllegalMoveError> {
        if !self.position().is_legal(mv) {
            return Err(IllegalMoveError(mv));
        }
        self.push_legal(mv);
        Ok(())
    }

    /// Appends a move without checking it: it must be legal in [`PgnGame::position`].
    pub fn push_legal(&mut self, mv: Move) {
        let line = self.innermost_mut();
        line.before = Some(line.now);
        line.now.play(mv);
        self.movetext.push(Element::Move(mv));
    }

    /// Appends a pass. Returns false and appends nothing if the side to move is in check.
    pub fn push_pass(&mut self) -> bool {
        let line = self.innermost_mut();
        if line.now.is_check() {
            return false;
        }
        line.before = Some(line.now);
        line.now = line.now.after_null_move();
        self.movetext.push(Element::Pass);
        true
    }

    /// Appends a numeric annotation glyph.
    pub fn push_nag(&mut self, nag: u8) {
        self.movetext.push(Element::Nag(nag));
    }

    /// Appends a comment; white space in it becomes single spaces. An empty comment is ignored.
    pub fn push_comment(&mut self, text: impl Into<String>) {
        let text = one_line(text.into());
        if !text.is_empty() {
            self.movetext.push(Element::Comment(text));
        }
    }

    /// Begins a variation, an alternative to the last move.
    ///
    /// # Errors
    /// If the line has no moves.
    pub fn begin_variation(&mut self) -> Result<(), VariationError> {
        let now = self.innermost().before.ok_or(VariationError::NoMove)?;
        self.open.push(LinePosition { before: None, now });
        self.movetext.push(Element::BeginVariation);
        Ok(())
    }

    /// Ends the innermost variation.
    ///
    /// # Errors
    /// If none is open.
    pub fn end_variation(&mut self) -> Result<(), VariationError> {
        if self.open.len() == 1 {
            return Err(VariationError::NotOpen);
        }
        self.open.pop();
        self.movetext.push(Element::EndVariation);
        Ok(())
    }

    /// Number of open variations.
    pub(super) fn depth(&self) -> usize {
        self.open.len() - 1
    }

    /// The moves of the main line with annotations, up to the first null move.
    pub fn main_line(&self) -> impl Iterator<Item = MainLineMove<'_>> {
        let mut rest = self.movetext.as_slice();
        std::iter::from_fn(move || {
            let (mv, behind) = next_move(rest)?;
            let (annotations, after) = behind.split_at(annotation_count(behind));
            rest = after;
            Some(MainLineMove { mv, annotations })
        })
    }

    /// The elements before the first move.
    pub fn introduction(&self) -> &[Element] {
        &self.movetext[..annotation_count(&self.movetext)]
    }

    /// The main line as a [`Game`].
    pub fn to_game(&self) -> Game {
        let mut game = Game::new(self.start);
        for played in self.main_line() {
            game.play(played.mv).expect("the moves were checked when they were appended");
        }
        game
    }
}

impl PartialEq for PgnGame {
    /// Compares tags, start position, movetext and result; ignores where they were read.
    fn eq(&self, other: &PgnGame) -> bool {
        self.tags == other.tags
            && self.start == other.start
            && self.movetext == other.movetext
            && self.outcome == other.outcome
    }
}

impl Eq for PgnGame {}

impl From<&Game> for PgnGame {
    /// The moves of a game, without a result.
    fn from(game: &Game) -> PgnGame {
        let mut written = PgnGame::new(*game.start());
        for &mv in game.moves() {
            written.push_legal(mv);
        }
        written
    }
}

/// A move of the main line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MainLineMove<'a> {
    /// Move, legal in the position before it.
    pub mv: Move,
    /// The elements between it and the next move: NAGs, comments, variations.
    pub annotations: &'a [Element],
}

impl<'a> MainLineMove<'a> {
    /// Comments on the move itself, not those in variations.
    pub fn comments(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        own_elements(self.annotations).filter_map(|element| match element {
            Element::Comment(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// NAGs of the move itself.
    pub fn nags(&self) -> impl Iterator<Item = u8> + use<'a> {
        own_elements(self.annotations).filter_map(|element| match element {
            Element::Nag(nag) => Some(*nag),
            _ => None,
        })
    }
}

/// The elements outside variations.
fn own_elements(elements: &[Element]) -> impl Iterator<Item = &Element> {
    let mut depth = 0_usize;
    elements.iter().filter(move |element| {
        match element {
            Element::BeginVariation => depth += 1,
            Element::EndVariation => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    })
}

/// Number of elements before the next move or pass of the same line.
fn annotation_count(elements: &[Element]) -> usize {
    let mut depth = 0_usize;
    let is_next_move = |element: &Element| {
        match element {
            Element::BeginVariation => depth += 1,
            Element::EndVariation => depth = depth.saturating_sub(1),
            Element::Move(_) | Element::Pass => return depth == 0,
            _ => {}
        }
        false
    };
    elements.iter().position(is_next_move).unwrap_or(elements.len())
}

fn next_move(elements: &[Element]) -> Option<(Move, &[Element])> {
    match &elements[annotation_count(elements)..] {
        [Element::Move(mv), rest @ ..] => Some((*mv, rest)),
        _ => None,
    }
}

/// The words of a text, separated by single spaces.
fn one_line(text: String) -> String {
    let is_plain = |byte: u8| byte > b' ' && byte.is_ascii();
    let words_are_plain = |text: &str| text.bytes().all(|byte| is_plain(byte) || byte == b' ');
    if words_are_plain(&text) && !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ") {
        return text;
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}
