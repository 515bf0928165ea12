//! The command `check`.

use std::cmp::Ordering;
use std::path::Path;

use anyhow::{Context, anyhow};
use serde_json::{Map, Value, json};
use smalt::evaluation::Parameters;
use smalt::evaluation::features;
use smalt::evaluation::trace::FeatureCounter;
use smalt_chess::Epd;

use super::arguments::CheckFlags;
use super::{Exit, OrRefuse, Refusal, Skipped, check_writable, open, parameters, show, with_threads, write};
use crate::check::{Findings, Pair, check, phases, squared_error};
use crate::features::row::pack;
use crate::features::{Kept, Row, Split, Table};
use crate::weights::{entry_of, name_of, parameters_of};

/// Pairs that are named; the others are counted.
const NAMED_PAIRS: usize = 20;

pub(super) fn run(flags: &CheckFlags) -> Result<Exit, Refusal> {
    let weights = match &flags.params {
        Some(path) => parameters(path)?,
        None => Parameters::embedded().clone(),
    };
    check_writable([flags.json.as_ref(), flags.outliers.as_ref()])?;
    with_threads(flags.threads, || {
        let mut skipped = Skipped::default();
        let split = Split { validation: 0.0, seed: 0 };
        let dataset = open(&flags.positions)?;
        let table = Table::load(
            dataset,
            split,
            Kept::default(),
            |line| skipped.tell(&flags.positions, &line),
            |_| {},
        )
        .with_context(|| flags.positions.display().to_string())
        .or_failed()?;
        if table.is_empty() {
            return Err(anyhow!("{}: no positions", flags.positions.display())).or_usage();
        }
        let findings = check(&table, &weights).or_failed()?;
        let page = page(&table, &findings, flags.all);
        show(&page, flags.json.as_deref(), || document(&table, &findings))?;
        if let Some(path) = &flags.outliers {
            write_outliers(flags, path, &weights, findings.k)?;
        }
        Ok(skipped.exit())
    })
}

fn document(table: &Table, findings: &Findings) -> Value {
    let names = |weights: &[usize]| weights.iter().map(|&weight| name_of(weight)).collect::<Vec<_>>();
    let pair = |pair: &Pair| json!({"first": parameter_name(pair.first), "second": parameter_name(pair.second), "correlation": pair.correlation});
    let coverage: Map<String, Value> =
        table.coverage.iter().enumerate().map(|(weight, &count)| (name_of(weight), json!(count))).collect();
    json!({
        "positions": table.len(), "k": findings.k, "error": findings.error,
        "phases": phases(&table.train),
        "unseen": names(&findings.unseen),
        "without_effect": names(&findings.dead),
        "dominated": findings.dominated.iter().map(|&index| parameter_name(index)).collect::<Vec<_>>(),
        "collinear": findings.collinear.iter().map(pair).collect::<Vec<_>>(),
        "coverage": coverage,
    })
}

/// The name of a parameter: its weight, and which half.
fn parameter_name(index: usize) -> String {
    format!("{} {}", name_of(index / 2), if index.is_multiple_of(2) { "mg" } else { "eg" })
}

/// How many parameters of each term are among these, in words.
fn by_term(parameters: &[usize]) -> String {
    let mut terms: Vec<(String, usize)> = Vec::new();
    for &index in parameters {
        let entry = entry_of(index / 2);
        let name = format!("{}.{}", entry.group, entry.name);
        match terms.last_mut().filter(|last| last.0 == name) {
            Some(last) => last.1 += 1,
            None => terms.push((name, 1)),
        }
    }
    terms.iter().map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
}

fn page(table: &Table, findings: &Findings, all: bool) -> String {
    let mut page =
        format!("{} positions; error {:.6} with k {:.4}\n", table.len(), findings.error, findings.k);
    let counts: Vec<String> = phases(&table.train).iter().rev().map(u64::to_string).collect();
    page.push_str(&format!("by phase, 24 (all pieces) to 0: {}\n", counts.join(" ")));
    let list =
        |weights: &[usize]| weights.iter().map(|&weight| name_of(weight)).collect::<Vec<_>>().join(", ");
    page.push_str(&format!("\nnever occur ({}): {}\n", findings.unseen.len(), list(&findings.unseen)));
    page.push_str(&format!(
        "without effect at these values ({}): {}\n",
        findings.dead.len(),
        list(&findings.dead)
    ));
    let mut rare: Vec<usize> =
        (0..table.coverage.len()).filter(|&weight| (1..100).contains(&table.coverage[weight])).collect();
    rare.sort_by_key(|&weight| table.coverage[weight]);
    page.push_str(&format!("in fewer than 100 positions ({}):\n", rare.len()));
    for weight in rare {
        page.push_str(&format!("  {:>4} {}\n", table.coverage[weight], name_of(weight)));
    }
    page.push_str(&format!("\npairs that can hardly be told apart ({}):\n", findings.collinear.len()));
    for pair in findings.collinear.iter().take(NAMED_PAIRS) {
        let [first, second] = [pair.first, pair.second].map(parameter_name);
        page.push_str(&format!("  {:+.4} {first}, {second}\n", pair.correlation));
    }
    page.push_str(&format!(
        "\ndetermined by all others together, so that other numbers give the same evaluations ({}): {}\n",
        findings.dominated.len(),
        by_term(&findings.dominated)
    ));
    if all {
        page.push_str("\npositions in which each weight occurs:\n");
        for (weight, count) in table.coverage.iter().enumerate() {
            page.push_str(&format!("  {count:>9} {}\n", name_of(weight)));
        }
    }
    page
}

/// Writes the positions that the weights judge worst, the worst first.
fn write_outliers(flags: &CheckFlags, path: &Path, weights: &Parameters, k: f64) -> Result<(), Refusal> {
    let parameters = parameters_of(weights);
    let mut worst: Vec<(f64, Epd)> = Vec::new();
    let by_error = |a: &(f64, Epd), b: &(f64, Epd)| b.0.partial_cmp(&a.0).unwrap_or(Ordering::Equal);
    let judge = |sample: &crate::dataset::Sample| {
        let packed = pack(&features(&sample.position, &mut FeatureCounter::default())).ok()?;
        let error = squared_error(&Row::whole(&packed), sample, &parameters, k);
        let mut epd = Epd::new(sample.position);
        epd.push_text("c9", &sample.result.to_string());
        epd.push_text("c0", &format!("squared error {error:.4}"));
        Some((error, epd))
    };
    let take = |judged: Option<(f64, Epd)>| {
        worst.extend(judged);
        if worst.len() > 2 * flags.count + 1024 {
            worst.sort_by(by_error);
            worst.truncate(flags.count);
        }
    };
    open(&flags.positions)?.for_each_batch(16_384, |_| false, judge, take, |_| {}).or_failed()?;
    worst.sort_by(by_error);
    worst.truncate(flags.count);
    let text: String = worst.iter().map(|(_, epd)| format!("{epd}\n")).collect();
    write(path, &text)
}
