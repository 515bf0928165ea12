//! PGN parser: reads game by game and calls a visitor.

use std::io::{self, Read};

use super::builder::{Builder, Variations};
use super::game::PgnGame;
use super::lexer::{Lexer, Token};
use super::problem::{PgnError, PgnProblem, ProblemKind};
use super::visitor::{Flow, Visitor};
use crate::notation::encoding::decode_bytes;
use crate::notation::san::San;
use crate::outcome::Outcome;

/// Maximum nesting of variations; deeper ones are skipped.
const DEPTH_LIMIT: usize = 100;
/// Maximum bytes of invalid text shown in a problem.
const SHOWN: usize = 80;

/// Reads games from a stream through its own buffer.
#[derive(Debug)]
pub struct PgnReader<R> {
    lexer: Lexer<R>,
    /// A token read ahead.
    held: Option<Token>,
}

impl<R: Read> PgnReader<R> {
    /// A reader at the start of a stream.
    pub fn new(source: R) -> PgnReader<R> {
        PgnReader { lexer: Lexer::new(source), held: None }
    }

    /// The current line, from 1.
    pub fn line(&self) -> u64 {
        self.lexer.line()
    }

    /// Reads the next game and checks its moves. `None` at the end of the stream.
    ///
    /// An invalid or illegal move ends its variation, or the moves of the game, and is listed among the game's
    /// problems.
    ///
    /// # Errors
    /// If reading fails, or if the game cannot be used: unknown variant or invalid start position. Reading can continue
    /// after the latter.
    pub fn read_game(&mut self, variations: Variations) -> Result<Option<PgnGame>, PgnError> {
        let mut builder = Builder::new(variations);
        if !self.visit_game(&mut builder)? {
            return Ok(None);
        }
        Ok(Some(builder.finish()?))
    }

    /// Passes the next game to a visitor. False at the end of the stream, after problems past the last game were
    /// reported.
    ///
    /// # Errors
    /// If the stream fails.
    pub fn visit_game<V: Visitor>(&mut self, visitor: &mut V) -> io::Result<bool> {
        let found = self.visit(visitor);
        match self.lexer.source.take_error() {
            Some(error) => Err(error),
            None => Ok(found),
        }
    }

    fn next(&mut self) -> Token {
        self.held.take().unwrap_or_else(|| self.lexer.next())
    }

    fn visit<V: Visitor>(&mut self, visitor: &mut V) -> bool {
        let Some(first) = self.find_game(visitor) else { return false };
        visitor.begin_game(self.lexer.line());
        let next = self.tags(first, visitor);
        let flow = visitor.begin_moves();
        let outcome = self.moves(next, flow, visitor);
        visitor.end_game(outcome);
        true
    }

    /// Skips text before a game: comments silently, anything else but tags and moves as a problem.
    fn find_game<V: Visitor>(&mut self, visitor: &mut V) -> Option<Token> {
        loop {
            let token = self.next();
            match token {
                Token::End => return None,
                Token::Tag => return Some(token),
                Token::Word if San::parse_bytes(self.lexer.text()).is_ok() => return Some(token),
                Token::Number | Token::Comment | Token::OpenComment => {}
                _ => {
                    let line = self.lexer.line();
                    let text = shown(self.lexer.rest_of_line());
                    visitor.problem(PgnProblem { line, kind: ProblemKind::OutsideGame(text) });
                }
            }
        }
    }

    /// Reads the tags and returns the token after them. A second `Event` tag starts the next game.
    fn tags<V: Visitor>(&mut self, first: Token, visitor: &mut V) -> Token {
        let mut token = first;
        let mut has_event = false;
        loop {
            match token {
                Token::Tag if self.lexer.name() == b"Event" && has_event => return token,
                Token::Tag => {
                    has_event |= self.lexer.name() == b"Event";
                    let name = decode_bytes(self.lexer.name());
                    visitor.tag(&name, &decode_bytes(self.lexer.text()));
                    self.report_if_truncated(visitor);
                }
                Token::BadTag => self.report(visitor, ProblemKind::Tag(shown(self.lexer.text()))),
                _ => return token,
            }
            token = self.next();
        }
    }

    fn moves<V: Visitor>(&mut self, first: Token, flow: Flow, visitor: &mut V) -> Option<Outcome> {
        let mut moves = MoveSection::new(flow);
        let mut token = first;
        // A result inside a variation ends the game unless the variation is closed.
        let mut inner_result = None;
        loop {
            match token {
                Token::Tag | Token::End => {
                    self.held = Some(token);
                    let missing =
                        if moves.depth > 0 { ProblemKind::Parentheses } else { ProblemKind::NoResult };
                    if inner_result.is_none() || moves.depth > 0 {
                        self.report(visitor, missing);
                    }
                    return inner_result.flatten();
                }
                Token::Result(outcome) if moves.depth == 0 => return outcome,
                Token::Result(outcome) => inner_result = Some(outcome),
                _ => {
                    inner_result = None;
                    self.element(token, &mut moves, visitor);
                }
            }
            token = self.next();
        }
    }

