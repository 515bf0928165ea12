//! The command `check`: reports the loss of weights on positions or traces, the coverage of each weight, collinear pairs
//! and the positions with the largest errors. The figures come from `crate::check`.

use std::cmp::Ordering;

use anyhow::{Context, anyhow};
use smalt::evaluation::Parameters;
use smalt::evaluation::features as counted;
use smalt::evaluation::trace::FeatureCounter;
use smalt_chess::Epd;

use super::arguments::CheckFlags;
use super::json::{CheckJson, CollinearJson};
use super::traces::{self, is_traced};
use super::{
    Exit, OrRefuse, Outputs, Refusal, Skipped, interrupt, memory_limit, open, parameters, show,
    traced_parameters, with_threads,
};
use crate::check::{CollinearPair, Findings, check};
use crate::features::row::pack;
use crate::features::{self, FeatureRow, Kept, Split};
use crate::fit_data::FitData;
use crate::labels::Sources;
use crate::loss::{LabelledRows, sigmoid};
use crate::trace::file::TraceFile;
use crate::weights::parameters_of;
use crate::weights::schema::Schema;
use smalt_dataset::Sample;

/// Pairs listed by name; the others are counted.
const NAMED_PAIRS: usize = 20;

/// Weights in fewer than 100 positions listed by name unless all are asked for, the rarest first.
const NAMED_WEIGHTS: usize = 100;

/// All positions, without validation.
const SPLIT: Split = Split { validation: 0.0, seed: 0 };

pub(super) fn run(flags: &CheckFlags) -> Result<Exit, Refusal> {
    let inputs = [flags.positions.path.as_path()];
    let outputs =
        Outputs::check([flags.result.json.as_ref(), flags.outliers.as_ref()], inputs, flags.result.force)?;
    if is_traced(&flags.engine, std::slice::from_ref(&flags.positions)) {
        let stop = interrupt()?;
        return with_threads(flags.threads, || check_traces(flags, &outputs, &stop));
    }
    let weights = match &flags.parameters {
        Some(path) => parameters(path)?,
        None => Parameters::embedded().clone(),
    };
    with_threads(flags.threads, || check_own(flags, &outputs, &parameters_of(&weights)))
}

fn check_own(flags: &CheckFlags, outputs: &Outputs, weights: &[f64]) -> Result<Exit, Refusal> {
    let path = &flags.positions.path;
    let mut skipped = Skipped::default();
    let mut loader = features::Loader::new(SPLIT, Kept::default(), memory_limit(&flags.memory));
    loader
        .add(open(path)?, flags.positions.options, |line| skipped.report(path, &line), |_| {})
        .with_context(|| path.display().to_string())
        .or_failed()?;
    let table = loader.finish().context("failed to keep the positions in a temporary file").or_failed()?;
    if table.is_empty() {
        return Err(anyhow!("{}: no positions", path.display())).or_usage();
    }
    let phases = table.train.phases();
    let findings = report(flags, outputs, &table, Schema::own(), weights, Some(&phases))?;
    if let Some(output) = &flags.outliers {
        let mut sources = Sources::default();
        sources.begin(&[], flags.positions.options);
        let mut outliers = Outliers::new(flags.count);
        let error_of = |sample: &Sample| {
            let packed = pack(&counted(&sample.position, &mut FeatureCounter::default())).ok()?;
            let parts = FeatureRow::whole(&packed)
                .parts::<f64>(|weight| [weights[2 * weight], weights[2 * weight + 1]]);
            let result = sources.label(sample).result;
            Some((squared_error(parts.evaluation(), findings.k, result), sample.position, result))
        };
        let take = |outlier: Option<(f64, smalt_chess::Position, f32)>| {
            if let Some((error, position, result)) = outlier {
                outliers.push(error, &position, result);
            }
        };
        open(path)?.for_each_batch(16_384, |_| false, error_of, take, |_| {}).or_failed()?;
        outputs.write(output, &outliers.finish())?;
    }
    Ok(skipped.exit())
}

fn check_traces(
    flags: &CheckFlags,
    outputs: &Outputs,
    stop: &std::sync::atomic::AtomicBool,
) -> Result<Exit, Refusal> {
    let source = std::slice::from_ref(&flags.positions);
    let traced =
        traces::load(&flags.engine, source, SPLIT, Kept::default(), memory_limit(&flags.memory), stop)?;
    let header = &traced.header;
    let weights = match &flags.parameters {
        Some(path) => traced_parameters(path, &header.schema)?,
        None => header.start.clone(),
    };
    let findings = report(flags, outputs, &traced.table, &header.schema, &weights, None)?;
    if let Some(output) = &flags.outliers {
        let mut sources = Sources::default();
        sources.begin(&[], flags.positions.options);
        let mut outliers = Outliers::new(flags.count);
        let file = TraceFile::open(&traced.files[0]).or_failed()?;
        let take = |traced: crate::trace::file::TracedPosition| {
            let centipawns = traced.trace.evaluate(header, &weights) * 100.0 / header.unit;
            for sample in &traced.samples {
                let result = sources.label(sample).result;
                outliers.push(squared_error(centipawns, findings.k, result), &sample.position, result);
            }
        };
        file.for_each(take, |_| {}).or_failed()?;
        outputs.write(output, &outliers.finish())?;
    }
    Ok(traced.skipped.exit())
}

fn report<R: LabelledRows>(
    flags: &CheckFlags,
    outputs: &Outputs,
    table: &FitData<R>,
    schema: &Schema,
    weights: &[f64],
    phases: Option<&[u64]>,
) -> Result<Findings, Refusal> {
    let findings = check(table, schema, weights).or_failed()?;
    let page = page(table, schema, &findings, phases, flags.all);
    show(&page, flags.result.json.as_deref(), outputs, || document(table, schema, &findings, phases))?;
    Ok(findings)
}

