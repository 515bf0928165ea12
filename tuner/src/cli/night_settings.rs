//! The flags of `night`: settings that are fixed when a night begins, and flags of a session.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use smalt_about::names_or_files;
use smalt_workbench::entrant::{BUILTIN, Registry};
use smalt_workbench::flags::{RegistryFlag, ResultFlags};

use super::game_flags::RunnerFlags;
use super::{OrRefuse, Refusal};
use crate::night::OptionalSteps;

pub(super) const EXAMPLES: &str = "Examples:
  smalt-tuner night tonight --until 07:00
  smalt-tuner night tonight --games 40000 --nodes 8000 --proof-nodes 20000 --generations 3
  smalt-tuner night tonight --rescore '--engine stockfish --nodes 1000' --lambda 0.2 --until 07:00
  smalt-tuner night tonight --engine ./tune --spsa engine/params/search.toml --spsa-games 20000 --until 8h
  smalt-tuner night mine --engine ./mine --source src/eval.h --build 'make -j2' --chess960-share 0 --until 07:00

Each generation: games of the current version against itself, positions of them, a fit, and an SPRT of the fitted evaluation \
against the current one, which it replaces if the SPRT accepts H1. With --spsa the search is tuned and tested after that. The same command \
continues a night that was stopped or killed; `smalt-tuner night tonight --until 07:00` does, too, since FOLDER keeps the settings \
(but not --until, --generations, --concurrency, --nats, --serve and --tournament, which may differ each time).
FOLDER/report.html shows what was played and accepted, FOLDER/current has the accepted numbers.";

/// Seed, games and nodes of a night where none are given: its budget is spent on data, proof and SPSA in shares of about
/// 1 : 2 (at most) : 1.
const SEED: u64 = 1;
const GAMES: u64 = 20_000;
const NODES: u64 = 5_000;
const PROOF_GAMES: u64 = 20_000;
const PROOF_NODES: u64 = 10_000;
const SPSA_GAMES: u64 = 10_000;

const RANDOM_PLIES: u32 = 8;

/// Share of games from start positions of Chess960, where the engine can play it.
const CHESS960_SHARE: f64 = 0.2;

/// Positions of a game, newest generations in a fit, share of the result in its target, and hypotheses of the SPRT.
const POSITIONS: u64 = 10;
const KEEP: u32 = 4;
const LAMBDA: f64 = 0.8;
const HYPOTHESES: [f64; 2] = [0.0, 5.0];

#[derive(Debug, Args)]
pub(super) struct NightFlags {
    /// Folder of the night: its state, games, data and report; created if missing
    #[arg(value_name = "FOLDER")]
    pub(super) folder: PathBuf,
    #[command(flatten)]
    pub(super) settings: NightSettings,
    #[command(flatten)]
    pub(super) registry: RegistryFlag,
    #[command(flatten)]
    pub(super) session: SessionFlags,
}

/// Flags that may differ each time.
#[derive(Debug, Args)]
pub(super) struct SessionFlags {
    /// End: a time of day like 07:00 (local time), or a duration like 8h or 90m [default: none]
    #[arg(long, value_name = "TIME")]
    pub(super) until: Option<String>,
    /// Number of generations of the folder after which the night ends [default: no limit]
    #[arg(long, value_name = "N")]
    pub(super) generations: Option<u32>,
    #[command(flatten)]
    pub(super) runner: RunnerFlags,
    /// NATS server whose workers play, e.g. nats://192.168.1.5:4222; they need --accept-files, since each version has its
    /// own files
    #[arg(long, value_name = "URL", conflicts_with = "concurrency")]
    pub(super) nats: Option<String>,
    /// Address of the live page of games and proofs, as `smalt-tournament` takes it, e.g. 8064
    #[arg(long, value_name = "ADDR")]
    pub(super) serve: Option<String>,
    /// Continue a step although the engine's program has changed since the step began
    #[arg(long)]
    pub(super) allow_mixed: bool,
    /// Check the settings, print the plan and end
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) result: ResultFlags,
}

