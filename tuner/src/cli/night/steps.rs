//! The steps of a night: the versions of the engine, and the commands of `smalt-tournament` and of this program that make
//! and test them. Each can be killed and run again.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, anyhow};
use clap::Parser as _;
use serde_json::Value;
use smalt::evaluation::parameters::EVALUATION_TOML;
use smalt_report::Table;
use smalt_workbench::entrant::{BUILTIN, split_words};
use smalt_workbench::output_file::{self, Existing};

use super::super::arguments::{TunerArguments, TunerCommand};
use super::super::night_settings::{NightSettings, SessionFlags};
use super::super::{Exit, OrRefuse, Refusal, parameters, read_text, rescore};
use crate::games::{Arguments, Entrant, PlayError, check_options, engine_in, export, read, run, words};
use crate::night::{Change, Step, StepKind, StepResult, accepted};
use crate::parameter_file::ParameterFormat;
use crate::prove::parse_proof;
use crate::source_build::build;
use crate::weights::difference::{difference_table, differences, source_difference_table};
use crate::weights::source::Comments;

/// Exit codes of programs that finished; 3: something was skipped.
const FINISHED: [i32; 2] = [0, 3];

/// Table of Smalt's evaluation in the folder of a generation.
const TABLE: &str = "evaluation.toml";

const SPSA_CHECKPOINT: &str = "spsa.json";

/// Flags of `rescore` that a night gives itself.
const RESCORE_FLAGS: [&str; 7] =
    ["--concurrency", "1", "--format", "smalt", "--json", "rescore.json", "--force"];

/// Called several times a second while a step runs.
pub(super) type OnPoll<'a> = dyn FnMut() + 'a;

/// A version: the generations of its evaluation and of its search parameters; 0 is the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) evaluation: u32,
    pub(super) search: u32,
}

impl Version {
    /// The version that the finished steps accepted.
    pub(super) fn current(steps: &[Step]) -> Version {
        Version { evaluation: accepted(steps, StepKind::Proof), search: accepted(steps, StepKind::SpsaProof) }
    }
}

/// Checks the files and the flags of all steps, before the first game.
pub(super) fn check(settings: &NightSettings) -> Result<(), Refusal> {
    let named =
        |flag: &str, refusal: Refusal| Refusal { error: refusal.error.context(flag.to_owned()), ..refusal };
    for data in &settings.data {
        let path = Path::new(data.split(',').next().unwrap_or_default());
        std::fs::metadata(path).with_context(|| format!("--data {}", path.display())).or_usage()?;
    }
    if let Some(source) = &settings.source {
        read_text(source).map_err(|refusal| named("--source", refusal))?;
    }
    if let Some(table) = &settings.parameters {
        parameters(table).map_err(|refusal| named("--parameters", refusal))?;
    }
    if let Some(file) = &settings.spsa {
        let text = read_text(file).map_err(|refusal| named("--spsa", refusal))?;
        ParameterFormat::of(file)
            .parse(&text)
            .with_context(|| format!("--spsa {}", file.display()))
            .or_usage()?;
    }
    parse("texel", &fit_flags(settings)?, &[]).context("--texel").or_usage()?;
    if settings.rescore.is_some() {
        let parsed = parse("rescore", &rescore_flags(settings)?, &RESCORE_FLAGS).context("--rescore");
        if let TunerCommand::Rescore(flags) = parsed.or_usage()? {
            rescore::check(&flags).map_err(|refusal| named("--rescore", refusal))?;
        }
    }
    Ok(())
}

/// Parses further flags of a command of this program; those of `own` are given by the night.
fn parse(command: &str, flags: &[String], own: &[&str]) -> Result<TunerCommand, clap::Error> {
    let words = ["smalt-tuner", command, "positions.bin", "--output", "output"].into_iter();
    let words = words.chain(own.iter().copied()).chain(flags.iter().map(String::as_str));
    TunerArguments::try_parse_from(words).map(|arguments| arguments.command)
}

