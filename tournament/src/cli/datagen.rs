//! `datagen`: games of engines against themselves for training data: a run with its own defaults.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use smalt_driver::process::{PollOutcome, Process, WaitFor, poll_once};
use smalt_workbench::output_file::Existing;
use toml::{Table, Value};

use super::arguments::RunFlags;
use super::data::check_data_target;
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{self, section};
use super::output::{check_output, write_text};
use super::play::{face, own_program, play, start};
use smalt_chess::Position;
use smalt_match::plan::{Entrant, OpeningsSettings, Order, Plan, Program, START_POSITION};
use smalt_match::run::engine_command;
use smalt_match::setup::schedule;

#[derive(Args, Clone, Debug)]
pub(super) struct DatagenFlags {
    /// Openings from the engine itself: the first one is asked by OpenBench's `genfens N seed S book FILE`; they are kept
    /// beside the data, as FILE.openings.epd
    #[arg(long, conflicts_with_all = ["random_plies", "chess960_share"], help_heading = "Openings")]
    genfens: bool,
    /// Settings of the run.
    #[command(flatten)]
    run: RunFlags,
}

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament datagen --engine ./mine --nodes 5000 --games 100000 --data positions.viri
  smalt-tournament datagen --engine ./mine --engine ./other --games 50000 --data positions.bullet --max-score 2000
  smalt-tournament datagen --engine ./mine --genfens --games 20000 --data positions.binpack
  smalt-tournament datagen --engine ./mine --chess960-share 0.1 --draw off --tb /syzygy --data positions.txt

One engine plays against itself; several play a round robin, --games for each pair of engines. Each game begins with random \
plies of its own: there are no pairs with reversed colors. The games are kept in the store, and the data are made from it when \
the run ends or stops; after a crash, a power cut or kill -9 `smalt-tournament resume RUN.db` goes on at the exact game.";

/// Default number of games.
const GAMES: i64 = 1000;

/// Default node limit of each move.
const NODES: i64 = 5000;

/// Default number of random plies of each opening.
const RANDOM_PLIES: i64 = 8;

/// Timeout of an opening.
const GENFENS_TIMEOUT: Duration = Duration::from_secs(60);

/// Plays games and writes their positions.
pub(super) fn datagen(flags: &DatagenFlags) -> Result<Exit, Refusal> {
    let mut plan = intent::plan_of_data(defaults(), &flags.run)?;
    let data = plan.settings.data.file.clone();
    let data = data
        .context(
            "no file of training data: give --data FILE, whose ending is the format, e.g. positions.viri",
        )
        .or_usage()?;
    let face = face(flags.run.quiet);
    if !flags.genfens {
        return play(plan, face);
    }
    check_data_target(&data)?;
    check_output(&data, Existing::Keep)?;
    let openings = engine_openings(&data);
    check_output(&openings, Existing::Keep)?;
    plan = with_engine_openings(plan, &openings)?;
    // Openings without a run would be in the way of the corrected command.
    let started = start(plan, &face).inspect_err(|_| drop(std::fs::remove_file(&openings)))?;
    started.play(face)
}

/// File of the openings that an engine made for this file of training data.
pub(super) fn engine_openings(data: &Path) -> PathBuf {
    let mut name = data.as_os_str().to_owned();
    name.push(".openings.epd");
    PathBuf::from(name)
}

fn defaults() -> Table {
    let mut layer = Table::new();
    section(&mut layer, "run").insert("games".to_owned(), Value::from(GAMES));
    section(&mut layer, "clock").insert("nodes".to_owned(), Value::from(NODES));
    let openings = [
        ("file", Value::from(START_POSITION)),
        ("random-plies", Value::from(RANDOM_PLIES)),
        ("repeat", Value::from(false)),
        ("policy", Value::from("pair")),
    ];
    section(&mut layer, "openings").extend(openings.map(|(key, value)| (key.to_owned(), value)));
    layer
}

/// The plan with openings that its first engine made, one for each game.
fn with_engine_openings(plan: Plan, path: &Path) -> Result<Plan, Refusal> {
    let openings = &plan.settings.openings;
    let book = if openings.is_embedded() { "None".to_owned() } else { openings.file.display().to_string() };
    let count = schedule(&plan).openings();
    let request = format!("genfens {count} seed {} book {book}", plan.settings.run.seed);
    let entrant = &plan.entrants[0];
    let fens = ask_engine(entrant, &own_program()?, &request, count as usize)
        .with_context(|| format!("--genfens: {}", entrant.name))
        .or_usage()?;
    let mut settings = plan.settings;
    let given = settings.openings;
    settings.openings = OpeningsSettings {
        file: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
        order: Order::Sequential,
        repeat: given.repeat,
        policy: given.policy,
        ..OpeningsSettings::default()
    };
    let plan = Plan::new(settings).or_usage()?;
    write_text(path, &fens, Existing::Keep)?;
    Ok(plan)
}

/// The answer of an engine to a request of openings: a FEN a line. As OpenBench does, the request is the first argument of a
/// program; the built-in engine reads it as a line.
fn ask_engine(entrant: &Entrant, own_program: &Path, request: &str, count: usize) -> anyhow::Result<String> {
    let is_builtin = entrant.program == Program::Builtin;
    let asked = engine_command(entrant, own_program);
    let asked = if is_builtin { asked } else { asked.arguments([request, "quit"]) };
    let mut process = Process::spawn(&asked)?;
    if is_builtin {
        process.write(format!("{request}\nquit\n").as_bytes());
    }
    process.close_stdin();
    let (mut fens, mut found) = (String::new(), 0);
    let mut deadline = Instant::now() + GENFENS_TIMEOUT;
    while found < count {
        while let Some(line) = process.take_line() {
            let text = line.text();
            let Some(fen) = text.trim().strip_prefix("info string genfens ") else { continue };
            Position::from_fen(fen.trim()).with_context(|| format!("{fen:?} is no position"))?;
            fens.push_str(&format!("{}\n", fen.trim()));
            found += 1;
            deadline = Instant::now() + GENFENS_TIMEOUT;
        }
        if process.is_silent() {
            break;
        }
        if poll_once(&mut process, None, None, WaitFor::Output, deadline)? == PollOutcome::TimedOut {
            bail!("no opening within {} s of `{request}`", GENFENS_TIMEOUT.as_secs());
        }
    }
    process.kill();
    if found < count {
        bail!(
            "{found} openings of {count} came in answer to `{request}`; without genfens, leave it out for random plies"
        );
    }
    Ok(fens)
}