/// Settings that are fixed when the night begins; null is the default until then.
#[derive(Args, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case")]
pub(super) struct NightSettings {
    /// Engine, as `smalt-tournament` names engines: one with the option EvalFile; with --build, a path in the source folder
    /// [default: builtin]
    #[arg(long, value_name = "ENGINE", add = names_or_files(Registry::names_to_complete))]
    pub(super) engine: Option<String>,
    /// Table of Smalt's evaluation at the start [default: engine/params/evaluation.toml if there, else the one built in]
    #[arg(long, value_name = "FILE", conflicts_with = "source")]
    pub(super) parameters: Option<PathBuf>,
    /// Source with marked numbers of an engine with the trace protocol, e.g. src/eval.h
    #[arg(long, value_name = "FILE", requires_all = ["build", "engine"])]
    pub(super) source: Option<PathBuf>,
    /// Build command, as in 'make -j2': each version is built in a copy of the source folder
    #[arg(long, value_name = "COMMAND", requires = "source")]
    pub(super) build: Option<String>,
    /// Source folder of --build [default: .]
    #[arg(long, value_name = "FOLDER", requires = "source")]
    pub(super) tree: Option<PathBuf>,
    /// Number of games of a generation [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) games: Option<u64>,
    /// Nodes for each move of these games [default: 5000]
    #[arg(long, value_name = "N")]
    pub(super) nodes: Option<u64>,
    /// Number of random plies that begin each of these games [default: 8]
    #[arg(long, value_name = "N")]
    pub(super) random_plies: Option<u32>,
    /// Share of these games that begin from a random start position of Chess960 [default: 0.2 if the engine has the option
    /// UCI_Chess960]
    #[arg(long, value_name = "SHARE")]
    pub(super) chess960_share: Option<f64>,
    /// File of openings of all games [default: those of the tournament program for proofs, the start position for data]
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<PathBuf>,
    /// Maximum number of positions of a game [default: 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) positions: Option<u64>,
    /// Maximum number of positions of a game phase, as a multiple of the mean [default: no limit]
    #[arg(long, value_name = "FACTOR")]
    pub(super) balance: Option<f64>,
    /// Score the positions by `rescore` with these flags, e.g. '--engine stockfish --nodes 2000'; give a smaller --lambda, too, as
    /// the rest of the target is the score. The night itself sets --output, --format, --json, --force and --concurrency [default: none]
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub(super) rescore: Option<String>,
    /// Number of newest generations whose positions a fit uses [default: 4]
    #[arg(long, value_name = "N")]
    pub(super) keep: Option<u32>,
    /// More positions of every fit, as `texel` takes them, e.g. old.bin,weight=0.5; may be repeated
    #[arg(long, value_name = "POSITIONS")]
    pub(super) data: Vec<String>,
    /// Share of the result in the target of a fit; the rest is the score [default: 0.8]
    #[arg(long, value_name = "SHARE")]
    pub(super) lambda: Option<f64>,
    /// More flags of `texel`, e.g. '--l2 3 --freeze material.*'
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub(super) texel: Option<String>,
    /// Nodes for each move of a proof, and of SPSA [default: 10000]
    #[arg(long, value_name = "N")]
    pub(super) proof_nodes: Option<u64>,
    /// Time control in place of --proof-nodes: seconds + increment, e.g. 8+0.08
    #[arg(long, value_name = "TC", conflicts_with = "proof_nodes")]
    pub(super) tc: Option<String>,
    /// H0 of the SPRT: normalized Elo [default: 0]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    pub(super) elo0: Option<f64>,
    /// H1 of the SPRT, which accepts a version: normalized Elo [default: 5]
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    pub(super) elo1: Option<f64>,
    /// Maximum number of games of a proof; an undecided version is not accepted [default: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) proof_games: Option<u64>,
    /// Search parameters to tune by SPSA in each generation, as `spsa` takes them, e.g. engine/params/search.toml [default:
    /// none]
    #[arg(long, value_name = "FILE")]
    pub(super) spsa: Option<PathBuf>,
    /// Number of games of each SPSA [default: 10000]
    #[arg(long, value_name = "N", requires = "spsa")]
    pub(super) spsa_games: Option<u64>,
    /// Random seed of openings and of SPSA; each generation has the next one [default: 1]
    #[arg(long)]
    pub(super) seed: Option<u64>,
    /// The folder in which the night began.
    #[arg(skip)]
    pub(super) directory: Option<PathBuf>,
}

