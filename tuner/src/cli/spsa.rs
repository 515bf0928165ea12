//! The command `spsa`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde_json::json;
use smalt_report::{Cell, Column, ColumnKind as CellKind, Sign, Table};

use smalt_driver::SetOptionError;
use smalt_workbench::entrant::BUILTIN;

use super::arguments::{SEARCH_CONSTANTS, SpsaFlags};
use super::{Exit, OrRefuse, Refusal, check_writable, interrupt, print_info, show};
use crate::games::{
    EngineError, EnginePair, Entrant, PlayError, check_options, locate, play, score_of, tournament_program,
};
use crate::parameter_file::ParameterFormat;
use crate::spsa::{ELO_PER_STEP, Forecast, MatchSettings, SpsaState, TunableParam};
use crate::weights::document::replace;

/// What is not typed.
const GAMES: u64 = 20_000;
const BATCH: u64 = 16;
const NODES: u64 = 10_000;
const SEED: u64 = 1;

/// Constants of the clock, which no game at fixed nodes tests.
const CLOCK: &str = "time_*";

pub(super) fn run(flags: &SpsaFlags) -> Result<Exit, Refusal> {
    if flags.checkpoint.is_file() && !flags.resume {
        let words = "exists already: give --resume to continue it, or another --checkpoint to begin anew";
        return Err(anyhow!("{}: {words}", flags.checkpoint.display())).or_usage();
    }
    check_writable([flags.json.as_ref(), flags.output.as_ref()], flags.force)?;
    check_writable([Some(&flags.checkpoint)], flags.resume)?;
    let (mut state, settings) = if flags.resume { resumed(flags)? } else { begun(flags)? };
    let tournament = flags.tournament.clone().unwrap_or_else(tournament_program);
    locate(&tournament)
        .context("the tournament program: build it (`cargo build --release`), or give --tournament PROGRAM")
        .or_usage()?;
    check_parameters(&tournament, &settings.engine, &state)?;
    keep(flags, &state)?;
    let stop = interrupt()?;
    while !state.is_done() {
        let folder = tempfile::tempdir().or_failed()?;
        let pair = pair(flags, &settings, &state, &tournament, folder.path());
        let store = folder.path().display().to_string();
        let mut last_line = String::new();
        let mut tell_of_play = |line: &str| {
            if !line.contains(&store) {
                line.clone_into(&mut last_line);
            }
        };
        let results = match play(&pair, &stop, &mut tell_of_play) {
            Err(PlayError::Interrupted) => {
                let at = flags.checkpoint.display();
                let error =
                    anyhow!("interrupted after {} rounds; --resume continues with {at}", state.rounds);
                return Err(Refusal { exit: Exit::Interrupted, error });
            }
            results => results.or_failed()?,
        };
        let games = score_of(&results, "first").filter(|games| games.iter().sum::<u64>() > 0);
        let Some(games) = games else {
            let words = if last_line.is_empty() { String::new() } else { format!(": {last_line}") };
            return Err(anyhow!("no game of round {} was finished{words}", state.rounds + 1)).or_failed();
        };
        state.learn(games);
        keep(flags, &state)?;
        let [wins, draws, losses] = games;
        let (played, all) = (2 * state.played, 2 * state.pairs);
        print_info(&format!("round {}: {wins} - {losses} - {draws}, game {played} of {all}", state.rounds));
    }
    let written = write_values(flags, &settings.parameters, &state)?;
    show(&page(&state, written.as_deref()), flags.json.as_deref(), || document(&state, written.as_deref()))?;
    Ok(Exit::Done)
}

fn keep(flags: &SpsaFlags, state: &SpsaState) -> Result<(), Refusal> {
    replace(&flags.checkpoint, &state.to_text())
        .with_context(|| flags.checkpoint.display().to_string())
        .or_failed()
}

/// A tuning at its beginning.
fn begun(flags: &SpsaFlags) -> Result<(SpsaState, MatchSettings), Refusal> {
    let engine = flags.engine.clone().ok_or_else(|| anyhow!("--engine is missing")).or_usage()?;
    let settings = MatchSettings {
        engine,
        parameters: flags.parameters.clone().unwrap_or_else(|| SEARCH_CONSTANTS.into()),
        tc: flags.tc.clone(),
        nodes: flags.tc.is_none().then(|| flags.nodes.unwrap_or(NODES)),
        openings: flags.openings.clone(),
        batch: flags.batch.unwrap_or(BATCH),
    };
    let pairs = flags.games.unwrap_or(GAMES).div_ceil(2);
    let mut parameters = chosen(flags, &settings)?;
    propose(flags.elo, &mut parameters, pairs);
    let mut state = SpsaState::new(parameters, pairs, flags.seed.unwrap_or(SEED));
    state.settings = Some(settings.clone());
    Ok((state, settings))
}

