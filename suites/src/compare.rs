//! Compares two runs on the same suite, position by position: newly solved, newly lost, and a significance test.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use smalt_stats::paired::{bootstrap_sum, mcnemar};

use crate::record::{Record, ResultRecord};

/// Bootstrap resamples: the ends are then accurate to about 2% of the interval.
const RESAMPLES: usize = 10_000;

/// Seed of the bootstrap: the same runs give the same interval.
const SEED: u64 = 1;

/// The second run against the first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Comparison {
    /// Name of the suite; `total` for all suites of two engines together.
    pub suite: String,
    /// The run that is compared with.
    pub first: ComparedRun,
    /// The run that is compared.
    pub second: ComparedRun,
    /// Number of positions that both runs have answered.
    pub positions: usize,
    /// Number of positions of either run that the other does not have, or has not answered.
    pub unpaired: usize,
    /// Positions that only the second run solved.
    pub newly_solved: Vec<ChangedPosition>,
    /// Positions that only the first run solved.
    pub newly_lost: Vec<ChangedPosition>,
    /// McNemar's exact test, two-sided: the probability that changes split at least this unevenly by chance.
    pub p_value: f64,
    /// Points of the second less those of the first.
    pub points: i64,
    /// Lower end of the 95 % interval of `points`, from a paired bootstrap over positions.
    pub points_low: Option<f64>,
    /// Its upper end.
    pub points_high: Option<f64>,
    /// Verdict on the second run.
    pub verdict: ComparisonVerdict,
}

/// One run of a comparison, on the positions that both have.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ComparedRun {
    /// Engine name in the run.
    pub engine: String,
    /// Limit of a position, e.g. `nodes 20000`; null for a move list.
    pub limit: Option<String>,
    /// Number of solved positions.
    pub solved: usize,
    /// Sum of points.
    pub points: u64,
}

/// A position that only one run solved.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ChangedPosition {
    /// Id of the position in the suite.
    pub id: String,
    /// The position.
    pub fen: String,
    /// Move of the first run, in SAN.
    pub first: Option<String>,
    /// Move of the second run, in SAN.
    pub second: Option<String>,
    /// Solutions in SAN.
    pub best: Vec<String>,
    /// Moves to avoid, in SAN.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub avoid: Vec<String>,
}

/// Verdict on the second run, from a single test. Where each position is worth one point that is
/// McNemar's exact test at 5 %, else the interval of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ComparisonVerdict {
    /// More points than chance explains.
    Better,
    /// Fewer points than chance explains.
    Worse,
    /// Chance explains the difference.
    Noise,
}

/// Name of the comparison over all suites of one pair of engines.
pub(crate) const TOTAL: &str = "total";

const SIGNIFICANCE: f64 = 0.05;

type RecordPair<'a> = (&'a ResultRecord, &'a ResultRecord);

impl Comparison {
    /// Compares two runs; `None` if they share no position. Positions are paired by id and position; repeated ids in
    /// order.
    pub(crate) fn new(first: &Record, second: &Record) -> Option<Comparison> {
        Comparison::of(&first.suite, &[(first, second)])
    }

    /// Compares two engines over several suites, all positions together; `None` for a single suite.
    pub(crate) fn total(runs: &[(&Record, &Record)]) -> Option<Comparison> {
        if runs.len() < 2 { None } else { Comparison::of(TOTAL, runs) }
    }

    fn of(suite: &str, runs: &[(&Record, &Record)]) -> Option<Comparison> {
        let &(first, second) = runs.first()?;
        let pairs: Vec<RecordPair<'_>> =
            runs.iter().flat_map(|(a, b)| pair(&a.results, &b.results)).collect();
        if pairs.is_empty() {
            return None;
        }
        let results = runs.iter().map(|(a, b)| a.results.len() + b.results.len()).sum::<usize>();
        let differences: Vec<f64> =
            pairs.iter().map(|(a, b)| f64::from(b.points) - f64::from(a.points)).collect();
        let interval = bootstrap_sum(&differences, RESAMPLES, SEED);
        let changes = |wanted: (bool, bool)| -> Vec<ChangedPosition> {
            let changed = pairs.iter().filter(|(a, b)| (a.solved, b.solved) == wanted);
            changed.map(|(a, b)| ChangedPosition::new(a, b)).collect()
        };
        let (newly_solved, newly_lost) = (changes((false, true)), changes((true, false)));
        let p_value = mcnemar(newly_solved.len() as u64, newly_lost.len() as u64);
        let points = pairs.iter().map(|(a, b)| i64::from(b.points) - i64::from(a.points)).sum();
        let is_real = if pairs.iter().all(|(a, b)| a.max_points == 1 && b.max_points == 1) {
            p_value < SIGNIFICANCE
        } else {
            interval.is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
        };
        Some(Comparison {
            suite: suite.to_owned(),
            first: ComparedRun::new(first, pairs.iter().map(|(a, _)| *a)),
            second: ComparedRun::new(second, pairs.iter().map(|(_, b)| *b)),
            positions: pairs.len(),
            unpaired: results - 2 * pairs.len(),
            p_value,
            newly_solved,
            newly_lost,
            points,
            points_low: interval.map(|interval| interval.low),
            points_high: interval.map(|interval| interval.high),
            verdict: match points {
                1.. if is_real => ComparisonVerdict::Better,
                ..=-1 if is_real => ComparisonVerdict::Worse,
                _ => ComparisonVerdict::Noise,
            },
        })
    }
}