impl NightSettings {
    /// The settings with their defaults.
    pub(super) fn filled(mut self, plays_chess960: impl FnOnce(&str) -> bool) -> NightSettings {
        let engine = self.engine.get_or_insert_with(|| BUILTIN.to_owned());
        if self.chess960_share.is_none() {
            self.chess960_share = Some(if plays_chess960(engine) { CHESS960_SHARE } else { 0.0 });
        }
        self.games.get_or_insert(GAMES);
        self.nodes.get_or_insert(NODES);
        self.random_plies.get_or_insert(RANDOM_PLIES);
        self.positions.get_or_insert(POSITIONS);
        self.keep.get_or_insert(KEEP);
        self.lambda.get_or_insert(LAMBDA);
        if self.tc.is_none() {
            self.proof_nodes.get_or_insert(PROOF_NODES);
        }
        self.elo0.get_or_insert(HYPOTHESES[0]);
        self.elo1.get_or_insert(HYPOTHESES[1]);
        self.proof_games.get_or_insert(PROOF_GAMES);
        if self.spsa.is_some() {
            self.spsa_games.get_or_insert(SPSA_GAMES);
        }
        self.seed.get_or_insert(SEED);
        self.directory = std::env::current_dir().ok();
        self
    }

    /// The optional steps of this night.
    pub(super) fn optional_steps(&self) -> OptionalSteps {
        OptionalSteps { rescore: self.rescore.is_some(), spsa: self.spsa.is_some() }
    }

    /// As JSON, without what is not set.
    pub(super) fn to_json(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(object) = value.as_object_mut() {
            object.retain(|_, value| !value.is_null() && *value != Value::Array(Vec::new()));
        }
        value
    }

    /// The stored settings, if those given now are the same.
    pub(super) fn resumed(stored: &Value, given: &NightSettings) -> Result<NightSettings, Refusal> {
        let settings: NightSettings = serde_json::from_value(stored.clone()).or_usage()?;
        let here = NightSettings { directory: std::env::current_dir().ok(), ..given.clone() };
        for (key, now) in here.to_json().as_object().into_iter().flatten() {
            let before = &stored[key];
            if before != now {
                let flag =
                    if key == "directory" { "the current folder".to_owned() } else { format!("--{key}") };
                let before = if before.is_null() { "not given".to_owned() } else { before.to_string() };
                return Err(anyhow!(
                    "the night began with other settings: {flag} is {before} in it, and now {now}"
                ))
                .or_usage();
            }
        }
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_continues_with_its_settings_alone() {
        let given = NightSettings { games: Some(7), ..NightSettings::default() };
        let stored = given.clone().filled(|_| true);
        assert_eq!((stored.chess960_share, stored.spsa_games), (Some(CHESS960_SHARE), None));
        let json = stored.to_json();
        for again in [given, NightSettings::default(), stored.clone()] {
            assert_eq!(NightSettings::resumed(&json, &again).unwrap(), stored);
        }
        for (other, words) in [
            (NightSettings { games: Some(8), ..NightSettings::default() }, "--games is 7 in it, and now 8"),
            (NightSettings { tc: Some("1+1".into()), ..NightSettings::default() }, "--tc is not given in it"),
            (
                NightSettings { data: vec!["x".into()], ..NightSettings::default() },
                "--data is not given in it",
            ),
        ] {
            let refusal = NightSettings::resumed(&json, &other).unwrap_err();
            assert!(refusal.to_string().contains(words), "{refusal}");
        }
    }
}
