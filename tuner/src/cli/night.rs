//! The command `night`: the loop that runs the steps of a night until its end, and writes the report after each.
//! `crate::night` keeps the state, `steps` runs the programs.

mod steps;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, anyhow};
use smalt_report::format::{duration, grouped};
use smalt_workbench::calendar::next_time_of_day;
use smalt_workbench::concurrency::spare_cores;
use smalt_workbench::program::own_program;
use smalt_workbench::standard_output::{is_standard_output, print};

use super::json::{AcceptedJson, NightJson};
use super::night_settings::{NightFlags, NightSettings, SessionFlags};
use super::{Exit, OrRefuse, Outputs, Refusal, interrupt, print_info, show};
use crate::games::check_options;
use crate::night::{
    AcceptedVersion, LOCK, NightFile, REFRESH, Report, Step, StepKind, StepResult, UnfinishedStep, next_step,
    proof_words, rescore_words,
};
use crate::progress::Progress;
use crate::prove::Verdict;
use steps::{Runner, check, put};

/// File of the state.
const STATE: &str = "night.db";

/// The time of a step is stored this often, for a night that is killed.
const KEEP_TIME: Duration = Duration::from_secs(5);

/// Interval at which the end of the night is looked for.
const CLOCK_POLL: Duration = Duration::from_secs(1);

/// Assumptions of the forecast: plies of a game, and nodes per second of a core.
const PLIES: f64 = 130.0;
const SPEED: f64 = 1e6;

pub(super) fn run(flags: &NightFlags) -> Result<Exit, Refusal> {
    let session = &flags.session;
    let until = session.until.as_deref().map(end_of).transpose()?;
    let outputs = Outputs::check([session.result.json.as_ref()], [], session.result.force)?;
    let tournament = session.runner.program()?;
    let folder = std::path::absolute(&flags.folder).or_usage()?;
    let state = folder.join(STATE);
    let is_new = !state.exists();
    let has_files = || -> std::io::Result<bool> {
        let lock = Path::new(STATE).with_extension(LOCK);
        Ok(folder.is_dir() && folder.read_dir()?.flatten().any(|entry| entry.file_name() != lock.as_os_str()))
    };
    if is_new && has_files().or_usage()? {
        return Err(anyhow!("{}: it has files, but no {STATE}: name a new folder", folder.display()))
            .or_usage();
    }
    let begun = |settings: &NightSettings| -> NightSettings {
        let plays =
            |engine: &str| check_options(&tournament, engine, [("UCI_Chess960", "true".to_owned())]).is_ok();
        let standing = || Some(super::PARAMETERS.into()).filter(|path: &PathBuf| path.is_file());
        let mut settings = settings.clone();
        if settings.source.is_none() && settings.parameters.is_none() {
            settings.parameters = standing();
        }
        settings.filled(plays)
    };
    if is_new && session.dry_run {
        let settings = begun(&flags.settings);
        check(&settings)?;
        let (generation, kind) = next_step(&[], settings.optional_steps());
        let first = UnfinishedStep { generation, kind, time: Duration::ZERO, games: None };
        print(&plan(&settings, session, &[], &first, until))?;
        return Ok(Exit::Done);
    }
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string()).or_usage()?;
    let file = NightFile::open(&state).or_usage()?;
    let stored = file.settings().or_failed()?;
    let settings = match &stored {
        Some(stored) => NightSettings::resumed(stored, &flags.settings)?,
        None => begun(&flags.settings),
    };
    if stored.is_none() {
        check(&settings)?;
    }
    let (own_program, stop) = (own_program()?, interrupt()?);
    let runner = Runner { folder, settings, session, tournament, own_program, stop };
    if !is_standard_output_taken(session) {
        let steps = file.steps().or_failed()?;
        let next = unfinished_step(&runner, &file, &steps)?;
        print(&plan(&runner.settings, session, &steps, &next, until))?;
    }
    if session.dry_run {
        return Ok(Exit::Done);
    }
    if stored.is_none() {
        runner.prepare()?;
        file.begin(&runner.settings.to_json()).or_failed()?;
    }
    let is_over = end_at(until, &runner.stop);
    let exit = run_steps(&runner, &file, &is_over);
    let steps = file.steps().or_failed()?;
    let report = report(&runner, &file, &steps, false)?;
    write_report(&runner, &report)?;
    let exit = exit?;
    show(&closing(&runner, &report), session.result.json.as_deref(), &outputs, || document(&report))?;
    Ok(exit)
}

