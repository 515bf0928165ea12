//! The command `plot`.

use anyhow::{Context, anyhow};
use serde_json::Value;
use smalt_report::plot::{Axis, Chart, LineChart};

use super::arguments::PlotFlags;
use super::{Exit, OrRefuse, Refusal, print, write};

pub(super) fn run(flags: &PlotFlags) -> Result<Exit, Refusal> {
    let shown = flags.run.display();
    let text = std::fs::read_to_string(&flags.run).with_context(|| shown.to_string()).or_usage()?;
    let run: Value = serde_json::from_str(&text).with_context(|| format!("{shown}: not JSON")).or_usage()?;
    let chart = chart(&run)
        .ok_or_else(|| anyhow!("{shown}: no `history`: expected what `texel --json FILE` wrote"))
        .or_usage()?;
    let svg = chart.to_svg().with_context(|| shown.to_string()).or_usage()?;
    match &flags.output {
        Some(path) if path.as_os_str() != "-" => write(path, &svg)?,
        _ => print(&svg)?,
    }
    Ok(Exit::Done)
}

/// The errors of a fit by epoch.
fn chart(run: &Value) -> Option<LineChart> {
    let history = run["history"].as_array()?;
    let points = |key: &'static str| {
        history.iter().filter_map(move |step| step["epoch"].as_f64().zip(step[key].as_f64()))
    };
    let start = |key: &str| run[key].as_f64().map(|error| (0.0, error));
    let chart = LineChart::new("Error by epoch", Axis::new("epoch"), Axis::new("mean squared error"))
        .line("training", start("initial_error").into_iter().chain(points("train")));
    if run["validation"].as_u64() == Some(0) {
        return Some(chart);
    }
    let first = start("initial_validation_error");
    Some(chart.line("validation", first.into_iter().chain(points("validation"))))
}
