//! Replays the corpus of the fuzz target.

#[path = "../../fuzz/laws.rs"]
mod laws;

#[test]
fn traces_of_the_corpus_keep_their_law() {
    smalt_testing::corpus::replay(env!("CARGO_MANIFEST_DIR"), "trace", laws::trace);
}
