//! Values by name with their intervals: ratings with their errors.

use plotters::prelude::*;

use super::head::{PlotHead, mark};
use super::range::around;
use super::rows::{RowFrame, Rows, height, row, upright};
use super::{Axis, COLORS, Drawn, Paper, PlotError};

/// Points with error bars, one per row, the first on top.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalChart {
    title: String,
    axis: Axis,
    values: Vec<PlottedValue>,
}

#[derive(Clone, Debug, PartialEq)]
struct PlottedValue {
    name: String,
    value: f64,
    error: f64,
}

impl IntervalChart {
    /// A chart without values.
    pub fn new(title: impl Into<String>, axis: Axis) -> IntervalChart {
        IntervalChart { title: title.into(), axis, values: Vec::new() }
    }

    /// Adds a value with the half-width of its interval, if known. Rows without a finite number are empty.
    #[must_use]
    pub fn value(mut self, name: impl Into<String>, value: f64, error: Option<f64>) -> IntervalChart {
        let error = error.filter(|error| error.is_finite()).unwrap_or(0.0);
        self.values.push(PlottedValue { name: name.into(), value, error });
        self
    }

    fn head(&self) -> PlotHead {
        PlotHead::new(&self.title, [])
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &PlottedValue)> {
        self.values.iter().enumerate().filter(|(_, value)| value.value.is_finite())
    }

    fn fill(&self, chart: &mut Rows<'_, '_>) -> Result<(), PlotError> {
        if chart.x_range().contains(&0.0) {
            upright(chart, 0.0, self.values.len())?;
        }
        let style = COLORS[0].stroke_width(4);
        let stroke = |from: (f64, f64), to: (f64, f64)| PathElement::new([from, to], style);
        let strokes = self.drawn().filter(|(_, value)| value.error > 0.0).flat_map(|(index, value)| {
            let (low, high) = (value.value - value.error, value.value + value.error);
            let end = |x: f64| stroke((x, row(index, -0.18)), (x, row(index, 0.18)));
            [stroke((low, row(index, 0.0)), (high, row(index, 0.0))), end(low), end(high)]
        });
        chart.draw_series(strokes).map_err(PlotError::from_drawing)?;
        let dots = self
            .drawn()
            .map(|(index, value)| EmptyElement::at((value.value, row(index, 0.0))) + mark(0, (0, 0)));
        chart.draw_series(dots).map_err(PlotError::from_drawing)?;
        Ok(())
    }
}

impl Drawn for IntervalChart {
    fn height(&self) -> u32 {
        height(&self.head(), self.values.len())
    }

    fn draw(&self, paper: &Paper<'_>) -> Result<(), PlotError> {
        let ends = self.drawn().flat_map(|(_, value)| [value.value - value.error, value.value + value.error]);
        let range = around(ends).ok_or_else(|| PlotError::Empty { title: self.title.clone() })?;
        let names = self.values.iter().map(|value| value.name.as_str()).collect();
        RowFrame { head: self.head(), axis: &self.axis.label, names, range }
            .draw(paper, |chart| self.fill(chart))
    }
}
