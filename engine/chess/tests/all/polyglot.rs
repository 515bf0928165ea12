//! Polyglot books: published keys, lookup, weighted choice, and round trips.

use smalt_chess::notation::polyglot::{
    PolyglotBook, PolyglotBuilder, PolyglotEntry, PolyglotError, PolyglotMove,
};
use smalt_chess::{Move, Position, UciMove};

fn after(moves: &str) -> Position {
    moves.split_whitespace().fold(Position::start(), |position, word| position.after(mv(&position, word)))
}

fn mv(position: &Position, text: &str) -> Move {
    UciMove::parse(text).unwrap().to_move(position).unwrap()
}

/// The keys published in the format description.
#[test]
fn keys_are_the_published_ones() {
    for (moves, key) in [
        ("", 0x463b_9618_1691_fc9c),
        ("e2e4", 0x823c_9b50_fd11_4196),
        ("e2e4 d7d5", 0x0756_b944_61c5_0fb0),
        ("e2e4 d7d5 e4e5", 0x662f_afb9_65db_29d4),
        ("e2e4 d7d5 e4e5 f7f5", 0x22a4_8b5a_8e47_ff78),
        ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a_607c_a3f2_42c1),
        ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fd_d303_c946_bdd9),
        ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c81_23ea_7b06_7637),
        ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f_9b82_9b27_9560),
    ] {
        let position = after(moves);
        assert_eq!(position.key(), key, "{moves}");
        assert_eq!(position.key_from_scratch(), key, "{moves}");
    }
}

fn book(entries: &[(&str, &str, u16)]) -> PolyglotBook<Vec<u8>> {
    let mut builder = PolyglotBuilder::new();
    for (moves, text, weight) in entries {
        let position = after(moves);
        builder.add(&position, mv(&position, text), *weight);
    }
    PolyglotBook::new(builder.to_bytes()).unwrap()
}

#[test]
fn a_written_book_gives_its_moves_by_weight() {
    let book =
        book(&[("", "d2d4", 1), ("", "e2e4", 2), ("e2e4", "e7e5", 7), ("", "e2e4", 1), ("", "a2a3", 0)]);
    let start = Position::start();
    let found: Vec<_> = book.moves(&start).map(|found| (found.mv, found.weight)).collect();
    assert_eq!(found, [(mv(&start, "e2e4"), 3), (mv(&start, "d2d4"), 1), (mv(&start, "a2a3"), 0)]);
    assert_eq!(book.best_move(&start), Some(mv(&start, "e2e4")));
    assert_eq!(book.best_move(&after("d2d4")), None);
    assert_eq!(book.len(), 4);
    let quarter = u64::MAX / 4 + 1;
    let chosen = [0, quarter - 1, quarter, 3 * quarter - 1, 3 * quarter, u64::MAX]
        .map(|random| book.choose_move(&start, random));
    let [e4, d4] = ["e2e4", "d2d4"].map(|text| Some(mv(&start, text)));
    assert_eq!(chosen, [e4, e4, e4, e4, d4, d4]);
    assert_eq!(book.choose_move(&after("d2d4"), 1), None);
}

#[test]
fn moves_without_weight_are_never_played() {
    let book = book(&[("", "a2a3", 0)]);
    assert_eq!(book.best_move(&Position::start()), None);
    assert_eq!(book.choose_move(&Position::start(), 0), None);
    assert_eq!(book.moves(&Position::start()).count(), 1);
}

#[test]
fn castling_is_packed_as_king_captures_rook() {
    let position = Position::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    let castle = mv(&position, "e1g1");
    let packed = PolyglotMove::from_move(castle);
    assert_eq!(packed.to_bits(), 4 << 6 | 7);
    assert_eq!(packed.to_move(&position), Some(castle));
    assert_eq!(PolyglotMove::from_bits(4 << 6 | 6).to_move(&position), Some(castle));
    let promotion = Position::from_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap();
    for &mv in &promotion.legal_moves() {
        assert_eq!(PolyglotMove::from_move(mv).to_move(&promotion), Some(mv));
    }
}

#[test]
fn illegal_book_moves_are_skipped() {
    let start = Position::start();
    let mut builder = PolyglotBuilder::new();
    builder.add(&start, mv(&start, "g1f3"), 1);
    for bits in [0, 4 << 6 | 7, 0x7fff] {
        let mv = PolyglotMove::from_bits(bits);
        builder.add_entry(PolyglotEntry { key: start.key(), mv, weight: 9, learn: 3 });
    }
    let book = PolyglotBook::new(builder.to_bytes()).unwrap();
    assert_eq!(book.entries().len(), 4);
    assert_eq!(book.best_move(&start), Some(mv(&start, "g1f3")));
    assert_eq!(book.choose_move(&start, u64::MAX), Some(mv(&start, "g1f3")));
}

#[test]
fn weights_too_great_for_the_format_keep_their_proportion() {
    let many: Vec<_> =
        (0..4).map(|_| ("", "e2e4", 60_000)).chain([("", "d2d4", 60_000), ("", "a2a3", 1)]).collect();
    let weights: Vec<_> = book(&many).moves(&Position::start()).map(|found| found.weight).collect();
    assert_eq!(weights, [65_535, 16_383, 1]);
}

#[test]
fn invalid_books_are_refused() {
    assert_eq!(PolyglotBook::new(vec![0; 17]).unwrap_err(), PolyglotError::Length(17));
    let mut bytes = vec![0; 48];
    bytes[16] = 1;
    assert_eq!(PolyglotBook::new(bytes).unwrap_err(), PolyglotError::Unsorted(2));
    assert!(PolyglotBook::new([]).unwrap().is_empty());
}
