//! The command `texel`.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde_json::{Value, json};
use smalt::evaluation::Parameters;
use smalt::evaluation::schema::{Term, WEIGHTS};
use smalt::evaluation::taper::FULL_SCALE;
use smalt_report::{Cell, Column, ColumnKind, Sign, Table as Page};

use super::arguments::{MethodName, PARAMETERS, ScheduleName, TexelFlags};
use super::commit::commit;
use super::{
    Exit, OrRefuse, Refusal, Skipped, check_share, check_writable, interrupt, open, parameters, show, tell,
    with_threads,
};
use crate::features::row::SCALE_START;
use crate::features::{Keep, Kept, Split, Table};
use crate::optimizer::{Checkpoints, Ending, Method, OptimizeError, Penalty, Schedule, Settings, Step};
use crate::progress::Progress;
use crate::texel::{Players, Summary, Task, TexelError, Tuned, fit};
use crate::weights::Selection;
use crate::weights::document::{Origin, OriginValue, replace, rewritten};
use crate::weights::variables::{Bounds, Constraints};

/// With fewer training positions than this for each parameter a fit learns noise.
const POSITIONS_PER_PARAMETER: usize = 10;

/// The engine's own file, for its comments and layout where no other is at hand.
pub(super) const SHIPPED: &str = include_str!("../../../engine/params/evaluation.toml");

pub(super) fn run(flags: &TexelFlags) -> Result<Exit, Refusal> {
    let task = task(flags)?;
    let target = target(flags)?;
    check_writable([flags.output.as_ref(), flags.json.as_ref(), flags.checkpoint.as_ref()])?;
    let stop = interrupt()?;
    with_threads(flags.threads, || {
        let (table, skipped) = load(flags)?;
        let warnings = warnings(&table, &task, target.as_ref());
        warnings.iter().for_each(|warning| tell(warning));
        let bar = Progress::fit(task.settings.epochs);
        let tuned = fit(&table, &task, &stop, &mut |step| bar.step(step));
        bar.finish();
        let tuned = tuned.map_err(|error| match error {
            TexelError::Optimize(OptimizeError::Solver(_)) => {
                Refusal { exit: Exit::Failed, error: error.into() }
            }
            _ => Refusal { exit: Exit::Usage, error: error.into() },
        })?;
        if let Some(target) = &target {
            let origin = origin(flags, &table, &tuned.summary);
            let text = rewritten(&target.text, &tuned.numbers, &origin).or_failed()?;
            replace(&target.path, &text).with_context(|| target.path.display().to_string()).or_failed()?;
        }
        show(&page(&tuned, target.as_ref()), flags.json.as_deref(), || {
            document(&tuned, &warnings, target.as_ref())
        })?;
        let exit = skipped.exit();
        Ok(if tuned.ending == Ending::Interrupted { Exit::Interrupted } else { exit })
    })
}

fn task(flags: &TexelFlags) -> Result<Task, Refusal> {
    check_share("--lambda", flags.lambda)?;
    check_share("--validation", flags.validation)?;
    let numbers =
        [("--k", flags.k), ("--rate", Some(flags.rate)), ("--l2", Some(flags.l2).filter(|&l2| l2 != 0.0))];
    for (flag, number) in numbers {
        if let Some(number) = number.filter(|&number| !number.is_finite() || number <= 0.0) {
            return Err(anyhow!("{flag} {number}: expected a number above 0")).or_usage();
        }
    }
    if flags.batch == 0 {
        return Err(anyhow!("--batch 0: a mini-batch has at least one position")).or_usage();
    }
    let (method, epochs) = match flags.method {
        MethodName::Newton => (Method::Newton, 50),
        MethodName::Lbfgs => (Method::Lbfgs, 500),
        MethodName::Adam => (Method::Adam, 200),
    };
    let start = match &flags.params {
        Some(path) => parameters(path)?,
        None if flags.scratch => scratch(),
        None => Parameters::embedded().clone(),
    };
    Ok(Task {
        start,
        selection: Selection { only: flags.only.clone(), freeze: flags.freeze.clone() },
        k: flags.k,
        result_share: flags.lambda,
        penalty: Penalty { strength: flags.l2 },
        constraints: if flags.unconstrained { Constraints::None } else { Constraints::Schema },
        bounds: flags.bound.iter().map(|text| bound(text)).collect::<Result<_, _>>()?,
        players: if flags.adjust_for_players { Players::Adjust } else { Players::Ignore },
        settings: Settings {
            method,
            epochs: flags.epochs.unwrap_or(epochs),
            patience: flags.patience.max(1),
            rate: flags.rate,
            schedule: match flags.schedule {
                ScheduleName::Constant => Schedule::Constant,
                ScheduleName::Cosine => Schedule::Cosine,
                ScheduleName::Step => Schedule::Step,
            },
            batch: flags.batch,
            seed: flags.seed,
            checkpoints: Checkpoints {
                write: flags.resume.clone().or_else(|| flags.checkpoint.clone()),
                resume: flags.resume.clone(),
            },
        },
    })
}

