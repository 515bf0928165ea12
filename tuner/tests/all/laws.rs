//! Arithmetic of the fit: packed features times weights equal the engine's evaluation, gradients equal finite
//! differences, and neither depends on the number of threads.

use smalt::evaluation::schema::{Part, Term};
use smalt::evaluation::trace::FeatureCounter;
use smalt::evaluation::{Parameters, evaluate, features};
use smalt_chess::splitmix::splitmix;
use smalt_chess::{Color, Position};
use smalt_dataset::Dataset;
use smalt_testing::positions::{RARE, random_positions};
use smalt_tuner::{
    FeatureData, FeatureRow, Keep, Kept, Loss, PARAMETERS, Split, entry_of, pack, parameters_of, sigmoid,
    targets,
};

/// Positions of seeded random games, and rare ones, with random results.
fn corpus(games: usize) -> Vec<(Position, f32)> {
    let mut positions: Vec<Position> = RARE.iter().map(|fen| Position::from_fen(fen).unwrap()).collect();
    positions.extend(random_positions(1, games, 120));
    let result = |index: usize| (splitmix(index as u64) % 3) as f32 / 2.0;
    positions.into_iter().enumerate().map(|(index, position)| (position, result(index))).collect()
}

/// The corpus as a table, loaded from a file.
fn table(corpus: &[(Position, f32)], validation: f64) -> FeatureData {
    let lines: String =
        corpus.iter().map(|(position, result)| format!("{} [{result}]\n", position.to_fen())).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines).unwrap();
    let split = Split { validation, seed: 1 };
    let dataset = Dataset::open(file.path()).unwrap();
    FeatureData::load(
        dataset,
        split,
        Kept { scores: Keep::Yes, players: Keep::Yes },
        |skipped| panic!("{skipped:?}"),
        |_| {},
    )
    .unwrap()
}

/// Parameters away from the embedded ones, so that none is at an edge of the formula by chance.
fn parameters() -> Vec<f64> {
    let numbers = parameters_of(Parameters::embedded());
    numbers
        .iter()
        .enumerate()
        .map(|(index, number)| number + (splitmix(index as u64) % 1000) as f64 / 250.0)
        .collect()
}

#[test]
fn packed_features_times_weights_are_the_evaluation() {
    let weights: Vec<[i64; 2]> = Parameters::embedded().tenths().map(|pair| pair.map(i64::from)).collect();
    let mut counter = FeatureCounter::default();
    let mut longest = 0;
    for (position, _) in corpus(40) {
        let packed = pack(&features(&position, &mut counter)).unwrap();
        let evaluation = FeatureRow::whole(&packed).parts(|weight| weights[weight]).evaluation();
        let from_mover = evaluate(&position, Parameters::embedded());
        let expected = if position.turn() == Color::White { from_mover } else { -from_mover };
        assert_eq!(evaluation, i64::from(expected), "{position:?}");
        longest = longest.max(packed.len());
    }
    assert!(longest > 40);
}

#[test]
fn the_error_is_that_of_the_engines_own_formula() {
    let corpus = corpus(20);
    let table = table(&corpus, 0.0);
    let parameters = parameters();
    let mut loss = Loss::new(&table.train, targets(&table.train, 1.0, 1.0), 1.1);
    let mut counter = FeatureCounter::default();
    let mut sum = 0.0;
    for (position, result) in &corpus {
        let features = features(position, &mut counter);
        let parts = features.parts::<f64>(|weight| [parameters[2 * weight], parameters[2 * weight + 1]]);
        sum += (sigmoid(parts.evaluation(), 1.1) - f64::from(*result)).powi(2);
    }
    let expected = sum / corpus.len() as f64;
    let error = loss.error(&parameters);
    assert!((error - expected).abs() < 1e-6, "{error}, {expected}");
    let fused = loss.gradient(0..loss.block_count(), &parameters, &mut [0.0; PARAMETERS]);
    assert!((fused - expected).abs() < 1e-6, "{fused}, {expected}");
}

/// Mean squared error in 64 bits, by the engine's own formula.
fn slow_error(rows: &smalt_tuner::Rows, parameters: &[f64], k: f64) -> f64 {
    let mut sum = 0.0;
    let rows_of_all = (0..rows.block_count()).flat_map(|block| rows.block_rows(block));
    for (row, &result) in rows_of_all.zip(rows.labels().results()) {
        let parts = row.parts::<f64>(|weight| [parameters[2 * weight], parameters[2 * weight + 1]]);
        sum += (sigmoid(parts.evaluation(), k) - f64::from(result)).powi(2);
    }
    sum / rows.len() as f64
}

