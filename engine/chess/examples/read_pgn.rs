//! Reads a PGN file and prints one line a game: `cargo run --example read_pgn -- FILE`. Without a file, standard input.

#![expect(clippy::print_stdout, reason = "a program prints")]

use std::fs::File;
use std::io::{self, Read};

use smalt_chess::PgnReader;
use smalt_chess::notation::pgn::{PgnError, Variations};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let source: Box<dyn Read> = match std::env::args().nth(1) {
        Some(path) => Box::new(File::open(path)?),
        None => Box::new(io::stdin()),
    };
    let mut reader = PgnReader::new(source);
    loop {
        let pgn = match reader.read_game(Variations::Skip) {
            Ok(Some(pgn)) => pgn,
            Ok(None) => return Ok(()),
            Err(PgnError::Io(error)) => return Err(error.into()),
            Err(skipped) => {
                println!("{skipped}");
                continue;
            }
        };
        let tag = |name| pgn.tags().get(name).unwrap_or("?");
        let outcome = pgn.outcome().map_or("*".to_owned(), |outcome| outcome.to_string());
        println!("{} - {}: {outcome}, {} moves", tag("White"), tag("Black"), pgn.main_line().count());
        for problem in pgn.problems() {
            println!("  {problem}");
        }
    }
}
