//! `bisect`: finds the commit of a range that lost or gained Elo.

use std::fs::File;

use anyhow::{Context, anyhow};
use clap::Args;
use smalt_match::plan::{Format, Plan};
use smalt_match::run::{check_start, sha256};
use smalt_workbench::source::{self, BuildError, Source};
use toml::{Table, Value};

use super::arguments::RunFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{self, section};
use super::output::inform;
use super::play::{self, own_program};
use smalt_report::format::count;

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament bisect --git v1.4..main --elo 8 --build 'make EXE={exe}' --tc 8+0.08
  smalt-tournament bisect --git HEAD~40..HEAD --elo -5 --build 'make EXE={exe}' --nodes 20000 --path src

Every commit of the range, along first parents, is built and started before the first game. A commit is skipped if its build fails, \
if its bench differs from the Bench: line of its message, if its program does not start, or if the program has the same bytes as \
that of the commit before. The others play pairs of games against the good commit, each round the most informative one, until one \
commit has the wanted probability. If commits before it were skipped, any of them may be the one: it is then named as \
`one of X^..Y`. docs/sprt.md has an example, docs/statistics.md the method and its simulation.";

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
    if !(0.5 < flags.confidence && flags.confidence < 1.0) {
        let words =
            format!("--confidence {}: expected a probability above 0.5 and below 1", flags.confidence);
        return Err(anyhow!(words)).or_usage();
    }
    let registry = intent::registry(run.engines.as_deref())?;
    let mut layer = intent::layer_of_flags(run, &registry)?;
    let (good, bad) = intent::ends_of_range(range).or_usage()?;
    let tested = testable(good, bad, build, &flags.paths)?;
    let engines = [intent::revision(good, "opponent")].into_iter();
    let engines = engines
        .chain(tested.commits.iter().map(|commit| intent::revision(&commit.hash, "challenger")))
        .collect();
    layer.insert("entrant".to_owned(), Value::Array(engines));
    section(&mut layer, "run").entry("name").or_insert_with(|| format!("Bisection of {range}").into());
    let change = -flags.elo;
    let rules = [("elo0", change.min(0.0)), ("elo1", change.max(0.0)), ("alpha", 1.0 - flags.confidence)];
    section(&mut layer, "sprt").extend(
        rules.map(|(key, value)| (key.to_owned(), Value::from(value))).into_iter().collect::<Table>(),
    );
    with_started(intent::plan_of(Format::Bisect, layer, run, &registry)?, &tested)
}

/// The commits of a range that can be tested.
struct TestedRange {
    commits: Vec<TestedCommit>,
    /// The first of the commits that were skipped at the end of the range.
    skipped: Option<String>,
}

/// A commit of the range.
struct TestedCommit {
    hash: String,
    /// The first of the commits that were skipped directly before it.
    skipped: Option<String>,
}

/// The plan without the commits whose programs do not start. Where commits before a kept one were skipped, its name says that
/// they may be the change.
fn with_started(plan: Plan, range: &TestedRange) -> Result<Plan, Refusal> {
    let own_program = own_program()?;
    let start = |entrant| check_start(entrant, &plan, &own_program);
    let good = &plan.entrants[0];
    start(good).with_context(|| format!("start {}", good.name)).or_usage()?;
    let mut settings = plan.settings.clone();
    settings.entrants.truncate(1);
    let mut skipped: Option<&str> = None;
    for (index, candidate) in (1..).zip(&range.commits) {
        let (entrant, mut engine) = (&plan.entrants[index], plan.settings.entrants[index].clone());
        skipped = skipped.or(candidate.skipped.as_deref());
        if let Err(error) = start(entrant) {
            inform(&format!("Skipped: {}: {error}", entrant.name));
            skipped = skipped.or(Some(&candidate.hash));
            continue;
        }
        if let Some(first) = skipped.take() {
            engine.name = Some(format!("one of {}^..{}", &first[..8], entrant.name));
        }
        settings.entrants.push(engine);
    }
    if let Some(first) = skipped.or(range.skipped.as_deref()) {
        inform(&format!(
            "Warning: {} and all later commits are skipped: the result does not cover them",
            &first[..8]
        ));
    }
    if settings.entrants.len() == 1 {
        return Err(anyhow!("no program of the range starts")).or_usage();
    }
    Plan::new(settings).or_usage()
}

/// The commits of the range that can be built and whose programs differ from the one before.
fn testable(good: &str, bad: &str, build: &str, paths: &[String]) -> Result<TestedRange, Refusal> {
    let cache = source::cache_folder();
    let commits = source::commits_between(".", good, bad, paths).or_usage()?;
    let source = |revision: &str| Source {
        repo: ".".to_owned(),
        revision: revision.to_owned(),
        build: build.to_owned(),
        is_published: false,
    };
    let digest = |revision: &str| -> Result<String, BuildError> {
        let program = source::build(&source(revision), &cache, &mut inform)?.program;
        let read = File::open(&program).and_then(|mut file| sha256(&mut file));
        read.map_err(|error| BuildError::Cache { path: program, error })
    };
    let mut before = digest(good).or_usage()?;
    let (mut kept, mut same, mut skipped) = (Vec::new(), 0, None);
    for commit in commits {
        match digest(&commit) {
            // Commits that were skipped before it have left nothing behind.
            Ok(found) if found == before => (same, skipped) = (same + 1, None),
            Ok(found) => {
                before = found;
                kept.push(TestedCommit { hash: commit, skipped: skipped.take() });
            }
            Err(
                error @ (BuildError::Failed { .. } | BuildError::NoProgram { .. } | BuildError::Bench { .. }),
            ) => {
                inform(&format!("Skipped: {error}"));
                skipped.get_or_insert(commit);
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
    Ok(TestedRange { commits: kept, skipped })
}
