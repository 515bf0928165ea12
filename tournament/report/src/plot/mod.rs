//! Charts as SVG text: lines over a number ([`LineChart`]), bars, intervals and shares by name ([`BarChart`],
//! [`IntervalChart`], [`ShareChart`]), boards of numbers ([`HeatMap`]).
//!
//! Letters stay legible when a chart shrinks to a phone's width; the background is always white. The colors are those
//! of Okabe and Ito (2008), which color-blind readers can distinguish; lines also have different marks. Lines with
//! many points are thinned, so that the size of a file is bounded.
//!
//! ```
//! use smalt_report::plot::{Axis, Chart, LineChart};
//!
//! let chart = LineChart::new("Error by epoch", Axis::new("epoch"), Axis::new("mean squared error"))
//!     .line("training", [(1.0, 0.12), (2.0, 0.11), (3.0, 0.105)])
//!     .line("validation", [(1.0, 0.13), (2.0, 0.12), (3.0, 0.119)]);
//! assert!(chart.to_svg().unwrap().starts_with("<svg"));
//! ```

mod bar;
mod board;
mod head;
mod interval;
mod line;
mod path;
mod range;
mod rows;
mod share;

pub use bar::BarChart;
pub use board::HeatMap;
pub use interval::IntervalChart;
pub use line::LineChart;
pub use share::ShareChart;

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::prelude::SVGBackend;
use plotters::style::RGBColor;

use crate::sanitize::is_hidden;

/// Drawing area of an SVG file.
type Paper<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Width of every chart, in the units of its view box.
const WIDTH: u32 = 800;

/// Font sizes of titles and of all other text. Size 25 is drawn as 31, which is 11 or 12 on a phone 390 pixels wide.
const TITLE: u32 = 35;
const TEXT: u32 = 31;

/// Approximate width of a character of [`TEXT`].
const LETTER: u32 = 14;

/// Maximum number of characters of a label on the shorter side of a chart.
const LONGEST_LABEL: usize = 60;

/// Font of every chart.
const FONT: &str = "sans-serif";

/// Colors of lines and bars in turn: Okabe's and Ito's without the palest.
const COLORS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Color of the grid.
const GRID: RGBColor = RGBColor(221, 221, 221);

/// An axis: label and unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    label: String,
}

impl Axis {
    /// An axis without a unit: a count or a share.
    pub fn new(label: impl Into<String>) -> Axis {
        Axis { label: shortened(&label.into(), LONGEST_LABEL) }
    }

    /// An axis with a unit after its label.
    pub fn in_unit(label: &str, unit: &str) -> Axis {
        Axis::new(format!("{label} ({unit})"))
    }
}

/// Why a chart could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum PlotError {
    /// The chart has no finite number.
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

/// A chart that can be written as SVG.
pub trait Chart: Drawn {
    /// The chart as SVG. It fills the available width and keeps its height, so that a long chart scrolls instead of
    /// shrinking.
    ///
    /// # Errors
    /// If there is no finite number, or the drawing library fails.
    fn to_svg(&self) -> Result<String, PlotError> {
        let height = self.height();
        let mut svg = String::new();
        self.draw(&SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area())?;
        let fixed = format!("<svg width=\"{WIDTH}\" height=\"{height}\" ");
        let mut text = svg.replacen(&fixed, &root(height), 1);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }
}

impl<T: Drawn> Chart for T {}

/// Drawing of a chart, for this crate only.
#[doc(hidden)]
pub trait Drawn {
    /// Height in units of the view box.
    fn height(&self) -> u32;

    /// Draws the chart; an error if it has no finite number.
    fn draw(&self, paper: &Paper<'_>) -> Result<(), PlotError>;
}

/// Several charts below each other in one drawing; those without numbers are skipped.
///
/// # Errors
/// If none has numbers.
pub fn stacked(charts: &[&dyn Chart]) -> Result<String, PlotError> {
    let (mut inner, mut height, mut empty) = (String::new(), 0, None);
    for chart in charts {
        match chart.to_svg() {
            Ok(svg) => {
                let fixed = format!("<svg y=\"{height}\" width=\"{WIDTH}\" height=\"{}\" ", chart.height());
                inner += &svg.replacen(&root(chart.height()), &fixed, 1);
                height += chart.height();
            }
            Err(error @ PlotError::Empty { .. }) => empty = Some(error),
            Err(error) => return Err(error),
        }
    }
    match empty {
        Some(error) if inner.is_empty() => Err(error),
        _ => {
            let head = format!("{}viewBox=\"0 0 {WIDTH} {height}\"", root(height));
            Ok(format!("{head} xmlns=\"http://www.w3.org/2000/svg\">\n{inner}</svg>\n"))
        }
    }
}

/// Start tag of a drawing with this height.
fn root(height: u32) -> String {
    format!("<svg width=\"100%\" height=\"{height}\" ")
}

/// A number on an axis, with decimals by the distance between ticks.
fn shown(number: f64, step: f64) -> String {
    let decimals = if step > 0.0 { (-step.log10()).ceil().clamp(0.0, 9.0) as usize } else { 0 };
    crate::format::number(number, decimals, crate::format::Sign::Negative)
}

/// A text of at most `most` letters, without hidden characters and those that XML forbids.
fn shortened(text: &str, most: usize) -> String {
    let letters = text.chars().map(|letter| match letter {
        letter if is_hidden(letter) => ' ',
        '\u{fffe}' | '\u{ffff}' => char::REPLACEMENT_CHARACTER,
        letter => letter,
    });
    if text.chars().count() <= most {
        return letters.collect();
    }
    letters.take(most.saturating_sub(1)).chain(['…']).collect()
}
