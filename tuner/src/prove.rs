//! The proof at the board: two tables of one engine play each other until a sequential test is decided. The games are
//! the tournament program's; this only starts it, repeats what it says, and reads its verdict. Knows no statistics.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use smalt_driver::EngineCommand;
use smalt_driver::process::{Exit, LookupError, Process, Pumped, StartError, Waiting, pump};

/// The name of the program that plays.
pub const TOURNAMENT: &str = "smalt-tournament";

/// How long the program may say nothing before we look whether somebody wants to stop.
const GLANCE: Duration = Duration::from_millis(200);

/// How long a program that was asked to stop may take to put its games away.
const FAREWELL: Duration = Duration::from_secs(15);

/// What is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Duel {
    /// The program that plays: a path or a name.
    pub tournament: PathBuf,
    /// The engine, as the tournament program names it, without its table.
    pub engine: String,
    /// The tuned table and the one that it must beat, as files.
    pub tables: [PathBuf; 2],
    /// Further flags of `smalt-tournament sprt`: clock, hypotheses, openings, store.
    pub flags: Vec<OsString>,
    /// Where its results go, as JSON.
    pub json: PathBuf,
}

/// What the test says of the tuned table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is better: the second hypothesis was accepted.
    Better,
    /// It is not: the first hypothesis was accepted.
    NotBetter,
    /// All games were played and neither was accepted.
    Undecided,
}

/// The results of the games.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// What they decide.
    pub verdict: Verdict,
    /// Wins, draws and losses of the tuned table.
    pub games: [u64; 3],
    /// Elo of the tuned table over the other, and the half-width of its interval; none where one side won all.
    pub elo: Option<(f64, f64)>,
    /// The log-likelihood ratio, and its bounds.
    pub llr: [f64; 3],
}

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub enum ProveError {
    /// The program could not be started.
    #[error(
        "start the tournament program: {0}; build it (`cargo build --release`) or give --tournament PROGRAM"
    )]
    Start(#[from] StartError),
    /// Its output could not be read.
    #[error("listen to the tournament program: {0}")]
    Listen(#[from] std::io::Error),
    /// It failed.
    #[error("the tournament program {exit}: {words}")]
    Failed {
        /// How it ended.
        exit: Exit,
        /// The last that it wrote to standard error.
        words: String,
    },
    /// Its results are not as agreed.
    #[error("the results of the tournament program can't be read: {0}")]
    Results(String),
    /// Somebody asked to stop.
    #[error("interrupted: nothing is decided; the games that were played are in the store of the run")]
    Interrupted,
}

/// The program beside our own, if there is one, else its name, to be looked up.
pub fn tournament_program() -> PathBuf {
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(TOURNAMENT));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| TOURNAMENT.into())
}

/// Where that program is, as it would be started.
///
/// # Errors
/// If there is none that can be run.
pub fn locate(program: &Path) -> Result<PathBuf, LookupError> {
    EngineCommand::new(program).locate()
}

/// Plays until the test is decided; `tell` hears every line that the program says. Raising `stop` ends it.
///
/// # Errors
/// If the program can't be started, fails, or is stopped.
pub fn prove(duel: &Duel, stop: &AtomicBool, tell: &mut dyn FnMut(&str)) -> Result<Proof, ProveError> {
    let mut process = Process::spawn(&command(duel))?;
    process.close_stdin();
    let mut stopped_at = None;
    while !process.is_silent() {
        while let Some(line) = process.take_line() {
            tell(&line.text());
        }
        let deadline = Instant::now() + GLANCE;
        let pumped = pump(&mut process, None, None, Waiting::ForOutput, deadline)?;
        if stop.load(Ordering::Relaxed) && stopped_at.is_none() {
            process.terminate();
            stopped_at = Some(Instant::now());
        }
        let is_deaf = stopped_at.is_some_and(|at: Instant| at.elapsed() > FAREWELL);
        if is_deaf || process.exit().is_some() && pumped == Pumped::Late {
            break;
        }
    }
    while let Some(line) = process.take_line() {
        tell(&line.text());
    }
    let exit = process.await_exit(Instant::now() + FAREWELL);
    if stopped_at.is_some() {
        return Err(ProveError::Interrupted);
    }
    match exit.or_else(|| process.kill()) {
        // 3: games are missing, as where an engine was struck out; the verdict says what the others are worth.
        Some(Exit::Code(0 | 3)) => read_proof(&duel.json),
        exit => {
            let lines: Vec<_> = process.stderr_lines().map(String::from_utf8_lossy).collect();
            let words = lines.join("\n");
            Err(ProveError::Failed { exit: exit.unwrap_or(Exit::Signal(9)), words })
        }
    }
}

