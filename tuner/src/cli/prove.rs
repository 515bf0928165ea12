//! The command `prove`: makes the tuned engine and its baseline from options, parameter files or builds, and writes the
//! parameters if they won. `crate::prove` runs the SPRT.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, anyhow};
use smalt::evaluation::Parameters;
use smalt::evaluation::parameters::EVALUATION_TOML;
use smalt_report::Sign;
use smalt_workbench::entrant::{BUILTIN, ResolveError};
use smalt_workbench::output_file::{self, Existing, write_beside};

use super::arguments::ProveFlags;
use super::game_flags::check_openings;
use super::json::ProveJson;
use super::{
    Exit, OrRefuse, Outputs, PARAMETERS, Refusal, interrupt, parameters, print_info, read_text, show,
};
use crate::games::{
    Arguments, EngineError, EnginePair, Entrant, PlayError, check_options, engine_command, engine_in,
};
use crate::parameter_file::ParameterFormat;
use crate::prove::{Proof, Verdict, prove};
use crate::source_build::build;

pub(super) fn run(flags: &ProveFlags) -> Result<Exit, Refusal> {
    let outputs = Outputs::check([flags.result.json.as_ref()], [], flags.result.force)?;
    let folder = tempfile::tempdir().or_failed()?;
    let stop = interrupt()?;
    let versions = match &flags.build {
        None if flags.options => Versions::of_options(flags)?,
        Some(command) => Versions::built(flags, command, folder.path(), &stop)?,
        None => Versions::of_tables(flags, folder.path())?,
    };
    check_openings(flags.game.openings.as_deref())?;
    let tournament = flags.game.runner.program()?;
    let tuned = &versions.sides[0];
    if tuned.engine != BUILTIN || flags.options {
        let options = tuned.options.iter().map(|(name, value)| (name.as_str(), value.clone()));
        check_options(&tournament, &tuned.engine, options)
            .with_context(|| format!("--engine {}", flags.engine))
            .or_usage()?;
    }
    let pair = EnginePair {
        tournament,
        entrants: versions.sides.clone(),
        arguments: arguments(flags),
        json: folder.path().join("sprt.json"),
    };
    let proof = match prove(&pair, &stop, &mut |line| print_info(line)) {
        Err(error @ PlayError::Interrupted) => {
            let folder = folder.keep();
            let error = anyhow!(
                "{error}: nothing is decided; the games that were played are in the store of the run, which reads its tables in {}",
                folder.display()
            );
            return Err(Refusal { exit: Exit::Interrupted, error });
        }
        proof => proof.or_failed()?,
    };
    let written = versions.base.as_ref().filter(|_| flags.write && proof.verdict == Verdict::Better);
    if let Some(path) = written {
        if std::fs::read_to_string(path).ok().as_ref() != Some(&versions.base_text) {
            let kept = write_beside(path, ".tuned", versions.tuned_text.as_bytes()).or_failed()?;
            let error = anyhow!(
                "{}: it changed during the test and was not replaced; the accepted one is {}",
                path.display(),
                kept.display()
            );
            return Err(error).or_failed();
        }
        output_file::write(path, versions.tuned_text.as_bytes(), Existing::Replace).or_failed()?;
    }
    let written = written.map(PathBuf::as_path);
    show(&page(&proof, written), flags.result.json.as_deref(), &outputs, || document(&proof, written))?;
    Ok(if proof.verdict == Verdict::Better { Exit::Done } else { Exit::Skipped })
}

/// Copies of the two versions, so that changes during the test have no effect.
struct Versions {
    sides: [Entrant; 2],
    tuned_text: String,
    base_text: String,
    /// The file that is replaced if the tuned version is accepted.
    base: Option<PathBuf>,
}

