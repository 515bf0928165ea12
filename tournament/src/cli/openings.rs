//! `openings`: makes an opening book with engines as evaluators, each on its own thread, and writes it as EPD; or
//! checks a book.

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use clap::Args;
use smalt_chess::{CastlingMode, UciMove};
use smalt_driver::{Engine, EngineTimeouts, GameOptions, SearchRequest, WaitContext};
use smalt_protocol::uci::client::Start;
use smalt_protocol::{Score, SearchLimits};
use toml::Table;

use super::exit::{Exit, OrRefuse, Refusal};
use super::{output, registry};
use smalt_about::names_or_files;
use smalt_match::opening::{Book, Candidate, OpeningGenerator, OpeningSource};
use smalt_match::plan::{BookFormat, ClockSettings, Entrant, Format, MAX_RANDOM_PLIES, Plan, Settings, word};
use smalt_match::run::engine_command;
use smalt_match::setup::source_of;
use smalt_workbench::concurrency::{Concurrent, spare_cores, within_limits};
use smalt_workbench::entrant::Registry;
use smalt_workbench::flags::RegistryFlag;
use smalt_workbench::output_file::Existing;

/// An opening book to be made, or checked.
#[derive(Args, Clone, Debug)]
pub(super) struct OpeningFlags {
    /// Opening book to check instead of making one: number of openings, bad lines, duplicates; e.g. book.epd
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Format of the book to check: epd, pgn or polyglot [default: by its name]
    #[arg(long, value_name = "FORMAT", value_parser = word::<BookFormat>(), hide_possible_values = true, requires = "check")]
    book_format: Option<BookFormat>,
    /// Engine that evaluates the positions
    #[arg(long, value_name = "ENGINE", default_value = "builtin", add = names_or_files(Registry::names_to_complete))]
    engine: String,
    #[command(flatten)]
    engines: RegistryFlag,
    /// Number of openings
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: usize,
    /// Number of random plies of each opening [default: 8]; with --check, number of plies of a PGN opening [default: all]
    #[arg(long, value_name = "N")]
    plies: Option<u32>,
    /// Random seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Maximum score of a balanced position for either side, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 50)]
    window: u32,
    /// Nodes for each evaluation
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,
    /// Number of concurrent engines [default: cores less one]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// EPD file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    force: bool,
}

/// Timeout of an evaluation.
const EVALUATION_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum number of candidates per opening.
const MAX_CANDIDATES_PER_OPENING: u64 = 1000;

/// Default number of random plies.
const DEFAULT_PLIES: u32 = 8;

/// An evaluated candidate by number; `None` if the number has no candidate.
type EvaluatedCandidate = anyhow::Result<(u64, Option<(Candidate, i32)>)>;

/// Makes or checks a book.
pub(super) fn openings(flags: &OpeningFlags) -> Result<Exit, Refusal> {
    match &flags.check {
        Some(path) => check(path, flags),
        None => make(flags),
    }
}

/// Checks a book as a run would read it.
fn check(path: &Path, flags: &OpeningFlags) -> Result<Exit, Refusal> {
    let source = OpeningSource { plies: flags.plies, ..source_of(path, flags.book_format).or_usage()? };
    let book =
        Book::scan(source).with_context(|| format!("read openings from {}", path.display())).or_usage()?;
    let mut text = String::new();
    for skipped in book.skipped() {
        text.push_str(&format!("line {}: {}\n", skipped.line, skipped.reason));
    }
    if book.is_endless() {
        text.push_str(&format!("{}\n", book.fingerprint()));
    } else {
        let repeated = book.count_repeated().or_failed()?;
        text.push_str(&format!(
            "openings {}\nskipped {}\nrepeated {repeated}\n",
            book.count(),
            book.skipped_count()
        ));
    }
    output::print(&text)?;
    Ok(if book.skipped_count() > 0 { Exit::Skipped } else { Exit::Done })
}

fn make(flags: &OpeningFlags) -> Result<Exit, Refusal> {
    let existing = Existing::with_force(flags.force);
    flags.output.as_deref().map_or(Ok(()), |path| output::check_output(path, existing))?;
    let plies = flags.plies.unwrap_or(DEFAULT_PLIES);
    if plies > MAX_RANDOM_PLIES {
        return Err(anyhow!("--plies {plies}: expected {MAX_RANDOM_PLIES} at most")).or_usage();
    }
    let evaluator = evaluator(flags)?;
    let recipe = OpeningGenerator { seed: flags.seed, plies };
    let wanted = flags.concurrency.unwrap_or_else(spare_cores).max(1);
    let evaluators = within_limits(wanted, Concurrent::Engines, &mut output::print_info).or_usage()?;
    let next = AtomicU64::new(0);
    let (sender, evaluations) = mpsc::sync_channel(64 * evaluators);
    let book = thread::scope(|scope| {
        for _ in 0..evaluators {
            let sender = sender.clone();
            let (evaluator, next) = (&evaluator, &next);
            scope.spawn(move || {
                if let Err(error) = evaluate_candidates(evaluator, recipe, flags.nodes, next, &sender) {
                    let _ = sender.send(Err(error));
                }
            });
        }
        drop(sender);
        // Moved in, so that evaluators stop when the receiver is dropped.
        choose(evaluations, flags)
    });
    let text = book.or_failed()?;
    match &flags.output {
        Some(path) => output::write_text(path, &text, existing)?,
        None => output::print(&text)?,
    }
    Ok(Exit::Done)
}

