//! The board: set up, refused, edited and Chess960 positions, and undo.

use super::script::{check, continue_with, hold};

#[test]
fn an_illegal_position_allows_nothing_until_there_is_another() {
    check(
        "> xboard
         > force
         > setboard 8/8/8/8/8/8/8/8 w - - 0 1
         < tellusererror Illegal position: *
         > e2e4
         < Illegal move: e2e4
         > go
         < Error (illegal position): go
         > analyze
         < Error (illegal position): analyze
         > setboard 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1
         > e2e4
         > ping 1
         < pong 1",
    );
}

#[test]
fn moves_are_undone() {
    check(
        "> xboard
         > new
         > sd 2
         > e2e4
         < move *
         > remove
         > d2d4
         < move *
         > force
         > undo
         > undo
         > undo
         < Error (command not legal now): undo
         > e2e4
         > ping 1
         < pong 1",
    );
}

/// A move sent during edit mode would belong to another game.
#[test]
fn an_edit_stops_the_search() {
    let mut engine = hold("> xboard\n> new\n> st 1\n> e2e4\n> edit");
    // There is no event to wait for: no move may arrive, even after the second that the search would have taken.
    std::thread::sleep(std::time::Duration::from_millis(1300));
    continue_with(&mut engine, "> #\n> Ke1\n> c\n> Ke8\n> .\n> ping 1\n< pong 1");
    engine.end();
}

#[test]
fn positions_are_edited_piece_by_piece() {
    check(
        "> xboard
         > new
         > force
         > a2a3
         > edit
         > #
         > Ke1
         > Pa2
         > nonsense
         < Error (unknown command): nonsense
         > c
         > Ke8
         > Qd8
         > .
         > sd 3
         > display",
    );
    let mut engine =
        hold("> xboard\n> new\n> force\n> a2a3\n> edit\n> #\n> Ke1\n> c\n> Ke8\n> Rh8\n> .\n> display");
    assert!(engine.read_until("checkers").contains(&"fen: 4k2r/8/8/8/8/8/8/4K3 b k - 0 1".to_owned()));
    continue_with(&mut engine, "> edit\n> xe1\n> .\n< tellusererror Illegal position: *");
    engine.end();
}

#[test]
fn chess960_is_played_with_its_castling() {
    check(
        "> xboard
         > new
         > variant fischerandom
         > force
         > setboard 4k3/8/8/8/8/8/8/1R2KR2 w KQ - 0 1
         > O-O
         > ping 1
         < pong 1
         > undo
         > e1b1
         > ping 2
         < pong 2
         > setboard k7/8/8/8/8/8/8/5KR1 w K - 0 1
         > sd 1
         > exclude all
         > include O-O
         > go
         < move O-O
         > ping 3
         < pong 3",
    );
}