fn is_standard_output_taken(session: &SessionFlags) -> bool {
    session.result.json.as_deref().is_some_and(is_standard_output)
}

/// Runs steps until the night is over.
fn run_steps(runner: &Runner<'_>, file: &NightFile, is_over: &AtomicBool) -> Result<Exit, Refusal> {
    loop {
        let steps = file.steps().or_failed()?;
        runner.publish(&steps)?;
        let (generation, kind) = next_step(&steps, runner.settings.optional_steps());
        if runner.session.generations.is_some_and(|generations| generation > generations) {
            return Ok(Exit::Done);
        }
        file.begin_step(generation, kind).or_failed()?;
        let progress = Progress::spinner("night");
        let show_progress = || {
            let report = report(runner, file, &steps, true)?;
            progress.set_message(report.next.words());
            write_report(runner, &report)
        };
        show_progress()?;
        let (mut kept, mut shown) = (Instant::now(), Instant::now());
        let mut on_poll = || {
            // The next write of the state or the report says why one failed.
            if kept.elapsed() > KEEP_TIME {
                let _ = file.add_time(generation, kind, kept.elapsed());
                kept = Instant::now();
            }
            if shown.elapsed() > REFRESH {
                let _ = show_progress();
                shown = Instant::now();
            }
        };
        let result = runner.run(&steps, generation, kind, &mut on_poll);
        progress.finish();
        file.add_time(generation, kind, kept.elapsed()).or_failed()?;
        match result {
            Ok(result) => {
                file.finish_step(generation, &result).or_failed()?;
                let time = file.steps().or_failed()?.last().map_or(Duration::ZERO, |step| step.time);
                let line = format!("generation {generation:<4} {}", line_of(&result, time));
                if is_standard_output_taken(runner.session) {
                    print_info(&line)
                } else {
                    print(&(line + "\n"))?
                }
            }
            Err(_) if is_over.load(Ordering::Relaxed) => return Ok(Exit::Done),
            Err(refusal) if runner.stop.load(Ordering::Relaxed) => {
                drop(refusal);
                return Ok(Exit::Interrupted);
            }
            Err(refusal) => {
                let error = refusal.error.context(format!(
                    "generation {generation}, {}; the same command tries it again",
                    kind.name()
                ));
                return Err(Refusal { error, ..refusal });
            }
        }
        if runner.stop.load(Ordering::Relaxed) {
            return Ok(if is_over.load(Ordering::Relaxed) { Exit::Done } else { Exit::Interrupted });
        }
    }
}

/// The line of a finished step, with the time of all sessions.
fn line_of(result: &StepResult, time: Duration) -> String {
    let words = match result {
        StepResult::Games { games, .. } => format!("{} games", grouped(*games as i64)),
        StepResult::Positions { positions, .. } => format!("{} positions", grouped(*positions as i64)),
        StepResult::Rescore { records, unscored, errors, .. } => {
            let errors = errors.map_or_else(String::new, |errors| format!(", {}", rescore_words(errors)));
            format!("{} records, {unscored} not scored{errors}", grouped(*records as i64))
        }
        StepResult::Fit { change, positions, validation_error: [before, after], .. } => {
            let change = change.reason().map_or_else(String::new, |reason| format!("; {reason}"));
            let positions = grouped(*positions as i64);
            format!("{positions} positions, validation error {before:.6} → {after:.6}{change}")
        }
        StepResult::Proof { proof, .. } | StepResult::SpsaProof { proof, .. } => proof_words(proof),
        StepResult::Spsa { games, parameters, .. } => {
            format!("{} games, {} parameters changed", grouped(*games as i64), parameters.len())
        }
    };
    format!("{:<11} {words}, {}", result.kind().name(), duration(time))
}

/// The end of the night: a time of day, or a duration.
fn end_of(text: &str) -> Result<SystemTime, Refusal> {
    let hours = |text: &str| -> Option<f64> {
        let (number, factor) = match text.strip_suffix('h') {
            Some(number) => (number, 1.0),
            None => (text.strip_suffix('m')?, 1.0 / 60.0),
        };
        let hours = number.parse().ok().map(|number: f64| number * factor);
        hours.filter(|hours| *hours > 0.0 && *hours < 10_000.0)
    };
    let after = |hours: f64| SystemTime::now() + Duration::from_secs_f64(hours * 3600.0);
    next_time_of_day(text)
        .or_else(|| hours(text).map(after))
        .ok_or_else(|| {
            anyhow!("--until {text}: expected a time of day like 07:00, or a duration like 8h or 90m")
        })
        .or_usage()
}