/// The evaluator, validated like any entrant.
fn evaluator(flags: &OpeningFlags) -> Result<Entrant, Refusal> {
    let registry = registry::registry(flags.engines.path.as_deref())?;
    let evaluator = registry.parse_engine(&flags.engine).or_usage()?;
    let mut settings = Settings::default();
    settings.run.format = Format::Match;
    settings.clock = ClockSettings { tc: None, nodes: NonZeroU64::new(flags.nodes), ..settings.clock };
    let plan =
        Plan::of_engines(settings, &[evaluator.clone(), evaluator], &Table::new(), &registry).or_usage()?;
    plan.entrants.into_iter().next().context("no evaluator").or_usage()
}

/// Receives evaluations in candidate order and keeps balanced new positions until there are enough.
#[expect(clippy::needless_pass_by_value, reason = "its end tells the evaluators to leave")]
fn choose(evaluations: Receiver<EvaluatedCandidate>, flags: &OpeningFlags) -> anyhow::Result<String> {
    let mut waiting = BTreeMap::new();
    let mut seen = HashSet::new();
    let mut number = 0;
    let mut book = String::new();
    while seen.len() < flags.count {
        while !waiting.contains_key(&number) {
            let (number, evaluated) = evaluations.recv().context("all evaluators have left")??;
            waiting.insert(number, evaluated);
        }
        let evaluated = waiting.remove(&number).flatten();
        number += 1;
        if number > MAX_CANDIDATES_PER_OPENING.saturating_mul(flags.count as u64) {
            bail!("only {} of {number} candidates are balanced: widen --window or lower --plies", seen.len());
        }
        let Some((candidate, score)) = evaluated else { continue };
        if score.unsigned_abs() <= flags.window && seen.insert(candidate.position.key()) {
            let fields: Vec<String> =
                candidate.position.to_fen().split(' ').take(4).map(str::to_owned).collect();
            book.push_str(&format!("{} ce {score};\n", fields.join(" ")));
        }
    }
    output::print_info(&format!("{} openings of {number} candidates", seen.len()));
    Ok(book)
}

/// Evaluates candidates until the receiver is dropped.
fn evaluate_candidates(
    evaluator: &Entrant,
    recipe: OpeningGenerator,
    nodes: u64,
    next: &AtomicU64,
    evaluations: &SyncSender<EvaluatedCandidate>,
) -> anyhow::Result<()> {
    let mut engine = start(evaluator)?;
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let evaluated = match recipe.candidate(number) {
            Some(candidate) => evaluate(&mut *engine, &candidate, nodes)?.map(|score| (candidate, score)),
            None => None,
        };
        if evaluations.send(Ok((number, evaluated))).is_err() {
            engine.quit();
            return Ok(());
        }
    }
}

fn start(evaluator: &Entrant) -> anyhow::Result<Box<dyn Engine>> {
    let command = engine_command(evaluator, &std::env::current_exe()?);
    let name = &evaluator.name;
    let nothing = &mut WaitContext::none();
    let started =
        smalt_driver::start(&command, evaluator.engine.proto, EngineTimeouts::default(), None, nothing);
    let mut engine = started.with_context(|| format!("start {name}"))?;
    for (option, text) in &evaluator.engine.options {
        engine.set_option(option, text, nothing).with_context(|| format!("set up {name}"))?;
    }
    Ok(engine)
}

/// Score in centipawns from the side to move's view; `None` for a mate.
fn evaluate(engine: &mut dyn Engine, candidate: &Candidate, nodes: u64) -> anyhow::Result<Option<i32>> {
    let moves: Vec<UciMove> =
        candidate.moves.iter().map(|&mv| UciMove::from_move(mv, CastlingMode::Standard)).collect();
    let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::default() };
    let request = SearchRequest {
        start: Start::Standard,
        moves: &moves,
        limits: &limits,
        deadline: EVALUATION_TIMEOUT,
        stop_after: None,
    };
    engine.new_game(GameOptions::default(), &mut WaitContext::none()).context("evaluate a position")?;
    let searched = engine.search(&request, &mut WaitContext::none(), None).context("evaluate a position")?;
    Ok(match searched.report.score.map(|reported| reported.score) {
        Some(Score::Centipawns(score)) => Some(score),
        _ => None,
    })
}
