//! Lines over a number: errors by epoch, ratings by build, a score by game.

use plotters::coord::CoordTranslate;
use plotters::prelude::*;

use super::range::{around, marked, round_step};
use super::{Axis, COLORS, FONT, GRID, HEIGHT, Paper, PlotError, TEXT, TITLE, WIDTH, scalable, shown};

/// More points than these have no marks of their own.
const MARKED: usize = 40;

/// Lines in one pair of axes.
#[derive(Clone, Debug, PartialEq)]
pub struct LineChart {
    title: String,
    x: Axis,
    y: Axis,
    lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq)]
struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    errors: Vec<(f64, f64)>,
}

impl LineChart {
    /// Axes without lines.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> LineChart {
        LineChart { title: title.into(), x, y, lines: Vec::new() }
    }

    /// With one more line. Points that are not finite leave a gap in nothing: they are left out.
    #[must_use]
    pub fn line(
        mut self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> LineChart {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        self.lines.push(Line { name: name.into(), points, errors: Vec::new() });
        self
    }

    /// With one more line whose points have half-widths of their intervals: x, y, error.
    #[must_use]
    pub fn line_with_errors(
        self,
        name: impl Into<String>,
        points: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> LineChart {
        let points: Vec<_> =
            points.into_iter().filter(|(x, y, error)| [x, y, error].iter().all(|n| n.is_finite())).collect();
        let mut chart = self.line(name, points.iter().map(|&(x, y, _)| (x, y)));
        if let Some(line) = chart.lines.last_mut() {
            line.errors = points.iter().map(|&(_, y, error)| (y - error, y + error)).collect();
        }
        chart
    }

    /// The chart as SVG.
    ///
    /// # Errors
    /// If no line has a point.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        let mut svg = String::new();
        self.draw(SVGBackend::with_string(&mut svg, (WIDTH, HEIGHT)).into_drawing_area())?;
        Ok(scalable(&svg, HEIGHT))
    }

    fn draw(&self, area: Paper<'_>) -> Result<(), PlotError> {
        let empty = || PlotError::Empty { title: self.title.clone() };
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let ends = self.lines.iter().flat_map(|line| &line.errors).flat_map(|&(low, high)| [low, high]);
        let x_range = around(points().map(|point| point.0)).ok_or_else(empty)?;
        let y_range = around(points().map(|point| point.1).chain(ends)).ok_or_else(empty)?;
        let (x_step, y_step) = (round_step(&x_range, 8), round_step(&y_range, 6));

        area.fill(&WHITE).map_err(PlotError::from_drawing)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.title, (FONT, TITLE))
            .margin(14)
            .x_label_area_size(58)
            .y_label_area_size(118)
            .build_cartesian_2d(marked(x_range, x_step), marked(y_range, y_step))
            .map_err(PlotError::from_drawing)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style((FONT, TEXT))
            .axis_desc_style((FONT, TEXT))
            .x_desc(&self.x.label)
            .y_desc(&self.y.label)
            .x_label_formatter(&|number| shown(*number, x_step))
            .y_label_formatter(&|number| shown(*number, y_step))
            .draw()
            .map_err(PlotError::from_drawing)?;
        for (index, line) in self.lines.iter().enumerate() {
            draw_line(&mut chart, index, line)?;
        }
        chart
            .configure_series_labels()
            .label_font((FONT, TEXT))
            .background_style(WHITE.mix(0.85))
            .border_style(GRID)
            .position(SeriesLabelPosition::UpperRight)
            .draw()
            .map_err(PlotError::from_drawing)?;
        area.present().map_err(PlotError::from_drawing)
    }
}

fn draw_line<'a, 'b: 'a, C: CoordTranslate<From = (f64, f64)>>(
    chart: &mut ChartContext<'a, SVGBackend<'b>, C>,
    index: usize,
    line: &Line,
) -> Result<(), PlotError> {
    let color = COLORS[index % COLORS.len()];
    let style = color.stroke_width(3);
    chart
        .draw_series(LineSeries::new(line.points.iter().copied(), style))
        .map_err(PlotError::from_drawing)?
        .label(line.name.as_str())
        .legend(move |(x, y)| {
            EmptyElement::at((x, y)) + PathElement::new([(0, 0), (26, 0)], style) + mark(index, (13, 0))
        });
    let bars = line.points.iter().zip(&line.errors);
    let bars =
        bars.map(|(&(x, _), &(low, high))| PathElement::new([(x, low), (x, high)], color.stroke_width(2)));
    chart.draw_series(bars).map_err(PlotError::from_drawing)?;
    if line.points.len() <= MARKED {
        let marks = line.points.iter().map(|&point| EmptyElement::at(point) + mark(index, (0, 0)));
        chart.draw_series(marks).map_err(PlotError::from_drawing)?;
    }
    Ok(())
}

/// The mark of a line, so that lines differ without their colors: filled or hollow, of three, four or many corners.
fn mark(index: usize, (x, y): (i32, i32)) -> Polygon<(i32, i32)> {
    let color = COLORS[index % COLORS.len()];
    let corner = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        (x + (6.5 * sine).round() as i32, y - (6.5 * cosine).round() as i32)
    };
    let corners = [12, 4, 3][index % 3];
    let corners =
        (0..corners).map(|number| corner(f64::from(number) / f64::from(corners) * std::f64::consts::TAU));
    Polygon::new(corners.collect::<Vec<_>>(), color.filled())
}
