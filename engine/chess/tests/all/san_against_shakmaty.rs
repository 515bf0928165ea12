//! Compares SAN and coordinate moves with shakmaty: the same text for every legal move, over random games and positions
//! where rules interact; and every spelling of a move parses to that move.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode as TheirMode, Chess, Position as _};
use smalt_chess::{CastlingMode, Position, San, UciMove};
use smalt_testing::Random;
use smalt_testing::positions::{ADVERSARIAL, play_out};

/// Positions whose moves need, or seem to need, much disambiguation.
const AMBIGUOUS: &[&str] = &[
    "4k3/8/8/2N1N3/8/2N1N3/8/4K3 w - - 0 1",
    "4k3/8/8/2N1N3/1r6/2N1N3/8/K7 w - - 0 1",
    "6k1/8/1Q3Q2/8/3Q4/8/1Q3Q2/K7 w - - 0 1",
    "3r2k1/8/8/3R4/8/3N4/3K1N2/8 w - - 0 1",
    "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1",
    "1k1r3r/8/8/8/8/8/8/R3K2R b KQ - 0 1",
    "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
    "4k3/8/8/1KPpP2r/8/8/8/8 w - d6 0 1",
    "1n1n4/2P1P3/8/8/8/8/8/k1K5 w - - 0 1",
    "R6R/8/8/1k6/8/8/8/R3K2R w KQ - 0 1",
    "BB6/8/8/8/6k1/8/8/B1K5 w - - 0 1",
];

fn compare(position: &Position) {
    let fen: Fen = position.to_shredder_fen().parse().unwrap();
    // shakmaty refuses unreachable positions.
    let Ok(other) = fen.into_position::<Chess>(TheirMode::Chess960) else { return };
    let judged = other.legal_moves().into_iter().map(|mv| {
        let uci = mv.to_uci(TheirMode::Chess960).to_string();
        (uci, SanPlus::from_move(other.clone(), mv).to_string())
    });
    for (uci, san) in judged {
        let mv = UciMove::parse(&uci).unwrap().to_move(position).unwrap();
        assert_eq!(UciMove::from_move(mv, CastlingMode::Chess960).to_string(), uci, "{position:?}");
        assert_eq!(San::from_move(mv, position).to_string(), san, "{position:?}");
        for text in ways_of_writing(&san, &uci) {
            let read = San::parse(&text).unwrap().to_move(position);
            assert_eq!(read, Ok(mv), "{text} in {position:?}");
        }
    }
}

/// Spellings of a move by other programs.
fn ways_of_writing(san: &str, uci: &str) -> Vec<String> {
    let bare = san.trim_end_matches(['+', '#']);
    let mut ways = vec![san.to_string(), format!("{bare} +"), format!("{bare}!?"), bare.replace('=', "")];
    if bare.starts_with('O') {
        ways.push(bare.replace('O', "0"));
        return ways;
    }
    let letter = if bare.starts_with(|first: char| first.is_ascii_uppercase()) { &bare[..1] } else { "" };
    let promotion = bare.split_once('=').map_or(String::new(), |(_, role)| format!("({role})"));
    ways.push(uci.into());
    ways.push(format!("{letter}{}-{}{promotion}", &uci[..2], &uci[2..4]));
    ways.push(format!("{letter}{}x{}{promotion}", &uci[..2], &uci[2..4]));
    if letter.is_empty() && bare.contains('x') {
        ways.push(format!("{bare} e.p."));
    }
    ways
}

#[test]
fn every_legal_move_is_written_the_same() {
    let mut random = Random(1895);
    for fen in ADVERSARIAL.iter().chain(AMBIGUOUS) {
        let start = Position::from_fen(fen).unwrap();
        compare(&start);
        for &mv in &start.legal_moves() {
            compare(&start.after(mv));
        }
        for _ in 0..3 {
            play_out(start, 40, &mut random, compare);
        }
    }
    for _ in 0..30 {
        play_out(Position::start(), 200, &mut random, compare);
    }
}

#[test]
fn ambiguous_moves_are_refused() {
    let check = |fen: &str, text: &str, expected: &str| {
        let position = Position::from_fen(fen).unwrap();
        let read = San::parse(text).unwrap().to_move(&position);
        let said = read.map_or_else(|error| error.to_string(), |mv| format!("{mv:?}"));
        assert_eq!(said, expected, "{text} in {fen}");
    };
    let knights = AMBIGUOUS[0];
    check(knights, "Nd5", "Nd5 could be more than one move here");
    check(knights, "Nec4", "Nec4 could be more than one move here");
    check(knights, "Ne5c4", "e5c4");
    check(knights, "Ne5-c4", "e5c4");
    check(knights, "N5d7", "N5d7 could be more than one move here");
    check(knights, "Ncd7", "c5d7");
    check(knights, "Nbd7", "Nbd7 is not a legal move here");
    check(knights, "Nc3d7", "Nc3d7 is not a legal move here");
    let pinned = AMBIGUOUS[4];
    check(pinned, "Ne2", "g1e2");
    check(pinned, "Nce2", "Nce2 is not a legal move here");
    let pawns = AMBIGUOUS[6];
    check(pawns, "xd6", "xd6 could be more than one move here");
    check(pawns, "cd6", "c5d6");
    check(pawns, "d6", "d6 is not a legal move here");
    check(pawns, "xb6", "xb6 is not a legal move here");
    check(AMBIGUOUS[8], "xb8=Q", "c7b8q");
    check(AMBIGUOUS[8], "xf8=Q", "xf8=Q is not a legal move here");
    check(pawns, "Bc5d6", "Bc5d6 is not a legal move here");
}
