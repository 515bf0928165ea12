//! `compare`: runs beside each other.

use anyhow::{Context, anyhow};

use super::arguments::CompareFlags;
use super::exit::{Exit, OrRefuse, Refusal};
use super::output::{self, People};
use crate::compare::{Comparison, match_runs};
use crate::report::{Style, changes, comparison_report};

pub(super) fn compare(flags: &CompareFlags) -> Result<Exit, Refusal> {
    let first = output::read_records(&flags.first)?;
    let second = flags.second.as_deref().map(output::read_records).transpose()?;
    let pairs = match_runs(&first, second.as_deref());
    let comparisons: Vec<Comparison> = pairs.iter().filter_map(|(a, b)| Comparison::new(a, b)).collect();
    if comparisons.is_empty() {
        return Err(anyhow!("nothing to compare: no suite has been run twice")).or_usage();
    }
    let report = |style| {
        comparisons
            .iter()
            .map(|comparison| comparison_report(comparison, style))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let files = [&flags.json, &flags.csv, &flags.markdown];
    People::beside(files.into_iter().flatten().map(AsRef::as_ref)).show(&report(Style::Text))?;
    if let Some(path) = &flags.markdown {
        output::write(path, &report(Style::Markdown))?;
    }
    if let Some(path) = &flags.csv {
        output::write(path, &changes(&comparisons).to_csv())?;
    }
    if let Some(path) = &flags.json {
        let text = serde_json::to_string_pretty(&comparisons).context("failed to write JSON").or_failed()?;
        output::write(path, &(text + "\n"))?;
    }
    let is_whole = comparisons.len() == pairs.len() && comparisons.iter().all(|one| one.unpaired == 0);
    Ok(if is_whole { Exit::Done } else { Exit::LeftOut })
}
