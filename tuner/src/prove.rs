//! Proves tuned weights by games: an SPRT between the engine with and without them, run by the tournament program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde_json::Value;

use crate::games::{EnginePair, Entrant, PlayError, play, score_of};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProofMatch {
    /// The program that plays: a path or a name.
    pub tournament: PathBuf,
    /// The engine with the tuned numbers and the one that it must beat.
    pub sides: [ProofEngine; 2],
    /// Further flags of `smalt-tournament sprt`: clock, hypotheses, openings, store.
    pub flags: Vec<OsString>,
    /// Where its results go, as JSON.
    pub json: PathBuf,
}

/// One of the two engines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProofEngine {
    /// Engine as on the command line of the tournament program.
    pub engine: String,
    /// Names and values of its options.
    pub options: Vec<(String, String)>,
}

/// The verdict on the tuned numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is better: the second hypothesis was accepted.
    Better,
    /// It is not: the first hypothesis was accepted.
    NotBetter,
    /// All games were played and neither was accepted.
    Undecided,
}

/// The results of the games.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Proof {
    pub verdict: Verdict,
    /// Wins, draws and losses of the tuned table.
    pub games: [u64; 3],
    /// Elo of the tuned table over the other, and the half-width of its interval; none where one side won all.
    pub elo: Option<(f64, f64)>,
    /// The log-likelihood ratio, and its bounds.
    pub llr: [f64; 3],
}

/// Plays until the test is decided; `on_line` gets every line of the program's output. Setting `stop` ends it.
pub(crate) fn prove(
    duel: &ProofMatch,
    stop: &AtomicBool,
    on_line: &mut dyn FnMut(&str),
) -> Result<Proof, PlayError> {
    let entrant = |name, side: &ProofEngine| Entrant {
        name,
        engine: side.engine.clone(),
        options: side.options.clone(),
    };
    let pair = EnginePair {
        tournament: duel.tournament.clone(),
        command: "sprt",
        entrants: [entrant("tuned", &duel.sides[0]), entrant("base", &duel.sides[1])],
        flags: duel.flags.clone(),
        json: duel.json.clone(),
    };
    let results = play(&pair, stop, on_line)?;
    parse_proof(&results)
        .ok_or_else(|| PlayError::Results("no `sprt` or no entrant `tuned` in its JSON".into()))
}

fn parse_proof(results: &Value) -> Option<Proof> {
    let entrants = results["entrants"].as_array()?;
    let tuned = entrants.iter().find(|entrant| entrant["name"] == "tuned")?;
    let sprt = &results["sprt"];
    let number = |key: &str| sprt[key].as_f64();
    Some(Proof {
        verdict: match sprt["verdict"].as_str()? {
            "H1" => Verdict::Better,
            "H0" => Verdict::NotBetter,
            _ => Verdict::Undecided,
        },
        games: score_of(results, "tuned")?,
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
}
