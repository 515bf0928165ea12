//! `bisect`: finds the commit of a range that lost or gained Elo.

use anyhow::{Context, anyhow};
use clap::Args;
use smalt_match::plan::{EngineSettings, Format, Plan};
use smalt_match::run::{UnbuiltEntrant, check_start};
use smalt_match::standings::hypothesis_name;
use smalt_workbench::program::own_program;
use smalt_workbench::source::{self, Builder};
use toml::{Table, Value};

use super::bisect_commits::{build_commit, commits_left, digest, nothing_left};
use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{self, section};
use super::output_style::OutputStyle;
use super::run_flags::RunFlags;
use super::{play, registry};

pub(super) const EXAMPLES: &str = "\
Examples:
  smalt-tournament bisect --git v1.4..main --elo 8 --build 'make EXE={exe}' --tc 8+0.08
  smalt-tournament bisect --git HEAD~40..HEAD --elo -5 --build 'make EXE={exe}' --nodes 20000 --path src

The commits of the range, along first parents, play pairs of games against the good commit, each round the most informative one, until \
one has the wanted probability. A commit is built when its first game is due (with --nats and --ssh all are built before). It is skipped \
if its build fails, if its bench differs from the Bench: line of its message, or if its program does not start: then it or the next \
commit may be the one, which is named as `one of X^..Y`. If two commits have programs with the same bytes, the later one and those \
between them are not the one. docs/sprt.md has an example, docs/statistics.md the method and its simulation.";

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
    /// Only commits that change files in this folder, e.g. src; may be repeated [default: all]
    #[arg(id = "paths", long = "path", value_name = "PATH", help_heading = "Bisection")]
    paths: Vec<String>,
    /// Settings of the run; `--git GOOD..BAD` names the range.
    #[command(flatten)]
    pub(super) run: RunFlags,
}

/// Plays until a commit is found.
pub(super) fn bisect(flags: &BisectFlags) -> Result<Exit, Refusal> {
    let mut plan = plan(flags)?;
    Builder::default().restore_entrant(&mut plan.entrants[0].engine).or_usage()?;
    let good = &plan.entrants[0];
    check_start(good, &plan, &own_program()?).with_context(|| format!("start {}", good.name)).or_usage()?;
    let plan = if plan.fleet().is_some() { with_built(plan)? } else { plan };
    play::play(plan, OutputStyle::native(flags.run.quiet))
}

/// The plan of a bisection, whose commits are not built yet.
pub(super) fn plan(flags: &BisectFlags) -> Result<Plan, Refusal> {
    let run = &flags.run;
    let (range, _) = run
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
    let registry = registry::registry(run.engines.path.as_deref())?;
    let mut layer = intent::layer_of_flags(run, &registry)?;
    let (good, bad) = intent::ends_of_range(range).or_usage()?;
    let commits = source::commits_between(".", good, bad, &flags.paths).or_usage()?;
    if commits.is_empty() {
        let place = if flags.paths.is_empty() { "" } else { " that changes files of --path" };
        return Err(anyhow!("{range}: no commit after {good}{place}")).or_usage();
    }
    let engines = [intent::revision(good, "opponent")].into_iter();
    let engines = engines.chain(commits.iter().map(|hash| intent::revision(hash, "challenger"))).collect();
    layer.insert("entrant".to_owned(), Value::Array(engines));
    section(&mut layer, "run").entry("name").or_insert_with(|| format!("Bisection of {range}").into());
    let change = -flags.elo;
    let rules = [("elo0", change.min(0.0)), ("elo1", change.max(0.0)), ("alpha", 1.0 - flags.confidence)];
    section(&mut layer, "sprt").extend(
        rules.map(|(key, value)| (key.to_owned(), Value::from(value))).into_iter().collect::<Table>(),
    );
    intent::plan_of(Format::Bisect, layer, run, &registry)
}

/// The plan for other machines, whose workers build all its commits: all are built here first, and the plan omits those
/// that are skipped. The name of a commit behind unplayable ones says that they may be the change.
fn with_built(mut plan: Plan) -> Result<Plan, Refusal> {
    let mut digests = vec![None; plan.entrants.len()];
    digests[0] = Some(digest(&plan.entrants[0].engine).or_failed()?);
    for entrant in 1..plan.entrants.len() {
        let unbuilt = UnbuiltEntrant { entrant, rounds: 0, has_played: false };
        let (built, skipped) = build_commit(&plan, unbuilt, &digests)?;
        if skipped.iter().all(|skipped| skipped.same) {
            digests[entrant] = Some(digest(&built).or_failed()?);
        }
        plan.settings.run.skipped.extend(skipped);
    }
    let plan = Plan::new(plan.settings).or_usage()?;
    let bisection = plan.bisection.as_ref().context("this is not a bisection").or_failed()?;
    let mut settings = plan.settings.clone();
    settings.run.skipped.clear();
    settings.entrants.truncate(1);
    for entrant in commits_left(&plan) {
        let first = 1 + bisection.first_of_hypothesis(entrant - 1);
        let name = hypothesis_name(&plan.entrants[first].name, &plan.entrants[entrant].name);
        settings
            .entrants
            .push(EngineSettings { name: Some(name), ..plan.settings.entrants[entrant].clone() });
    }
    if settings.entrants.len() == 1 {
        return Err(nothing_left(&plan)).or_usage();
    }
    Plan::new(settings).or_usage()
}