#[test]
fn the_gradient_is_what_finite_differences_say() {
    let table = table(&corpus(6), 0.0);
    let parameters = parameters();
    let mut loss = Loss::new(&table.train, targets(&table.train, 1.0, 1.0), 0.9);
    let mut gradient = vec![0.0; PARAMETERS];
    loss.gradient(0..loss.block_count(), &parameters, &mut gradient);
    let largest = gradient.iter().fold(0.0_f64, |largest, slope| largest.max(slope.abs()));
    let mut moved = parameters.clone();
    // Every 41st parameter, and all non-linear ones.
    let is_bent = |index: usize| entry_of(index / 2).part != Part::Linear;
    for index in (0..PARAMETERS).filter(|&index| index % 41 == 0 || is_bent(index)) {
        let step = 1e-3;
        moved[index] = parameters[index] + step;
        let above = slow_error(&table.train, &moved, 0.9);
        moved[index] = parameters[index] - step;
        let below = slow_error(&table.train, &moved, 0.9);
        moved[index] = parameters[index];
        let slope = (above - below) / (2.0 * step);
        let difference = (slope - gradient[index]).abs();
        assert!(difference < 1e-4 * largest, "parameter {index}: {slope}, {}", gradient[index]);
    }
}

#[test]
fn the_matrix_is_the_mean_of_outer_products() {
    let table = table(&corpus(3), 0.0);
    let (rows, parameters, k) = (&table.train, parameters(), 1.0);
    let mut loss = Loss::new(rows, targets(rows, 1.0, 1.0), k);
    let complexity = 2 * Term::ComplexityConstant.start();
    let is_chosen = |index: usize| index < 1200 || index >= complexity;
    let matrix = loss.normal_matrix(&parameters, usize::MAX, is_chosen);
    assert_eq!(matrix.get(0, 1200), 0.0);
    let expected = |row: smalt_tuner::FeatureRow<'_>, index: usize| {
        let value = |shift: f64| {
            let number = |place: usize| parameters[place] + if place == index { shift } else { 0.0 };
            let parts = row.parts::<f64>(|weight| [number(2 * weight), number(2 * weight + 1)]);
            sigmoid(parts.evaluation(), k)
        };
        (value(1e-3) - value(-1e-3)) / 2e-3
    };
    for (a, b) in [
        (0, 0),
        (0, 1),
        (1, 0),
        (2, 40),
        (301, 12),
        (900, 901),
        (1000, 1000),
        (1040, 8),
        (complexity, complexity),
        (complexity + 10, complexity + 2),
        (complexity + 4, 1),
    ] {
        let rows_of_all = (0..rows.block_count()).flat_map(|block| rows.block_rows(block));
        let sum: f64 = rows_of_all.map(|row| expected(row, a) * expected(row, b)).sum();
        let slow = 2.0 * sum / rows.len() as f64;
        let fast = matrix.get(a, b);
        assert!((fast - slow).abs() < 1e-9 + 1e-3 * slow.abs(), "{a}, {b}: {fast}, {slow}");
    }
}

#[test]
fn passes_do_not_depend_on_the_number_of_threads() {
    let table = table(&corpus(60), 0.2);
    assert!(table.train.len() > 2000 && table.validation.len() > 200);
    let parameters = parameters();
    let pass = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut loss = Loss::new(&table.train, targets(&table.train, 1.0, 1.0), 1.0);
            let mut gradient = vec![0.0; PARAMETERS];
            let error = loss.gradient(0..loss.block_count(), &parameters, &mut gradient);
            let matrix = loss.normal_matrix(&parameters, usize::MAX, |index| index < 1200);
            (error, gradient, matrix.get(0, 1), loss.error(&parameters))
        })
    };
    assert_eq!(pass(1), pass(2));
}

#[test]
fn neighbors_in_a_file_of_lines_are_never_split() {
    let split = Split { validation: 0.3, seed: 5 };
    let held: Vec<bool> = (0..1000).map(|game| split.holds_out(game)).collect();
    let share = held.iter().filter(|&&held| held).count();
    assert!((250..350).contains(&share), "{share}");
    assert!((0..1000).all(|game| !Split { validation: 0.0, seed: 5 }.holds_out(game)));
}
