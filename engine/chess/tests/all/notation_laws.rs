//! Properties of every notation: parsing never panics, and printed values parse to the same value.

use proptest::prelude::*;
use smalt_chess::notation::encoding;
use smalt_chess::notation::pgn::{PgnError, Variations, Visitor};
use smalt_chess::notation::polyglot::{PolyglotBook, PolyglotBuilder, PolyglotEntry, PolyglotMove};
use smalt_chess::{
    CastlingMode, Epd, FenStyle, MoveComment, PgnGame, PgnReader, Position, Role, San, Setup, UciMove,
};
use smalt_testing::Random;
use smalt_testing::positions::{ADVERSARIAL, play_out};

/// Bytes made mostly from tokens of a notation, so that parsing gets far before it fails.
fn soup(words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        20 => prop::sample::select(words).prop_map(|word| word.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(word, 0..60).prop_map(|words| words.concat())
}

const PGN: &[&str] = &[
    "[Event \"a\"]\n",
    "[FEN \"4k3/P7/8/8/8/8/8/R3K2R w KQ - 3 9\"]\n",
    "[X \"\\\"q\\\\\"]",
    "[",
    "]",
    "\"",
    "\n",
    "\r\n",
    " ",
    "\n\n",
    "1. ",
    "12...",
    "e4 ",
    "e5 ",
    "Nf3 ",
    "Nc6 ",
    "a4 ",
    "a5 ",
    "d4 ",
    "d5 ",
    "a8=Q ",
    "O-O ",
    "Ke2 ",
    "-- ",
    "e2e4 ",
    "(",
    ")",
    " ( ",
    " ) ",
    "{a b}",
    "{",
    "}",
    "; c }\n",
    "$1 ",
    "$300 ",
    "! ",
    "?? ",
    "* ",
    "1-0 ",
    "1/2-1/2 ",
    "%x\n",
    "<x>",
    "{ %a [b] } ",
    "\u{feff}",
    "\u{e9}",
    "+- ",
    "e.p. ",
    "[Variant \"Chess960\"]\n",
    "[Result \"0-1\"]\n",
];

const EPD: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - ",
    "4k3/8/8/8/8/8/8/4K2R w K ",
    "bm ",
    "e4",
    " Rh8+",
    ";",
    "; ",
    "id \"x y\";",
    "\"",
    "dm 3",
    " ",
    "hmvc 5;",
    "fmvn 0;",
    "0 1 ",
    "D1 20 ;",
    "c0 \"e4=3\"; ",
    "\t",
    "am",
    "é",
    "pv e4 e5;",
];

const FEN: &[&str] = &[
    "8/", "pppppppp/", "4k3/", "r3k2r/", "R3K2R", " ", "w ", "b ", "KQkq ", "HAha ", "- ", "e3 ", "0 ",
    "65535", "P", "é",
];

const SAN: &[&str] = &[
    "N", "K", "P", "e", "4", "f", "8", "x", "-", "=", "Q", "q", "(", ")", "+", "#", "!", " ", "O", "0",
    "e.p.", ":",
];

/// Checks all games of the input, and the games parsed from their output.
fn check_games(bytes: &[u8], variations: Variations) {
    let mut reader = PgnReader::new(bytes);
    loop {
        match reader.read_game(variations) {
            Ok(Some(game)) => check_printed(&game),
            Ok(None) => return,
            Err(PgnError::Skipped(_)) => {}
            Err(PgnError::Io(error)) => panic!("{error}"),
        }
    }
}

fn check_printed(game: &PgnGame) {
    let printed = game.to_string();
    let mut reader = PgnReader::new(printed.as_bytes());
    let again = reader.read_game(Variations::Keep).unwrap().unwrap();
    assert_eq!(&again, game, "{printed}");
    assert_eq!(again.problems(), [], "{printed}");
    assert!(reader.read_game(Variations::Keep).unwrap().is_none(), "{printed}");
}

struct Nothing;

impl Visitor for Nothing {}

fn check_epd(text: &str) {
    if let Ok(epd) = Epd::parse(text) {
        let printed = epd.to_string();
        let again = Epd::parse(&printed).unwrap();
        assert_eq!(again, epd, "{text:?}");
        for read in [epd.best_moves().count(), epd.variation().count(), epd.perft_counts().count()] {
            assert!(read <= text.len());
        }
    }
}

