//! The properties that the fuzz targets check, one function per notation: parsing never panics, and a printed value
//! parses to the same value. `cargo test` replays the corpus.

use smalt_chess::notation::encoding;
use smalt_chess::notation::pgn::{PgnError, Variations};
use smalt_chess::notation::polyglot::{PolyglotBook, PolyglotBuilder};
use smalt_chess::{CastlingMode, Epd, FenStyle, PgnReader, Position, San, Setup, UciMove};

/// FEN: a setup round-trips in both styles, and a position round-trips through its setup.
pub(crate) fn fen(bytes: &[u8]) {
    let text = encoding::decode(bytes);
    let Ok(setup) = Setup::parse_fen(&text) else { return };
    for style in [FenStyle::XFen, FenStyle::Shredder] {
        assert_eq!(Setup::parse_fen(&setup.to_fen(style)).as_ref(), Ok(&setup));
    }
    if let Ok(position) = Position::new(&setup) {
        assert_eq!(position.key(), position.key_from_scratch());
        assert_eq!(Position::new(&position.to_setup()), Ok(position));
        assert_eq!(Position::from_fen(&position.to_fen()).map(|read| read.to_fen()), Ok(position.to_fen()));
    }
}

/// SAN: the first line is a position, the others are moves. A text resolves only to legal moves, and every legal move
/// round-trips.
pub(crate) fn san(bytes: &[u8]) {
    let (first, rest) = bytes.split_at(bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0));
    let mut position = Position::from_fen(&encoding::decode(first)).unwrap_or_default();
    for word in rest.split(u8::is_ascii_whitespace) {
        let Ok(san) = San::parse_bytes(word) else { continue };
        assert_eq!(San::parse(&san.to_string()), Ok(san));
        if let Ok(mv) = san.to_move(&position) {
            assert!(position.is_legal(mv));
            position.play(mv);
        }
    }
    for &mv in &position.legal_moves() {
        assert_eq!(San::from_move(mv, &position).to_move(&position), Ok(mv));
        for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
            assert_eq!(UciMove::from_move(mv, mode).to_move(&position), Ok(mv));
        }
    }
}

/// EPD: each valid line round-trips.
pub(crate) fn epd(bytes: &[u8]) {
    for line in encoding::decode(bytes).lines() {
        let Ok(epd) = Epd::parse(line) else { continue };
        assert_eq!(Epd::parse(&epd.to_string()).as_ref(), Ok(&epd));
        let moves = epd.best_moves().chain(epd.variation()).flatten().count();
        assert!(moves <= line.len());
    }
}

/// PGN: each valid game round-trips without problems.
pub(crate) fn pgn(bytes: &[u8]) {
    let mut reader = PgnReader::new(bytes);
    loop {
        let game = match reader.read_game(Variations::Keep) {
            Ok(Some(game)) => game,
            Ok(None) => return,
            Err(PgnError::Skipped(_)) => continue,
            Err(PgnError::Io(error)) => panic!("{error}"),
        };
        let printed = game.to_string();
        let again = PgnReader::new(printed.as_bytes()).read_game(Variations::Keep);
        let again = again.expect("a printed game can be used").expect("there is one");
        assert_eq!(again, game);
        assert_eq!(again.problems(), []);
    }
}

/// Polyglot: a book returns only legal moves, and a built book is valid.
pub(crate) fn polyglot(bytes: &[u8]) {
    let whole = &bytes[..bytes.len() / 16 * 16];
    let start = Position::start();
    if let Ok(book) = PolyglotBook::new(whole) {
        assert!(book.moves(&start).all(|found| start.is_legal(found.mv)));
    }
    let mut builder = PolyglotBuilder::new();
    for record in whole.chunks_exact(16) {
        // Each single record is a sorted book.
        let single = PolyglotBook::new(record).expect("one record is a book");
        single.entries().for_each(|entry| builder.add_entry(entry));
    }
    let written = PolyglotBook::new(builder.to_bytes()).expect("a written book is sorted");
    assert!(written.len() <= whole.len() / 16);
    assert!(written.choose_move(&start, 1).is_none_or(|mv| start.is_legal(mv)));
}
