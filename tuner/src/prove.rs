//! Tests tuned weights in games: an SPRT between the engine with and without them, run by the tournament program.

use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smalt_report::Interval;

use crate::games::{EnginePair, PlayError, play, score_of};

/// Verdict on the tuned weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Verdict {
    /// H1 was accepted.
    Better,
    /// H0 was accepted.
    NotBetter,
    /// All games were played without a verdict.
    Undecided,
}

/// The results of the games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Proof {
    /// Verdict on the tuned engine.
    pub verdict: Verdict,
    /// Wins, draws and losses of the tuned engine.
    pub games: [u64; 3],
    /// Pairs of games with 0, ½, 1, 1½ and 2 points of the tuned engine.
    pub pairs: Option<[u64; 5]>,
    /// Elo of the tuned engine over the base, and the half-width of its interval; null if one side won all games.
    pub elo: Option<(f64, f64)>,
    /// Ends of the 95 % interval of that Elo; missing in older nights.
    #[serde(default)]
    pub elo_ends: Option<[f64; 2]>,
    /// Elo corrected for the stopping rule, and the ends of its 95 % interval; null after few games.
    pub corrected: Option<[f64; 3]>,
    /// Log-likelihood ratio and its bounds.
    pub llr: [f64; 3],
}

impl Proof {
    /// Elo corrected for the stopping rule, where there are games enough, as the runner shows it below its table;
    /// otherwise the plain one.
    pub(crate) fn interval(&self) -> Interval {
        match (self.corrected, self.elo) {
            (Some([elo, low, high]), _) => Interval {
                value: Some(elo),
                error: Some((high - low) / 2.0),
                low: Some(low),
                high: Some(high),
            },
            (None, Some((elo, error))) => {
                let [low, high] = self.elo_ends.map_or([None; 2], |ends| ends.map(Some));
                Interval { value: Some(elo), error: Some(error), low, high }
            }
            (None, None) => Interval::default(),
        }
    }
}

/// Plays an SPRT of `tuned` against `base`; `on_line` receives every line of the program's output. Setting `stop` ends it.
pub(crate) fn prove(
    pair: &EnginePair,
    stop: &AtomicBool,
    on_line: &mut dyn FnMut(&str),
) -> Result<Proof, PlayError> {
    parse_proof(&play(pair, stop, on_line)?)
        .ok_or_else(|| PlayError::Results("no `sprt` or no entrant `tuned` in its JSON".into()))
}

/// The proof in the results of an SPRT of `tuned` against `base`.
pub(crate) fn parse_proof(results: &Value) -> Option<Proof> {
    let entrants = results["entrants"].as_array()?;
    let tuned = entrants.iter().find(|entrant| entrant["name"] == "tuned")?;
    let sprt = &results["sprt"];
    let number = |key: &str| sprt[key].as_f64();
    let pairs = serde_json::from_value(results["pairings"][0]["penta"].clone());
    let corrected = ["sprt_elo", "sprt_elo_low", "sprt_elo_high"].map(number);
    Some(Proof {
        verdict: match sprt["verdict"].as_str()? {
            "H1" => Verdict::Better,
            "H0" => Verdict::NotBetter,
            _ => Verdict::Undecided,
        },
        games: score_of(results, "tuned")?,
        pairs: pairs.ok().filter(|_| results["pairings"][0]["first"] == "tuned"),
        elo: tuned["elo"].as_f64().zip(tuned["elo_error"].as_f64()),
        elo_ends: tuned["elo_low"].as_f64().zip(tuned["elo_high"].as_f64()).map(|ends| ends.into()),
        corrected: corrected[0]
            .zip(corrected[1])
            .zip(corrected[2])
            .map(|((elo, low), high)| [elo, low, high]),
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
                    {"name": "tuned", "wins": 30, "draws": 2, "losses": 1, "elo": 400.5, "elo_error": 99.0,
                     "elo_low": 310.0, "elo_high": 508.0},
                ],
                "pairings": [{"first": "tuned", "penta": [0, 1, 1, 2, 12]}],
                "sprt": {
                    "elo0": 0.0, "elo1": 5.0, "llr": 2.99, "lower": -2.94, "upper": 2.94, "verdict": verdict,
                    "sprt_elo": 380.5, "sprt_elo_low": 290.0, "sprt_elo_high": 480.0,
                },
            })
        };
        let proof = parse_proof(&results("H1")).unwrap();
        assert_eq!(proof.games, [30, 2, 1]);
        assert_eq!((proof.elo, proof.llr), (Some((400.5, 99.0)), [2.99, -2.94, 2.94]));
        assert_eq!((proof.pairs, proof.corrected), (Some([0, 1, 1, 2, 12]), Some([380.5, 290.0, 480.0])));
        let Interval { value, low, high, .. } = proof.interval();
        assert_eq!([value, low, high], [Some(380.5), Some(290.0), Some(480.0)]);
        let Interval { value, low, high, .. } = Proof { corrected: None, ..proof }.interval();
        assert_eq!([value, low, high], [Some(400.5), Some(310.0), Some(508.0)]);
        for (word, verdict) in
            [("H1", Verdict::Better), ("H0", Verdict::NotBetter), ("continue", Verdict::Undecided)]
        {
            assert_eq!(parse_proof(&results(word)).unwrap().verdict, verdict);
        }
        assert_eq!(parse_proof(&json!({})), None);
    }
}
