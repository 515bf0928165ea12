//! Games as a runner plays them: what ends them and what does not.

use smalt_chess::{Color, DrawClaims, Ending, Game, Move, MoveKind, Outcome, Position, San, Square};

fn play(game: &mut Game, text: &str) {
    for word in text.split_whitespace() {
        assert_eq!(game.ending(DrawClaims::Never), None, "before {word}");
        let mv = San::parse(word).unwrap().to_move(game.position()).unwrap_or_else(|error| panic!("{error}"));
        game.play(mv).unwrap();
    }
}

fn from(fen: &str) -> Game {
    Game::new(Position::from_fen(fen).unwrap())
}

#[test]
fn a_position_may_be_claimed_the_third_time_and_ends_the_game_the_fifth() {
    let mut game = Game::default();
    for round in 1..=4 {
        assert_eq!(game.repetitions(), round);
        let claim = if round >= 3 { Some(Ending::ThreefoldRepetition) } else { None };
        assert_eq!(game.ending(DrawClaims::Automatic), claim);
        play(&mut game, "Nf3 Nf6 Ng1 Ng8");
    }
    assert_eq!(game.repetitions(), 5);
    assert_eq!(game.ending(DrawClaims::Never), Some(Ending::FivefoldRepetition));
    assert_eq!(game.ending(DrawClaims::Automatic), Some(Ending::FivefoldRepetition));
    for _ in 0..16 {
        assert!(game.undo().is_some());
    }
    assert_eq!((game.undo(), game.repetitions(), *game.position()), (None, 1, Position::start()));
}

#[test]
fn an_en_passant_right_makes_another_position_only_where_the_capture_is_legal() {
    let mut game = from("rnbqkb1r/ppp1pppp/5n2/8/3p4/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1");
    play(&mut game, "e4");
    assert_eq!(game.position().en_passant(), Some(Square::E3));
    play(&mut game, "Ng8 Ng1 Nf6 Nf3");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "Ng8 Ng1 Nf6 Nf3");
    assert_eq!(game.repetitions(), 2);

    let mut pinned = from("4k3/8/8/8/4p3/8/3P4/4RK2 w - - 0 1");
    play(&mut pinned, "d4 Kd7 Kf2 Ke8 Kf1");
    assert_eq!(pinned.repetitions(), 2);
}

#[test]
fn a_lost_castling_right_makes_another_position() {
    let mut game = from("4k2r/8/8/8/8/8/8/4K2R w Kk - 0 1");
    play(&mut game, "Rh2 Rh7 Rh1 Rh8");
    assert_eq!(game.repetitions(), 1);
    play(&mut game, "Rh2 Rh7 Rh1 Rh8");
    assert_eq!(game.repetitions(), 2);
}

#[test]
fn fifty_moves_can_be_claimed_and_seventy_five_end_the_game() {
    let ending = |clock: u16, claims| from(&format!("4k3/8/8/8/8/8/8/R3K3 w Q - {clock} 80")).ending(claims);
    assert_eq!(ending(99, DrawClaims::Automatic), None);
    assert_eq!(ending(100, DrawClaims::Automatic), Some(Ending::FiftyMoves));
    assert_eq!(ending(149, DrawClaims::Never), None);
    assert_eq!(ending(150, DrawClaims::Never), Some(Ending::SeventyFiveMoves));
}

#[test]
fn mate_on_the_last_move_of_a_count_still_wins() {
    let mut game = from("7k/8/6K1/8/8/8/8/R7 w - - 149 90");
    play(&mut game, "Ra8");
    let ending = game.ending(DrawClaims::Automatic).unwrap();
    assert_eq!(ending, Ending::Checkmate { winner: Color::White });
    assert_eq!(ending.outcome(), Outcome::Win(Color::White));
}

#[test]
fn an_illegal_move_changes_nothing() {
    let mut game = Game::default();
    assert!(game.play(Move::new(Square::E2, Square::E5, MoveKind::Quiet)).is_err());
    assert!(game.moves().is_empty());
    assert_eq!((game.keys().len(), *game.position()), (1, Position::start()));
}

#[test]
fn a_game_remembers_its_plies() {
    let mut game = Game::default();
    play(&mut game, "e4 e5 Ke2");
    assert_eq!(*game.start(), Position::start());
    assert_eq!(game.plies().len(), 3);
    for (position, mv) in game.plies() {
        assert!(position.is_legal(mv));
    }
    assert_eq!(game.keys().last(), Some(&game.position().repetition_key()));
}
