//! `compare`: several runs side by side.

use std::collections::BTreeSet;
use std::iter;
use std::path::Path;

use anyhow::anyhow;

use super::arguments::CompareFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{self, OutputFiles, TextSink};
use crate::compare::{Comparison, by_engines, match_runs, unmatched_suites};
use crate::record::Record;
use crate::report::{ReportStyle, changes, comparison_report};
use smalt_workbench::json::{Versioned, to_text};
use smalt_workbench::output_file::check_apart;

pub(super) fn compare(flags: &CompareFlags) -> Result<Exit, Refusal> {
    let files = [&flags.result.json, &flags.csv, &flags.markdown];
    let files: Vec<&Path> = files.into_iter().flatten().map(AsRef::as_ref).collect();
    check_apart(&files, iter::once(flags.first.as_path()).chain(flags.second.as_deref())).or_usage()?;
    let mut outputs = OutputFiles::check(&files, flags.result.force)?;
    let first = output::read_records(&flags.first)?;
    let second = flags.second.as_deref().map(output::read_records).transpose()?;
    let pairs = match_runs(&first, second.as_deref());
    let mut comparisons: Vec<Comparison> = pairs.iter().filter_map(|(a, b)| Comparison::new(a, b)).collect();
    let is_whole = comparisons.len() == pairs.len() && comparisons.iter().all(|one| one.unpaired == 0);
    comparisons.extend(by_engines(&pairs).iter().filter_map(|runs| Comparison::total(runs)));
    if comparisons.is_empty() {
        let suites = |records: &[Record]| {
            let names: BTreeSet<&str> = records.iter().map(|record| record.suite.as_str()).collect();
            names.into_iter().collect::<Vec<_>>().join(", ")
        };
        let words = match &second {
            Some(second) => format!(
                "{} has {}, and {} has {}",
                flags.first.display(),
                suites(&first),
                flags.second.as_deref().unwrap_or(&flags.first).display(),
                suites(second)
            ),
            None => format!("{} has {}, each once", flags.first.display(), suites(&first)),
        };
        return Err(anyhow!("nothing to compare: {words}")).or_usage();
    }
    let alone = second.as_deref().map(|second| unmatched_suites(&first, second)).unwrap_or_default();
    for suite in &alone {
        output::print_info(&format!("skipped: {suite}, which only one of the files has"));
    }
    for (a, b) in pairs.iter().filter(|(a, b)| a.settings != b.settings) {
        let names =
            if a.engine == b.engine { a.engine.clone() } else { format!("{} and {}", a.engine, b.engine) };
        output::print_info(&format!(
            "Note: the runs of {names} on {} had different settings (options, --keep-hash, --grace, --early-stop)",
            a.suite
        ));
    }
    let report = |style| {
        comparisons
            .iter()
            .map(|comparison| comparison_report(comparison, style))
            .collect::<Vec<_>>()
            .join("\n")
    };
    TextSink::beside(files).show(&report(ReportStyle::Text))?;
    if let Some(path) = &flags.markdown {
        outputs.write(path, &report(ReportStyle::Markdown))?;
    }
    if let Some(path) = &flags.csv {
        outputs.write(path, &changes(&comparisons).to_csv())?;
    }
    if let Some(path) = &flags.result.json {
        let versioned: Vec<_> = comparisons.iter().map(Versioned::of).collect();
        outputs.write(path, &to_text(&versioned))?;
    }
    outputs.check_unchanged()?;
    Ok(if is_whole && alone.is_empty() { Exit::Done } else { Exit::Skipped })
}
