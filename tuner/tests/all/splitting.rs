//! Held-out games stay separate from the others, even with shared positions.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use smalt_dataset::Dataset;
use smalt_dataset::format::Format;
use smalt_tuner::{ExtractReport, FeatureData, Kept, Rows, Rules, Split, extract};
use smalt_workbench::output_file::{Existing, Output};

const MOVES: &str =
    "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8";

/// Extracts the positions of games with equal moves and these results.
fn extracted(folder: &Path, results: &[&str]) -> ExtractReport {
    let games: String = results
        .iter()
        .map(|result| format!("[Event \"x\"]\n[Result \"{result}\"]\n\n{MOVES} {result}\n\n"))
        .collect();
    let pgn = folder.join("games.pgn");
    std::fs::write(&pgn, games).unwrap();
    let rules = Rules { last_plies: 0, ..Rules::default() };
    extract(
        &[pgn],
        Output::check(&folder.join("positions.bin"), Existing::Replace).unwrap(),
        Format::Smalt,
        &rules,
        &AtomicBool::new(false),
        &mut |_| {},
    )
    .unwrap()
}

fn load(path: &Path, split: Split) -> FeatureData {
    let dataset = Dataset::open(path).unwrap();
    FeatureData::load(dataset, split, Kept::default(), |skipped| panic!("{skipped:?}"), |_| {}).unwrap()
}

fn distinct_results(rows: &Rows) -> Vec<f32> {
    let mut results = rows.labels().results().to_vec();
    results.dedup();
    results
}

/// A split that holds out only game 0.
fn first_game_held_out(games: u32) -> Split {
    let splits = (0..).map(|seed| Split { validation: 0.3, seed });
    let is_wanted = |split: &Split| (0..games).all(|game| split.holds_out(game) == (game == 0));
    splits.into_iter().find(is_wanted).unwrap()
}

#[test]
fn results_of_held_out_games_do_not_reach_training_through_shared_positions() {
    let folder = tempfile::tempdir().unwrap();
    let report = extracted(folder.path(), &["1-0", "0-1", "1/2-1/2"]);
    assert_eq!(report.records, 3 * report.positions);
    let table = load(&folder.path().join("positions.bin"), first_game_held_out(3));
    assert_eq!(distinct_results(&table.validation), [1.0]);
    assert_eq!(distinct_results(&table.train), [0.25]);
    let positions = usize::try_from(report.positions).unwrap();
    assert_eq!((table.train.len(), table.validation.len()), (positions, positions));
}

#[test]
fn shared_positions_on_one_side_of_the_split_are_merged_to_their_mean_result() {
    let folder = tempfile::tempdir().unwrap();
    let report = extracted(folder.path(), &["1-0", "0-1", "1/2-1/2", "1-0"]);
    let table = load(&folder.path().join("positions.bin"), Split { validation: 0.0, seed: 1 });
    assert_eq!(table.train.len(), usize::try_from(report.positions).unwrap());
    assert_eq!(distinct_results(&table.train), [0.625]);
    assert!(table.validation.is_empty());
}
