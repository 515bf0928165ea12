//! Tuning by games from the command line: what the commands `spsa` and `clop` share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow};
use smalt_driver::SetOptionError;
use smalt_workbench::engine_files::EngineFiles;
use smalt_workbench::entrant::BUILTIN;
use smalt_workbench::output_file::{Existing, Output};

use super::arguments::{SEARCH_CONSTANTS, TuningFlags};
use super::game_flags::check_openings;
use super::target::{Replacement, put_into};
use super::{Exit, OrRefuse, Outputs, Refusal, interrupt, print_info, read_text, warn_of_moved_checkpoint};
use crate::games::{
    Arguments, EngineError, EnginePair, Entrant, PlayError, TEMPORARY_STORE, check_options, engine_files,
    play, score_of,
};
use crate::parameter_file::ParameterFormat;
use crate::tuning::{MatchSettings, TunableParam, Tuning, TuningRun};

/// What is not typed.
const GAMES: u64 = 20_000;
const BATCH: u64 = 16;

/// Constants of the clock, which no game at fixed nodes tests.
const CLOCK: &str = "time_*";

/// A tuning that is played: its state and what plays it.
pub(super) struct TuningSession<'a, T> {
    flags: &'a TuningFlags,
    checkpoint: Output,
    /// The parameter file before the games, if it will be rewritten or copied.
    parameters: Option<String>,
    files: EngineFiles,
    pub outputs: Outputs,
    pub state: T,
    pub settings: MatchSettings,
    pub tournament: PathBuf,
    pub stop: Arc<AtomicBool>,
}