/// Sets the learning rate that suits the expected gain, where one is given, and says what the games buy.
fn propose(elo: Option<f64>, parameters: &mut [TunableParam], pairs: u64) {
    let count = parameters.len();
    let mean_rate = parameters.iter().map(|parameter| parameter.rate).sum::<f64>() / count as f64;
    let forecast = match elo {
        Some(elo) => Forecast::best(count, pairs, elo),
        None => Forecast::of(count, pairs, mean_rate, 0.0),
    };
    let gain = elo.map_or_else(String::new, |elo| {
        parameters.iter_mut().for_each(|parameter| parameter.rate = forecast.rate);
        format!("; {:.1} of {elo} Elo are gained in the mean", forecast.gain)
    });
    print_info(&format!(
        "{count} parameters, {} games, r_end {:.5}: if a step (c_end) costs {ELO_PER_STEP} Elo, noise leaves each parameter \
         within ±{:.2} steps of its place and costs {:.1} Elo in all{gain}",
        2 * pairs,
        forecast.rate,
        1.96 * forecast.deviation,
        forecast.noise,
    ));
    if elo.is_some() && forecast.gain <= 0.0 {
        print_info("Warning: noise outweighs the gain: play more games, or tune fewer parameters (--only)");
    }
}

/// The tuning in the checkpoint. Flags that say how games are played must say the same again.
fn resumed(flags: &SpsaFlags) -> Result<(SpsaState, MatchSettings), Refusal> {
    let shown = flags.checkpoint.display();
    let text = std::fs::read_to_string(&flags.checkpoint).with_context(|| shown.to_string()).or_usage()?;
    let mut state = SpsaState::parse(&text).with_context(|| shown.to_string()).or_usage()?;
    let Some(settings) = state.settings.clone() else {
        if flags.engine.is_none() {
            let words = "an earlier version wrote it, without engine, clock, openings and batch: give these flags again";
            return Err(anyhow!("{shown}: {words}")).or_usage();
        }
        let (_, settings) = begun(flags)?;
        check_selection(flags, &settings, &state)?;
        state.settings = Some(settings.clone());
        return Ok((state, settings));
    };
    let path = |path: &PathBuf| path.display().to_string();
    let number = |number: u64| number.to_string();
    let given = [
        ("--engine", flags.engine.clone(), Some(settings.engine.clone())),
        ("--parameters", flags.parameters.as_ref().map(path), Some(path(&settings.parameters))),
        ("--tc", flags.tc.clone(), settings.tc.clone()),
        ("--nodes", flags.nodes.map(number), settings.nodes.map(number)),
        ("--openings", flags.openings.as_ref().map(path), settings.openings.as_ref().map(path)),
        ("--batch", flags.batch.map(number), Some(number(settings.batch))),
        ("--games", flags.games.map(|games| number(2 * games.div_ceil(2))), Some(number(2 * state.pairs))),
        ("--seed", flags.seed.map(number), Some(number(state.seed))),
    ];
    for (flag, now, before) in given {
        if let Some(now) = now.filter(|now| Some(now) != before.as_ref()) {
            let before = before.unwrap_or_else(|| "not given".to_owned());
            return Err(anyhow!("{shown}: {flag} is {before} in it, and now {now}")).or_usage();
        }
    }
    check_selection(flags, &settings, &state)?;
    Ok((state, settings))
}

/// Refuses `--only` and `--freeze` that select other parameters than those of the checkpoint.
fn check_selection(flags: &SpsaFlags, settings: &MatchSettings, state: &SpsaState) -> Result<(), Refusal> {
    if flags.only.is_empty() && flags.freeze.is_empty() {
        return Ok(());
    }
    let names = |parameters: &[TunableParam]| {
        parameters.iter().map(|parameter| parameter.name.clone()).collect::<Vec<_>>().join(", ")
    };
    let (now, before) = (names(&chosen(flags, settings)?), names(&state.parameters));
    if now == before {
        return Ok(());
    }
    let shown = flags.checkpoint.display();
    Err(anyhow!("{shown}: {before} are tuned in it, and --only and --freeze select {now}")).or_usage()
}

/// Refuses parameters that the engine has not, or whose range it does not take, before the first game.
fn check_parameters(tournament: &Path, engine: &str, state: &SpsaState) -> Result<(), Refusal> {
    let ends = state
        .parameters
        .iter()
        .flat_map(|parameter| [(parameter, parameter.min), (parameter, parameter.max)]);
    let options = ends.map(|(parameter, value)| (parameter.name.as_str(), value.to_string()));
    check_options(tournament, engine, options)
        .with_context(|| format!("--engine {engine}"))
        .map_err(|error| match error.downcast_ref() {
            Some(EngineError::Option(SetOptionError::Unknown { .. })) if engine == BUILTIN => {
                error.context("Smalt has UCI options for its search parameters only if built with `cargo build --release -p smalt --features tune`")
            }
            _ => error,
        })
        .or_usage()
}

