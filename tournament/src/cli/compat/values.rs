//! Values of flags, defaults, and flags that request existing behavior.

use std::num::NonZeroUsize;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};

use super::HELP;
use super::flag::Flag;
use smalt_match::plan::{
    Affinity, BadOptions, Format, OnFault, OnOff, OpeningPolicy, SecondsSetting, Settings, Variant,
};
use smalt_workbench::concurrency::cores;

/// fastchess's number of rounds for `-quick`.
pub(super) const QUICK_ROUNDS: u32 = 25_000;

/// fastchess's number of rounds for `-sprt` after `-rounds 0`.
pub(super) const SPRT_ROUNDS: u32 = 500_000;

/// Seeds of plans have 63 bits.
pub(super) const SEEDS: u64 = i64::MAX as u64;

pub(super) fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    (now as u64) & SEEDS
}

/// Concurrency, and whether it was computed from the number of cores: fastchess adds a value of zero or below to that
/// number.
pub(super) fn concurrency(flag: &Flag<'_>) -> anyhow::Result<(NonZeroUsize, bool)> {
    let games: i64 = flag.number()?;
    let cores = cores();
    let wanted = match usize::try_from(games) {
        Ok(games) if games > 0 => games,
        _ => cores.saturating_sub(usize::try_from(games.unsigned_abs()).unwrap_or(usize::MAX)),
    };
    let found =
        NonZeroUsize::new(wanted).with_context(|| format!("-concurrency {games}: there are {cores} cores"));
    Ok((found?, games <= 0))
}

pub(super) fn seconds(flag: &Flag<'_>) -> anyhow::Result<SecondsSetting> {
    let seconds = f64::from(flag.number::<u32>()?) / 1000.0;
    seconds.to_string().parse().map_err(|error| anyhow!("-{}: {error}", flag.name))
}

/// Defaults of both programs.
pub(super) fn usual_settings() -> Settings {
    let mut settings = Settings::default();
    settings.run.concurrency = Some(NonZeroUsize::MIN);
    settings.run.on_fault = OnFault::StopOnCrash;
    settings.run.bad_options = BadOptions::Warn;
    settings.run.seed = seed_of_now();
    settings.clock.tc = None;
    settings.clock.timemargin = 0;
    settings.adjudication.draw = OnOff::Off;
    settings.adjudication.resign = OnOff::Off;
    settings.adjudication.maxmoves = 0;
    settings
}

pub(super) fn affinity(flag: &Flag<'_>) -> anyhow::Result<Affinity> {
    match flag.words {
        [] => Ok(Affinity::On),
        _ => flag.word()?.parse().map_err(|error: String| anyhow!("-use-affinity: {error}")),
    }
}

pub(super) fn variant(flag: &Flag<'_>) -> anyhow::Result<Variant> {
    match flag.word()? {
        "standard" => Ok(Variant::Standard),
        "fischerandom" => Ok(Variant::Chess960),
        other => bail!("-variant {other}: the variants are standard and fischerandom"),
    }
}

pub(super) fn tournament(flag: &Flag<'_>) -> anyhow::Result<Format> {
    Ok(match flag.word()? {
        "round-robin" | "roundrobin" => Format::RoundRobin,
        "gauntlet" => Format::Gauntlet,
        "knockout" => Format::Knockout,
        "pyramid" => Format::Pyramid,
        other => bail!("-tournament {other}: the types are roundrobin, gauntlet, knockout and pyramid"),
    })
}

pub(super) fn policy(flag: &Flag<'_>, value: &str) -> anyhow::Result<OpeningPolicy> {
    match value {
        "round" => Ok(OpeningPolicy::Round),
        "encounter" => Ok(OpeningPolicy::Pairing), // the word of cutechess-cli
        "default" => Ok(OpeningPolicy::Pair),
        _ => Err(flag.refuse("policy", value, "the policies are default, round and encounter")),
    }
}

/// Accepts flags that request existing behavior; refuses those that are not supported.
pub(super) fn other(flag: &Flag<'_>) -> anyhow::Result<()> {
    let cannot = |reason: &str| Err(anyhow!("-{} is not supported: {reason}", flag.name));
    match flag.name {
        // Concurrency is limited only by the request; more games than cores cause a warning.
        "force-concurrency" => flag.alone(),
        "bookmode" => match flag.word()? {
            "ram" | "disk" => Ok(()),
            other => Err(anyhow!("-bookmode {other}: the modes are ram and disk")),
        },
        "compliance" => cannot("it examines one engine, and stands first: -compliance ENGINE [ARGS]"),
        _ => {
            let hint = smalt_driver::nearest::nearest(flag.name, known());
            let hint = hint.map(|hint| format!(" (did you mean -{hint}?)")).unwrap_or_default();
            Err(anyhow!("unknown flag -{}{hint}; -help lists them", flag.name))
        }
    }
}

/// All flags in the help, for hints.
fn known() -> impl Iterator<Item = &'static str> {
    let words = HELP.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.filter_map(|word| word.strip_prefix('-')).filter(|name| name.len() > 1)
}