impl<'a, T: Tuning> TuningSession<'a, T> {
    /// Begins or resumes the tuning and checks all that can be wrong before the first game.
    pub(super) fn open(
        flags: &'a TuningFlags,
        checkpoint: &str,
        begin: impl FnOnce(Vec<TunableParam>, u64, u64) -> Result<T, Refusal>,
    ) -> Result<TuningSession<'a, T>, Refusal> {
        let checkpoint = flags.checkpoint.clone().unwrap_or_else(|| checkpoint.into());
        if checkpoint.is_file() && !flags.resume {
            let words = "exists already: give --resume to continue it, or another --checkpoint to begin anew";
            return Err(anyhow!("{}: {words}", checkpoint.display())).or_usage();
        }
        let files = [flags.result.json.as_ref(), flags.output.as_ref()];
        let outputs = Outputs::check(files, [checkpoint.as_path()], flags.result.force)?;
        let checkpoint = Output::check(&checkpoint, Existing::with_force(flags.resume)).or_usage()?;
        let (mut state, settings) =
            if flags.resume { resumed(flags, checkpoint.path())? } else { begun(flags, begin)? };
        check_openings(settings.openings.as_deref())?;
        let tournament = flags.game.runner.program()?;
        check_parameters(&tournament, &settings.engine, state.run())?;
        let files = engine_files(&tournament, &settings.engine)
            .with_context(|| format!("--engine {}", settings.engine))
            .or_usage()?;
        let before = state.run_mut().program.replace(files.digest());
        if !flags.allow_mixed && before.is_some_and(|before| before != files.digest()) {
            let paths: Vec<String> = files.paths().map(|path| path.display().to_string()).collect();
            return Err(changed_engine(&paths.join(" or "))).or_usage();
        }
        let is_written = flags.write || flags.output.is_some();
        let parameters = is_written.then(|| read_text(&settings.parameters)).transpose()?;
        let stop = interrupt()?;
        let mut session = TuningSession {
            flags,
            checkpoint,
            parameters,
            files,
            outputs,
            state,
            settings,
            tournament,
            stop,
        };
        // A new tuning is kept after its first round or when it is stopped: a command that fails before leaves nothing behind.
        if flags.resume {
            session.keep()?;
        }
        Ok(session)
    }

    /// Plays all rounds that are left; `after_round` comes after each of them.
    pub(super) fn play(
        &mut self,
        mut after_round: impl FnMut(&mut TuningSession<'a, T>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        while !self.state.run().is_done() {
            let games = match self.play_round() {
                Err(refusal) if refusal.exit == Exit::Interrupted => {
                    self.keep()?;
                    return Err(refusal);
                }
                round => round?,
            };
            self.state.learn(games);
            self.keep()?;
            let ([wins, draws, losses], run) = (games, self.state.run());
            let (played, all, rounds) = (2 * run.played, 2 * run.pairs, run.rounds);
            print_info(&format!("round {rounds}: {wins} - {losses} - {draws}, game {played} of {all}"));
            after_round(self)?;
        }
        Ok(())
    }

    fn play_round(&self) -> Result<[u64; 3], Refusal> {
        if let Some(path) = self.files.changed().filter(|_| !self.flags.allow_mixed) {
            return Err(changed_engine(&path.display().to_string())).or_failed();
        }
        let folder = tempfile::tempdir().or_failed()?;
        let mut last_line = String::new();
        let mut on_line = |line: &str| line.clone_into(&mut last_line);
        let run = self.state.run();
        let [first, second] = self.state.sides();
        let left = 2 * (run.pairs - run.played);
        let mut arguments = self.arguments("match", run.seed.wrapping_add(run.rounds), folder.path());
        arguments.set_number("--games", Some(self.settings.batch.next_multiple_of(2).min(left)));
        let pair = EnginePair {
            tournament: self.tournament.clone(),
            arguments,
            entrants: [("first", &first), ("second", &second)].map(|(name, values)| Entrant {
                name,
                engine: self.settings.engine.clone(),
                options: self.options(values),
            }),
            json: folder.path().join("results.json"),
        };
        let results = play(&pair, &self.stop, &mut on_line).map_err(|error| self.refusal(error))?;
        let games = score_of(&results, "first").filter(|games| games.iter().sum::<u64>() > 0);
        games
            .ok_or_else(|| {
                let words = if last_line.is_empty() { String::new() } else { format!(": {last_line}") };
                anyhow!("no game of round {} was finished{words}", run.rounds + 1)
            })
            .or_failed()
    }

    /// What an interrupted or failed match means for the tuning.
    pub(super) fn refusal(&self, error: PlayError) -> Refusal {
        let PlayError::Interrupted = error else {
            return Refusal { exit: Exit::Failed, error: error.into() };
        };
        let (rounds, at) = (self.state.run().rounds, self.checkpoint.path().display());
        let error = anyhow!("interrupted after {rounds} rounds; --resume continues with {at}");
        Refusal { exit: Exit::Interrupted, error }
    }

    /// Names and values of options.
    pub(super) fn options(&self, values: &[f64]) -> Vec<(String, String)> {
        let parameters = self.state.run().parameters.iter().zip(values);
        parameters.map(|(parameter, value)| (parameter.name.clone(), parameter.text(*value))).collect()
    }

    /// Arguments of the tournament program for a match, other than the number of games.
    pub(super) fn arguments(&self, command: &str, seed: u64, folder: &Path) -> Arguments {
        let (settings, flags) = (&self.settings, self.flags);
        let mut all = Arguments::of(command);
        all.add("--quiet");
        all.set_some("--tc", settings.tc.as_ref());
        all.set_number("--nodes", settings.nodes);
        all.set_number("--concurrency", flags.game.runner.concurrency);
        all.set_some("--ssh", flags.ssh.as_ref());
        all.set_some("--nats", flags.nats.as_ref());
        all.add_if("--send-files", flags.send_files);
        all.set_some("--openings", settings.openings.as_ref());
        all.set_number("--seed", Some(seed));
        all.set("--store", folder.join(TEMPORARY_STORE));
        all
    }

    /// Writes the checkpoint. If another program wrote to its file, that file stays and a new one beside it is used.
    pub(super) fn keep(&mut self) -> Result<(), Refusal> {
        let path = self.checkpoint.path().to_owned();
        if let Some(beside) = self.checkpoint.rewrite(self.state.to_text().as_bytes()).or_failed()? {
            warn_of_moved_checkpoint(&path, &beside);
        }
        Ok(())
    }

    /// Writes the best values where they were asked for: the text of the parameter file with other values. A file whose
    /// values changed during the games is kept, and the tuned one is written beside it.
    pub(super) fn write_values(&self) -> Result<Option<PathBuf>, Refusal> {
        let parameters = &self.settings.parameters;
        let target = if self.flags.write { Some(parameters) } else { self.flags.output.as_ref() };
        let (Some(target), Some(before)) = (target, &self.parameters) else { return Ok(None) };
        let shown = || parameters.display().to_string();
        let format = ParameterFormat::of(parameters);
        let rewrite = |text: &str| {
            let replaced = format.parse(text).with_context(shown).or_failed()?;
            let text = format.rewritten(text, &self.state.run().parameters, &self.state.best());
            Ok(Replacement { text: text.with_context(shown).or_failed()?, replaced })
        };
        put_into(Some(parameters), target, before, &self.outputs, rewrite)?;
        Ok(Some(target.clone()))
    }
}

/// The last line of a page.
pub(super) fn written_line(written: Option<&Path>) -> String {
    match written {
        Some(path) => {
            format!("written to {}; test it against the old values before you keep it\n", path.display())
        }
        None => "not written: give --write or --output FILE\n".to_owned(),
    }
}

/// A tuning at its beginning.
fn begun<T: Tuning>(
    flags: &TuningFlags,
    begin: impl FnOnce(Vec<TunableParam>, u64, u64) -> Result<T, Refusal>,
) -> Result<(T, MatchSettings), Refusal> {
    let settings = settings(flags)?;
    let pairs = flags.games.unwrap_or(GAMES).div_ceil(2);
    let mut state = begin(chosen(flags, &settings)?, pairs, flags.game.seed())?;
    state.run_mut().settings = Some(settings.clone());
    Ok((state, settings))
}

