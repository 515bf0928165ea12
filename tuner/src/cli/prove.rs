//! The command `prove`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use serde_json::json;
use smalt::evaluation::Parameters;
use smalt_workbench::entrant::BUILTIN;

use super::arguments::{PARAMETERS, ProveFlags};
use super::texel::SHIPPED;
use super::{Exit, OrRefuse, Refusal, check_writable, interrupt, parameters, show, tell, write};
use crate::games::{PlayError, check_options, locate, tournament_program};
use crate::prove::{Duel, Proof, Verdict, prove};
use crate::weights::document::replace;

pub(super) fn run(flags: &ProveFlags) -> Result<Exit, Refusal> {
    let kept = flags.base.clone().or_else(|| Some(PARAMETERS.into()).filter(|path: &PathBuf| path.is_file()));
    check_writable([flags.json.as_ref()])?;
    if flags.write && kept.is_none() {
        let words = "--write: run from the top of the project, or say with --base which table to replace";
        return Err(anyhow!(words)).or_usage();
    }
    let folder = tempfile::tempdir().or_failed()?;
    let tuned = Table::of_file(&flags.tuned, folder.path().join("tuned.toml"))?;
    let base = match &kept {
        Some(path) => Table::of_file(path, folder.path().join("base.toml"))?,
        None => Table::new(SHIPPED.to_owned(), folder.path().join("base.toml"))?,
    };
    if parameters(&tuned.played)? == parameters(&base.played)? {
        let base = kept.as_deref().unwrap_or(Path::new("the table built in"));
        return Err(anyhow!("{}: the same numbers as {}", flags.tuned.display(), base.display())).or_usage();
    }
    let target = kept.as_ref().filter(|_| flags.write);
    let tournament = flags.tournament.clone().unwrap_or_else(tournament_program);
    locate(&tournament)
        .context("the tournament program: build it (`cargo build --release`), or give --tournament PROGRAM")
        .or_usage()?;
    if flags.engine != BUILTIN {
        let option = ("EvalFile", tuned.played.display().to_string());
        check_options(&tournament, &flags.engine, [option])
            .with_context(|| format!("--engine {}", flags.engine))
            .or_usage()?;
    }
    let duel = Duel {
        tournament,
        engine: flags.engine.clone(),
        tables: [tuned.played.clone(), base.played.clone()],
        flags: sprt_flags(flags),
        json: folder.path().join("sprt.json"),
    };
    let stop = interrupt()?;
    let proof = match prove(&duel, &stop, &mut |line| tell(line)) {
        Err(error @ PlayError::Interrupted) => {
            let tables = folder.keep();
            let error = anyhow!(
                "{error}: nothing is decided; the games that were played are in the store of the run, which reads its tables in {}",
                tables.display()
            );
            return Err(Refusal { exit: Exit::Interrupted, error });
        }
        proof => proof.or_failed()?,
    };
    let written = target.filter(|_| proof.verdict == Verdict::Better);
    if let Some(path) = written {
        if std::fs::read_to_string(path).ok().as_ref() != Some(&base.text) {
            let tables = folder.keep();
            let error = anyhow!(
                "{}: it is no longer the table that was played against, and was not replaced; the accepted table is {}",
                path.display(),
                tables.join("tuned.toml").display()
            );
            return Err(error).or_failed();
        }
        replace(path, &tuned.text).with_context(|| path.display().to_string()).or_failed()?;
    }
    let written = written.map(PathBuf::as_path);
    show(&page(&proof, written), flags.json.as_deref(), || document(&proof, written))?;
    Ok(if proof.verdict == Verdict::Better { Exit::Done } else { Exit::LeftOut })
}

/// A table as it was when the test began: games are played with a copy, so that nobody changes it while they last.
struct Table {
    text: String,
    played: PathBuf,
}

impl Table {
    fn new(text: String, played: PathBuf) -> Result<Table, Refusal> {
        write(&played, &text)?;
        Ok(Table { text, played })
    }

    fn of_file(path: &Path, played: PathBuf) -> Result<Table, Refusal> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string()).or_usage()?;
        Parameters::parse_toml(&text).with_context(|| path.display().to_string()).or_usage()?;
        Table::new(text, played)
    }
}

fn sprt_flags(flags: &ProveFlags) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    let mut add = |name: &str, value: Option<OsString>| {
        if let Some(value) = value {
            all.extend([name.into(), value]);
        }
    };
    let clock = flags.tc.as_ref().map(OsString::from);
    let nodes = clock.is_none().then(|| flags.nodes.to_string().into());
    add("--tc", clock);
    add("--nodes", nodes);
    add("--elo0", Some(flags.elo0.to_string().into()));
    add("--elo1", Some(flags.elo1.to_string().into()));
    add("--games", Some(flags.games.to_string().into()));
    add("--concurrency", flags.concurrency.map(|count| count.to_string().into()));
    add("--openings", flags.openings.as_ref().map(OsString::from));
    add("--store", flags.store.as_ref().map(OsString::from));
    add("--seed", Some(flags.seed.to_string().into()));
    all
}

fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::NotBetter => "not better",
        Verdict::Undecided => "undecided",
    }
}

fn document(proof: &Proof, written: Option<&Path>) -> serde_json::Value {
    let [wins, draws, losses] = proof.games;
    let [llr, lower, upper] = proof.llr;
    json!({
        "verdict": words(proof.verdict), "wins": wins, "draws": draws, "losses": losses,
        "elo": proof.elo.map(|elo| elo.0), "elo_error": proof.elo.map(|elo| elo.1),
        "llr": llr, "lower": lower, "upper": upper, "written": written,
    })
}

fn page(proof: &Proof, written: Option<&Path>) -> String {
    let [wins, draws, losses] = proof.games;
    let [llr, lower, upper] = proof.llr;
    let elo = proof.elo.map_or_else(|| "-".to_owned(), |(elo, error)| format!("{elo:+.1} ± {error:.1}"));
    let mut page = format!(
        "the tuned table: {}; {} games, {wins} won, {draws} drawn, {losses} lost, Elo {elo}, LLR {llr:.2} ({lower:.2}, {upper:.2})\n",
        words(proof.verdict),
        wins + draws + losses,
    );
    match written {
        Some(path) => page.push_str(&format!("accepted, and written to {}\n", path.display())),
        None if proof.verdict == Verdict::Better => page.push_str("accepted; --write would have kept it\n"),
        None if proof.verdict == Verdict::Undecided => {
            page.push_str("undecided: the base stays as it is; more games may decide (--games)\n");
        }
        None => page.push_str("rejected: the base stays as it is\n"),
    }
    page
}