/// Reads `NAME=LEAST..MOST`.
fn bound(text: &str) -> Result<(String, Bounds), Refusal> {
    let parsed = text.split_once('=').and_then(|(name, range)| {
        let (least, most) = range.split_once("..")?;
        let bounds = Bounds { least: least.trim().parse().ok()?, most: most.trim().parse().ok()? };
        (bounds.least <= bounds.most).then(|| (name.trim().to_owned(), bounds))
    });
    parsed
        .ok_or_else(|| anyhow!("--bound {text}: expected NAME=LEAST..MOST, as in 'material.pawn=80..120'"))
        .or_usage()
}

/// Material only, in round numbers.
fn scratch() -> Parameters {
    let mut numbers = [[0; 2]; WEIGHTS];
    let material = [
        (Term::MaterialPawn, 100),
        (Term::MaterialKnight, 300),
        (Term::MaterialBishop, 300),
        (Term::MaterialRook, 500),
        (Term::MaterialQueen, 900),
    ];
    for (term, worth) in material {
        numbers[term.start()] = [worth; 2];
    }
    // A leader is scaled by nothing unless the fit says so.
    numbers[SCALE_START..].fill([FULL_SCALE as i16; 2]);
    Parameters::from_numbers(&numbers)
}

/// Where the weights go, and the text whose layout they take.
struct Target {
    path: PathBuf,
    text: String,
}

fn target(flags: &TexelFlags) -> Result<Option<Target>, Refusal> {
    let read =
        |path: &Path| std::fs::read_to_string(path).with_context(|| path.display().to_string()).or_usage();
    if flags.write {
        let path = flags.params.clone().unwrap_or_else(|| PARAMETERS.into());
        let text = read(&path).map_err(|Refusal { exit, error }| Refusal {
            exit,
            error: error.context("--write: run from the top of the project, or give --params or --output"),
        })?;
        return Ok(Some(Target { path, text }));
    }
    let Some(path) = flags.output.clone() else { return Ok(None) };
    let text = match &flags.params {
        Some(old) => read(old)?,
        None => SHIPPED.to_owned(),
    };
    Ok(Some(Target { path, text }))
}

fn load(flags: &TexelFlags) -> Result<(Table, Skipped), Refusal> {
    let dataset = open(&flags.positions)?;
    let merged = dataset.merged_over_games();
    if merged > 0 && flags.validation > 0.0 {
        tell(&format!(
            "{}: an earlier version merged {merged} of its positions over games, so that training sees results of held-out games: \
             extract the games again",
            flags.positions.display(),
        ));
    }
    let split = Split { validation: flags.validation, seed: flags.seed };
    let spinner = Progress::spinner("positions");
    let mut skipped = Skipped::default();
    let keep = |wanted: bool| if wanted { Keep::Yes } else { Keep::No };
    let kept = Kept { scores: keep(flags.lambda < 1.0), players: keep(flags.adjust_for_players) };
    let table = Table::load(
        dataset,
        split,
        kept,
        |line| skipped.tell(&flags.positions, &line),
        |count| spinner.tell(count.to_string()),
    );
    spinner.finish();
    let table = table.with_context(|| flags.positions.display().to_string()).or_failed()?;
    if table.is_empty() {
        return Err(anyhow!(
            "{}: no positions: expected a file that `extract` wrote, or lines like `FEN c9 \"1-0\"`, `FEN [1.0]` or `FEN | score | result`",
            flags.positions.display()
        ))
        .or_usage();
    }
    Ok((table, skipped))
}