fn settings(flags: &TuningFlags) -> Result<MatchSettings, Refusal> {
    let engine = flags.engine.clone().ok_or_else(|| anyhow!("--engine is missing")).or_usage()?;
    Ok(MatchSettings {
        engine,
        parameters: flags.parameters.clone().unwrap_or_else(|| SEARCH_CONSTANTS.into()),
        tc: flags.game.tc.clone(),
        nodes: flags.game.nodes(),
        openings: flags.game.openings.clone(),
        batch: flags.batch.unwrap_or(BATCH),
    })
}

/// The tuning in the checkpoint. Flags that say how games are played must say the same again.
fn resumed<T: Tuning>(flags: &TuningFlags, checkpoint: &Path) -> Result<(T, MatchSettings), Refusal> {
    let shown = checkpoint.display();
    let mut state = T::parse(&read_text(checkpoint)?).with_context(|| shown.to_string()).or_usage()?;
    let Some(settings) = state.run().settings.clone() else {
        if flags.engine.is_none() {
            let words = "an earlier version wrote it, without engine, clock, openings and batch: give these flags again";
            return Err(anyhow!("{shown}: {words}")).or_usage();
        }
        let settings = settings(flags)?;
        check_selection(flags, checkpoint, &settings, state.run())?;
        state.run_mut().settings = Some(settings.clone());
        return Ok((state, settings));
    };
    let path = |path: &PathBuf| path.display().to_string();
    let number = |number: u64| number.to_string();
    let given = [
        ("--engine", flags.engine.clone(), Some(settings.engine.clone())),
        ("--parameters", flags.parameters.as_ref().map(path), Some(path(&settings.parameters))),
        ("--tc", flags.game.tc.clone(), settings.tc.clone()),
        ("--nodes", flags.game.nodes.map(number), settings.nodes.map(number)),
        ("--openings", flags.game.openings.as_ref().map(path), settings.openings.as_ref().map(path)),
        ("--batch", flags.batch.map(number), Some(number(settings.batch))),
        (
            "--games",
            flags.games.map(|games| number(2 * games.div_ceil(2))),
            Some(number(2 * state.run().pairs)),
        ),
        ("--seed", flags.game.seed.map(number), Some(number(state.run().seed))),
    ];
    for (flag, now, before) in given {
        if let Some(now) = now.filter(|now| Some(now) != before.as_ref()) {
            let before = before.unwrap_or_else(|| "not given".to_owned());
            return Err(anyhow!("{shown}: {flag} is {before} in it, and now {now}")).or_usage();
        }
    }
    check_selection(flags, checkpoint, &settings, state.run())?;
    Ok((state, settings))
}

/// Refuses `--only` and `--freeze` that select other parameters than those of the checkpoint.
fn check_selection(
    flags: &TuningFlags,
    checkpoint: &Path,
    settings: &MatchSettings,
    run: &TuningRun,
) -> Result<(), Refusal> {
    if flags.only.is_empty() && flags.freeze.is_empty() {
        return Ok(());
    }
    let names = |parameters: &[TunableParam]| {
        parameters.iter().map(|parameter| parameter.name.clone()).collect::<Vec<_>>().join(", ")
    };
    let (now, before) = (names(&chosen(flags, settings)?), names(&run.parameters));
    if now == before {
        return Ok(());
    }
    let shown = checkpoint.display();
    Err(anyhow!("{shown}: {before} are tuned in it, and --only and --freeze select {now}")).or_usage()
}

/// Refuses parameters that the engine has not, or whose range it does not take, before the first game.
fn check_parameters(tournament: &Path, engine: &str, run: &TuningRun) -> Result<(), Refusal> {
    let ends = |parameter: &TunableParam| match parameter.choices.len() {
        0 => vec![parameter.min, parameter.max],
        count => (0..count).map(|choice| choice as f64).collect(),
    };
    let values = |parameter| ends(parameter).into_iter().map(move |value| (parameter, value));
    let all = run.parameters.iter().flat_map(values);
    let options = all.map(|(parameter, value)| (parameter.name.as_str(), parameter.text(value)));
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

fn changed_engine(path: &str) -> anyhow::Error {
    anyhow!(
        "the program of the engine has changed since the tuning began: {path} has other content now, and the games would mix \
         two engines; put the old file back, or continue with --allow-mixed"
    )
}

/// The parameters of the file that the flags leave free.
fn chosen(flags: &TuningFlags, settings: &MatchSettings) -> Result<Vec<TunableParam>, Refusal> {
    let shown = settings.parameters.display();
    let text = read_text(&settings.parameters)?;
    let format = ParameterFormat::of(&settings.parameters);
    if format.has_old_names(&text) {
        print_info(&format!("{shown}: old names of parameters are read as the current ones"));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_end_of_a_name() {
        assert!(matches("time_*", "time_share") && matches("a", "a") && !matches("a", "ab"));
    }
}
