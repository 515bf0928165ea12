//! The state of `night`, the loop that generates games, fits the evaluation to them and keeps what an SPRT accepts.
//!
//! A night is a list of steps, in generations. A step is finished once its result is in the file of the night
//! ([`NightFile`]); [`next_step`] and [`accepted`] follow from the finished ones. The command `night` runs the steps.

mod file;
mod report;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smalt_report::format::{duration, grouped};

use crate::prove::{Proof, Verdict};
pub(crate) use file::{LOCK, NightFile};
pub(crate) use report::{AcceptedVersion, REFRESH, Report, proof_words, rescore_words};

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StepKind {
    /// Games of the current version against itself.
    Games,
    /// Positions of these games.
    Positions,
    /// Scores of these positions by another engine.
    Rescore,
    /// Fit of the evaluation.
    Fit,
    /// SPRT of the fitted evaluation against the current one.
    Proof,
    /// SPSA of search parameters.
    Spsa,
    /// SPRT of the tuned search parameters against the current ones.
    SpsaProof,
}

impl StepKind {
    /// Kinds of steps with games.
    pub(crate) const WITH_GAMES: [StepKind; 4] =
        [StepKind::Games, StepKind::Proof, StepKind::Spsa, StepKind::SpsaProof];

    /// Its name in the file, in tables and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StepKind::Games => "games",
            StepKind::Positions => "positions",
            StepKind::Rescore => "rescore",
            StepKind::Fit => "fit",
            StepKind::Proof => "proof",
            StepKind::Spsa => "spsa",
            StepKind::SpsaProof => "spsa-proof",
        }
    }
}

/// Whether a fit or a tuning has a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    Changed,
    Unchanged,
    /// Numbers changed, but the error of the held-out games did not fall.
    NotBetter,
}

impl Change {
    /// Why there is no proof; `None` for a candidate.
    pub(crate) fn reason(self) -> Option<&'static str> {
        match self {
            Change::Changed => None,
            Change::Unchanged => Some("no change"),
            Change::NotBetter => Some("no better"),
        }
    }
}

/// The result of a finished step. Commands are those of its first start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "step", rename_all = "kebab-case")]
pub(crate) enum StepResult {
    /// Games of the current version against itself.
    Games {
        /// Number of finished games.
        games: u64,
        /// Random seed of the games.
        seed: u64,
        /// Command of the games.
        command: String,
    },
    /// Positions of these games.
    Positions {
        /// Number of positions.
        positions: u64,
        /// Hash of the positions.
        hash: String,
    },
    /// Scores of these positions by another engine.
    Rescore {
        /// Number of records: a position counts for each of its games.
        records: u64,
        /// Number of records that the engine did not score.
        unscored: u64,
        /// Factor of the engine's score.
        scale: f64,
        /// Mean squared errors of the results as predicted by the positions' own scores, the engine's, and the blended ones;
        /// null if no position had a score.
        errors: Option<[f64; 3]>,
        /// Command of the scores.
        command: String,
    },
    /// Fit of the evaluation.
    Fit {
        /// Whether it has a candidate.
        change: Change,
        /// Number of positions of all data.
        positions: u64,
        /// Hash of the positions of all data.
        data_hash: String,
        /// Mean squared error of held-out games, before and after.
        validation_error: [f64; 2],
        /// Command of the fit.
        command: String,
    },
    /// SPRT of the fitted evaluation against the current one.
    Proof {
        /// Result of the test.
        proof: Proof,
        /// Command of the test.
        command: String,
    },
    /// SPSA of search parameters.
    Spsa {
        /// Whether any number changed.
        change: Change,
        /// Number of games.
        games: u64,
        /// Names of the changed parameters, with their values before and after.
        parameters: Vec<(String, f64, f64)>,
        /// Command of the tuning.
        command: String,
    },
    /// SPRT of the tuned search parameters against the current ones.
    SpsaProof {
        /// Result of the test.
        proof: Proof,
        /// Command of the test.
        command: String,
    },
}

