//! Replays the corpus of the fuzz targets through their laws.

#[path = "../../fuzz/laws.rs"]
mod laws;

use std::path::Path;

fn replay(name: &str, law: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut files = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        law(&std::fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files > 0, "no corpus for {name}");
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
