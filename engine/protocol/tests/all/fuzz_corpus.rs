//! Replays the corpus of the fuzz targets through their laws.

#[path = "../../fuzz/laws.rs"]
mod laws;

use std::path::Path;

fn replay(name: &str, law: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the corpus is part of the project") {
        let path = entry.expect("the folder can be listed").path();
        law(&std::fs::read(path).expect("the corpus can be read"));
        files += 1;
    }
    assert!(files > 0, "no corpus for {name}");
}

#[test]
fn uci_lines_of_the_corpus_keep_their_law() {
    replay("uci", laws::uci);
}

#[test]
fn xboard_lines_of_the_corpus_keep_their_law() {
    replay("xboard", laws::xboard);
}
