//! The moves of a thinking line in any notation: `1. e4 e5 2. Nf3`, `d1d2 e8e7`, `(exd5) Nf6 Bb5+`.

use smalt_chess::{CastlingMode, Move, Position, San, UciMove};

/// Parses a move in coordinate notation or SAN.
pub fn parse_move(word: &str, position: &Position) -> Option<Move> {
    if let Ok(mv) = UciMove::parse(word) {
        return mv.to_move(position).ok();
    }
    San::parse(word).ok()?.to_move(position).ok()
}

/// The moves of a line from this position, up to the first word that is neither a legal move nor a move number. The
/// ponder move, in brackets, counts.
pub fn parse_line(line: &str, position: &Position, mode: CastlingMode) -> Vec<UciMove> {
    let mut position = *position;
    let mut moves = Vec::new();
    for word in words(line) {
        let Some(mv) = parse_move(word, &position) else { break };
        moves.push(UciMove::from_move(mv, mode));
        position.play(mv);
    }
    moves
}

/// The first word of a line that looks like a move but is illegal or ambiguous. Lines are free text, so
/// any other word only ends the check.
pub fn first_illegal<'l>(line: &'l str, position: &Position) -> Option<&'l str> {
    let mut position = *position;
    for word in words(line) {
        let Some(mv) = parse_move(word, &position) else {
            let is_written_as_move = UciMove::parse(word).is_ok() || San::parse(word).is_ok();
            return is_written_as_move.then_some(word);
        };
        position.play(mv);
    }
    None
}

/// The words of a line, without move numbers and brackets.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split_ascii_whitespace().map(without_number).filter(|word| !word.is_empty());
    words.map(|word| word.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')).unwrap_or(word))
}

/// Strips the move number: `1.` and `1...` become empty, `1.e4` becomes `e4`; castling with zeros is kept.
fn without_number(word: &str) -> &str {
    let behind = word.trim_start_matches(|c: char| c.is_ascii_digit());
    match behind.chars().next() {
        None | Some('.') => behind.trim_start_matches('.'),
        Some(_) => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fen: &str, line: &str, expected: &str) {
        let position = Position::from_fen(fen).unwrap();
        let moves = parse_line(line, &position, CastlingMode::Standard);
        let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
        assert_eq!(moves.join(" "), expected, "{line}");
    }

    #[test]
    fn lines_are_read_in_every_notation() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        check(start, "1. e4 d5 2. Qf3 dxe4", "e2e4 d7d5 d1f3 d5e4");
        check(start, "1.e4 e5 2.Nf3 e1g1", "e2e4 e7e5 g1f3");
        check(start, "e2e4  e7e5 <HT>", "e2e4 e7e5");
        check(start, "(e4) Nf6 e5", "e2e4 g8f6 e4e5");
        check(start, "(e4 64%, d4 24%)", "");
        let castling = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1";
        check(castling, "1... 0-0 2. O-O-O", "e8g8 e1c1");
        check("8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q Kg6", "a7a8q h7g6");
    }

    #[test]
    fn words_written_as_moves_must_be_legal() {
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(first_illegal(line, &Position::start()), expected, "{line}");
        };
        check("1. e4 e5 2. Nf3", None);
        check("1.e4 e5 2.Nf3 e1g1", Some("e1g1"));
        check("e2e4 e7e5 Nf6", Some("Nf6"));
        check("e2e4 e7e5 <HT>", None);
        check("book: e5", None);
        check("", None);
    }
}