/// The parameters of the file that the flags leave free.
fn chosen(flags: &SpsaFlags, settings: &MatchSettings) -> Result<Vec<TunableParam>, Refusal> {
    let shown = settings.parameters.display();
    let text = std::fs::read_to_string(&settings.parameters).with_context(|| shown.to_string()).or_usage()?;
    let format = ParameterFormat::of(&settings.parameters);
    let parameters = format.parse(&text).with_context(|| shown.to_string()).or_usage()?;
    for pattern in flags.only.iter().chain(&flags.freeze) {
        if !parameters.iter().any(|parameter| matches(pattern, &parameter.name)) {
            return Err(anyhow!("{pattern:?}: {shown} has no such name")).or_usage();
        }
    }
    let is_clock_idle = settings.tc.is_none();
    let is_free = |parameter: &TunableParam| {
        (flags.only.is_empty() || flags.only.iter().any(|pattern| matches(pattern, &parameter.name)))
            && !flags.freeze.iter().any(|pattern| matches(pattern, &parameter.name))
            && !(is_clock_idle && format == ParameterFormat::Constants && matches(CLOCK, &parameter.name))
    };
    let free: Vec<TunableParam> = parameters.into_iter().filter(is_free).collect();
    if free.is_empty() { Err(anyhow!("{shown}: no parameter is left to tune")).or_usage() } else { Ok(free) }
}

/// Whether the name is the pattern, or begins as it does before its `*`.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}

fn pair(
    flags: &SpsaFlags,
    settings: &MatchSettings,
    state: &SpsaState,
    tournament: &Path,
    folder: &Path,
) -> EnginePair {
    let options = |values: &[f64]| {
        let parameters = state.parameters.iter().zip(values);
        parameters.map(|(parameter, value)| (parameter.name.clone(), value.to_string())).collect()
    };
    let [first, second] = state.sides();
    let store = folder.join("games.db");
    let left = 2 * (state.pairs - state.played);
    let mut all: Vec<OsString> = vec!["--quiet".into()];
    let mut add = |name: &str, value: Option<OsString>| {
        if let Some(value) = value {
            all.extend([name.into(), value]);
        }
    };
    add("--tc", settings.tc.as_ref().map(OsString::from));
    add("--nodes", settings.nodes.map(|nodes| nodes.to_string().into()));
    add("--games", Some(settings.batch.next_multiple_of(2).min(left).to_string().into()));
    add("--concurrency", flags.concurrency.map(|count| count.to_string().into()));
    add("--openings", settings.openings.as_ref().map(OsString::from));
    add("--seed", Some(state.seed.wrapping_add(state.rounds).to_string().into()));
    add("--store", Some(store.into_os_string()));
    EnginePair {
        tournament: tournament.to_owned(),
        command: "match",
        entrants: [("first", &first), ("second", &second)].map(|(name, values)| Entrant {
            name,
            engine: settings.engine.clone(),
            options: options(values),
        }),
        flags: all,
        json: folder.join("results.json"),
    }
}

/// Puts the values where they were asked for: the file's own text with other numbers.
fn write_values(
    flags: &SpsaFlags,
    parameters: &PathBuf,
    state: &SpsaState,
) -> Result<Option<PathBuf>, Refusal> {
    let target = if flags.write { Some(parameters) } else { flags.output.as_ref() };
    let Some(target) = target else { return Ok(None) };
    let shown = parameters.display();
    let old = std::fs::read_to_string(parameters).with_context(|| shown.to_string()).or_failed()?;
    let text = ParameterFormat::of(parameters).rewritten(&old, &state.parameters, &state.rounded());
    let text = text.with_context(|| shown.to_string()).or_failed()?;
    replace(target, &text).with_context(|| target.display().to_string()).or_failed()?;
    Ok(Some(target.clone()))
}

fn document(state: &SpsaState, written: Option<&Path>) -> serde_json::Value {
    let parameters = state.parameters.iter().zip(state.rounded());
    let parameters: Vec<_> = parameters
        .map(|(parameter, value)| json!({"name": parameter.name, "before": parameter.start, "after": value}))
        .collect();
    let [wins, draws, losses] = state.games;
    json!({
        "games": wins + draws + losses, "rounds": state.rounds, "seed": state.seed, "knobs": parameters,
        "written": written,
    })
}

fn page(state: &SpsaState, written: Option<&Path>) -> String {
    let mut table = Table::new([
        Column::new("parameter", CellKind::Text),
        Column::new("before", CellKind::Number(3, Sign::Negative)),
        Column::new("after", CellKind::Number(3, Sign::Negative)),
        Column::new("in steps", CellKind::Number(2, Sign::Both)),
    ]);
    for (parameter, after) in state.parameters.iter().zip(state.rounded()) {
        let steps = (after - parameter.start) / parameter.step;
        let numbers = [parameter.start, after, steps].map(Cell::from);
        table.push(std::iter::once(Cell::from(parameter.name.as_str())).chain(numbers));
    }
    let [wins, draws, losses] = state.games;
    let mut page = table.to_text();
    page.push_str(&format!("{} games in {} rounds\n", wins + draws + losses, state.rounds));
    page.push_str(&match written {
        Some(path) => {
            format!("written to {}; test it against the old values before you keep it\n", path.display())
        }
        None => "not written: give --write or --output FILE\n".to_owned(),
    });
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_end_of_a_name() {
        assert!(matches("time_*", "time_share") && matches("a", "a") && !matches("a", "ab"));
    }
}
