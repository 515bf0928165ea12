//! Time of a pass over positions, on the games in the repository: `cargo bench -p smalt-tuner`.
//!
//! Times are processor time of the single worker thread, which other load on the machine hardly disturbs; the plain
//! loop beside it is the reference. An epoch is one pass of error and gradient.

#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use smalt::evaluation::Parameters;
use smalt::evaluation::trace::{Feature, Features};
use smalt_dataset::Dataset;
use smalt_dataset::format::Format;
use smalt_tuner::{
    FeatureData, FeatureRow, Kept, Loss, PARAMETERS, Rows, Rules, Split, extract, parameters_of, sigmoid,
    slope, targets,
};
use smalt_workbench::output_file::{Existing, Output};

const GAMES: &str = "../data/games/ethereal12-stockfish15.pgn.zst";
const PASSES: usize = 20;

fn main() {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(run);
}

fn run() {
    let folder = tempfile::tempdir().unwrap();
    let positions = folder.path().join("positions");
    let games = Path::new(env!("CARGO_MANIFEST_DIR")).join(GAMES);
    let stop = AtomicBool::new(false);
    let rules = Rules { per_game: 200, ..Rules::default() };
    let report = timed(1, || {
        let output = Output::check(&positions, Existing::Replace).unwrap();
        extract(std::slice::from_ref(&games), output, Format::Smalt, &rules, &stop, &mut |_| {}).unwrap()
    });
    println!("extract     {:8.3} s for {} games", report.0, report.1.games);

    let split = Split { validation: 0.0, seed: 1 };
    let load = || {
        FeatureData::load(Dataset::open(&positions).unwrap(), split, Kept::default(), |_| {}, |_| {}).unwrap()
    };
    let (seconds, table) = timed(1, load);
    let rows = &table.train;
    let count = rows.len() as f64;
    println!("load        {seconds:8.3} s for {count} positions");
    println!("memory      {:8.1} bytes a position", rows.memory() as f64 / count);
    let words: usize = (0..rows.block_count()).map(|block| rows.block(block).len()).sum();
    println!("row         {:8.1} words", words as f64 / count);

    let parameters = parameters_of(Parameters::embedded());
    let mut loss = Loss::new(rows, targets(rows, 1.0, 1.0), 1.0);
    let mut gradient = vec![0.0; PARAMETERS];
    let speed = |name: &str, seconds: f64| {
        let speed = count / seconds / 1e6;
        println!("{name:11} {speed:8.2} M positions/s of one core");
        speed
    };
    let blocks = 0..loss.block_count();
    let (seconds, ours) = timed(PASSES, || loss.gradient(blocks.clone(), &parameters, &mut gradient));
    let epoch = speed("epoch", seconds);
    speed("error", timed(PASSES, || loss.error(&parameters)).0);
    let matrix = |loss: &mut Loss<'_>| loss.normal_matrix(&parameters, usize::MAX, |index| index < 4096);
    speed("matrix", timed(3, || matrix(&mut loss).get(0, 0)).0);

    let plain = Plain::new(rows);
    let (seconds, theirs) = timed(3, || plain.epoch(rows.labels().results(), &parameters, &mut gradient));
    let ratio = epoch / speed("plain loop", seconds);
    println!("ratio       {ratio:8.2}");
    assert!((ours - theirs).abs() < 1e-6, "{ours} is not {theirs}");
}

/// Minimum processor seconds of several calls, and the last result.
fn timed<T>(times: usize, mut call: impl FnMut() -> T) -> (f64, T) {
    let mut once = || {
        let before = processor_seconds();
        let value = call();
        (processor_seconds() - before, value)
    };
    let first = once();
    (1..times).fold(first, |(least, _), _| {
        let (seconds, value) = once();
        (least.min(seconds), value)
    })
}

/// Processor time of this thread, in seconds.
fn processor_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

/// A straightforward version of the same sums: lists of weights and counts, and the engine's formula in 64 bits.
struct Plain {
    rows: Vec<Features>,
}

impl Plain {
    fn new(rows: &Rows) -> Plain {
        let feature = |(weight, count): (usize, i16)| Feature { weight: weight as u16, count };
        let unpacked = |row: FeatureRow<'_>| Features {
            linear: row.linear().map(feature).collect(),
            danger: [0, 1].map(|king| row.danger(king).map(feature).collect()),
            complexity: row.complexity().map(feature).collect(),
            scale: row.scale().map(|scale| scale.map(|weight| weight as u16)),
            phase: row.phase(),
        };
        let all = (0..rows.block_count()).flat_map(|block| rows.block_rows(block));
        Plain { rows: all.map(unpacked).collect() }
    }

    /// Mean squared error and the linear part of its gradient.
    fn epoch(&self, results: &[f32], parameters: &[f64], gradient: &mut [f64]) -> f64 {
        gradient.fill(0.0);
        let mut sum = 0.0;
        for (features, &result) in self.rows.iter().zip(results) {
            let parts = features.parts::<f64>(|weight| [parameters[2 * weight], parameters[2 * weight + 1]]);
            let expected = sigmoid(parts.evaluation(), 1.0);
            let residual = expected - f64::from(result);
            sum += residual * residual;
            let outer = 2.0 * residual * expected * (1.0 - expected) * slope(1.0);
            let middlegame = outer * f64::from(features.phase) / 24.0;
            for feature in &features.linear {
                let place = 2 * usize::from(feature.weight);
                gradient[place] += middlegame * f64::from(feature.count);
                gradient[place + 1] += (outer - middlegame) * f64::from(feature.count);
            }
        }
        sum / results.len() as f64
    }
}