fn origin(flags: &TexelFlags, table: &Table, summary: &Summary) -> Origin {
    let text = |words: String| OriginValue::Text(words);
    let command: Vec<String> = std::env::args().skip(1).collect();
    let start = match &flags.params {
        Some(path) => path.display().to_string(),
        None if flags.scratch => "scratch values, material only".to_owned(),
        None => "the numbers built in".to_owned(),
    };
    vec![
        ("by", text(format!("smalt-tuner {}", smalt_about::VERSION))),
        ("command", text(format!("smalt-tuner {}", command.join(" ")))),
        ("start", text(start)),
        ("data", text(flags.positions.display().to_string())),
        ("data_hash", text(format!("{:016x}", table.hash))),
        ("positions", OriginValue::Count(summary.positions as u64)),
        ("commit", text(commit().unwrap_or_else(|| "unknown".to_owned()))),
        ("k", OriginValue::Number(summary.k)),
        ("initial_error", OriginValue::Number(summary.initial_error)),
        ("final_error", OriginValue::Number(summary.final_error)),
        ("initial_validation_error", OriginValue::Number(summary.initial_validation_error)),
        ("validation_error", OriginValue::Number(summary.validation_error)),
    ]
}

/// What the user should know before the fit begins.
fn warnings(table: &Table, task: &Task, target: Option<&Target>) -> Vec<String> {
    let mut warnings = Vec::new();
    if target.is_none() {
        warnings.push("the tuned weights will not be written: give --output FILE or --write".to_owned());
    }
    let positions = table.train.len();
    let parameters = task.selection.free(&table.coverage).map_or(0, |free| free.len());
    let enough = POSITIONS_PER_PARAMETER * parameters;
    if positions < enough {
        warnings.push(format!(
            "{positions} training positions are too few for {parameters} parameters: the fit will learn their noise. \
             Use {enough} or more, or tune fewer parameters (--only)"
        ));
    }
    warnings
}

/// The summary, and the errors of each epoch.
fn document(tuned: &Tuned, warnings: &[String], target: Option<&Target>) -> Value {
    let mut document = json!(tuned.summary);
    document["warnings"] = json!(warnings);
    document["written"] = json!(target.map(|target| &target.path));
    let step = |step: &Step| {
        json!({
            "epoch": step.epoch, "train": step.train, "validation": step.validation, "best": step.best,
            "seconds": step.time.as_secs_f64(),
        })
    };
    document["history"] = tuned.steps.iter().map(step).collect();
    document
}

fn page(tuned: &Tuned, target: Option<&Target>) -> String {
    let summary = &tuned.summary;
    let mut table = Page::new([
        Column::new("mean squared error", ColumnKind::Text),
        Column::new("positions", ColumnKind::Integer),
        Column::new("before", ColumnKind::Number(6, Sign::Negative)),
        Column::new("after", ColumnKind::Number(6, Sign::Negative)),
    ]);
    let rows = [
        ("training", summary.train, summary.initial_error, summary.final_error),
        ("validation", summary.validation, summary.initial_validation_error, summary.validation_error),
    ];
    for (name, count, before, after) in rows.into_iter().filter(|row| row.1 > 0) {
        table.push([Cell::from(name), Cell::from(count as u64), Cell::from(before), Cell::from(after)]);
    }
    let mut page = table.to_text();
    page.push_str(&format!(
        "\nk {:.4}; {} parameters; {} epochs in {:.2} s, {}; {:.1} M positions/s, {:.0} bytes a position\n\
         rounding to integers added {:+.7} to the error\n",
        summary.k,
        summary.parameters,
        summary.epochs,
        summary.seconds,
        summary.ending,
        summary.positions_per_second / 1e6,
        summary.bytes_per_position,
        summary.rounding_error,
    ));
    for player in &summary.players {
        page.push_str(&format!(
            "{}: {:+.0} centipawns, taken out of the results\n",
            player.name, player.centipawns
        ));
    }
    if summary.danger_lifted {
        page.push_str("king danger was all zero, where its curve is flat: it began at 16 units\n");
    }
    if !summary.unseen.is_empty() {
        let some = summary.unseen.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let count = summary.unseen.len();
        page.push_str(&format!("{count} weights never occur and stayed as they were: {some}"));
        page.push_str(if count > 8 { ", …\n" } else { "\n" });
    }
    if summary.validation > 0 && summary.validation_error > summary.initial_validation_error {
        page.push_str(
            "the validation error rose: on games that it has not seen the tuned table predicts worse\n",
        );
    }
    match target {
        Some(target) => page.push_str(&format!("written to {}\n", target.path.display())),
        None => page.push_str("not written: give --output FILE or --write\n"),
    }
    page
}
