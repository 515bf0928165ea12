//! Replays the corpus of the fuzz target through its law.

#[path = "../../fuzz/laws.rs"]
mod laws;

use std::path::Path;

#[test]
fn positions_of_the_corpus_keep_their_law() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/positions");
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    for file in files {
        laws::positions(&std::fs::read(file).unwrap());
    }
}
