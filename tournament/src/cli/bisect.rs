//! `bisect`: finds the commit of a range that lost or gained Elo.

use std::fs::File;

use anyhow::{Context, anyhow};
use clap::Args;
use smalt_match::plan::{Format, Plan};
use smalt_match::run::sha256;
use smalt_workbench::source::{self, BuildError, Source};
use toml::{Table, Value};

use super::arguments::RunFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{self, section};
use super::output::inform;
use super::play;
use smalt_report::format::count;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament bisect --git v1.4..main --elo 8 --build 'make EXE={exe}' --tc 8+0.08
  smalt-tournament bisect --git HEAD~40..HEAD --elo -5 --build 'make EXE={exe}' --nodes 20000 --path src

Every commit of the range, along first parents, is built before the first game. A commit that cannot be built is skipped, and so is one
whose program has the same bytes as that of the commit before it. The others play pairs of games against the good commit, each
round the one that tells most, until one commit has the wanted probability. docs/sprt.md has an example, docs/statistics.md the \
method and its simulation.";

#[derive(Args, Clone, Debug)]
pub(super) struct BisectFlags {
    /// Elo that a commit of the range has lost; below zero: gained
    #[arg(
        long,
        value_name = "ELO",
        allow_negative_numbers = true,
        default_value = "8",
        help_heading = "Bisection"
    )]
    elo: f64,
    /// Probability at which the search ends
    #[arg(long, value_name = "SHARE", default_value = "0.95", help_heading = "Bisection")]
    confidence: f64,
    /// Only commits that change files in this folder; may be repeated
    #[arg(id = "paths", long = "path", value_name = "PATH", help_heading = "Bisection")]
    paths: Vec<String>,
    /// Settings of the run; `--git GOOD..BAD` names the range.
    #[command(flatten)]
    run: RunFlags,
}

/// Builds the commits of the range and plays until one is found.
pub(super) fn bisect(flags: &BisectFlags) -> Result<Exit, Refusal> {
    play::play(plan(flags)?, play::face(flags.run.quiet))
}

fn plan(flags: &BisectFlags) -> Result<Plan, Refusal> {
    let run = &flags.run;
    let (range, build) = run
        .git
        .as_deref()
        .zip(run.build.as_deref())
        .context("bisect needs a range of commits and how they are built: --git GOOD..BAD --build COMMAND")
        .or_usage()?;
    let test = run.settings.given.get("sprt").and_then(Value::as_table);
    if let Some(key) = test.and_then(|test| test.keys().find(|key| *key != "model")) {
        return Err(anyhow!("--{key}: a bisection has --elo and --confidence instead")).or_usage();
    }
    let registry = intent::registry(run.engines.as_deref())?;
    let mut layer = intent::layer_of_flags(run, &registry)?;
    let (good, bad) = intent::ends_of_range(range).or_usage()?;
    let commits = testable(good, bad, build, &flags.paths)?;
    let engine = |revision: &str, role: &str| {
        let words = [("repo", "."), ("ref", revision), ("role", role)];
        Value::Table(words.map(|(key, word)| (key.to_owned(), Value::from(word))).into_iter().collect())
    };
    let engines = [engine(good, "opponent")].into_iter();
    let engines = engines.chain(commits.iter().map(|commit| engine(commit, "challenger"))).collect();
    layer.insert("entrant".to_owned(), Value::Array(engines));
    section(&mut layer, "run").entry("name").or_insert_with(|| format!("Bisection of {range}").into());
    let change = -flags.elo;
    let rules = [("elo0", change.min(0.0)), ("elo1", change.max(0.0)), ("alpha", 1.0 - flags.confidence)];
    section(&mut layer, "sprt").extend(
        rules.map(|(key, value)| (key.to_owned(), Value::from(value))).into_iter().collect::<Table>(),
    );
    intent::plan_of(Format::Bisect, layer, run, &registry)
}

/// The commits of the range that can be built and whose programs differ from the one before.
fn testable(good: &str, bad: &str, build: &str, paths: &[String]) -> Result<Vec<String>, Refusal> {
    let cache = source::cache_folder();
    let commits = source::commits_between(".", good, bad, paths).or_usage()?;
    let source = |revision: &str| Source {
        repo: ".".to_owned(),
        revision: revision.to_owned(),
        build: build.to_owned(),
    };
    let digest = |revision: &str| -> Result<String, BuildError> {
        let program = source::build(&source(revision), &cache, &mut inform)?.program;
        let read = File::open(&program).and_then(|mut file| sha256(&mut file));
        read.map_err(|error| BuildError::Cache { path: program, error })
    };
    let mut before = digest(good).or_usage()?;
    let (mut kept, mut same) = (Vec::new(), 0);
    for commit in commits {
        match digest(&commit) {
            Ok(found) if found == before => same += 1,
            Ok(found) => {
                before = found;
                kept.push(commit);
            }
            Err(
                error @ (BuildError::Failed { .. } | BuildError::NoProgram { .. } | BuildError::Bench { .. }),
            ) => {
                inform(&format!("Skipped: {error}"));
            }
            Err(error) => return Err(error).or_usage(),
        }
    }
    if same > 0 {
        inform(&format!("{} skipped: same program as the commit before", count(same, "commit")));
    }
    if kept.is_empty() {
        return Err(anyhow!("{good}..{bad}: no commit after {good} can be built and has another program"))
            .or_usage();
    }
    Ok(kept)
}