impl StepResult {
    pub(crate) fn kind(&self) -> StepKind {
        match self {
            StepResult::Games { .. } => StepKind::Games,
            StepResult::Positions { .. } => StepKind::Positions,
            StepResult::Rescore { .. } => StepKind::Rescore,
            StepResult::Fit { .. } => StepKind::Fit,
            StepResult::Proof { .. } => StepKind::Proof,
            StepResult::Spsa { .. } => StepKind::Spsa,
            StepResult::SpsaProof { .. } => StepKind::SpsaProof,
        }
    }

    /// The result of an SPRT.
    pub(crate) fn proof(&self) -> Option<&Proof> {
        match self {
            StepResult::Proof { proof, .. } | StepResult::SpsaProof { proof, .. } => Some(proof),
            _ => None,
        }
    }

    /// Number of games played.
    pub(crate) fn games(&self) -> u64 {
        match self {
            StepResult::Games { games, .. } | StepResult::Spsa { games, .. } => *games,
            StepResult::Proof { proof, .. } | StepResult::SpsaProof { proof, .. } => proof.games.iter().sum(),
            StepResult::Positions { .. } | StepResult::Rescore { .. } | StepResult::Fit { .. } => 0,
        }
    }
}

/// A finished step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Step {
    /// Generation, from 1.
    pub generation: u32,
    /// Time of all sessions, in seconds.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    #[schemars(with = "f64")]
    pub time: Duration,
    #[serde(flatten)]
    pub result: StepResult,
}

/// The step after the finished ones. It may have begun.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct UnfinishedStep {
    pub generation: u32,
    pub kind: StepKind,
    /// Time of all sessions.
    pub time: Duration,
    /// Games played and planned (of an SPRT: at most); `None` before the step begins, and for one without games.
    pub games: Option<[u64; 2]>,
}

impl UnfinishedStep {
    /// The step in words, such as "generation 1, games: 10,897 of 24,000, 52m so far".
    pub(crate) fn words(&self) -> String {
        let mut words = format!("generation {}, {}", self.generation, self.kind.name());
        if let Some([played, planned]) = self.games {
            let most =
                if matches!(self.kind, StepKind::Proof | StepKind::SpsaProof) { "at most " } else { "" };
            words += &format!(": {} of {most}{}", grouped(played as i64), grouped(planned as i64));
        }
        if !self.time.is_zero() {
            words += &format!(", {} so far", duration(self.time));
        }
        words
    }
}

fn as_seconds<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(time.as_secs_f64())
}

/// The optional steps of a night.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OptionalSteps {
    pub rescore: bool,
    pub spsa: bool,
}

/// Generation and kind of the step after the finished ones.
pub(crate) fn next_step(steps: &[Step], optional: OptionalSteps) -> (u32, StepKind) {
    let Some(last) = steps.last() else { return (1, StepKind::Games) };
    let kind = match &last.result {
        StepResult::Games { .. } => Some(StepKind::Positions),
        StepResult::Positions { .. } if optional.rescore => Some(StepKind::Rescore),
        StepResult::Positions { .. } | StepResult::Rescore { .. } => Some(StepKind::Fit),
        StepResult::Fit { change: Change::Changed, .. } => Some(StepKind::Proof),
        StepResult::Fit { .. } | StepResult::Proof { .. } => optional.spsa.then_some(StepKind::Spsa),
        StepResult::Spsa { change: Change::Changed, .. } => Some(StepKind::SpsaProof),
        StepResult::Spsa { .. } | StepResult::SpsaProof { .. } => None,
    };
    kind.map_or((last.generation + 1, StepKind::Games), |kind| (last.generation, kind))
}

