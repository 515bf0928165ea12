//! Lists the legal moves of a position: `cargo run --example legal_moves -- "FEN"`.

#![expect(clippy::print_stdout, reason = "a program prints")]

use smalt_chess::{CastlingMode, Position, San, UciMove};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let position = match std::env::args().nth(1) {
        Some(fen) => fen.parse()?,
        None => Position::start(),
    };
    for &mv in &position.legal_moves() {
        let uci = UciMove::from_move(mv, CastlingMode::of(&position));
        println!("{uci:<6} {:<8} {:?}", San::from_move(mv, &position), mv.kind());
    }
    if let Some(ending) = position.ending() {
        println!("{ending}, {}", ending.outcome());
    }
    Ok(())
}
