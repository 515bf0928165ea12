//! The property that the fuzz target checks: any bytes are parsed or rejected in every format, without a panic.
//! `cargo test` replays the corpus through it.

use std::io::Write as _;

use smalt_dataset::Dataset;
use smalt_dataset::format::Format;

/// Parses the bytes as a position file, in every format.
pub(crate) fn positions(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().expect("there is a folder for temporary files");
    file.write_all(bytes).expect("the file can be written");
    let formats = Format::keywords().map(|keyword| keyword.parse().ok());
    for format in formats.into_iter().chain([None]) {
        let Ok(dataset) = Dataset::open_as(file.path(), format) else { continue };
        let is_legal = |sample: &smalt_dataset::Sample| (0.0..=1.0).contains(&sample.result);
        let _ = dataset.for_each(
            |sample| {
                assert!(is_legal(&sample), "{format:?}: a result of {}", sample.result);
                Ok(())
            },
            |_| {},
        );
    }
}