/// Generation of the last version that a proof of this kind accepted; 0 is the version at the start.
pub(crate) fn accepted(steps: &[Step], kind: StepKind) -> u32 {
    let is_accepted = |step: &&Step| {
        step.result.kind() == kind
            && step.result.proof().is_some_and(|proof| proof.verdict == Verdict::Better)
    };
    steps.iter().rev().find(is_accepted).map_or(0, |step| step.generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn proof(verdict: Verdict) -> Proof {
        Proof {
            verdict,
            games: [30, 50, 20],
            pairs: Some([5, 10, 15, 12, 8]),
            elo: Some((34.9, 20.0)),
            elo_ends: None,
            corrected: Some([30.0, 5.0, 52.0]),
            llr: [2.95, -2.94, 2.94],
        }
    }

    pub(super) fn results(verdict: Verdict, change: Change) -> Vec<StepResult> {
        let command = || "command".to_owned();
        vec![
            StepResult::Games { games: 100, seed: 7, command: command() },
            StepResult::Positions { positions: 900, hash: "00ff".to_owned() },
            StepResult::Rescore {
                records: 901,
                unscored: 3,
                scale: 0.8,
                errors: Some([0.12, 0.13, 0.11]),
                command: command(),
            },
            StepResult::Fit {
                change,
                positions: 900,
                data_hash: "ff00".to_owned(),
                validation_error: [0.08, 0.07],
                command: command(),
            },
            StepResult::Proof { proof: proof(verdict), command: command() },
            StepResult::Spsa {
                change,
                games: 64,
                parameters: vec![("margin".to_owned(), 50.0, 61.0)],
                command: command(),
            },
            StepResult::SpsaProof { proof: proof(verdict), command: command() },
        ]
    }

    fn walk(optional: OptionalSteps, change: Change) -> Vec<(u32, &'static str)> {
        let mut steps: Vec<Step> = Vec::new();
        let mut seen = Vec::new();
        while steps.len() < 7 {
            let (generation, kind) = next_step(&steps, optional);
            seen.push((generation, kind.name()));
            let result = results(Verdict::Better, change).into_iter().find(|result| result.kind() == kind);
            steps.push(Step { generation, time: Duration::ZERO, result: result.unwrap() });
        }
        seen
    }

    #[test]
    fn steps_follow_each_other_and_nothing_unchanged_is_proved() {
        let evaluation = ["games", "positions", "fit", "proof"];
        let of = |generation: u32, names: &[&'static str]| -> Vec<(u32, &'static str)> {
            names.iter().map(|name| (generation, *name)).collect()
        };
        let neither = OptionalSteps::default();
        assert_eq!(walk(neither, Change::Changed), [of(1, &evaluation), of(2, &evaluation[..3])].concat());
        let rescored = ["games", "positions", "rescore", "fit", "proof"];
        let rescore = OptionalSteps { rescore: true, spsa: false };
        assert_eq!(walk(rescore, Change::Changed), [of(1, &rescored), of(2, &rescored[..2])].concat());
        let spsa = OptionalSteps { rescore: false, spsa: true };
        let whole = [&evaluation[..], &["spsa", "spsa-proof"]].concat();
        assert_eq!(walk(spsa, Change::Changed), [of(1, &whole), of(2, &["games"])].concat());
        let unchanged = ["games", "positions", "fit", "spsa"];
        for change in [Change::Unchanged, Change::NotBetter] {
            assert_eq!(walk(spsa, change), [of(1, &unchanged), of(2, &unchanged[..3])].concat());
        }
    }

    #[test]
    fn the_last_accepted_version_is_the_current_one() {
        let proofs = |verdicts: &[Verdict]| -> Vec<Step> {
            let step = |(index, verdict): (usize, &Verdict)| Step {
                generation: index as u32 + 1,
                time: Duration::ZERO,
                result: StepResult::Proof { proof: proof(*verdict), command: String::new() },
            };
            verdicts.iter().enumerate().map(step).collect()
        };
        let check = |verdicts: &[Verdict], expected: u32| {
            assert_eq!(accepted(&proofs(verdicts), StepKind::Proof), expected);
            assert_eq!(accepted(&proofs(verdicts), StepKind::SpsaProof), 0);
        };
        check(&[], 0);
        check(&[Verdict::NotBetter, Verdict::Undecided], 0);
        check(&[Verdict::NotBetter, Verdict::Better, Verdict::Undecided], 2);
    }
}
