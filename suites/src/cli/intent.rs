//! Resolves arguments to a plan: reads suites, resolves engines, fills in defaults.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, anyhow};
use smalt_driver::nearest::nearest;
use smalt_workbench::concurrency::{Concurrent, spare_cores, within_limits};
use smalt_workbench::entrant::{BUILTIN, Registry, parse_keys, split_words};
use smalt_workbench::program::start_reaper;
use smalt_workbench::source::Builder;
use toml::{Table, Value};

use super::arguments::ScoreFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::{Builtin, output};
use crate::plan::{Limit, Memory, Plan, resolve_entrants};
use crate::suite::{EMBEDDED, EmbeddedSuite, Note, Problem, Suite};

const DEFAULT_LIMIT: Limit = Limit::MoveTime(Duration::from_millis(200));

/// The plan of the flags.
pub(super) fn plan(flags: &ScoreFlags, builtin: Builtin) -> Result<Plan, Refusal> {
    let registry =
        Registry::load(flags.registry.path.as_deref(), &mut |words| output::print_info(&words)).or_usage()?;
    let limit = Limit::from_parts("", flags.search.movetime, flags.search.nodes, flags.search.depth);
    let limit =
        limit.map_err(|_| anyhow!("--movetime, --nodes and --depth must be above zero")).or_usage()?;
    let each = flags.each.as_deref().map(|words| split_words(words).and_then(|words| parse_keys(&words)));
    let each = each.transpose().context("--each").or_usage()?.unwrap_or_default();
    let mut typed = Vec::new();
    for text in &flags.engines {
        typed.push(registry.parse_engine(text).with_context(|| format!("--engine {text:?}")).or_usage()?);
    }
    if typed.is_empty() {
        typed.push(Table::from_iter([("cmd".to_owned(), Value::from(BUILTIN))]));
    }
    Builder::default().build_entrants(&mut typed, &each, &registry).or_usage()?;
    let entrants = resolve_entrants(&typed, &each, &registry, limit.unwrap_or(DEFAULT_LIMIT)).or_usage()?;
    let wanted = flags.search.concurrency.map_or_else(spare_cores, NonZeroUsize::get);
    let concurrency = within_limits(wanted, Concurrent::Engines, &mut output::print_info).or_usage()?;
    Ok(Plan {
        entrants,
        concurrency: NonZeroUsize::new(concurrency).unwrap_or(NonZeroUsize::MIN),
        memory: if flags.keep_hash { Memory::Kept } else { Memory::Cleared },
        early_stop: flags.early_stop,
        grace: Duration::from_millis(flags.grace),
        longest_move: Duration::from_secs(flags.longest_move.get().into()),
        tables: flags.syzygy.as_deref().map(builtin.open_tablebases).transpose().or_usage()?,
        reaper: start_reaper(),
    })
}

/// The built-in suite with this name, otherwise the file. Warns about unreadable lines.
pub(super) fn suite(text: &str) -> Result<Suite, Refusal> {
    let suite = match Suite::embedded(text) {
        Some(suite) => suite,
        None => read_suite(text)?,
    };
    for line in &suite.refused {
        output::print_info(&format!("skipped: {line}"));
    }
    for (problem, note) in skipped_parts(&suite) {
        let line = format!("line {}", problem.line);
        // A position without an ID is named by its line.
        let name = if problem.id == line { line } else { format!("{line}, {}", problem.id) };
        output::print_info(&format!("{text}, {name}: {note}"));
    }
    if suite.problems.is_empty() {
        return Err(anyhow!("{text} has no usable position")).or_usage();
    }
    Ok(suite)
}

fn read_suite(text: &str) -> Result<Suite, Refusal> {
    let path = Path::new(text);
    if !path.exists() {
        let hint = nearest(text, EMBEDDED.iter().map(|suite| suite.name));
        let hint = hint.map(|name| format!(" (did you mean {name}?)")).unwrap_or_default();
        let suites = "the suites of the program are wac, sts, sts01 to sts15";
        return Err(anyhow!("there is no suite and no file {text:?}{hint}; {suites}")).or_usage();
    }
    let bytes = output::read(path)?;
    let stem = path.file_stem().map_or_else(|| text.to_owned(), |stem| stem.to_string_lossy().into_owned());
    // A file may have the name of a built-in suite but is a different suite.
    let name = if EmbeddedSuite::find(&stem).is_some() { format!("{stem} ({text})") } else { stem };
    Ok(Suite::parse(&bytes, &name, text))
}

/// Unreadable parts of accepted lines, for warnings. Those of built-in suites are known, and listed by `show`.
fn skipped_parts(suite: &Suite) -> impl Iterator<Item = (&Problem, &Note)> {
    let own = EmbeddedSuite::find(&suite.name).is_some();
    suite.notes().filter(move |(_, note)| !own && note.is_skipped())
}

/// Exit code for unreadable lines of a suite.
pub(super) fn exit_of(suite: &Suite) -> Exit {
    let all_was_read = suite.refused.is_empty() && skipped_parts(suite).next().is_none();
    if all_was_read { Exit::Done } else { Exit::Skipped }
}
