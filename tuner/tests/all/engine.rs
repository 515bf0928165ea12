//! A tuned table in the engine: the engine computes the fitted values from every kind of table file, and no accepted
//! table makes it fail.

use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;

use smalt::evaluation::parameters::EVALUATION_TOML;
use smalt::evaluation::schema::{TENTHS, WEIGHTS};
use smalt::evaluation::trace::FeatureCounter;
use smalt::evaluation::{LARGEST_EVALUATION, Parameters, evaluate, features};
use smalt_chess::splitmix::splitmix;
use smalt_chess::{Color, Position};
use smalt_dataset::Dataset;
use smalt_testing::positions::random_positions;
use smalt_tuner::{
    Checkpoints, Constraints, FeatureData, FeatureRow, Kept, Method, Numbers, OptimizerSettings, Penalty,
    Players, Schedule, Schema, Selection, Split, Task, entry_of, fit, pack, parameters_of, rewritten,
    rounded,
};

/// A table fitted to random results: far from the embedded one.
fn tuned() -> Box<Numbers> {
    let lines =
        random_positions(1, 12, 100).iter().enumerate().fold(String::new(), |lines, (index, position)| {
            lines + &format!("{} [{}]\n", position.to_fen(), (splitmix(index as u64) % 3) as f64 / 2.0)
        });
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), lines).unwrap();
    let split = Split { validation: 0.0, seed: 1 };
    let table =
        FeatureData::load(Dataset::open(file.path()).unwrap(), split, Kept::default(), |_| {}, |_| {})
            .unwrap();
    let task = Task {
        start: parameters_of(Parameters::embedded()),
        selection: Selection::default(),
        k: Some(1.0),
        result_share: 1.0,
        penalty: Penalty { strength: 0.1 },
        constraints: Constraints::None,
        bounds: Vec::new(),
        players: Players::Ignore,
        settings: OptimizerSettings {
            method: Method::Lbfgs,
            epochs: 15,
            patience: 15,
            rate: 1.0,
            schedule: Schedule::Cosine,
            batch: 1024,
            seed: 1,
            checkpoints: Checkpoints::default(),
        },
    };
    let tuned = fit(&table, Schema::own(), &task, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert!(tuned.summary.final_error < tuned.summary.initial_error);
    rounded(&tuned.parameters)
}

/// The engine in this process: takes commands, returns lines.
struct Engine {
    commands: PipeWriter,
    lines: std::io::Lines<BufReader<std::io::PipeReader>>,
}

impl Engine {
    fn with_table(path: &Path) -> Engine {
        let (input, mut commands) = std::io::pipe().unwrap();
        let (from_engine, output) = std::io::pipe().unwrap();
        std::thread::spawn(move || smalt::serve::serve(BufReader::new(input), output));
        writeln!(commands, "uci\nsetoption name EvalFile value {}", path.display()).unwrap();
        let mut engine = Engine { commands, lines: BufReader::new(from_engine).lines() };
        engine.until("uciok");
        engine
    }

    fn tell(&mut self, text: &str) {
        writeln!(self.commands, "{text}").unwrap();
    }

    /// The next line with this prefix.
    fn until(&mut self, start: &str) -> String {
        self.lines.find_map(|line| line.ok().filter(|line| line.starts_with(start))).unwrap()
    }

    fn evaluation(&mut self, position: &Position) -> i32 {
        self.tell(&format!("position fen {}\neval", position.to_fen()));
        let line = self.until("evaluation, centipawns");
        line.split_whitespace().last().unwrap().parse().unwrap()
    }
}

fn written(folder: &tempfile::TempDir, numbers: &Numbers) -> std::path::PathBuf {
    let path = folder.path().join("tuned.toml");
    std::fs::write(&path, rewritten(EVALUATION_TOML, numbers, &Vec::new()).unwrap()).unwrap();
    path
}

/// The fit's evaluation of a position, from White's view.
fn fitted(position: &Position, numbers: &Numbers, counter: &mut FeatureCounter) -> i32 {
    let packed = pack(&features(position, counter)).unwrap();
    FeatureRow::whole(&packed).parts(|weight| numbers[weight].map(i64::from)).evaluation() as i32
}

#[test]
fn the_engine_computes_exactly_what_the_fit_computed() {
    let numbers = tuned();
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, &numbers);
    // The build embeds the file through the same function; the engine's tests check that it is embedded whole.
    let read = Parameters::parse_toml(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let mut engine = Engine::with_table(&path);
    let mut counter = FeatureCounter::default();
    let mut different = 0;
    for position in random_positions(1, 12, 100).iter().step_by(3) {
        let expected = fitted(position, &numbers, &mut counter);
        let from_mover = evaluate(position, &read);
        assert_eq!(if position.turn() == Color::White { from_mover } else { -from_mover }, expected);
        assert_eq!(engine.evaluation(position), expected, "{position:?}");
        different += usize::from(evaluate(position, Parameters::embedded()) != from_mover);
    }
    assert!(different > 100, "the table is another than the embedded one");
}

#[test]
fn the_largest_numbers_neither_crash_nor_overflow() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 0..4 {
        let mut numbers = Box::new([[0; 2]; WEIGHTS]);
        for (weight, pair) in numbers.iter_mut().enumerate() {
            let entry = entry_of(weight);
            let largest = entry.limit() * TENTHS;
            let number = |half: u64| match seed {
                0 => largest,
                1 => -largest,
                _ if splitmix(seed << 32 | (2 * weight as u64 + half)).is_multiple_of(2) => largest,
                _ => -largest,
            };
            *pair = if entry.part.is_single() { [number(0); 2] } else { [number(0), number(1)] };
        }
        let mut engine = Engine::with_table(&written(&folder, &numbers));
        for position in random_positions(1, 12, 100).iter().step_by(97) {
            assert!(engine.evaluation(position).abs() <= LARGEST_EVALUATION);
            if !position.legal_moves().as_slice().is_empty() {
                engine.tell("go depth 4");
                engine.until("bestmove");
            }
        }
    }
}

#[test]
fn numbers_beyond_the_largest_are_refused_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("beyond.toml");
    std::fs::write(&path, EVALUATION_TOML.replacen("tempo = [", "tempo = [30001, ", 1)).unwrap();
    let mut engine = Engine::with_table(&path);
    engine.tell("isready");
    assert_eq!(engine.until("readyok"), "readyok");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(Parameters::parse_toml(&text).unwrap_err().to_string().starts_with("line "));
}