fn command(duel: &Duel) -> EngineCommand {
    let entrant = |name: &str, table: &Path| {
        format!(
            "cmd={} name={name} option.EvalFile={}",
            quoted(&duel.engine),
            quoted(&table.display().to_string())
        )
    };
    EngineCommand::new(&duel.tournament)
        .argument("sprt")
        .arguments(["--engine".to_owned(), entrant("tuned", &duel.tables[0])])
        .arguments(["--opponent".to_owned(), entrant("base", &duel.tables[1])])
        .arguments(duel.flags.iter().cloned())
        .argument("--json")
        .argument(&duel.json)
}

/// A value for the words of an entrant, whatever stands in it.
fn quoted(value: &str) -> String {
    let escaped: String = value
        .chars()
        .flat_map(|letter| matches!(letter, '"' | '\\').then_some('\\').into_iter().chain([letter]))
        .collect();
    format!("\"{escaped}\"")
}

fn read_proof(path: &Path) -> Result<Proof, ProveError> {
    let text = std::fs::read_to_string(path).map_err(|error| ProveError::Results(error.to_string()))?;
    let results: Value =
        serde_json::from_str(&text).map_err(|error| ProveError::Results(error.to_string()))?;
    parse_proof(&results)
        .ok_or_else(|| ProveError::Results("no `sprt` or no entrant `tuned` in its JSON".into()))
}

fn parse_proof(results: &Value) -> Option<Proof> {
    let entrants = results["entrants"].as_array()?;
    let tuned = entrants.iter().find(|entrant| entrant["name"] == "tuned")?;
    let sprt = &results["sprt"];
    let count = |key: &str| tuned[key].as_u64();
    let number = |key: &str| sprt[key].as_f64();
    Some(Proof {
        verdict: match sprt["verdict"].as_str()? {
            "H1" => Verdict::Better,
            "H0" => Verdict::NotBetter,
            _ => Verdict::Undecided,
        },
        games: [count("wins")?, count("draws")?, count("losses")?],
        elo: tuned["elo"].as_f64().zip(tuned["elo_error"].as_f64()),
        llr: [number("llr")?, number("lower")?, number("upper")?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_verdict_is_read_from_the_results() {
        let results = |verdict: &str| {
            json!({
                "entrants": [
                    {"name": "base", "wins": 1, "draws": 2, "losses": 30},
                    {"name": "tuned", "wins": 30, "draws": 2, "losses": 1, "elo": 400.5, "elo_error": 99.0},
                ],
                "sprt": {"elo0": 0.0, "elo1": 5.0, "llr": 2.99, "lower": -2.94, "upper": 2.94, "verdict": verdict},
            })
        };
        let proof = parse_proof(&results("H1")).unwrap();
        assert_eq!(proof.games, [30, 2, 1]);
        assert_eq!((proof.elo, proof.llr), (Some((400.5, 99.0)), [2.99, -2.94, 2.94]));
        for (word, verdict) in
            [("H1", Verdict::Better), ("H0", Verdict::NotBetter), ("continue", Verdict::Undecided)]
        {
            assert_eq!(parse_proof(&results(word)).unwrap().verdict, verdict);
        }
        assert_eq!(parse_proof(&json!({})), None);
    }

    #[test]
    fn paths_of_any_name_survive_the_words_of_an_entrant() {
        for path in ["/tmp/a b.toml", "/tmp/\"q\" it's \\ back.toml"] {
            let words = format!("cmd={} name=x option.EvalFile={}", quoted("builtin"), quoted(path));
            let split = smalt_driver::entrant::parse_entrant(&words).unwrap();
            assert!(format!("{split:?}").contains(&format!("{path:?}")), "{split:?}");
        }
    }
}