impl Versions {
    /// Tables of Smalt's evaluation, which the engine reads by its option EvalFile.
    fn of_tables(flags: &ProveFlags, folder: &Path) -> Result<Versions, Refusal> {
        let standing = || Some(PARAMETERS.into()).filter(|path: &PathBuf| path.is_file());
        let base = flags.base.clone().or_else(standing);
        if flags.write && base.is_none() {
            let words =
                "--write: run in the root folder of the project, or give the file to replace with --base";
            return Err(anyhow!(words)).or_usage();
        }
        let tuned_table = WeightsFile::of_file(&flags.tuned, folder.join("tuned.toml"))?;
        let base_table = match &base {
            Some(path) => WeightsFile::of_file(path, folder.join("base.toml"))?,
            None => WeightsFile::new(EVALUATION_TOML.to_owned(), folder.join("base.toml"))?,
        };
        if parameters(&tuned_table.played)? == parameters(&base_table.played)? {
            let base = base.as_deref().unwrap_or(Path::new("the built-in weights"));
            return Err(anyhow!("{}: the same numbers as {}", flags.tuned.display(), base.display()))
                .or_usage();
        }
        let sides = [("tuned", &tuned_table), ("base", &base_table)].map(|(name, table)| Entrant {
            name,
            engine: flags.engine.clone(),
            options: vec![("EvalFile".to_owned(), table.played.display().to_string())],
        });
        Ok(Versions { sides, tuned_text: tuned_table.text, base_text: base_table.text, base })
    }

    /// Values of UCI options, in two parameter files.
    fn of_options(flags: &ProveFlags) -> Result<Versions, Refusal> {
        let base =
            flags.base.clone().context("--options: give the parameters before as --base").or_usage()?;
        let read = |path: &Path| -> Result<_, Refusal> {
            let shown = || path.display().to_string();
            let text = read_text(path)?;
            let parameters = ParameterFormat::of(path).parse(&text).with_context(shown).or_usage()?;
            let values = parameters
                .into_iter()
                .map(|parameter| (parameter.name.clone(), parameter.text(parameter.start)));
            Ok((text, values.collect::<Vec<_>>()))
        };
        let ((tuned_text, tuned), (base_text, before)) = (read(&flags.tuned)?, read(&base)?);
        if tuned == before {
            return Err(anyhow!("{}: the same numbers as {}", flags.tuned.display(), base.display()))
                .or_usage();
        }
        let sides = [("tuned", tuned), ("base", before)];
        let sides = sides.map(|(name, options)| Entrant { name, engine: flags.engine.clone(), options });
        Ok(Versions { sides, tuned_text, base_text, base: Some(base) })
    }

    /// Engines built from copies of the sources that differ in one file.
    fn built(
        flags: &ProveFlags,
        command: &str,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Versions, Refusal> {
        let Some(base) = flags.base.clone() else {
            return Err(anyhow!("--build: give the source that the tuned one replaces with --base"))
                .or_usage();
        };
        if matches!(engine_command(&flags.engine), Err(EngineError::Resolve(ResolveError::NoCommand))) {
            let words = "--build: give the program that it makes with --engine, as in --engine ./mine";
            return Err(anyhow!(words)).or_usage();
        }
        let (tuned_text, base_text) = (read_text(&flags.tuned)?, read_text(&base)?);
        if tuned_text == base_text {
            return Err(anyhow!("{}: the same as {}", flags.tuned.display(), base.display())).or_usage();
        }
        let side = |version: &'static str, text: &str| {
            let copy = folder.join(version);
            print_info(&format!("building the {version} version"));
            build(&flags.tree, folder, &copy, (&base, text), command, version, stop).map_err(|error| {
                Refusal {
                    exit: if stop.load(Ordering::Relaxed) { Exit::Interrupted } else { Exit::Usage },
                    error: error.into(),
                }
            })?;
            let engine =
                engine_in(&copy, &flags.engine).with_context(|| format!("--engine {}", flags.engine));
            Ok(Entrant { name: version, engine: engine.or_usage()?, options: Vec::new() })
        };
        let sides = [side("tuned", &tuned_text)?, side("base", &base_text)?];
        if is_same_program(sides.each_ref().map(|side| side.engine.as_str())) {
            let words = "both versions are the same program: does the build command use --base?";
            return Err(anyhow!("--engine {}: {words}", flags.engine)).or_usage();
        }
        Ok(Versions { sides, tuned_text, base_text, base: Some(base) })
    }
}