fn check_fen(text: &str) {
    let Ok(setup) = Setup::parse_fen(text) else { return };
    for style in [FenStyle::XFen, FenStyle::Shredder] {
        assert_eq!(Setup::parse_fen(&setup.to_fen(style)).as_ref(), Ok(&setup), "{text:?}");
    }
    let Ok(position) = Position::new(&setup) else { return };
    check_fen_of(&position);
}

fn check_fen_of(position: &Position) {
    for fen in [position.to_fen(), position.to_shredder_fen()] {
        let again = Position::from_fen(&fen).unwrap();
        assert_eq!(again.to_fen(), position.to_fen(), "{fen}");
        assert_eq!(again.castling_rooks(), position.castling_rooks(), "{fen}");
        assert_eq!(again.repetition_key(), position.repetition_key(), "{fen}");
        if position.legal_en_passant().is_some() {
            assert_eq!(again, *position, "{fen}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_bytes_are_read_as_games(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check_games(&bytes, Variations::Keep);
    }

    #[test]
    fn games_of_any_shape_print_as_they_parse(bytes in soup(PGN)) {
        check_games(&bytes, Variations::Keep);
        check_games(&bytes, Variations::Skip);
        let mut reader = PgnReader::new(bytes.as_slice());
        while reader.visit_game(&mut Nothing).unwrap() {}
    }

    #[test]
    fn games_in_utf16_are_the_same_games(bytes in soup(PGN)) {
        let text = String::from_utf8_lossy(&bytes);
        let marked: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        let read = |bytes: &[u8]| PgnReader::new(bytes).read_game(Variations::Keep).map_err(|error| error.to_string());
        let plain = format!("\u{feff}{text}");
        prop_assert_eq!(read(&marked), read(plain.as_bytes()));
    }

    #[test]
    fn any_text_is_read_as_epd(text in any::<String>()) {
        check_epd(&text);
    }

    #[test]
    fn epd_of_any_shape_prints_as_it_parses(bytes in soup(EPD)) {
        check_epd(&encoding::decode(&bytes));
        let start = format!("{}{}", EPD[0], encoding::decode(&bytes));
        check_epd(&start);
    }

    #[test]
    fn any_text_is_read_as_fen(text in any::<String>()) {
        check_fen(&text);
    }

    #[test]
    fn fen_of_any_shape_prints_as_it_parses(bytes in soup(FEN)) {
        check_fen(&encoding::decode(&bytes));
    }

    #[test]
    fn san_of_any_shape_prints_as_it_parses(bytes in soup(SAN)) {
        let bytes = &bytes[..bytes.len().min(12)];
        if let Ok(san) = San::parse_bytes(bytes) {
            prop_assert_eq!(San::parse(&san.to_string()), Ok(san));
            let _ = san.to_move(&Position::start());
        }
    }

    #[test]
    fn moves_in_algebraic_notation_print_as_they_parse(
        text in "(--|O-O(-O)?|[NBRQK]?[a-h]?[1-8]?x?[a-h][1-8]|[NBRQK]?[a-h][1-8]-[a-h][1-8]|[a-h]?[1-8]?x?[a-h][18]=?[NBRQnbrq])( ?e\\.p\\.)?[+#!?]{0,3}",
        seed in any::<u64>(),
    ) {
        let san = San::parse(&text).unwrap();
        prop_assert_eq!(San::parse(&san.to_string()), Ok(san));
        play_out(Position::start(), 30, &mut Random(seed), |position| {
            if let Ok(mv) = san.to_move(position) {
                assert!(position.is_legal(mv));
            }
        });
    }

    #[test]
    fn any_text_is_read_as_move_and_comment(text in any::<String>()) {
        let _ = (UciMove::parse(&text), San::parse(&text), San::parse_bytes(text.as_bytes()));
        if let Ok(comment) = MoveComment::parse(&text) {
            prop_assert_eq!(MoveComment::parse(&comment.to_string()), Ok(comment));
        }
    }

    #[test]
    fn comments_on_moves_print_as_they_parse(text in "[+-]?(M[0-9]{1,3}|[0-9]{1,3}\\.[0-9]{2})/[0-9]{1,3}( [0-9]{1,4}(\\.[0-9]{1,5})?m?s)?(, ?[ -~]{0,10})?") {
        if let Ok(comment) = MoveComment::parse(&text) {
            prop_assert_eq!(MoveComment::parse(&comment.to_string()), Ok(comment));
        } else {
            // Only whole milliseconds are written without a decimal point.
            prop_assert!(text.contains("ms"), "{}", text);
        }
    }

    #[test]
    fn any_bytes_are_read_as_a_book(bytes in prop::collection::vec(any::<u8>(), 0..200), random in any::<u64>()) {
        if let Ok(book) = PolyglotBook::new(&bytes) {
            let start = Position::start();
            let _ = (book.best_move(&start), book.choose_move(&start, random));
            prop_assert_eq!(book.entries().len() * 16, bytes.len());
        }
    }

    #[test]
    fn any_records_build_a_valid_book(records in prop::collection::vec((0..4_u64, any::<u16>(), any::<u16>(), any::<u32>()), 0..30)) {
        let mut builder = PolyglotBuilder::new();
        for &(key, bits, weight, learn) in &records {
            builder.add_entry(PolyglotEntry { key, mv: PolyglotMove::from_bits(bits), weight, learn });
        }
        let book = PolyglotBook::new(builder.to_bytes()).unwrap();
        for &(key, bits, ..) in &records {
            prop_assert_eq!(book.find(key).filter(|entry| entry.mv.to_bits() == bits).count(), 1);
        }
        let mut again = PolyglotBuilder::new();
        book.entries().for_each(|entry| again.add_entry(entry));
        prop_assert_eq!(again.to_bytes(), builder.to_bytes());
    }
}

/// The 960 start positions: every order of the pieces with bishops on both colors and the king between the rooks.
fn start_positions() -> Vec<Position> {
    use Role::{Bishop, King, Knight, Queen, Rook};
    let mut found = Vec::new();
    let mut order = [None; 8];
    for light in (1..8).step_by(2) {
        for dark in (0..8).step_by(2) {
            order.fill(None);
            (order[light], order[dark]) = (Some(Bishop), Some(Bishop));
            let free: Vec<usize> = (0..8).filter(|&file| order[file].is_none()).collect();
            for queen in 0..6 {
                let left: Vec<usize> = (0..6).filter(|&slot| slot != queen).collect();
                for (first, second) in
                    [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
                {
                    let mut pieces = order;
                    pieces[free[queen]] = Some(Queen);
                    let mut others = [Rook, King, Rook].into_iter();
                    for (slot, &at) in left.iter().enumerate() {
                        let role =
                            if slot == first || slot == second { Knight } else { others.next().unwrap() };
                        pieces[free[at]] = Some(role);
                    }
                    let setup = Setup::start_with(pieces.map(Option::unwrap));
                    found.push(Position::new(&setup).unwrap());
                }
            }
        }
    }
    found
}

#[test]
fn all_start_positions_of_chess960_come_back_from_both_styles() {
    let starts = start_positions();
    assert_eq!(starts.len(), 960);
    let mut random = Random(960);
    for start in starts {
        let fen = start.to_fen();
        assert!(fen.contains(" KQkq "), "{fen}");
        assert_eq!(Position::from_fen(&fen), Ok(start));
        assert_eq!(Position::from_fen(&start.to_setup().to_fen(FenStyle::Shredder)), Ok(start));
        play_out(start, 40, &mut random, check_fen_of);
    }
}

#[test]
fn positions_and_moves_of_random_games_come_back_from_their_texts() {
    let mut random = Random(1972);
    for fen in ADVERSARIAL {
        play_out(Position::from_fen(fen).unwrap(), 60, &mut random, |position| {
            check_fen_of(position);
            for &mv in &position.legal_moves() {
                let san = San::from_move(mv, position);
                assert_eq!(San::parse(&san.to_string()), Ok(san));
                assert_eq!(san.to_move(position), Ok(mv), "{san} in {position:?}");
                for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
                    assert_eq!(UciMove::from_move(mv, mode).to_move(position), Ok(mv), "{position:?}");
                }
                assert_eq!(PolyglotMove::from_move(mv).to_move(position), Some(mv));
            }
        });
    }
}

#[test]
fn random_games_with_variations_print_as_they_parse() {
    let mut random = Random(1866);
    for fen in ADVERSARIAL {
        let mut game = PgnGame::new(Position::from_fen(fen).unwrap());
        for _ in 0..80 {
            let moves = game.position().legal_moves();
            match random.below(8) {
                0 => game.push_comment("a word} or two "),
                1 => game.push_nag(random.below(256) as u8),
                2 => drop(game.begin_variation()),
                3 => drop(game.end_variation()),
                4 if random.below(4) == 0 => drop(game.push_pass()),
                _ if moves.is_empty() => drop(game.end_variation()),
                _ => game.push_move(moves[random.below(moves.len())]).unwrap(),
            }
        }
        while game.end_variation().is_ok() {}
        check_printed(&game);
    }
}
