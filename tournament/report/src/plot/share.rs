//! Parts of wholes by name: wins, draws and losses by opening.

use plotters::prelude::*;

use super::head::{LegendEntry, LegendSample, PlotHead};
use super::rows::{RowFrame, Rows, height, row};
use super::{Axis, Drawn, Paper, PlotError};

/// Three colors distinguishable by color-blind readers, the middle one pale.
const PARTS: [RGBColor; 3] = [RGBColor(0, 114, 178), RGBColor(200, 200, 200), RGBColor(213, 94, 0)];

/// Rows of three parts each, in percent, the first on top.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareChart {
    title: String,
    axis: Axis,
    parts: [String; 3],
    rows: Vec<(String, [f64; 3])>,
}

impl ShareChart {
    /// An empty chart with the names of the three parts: good, even, bad.
    pub fn new(title: impl Into<String>, axis: Axis, parts: [&str; 3]) -> ShareChart {
        ShareChart { title: title.into(), axis, parts: parts.map(str::to_owned), rows: Vec::new() }
    }

    /// Adds a row of parts in any unit; a row without parts is empty.
    #[must_use]
    pub fn row(mut self, name: impl Into<String>, parts: [f64; 3]) -> ShareChart {
        self.rows.push((name.into(), parts));
        self
    }

    fn head(&self) -> PlotHead {
        let entry = |(name, color): (&String, RGBColor)| LegendEntry {
            name: name.clone(),
            sample: LegendSample::Area(color),
        };
        PlotHead::new(&self.title, self.parts.iter().zip(PARTS).map(entry))
    }

    fn fill(&self, chart: &mut Rows<'_, '_>) -> Result<(), PlotError> {
        let areas = self.rows.iter().enumerate().flat_map(|(index, (_, parts))| {
            let whole: f64 = parts.iter().sum();
            let mut start = 0.0;
            let areas: Vec<_> = parts
                .iter()
                .zip(PARTS)
                .filter(|(part, _)| **part > 0.0)
                .map(|(part, color)| {
                    let end = start + 100.0 * part / whole;
                    let corners = [(start, row(index, 0.3)), (end, row(index, -0.3))];
                    start = end;
                    Rectangle::new(corners, color.filled())
                })
                .collect();
            areas
        });
        chart.draw_series(areas).map_err(PlotError::from_drawing)?;
        Ok(())
    }
}

impl Drawn for ShareChart {
    fn height(&self) -> u32 {
        height(&self.head(), self.rows.len())
    }

    fn draw(&self, paper: &Paper<'_>) -> Result<(), PlotError> {
        let has_parts = self.rows.iter().any(|(_, parts)| parts.iter().sum::<f64>() > 0.0);
        if !has_parts {
            return Err(PlotError::Empty { title: self.title.clone() });
        }
        let names = self.rows.iter().map(|(name, _)| name.as_str()).collect();
        let frame = RowFrame { head: self.head(), axis: &self.axis.label, names, range: 0.0..100.0 };
        frame.draw(paper, |chart| self.fill(chart))
    }
}
