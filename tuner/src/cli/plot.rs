//! The command `plot`.

use std::path::Path;

use anyhow::{Context, anyhow};
use serde_json::Value;
use smalt::evaluation::Parameters;
use smalt_report::plot::Chart;

use super::arguments::{PlotFlags, PlotKind};
use super::{Exit, OrRefuse, Outputs, Refusal, parameters, print};
use crate::clop::ClopState;
use crate::plot::{boards, errors, landscape, moved, parameters_by_games};
use crate::spsa::SpsaState;
use crate::tuning::Tuning as _;

pub(super) fn run(flags: &PlotFlags) -> Result<Exit, Refusal> {
    let outputs = Outputs::check([flags.output.as_ref()], flags.force)?;
    let svg = match flags.files.as_slice() {
        [run] if !is_table(run) => state(run, flags.kind)?,
        [after] => change(Parameters::embedded(), after, flags.kind)?,
        [before, after] => change(&parameters(before)?, after, flags.kind)?,
        _ => return Err(anyhow!("one file of a fit, or one or two parameter files")).or_usage(),
    };
    match &flags.output {
        Some(path) if path.as_os_str() != "-" => outputs.write(path, &svg)?,
        _ => print(&svg)?,
    }
    Ok(Exit::Done)
}

fn is_table(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

/// Content of a JSON file: the errors of a fit, or the parameters of an SPSA run.
fn state(path: &Path, kind: Option<PlotKind>) -> Result<String, Refusal> {
    let shown = path.display();
    if !matches!(kind, None | Some(PlotKind::Loss)) {
        let error =
            anyhow!("{shown}: boards and steps are drawn from parameter files: [BEFORE.toml] AFTER.toml");
        return Err(error).or_usage();
    }
    let text = std::fs::read_to_string(path).with_context(|| shown.to_string()).or_usage()?;
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

fn change(before: &Parameters, after: &Path, kind: Option<PlotKind>) -> Result<String, Refusal> {
    let (shown, after) = (after.display(), parameters(after)?);
    match kind.unwrap_or(PlotKind::Boards) {
        PlotKind::Boards => boards(before, &after).to_svg().with_context(|| shown.to_string()).or_usage(),
        PlotKind::Moved if before == &after => Err(anyhow!("{shown}: no weight changed")).or_usage(),
        PlotKind::Moved => moved(before, &after).to_svg().with_context(|| shown.to_string()).or_usage(),
        PlotKind::Loss => {
            Err(anyhow!("{shown}: errors are drawn from what `texel --json FILE` wrote")).or_usage()
        }
    }
}
