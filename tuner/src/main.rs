//! Tunes the evaluation of the engine on positions from games.

fn main() {}
