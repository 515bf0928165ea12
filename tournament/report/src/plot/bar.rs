//! Bars by name: points, counts, differences.

use std::ops::Range;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::head::{LegendEntry, LegendSample, PlotHead};
use super::range::around;
use super::rows::{RowFrame, Rows, height, row, upright};
use super::{Axis, COLORS, Drawn, FONT, Paper, PlotError, TEXT, shortened};

/// Maximum number of characters of a bar's label.
const LONGEST_WORDS: usize = 28;

/// Share of the width from which a label fits inside the bar.
const LONG: f64 = 0.4;

/// A bar chart: horizontal bars, the first on top.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    title: String,
    axis: Axis,
    series: Vec<String>,
    bars: Vec<Bar>,
}

#[derive(Clone, Debug, PartialEq)]
struct Bar {
    name: String,
    value: f64,
    words: String,
    series: usize,
}

impl BarChart {
    /// A chart without bars.
    pub fn new(title: impl Into<String>, axis: Axis) -> BarChart {
        BarChart { title: title.into(), axis, series: Vec::new(), bars: Vec::new() }
    }

    /// Adds a bar with a label at its end, unless that is empty. Negative bars go left; a bar without a finite number
    /// is empty.
    #[must_use]
    pub fn bar(mut self, name: impl Into<String>, value: f64, words: impl Into<String>) -> BarChart {
        let words = shortened(&words.into(), LONGEST_WORDS);
        self.bars.push(Bar { name: name.into(), value, words, series: 0 });
        self
    }

    /// Names the series of a grouped chart; each has its own color.
    #[must_use]
    pub fn of_series<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> BarChart {
        self.series = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// Adds a group: one bar and label per series, the name at the first.
    #[must_use]
    pub fn group(self, name: &str, bars: impl IntoIterator<Item = (f64, String)>) -> BarChart {
        bars.into_iter().enumerate().fold(self, |chart, (series, (value, words))| {
            let mut chart = chart.bar(if series == 0 { name } else { "" }, value, words);
            chart.bars.last_mut().expect("one was just added").series = series;
            chart
        })
    }

    fn head(&self) -> PlotHead {
        let series = self.series.iter().enumerate().filter(|_| self.series.len() > 1);
        let entry = |(index, name): (usize, &String)| LegendEntry {
            name: name.clone(),
            sample: LegendSample::Area(COLORS[index % COLORS.len()]),
        };
        PlotHead::new(&self.title, series.map(entry))
    }

    fn drawn(&self) -> impl Iterator<Item = (usize, &Bar)> {
        self.bars.iter().enumerate().filter(|(_, bar)| bar.value.is_finite())
    }

    fn fill(&self, chart: &mut Rows<'_, '_>) -> Result<(), PlotError> {
        let bars = self.drawn().map(|(index, bar)| {
            let corners = [(bar.value.min(0.0), row(index, 0.3)), (bar.value.max(0.0), row(index, -0.3))];
            Rectangle::new(corners, COLORS[bar.series % COLORS.len()].filled())
        });
        chart.draw_series(bars).map_err(PlotError::from_drawing)?;
        upright(chart, 0.0, self.bars.len())?;
        let range = chart.x_range();
        let words = self.drawn().filter(|(_, bar)| !bar.words.is_empty()).map(|(index, bar)| {
            let (x, place, color) = place_of_words(bar.value, &range);
            let gap = if matches!(place, HPos::Left) { 8 } else { -8 };
            let style = (FONT, TEXT).into_font().color(&color).pos(Pos::new(place, VPos::Center));
            EmptyElement::at((x, row(index, 0.0))) + Text::new(bar.words.clone(), (gap, 0), style)
        });
        chart.draw_series(words).map_err(PlotError::from_drawing)?;
        Ok(())
    }
}

/// Position of a label: inside a long bar, beside a short one.
fn place_of_words(value: f64, range: &Range<f64>) -> (f64, HPos, RGBColor) {
    let (left, right) = (value.min(0.0), value.max(0.0));
    match value {
        _ if value.abs() > LONG * (range.end - range.start) && value > 0.0 => (value, HPos::Right, WHITE),
        _ if value.abs() > LONG * (range.end - range.start) => (value, HPos::Left, WHITE),
        _ if range.end - right >= left - range.start => (right, HPos::Left, BLACK),
        _ => (left, HPos::Right, BLACK),
    }
}

impl Drawn for BarChart {
    fn height(&self) -> u32 {
        height(&self.head(), self.bars.len())
    }

    fn draw(&self, paper: &Paper<'_>) -> Result<(), PlotError> {
        let empty = || PlotError::Empty { title: self.title.clone() };
        self.drawn().next().ok_or_else(empty)?;
        let range = around(self.drawn().map(|(_, bar)| bar.value).chain([0.0])).ok_or_else(empty)?;
        let names = self.bars.iter().map(|bar| bar.name.as_str()).collect();
        RowFrame { head: self.head(), axis: &self.axis.label, names, range }
            .draw(paper, |chart| self.fill(chart))
    }
}
