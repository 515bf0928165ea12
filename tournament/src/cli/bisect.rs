//! `bisect`: finds the commit of a range that lost or gained Elo.

use std::fs::File;
use std::sync::mpsc::{Receiver, Sender};

use anyhow::{Context, anyhow};
use clap::Args;
use smalt_match::plan::{EngineSettings, Entrant, Format, Plan, Role, SkippedEntrant};
use smalt_match::run::{Event, UnbuiltEntrant, check_start};
use smalt_match::standings::hypothesis_name;
use smalt_match::store::Store;
use smalt_workbench::engine_files::sha256;
use smalt_workbench::source::{self, BuildError};
use toml::{Table, Value};

use super::exit::{Exit, OrRefuse, Refusal};
use super::intent::{self, section};
use super::output::inform;
use super::output_style::OutputStyle;
use super::own_program::{builder, own_program};
use super::play::{self, StartedRun};
use super::registry;
use super::resume::prepare_grown;
use super::run_flags::RunFlags;
use super::stored_run::{read_plan, refuse_store};
use smalt_report::format::count;

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
    builder().restore_entrant(&mut plan.entrants[0].engine).or_usage()?;
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
    let registry = registry::registry(run.engines.as_deref())?;
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

/// Builds a commit whose games are due, and prepares the session that plays them. A commit without a program that plays is skipped,
/// and so are those that have the same program as another.
pub(super) fn prepare_commit(
    mut store: Store,
    unbuilt: UnbuiltEntrant,
    allows_mixed: bool,
    (sender, events): &(Sender<Event>, Receiver<Event>),
) -> Result<StartedRun, Refusal> {
    let plan = read_plan(&store)?;
    let digests = store.own_binaries(plan.entrants.len()).map_err(refuse_store)?;
    let (built, skipped) = build_commit(&plan, unbuilt, &digests)?;
    // The stop request of an interrupted build is among them.
    let pending: Vec<Event> = events.try_iter().collect();
    let is_stopped = pending.iter().any(|event| matches!(event, Event::Stop(_) | Event::Kill));
    pending.into_iter().for_each(|event| drop(sender.send(event)));
    if !is_stopped {
        let mut settings = plan.settings;
        settings.entrants[unbuilt.entrant] = built;
        settings.run.skipped.extend(skipped);
        let plan = Plan::new(settings).or_failed()?;
        // With one program in all of them there is no change; without any there is no answer.
        let are_same = plan.settings.run.skipped.iter().all(|skipped| skipped.same);
        if commits_left(&plan).is_empty() && !are_same {
            return Err(nothing_left(&plan)).or_failed();
        }
        store.change_plan(&plan.settings.to_toml()).map_err(refuse_store)?;
    }
    prepare_grown(store, allows_mixed)
}

fn nothing_left(plan: &Plan) -> anyhow::Error {
    let good = &plan.entrants[in_order(plan)[0]].name;
    anyhow!("no commit after {good} can be built and has another program")
}

/// The commits that are not skipped.
fn commits_left(plan: &Plan) -> Vec<usize> {
    let is_skipped =
        |entrant: usize| plan.settings.run.skipped.iter().any(|skipped| skipped.entrant == entrant);
    in_order(plan)[1..].iter().copied().filter(|&entrant| !is_skipped(entrant)).collect()
}

/// The entrants of a bisection: the good commit, then the others, oldest first.
fn in_order(plan: &Plan) -> Vec<usize> {
    let mut order: Vec<usize> = (0..plan.entrants.len()).collect();
    order.sort_by_key(|&entrant| plan.entrants[entrant].role != Role::Opponent);
    order
}

/// Builds an entrant and starts it once; returns it, and the commits that need no games now. A build that a stop request has ended
/// leaves it unbuilt.
fn build_commit(
    plan: &Plan,
    unbuilt: UnbuiltEntrant,
    digests: &[Option<String>],
) -> Result<(EngineSettings, Vec<SkippedEntrant>), Refusal> {
    let UnbuiltEntrant { entrant, rounds, has_played } = unbuilt;
    let skip = |entrant: usize, same: bool| SkippedEntrant { entrant, rounds, same };
    let mut built = plan.entrants[entrant].clone();
    let name = &built.name;
    let words = match builder().restore_entrant(&mut built.engine) {
        Ok(()) => {
            built.program = built.engine.program().unwrap_or(built.program);
            match check_start(&built, plan, &own_program()?) {
                Ok(()) if has_played => return Ok((built.engine, Vec::new())),
                Ok(()) => {
                    let same = same_programs(plan, &built, entrant, digests).or_failed()?;
                    return Ok((built.engine, same.into_iter().map(|entrant| skip(entrant, true)).collect()));
                }
                Err(error) => format!("{name}: {error}"),
            }
        }
        Err(error @ BuildError::Interrupted { .. }) => {
            inform(&format!("Stopped: {error}"));
            return Ok((built.engine, Vec::new()));
        }
        Err(error) if is_of_commit(&error) => error.to_string(),
        Err(error) => return Err(error).or_failed(),
    };
    if has_played {
        return Err(anyhow!("the games of {name} continue with its program: {words}")).or_failed();
    }
    inform(&format!("Skipped: {words}"));
    let (order, left) = (in_order(plan), commits_left(plan));
    let is_skipped = |other: &&usize| **other == entrant || !left.contains(other);
    let tail: Vec<usize> = order[1..].iter().rev().take_while(is_skipped).copied().collect();
    if tail.contains(&entrant) {
        let first = tail.last().map_or(name, |&first| &plan.entrants[first].name);
        inform(&format!(
            "Warning: {first} and all later commits are skipped: the result does not cover them"
        ));
    }
    Ok((plan.settings.entrants[entrant].clone(), vec![skip(entrant, false)]))
}

/// Commits that are not the change, since a program has the same bytes before and after them. `digests` are those of the programs
/// that were built before.
fn same_programs(
    plan: &Plan,
    built: &Entrant,
    entrant: usize,
    digests: &[Option<String>],
) -> anyhow::Result<Vec<usize>> {
    let own = digest(&built.engine)?;
    let order = in_order(plan);
    let place = order.iter().position(|&other| other == entrant).unwrap_or_default();
    let mut same = Vec::new();
    for (other_place, &other) in order.iter().enumerate() {
        if other == entrant || digests[other].as_ref() != Some(&own) {
            continue;
        }
        let [earlier, later] = if other_place < place { [other_place, place] } else { [place, other_place] };
        let [first, last] = [earlier, later].map(|place| &plan.entrants[order[place]].name);
        inform(&format!("Skipped: {}: {last} has the program of {first}", count(later - earlier, "commit")));
        same.extend(&order[earlier + 1..=later]);
    }
    Ok(same)
}

/// SHA-256 of the program of an engine.
fn digest(engine: &EngineSettings) -> anyhow::Result<String> {
    let program = engine.cmd.as_deref().unwrap_or_default();
    let digest = File::open(program).and_then(|mut file| sha256(&mut file));
    digest.with_context(|| format!("read {program}"))
}

/// Whether the commit is at fault, not this machine.
fn is_of_commit(error: &BuildError) -> bool {
    matches!(error, BuildError::Failed { .. } | BuildError::NoProgram { .. } | BuildError::Bench { .. })
}
