//! Complete fits: they resume, obey the schema, and are not misled by unequal players.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use smalt::evaluation::Parameters;
use smalt::evaluation::schema::Term;
use smalt_dataset::Dataset;
use smalt_dataset::format::Format;
use smalt_tuner::{
    Bounds, Checkpoints, Constraints, FeatureData, FitEnd, Keep, Kept, Method, Numbers, OptimizerSettings,
    Penalty, Players, Rules, Schedule, Schema, Selection, Split, Task, TexelError, Tuned, extract, fit,
    parameters_of, rounded,
};
use smalt_workbench::output_file::{Existing, Output};

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/games/ethereal12-stockfish15.pgn.zst");

/// A few positions of each game in the repository.
fn table() -> FeatureData {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("positions");
    let rules = Rules { per_game: 3, ..Rules::default() };
    let output = Output::check(&path, Existing::Replace).unwrap();
    extract(&[GAMES.into()], output, Format::Smalt, &rules, &AtomicBool::new(false), &mut |_| {}).unwrap();
    let split = Split { validation: 0.1, seed: 1 };
    let kept = Kept { scores: Keep::No, players: Keep::Yes };
    FeatureData::load(Dataset::open(&path).unwrap(), split, kept, |_| {}, |_| {}).unwrap()
}

fn task(method: Method, epochs: u64) -> Task {
    Task {
        start: parameters_of(Parameters::embedded()),
        selection: Selection::default(),
        k: None,
        result_share: 1.0,
        penalty: Penalty { strength: 1.0 },
        constraints: Constraints::Schema,
        bounds: Vec::new(),
        players: Players::Ignore,
        settings: OptimizerSettings {
            method,
            epochs,
            patience: 1000,
            rate: 1.0,
            schedule: Schedule::Cosine,
            batch: 4096,
            seed: 1,
            checkpoints: Checkpoints::default(),
        },
    }
}

/// A fit from a table whose pawns are worth less than nothing, so that it finds something better.
fn spoiled(method: Method, epochs: u64) -> Task {
    let mut task = task(method, epochs);
    task.start[2 * Term::MaterialPawn.start()..][..2].fill(-50.0);
    task
}

fn fitted(table: &FeatureData, task: &Task) -> Tuned {
    fit(table, Schema::own(), task, &AtomicBool::new(false), &mut |_| {}).unwrap()
}

#[test]
fn a_fit_that_was_stopped_goes_on_as_if_it_never_had_been() {
    let table = table();
    for method in [Method::Lbfgs, Method::Adam] {
        let epochs = 12;
        let whole = fitted(&table, &task(method, epochs));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fit.toml");
        let mut first = task(method, epochs);
        let output = || Some(Output::check(&path, Existing::Replace).unwrap());
        first.settings.checkpoints.write = output();
        let stop = AtomicBool::new(false);
        let half = fit(&table, Schema::own(), &first, &stop, &mut |step| {
            stop.store(step.epoch == epochs / 2, Ordering::Relaxed);
        });
        let half = half.unwrap();
        assert_eq!((half.ending, half.steps.len() as u64), (FitEnd::Interrupted, epochs / 2));
        let mut second = task(method, epochs);
        second.settings.checkpoints = Checkpoints { write: output(), resume: Some(path.clone()) };
        let resumed = fitted(&table, &second);
        assert_eq!(resumed.steps.len(), whole.steps.len());
        let errors =
            |tuned: &Tuned| tuned.steps.iter().map(|step| (step.train, step.validation)).collect::<Vec<_>>();
        assert_eq!(errors(&resumed), errors(&whole), "{method:?}");
        assert!(resumed.parameters == whole.parameters, "{method:?}");

        second.settings.seed = 2;
        let refused = fit(&table, Schema::own(), &second, &AtomicBool::new(false), &mut |_| {}).map(|_| ());
        assert!(refused.unwrap_err().to_string().contains("another fit"));
    }
}

