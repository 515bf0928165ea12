//! Replays the corpus of the fuzz targets.

#[path = "../../fuzz/laws.rs"]
mod laws;

fn replay(name: &str, law: fn(&[u8])) {
    smalt_testing::corpus::replay(env!("CARGO_MANIFEST_DIR"), name, law);
}

#[test]
fn uci_lines_of_the_corpus_pass() {
    replay("uci", laws::uci);
}

#[test]
fn xboard_lines_of_the_corpus_pass() {
    replay("xboard", laws::xboard);
}