/// Sets `stop` at the end of the night, after the flag that is returned.
fn end_at(until: Option<SystemTime>, stop: &Arc<AtomicBool>) -> Arc<AtomicBool> {
    let is_over = Arc::new(AtomicBool::new(false));
    let Some(until) = until else { return is_over };
    let (over, stop) = (Arc::clone(&is_over), Arc::clone(stop));
    // The clock is read again and again, since the machine may sleep.
    std::thread::spawn(move || {
        while let Ok(left) = until.duration_since(SystemTime::now()) {
            std::thread::sleep(left.min(CLOCK_POLL));
        }
        over.store(true, Ordering::Relaxed);
        stop.store(true, Ordering::Relaxed);
    });
    is_over
}

/// The numbers of the current version for the user: a copy of a file of a generation.
fn current_file(folder: &Path, file: &Path) -> PathBuf {
    folder.join("current").join(file.file_name().unwrap_or_default())
}

/// Keys in the origin of an accepted table beside those of its fit: its newest games and its proof.
fn origin(steps: &[Step], generation: u32) -> Vec<(&'static str, String)> {
    let of = steps.iter().filter(|step| step.generation == generation);
    let key = |step: &Step| match &step.result {
        StepResult::Games { games, command, .. } => {
            Some(("games", format!("{games} of generation {generation}; {command}")))
        }
        StepResult::Rescore { command, .. } => Some(("rescore", command.clone())),
        StepResult::Proof { proof, command } => Some(("proof", format!("{}; {command}", proof_words(proof)))),
        _ => None,
    };
    of.filter_map(key).collect()
}

/// The step after the finished ones, as far as it has come.
fn unfinished_step(runner: &Runner<'_>, file: &NightFile, steps: &[Step]) -> Result<UnfinishedStep, Refusal> {
    let (generation, kind) = next_step(steps, runner.settings.optional_steps());
    let time = file.time_of(generation, kind).or_failed()?;
    Ok(UnfinishedStep { generation, kind, time, games: runner.games_of(generation, kind) })
}

/// The report of a night.
fn report<'a>(
    runner: &'a Runner<'_>,
    file: &NightFile,
    steps: &'a [Step],
    is_running: bool,
) -> Result<Report<'a>, Refusal> {
    let mut versions = Vec::new();
    let mut before = 0;
    for step in steps {
        let is_accepted = step.result.proof().is_some_and(|proof| proof.verdict == Verdict::Better);
        let (generation, kind) = (step.generation, step.result.kind());
        if !is_accepted {
            continue;
        }
        let file = match kind {
            StepKind::Proof => Some(runner.evaluation_file(generation)),
            _ => runner.search_file(generation),
        };
        let mut changes = None;
        if kind == StepKind::Proof {
            changes = Some(runner.changes(before, generation)?);
            before = generation;
        }
        versions.extend(file.map(|file| AcceptedVersion { generation, kind, file, changes }));
    }
    let next = unfinished_step(runner, file, steps)?;
    Ok(Report { settings: runner.settings.to_json(), steps, next, is_running, versions })
}

fn write_report(runner: &Runner<'_>, report: &Report<'_>) -> Result<(), Refusal> {
    put(&runner.folder.join("report.md"), &report.to_markdown())?;
    put(&runner.folder.join("report.html"), &report.to_html())
}

/// The last lines of a session.
fn closing(runner: &Runner<'_>, report: &Report<'_>) -> String {
    let files = [Some(runner.evaluation_file(0)), runner.search_file(0)];
    let files =
        files.into_iter().flatten().map(|file| current_file(&runner.folder, &file).display().to_string());
    let continues = match runner.session.generations {
        Some(generations) if report.next.generation > generations => "a larger --generations",
        _ => "the same command",
    };
    format!(
        "{}\ncurrent version: {}\nreport: {}\n{continues} continues with {}\n",
        report.summary().join("\n"),
        files.collect::<Vec<_>>().join(", "),
        runner.folder.join("report.html").display(),
        report.next.words(),
    )
}

