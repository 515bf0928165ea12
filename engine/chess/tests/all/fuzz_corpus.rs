//! Replays the corpus of the fuzz targets.

#[path = "../../fuzz/laws.rs"]
mod laws;

fn replay(name: &str, law: fn(&[u8])) {
    smalt_testing::corpus::replay(env!("CARGO_MANIFEST_DIR"), name, law);
}

#[test]
fn positions_of_the_corpus_pass() {
    replay("fen", laws::fen);
}

#[test]
fn moves_of_the_corpus_pass() {
    replay("san", laws::san);
}

#[test]
fn suites_of_the_corpus_pass() {
    replay("epd", laws::epd);
}

#[test]
fn games_of_the_corpus_pass() {
    replay("pgn", laws::pgn);
}

#[test]
fn books_of_the_corpus_pass() {
    replay("polyglot", laws::polyglot);
}
