//! Counts move sequences by first move: `cargo run --release --example perft -- 5 "FEN"`.

#![expect(clippy::print_stdout, reason = "a program prints")]

use smalt_chess::perft::{DEEPEST, Leaves, perft};
use smalt_chess::{CastlingMode, Position, UciMove};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let depth: u32 = arguments.next().as_deref().unwrap_or("5").parse()?;
    if !(1..=DEEPEST).contains(&depth) {
        return Err(format!("the depth is 1 to {DEEPEST}").into());
    }
    let position = match arguments.next() {
        Some(fen) => fen.parse()?,
        None => Position::start(),
    };
    let mut total = 0;
    for &mv in &position.legal_moves() {
        let nodes = perft(&position.after(mv), depth - 1, Leaves::Counted);
        println!("{}: {nodes}", UciMove::from_move(mv, CastlingMode::of(&position)));
        total += nodes;
    }
    println!("\nNodes searched: {total}");
    Ok(())
}