impl ComparedRun {
    fn new<'a>(run: &Record, results: impl Iterator<Item = &'a ResultRecord>) -> ComparedRun {
        let side = ComparedRun { engine: run.engine.clone(), limit: run.limit.clone(), solved: 0, points: 0 };
        results.fold(side, |side, result| ComparedRun {
            solved: side.solved + usize::from(result.solved),
            points: side.points + u64::from(result.points),
            ..side
        })
    }
}

impl ChangedPosition {
    fn new(first: &ResultRecord, second: &ResultRecord) -> ChangedPosition {
        ChangedPosition {
            id: first.id.clone(),
            fen: first.fen.clone(),
            first: first.san.clone(),
            second: second.san.clone(),
            best: first.best.clone(),
            avoid: first.avoid.clone(),
        }
    }
}

fn pair<'a>(first: &'a [ResultRecord], second: &'a [ResultRecord]) -> Vec<RecordPair<'a>> {
    let mut seconds: HashMap<(&str, &str), Vec<&ResultRecord>> = HashMap::new();
    for result in second.iter().rev().filter(|result| !result.is_unanswered()) {
        seconds.entry((&result.id, &result.fen)).or_default().push(result);
    }
    first
        .iter()
        .filter(|result| !result.is_unanswered())
        .filter_map(|a| seconds.get_mut(&(a.id.as_str(), a.fen.as_str()))?.pop().map(|b| (a, b)))
        .collect()
}

/// Suites that only one of two files has.
pub(crate) fn unmatched_suites<'a>(first: &'a [Record], second: &'a [Record]) -> Vec<&'a str> {
    let lacks = |records: &[Record], suite: &str| records.iter().all(|record| record.suite != suite);
    let all = first.iter().chain(second).map(|record| record.suite.as_str());
    let mut suites = Vec::new();
    for suite in all.filter(|suite| lacks(first, suite) || lacks(second, suite)) {
        if !suites.contains(&suite) {
            suites.push(suite);
        }
    }
    suites
}

/// Pairs the runs of two files: those of one suite and the same engine if both files have it, otherwise with the
/// first file's first run. With one file, its later runs are compared with its first.
pub(crate) fn match_runs<'a>(
    first: &'a [Record],
    second: Option<&'a [Record]>,
) -> Vec<(&'a Record, &'a Record)> {
    let candidates = second.unwrap_or(first);
    let counterpart = |run: &Record| {
        let same_suite = || first.iter().filter(|other| other.suite == run.suite);
        let same_engine = same_suite().find(|other| second.is_some() && other.engine == run.engine);
        same_engine.or_else(|| same_suite().next())
    };
    let pairs = candidates.iter().filter_map(|run| Some((counterpart(run)?, run)));
    pairs.filter(|(a, b)| !std::ptr::eq(*a, *b)).collect()
}

/// The same pairs grouped by their two engines, in order of first occurrence.
pub(crate) fn by_engines<'a>(pairs: &[(&'a Record, &'a Record)]) -> Vec<Vec<(&'a Record, &'a Record)>> {
    let mut groups: Vec<Vec<(&Record, &Record)>> = Vec::new();
    for &(a, b) in pairs {
        let is_same = |group: &&mut Vec<(&Record, &Record)>| {
            group.first().is_some_and(|(first, second)| first.engine == a.engine && second.engine == b.engine)
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push((a, b)),
            None => groups.push(vec![(a, b)]),
        }
    }
    groups
}