fn fit_flags(settings: &NightSettings) -> Result<Vec<String>, Refusal> {
    split_words(settings.texel.as_deref().unwrap_or_default()).or_usage()
}

fn rescore_flags(settings: &NightSettings) -> Result<Vec<String>, Refusal> {
    split_words(settings.rescore.as_deref().unwrap_or_default()).or_usage()
}

/// A night that runs its steps.
pub(super) struct Runner<'a> {
    pub(super) folder: PathBuf,
    pub(super) settings: NightSettings,
    pub(super) session: &'a SessionFlags,
    pub(super) tournament: PathBuf,
    pub(super) own_program: PathBuf,
    pub(super) stop: Arc<AtomicBool>,
}

impl Runner<'_> {
    /// Runs a step to its end. It may have been begun before.
    pub(super) fn run(
        &self,
        steps: &[Step],
        generation: u32,
        kind: StepKind,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<StepResult, Refusal> {
        let version = Version::current(steps);
        std::fs::create_dir_all(self.generation(generation)).or_failed()?;
        match kind {
            StepKind::Games => self.games(version, generation, on_poll),
            StepKind::Positions => self.positions(generation, on_poll),
            StepKind::Rescore => self.rescore(generation, on_poll),
            StepKind::Fit => self.fit(version, generation, on_poll),
            StepKind::Proof => {
                let candidate = Version { evaluation: generation, ..version };
                let (proof, command) = self.proof(candidate, version, generation, kind, on_poll)?;
                Ok(StepResult::Proof { proof, command })
            }
            StepKind::Spsa => self.spsa(version, generation, on_poll),
            StepKind::SpsaProof => {
                let candidate = Version { search: generation, ..version };
                let (proof, command) = self.proof(candidate, version, generation, kind, on_poll)?;
                Ok(StepResult::SpsaProof { proof, command })
            }
        }
    }

    /// Copies the numbers of the start into the folder, and checks that the engine takes them.
    pub(super) fn prepare(&self) -> Result<(), Refusal> {
        let settings = &self.settings;
        let evaluation = match settings.source.as_ref().or(settings.parameters.as_ref()) {
            Some(path) => read_text(path)?,
            None => EVALUATION_TOML.to_owned(),
        };
        put(&self.evaluation_file(0), &evaluation)?;
        if let (Some(from), Some(to)) = (&settings.spsa, self.search_file(0)) {
            put(&to, &read_text(from)?)?;
        }
        let (engine, options) = self.numbers(Version { evaluation: 0, search: 0 })?;
        if engine == BUILTIN && settings.spsa.is_none() {
            return Ok(());
        }
        let options = options.iter().map(|(name, value)| (name.as_str(), value.clone()));
        check_options(&self.tournament, &engine, options)
            .with_context(|| format!("--engine {engine}"))
            .or_usage()
    }

    /// The positions of a generation that a fit uses.
    fn fitted_positions(&self, generation: u32) -> PathBuf {
        let name = if self.settings.rescore.is_some() { "rescored.bin" } else { "positions.bin" };
        self.generation(generation).join(name)
    }

    pub(super) fn generation(&self, generation: u32) -> PathBuf {
        self.folder.join(format!("generation-{generation:03}"))
    }

    /// The store of a step's games.
    fn store(&self, generation: u32, kind: StepKind) -> PathBuf {
        self.generation(generation).join(kind.name()).with_extension("db")
    }

    /// The evaluation of a generation: a table, or a source.
    pub(super) fn evaluation_file(&self, generation: u32) -> PathBuf {
        let name = self.settings.source.as_ref().and_then(|source| source.file_name());
        self.generation(generation).join(name.unwrap_or(TABLE.as_ref()))
    }

    /// The differences between the evaluations of two generations.
    pub(super) fn changes(&self, before: u32, after: u32) -> Result<Table, Refusal> {
        let files = [before, after].map(|generation| self.evaluation_file(generation));
        if self.settings.source.is_some() {
            let [old, new] = [read_text(&files[0])?, read_text(&files[1])?];
            return source_difference_table(&old, &new, Comments::of_path(&files[0])).or_failed();
        }
        let [old, new] = [parameters(&files[0])?, parameters(&files[1])?];
        Ok(difference_table(&differences(&old, &new)))
    }

    /// The search parameters of a generation.
    pub(super) fn search_file(&self, generation: u32) -> Option<PathBuf> {
        let ending = self.settings.spsa.as_ref()?.extension().unwrap_or("txt".as_ref());
        Some(self.generation(generation).join("search").with_extension(ending))
    }

    /// The engine of a version as the tournament program takes it, with a name.
    fn engine(&self, name: &'static str, version: Version) -> Result<String, Refusal> {
        let (engine, options) = self.numbers(version)?;
        Ok(words(&Entrant { name, engine, options }))
    }

    /// The engine of a version and the options that set its numbers. A version with its own source is built.
    fn numbers(&self, version: Version) -> Result<(String, Vec<(String, String)>), Refusal> {
        let engine = self.settings.engine.as_deref().unwrap_or_default();
        let (engine, mut options) = if self.settings.source.is_some() {
            (self.built(version.evaluation, engine)?, Vec::new())
        } else {
            let table = self.evaluation_file(version.evaluation).display().to_string();
            (engine.to_owned(), vec![("EvalFile".to_owned(), table)])
        };
        if let Some(file) = self.search_file(version.search) {
            let text =
                std::fs::read_to_string(&file).with_context(|| file.display().to_string()).or_failed()?;
            let values = ParameterFormat::of(&file).parse(&text).or_failed()?;
            options.extend(values.into_iter().map(|value| (value.name.clone(), value.text(value.start))));
        }
        Ok((engine, options))
    }

    /// The engine of a source, built once in the folder of its generation.
    fn built(&self, generation: u32, engine: &str) -> Result<String, Refusal> {
        let settings = &self.settings;
        let (copy, done) =
            (self.generation(generation).join("build"), self.generation(generation).join("built"));
        if !done.exists() {
            if copy.exists() {
                std::fs::remove_dir_all(&copy).or_failed()?;
            }
            let file = self.evaluation_file(generation);
            let text =
                std::fs::read_to_string(&file).with_context(|| file.display().to_string()).or_failed()?;
            let tree = settings.tree.as_deref().unwrap_or(Path::new("."));
            let source = settings.source.as_deref().unwrap_or(Path::new(""));
            let command = settings.build.as_deref().unwrap_or_default();
            let version = if generation == 0 { "first" } else { "fitted" };
            build(tree, &self.folder, &copy, (source, &text), command, version, &self.stop).or_usage()?;
            put(&done, "")?;
        }
        engine_in(&copy, engine).with_context(|| format!("--engine {engine}")).or_usage()
    }

    fn games(
        &self,
        version: Version,
        generation: u32,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<StepResult, Refusal> {
        let (settings, seed) = (&self.settings, self.seed(generation));
        let mut command = Arguments::of("datagen");
        command.set("--engine", self.engine("current", version)?);
        command.set_number("--games", settings.games);
        command.set_number("--nodes", settings.nodes);
        command.set_number("--seed", Some(seed));
        command.set_number("--random-plies", settings.random_plies);
        command.set_number("--chess960-share", settings.chess960_share.filter(|share| *share > 0.0));
        command.set_some("--openings", settings.openings.as_ref());
        command.set("--data", self.generation(generation).join("games.viri"));
        let results = self.play(command.clone(), generation, StepKind::Games, on_poll)?;
        let games = results["games_finished"].as_u64().unwrap_or_default();
        if games == 0 {
            return Err(anyhow!("no game of generation {generation} was finished")).or_failed();
        }
        Ok(StepResult::Games { games, seed, command: command.text("smalt-tournament") })
    }

    fn positions(&self, generation: u32, on_poll: &mut OnPoll<'_>) -> Result<StepResult, Refusal> {
        let (settings, folder) = (&self.settings, self.generation(generation));
        let pgn = folder.join("games.pgn");
        // What a killed export left is removed with it.
        for entry in folder.read_dir().or_failed()?.flatten() {
            if entry.file_name().to_string_lossy().starts_with("games.pgn") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        export(&self.tournament, &self.store(generation, StepKind::Games), &pgn, &self.stop)
            .map_err(refusal)?;
        let mut command = Arguments::of("extract");
        command.add(&pgn);
        command.set("--output", folder.join("positions.bin"));
        command.set_number("--per-game", settings.positions);
        command.set_number("--balance", settings.balance);
        command.set_number("--threads", self.session.runner.concurrency);
        let report = self.run_own(&command, generation, on_poll)?;
        let _ = std::fs::remove_file(&pgn);
        Ok(StepResult::Positions {
            positions: report["positions"].as_u64().unwrap_or_default(),
            hash: report["hash"].as_str().unwrap_or_default().to_owned(),
        })
    }

    fn rescore(&self, generation: u32, on_poll: &mut OnPoll<'_>) -> Result<StepResult, Refusal> {
        let mut command = Arguments::of("rescore");
        command.add(self.generation(generation).join("positions.bin"));
        command.set("--output", self.fitted_positions(generation));
        command.set("--format", "smalt");
        rescore_flags(&self.settings)?.iter().for_each(|word| command.add(word));
        command.set_number("--concurrency", self.session.runner.concurrency);
        let report = self.run_own(&command, generation, on_poll)?;
        let [own, engine, blended] =
            ["own_error", "engine_error", "blended_error"].map(|key| report[key].as_f64());
        Ok(StepResult::Rescore {
            records: report["positions"].as_u64().unwrap_or_default(),
            unscored: report["unscored"].as_u64().unwrap_or_default(),
            scale: report["scale"].as_f64().unwrap_or_default(),
            errors: own.zip(engine).zip(blended).map(|((own, engine), blended)| [own, engine, blended]),
            command: command.text("smalt-tuner"),
        })
    }

    fn fit(
        &self,
        version: Version,
        generation: u32,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<StepResult, Refusal> {
        let settings = &self.settings;
        let (before, after) = (self.evaluation_file(version.evaluation), self.evaluation_file(generation));
        let oldest = (generation + 1).saturating_sub(settings.keep.unwrap_or_default().max(1)).max(1);
        let mut command = Arguments::of("texel");
        // The numbers before may have been fitted to all games but the newest: these alone are held out.
        let data = settings.data.iter().map(OsString::from);
        let generations = oldest..generation;
        for mut file in data.chain(generations.map(|number| self.fitted_positions(number).into())) {
            file.push(",validation=0");
            command.add(file);
        }
        command.add(self.fitted_positions(generation));
        if settings.source.is_some() {
            let engine = settings.engine.as_deref().unwrap_or_default();
            command.set("--engine", self.built(version.evaluation, engine)?);
            command.set("--source", &before);
            command.set_number("--concurrency", self.session.runner.concurrency);
        } else {
            command.set("--parameters", &before);
        }
        command.set("--output", &after);
        command.set_number("--lambda", settings.lambda);
        fit_flags(&self.settings)?.iter().for_each(|word| command.add(word));
        command.set_number("--threads", self.session.runner.concurrency);
        let report = self.run_own(&command, generation, on_poll)?;
        let is_changed = if settings.source.is_some() {
            std::fs::read(&before).or_failed()? != std::fs::read(&after).or_failed()?
        } else {
            parameters(&before)? != parameters(&after)?
        };
        let error = |key: &str| report[key].as_f64().unwrap_or_default();
        let has_validation = report["validation"].as_u64().unwrap_or_default() > 0;
        let is_better = !has_validation || error("validation_error") < error("initial_validation_error");
        Ok(StepResult::Fit {
            change: match (is_changed, is_better) {
                (false, _) => Change::Unchanged,
                (true, false) => Change::NotBetter,
                (true, true) => Change::Changed,
            },
            positions: report["positions"].as_u64().unwrap_or_default(),
            data_hash: report["data_hash"].as_str().unwrap_or_default().to_owned(),
            validation_error: [error("initial_validation_error"), error("validation_error")],
            command: command.text("smalt-tuner"),
        })
    }

    /// An SPRT of a candidate.
    fn proof(
        &self,
        candidate: Version,
        base: Version,
        generation: u32,
        kind: StepKind,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<(crate::prove::Proof, String), Refusal> {
        let settings = &self.settings;
        let mut command = Arguments::of("sprt");
        command.set("--engine", self.engine("tuned", candidate)?);
        command.set("--opponent", self.engine("base", base)?);
        self.set_limit(&mut command);
        command.set_number("--elo0", settings.elo0);
        command.set_number("--elo1", settings.elo1);
        command.set_number("--games", settings.proof_games);
        command.set_number("--seed", Some(self.seed(generation)));
        command.set_some("--openings", settings.openings.as_ref());
        let results = self.play(command.clone(), generation, kind, on_poll)?;
        let proof =
            parse_proof(&results).context("no `sprt` or no entrant `tuned` in the results").or_failed()?;
        if proof.games.iter().sum::<u64>() == 0 {
            return Err(anyhow!("no game of the proof of generation {generation} was finished")).or_failed();
        }
        Ok((proof, command.text("smalt-tournament")))
    }

    /// Games played and planned of a step that has begun.
    pub(super) fn games_of(&self, generation: u32, kind: StepKind) -> Option<[u64; 2]> {
        let file = |name: &str| self.generation(generation).join(name);
        match kind {
            StepKind::Games | StepKind::Proof | StepKind::SpsaProof => {
                let (store, json) = (self.store(generation, kind), file("status.json"));
                if !store.exists() {
                    return None;
                }
                let mut command = Arguments::of("status");
                command.add(store);
                command.set("--json", &json);
                let program = command.to_command(&self.tournament);
                run(&program, &FINISHED, &AtomicBool::new(false), &mut |_| {}).ok()?;
                let status = read(&json).ok()?;
                Some([status["games_finished"].as_u64()?, status["games_planned"].as_u64()?])
            }
            StepKind::Spsa => {
                let checkpoint = read(&file(SPSA_CHECKPOINT)).ok()?;
                let games = checkpoint["games"].as_array()?.iter().filter_map(Value::as_u64).sum();
                Some([games, checkpoint["pairs"].as_u64()? * 2])
            }
            StepKind::Positions | StepKind::Rescore | StepKind::Fit => None,
        }
    }

    fn spsa(
        &self,
        version: Version,
        generation: u32,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<StepResult, Refusal> {
        let settings = &self.settings;
        let files = self.search_file(version.search).zip(self.search_file(generation));
        let (before, after) = files.context("--spsa is missing").or_failed()?;
        let checkpoint = self.generation(generation).join(SPSA_CHECKPOINT);
        let mut command = Arguments::of("spsa");
        command.set("--engine", self.engine("current", version)?);
        command.set("--parameters", &before);
        command.set_number("--games", settings.spsa_games);
        self.set_limit(&mut command);
        command.set_number("--seed", Some(self.seed(generation)));
        command.set_some("--openings", settings.openings.as_ref());
        let begun = command.text("smalt-tuner");
        // A checkpoint keeps all of these.
        let mut command = if checkpoint.exists() { Arguments::of("spsa") } else { command };
        command.add_if("--resume", checkpoint.exists());
        command.add_if("--allow-mixed", checkpoint.exists() && self.session.allow_mixed);
        command.set("--checkpoint", &checkpoint);
        command.set("--output", &after);
        command.set("--tournament", &self.tournament);
        command.set_number("--concurrency", self.session.runner.concurrency);
        self.set_server(&mut command);
        let report = self.run_own(&command, generation, on_poll)?;
        let number = |parameter: &Value, key: &str| parameter[key].as_f64().unwrap_or_default();
        let parameters: Vec<(String, f64, f64)> = report["knobs"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|parameter| {
                let name = parameter["name"].as_str().unwrap_or_default().to_owned();
                (name, number(parameter, "before"), number(parameter, "after"))
            })
            .filter(|(_, before, after)| before != after)
            .collect();
        Ok(StepResult::Spsa {
            change: if parameters.is_empty() { Change::Unchanged } else { Change::Changed },
            games: report["games"].as_u64().unwrap_or_default(),
            parameters,
            command: begun,
        })
    }

    fn seed(&self, generation: u32) -> u64 {
        self.settings.seed.unwrap_or_default().wrapping_add(u64::from(generation) - 1)
    }

    /// The limit of proofs and of SPSA.
    fn set_limit(&self, command: &mut Arguments) {
        match &self.settings.tc {
            Some(tc) => command.set("--tc", tc),
            None => command.set_number("--nodes", self.settings.proof_nodes),
        }
    }

    /// The server of this session. Workers are sent the files of each version.
    fn set_server(&self, command: &mut Arguments) {
        command.set_some("--nats", self.session.nats.as_ref());
        command.add_if("--send-files", self.session.nats.is_some());
    }

    /// Starts a run, or resumes it if its store exists, and returns its results.
    fn play(
        &self,
        begun: Arguments,
        generation: u32,
        kind: StepKind,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<Value, Refusal> {
        let (store, json) =
            (self.store(generation, kind), self.store(generation, kind).with_extension("json"));
        let mut command = begun;
        if store.exists() {
            command = Arguments::of("resume");
            command.add(&store);
            command.add_if("--allow-mixed", self.session.allow_mixed);
            // The session before may have played on a server.
            if self.session.nats.is_none() {
                command.set("--nats", "off");
            }
        } else {
            command.set("--store", &store);
        }
        command.set("--json", &json);
        command.set_number("--concurrency", self.session.runner.concurrency);
        self.set_server(&mut command);
        command.set_some("--serve", self.session.serve.as_ref());
        let program = command.to_command(&self.tournament);
        run(&program, &FINISHED, &self.stop, &mut |_| on_poll()).map_err(refusal)?;
        read(&json).map_err(refusal)
    }

    /// Runs a command of this program, which overwrites its output, and returns its JSON report.
    fn run_own(
        &self,
        command: &Arguments,
        generation: u32,
        on_poll: &mut OnPoll<'_>,
    ) -> Result<Value, Refusal> {
        let name = command.name();
        let json = self.generation(generation).join(format!("{name}-report.json"));
        let program =
            command.to_command(&self.own_program).argument("--json").argument(&json).argument("--force");
        run(&program, &FINISHED, &self.stop, &mut |_| on_poll()).map_err(|error| match error {
            PlayError::Failed { exit, words } => {
                Refusal { exit: Exit::Failed, error: anyhow!("`smalt-tuner {name}` {exit}: {words}") }
            }
            error => refusal(error),
        })?;
        read(&json).map_err(refusal)
    }

    /// Writes the numbers of the current version to the folder `current`, with the origin of an accepted table.
    pub(super) fn publish(&self, steps: &[Step]) -> Result<(), Refusal> {
        let version = Version::current(steps);
        let files = [Some(self.evaluation_file(version.evaluation)), self.search_file(version.search)];
        for file in files.into_iter().flatten() {
            let text =
                std::fs::read_to_string(&file).with_context(|| file.display().to_string()).or_failed()?;
            let is_table = file.file_name() == Some(TABLE.as_ref()) && self.settings.source.is_none();
            let text = if is_table && version.evaluation > 0 {
                crate::weights::document::with_origin(&text, &super::origin(steps, version.evaluation))
                    .or_failed()?
            } else {
                text
            };
            put(&super::current_file(&self.folder, &file), &text)?;
        }
        Ok(())
    }
}

/// What the failure of a program means.
fn refusal(error: PlayError) -> Refusal {
    let exit = if matches!(error, PlayError::Interrupted) { Exit::Interrupted } else { Exit::Failed };
    Refusal { exit, error: error.into() }
}

/// Replaces a file whole.
pub(super) fn put(path: &Path, text: &str) -> Result<(), Refusal> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).or_failed()?;
    }
    output_file::write(path, text.as_bytes(), Existing::Replace).or_failed()
}