/// Whether two engines have the same program: the same file, or files with the same bytes. Scripts may be alike, since they
/// read other files.
fn is_same_program(engines: [&str; 2]) -> bool {
    let file = |engine| engine_command(engine).ok().and_then(|(command, _)| command.locate().ok());
    let [Some(first), Some(second)] = engines.map(file) else { return false };
    match (std::fs::read(&first), std::fs::read(&second)) {
        (Ok(_), Ok(_)) if first == second => true,
        (Ok(first), Ok(second)) => first == second && !first.starts_with(b"#!"),
        _ => false,
    }
}

/// A parameter file and its copy for the games, so that changes during the test have no effect.
struct WeightsFile {
    text: String,
    played: PathBuf,
}

impl WeightsFile {
    fn new(text: String, played: PathBuf) -> Result<WeightsFile, Refusal> {
        std::fs::write(&played, &text).or_failed()?;
        Ok(WeightsFile { text, played })
    }

    fn of_file(path: &Path, played: PathBuf) -> Result<WeightsFile, Refusal> {
        let text = read_text(path)?;
        Parameters::parse_toml(&text).with_context(|| path.display().to_string()).or_usage()?;
        WeightsFile::new(text, played)
    }
}

fn arguments(flags: &ProveFlags) -> Arguments {
    let game = &flags.game;
    let mut all = Arguments::of("sprt");
    all.set_some("--tc", game.tc.as_ref());
    all.set_number("--nodes", game.nodes());
    all.set_number("--elo0", Some(flags.elo0));
    all.set_number("--elo1", Some(flags.elo1));
    all.set_number("--games", Some(flags.games));
    all.set_number("--concurrency", game.runner.concurrency);
    all.set_some("--openings", game.openings.as_ref());
    all.set_some("--store", flags.store.as_ref());
    all.set_number("--seed", Some(game.seed()));
    all
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::NotBetter => "not better",
        Verdict::Undecided => "undecided",
    }
}

fn document<'a>(proof: &Proof, written: Option<&'a Path>) -> ProveJson<'a> {
    let [wins, draws, losses] = proof.games;
    let [llr, lower, upper] = proof.llr;
    ProveJson {
        verdict: words(proof.verdict),
        wins,
        draws,
        losses,
        elo: proof.elo.map(|elo| elo.0),
        elo_error: proof.elo.map(|elo| elo.1),
        elo_low: proof.elo_ends.map(|ends| ends[0]),
        elo_high: proof.elo_ends.map(|ends| ends[1]),
        sprt_elo: proof.corrected.map(|found| found[0]),
        sprt_elo_low: proof.corrected.map(|found| found[1]),
        sprt_elo_high: proof.corrected.map(|found| found[2]),
        llr,
        lower,
        upper,
        written,
    }
}

fn page(proof: &Proof, written: Option<&Path>) -> String {
    let [wins, draws, losses] = proof.games;
    let [llr, lower, upper] = proof.llr;
    let elo = smalt_report::format::interval(&proof.interval(), 1, Sign::Both);
    let mut page = format!(
        "the tuned version: {}; {} games, {wins} won, {draws} drawn, {losses} lost, Elo {elo}, LLR {llr:.2} ({lower:.2}, {upper:.2})\n",
        words(proof.verdict),
        wins + draws + losses,
    );
    match written {
        Some(path) => page.push_str(&format!("accepted, and written to {}\n", path.display())),
        None if proof.verdict == Verdict::Better => page.push_str("accepted; give --write to keep it\n"),
        None if proof.verdict == Verdict::Undecided => {
            page.push_str("undecided: the base stays as it is; more games may decide (--games)\n");
        }
        None => page.push_str("rejected: the base stays as it is\n"),
    }
    page
}
