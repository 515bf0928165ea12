//! Charts as SVG text: lines over a number ([`LineChart`]) and bars by name ([`BarChart`]). Knows numbers, labels and
//! units; no chess, no files.
//!
//! A chart is as wide as a phone is tall, its letters large enough to be read when it is shrunk to a phone's width.
//! The colors are those of Okabe and Ito (2008), which color-blind people tell apart; lines differ in their marks too.
//!
//! ```
//! use smalt_report::plot::{Axis, LineChart};
//!
//! let chart = LineChart::new("Error by epoch", Axis::new("epoch"), Axis::new("mean squared error"))
//!     .line("training", [(1.0, 0.12), (2.0, 0.11), (3.0, 0.105)])
//!     .line("validation", [(1.0, 0.13), (2.0, 0.12), (3.0, 0.119)]);
//! assert!(chart.to_svg().unwrap().starts_with("<svg"));
//! ```

mod bar;
mod line;
mod range;

pub use bar::{Bar, BarChart};
pub use line::LineChart;

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::prelude::SVGBackend;
use plotters::style::RGBColor;

/// What a chart is drawn on.
type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Width of every chart, in the units of its view box.
const WIDTH: u32 = 800;

/// Height of charts that do not grow with what they show.
const HEIGHT: u32 = 520;

/// Letters of titles, and all others.
const TITLE: u32 = 28;
const TEXT: u32 = 22;

/// Letters of every chart.
const FONT: &str = "sans-serif";

/// Colors of lines and bars in turn, the palest of Okabe's and Ito's left out.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Where lines of the grid stand out little.
const GRID: RGBColor = RGBColor(221, 221, 221);

/// An axis: what it shows, in which unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    label: String,
}

impl Axis {
    /// An axis without a unit: a count or a share.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis { label: label.into() }
    }

    /// An axis in a unit, which stands behind the label.
    pub fn in_unit(label: &str, unit: &str) -> Axis {
        Axis { label: format!("{label} ({unit})") }
    }
}

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// There is nothing to show: no finite number.
    #[error("nothing to plot: the chart {title:?} has no numbers")]
    Empty {
        /// The title of the chart.
        title: String,
    },
    /// The drawing library failed.
    #[error("the chart could not be drawn: {0}")]
    Draw(String),
}

impl PlotError {
    fn from_drawing(error: impl std::error::Error) -> PlotError {
        PlotError::Draw(error.to_string())
    }
}

/// The text of a drawing, made to fill the width that it is given: its size is left to the page.
fn scalable(svg: &str, height: u32) -> String {
    let fixed = format!("<svg width=\"{WIDTH}\" height=\"{height}\" ");
    let mut text = svg.replacen(&fixed, "<svg width=\"100%\" ", 1);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// Line charts below each other in one drawing; those without numbers are left out.
///
/// # Errors
/// If all are without numbers.
pub fn stacked(charts: &[LineChart]) -> Result<String, PlotError> {
    let mut parts = Vec::new();
    let mut empty = None;
    for chart in charts {
        match chart.to_svg() {
            Ok(svg) => parts.push(svg),
            Err(error @ PlotError::Empty { .. }) => empty = Some(error),
            Err(error) => return Err(error),
        }
    }
    match empty {
        Some(error) if parts.is_empty() => return Err(error),
        _ => {}
    }
    let place = |(index, svg): (u32, &String)| {
        let fixed = format!("<svg y=\"{}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" ", index * HEIGHT);
        svg.replacen("<svg width=\"100%\" ", &fixed, 1)
    };
    let inner: String = (0..).zip(&parts).map(place).collect();
    let height = HEIGHT * parts.len() as u32;
    let head = format!("<svg width=\"100%\" viewBox=\"0 0 {WIDTH} {height}\"");
    Ok(format!("{head} xmlns=\"http://www.w3.org/2000/svg\">\n{inner}</svg>\n"))
}

/// A number on an axis: as many decimals as the distance of its neighbors asks for.
fn shown(number: f64, step: f64) -> String {
    let decimals = if step > 0.0 { (-step.log10()).ceil().clamp(0.0, 9.0) as usize } else { 0 };
    let text = format!("{number:.decimals$}");
    if text.trim_start_matches('-').chars().all(|digit| matches!(digit, '0' | '.')) {
        text.trim_start_matches('-').to_owned()
    } else {
        text
    }
}
