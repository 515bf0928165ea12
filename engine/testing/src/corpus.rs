//! Replays the corpora of fuzz targets as tests.

use std::path::Path;

/// Runs a fuzz target's check on each file of its corpus, `fuzz/corpus/NAME` in this crate's folder.
///
/// # Panics
/// If the corpus has no file.
pub fn replay(manifest_folder: &str, name: &str, law: fn(&[u8])) {
    let folder = Path::new(manifest_folder).join("fuzz/corpus").join(name);
    let files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty(), "no corpus for {name}");
    for file in files {
        law(&std::fs::read(file).unwrap());
    }
}
