//! The property that the fuzz target checks: any bytes are read as a trace file or rejected, without a panic, and what
//! is read has a score. `cargo test` replays the corpus.

use std::io::Write as _;

use smalt_tuner::{Header, TraceFile};

/// Reads the bytes as a trace file; a header prints as one that parses to itself.
pub(crate) fn trace(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().expect("there is a folder for temporary files");
    file.write_all(bytes).expect("the file can be written");
    let Ok(traces) = TraceFile::open(file.path()) else { return };
    let header = traces.header.clone();
    let printed = header.to_string();
    assert_eq!(Header::parse(&printed).as_ref(), Ok(&header), "{printed}");
    let weights = header.schema.weights.len();
    let _ = traces.for_each(
        |position| {
            let trace = &position.trace;
            assert!(
                trace.score.is_finite()
                    && position.samples.iter().all(|sample| (0.0..=1.0).contains(&sample.result))
            );
            let lists = [&trace.linear, &trace.sides[0], &trace.sides[1]];
            assert!(
                lists
                    .into_iter()
                    .flatten()
                    .all(|entry| usize::from(entry.0) < weights && entry.1.is_finite())
            );
        },
        |_| {},
    );
}