    #[inline]
    fn element<V: Visitor>(&mut self, token: Token, moves: &mut MoveSection, visitor: &mut V) {
        match token {
            Token::Word if moves.is_reading() => self.word(moves, visitor),
            Token::Nag(nag) if moves.is_reading() => visitor.nag(nag),
            Token::Comment | Token::OpenComment if moves.is_reading() => {
                visitor.comment(&decode_bytes(self.lexer.text()));
                self.report_if_truncated(visitor);
                if token == Token::OpenComment {
                    self.report(visitor, ProblemKind::OpenComment);
                }
            }
            Token::Open => self.open(moves, visitor),
            Token::Close => self.close(moves, visitor),
            Token::BadTag if moves.is_reading() => {
                self.report(visitor, ProblemKind::Tag(shown(self.lexer.text())));
            }
            Token::Unexpected(byte) if moves.is_reading() => {
                self.report(visitor, ProblemKind::Unexpected(char::from(byte)));
            }
            _ => {}
        }
    }

    #[inline]
    fn word<V: Visitor>(&mut self, moves: &mut MoveSection, visitor: &mut V) {
        let text = self.lexer.text();
        let line = self.lexer.line();
        if let Ok(san) = San::parse_bytes(text) {
            moves.set_flow(visitor.san(san, line));
            return;
        }
        match sign(text) {
            Some(Suffix::Nag(nag)) => visitor.nag(nag),
            Some(Suffix::Nothing) => {}
            None => {
                visitor.problem(PgnProblem { line, kind: ProblemKind::NotAMove(shown(text)) });
                moves.set_flow(Flow::Skip);
            }
        }
    }

    fn open<V: Visitor>(&mut self, moves: &mut MoveSection, visitor: &mut V) {
        moves.depth += 1;
        if !moves.is_reading() {
            return;
        }
        let flow = if moves.depth > DEPTH_LIMIT {
            self.report(visitor, ProblemKind::Depth);
            Flow::Skip
        } else {
            visitor.begin_variation(self.lexer.line())
        };
        if flow == Flow::Skip {
            moves.skipped = Some(SkippedPart::Variation { depth: moves.depth });
        }
    }

    fn close<V: Visitor>(&mut self, moves: &mut MoveSection, visitor: &mut V) {
        if moves.depth == 0 {
            self.report(visitor, ProblemKind::Parentheses);
            return;
        }
        let depth = moves.depth;
        moves.depth -= 1;
        match moves.skipped {
            Some(SkippedPart::Variation { depth: from }) if from == depth => moves.skipped = None,
            Some(SkippedPart::Rest { depth: from }) if from == depth => {
                moves.skipped = None;
                visitor.end_variation();
            }
            Some(_) => {}
            None => visitor.end_variation(),
        }
    }

    fn report<V: Visitor>(&self, visitor: &mut V, kind: ProblemKind) {
        visitor.problem(PgnProblem { line: self.lexer.line(), kind });
    }

    fn report_if_truncated<V: Visitor>(&self, visitor: &mut V) {
        if self.lexer.is_truncated() {
            self.report(visitor, ProblemKind::TooLong);
        }
    }
}

/// Current nesting of variations, and what is being skipped.
struct MoveSection {
    depth: usize,
    skipped: Option<SkippedPart>,
}

/// What is being skipped, including nested variations.
enum SkippedPart {
    Variation {
        depth: usize,
    },
    /// The rest of a line.
    Rest {
        depth: usize,
    },
}

impl MoveSection {
    fn new(flow: Flow) -> MoveSection {
        let mut moves = MoveSection { depth: 0, skipped: None };
        moves.set_flow(flow);
        moves
    }

    #[inline]
    fn is_reading(&self) -> bool {
        self.skipped.is_none()
    }

    #[inline]
    fn set_flow(&mut self, flow: Flow) {
        if flow == Flow::Skip {
            self.skipped = Some(SkippedPart::Rest { depth: self.depth });
        }
    }
}

/// Words in movetext that are not moves.
enum Suffix {
    /// An evaluation or remark that has a NAG.
    Nag(u8),
    /// A mark that belongs to the previous move.
    Nothing,
}

/// Annotation symbols as NAGs of the PGN standard (146 and 201 by custom).
fn sign(text: &[u8]) -> Option<Suffix> {
    Some(match text {
        b"=" => Suffix::Nag(10),
        b"+=" | b"+/=" => Suffix::Nag(14),
        b"=+" | b"=/+" => Suffix::Nag(15),
        b"+/-" => Suffix::Nag(16),
        b"-/+" => Suffix::Nag(17),
        b"+-" => Suffix::Nag(18),
        b"-+" => Suffix::Nag(19),
        b"N" => Suffix::Nag(146),
        b"D" => Suffix::Nag(201),
        b"+" | b"++" | b"#" | b"ep" | b"e.p." | b"e.p" | b"ch" | b"mate" => Suffix::Nothing,
        _ => return None,
    })
}

/// The start of a text, for messages.
fn shown(text: &[u8]) -> String {
    let cut = &text[..text.len().min(SHOWN)];
    match str::from_utf8(cut) {
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&cut[..error.valid_up_to()]).into()
        }
        _ => decode_bytes(cut).into_owned(),
    }
}