fn squared_error(centipawns: f64, k: f64, result: f32) -> f64 {
    (sigmoid(centipawns, k) - f64::from(result)).powi(2)
}

/// The positions with the largest errors.
struct Outliers {
    count: usize,
    worst: Vec<(f64, Epd)>,
}

impl Outliers {
    fn new(count: usize) -> Outliers {
        Outliers { count, worst: Vec::new() }
    }

    fn push(&mut self, error: f64, position: &smalt_chess::Position, result: f32) {
        let mut epd = Epd::new(*position);
        epd.push_text("c9", &result.to_string());
        epd.push_text("c0", &format!("squared error {error:.4}"));
        self.worst.push((error, epd));
        if self.worst.len() > 2 * self.count + 1024 {
            self.shorten();
        }
    }

    fn shorten(&mut self) {
        self.worst.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal));
        self.worst.truncate(self.count);
    }

    /// EPD lines, the largest error first.
    fn finish(mut self) -> String {
        self.shorten();
        self.worst.iter().map(|(_, epd)| format!("{epd}\n")).collect()
    }
}

fn document<'a, R: LabelledRows>(
    table: &FitData<R>,
    schema: &'a Schema,
    findings: &Findings,
    phases: Option<&'a [u64]>,
) -> CheckJson<'a> {
    let name = |weight: usize| schema.weights[weight].name.as_str();
    let names = |weights: &[usize]| weights.iter().map(|&weight| name(weight)).collect::<Vec<_>>();
    let parameter_name = |index: usize| schema.parameter_name(index);
    let pair = |pair: &CollinearPair| CollinearJson {
        first: parameter_name(pair.first),
        second: parameter_name(pair.second),
        correlation: pair.correlation,
    };
    let dominated = findings.dominated.as_ref();
    let dominated = dominated.map(|all| all.iter().map(|&index| parameter_name(index)).collect::<Vec<_>>());
    CheckJson {
        positions: table.train.labels().len(),
        k: findings.k,
        error: findings.error,
        phases,
        unseen: names(&findings.unseen),
        not_compared: findings.not_compared,
        without_effect: names(&findings.dead),
        dominated,
        collinear: findings.collinear.iter().map(pair).collect(),
        coverage: table.coverage.iter().enumerate().map(|(weight, &count)| (name(weight), count)).collect(),
    }
}

/// Number of parameters per term, as text.
fn by_term(schema: &Schema, parameters: &[usize]) -> String {
    let mut terms: Vec<(&str, usize)> = Vec::new();
    for &index in parameters {
        let name = schema.weight_of(index).term.as_str();
        match terms.last_mut().filter(|last| last.0 == name) {
            Some(last) => last.1 += 1,
            None => terms.push((name, 1)),
        }
    }
    terms.iter().map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
}

fn page<R: LabelledRows>(
    table: &FitData<R>,
    schema: &Schema,
    findings: &Findings,
    phases: Option<&[u64]>,
    all: bool,
) -> String {
    let name = |weight: usize| schema.weights[weight].name.as_str();
    let parameter_name = |index: usize| schema.parameter_name(index);
    let positions = table.train.labels().len();
    let mut page = format!("{positions} positions; error {:.6} with k {:.4}\n", findings.error, findings.k);
    if let Some(phases) = phases {
        let counts: Vec<String> = phases.iter().rev().map(u64::to_string).collect();
        page.push_str(&format!("by phase, 24 (all pieces) to 0: {}\n", counts.join(" ")));
    }
    let list = |weights: &[usize]| weights.iter().map(|&weight| name(weight)).collect::<Vec<_>>().join(", ");
    page.push_str(&format!("\nnever occur ({}): {}\n", findings.unseen.len(), list(&findings.unseen)));
    if findings.not_compared > 0 {
        let count = findings.not_compared;
        page.push_str(&format!("rarer than the others and not compared below ({count})\n"));
    }
    page.push_str(&format!(
        "without effect at these values ({}): {}\n",
        findings.dead.len(),
        list(&findings.dead)
    ));
    let mut rare: Vec<usize> =
        (0..table.coverage.len()).filter(|&weight| (1..100).contains(&table.coverage[weight])).collect();
    rare.sort_by_key(|&weight| table.coverage[weight]);
    page.push_str(&format!("in fewer than 100 positions ({}):\n", rare.len()));
    let named = if all { rare.len() } else { rare.len().min(NAMED_WEIGHTS) };
    for &weight in &rare[..named] {
        page.push_str(&format!("  {:>4} {}\n", table.coverage[weight], name(weight)));
    }
    if named < rare.len() {
        page.push_str(&format!("  and {} more; --all lists them\n", rare.len() - named));
    }
    page.push_str(&format!("\ncollinear pairs ({}):\n", findings.collinear.len()));
    for pair in findings.collinear.iter().take(NAMED_PAIRS) {
        let [first, second] = [pair.first, pair.second].map(parameter_name);
        page.push_str(&format!("  {:+.4} {first}, {second}\n", pair.correlation));
    }
    page.push_str(&match &findings.dominated {
        Some(dominated) => format!(
            "\ndetermined by all others together, so that other numbers give the same evaluations ({}): {}\n",
            dominated.len(),
            by_term(schema, dominated)
        ),
        None => {
            "\ndetermined by all others together: unknown, the numbers are too imprecise to tell\n".to_owned()
        }
    });
    if all {
        page.push_str("\npositions in which each weight occurs:\n");
        for (weight, count) in table.coverage.iter().enumerate() {
            page.push_str(&format!("  {count:>9} {}\n", name(weight)));
        }
    }
    page
}
