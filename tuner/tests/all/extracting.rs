//! Extraction of positions, in every format and with a score limit.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use smalt_dataset::format::Format;
use smalt_dataset::{Dataset, Sample};
use smalt_tuner::{ExtractReport, Rules, extract};
use smalt_workbench::output_file::{Existing, Output};

/// Extracts the positions of the sample games into this file.
fn extracted(path: &Path, format: Format, rules: &Rules) -> (ExtractReport, Vec<Sample>) {
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/games/ethereal12-stockfish15.pgn.zst");
    let stop = AtomicBool::new(false);
    let output = Output::check(path, Existing::Replace).unwrap();
    let report = extract(&[games], output, format, rules, &stop, &mut |_| {}).unwrap();
    let mut samples = Vec::new();
    let take = |sample| {
        samples.push(sample);
        Ok(())
    };
    let dataset = Dataset::open_as(path, Some(format)).unwrap();
    dataset.for_each(take, |skipped| panic!("{format:?}: {skipped:?}")).unwrap();
    (report, samples)
}

#[test]
fn positions_are_extracted_straight_into_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let rules = Rules { per_game: 1, ..Rules::default() };
    let mut counts = Vec::new();
    for format in [Format::Smalt, Format::Binpack, Format::Viri, Format::Plain] {
        let (report, samples) = extracted(&folder.path().join(format.keyword()), format, &rules);
        assert_eq!(report.written.guessed_moves, 0);
        assert_eq!(samples.len() as u64, report.written.positions);
        assert!(format == Format::Smalt || samples.iter().all(|sample| sample.mv.is_some()));
        counts.push(report.records);
    }
    assert!(counts[0] > 3000 && counts.iter().all(|&count| count == counts[0]), "{counts:?}");
}

#[test]
fn no_score_beyond_the_limit_is_extracted() {
    let folder = tempfile::tempdir().unwrap();
    let most = |max_score| {
        let rules = Rules { per_game: 5, max_score, ..Rules::default() };
        let (_, samples) = extracted(&folder.path().join("limited"), Format::Fen, &rules);
        samples.iter().filter_map(|sample| sample.score).map(i16::unsigned_abs).max().unwrap()
    };
    assert!(most(None) > 400);
    assert!((300..=400).contains(&most(Some(400))));
}

#[test]
fn games_without_numbers_stay_in_one_piece() {
    let folder = tempfile::tempdir().unwrap();
    let rules = Rules { per_game: 5, ..Rules::default() };
    let games = |format: Format| {
        let (_, samples) = extracted(&folder.path().join(format.keyword()), format, &rules);
        samples.iter().map(|sample| sample.game).collect::<std::collections::BTreeSet<u32>>().len()
    };
    let numbered = games(Format::Smalt);
    for format in [Format::Epd, Format::Fen, Format::Plain, Format::Viri, Format::Binpack] {
        // Two games can become one, but no game two.
        let count = games(format);
        assert!(count <= numbered && count > numbered * 9 / 10, "{format:?}: {count} of {numbered}");
    }
}
