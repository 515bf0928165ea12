//! Bars by name, lying, so that names of any length can be read: ratings, points, counts.

use plotters::prelude::*;

use super::range::{around, marked, round_step};
use super::{Axis, COLORS, FONT, GRID, Paper, PlotError, TEXT, TITLE, WIDTH, scalable, shown};

/// Height of a bar with the gap to the next.
const ROW: u32 = 42;

/// What title and axis take.
const FRAME: u32 = 150;

/// Width of a letter, about.
const LETTER: u32 = 12;

/// The longest name that is shown whole.
const LONGEST_NAME: usize = 26;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it stands for.
    pub name: String,
    /// Its length; below zero it goes to the left. Bars of numbers that are not finite stay empty.
    pub value: f64,
    /// The half-width of the value's interval, drawn over its end.
    pub error: Option<f64>,
}

/// Bars below each other, the first on top.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    title: String,
    axis: Axis,
    bars: Vec<Bar>,
}

impl BarChart {
    /// An axis without bars.
    pub fn new(title: impl Into<String>, axis: Axis) -> BarChart {
        BarChart { title: title.into(), axis, bars: Vec::new() }
    }

    /// With one more bar.
    #[must_use]
    pub fn bar(mut self, name: impl Into<String>, value: f64, error: Option<f64>) -> BarChart {
        self.bars.push(Bar { name: name.into(), value, error });
        self
    }

    /// The chart as SVG; it grows with the number of bars.
    ///
    /// # Errors
    /// If no bar has a number.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        let height = FRAME + ROW * self.bars.len() as u32;
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area())?;
        Ok(scalable(&svg, height))
    }

    fn draw(&self, area: Paper<'_>) -> Result<(), PlotError> {
        let drawn = || self.bars.iter().enumerate().filter(|(_, bar)| bar.value.is_finite());
        let empty = || PlotError::Empty { title: self.title.clone() };
        drawn().next().ok_or_else(empty)?;
        let range = around(drawn().flat_map(|(_, bar)| ends(bar)).chain([0.0])).ok_or_else(empty)?;
        let (step, count) = (round_step(&range, 6), self.bars.len() as f64);

        area.fill(&WHITE).map_err(PlotError::from_drawing)?;
        let names: Vec<String> = self.bars.iter().map(|bar| shortened(&bar.name)).collect();
        let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        // Rows count downward: the first bar lies between 0 and −1.
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, (FONT, TITLE))
            .margin(14)
            .margin_right(40)
            .x_label_area_size(58)
            .y_label_area_size(LETTER * longest as u32 + 16)
            .build_cartesian_2d(marked(range, step), -count..0.0)
            .map_err(PlotError::from_drawing)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style((FONT, TEXT))
            .axis_desc_style((FONT, TEXT))
            .x_desc(&self.axis.label)
            .x_label_formatter(&|number| shown(*number, step))
            .draw()
            .map_err(PlotError::from_drawing)?;
        let row = |index: usize| -(index as f64);
        let bars = drawn().map(|(index, bar)| {
            let corners = [(bar.value.min(0.0), row(index) - 0.2), (bar.value.max(0.0), row(index) - 0.8)];
            Rectangle::new(corners, COLORS[0].filled())
        });
        chart.draw_series(bars).map_err(PlotError::from_drawing)?;
        let errors = drawn().filter(|(_, bar)| bar.error.is_some()).map(|(index, bar)| {
            let middle = row(index) - 0.5;
            PathElement::new(ends(bar).map(|end| (end, middle)), COLORS[1].stroke_width(4))
        });
        chart.draw_series(errors).map_err(PlotError::from_drawing)?;
        let zero = PathElement::new([(0.0, -count), (0.0, 0.0)], BLACK.stroke_width(2));
        chart.draw_series([zero]).map_err(PlotError::from_drawing)?;
        let style = (FONT, TEXT).into_text_style(&area).pos(right_of_name());
        for (index, name) in names.into_iter().enumerate() {
            let (_, y) = chart.backend_coord(&(0.0, row(index) - 0.5));
            let x = (LETTER * longest as u32 + 16) as i32;
            area.draw_text(&name, &style, (x, y)).map_err(PlotError::from_drawing)?;
        }
        area.present().map_err(PlotError::from_drawing)
    }
}

fn right_of_name() -> plotters::style::text_anchor::Pos {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    Pos::new(HPos::Right, VPos::Center)
}

/// Where the interval of a bar begins and ends; its own end where it has none.
fn ends(bar: &Bar) -> [f64; 2] {
    let error = bar.error.filter(|error| error.is_finite()).unwrap_or(0.0);
    [bar.value - error, bar.value + error]
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}
