//! The command `plot`: finds out what its files are and chooses the plot. `crate::plot` draws it.

use std::path::Path;

use anyhow::{Context, anyhow};
use serde_json::Value;
use smalt::evaluation::Parameters;
use smalt_report::plot::Chart;

use super::arguments::{PlotFlags, PlotKind};
use super::{
    Exit, OrRefuse, Outputs, Refusal, is_standard_output, parameters, print, read_text, traced_parameters,
    traces,
};
use crate::clop::ClopState;
use crate::plot::{Comparison, errors, landscape, parameters_by_games};
use crate::spsa::SpsaState;
use crate::trace::file::{TraceFile, is_trace_file};
use crate::tuning::Tuning as _;
use crate::weights::parameters_of;
use crate::weights::schema::Schema;

pub(super) fn run(flags: &PlotFlags) -> Result<Exit, Refusal> {
    let outputs =
        Outputs::check([flags.output.as_ref()], flags.files.iter().map(AsRef::as_ref), flags.force)?;
    let svg = match flags.files.as_slice() {
        [run] if flags.engine.is_none() && !is_table(run) && !is_trace_file(run) => state(run, flags.kind)?,
        _ => change(flags)?,
    };
    match &flags.output {
        Some(path) if !is_standard_output(path) => outputs.write(path, &svg)?,
        _ => print(&svg)?,
    }
    Ok(Exit::Done)
}

/// Whether a file has parameters: Smalt's, or another engine's as TOML or JSON.
fn is_table(path: &Path) -> bool {
    let is_json_table = || {
        let text = std::fs::read_to_string(path).ok()?;
        Some(serde_json::from_str::<Value>(&text).ok()?.get("weights")?.is_object())
    };
    path.extension().is_some_and(|extension| extension == "toml") || is_json_table() == Some(true)
}

/// Content of a JSON file: the errors of a fit, or the parameters of an SPSA run.
fn state(path: &Path, kind: Option<PlotKind>) -> Result<String, Refusal> {
    let shown = path.display();
    if !matches!(kind, None | Some(PlotKind::Loss)) {
        let error =
            anyhow!("{shown}: boards and steps are drawn from parameter files: [BEFORE.toml] AFTER.toml");
        return Err(error).or_usage();
    }
    let text = read_text(path)?;
    if let Ok(state) = ClopState::parse(&text) {
        return landscape(&state).with_context(|| shown.to_string()).or_usage();
    }
    if let Ok(state) = SpsaState::parse(&text) {
        return parameters_by_games(&state).to_svg().with_context(|| shown.to_string()).or_usage();
    }
    let run: Value = serde_json::from_str(&text).with_context(|| format!("{shown}: not JSON")).or_usage()?;
    let chart = errors(&run)
        .ok_or_else(|| {
            anyhow!("{shown}: expected what `texel --json FILE` wrote, or a checkpoint of `spsa` or `clop`")
        })
        .or_usage()?;
    chart.to_svg().with_context(|| shown.to_string()).or_usage()
}

/// The old numbers beside the new ones.
fn change(flags: &PlotFlags) -> Result<String, Refusal> {
    let Some((after, before)) = flags.files.split_last() else { return Err(anyhow!("no file")).or_usage() };
    let before = before.first();
    let shown = after.display();
    if is_trace_file(after) {
        return Err(anyhow!("{shown}: traces: give the file of tuned parameters after it")).or_usage();
    }
    let traced = before.filter(|before| is_trace_file(before));
    let header = match (&flags.engine, traced) {
        (Some(words), _) => Some(traces::header_of(words)?),
        (None, Some(traced)) => {
            Some(TraceFile::open(traced).with_context(|| traced.display().to_string()).or_usage()?.header)
        }
        (None, None) => None,
    };
    let comparison = match &header {
        None => Comparison {
            schema: Schema::own(),
            unit: "centipawns",
            is_a1_first: false,
            before: parameters_of(
                &before.map_or_else(|| Ok(Parameters::embedded().clone()), |path| parameters(path))?,
            ),
            after: parameters_of(&parameters(after)?),
        },
        Some(header) => Comparison {
            schema: &header.schema,
            unit: if header.unit == 100.0 { "centipawns" } else { "units of the engine" },
            is_a1_first: header.is_a1_first,
            before: match before.filter(|_| traced.is_none()) {
                Some(path) => traced_parameters(path, &header.schema)?,
                None => header.start.clone(),
            },
            after: traced_parameters(after, &header.schema)?,
        },
    };
    let svg = match flags.kind.unwrap_or(PlotKind::Boards) {
        PlotKind::Boards => {
            comparison.boards().map(|chart| chart.to_svg()).ok_or("no table of 64 or 32 numbers")
        }
        PlotKind::Moved => comparison.moved().map(|chart| chart.to_svg()).ok_or("no weight changed"),
        PlotKind::Loss => Err("errors are drawn from what `texel --json FILE` wrote"),
    };
    svg.map_err(|words| anyhow!("{shown}: {words}")).or_usage()?.with_context(|| shown.to_string()).or_usage()
}
