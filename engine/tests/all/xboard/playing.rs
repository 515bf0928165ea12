//! Games: moves, time controls, colors, result claims, draws.

use smalt_chess::notation::polyglot::PolyglotBuilder;
use smalt_chess::{Position, UciMove};

use super::script::{check, hold};

#[test]
fn moves_are_taken_in_each_form_and_answered() {
    for mv in ["e2e4", "e4", "usermove e2e4", "usermove e4"] {
        check(&format!(
            "> xboard
             > new
             > sd 3
             > {mv}
             < move *
             > ping 5
             < pong 5"
        ));
    }
}

#[test]
fn every_time_control_is_played() {
    for control in
        ["level 40 0:02 0", "level 0 0:02 0.1", "st 0.05", "level 0 0 0.05", "level 40 1 0\n> sd 2"]
    {
        check(&format!(
            "> xboard
             > new
             > {control}
             > time 40
             > otim 40
             > e2e4
             < move *
             > ping 1
             < pong 1"
        ));
    }
    // With nps, this many nodes are one second: the search ends although a second on the clock is long.
    check(
        "> xboard
         > new
         > nps 10
         > st 600
         > e2e4
         < move *",
    );
}

#[test]
fn both_colors_can_be_played() {
    check(
        "> xboard
         > new
         > sd 2
         > go
         < move *
         > force
         > new
         > sd 2
         > playother
         > e2e4
         < move *
         > new
         > sd 2
         > force
         > e2e4
         > go
         < move *
         > new
         > sd 2
         > black
         > white
         > go
         < move *",
    );
}

#[test]
fn a_game_that_is_over_is_claimed_after_the_last_move_of_either_side() {
    // The engine mates.
    check(
        "> xboard
         > force
         > setboard 6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1
         > sd 3
         > go
         < move d1d8
         < 1-0 {White mates}",
    );
    // It is mated.
    check(
        "> xboard
         > new
         > force
         > f2f3
         > e7e5
         > g2g4
         > playother
         > d8h4
         < 0-1 {Black mates}
         > go
         < 0-1 {Black mates}",
    );
    check(
        "> xboard
         > force
         > setboard 7k/8/6K1/8/8/8/5Q2/8 w - - 0 1
         > playother
         > f2f7
         < 1/2-1/2 {Stalemate}
         > force
         > setboard 8/8/4k3/8/8/3K4/8/8 w - - 0 1
         > go
         < 1/2-1/2 {Draw by insufficient material}",
    );
    check(
        "> xboard
         > new
         > force
         > g1f3
         > g8f6
         > f3g1
         > f6g8
         > g1f3
         > g8f6
         > f3g1
         > playother
         > f6g8
         < 1/2-1/2 {Draw by repetition}",
    );
}

#[test]
fn a_lost_game_is_drawn_on_offer_and_a_won_one_is_not() {
    let play = |fen: &str, answer: &str| {
        check(&format!(
            "> xboard
             > force
             > setboard {fen}
             > sd 4
             > draw
             > go
             {answer}
             < move *
             > ping 1
             < pong 1"
        ));
    };
    play("3qk3/8/8/8/8/8/8/4K3 w - - 0 1", "< offer draw");
    play("4k3/8/8/8/8/8/8/3QK3 w - - 0 1", "");
}

#[test]
fn the_book_is_shown_and_played() {
    let mut builder = PolyglotBuilder::new();
    let start = Position::start();
    let mut add = |text: &str, weight| {
        builder.add(&start, text.parse::<UciMove>().unwrap().to_move(&start).unwrap(), weight);
    };
    add("a2a4", 3);
    add("h2h4", 1);
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("xboard_book.bin");
    std::fs::write(&path, builder.to_bytes()).unwrap();
    let mut engine =
        hold(&format!("> xboard\n> new\n> option BookFile={}\n> book on\n< book on\n> bk", path.display()));
    assert_eq!(engine.read_until(" a4"), [" a4 75%"]);
    assert_eq!((engine.read_line(), engine.read_line()), (" h4 25%".to_owned(), String::new()));
    engine.send("go");
    assert!(["move a2a4", "move h2h4"].contains(&engine.read_line().as_str()));
    engine.end();
}
