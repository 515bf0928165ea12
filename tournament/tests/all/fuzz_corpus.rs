//! Replays the corpus of the fuzz targets.

#[path = "../../fuzz/laws.rs"]
mod laws;

fn replay(name: &str, law: fn(&[u8])) {
    smalt_testing::corpus::replay(env!("CARGO_MANIFEST_DIR"), name, law);
}

#[test]
fn plans_of_the_corpus_keep_their_law() {
    replay("plan", laws::plan);
}

#[test]
fn registries_of_the_corpus_keep_their_law() {
    replay("registry", laws::registry);
}

#[test]
fn stores_of_the_corpus_keep_their_law() {
    replay("store", laws::store);
}

#[test]
fn messages_of_the_corpus_keep_their_law() {
    replay("wire", laws::wire);
}