fn document<'a>(report: &'a Report<'_>) -> NightJson<'a> {
    let accepted = report.versions.iter().map(|version| AcceptedJson {
        generation: version.generation,
        proof: version.kind,
        file: &version.file,
    });
    let (elo, elo_error) = report.gain();
    NightJson {
        settings: &report.settings,
        steps: report.steps,
        accepted: accepted.collect(),
        elo,
        elo_error,
        games: report.games(&StepKind::WITH_GAMES),
        seconds: report.time().as_secs_f64(),
    }
}

/// What the night will do, and how long each step takes at most: as in its last generation, else by a rough forecast.
fn plan(
    settings: &NightSettings,
    session: &SessionFlags,
    steps: &[Step],
    next: &UnfinishedStep,
    until: Option<SystemTime>,
) -> String {
    let concurrency = session.runner.concurrency.unwrap_or_else(spare_cores);
    let hours = |kind: StepKind, games: Option<u64>, nodes: Option<u64>| {
        if let Some(last) = steps.iter().rev().find(|step| step.result.kind() == kind) {
            return format!("; the last took {}", duration(last.time));
        }
        let (Some(games), Some(nodes), None) = (games, nodes, &session.nats) else { return String::new() };
        let seconds = games as f64 * PLIES * nodes as f64 / SPEED / concurrency as f64;
        let (time, speed) = (duration(Duration::from_secs_f64(seconds)), SPEED / 1e6);
        format!("; about {time} with concurrency {concurrency} at {speed} M nodes/s")
    };
    let count = |number: Option<u64>| grouped(number.unwrap_or_default() as i64);
    let limit =
        settings.tc.clone().unwrap_or_else(|| format!("{} nodes a move", count(settings.proof_nodes)));
    let nodes = settings.proof_nodes.filter(|_| settings.tc.is_none());
    let numbers = match (&settings.source, &settings.parameters) {
        (Some(source), _) => source.display().to_string(),
        (None, Some(table)) => table.display().to_string(),
        (None, None) => "the built-in table".to_owned(),
    };
    let mut lines = vec![
        ("engine", format!("{}, {numbers}", settings.engine.as_deref().unwrap_or_default())),
        (
            "games",
            format!(
                "{} a generation, {} nodes a move, {:.0} % of Chess960, seed {}{}",
                count(settings.games),
                count(settings.nodes),
                100.0 * settings.chess960_share.unwrap_or_default(),
                settings.seed.unwrap_or_default(),
                hours(StepKind::Games, settings.games, settings.nodes),
            ),
        ),
        (
            "fit",
            format!(
                "at most {} positions a game, of the newest {} generations{}; lambda {}",
                count(settings.positions),
                settings.keep.unwrap_or_default(),
                settings.data.iter().map(|data| format!(" and {data}")).collect::<String>(),
                settings.lambda.unwrap_or_default(),
            ),
        ),
        ("rescore", settings.rescore.clone().unwrap_or_else(|| "none (--rescore FLAGS)".to_owned())),
        (
            "proof",
            format!(
                "SPRT [{}, {}], {limit}, at most {} games{}",
                settings.elo0.unwrap_or_default(),
                settings.elo1.unwrap_or_default(),
                count(settings.proof_games),
                hours(StepKind::Proof, settings.proof_games, nodes),
            ),
        ),
    ];
    lines.push((
        "spsa",
        settings.spsa.as_ref().map_or_else(
            || "none (--spsa FILE)".to_owned(),
            |file| {
                let time = hours(StepKind::Spsa, settings.spsa_games, nodes);
                format!(
                    "{}, {limit}, {} games, then a proof{time}",
                    file.display(),
                    count(settings.spsa_games)
                )
            },
        ),
    ));
    let end =
        match (until.and_then(|until| until.duration_since(SystemTime::now()).ok()), session.generations) {
            (Some(left), Some(generations)) => {
                format!("in {}, or after {generations} generations", duration(left))
            }
            (Some(left), None) => format!("in {}", duration(left)),
            (None, Some(generations)) => format!("after generation {generations}"),
            (None, None) => "by Ctrl-C".to_owned(),
        };
    lines.push(("next", format!("{}; ends {end}", next.words())));
    lines.into_iter().map(|(name, words)| format!("{name:<8} {words}\n")).collect()
}
