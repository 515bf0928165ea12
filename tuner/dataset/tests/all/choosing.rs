//! Selection of a game's positions.

use smalt_chess::{CommentScore, Outcome, Position, UciMove};
use smalt_dataset::choose::{Dropped, Filter, GamePosition, PositionReason};

/// White mates after captures; the scores grow by a pawn per move.
const GAME: &str = "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7";

fn game() -> Vec<GamePosition> {
    game_of(GAME, |index| match index {
        0 => None,
        6 => Some(CommentScore::Mates(1)),
        index => Some(CommentScore::Centipawns(if index % 2 == 0 { 100 } else { -100 } * index as i32)),
    })
}

/// Positions of a game with these scores; the first move is a book move.
fn game_of(moves: &str, score: impl Fn(usize) -> Option<CommentScore>) -> Vec<GamePosition> {
    let (mut position, mut before, mut positions) = (Position::start(), None, Vec::new());
    for (index, text) in moves.split(' ').enumerate() {
        let next = UciMove::parse(text).unwrap().to_move(&position).unwrap();
        let score = score(index);
        let ply = GamePosition::ply_of(&position);
        positions.push(GamePosition { position, before, next, score, is_book: index == 0, ply });
        before = Some(next);
        position.play(next);
    }
    positions
}

const ALL: Filter = Filter {
    opening_plies: 0,
    last_plies: 0,
    per_game: usize::MAX,
    max_score: None,
    drop_checks: false,
    drop_noisy: false,
    seed: 1,
};

/// Checks which plies are chosen, and the reasons for the others.
#[track_caller]
fn check(filter: &Filter, plies: &[u32], reasons: &[(PositionReason, u64)]) {
    let (positions, mut dropped) = (game(), Dropped::default());
    let chosen = filter.choose(&positions, Outcome::Win(smalt_chess::Color::White), 0, &mut dropped);
    assert_eq!(chosen.iter().map(|place| place.ply).collect::<Vec<_>>(), plies);
    assert_eq!(dropped.iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>(), reasons);
}

#[test]
fn each_rule_leaves_out_what_it_names() {
    use PositionReason::{Last, Mate, Noisy, Opening, PerGame, Score};
    check(&ALL, &[1, 2, 3, 4, 5, 6], &[(Opening, 1)]);
    check(&Filter { opening_plies: 4, ..ALL }, &[4, 5, 6], &[(Opening, 4)]);
    check(&Filter { drop_checks: true, ..ALL }, &[1, 2, 3, 4, 5], &[(Opening, 1), (Mate, 1)]);
    check(&Filter { drop_noisy: true, ..ALL }, &[1, 2, 3, 4, 5], &[(Opening, 1), (Noisy, 1)]);
    check(&Filter { last_plies: 2, ..ALL }, &[1, 2, 3, 4], &[(Opening, 1), (Last, 2)]);
    check(&Filter { max_score: Some(300), ..ALL }, &[1, 2, 3], &[(Opening, 1), (Score, 3)]);
    check(&Filter { per_game: 0, ..ALL }, &[], &[(Opening, 1), (PerGame, 6)]);
}

#[test]
fn positions_in_check_are_left_out_with_the_checks_and_draws_keep_their_last_plies() {
    // White evades a check on the sixth ply.
    let positions = game_of("e2e4 e7e5 d1h5 b8c6 h5f7 e8f7 f1c4 f7e8", |_| Some(CommentScore::Centipawns(0)));
    assert_eq!(
        positions.iter().map(|place| place.position.is_check()).filter(|&is_check| is_check).count(),
        2
    );
    let chosen = |filter: &Filter, outcome| {
        let mut dropped = Dropped::default();
        let plies: Vec<u32> =
            filter.choose(&positions, outcome, 0, &mut dropped).iter().map(|place| place.ply).collect();
        (plies, dropped.iter().filter(|(_, count)| *count > 0).collect::<Vec<_>>())
    };
    let win = Outcome::Win(smalt_chess::Color::White);
    let (plies, reasons) = chosen(&Filter { drop_checks: true, ..ALL }, win);
    assert_eq!(plies, [1, 2, 3, 4, 6]);
    assert_eq!(reasons, [(PositionReason::Opening, 1), (PositionReason::Check, 2)]);
    let last = Filter { last_plies: 3, ..ALL };
    assert_eq!(chosen(&last, win).0, [1, 2, 3, 4]);
    assert_eq!(chosen(&last, Outcome::Draw).0, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn labels_are_those_of_white_and_a_mate_has_a_score() {
    let samples: Vec<_> = game().iter().map(|place| place.sample(Outcome::Draw, 7)).collect();
    let scores: Vec<_> = samples.iter().map(|sample| sample.score).collect();
    let expected = [None, Some(100), Some(200), Some(300), Some(400), Some(500), Some(31_999)];
    assert_eq!(scores, expected);
    assert!(samples.iter().all(|sample| sample.result == 0.5 && sample.game == 7 && sample.mv.is_some()));
}