#[test]
fn a_checkpoint_that_changed_during_the_fit_is_kept() {
    let table = table();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.toml");
    let mut task = task(Method::Lbfgs, 4);
    task.settings.checkpoints.write = Some(Output::check(&path, Existing::Keep).unwrap());
    let tuned = fit(&table, Schema::own(), &task, &AtomicBool::new(false), &mut |step| {
        if step.epoch == 3 {
            std::fs::write(&path, "of another fit").unwrap();
        }
    });
    let tuned = tuned.unwrap();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "of another fit");
    let beside = folder.path().join("fit.toml.new");
    assert_eq!(tuned.moved_checkpoint.as_ref(), Some(&beside));
    task.settings.checkpoints.resume = Some(beside);
    assert_eq!(fitted(&table, &task).steps.len(), tuned.steps.len());
}

#[test]
fn a_broken_checkpoint_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let table = table();
    for (text, words) in [
        ("format = 99\n[identity]\ndata=\"\"\nmethod=\"\"\nvariables=1\nseed=1\nk=1.0", "newer"),
        ("x", "not a checkpoint"),
    ] {
        let path: PathBuf = folder.path().join("fit.toml");
        std::fs::write(&path, text).unwrap();
        let mut task = task(Method::Lbfgs, 1);
        task.settings.checkpoints.resume = Some(path);
        let error =
            fit(&table, Schema::own(), &task, &AtomicBool::new(false), &mut |_| {}).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

fn board(numbers: &Numbers, term: Term) -> &[[i32; 2]] {
    &numbers[term.start()..][..term.entry().shape.length()]
}

#[test]
fn what_the_schema_says_holds_whatever_the_method() {
    let table = table();
    for method in [Method::Lbfgs, Method::Adam] {
        let mut task = spoiled(method, 12);
        task.bounds = vec![("material.queen".into(), Bounds { least: 900.0, most: 905.0 })];
        let tuned = fitted(&table, &task);
        let numbers = rounded(&tuned.parameters);
        let start = rounded(&task.start);
        assert_ne!(board(&numbers, Term::SquareKnight), board(&start, Term::SquareKnight), "{method:?}");
        let seen = |term: Term| (0..64).all(|square| table.coverage[term.start() + square] > 0);
        for term in [Term::SquareKnight, Term::SquareRook, Term::SquareQueen] {
            assert!(seen(term));
            let board = board(&numbers, term);
            assert!((0..64).all(|square| board[square] == board[square ^ 7]), "{method:?} {term:?}");
        }
        for term in [Term::MobilityKnight, Term::MobilityBishop, Term::MobilityRook, Term::MobilityQueen] {
            // A number that never occurs is unchanged, whatever the others do.
            let list: Vec<[i32; 2]> = board(&numbers, term)
                .iter()
                .zip(&table.coverage[term.start()..])
                .filter_map(|(pair, count)| (*count > 0).then_some(*pair))
                .collect();
            assert!(list.len() > 6);
            for half in 0..2 {
                assert!(list.iter().map(|pair| pair[half]).is_sorted(), "{method:?} {term:?} {list:?}");
            }
        }
        let queen = board(&numbers, Term::MaterialQueen)[0];
        assert!(queen.iter().all(|number| (9000..=9050).contains(number)), "{queen:?}");
        assert!(tuned.summary.variables < tuned.summary.parameters);
    }
    let free = fitted(&table, &Task { constraints: Constraints::None, ..spoiled(Method::Lbfgs, 12) });
    assert_eq!(free.summary.variables, free.summary.parameters);
    let free_numbers = rounded(&free.parameters);
    let knights = board(&free_numbers, Term::SquareKnight);
    assert!((0..64).any(|square| knights[square] != knights[square ^ 7]));
}

#[test]
fn the_stronger_player_is_found_and_taken_out_of_the_results() {
    let table = table();
    let plain = fitted(&table, &task(Method::Lbfgs, 1));
    let adjusted = fitted(&table, &Task { players: Players::Adjust, ..task(Method::Lbfgs, 1) });
    let strength = |name: &str| {
        let player = adjusted.summary.players.iter().find(|player| player.name.starts_with(name)).unwrap();
        player.centipawns
    };
    assert!(strength("Stockfish") > strength("Ethereal") + 20.0, "{:?}", adjusted.summary.players);
    assert!(adjusted.summary.initial_error < plain.summary.initial_error);
    assert!(plain.summary.players.is_empty());

    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1 [1.0]\n").unwrap();
    let split = Split { validation: 0.0, seed: 1 };
    let text = FeatureData::load(Dataset::open(file.path()).unwrap(), split, Kept::default(), |_| {}, |_| {})
        .unwrap();
    let task = Task { players: Players::Adjust, ..task(Method::Lbfgs, 1) };
    let refused = fit(&text, Schema::own(), &task, &AtomicBool::new(false), &mut |_| {}).map(|_| ());
    assert!(matches!(refused, Err(TexelError::NoPlayers)));
}

#[test]
fn a_fit_that_was_stopped_resumes_exactly() {
    let table = table();
    for method in [Method::Lbfgs, Method::Adam] {
        let whole = fitted(&table, &task(method, 8));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fit.toml");
        let output = || Some(Output::check(&path, Existing::Replace).unwrap());
        let mut first = task(method, 8);
        first.settings.checkpoints.write = output();
        let (stop, (begun, third)) = (AtomicBool::new(false), std::sync::mpsc::channel());
        let stop = &stop;
        let half = std::thread::scope(|scope| {
            scope.spawn(move || {
                third.recv().unwrap();
                stop.store(true, Ordering::Relaxed);
            });
            fit(&table, Schema::own(), &first, stop, &mut |step| {
                if step.epoch == 3 {
                    begun.send(()).unwrap();
                }
            })
        });
        assert!(half.unwrap().steps.len() >= 3);
        let mut second = task(method, 8);
        second.settings.checkpoints = Checkpoints { write: None, resume: Some(path.clone()) };
        assert!(fitted(&table, &second).parameters == whole.parameters, "{method:?}");
    }
}

#[test]
fn a_fit_without_a_finite_error_ends() {
    let table = table();
    for method in [Method::Lbfgs, Method::Adam] {
        let mut task = task(method, 2);
        task.k = Some(1e100);
        let ended = fit(&table, Schema::own(), &task, &AtomicBool::new(false), &mut |_| {}).map(|_| ());
        let error = ended.unwrap_err().to_string();
        assert!(error.contains("no finite number"), "{error}");
    }
}

#[test]
fn a_checkpoint_with_lists_of_other_lengths_is_refused() {
    let table = table();
    for (method, lists) in
        [(Method::Lbfgs, &["point", "gradient", "best", "s", "y"][..]), (Method::Adam, &["mean", "square"])]
    {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fit.toml");
        let mut task = task(method, 3);
        task.settings.checkpoints.write = Some(Output::check(&path, Existing::Replace).unwrap());
        fitted(&table, &task);
        let text = std::fs::read_to_string(&path).unwrap();
        task.settings.checkpoints = Checkpoints { write: None, resume: Some(path.clone()) };
        task.settings.epochs = 4;
        for list in lists {
            let start = text.find(&format!("\n{list} = [")).unwrap() + list.len() + 5;
            let end = start + text[start..].find('\n').unwrap();
            let rest = text[start..end].split_once(", ").unwrap().1;
            for content in [rest.trim_start_matches('['), "]"] {
                let opening = if content != "]" && text[start..].starts_with('[') { "[" } else { "" };
                std::fs::write(&path, format!("{}{opening}{content}{}", &text[..start], &text[end..]))
                    .unwrap();
                let refused =
                    fit(&table, Schema::own(), &task, &AtomicBool::new(false), &mut |_| {}).map(|_| ());
                let error = refused.unwrap_err().to_string();
                assert!(error.contains("damaged: its lists"), "{list}: {error}");
            }
        }
    }
}
